"""`python -m lerim`: the same as the `lerim` script, where its folder is not on the PATH."""

from lerim.cli.main import run

run()
