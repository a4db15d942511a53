# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""A list that a user shows of somebody else's points, and what they say to each: "1 no, 2 yes". Pure.

Whose a list is shows in the line above it ("review from Ines:", "what do you think of these:"), or in that the user says
no to some of it below. What they agree to may be theirs; what they refuse, or say nothing of, is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lerim.ingest.introductions import OWN_HEADING
from lerim.text.sentences import TextSpan

_ITEM = re.compile(r"(?m)^[ \t]*(?:>[ \t]*)?(?P<mark>[-*•+]|\d{1,2}[.)]|[a-h][.)])[ \t]+(?P<said>\S[^\n]*)")
_SHOWN_LINE = re.compile(r"(?m)^[ \t]*>[ \t]*(?P<said>\S[^\n]*)(?P<mark>)")
_LEAST, _MOST, _HEAD_CHARS, _BELOW_CHARS = 2, 20, 200, 600

#: Whose points follow, or that they are up for judgment.
_NOBODY = r"(?!(?:i|we|you|my|our|us|me|ich|wir|mein\w*|unser\w*|je|nous|on|mon|nos|yo|nosotros|mi|nuestr\w+|what|this|that|it|here|now|also|and|so|then|ok)\b)"
_PAPERS = r"(?:reviews?|comments?|feedback|remarks?|points?|notes?|findings?|suggestions?|wishes|requests?|proposals?|ideas?|complaints?|kommentare?|anmerkungen|punkte|vorschläge|wünsche|rückmeldung(?:en)?|remarques|commentaires|propositions|points|retours|comentarios|observaciones|sugerencias|propuestas|puntos)"
_FOREWORD = re.compile(
    rf"""\b{_PAPERS}\ (?:from|by|of|von|vom|der|de|du|des|del|da)\ {_NOBODY}\w
    | \b(?:\w+['’]s?|his|her|their|seine|ihre|deren|ses|leurs|sus)\ (?:\w+\ )?{_PAPERS}\b
    | \b(?:from|out\ of|in|aus|im|dans|de)\ (?:the|a|an|today['’]s|yesterday['’]s|dem|der|einem|la|le|el)\ (?:\w+\ )?(?:reviews?|audit|retro|pr|mr|pull\ request|feedback|figma|ticket|survey|usability\ test|call|meeting|relecture|revisión)\b
    | ^\W*(?:the\ )?(?:pr|mr|code|design|security|figma|github|copilot|review|seo)\ {_PAPERS}\b
    | (?<!\w){_NOBODY}\w[\w.-]*\ (?:just\ |also\ |has\ |have\ |finally\ )?(?:reviewed|looked\ (?:at|over|into)|had\ (?:a\ look|remarks|comments|points)|went\ (?:over|through)|commented|wrote|writes|sent|suggests?|suggested|proposes?|proposed|found|wants?|wanted|asks?|asked|thinks|says|said|noted|complains?|complained|reported|demands?|came\ up\ with)\b
    | \bwhat\ (?:do\ you\ think|about)\b.*\b(?:these|this|those)\b|\b(?:thoughts|opinions?|views?)\ on\ (?:these|this|those|the\ following)\b|\bare\ (?:these|those)\ (?:ok|okay|right|good|sane|sensible|true)\b|\bwhat['’]?s?\ (?:your\ take|wrong)\b.*\b(?:these|this|those)\b
    | \b(?:was\ (?:hältst|meinst)\ du|was\ sagst\ du)\b|\b(?:que\ penses-tu|t['’]en\ penses\ quoi)\b|\bqué\ (?:te\ parece|opinas)\b
    | \bhat\ (?:drauf|draufgeschaut|reviewt|angemerkt|kommentiert|geschrieben|geschickt|vorgeschlagen|gemeint)\b|\b(?:meint|schlägt|will|möchte|schreibt|sagt)\b
    | \ba\ (?:relu|regardé|écrit|proposé|commenté|envoyé)\b|\b(?:ha\ revisado|revisó|propone|comentó|escribió|envió)\b""",
    re.IGNORECASE | re.VERBOSE,
)
#: Who agreed, or orders all of it done, has made it theirs.
_OWN = re.compile(
    r"\b(?:we|i|wir|ich|on|nous)\b[^:\n]{0,60}\b(?:agreed?|decided?|settled?|take|took|keep|kept|want|wrote|made|accept(?:ed)?|einigten|beschlossen|entschieden|wollen|d[ée]cid\w+|gard\w+)\b"
    r"|^\W*(?:(?:please|pls|now|then|ok(?:ay)?|can you|could you|let['’]?s)[ ,]+)*(?:do|apply|take|address|handle|follow|adopt|work (?:through|on)|go through)\b|\b(?:my|our|mein\w*|unser\w*|mes|nos) ",
    re.I,
)

_ORDINALS = (
    "first|erste[rns]?|premi[eè]re?|primer[oa]?",
    "second|zweite[rns]?|deuxi[eè]me|segund[oa]",
    "third|dritte[rns]?|troisi[eè]me|tercer[oa]?",
    "fourth|vierte[rns]?|quatri[eè]me|cuart[oa]",
    "fifth|fünfte[rns]?|cinqui[eè]me|quint[oa]",
)
_LAST = "last|letzte[rns]?|derni[eè]re?|últim[oa]"
_NUM = rf"(?:(?:the|das|den|die|der|le|la|l['’]|el|al|no\.?|nr\.?|\#|point|item|punkt)\s*)*(?:\d{{1,2}}(?![\w.]*\w)|[a-h](?=\W)|(?:{'|'.join((*_ORDINALS, _LAST))}))(?:\ (?:one|point|item|punkt))?"
_NUMS = rf"{_NUM}(?:(?:\s*,\s*|\s*(?:&|\+)\s*|\s+(?:and|und|et|y|e)\s+){_NUM})*"
_YES = r"(?:yes|yep|yeah|yup|ok(?:ay)?|fine|sure|good|great|agreed?|done|do|right|true|please|pls|passt|ja|gut|gerne|stimmt|oui|d['’]accord|s[ií]|vale|de acuerdo|sim|sì)"
_NO = r"(?:nope|nah|no|skip|not|drop|out|wrong|rejected|disagree|ignore|nein|nicht|raus|falsch|kein\w*|non|pas|ni)"
_ONLY, _BUT = (
    r"(?:only|just|nur|seulement|sólo|solo|solamente)",
    r"(?:but|except(?: for)?|apart from|außer|ausser|bis auf|sauf|menos|excepto|salvo)",
)
_TO = r"(?:\s+(?:to|on|for|with|about|zu|zum|bei|au|aux|à|pour|sur|avec|a|al|con|it|wants?|take|do|ok))*"
_ALL = r"(?:both|all(?: of (?:them|these|those|it))?|everything|alles?|beide[ms]?|tous|toutes|les deux|todos?|todas|ambos|neither|none(?: of (?:them|these|it))?|keins?|keine[ns]?|aucune?|ningun[oa])"
_BEHIND = r"(?=\W*$|\s*[,.;:!)(–—-]|\s+(?:and|but|because|since|as|so|please|pls|then|is|are|we|it|that|they|und|aber|weil|mais|car|et|pero|porque|y)\b)"
_NUM_FIRST = re.compile(
    rf"(?<![\w.])(?P<nums>{_NUMS})\s*(?:[:.)–—-]|is|are)?\s*(?:a\s+)?(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b", re.I
)
_WORD_FIRST = re.compile(
    rf"\b(?:(?P<yes>{_YES})|(?P<no>{_NO})|(?P<only>{_ONLY})){_TO}\s+(?P<nums>{_NUMS}){_BEHIND}", re.I
)
_OF_ALL = re.compile(
    rf"\b(?:(?:(?P<yes>{_YES})|(?P<no>{_NO})){_TO}\s+(?P<all>{_ALL})|(?P<all2>{_ALL})(?:\s+(?:are|is|sind|sont|son))?\s+(?:(?P<yes2>{_YES})|(?P<no2>{_NO}))|(?P<none>neither|none of (?:them|these|it)|keins davon|aucun))\b{_BEHIND}",
    re.I,
)
_ALL_BUT = re.compile(rf"\b{_ALL}\s+(?:\w+\s+)?{_BUT}\s+(?:for\s+)?(?P<nums>{_NUMS}){_BEHIND}", re.I)
_REST = re.compile(
    rf"\b(?:the |der |die |le |el )?(?:rest|others?|anderen?|übrigen?|reste|autres|resto|demás)\s+(?:(?:is|are|ist|sind|est|sont|es|son)\s+)?(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b",
    re.I,
)
_FIRST_WORD = re.compile(
    rf"(?P<word>\b(?:{_YES}|{_NO}|{_ONLY})\b)|(?P<num>(?<![\w.])\d{{1,2}}(?![\w.]*\w)|\b(?:{'|'.join(_ORDINALS)})\b)",
    re.I,
)
_GAP = re.compile(r"[ \t,;:–—-]*")
#: Who only answers to points begins with one.
_SOON = 24


@dataclass(frozen=True, slots=True)
class PointVerdict:
    """What is said to one point: where that begins and its mark ends, and whether it is a yes."""

    point: int
    is_yes: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ListedPoints:
    """The points of somebody else's that a message shows, where they end, and what is said to them below."""

    points: tuple[TextSpan, ...]
    verdicts: tuple[PointVerdict, ...]

    @property
    def start(self) -> int:
        return self.points[0].start

    @property
    def end(self) -> int:
        return self.points[-1].end

    @property
    def agreed(self) -> tuple[TextSpan, ...]:
        """The points that the user says yes to."""
        return tuple(self.points[one.point] for one in self.verdicts if one.is_yes)

    @property
    def others(self) -> tuple[TextSpan, ...]:
        """The points that are refused, or that nothing is said to."""
        return tuple(point for point in self.points if point not in self.agreed)

    def refused_at(self, mark: str) -> TextSpan | None:
        """The point of a mark, where it is refused."""
        found = (one.point for one in self.verdicts if not one.is_yes and str(one.point + 1) == mark)
        place = next(found, None)
        return None if place is None else self.points[place]


@lru_cache(maxsize=512)  # Whoever asks whose a statement is asks for each of a message.
def listed_points(text: str) -> ListedPoints | None:
    """The first list of a message that is somebody else's; nothing where it is the user's own."""
    items = _first_list(text)
    if not _LEAST <= len(items) <= _MOST:
        return None
    points = tuple(TextSpan(item.start("said"), item.end("said")) for item in items)
    head = text[: items[0].start()].rstrip()[-_HEAD_CHARS:].rpartition("\n")[2]
    verdicts = tuple(_verdicts(text, points[-1].end, len(points)))
    is_anothers = _FOREWORD.search(head) is not None and not (OWN_HEADING.search(head) or _OWN.search(head))
    below = text[points[-1].end :].lstrip()
    is_answered = any(not one.is_yes for one in verdicts) and _FIRST_WORD.search(below[:_SOON]) is not None
    return ListedPoints(points, verdicts) if is_anothers or is_answered else None


def _first_list(text: str) -> Sequence[re.Match[str]]:
    """The items of the first list, with nothing but blank and indented lines between them."""
    pattern = _ITEM if _ITEM.search(text) is not None else _SHOWN_LINE
    found: list[re.Match[str]] = []
    for item in pattern.finditer(text):
        between = text[found[-1].end() : item.start()].split("\n") if found else []
        is_anew = bool(found) and item["mark"][:1] in {"1", "a"} and item["mark"] == found[0]["mark"]
        if is_anew or any(line.strip(" \t>") and not line.startswith((" ", "\t")) for line in between):
            break
        found.append(item)
    return found


def _verdicts(text: str, start: int, count: int) -> Iterator[PointVerdict]:
    """What the user says below to single points, to all of them, or to the rest; the first word on each counts."""
    below = text[start : start + _BELOW_CHARS]
    given: dict[int, PointVerdict] = {}

    def give(places: Sequence[int], at: tuple[int, int], *, is_yes: bool) -> None:
        for place in places:
            if 0 <= place < count:
                given.setdefault(place, PointVerdict(place, is_yes, start + at[0], start + at[1]))

    rest = below
    for found in _ALL_BUT.finditer(rest):
        excepted = _places(found["nums"], count)
        give(excepted, found.span(), is_yes=False)
        give([place for place in range(count) if place not in excepted], found.span(), is_yes=True)
        rest = _blanked(rest, found)
    first = _FIRST_WORD.search(rest)
    by_number = first is not None and first["num"] is not None
    for pattern in (_NUM_FIRST, _WORD_FIRST) if by_number else (_WORD_FIRST, _NUM_FIRST):
        for found in pattern.finditer(rest):
            named = found.groupdict()
            places, is_yes = _places(found["nums"], count), named["no"] is None
            # What stands behind a no is why, or what holds instead.
            behind = _GAP.match(rest, found.end())
            at = (found.start(), found.end() if is_yes or behind is None else behind.end())
            give(places, at, is_yes=is_yes)
            if named.get("only"):
                give([place for place in range(count) if place not in places], found.span(), is_yes=False)
            rest = _blanked(rest, found)
    for found in (*_OF_ALL.finditer(rest), *_REST.finditer(rest)):
        named = found.groupdict()
        is_none = bool(named.get("none") or named.get("no") or named.get("no2"))
        give(range(count), found.span(), is_yes=not is_none)
    yield from sorted(given.values(), key=lambda one: (one.start, one.point))


def _blanked(text: str, found: re.Match[str]) -> str:
    return text[: found.start()] + " " * len(found.group()) + text[found.end() :]


def _places(nums: str, count: int) -> list[int]:
    """The places that numbers, letters and ordinals name."""
    found = []
    for one in re.findall(rf"\d{{1,2}}|\b[a-h]\b|\b(?:{'|'.join((*_ORDINALS, _LAST))})\b", nums, re.I):
        name = one.lower()
        if name.isdigit():
            found.append(int(name) - 1)
        elif len(name) == 1:
            found.append(ord(name) - ord("a"))
        else:
            at = (place for place, ordinal in enumerate((*_ORDINALS, _LAST)) if re.fullmatch(ordinal, name))
            place = next(at)
            found.append(count - 1 if place == len(_ORDINALS) else place)
    return found


def agreed_spans(text: str) -> tuple[TextSpan, ...]:
    """The points of somebody else's that a message shows and says yes to."""
    points = listed_points(text)
    return () if points is None else points.agreed
