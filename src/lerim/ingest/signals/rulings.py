"""What rules in a few plain words: a value that is set, what is kept out and what comes in its place, since when.

Who is short says these in the midst of small talk: "good. and no jet anywhere, use viridis". Hardly any
language but English is known.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.glance import seldom
from lerim.ingest.signals.text import topics
from lerim.text.sentences import sentences

_LONGEST = 220
_LEAST_WORDS, _LEAST_TOPICS = 3, 2

#: What is said before the point.
_LED = (
    r"\W*(?:(?:ok(?:ay)?|good|great|nice|fine|cool|perfect|right|yes|yep|yeah|yup|no|nope|nah|ah+|oh|hm+|thx|thanks"
    r"|thank you|and|also|but|so|then|plus|btw|well|wait|please|pls|sure|lgtm|exactly|actually"
    r"|one more(?: thing)?|for the record|rule|therefore|hence|thus|result|conclusion|verdict|outcome|decision"
    r"|bottom line)\b(?:[\s,.!:;–—]|-(?=\s))*)*?"
)
_WHO = r"(?:(?:let['’]?s|lets|we|i want to|i['’]d|we can|we should) )?(?:also |just |rather |better )*"
_NO_SUBJECT = r"(?!(?:it|he|she|that|this|they|i|we|you|there|nothing|something|what|which|why|when|where|how|if)\b)"
#: A word, a path or a name.
_W = r"[\w`./@'’-]+"

# --- values ---

_UNIT = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|bytes?|rows?|retries|attempts|tries|items"
    r"|chars?|characters|lines?|columns?|times|requests?|pixels?|samples?|points?|frames?|degrees?|percent|volts?"
    r"|threads?|workers?|replicas?|copies|versions?|ms|us|ns|s|h|d|k|m|g|kb|mb|gb|tb|px|em|rem|pt|fps|hz|khz|mhz|db"
    r"|mm|cm|km|kg|v|mv|ma|c|f)"
)
_COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|ten|twelve|fifteen|twenty|thirty|half an?|a couple of)"
_PERIOD = r"(?:second|minute|hour|day|week|fortnight|month|quarter|year)s?"
#: A value with what it is of: "12 seconds", "a week", "50%"; and a bare number where a verb sets one.
_VALUE = rf"(?:[$€£]\d[\d_.,]*|\d[\d_.,]*\s?(?:%|{_UNIT}\b)|{_COUNT} {_PERIOD}\b)"
_VALUE_OR_NUMBER = rf"(?:{_VALUE}|\d[\d_,]*(?:\.\d+)?(?![\w.]))"
#: Numbered things are no values: "use case 12", "step 2".
NUMBERED = (
    r"(?:case|step|task|option|phase|stage|etapa|issue|pr|ticket|version|milestone|chapter|question|item|point|bug"
    r"|port|part|branch|node|python|java|rule|figure|table|test|line|commit|uc)s?"
)
#: What somebody wants for themselves, or to look at, is over when they have it.
_FOR_NOW = r"(?:me|us|your|output|results?|answers?|replies|reply|summary)"
#: "5px larger" moves something once.
_NO_MORE = (
    r"(?! ?(?:larger|bigger|smaller|wider|narrower|taller|shorter|thicker|thinner|higher|lower|more|less|further"
    r"|to the|left|right|up|down|options?|ideas?|examples?|variants?)\b)"
)
_SETS = re.compile(
    rf"{_LED}{_WHO}(?:give|make|set|keep|allow|hold|cap|limit|raise|lower|bump|wait(?! an? )|retry|go with"
    r"|stop (?:at|after)|refresh|poll|sync|flush|rotate|purge|expire|back ?up|time ?out|sample|debounce|throttle"
    rf"|log out|lock|block|ban|disconnect|abort|give up|alert|warn|evict)\b(?: (?!{NUMBERED}\b"
    rf"|{_FOR_NOW}\b){_W}){{0,6}}?"
    r"(?: (?:to|at|for|with|after|within|every|each|in|by|max|at most|up to|under|below))*"
    rf" {_VALUE_OR_NUMBER}{_NO_MORE}",
    re.I,
)
_BOUNDS = re.compile(
    r"\b(?:max(?:imum)?|at most|no more than|never more than|at least|min(?:imum)?)(?: of)?"
    rf" (?:{_VALUE_OR_NUMBER}|{_COUNT} \w{{3,}})|\bup to {_VALUE}"
    rf"|\b{_VALUE_OR_NUMBER} (?:\w+ )?(?:max|tops|at most|is (?:enough|plenty|the (?:limit|max(?:imum)?)))\b",
    re.I,
)
#: What has a value.
_SETTING = (
    r"(?:timeouts?|limits?|intervals?|ttl|retention|thresholds?|delays?|windows?|quotas?|budgets?|lookback|retries"
    r"|batch size|cache size|pool size|page size|buffer|tolerance|cooldown|debounce|backoff)"
)
#: "Watchdog at 2s", "request timeout to 20s", "autosave every 3 minutes".
_IS_AT = re.compile(
    rf"{_LED}{_NO_SUBJECT}(?:(?!(?:{NUMBERED}|{_FOR_NOW}|takes?|took|ran|runs?|looks?|came|comes|stops?|stopped)\b)"
    rf"{_W} ){{1,4}}"
    rf"(?:at|every|each|within) {_VALUE}{_NO_MORE}(?: {_W}){{0,3}}\W*$"
    rf"|{_LED}(?:the |our )?(?:{_W} ){{0,3}}?{_SETTING}(?: (?:of|for|in|on)(?: {_W}){{1,4}}?)? to {_VALUE}{_NO_MORE}",
    re.I,
)
#: "35, auditors want it", "400 then": a value, of what stands before it.
_VALUE_FIRST = re.compile(
    rf"{_LED}(?:make it |rather |more like )?(?:{_VALUE}|\d\d[\d_,]*(?![\w.]))"
    r"(?:, (?!\d)| (?:then|because|since|please|pls|max|is (?:ok(?:ay)?|fine|enough|plenty|good))\b)",
    re.I,
)
_DAY = (
    r"(?:now|here|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|next (?:week|month|release|version|sprint)|v?\d[\w.]*|(?:the )?(?:1st|first|next) [\w ]{2,20}?)"
)
#: Since when something holds: "from today", "from v2 on". What is fetched "from 3" does not begin then.
_SINCE = re.compile(
    rf"\bfrom {_DAY} (?:on(?:wards?)?|forward)\b|\bfrom today\b"
    r"|\bfrom tomorrow\b(?! (?:morning|to|till|until|night)\b)|\bstarting (?:today|tomorrow|now)\b"
    r"|\bas of (?:today|now)\b|\bgoing forward\b"
    r"|\bfrom (?:january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]"
    r"|20\d\d|v\d[\d.]*)\b(?! (?:to|till|until|through|report|data|log)\b)",
    re.I,
)

# --- what is kept out, and what comes instead ---

#: After "no" these deny, answer or tell that something is missing.
_NO_THING = (
    r"(?:idea|problems?|worries|way|need|one|nobody|body|thanks?|it|its|it['’]s|that|that['’]s|this|they|we|i|you|he|she"
    r"|there|longer|matter|doubt|rush|hurry|luck|such|wait|not|sorry|what|why|how|the|your|my|just|more|because|since"
    r"|if|changes?|errors?|output|response|results?|difference|effect|logs?|issues?|objections?|questions?|clue|point"
    r"|reason|let|lets|use|leave|keep|please|pls|still|don['’]?t|do|only)"
)
_TELLS = (
    r"(?:is|are|was|were|shows?|appears?|comes?|came|works?|worked|found|yet|seen|displayed|happens?|happened|needed)"
)
_THING = rf"(?!{_TELLS}\b){_W}"
_WHERE = (
    r"(?:anywhere|ever|at all|in (?!this\b|that\b|here\b|it\b)\w|for (?!now\b|this\b|that\b|me\b|today\b)\w"
    r"|on (?!this\b|that\b|it\b|them\b|top\b)\w|without \w|inside|outside|after \w|before \w"
    r"|during \w|except|unless|under \w|over \w"
    r"|between \w)"
)
#: "No jet anywhere, use viridis", "no scheduler in the app".
_KEEPS_OUT = re.compile(
    rf"{_LED}no (?!{_NO_THING}\b){_THING}(?: {_THING}){{0,3}}?"
    rf"(?: {_WHERE}(?:(?! {_TELLS}\b)[^.!?\n])*$"
    r"|(?:, | [–—-] |; )(?:just |only |we |always |please |it['’]s |rather )*"
    r"(?:use|uses|an?|only|plain|keep|take|go|goes|put|we|just|everything|all)\b[^.!?\n]{2,})",
    re.I,
)
_WE_RULE = re.compile(
    rf"{_LED}we (?:also |really )?(?:(?:always|never|only ever|no longer) \w+"
    r"|only (?:use|support|ship|target|deploy|build|test|accept|log|store|keep|commit)\b"
    r"|(?:don['’]?t|do not) (?:use|ship|commit|store|log|mock|squash|merge|deploy|edit|touch|allow|accept|support"
    r"|vendor|pin|cache|retry|round|trust|expose|hardcode|catch|swallow|name|write|put|build|generate|do)\b)",
    re.I,
)
#: "Use ninja, not make", "tabs, not spaces".
_ONE_NOT_OTHER = seldom(
    rf"{_LED}(?:we )?use (?!the (?:[\w-]+ )?ones?\b){_W}(?: {_W}){{0,5}}?(?:,| and)? not [\w`.@/]"
    rf"|^(?!no\b|yes\b|ok\b|hm+\b|[^,]*\bones?\b){_W}(?: {_W}){{0,5}}, not"
    r" (?!in\b|on\b|for\b|only\b|just\b|yet\b|sure\b|now\b|that\b|so\b|working\b|necessarily\b|me\b|you\b)"
    rf"{_W}(?: {_W}){{0,3}}\W*$"
    rf"|{_LED}(?:(?:for|in|on) (?:{_W} ){{1,4}})?we \w+ [^,.?!]{{2,60}}, not (?!sure\b|yet\b|that\b|only\b|just\b)\w",
    re.I,
)
#: "Don't log from isr, ever".
_BANS = re.compile(
    rf"{_LED}(?:do not|don['’]?t) \w+ (?!(?:it|this|that|them)\b)[^.?!\n]{{2,60}}"
    r"\b(?:ever|anywhere|at all|any ?more|unless)\b",
    re.I,
)
#: "In tables use two decimals".
_FOR_THESE = re.compile(
    rf"{_LED}(?:in|for|on) (?!(?:now|this|that|these|those|it|me|today|example|instance)\b)(?:{_W} ){{1,4}}?"
    r"(?:we |always )*"
    r"(?:use|take|prefer|only|always|never) \w",
    re.I,
)
#: "Throw the old parser out", "let's rip celery out": what is given up for good.
_GIVES_UP = re.compile(
    rf"{_LED}{_WHO}(?:throw|kick|rip|chuck|phase) (?!(?:it|that|this|them|an?|some|money)\b)(?:{_W} ){{1,4}}?out\b"
    r"(?! (?:an?|the|of (?:sync|order|date)|to|for|with|if|why|how|what|on)\b)",
    re.I,
)
#: "Preload yes 130 mA": yes to the first of several, with its value.
_YES_VALUE = re.compile(
    rf"{_LED}{_NO_SUBJECT}(?:the )?(?:{_W} ){{1,3}}?(?:yes|ok(?:ay)?|fine)[ ,:]+(?:at |to |with )?{_VALUE}", re.I
)
_STOPS = re.compile(rf"{_LED}(?:stop|quit) (?!trying\b|working\b|there\b|now\b|that\b|it\b)\w+ing \w", re.I)

# --- how things are ---

#: Which way something goes, always: "user visible text goes thru tr()".
_GOES = re.compile(
    rf"{_LED}{_NO_SUBJECT}(?:{_W} ){{1,6}}?(?:goes|go|belongs?|lives?|stays?|(?:is|are) (?:always|only|never))"
    r" (?:thr(?:ough|u)|into|in|to|via|under|behind|on|with|at(?! the moment))"
    r" (?!wrong\b|the wrong\b|away\b|back\b|down\b|up\b|blank\b|now\b|fine\b|well\b)[\w`#@./]",
    re.I,
)
_UNIVERSAL = re.compile(
    rf"{_LED}(?:all|every|each|any) (?!(?:good|set|done|right|ok|the|those|these|yours|of|i|you|we|day)\b)"
    rf"(?:{_W} ){{1,6}}?"
    r"(?:gets?|has|have to|must|needs?|ends?|starts?|(?:goes|go) (?:thr(?:ough|u)|via|in|into|to|by)|lives?|in|as|with"
    r"|via|through|thru|(?:is|are) (?:in|named|stored|kept|written|done|logged|rounded|sorted|signed))\b",
    re.I,
)
#: How things are called or written.
_NAMES = re.compile(
    rf"{_LED}{_NO_SUBJECT}(?:{_W} ){{1,6}}?(?:is|are) (?:always |all |only )?"
    r"(?:named|spelled|spelt|prefixed|suffixed|rounded|indented"
    r"|called(?! (?:twice|once|from|by|in|when|on|with|again)\b)) \S",
    re.I,
)
_BECOMES = re.compile(r"^[^\n>→;{}()]{3,60}(?: →| ->| =>) ?[^\n>→;{}()]{1,40}\W*$")

#: The one way that something may go: "publish only from the pipeline", "invoices are sent only by the office".
_DOES_WORK = (
    r"(?:apply|deploy|release|publish|ship|push|merge|commit|tag|cut|run|start|stop|restart|open|close|lock|unlock|write|read"
    r"|call|use|send|store|keep|log|print|save|load|edit|change|touch|update|upgrade|install|delete|remove|drop|archive"
    r"|import|export|sync|upload|download|migrate|rebase|squash|sign|approve|review|build|test|cache|retry|charge|refund|book"
    r"|ship|switch|enable|disable|turn|rotate|create|add|make|connect|fetch|query|access|expose|accept|allow|set|talk|go)"
)
_ONLY_THERE = (
    r"(?:only|solely|exclusively) (?:ever )?(?:from|by|via|through|thr[ou]+gh|after|before|with|in|on|over|as"
    r"|inside|at|under|per"
    r"|behind|between|during|within|until|till|when|if|once) (?!(?:(?:this|that|last|my|your|me|the screen"
    r"|hover|mobile|safari|firefox|chrome|ios|android)\b))"
)
_ONLY_WAY = re.compile(
    rf"{_LED}(?:please |always )?{_DOES_WORK} (?!it\b|that\b|this\b)(?:{_W} ){{0,6}}?{_ONLY_THERE}{_W}"
    rf"|{_LED}{_NO_SUBJECT}(?:{_W} ){{1,5}}?(?:is|are|gets?|may be|can be|must be) (?!shown|seen|visible"
    rf"|displayed|loaded"
    rf"|rendered|broken|missing|found|called|triggered)\w+(?:ed|en|ead|t|ut|un|id|ld|ade"
    rf"|ne) (?:{_W} ){{0,3}}?{_ONLY_THERE}{_W}"
    rf"|{_LED}{_NO_SUBJECT}(?:{_W} ){{1,5}}?(?:must|may|shall) only (?:ever )?(?!be (?:a|the)\b)\w+ {_W}",
    re.I,
)
#: What shall never be, in so many words: "no ads of any kind", "don't ever …", "under no circumstances …".
_NEVER_EVER = re.compile(
    rf"{_LED}no (?!{_NO_THING}\b){_W}(?: {_W}){{0,5}}?,? (?:of any (?:kind|sort|type)|whatsoever|ever|at all|under any"
    r" circumstances?|in any form)\b(?! (?:since|seen|had|been|works?)\b)"
    rf"|{_LED}no (?!{_NO_THING}\b)[^.?!;,]{{2,40}}(?:, (?:(?:and |or )?no |nothing |not )[^.?!;,]{{2,40}}){{1,4}},?"
    r" (?:ever|at all|whatsoever)\b"
    rf"|{_LED}(?:do not|don['’]?t|never|we (?:don['’]?t|do not|never)) (?:you )?ever (?!mind\b|seen\b|had\b"
    rf"|been\b)\w+ \w"
    rf"|{_LED}(?:please )?(?:under no circumstances?|on no account|at no (?:time|point)|in no case) \w+ \w"
    rf"|{_LED}(?:absolutely|definitely|strictly|really) (?:no|never) (?!{_NO_THING}\b|(?:seen|had|been|heard)\b)\w+ \w",
    re.I,
)
#: The same in German: "deployt wird nur von der Pipeline".
_ONLY_WAY_GERMAN = re.compile(
    r"\W*(?!(?:ich|es|er|sie|das|war|wurde|hier|da)\b)(?:[\w/-]+ ){1,7}?(?:nur|ausschließlich)(?: noch)?"
    r" (?:von|über|aus|per|mit|nach|durch|via|vom|im|in der|auf der|bei|wenn) [\w/-]+|\W*auf keinen fall \w+ \w",
    re.I,
)

#: By whom, where and when something is done: "invoices are numbered per year".
_DONE = (
    r"(?:made|built|numbered|stored|kept|saved|refreshed|generated|created|handled|identified|checked|sent|written"
    r"|tested|deployed|published|managed|maintained|computed|calculated|hosted|served|signed|approved|encrypted|hashed"
    r"|masked|backed up|reviewed|released|priced|billed|invoiced|paid|measured|weighed|translated|ordered|planned"
    r"|scheduled|printed|archived|imported|exported|synced|mirrored|owned|compiled|packaged|validated|escaped|parsed)"
)
_TELLS_HOW = re.compile(
    rf"{_LED}{_NO_SUBJECT}(?!(?:nothing|nobody|none|someone|somebody|everything)\b)(?:{_W} ){{1,5}}?(?:is|are) {_DONE}"
    r" (?:on|in|at|by|per|with|without|from|via|through|against|outside|inside|before|after|under|within|every"
    r"|once an?)"
    r" (?!(?:it|this|that|me|you|the wrong|mistake|accident|error|another|vain|time|advance|\d+ ?(?:ms|s|sec\w*"
    r"|min\w*))\b)[\w`]"
    rf"|{_LED}nothing (?:is|gets?|may be|must be) {_DONE} (?:by hand|by anybody|outside|before|without|directly|into"
    rf"|to|on)\b"
    rf"|{_LED}(?:nobody|no one|nothing) (?:but|except|other than) (?:{_W} ){{1,4}}?(?:is|are|has|have|may|can|gets?"
    rf"|goes|runs"
    r"|touches|writes|reads|sees|decides|merges|deploys) \w"
    rf"|{_LED}(?:nobody|no one|everybody|everyone) [a-z]{{3,}}s (?:{_W} ){{0,3}}?(?:without|outside|before|until) \w"
    rf"|{_LED}{_NO_SUBJECT}(?:{_W} ){{1,4}}?(?:belongs? to|has|have|contains?|holds?|takes?|needs?) exactly \w+ \w"
    rf"|{_LED}{_NO_SUBJECT}(?!(?:the|this|that|my|your)\b)(?:{_W} ){{1,6}}?needs? (?:an?|one|two|three|\d+) (?:\w+ )?"
    r"(?:reviews?|reviewers?|approvals?|sign-?offs?|signatures?|permits?|tickets?|permissions?)\b",
    re.I,
)

#: Whose word it takes: "prices are Petra's call", "the schema is idas decision", "anything in billing goes past Lena".
_DECIDED_BY = re.compile(
    rf"{_LED}(?:and |also )?{_NO_SUBJECT}(?:{_W} ){{1,6}}?(?:is|are|stays?|remains?) (?:(?:always|still|only|purely) )?"
    r"(?!(?:my|your|his|its|this|whose)\b)(?:[^\W\d_][\w-]+(?:['’]s|s['’]?|x['’])|(?:our|their) [\w-]+(?:['’]s|s['’]))"
    r" (?:call|decision|business|turf|responsibility|area|job|to decide)"
    r"(?=\W*$|[,.;:!]| (?:anyway|so|and|alone|only|because|since)\b)"
    rf"|{_LED}(?:and |also )?(?:anything|everything|whatever|changes? (?:to|in|of)|each change|all changes) "
    rf"(?:{_W} ){{0,6}}?(?:goes?|has to go|have to go|must go|needs? to go) (?:past|through|by|via) (?!(?:the )?(?:ci"
    r"|now|fine|ok|again|here|there|twice|it|them|that|this|cache|proxy|gateway|api|pipeline|queue|review|pull|pr)\b)\w",
    re.I,
)
_NOBODY_BUT = re.compile(r"\b(?:nobody|no one|nothing) but\b", re.I)

_LED_RULES = (
    _DECIDED_BY,
    _ONLY_WAY,
    _NEVER_EVER,
    _ONLY_WAY_GERMAN,
    _SETS,
    _IS_AT,
    _KEEPS_OUT,
    _WE_RULE,
    _GOES,
    _UNIVERSAL,
    _NAMES,
    _BANS,
    _FOR_THESE,
    _STOPS,
    _GIVES_UP,
    _YES_VALUE,
)
_RULES = (_BOUNDS, _SINCE, _ONE_NOT_OTHER, _BECOMES)
#: Of these forms, those in which hardly anybody tells what goes wrong or wants something done once.
_SURE = (
    re.compile(
        rf"{_LED}no (?!{_NO_THING}\b){_THING}(?: {_THING}){{0,6}}?(?:(?: (?:anywhere|ever|at all))\b"
        r"|(?:, | [–—-] |; )(?:just |only |we |always |please |rather )*(?:use|uses|an?|only|plain|we|just)\b)",
        re.I,
    ),
    re.compile(rf"{_WE_RULE.pattern}(?<!get)(?<!got)(?<!see)", re.I),
    re.compile(rf"{_LED}(?!(?:the|this|that|these|those|my|your|an?|all|everything)\b){_GOES.pattern}", re.I),
    re.compile(
        rf"{_LED}(?:all|every|each|any) (?!(?:the|time|of)\b)(?:{_W} ){{1,6}}?"
        r"(?:gets? (?!\d|stuck\b|lost\b)|have to|must|needs? "
        r"|(?:goes|go) (?:thr(?:ough|u)|via|into|to|by)|(?:is|are) (?:named|stored|kept|written|rounded|signed))",
        re.I,
    ),
    re.compile(
        rf"{_LED}(?:we )?use (?!(?:the|this|that|it|them)\b){_W}(?: {_W}){{0,5}}?(?:,| and)? not [\w`.@/]", re.I
    ),
    re.compile(rf"{_LED}(?:for|in|on) (?:{_W} ){{1,4}}we \w+ [^,.?!]{{2,60}}, not \w", re.I),
    re.compile(rf".*?(?:{_SINCE.pattern})", re.I),
    re.compile(rf"{_LED}we \w+ (?:{_W} ){{1,5}}?{_VALUE_OR_NUMBER} (?:instead of|rather than|and not) \S", re.I),
    _GIVES_UP,
    _NAMES,
    _BANS,
    _FOR_THESE,
    _ONLY_WAY,
    _NEVER_EVER,
)
#: Who says so tells how something goes, or likes how it looks.
_NOT_SURE = re.compile(
    r"\b(?:even (?:if|when|though)|twice|there|looks?|stays? (?:on|at)|but|misaligned|missing|wrong|slow|empty|blank"
    r"|loading|404|50\d|px|pixels?|i always|i never|ask (?:him|her|them))\b",
    re.I,
)
_COMMA = re.compile(r", (?=\w)")
#: Who asks, tells what happened or is not sure rules on nothing.
_NO_RULING = re.compile(
    r"\?|^\W*(?:(?:and|so|but|ok(?:ay)?|hm+|wait|also|then|btw)[ ,]+)*"
    r"(?:what|why|how|where|which|who|when|if|is|are|was|were|does|did|can|could|would|should|will|now(?! on\b))\b"
    r"|\b(?:i (?:see|saw|get|got|had|have|tried|keep|think|guess|noticed|use|used|am|was|did|do|ll|will)"
    r"|i['’](?:m|ve|ll)|maybe|perhaps|not sure|wonder\w*|seems?|looks like|somehow|still|error|fails?|failed|failing"
    r"|broken|crash\w*|bug|again|yesterday|last (?:week|night|time)|this time|(?:just|only|this|at) once|for now"
    r"|right now|at the moment|just now|was|were|did|had|went|took|yet|(?:i|we) can['’]?t"
    r"|(?:tell|show|let|give|send) (?:me|us)|i need"
    r"|(?<!from )(?<!starting )(?<!of )today|see (?:if|whether|how|what))\b"
    # Other scripts.
    r"|[^\x00-\u024f→–—‘’“”…]",
    re.I,
)
#: "That script never runs on prod" names what it rules on: so goes on who begins with "that" and its name.
NAMED_RULE = r" [\w-]+ (?:never|always|must|has to|have to)\b"
#: What it rules on stands before it, or nowhere.
_POINTS = re.compile(
    rf"{_LED}{_WHO}\w+ (?:it|them|that|this|those|these)\b|{_LED}(?:it|they|that|those)"
    rf"(?!{NAMED_RULE}) "
    rf"|{_LED}(?:every |each |after |max |at most )?{_VALUE_OR_NUMBER} (?:is|are)\b"
    rf"|{_LED}{_WHO}(?:(?:make|set|give|use|keep|take|say|do|have) )?"
    rf"(?:to |at |max |at most |at least )?{_VALUE_OR_NUMBER}\W*$",
    re.I,
)
#: Where a sentence may go on to another ruling.
_NEXT = re.compile(
    r"\s*(?:, and(?: also)?|;|, also|,? plus| and also)\s+(?=\S)|\s+and\s+(?=(?:no|stop|never|always|every|all)\s)",
    re.I,
)


@lru_cache(maxsize=4096)  # Who parts a message, weighs it and words it asks about each sentence.
def rules_plainly(sentence: str) -> bool:
    """Whether one sentence of the user's rules, as far as its form tells: it says what, and not only what to do now."""
    text = sentence.strip()
    if not 0 < len(text) <= _LONGEST or _NO_RULING.search(text):
        return False
    # "2 h is too old for it, refresh it every 15 min": the ruling may stand behind why.
    begins = (0, *(comma.end() for comma in _COMMA.finditer(text)))
    is_led = any(one.match(text, begin) for one in _LED_RULES for begin in begins)
    return is_led or _VALUE_FIRST.match(text) is not None or any(one.search(text) for one in _RULES)


@lru_cache(maxsize=4096)
def rules_surely(sentence: str) -> bool:
    """Whether a sentence rules in a form that hardly anybody uses for reports, and for what is done once."""
    text = sentence.strip()
    if not rules_plainly(text) or points_away(text) or _NOT_SURE.search(text):
        return False
    begins = (0, *(comma.end() for comma in _COMMA.finditer(text)))
    return any(one.match(text, begin) for one in _SURE for begin in begins)


@lru_cache(maxsize=4096)
def plain_rulings(text: str) -> tuple[str, ...]:
    """The sentences of what the user said that rule plainly."""
    return tuple(one for one in sentences(text) if rules_plainly(one))


@lru_cache(maxsize=4096)
def rules_alone(text: str) -> bool:
    """Whether a sentence of it rules plainly, and says on what."""
    return any(not points_away(one) and topics(one) for one in plain_rulings(text))


def rules_for_good(text: str) -> bool:
    """Whether a text says the one way that something may go, or what shall never be, in so many words."""
    return _ONLY_WAY.match(text) is not None or _NEVER_EVER.match(text) is not None


def tells_how(text: str) -> bool:
    """Whether it says by whom, where or when something is done as a rule, or how many of something there are."""
    if _TELLS_HOW.match(text) is None or _NO_RULING.search(text) is not None:
        return False
    # "Nobody but the crew" is one thing.
    return _NOT_SURE.search(_NOBODY_BUT.sub("nobody", text)) is None


def points_away(sentence: str) -> bool:
    """Whether a ruling names only by "it" or "them" what it is on, or not at all: "make it 5", "give them a week"."""
    text = sentence.strip()
    if _VALUE_FIRST.match(text) is not None:
        return True
    return _POINTS.match(text) is not None and not _goes_on_to_rule(text)


def _goes_on_to_rule(text: str) -> bool:
    """Whether a clause further on rules on what it names: "take it from there, every test must read it from there"."""
    begins = (comma.end() for comma in _COMMA.finditer(text))
    return any(
        one.match(text, begin) and not _POINTS.match(text[begin:])
        for begin in begins
        for one in (_UNIVERSAL, _KEEPS_OUT)
    )


def parted(sentence: str) -> tuple[tuple[int, int], ...]:
    """The gaps where a sentence goes on to rule on something else: "money is in cents, and no floats in the ledger"."""
    found: list[tuple[int, int]] = []
    begin = 0
    for mark in _NEXT.finditer(sentence):
        before, after = sentence[begin : mark.start()], sentence[mark.end() :]
        is_other = _stands(before) and _stands(after) and topics(before).isdisjoint(topics(after))
        if is_other or _DECIDED_BY.match(after) is not None:
            found.append(mark.span())
            begin = mark.end()
    return tuple(found)


def _stands(text: str) -> bool:
    is_enough = len(text.split()) >= _LEAST_WORDS and len(topics(text)) >= _LEAST_TOPICS
    return is_enough and rules_plainly(text) and not points_away(text)
