"""The memory over HTTP: one application for programs (`serve/api/`), people (`serve/pages/`) and agents (MCP).

Everything passes the gate first: whoever does not name this server, comes from another page, or has neither the token
nor a browser's login, is told so before a byte of what they say is looked at.
"""
