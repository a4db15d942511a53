"""What stays when a command is done: the helper, which has the model loaded and answers searches and questions."""
