"""What could carry a memory: the user's statements one by one, and the agent's sentences. Pastes are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from lerim.glance import seldom
from lerim.ingest.listed_points import agreed_spans, listed_points
from lerim.ingest.own_words import Spans, beside_shown, own_spans
from lerim.ingest.quoted_speech import is_doubted
from lerim.ingest.signals.asked import REFUSES, is_bare_figure
from lerim.ingest.signals.cues import SCRAPS_AT_ONCE, tells_change, user_cues
from lerim.ingest.signals.put_off import is_put_off, keeps_hands_off
from lerim.ingest.signals.rulings import NAMED_RULE, parted, plain_rulings, points_away, rules_plainly
from lerim.ingest.signals.taken_back import taken_back_at_once, turning_points
from lerim.ingest.signals.teaching import is_teaching
from lerim.ingest.signals.text import LIST_MARK, RULE_WORDS, TextBlock, blocks, topics
from lerim.ingest.signals.titles import is_errand
from lerim.ingest.signals.turns import Conversation, Turn, Utterance
from lerim.sources.trace import Via
from lerim.text.sentences import TextSpan, joined_spans, sentence_spans, trimmed

#: Words of one unit. Longer paragraphs are cut between sentences.
UNIT_WORDS = 45
#: Nobody says this much in one breath.
MAX_UNIT = 1_500
#: A message longer than this with headings is a document: a plan, a review, a specification.
_DOCUMENT = 1_500
_MAX_UNITS_PER_TURN = 40
#: Fewer words between two pieces of somebody else's say nothing.
_PART_WORDS = 4
_NEW_TOPIC = re.compile(
    r"(?:and )?(?:also|another|second(?:ly)?|third(?:ly)?|btw|by the way|plus|oh|finally|lastly|separately|next)\b",
    re.I,
)
#: "And no wildcards in the tests either" is a rule of its own.
_RULES_TOO = re.compile(
    r"(?:and |but )?(?:also )?(?:no|never|don['’]?t|do not|always|only|kein\w*|nie|auch kein\w*)\b"
    r"(?: [^\s!?]+){3,20}? (?:either|neither|too|as well|auch nicht)\W*$",
    re.I,
)
PLAN = re.compile(
    r"\s*(?:please )?implement (?:the|this) (?:following )?plan\b|\s*#+ *(?:implementation )?plan\b", re.I
)
_TELLING = re.compile(
    r"context|goal|why|overview|problem|background|summary|decision|motivation|constraint|non-goal"
    r"|approach|design|principle|requirement|rationale",
    re.I,
)
#: What a document rules, in whichever section.
_RULES = seldom(r"\b(?:must|never|always|do not|don['’]t|only|no (?:new|mock|hard)\w*)\b", re.I)
_MOST_RULES = 6
#: How a list of rules is led in.
_HEAD_CHARS = 90
_RULES_HEAD = re.compile(
    r"\b(?:rules?|constraints?|conventions?|guidelines?|principles?|polic(?:y|ies)|preferences|non-negotiables?"
    r"|how (?:i|we) (?:want|like|do)|(?:i|we) (?:settled|decided|agreed)"
    r"|(?:things|something) to (?:know|remember|keep in mind)|regeln|règles|reglas"
    r"|regras)\b",
    re.I,
)
_ITEM = re.compile(rf"\s*{LIST_MARK}\s")
#: "Rules for this repo: …" in the midst of a line.
_RULES_INLINE = re.compile(rf"(?:^|(?<=[.!?;,]\s))[^.!?:;\n]{{0,40}}{_RULES_HEAD.pattern}[^.!?:;\n]{{0,40}}:\s", re.I)
#: A line that asks for something goes on with nothing above it.
_ASKS_NEXT = re.compile(
    r"(?:(?:ok(?:ay)?|and|so|then|now|also)[ ,]+)*(?:(?:can|could|would|will) you|please|pls|plz)\b", re.I
)
#: The same of things that need not be rules: "some things upfront: …".
_THINGS_INLINE = re.compile(
    r"(?:^|(?<=[.!?;,]\s))[^.!?:;\n]{0,20}\b(?:some|few|couple(?: of)?|two|three|four|five|six|more)\s(?:\w+\s)?"
    r"(?:things|points|notes|changes|decisions|reminders)\b[^.!?:;\n]{0,40}[:.]\s",
    re.I,
)
#: So far before what it leads in.
_LED_IN = 600
#: Points that are counted within a line: "1) … 2) …", "(a) … (b) …".
_COUNTED = re.compile(
    r"(?:(?<=\s)|^)\(?(?P<mark>[1-9]|[a-f])\)\s+(?=\S)|(?:(?:(?<=[.;,:]\s)|^)(?P<point>[1-9])"
    # Who has begun to count goes on without a mark: "1. … 2. …".
    r"|(?<=\w\s)(?P<next>[2-9]))\.\s+(?=[^\W\d])"
)
#: The same in an answer to questions that have numbers: "1 check it in. 2 shared".
_ANSWERED = re.compile(
    r"(?:(?<=\s)|^)\(?(?P<mark>[1-9]|[a-f])\)\s+(?=\S)|(?:(?<=[.;,:\n]\s)|(?<=\n)|^)(?P<point>[1-9])"
    r"(?:[.:]?\s+(?=[^\W\d])(?!(?:secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|years?|times|px|[kmg]b)\b)"
    r"|[:)]\s+(?=\d))"
)
#: Lines that answer to the points of a list: "1 config struct", "2 out".
_ANSWER_LINES = re.compile(r"\A1[.:]? +[^\W\d][^\n]*\n2[.:]? +[^\W\d]")
#: What is said to one item of a list.
_LISTS = re.compile(r"^\s*2[.)]\s", re.M)
_VERDICT = re.compile(
    r"(?:(?<=[.;,]\s)|(?<=\n)|^)(?P<mark>[1-9])[:,]?\s+(?=(?:no|nope|nah|skip|yes|yep|nein|ja|out)\b)", re.I | re.M
)
_ASKED_BY_NUMBER = re.compile(r"^\s*2[.)]\s[^\n]*\?", re.M)
#: What somebody does not forget to say behind an errand.
_RULE_BEHIND = re.compile(
    r"(?:(?:please|pls|ok(?:ay)?|so|then|now|also|and|can you|could you)[ ,]+)*(?P<errand>[^.;:?!]{3,90}?)"
    r"(?P<gap>,? (?:and|but|also) |, |; | [–—-] )"
    r"(?=(?P<rule>(?:(?:please|also) )?(?:btw|by the way|fyi|for the record|note|(?:keep|bear) in mind|remember"
    r"|don['’]?t forget|never forget)\b(?! (?:to|it|this)\b).{8,}))",
    re.I,
)
#: Who begins so goes on with what was said.
_GOES_ON = re.compile(
    r"(?:and |but |so )*(?:(?:it|its|thats|they|them|there|then|only|except|unless|otherwise|because|since|which|same"
    rf"|he|she|instead|even|not)\b|(?:that|this|these|those)\b(?!{NAMED_RULE}))",
    re.I,
)
_ON_THAT = re.compile(rf"(?:(?:and|but|so) )*(?:that|this|these|those){NAMED_RULE}", re.I)
#: What a ruling leaves as it was belongs to it.
_EXEMPTS = re.compile(
    r"\b(?:by that|untouched|unaffected|unchanged|not affected|stays? (?:as|without|the same|like)|as before"
    r"|except(?:ions?)?)\b",
    re.I,
)
#: What stands behind it is the ruling, and what stands before it the reason.
_CONCLUDES = re.compile(
    r"\b(?:(?:and|ok(?:ay)?|so) )*(?:so|therefore|hence|thus|result|conclusion|verdict|decision|outcome|bottom line"
    r"|in short|long story short|tl;?dr)\s?(?::|–|—|-(?=\s))\s*|(?:therefore|hence)\b,?\s+",
    re.I,
)
_LEAD_CHARS = 24
#: What nobody knows yet does not belong to the ruling before it.
_OPEN_MATTER = re.compile(
    r"\b(?:i(?:['’]m| am)? not sure|not sure yet|i don['’]?t know|no idea yet|undecided"
    r"|(?:i|we) (?:still )?(?:have to|need to|must) (?:ask|check with|think)|leave (?:it|that) open)\b",
    re.I,
)
#: A sentence with one of these rules, whatever stands before it.
_RULING = frozenset({"standing", "rule", "prohibit", "instead"})
#: Fewer words make no ruling that could stand alone, and fewer topics none on something else.
_RULING_WORDS, _RULING_TOPICS = 4, 2
_PASTED = re.compile(
    r"\s*(?:>|❯|➜|\$ |⏺|●|⎿|╭|│|┃|╰|├|└|─|at [\w.$<>]+ ?\(|File \"|Traceback|\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|\[?\d\d:\d\d:\d\d|[+-]{3} [ab]/|@@ |diff --git|error(?:\[\w+\])?: |warning: |hint: |fatal: "
    r"|npm ERR|\{\"|<[a-z_-]+[ >]|</|\+\s{2,}|\d+ ?[│|]|```|={3,}|[🍻▲✓✗✔✘★]|\(\.?\w*venv\)"
    r"|[\w.-]+@[\w.-]+[:~]|\[?(?:WARNING|ERROR|INFO|DEBUG)\b|\.context/\S*\s*$|@?[\w./-]+\.(?:log|txt)\s*$)"
)
#: "b", "2 and 3": no words, and yet an answer.
_BARE_CHOICE = re.compile(r"\W*(?:\d|[a-h])[a-h]?(?:\s*(?:,|and|&|\+|-)\s*(?:\d|[a-h])[a-h]?)*\W*\Z", re.I)
_QUOTED = re.compile(r"\[(?:image|pasted|file|screenshot)[^\]]{0,80}\]", re.I)
#: Longer than anybody types in one go; laid out like a page, even what is shorter was written elsewhere.
_PAGE, _LAID_OUT = 2_500, 600
_LAYOUT = re.compile(r"^\s*(?:[-*•]|\d+[.)]|#{1,4})\s|\*\*", re.MULTILINE)
_MOST_MARKS, _MOST_LINES = 4, 10
_LEAST_POINTS = 2
# What a program prints when it fails.
_PRINTED = seldom(
    r"\b[A-Z]\w*(?:Error|Exception|Warning)\b:?|\b(?:Uncaught|Traceback|stack trace|errno)\b|\b(?:ERROR|WARN|FATAL)\b"
    r"|\b\d+:\d+\s+(?:error|warning)\b|\berror(?: TS\d+|\[E?\d+\]|:)|\bfailed to \w+:|\bexit(?:ed with)? (?:code"
    r"|status) \d"
)
_CODE_PLACE = seldom(r"\b[\w/-]+\.(?:go|py|ts|tsx|js|rs|lua|ps1|sh|ya?ml|json):\d+|\bline \d+|\b\w+\(\w*\)|\(same file")
_PERSON = re.compile(r"\b(?:i|we|you|us|our|me|my|let'?s|lets|please|u)\b|\?", re.I)
#: What somebody types before the comment that they paste: "can you also check: …", "and this is for sync.go:37.. …".
_REVIEW_LEAD = re.compile(r"\W*(?:[^\n.:?]|\.(?=\w)|:(?=\d)){3,90}?(?::|\.{1,3}|\?)\s+(?=[A-Z])")
_LEAST_REVIEW = 120
#: How reviews put it.
_CONSIDERS = re.compile(r"(?:^|(?<=[.\n] )|(?<=\n))(?:Consider \w+ing|Suggest(?:ion|ed):?|Nit)\b", re.M)
_SUGGESTS = re.compile(
    rf"{_CONSIDERS.pattern}|(?:^|(?<=[.\n] )|(?<=\n))(?:Consider|Recommend(?:ation|ed)?|Instead of \w+ing)\b"
    r"|\b(?:the|this) (?:code|function|method|test|check|handler|query|loop|class|implementation)"
    r" (?:should|could|must|does not|doesn['’]t|is not|will)\b",
    re.M,
)
_CODE_NAME = re.compile(r"\b[a-z]+[A-Z]\w+|\b[A-Z][a-z0-9]+[A-Z]\w+|\b\w+_\w+|`[^`\n]+`")
ANSWER = re.compile(r"^Q: ?(?P<question>.*(?:\n(?!A: ).*)*)\nA: ?(?P<answer>.*(?:\n(?!Q: ).*)*)", re.MULTILINE)


class UnitRole(StrEnum):
    """Where a unit stands."""

    WORDS = "words"  # what somebody typed or said
    ANSWER = "answer"  # to a question the agent put through a tool
    PLAN = "plan"  # an approved plan
    DOCUMENT = "document"  # a long text with headings under the user's name
    AGENT = "agent"


@dataclass(frozen=True)
class Unit:
    """One statement: a verbatim slice of a line, and where it stands."""

    sort: UnitRole
    turn: Turn | None
    message: Utterance
    span: TextSpan
    mark: str = ""
    #: The question it answers, when the trace says so.
    question: str = ""
    #: Its place in its message, and how many units that has.
    place: int = 0
    siblings: int = 1

    @cached_property
    def text(self) -> str:
        return self.span.of(self.message.text)

    @property
    def number(self) -> int:
        return self.message.number

    @cached_property
    def is_under_rules(self) -> bool:
        """Whether it stands in a list that the line above, or what stands before it in its line, calls rules: "Ground
        rules:", "constraints:"."""
        text = self.message.text
        if _RULES_INLINE.search(self._line) is not None:
            return True
        before = text[: self.span.start].rstrip(" \t-*•+0123456789.)(")
        heads = (line for line in reversed(before.splitlines()) if line.strip() and not _ITEM.match(line))
        head = next(heads, "").rstrip()
        return head.endswith((":", ":**")) and _RULES_HEAD.search(head[-_HEAD_CHARS:]) is not None

    @property
    def is_under_things(self) -> bool:
        """Whether it is one of some things that its line announces: "three things: …"."""
        return _THINGS_INLINE.search(self._line) is not None

    @property
    def _line(self) -> str:
        """Its line up to its end."""
        text = self.message.text
        return text[max(text.rfind("\n", 0, self.span.start) + 1, self.span.end - _LED_IN) : self.span.end]

    @property
    def is_lone_item(self) -> bool:
        """Whether it is all of a message, and counted: "b. the other one is too large" counts nothing, it chooses."""
        return bool(self.mark) and self.siblings == 1

    @cached_property
    def is_reviewing(self) -> bool:
        """Whether it reads like somebody else's review of code, or stands in one that the user pasted: formal, about a
        place in it, without I or we."""
        text = self.text
        if self.is_users and self.sort is UnitRole.WORDS and is_review(self.message.text):
            return True
        return (
            self.is_users
            and len(text) > 90
            and text[:1].isupper()
            and _CODE_PLACE.search(text) is not None
            and _PERSON.search(text) is None
        )

    @property
    def is_users(self) -> bool:
        return self.sort is not UnitRole.AGENT

    @cached_property
    def is_of_a_page(self) -> bool:
        """Whether its message is long and laid out, without what it shows of others: a template, a specification."""
        return self.sort in {UnitRole.WORDS, UnitRole.DOCUMENT} and is_laid_out(beside_shown(self.message.text))

    @cached_property
    def is_perhaps_anothers(self) -> bool:
        """Whether the user may only show it or pass it on: nothing says for sure who speaks."""
        return self.is_users and is_doubted(self.message.text, self.span.start, self.span.end)

    @cached_property
    def is_agreed(self) -> bool:
        """Whether it is a point of somebody else's that the user shows and says yes to."""
        if self.sort is not UnitRole.WORDS:
            return False
        return any(
            self.span.start < span.end and span.start < self.span.end for span in agreed_spans(self.message.text)
        )

    @property
    def is_conclusion(self) -> bool:
        """Whether "so:" or "therefore:" stands before it: what stands before that is its reason."""
        before = self.message.text[max(0, self.span.start - _LEAD_CHARS) : self.span.start]
        return any(led.end() == len(before) for led in _CONCLUDES.finditer(before))

    @property
    def is_of_a_brief(self) -> bool:
        """Whether its message tells at length what to build: that is work, unless it is said to last."""
        return self.sort is UnitRole.WORDS and len(beside_shown(self.message.text)) > _DOCUMENT

    @cached_property
    def is_printed(self) -> bool:
        """Whether a program's complaint stands in it."""
        return _PRINTED.search(self.text) is not None


@lru_cache(maxsize=256)
def is_review(message: str) -> bool:
    """Whether a message is a comment on code that its author pasted behind a few words of their own: it was set, speaks
    to nobody, names something in the code, and suggests as reviews do."""
    if len(message) > _DOCUMENT:
        return False
    lead = _REVIEW_LEAD.match(message)
    body = message[lead.end() :] if lead is not None else message
    if len(body) < _LEAST_REVIEW or not body[:1].isupper() or _PERSON.search(body) is not None:
        return False
    is_put_so = (_SUGGESTS if lead is not None else _CONSIDERS).search(body) is not None
    return is_put_so and (_CODE_PLACE.search(message) or _CODE_NAME.search(body)) is not None


@lru_cache(maxsize=256)
def is_laid_out(text: str) -> bool:
    """Whether a message is a page rather than something said: very long, or of many points or lines."""
    if len(text) <= _LAID_OUT:
        return False
    return len(text) > _PAGE or len(_LAYOUT.findall(text)) >= _MOST_MARKS or text.count("\n") >= _MOST_LINES


def user_units(talk: Conversation) -> list[Unit]:
    """What the user said, cut into statements."""
    earlier = ""
    found: list[Unit] = []
    for turn in talk.turns:
        earlier = (earlier + "\n".join(message.text for message in turn.before))[-200_000:]
        units = list(_of_turn(turn, earlier))[:_MAX_UNITS_PER_TURN]
        found += [
            Unit(u.sort, u.turn, u.message, u.span, u.mark, u.question, place, len(units))
            for place, u in enumerate(units)
        ]
    return found


def agent_units(talk: Conversation) -> list[Unit]:
    """What the agent said, cut into statements. Code and tables say nothing by themselves, and neither do lessons."""
    found: list[Unit] = []
    for turn, message in talk.answers:
        spans = [
            (span, block.mark)
            for block in blocks(message.text)
            if block.kind in {"paragraph", "item"} and not is_teaching(message.text, block.span.start)
            for span in _grouped(message.text, block, 40)
        ]
        found += [
            Unit(UnitRole.AGENT, turn, message, span, mark, "", place, len(spans))
            for place, (span, mark) in enumerate(spans)
        ]
    return found


def _of_turn(turn: Turn, earlier: str) -> Iterator[Unit]:
    if turn.via is Via.ANSWER and (pairs := list(ANSWER.finditer(turn.text))):
        for pair in pairs:
            span = trimmed(turn.text, pair.start(), pair.end())
            if span is not None and pair["answer"].strip():
                yield Unit(UnitRole.ANSWER, turn, turn.message, span, question=pair["question"].strip())
    elif turn.via is Via.PLAN or PLAN.match(turn.text):
        yield from _of_document(turn, UnitRole.PLAN)
    elif _is_document(beside_shown(turn.text)):
        yield from _of_document(turn, UnitRole.DOCUMENT)
    else:
        yield from _of_words(turn, earlier)


def _is_document(typed: str) -> bool:
    return len(typed) > _DOCUMENT and len(re.findall(r"^#{1,4} ", typed, re.MULTILINE)) >= 2


def _of_words(turn: Turn, earlier: str) -> Iterator[Unit]:
    own = own_spans(turn.text, quotes=True)
    listed = turn.before[-1].text if turn.before else ""
    is_asked = _is_list(listed) and (
        _ASKED_BY_NUMBER.search(listed) is not None or _ANSWER_LINES.match(turn.text) is not None
    )
    for point in agreed_spans(turn.text):
        if is_pasted(turn.text[turn.text.rfind("\n", 0, point.start) + 1 : point.end], ""):
            # Marked as another's, and agreed to.
            yield Unit(UnitRole.WORDS, turn, turn.message, point)
    for block in (_with_its_figure(turn, one) for one in blocks(turn.text)):
        if block.kind in {"code", "table"}:
            continue
        points = _counted_points(turn.text, block, _ANSWERED if is_asked else _COUNTED)
        for part in (verdict for point in points for verdict in _verdicts(turn, point)):
            for whole in _ruling_by_ruling(turn.text, _grouped(turn.text, part, UNIT_WORDS, parts_rulings=True)):
                for span in _own_parts(turn.text, _without_lead(turn.text, whole), own):
                    said = span.of(turn.text)
                    is_bare = turn.before and (_BARE_CHOICE.match(said) or is_bare_figure(said, turn.proposal))
                    if is_bare or not is_pasted(said, earlier):
                        yield Unit(UnitRole.WORDS, turn, turn.message, span, part.mark)


def _with_its_figure(turn: Turn, block: TextBlock) -> TextBlock:
    """A block with the number before it, where that counts nothing and answers the agent: "90. as many as seats"."""
    before = turn.text[: block.span.start].strip()
    whole = trimmed(turn.text, 0, block.span.end)
    if not block.mark.isdigit() or before.rstrip(".):") != block.mark or whole is None:
        return block
    is_counted = re.search(rf"^\W*{block.mark}[.):]\s", turn.proposal, re.M) is not None
    if is_counted or not is_bare_figure(whole.of(turn.text), turn.proposal):
        return block
    return TextBlock(whole, "paragraph")


def _ruling_by_ruling(text: str, spans: Iterable[TextSpan]) -> Iterator[TextSpan]:
    """The slices, parted where a sentence goes on to rule on something else, or turns against its beginning."""
    for span in spans:
        gaps = sorted(
            (one.start + start, one.start + end)
            for one in sentence_spans(text, span.start, span.end)
            for start, end in (
                *(_behind_errand(one.of(text)) or parted(one.of(text))),
                *turning_points(one.of(text)),
            )
        )
        starts, ends = [span.start, *(end for _, end in gaps)], [*(start for start, _ in gaps), span.end]
        yield from (TextSpan(start, end) for start, end in zip(starts, ends, strict=True))


def _behind_errand(sentence: str) -> tuple[tuple[int, int], ...]:
    """The gap between an errand and a rule that is added to it: "fix the header, and btw we never log names"."""
    found = _RULE_BEHIND.match(sentence)
    if found is None or not is_errand(found["errand"]) or user_cues(found["errand"]) & _RULING:
        return ()
    is_ruling = user_cues(found["rule"]) & _RULING or rules_plainly(found["rule"])
    return (found.span("gap"),) if is_ruling and len(topics(found["rule"])) >= _RULING_TOPICS else ()


def _counted_points(text: str, block: TextBlock, counted: re.Pattern[str]) -> Iterator[TextBlock]:
    """The points of a block that are counted within a line, from the first on; else the block."""
    points: list[re.Match[str]] = []
    # The first of them may stand at the beginning of a line.
    is_led = block.mark in {"1", "a"}
    for found in counted.finditer(text, block.span.start, block.span.end):
        mark = found[str(found.lastgroup)]
        if mark == (_after(points[-1]) if points else chr(ord(block.mark) + 1) if is_led else "1a"[mark.isalpha()]):
            points.append(found)
    if len(points) + is_led < _LEAST_POINTS:
        yield block
        return
    yield from _parted(text, block, [(*point.span(), point[str(point.lastgroup)]) for point in points])


def _parted(text: str, block: TextBlock, marked: Sequence[tuple[int, int, str]]) -> Iterator[TextBlock]:
    """What stands in a block before, between and behind marks, each with the mark that it follows."""
    starts = [block.span.start, *(end for _, end, _ in marked)]
    ends = [*(start for start, _, _ in marked), block.span.end]
    for start, end, mark in zip(starts, ends, (block.mark, *(mark for *_, mark in marked)), strict=True):
        if (span := trimmed(text, start, end)) is not None:
            yield TextBlock(span, block.kind, mark)


@lru_cache(maxsize=256)  # Each paragraph of a reply asks.
def _is_list(text: str) -> bool:
    return _LISTS.search(text) is not None


def _verdicts(turn: Turn, block: TextBlock) -> Iterator[TextBlock]:
    """What is said to single items of a list, each apart: "approved 1 and 2. 3 no, we have them in stock"."""
    if (points := listed_points(turn.text)) is not None and block.span.start >= points.end:
        said = [one for one in points.verdicts if block.span.start <= one.start < block.span.end]
        yield from _parted(turn.text, block, [(one.start, one.end, str(one.point + 1)) for one in said])
        return
    is_list = bool(turn.before) and _is_list(turn.before[-1].text)
    found = _VERDICT.finditer(turn.text, block.span.start, block.span.end) if is_list else ()
    yield from _parted(turn.text, block, [(*one.span(), one["mark"]) for one in found])


def _after(point: re.Match[str]) -> str:
    return chr(ord(point[str(point.lastgroup)]) + 1)


def _own_parts(text: str, span: TextSpan, own: Spans) -> Iterator[TextSpan]:
    """The slice, when its author wrote it; what they wrote of it, when that is most of it; else nothing."""
    inside = [
        (max(span.start, start), min(span.end, end)) for start, end in own if start < span.end and end > span.start
    ]
    size = sum(end - start for start, end in inside)
    if size == span.end - span.start:
        yield span
    elif size * 2 > span.end - span.start:
        parts = (trimmed(text, start, end) for start, end in inside)
        yield from (part for part in parts if part is not None and len(part.of(text).split()) >= _PART_WORDS)


def _of_document(turn: Turn, sort: UnitRole) -> Iterator[Unit]:
    """The title, what tells why, and what rules. Steps, files and line numbers are not for keeping."""
    section, taken, rules = "", 0, 0
    own = own_spans(turn.text, quotes=True) if sort is UnitRole.DOCUMENT else ((0, len(turn.text)),)
    for block in blocks(turn.text):
        if block.kind == "heading":
            section = block.span.of(turn.text)
            if taken == 0 and len(section.split()) > 2 and any(_own_parts(turn.text, block.span, own)):
                taken += 1
                yield Unit(sort, turn, turn.message, block.span)
        elif block.kind not in {"paragraph", "item"}:
            continue
        elif section and not _TELLING.search(section) and sort is UnitRole.DOCUMENT:
            if rules < _MOST_RULES and _RULES.search(block.span.of(turn.text)):
                rules += 1
                yield from (Unit(sort, turn, turn.message, s) for s in _own_parts(turn.text, block.span, own))
        elif (not section or _TELLING.search(section)) and taken < 8:
            for span in (
                part for one in _grouped(turn.text, block, UNIT_WORDS) for part in _own_parts(turn.text, one, own)
            ):
                if not PLAN.match(span.of(turn.text)) and len(span.of(turn.text).split()) > 5:
                    taken += 1
                    yield Unit(sort, turn, turn.message, span)


def is_pasted(text: str, earlier: str) -> bool:
    """Whether somebody else's words were put here: a terminal's, a log's, or the agent's own from before."""
    if _PASTED.match(text) or not re.search(r"[^\W\d_]{2}", _QUOTED.sub("", text)):
        return True
    return len(text) > MAX_UNIT or (len(text) > 60 and text in earlier)


def _grouped(text: str, block: TextBlock, limit: int, *, parts_rulings: bool = False) -> Iterator[TextSpan]:
    """The block's sentences, joined as long as they fit and stay with their topic. With `parts_rulings`, a ruling on
    something else stands by itself."""

    # Looked for once, and near the beginning: rules are led in before they are told.
    end = min(block.span.end, block.span.start + _LED_IN)
    led_in = (one.search(text, block.span.start, end) for one in (_RULES_INLINE, _THINGS_INLINE) if parts_rulings)
    rules = next((found for found in led_in if found is not None), None)

    def is_new(current: TextSpan, span: TextSpan) -> bool:
        sentence = span.of(text)
        # "A weekly digest? rather not" is one answer.
        if text[current.start : current.end].endswith("?") and REFUSES.match(sentence) is not None:
            return False
        if keeps_hands_off(sentence) and is_put_off(current.of(text)):
            return False
        if parts_rulings and (
            _RULES_TOO.match(sentence) or (is_put_off(sentence) and len(topics(current.of(text))) >= _RULING_TOPICS)
        ):
            return True
        if _NEW_TOPIC.match(sentence) is not None or len(text[current.start : span.end].split()) > limit:
            return True
        if not parts_rulings:
            return False
        # Below a list item only what is indented goes on with it.
        is_below = block.kind == "item" and text.endswith("\n", 0, span.start)
        if "\n" in text[current.end : span.start] and (is_below or _ASKS_NEXT.match(sentence)):
            return True
        if _concludes(sentence):
            return True
        if (scraps := SCRAPS_AT_ONCE.match(sentence)) is not None:
            is_apart = len(sentence[scraps.end() :].split()) >= _RULING_WORDS
        else:
            is_apart = taken_back_at_once(current.of(text), text[span.start : block.span.end])
        if is_apart:
            return True
        if _OPEN_MATTER.search(sentence) is not None and rules_plainly(current.of(text)):
            return True
        is_listed = rules is not None and rules.end() <= span.start
        return is_listed or _RULES_INLINE.match(sentence) is not None or _rules_on_another(current.of(text), sentence)

    return joined_spans(text, block.span.start, block.span.end, is_new)


def rules_too(sentence: str) -> bool:
    """Whether it adds a rule to the one before it: "and no wildcards in the tests either"."""
    return _RULES_TOO.match(sentence) is not None


def _concludes(sentence: str) -> bool:
    """Whether it says what follows from what stands before it: that is the ruling."""
    led = _CONCLUDES.match(sentence)
    return led is not None and len(sentence[led.end() :].split()) >= _RULING_WORDS


def _without_lead(text: str, span: TextSpan) -> TextSpan:
    """What somebody concludes, without "so:" or "therefore:"."""
    led = _CONCLUDES.match(text, span.start, span.end)
    return TextSpan(led.end(), span.end) if led is not None and _concludes(span.of(text)) else span


def _rules_on_another(before: str, sentence: str) -> bool:
    """Whether a sentence rules on what the one before it does not speak of, and both say enough to stand alone."""
    # What a program complains of goes on with what to do about it.
    is_ruling = bool(user_cues(sentence) & _RULING) or tells_change(sentence) or rules_plainly(sentence)
    if len(sentence.split()) < _RULING_WORDS or not is_ruling or _PRINTED.search(before):
        return False
    about, said = topics(sentence) - RULE_WORDS, topics(before) - RULE_WORDS
    # "Watchdog at 2s." rules in two words.
    is_enough = len(about) >= _RULING_TOPICS and len(said) >= (1 if plain_rulings(before) else _RULING_TOPICS)
    goes_on = _GOES_ON.match(sentence) or _EXEMPTS.search(sentence) or points_away(sentence)
    is_apart = about.isdisjoint(said) or _ON_THAT.match(sentence) is not None
    return is_enough and is_apart and not goes_on
