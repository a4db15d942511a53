"""What Lerim is told: the settings and where each comes from, and which project a path belongs to."""
