"""Everything that finds: terms, vectors, the index, and how hits are ranked."""
