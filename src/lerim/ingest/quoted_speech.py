# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What a user introduces as somebody else's words: a mail to translate, what a colleague said, a text to judge. Pure.

"Bob said: …", "Is this phishing? …" and "Summarize this article" all say whose words follow, and they are not the
user's. Nobody can tell where such words end, so they go on to the end of the message: better to lose words than to
invent a speaker. Only a last paragraph that turns against them ("I don't agree. …") is the user's again. "Decision: …",
"Remember: …" and "as I said: …" introduce the user's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from lerim.glance import seldom

# A clause and what ends it. Runs are taken whole, so that a text of any shape is read once.
_CLAUSE = re.compile(r"(?P<said>[^\n:：?？.!。！¿\x1f]++)(?P<end>[:：?？.!。！\n\x1f]|$)")
# A dash may stand for a colon, but not at the beginning of a line.
_DASH = re.compile(r"(?<=\S )[-–—](?= )")
_MOST_CHARS = 240
_PARAGRAPH = 1_500
_APART = "\n\n"
_STOPS = frozenset(".!。！")
#: A longer line goes on in the next one.
_LINE_CHARS = 80

# Pieces of the patterns below, in which a blank has to be escaped.
_TEXT = (
    r"(?:e-?mails?|mails?|messages?|texts?|comments?|reviews?|answers?|repl(?:y|ies)|(?:blog\ ?)?posts?|tweets?|articles?"
    r"|letters?|quotes?|quotations?|sentences?|paragraphs?|statements?|claims?|prompts?|chats?|chat\ ?logs?|conversations?"
    r"|discussions?|threads?|transcripts?|drafts?|newsletters?|announcements?|passages?|excerpts?|tickets?|sms|dms?"
    r"|voicemails?|speech|slogans?|mottos?|clauses?|docstrings?|subtitles?|poems?|story|stories|proposals?|requests?\ from|response)\b"
)
# Texts that a user writes as often as they show them: they count only where one stands as a heading.
_PAPER = (
    rf"(?:{_TEXT}|(?:(?:meeting|call|interview)\ )?(?:notes|minutes|recording)\b|(?:\w+\ )?logs?\b|polic(?:y|ies)\b|memos?\b"
    r"|(?:job\ )?ad(?:vert)?s?\b|terms\b|contracts?\b|feedback\b|snippets?\b|e-?books?\b|papers?\b|slides?\b|words\b)"
)
# What one is given to work with says nothing.
_MACHINE = (
    r"(?:servers?|clusters?|instances?|databases?|queues?|brokers?|rabbitmq|redis|kafka|postgres|buckets?|accounts?|access|budget"
    r"|quota|runners?|machines?|box(?:es)?|licen[sc]es?|environments?|gpus?)\b"
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
# What a text can be, and code hardly.
_TONE = (
    r"(?:short(?:er)?|clear(?:er)?|nicer?|friendl\w+|warm(?:er)?|soft(?:er)?|polite(?:r|ly)?|crisp(?:er)?|punch(?:y|ier)|kinder"
    r"|formal\w*|informal\w*|concise\w*|professional\w*|natural\w*|casual\w*|readable|diplomatic|better\ english)\b"
)
# Asked of a text, whatever ends the sentence: a colon, a question mark, or the line.
_PROCESS = seldom(
    rf"""^\W*{_POLITE}(?:
      translat\w*\b(?=\W*$|\W+(?:(?:{_THIS}|it|below|for\ me)\b|.{{0,60}}\b(?:in|into|to)\ (?:\w+\ )?{_LANGUAGE}))
    | (?:summari[sz]e|sum\ up|tl;?dr|rephrase|paraphrase|reword|proof-?read|spell-?check|fact[-\ ]?check)\b
    | (?:fix|check|correct|improve|polish)\ (?:(?:the|my|his|her|their|this|(?:my|our|the)\ \w+['’]s)\ )?(?:grammar|spelling|typos?|wording|tone|english)
    | (?:rewrite|redo|say)\ (?:it|them|this|that)\b.{{0,30}}\b(?:tone|style|voice|words|language|{_LANGUAGE})
    | (?:how|what)\ (?:would|do|should|can|could)\ (?:you|i|we|one)\ (?:say|put|phrase|word|translate)\b
    | compare\ (?:these|those|both|the\ (?:two|following|three))\b
    | (?:rewrite|turn|make|convert|put|shorten|soften|polish|edit|correct)\ {_THIS}\ (?:as|into|in(?!\W*$|\ (?:the|our|my|there|place)\b)|to
      |in\ the\ (?:style|form|tone|voice|language|words)|sound|so|more|less|{_TEXT})
    | (?:explain|interpret|analy[sz]e|decode|classify|rate|grade|judge|roast)\ (?:me\ )?{_THIS}(?:\W*$|\ (?:\w+\ )?{_TEXT})
    | (?:reply|respond|react|answer)\ (?:to\ )?(?:{_THIS}|him|her|them)\b(?!\ (?:issue|ticket|review))
    | what\ (?:does|do|did|could|might)\ {_THIS}\ (?:\w+\ )?(?:{_TEXT}\ )?(?:mean|say|want|imply)\b
    | what\ (?:do|would|did)\ you\ (?:think|make|say)\ (?:of|about|to)\ {_THIS}\ (?:\w+\ )?{_TEXT}
    | (?:how|what)\ (?:would|should|do|can|could)\ (?:you|i|we)\ (?:reply|respond|answer|react|write\ back)\b
    | (?:\w+\ ){{0,3}}(?:this|that|it|these)\ (?:(?:a\ (?:bit|little)|sound|read|look)\ ){{0,2}}
      (?:(?:more|less)\ {_TONE}|(?:{_TONE}|in\ {_LANGUAGE}))
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
_POINTED = seldom(
    rf"""\b(?:{_THIS}|here(?:['’]s|\ is|\ are)\b.{{0,40}}|below\ is\b.{{0,40}}|look\ at\b.{{0,30}}|got\b.{{0,30}}
      |received\b.{{0,30}}|an?\ (?:\w+\ )?)\ *(?:\w+\ ){{0,2}}{_TEXT}
    | \b(?:got|received|found|saw|read|left|sent|copied|quote)\ (?:me\ |us\ )?(?:this|the\ following|it)\b
    | \b(?:here(?:['’]s|\ is)|this\ is|that['’]s|that\ is|is)\ what\ (?!(?:i|we)\b)
    | ^\W*(?:from|according\ to|copied\ from|pasted\ from|quoting|quote\ from|taken\ from|per)\ (?!(?:the|an?)\ (?:\w+\ )?(?:side|perspective|view|angle|start|beginning)\b|now\b|here\b|then\b|today\b|my\b|our\b)
    | \baccording\ to\b|\bdoes\ (?:this|that|it)\ (?:make\ sense|sound|look|read)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: Headings and items of a list; with so many of them a message is a paper that its author laid out.
_LISTED = re.compile(r"(?m)^[ \t]*(?:#{1,6}|[-*•]|\d{1,2}[.)])[ \t]+\S")
_PAPER_LINES = 6
#: Several numbered lines and nothing else: answers to as many questions.
_NUMBERED_LINE = re.compile(r"(?m)^(?P<number>\d{1,2})[.)] [^\n]+")
_UNNUMBERED_LINE = re.compile(r"(?m)^(?!\d{1,2}[.)] ).*\S")
_LEAST_ITEMS = 3
#: A label is shorter.
_TOLD_WORDS, _CLAUSE_WORDS = 4, 3
_VALUE = re.compile(r" \d+(?:\.\d+)?\b(?![.)])")
# What a clause before a colon needs to be the user's: it speaks for a "we", of rules, or of work. "I" and "you" stand in
# any story, so they do not count.
_OWN_VOICE = re.compile(
    r"""\b(?:we|we['’]\w+|let['’]?s|lets|no|nope|not|yes|yep|ok|okay|wrong|good|great|told\ you|you\ asked|your\ question|i\ agree|sake|same|less|bugs?|cause|problem|solution|do\ it|like\ this
      |wants?\ (?:is|the|to)|i(?:['’]m|\ am)?\ (?:\w+\ )?(?:want|prefer|expect|care|need\ you|think|guess|wonder\w*|understand|mean|suggest|propose|see)|can\ you|could\ you|(?:the|one)\ question|example|prefer\w*|decid\w+|decision\w*|rules?|remember|forget|forgot|mind|important|must|always|never|should|shall
      |conventions?|regarding|concerning|forward|from\ now|notes?\ to|use|uses|using|keep|don['’]?t|make\ (?:sure|it)|ensure|when|whenever|whoever|if|every|everywhere|each|all|new
      |only|instead|things?|points?|plan|steps?|reasons?|require\w*|format|styles?|naming|names|defaults?|options?|approach|order|cases?|errors?
      |add|remove|change|fix\w*|update|create|implement\w*|run|tests?|build|code|commits?|branch\w*|function\w*|files?|modules?
      |and\ i\ (?:agreed|decided|settled)|(?:found|figured)\ out\ (?:why|how|that|what)|(?:my|our)\ (?:\w+\ )?notes?
      |for\ the\ record|so\ (?:that\ )?you\ know|to\ be\ clear|in\ case|fyi|btw|by\ the\ way|reminder|(?:one|two|some)\ more|(?:the\ )?(?:last|next|other)\ one)\b
    | ^\W*(?:for|in|on|with|inside|within|für|bei|pour|dans|para|per|voor|dla|для)\ (?!.*\b(?:i|my|this|he|she|they)\b)
    | \b(?:wir|ich|uns|unser\w*|immer|nie|wenn|regel\w*|gilt|wichtig|merk\w*|bitte|nous|on\ (?:a|va|ne|doit|fait|dit|utilise|garde|met|passe|reste)|toujours|jamais|règle\w*|quand|important|nosotros|siempre|nunca|reglas?
      |recuerda|cuando|sempre|mai|regra|regola|quando|ricorda|noi|wij|altijd|nooit|als|zawsze|nigdy|zasad\w+|gdy|nasz\w*|всегда|никогда|мы|правил\w+|когда|если)\b
    | [`/_=()\[\]{}#*]|[぀-ヿ㐀-鿿가-힯]""",
    re.IGNORECASE | re.VERBOSE,
)
# What else the user speaks of: words of their own that they take back, and what they work on.
_OWN_WORK = re.compile(
    r"""\b(?:i\ said|my\ mind|scratch|correction|while\ you['’]?re|(?:and|also|oh|ah|btw)\ heads\ up$|heads\ up\ (?:about|on)|one\ word\ (?:about|on)|finished|completed?|fails|breaks|crashes|hangs|migrat\w+|deploy\w*|rollouts?
      |refactor\w*|releases?|config\w*|settings?|gateways?|services?|servers?|clusters?|repos?|repository|pipelines?|databases?|schemas?|endpoints?|apis?
      |backend|frontend|env|prod|production|staging|issues?\ \#?\d+|trips?|dies?|exit(?:s|\ code)?|leaks?|stuck|throws?|panics?|segfaults?|times\ out|flaky|firmware
      |drivers?|kernel|buffers?|threads?|locks?|sockets?|sensors?)\b
    | ^\W*(?:und\ )?(?:noch\ )?(?:zu|zum|zur)\ """,
    re.IGNORECASE | re.VERBOSE,
)
_SOMEBODY = re.compile(
    rf"""\b(?:guys?|man|men|woman|women|people|person|persons|folks|stranger|boss|manager|lead|colleagues?|coworkers?|friends?|clients?|customers?|vendors?|consultants?
      |contractors?|teams?|reviewers?|authors?|someone|somebody|everyone|users?|bots?|assistant|readme|docs?|documentation|pages?|wiki|manual|spec|book|site|forum|blog
      |website|banner|sign|sticker|he|she|they|who|wise|clear|saying|motto|story)\b
    | \b{_TEXT}|(?-i:(?<=\w\ )[A-Z][a-z]+\b)""",
    re.IGNORECASE | re.VERBOSE,
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
_BELOW = seldom(
    rf"""\b(?:{_TEXT}\ (?:below|underneath|that\ follows)|(?:below|following)\ (?:\w+\ )?{_TEXT})
    | ^\W*(?:so\ |ok\ |hi\ |hey\ )?(?:here(?:['’]s|\ is|\ are)|i\ (?:just\ )?(?:got|received|found|saw)|we\ (?:got|received)|got|found)\b(?!\ out\ (?:why|that|how|what)\b)
      .{{0,40}}\b{_TEXT}
    | \b(?:specs?|specification|prd|rfc|design|requirements|concept|brief)\ (?:doc(?:ument)?\ )?
      (?:(?:from|by)\ (?!me\b|us\b)\w+|(?!i\b|we\b)\w+(?:\ \w+)?\ (?:wrote|sent|made|gave|drafted|came\ up))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NAMED = re.compile(rf"\b{_THIS}\ (?:\w+\ )?{_TEXT}", re.IGNORECASE)
# A longer clause before a colon, and a question that ends a paragraph.
_COLON = re.compile(r"[^:：?？.!。！\n]++[:：](?=\s|[^\x00-\x7f])")
_LAST_QUESTION = re.compile(r"(?<=[.!?。！])[^.!?。！？\n]{2,120}[?？]\W*$")
# A question that ends in a colon shows what it asks about.
_INVERTED = re.compile(
    r"(?i)^\W*(?:(?:is|are|was|were|does|did|has|should|would) (?!we\b|be\b)|do (?:you|they|these|those)\b|(?:what|which|who|whose|how|why|where)(?:['’]?s| is| are| was| does| did| would| should) (?!we\b|i\b))"
)
# What the user was told, and what held elsewhere.
_HEARD = seldom(
    r"(?i)\bi (?:was|got|am being|keep being) (?:\w+ )?(?:told|shown|sent|asked|given|taught|advised|informed)|\bi asked (?!you|for)\w+"
    r"|\b(?:last|old|former|previous|ex) (?:company|job|team|employer|boss|lead|project|client|workplace)\b"
    r"|\b(?:left|sent|put|posted|stuck|scribbled|wrote) (?:me |us )?an? (?:\w+ )?(?:note|comment|message|mail|sign|review)\b"
)
_THAT = re.compile(r"(?i)\b(?:this|that|the following|him|her|them)$")
_FOLLOWING = re.compile(
    rf"\bthe\ following\ (?:\w+\ )?{_TEXT}|\b(?:this|the)\ (?:\w+\ )?(?:text|sentence|paragraph|e-?mail|letter|tweet|article|poem|transcript|announcement|statement)(?:\ below)?$",
    re.IGNORECASE,
)
# "Here are my comments" announces the user's own.
_OWN_TEXT = re.compile(rf"\b(?:my|our)\ (?:\w+\ )?{_TEXT}", re.IGNORECASE)
_SPEECH = seldom(
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
_PERSON = seldom(
    r"(?i:\b(?:he|she|it|they|who|that|which|this|boss|manager|lead|colleague|coworker|friend|client|customer|vendor|team"
    r"|reviewer|author|guy|someone|somebody|everyone|user|bot|assistant|chatgpt|gpt|claude|gemini|copilot|readme|docs?"
    r"|documentation|page|article|ticket|issue|message|mail|comment|review|error|log|wiki|post|manual|spec|book|md)"
    r"(?: \w+)?$)|^[A-Z][a-z]+$"
)
_ADOPTED = re.compile(r"(?i)\bi (?:fully |totally )?agree\b|\bwhoever\b|\byou asked\b")
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
# Reported without a colon, and then doubted: "Bob says we should always …, I don't agree".
_REPORTED = seldom(
    r"\b(?!(?:i|we|you|would|will|should|do|does|did|don['’]t|not|to|may|might|can|could|must|users?|agents?|any|all|the)\b)"
    r"[\w'’-]+ (?:just |also |always |still |keeps |even )?(?:said|says|saying|wrote|writes|told (?:me|us)|tells (?:me|us)"
    r"|thinks|believes|claims?|claimed|wants?|wanted|suggests?|suggested|insists?|insisted|argues?|demands|swears"
    r"|recommends?|recommended|proposed|proposes|asked|asks|would (?:like|love)|expects|stated|mentions|mentioned|announced)\b"
    r"|\baccording to\b|\bi (?:was|got) (?:\w+ )?(?:told|taught|advised|informed)\b|\b(?:read|heard|saw)\b[^.?!]{0,40}\b(?:that|where|about)\b",
    re.IGNORECASE,
)
# Whose word a team goes by, told without a doubt: "legal says we keep invoices ten years", "finance answered: 36 months".
_OFFICE = seldom(
    r"\b(?:legal|finance|sales|compliance|accounting|marketing|security|procurement|accountant|bookkeeper|lawyers?|tax (?:lady|man|advis[eo]r|consultant)|ops|hr|(?:the|our) (?:customer|client|auditor|cto|ceo"
    r"|board|lawyer|(?:\w+ )?team))(?: team)? (?:just |also |now |already |finally )?(?:says?|said|answered|decided|confirmed|replied"
    r"|agreed|told us|changed (?:their|its|his|her) mind|insists?)\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(r"[?？\"“”„«»]|\n\s*\n")
# A view that somebody holds, to the end of the sentence or to what the user makes of it. "As Anna said" agrees with her.
_CLAIMED = re.compile(
    r"(?:^|(?<=[.!?\n] )|(?<=\n))(?!as\b|like\b|[^.!?\n]*\bi agree\b)[^.!?\n,]{0,80}?\b(?!(?:i|we|you|users?|agents?|linter|compiler|tests?|that|which|to|what)\b)[\w'’-]+ (?:just |also |always |still |keeps |kept )?"
    r"(?:says|said|saying|claims|claimed|insists|insisted|argues|argued|thinks|believes(?! (?:them|him|her|us|me|it|in|you)\b)|recommends|suggests|swears)\b(?!:)[^.!?\n]*?"
    r"(?=,? (?:so|but|and so|therefore|hence)\b|[.!?\n]|$)",
    re.IGNORECASE,
)
# What a page, a label or a file says of what is so tells how that looks now: the user speaks of their own product, and
# no rule is in it.
_SHOWING = re.compile(
    r"(?i)\b(?:faqs?|pages?|site|website|readme|docs?|documentation|wiki|buttons?|labels?|titles?|headers?|footers?|banners?|screens?|tooltips?|menus?|forms?|dialogs?|popups?"
    r"|placeholders?|ui|changelog|badges?|tabs?|cards?|invoices?|receipts?|mails?|status|logs?|tests?|comments?) (?:still |now |also |only |just )?(?:says|said)\b"
)
_RULING = re.compile(
    r"(?i)\b(?:always|never|must|shall|should|ha(?:s|ve) to|needs? to|use|keep|don['’]?t|do not|from now on|remember|forbidden|allowed|required|may|can(?:not|['’]t)?"
    r"|no (?:more|longer)|every|you|we|agents?|assistants?|ai|rules?)\b"
)
# A rule inside a sentence about somebody else: "The docs mention you should always …", "a comment that we must …".
_EMBEDDED = re.compile(
    rf"""(?:^|(?<=[.!?\n]\ )|(?<=\n))(?!\W*(?:i|we|you|can|could|would|will|if|when|whenever|before|after|once|so|and|because|for|in|as|like|please|make|remember|let|ok|yes|no|to(?!\ (?:quote|cite|repeat)\b))\b)
      [^.!?\n,:]{{3,80}}?\b(?:(?:that\ )?(?:you|one|people|everyone)\ (?:should|must|always|never|have\ to|need\ to)|{_TEXT}\ [^.!?\n,:]{{0,40}}?\bthat\ (?:we|you|one|all)\b)
      [^.!?\n]*?(?=,?\ (?:so|but|and\ so|therefore|hence)\b|[.!?\n]|$)""",
    re.IGNORECASE | re.VERBOSE,
)
# "…, so we …" and "…, but we …" is what the user makes of it.
_OWN_TURN = re.compile(
    r"(?i)[,;.!] *(?:so|but|and so|therefore|hence|that['’]s why) (?:i|we|let['’]?s|from now|please|use|keep|never|always)\b|\bi (?:fully |totally )?agree\b"
)
_DISOWNED = seldom(
    r"\b(?:i (?:really |strongly |totally )?(?:don['’]?t|do not|can['’]?t|cannot|didn['’]?t) (?:agree|think so|buy|like (?:it|that)|want"
    r" (?:it|that)|believe)|i disagree|i['’]m not (?:so )?sure|(?:that|which|he|she|it|they)(?:['’]s| is|['’]re| are)"
    r" (?:\w+ )?(?:wrong|nonsense|not true|false|stupid|bullshit|a bad idea|mistaken)|do you agree|would you agree"
    r"|is (?:that|he|she|it|this) (?:\w+ )?(?:right|true|correct|wise|sensible|a good idea)|what do you think|what['’]s your take"
    r"|should (?:i|we) (?:trust|believe|listen)|(?:sounds|seems|looks) (?:\w+ )?(?:wrong|fishy|off|odd|weird|strange)|i told (?:him|her|them)"
    r"|quatsch|unsinn|blödsinn|n['’]importe quoi|tontería|sciocchezz|onzin|bzdur|чушь|nonsense|bullshit|overkill|ridiculous|lol\b|wtf|no way|sehe (?:ich )?das anders|nicht einverstanden|bin dagegen|d['’]accord|de acuerdo|concordo"
    r"|mee eens|zgadzam|соглас)",
    re.IGNORECASE,
)

# A question of the user's about the work: "Can you …", "are we …", "why does the test fail". Any other that stands alone
# above a text asks about that text.
_AT_WORK = seldom(
    r"""\b(?:we|we['’]\w+|our|code|tests?|functions?|class(?:es)?|methods?|files?|builds?|buttons?|bugs?|features?|endpoints?|quer(?:y|ies)|modules?|imports?|slow|fail\w*
    |work(?:s|ing)?|run(?:s|ning)?|broken|implement\w*|repo\w*|branch\w*|commit\w*|deploy\w*|database|table|server|api|app|ui|config\w*|fix|add|rename|refactor|change|issue
    |error|plan|project|session|log)\b|[`_/(){}=]|\w\.\w""",
    re.IGNORECASE | re.VERBOSE,
)
_ABOUT_WORK = seldom(
    rf"""{_AT_WORK.pattern}
    | (?:^|[.!,;]\ *)\W*(?:so\ |and\ |ok,?\ |hey,?\ |please\ )?(?:can|could|would|will)\ (?:you|i)\b
    | \b(?:kannst|könntest|können|peux|pouvez|pourrais|puedes|podrías|puoi|potresti|pode|podes|kun|kan|możesz|можешь|можете)\b|\b\w+\ misin
    | (?:做|改|加|修|して|해\ ?줘)""",
    re.IGNORECASE | re.VERBOSE,
)
# Something is to be done with what stands below.
_SHOWN = seldom(
    r"(?i)^(?!\W*(?:i|i['’]\w+|we|yes|yep|no|ok|okay|good|great|nice|thanks|thank|perfect|cool|love|that|that['’]s|this|it|so|let['’]?s|now|do|also)\b)[^\n]*\b(?:this|these|those|below|the following)\b"
)
_JUDGED = seldom(r"(?i)(?:thoughts|opinions?|comments|reactions|right|true|agree|legit|nonsense)\W*$")
# How a text came to the user: whatever follows is not theirs.
_CAME = seldom(
    rf"""\b(?:got|received|found|saw|read|copied|spotted|noticed|picked\ up)\ (?:this|that|it|the\ following)\ (?:\w+\ )?(?:on|from|via|as|by|over|today|yesterday)\b
    | \b(?:got|received|found|saw|read|copied|spotted)\ (?:this|that|it|the\ following)\ in\b[^.]{{0,30}}(?:{_PAPER}|slack|teams|discord|whatsapp|inbox|forum|channel)
    | ^\W*(?:pasted|copied|quoted|taken|forwarded)\ from\b|\b(?:another|other)\ (?:team|company|project)['’]s\b
    | \bthis\ (?:just\ )?(?:came|arrived|landed|popped\ up|went\ around|was\ (?:posted|sent|left|written|forwarded|shared))\b
    | \bthis\ is\ (?:in|from|what)\ (?!(?:my|our|i|we)\b)
    | \bhere(?:['’]?s|\ is|\ are)\ (?:what|how)\ (?!(?:i|we|you)\b)
    | \b(?!(?:i|we|you)\b)\w+\ (?:just\ |also\ |has\ |have\ )?(?:sent|gave|forwarded|wrote|showed|handed|posted|left|shared|dropped|mailed|emailed)
      \ (?:me|us|our\ team|everyone|this|the\ following|it)\b(?<!\bgave\ us)(?<!\bgave\ me)
    | \b(?!(?:i|we|you)\b)\w+\ (?:just\ |also\ |has\ |have\ |finally\ )?gave\ (?:me|us)\b(?!\ (?:an?|the|our|more|new)\ (?:\w+\ ){{0,2}}{_MACHINE})
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A heading that names a text: "Slack log from this morning", "thoughts on this tweet".
_HEADED = seldom(
    rf"""^\W*(?!my\b|our\b)(?:\w+\W+){{0,2}}{_PAPER}\W*(?:$|\b(?:from|of|by|on|in|about|i|we|that|to|with|for)\b|[(,])
    | \b{_THIS}\ (?:\w+\ )?{_TEXT}|\b(?:turn|convert|make|extract|distill|sort|condense)\b.{{0,30}}\b{_PAPER}
    | \b(?:\w+['’]s|their|his|her)\ (?:\w+\ ){{0,2}}{_PAPER}
    | \b{_TEXT}\ (?:was|is|says|said|reads|goes|went|i\ got|we\ got|we\ received)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A heading of the user's own rules, or work on a text.
_OWN_HEADING = seldom(
    r"(?i)\b(?:always|never|from now on|must|should|decid\w+|decision|rules?|remember|convention|preference|(?:my|our) (?:\w+ )?(?:notes|feedback"
    r"|comments|thoughts|answers?|requirements|proposal|decisions?|request)|implement|add|update|create|build|write|refactor|deploy|commit)\b"
)
#: A longer paragraph is no heading.
_HEADING_WORDS = 30
# Asked of what was done, and not of what follows: "was that friendly enough?".
_ASKED_OF_BEFORE = re.compile(
    r"(?i)\W*(?:(?:and|so|hm+|ok(?:ay)?),? )?(?:was|were) (?:that|it|i|they) (?:\w+ )?(?:\w+ enough|too \w+|ok(?:ay)?)\W*$"
)
# Behind a text: whose it was.
_WAS_THEIRS = re.compile(
    r"""(?:^|[.!?]\ +|\n)\W*(?:(?:that|this|it)(?:['’]s|\ is|\ was)|(?:are|were|is|was)\ (?:the\ |his\ |her\ |their\ )(?:exact\ )?words)\ (?:\w+\ )?
      (?:what|how|from|taken\ from|copied\ from|according\ to|a\ quote)\ (?!(?:i|we|my|our|now)\b)[^.?!\n]{1,80}
    | (?:^|\n)[ ]*(?:\^|↑|☝|👆)[^\n]{0,160}$
    | (?:<-+|←|⬅)\ *(?:what|who|why|is|does|this|explain|translate|check|fix|thoughts|nonsense|wrong)\b[^\n]{0,160}$
    | (?:^|[.!?]\ +|\n)\W*(?:what|who|why|how)\b[^.?!\n]{0,40}\b(?:he|she|they|author|sender)\b[^.?!\n]{0,40}\?\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The user again, against what they showed.
_AGAIN = re.compile(
    r"(?i)(?:(?:but|well|no|sorry|ok|hm+|yeah),? )?(?:i (?:really |strongly |totally |still )?(?:disagree|don['’]?t (?:agree|buy|like|want)|do not agree)"
    r"|(?:that|this|he|she|it)(?:['’]s| is) (?:\w+ )?(?:wrong|nonsense|not true|false|bullshit|mistaken|not (?:what|how) we)"
    r"|(?:please )?ignore (?:that|this|him|her|them|it)\b|(?:we|i) (?:ignore|don['’]?t (?:follow|care about)) (?:that|this|his|her|their|it)\b"
    r"|(?:[^.\n]{2,40}\. )?the only (?:thing|part|point) (?:we|i) (?:keep|take|use|want) (?:from|of) (?:it|that|this|them)\b|das (?:stimmt nicht|sehe ich anders|ist falsch)|je ne suis pas d['’]accord"
    r"|no estoy de acuerdo|não concordo|non sono d['’]accord|daar ben ik het niet mee eens|nie zgadzam się|я не соглас)"
)

#: A text of so many characters and paragraphs was not typed between two of the user's own lines.
_LONG_TEXT, _SET_PARAGRAPHS = 400, 2
# Typed in a hurry: a small letter at the beginning of the line.
_TYPED = re.compile(r"(?=[^\W\d_])(?![A-Z])\w+[ ,]")
# Said to the agent: something to be done, asked or added.
_ADDRESSED = re.compile(
    r"(?:also|so|ok|okay|but|and|now|please|pls|can you|could you|would you|let['’]?s|lets|then|i|we|i['’]\w+|we['’]\w+|for us"
    r"|our|don['’]?t|do not|do|fix|apply|implement|use|make|update|check|ignore|btw|fyi|however|what|why|how|is|are|should"
    r"|not|no|yes|this|that|all|only|keep|und|aber|bitte|auch|wir|ich|mais|aussi|nous|pero|también|nosotros|mas|porém|porem|eu"
    r"|também)\b"
)

# Words of one topic, by their stems: work on words, which nobody asks of code. In the languages people write in.
_WORDCRAFT = seldom(
    r"""\b(?:
      translat(?!ion|or)|proof-?read|paraphras|rephras|reword|wording\b|spell-?check|grammar\b|typos?\b|gist\b|tl;?dr|sum\ (?:it|this)\ up
    | (?:polite|friendl|kinder|nicer|formal)\w*\b|sentiment\b|anonymi[sz]e|headline\b|haiku\b|poem\b|essay\b|tweet\b|lyrics\b
    | plain\ (?:words|english|language)|(?:detect|identify|which|what)\ (?:the\ )?language|(?:this|that|the|which|following)\ (?:sentence|paragraph|phrase|passage)
    | fact[-\ ]?check|citation|slogan\b|phishing|spam\b|scams?\b|hoax|legit\b|(?:re)?format\ (?:this\ |it\ )?as\ a\ (?:table|list|letter)|bullet\ points\b
    | übersetz|höflich|korrigier|rechtschreib|grammati[ck]|formulier|zusammenfass|fass\w*\b.{0,40}\bzusammen|(?:dies\w*|der|den|welcher)\ (?:satz|text|brief)|erklär\w*\ (?:mir\ )?(?:das|dies)|(?:das|dies)\ erklär
    | was\ (?:heißt|bedeutet|meint)|betrug\b|seriös|lektor|(?:das|dies|den\ text|diese\ mail)\ (?:\w+\ )?(?:kürzer|höflicher|freundlicher|besser|netter)
    | relire|relis\b|tradui|traduc|traduz|traduç|(?:ce|cette|esta|este|questa|essa)\ (?:phrase|texte|frase|texto|carta|lettre)|orto(?:graf|graph)|résume|reformul|corrig|corrij|corregg
    | (?:cette|ce|questa|questo|esta|este|essa|diese[mnrs]?|deze|dit)\ (?:e-?mail|mail|sms|message|messaggio|mensaje|mensagem|nachricht|bericht|correo|avis|aviso)
    | resum[ao]\b|resumi[rn]|résum|resúm|riassum|signific|veut\ dire|arnaque|hameçon|estafa|golpe\b|truffa|expli(?:que|ca)(?:[rz]|me|mi|moi)?\b|spiega
    | vertaal|vertal|(?:deze|dit)\ (?:zin|tekst)|samenvat|vat\b.{0,30}\bsamen|betekent|oplichting|leg\b.{0,20}\buit
    | przetłumacz|przetlumacz|tłumacz|pisown|podsumuj|streść|to\ zdanie|ma\ na\ myśli|co\ (?:to\ )?znaczy|oszustw|wyjaśnij|popraw\b|sprawdź
    | översätt|oversæt|oversett|sammanfatt|den\ här\ (?:texten|meningen)|betyder|stavning|çevir|özetle|bu\ (?:cümle|metin)|ne\ demek
    | перев(?:ед|ест)|орфограф|резюмир|перескажи|исправь|ошибки\ в|(?:это|этот)\ (?:предложени|текст)|что\ (?:это\ )?(?:\w+\ )?значит|фишинг|развод\b|мошен|объясни
    )|翻译|翻譯|总结|總結|概括|润色|潤色|校对|校對|钓鱼|釣魚|诈骗|詐騙|什么意思|什麼意思|语法|翻訳|文章|要約|校正|意味|文法|フィッシング|詐欺|번역|요약|교정|피싱|사기|무슨\ 뜻|문법
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What is asked about a text behind it, or said of its author.
_ASKED_ABROAD = seldom(
    r"""\bwas\ (?:hältst|denkst|meinst)\ du\ (?:von|zu|über)\b|\bist\ das\ echt\b|\bque\ (?:penses?-tu|pensez-vous)\ de\b|\bqué\ (?:opinas|piensas|te\ parece)\b
    | \bo\ que\ (?:você\ )?acha\b|\bcosa\ ne\ pensi\b|\bчто\ (?:ты\ )?думаешь\b|你(?:觉得|怎么看)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SPEECH_ABROAD = seldom(
    r"""(?<!ich\ )(?<!wir\ )\b(?:schreibt|schrieb|sagt|sagte|meint|meinte|behauptet|antwortet|antwortete)\b
    | \bhat\ (?:mir\ |uns\ )?(?:geschrieben|gesagt|geantwortet|gemeint)\b|\blaut\b|\bfolgende\w*\ (?:mail|nachricht|text)
    | (?<!autrement\ )(?<!je\ )\b(?:dit|disait|écrit|répond)\b|\ba\ (?:dit|écrit|répondu)\b|\bselon\b
    | (?<!yo\ )\b(?:dice|dijo|escribe|escribió|respondió|contestó)\b|\bsegún\b
    | (?<!eu\ )\b(?:diz|disse|escreve|escreveu|respondeu)\b|\bsegundo\ (?:o|a)\b
    | \bha\ (?:detto|scritto|risposto)\b|\b(?:zegt|schrijft|mówi|pisze|säger|skriver|diyor|yazdı)\b
    | \b(?:пишет|написал\w*|говорит|сказал\w*|ответил\w*|согласно)\b
    | (?<!我)(?:说|說|写道|寫道|写到|回复|回覆)$|(?:言っ|書い|述べ|聞い)[てた][^、。]{0,6}$|(?:말했|말하|썼|라고 했)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REPORTED_ABROAD = seldom(
    r"""\b(?:laut|selon|d['’]après|según|secondo|segundo|volgens|według|согласно)\ |\b(?!(?:ich|wir|je|nous|yo|eu|io|ik|wij)\ )[^\W\d_]+\ (?:schreibt|sagt|sagte|meint|meinte|behauptet|findet|will|gesagt|gemeint|geschrieben|behauptet|detto|dicho|gezegd|powiedział\w*|сказал\w*|dit|affirme|pense|veut|dice|dijo
    |quiere|diz|disse|quer|vuole|zegt|vindt|wil|mówi|twierdzi|chce|говорит|считает|хочет|säger)
    (?:,|\ (?:dass|que|qu['’]|che|dat|że|что|att|ab\ jetzt|wir)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
# A question, but not one for work.
_DOUBTED = re.compile(
    rf"{_DISOWNED.pattern}|(?<=[.!?,;。！ ] )(?!(?:so |and |please )?(?:can|could|will|would) (?:you|we)\b|kannst|könntest|peux|puedes|puoi|kun |możesz|можешь)[^.!?\n]{{2,160}}[?？]",
    re.IGNORECASE,
)
# Where another's text begins by itself.
_FORWARDED = seldom(
    r"(?im)^[ \t>*_-]*(?:-{2,}\s*)?(?:begin )?(?:forwarded message|original message|weitergeleitete nachricht"
    r"|ursprüngliche nachricht|message transféré|mensaje reenviado|mensagem encaminhada)\b"
    r"|^[ \t]*(?:on|am|le|el) [^\n]{5,80}\b(?:wrote|schrieb|a écrit|escribió) ?:[ \t]*$"
    r"|^[ \t]*(?:from|von|de|sender)[ \t]*: [^\n]{1,200}\n[ \t]*(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|objet"
    r"|para|asunto|assunto)[ \t]*:"
)
_GREETING = re.compile(
    r"(?im)^[ \t]*(?:(?:hi|hello|hey|good (?:morning|day|evening)|hallo|guten tag|bonjour|hola|ciao|olá|hoi|cześć|привет)(?: [\w.-]+){0,3}[,!:]?[ \t]*$"
    r"|(?:hi|hello|hey|hallo|hola|ciao) (?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?,"
    r"|(?:bonjour|buongiorno|guten tag|good morning|dzień dobry|goedemorgen|buenos días|bom dia|здравствуйте),"
    r"|(?:dear|liebe[rs]?|sehr geehrte\w*|chère?s?|estimad[oa]s?|gentile|prezad[oa]s?|beste|geachte|szanown\w+|уважаем\w+)(?: [\w.-]+){1,3} ?[,!:])"
)
_SIGNED = re.compile(
    r"(?im)^[ \t]*(?:(?:best|kind|warm|many)(?: regards| wishes| thanks)?|regards|sincerely|yours(?: \w+)?|cheers|(?:viele|liebe|mit freundlichen) grüßen?"
    r"|cordialement|saludos|atenciosamente|cordiali saluti|groet(?:en|jes)?|pozdrawiam)[,.!]?(?: [\w.]+){0,3}[ \t]*(?:\n[^\n]{1,40})?$"
)
# A chat that puts the name and the time above what was said.
_CHAT_HEAD = re.compile(
    r"(?m)^[ \t]*@?[^\W\d_][\w.-]{1,23}(?: [\w.-]{1,20})?[ \t,|–-]+[\[(]?\d{1,2}[:.]\d\d(?: ?[AaPp][Mm])?[\])]?[ \t]*$"
)
# A line of a chat: who, perhaps when, and what.
_CHAT_LINE = re.compile(
    r"^[ \t]*(?:[\[(]?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[AaPp][Mm])?[\])]?[ \t,–-]*)?"
    r"(?:<(?P<nick>[\w.-]{2,24})>|[@*]*(?P<name>[^\W\d_][\w.-]{1,23}(?: [A-Z\d][\w.-]{0,20})?)[*]*(?: \([^)\n]{1,30}\))?[*]* ?:)"
    r"[ \t]+\S"
)
_LONG_QUOTE = re.compile(
    r"[“„«「『](?P<one>[^“”„«»「」『』\n]{12,2000})[”“»」』]|(?<![\w=(])\"(?P<two>[^\"\n]{12,2000})\"(?!\w)"
)
#: From so many words on, what stands in quotation marks is a saying and not a name.
_SAYING = 5
#: A rule is a saying in fewer.
_RULE_WORDS = 3
_RULE = re.compile(
    r"(?i)\b(?:always|never|immer|nie|niemals|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit|zawsze|nigdy|alltid|aldrig|всегда|никогда|from now on)\b"
)
_LABEL_WORDS = """
    a also answer b background bug bugs c changes context d decision decisions default desc description done e
    example examples expected f file files fix fixes for fyi goal goals heads hint idea ideas important input
    issue item key location name next no note notes option options output phase plan point policy preference
    preferences priority problem purpose question questions reason remember reminder result rule rules scope so
    solution status step style summary task tasks tests then tip title todo type update usage use value warning
    when why yes
    """
_LABELS = frozenset(_LABEL_WORDS.split())


#: Lines that are marked as another's, one below the other, and the blank ones around them.
_BLOCK_QUOTE = re.compile(r"\s*\n(?:[ \t]*>[^\n]*\n)+\s*")


def quoted(text: str) -> Iterator[tuple[int, int]]:
    """The slices of a user's message that are introduced as another's words, or look like nothing else."""
    if text.startswith("Q: ") and "\nA: " in text:
        return  # An answer given through a question tool: question and answer are marked already.
    if relayed_from(text) is not None:
        return
    for start, end in _items(text):
        yield from ((start + a, start + b) for a, b in _quoted(text[start:end]))


@lru_cache(maxsize=256)  # Each statement of a message is asked about.
def relayed_from(text: str) -> int | None:
    """Where a user begins to pass on what those ruled whose word they go by; None where they show it, ask about it or
    doubt it. Nobody can tell whether it is so: it is for somebody to look at."""
    found = _OFFICE.search(text)
    if found is None or _SHOWS.search(text.strip()) or _DOUBTED.search(text, found.end()):
        return None
    return found.start()


def _items(text: str) -> Iterator[tuple[int, int]]:
    """The answers of somebody who numbers them, one line each, from the first to the last: what introduces another's
    words in one of them does so to its end. Of any other text, all of it."""
    lines = [*_NUMBERED_LINE.finditer(text)]
    numbers = [int(line["number"]) for line in lines]
    if len(lines) < _LEAST_ITEMS or numbers != [*range(1, len(lines) + 1)] or _UNNUMBERED_LINE.search(text):
        yield 0, len(text)
    else:
        yield from (line.span() for line in lines)


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    last = _typed_end(text)
    if (begins := _forwarded(text)) is not None:
        yield begins, len(text)
    if (asked := _spoken_of_below(text)) is not None:
        yield 0, asked
    if (headed := _headed(text)) is not None:
        yield headed, max(headed, last)
    yield from ((start, max(start, min(end, last))) for start, end in _introduced(text))
    yield from _questioned(text)
    yield from _reported(text)
    yield from _letters(text)
    yield from _chats(text)
    yield from _sayings(text)


def _own_end(text: str) -> int:
    """Where a last paragraph begins in which the user turns against what they showed; the end when there is none."""
    start = text.rstrip().rfind("\n\n") + 2
    return start if start > 1 and _AGAIN.match(text, start) else len(text)


def _typed_end(text: str) -> int:
    """Where a last paragraph begins that is the user's again, since they turn against what they showed or speak to the
    agent in another manner than all of what stands above; the end when there is none. Not below letters and chats:
    there a last paragraph is the other's as often."""
    start = text.rstrip().rfind("\n\n") + 2
    is_own = start > 1 and _is_set_otherwise(text[:start], text[start:])
    return start if is_own else _own_end(text)


def _is_set_otherwise(shown: str, last: str) -> bool:
    """Whether a last paragraph is typed below a text that was set: long, every paragraph of it indented or begun with a
    capital, a mark or a figure; and the last one is neither, and speaks to the agent."""
    above = [paragraph for paragraph in shown.split("\n\n")[1:] if paragraph.strip()]
    is_set = len(shown) >= _LONG_TEXT and len(above) >= _SET_PARAGRAPHS and not any(map(_TYPED.match, above))
    return is_set and _TYPED.match(last) is not None and _ADDRESSED.match(last) is not None


def _headed(text: str) -> int | None:
    """Where the first paragraph ends when it is short and speaks of the text below it."""
    gap = text.find("\n\n")
    heading = text[: max(gap, 0)].strip()
    if not heading or not text[gap:].strip() or len(heading.split()) > _HEADING_WORDS:
        return None
    if heading.endswith(("?", "？")) and not _ABOUT_WORK.search(heading):
        return gap
    if _OWN_HEADING.search(heading) or heading.endswith((":", "：")):
        return None
    is_shown = _SHOWN.search(heading) is not None and not _AT_WORK.search(heading)
    return gap if is_shown or any(sign.search(heading) for sign in (_WORDCRAFT, _HEADED, _CAME)) else None


def _spoken_of_below(text: str) -> int | None:
    """Where the words begin that speak of the text above them: what is asked of it, or whose it was."""
    asked = _asked_of_what_stands_above(text)
    whose = _WAS_THEIRS.search(text.rstrip(), max(0, len(text.rstrip()) - 2 * _MOST_CHARS))
    return asked if whose is None else max(asked or 0, whose.start())


def _forwarded(text: str) -> int | None:
    found = _FORWARDED.search(text)
    return found.start() if found else None


def _introduced(text: str) -> Iterator[tuple[int, int]]:
    last = len(text.rstrip())
    # A paper of many headings and items labels its parts: only what stands above all of them introduces another's.
    labels_from = text.find("\n\n") if len(_LISTED.findall(text)) >= _PAPER_LINES else last
    for clause in _CLAUSE.finditer(_DASH.sub("\x1f", text)):
        said, end = clause["said"].strip()[-_MOST_CHARS:], clause["end"]
        # A blank line or an arrow behind it ends more than the sentence.
        is_apart = text.startswith("\n" if end == "\n" else ("\n\n", " ->", " =>", " →"), clause.end())
        end = _APART + end if is_apart else end
        is_name = end == ":" and re.match(r"[\w:/]", text[clause.end() : clause.end() + 1], re.ASCII) is not None
        if not said or is_name or clause.end() >= last or not _introduces(said, end):
            continue
        # What is counted or measured is a value, and no speech: "409 with a Retry-After: 1".
        is_value = end == ":" and _VALUE.match(text, clause.end()) is not None
        if (is_value or clause.start() > labels_from) and not _is_plainly_anothers(said):
            continue
        if (block := _BLOCK_QUOTE.match(text, clause.end())) is not None and _TYPED.match(text, block.end()):
            # It was marked line by line, and what is typed below is not.
            yield clause.end(), block.end()
            continue
        if _AGENT_SAID.search(said):
            stop = text.find("\n", clause.end())
            yield clause.end(), stop if stop >= 0 else len(text)
            continue
        yield clause.end(), len(text)
        return


def _introduces(said: str, end: str) -> bool:
    """Whether a clause says that another's words follow. A colon says more than a question mark or a line's end."""
    if end in "?？" and _ASKED_OF_BEFORE.match(said):
        return False
    if _PROCESS.search(said) or _WORDCRAFT.search(said) or _ASKED_ABROAD.search(said) or _ANOTHER_BOT.search(said):
        return (end not in _STOPS or _NAMED.search(said) is not None) and (end != "\n" or len(said) < _LINE_CHARS)
    if end.startswith(_APART) and (
        _BELOW.search(said) or (end[-1] in "?？" and _JUDGED.search(said) and not _ABOUT_WORK.search(said))
    ):
        return True
    if (_CAME.search(said) or _FOLLOWING.search(said)) and not _OWN_HEADING.search(said):
        return True
    if not end.endswith((":", "：")):
        return False
    if (_POINTED.search(said) or _OTHERS.search(said) or _BELOW.search(said)) and not _OWN_TEXT.search(said):
        return True
    if _INVERTED.search(said) or _HEARD.search(said) or (_DISOWNED.search(said) and _THAT.search(said)):
        return True
    return _is_speech(said) or _SPEECH_ABROAD.search(said) is not None or _tells_of_others(said)


def _is_plainly_anothers(said: str) -> bool:
    """Whether a clause names the other or the way their words came, beyond any doubt."""
    signs = (_CAME, _FOLLOWING, _ANOTHER_BOT, _HEARD, _SPEECH_ABROAD)
    return _is_speech(said) or any(sign.search(said) for sign in signs)


def _questioned(text: str) -> Iterator[tuple[int, int]]:
    """What stands between a colon and a last question about it: "The plan they have: … Is that wise?"."""
    for start, paragraph in _paragraphs(text):
        colon = _COLON.search(paragraph)
        asked = _LAST_QUESTION.search(paragraph.rstrip()) if colon else None
        if not colon or not asked or colon.end() > asked.start() or _ABOUT_WORK.search(asked.group()):
            continue
        is_label = colon.group().isascii() and len(colon.group().split()) < _CLAUSE_WORDS
        if not is_label and not _OWN_HEADING.search(colon.group()):
            yield start + colon.end(), start + asked.start()


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs and where they begin. What is longer than people write is looked at in pieces."""
    start = 0
    for paragraph in text.split("\n\n"):
        for at in range(0, len(paragraph), _PARAGRAPH):
            yield start + at, paragraph[at : at + _PARAGRAPH]
        start += len(paragraph) + 2


def _tells_of_others(said: str) -> bool:
    """Whether a longer clause before a colon speaks neither of the user nor of what is to be done: it says whose words
    or which text follows, in words that no list foresees."""
    is_own = _OWN_VOICE.search(said) or _OWN_TEXT.search(said)
    is_at_work = _OWN_WORK.search(said) is not None and _SOMEBODY.search(said) is None
    return len(said.split()) >= _TOLD_WORDS and not is_own and not is_at_work


def _is_speech(said: str) -> bool:
    found = _SPEECH.search(said)
    if found is None or _ADOPTED.search(said) or _FIRST_PERSON.search(found["who"]) or _OWN_RULES.search(found["who"]):
        return False
    is_named = _PERSON.search(found["who"]) is not None and found["who"].lower() not in _QUANTITIES
    return found["verb"].lower() not in _NOUNS or is_named


def _reported(text: str) -> Iterator[tuple[int, int]]:
    """What somebody is reported to have said, up to where the user doubts it or asks about it in the same paragraph."""
    for start, paragraph in _paragraphs(text):
        yield from ((start + told.start(), start + told.end()) for told in _EMBEDDED.finditer(paragraph))
        found = _REPORTED.search(paragraph) or _REPORTED_ABROAD.search(paragraph)
        doubts = [doubt.start() for doubt in _DOUBTED.finditer(paragraph, found.end())] if found else []
        if found and not doubts and (claimed := _CLAIMED.search(paragraph)) is not None and not _shows(claimed[0]):
            yield start + claimed.start(), start + claimed.end()
        if found and doubts and not _OWN_TURN.search(paragraph, found.end(), doubts[-1]):
            begins = max(paragraph.rfind(mark, 0, found.start()) + 1 for mark in ".!?\n")
            yield start + begins, start + doubts[-1]


def _shows(claimed: str) -> bool:
    """Whether it only tells what something of the user's shows: "the faq still says paypal"."""
    shown = _SHOWING.search(claimed)
    return shown is not None and _RULING.search(claimed, shown.end()) is None


def _asked_of_what_stands_above(text: str) -> int | None:
    """Where the last line, or what stands behind a last dash, begins when it asks something of the text above it."""
    body = text.rstrip()
    dash = max((found.end() for found in _DASH.finditer(body)), default=0)
    start = max(body.rfind("\n") + 1, dash)
    last = body[start:].strip(" .?!:")
    if not start or len(last) > _MOST_CHARS:
        return None
    about = re.search(r"(?i)\b(?:this|that|these|it|above|das|ça|ceci|ce|esto|este|isto|это|这|これ)\b", last)
    return start if about and (_PROCESS.search(last) or _WORDCRAFT.search(last)) else None


def _letters(text: str) -> Iterator[tuple[int, int]]:
    """A letter below the user's words: from its greeting on, or from the first gap to its signature."""
    gap = text.find("\n\n")
    greeting = _GREETING.search(text, gap) if gap > 0 else None
    if greeting is not None:
        yield greeting.start(), max(greeting.start(), _own_end(text))
    elif gap > 0 and (signed := _SIGNED.search(text, gap)) is not None:
        yield gap, signed.end()


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
    heads = list(_CHAT_HEAD.finditer(text))
    if len(heads) > 1:
        yield heads[0].start(), _own_end(text)


def _sayings(text: str) -> Iterator[tuple[int, int]]:
    for found in _LONG_QUOTE.finditer(text):
        said = found["one"] or found["two"]
        if len(said.split()) >= (_RULE_WORDS if _RULE.search(said) else _SAYING):
            yield found.span()
