"use strict";
// A link to a line of a long transcript may lead to another page of it: `#L812` alone does not say which.
(() => {
  const found = /^#L(\d+)$/.exec(location.hash);
  if (!found) return;
  const line = document.getElementById("L" + found[1]);
  if (line) { const folded = line.querySelector("details"); if (folded) folded.open = true; line.focus({ preventScroll: true }); return; }
  const asked = new URLSearchParams(location.search);
  if (asked.get("line") !== found[1]) location.replace(location.pathname + "?line=" + found[1] + location.hash);
})();
