"""What people and agents said as plain words: no marks, no small talk, no politeness, and no longer than fits."""

from __future__ import annotations

import re

from lerim.glance import seldom
from lerim.ingest.introductions import says_who_speaks
from lerim.ingest.signals.clauses import CLAUSE, is_only_condition
from lerim.ingest.signals.phrasing import capital, impersonal, lower
from lerim.ingest.signals.text import COMMON, clipped, topics, unmarked
from lerim.text.sentences import sentence_spans

TITLE_CHARS = 160
_OPTION = re.compile(r"--?[^\W\d]")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")
_MARKS = re.compile(
    r"^#{1,6}\s+|^\s*[-*•]\s+|^\s*>\s?|`[─═]{3,}`?|[─═]{3,}|★ Insight",
    re.MULTILINE,
)
_IMAGE = re.compile(r"\[(?:image|pasted|file|screenshot)[^\]]{0,80}\]\s*", re.I)
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f⏳⌛✅❌⚠]+")
#: Signs that stand for a word within a sentence: "from ⬜ to ✅". At its beginning or end they only colour it.
_SIGNS = frozenset("✅❌☐☑☒✔✖✓✗✘⚠★☆🔴🟠🟡🟢🔵🔒🔓\ufe0f")
# A mark or a space after a word that only leads in; "no-op" and "well-known" are words of their own.
# The dash of "--warn" is part of a name.
# A dot behind a blank begins a name: ".env".
_DOT = r"(?<!\s)\.|\.(?!\w)"
_GAP = rf"(?:[\s,!:;–—]|{_DOT}|-(?=\s|-\s|-\Z))"
# Yes and no in more words than one and in other languages; many of them are other words where no mark follows.
_NODS = {
    "English": r"(?:they|it|we|that|this|those)"
    r" (?:(?:should|must|does|do|is|are|can|will)(?:n['’]t| not)?|can['’]?t|won['’]t)(?=\s*,)"
    r"|(?:that['’]?s|that (?:is|was)|it['’]?s|this is|you['’]?re|you are|u r)"
    r"(?: (?:absolutely|totally|not|all))?"
    r" (?:right|wrong|(?:in)?correct|true|false|it|nonsense|quite right|(?:not )?what i (?:meant|said|asked for)"
    r"|(?:not )?the (?:point|idea))"
    r"|(?:exactly|precisely|just) (?:that|this|so)|not (?:quite|really|exactly|that|at all)|almost|nearly|wrong"
    r"|correct|right|indeed|absolutely|definitely|of course|certainly|understood|noted|roger|fair(?: enough| point)?"
    r"|(?:do|try) (?:that|it|this)(?: then)?|go ahead|go for it"
    r"|good question|i see|i agree|agree|lgtm|works for me|fine (?:by|with) me|hold on|nah|uh|um+|kk?",
    "German, Dutch": r"ja(?: (?:genau|klar|gerne?|bitte|richtig|passt|stimmt|eben|doch))?|jo|jawohl|jep|nee|doch|eben"
    r"|klar|passt|stimmt|richtig|falsch|nein|(?:das|es) (?:ist|war) (?:falsch|richtig|es)"
    r"|(?:das )?(?:stimmt|passt)(?: so)?(?: nicht)?|ja precies|precies|(?:dat )?klopt(?: niet)?|inderdaad",
    "Portuguese, Spanish": r"sim|n[ãa]o|(?:(?:era|é) )?isso(?: mesmo)?|exato|claro|certo|errado|beleza|s[ií]"
    r"|eso(?: es| mismo)?|(?:in)?correcto|exacto|de acuerdo|(?:no es )?así(?: es)?",
    "French, Italian": r"oui|non|si|c['’]est (?:ça|faux|vrai|bon|juste)|voilà|exactement|tout à fait|pas du tout"
    r"|bien sûr|sì|esatto|giusto|va bene|sbagliato",
    "Slavic, Turkish": r"tak|nie|dokładnie|zgadza się|jasne|да|нет|(?:не)?верно|точно|именно|так|ага|хорошо"
    r"|evet|hayır|tamam|doğru",
    "Chinese, Japanese, Korean": r"不?对的?|不?是的?|好的?|没错|不行|はい|いいえ|うん|違います"
    r"|そうです(?:ね)?|了解(?:です)?|네|예|아니요|아뇨|맞아요|좋아요",
}
_NOD = (
    r"(?:(?:no|nope|yes|yep|yeah|ja|jo|nein|nee|n[oã]o|non|s[iíì]|sim|oui|tak|nie|да|нет|hmm?|well|ok)[,.!]? +)?"
    rf"(?:{'|'.join(_NODS.values())})\s*(?:[,.:;!–—，、。！：]|-(?=\s)|$)[\s,.:;!–—，、。！：]*"
)
LEAD = re.compile(
    rf"(?:{_NOD}|"
    r"(?:(?:(?:yes|yep|ok(?:ay)?|no),? that(?=[.!]\s)"
    r"|ok(?:ay)?|yes|yep|yup|yeah|hmm+|hm|so(?! (?:far|that|long|many|much|called)\b)|also|and|but|oh|ah+|ehh?"
    r"|however(?=\s*,|\s+(?:we|i|you|the|there|please|never|always)\b)|by the way(?=\s*[,.:;!–—]|\s+(?!the\b))"
    r"|übrigens|au fait|por cierto"
    r"|actually|then(?! that\b)|now(?! that\b)|alright|thanks(?! to\b)"
    # "No laravel 11 stays" answers, and then says what stays.
    r"|no(?=\s+(?!one\b|body\b)[\w. -]{2,30} (?:stays?|remains?)\b)"
    r"|thank you|agreed?|exactly|hey|hi|sorry|btw|fyi|basically|anyway|please|pls|obviously"
    # "First, …" leads in; a first name is no lead, and neither is what shall be done first.
    r"|firstly|first(?=\s*[,.:;–—]|\s+(?:we|i|you|let['’]?s|lets|please|pls|of all)\b)"
    r"|sounds good|makes sense|good (?:point|catch|idea|call)|got it|just to be sure|to be clear|i mean"
    r"|i don['’]?t (?:really )?care|one (?:more|last)(?: thing)?|go for it|no wait|argh+|nah"
    r"|scra(?:tch|p) that(?! (?:with|about|of|on|for|in|from)\b)"
    r"|ouch|yikes|oops|whoops|uff|phew|whoa|wow|hmpf|grr+|meh|eek|ugh"
    r"|(?:good )?(?:morning|evening|afternoon)(?=\s*[,.!]|\s+(?:we|i|can|could|please|pls|all|team|there)\b)"
    r"|(?:second|third|fourth|fifth|last|next)(?=[,.:;]\s)"
    # When something else is done, and then a rule: "tomorrow, and never …".
    r"|(?:tomorrow|tonight|today|later|next week|not (?:now|today|yet)|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)"
    r"day|morgen|später|heute|demain|plus tard|mañana|luego|domani)"
    r"(?=[,.;:–—]* (?:and|but|und|aber|et|mais|y|pero|e|ma) (?:always|never|no|only|nie|immer|jamais"
    r"|toujours|ne|nunca|siempre|sempre|mai)\b)"
    # In other languages.
    r"|und(?: noch (?:was|etwas|eins))?|außerdem|achja|ach so|ach|aber|dann|mais|alors|pero|entonces|mas|então"
    r"|genau|danke|bitte|et|aussi|donc|merci|d['’]accord|oui|y|además"
    r"|gracias|vale|e|além disso|obrigad[oa]|salut|bonjour|hola|hallo|moin|olá)"
    rf"(?:{_GAP}+|$)"
    # These are said before a sentence and inside one: "right, use it" and "right margin", "no, use it" and "no mocks".
    r"|(?:no|nope|nah|na|ya|mm+|ha|right|great|cool|good|nice|sure|perfect|fine|true|well|plus|wait|like|man|oh man"
    r"|wtf|ffs|omg|lol|damn|works|super|prima|parfait|perfecto|perfeito|gut|bien|bom|ok[ae]y)"
    rf"(?:\s*(?:[,!:;–—]|{_DOT}|-(?=\s|-\s)){_GAP}*|$|\s+(?=(?:i|we|you|it|that|this|they|the|scrap|let['’]?s|so|and|but|don['’]?t"
    r"|do not|please|can|could|thanks?|then|also|maybe|just|because|no|yes|ok|remove|keep|leave|make|stop|not|never"
    r"|always)\b))))+",
    re.I,
)
_LASTING = re.compile(
    r"(?:from (?:now|here) on(?:wards?)?|going forward"
    r"|(?:from now|in (?:the )?future)(?=,? (?:please|pls|always|never|only|use|keep|run|ask|do|don['’]?t)\b)|(?:(?:a "
    r"|the |new |general |house |some |our |my |ground )*"
    r"rules?(?: from now on| going forward)?"
    r"(?: (?:for|of|in) (?:the future|us|you|this repo|this project|the repo|the project))?|(?:i |we )?decided|decision"
    r"|(?:make|take) (?:this|that|it) (?:a|our|your|the) (?:habit|rule|standard|default|convention|policy)"
    r"|conventions?|policy|correction|update|edit|korrektur|nachtrag|for the record|(?:(?:just )?(?:some|a few"
    r"|a couple of|two|three|four|five) )?(?:quick )?"
    r"(?:things|points|notes|changes|decisions|reminders)(?: (?:up ?front|first|for (?:now|later|the record)))?"
    # Whom somebody asked before.
    r"|(?:i |we )?(?:just )?(?:talked|spoke|checked|agreed|discussed(?: it)?) (?:to|with) [\w -]{2,30}"
    r"|(?:\d|two|three|some|a few) more (?:things|points|rules|notes)"
    r"|(?:the )?fix(?:es)?|generally|in general|as a (?:general )?rule|another rule|one rule|same for"
    r"|note to self|(?:just )?so you know)(?=:))[:,]?\s+",
    re.I,
)
_SOFT = re.compile(
    # "That's our naming: get is local, fetch is remote."
    r"(?:that['’]?s|this is) (?:our|the) (?=\w+: )"
    r"|(?:i (?:also )?(?:think|guess|believe|suppose|feel(?: like)?|mean|would say|wonder if"
    r"|was wondering if)(?: that| then)?"
    r"|i(?:'d| would)? (?:also )?(?:like|love|want|prefer)(?: (?:you|us|for you))? to|i (?:want"
    r"|need)(?: (?:you|us))? to|(?:can|could|would|will) (?:you|u|we)(?: please| also| just| maybe"
    r"| somehow)*"
    r"|why (?:don'?t|do not|not) we|(?:shouldn'?t|should) we(?: not)?|wouldn'?t it be better to"
    r"|(?:our|the|one) (?:[\w-]+ )?(?:rule|convention|policy|principle|agreement|requirement) (?:here )?is"
    r" (?:that(?= (?:an?|the|every|each|all|no|nobody|only|our|we)\b)|(?=never\b|always\b|no\b))"
    r"|(?:it is|it['’]s) (?:very |really |so )?(?:important|crucial|essential|vital|critical) (?:for \w+ )?that"
    r"|(?:the|a) (?:most |very |really )?important (?:thing|point|part) is that"
    r"|(?:we|i)(?: have|['’]ve)? (?:just )?decided (?:that|to)"
    r"|it would be (?:nice|good|better"
    r"|great) (?:to|if we)"
    r"|let['’]s(?: also| just| rather)?|lets(?: also| just)?(?! (?:users?|people|us|you|them|it|me|the|an?|one"
    r"|clients?|customers?|admins?|agents?)\b)|maybe|perhaps|probably|it sounds like"
    r"|it seems(?: like)?|seems like|please|also|we should(?: also| just| probably| rather)?"
    r"|you should(?: probably| also)?|we (?:also )?need to|make sure to|note that"
    r"|(?:keep|bear) in mind(?: that)?|remember(?: to| that| this)?|memori[sz]e(?: that| this)?|note(?: this)?"
    r"|don'?t forget(?: to| that|(?=:))|for the record|thinking aloud)[:,]?\s+",
    re.I,
)
_TAIL = re.compile(
    # "The way it is now is OK" says that it is.
    # Looking for what parts it off first spares looking back from every character.
    r"(?=[\s,.…])(?<!['’]s)(?<!\bis)(?<!\bare)(?<!\blooks)(?<!\bsounds)(?<!\bwas)"
    # "By then" and "until then" say when, and what is "never right" is wrong.
    r"(?<!\bby)(?<!\buntil)(?<!\btill)(?<!\bsince)(?<!\bbefore)(?<!\bfrom)(?<!\beven)"
    r"(?<!\bnever)(?<!\bnot)(?<!\balways)"
    r"(?:[\s,.…]+(?:please|pls|thanks|thank you|from now on|going forward|right|ok|okay|yeah|imo|i think|i guess|or"
    # "…, no?" asks, and "mail for children, no" refuses.
    r"|no(?=\s*\?)|maybe|then|though|tho))+[\s.!?…]*$",
    re.I,
)
#: What it holds for was said before: "… as long as we have that".
_LIMIT_ON_THAT = re.compile(
    r",? (?:(?:as|so) long as|while|until|unless|once) (?:we|you|they|i) (?:(?:still )?(?:have|use|need|do|want|run))"
    r" (?:that|it|this|them|those|these|so)[.!]*$",
    re.I,
)
#: What holds elsewhere, too: "no wildcards in the tests either".
_EITHER = re.compile(r"(?<=\w),? (?:either|neither|auch nicht|non plus|tampoco|neanche)[.!]*$", re.I)
_AGENT_LEAD = re.compile(
    r"(?:(?:you(?:'re|’re| are) (?:absolutely |completely )?(?:right|correct)(?: that)?"
    r"|your point is valid(?: though)?|(?:good|great|excellent|nice|fair) (?:catch|point|call|question"
    r"|idea|enough)|makes sense|agreed|exactly|right|yes|understood|got it|done|correct|fair"
    r"|absolutely|perfect|sure|ok(?:ay)?|confirmed|found it|nice|ha|so|and|but|now|also"
    r"|important(?:ly)?|one (?:more|last) thing|i agree with that direction)[\s,.!:;–—-]+)+"
    # What was found out, without that it was.
    r"|(?:[^.:!?\n]{0,60}: )?(?:i (?:have )?found )?(?:the )?(?:root |real |actual |underlying )?cause"
    r"(?: (?:is|was)(?: that)?|:) (?=\w)"
    r"|the (?:root |real |actual |underlying |main )?(?:issue|problem|bug|culprit|reason|catch|trick|point)"
    r" (?:is|was|here is|here was) that (?=\w)",
    re.I,
)
_OFFER = re.compile(
    r"(?:if you(?:['’]d)? (?:want|like|prefer),? )?"
    r"(?:do you )?(?:want me to|would you like me to|should (?:i|we)|shall (?:i|we)|i (?:can|could"
    r"|would)(?: also)?|i(?:'d|’d| would)? (?:recommend|suggest|propose|go with"
    r"|lean toward)(?:ing)?(?: that| to| we)?|my (?:recommendation|take|pick|suggestion|preference"
    r"|lean)(?: is|:)?(?: to)?|recommendation:|suggestion:|i(?:'|’)?ll|i will|i(?:'|’)?m going to"
    r"|i assumed(?: that)?|we (?:can|could|should)|let me|the fix(?: is|:)(?: to)?|fix:)\s+",
    re.I,
)
_MARK = re.compile(
    r"(?:option|opt|q|question|issue|approach|alternative|item|finding|step|task|point"
    r"|fix)? ?#?(?:\d{1,2}|[a-hA-H])[.):](?:\s+|$)",
    re.I,
)
#: "B, and …", "lgtm except 4, …", "the plan is fine except …": what is agreed to before the point.
_AGREED_FIRST = re.compile(
    r"(?:[a-h]|[1-9]), (?:and|but|plus) (?=\w)"
    r"|(?:lgtm"
    r"|(?:the |your )?(?:plan|rest|list|design|draft)(?: is|['’]s| looks| sounds)? (?:fine|good|great|ok(?:ay)?))"
    r",? (?:except|but)(?: for)?:? (?:#?\d\w?[,:] )?",
    re.I,
)
#: How somebody turns to something else, in a few languages; a mark stands behind it.
_TURNS_TO = re.compile(
    r"(?:(?:and|but|oh|so|ok(?:ay)?|then|und|ach|et|ah|y|e)[ ,]+)*"
    r"(?:while (?:(?:we|you|i)(?: are|['’]?re|['’]?m| am)|ur)"
    r" (?:at (?:it|that)|on (?:it|that|the (?:topic|subject))|here|in there)"
    r"|(?:(?:a |an |one )?(?:different|other|another|separate|new|next|unrelated|quick|small|short|little|last|side) )"
    r"(?:thing|topic|matter|subject|note|point|remark|one|request|question|story)"
    r"|before (?:you|we) (?:do|start|go|begin|continue|merge|commit|push|deploy)(?: (?:it|that|this|on|so))?"
    r"|(?:(?:the|one|two|three|four|some|a few|new|more|house|\d) )*(?:rules?|things|points) (?:then|first)"
    r"|attention|achtung|vorsicht|wichtig|important(?:ly)?|heads[- ]up|reminder|rappel|ojo|importante|attenzione"
    r"|nota bene|hinweis|merke|uwaga|careful"
    r"|noch(?: (?:was|etwas|eins|eine sache|ein punkt))?|encore(?: une chose)?|une (?:dernière )?chose"
    r"|(?:one )?more (?:thing|rule)|another (?:rule|one)|(?:one )?last thing"
    r"|on (?:a|an)(?:other)? (?:\w+ )?note|(?:as )?an aside|aside|unrelated(?:ly)?|separately|before i forget"
    r"|(?:etwas|was|noch was|noch etwas|ganz was) anderes|andere[sr]? (?:thema|sache|punkt|frage)"
    r"|(?:wo|wenn|da|weil) wir (?:schon |gerade |grad |eh )*(?:dabei|dran|hier) sind"
    r"|nebenbei(?: bemerkt)?|kurze? (?:sache|frage|notiz|info)|apropos"
    r"|autre (?:chose|sujet|point)|(?:tant|pendant) qu['’](?:on|nous) y (?:est|sommes)|au passage|petite note"
    r"|otra cosa|otro (?:tema|punto)|ya que estamos|por cierto|de paso|outra coisa|outro assunto|já que estamos|aliás"
    r"|altra cosa|altro (?:tema|punto)|già che ci siamo|a proposito)"
    r"\s*(?:[,.:;!–—]|-(?=\s))[\s,.:;!–—-]*(?=\S)",
    re.I,
)
#: "About the tags: always lowercase": what it is about leads it.
_ABOUT = re.compile(
    r"(?:(?:about|regarding|concerning|as for|as to|bezüglich|concernant|quant (?:à|aux?)|à propos (?:de|des|du)|sobre"
    r"|respecto (?:a|al)|quanto (?:a|ao)|riguardo (?:a|al|ai))"
    r"(?: (?:the|our|these|those|your|my|der|die|das|den|dem|unsere[rn]?|les?|la|nos|el|los|las|os?|as?|i|gli))?"
    r"|on (?:the|our)|zu (?:den|unseren)|zu[mr]) "
    r"(?P<what>(?!(?:it|this|that|them|which|what|how|top|purpose|demand)\b)[\w`./-]+(?: [\w`./-]+){0,3}?)\s*"
    r"(?P<mark>: |, (?=(?:we|always|never|only|no|use|keep|do|don['’]?t|please|let['’]?s|must|just"
    r"|immer|nie|niemals|nur|kein\w*|bitte|toujours|jamais|pas|siempre|nunca|solo|no)\b))(?=\S)",
    re.I,
)
#: How a face or a laugh is typed; in code it is code.
_SMILEY = seldom(
    r"(?:(?<=\s)|^)(?:[:;=]['’]?-?[)(DPpO]+|[xX]D+|\^\^|:-?[/\\])(?=[\s.,;!?]|$)"
    r"|(?:(?<=[\s,])|^)(?:lol+|lmao|rofl|(?:ha){2,}h?|(?:he){2,}|(?:hi){2,}|<3)(?=\s*(?:[.,;!?:]|$))"
    r"|^(?:ha){2,}h?(?=\s)",
    re.I,
)
_LEFT_OPEN = re.compile(r"\s{1,9}(?=,)|(?<=[.!?,;:]),|,(?=\s{0,9}[.!?,;:])|,\s{0,9}$")
#: With so many topics a statement says enough when the rest of it is cut off.
_WHOLE_TOPICS = 4
#: What is said beside it, and where a statement goes on to examples, or to how.
_ASIDE = re.compile(r" \([^()]{0,300}\)(?=[ ,.;:]|$)")
_EXAMPLES = re.compile(
    r",? (?:such as|including|however|as well as|for example|especially|to (?:ensure|make sure))\b"
    r"|, (?:with|like|though|although|e\.?g|i\.?e|z\. ?b|zum beispiel|wie|par exemple|comme|por ejemplo|como)\b",
    re.I,
)
#: Who said it is named in so many words.
_TELLER_WORDS = 10
#: How it is at present, and behind it that this is not how it shall be.
_OF_NOW = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|well|and|hm+|hi|hello|good morning)[ ,.!]+)*?"
    r"(?:(?:now|currently|right now|at the moment|for the moment|at present|today|nowadays|so far|until now|till now"
    r"|up to now|until today|historically|as of now),? (?!on\b)(?:we|i|it|they|everything|everybody|all|the|our)\b"
    r"|(?:we|it|they|everything) (?:currently|so far|at the moment)\b)"
    r"[^.!?]{3,160}?(?:,? (?:but|however|though|although)\b"
    r"(?! (?:never|not|no|only|except|always|in|on|for|with|without|keep|use|just"
    r"|we (?:never|should|must|don['’]?t))\b)"
    r"|,? (?:which|and (?:that|this|it)) (?:is|['’]s|was|breaks|fails"
    r"|leaks|gets|costs|takes)\b|[;,–—-] ?(?:stupid|ugly|slow|a mess|not (?:good|nice|great)))",
    re.I,
)
#: Said beside the point, anywhere in it.
_BY_THE_WAY = seldom(r"(?:(?<=\w),)? (?:btw|fyi|übrigens|by the way)(?=[ ,.;!?]|$)(?! the\b)", re.I)
#: In the midst of a sentence it says nothing.
_POLITE = seldom(r" (?:please|pls|plz)(?=[,.;:] )", re.I)


def plain(text: str) -> str:
    """Markdown as one line of plain text. A table's row becomes its cells."""
    if "[" in text:
        text = _IMAGE.sub("", _LINK.sub(r"\1", text))
    text = unmarked(_without_marks(text))
    if not text.isascii():
        text = _EMOJI.sub(_meant_sign, text)
    text = _without_smileys(text)
    if text.lstrip().startswith("|"):
        text = (
            ": ".join(cell.strip() for cell in text.strip().strip("|").split("|", 1))
            .replace(" | ", ", ")
            .replace("|", ",")
        )
    return " ".join(text.split()).strip("|").strip()


def _meant_sign(found: re.Match[str]) -> str:
    """A sign that stands between words is one of them; a face is none."""
    before, after = found.string[: found.start()].rstrip(), found.string[found.end() :].lstrip()
    is_within = before[-1:].isalnum() or before.endswith(("(", '"', "=", "→", "/", ",", "⬜"))
    is_word = is_within and after[:1] not in {"", ".", "!", "?"} and not after[:1].isupper()
    return found[0] if is_word and _SIGNS.issuperset(found[0]) else ""


def _without_smileys(text: str) -> str:
    """The text without typed faces and laughs. What stands in code marks stays: every second piece of the split."""
    if _SMILEY.search(text) is None:
        return text
    pieces = text.split("`")
    # Where something follows, the face ended what was said before it.
    pieces[::2] = [_LEFT_OPEN.sub("", _SMILEY.sub(",", piece)) for piece in pieces[::2]]
    return "`".join(pieces).strip(", ")


def _without_marks(text: str) -> str:
    if not text.isascii() or "\n" in text:
        return _MARKS.sub("", text)
    # In one line of plain letters only its beginning can be a mark.
    found = _MARKS.match(text)
    return text[found.end() :] if found is not None else text


def statement(text: str) -> str:
    """A user's words without the small talk around them."""
    text = _BY_THE_WAY.sub("", _POLITE.sub("", plain(text)))
    if is_of_now(text):
        return capital(_trimmed(without_tail(text)))
    for _ in range(5):
        shorter = impersonal(_with_subject_first(_without_teller(text)))
        for pattern in (_MARK, LEAD, _TURNS_TO, _AGREED_FIRST, _LASTING, _SOFT):
            if (found := pattern.match(shorter)) is not None and len(topics(shorter[found.end() :])) >= 1:
                shorter = shorter[found.end() :]
        if shorter == text:
            break
        text = shorter
    return capital(_trimmed(without_tail(text)))


def _without_teller(text: str) -> str:
    """ "Ada from sales says: …" without who said it, where what was said says enough."""
    lead, colon, said = text.partition(": ")
    is_told = colon and len(lead.split()) <= _TELLER_WORDS and len(topics(said)) > 1 and says_who_speaks(lead)
    return said if is_told else text


def _with_subject_first(text: str) -> str:
    """ "About the tags, never …" says what "Tags: never …" does. What is named again behind it need not lead it."""
    found = _ABOUT.match(text)
    if found is None or not topics(found["what"]) or not topics(text[found.end() :]):
        return text
    rest = text[found.end() :]
    return rest if topics(found["what"]) <= topics(rest) else f"{capital(found['what'])}: {lower(rest)}"


def _trimmed(text: str) -> str:
    """The text without marks at its ends. The dashes of "--warn" are its name."""
    text = text.rstrip(" ,;:–—-…").lstrip(" ,;:–—…")
    return text if _OPTION.match(text) is not None else text.lstrip(" ,;:–—-…")


def is_of_now(text: str) -> bool:
    """Whether somebody tells how it is at present and what is wrong with that: no advice to do so."""
    return _OF_NOW.match(text) is not None


def without_tail(text: str) -> str:
    """The text without "please" and "I think" behind it."""
    # Only the end is looked at: a text of dots would take for ever.
    for pattern in (_TAIL, _LIMIT_ON_THAT, _EITHER):
        found = pattern.search(text, max(0, len(text) - 60))
        if found is not None and len(topics(text[: found.start()])) >= 1:
            text = text[: found.start()]
    return text


def agents_statement(text: str) -> str:
    """An agent's words without the politeness and the offer."""
    text = plain(text)
    for pattern in (_MARK, _AGENT_LEAD, _OFFER):
        if (found := pattern.match(text)) is not None and len(topics(text[found.end() :])) >= 2:
            text = text[found.end() :]
            text = text.rstrip("?. ") if pattern is _OFFER else text
    return capital(_trimmed(text))


def is_acknowledging(text: str) -> bool:
    """Whether an agent says no more than that it has understood: "Makes sense." """
    return _AGENT_LEAD.fullmatch(f"{text} ") is not None


def fitting(text: str, limit: int) -> str:
    """Whole sentences as far as they fit, else the beginning with a mark that it goes on."""
    if len(text.split()) <= limit:
        return ended(capital(text))
    whole = [span for span in sentence_spans(text) if len(text[: span.end].split()) <= limit]
    if whole and len(text[: whole[-1].end].split()) * 2 >= limit:
        return ended(capital(text[: whole[-1].end]))
    return f"{capital(clipped(text, limit)).rstrip(' ,;:(')} …"


def ended(text: str) -> str:
    """The text with a full stop, if nothing ends it."""
    text = text.strip()
    return text if not text or text[-1] in ".!?…:。！？" else f"{text}."


def headline(text: str, limit: int = TITLE_CHARS) -> str:
    """The text as a title: as it is when it fits, else without what stands in brackets, else cut after a clause or
    before examples, else between words."""
    text = text.strip().rstrip(".:;!, ")
    if len(text) <= limit:
        return text
    bare = " ".join(_ASIDE.sub("", text).split())
    text = bare if len(topics(bare)) >= _WHOLE_TOPICS else text
    if len(text) <= limit:
        return text.rstrip(".:;!, ")
    for cuts in (CLAUSE, _EXAMPLES):
        ends = [match.start() for match in cuts.finditer(text, 25) if match.start() <= limit]
        good = [end for end in ends if len(topics(text[:end])) >= _WHOLE_TOPICS and not is_only_condition(text[:end])]
        if good:
            return text[: good[-1]].rstrip(" ,.;:(")
    cut = text[: limit - 1].rsplit(" ", 1)[0]
    while len(cut.split()) > 4 and cut.split()[-1].lower().strip(",`(") in COMMON:
        cut = cut.rsplit(" ", 1)[0]
    return cut.rstrip(" ,.;:(-–—") + " …"


def lead_off(text: str) -> str:
    """A reply without "ok" and "yes" before it."""
    found = LEAD.match(text)
    return text[found.end() :] if found is not None else text
