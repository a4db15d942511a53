"""What Lerim is set to do: the settings and where each comes from, and which project a path belongs to."""
