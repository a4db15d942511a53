"""The Markdown face of the memory: one file a record, kept in step with the store."""
