"""The lead agent that drives ask, sync and maintain through guarded tools."""
