"""The memory itself: records, their versions, and the Markdown files people read."""
