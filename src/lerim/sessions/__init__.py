"""Which sessions exist on this machine, what changed since the last look, and whose turn it is to be ingested."""
