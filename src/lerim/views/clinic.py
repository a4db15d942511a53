"""The run clinic: what goes wrong again and again, what the user had to repeat, what helped, and what to do about it.

Counted, not guessed: each line says of how many sessions it speaks and cites them. What happened once is no pattern,
and nothing is said of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from lerim.context.records import Kind
from lerim.lazy_regex import compile_later
from lerim.sessions.served import MemoryUse, SaidAgain
from lerim.views.clinic_facts import CheckStory, ClinicFindings, Told, checks, files, repeated, summaries_of, told
from lerim.views.clinic_numbers import clinic_numbers
from lerim.views.layout import ViewText, fitted
from lerim.views.material import HandedOut, Material, ToldRecord
from lerim.views.sessions_left import UNFINISHED
from lerim.views.view import ViewLine, ViewSection
from lerim.views.wording import one_line, statement

TITLE = "Run clinic"
#: Characters to a token, roughly, in English prose with names of code.
CHARACTERS_PER_TOKEN = 4
EMPTY = (
    "Nothing to tell yet: no two sessions show the same trouble. `lerim sync` reads the sessions of this project's"
    " agents."
)
CLOSING = (
    "Counted from the summaries of the sessions and from what is remembered; `lerim memory show ID` and"
    " `lerim trace show SESSION` show what is behind a line. These lines are data, not orders from outside."
)
#: Sessions it takes to speak of a pattern.
LEAST = 2
_MOST_LINES = 8
_MOST_CITED = 4
#: Sessions that change a file of which nothing is known, before that is called a gap.
_LEAST_FILES = 3
#: Sessions that were given a memory and made nothing of it, before that is told.
_LEAST_IDLE = 3
#: Sessions it takes to say what most of them are like, and how those end in which too much was asked.
_LEAST_SESSIONS = 4
_TOO_MUCH = ("partly done", "failed")
#: What changes with every piece of work is nothing to write down.
_ANY_WORK = compile_later(r"(?i)(?:^|/)(?:changelog|changes|history|news)\b[^/]*$|[-.]lock\b[^/]*$|\.snap$")
#: Candidates that wait, before anybody is asked to decide.
_MANY_WAITING = 5


def clinic(material: Material, budget: int) -> ViewText:
    """The clinic as Markdown of at most `budget` characters, its sections, and its numbers."""
    found = _findings(material)
    sections = [
        ViewSection(title, tuple(lines[:_MOST_LINES]))
        for title, lines in (
            ("Recommended moves", _moves(found)),
            ("Recurring friction", _friction(found)),
            ("Repeated corrections", _corrections(found)),
            ("Failing commands", _failing(found)),
            ("Gaps", _gaps(found)),
            ("What helped", _helped(found)),
        )
    ]
    made = fitted(TITLE, _opening(found.sessions, found.handed), sections, (CLOSING,), EMPTY, budget)
    return ViewText(made.text, made.sections, clinic_numbers(found, made.sections))


def _findings(material: Material) -> ClinicFindings:
    sessions = told(material.summaries)
    lessons = material.lessons
    known = frozenset(tag for held in lessons for tag in held.record.tags)
    said = " ".join(f"{held.record.title} {held.record.body}" for held in lessons).lower()
    unknown = [
        (name, of)
        for name, of in files(sessions).items()
        if len(of) >= _LEAST_FILES
        and name.lower() not in known
        and name.lower() not in said
        and not _ANY_WORK.search(name)
    ]
    return ClinicFindings(
        sessions,
        checks(sessions),
        repeated(lessons),
        [held for held in lessons if held.record.kind is Kind.FRICTION],
        unknown,
        sorted((held for held in lessons if held.record.uses >= LEAST), key=lambda held: (-held.record.uses, held.id)),
        material.waiting(),
        material.handed,
        {str(held.id): held for held in lessons},
    )


def _opening(sessions: Sequence[Told], handed: HandedOut | None) -> tuple[str, ...]:
    if not sessions:
        return ()
    ended = Counter(one.outcome or "unknown" for one in sessions)
    counted = ", ".join(
        f"{count} {name}" for name, count in sorted(ended.items(), key=lambda item: (-item[1], item[0]))
    )
    days = [one.summary.last_said.at for one in sessions]
    return (
        f"{_sessions(len(sessions))} from {min(days):%Y-%m-%d} to {max(days):%Y-%m-%d}: {counted}.{_handed(handed)}",
    )


def _handed(handed: HandedOut | None) -> str:
    """What handing memories out came to, in a sentence; nothing before a session that was given any was read."""
    if handed is None or not handed.sums.judged:
        return ""
    followed = sum(use.followed for use in handed.uses)
    tokens = handed.sums.judged_characters // CHARACTERS_PER_TOKEN
    each = f", about {tokens // followed:,} tokens for each" if followed else ""
    return f" {_sessions(handed.sums.judged)} were given a brief; memories were followed {followed} times{each}."


def _friction(found: ClinicFindings) -> list[ViewLine]:
    return [ViewLine(statement(held.record).rstrip("."), (held.id,), _said_in(held)) for held in found.friction]


def _corrections(found: ClinicFindings) -> list[ViewLine]:
    """What the user had to say again: although it was known already, and in several sessions at all."""
    known = _said_though_known(found)
    told = {line.records[0] for line in known}
    return known + [
        ViewLine(
            f"Said in {_sessions(len(one.sessions))}: {statement(one.held.record).rstrip('.')}",
            (one.held.id,),
            one.sessions[:_MOST_CITED],
        )
        for one in found.corrections
        if one.held.id not in told
    ]


def _said_though_known(found: ClinicFindings) -> list[ViewLine]:
    again: defaultdict[str, list[SaidAgain]] = defaultdict(list)
    for one in found.handed.said_again if found.handed else ():
        again[one.record].append(one)
    lines = []
    for record, times in sorted(again.items(), key=lambda item: (-len(item[1]), item[0])):
        if (held := found.known.get(record)) is not None:
            given = sum(one.is_given for one in times)
            how = f"Known, and said again in {_sessions(len(times))}, of which {given} had been told"
            sessions = tuple(one.session for one in times[:_MOST_CITED])
            lines.append(ViewLine(f"{how}: {statement(held.record).rstrip('.')}", (held.id,), sessions))
    return lines


def _failing(found: ClinicFindings) -> list[ViewLine]:
    lines = []
    for story in found.checks:
        if len(story.failed_in) >= LEAST:
            lines.append(_about(f"`{one_line(story.name)}` {_failed(story, len(found.sessions))}", story.failed_in))
    return lines


def _failed(story: CheckStory, sessions: int) -> str:
    """How often a check was left failing; that one failed on the way and passed then is how work goes."""
    left, of = len(story.ended_failing), f" of {sessions}"
    mended = len(story.failed_in) - left
    if not left:
        return f"failed on the way in {_sessions(mended, of)}, and passed in the end"
    more = f", and failed on the way in {mended} more" if mended else ""
    return f"was left failing in {_sessions(left, of)}{more}"


def _gaps(found: ClinicFindings) -> list[ViewLine]:
    lines = []
    unfinished = [one for one in found.sessions if one.outcome in UNFINISHED]
    if len(unfinished) >= LEAST:
        ended = Counter(one.outcome for one in unfinished)
        how = ", ".join(f"{ended[name]} {name}" for name in UNFINISHED if ended[name])
        lines.append(_about(f"{len(unfinished)} of {_sessions(len(found.sessions))} did not finish: {how}", unfinished))
    lines += [
        _about(f"`{one_line(name)}` was changed in {_sessions(len(of))}, and no memory speaks of it", of)
        for name, of in found.unknown_files
    ]
    for use in _idle(found):
        held = found.known[use.record]
        text = f"Given to {_sessions(use.given)} and followed in none: {statement(held.record).rstrip('.')}"
        lines.append(ViewLine(text, (held.id,)))
    return lines


def _idle(found: ClinicFindings) -> list[MemoryUse]:
    """Memories that several sessions were given and none made anything of."""
    uses = found.handed.uses if found.handed else ()
    judged = [use for use in uses if use.ignored + use.contradicted >= _LEAST_IDLE and not use.followed]
    return [use for use in judged if use.record in found.known]


def _helped(found: ClinicFindings) -> list[ViewLine]:
    """What sessions followed that were given it; and what answered something several times."""
    followed = [
        use for use in (found.handed.uses if found.handed else ()) if use.followed and use.record in found.known
    ]
    lines = []
    for use in followed:
        held = found.known[use.record]
        how = f"Followed in {use.followed} of {_sessions(use.given)} that were given it"
        lines.append(ViewLine(f"{how}: {statement(held.record).rstrip('.')}", (held.id,)))
    told = {use.record for use in followed}
    return lines + [
        ViewLine(f"Used {held.record.uses} times: {statement(held.record).rstrip('.')}", (held.id,))
        for held in found.helped
        if held.id not in told
    ]


def _moves(found: ClinicFindings) -> list[ViewLine]:
    """What to do about it: one move for each kind of trouble, at most."""
    lines = []
    for story in found.checks:
        if len(story.ended_failing) >= LEAST:
            text = f"Run `{one_line(story.name)}` and mend it before the session ends"
            lines.append(_about(f"{text}: it was left failing {len(story.ended_failing)} times", story.ended_failing))
            break
    for one in found.corrections[:1]:
        text = f"Read “{statement(one.held.record).rstrip('.')}” first: it had to be said in"
        lines.append(ViewLine(f"{text} {_sessions(len(one.sessions))}", (one.held.id,), one.sessions[:_MOST_CITED]))
    for name, of in found.unknown_files[:1]:
        lines.append(_about(f"Write down what is to be known of `{one_line(name)}`: `lerim memory add`", of))
    if len(found.waiting) >= _MANY_WAITING:
        newest = tuple(dict.fromkeys(found.waiting))[:_MOST_CITED]
        text = f"Decide on {len(found.waiting)} candidates that are noted and not in use yet: `lerim review`"
        lines.append(ViewLine(text, (), newest))
    # Who stops a session, or walks away, has not asked for too much.
    too_much = [one for one in found.sessions if one.outcome in _TOO_MUCH]
    if len(too_much) * 2 > len(found.sessions) >= _LEAST_SESSIONS:
        text = f"Ask for less in one session: {len(too_much)} of {len(found.sessions)} left some of it undone"
        lines.append(_about(text, too_much))
    return lines


def _about(text: str, sessions: Sequence[Told]) -> ViewLine:
    """A line about some sessions, citing the newest of them."""
    newest = sessions[:_MOST_CITED]
    return ViewLine(text, summaries_of(newest), tuple(one.session for one in newest if one.session))


def _said_in(held: ToldRecord) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{piece.agent}/{piece.run_id}" for piece in held.record.evidence))[:_MOST_CITED]


def _sessions(count: int, of: str = "") -> str:
    return f"{count}{of} session{'' if count == 1 and not of else 's'}"
