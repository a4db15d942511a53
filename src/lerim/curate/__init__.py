"""Keep the memory true: what says the same becomes one, what was overruled is closed, what faded is archived.

The door is `Curation` (room.py): it plans, applies a plan as far as it still fits, and takes a run back.
"""
