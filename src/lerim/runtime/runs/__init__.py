"""One run: its folder, its documents, and its log."""
