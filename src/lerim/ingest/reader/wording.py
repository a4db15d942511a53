"""A reader's memories, held against the units they rest on: what points nowhere or says more is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lerim.context.records import Kind, Trust
from lerim.ingest.echo import hosts
from lerim.ingest.findings import Candidate, Digest, KnownRelation, Rejection, RelationKind, Tier
from lerim.ingest.reader.answer import Importance, MemoryAnswer, StoryAnswer
from lerim.ingest.rewording import REWORDED, calls_of, nearest_sentence, session_backing
from lerim.ingest.sheet.page import NearRecord, SheetUnit, clip
from lerim.ingest.signals.summary import summarize as summarize_embedded
from lerim.ingest.stances import stance
from lerim.ingest.transcript import Transcript
from lerim.ingest.words import is_translated, stems
from lerim.text.backing import Backing
from lerim.text.bearing import judge
from lerim.text.sentences import sentences
from lerim.text.statements import statement
from lerim.text.stems import stem
from lerim.text.words import words

#: How sure a reader's memory is, by its importance.
_CONFIDENCE = {Importance.MUST: 0.9, Importance.SHOULD: 0.75, Importance.NICE: 0.55}
#: What only the agent says is a little less so.
_AGENTS = 0.1
_MOST_QUOTES = 6
#: Of what is wrong with an answer so much is named, and so much shown.
_MOST_NAMED, _SHOWN = 6, 120
#: So many words may be the reader's own; of a long sentence one in so many.
_FREE_WORDS, _FREE_SHARE = 2, 8
#: A name with fewer letters besides what stands for any of many tells nothing.
_TELLING_CHARS = 4
#: What is turned around keeps so much of its words. A long sentence of which half is taken up is no such thing.
_SAME_WORDS = 0.5
_JOINT = re.compile(r"[/–-]+")
_WORDS_JOINED = re.compile(r"[A-Za-z]{2,}(?:-[A-Za-z]{2,})+")
_BUT = re.compile(r",? but ", re.IGNORECASE)
#: Who gives up the same says the same of it.
_GIVING_UP = stems("remove drop abandon delete ban forbid retire")
#: What denies nothing: "not only this" is this as well, and what is "not done yet" is to be done.
_AS_WELL = re.compile(r"\bnot (?=(?:only|just|merely|solely|always|necessarily)\b|[^.;,]{1,40}\byet\b)", re.IGNORECASE)
#: "Shouldn't we have one for each?" wants one for each.
_WANTED = re.compile(
    r"\b(should|could|would|ca|can|do|does|is|are|was)n['’]?t (?=(?:we|you|i|it|this|that|they|there|these|the)\b)",
    re.IGNORECASE,
)
#: What is to be found out is not ruled.
_ASKED = re.compile(r"\b(?:confirm|check|verify|clarify|find out|see|tell me|ask) (?:whether|if)\b", re.IGNORECASE)
#: Doing it is no good: that claims nothing, it forbids.
_IS_NO_GOOD = re.compile(
    r"\b\w+ing\b[^.;\n]{1,80}\b(?:is|are|was|were)\s+(?:\w+ly )?(?:invalid|unsupported|wrong|forbidden|illegal|an error"
    r"|deprecated|broken|not (?:supported|allowed|valid|possible))\b",
    re.IGNORECASE,
)
#: Words that only put others in order.
_JOINING = stems("before after first then next previous last earlier later instead once again until while")
#: What stands for any of many: `spec.NNN.md`, `plans/…/plan.md`, `N+1`.
_ANY_OF_MANY = re.compile(r"\.{3}|…|\*+|N{2,}|X{2,}|<[^<>]*>|\{[^{}]*\}")
_COUNTED = re.compile(r"[A-Za-z][+-]\d")
_FIELD, _FIELD_JOINT = re.compile(r"[A-Z]\w+(?:\.(?:[A-Z]\w+|[a-z]+[A-Z]\w*))+"), re.compile(r"\.")
_KEY_PATH = re.compile(r"[a-z]\w*(?:\.[a-z]\w*)+")
#: What goes, and what comes in its place.
_ARROW = re.compile(r"([^`\n→]{1,40}?)`?\s*(?:→|->|=>)\s*`?([^`\n→]{1,40})")
_RELATION = re.compile(r"(?i)\b(same|updates?|replaces?)\b[^K]{0,20}\b(K\d{1,3})\b")
_RELATIONS = {"same": RelationKind.SAME, "update": RelationKind.MORE, "replace": RelationKind.REPLACES}


@dataclass(frozen=True)
class SheetWording:
    """What a reader may say of a session: its units, the records beside them, and the words of its speakers."""

    transcript: Transcript
    units: Mapping[str, SheetUnit]
    known: Mapping[str, NearRecord]

    def candidate(self, memory: MemoryAnswer) -> Candidate | Rejection:
        """The memory as a candidate, with the units' own words as evidence, or why it cannot be one."""
        cited = self.cited(memory)
        quotes = tuple(unit.quote for unit in cited[:_MOST_QUOTES])
        if refused := self._misplaced(memory, cited):
            return Rejection(memory.title, refused, quotes)
        gap = self.gap(memory.title, cited)
        title = memory.title if gap is None else nearest_sentence(memory.title, [quote.text for quote in quotes])
        body = " ".join(self._backed(memory.body, cited)) or title
        by_user = any(quote.speaker is Trust.USER for quote in quotes)
        is_sure = memory.importance is not Importance.NICE and gap is None
        return Candidate(
            id="",
            primitive=memory.type.primitive,
            kind=memory.type.kind,
            title=title,
            body=body,
            quotes=quotes,
            confidence=_CONFIDENCE[memory.importance] - (0.0 if by_user else _AGENTS),
            tier=Tier.SURE if is_sure else Tier.REVIEW,
            signals=(f"a reader calls it a {memory.importance}", *((REWORDED,) if gap else ())),
            relation=self._relation(memory.known),
        )

    def problems(self, memory: MemoryAnswer) -> Iterator[str]:
        """What is wrong with a memory, in words for its reader."""
        cited = self.cited(memory)
        if unknown := [unit for unit in memory.units if unit not in self.units]:
            yield f"'{memory.title[:80]}': there is no unit {_listed(unknown)}"
        elif refused := self._misplaced(memory, cited):
            yield f"'{memory.title[:80]}': {refused}"
        elif gap := self.gap(memory.title, cited):
            yield f"'{memory.title[:80]}' (on {_listed([unit.id for unit in cited])}): {gap}"

    def cited(self, memory: MemoryAnswer) -> list[SheetUnit]:
        """The units a memory rests on, the main one first; then the user's, who say it with more weight."""
        names = dict.fromkeys((memory.main.strip().upper(), *memory.units))
        found = [self.units[name] for name in names if name in self.units]
        return [*found[:1], *sorted(found[1:], key=lambda unit: unit.speaker is not Trust.USER)]

    def gap(self, text: str, cited: Sequence[SheetUnit]) -> str | None:
        """What a text says that nobody said in the session; None when it may stand."""
        backing = self._backing
        said = [unit.text for unit in cited] if cited else [" ".join(unit.text for unit in self.units.values())]
        is_told = any(is_translated(text, one) for one in said)
        names = backing.strangers(text)
        strangers = [one for one in names if not self._is_named(one)]
        # Whoever translates puts words together: "DST-safe", "Chinese-English".
        if strangers := [one for one in strangers if not (is_told and _WORDS_JOINED.fullmatch(one))]:
            return f"nobody names {_listed([repr(one[:80]) for one in strangers])}"
        if turned := next((unit for unit in _ruling(cited) if _is_turned(text, unit, cited)), None):
            return f"it says the opposite of {turned.id}, “{clip(turned.text, _SHOWN)}”"
        if is_told:
            return None
        # Names are looked for as names, above.
        others = (word for word in backing.missing(text) if word not in names and stem(word) not in _JOINING)
        missing = [word for word in others if not _stands_in(word, said)]
        if len(missing) > max(_FREE_WORDS, len(words(text)) // _FREE_SHARE):
            return f"nobody speaks of {_listed([repr(word) for word in missing])}"
        return None

    def digest(self, story: StoryAnswer) -> Digest:
        """The summary without the sentences that say what nobody said; what the facts tell, when nothing is left."""
        lines = (" ".join(self._backed(line, ())) for line in story.body.splitlines())
        body = "\n".join(line for line in lines if line).strip()
        if not story.title.strip() or not body or self.gap(story.title, ()) is not None:
            return summarize_embedded(self.transcript)
        description = " ".join(self._backed(story.description, ()))
        return Digest(story.title, description, body, self._backing.tags(story.tags))

    def _is_named(self, name: str) -> bool:
        """Whether a name or number stands in the session as the beginning of a longer one, as part of a dotted one, or
        is put together of words that do: `18.15` of `18.15.0`, `PLAIN` of `Mode.PLAIN`, `50+`, `passed/total`."""
        # In Chinese a name may follow a letter at once; a number is no part of another one.
        is_number = name[:1].isdigit()
        before, spelled = ("[0-9a-z_.]", name.rstrip("+")) if is_number else ("[0-9a-z_]", name.replace("\\", "/"))
        whole = [spelled.casefold()] if is_number else [spelled.casefold(), spelled.casefold().replace("-", "")]
        # `\x1f` in `42\x1f<prompt>` begins with its mark, `_test.go` of `<name>_test.go` with what joins it.
        bound = "" if name.startswith(("\\", "_")) else f"(?<!{before})"
        if any(re.search(rf"{bound}{re.escape(one)}(?!\d)", self._said) is not None for one in whole):
            return True
        if _COUNTED.fullmatch(name) or self._is_pattern_of_named(spelled):
            return True
        # A folder and a file that somebody names together.
        if "/" in name and any(
            all(map(unit.text.casefold().__contains__, _steps(name))) for unit in self.units.values()
        ):
            return True
        # Keys within keys, as a file spells them one below the other.
        if _KEY_PATH.fullmatch(name) and not hosts(name):
            return all(re.search(rf"\b{re.escape(key)}\b", self._said) for key in name.casefold().split("."))
        # A field of a type is named by both.
        joint = _FIELD_JOINT if _FIELD.fullmatch(name) else _JOINT
        parts = [part for part in joint.split(name) if part]
        return len(parts) > 1 and not name.startswith(("-", "/")) and not self._backing.missing(" ".join(parts))

    def _is_pattern_of_named(self, name: str) -> bool:
        """Whether what a name stands for is named: `specs/a/spec.001.md` for `specs/…/spec.NNN.md`."""
        parts = _ANY_OF_MANY.split(name)
        if len(parts) < 2 or sum(map(str.isalnum, "".join(parts))) < _TELLING_CHARS:
            return False
        return re.search(r"\S{1,60}?".join(re.escape(part.casefold()) for part in parts), self._said) is not None

    @cached_property
    def _said(self) -> str:
        shown = (unit.text for unit in self.units.values())
        said = (*self.transcript.own_texts, *calls_of(self.transcript), *shown)
        return "\n".join(said).replace("\\", "/").casefold()  # Paths of Windows are told with slashes.

    @property
    def _backing(self) -> Backing:
        return session_backing(self.transcript)

    def _misplaced(self, memory: MemoryAnswer, cited: Sequence[SheetUnit]) -> str:
        """Why its units cannot carry it, or nothing."""
        if not cited:
            return "It points at no unit of the sheet."
        if memory.type.kind is Kind.PREFERENCE and all(unit.speaker is not Trust.USER for unit in cited):
            agents = _listed([unit.id for unit in cited])
            return f"Only the agent says so, in {agents}, and how somebody wants things is the user's to say."
        return ""

    def _backed(self, body: str, cited: Sequence[SheetUnit]) -> Iterator[str]:
        """The sentences of a body that may stand."""
        return (one for one in sentences(body) if self.gap(one, cited) is None)

    def _relation(self, said: str) -> KnownRelation | None:
        found = _RELATION.search(said)
        if found is None or (near := self.known.get(found[2].upper())) is None:
            return None
        return KnownRelation(_RELATIONS[found[1].lower().removesuffix("s")], near.record, near.title)


def _steps(path: str) -> list[str]:
    return [step for step in path.casefold().split("/") if step]


def _stands_in(word: str, said: Sequence[str]) -> bool:
    """Whether a word is written in what is cited, be it in a block of code."""
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", one, re.IGNORECASE) for one in said)


def _listed(named: Sequence[str]) -> str:
    """What is named, as far as a reader needs it to put an answer right."""
    return ", ".join(named[:_MOST_NAMED]) + (", …" if len(named) > _MOST_NAMED else "")


def _ruling(cited: Sequence[SheetUnit]) -> list[SheetUnit]:
    """The units that say what holds: the main one, what the user stated, and what they answered. No questions."""
    answered = {number for unit in cited if unit.speaker is Trust.USER for number in unit.answers}
    ruling = (unit for unit in cited if unit is cited[0] or unit.speaker is Trust.USER or unit.id in answered)
    return [unit for unit in ruling if not unit.text.rstrip().endswith("?")]


def _is_turned(text: str, ruling: SheetUnit, cited: Sequence[SheetUnit]) -> bool:
    """Whether a text says the opposite of what holds. "`npm run` → `pnpm`" is not turned by "pnpm, not npm run"."""
    told = stance(text, text)
    for old, new in _ARROW.findall(ruling.text):
        if told.rejects and told.rejects <= stems(old) and told.claims & stems(new):
            return False
    if not any(_is_opposite(text, one) for one in sentences(ruling.text) if not _ASKED.search(one)):
        return False
    # What somebody of the same weight says word for word is nobody's opposite, whatever else is denied beside it.
    equals = [unit.text for unit in cited if unit.speaker is Trust.USER or ruling.speaker is not Trust.USER]
    return Backing(equals).gap(text) is not None


def _is_opposite(text: str, said: str) -> bool:
    """Whether a text turns a sentence around: nearly the same words, and they cannot both hold. Of "it is this, but
    that is right" the second part holds."""
    is_forbidden = _IS_NO_GOOD.search(said) is not None
    text, said = _AS_WELL.sub("", text), _WANTED.sub(r"\1 ", _AS_WELL.sub("", _BUT.split(said)[-1]))
    mine, theirs = stems(text), stems(said)
    shared = len(mine & theirs)
    if shared < _SAME_WORDS * len(mine) or shared < _SAME_WORDS * len(theirs):
        return False
    # Another value of the same is known by its name: what is not in the session is refused for that.
    told, held = stance(text, text), stance(said, said)
    if told.claims & held.claims & _GIVING_UP or (is_forbidden and told.rejects):
        return False
    if not (_takes_up(told.claims, held.rejects) or _takes_up(held.claims, told.rejects)):
        return False
    return judge(statement(text, ""), statement(said, "")).replaces


def _takes_up(claims: frozenset[str], rejects: frozenset[str]) -> bool:
    """Whether what one rejects is claimed by the other: most of it, since "not a final result" leaves other results."""
    return len(claims & rejects) > len(rejects) / 2
