"""The memory as a server: what agents ask over MCP, and what they may tell."""
