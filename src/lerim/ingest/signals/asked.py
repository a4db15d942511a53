"""What the agent asked last, and whether a few words are the answer to it: "Which queue do we take?", "nats"; what
somebody names and refuses. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from lerim.glance import seldom
from lerim.ingest.signals.plain_words import lead_off, plain
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import is_errand
from lerim.text.sentences import sentences
from lerim.text.words import words

#: So much of what the agent said last may be what is replied to.
_ENDING, _LAST_SENTENCES = 700, 4
_MOST_REPLY_WORDS, _MOST_ANSWER_WORDS = 30, 8
_SHORT_CHARS = 80
#: Of a language of which little is known, and beside ways that were offered, so much at most is an answer.
_FEW_WORDS, _SEVERAL, _FEW_CHARS = 3, 5, 24

#: Who asks so wants to hear how something shall be.
_SHALL_BE = re.compile(
    r"\b(?:should|shall|(?:do|would) you (?:want|like|prefer|rather|need)|which (?:do|would) you"
    r"|(?:do|can|may|must) (?:we|i|you|they) (?:want|need|use|take|keep|go|name|call|set|store|put|allow"
    r"|support|show|pick"
    r"|choose|offer|charge|send|hold|wait|retry|cache|log|run on)|prefer(?:red|ence)?|your (?:pick|choice|call)"
    # In other languages.
    r"|soll(?:en|te|ten|st)?|möchte\w*|willst|wollen|wollt|bevorzug\w*|lieber|nehmen wir"
    r"|voulez|veux|préf[éè]r\w+|faut-il|dois-je|doit|devons|devrait|souhait\w+"
    r"|quier\w+|prefier\w+|deb(?:e|en|emos|ería\w*)|usamos|ponemos|damos|quer(?:es|em|ia)?|prefer\w+|dev(?:e|em|o|ono)"
    r"|vuoi|volete)\b",
    re.I,
)
_OPENLY = re.compile(
    r"\b(?:how|what|which|when|where|who|wie|was|wo|wer|welche[rsnm]?|wann|comment|où|qui|combien|quel(?:le)?s?|quand"
    r"|cu[áa]nt[oa]s?|hoeveel|welke?|waar|wanneer|hoe|qué|cu[áa]ndo|c[óo]mo|d[óo]nde|qui[ée]n|quant[oaie]s?|qual[ei]?|quando|come|dove|chi|onde|quem)\b",
    re.I,
)
#: Who asks so wants to hear what to do next, or what somebody saw, has or means.
ASKS_WHAT_NEXT = re.compile(r"\bnext\b|\bstart with\b|\bfirst\?|\bproceed\b|\bcontinue\b", re.I)
_OBSERVED = re.compile(
    r"\b(?:do|did|can|are|were|have) you (?:\w+ )?(?:see|seen|seeing|get|getting|got|have|had|mean|know"
    r"|remember|notice\w*"
    r"|try|tried|run|running|referring|talking|find|found|work|use|using|expect)\b"
    r"|\b(?:did|was|were|happens|happened|went)\b|\bfor you\b(?=\W*$)|\b(?:locally|on your (?:machine|side|end"
    r"|screen))\b"
    r"|\b(?:error|output|message|line|file|commit|branch|ticket|issue|version) (?:do|did|are) you\b"
    r"|\bwhat (?:do|does) [^?]{2,40} (?:say|show|print|return|output|mean|look like|report)\b"
    r"|\bwhat(?:['’]s| is| are) (?:wrong|missing|going|happening|your name)\b",
    re.I,
)
_OF_WORK = re.compile(
    r"\b(?:commit|push|pull request|pr|merge|rebase|branch|check ?out|rerun|look (?:at|into)|investigate|debug|go on"
    r"|tell me|paste|share|show me|send me|do with (?:it|this|that|them)|begin|tackle|work on|focus on"
    r"|(?:should|shall|do|can) i (?:change|edit|fix|modify|touch|look|open|read|check|test|run|review|refactor"
    r"|improve))\b",
    re.I,
)
_OR = re.compile(r"\b(?:or|oder|ou|o|oppure)\b", re.I)
_YES_OR_NO = re.compile(
    r"(?:.*[,:;] )?(?:and |so |or |ok |also |\d\) )*(?:should|shall|do|does|would|will|can|could|may|is|are"
    r"|want|want me"
    r"|soll(?:en)?|möchtest|willst|voulez|veux|faut-il|dois-je|quier\w+|prefier\w+|puedo|quer(?:es)?|prefere\w*|posso|vuoi|préf\w+)\b",
    re.I,
)
#: Who asks so asks how something shall be, or what to use, and not whether to do some work.
_HOW_IT_IS = re.compile(
    r"(?:.*[,:;] )?(?:and |so |or |ok |also )*(?:(?:should|shall) (?!(?:i|we)\b)(?:the |our |an? |this |each "
    r"|every )?[\w-]+"
    r"|(?:(?:should|shall) (?:i|we)|(?:(?:do|would) you )?(?:want|like) (?:me|us) to)"
    r" (?:use|take|pick|choose|go with|name|call|keep|store)\b)",
    re.I,
)
#: "Blue for open seats and grey for taken ones?"
_GOES_ON_WITH = re.compile(r"\b(?:for|with|as|in|per)\b", re.I)
#: "Pick one.", "Your call.", "Fine?": what is asked stands before it.
_PICK = re.compile(
    r"\W*(?:(?:please )?(?:pick|choose|take) (?:one|whichever|what)\b|which (?:one|of (?:these|them|those)|is it)\b"
    r"|your (?:call|pick|choice)\b|what(?:['’]s| is) your (?:pick|preference|choice)|(?:which|what) (?:do"
    r"|would) you (?:prefer|want|like)(?=\W*$)"
    r"|such dir \w+ aus|welche[rsn]? davon|lequel|laquelle|cuál)",
    re.I,
)
_SHORT_QUESTION = re.compile(
    r"\W*(?:(?:is|would) (?:that|this|it) )?(?:ok(?:ay)?|fine|good|alright|agreed|sounds (?:good|ok(?:ay)?|right)|right"
    r"|passt(?: das)?|einverstanden|d['’]accord|vale|va bene|does that work|deal)"
    r"(?: (?:so|for you|with you|like that|by you))?\?",
    re.I,
)
_SHORT_BEHIND = re.compile(rf"(?<=[.;,:])\s+(?=(?:{_SHORT_QUESTION.pattern}|{_PICK.pattern}\W*)$)", re.I)
_PROPOSES = re.compile(
    r"\b(?:i (?:have )?(?:set|put|chose|picked|used|made|took)|i(?:['’]d| would| suggest| propose| recommend"
    r"|['’]ll| will)|we could|let['’]s|would (?:fix|be|do|help|work"
    r"|suffice)|my (?:suggestion|proposal)|suggested|recommended|sensible|reasonable|ich würde|je mettrais"
    r"|yo pondría)\b",
    re.I,
)
_FIGURE = re.compile(
    r"(?<![\w.])[$€£~<>=^≤≥v]{0,2}\d"
    r"|\b(?:an?|half an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|eine?n?|zwei"
    r"|drei|une?|deux"
    r"|trois|una?|dos|tres) (?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tage?"
    r"|wochen?|monate?|jahre?|heures?|jours?|semaines?|mois|ans?|horas?|d[ií]as?|semanas?|mes(?:es)?|años?)\b",
    re.I,
)

_MARK = re.compile(r"\W*\w{0,2}\W*")
_ENGLISH = re.compile(r"\b(?:the|should|shall|would|what|which|how|where|when|who|you|we|of|and)\b", re.I)
_GOES_ON = re.compile(r"(?:and|or|und|oder|et|ou|y|o)\b", re.I)

# --- the answer ---

_PARTS = re.compile(r",\s+(?:and )?|\s+(?:and|und|et|y|e)\s+|\s*[/;&]\s*", re.I)
_LED = re.compile(
    r"(?:(?:then|just|rather|so|but|maybe|better|ok(?:ay)?|hm+|dann|eher|plutôt|mejor) )*"
    r"(?:(?:i['’]?d|i would|i) (?:say|go with|go for|take|use|prefer|pick|choose|vote for|like)"
    r"|let['’]?s (?:say|go with|go for|take|use|do|make it|have|call it)|lets (?:take|use|do|go with)"
    r"|we (?:take|use|go with|want)|(?:use|take|pick|choose|go with|go for)|(?:make|do|set|put|keep|call"
    r"|name) (?:it|them)"
    r"|set (?:it |them )?to|say|prefer|(?:agreed?|fine|good|ok(?:ay)?) (?:with|on)|\+1 (?:for|to)"
    r"|nehmen wir|nimm|wir nehmen|ich nehme|sagen wir|mach(?:en wir)?|lieber|prends|prenons|on prend|mets"
    r"|usa(?:mos)?|pon"
    r"|(?:(?:it|that)(?:['’]s| is) )?(?:way |far |much )?(?:too \w+|not enough)[,.;:–—-]+"
    r"|mejor|prendiamo|usiamo)\s+(?:the |das |die |den |le |la |el )?",
    re.I,
)
_BEHIND = re.compile(
    r"(?:,? (?:it is|please|pls|plz|then|bitte|dann|then please|for now|i (?:think|guess|would say)"
    r"|is (?:enough|fine|ok(?:ay)?"
    r"|better|best|plenty)|wins|genügt|reicht|s['’]il (?:te|vous) pla[îi]t|por favor|instead))+$",
    re.I,
)
_END = re.compile(r"[,;!?(]|\.(?=\s|$)|\s[–—-]+\s|\s(?=(?:because|since|as we|so that|weil|da|car|parce|porque)\b)")
_NEXT_FIGURE = re.compile(r",\s+(?:(?!(?:the|we|it|they|that|this|you|i)\b)[^\W\d]+ ){0,2}[$€£]?\d|, half\b")
#: Who says so answers no question on how something shall be.
_NO_ANSWER = re.compile(
    r"\W*(?:yes|yep|yeah|yup|no|nope|nah|ok(?:ay)?|sure|thanks?|thx|good|great|fine|nice|perfect|cool|done|sold|deal|right"
    r"|exactly|correct|agreed?|go|go ahead|do it|please|pls|skip|stop|wait|later|not (?:now|yet|sure)|dunno|idk|no idea"
    r"|don['’]?t (?:know|care)|hm+|whatever|nothing|next|continue|proceed|why|what|how|ja|nein|oui|non|sí|si"
    r"|genau|später"
    r"|weiter|egal|plus tard|luego|hi|hello|hey|lol|haha|works|yes please|no thanks|good (?:point|question)"
    r"|you (?:decide|choose|pick)|up to you|your (?:call|choice|pick)|surprise me|du entscheidest|à toi de voir"
    r"|as you (?:like|wish|prefer)|tu décides|tú decides|never ?mind|forget it|scrap (?:it|that)|undo|revert|same)\W*",
    re.I,
)
#: It points, and names nothing.
_POINTS = re.compile(r"\bones?$", re.I)
#: Who leaves it to the agent has decided nothing.
_LEAVES_IT = seldom(
    r"\b(?:you (?:can |may )?(?:decide|choose|pick)|up to you|your (?:call|choice|decision)|as you (?:like|wish"
    r"|prefer|see fit)"
    r"|what ?ever (?:you|u) (?:think|like|prefer|want|say|feel)|i trust you|surprise me"
    r"|(?:du|ihr) (?:entscheides?t|wählst|suchst)|entscheide? (?:du|bitte|selbst)|deine (?:wahl|entscheidung)"
    r"|wie du (?:willst|magst|meinst|möchtest)|such dir \w+ aus"
    r"|à toi de (?:voir|choisir|décider)|c['’]est toi qui (?:vois|décides|choisis)|tu (?:décides|choisis)|comme tu veux"
    r"|(?:decides|eliges|decide|elige) tú|tú (?:decides|eliges)|como (?:quieras|prefieras)|você (?:decide|escolhe)"
    r"|decidi tu|scegli tu|fai tu)\b",
    re.I,
)
#: Who begins so wants something done.
_WANTS = re.compile(
    r"(?:let['’]?s|lets|please|pls|can|could|now|also|first|then|i|we|how about|what about|try|vamos|agora"
    r"|primeiro|quero"
    r"|jetzt|bitte|ich|wir|je|nous|quiero|ahora|primero)\b(?! (?:of|thing|one|in|at|on) )|\S*(?:://|\\)",
    re.I,
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|does|do(?! it)|did|can|cannot|can['’]t|could|will|would|must|should"
    r"|need|needs"
    r"|works?|fails?|failed|breaks?|broke|shows?|gets?|got|looks?|seems?|says|said|see|saw|want|wants|think|guess|ist|sind"
    r"|hat|war|muss|est|sont|es|son)\b|\b(?:it|this|that|these|those|you|they|he|she|me|my|your)\b|['’](?:s|re|ve|ll|m)\b",
    re.I,
)

# --- what is refused ---

_NO_WORD = (
    r"(?:no|nope|nah|never|nein|niemals|nee|non|jamais|nunca|não|rather not|better not|no way|not a chance|lieber nicht"
    r"|auf keinen fall|plutôt pas|mejor no|meglio di no)"
)
#: Who goes on so after a question of their own has answered it.
REFUSES = re.compile(
    rf"(?:(?:hm+|uh|well|sorry|ach|ehm?)[, ]+)*{_NO_WORD}(?=\W*$|\s*[,.;:!–—-]|\s+(?:because|since|weil)\b)", re.I
)
#: "Mail for children, no", "a banner in the app? nope": what is refused stands first.
_NO_LAST = re.compile(
    r"(?P<what>[^.;:!?,\n]{3,80}?)(?:[,:]|\?+|\s[–—-]+|\.{2,3})\s*(?:(?:hm+|uh|well|sorry|ach|ehm?)[, ]+)*"
    rf"(?P<no>{_NO_WORD})(?: (?:please|thanks|thank you|danke|merci|gracias|bitte))?"
    r"(?:$|\s*[.,;:!–—-]+\s*(?P<rest>[^?]*)|\s+(?P<why>(?:because|since|weil|porque)\b[^?]*))",
    re.I | re.S,
)
_NOTHING = re.compile(
    r"(?:not|any\w*|nothing|else|more|on|in|at|for|today|now|then|same|the same|all|still"
    r"|me)\b",
    re.I,
)
_SHALL = re.compile(r"(?:should|shall|can|could) (?:i|we) ", re.I)
_MOST_REFUSED_WORDS = 9


@dataclass(frozen=True, slots=True)
class BareAnswer:
    """A few words that answer what was asked last: what was asked, the answer, and what is said behind it."""

    question: str
    answer: str
    rest: str
    #: Whether the agent proposed something and asked for no more than yes.
    is_counter: bool = False

    @property
    def told(self) -> str:
        """The answer, led by its question: alone it tells nothing."""
        return f"{self.question.rstrip('? ')}: {self.answer}"


@dataclass(frozen=True, slots=True)
class NamedRefusal:
    """What is named and refused in one breath, with which no, and what is said behind it."""

    what: str
    no: str
    rest: str


@lru_cache(maxsize=4096)
def refusal(said: str) -> NamedRefusal | None:
    """What a statement names first and then says no to; nothing where it tells of something or asks."""
    found = _NO_LAST.fullmatch(lead_off(plain(said)).strip(" .!")) if len(said.split()) <= _MOST_REPLY_WORDS else None
    if found is None:
        return None
    what = _SHALL.sub("", found["what"].strip(), count=1)
    is_named = (
        bool(topics(what))
        and _NOTHING.match(what) is None
        and _STATES.search(what) is None
        and len(what.split()) <= _MOST_REFUSED_WORDS
    )
    return NamedRefusal(what, found["no"], (found["rest"] or found["why"] or "").strip()) if is_named else None


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply that may be a bare answer: its point and what stands behind that."""

    answer: str
    rest: str
    is_figure: bool
    #: Whether it says that it takes what it names: "go with nats", "nats it is".
    is_chosen: bool

    def to(self, question: str, *, is_counter: bool = False) -> BareAnswer:
        return BareAnswer(question, self.answer, self.rest, is_counter)


@lru_cache(maxsize=4096)  # A message is asked about by who cuts it, and by who reads each piece.
def bare_answer(said: str, before: str) -> BareAnswer | None:
    """What a reply answers, when it is no more than an answer to the last thing that the agent asked."""
    if not before or (reply := _reply(said)) is None:
        return None
    ending = _ending(before)
    place = next((place for place, one in enumerate(ending) if _asks(one)), None)
    if place is None:
        return None if is_errand(reply.answer) else _to_proposal(reply, ending)
    question = ending[place]
    if any(one.search(question) is not None for one in (ASKS_WHAT_NEXT, _OBSERVED, _OF_WORK)):
        return None
    if _is_only_to_pick(question):
        named = next((one for one in ending[place + 1 :] if _names(one, reply)), "")
        is_wanted = not is_errand(reply.answer) or _OR.search(named)
        named = named if is_wanted else ""
        return reply.to(named, is_counter=reply.is_figure) if named else None
    return _to_question(reply, _whole(ending[place:], reply.answer))


def _reply(said: str) -> _Reply | None:
    """A reply of a few words that neither asks nor tells of something; else nothing."""
    if "?" in said or leaves_it(said) or not 0 < len(said.split()) <= _MOST_REPLY_WORDS:
        return None
    answer, rest = _parted(said)
    is_no_answer = (
        _NO_ANSWER.fullmatch(answer) or _WANTS.match(answer) or _STATES.search(answer) or _POINTS.search(answer)
    )
    if not answer or is_no_answer or len(answer.split()) > _MOST_ANSWER_WORDS:
        return None
    text = plain(said).strip()
    is_led = any(_LED.match(one) for one in (text, lead_off(text)))
    is_chosen = is_led or _BEHIND.search(text.rstrip(" .!")) is not None
    return _Reply(answer, rest, _FIGURE.search(answer) is not None, is_chosen)


def leaves_it(text: str) -> bool:
    """Whether somebody leaves a choice to the agent."""
    return _LEAVES_IT.search(text) is not None


def leaves_all(text: str) -> bool:
    """Whether a sentence says no more than that: "Name: you decide"."""
    rest = _LEAVES_IT.sub("", text)
    return rest != text and len(words(rest)) <= _FEW_WORDS


def is_bare_figure(said: str, before: str) -> bool:
    """Whether a reply is no more than a figure that the agent asked for."""
    return len(said) <= _SHORT_CHARS and _FIGURE.search(said) is not None and bare_answer(said, before) is not None


def _parted(said: str) -> tuple[str, str]:
    """The answer without what leads it in, and what stands behind it."""
    text = _without_lead(_without_lead(plain(said).strip()))
    end = _END.search(text)
    # "Exact: = 5.6" and "logs 30 days, tmp 3" are one answer.
    while end is not None and _NEXT_FIGURE.match(text, end.start()) is not None:
        end = _END.search(text, end.end())
    answer, rest = (text, "") if end is None else (text[: end.start()], text[end.start() :])
    return _BEHIND.sub("", answer.strip(" .!")).strip(), rest.strip()


def _without_lead(text: str) -> str:
    led = _LED.match(text)
    rest = text[led.end() :] if led is not None else lead_off(text)
    return rest.strip() or text


def _ending(before: str) -> list[str]:
    """What the agent ended with, the last sentence first."""
    said = [plain(one) for one in sentences(before[-_ENDING:])]
    # A unit's full stop ends no sentence: "for 24 h. Fine?".
    parts = [part for one in said for part in _SHORT_BEHIND.split(one, maxsplit=1) if part]
    return [part for part in reversed(parts) if _MARK.fullmatch(part) is None][:_LAST_SENTENCES]


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" *_").endswith(("?", "？")) or _PICK.match(sentence) is not None


def _is_only_to_pick(sentence: str) -> bool:
    """Whether a question names nothing itself: "OK?", "Pick one.", "Which one?"."""
    return _SHORT_QUESTION.fullmatch(sentence) is not None or _PICK.match(sentence) is not None


def _whole(said: list[str], answer: str) -> str:
    """A question with those before it, where it goes on with them or the reply answers each: "How many copies? And for
    how long?"."""
    asked = list(takewhile(_asks, said))
    goes_on = len(asked) > 1 and (_GOES_ON.match(asked[0]) is not None or _is_fragment(asked[0]))
    return " ".join(reversed(asked)) if goes_on or len(_PARTS.split(answer)) == len(asked) > 1 else asked[0]


def _is_fragment(question: str) -> bool:
    """Whether a question only names what could be, without a verb: "Leaflet or MapLibre?"."""
    is_telling = _STATES.search(question) or _OPENLY.search(question) or _YES_OR_NO.match(question)
    return not is_telling and not is_errand(question)


def _to_proposal(reply: _Reply, ending: list[str]) -> BareAnswer | None:
    """The answer to what the agent proposed without a question: another figure, or a way that the reply takes."""
    named = next((one for one in ending if _names(one, reply)), "")
    is_proposed = _PROPOSES.search(named) is not None or (reply.is_chosen and not reply.is_figure)
    return reply.to(named, is_counter=reply.is_figure) if named and is_proposed else None


def _to_question(reply: _Reply, question: str) -> BareAnswer | None:
    size, is_known = len(reply.answer.split()), _ENGLISH.search(question) is not None
    is_either, is_fragment = _OR.search(question) is not None, _is_fragment(question)
    if (is_either or is_fragment) and not reply.is_figure and _names(question, reply):
        # "With or without the cache?", "with the cache" says all of it.
        return reply.to(question) if not is_fragment or size < _FEW_WORDS else None
    if is_errand(reply.answer):
        return None
    if reply.is_figure and _OPENLY.search(question) and (is_known or size <= _SEVERAL):
        return reply.to(question)
    if is_fragment and is_either | (_GOES_ON_WITH.search(question) is not None):
        return reply.to(question) if size <= _FEW_WORDS else None
    if _SHALL_BE.search(question) is None:
        return None
    if _YES_OR_NO.match(question) and not is_either:
        if reply.is_figure and _names(question, reply):
            return reply.to(question, is_counter=True)
        # "Shall I write the tests?", "unit only": of work, and no way that was offered.
        is_of_way = _HOW_IT_IS.match(question) is not None and size <= _SEVERAL
        return reply.to(question) if is_of_way and is_known else None
    most = _FEW_WORDS if not is_known else _SEVERAL if is_either else _MOST_ANSWER_WORDS
    is_short = size <= most and (reply.answer.isascii() or len(reply.answer) <= _FEW_CHARS)
    is_open = _OPENLY.match(question.lstrip("¿ ")) is not None
    return reply.to(question) if is_short and (is_known or is_open) else None


def _names(sentence: str, reply: _Reply) -> bool:
    """Whether a sentence names what was answered: one of its ways, or a figure that the user has another of."""
    if reply.is_figure:
        return _FIGURE.search(sentence) is not None
    return bool(topics(reply.answer)) and set(words(reply.answer)) <= set(words(sentence))
