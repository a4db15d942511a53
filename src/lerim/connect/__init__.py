"""Hand the memory to the agents: what each of them is told to call, and what answers when it does."""
