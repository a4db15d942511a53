# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What a user introduces as somebody else's words: a mail to translate, what a colleague said, a text to judge. Pure.

"Bob said: …", "Is this phishing? …" and "Summarize this article" all say whose words follow, and they are not the
user's. Nobody can tell where such words end, so they go on to the end of the message: better to lose words than to
invent a speaker. "Decision: …", "Remember: …" and "as I said: …" introduce the user's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A clause and what ends it. Runs are taken whole, so that a text of any shape is read once.
_CLAUSE = re.compile(r"(?P<said>[^\n:：?？.!。！¿]++)(?P<end>[:：?？.!。！\n]|$)")
_MOST_CHARS = 240
_APART = "\n\n"
_STOPS = frozenset(".!。！")
#: A longer line goes on in the next one.
_LINE_CHARS = 80

# Pieces of the patterns below, in which a blank has to be escaped.
_TEXT = (
    r"(?:e-?mails?|mails?|messages?|texts?|comments?|reviews?|answers?|repl(?:y|ies)|(?:blog\ ?)?posts?|tweets?|articles?"
    r"|letters?|quotes?|quotations?|sentences?|paragraphs?|statements?|claims?|prompts?|chats?|chat\ ?logs?|conversations?"
    r"|discussions?|threads?|transcripts?|drafts?|newsletters?|announcements?|passages?|excerpts?|tickets?|sms|dms?"
    r"|voicemails?|speech|subtitles?|poems?|story|stories|proposals?|requests?\ from|response)\b"
)
_THIS = r"(?:this|that|these|those|the\ following|following|his|her|their|(?:my|our|the|a)\ (?:\w+\ )?\w+['’]s)"
_POLITE = (
    r"(?:(?:please|pls|plz|can\ you|could\ you|would\ you|will\ you|now|then|also|and|ok(?:ay)?|hey|hi|so|just|quickly|first"
    r"|help\ me(?:\ to)?|i\ need\ you\ to|i\ want\ you\ to|let'?s)[\s,]+){0,4}"
)
_LANGUAGE = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|turkish|arabic|hindi|chinese"
    r"|mandarin|japanese|korean|swedish|danish|norwegian|finnish|czech|greek|hebrew|latin|romanian|hungarian)"
)
# Asked of a text, whatever ends the sentence: a colon, a question mark, or the line.
_PROCESS = re.compile(
    rf"""^\W*{_POLITE}(?:
      translat\w*\b(?=\W*$|\W+(?:(?:{_THIS}|it|below|for\ me)\b|.{{0,60}}\b(?:in|into|to)\ (?:\w+\ )?{_LANGUAGE}))
    | (?:summari[sz]e|sum\ up|tl;?dr|rephrase|paraphrase|reword|proof-?read|spell-?check|fact-?check)\b
    | (?:fix|check|correct|improve|polish)\ (?:the\ |my\ |his\ |her\ |their\ )?(?:grammar|spelling|typos?|wording|tone|english)
    | (?:rewrite|turn|make|convert|put|shorten|soften|polish|edit|correct)\ {_THIS}\ (?:as|into|in|to|sound|so|more|less|{_TEXT})
    | (?:explain|interpret|analy[sz]e|decode|classify|rate|grade|judge|roast)\ (?:me\ )?{_THIS}(?:\W*$|\ (?:\w+\ )?{_TEXT})
    | (?:reply|respond|react|answer)\ (?:to\ )?(?:{_THIS}|him|her|them)\b(?!\ (?:issue|ticket|review))
    | what\ (?:does|do|did|could|might)\ {_THIS}\ (?:\w+\ )?(?:{_TEXT}\ )?(?:mean|say|want|imply|do)\b
    | what\ (?:do|would|did)\ you\ (?:think|make|say)\ (?:of|about|to)\ {_THIS}\ (?:\w+\ )?{_TEXT}
    | (?:how|what)\ (?:would|should|do|can|could)\ (?:you|i|we)\ (?:reply|respond|answer|react|write\ back)\b
    | (?:\w+\ ){{0,3}}(?:this|that|it|these)\ (?:a\ (?:bit|little)\ )?(?:\w+er\b|(?:more|less)\ \w+|in\ {_LANGUAGE})
    | what['’]?s\ your\ (?:opinion|take|view)\ (?:on|of|about)\b|(?:could|can)\ you\ make\ sense\ of\b
    | (?:polish|clean|tidy|spruce)\ (?:this|that|it)\ up\b|grammarly\b|(?:convert|turn|format)\ (?:this|that|it)\ (?:in)?to\b
    | (?:spot|find|correct|mark|list|point\ out)\ (?:the|all|any)\ (?:\w+\ )?(?:mistakes|errors|typos|fallac\w+|lies)\ in\ (?:the|{_THIS})\ {_TEXT}
    | (?:is|are|was|could|does|might)\ (?:this|that|these|it|the\ following)\b.{{0,40}}
      \b(?:phish\w*|spam|scams?|legit\w*|fraud\w*|fake|genuine|hoax|suspicious|malicious|prompt\ injection|injected)
    | is\ {_THIS}\ (?:\w+\ )?{_TEXT}
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ANOTHER_BOT = re.compile(
    r"\b(?:another|other|different) (?:assistant|agent|ai|model|bot|llm|chatbot)\b.{0,40}\b(?:answer|said|says|repl|wrote"
    r"|gave|told|suggest|respon|came)",
    re.IGNORECASE,
)
# Behind a colon: a text that is pointed at.
_POINTED = re.compile(
    rf"""\b(?:{_THIS}|here(?:['’]s|\ is|\ are)\b.{{0,40}}|below\ is\b.{{0,40}}|look\ at\b.{{0,30}}|got\b.{{0,30}}
      |received\b.{{0,30}}|an?\ (?:\w+\ )?)\ *(?:\w+\ ){{0,2}}{_TEXT}
    | \b(?:got|received|found|saw|read|left|sent|copied|quote)\ (?:me\ |us\ )?(?:this|the\ following|it)\b
    | \b(?:here(?:['’]s|\ is)|this\ is|that['’]s|that\ is|is)\ what\ (?!(?:i|we)\b)
    | ^\W*(?:from|according\ to|copied\ from|pasted\ from|quoting|quote\ from|taken\ from|per)\ (?!now\b|here\b|then\b|today\b)
    | \baccording\ to\b|\bdoes\ (?:this|that|it)\ (?:make\ sense|sound|look|read)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: A label is shorter.
_TOLD_WORDS = 4
# A clause with one of these is the user's, about the work.
_OWN_VOICE = re.compile(
    r"\b(?:i|we|us|our|ours|my|mine|you|your|let['’]?s|lets|i['’]\w+|we['’]\w+|you['’]\w+)\b"
    r"|\b(?:preferences?|regarding|concerning|about|conventions?|forward|from now|always|never|must|should|shall|need|needs|want|prefer|remember|note|important|rule|rules|decid\w+|decision|use"
    r"|uses|using|keep|don['’]?t|do|does|make sure|ensure|when|whenever|if|for|how|why|because|reason|plan|steps?|require\w*"
    r"|format|style|names?|default|option|options|approach|only|instead|everywhere|every|all|each|thing|things|point|is|are"
    r"|was|were|be|will|would|can|could|add|remove|change|fix|update|create|run|test|tests|order|case|cases|error|errors)\b"
    r"|[^\x00-\x7f]|[`/_=()\[\]{}#*]",
    re.IGNORECASE,
)
# Something of somebody else's: theirs, Anna's, one of many, told to "me".
_OTHERS = re.compile(
    rf"""\b(?!(?:it|that|here|there|what|let|he|she|who|where|how|today|tomorrow|yesterday|one|else)['’]s)\w+['’]s\ \w+
    | \b(?:their|his|her)\ \w+
    | \b(?:one|some|two|most|many|few|all|both|another)\ of\ (?:the|their|his|her|these|those|my|our)\ (?:\w+\ ){{0,2}}{_TEXT}
    | \b(?:the|an?|another|some)\ (?:\w+\ )?{_TEXT}\ (?:under|from|by|above|below|i\ (?:got|found|saw|read)|we\ (?:got|found|saw))\b
    | \b(?:found|seen|spotted|read|posted|stumbled|came\ across|shared)\ (?:this\ |it\ )?(?:on|online|at|over\ at)\b
    | \b(?:my|our|the|their|his|her|an?|some|one|the|he|she|they|it|[a-z]+)\ .{{0,60}}
      \b\w+(?:ed|ing|sent|gave|told|left|wrote|said|s)\ (?:me|us|everyone|everybody)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What is pointed at stands below, after a gap.
_BELOW = re.compile(
    rf"""\b(?:{_TEXT}\ (?:below|underneath|that\ follows)|(?:below|following)\ (?:\w+\ )?{_TEXT})
    | ^\W*(?:so\ |ok\ |hi\ |hey\ )?(?:here(?:['’]s|\ is|\ are)|i\ (?:just\ )?(?:got|received|found|saw)|we\ (?:got|received)|got|found)\b
      .{{0,40}}\b{_TEXT}
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Here are my comments" announces the user's own.
_OWN_TEXT = re.compile(rf"\b(?:my|our)\ (?:\w+\ )?{_TEXT}", re.IGNORECASE)
_SPEECH = re.compile(
    r"\b(?P<who>[\w'’@./-]+(?: [\w'’@./-]+){0,3}) (?:(?:just|also|only|once|recently|now|has|have|had|then|always) ){0,3}"
    r"(?P<verb>said|says|say|saying|emailed|mailed|explained|explains|warned|warns|state|claim|wrote|writes|told|tells|asked|answered|answers|replied|replies|responded|responds"
    r"|commented|posted|claimed|claims|suggested|suggests|recommended|recommends|thinks|mentioned|noted|complained"
    r"|argued|argues|stated|states|reads|reported|insisted|insists|demanded|demands|messaged|texted|tweeted|pinged"
    r"|announced|sent|put it|puts it|quoted|quotes)\b[^:：]{0,60}$",
    re.IGNORECASE,
)
# Verbs that are nouns, too: "All reads: …" and "Writes: …" speak of no speaker.
_NOUNS = frozenset(
    {
        "state",
        "claim",
        "say",
        "writes",
        "reads",
        "answers",
        "replies",
        "claims",
        "states",
        "demands",
        "suggests",
        "quotes",
    }
)
_PERSON = re.compile(
    r"(?i:\b(?:he|she|it|they|who|that|which|this|boss|manager|lead|colleague|coworker|friend|client|customer|vendor|team"
    r"|reviewer|author|guy|someone|somebody|everyone|user|bot|assistant|chatgpt|gpt|claude|gemini|copilot|readme|docs?"
    r"|documentation|page|article|ticket|issue|message|mail|comment|review|error|log|wiki|post|manual|spec|book|md)"
    r"(?: \w+)?$)|^[A-Z][a-z]+$"
)
_QUANTITIES = frozenset(
    [
        "all",
        "any",
        "both",
        "bulk",
        "cache",
        "database",
        "db",
        "disk",
        "every",
        "fast",
        "file",
        "most",
        "no",
        "only",
        "random",
        "raw",
        "some",
    ]
)
_FIRST_PERSON = re.compile(r"(?i)(?:^|\b)(?:i|we|ich|wir|je|nous|yo|eu)(?:['’]ve|['’]d)?(?: \w+)?$")
_OWN_RULES = re.compile(
    r"(?i)\b(?:our|my) (?:\w+ )?(?:rules?|conventions?|polic(?:y|ies)|guidelines?|standards?|decision)$"
)

_AGENT_SAID = re.compile(r"\byou (?:\w+ )?(?:said|wrote|told|asked|suggested|mentioned|answered)\b", re.IGNORECASE)
# Reported without a colon, and then not agreed with: "Bob says we should always …, I don't agree".
_REPORTED = re.compile(
    r"\b(?!(?:i|we|you)\b)[\w'’-]+ (?:just |also |always |still )?(?:said|says|wrote|writes|told (?:me|us)|tells (?:me|us)"
    r"|thinks|claims|claimed|wants (?:me|us|you)|wanted (?:me|us)|suggests|suggested|insists|insisted|argues|demands"
    r"|recommends|recommended|proposed|proposes|asked (?:me|us|you)|asks (?:me|us|you))\b",
    re.IGNORECASE,
)
_DISOWNED = re.compile(
    r"\b(?:i (?:really |strongly |totally )?(?:don['’]?t|do not|can['’]?t|cannot|didn['’]?t) (?:agree|think so|buy|like (?:it|that)|want"
    r" (?:it|that)|believe)|i disagree|i['’]m not (?:so )?sure|(?:that|which|he|she|it|they)(?:['’]s| is|['’]re| are)"
    r" (?:\w+ )?(?:wrong|nonsense|not true|false|stupid|bullshit|a bad idea|mistaken)|do you agree|would you agree"
    r"|is (?:that|he|she|it|this) (?:\w+ )?(?:right|true|correct|wise|sensible|a good idea)|what do you think|what['’]s your take"
    r"|should (?:i|we) (?:trust|believe|listen)|(?:sounds|seems|looks) (?:wrong|fishy|off|odd|weird))",
    re.IGNORECASE,
)

# The same in other languages. A question mark or a line's end will do where a text is to be worked on.
_PROCESS_ABROAD = re.compile(
    r"""\b(?:übersetzen?|übersetz|(?:das|dies|den\ text|diese\ mail)\ (?:\w+\ )?(?:kürzer|höflicher|freundlicher|besser|netter)|korrigiere?|formuliere?\b.{0,30}\bum|fass\w*\b.{0,40}\bzusammen|zusammenfassen)\b
    | \bist\ das\ (?:\w+\ )?(?:phishing|spam|betrug|echt|seriös)|\bwas\ (?:hältst|denkst|meinst)\ du\ (?:von|zu|über)\b
    | \b(?:traduis(?:ez)?|traduire|résume[zr]?|résumer|reformule[zr]?|corrige[zr]?)\b
    | \bque\ (?:penses?-tu|pensez-vous)\ de\b|\best-ce\ (?:du|un|une|que\ c['’]est)\b.{0,20}(?:phishing|hameçonnage|spam|arnaque)
    | \b(?:traduce|traduzca|traducir|tradúceme|resume|resumir|resúmeme|corrige)\b
    | \bqué\ (?:opinas|piensas|te\ parece)\b|\bes\ (?:esto|este|esta)\b.{0,20}(?:phishing|spam|estafa)
    | \b(?:traduza|traduz|traduzir|resuma|resumir|corrija)\b|\bo\ que\ (?:você\ )?acha\b|\bist?o\ é\b.{0,20}(?:phishing|golpe|spam)
    | \b(?:traduci|traducimi|riassumi|correggi)\b|\bcosa\ ne\ pensi\b|\bè\ (?:phishing|una\ truffa|spam)
    | \b(?:vertaal|vat\b.{0,30}\bsamen|przetłumacz|podsumuj|przetlumacz|översätt|sammanfatta|oversæt|çevir|özetle)\b
    | \b(?:переведи(?:те)?|перевести|перескажи|резюмируй|исправь|это\ (?:фишинг|спам|развод|мошен\w*)|что\ (?:ты\ )?думаешь)\b
    | 翻译|翻譯|总结|總結|概括|润色|潤色|校对|校對|钓鱼|釣魚|诈骗|詐騙|你(?:觉得|怎么看)|翻訳|要約|校正|フィッシング|詐欺
    | 번역|요약|교정|피싱|사기
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SPEECH_ABROAD = re.compile(
    r"""(?<!ich\ )(?<!wir\ )\b(?:schreibt|schrieb|sagt|sagte|meint|meinte|behauptet|antwortet|antwortete)\b
    | \bhat\ (?:mir\ |uns\ )?(?:geschrieben|gesagt|geantwortet|gemeint)\b|\blaut\b|\bfolgende\w*\ (?:mail|nachricht|text)
    | (?<!autrement\ )(?<!je\ )\b(?:dit|disait|écrit|répond)\b|\ba\ (?:dit|écrit|répondu)\b|\bselon\b
    | (?<!yo\ )\b(?:dice|dijo|escribe|escribió|respondió|contestó)\b|\bsegún\b
    | (?<!eu\ )\b(?:diz|disse|escreve|escreveu|respondeu)\b|\bsegundo\ (?:o|a)\b
    | \bha\ (?:detto|scritto|risposto)\b|\b(?:zegt|schrijft|mówi|pisze|säger|skriver|diyor|yazdı)\b
    | \b(?:пишет|написал\w*|говорит|сказал\w*|ответил\w*|согласно)\b
    | (?<!我)(?:说|說|写道|寫道|写到|回复|回覆)$|(?:言った|言っていた|書いた|書いている|述べた)$|(?:말했|썼|라고 했)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Where another's text begins by itself.
_FORWARDED = re.compile(
    r"(?im)^[ \t>*_-]*(?:-{2,}\s*)?(?:begin )?(?:forwarded message|original message|weitergeleitete nachricht"
    r"|ursprüngliche nachricht|message transféré|mensaje reenviado|mensagem encaminhada)\b"
    r"|^[ \t]*(?:on|am|le|el) [^\n]{5,80}\b(?:wrote|schrieb|a écrit|escribió) ?:[ \t]*$"
    r"|^[ \t]*(?:from|von|de|sender)[ \t]*: [^\n]{1,200}\n[ \t]*(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|objet"
    r"|para|asunto|assunto)[ \t]*:"
)
# A line of a chat: who, perhaps when, and what.
_CHAT_LINE = re.compile(
    r"^[ \t]*(?:[\[(]?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[AaPp][Mm])?[\])]?[ \t,–-]*)?"
    r"(?:<(?P<nick>[\w.-]{2,24})>|[@*]*(?P<name>[^\W\d_][\w.-]{1,23}(?: [A-Z][\w.-]{0,20})?)[*]*(?: \([^)\n]{1,30}\))?[*]* ?:)"
    r"[ \t]+\S"
)
_LONG_QUOTE = re.compile(
    r"[“„«「『](?P<one>[^“”„«»「」『』\n]{12,2000})[”“»」』]|(?<![\w=(])\"(?P<two>[^\"\n]{12,2000})\"(?!\w)"
)
#: From so many words on, what stands in quotation marks is a saying and not a name.
_SAYING = 5
_LABELS = frozenset(
    [
        "a",
        "also",
        "answer",
        "b",
        "background",
        "bug",
        "bugs",
        "c",
        "changes",
        "context",
        "d",
        "decision",
        "decisions",
        "default",
        "desc",
        "description",
        "done",
        "e",
        "example",
        "examples",
        "expected",
        "f",
        "file",
        "files",
        "fix",
        "fixes",
        "for",
        "fyi",
        "goal",
        "goals",
        "heads",
        "hint",
        "idea",
        "ideas",
        "important",
        "input",
        "issue",
        "item",
        "key",
        "location",
        "name",
        "next",
        "no",
        "note",
        "notes",
        "option",
        "options",
        "output",
        "phase",
        "plan",
        "point",
        "policy",
        "preference",
        "preferences",
        "priority",
        "problem",
        "purpose",
        "question",
        "questions",
        "reason",
        "reminder",
        "remember",
        "result",
        "rule",
        "rules",
        "scope",
        "so",
        "solution",
        "status",
        "step",
        "style",
        "summary",
        "task",
        "tasks",
        "tests",
        "then",
        "tip",
        "title",
        "todo",
        "type",
        "update",
        "usage",
        "use",
        "value",
        "warning",
        "when",
        "why",
        "yes",
    ]
)


def quoted(text: str) -> Iterator[tuple[int, int]]:
    """The slices of a user's message that are introduced as another's words, or look like nothing else."""
    if text.startswith("Q: ") and "\nA: " in text:
        return  # An answer given through a question tool: question and answer are marked already.
    if (begins := _forwarded(text)) is not None:
        yield begins, len(text)
    if (asked := _asked_of_what_stands_above(text)) is not None:
        yield 0, asked
    yield from _introduced(text)
    yield from _disowned(text)
    yield from _chats(text)
    yield from _sayings(text)


def _forwarded(text: str) -> int | None:
    found = _FORWARDED.search(text)
    return found.start() if found else None


def _introduced(text: str) -> Iterator[tuple[int, int]]:
    last = len(text.rstrip())
    for clause in _CLAUSE.finditer(text):
        said, end = clause["said"].strip()[-_MOST_CHARS:], clause["end"]
        # A blank line behind it ends more than the sentence.
        is_apart = text.startswith("\n" if end == "\n" else "\n\n", clause.end())
        end = _APART + end if is_apart else end
        if not said or clause.end() >= last or not _introduces(said, end):
            continue
        if _AGENT_SAID.search(said):
            stop = text.find("\n", clause.end())
            yield clause.end(), stop if stop >= 0 else len(text)
            continue
        yield clause.end(), len(text)
        return


def _introduces(said: str, end: str) -> bool:
    """Whether a clause says that another's words follow. A colon says more than a question mark or a line's end."""
    if _PROCESS.search(said) or _PROCESS_ABROAD.search(said) or _ANOTHER_BOT.search(said):
        return end not in _STOPS and (end != "\n" or len(said) < _LINE_CHARS)
    if end.startswith(_APART) and _BELOW.search(said):
        return True
    if not end.endswith((":", "：")):
        return False
    if (_POINTED.search(said) or _OTHERS.search(said) or _BELOW.search(said)) and not _OWN_TEXT.search(said):
        return True
    return _is_speech(said) or _SPEECH_ABROAD.search(said) is not None or _tells_of_others(said)


def _tells_of_others(said: str) -> bool:
    """Whether a longer clause before a colon speaks neither of the user nor of what is to be done: it says whose words
    or which text follows, in words that no list foresees."""
    return len(said.split()) >= _TOLD_WORDS and _OWN_VOICE.search(said) is None


def _is_speech(said: str) -> bool:
    found = _SPEECH.search(said)
    if found is None or _FIRST_PERSON.search(found["who"]) or _OWN_RULES.search(found["who"]):
        return False
    is_named = _PERSON.search(found["who"]) is not None and found["who"].lower() not in _QUANTITIES
    return found["verb"].lower() not in _NOUNS or is_named


def _disowned(text: str) -> Iterator[tuple[int, int]]:
    """What somebody is reported to have said, up to where the user doubts it in the same paragraph."""
    start = 0
    for paragraph in text.split("\n\n"):
        reported = _REPORTED.search(paragraph)
        doubts = list(_DISOWNED.finditer(paragraph, reported.end())) if reported else []
        if reported and doubts:
            yield start + reported.start(), start + doubts[-1].start()
        start += len(paragraph) + 2


def _asked_of_what_stands_above(text: str) -> int | None:
    """Where the last paragraph begins when it asks something of the text above it."""
    body = text.rstrip()
    start = body.rfind("\n") + 1
    last = body[start:].strip(" .?!:")
    if not start or len(last) > _MOST_CHARS:
        return None
    about = re.search(r"(?i)\b(?:this|that|these|it|above|das|ça|ceci|ce|esto|este|isto|это|这|これ)\b", last)
    return start if about and (_PROCESS.search(last) or _PROCESS_ABROAD.search(last)) else None


def _chats(text: str) -> Iterator[tuple[int, int]]:
    """Lines in which several people talk: a name comes back, or stands beside a time."""
    rows: list[tuple[int, int, str, bool]] = []
    start = 0
    for line in text.split("\n"):
        found = _CHAT_LINE.match(line) if ":" in line or "<" in line else None
        name = (found["nick"] or found["name"]).lower() if found else ""
        if name and name.split()[0] not in _LABELS:
            rows.append((start, start + len(line), name, line.lstrip("[( \t")[:1].isdigit()))
        start += len(line) + 1
    names = [name for _, _, name, _ in rows]
    is_chat = (
        len(rows) >= 2 and (len(set(names)) < len(names) or all(timed for *_, timed in rows)) and len(set(names)) > 1
    )
    if is_chat:
        yield rows[0][0], rows[-1][1]


def _sayings(text: str) -> Iterator[tuple[int, int]]:
    for found in _LONG_QUOTE.finditer(text):
        if len((found["one"] or found["two"]).split()) >= _SAYING:
            yield found.span()
