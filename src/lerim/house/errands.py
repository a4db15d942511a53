"""What runs in the processes that Lerim starts for its own work: each builds a house of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lerim.house.rooms import House
from lerim.house.workforce import Workforce
from lerim.kept_patterns import keep_patterns

if TYPE_CHECKING:
    from lerim.runtime.worker import Taken


def take_errand() -> None:
    """What runs in the process of a session that is taken alone."""
    keep_patterns(os.environ)
    from lerim.runtime.alone import run_errand  # Start-up: as in `worker`.

    def take(errand: Mapping[str, Any]) -> Taken:
        house = House(errand["cwd"])
        try:
            return Workforce(house).take_job(
                errand["session"], errand["token"], errand["worker"], is_team=errand["is_team"]
            )
        finally:
            house.close()

    run_errand(take)


def read_ahead() -> None:
    """What runs in a process that reads sessions ahead."""
    keep_patterns(os.environ)
    from lerim.runtime.ahead import run_helper  # Start-up: as in `worker`.

    house = House(sys.argv[1])
    try:
        run_helper(Workforce(house).trace_ahead)
    finally:
        house.close()
