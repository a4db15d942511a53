"""Link: how the records that hold bear on each other, which of them belong together, and ways to look at that."""
