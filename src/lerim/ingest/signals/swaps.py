# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What somebody swaps for something else, in a few words: "storybook out, ladle in", "moment → dayjs". Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.dataclass import dataclass
from lerim.ingest.signals.plain_words import plain
from lerim.text.sentences import sentences

#: A tool is called by one name, or by two: "github actions". What has an article is any thing.
_NO_NAME = (
    r"(?!(?:the|an?|this|that|these|those|it|its|them|they|we|you|i|my|our|your|his|her|their|all|some|any|no|not|one|two|both|each|every|here|there|now|then|back|out|in|on|off|up|over|just|only|also|and|or|but|so"
    r"|der|die|das|den|dem|ein\w*|es|sie|wir|le|la|les|une?|ce|cette|l|el|los|las|un[oa]?|lo|is|are|was|time|zoom|fade|log|sign|check|opt|jetzt|now|maintenant|ahora)\b)"
)
_NAME = rf"{_NO_NAME}(?=[^\W\d]|@)[\w@][\w@./+#'-]*(?: {_NO_NAME}(?!(?:for|with|by|everywhere|instead|because|since|please|pls|too|anywhere|für|mit|gegen|durch|par|por|out|raus|rein|fliegt)\b)[\w@][\w@./+#-]*)?"
_OUT, _INTO = rf"(?P<out>{_NAME})", rf"(?P<into>{_NAME})"
_LED = r"\W*(?:(?:ok(?:ay)?|so|then|good|great|right|yes|yep|fine|and|also|well|alright|please|pls|let['’]?s|lets|can you|could you|we|i want to|i['’]d|gut|dann|also|bitte|lass uns|wir|kannst du|alors|donc|ok|on|vale|pues|entonces|vamos a)[ ,.:]+)*"
_TAIL = (
    r"(?P<tail>(?: (?:everywhere|throughout|for (?:the |all )?[\w-]+(?: [\w-]+)?|in (?:all|every|the whole)[\w -]{2,20}|in ci|überall|partout|en todas partes|now|please|pls|then|too|bitte))*)"
    r"(?=\W*$|[,.;:!?]|\s[–—(-]| (?:because|since|as|so|cause|weil|parce|porque|already)\b)"
)
_BEFORE_TAIL = r"(?P<where> for (?:the |all )?[\w-]+(?: [\w-]+)?)?"
_NO_STEP = rf"{_NO_NAME}(?!(?:commit|push|pull|merge|build|test|tests|deploy|release|add|run|start|stop|fix|plan|review|check|open|close|done|todo|true|false|yes|none|null|pass(?:ed)?|fail(?:ed)?|error|health|input|output|source|target|user|admin|draft|published|dev|prod|staging|main|master|local|remote|client|server|frontend|backend|home|login|step\w*|phase\w*)\b)"
_PATTERNS = tuple(
    re.compile(_LED + pattern, re.I | re.A)
    for pattern in (
        rf"{_OUT} (?:is |goes |fliegt |geht )?(?:out|raus|dehors)(?:,| and|;| und| –| -| et) ?(?:dafür |stattdessen |now )?{_INTO} (?:is |comes |goes |kommt )?(?:in|rein|dedans)\b{_TAIL}",
        rf"{_INTO} (?:is |comes |kommt )?(?:in|rein)(?:,| and|;| und| –| -) ?{_OUT} (?:is |goes |fliegt )?(?:out|raus)\b{_TAIL}",
        rf"(?:out with|bye|goodbye|exit|tschüss|adieu|fuera|adiós|weg mit) {_OUT}(?:,| and|;| und| et| y)? ?(?:in with|hello|welcome|hallo|bonjour|hola|entra|her mit) {_INTO}{_TAIL}",
        rf"(?:swap(?: out)?|exchange|switch(?: out)?|trade|replace|ditch|drop|dump) {_OUT}(?: out)? (?:for|with|by|in favou?r of) {_INTO}{_TAIL}",
        rf"(?:drop|ditch|dump|kick(?: out)?|rip out|throw out|remove) {_OUT}(?: out)?(?:,| and|;) (?:we (?:use|take|go with) |use |take |go with |let['’]?s use |switch to ){_INTO}{_TAIL}",
        rf"(?:use|take|go with|switch to|nimm|nehmen|nutz(?:e|en)?|verwende[nt]?|utilise[sz]?|prends?|prenez|usa(?:mos|r)?|usad) {_INTO}{_BEFORE_TAIL} (?:instead of|rather than|in place of|statt|anstatt|anstelle von|au lieu de|à la place de|en vez de|en lugar de) {_OUT}{_TAIL}",
        rf"{_INTO}{_BEFORE_TAIL} (?:instead of|statt|anstatt|au lieu de|en vez de|en lugar de) {_OUT}(?: (?:nehmen|nutzen|verwenden))?{_TAIL}",
        rf"(?:tausch\w*|ersetz\w*|remplace[rz]?|cambia(?:mos|r)?|reemplaza(?:mos|r)?|sustituye) {_OUT} (?:gegen|durch|mit|par|por) {_INTO}{_TAIL}",
        rf"{_OUT} (?:gegen|durch) {_INTO} (?:aus)?(?:tauschen|getauscht|ersetzen|ersetzt){_TAIL}",
        # Steps and states have arrows, too: "commit -> push", "health → ok".
        rf"(?P<out>{_NO_STEP}[a-z@][\w@./+#-]{{2,}})\s*(?:→|-+>|=+>)\s*(?P<into>{_NO_STEP}[a-z@][\w@./+#-]{{2,}}){_TAIL}\W*\Z",
    )
)
#: The same of what the sentence before it names: "moment is 70 kB? swap it for dayjs".
_SWAPS_IT = re.compile(
    rf"{_LED}(?:swap|exchange|switch|replace|trade|drop|ditch|tausch\w*|ersetz\w*|remplace|cambia|reemplaza)(?:[ -](?:it|that|them|es|das|sie|le|la|l[oa]))? ?(?:out )?(?:for|with|by|gegen|durch|par|por) {_INTO}{_TAIL}",
    re.I | re.A,
)
_IS_NAMED = re.compile(
    rf"{_LED}{_OUT} (?:is|are|has|takes?|weighs?|eats?|costs?|needs?|breaks?|fights?|keeps?|crashes|fails|hasn['’]?t|isn['’]?t|doesn['’]?t|ist|hat|braucht|kostet|est|a|pèse|coûte|es|pesa|cuesta|tarda)\b",
    re.I | re.A,
)
#: Where people say what they are on by now.
_NO_PLACE = r"(?!(?:holidays?|vacation|track|call|schedule|hold|staging|prod|production|main|master|site|board|budget|fire|page|line|it|urlaub|vacances|windows|mac|linux)\b)"
_ON_IT_NOW = re.compile(
    rf"{_LED}(?:(?:we|the (?:team|project|repo|app))(?:['’]?re| are|['’]?s| is) (?:(?:all )?(?:on|using) {_NO_PLACE}{_NAME} now|now (?:on|using) {_NO_PLACE}{_NAME})"
    rf"|wir (?:sind|laufen) (?:jetzt|nun|inzwischen) (?:auf|mit|bei) {_NO_PLACE}{_NAME}|on est (?:maintenant|désormais) (?:sur|passés? à) {_NO_PLACE}{_NAME}|ahora (?:estamos|vamos) (?:en|con) {_NO_PLACE}{_NAME})(?=\W*$|[,.;:!])",
    re.I | re.A,
)


@dataclass(frozen=True, slots=True)
class Swap:
    """What comes in, what goes out for it, and where."""

    into: str
    out: str
    where: str

    @property
    def told(self) -> str:
        return f"Use {self.into} instead of {self.out}{self.where}"


@lru_cache(maxsize=4096)  # Who weighs a statement and who words it ask.
def swap_in(text: str) -> Swap | None:
    """The first thing that a text swaps for another, or nothing."""
    said = [plain(one) for one in sentences(text)]
    for place, one in enumerate(said):
        found = next((found for pattern in _PATTERNS if (found := pattern.match(one)) is not None), None)
        if found is not None and found["out"].lower() != found["into"].lower():
            return Swap(found["into"], found["out"], _where(found))
        it = _SWAPS_IT.match(one) if place else None
        named = _IS_NAMED.match(said[place - 1]) if it is not None else None
        if it is not None and named is not None:
            return Swap(it["into"], named["out"], _where(it))
    return None


def says_what_is_used(text: str) -> bool:
    """Whether it says what a project is on by now: "we're on vitest now"."""
    return any(_ON_IT_NOW.match(one) is not None for one in sentences(text))


def _where(found: re.Match[str]) -> str:
    named = found.groupdict()
    return re.sub(r" (?:now|please|pls|then|too|bitte)\b", "", f"{named.get('where') or ''}{named['tail']}")
