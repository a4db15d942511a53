"""What a session may have taught and nobody is sure of: it waits until a person, or a model, accepts or rejects it.

A candidate is no memory: no search, brief or answer sees it. Deciding writes candidate and record in one change, and
both hang on it: when the change is undone, the candidate waits again. So undoing needs no code here.
"""
