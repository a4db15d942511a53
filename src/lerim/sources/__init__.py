"""Coding agents' traces: one module per agent, each reading its own format into the canonical trace."""
