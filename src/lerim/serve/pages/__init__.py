"""The dashboard: pages that are made here and need little script. One module for each, its template beside it.

Whatever sessions and memories say is data: templates escape all of it, and no page runs a script but our own files.
"""
