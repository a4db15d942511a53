"""The sheet: one view of a session for every reader, as numbered units with what each answers and what came of it."""
