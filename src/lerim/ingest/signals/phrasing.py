"""A statement without its speaker: "we use pnpm here, because …" is "Use pnpm here", and why.

Only English patterns are known. What matches none of them stays as it was said; no word is added that says more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lerim.ingest.signals.text import topics
from lerim.text.words import words

# What a team does or is told to do. Only these become imperatives: "we have a hook" tells how things are.
_VERBS = (
    r"(?:use|store|keep(?! \w+ing\b)|drop(?! (?:packets|requests|messages|events|connections|frames)\b)"
    r"|write|put|prefer|avoid|commit|push|deploy|ship|move|name|pin|log|stick|go with|remove|add"
    r"|value(?! (?:is|are|of|at|for|in|to|must|should|stays|was|has|can|may)\b)"
    r"|switch|follow|treat|validate|document|mock|prefix|format|lint|cache|save|generate|create|delete|merge|rebase"
    r"|squash|tag|skip|require|reject|refuse|forbid|ban|replace|rename|flag|adopt|target|compare|convert|enforce"
    r"|default|manage"
    r"|defer|postpone|ignore|split|restrict|limit|disable|enable|introduce|retire|deprecate|migrate)\b"
)
_ADVERB = (
    r"(?:(?:also|really|just|simply|then|now|rather|still|instead|therefore|normally|usually|generally|greatly|highly"
    r"|strongly) )*"
)
_MUST = r"(?:should|must|need to|have to|ought to|want to|would rather)"
_WE, _NOT = r"(?:we|you)", r"(?:do not|don['’]?t)"
# "I don't want classes" is "no classes"; "I don't want the agent to wait" is not "no agent".
_A_THING = r"(?:any |an? )?(?!(?:to|the|you|us|it|this|that|them|my|our|these|those)\b|(?:[\w-]+ ){1,4}to\b)(?=[\w`])"

# What happens to somebody is no order: "we only see it on Windows".
_MEETS = r"(?:see|saw|get|got|have|had|find|found|hit|know|knew|need|happen)\b"

# Tried in turn at the beginning; the first that fits is taken.
_BEGINNINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.I), replacement)
    for pattern, replacement in (
        (rf"(?:let['’]?s|{_WE} {_ADVERB}{_MUST}) {_ADVERB}not (?=[a-z])", "Do not "),
        (rf"{_WE} {_ADVERB}(?:shouldn['’]?t|mustn['’]?t) {_ADVERB}(?=[a-z])", "Do not "),
        (rf"{_WE} {_ADVERB}(?:should|must) never (?=[a-z])", "Never "),
        (rf"(?:we|i) {_ADVERB}{_NOT} {_ADVERB}want to (?:see|have|get) {_A_THING}", "No "),
        (rf"(?:we|i) {_ADVERB}{_NOT} {_ADVERB}want (?:you |us )?to ", "Do not "),
        (rf"(?:we|i) {_ADVERB}{_NOT} {_ADVERB}want {_A_THING}", "No "),
        (rf"we {_ADVERB}{_NOT} {_ADVERB}need to ", "No need to "),
        (rf"we {_ADVERB}{_NOT} {_ADVERB}need (?:any )?(?=\w)", "No need for "),
        (rf"(?:we|i) {_ADVERB}{_NOT} (?={_VERBS})", "Do not "),
        (rf"we {_ADVERB}(?=(?:always|never|only|no longer) (?!{_MEETS})[a-z]+\b(?<!ed))", ""),
        (rf"i {_ADVERB}(?=no longer [a-z]+\b)", ""),
        (rf"(?:{_WE} {_ADVERB}{_MUST}|(?:we|i)['’]d rather|{_WE} rather should) {_ADVERB}(?=[a-z])", ""),
        (rf"we(?:['’]ll| will|['’]re going to| are going to) {_ADVERB}(?={_VERBS})", ""),
        (rf"we {_ADVERB}(?={_VERBS})", ""),
        (r"we (?:can|could) (?:also |just )?(?=(?:use|keep|drop|remove|skip|avoid|replace|rename|move) )", ""),
        (r"i (?:also |really |still |strongly |much |would |generally )*(?=prefer\b)", ""),
        (r"i['’]d (?:also )?(?=prefer\b)", ""),
        (rf"i {_ADVERB}(?=value (?!(?:your|you|it|that|this|the (?:help|time|input|feedback|effort))\b))", ""),
        (r"i (?:really )?hate (?:it when )?(?=\w)", "Avoid "),
    )
)
# What each of them begins with.
_SPEAKERS = re.compile(r"let|we|you|i", re.I)
# The same in a later clause of the sentence.
_LATER: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.I), replacement)
    for pattern, replacement in (
        (rf", (?:we|i) {_NOT} want {_A_THING}", ", no "),
        (r", (?:we|i) (?=prefer\b)", ", "),
        (r"(?<=\w): (?:let['’]?s|lets|we(?:['’]ll| will)?) (?=(?:go with|use|take)\b)", ": "),
        (r", (?:we|i)(?:['’]d| would)? (?:want|like|need) (?:you |us )?to ", ", "),
        (r", i like (?=(?:small|short|plain|simple|clear)\w* )", ", prefer "),
        (rf", (and|but|then) (?:we|let['’]?s) (?=(?:always |never |only )?{_VERBS})", r", \1 "),
    )
)
_LATER_SPEAKERS = re.compile(r"[,:] (?:and |but |then )?(?:let|we|i)", re.I)
#: Behind "since" this tells when, and not why: a thing without a verb.
_HAPPENED = (
    r"(?:refactor(?:ing)?|rewrite|up(?:date|grade)|downgrade|deploy(?:ment)?|release|rollout|launch|migration|switch"
    r"|move"
    r"|merge|change|cutover|relaunch|outage|incident|crash|reboot|restart|commit|build|version|beginning|start"
    r"|holidays?"
    r"|sprint|meeting|import|rename|split|fix|patch|rebase)"
)
SINCE_WHEN = (
    rf"(?:(?:the|our|my|your|their|this|that|an?) (?:[\w'’.-]+ ){{0,3}}?{_HAPPENED}s?\b"
    r"(?! (?:are|can|will|must|needs?|[a-z]+s)\b)"
    r"|(?:the|our|an?)(?: [\w-]+){1,2}\W*$"
    r"|(?:the|our|an?) [\w-]+(?=[,;.](?:\s|$))"
    rf"|{_HAPPENED}\b(?=\W*$|[,;.]| [v\d]))"
)
_REASON = re.compile(
    r"(?:,|\s[–—-])?\s+(?:(?:because|bc)(?: of(?! (?:that|this|it)\b))?(?! of\b)|bcz|bcoz|cuz|weil|porque|parce que"
    # "As they are" says how, not why.
    r"|(?P<as>as)(?= (?:that|this|it|they|we) [a-z])(?! \w+ (?:is|are|was|were|do|does|did|go|stand|stands|come)\W*$)"
    r"(?! \w+ (?:currently |now |already )?(?:exists?|existed|stands|appears?|happens?)\b)"
    r"|(?P<purpose>so that(?! (?:is|was|isn))\b)"
    # Since a thing without a verb tells when, not why.
    r"|since(?!\s+(?:v?\d|(?:then|yesterday|last|this (?:morning|week)|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"|the (?:last|first|beginning|start))\b"
    rf"|{SINCE_WHEN})))"
    r"\s+(?=\S)",
    re.I,
)
_LED_BY_WHY = re.compile(
    r"(?:because(?: of\b|(?! of\b))|since|as|bc|cause|cuz|due to|weil|wegen|porque|parce que) (?P<why>.+)", re.I | re.S
)
_LED_BY_REASON = re.compile(
    r"(?:since|because(?! of\b)|(?:because of|due to)) (?P<why>(?:[^,.;?]|\.(?=\w)){6,200}?)"
    r"(?:, (?:then )?|(?<!must)(?<!should)(?<!shall)(?<!may)(?<!can)(?<!will)"
    r" (?=(?:we|you) (?:always|never|only|should|must)\b|(?:always|never)\b))(?P<said>.+)",
    re.I | re.S,
)
#: "We have three replicas, so every job must be idempotent": what holds stands behind why.
_CONCLUDES = re.compile(
    r"(?P<why>[^,;:?]{8,160}?(?:, (?!so\b)[^,;:?]{4,80}?)?)"
    r"(?:,? (?:and )?(?:so|hence|therefore|thus|that['’]?s why|which is why)(?: that['’]?s why)?,?) "
    r"(?!(?:that|far|long|much|many|it|they|this|these|those|he|she|i|as|when|if|we (?:can|could|have|had|need|might)"
    r"|\w+ (?:that|as))\b)"
    r"(?P<said>[^?]{4,200})",
    re.I | re.S,
)
#: What the fact named: without it nobody knows what "it" is.
_ON_FACT = re.compile(r"\b(?:it|them|they|its|their|he|him|his|she|her)\b", re.I)
#: "I read on the train, so from now on …" says why, and then what holds.
_FROM_NOW = re.compile(
    r"(?:(?:please|pls) )?(?:from (?:now|here)(?: on(?:wards?)?)?|going forward|in (?:the )?future),? (?:please |pls "
    r"|also )*",
    re.I,
)
#: Of everything of a kind something is so.
_OF_ALL = re.compile(r"(?:all|every|each|any) \w", re.I)
#: "As long as we cache" limits, "the same as we have it" compares, and neither says why.
_COMPARES = re.compile(
    r"\b(?:as \w+|so \w+|long|soon|far|same|same \w+|such|exactly|just|like|much|many|little)$", re.I
)
#: A reason that only a comma parts from what it is for: "never block the ISR, it runs at 1 kHz".
_SPLICED = re.compile(
    r", (?P<why>(?:(?:it|they|that|this|there|i|he|she|people|users|customers|nobody|everybody|everyone)"
    r"(?:['’](?:s|re|m|ll|ve|d))?"
    r"|(?:we|you)(?:['’](?:re|ve)| (?:are|have|had|got|lost|already|can['’]?t|cannot|don['’]?t have|were|just|work"
    r"|need (?:it|them|that|this|those))\b))"
    r" (?:\.(?=\w)|[^,.;:!?])+)(?=$|[,;.!])",
    re.I,
)
#: Others want it so, it went wrong before, or it is not to be had otherwise.
_TELLS_WHY = re.compile(
    r", (?P<why>(?!(?:and|but|then|so|or|not|no|with|without|for|in|on|at|to|when|if|unless|except|otherwise|like|as"
    r"|below|above|under|over|after|before)\b)"
    r"(?=(?:[\w'’/-]+ ){1,6}?(?:wants?|complain\w*|insists?|demands?|expects?|hates?|(?:was|were) clear"
    r"|(?:is|are) (?:frozen|capped|fixed|gone|broken|down|flaky|shared|deprecated|unmaintained|limited|not for|too \w+)"
    r"|(?:doesn['’]?t|does not|can['’]?t|cannot|won['’]?t) \w+|broke|breaks|crash\w*|lost|bit us"
    r"|leak\w*|bricked|burned|failed|fails|blew up|struggles?|choke[sd]?"
    r"|last (?:time|week|month|year|sprint|quarter))\b)"
    r"(?:\.(?=\w)|[^,.;:!?])+)(?=[.!]*$)",
    re.I,
)
#: What rules is no reason, and neither is the way that is taken instead.
_IS_POINT = re.compile(
    r"\b(?:should|must|shall|always|never|only|needs? to|ha(?:s|ve) to|do not|don['’]t(?! have)|instead|rather|unless"
    r"|if|(?:because|bc) of (?:that|this|it)"
    r"|(?:it|they|that|this) (?:goes?|comes?|lives?|belongs?|stays?|runs? (?:via|through|in|on)|gets?))\b",
    re.I,
)
#: Who has heard of it is no reason either.
_PASSES_ON = re.compile(
    r"(?:i|we|he|she)(?:['’]ve|['’]ll| have| had| will| already| just)* (?:told|tell|informed|pinged|wrote|mailed"
    r"|messaged|mentioned|asked|agreed|talked|spoke|discussed|checked|posted|announced)\b",
    re.I,
)
_AND = re.compile(r"(?:and|but|then|so|also) ", re.I)
_RULES = re.compile(
    r"\b(?:must|never|always|only|should|shall|no longer|not allowed|by default|instead|stays?|ha(?:s|ve) to|needs? to"
    r"|may not)\b",
    re.I,
)
#: What somebody chose.
_TAKES = re.compile(
    r"(?:we|i)(?:['’]ve|['’]ll| have| had| will| now)* (?:t(?:ake|ook)|use|go (?:with|for|to)|went (?:with|for|to)"
    r"|pick(?:ed)?|chose|choose|(?:stay(?:ed)?|stick|stuck) (?:with|on)|(?:move|switch)(?:e?d)? to|keep|kept|settled on"
    r"|b(?:uy|ought)|order(?:ed)? (?:from|at)) \w",
    re.I,
)
#: How a fact begins, and no order: "the SDK …", "reviewers …"; and what makes it more than a fact.
_FACT = re.compile(
    r"(?:(?:the|an?|our|we|i|my|this|that|there|it|they|nobody|everybody|[\w-]+s)\b"
    r"|[^\W\d_][\w-]+ (?:has|had|was|can|can['’]?t|could|tried|asked|told|charges?|costs?|keeps?)\b)"
    r"(?!.*\b(?:must|never|always|should|shall|no longer|not allowed|by default|instead)\b)",
    re.I | re.S,
)
_OPEN_END = re.compile(
    r"\b(?:not|just|only|mainly|mostly|partly|partially|probably|simply|precisely|exactly|especially|maybe|perhaps"
    r"|is|are|was"
    r"|were|be|it['’]s|that['’]s|and|or|but|if|when|whether|than|even|good|fine|better|bad|right|wrong"
    r"|nicht|nur|auch|aber|sondern|pas|mais|seulement|sino|pero|sólo|solo|mas|não|ma|non)$",
    re.I,
)
#: What is said not to be why belongs to what is: "not because it is fast, it survives a restart".
_NOT_WHY = re.compile(
    r"\b(?:not|isn['’]t|never) (?:\w+ )?(?:because|bc|due to)\b|\bnicht (?:\w+ )?(?:weil|wegen)\b"
    r"|\bpas (?:\w+ )?(?:parce que|à cause)\b|\b(?:no|não|non) (?:\w+ )?(?:porque|por|perché|a causa)\b",
    re.I,
)
_WAITING = re.compile(
    r"(?:if|when|while|unless|since|because|although|though|as|after|before|until|once|why|given|option|approach)\b",
    re.I,
)
_PERFECT = re.compile(r"\b(?:has|have|had|['’]ve|been|ever)\b", re.I)
_ENDING = re.compile(r"(?:,? (?:then|anyway|please))+$", re.I)
_LEAST_WORDS, _LEAST_TOPICS = 4, 2

_ORDER = re.compile(
    rf"(?:{_VERBS}|no (?=\w)|ask\b|never\b|always\b|only\b|do not\b|don['’]t\b|make sure\b|ensure\b)", re.I
)


# "Which database should the worker use for jobs" is "Database the worker should use for jobs".
_DOES = (
    r"(?P<does>(?:also |still |really |even )?(?:use|have|be|support|target|show|handle|return|keep|include|follow"
    r"|store|run|live|go|continue|position"
    r"|happen|expose|call|send|start|work|apply|look|behave|contain|cover|offer|allow|take|write|read|get|treat|need"
    r"|find|see|appear|stay|belong|sit|stand|do|retry|wait|last|expire|poll|sync|refresh|cache|try|hold|log|fetch"
    r"|export"
    r"|import|render|scale|accept|process|display|print|load|save|report))\b"
)
# What a thing may be asked to do; of me it is asked whether to.
_ACTS = (
    r"(?P<does>refuse|reject|fail|skip|ignore|delete|remove|create|add|make|parse|validate|throw|raise|redirect|persist"
    r"|emit|publish|notify|encrypt|count)\b"
)
_IT = r"(?P<who>(?!(?:i|we|you)\b)(?:[^\s,?:]+ ){1,6}?)"
_LED = r"(?P<led>(?:(?:for|in|on|when|if) [^,?]{3,80}, )?)"
#: A thing by its whole name: in "the export" nobody exports, and in "I add an export" I add.
_WHO = (
    r"(?P<who>(?:(?:i|we|you|it|they|he|she|this|that|these|those) (?=(?:also |still |really |even )?[a-z]+\b)"
    r"|(?!(?:i|we|you|it|they|he|she)\b)(?:[^\s,?:]+ ){1,6}?)(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bour )(?<!\bits )"
    r"(?<!\bof )(?<!\bevery )(?<!\beach ))"
)
#: What one chooses, asked for by its name alone: "Which node version?"
_CHOSEN = (
    r"(?:version|format|engine|library|framework|tool|name|port|region|model|size|language|license|date|order|style|unit|host"
    r"|bucket|table|database|db|queue|font|colou?r|limit|key|level|mode|path|folder|branch|driver|provider|runtime"
    r"|currency|scheme|strategy|schema|protocol|broker|service|package|method|algorithm|encoding|time ?zone)"
)
_QUESTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.I), order)
    for pattern, order in (
        (rf"(?:which|what) (?P<what>(?:(?!(?:is|are|should|shall)\b)[\w.+#-]+ ){{0,2}}{_CHOSEN})$", r"\g<what>"),
        (
            r"(?:which|what) (?P<what>(?:[^\s,?:]+ ){1,4}?)(?:should|shall) "
            r"(?!(?:we|i|you|it|they|the|an?|our|your|be)\b)(?P<does>[a-z]{3,})"
            r" (?P<rest>(?:the|our|all|an?|new|every|each) .*)",
            r"\g<what>to \g<does> \g<rest>",
        ),
        (
            r"(?P<what>where|when) (?:should|shall) (?P<who>(?:the|our|all|new) [^,?:]{2,40}?) "
            r"(?P<does>run|go|live|happen|start|stay|sit|belong|end up)(?P<rest>$| (?:in|on|at|for|by|from|with) .*)",
            r"\g<what> \g<who> should \g<does>\g<rest>",
        ),
        (
            r"(?P<what>where|when) do (?P<who>(?:the|our|all|new) [^,?:]{2,40}?) "
            r"(?P<does>run|go|live|happen|start|stay|sit|belong|end up)(?P<rest>$| (?:in|on|at|for|by|from|with) .*)",
            r"\g<what> \g<who> \g<does>\g<rest>",
        ),
        (
            rf"{_LED}(?:which|what) (?P<what>(?:[^\s,?:]+ ){{1,5}}?)should {_WHO}{_DOES}(?P<rest>.*)",
            r"\g<led>\g<what>\g<who>should \g<does>\g<rest>",
        ),
        (
            rf"{_LED}(?P<what>what|how(?: (?:long|often|big|large|far|(?:many|much)(?: [\w-]+){{1,2}}?))?|where|when)"
            rf"(?: exactly)? should (?!(?:go|come|stay|happen|stand|run|appear)\b){_WHO}{_DOES}(?P<rest>.*)",
            r"\g<led>\g<what> \g<who>should \g<does>\g<rest>",
        ),
        (rf"{_LED}(?:should|shall) {_WHO}{_DOES}(?P<rest>.*)", r"\g<led>whether \g<who>should \g<does>\g<rest>"),
        (rf"{_LED}(?:should|shall) {_IT}{_ACTS}(?P<rest>.*)", r"\g<led>whether \g<who>should \g<does>\g<rest>"),
        (
            rf"{_LED}(?P<what>how (?:long|often|many|much)(?: [\w-]+){{0,2}}?) should {_IT}{_ACTS}(?P<rest>.*)",
            r"\g<led>\g<what> \g<who>should \g<does>\g<rest>",
        ),
        (
            r"(?:should|shall) (?P<who>(?!(?:i|we|it|the|an?|our|your|this|that|these|those)\b)\S+) (?P<rest>.*)",
            r"whether \g<who> should \g<rest>",
        ),
        (
            r"(?:and |so )?"
            r"(?:(?:should|shall) (?:i|we)(?: (?:also|then))?|(?:(?:do|would) you )?(?:want|like) (?:me|us) to)"
            r" (?P<rest>(?!be\b)[a-z]+ .*)",
            r"whether to \g<rest>",
        ),
        (rf"{_LED}(?:do|would) you (?:want|like) to (?P<rest>(?!be\b)[a-z]+ .*)", r"\g<led>whether to \g<rest>"),
        (r"what(?:['’]s| is| are) (?P<rest>(?:the|our|your) .+)", r"\g<rest>"),
    )
)
_CODE, _BLANK = re.compile(r"`[^`]*`"), "\x01"


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A statement and the reason that was given for it, or an empty text."""

    statement: str
    why: str = ""


def impersonal(text: str) -> str:
    """The statement without who says it: an imperative where somebody said what "we" do, else as it is."""
    for pattern, replacement in _BEGINNINGS if _SPEAKERS.match(text) is not None else ():
        found = pattern.match(text)
        if found is not None and len(topics(text[found.end() :])) >= 1:
            text = replacement + text[found.end() :]
            break
    if _LATER_SPEAKERS.search(text) is not None:
        for pattern, replacement in _LATER:
            text = pattern.sub(replacement, text)
    return text


def reasoned(text: str) -> Reasoned:
    """The statement apart from its reason, when enough stays to stand alone."""
    if text.endswith("?"):
        found = _apart(text.rstrip("? "))
        return Reasoned(f"{found.statement}?", found.why) if found.why else Reasoned(text)
    return _apart(text)


def led_reason(text: str) -> str:
    """What stands behind the "because" that a text begins with, or nothing."""
    led = _LED_BY_WHY.match(text)
    return led["why"] if led is not None else ""


def _apart(text: str) -> Reasoned:
    led = _LED_BY_REASON.fullmatch(text)
    if led is not None and _says_enough(led["said"]) and _WAITING.match(led["said"]) is None:
        return Reasoned(led["said"].strip(), led["why"].strip())
    if (concluded := _concluded(text)).statement != text:
        return concluded
    if _NOT_WHY.search(text) is not None:
        return Reasoned(text)
    for found in _REASON.finditer(text):
        head = text[: found.start()].rstrip(" ,;:–—-")
        if _may_end(head, found):
            purpose = f"{found['purpose'].lower()} " if found["purpose"] else ""
            return Reasoned(_ENDING.sub("", head), purpose + text[found.end() :].strip())
    return _unspliced(text)


def _concluded(text: str) -> Reasoned:
    """A ruling apart from the fact before it that it follows from; what is too short to stand alone is told why."""
    found = _CONCLUDES.fullmatch(text)
    if found is None:
        return Reasoned(text)
    lasting = _FROM_NOW.match(said := found["said"].strip())
    why, said = found["why"].strip(), impersonal(said[lasting.end() :] if lasting is not None else said)
    is_fact = _FACT.match(why) is not None and not is_order(why) and len(words(why)) >= _LEAST_WORDS - 1
    rules = lasting or is_order(said) or any(one is not None for one in (_RULES.search(said), _TAKES.match(said)))
    rules = rules or _OF_ALL.match(said) is not None
    if not (is_fact and rules and _is_closed(why) and topics(said)) or _ON_FACT.search(said) is not None:
        return Reasoned(text)
    return Reasoned(said, why) if _says_enough(said) else Reasoned(f"{said.rstrip('. ')}, because {lower(why)}")


def _unspliced(text: str) -> Reasoned:
    """A ruling apart from the reason that stands behind a comma, and with what follows that."""
    for found in (*_SPLICED.finditer(text), *_TELLS_WHY.finditer(text)):
        head = text[: found.start()]
        is_open = _WAITING.match(_AND.sub("", head.rpartition(", ")[2])) is not None or not _is_closed(head)
        rules = is_order(impersonal(head)) or _RULES.search(head) is not None
        if rules and not is_open and _IS_POINT.search(found["why"]) is None and _says_enough(head):
            why = "" if _PASSES_ON.match(found["why"]) else found["why"].strip()
            return _with_last_concluded(Reasoned(head + text[found.end() :], why))
    return _with_last_concluded(Reasoned(text))


def _with_last_concluded(said: Reasoned) -> Reasoned:
    """The same for what a ruling goes on with: "no schema push, we are five people so all changes are migrations"."""
    head, _, last = said.statement.rpartition(", ")
    concluded = _concluded(last)
    if not head or not concluded.why or not is_order(impersonal(head)) or not _is_closed(head):
        return said
    return Reasoned(f"{head}, {lower(concluded.statement)}", "; ".join(filter(None, (said.why, concluded.why))))


def as_subject(question: str) -> str:
    """What a question is about, said as no question, where that takes no more than its words in another order."""
    # Code is one word, however many it has.
    asked = _CODE.sub(lambda code: code[0].replace(" ", _BLANK), question)
    for pattern, order in _QUESTIONS:
        if (found := pattern.match(asked)) is not None:
            return capital(found.expand(order).replace(_BLANK, " "))
    return question


def capital(text: str) -> str:
    """The text with a capital letter, unless it begins with a name that has its own spelling."""
    first = text.split(" ", 1)[0]
    return (
        text[:1].upper() + text[1:]
        if text[:1].islower() and not re.search(r"[A-Z_./:@`=]|\d", first.rstrip(":"))
        else text
    )


def lower(text: str) -> str:
    """The text as it stands within a sentence."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def is_order(text: str) -> bool:
    """Whether it says what to do or not to do."""
    return _ORDER.match(text) is not None


def _says_enough(text: str) -> bool:
    return len(words(text)) >= _LEAST_WORDS and len(topics(text)) >= _LEAST_TOPICS


def _may_end(head: str, reason: re.Match[str]) -> bool:
    """Whether a sentence may end here: it says enough, nothing is left open, and no clause still waits for another."""
    waits = _WAITING.match(head) is not None and ", " not in head
    # "It has failed since we moved" tells a time. What is done "so that" something holds says little without that.
    is_time = "since" in reason.group().lower() and _PERFECT.search(head) is not None
    is_vague = reason["purpose"] is not None and len(topics(head)) < 2 * _LEAST_TOPICS
    compares = reason["as"] is not None and _COMPARES.search(head) is not None
    is_open = waits or is_time or is_vague or compares or _OPEN_END.search(head) is not None
    return _is_closed(head) and not is_open and _says_enough(head)


def _is_closed(text: str) -> bool:
    """Whether every bracket and quotation mark that opens closes."""
    return text.count("(") == text.count(")") and text.count("`") % 2 == 0 and text.count('"') % 2 == 0
