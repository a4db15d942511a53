"""What a setting has to stay: "yes that was it. it must stay off" rules on what the agent said was on. Pure."""

from __future__ import annotations

import re

from lerim.ingest.signals.plain_words import agents_statement, headline, lead_off, plain, statement
from lerim.ingest.signals.reading import UnitReading
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.values import Meant
from lerim.text.sentences import sentence_spans
from lerim.text.words import words

_VALUE = r"[`\"“]?(?P<value>[\w.%+-]*\w%?)[`\"”]?"
#: A ruling on "it", in a few languages.
_STAYS = re.compile(
    r"\b(?P<it>it|that|this|es|das|der wert|ça|cela) (?:(?:just|always|then|now) )?"
    r"(?:has to|must|should|needs to|shall|muss|soll|doit) (?:(?:always|immer|toujours) )?"
    rf"(?:(?:stay|remain|be|rester) (?:at |on (?=\w)|à )?{_VALUE}|(?:auf )?(?P<abroad>[\w.%+-]+) (?:bleiben|sein)\b)"
    rf"|\b(?:keep|leave) (?P<kept>it|that|this) (?:at |on (?=\w)|as )?(?P<held>[\w.%+-]*\w%?)",
    re.I,
)
#: A setting and what it is set to, as code: "`fsync = off`", "`batch_size: 1`"; a name in capitals needs no mark.
_CODE = re.compile(r"`([^`\n]{3,80})`|\b([A-Z][A-Z0-9]*_[A-Z0-9_]+ ?= ?[\w.%+-]*\w)")
_SETTING = re.compile(r"(?P<name>[A-Za-z][\w.-]*\w) ?(?:=|: ) ?[\"']?(?P<value>[\w.%+-]*\w%?)[\"']?;?")
#: What a setting may be told to stay besides what the agent named: "keep it simple" is of something else.
_SWITCH = re.compile(r"\d[\w.%]*|on|off|yes|no|true|false|an|aus|none|null|(?:en|dis)abled|(?:de)?activated", re.I)
_SAID = 1_200
_NOD_WORDS = 4


def kept_so(reading: UnitReading) -> Meant | None:
    """What the user wants a setting to stay, said of the one that the agent told with another value, and its cause."""
    unit, turn = reading.unit, reading.unit.turn
    if turn is None or "?" in unit.text or len(unit.message.text) > _SAID:
        return None
    for span in sentence_spans(unit.message.text, unit.span.start, unit.span.end):
        one = span.of(unit.message.text)
        # Behind more than a nod "it" is something else.
        if (ruled := _STAYS.search(one)) is None or not _is_nod(unit.message.text[: span.start]):
            continue
        value, proposal = _value_of(ruled), turn.proposal[-_SAID:]
        is_value = _SWITCH.fullmatch(value) is not None or value in words(proposal)
        if is_value and (told := _told(proposal, value)) is not None:
            start, end = ruled.span("it" if ruled["it"] else "kept")
            return Meant(headline(statement(f"{one[ruled.start() : start]}{told[0]}{one[end:]}")), told[1])
    return None


def _is_nod(text: str) -> bool:
    return len(text.split()) <= _NOD_WORDS or len(topics(lead_off(text))) <= 1


def _value_of(ruled: re.Match[str]) -> str:
    return (ruled["value"] or ruled["abroad"] or ruled["held"]).lower()


def _told(proposal: str, value: str) -> tuple[str, str] | None:
    """The only setting that was told with another value, and the sentence that tells it."""
    found: dict[str, str] = {}
    for span in sentence_spans(proposal):
        one = span.of(proposal)
        for code in _CODE.finditer(one):
            setting = _SETTING.fullmatch((code[1] or code[2]).strip())
            if setting is None:
                continue
            is_other = setting["value"].lower() != value
            found[setting["name"]] = found.get(setting["name"]) or (agents_statement(plain(one)) if is_other else "")
    return next(iter(found.items())) if len(found) == 1 and all(found.values()) else None
