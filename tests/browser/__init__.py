"""The dashboard in a real browser. A package of its own, so that the browser is closed when its tests are through."""
