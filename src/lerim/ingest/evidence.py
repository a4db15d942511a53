"""Evidence or nothing: a quote must stand verbatim in the session, and somebody must have meant it. Pure.

Verbatim means character by character; only runs of white space may differ, since models and terminals wrap lines, and
how quotes, dashes and blanks are set (text/folding.py). What is kept is the session's own spelling. Only what the user
or the agent said themselves can create a memory; output of tools, injected text and what somebody merely pasted can
stand beside it. What the agent thought it told nobody: thoughts are no evidence at all.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from lerim.context.records import Evidence, Trust
from lerim.ingest.findings import Candidate, Quote, Rejection
from lerim.ingest.own_words import own_share, own_spans
from lerim.ingest.transcript import Transcript, may_quote, speaker
from lerim.ingest.words import covered, is_translated, parts, stems
from lerim.sources.trace import Assistant, Line, Reasoning, User, Via
from lerim.text.folding import aligned, fold
from lerim.text.sentences import sentences
from lerim.text.words import words

__all__ = ["Placed", "evidence_of", "own_spans", "place", "settle", "ungrounded", "verify"]

#: Words a quote needs to speak for itself. "yes" says nothing without what it answers.
MIN_WORDS = 2
MAX_QUOTES = 8
MAX_QUOTE_CHARS = 4_000
#: How the reason begins when no line has a quote.
SAID_NOWHERE = "Nothing in the session says"
#: How much of a quote its author must have written for it to be their own words.
_OWN = 0.5
#: A memory's title shares this much with what was said around its quotes: of 400 made by people, all but one do.
_NEAR = 0.3
_TURNS_AROUND = 3
#: A sentence of which this much stands only in a tool's output or in injected text was not said by anybody.
_FOREIGN = 0.5
#: So many words in a row are copied, not found by chance.
_COPIED_WORDS = 9
_REPEATED_WORDS = 6

_CLAUSE = re.compile(r"(?<=;)\s+")
_QUESTION = re.compile(r"(?ms)^Q: .*?(?=^A: |\Z)")
# "use npm" quoted from "never use npm" would say the opposite of what was meant.
_NEGATED = re.compile(
    r"(?i)\b(?:do not|don['’]t|does not|doesn['’]t|did not|didn['’]t|never|not|no|without|avoid|stop|cannot|can['’]t"
    r"|won['’]t|shouldn['’]t|should not|must not|mustn['’]t|no longer|instead of|rather than)"
    r"\s+(?:ever\s+|to\s+|be\s+)?$"
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A quote where it stands: the line's own spelling, whose words it is, and what had to be put right."""

    quote: Quote
    #: Whether its speaker wrote it themselves, on a line that can create a memory.
    is_own: bool
    note: str = ""


def verify(candidate: Candidate, transcript: Transcript) -> Candidate | Rejection:
    """The candidate with its quotes where they stand and whose words they are, or why it cannot become a memory."""
    placed, lost = settle(candidate.quotes, transcript)
    kept = replace(candidate, quotes=tuple(p.quote for p in placed))
    reason = lost if not placed else _unfounded(placed) or ungrounded(kept, transcript)
    if reason:
        return Rejection(candidate.title, reason, kept.quotes or candidate.quotes[:MAX_QUOTES])
    notes = [p.note for p in placed if p.note]
    if lost:
        notes.append(f"a quote was left out: {lost}")
    signals = tuple(dict.fromkeys((*candidate.signals, *notes)))
    return replace(kept, trust=_trust(placed, transcript), signals=signals)


def settle(quotes: Iterable[Quote], transcript: Transcript) -> tuple[list[Placed], str]:
    """The quotes that stand in the session, each once; and why the first of the others does not."""
    found: dict[tuple[int, str], Placed] = {}
    lost = ""
    # A finding and the candidate made of it cite the same words: each is looked for once.
    known: dict[Quote, Placed | str] = transcript.remembered("quotes")
    for quote in tuple(quotes)[:MAX_QUOTES]:
        placed = known[quote] if quote in known else known.setdefault(quote, place(quote, transcript))
        if isinstance(placed, str):
            lost = lost or placed
        else:
            found.setdefault((placed.quote.first, placed.quote.text), placed)
    return list(found.values()), lost or ("" if found else "It quotes nothing from the session.")


def place(quote: Quote, transcript: Transcript) -> Placed | str:
    """Where a quote stands: within the lines it names, else at the nearest that says it; or why it stands nowhere."""
    quoted = " ".join(fold(quote.text).split())
    if not any(character.isalnum() for character in quoted):
        return "A quote has no words."
    if len(quoted) > MAX_QUOTE_CHARS:
        return f"A quote of {len(quoted):,} characters is a copy, not a quote; at most {MAX_QUOTE_CHARS:,}."
    hits = list(_where(quote, quoted, transcript))
    said = [(number, line) for number, line in hits if not isinstance(line, Reasoning)]
    standing = [(number, line) for number, line in said if not line.undone]
    if not standing:
        return _missing(quote, quoted, undone=bool(said), thought=bool(hits))
    number, line = min(standing, key=lambda hit: _preference(hit, quote, quoted))
    placed = _placed(quote, number, line, quoted)
    return _as_repeated(placed) if _is_repeated(placed, quoted, transcript) else placed


def evidence_of(candidate: Candidate, transcript: Transcript, now: datetime) -> tuple[Evidence, ...]:
    """The evidence a verified candidate's record carries: who said it, where, when, in which words.

    A session that says no time is dated by `now`, and so is one from the future: its clock is wrong.
    """
    header = transcript.header
    times = (min(transcript.said(quote.last) or now, now) for quote in candidate.quotes)
    return tuple(
        Evidence(header.agent, header.run_id, quote.first, quote.last, quote.text, quote.speaker, said)
        for quote, said in zip(candidate.quotes, times, strict=True)
    )


def ungrounded(candidate: Candidate, transcript: Transcript) -> str:
    """Why a candidate says what its session does not, or nothing when it rests on what was said.

    A true quote can be put beside a claim that it does not support: that is how an order hidden in a tool's output
    would get through a model that obeyed it.
    """
    told = f"{candidate.title} {candidate.body}"
    quoted = [quote.text for quote in candidate.quotes]
    if any(is_translated(told, said) for said in (quoted[0], " ".join(quoted))):
        # Of another language no word can be compared; names, numbers and copies still are.
        return _copied(candidate, transcript)
    title = parts(stems(candidate.title))
    if covered(title, transcript.own_stems(title, _around(candidate.quotes, transcript))) < _NEAR:
        return "Its title says something other than the words around its quotes."
    for sentence, least in ((candidate.title, 2), *((text, 3) for text in _clauses(candidate.body))):
        if _is_foreign(sentence, transcript, least):
            return f"Only a tool's output or injected text says: {_clip(sentence)}"
    return _copied(candidate, transcript)


# -- where a quote stands


@lru_cache(maxsize=256)  # Where it stands decides which line is meant, and then whose words it is.
def _spans(quoted: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where the quote stands, with any white space, and not from the middle of a word.

    "not npm" is no quote of "cannot npm". Nearly every text is ruled out by a plain search, which is quick.
    """
    plain = fold(text)
    if quoted not in plain and quoted not in " ".join(plain.split()):
        return ()
    if plain == text:
        return tuple(_spans_in(quoted, text))
    plain, places = aligned(text)
    return tuple((places[start], _after(places, end)) for start, end in _spans_in(quoted, plain))


def _after(places: Sequence[int], end: int) -> int:
    """Where the text goes on behind a character. One that folds to several is taken whole."""
    return next((place for place in places[end:] if place > places[end - 1]), places[-1])


def _spans_in(quoted: str, text: str) -> Iterator[tuple[int, int]]:
    first, *rest = quoted.split(" ")
    at = text.find(first)
    while at >= 0:
        end = _end(text, at + len(first), rest)
        is_whole = end and not _cuts_a_word(text, at) and not _cuts_a_word(text, end)
        if is_whole:
            yield at, end
        at = text.find(first, end if is_whole else at + 1)


def _end(text: str, at: int, rest: Iterable[str]) -> int:
    """Where the words end that follow each other from here, or 0 when they do not."""
    for word in rest:
        start = at
        while text[at : at + 1].isspace():
            at += 1
        if at == start or not text.startswith(word, at):
            return 0
        at += len(word)
    return at


def _cuts_a_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and _is_letter(text[at - 1]) and _is_letter(text[at])


def _stands(quoted: str, text: str) -> bool:
    return bool(_spans(quoted, text))


def _is_letter(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())


def _where(quote: Quote, quoted: str, transcript: Transcript) -> Iterator[tuple[int, Line]]:
    """Where it stands: on the cited lines, else on any. A short quote stands where it is cited or nowhere."""
    lines = transcript.between(quote.first, quote.last)
    cited = [(n.number, n.line) for n in lines if _stands(quoted, n.line.text)]
    if is_short(quoted) or any(not line.undone and not isinstance(line, Reasoning) for _, line in cited):
        yield from cited
    else:
        first_word = quoted.split(" ", 1)[0]
        likely = (n for n in transcript.lines if first_word in fold(n.line.text))
        yield from ((n.number, n.line) for n in likely if _stands(quoted, n.line.text))


def _preference(hit: tuple[int, Line], quote: Quote, quoted: str) -> tuple[bool, bool, int, int, int]:
    """Within the lines it names; else where somebody says it themselves; then the nearest."""
    number, line = hit
    distance = max(quote.first - number, number - quote.last, 0)
    who, is_own = _speaker(line, *_spans(quoted, line.text)[0])
    return distance > 0, not is_own, distance, _RANK[who], number


_RANK = {Trust.USER: 0, Trust.AGENT: 1, Trust.TOOL: 2, Trust.INJECTED: 3}


def _placed(quote: Quote, number: int, line: Line, quoted: str) -> Placed:
    start, end = max(_spans(quoted, line.text), key=lambda span: own_share(line.text, *span, quotes=may_quote(line)))
    notes = []
    if not quote.first <= number <= quote.last:
        notes.append(f"a quote cited at line {quote.first} stands at line {number}")
    if (negation := _NEGATED.search(line.text[max(0, start - 40) : start])) is not None:
        start -= len(negation.group())
        notes.append(f"a quote was widened by the word before it: {' '.join(negation.group().split())}")
    who, is_own = _speaker(line, start, end)
    return Placed(Quote(number, number, line.text[start:end], who), is_own, "; ".join(notes))


def _missing(quote: Quote, quoted: str, *, undone: bool, thought: bool) -> str:
    if undone:
        return f"The words were taken back later in the session: {_clip(quoted)}"
    if thought:
        return f"The agent only thought so and told nobody: {_clip(quoted)}"
    if is_short(quoted):
        return f"Line {quote.first} does not say: {_clip(quoted)}"
    return f"{SAID_NOWHERE}: {_clip(quoted)}"


def is_short(text: str) -> bool:
    """Whether a quote is too short to speak for itself."""
    return len(words(text)) < MIN_WORDS


# -- whose words it is


def _speaker(line: Line, start: int, end: int) -> tuple[Trust, bool]:
    """Whose words a slice of a line is, and whether they wrote it: what a user pastes is not what a user says."""
    who = speaker(line)
    if not isinstance(line, User | Assistant):
        return who, False
    if isinstance(line, User) and line.via is Via.ANSWER and _is_asked(line.text, start, end):
        # The question in an answer is the agent's.
        return Trust.AGENT, own_share(line.text, start, end) >= _OWN
    if own_share(line.text, start, end, quotes=may_quote(line)) >= _OWN:
        return who, True
    return Trust.INJECTED if isinstance(line, User) else Trust.TOOL, False


def _is_asked(text: str, start: int, end: int) -> bool:
    return any(match.start() <= start and end <= match.end() for match in _QUESTION.finditer(text))


def _is_repeated(placed: Placed, quoted: str, transcript: Transcript) -> bool:
    """Whether the agent only says again what a tool or a program wrote before: reading aloud is not saying."""
    quote = placed.quote
    if not placed.is_own or quote.speaker is not Trust.AGENT or len(words(quote.text)) < _REPEATED_WORDS:
        return False
    first_word = quoted.split(" ", 1)[0].lower()
    # The words at its ends may be parts of longer ones; those between stand whole in every line that says it.
    places = transcript.foreign_texts.of(words(" ".join(quoted.split(" ")[1:-1])))
    likely = (transcript.foreign_lines[at] for at in places)
    earlier = (number for number, text in likely if number < quote.first and first_word in text)
    return any((line := transcript.at(number)) is not None and _stands(quoted, line.text) for number in earlier)


def _as_repeated(placed: Placed) -> Placed:
    quote = replace(placed.quote, speaker=Trust.TOOL)
    return Placed(quote, False, placed.note)


def _unfounded(placed: list[Placed]) -> str:
    """Why the quotes cannot carry a memory, or nothing when one of them can."""
    own = [p.quote for p in placed if p.is_own]
    if not own:
        return "Only tools, injected or pasted text say so; neither the user nor the agent does."
    if all(is_short(quote.text) for quote in own):
        return f"Its only words of the user or the agent are too short to say anything: {_clip(own[0].text)}"
    return ""


def _trust(placed: list[Placed], transcript: Transcript) -> Trust:
    """The strongest speaker. A bare "yes" is the user's word only for what the agent had just said."""
    own = [p.quote for p in placed if p.is_own]
    telling = [quote for quote in own if not is_short(quote.text)]
    if any(quote.speaker is Trust.USER for quote in telling):
        return Trust.USER
    nods = [quote.first for quote in own if quote.speaker is Trust.USER]
    is_agreed = any(_answers(nod, quote.first, transcript) for nod in nods for quote in telling)
    return Trust.USER if is_agreed else Trust.AGENT


def _answers(reply: int, proposal: int, transcript: Transcript) -> bool:
    between = transcript.between(proposal + 1, reply - 1)
    return proposal < reply and not any(isinstance(n.line, User) and not n.line.undone for n in between)


# -- whether it says what was said


def _around(quotes: Iterable[Quote], transcript: Transcript) -> set[int]:
    """The places in `messages` of the quoted lines and of the turns next to them."""
    numbers = transcript.message_numbers
    wanted: set[int] = set()
    for quote in quotes:
        at = bisect_left(numbers, quote.first)
        wanted.update(range(max(0, at - _TURNS_AROUND), min(len(numbers), at + _TURNS_AROUND + 1)))
    return wanted


def _clauses(text: str) -> Iterator[str]:
    """The sentences of a text, cut where a semicolon joins two."""
    return (clause for sentence in sentences(text) for clause in _CLAUSE.split(sentence))


def _is_foreign(sentence: str, transcript: Transcript, least: int) -> bool:
    claimed = stems(sentence)
    foreign = transcript.foreign_stems(claimed, least)
    # Everyday words stand somewhere in a long output: what is copied stands there together.
    return bool(foreign) and len(foreign) / len(claimed) >= _FOREIGN and transcript.are_together(foreign)


def _copied(candidate: Candidate, transcript: Transcript) -> str:
    """Why a candidate is a copy of what a tool or a program wrote and nobody said, or nothing."""
    texts = (words(fold(text)) for text in (candidate.title, *_clauses(candidate.body)))
    # Most of what is told was said in one go: then each run of it was.
    runs = {run for found in texts if not _is_all_in_a_message(found, transcript) for run in _runs(found)}
    unsaid = [run for run in runs if not _is_in_a_message(run, transcript)]
    standing = ((at, run) for run in unsaid for at in transcript.foreign_texts.of_run(run))
    if (first := min(standing, default=None)) is None:
        return ""
    at, run = first
    return f"It is copied from line {transcript.foreign_lines[at][0]}, which nobody said: {_clip(' '.join(run))}"


def _is_all_in_a_message(found: Sequence[str], transcript: Transcript) -> bool:
    """Whether the words stand in one message as they follow each other, so that each run of them does."""
    firsts = found[: 1 - _COPIED_WORDS]
    return not firsts or any(
        all(first in text for first in firsts)
        for text in (_text_at(place, transcript) for place in transcript.own_places.of_run(found))
    )


def _is_in_a_message(run: tuple[str, ...], transcript: Transcript) -> bool:
    # A question tool's output repeats question and answer without the marks that a trace puts before them.
    places = transcript.own_places.of_run(run)
    return any(run[0] in _text_at(place, transcript) for place in places)


def _text_at(place: int, transcript: Transcript) -> str:
    return fold(transcript.messages[place].line.text).lower()


def _runs(found: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(found[i : i + _COPIED_WORDS]) for i in range(len(found) - _COPIED_WORDS + 1))


def _clip(text: str, limit: int = 80) -> str:
    line = " ".join(text.split())
    return f"“{line}”" if len(line) <= limit else f"“{line[: limit - 1].rstrip()}…”"
