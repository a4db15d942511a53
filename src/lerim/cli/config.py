"""`lerim config`: the settings that hold here."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands
from lerim.cli.output import Output
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "show",
    "Print every setting that holds here, and the layer it came from.",
    example="lerim config show",
    opens=False,
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    entries = lerim.config.entries()
    out.data([{"key": e.key, "value": e.value, "layer": e.layer.name, "file": str(e.layer.path)} for e in entries])
    if not out.as_json:
        out.table(
            ["KEY", "VALUE", "FROM"], [[e.key, e.text, _origin(e.layer.name, str(e.layer.path))] for e in entries], 1
        )


def _origin(layer: str, path: str) -> str:
    return layer if layer == "default" else f"{layer} ({path})"
