"""The composition root: every room of one working directory, built from the settings and opened when first used."""
