"""`lerim config`: the settings in effect here."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands
from lerim.cli.output import Output
from lerim.config.layers import TrustLevel, may_set
from lerim.payloads.setup import setting_payload
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "show",
    "Print every setting in effect here, and the layer it comes from.",
    example="lerim config show",
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    entries = lerim.config.entries()
    ignored = {item.key: str(item.layer.path) for item in lerim.config.ignored}
    out.data([setting_payload(entry, ignored.get(entry.key)) for entry in entries])
    if not out.as_json:
        out.table(
            ["KEY", "VALUE", "FROM"], [[e.key, e.text, _origin(e.layer.name, str(e.layer.path))] for e in entries], 1
        )
    if ignored:
        out.warn(f"{next(iter(ignored.values()))} sets keys that it may not set; ignored: {', '.join(ignored)}")
        root, file = lerim.house.project_root, lerim.house.home / "config.toml"
        wanted = {may_set(key) for key in ignored}
        if TrustLevel.TRUSTED in wanted:
            out.note(f"  if you trust this project: lerim project trust {root}")
        if TrustLevel.NAMED in wanted:
            out.note(f'  if it may choose models and what is sent where: trust.projects = ["{root}"] in {file}')


def _origin(layer: str, path: str) -> str:
    return layer if layer == "default" else f"{layer} ({path})"
