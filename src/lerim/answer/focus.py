"""What sort of thing a question asks for, and whether a text holds anything of the sort. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum

from lerim.answer.kindred import is_meant
from lerim.answer.owners import names_owner
from lerim.answer.persons import names_somebody
from lerim.answer.spelling import is_word
from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.search.terms import terms
from lerim.text.sentences import sentences
from lerim.text.stems import stem
from lerim.text.words import spelled


class Asked(Enum):
    """What sort of thing a question asks for."""

    ANYTHING = "no particular sort of thing"
    REASON = "a reason"
    PERSON = "a person or team"
    OWNER = "whose it is, or who decides on it"
    PLACE = "a place"
    TIME = "a time or duration"
    DURATION = "a duration"
    NUMBER = "a number"
    MONEY = "an amount of money"
    THING = "a thing of a name"
    DAY = "the day of a decision or learning"
    SPEAKER = "whoever said so"
    COMMAND = "a command"
    EFFECT = "what came of something"
    ORIGIN = "where something comes from"


_UNITS = (
    r"(?:milli)?seconds?|secs?|ms|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|quarters?|years?"
    r"|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|jours?|heures?|semaines?|mois|horas?|días?"
)
NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
    "|hundred|thousand|million|half|third|once|twice|single|both"
)
_NUMBERS_ABROAD = (
    "zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|fünfzehn|zwanzig|dreißig|dreissig|hundert|deux|trois|quatre"
    "|cinq|six|sept|huit|neuf|dix|douze|quinze|vingt|trente|cent|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce"
    "|veinte|treinta|cien"
)
_DAYS = "(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)days?"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTHS_ABROAD = (
    "januar|jänner|februar|märz|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre"
    "|octobre|novembre|décembre|enero|febrero|abril|junio|julio|septiembre|octubre|noviembre|diciembre"
)
_ORDINALS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\\d+(?:st|nd|rd|th)"
#: What a record must show to hold the sort of thing that is asked for.
_SHOWS = {
    Asked.PERSON: compile_later(
        r"@\w|\b(?i:teams?|person|people|somebody|colleagues?|owners?|advis[eo]rs?|sales|ops|developers?|engineers?"
        r"|maintainers?|reviewers?|legal|finance|managers?)\b"
        # A name of a person looks like any other; what stands beside it tells.
        r"|\b(?:by|but|ask|told|of|with|par|por|von|durch) [A-Z][a-z]+\b"
        r"|\b(?:ab (?:jetzt|sofort|heute)|nur noch|künftig) [A-Z]\w+"
        r"|\b(?:Frau|Herrn?|Mrs?|Ms|Dr|Mme|Monsieur|Madame|Señora?)\.? [A-Z]\w+"
        r"|\bby (?:him|her|them|us|me)\b"
        r"|\b(?!(?:It|That|This|There|Here|What|Let|He|She|Who|Where|How)['’])[A-Z][a-z]+['’]s\b|\b\w+ owns\b"
        r"|\b[A-Z][a-z]+ (?:asks?|asked|said|says|showed|wants?|wanted|owns|leads|wrote|maintains|insists|from"
        r"|does|runs|handles|has to|decides|approves)\b|\w` owns\b"
    ),
    Asked.PLACE: compile_later(
        rf"\b(?:in|into|on|onto|at|inside|outside|under|within|through|over|behind|dans|chez|sous|im|auf|em|apart from"
        r"|to(?= the| an?| our| [A-Z]))\s+"
        rf"(?!(?:the |an? |each |every |one |our )?(?:{_UNITS}|{_DAYS}|{_MONTHS}|{NUMBER_WORDS}|\d|noon|midnight|peak"
        r"|order|demand|general|fact|row|case|place|way|least|most|all|once|first|last|weekends?|time|call|between|it"
        r"|this|that|them)\b)[\w`/.]"
    ),
    Asked.ORIGIN: compile_later(r"\b(?:from|by|cause[ds]?|because|due to|via)\b", re.IGNORECASE),
    Asked.TIME: compile_later(
        rf"\b(?:{_UNITS}|{_DAYS}|{_ORDINALS}|noon|midnight|daily|nightly|hourly|weekly|monthly|yearly"
        r"|(?:once|twice) (?:a|an|per|each|every)|weekends?"
        r"|mornings?|at once|immediately|times|retries|attempts|\d{1,2}:\d\d|\d{1,2} ?(?:uhr|am|pm|h)"
        r"|every \d+|\d+ ?(?:s|ms|min|h|d)|(?:at|from|below|above|over|under) \d[\d.,]* ?(?:degrees?|percent|bar"
        r"|volts?|rpm)"
        r"|\d{4}-\d\d"
        rf"|(?-i:{_MONTHS})|{_MONTHS.replace('May|', '').lower()}|(?:after|before|until|end of) (?:the|we|our) \w+"
        r"|(?:in|by|until|from|since|before|after|ab|bis|seit|nach|vor|en|avant|après) (?:19|20)\d\d"
        r"|tomorrow|q[1-4]|morgen|demain|mañana|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?"
        r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|lunes|martes|miércoles|jueves|viernes"
        rf"|{_MONTHS_ABROAD}|(?:après|avant|nach|vor|después de|antes de) (?:la|le|l|les|der|dem|den|el|los|las)\b)\b",
        re.I,
    ),
    # "Invoice run day" is no duration.
    Asked.DURATION: compile_later(
        rf"(?:\d|\b(?:{NUMBER_WORDS}|{_NUMBERS_ABROAD}|an?|few|several|per|each|every|all|same)\b)[ -]?"
        rf"(?:[\w-]+ ){{0,2}}?(?:{_UNITS}|[smhdw]|chars?|characters?|letters|lines|words)\b"
        r"|\b(?:at once|immediately|forever|indefinitely|\d{1,2}:\d\d|overnight|(?:as|so) long as|until|till)\b",
        re.I,
    ),
    # The 2 of "s2cloud" counts nothing.
    Asked.NUMBER: compile_later(rf"(?<![^\W\d_])\d|\b(?:v\d|(?:{NUMBER_WORDS}|{_NUMBERS_ABROAD})\b)", re.I),
    Asked.MONEY: compile_later(
        r"[€$£]|\b(?:euros?|cents?|dollars?|pounds?|percent|prices?|priced?|costs?|free|charged?|fees?|paid)\b", re.I
    ),
}
# A command is worth saying where it stands; a way of doing something may well be told without one.
_COMMAND = compile_later(
    r"`[a-z][\w-]*(?: [^`]*)?`|(?:^|\s)\$ \S"
    r"|\b(?:p?npm|yarn|cargo|docker|uv|pip|make|just|go) (?:run|test|build|install|start|compose|exec|add|dev|lint)\b"
)
_AUXILIARY_WORDS = (
    "is are was were do does did can could may might must should shall will would has have had be been am"
)
_AUXILIARY = frozenset(_AUXILIARY_WORDS.split())
_SAID = (
    r"said|says|decided|wanted|wants|asked|told|chose|insisted|suggested|proposed|made the (?:call|decision)|came up"
)
_DO = r"run|start|build|test|deploy|install|lint|format|launch|execute|compile|release|publish|set up|seed|reset|debug"
_AMOUNT = r"(?:price|bill|wage|salary|discount|fee)"
_TIME_WORDS = r"(?:time|hour|day|weekday|date)"
_QUESTIONS = (
    (Asked.EFFECT, compile_later(r"\bwhat (?:happened|came of|(?:did|does) .+ (?:cause|lead to|break)\b)")),
    (
        Asked.REASON,
        compile_later(
            r"\bwhy\b|\bhow come\b|\breasons?\b|\broot cause\b"
            r"|\bwhat (?:cause[sd]?|broke|went wrong|made (?:us|you|them|me))\b"
            r"|\bhow (?:did|could|can) .*\b(?:happen|occur|come about|go wrong)\b"
            r"|\bwhat (?:is|was|are|were) the (?:cause|culprit|reason)\b"
        ),
    ),
    (Asked.SPEAKER, compile_later(rf"^(?:and )?who(?:se)? (?:idea|word|{_SAID})\b")),
    (
        Asked.COMMAND,
        compile_later(rf"\b(?:how (?:do|can|should|would) (?:i|you|we|one) (?:{_DO})|(?:what|which) command)\b"),
    ),
    (Asked.PERSON, compile_later(r"\bwho(?:se|m)?\b(?! they are)")),
    (
        Asked.ORIGIN,
        compile_later(r"\bwhere (?:do|does|did|is|are|was|were) .+ (?:come |came |taken |loaded |got )?from$"),
    ),
    (Asked.PLACE, compile_later(r"^(?:and |so |only )?(?:from )?where\b(?! did (?:we|i) (?:leave|stop))")),
    (Asked.DURATION, compile_later(r"\bhow (?:long|old)\b(?! ago)")),
    (
        Asked.TIME,
        compile_later(
            r"\bhow (?:often|soon|fast|slow|quick|many times)"
            r"|^(?:and )?(?:(?:since|by|until) )?when\b"
            # "Which date library" and "what time zone" ask for a thing.
            rf"|\b(?:what|which) {_TIME_WORDS}s?(?=$| (?:{'|'.join(_AUXILIARY_WORDS.split())}|of|for|in|on|at)\b)"
            r"|\blatest (?:hour|time)\b"
        ),
    ),
    (
        Asked.MONEY,
        compile_later(
            rf"\bhow much .*\b(?:cost|pay|charge)|\b{_AMOUNT} (?:of|for|do|does|is)\b|ly {_AMOUNT}\b"
            rf"|\bhow (?:high|much|big|low) (?:is|are|was|were) .*\b{_AMOUNT}s?$"
        ),
    ),
)
_OFTEN = compile_later(r"\b(?:how (?:often|many times)|at (?:what|which))\b")
_ADVERB = compile_later(
    r"[ ,]+(?:at first|originally|initially|previously|formerly|before|now|currently|today|again|right now|nowadays"
    r"|at the moment|these days|in the beginning|to begin with|exactly|please|pls|btw)$"
)
_HOW_MUCH_OF_IT = compile_later(r"\bhow (?P<of>wide|high|tall|deep|thick|heavy|hot|cold|far|warm|dense|loud|bright)\b")
#: Which one it is is asked, and the reason besides.
_AND_WHY = compile_later(r"(?<=\w)[,;?]* and why(?: not (?:[\w.-]+ ?){1,3})?$")
#: How two things differ is told by a sentence on both.
_DIFFERENCE = compile_later(
    r"\bwhat(?:'s| is| are) the (?:differences?|distinction) between\b|\bhow (?:does|do) .+ differ\b"
)
_IS_CALLED = compile_later(
    r"^(?:and )?what(?:'s| is| are| was| were) (?:.+ (?:called|named)$|(?:the |its |our )?(?:\w+ )?names? (?:of|for)\b"
    r"|(?:the |our ).*\bnames?\b)"
)
#: What says of something how it is called.
_NAMING = compile_later(
    r"(?i)\b(?:call(?:ed|s|ing)?|named|names? (?:\([^)]*\))?(?:is|was|:)|naming|renam\w+|refer\w* to\b.*\bas"
    r"|titled|dubbed|aka|genannt|heißt)\b|\bas [`“\"]|[=→“\"]"
)
_SET_TO = compile_later(
    r"^(?:and )?(?:what(?:'s| is| are| was| were)|how high is) .+ (?:set|configured|limited|capped) (?:to|at)$"
    r"|^(?:and )?what (?:should|must|shall) .+ be (?:set|configured|limited|capped) (?:to|at)$"
)
_BARE = compile_later(r"[\w./+#-]+(?: (?:of|for|per|in|on) (?:the )?[\w./+#-]+| [\w./+#-]+){1,4}")
_HOW_MANY = compile_later(r"\bhow (?:many|much)\s+(?P<rest>[\w -]+)")
_WHICH = compile_later(r"\b(?P<word>which|what)\s+(?P<rest>[\w -]+)")
_WHAT_IS = compile_later(
    r"\bwhat(?:'s| is| are| was| were) (?:the|our|its|their) (?P<rest>[\w -]+?)"
    r"(?= (?:of|for|on|in|at|from|to|when|that|we|do|does|did)\b|$)"
)
_WORD = compile_later(r"[^\W_]+(?:['’-][^\W_]+)*")
_COUNTED = compile_later(
    rf"(?i)(?:\d[\d.,]*|\b(?:{NUMBER_WORDS})\b)(?! (?:as|at|in|on|by|is|was)\b)(?P<rest>(?:[ -]+[a-z'-]+){{1,4}})"
)
#: "Retries are 5 now", "retries max 3", "retries: make it 4".
_COUNTED_BEHIND = compile_later(
    r"(?i)\b(?P<of>[a-z][\w'-]+)"
    r"(?::| ?(?:==?|:=|->|→)"
    r"|:?(?: (?:is|are|was|were|stays?|at|to|max|now|set|limited|raised|down|up|always|only|exactly|just|make|them"
    r"|it)\b){1,4}| (?:dropped|fell|rose|grew|went|shrank) (?:from [\d.,]+ )?to\b)"
    rf" (?:\d|(?:{NUMBER_WORDS})\b)"
)
#: "Backups every night, keep 30": of what the sentence speaks of.
_COUNTED_BARE = compile_later(
    r"(?i)\b(?:keep|kept|store|hold|limited to|max(?:imum)?|at most|up to|no more than)"
    r"(?: only| the last)? \d+(?=\W*$|[,;] )"
)
_ASKED_AND_TOLD = compile_later(
    rf"(?i)\bhow (?:many|much) (?P<of>[^:?\n]+)[:?]\s*(?:\w+ ){{0,3}}?(?:\d|(?:{NUMBER_WORDS})\b)"
)
_CALENDAR = compile_later(rf"{_DAYS}|{_MONTHS}")
_END_WORDS = "of for on in at from to with between we i you the our a an that"
_ENDS = frozenset(_END_WORDS.split()) | _AUXILIARY
# A name of one will do for these; the word itself need not stand in the record.
_NAMED_WORDS = """
tool service provider package library framework language engine database company broker standard platform program
software product vendor technology system host protocol cdn orm linter formatter name
"""
_NAMED = frozenset(map(stem, _NAMED_WORDS.split()))
# Of these any name is one.
_ANY_NAMED_WORDS = "engine tool service provider package library program software product vendor technology system name"
_ANY_NAMED = frozenset(map(stem, _ANY_NAMED_WORDS.split()))
# Neither the word nor a name has to stand there.
_SORT_WORDS = """
format way sort kind type style approach thing server level operation step rule reason fraction share percentage
part component technique method mechanism convention setup option solution place latency resolution amount value
order sequence
"""
_SORTS = _NAMED | frozenset(map(stem, _SORT_WORDS.split()))
#: What nothing else stands for: who asks for a password is not told of a key.
_ITSELF_WORDS = "password passphrase passcode pin iban email phone address salary birthday nickname"
_ITSELF = frozenset(map(stem, _ITSELF_WORDS.split()))
_FILE = compile_later(r"[\w-]+\.[a-z]{1,4}\b|\w+/\w*")
_NUMBERED_ONE = compile_later(r"[#!]\d+")
#: Things that are told by how they look.
_LOOKS = {
    **dict.fromkeys(("pr", "mr", "request", "issue", "ticket"), _NUMBERED_ONE),
    **dict.fromkeys(("file", "path", "modul", "script", "folder", "directori"), _FILE),
    "migrat": compile_later(r"\b\d{3,}_\w+|\bmigrations?/\S+|\bV\d+__\w+"),
    "version": compile_later(r"\b\d+\.\d+\b|\bv\d+\b|\b[A-Z][A-Za-z]+ \d{1,4}\b(?! (?:lines|percent|euros))"),
    "port": compile_later(r"\b(?:port |:)\d{2,5}\b"),
    "region": compile_later(r"\b[a-z]{2,12}-[a-z]{3,12}-?\d\b"),
    "rang": compile_later(r"(?<![\w.-])\d[\d.,]* ?(?:-|–|\.\.\.?|to) ?\d[\d.,]*(?![\w-])"),
    "url": compile_later(r"\bhttps?://|\b[\w-]+(?:\.[\w-]+)+/"),
}
# What goes by a figure: who is told the figure need not be told what it is called.
_VALUE_WORDS = """
timeout interval ttl lifetime retention delay timestep step expiry deadline cooldown latency quota limit size
width height margin spacing length thickness threshold usage share percentage percent level coverage speed
rate frequency fps framerate tolerance factor ratio count cutoff seed deadzone budget port number amount
temperature pressure voltage weight resolution depth maximum minimum max min value long old wide high tall deep thick
heavy hot cold far often many much time times
"""
_VALUES = frozenset(map(stem, _VALUE_WORDS.split()))
# When it runs and where it comes from is told without saying so.
_RUN_WORDS = "run happen go start day weekday date hour send sent fire trigger execute perform"
_RUNS, _COMES = frozenset(map(stem, _RUN_WORDS.split())), frozenset(map(stem, ("come", "came", "get")))
_FIGURE = compile_later(r"(?i)(?<![\w#.-])\d[\w.,:%°-]*")
_VERSIONS = frozenset(map(stem, ("version", "release")))
_VERSIONED = compile_later(r"\b([A-Za-z][\w.+#-]*)\s+v?\d+(?:\.\d+)*\b")
#: Things that are numbers.
_NUMBER_NOUNS = "version release port number size limit threshold capacity"
_NUMBERED = frozenset(map(stem, _NUMBER_NOUNS.split()))


_SAID_BEFORE = "\0"
#: How large something is nobody tells by "both" or "one".
_SIZED = compile_later(
    r"(?i)(?<![^\W\d_])\d|\b(?:v\d|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|ninety|hundred|thousand|million|half|none|unlimited|no limit)\b"
)
#: A value that no figure tells.
_SPELLED = compile_later(
    r"(?i)\b(?:one|once|twice|single|zero|never|always|forever|auto(?:matic(?:ally)?)?|each|every|per|double[ds]?"
    r"|halve[ds]?|(?:few|several|same) \w+|unchanged)\b"
)
#: A day, and a time of the day, is no size.
_CALENDAR_DAY = compile_later(
    rf"(?i)\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of )?(?:{_MONTHS}|{_MONTHS_ABROAD})\b"
    rf"|\b(?:{_MONTHS}) \d{{1,2}}\b|\b\d{{1,2}}:\d\d\b"
)
_UNIT_OF_IT = compile_later(rf"(?i)\0 (?:{_UNITS})\b")
#: So many words a noun has at most, with what stands before it: "concurrent build agent slots".
_NOUN_WORDS = 4
_VALUED = frozenset({Asked.TIME, Asked.DURATION, Asked.NUMBER, Asked.MONEY, Asked.ORIGIN})


@dataclass(frozen=True)
class Focus:
    """What a question asks for: a sort of thing, and the nouns it goes by."""

    asked: Asked = Asked.ANYTHING
    nouns: tuple[str, ...] = ()
    #: Whether the nouns are counted: "how many retries".
    counted: bool = False
    #: Whether it asks how often, or at which value, and not only when.
    is_often: bool = False

    def describe(self) -> str:
        return f"asked for: {self.asked.value}" + (f" ({' '.join(self.nouns)})" if self.nouns else "")

    @property
    def thing(self) -> str:
        """What a text must have to answer, in words."""
        named = " ".join(self.nouns)
        if self.counted:
            return f"a number of {named}"
        return f"a {named}" if self.nouns and (self._looks or self.is_by_name) else self.asked.value

    def shows_in(self, text: str, said: Collection[str] = ()) -> bool:
        """Whether a text holds anything of the sort, other than what the question has `said` itself."""
        if (itself := self._itself) and not itself.issubset(terms(text)):
            return False
        if self._looks:
            return any(look.search(text) for look in self._looks) or self.is_version_in(text, said)
        if self.asked is Asked.NUMBER and self.counted:
            return _counts(text, self.nouns)
        if self.asked is Asked.NUMBER and self.nouns:
            return _SIZED.search(_CALENDAR_DAY.sub(" ", _without(text, said))) is not None
        if self.asked is Asked.THING and self.is_by_name:
            is_named = "name" not in self.nouns or _NAMING.search(text) is not None
            return is_named and _has_name(text, said)
        if self.is_often and any(said_of in said for said_of in _numbered(text)):
            return True
        if self.asked is Asked.OWNER:
            return names_owner(text)
        if self.asked is Asked.PERSON and names_somebody(text, said):
            return True
        shows = _SHOWS.get(self.asked)
        return shows is None or shows.search(_without(text, said)) is not None

    def shows_in_all(self, text: str, said: Collection[str] = ()) -> bool:
        """Whether a text holds the sort of thing, or none is asked for that could be seen."""
        return not self._can_be_seen or self.shows_only_in(text, said)

    def shows_only_in(self, text: str, said: Collection[str] = ()) -> bool:
        """Whether a text holds the sort of thing, and not every text does."""
        if self.asked is Asked.COMMAND:
            return _COMMAND.search(text) is not None
        return self._can_be_seen and self.shows_in(text, said)

    @property
    def _itself(self) -> frozenset[str]:
        return _ITSELF.intersection(map(stem, self.nouns))

    @property
    def is_told_by_look(self) -> bool:
        """Whether it asks for something that cannot be mistaken where it stands: a command, a file, a number."""
        return self.asked is Asked.COMMAND or bool(self._looks)

    @property
    def is_by_name(self) -> bool:
        """Whether it asks for something that goes by a name of its own: a tool, a provider."""
        return any(stem(noun) in _NAMED for noun in self.nouns)

    def names_sort(self, term: str) -> bool:
        """Whether a term is the sort itself, or what anything of it does."""
        return term in _RUNS or term in map(stem, self.nouns)

    def is_sort(self, term: str) -> bool:
        """Whether a term only names the sort of thing that is asked for, and goes by a name of its own."""
        return term in _ANY_NAMED and term in map(stem, self.nouns)

    def is_only_sort(self, term: str) -> bool:
        """Whether a term is the sort of thing or of value that is asked for: nobody says it beside the thing."""
        return (term in _SORTS and term in map(stem, self.nouns)) or term in self.measured

    @property
    def is_visible(self) -> bool:
        """Whether it can be seen where the sort of thing stands that is asked for."""
        return self._can_be_seen or self._is_of_value

    @property
    def measured(self) -> frozenset[str]:
        """Terms that only name the sort of value that is asked for: a figure goes without its name."""
        if self.asked is Asked.ORIGIN:
            return _COMES
        if self.asked is Asked.TIME:
            return _VALUES | _RUNS
        if self.asked is Asked.NUMBER and not self.counted:
            return _VALUES | _NUMBERED
        return _VALUES if self._is_of_value else frozenset()

    @property
    def is_value_named(self) -> bool:
        """Whether it asks for a figure by what that is called: a limit, a ttl."""
        return self.asked is Asked.THING and any(stem(noun) in _VALUES for noun in self.nouns) and not self.counted

    def has_figure(self, text: str, said: Collection[str] = ()) -> bool:
        """Whether a text has a figure, or says that there is none."""
        return (
            _SIZED.search(_CALENDAR_DAY.sub(" ", _without(text, said))) is not None or _SPELLED.search(text) is not None
        )

    def gives_value(self, text: str, question: str) -> bool:
        """Whether a value is asked for, and a text has one that the question has not."""
        if not self._is_of_value:
            return False
        if self.asked in _VALUED:
            return self.shows_in(text, frozenset(terms(question)))
        asked = {found[0].lower() for found in _FIGURE.finditer(question)}
        told = _FIGURE.finditer(_CALENDAR_DAY.sub(" ", text))
        return any(found[0].lower().rstrip(".,:") not in asked for found in told)

    @property
    def _is_of_value(self) -> bool:
        return self.asked in _VALUED or any(stem(noun) in _VALUES for noun in self.nouns)

    @property
    def _looks(self) -> tuple[re.Pattern[str], ...]:
        return tuple(_LOOKS[stem(noun)] for noun in self.nouns if stem(noun) in _LOOKS) if not self.counted else ()

    @property
    def _can_be_seen(self) -> bool:
        return (
            self.asked in (*_SHOWS, Asked.COMMAND, Asked.OWNER) or self.is_by_name or bool(self._looks or self._itself)
        )

    def is_named(self, vocabulary: set[str]) -> bool:
        """Whether one of the nouns is among the terms of a text, by this word or another: "memory limit" is there when
        a limit is."""
        return not self.nouns or any(
            stem(noun) in _SORTS or any(is_meant(term, vocabulary) for term in terms(noun)) for noun in self.nouns
        )

    def is_version_in(self, text: str, asked: Collection[str]) -> bool:
        """Whether a version is asked for, and a text has one right behind a word of the question: "Python 3.12"."""
        is_asked = any(stem(noun) in _VERSIONS for noun in self.nouns)
        return is_asked and any(not set(terms(found[1])).isdisjoint(asked) for found in _VERSIONED.finditer(text))


def _without(text: str, said: Collection[str]) -> str:
    """A text without the words that the question has itself: they are no news."""
    if not said:
        return text
    # A unit behind such a word is part of its name: "regatta week".
    bare = _WORD.sub(lambda word: _SAID_BEFORE if not set(terms(word[0])).isdisjoint(said) else word[0], text)
    return _UNIT_OF_IT.sub("", bare).replace(_SAID_BEFORE, "")


def _counts(text: str, nouns: Collection[str]) -> bool:
    """Whether a number in a text counts what is asked for: "400 lines" is no number of approvals."""
    wanted = [term for noun in nouns for term in terms(noun)]
    # "How many reminders we send: three".
    if (asked := _ASKED_AND_TOLD.search(text)) and any(is_meant(term, set(terms(asked["of"]))) for term in wanted):
        return True
    text = text.replace("`", "")
    beside = [set(terms(found["rest"])) for found in _COUNTED.finditer(text)]
    beside += [set(terms(found["of"])) for found in _COUNTED_BEHIND.finditer(text)]
    if _COUNTED_BARE.search(text) is not None:
        beside.append(set(terms(text)))
    return any(is_meant(term, words) for words in beside for term in wanted)


def _numbered(text: str) -> set[str]:
    """What the numbers of a text count: "five retries" says how often it is retried."""
    counted = [found["rest"].split()[0] for found in _COUNTED.finditer(text)]
    # "Two failing tests" counts tests.
    counted = [word for word in counted if not word.endswith(("ing", "ed"))]
    counted += [found["of"] for found in _COUNTED_BEHIND.finditer(text)]
    return {term for word in counted for term in terms(word)}


def _has_name(text: str, said: Collection[str]) -> bool:
    """Whether a text has a name that the question has not: a capital, a digit, or no word of the language."""
    return any(
        (_is_name(word, first=at == 0) or _is_odd(word.lower() if at == 0 else word))
        and set(terms(word)).isdisjoint(said)
        and not _CALENDAR.fullmatch(word)
        and not word.isdigit()
        for sentence in sentences(text)
        for at, word in enumerate(spelled(sentence))
    )


def _is_odd(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower() and not is_word(word) and not is_word(stem(word))


def find_focus(question: str) -> Focus:
    """What a question asks for."""
    text = _ADVERB.sub("", _AND_WHY.sub("", question.lower().strip(" ?!.")))
    for asked, pattern in _QUESTIONS:
        if pattern.search(text):
            return Focus(asked, is_often=asked is Asked.TIME and _OFTEN.search(text) is not None)
    if match := _HOW_MANY.search(text):
        return Focus(Asked.NUMBER, _nouns(match["rest"], plural=True), counted="how many" in text)
    if _SET_TO.search(text):
        return Focus(Asked.THING, ("value",))
    if match := _HOW_MUCH_OF_IT.search(text):
        return Focus(Asked.NUMBER)
    if _DIFFERENCE.search(text):
        return Focus()
    if _IS_CALLED.search(text):
        return Focus(Asked.THING, ("name",))
    if match := _WHAT_IS.search(text):
        return _thing((match["rest"].split()[-1],))
    if match := _WHICH.search(text):
        return _thing(_nouns(match["rest"], plural=match["word"] == "which"))
    return _thing(_value_named(text))


def _value_named(text: str) -> tuple[str, ...]:
    """The value that a question consists of, as "mqtt port" and "upload limit per tenant" do; none in any other."""
    words = text.split()
    if _BARE.fullmatch(text) is None or not _AUXILIARY.isdisjoint(words):
        return ()
    return next(((word,) for word in words if stem(word) in _VALUES), ())


def _thing(nouns: tuple[str, ...]) -> Focus:
    if not nouns:
        return Focus()
    return Focus(Asked.NUMBER if any(stem(noun) in _NUMBERED for noun in nouns) else Asked.THING, nouns)


def _nouns(rest: str, *, plural: bool) -> tuple[str, ...]:
    """What stands between "which" and the verb: its last word, or the first two when the verb is not told apart."""
    words = rest.split()
    ends = next((at for at, word in enumerate(words) if word in _ENDS), len(words))
    if 0 < ends <= _NOUN_WORDS and words[ends : ends + 1] and words[ends] in _AUXILIARY:
        return (words[ends - 1],)
    # "Which package produces our logs" names a thing; "what went wrong with it" and "what checks our images" do not.
    if not plural and 0 < ends <= 2 and words[ends : ends + 1] == ["for"] and not words[0].endswith("s"):
        return (words[ends - 1],)  # "What bitrate for the clips?", not "what looks for leaks?"
    return tuple(words[: min(2, ends)]) if plural else ()


def names_in(question: str) -> list[str]:
    """The names that a question speaks of: words with a capital or a digit inside, other than its first."""
    words = spelled(question)
    return [word for at, word in enumerate(words) if _is_name(word, first=at == 0)]


def _is_name(word: str, *, first: bool) -> bool:
    bare = word.removesuffix("'s").removesuffix("’s")
    if bare == "I" or bare.startswith(("I'", "I’")):
        return False
    return (bare[0].isupper() and not first) or any(c.isupper() for c in bare[1:]) or any(c.isdigit() for c in bare)
