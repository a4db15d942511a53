# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""Clauses that say whose words follow: "Bob said: …", "Is this phishing? …", "got this from legal". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from lerim.glance import Together, seldom
from lerim.ingest import text_work
from lerim.ingest.naming_texts import MACHINE, NAMED, OWN_TEXT, PAPER, SAYING, TEXT, THIS
from lerim.ingest.reported_speech import DISOWNED
from lerim.ingest.text_work import ABOUT_WORK

# A clause and what ends it. Runs are taken whole, so that a text of any shape is read once.
# The dot of "todo.md" ends nothing.
# No group is possessive here: before 3.11.5, Python finds too little then.
_CLAUSE = re.compile(r"(?P<said>(?:[^\n:：?？.!。！¿\x1f]++|\.(?=[a-z]))+)(?P<end>[:：?？.!。！\n\x1f]|$)")
# A dash may stand for a colon, but not at the beginning of a line.
DASH = re.compile(r"[-–—](?<=\S .)(?= )")
MOST_CHARS = 240
_APART = "\n\n"
_STOPS = frozenset(".!。！")
#: A longer line goes on in the next one.
_LINE_CHARS = 80
#: What any clause is looked through for, and what only one before a colon is.
_ANYWHERE, _BEFORE_COLON = Together(), Together()
_PROCESS, _WORDCRAFT, _ASKED_ABROAD = map(
    _ANYWHERE.also, (text_work.PROCESS, text_work.WORDCRAFT, text_work.ASKED_ABROAD)
)
_ANOTHER_BOT = _ANYWHERE.seldom(
    r"\b(?:another|other|different) (?:assistant|agent|ai|model|bot|llm|chatbot)\b.{0,40}\b(?:answer|said|says|repl|wrote"
    r"|gave|told|suggest|respon|came)",
    re.IGNORECASE,
)
# Behind a colon: a text that is pointed at.
_POINTED = _BEFORE_COLON.seldom(
    rf"""\b(?:{THIS}|here(?:['’]s|\ is|\ are)\b.{{0,40}}|below\ is\b.{{0,40}}|look\ at\b.{{0,30}}|got\b.{{0,30}}
      |received\b.{{0,30}}|an?\ (?:\w+\ )?)\ *(?:\w+\ ){{0,2}}{TEXT}
    | \b(?:got|received|found|saw|read|left|sent|copied|quote)\ (?:me\ |us\ )?(?:this|the\ following|it)\b
    | \b(?:here(?:['’]s|\ is)|this\ is|that['’]s|that\ is|is)\ what\ (?!(?:i|we)\b)
    | ^\W*(?:from|according\ to|copied\ from|pasted\ from|quoting|quote\ from|taken\ from|per)\ (?!(?:the|an?)\ (?:\w+\ )?(?:side|perspective|view|angle|start|beginning)\b|experience\b|memory\b|scratch\b|practice\b|tomorrow\b|v?\d|now\b|here\b|then\b|today\b|my\b|our\b)
    | \baccording\ to\b|\bdoes\ (?:this|that|it)\ (?:make\ sense|sound|look|read)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: Headings and items of a list; with so many of them a message is a paper that its author laid out.
_LISTED = re.compile(r"(?m)^[ \t]*(?:#{1,6}|[-*•]|\d{1,2}[.)])[ \t]+\S")
_PAPER_LINES = 6
#: A label is shorter.
_TOLD_WORDS = 4
_VALUE = re.compile(r" \d+(?:\.\d+)?\b(?![.)])")
# What makes a clause before a colon the user's though it speaks of somebody: it speaks for a "we", of rules, or of work.
# "I" and "you" stand in any story, so they do not count.
_OWN_VOICE = re.compile(
    r"""\b(?:we|we['’]\w+|let['’]?s|lets|no|nope|not|yes|yep|ok|okay|wrong|good|great|told\ you|you\ asked|your\ question|i\ agree|sake|same|less|bugs?|cause|problem|solution|do\ it|like\ this
      |wants?\ (?:is|the|to)|i(?:['’]m|\ am)?\ (?:\w+\ )?(?:want|prefer|expect|care|need\ you|think|guess|wonder\w*|understand|mean|suggest|propose|see)|can\ you|could\ you|(?:the|one)\ question|let\ me|lessons?|i(?:['’]m|\ am|\ keep)?\ (?:say(?:ing)?|repeat(?:ing)?|tell(?:ing)?|ask(?:ing)?|warn(?:ing)?|insist(?:ing)?|stress(?:ing)?)|example|prefer\w*|decid\w+|decision\w*|rules?|remember|forget|forgot|mind|important|must|always|never|should|shall
      |conventions?|regarding|concerning|forward|from\ now|notes?\ to|use|uses|using|keep|don['’]?t|make\ (?:sure|it)|ensure|when|whenever|whoever|if|every|everywhere|each|all|new
      |only|instead|things?|points?|plan|steps?|reasons?|require\w*|format|styles?|naming|names|defaults?|options?|approach|order|cases?|errors?
      |add|remove|change|fix\w*|update|create|implement\w*|run|tests?|build|code|commits?|branch\w*|function\w*|files?|modules?
      |(?:and\ )?i\ (?:just\ )?(?:agreed|decided|settled|talked|spoke|met|discussed|cleared)|answers?\ to\ (?:your|all)|(?:is|are)\ (?:for|about)|(?:found|figured)\ out\ (?:why|how|that|what)|(?:my|our)\ (?:\w+\ )?notes?
      |for\ the\ record|so\ (?:that\ )?you\ know|to\ be\ clear|in\ case|fyi|btw|by\ the\ way|reminder|(?:one|two|some)\ more|(?:the\ )?(?:last|next|other)\ one)\b
    | ^\W*(?:for|in|on|with|inside|within|für|bei|pour|dans|para|per|voor|dla|для)\ (?!.*\b(?:i|my|this|he|she|they)\b)
    | \b(?:wir|ich|uns|unser\w*|immer|nie|wenn|regel\w*|gilt|wichtig|merk\w*|bitte|nous|on\ (?:a|va|ne|doit|fait|dit|utilise|garde|met|passe|reste)|toujours|jamais|règle\w*|quand|important|nosotros|siempre|nunca|reglas?
      |recuerda|cuando|sempre|mai|regra|regola|quando|ricorda|noi|wij|altijd|nooit|als|zawsze|nigdy|zasad\w+|gdy|nasz\w*|всегда|никогда|мы|правил\w+|когда|если)\b
    | \b(?:customers|clients|users|people|players|readers|visitors|testers)\ (?:\w+\ )?(?:hate|love|need|miss|expect|dislike|struggle|get|can(?:not|['’]t))\b
    | [`/_=()\[\]{}#*]|[぀-ヿ㐀-鿿가-힯]""",
    re.IGNORECASE | re.VERBOSE,
)
_PEOPLE = re.compile(
    r"""\b(?:guys?|man|men|woman|women|people|person|persons|folks|stranger|boss|manager|lead|colleagues?|coworkers?|friends?|clients?|customers?|vendors?|consultants?
      |contractors?|interns?|trainees?|students?|teachers?|professors?|neighbou?rs?|landlord|auditors?|teams?|reviewers?|authors?|someone|somebody|everyone|users?|bots?|assistant|he|she|they|(?<=\w\ )who|wise|clear|saying|motto|story
      |i\ (?:failed|heard|overheard|removed)|gisteren|gestern|ayer|ieri|hier|wczoraj|вчера)\b
    | (?-i:(?<=\w\ )[A-Z][a-z]+\b)""",
    re.IGNORECASE | re.VERBOSE,
)
#: What belongs to the word before it, and what is said to be somebody.
_BELONGS = re.compile(
    r"(?i)(?:^|\s)(?:of|for|from|with|about|in|on|at|by|to|behind|than|that|who|which|where|is|was|are|were|had|has|have"
    r"|von|für|bei|mit|auf|aus|vom|beim|zum|zur|am|im|ist|de|du|des|pour|dans|sur|avec|del|para|con|en|di|della|per|da|do|van|voor|met|dla|od)\b"
)
_IS_SUCH = re.compile(r"(?i)\b(?:is|was|are|were) (?:(?:very|so|really|quite) )?(?:an? .*|\w+)$")
#: Whose it is, and what people build as often as they read it.
_NO_SPEAKER = re.compile(
    r"(?i)\b\w+(?:['’]s|s['’](?!\w))|\b(?:pages?|(?:web)?sites?|users|customers|clients|people|persons|teams)\b"
    # German writes every noun with a capital.
    r"|\b(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|kein|keine) \w+"
)
_WHAT = re.compile(
    r"(?i)\W*(?:(?:and|so|but|also) )?(?:what|how|why|where|when|which|was|wie|warum|wo|wann|ce (?:qui|que)|lo que|quello che|o que|wat|co)\b"
)
#: What is written to somebody is the user's.
_OUTGOING = re.compile(rf"(?i)\b{TEXT} (?:to|for|an|für|à|pour|para|per|aan|voor) ")
# What somebody did or came up with is spoken of: "the bug that Pavel reported".
_CAME_UP_WITH = re.compile(
    rf"(?i)\W*(?:(?:and|so|but|also|on|about|for|re) )?(?:the|that|this|his|her|their|die|der|das) (?!(?:\w+ )?{SAYING})(?:\w+ ){{1,2}}?(?:that )?\w+ "
    r"(?:(?!post|e?mail|messag|text|tweet|shar|quot|cop|past|add|claim|insist|want)\w+ed(?: \w+)?|found|saw|built|drew|made|broke|sent in|came up with)$"
)
#: Shorter words are small in a title, too.
_SMALL_WORD = 3
_PAPERS = re.compile(
    rf"""\b(?:readme|docs?|documentation|pages?|wiki|manual|handbook|(?:style\ )?guide|guidelines|polic(?:y|ies)|spec|book|site|forum|blog|website|banner|sign|sticker|poster|graffiti|whiteboard
      |homework|exam|had\ (?:this|that|it)\b.{{0,20}})\b
    | \b{TEXT}""",
    re.IGNORECASE | re.VERBOSE,
)
# How things of that kind are made or where they go: "comments on posts are flat", "the docs folder is for users".
_HOW_IT_IS = re.compile(
    r"(?i)\b(?:is|are|isn['’]?t|aren['’]?t|stays?|remains?|goes|go|comes?|gets?|lives?|belongs?|runs?)\b"
    r"|^\W*(?:please )?(?:explain|put|write|say|state|document|mention|note) (?:(?:this|that|it|down) ){0,2}(?:in|into|to|on)\b"
    # Of a kind, and not of one: "documentation of the pin", "mails to guests".
    r"|^\W*(?:docs|documentation|comments|messages|texts|pages|e?-?mails|reviews|posts|tickets)\b(?!\W+(?:from|by|i)\b)"
)
# Words of somebody else's: theirs, Anna's, one of many, told to "me".
_WHOSE = r"(?:\b(?!(?:it|that|here|there|what|let|he|she|who|where|how|today|tomorrow|yesterday|one|else)['’]s)\w+(?:['’]s|s['’])|\b(?:their|his|her))"
_OTHERS = _BEFORE_COLON.seldom(
    rf"""{_WHOSE}\ (?:\w+\ ){{0,2}}{SAYING}
    | \b(?:one|some|two|most|many|few|all|both|another)\ of\ (?:the|their|his|her|these|those|my|our)\ (?:\w+\ ){{0,2}}{TEXT}
    | \b(?:the|an?|another|some)\ (?:\w+\ )?{TEXT}\ (?:under|from|by|above|below|i\ (?:got|found|saw|read)|we\ (?:got|found|saw))\b
    | \b(?:found|seen|spotted|read|posted|stumbled|came\ across|shared)\ (?:this\ |it\ )?(?:on|online|at|over\ at)\b
    | \b(?:my|our|the|their|his|her|an?|some|one|the|he|she|they|it|[a-z]+)\ .{{0,60}}
      \b\w+(?:ed|ing|sent|gave|told|left|wrote|said|s)\ (?:me|us|everyone|everybody)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A program that says something.
_PRINTS = _BEFORE_COLON.seldom(r"\b(?:errors?|warnings?|outputs?|results?) (?:from|of|by) ", re.IGNORECASE)
# A thing of somebody's is what is spoken of, or who speaks: "Petra's invoices: …".
_THEIRS = _BEFORE_COLON.seldom(rf"{_WHOSE} \w+", re.IGNORECASE)
# A label that names one text and nobody: "ticket text: …", to write or to read.
_A_TEXT = re.compile(
    r"(?i)\W*(?:\w+ ){0,2}(?:e-?mail|mail|message|text|comment|review|answer|reply|post|tweet|letter|quote|statement|ticket|chat|transcript|proposal|feedback)$"
)
# One that names a person and says nothing of them: "my boss: …", "Der Vermieter: …", "Greta from legal: …".
_A_PERSON = re.compile(
    r"(?:(?i:the|this|that|my|our|his|her|their|an?|der|die|das|mein\w*|unser\w*|ein\w*|le|la|les|mon|ma|notre|el|los|mi|nuestr[oa]|il|o|meu|mijn|onze) )(?:\w+ )?(?i:boss|manager|lead|cto|ceo|chief"
    r"|colleague|coworker|friend|client|customer|vendor|consultant|contractor|intern|reviewer|author|landlord|auditor|teacher|professor|neighbou?r|guy|lady|bot|chef(?:in)?|vermieter(?:in)?|kund(?:e|in)"
    r"|kolleg(?:e|in)|prüfer(?:in)?|lehrer(?:in)?|professorin|nachbar(?:in)?|patron(?:ne)?|collègue|jef[ea]|cliente|capo|colega|baas|klant)$"
    r"|[A-ZÄÖÜÉ][a-zäöüßéèáíóúñ]+ (?i:from|of|at|in|von|vom|aus|bei|de|du|di|van|z) (?:\w+ ?){1,3}$"
)
# Taken up at once: what is named before the colon is what the user rules on.
_TAKEN_UP = re.compile(
    r"(?i)\s*(?:(?:no|nope|nah|yes|yep|ok(?:ay)?|agreed|done|answered|merged|closed|sent|handled|solved|fixed|noted|ignored|dropped|fine|good|right|true|fair|nein|ja|doch|non|oui|sí|si|não|sim)(?:\s*[.,;:!–—-]|\s+(?:with|for)\b)"
    r"|(?:they|it|she|he|ils?|elles?|ellos|ellas|loro) (?!(?:want|need|ask|say|said|told|demand|expect|claim|would|write|wrote)s?\b)\w+"
    r"|(?:won['’]?t|wont|will not)[ -](?:fix|do)|not (?:an?|our) |(?:skip|ignore|rejected|accepted|approved)\b"
    r"|(?:we|i) (?:(?:only|just|also|will|won['’]?t|don['’]?t|dont|do not) )?(?:take|skip|ignore|follow|accept|agree|do|did|keep|fix) "
    r"(?:all|none|most|some|that|this|it|them|half|only|everything|nothing|with)\b)"
)
# Who asks is answered.
_ASKED = re.compile(
    r"(?i)\b(?:asked|asks|asking|wondered|wonders|wanted to know|fragte?|demande|pregunta|pregunt[oó])\b"
)
# What is pointed at stands below, after a gap.
_BELOW = _ANYWHERE.seldom(
    rf"""\b(?:{TEXT}\ (?:below|underneath|that\ follows)|(?:below|following)\ (?:\w+\ )?{TEXT})
    | ^\W*(?:so\ |ok\ |hi\ |hey\ )?(?:here(?:['’]s|\ is|\ are)|i\ (?:just\ )?(?:got|received|found|saw)|we\ (?:got|received)|got|found)\b(?!\ out\ (?:why|that|how|what)\b)
      .{{0,40}}\b{TEXT}
    | \b(?:specs?|specification|prd|rfc|design|requirements|concept|brief)\ (?:doc(?:ument)?\ )?
      (?:(?:from|by)\ (?!me\b|us\b)\w+|(?!i\b|we\b)\w+(?:\ \w+)?\ (?:wrote|sent|made|gave|drafted|came\ up))
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A question that ends in a colon shows what it asks about.
_INVERTED = _BEFORE_COLON.seldom(
    r"(?i)^\W*(?:(?:is|are|was(?! (?:d(?:er|ie|as|em|en)|uns|ihm|ihr|man)\b)|were|does|did|has|should|would) (?!we\b|be\b)|do (?:you|they|these|those)\b|(?:what|which|who|whose|how|why|where)(?:['’]?s| is| are| was| does| did| would| should) (?!we\b|i\b))"
)
# What the user was told, and what held elsewhere.
_HEARD = _BEFORE_COLON.seldom(
    r"(?i)\bi (?:was|got|am being|keep being) (?:\w+ )?(?:told|shown|sent|asked|given|taught|advised|informed)|\bi asked (?!you|for)\w+"
    r"|\b(?:last|old|former|previous|ex) (?:company|job|team|employer|boss|lead|project|client|workplace)\b"
    r"|\b(?:left|sent|put|posted|stuck|scribbled|wrote) (?:me |us )?an? (?:\w+ )?(?:note|comment|message|mail|sign|review)\b"
)
_THAT = re.compile(r"(?i)\b(?:this|that|the following|him|her|them)$")
_FOLLOWING = _ANYWHERE.seldom(rf"\bthe\ following\ (?:\w+\ )?{TEXT}", re.IGNORECASE)
# The same at the end of a clause, which a full stop does not point with: "numbers in the text. they come from …".
_AT_ITS_END = _ANYWHERE.seldom(
    r"\b(?:this|the) (?:\w+ )?(?:text|sentence|paragraph|e-?mail|letter|tweet|article|poem|transcript|announcement|statement)(?: below)?$",
    re.IGNORECASE,
)
_SPEECH = _BEFORE_COLON.seldom(
    r"\b(?P<who>[\w'’@./-]+(?: [\w'’@./-]+){0,3}) (?:(?:just|also|only|once|recently|now|has|have|had|then|always) ){0,3}"
    r"(?P<verb>said|says|say|saying|emailed|mailed|explained|explains|warned|warns|state|claim|wrote|writes|told|tells|asked(?! for\b)|answered|answers|replied|replies|responded|responds"
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
_ADOPTED = _BEFORE_COLON.seldom(
    r"(?i)\bi (?:fully |totally )?agree\b|\bwhoever\b|\byou asked\b|^\W*(?:and |but |so )?as (?:the|our)\b"
    r"|\b(?:is|are|was|were) right\b|\bmade me (?:think|reali[sz]e|reconsider|change)\b|\bconvinced (?:me|us)\b|\bha(?:s|d|ve) a point\b|\b(?:is|are|was) (?:fine|ok(?:ay)?|good|happy) with\b"
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
# What happens when somebody writes: nobody did.
_SUPPOSED = re.compile(
    r"(?i)\W*(?:(?:and|but|so|also|oh),? )*(?:when|if|whenever|once|after|before|every time|as soon as|until|unless)\b"
)
# Who is to do something is told so by the user: "add a page where Lina explains: …".
_TASK = re.compile(
    r"(?i)\W*(?:\d+[.)] )?(?:(?:please|now|then|also|and|so|ok(?:ay)?|first),? )*(?:add|build|change|create|delete|ensure|extract|fix|implement|keep|make|merge"
    r"|move|refactor|remove|rename|replace|run|set|split|switch|update|use)\b"
)
_FIRST_PERSON = re.compile(r"(?i)(?:^|\b)(?:i|we|ich|wir|je|nous|yo|eu)(?:['’](?:ve|d|m|re|ll))?(?: \w+)?$")
_OWN_RULES = re.compile(
    r"(?i)\b(?:our|my) (?:\w+ )?(?:rules?|conventions?|polic(?:y|ies)|guidelines?|standards?|decision)$"
)
_AGENT_SAID = re.compile(r"\byou (?:\w+ )?(?:said|wrote|told|asked|suggested|mentioned|answered)\b", re.IGNORECASE)
_JUDGED = seldom(r"(?i)(?:thoughts|opinions?|comments|reactions|right|true|agree|legit|nonsense)\W*$")
# What is granted is no text.
GRANTED = r"(?:timeouts?|limits?|quotas?|budgets?|access|permissions?|discounts?|extensions?|slots?|licen[cs]es?|approval|go-?ahead)\b"
# How a text came to the user: whatever follows is not theirs.
CAME = _ANYWHERE.seldom(
    rf"""\b(?:got|received|found|saw|read|copied|spotted|noticed|picked\ up)\ (?:this|that|it|the\ following)\ (?:\w+\ )?(?:on|from|via|as|by|over|today|yesterday)\b
    | \b(?:got|received|found|saw|read|copied|spotted)\ (?:this|that|it|the\ following)\ in\b[^.]{{0,30}}(?:{PAPER}|slack|teams|discord|whatsapp|inbox|forum|channel)
    | ^\W*(?:pasted|copied|quoted|taken|forwarded)\ from\b|\b(?:another|other)\ (?:team|company|project)['’]s\b
    | \bthis\ (?:just\ )?(?:came|arrived|landed|popped\ up|went\ around|was\ (?:posted|sent|left|written|forwarded|shared))\b
    | \bthis\ is\ (?:in|from|what)\ (?!(?:my|our|i|we)\b)
    | ^\W*(?:so\ |and\ |just\ )?(?:pasting|pasted|copying|quoting|forwarding|see|look\ at)\ (?:below\ )?what\ (?!(?:i|we|you)\b)
    | \bhere(?:['’]?s|\ is|\ are)\ (?:what|how)\ (?!(?:i|we|you)\b|(?:\w+\ ){{1,4}}(?:works?|goes|go|looks?|runs?|(?:is|are|gets?)\ \w+(?:ed|ne|lt|t))(?:$|,))
    | \b(?!(?:i|we|you)\b)\w+\ (?:just\ |also\ |has\ |have\ )?(?:sent|gave|forwarded|wrote|showed|handed|posted|left|shared|dropped|mailed|emailed)
      \ (?:me|us|our\ team|everyone|this|the\ following|it)\b(?<!\bgave\ us)(?<!\bgave\ me)
    | \b(?!(?:i|we|you)\b)\w+\ (?:just\ |also\ |has\ |have\ |finally\ )?gave\ (?:me|us)\b(?!\ (?:an?|the|our|more|new)\ (?:\w+\ ){{0,2}}(?:{MACHINE}|{GRANTED}))
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A heading of the user's own rules, or work on a text.
OWN_HEADING = seldom(
    r"(?i)\b(?:always|never|from now on|must|should|decid\w+|decision|rules?|remember|convention|preference|(?:my|our) (?:\w+ )?(?:notes|feedback"
    r"|comments|thoughts|answers?|requirements|proposal|decisions?|request)|implement|add|update|create|build|write|refactor|deploy|commit)\b"
)
# A label over what is to be kept to: "wording: we say", "citations: natbib".
_CRAFT_LABEL = re.compile(
    r"(?i)\W*(?:typos?|grammar|wording|headlines?|citations?|translations?|tl;?dr|slogans?)\b(?!.*\b(?:this|these|that|his|her|their|check)\b)"
)
# What stands in the next line goes on with the sentence.
_GOES_ON = re.compile(r"\s*(?:and|also|but|then|plus|or)\b")
# Said of a text, and not asked of it: "this sentence is too long".
_OF_A_TEXT = re.compile(
    rf"\W*(?:(?:and|but|so)\ )?{THIS}\ (?:\w+\ )?{TEXT}.*\b(?:is|are|was|were|has|have)\b", re.IGNORECASE
)
# Asked of what was done, and not of what follows: "was that friendly enough?".
_ASKED_OF_BEFORE = re.compile(
    r"(?i)\W*(?:(?:and|so|hm+|ok(?:ay)?),? )?(?:was|were) (?:that|it|i|they) (?:\w+ )?(?:\w+ enough|too \w+|ok(?:ay)?)\W*$"
)
# Typed in a hurry: a small letter at the beginning of the line, or a small word that turns to the agent.
TYPED = re.compile(
    r"(?=[^\W\d_])(?![A-Z])(?:\w+[ ,]|(?:so|no|nope|nah|yes|yep|ok|okay|and|but|hm+|nein|ja|also|non|oui|si|sí)[.:;!])"
)
_SPEECH_ABROAD = _BEFORE_COLON.seldom(
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
#: Who rang up said something.
_CALLED = re.compile(
    r"(?i)(?<!\bi )(?<!\bwe )\b(?:called|phoned|rang|hat (?:mich |uns )?angerufen|rief an|a appelé|llamó|ha chiamato)(?: \w+){0,3}$"
)
#: Lines that are marked as another's, one below the other, and the blank ones around them.
_BLOCK_QUOTE = re.compile(r"\s*\n(?:[ \t]*>[^\n]*\n)+\s*")
_BLANK = re.compile(r"\s*")


def introduced(text: str) -> Iterator[tuple[int, int]]:
    """What stands behind a clause that says that it is another's."""
    for start, said, end in _clauses(text):
        if not _introduces(said, end) or _is_taken_up(text, start, said, end):
            continue
        if (block := _BLOCK_QUOTE.match(text, start)) is not None and TYPED.match(text, block.end()):
            # It was marked line by line, and what is typed below is not.
            yield start, block.end()
            continue
        if _AGENT_SAID.search(said):
            stop = text.find("\n", start)
            yield start, stop if stop >= 0 else len(text)
            continue
        yield start, len(text)
        return


def hinted(text: str) -> Iterator[tuple[int, int]]:
    """What may be another's or the user's own, to the end of its paragraph: somebody or a thing of theirs is named before
    the colon, and nothing says who speaks behind it."""
    known = 0
    for start, said, end in _clauses(text):
        if start < known:
            continue
        is_taken_up = _is_taken_up(text, start, said, end) and _introduces(said, end)
        if is_taken_up or (end.endswith((":", "：")) and _hints(said)):
            stop = text.find("\n\n", _BLANK.match(text, start).end())  # type: ignore[union-attr]
            known = stop if stop >= 0 else len(text)
            yield start, known


def _clauses(text: str) -> Iterator[tuple[int, str, str]]:
    """The clauses that may introduce something: where it begins, what they say, and what ends them."""
    last = len(text.rstrip())
    # A paper of many headings and items labels its parts: only what stands above all of them introduces another's.
    labels_from = text.find("\n\n") if len(_LISTED.findall(text)) >= _PAPER_LINES else last
    for clause in _CLAUSE.finditer(DASH.sub("\x1f", text)):
        said, end = clause["said"].strip()[-MOST_CHARS:], clause["end"]
        # A blank line or an arrow behind it ends more than the sentence.
        is_apart = text.startswith("\n" if end == "\n" else ("\n\n", " ->", " =>", " →"), clause.end())
        is_name = end == ":" and re.match(r"[\w:/]", text[clause.end() : clause.end() + 1], re.ASCII) is not None
        if not said or is_name or clause.end() >= last or (end == "\n" and _GOES_ON.match(text, clause.end())):
            continue
        # What is counted or measured is a value, and no speech: "409 with a Retry-After: 1".
        is_value = end == ":" and _VALUE.match(text, clause.end()) is not None
        if (not is_value and clause.start() <= labels_from) or _is_plainly_anothers(said):
            yield clause.end(), said, _APART + end if is_apart else end


@lru_cache(maxsize=2048)  # A message is looked at as a whole and in its parts.
def _introduces(said: str, end: str) -> bool:
    """Whether a clause says that another's words follow. A colon says more than a question mark or a line's end."""
    if end in "?？" and _ASKED_OF_BEFORE.match(said):
        return False
    if end == ":" and _CRAFT_LABEL.match(said):
        return False
    if is_about_words(said):
        is_named = NAMED.search(said) is not None and _OF_A_TEXT.match(said) is None
        return (end not in _STOPS or is_named) and (end != "\n" or len(said) < _LINE_CHARS)
    if end.startswith(_APART) and (
        _BELOW.search(said) or (end[-1] in "?？" and _JUDGED.search(said) and not ABOUT_WORK.search(said))
    ):
        return True
    is_at_its_end = _AT_ITS_END.search(said) is not None and (end not in _STOPS or NAMED.search(said) is not None)
    if (CAME.search(said) or _FOLLOWING.search(said) or is_at_its_end) and not OWN_HEADING.search(said):
        return True
    if not end.endswith((":", "：")) or _ADOPTED.search(said):
        return False
    # What is set apart below a colon was put there.
    is_told = _PRINTS.search(said) is not None or (_tells_of_others(said) and not _is_title(said))
    return (is_told and end.startswith(_APART)) or _names_speaker(said)


def is_about_words(said: str) -> bool:
    """Whether something is asked of a text, or another bot's answer is told of."""
    return any(sign.search(said) for sign in (_PROCESS, _WORDCRAFT, _ASKED_ABROAD, _ANOTHER_BOT))


def _names_speaker(said: str) -> bool:
    """Whether a clause before a colon says who speaks behind it, or in which text it stands."""
    if (_POINTED.search(said) or _OTHERS.search(said) or _BELOW.search(said)) and not OWN_TEXT.search(said):
        return True
    if _INVERTED.search(said) or _HEARD.search(said) or (DISOWNED.search(said) and _THAT.search(said)):
        return True
    return _is_speech(said) or _SPEECH_ABROAD.search(said) is not None or (_tells_of_others(said) and _is_headed(said))


def _hints(said: str) -> bool:
    """Whether a clause before a colon only names somebody or a thing of theirs."""
    is_own = any(sign.search(said) for sign in (_ADOPTED, OWN_TEXT)) or is_about_words(said)
    if is_own or (_OWN_VOICE.search(said) and not _is_staged(said)):
        return False
    is_named = any(sign.match(said) for sign in (_A_TEXT, _A_PERSON, _CAME_UP_WITH)) or _THEIRS.search(said) is not None
    return (is_named or _is_staged(said) or _tells_of_others(said)) and not _names_speaker(said)


def _is_staged(said: str) -> bool:
    """Whether the agent shall make somebody say what follows: "add a page where Lina explains: …"."""
    return _TASK.match(said) is not None and _SPEECH.search(said) is not None


def _is_taken_up(text: str, start: int, said: str, end: str) -> bool:
    """Whether the user answers right behind a colon to what stands before it: "the ticket of Bernd: no, we …"."""
    is_named = end.endswith((":", "：")) and not is_about_words(said)
    is_open = not _is_plainly_anothers(said) or _ASKED.search(said) is not None
    return is_named and is_open and _TAKEN_UP.match(text, start) is not None


def _is_plainly_anothers(said: str) -> bool:
    """Whether a clause names the other or the way their words came, beyond any doubt."""
    signs = (CAME, _FOLLOWING, _ANOTHER_BOT, _HEARD, _SPEECH_ABROAD)
    return _is_speech(said) or any(sign.search(said) for sign in signs)


def _tells_of_others(said: str) -> bool:
    """Whether a longer clause before a colon speaks of somebody or of a text, and neither of the user nor of what is to
    be done, in words that no list foresees."""
    if len(said.split()) < _TOLD_WORDS or _OWN_VOICE.search(said) or OWN_TEXT.search(said):
        return False
    return _PEOPLE.search(said) is not None or (_PAPERS.search(said) is not None and not _HOW_IT_IS.search(said))


def _is_title(said: str) -> bool:
    """Whether it is the name of a thing, set as a title: "The Order Screen of the Shop"."""
    words = [word for word in re.findall(r"[^\W\d_]+", said) if len(word) > _SMALL_WORD]
    return len(words) > 1 and all(word[0].isupper() for word in words)


def _is_headed(said: str) -> bool:
    """Whether it begins with who speaks or where it stands, or says what these are: "a stranger on the forum", "my
    neighbour is a wise man". Behind another word they only belong to it: "the hard part for the users"."""
    head = _NO_SPEAKER.sub("", _BELONGS.split(said, maxsplit=1)[0])
    such = _IS_SUCH.search(said)
    if _is_title(said) or _WHAT.match(said) or _OUTGOING.search(said) or _CAME_UP_WITH.match(said):
        return False
    return any(sign.search(head) for sign in (_PEOPLE, _PAPERS)) or (
        such is not None and _PEOPLE.search(such[0]) is not None
    )


def says_who_speaks(clause: str) -> bool:
    """Whether a clause before a colon says that somebody said what follows."""
    return _is_speech(clause) or _SPEECH_ABROAD.search(clause) is not None or _CALLED.search(clause) is not None


def _is_speech(said: str) -> bool:
    found = _SPEECH.search(said)
    if (
        found is None
        or _SUPPOSED.match(said)
        or _TASK.match(said)
        or _CAME_UP_WITH.match(said)
        or _ADOPTED.search(said)
        or _FIRST_PERSON.search(found["who"])
        or _OWN_RULES.search(found["who"])
    ):
        return False
    is_named = _PERSON.search(found["who"]) is not None and found["who"].lower() not in _QUANTITIES
    return found["verb"].lower() not in _NOUNS or is_named
