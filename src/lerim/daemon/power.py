"""Whether the machine runs on its battery, as the system tells."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Where Linux tells of power supplies.
SUPPLIES = Path("/sys/class/power_supply")
_PMSET = "/usr/bin/pmset"
_PMSET_SECONDS = 5.0


def on_battery(supplies: Path = SUPPLIES, platform: str = sys.platform) -> bool:
    """Whether a battery feeds the machine. A machine that does not tell has none."""
    return _asked_pmset() if platform == "darwin" else _read_supplies(supplies)


def _read_supplies(supplies: Path) -> bool:
    """Mains that is connected decides; else a battery that is being emptied. A mouse's does not."""
    try:
        names = sorted(os.listdir(supplies))
    except OSError:
        return False
    found = [supplies / name for name in names]
    mains = [_word(one / "online") for one in found if _word(one / "type") in ("Mains", "USB", "USB_PD", "Wireless")]
    if "1" in mains:
        return False
    batteries = [one for one in found if _word(one / "type") == "Battery" and _word(one / "scope") != "Device"]
    return any(_word(one / "status") == "Discharging" for one in batteries)


def _word(file: Path) -> str:
    try:
        return file.read_text("ascii", "replace").strip()
    except OSError:
        return ""


def _asked_pmset() -> bool:
    import subprocess  # Only on macOS, and only for who wants to pause.

    try:
        output = subprocess.run([_PMSET, "-g", "batt"], capture_output=True, timeout=_PMSET_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return False
    return b"'Battery Power'" in output
