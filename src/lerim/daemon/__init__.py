"""What stays when a command is done: the helper, which has the embedding model loaded and answers searches."""
