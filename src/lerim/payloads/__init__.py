"""What Lerim answers to programs: one type per document, and the functions that build them from what rooms return.

The command line prints them with `--json`; every other surface gives the same ones. docs/json.md documents each field.

A payload is a TypedDict: checked by mypy, a plain dict when it runs, so there is nothing to convert before it is JSON.
Start-up decides for that, and for a module per noun: a TypedDict of real types takes 0.06 ms to define, a dataclass
some ten times that, and msgspec longer to load than a whole command. So no module here imports its annotations from
the future: each field's type would be compiled again from its text.
"""
