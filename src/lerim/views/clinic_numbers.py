"""The run clinic as numbers and lists, for programs and charts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from lerim.context.records import Kind, time_text
from lerim.views.clinic_facts import ClinicFindings
from lerim.views.material import HandedOut
from lerim.views.view import ViewSection
from lerim.views.wording import one_line


def clinic_numbers(found: ClinicFindings, sections: Iterable[ViewSection]) -> dict[str, Any]:
    """What the page says, and what it is counted from, for programs and charts."""
    return {
        "view": "clinic",
        "sessions": [
            {
                "session": one.session,
                "summary": one.summary.id,
                "at": time_text(one.summary.last_said.at),
                "title": one_line(one.summary.title),
                "outcome": one.outcome,
            }
            for one in found.sessions
        ],
        "outcomes": dict(sorted(Counter(one.outcome or "unknown" for one in found.sessions).items())),
        "checks": [
            {
                "name": one_line(story.name),
                "passed": story.passed,
                "failures": story.failures,
                "failed_in": [one.session for one in story.failed_in],
                "ended_failing": [one.session for one in story.ended_failing],
            }
            for story in found.checks
        ],
        "corrections": [{"record": one.held.id, "sessions": list(one.sessions)} for one in found.corrections],
        str(Kind.FRICTION): [held.id for held in found.friction],
        "files": [
            {"name": one_line(name), "sessions": [one.session for one in of]} for name, of in found.unknown_files
        ],
        "helped": [{"record": held.id, "uses": held.record.uses} for held in found.helped],
        "waiting": len(found.waiting),
        "handed_out": _handed_numbers(found.handed),
        "lines": [
            {
                "section": section.title,
                "text": line.text,
                "records": list(line.records),
                "sessions": list(line.sessions),
            }
            for section in sections
            for line in section.lines
        ],
    }


def _handed_numbers(handed: HandedOut | None) -> dict[str, Any] | None:
    if handed is None:
        return None
    return {
        "sessions": handed.sums.sessions,
        "judged": handed.sums.judged,
        "characters": handed.sums.judged_characters,
        "memories": [
            {
                "record": use.record,
                "given": use.given,
                "followed": use.followed,
                "ignored": use.ignored,
                "contradicted": use.contradicted,
            }
            for use in handed.uses
        ],
        "said_again": [
            {"record": one.record, "session": one.session, "line": one.line, "given": one.is_given}
            for one in handed.said_again
        ],
    }
