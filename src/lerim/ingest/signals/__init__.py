"""Extraction without a model: what people and agents do by saying something, read from the words themselves."""
