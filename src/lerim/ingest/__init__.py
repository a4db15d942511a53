"""Trace → findings → candidates, with evidence: what a session taught, and one summary of it."""
