"""A session → one episodic summary: what it was about and what came of it, kept as a record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from lerim.context.records import (
    MAX_TAG,
    Primitive,
    Random,
    Record,
    Trust,
    clean_tags,
    conflict_line,
    new_id,
    parse_time,
    time_text,
    valid,
)
from lerim.errors import EngineError, InvalidRecord, LerimError
from lerim.ingest.echo import echoes, sentences_in, without
from lerim.ingest.engine import Engine
from lerim.ingest.findings import Digest
from lerim.ingest.own_words import own_text
from lerim.ingest.signals.summary_pastes import typed_text
from lerim.ingest.transcript import Transcript
from lerim.ingest.windows import WINDOW_CHARS, cut
from lerim.ingest.words import EVER, stems
from lerim.sources.trace import Assistant, ToolCall, User
from lerim.text.sentences import first_sentence

HEADING = "## Session Summary"
MAX_TITLE = 120
MAX_DESCRIPTION = 300
MAX_BODY = 12_000
MAX_TAGS = 8
#: What others would have done from then on, in what is told of them.
_RULES = re.compile(
    rf"(?i)\b(?:{EVER}|ever|every|must(?:n['’]t)?|should(?:n['’]t)?|shall|ha(?:s|ve) to|from \w+ on|going forward"
    r"|decided?|decision|rules?|remember|instead(?! of \S*\d)|please|use|do not|don['’]t|stop|no longer|prefers?"
    r"|recommends?|wants?"
    r"|ab (?:jetzt|sofort)|muss|müssen|soll(?:en)?|statt|bitte|beschlossen|verwende\w*"
    r"|désormais|dorénavant|doit|doivent|il faut|au lieu|décidé|a partir de"
    r"|debe\w*|hay que|da ora|deve|vanaf|moet\w*|od teraz|теперь)\b"
    r"|总是|總是|始终|必须|必須|应该|應該|不要|从现在|今后|今後|以后都|必ず|常に|ください|べき|항상|반드시|절대|앞으로|마세요|해야"
)
_HEADING = re.compile(r"\A#{1,6}\s*session summary\s*$", re.IGNORECASE | re.MULTILINE)


def summarize(transcript: Transcript, engine: Engine, guidance: str = "", *, limit: int = WINDOW_CHARS) -> Digest:
    """The session's summary; a plain account of the facts when the engine gives nothing usable. Raises LerimError."""
    windows = cut(transcript, limit)
    if not windows:
        return plain(transcript)
    try:
        digest = engine.summarize(transcript, windows, guidance)
    except LerimError:
        raise
    # Whatever an engine trips over, its caller has one failure to deal with.
    except Exception as error:
        raise EngineError(f"the {engine.name} engine failed: {error}", hint="lerim queue") from error
    usable = _usable(digest)
    return (usable and _without_echoes(usable, transcript)) or plain(transcript)


def summary_record(
    digest: Digest,
    transcript: Transcript,
    *,
    now: datetime,
    trace_path_relative: str,
    repo_name: str,
    random: Random,
) -> Record:
    """The record that keeps a summary, dated by when its session began. Raises InvalidRecord."""
    header = transcript.header
    since = min(_began(transcript) or now, now)
    began = time_text(since)
    record = Record(
        id=new_id(Primitive.SUMMARY, random),
        primitive=Primitive.SUMMARY,
        title=digest.title,
        body=digest.body,
        created=now,
        updated=now,
        valid_from=since,
        source="sync",
        tags=digest.tags,
        trust=Trust.AGENT,
        description=digest.description,
        date=began[:10],
        time=began[11:19],
        coding_agent=header.agent,
        raw_trace_path=trace_path_relative,
        run_id=header.run_id,
        repo_name=repo_name,
    )
    return valid(record)


def plain(transcript: Transcript) -> Digest:
    """What can be said without understanding anything: who asked for what first, and what was done how often."""
    asked = _line(_first_words(transcript))
    answered = _line(_last_words(transcript))
    facts = _facts(transcript)
    title = _clipped((transcript.header.title or "")[:MAX_DESCRIPTION] or asked or facts.title(), MAX_TITLE)
    parts = [HEADING, facts.sentence()]
    if asked:
        parts.append(f"It began with: {_clipped(asked, 600)}")
    if answered:
        parts.append(f"The agent's last words: {_clipped(answered, 600)}")
    digest = Digest(_line(title), facts.sentence(), "\n\n".join(parts))
    # A session may hold anything, also what no record can.
    usable = _usable(digest)
    return (usable and _without_echoes(usable, transcript)) or Digest(
        facts.title(), facts.sentence(), f"{HEADING}\n\n{facts.sentence()}"
    )


# -- what an engine gives


def _without_echoes(digest: Digest, transcript: Transcript) -> Digest | None:
    """The digest without what only a tool, a file or a quoted text said; None when nothing is left to call it by."""
    told = _told(transcript)
    texts = (digest.title, digest.description, *sentences_in(digest.body))
    echoed = echoes(transcript, texts, dict.fromkeys(texts, told))
    if not echoed:
        return digest
    items = [item for line in digest.body.split("\n") if line in echoed for item in _items(line)]
    gone = echoes(transcript, items, dict.fromkeys(items, told))
    kept = "\n".join(_without_items(line, gone) if line in echoed else line for line in digest.body.split("\n"))
    # What is left of a line may still be most of what was copied.
    again = sentences_in(kept)
    body = without(kept, echoes(transcript, again, dict.fromkeys(again, told)))
    title = digest.title if digest.title not in echoed else _first_event(body)
    description = digest.description if digest.description not in echoed else title
    known = f"{title} {body}".lower()
    return Digest(title, description, body, tuple(tag for tag in digest.tags if tag in known)) if title else None


#: One line of a summary lists much of what was said; one item of it that is somebody else's is no reason to lose all.
_ITEM = re.compile(r"(?<=[;.?!])\s+")
_ITEM_LABEL = re.compile(r"(?:[-*]\s+|\*\*[A-Z][a-z ]+:\*\*\s*|Then:\s*)+")
_EVENT = re.compile(r"(?m)^- (.{8,120})$")


def _items(line: str) -> list[str]:
    return [_ITEM_LABEL.sub("", item, count=1) for item in _ITEM.split(line)]


def _without_items(line: str, gone: Collection[str]) -> str:
    """A line without some of its items; a label stays with what follows."""
    kept, label = [], ""
    for item in _ITEM.split(line):
        found = _ITEM_LABEL.match(item)
        label += found[0] if found is not None else ""
        bare = item[found.end() :] if found is not None else item
        if bare not in gone:
            kept.append(f"{label}{bare}")
            label = ""
    told = " ".join(kept)
    return f"{told[:-1]}." if told.endswith(";") else told


def _first_event(body: str) -> str:
    """What a session is called of which only that is left which happened."""
    found = _EVENT.search(body)
    return _line(found[1]).rstrip(". ") if found is not None else ""


def _told(transcript: Transcript) -> str:
    """What the user tells of others in words of their own at the start: "the customer says she got two parcels". A
    memory cannot rest on it, and a session is about it. What others rule or ask for stays theirs."""
    texts = (n.line.text for n in transcript.messages if isinstance(n.line, User))
    first = next((text for text in texts if typed_text(text).strip()), "")
    own = own_text(first, quotes=True)
    return "\n".join(one for one in sentences_in(typed_text(first)) if one not in own and _RULES.search(one) is None)


def _usable(digest: object) -> Digest | None:
    """The digest put into form, or None when there is nothing to put into form."""
    if not isinstance(digest, Digest):
        return None
    texts = digest.title, digest.description, digest.body
    if not all(isinstance(text, str) for text in texts):
        return None
    title = _clipped(_line(digest.title), MAX_TITLE)
    account = _without_heading(digest.body)
    if not stems(title) or not stems(account) or _is_unstorable(digest.body) or conflict_line(digest.body):
        return None
    description = _clipped(
        _first_sentence(_line(digest.description)) or _first_sentence(_line(account)), MAX_DESCRIPTION
    )
    return Digest(title, description, f"{HEADING}\n\n{_bounded(account)}", _tags(digest.tags))


def _without_heading(body: str) -> str:
    return _HEADING.sub("", body.strip(), count=1).strip()


def _is_unstorable(text: str) -> bool:
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text)


def _bounded(body: str) -> str:
    """The body, or its first paragraphs when it is too long for an account of one session."""
    if len(body) <= MAX_BODY:
        return body
    head = body[:MAX_BODY]
    return head[: max(head.rfind("\n\n"), head.rfind(". ") + 1, MAX_BODY // 2)].rstrip() + "\n\n…"


def _tags(tags: object) -> tuple[str, ...]:
    texts = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list | tuple) else []
    try:
        return clean_tags([tag for tag in texts if len(tag) <= MAX_TAG][:MAX_TAGS])
    except InvalidRecord:
        return ()


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in text).split())


def _first_sentence(line: str) -> str:
    return first_sentence(line).lstrip("#*- ").strip()


def _clipped(line: str, limit: int) -> str:
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[limit // 2 :] else head).rstrip(" ,;:.") + "…"


# -- what is there without an engine


class _Facts(NamedTuple):
    agent: str
    turns: int
    answers: int
    calls: int
    tools: tuple[str, ...]

    def title(self) -> str:
        """For a session that nothing else can name: whose it is, its record says already."""
        return f"{_counted(self.turns, 'user turn')} and {_counted(self.calls, 'tool call')}, nothing to quote"

    def sentence(self) -> str:
        text = f"A session of {self.agent} with {_counted(self.turns, 'user turn')}"
        text += f", {_counted(self.answers, 'answer')} and {_counted(self.calls, 'tool call')}"
        return f"{text} ({', '.join(self.tools)})." if self.tools else f"{text}."


def _facts(transcript: Transcript) -> _Facts:
    lines = [n.line for n in transcript.lines if not n.line.undone]
    tools = Counter(_line(line.tool) for line in lines if isinstance(line, ToolCall))
    turns = sum(isinstance(line, User) for line in lines)
    answers = sum(isinstance(line, Assistant) for line in lines)
    usual = tuple(name for name, _ in tools.most_common(3) if name)
    return _Facts(transcript.header.agent, turns, answers, sum(tools.values()), usual)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _first_words(transcript: Transcript) -> str:
    texts = (own_text(n.line.text, quotes=True).strip() for n in transcript.messages if isinstance(n.line, User))
    return next((text for text in texts if text), "").lstrip(" .,;:!?)")


def _last_words(transcript: Transcript) -> str:
    texts = (own_text(n.line.text).strip() for n in reversed(transcript.messages) if isinstance(n.line, Assistant))
    return next((text for text in texts if text), "")


def _began(transcript: Transcript) -> datetime | None:
    """When the session began: as its header says, else at its first line that knows the time."""
    for text in (transcript.header.started, *(n.line.at for n in transcript.lines)):
        if text:
            try:
                return parse_time(text)
            except InvalidRecord:
                continue
    return None
