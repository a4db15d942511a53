"""How a memory is said: a title that stands alone, and a body with the statement and its reason.

The exchange that it came from is not told: files get shared, and the quotes of its evidence have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, pairwise

from lerim.glance import seldom
from lerim.ingest.findings import Quote
from lerim.ingest.signals.cues import PUTS_RIGHT_AT_ONCE, agent_cues, tells_change, user_cues
from lerim.ingest.signals.phrasing import Reasoned, as_subject, capital, impersonal, is_order, reasoned
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import BY_PLACE, Passage, ReplyMatch
from lerim.ingest.signals.rulings import plain_rulings, points_away, rules_plainly
from lerim.ingest.signals.text import COMMON, RULE_WORDS, clipped, topics, unmarked
from lerim.ingest.signals.titles import asks, is_errand, is_passing, reports, settles, stands_alone
from lerim.ingest.signals.units import Unit, UnitRole
from lerim.text.sentences import sentence_spans, sentences
from lerim.text.words import words

TITLE_CHARS = 160
QUOTE_WORDS = 60
_OWN_WORDS, _CONTEXT_WORDS, _OUTCOME_WORDS = 40, 28, 40
#: With fewer topics than this a reply makes no point of its own.
_OWN_POINT = 3
#: So much of what a rule speaks of has to be what the user spoke of.
_SHARED = 0.6
#: How far into its answer an agent says what is so now.
_TOLD = 400
#: How much it speaks for a clause that it rules in plain words.
_PLAIN = 5.0
#: What a reason is given for is said right before it.
_LAST_WORDS = 3

_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")
_MARKS = re.compile(
    r"^#{1,6}\s+|^\s*[-*•]\s+|^\s*>\s?|`[─═]{3,}`?|[─═]{3,}|★ Insight",
    re.MULTILINE,
)
_IMAGE = re.compile(r"\[(?:image|pasted|file|screenshot)[^\]]{0,80}\]\s*", re.I)
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f⏳⌛✅❌⚠]+")
_SPACE = re.compile(r"\s+")
# A mark or a space after a word that only leads in; "no-op" and "well-known" are words of their own.
_GAP = r"(?:[\s,.!:;–—]|-(?=[\s-]))"
_LEAD = re.compile(
    r"(?:(?:(?:(?:yes|yep|ok(?:ay)?|no),? that(?=[.!]\s)"
    r"|ok(?:ay)?|yes|yep|yup|yeah|hmm+|hm|so(?! (?:far|that|long|many|much|called)\b)|also|and|but|oh|ah+|ehh?"
    r"|actually|then(?! that\b)|now(?! that\b)|alright|thanks"
    # "No laravel 11 stays" answers, and then says what stays.
    r"|no(?=\s+(?!one\b|body\b)[\w. -]{2,30} (?:stays?|remains?)\b)"
    r"|thank you|agreed?|exactly|hey|hi|sorry|btw|fyi|basically|anyway|please|pls|obviously"
    # "First, …" leads in; a first name is no lead, and neither is what shall be done first.
    r"|firstly|first(?=\s*[,.:;–—]|\s+(?:we|i|you|let['’]?s|lets|please|pls|of all)\b)"
    r"|sounds good|makes sense|good (?:point|catch|idea|call)|got it|just to be sure|to be clear|i mean"
    r"|i don['’]?t (?:really )?care|one (?:more|last)(?: thing)?|go for it|no wait|argh+|nah"
    r"|scra(?:tch|p) that(?! (?:with|about|of|on|for|in|from)\b)"
    # In other languages.
    r"|und(?: noch (?:was|etwas|eins))?|außerdem|achja|ach so|ach"
    r"|genau|danke|bitte|et|aussi|donc|merci|d['’]accord|oui|y|además"
    r"|gracias|vale|e|além disso|obrigad[oa]|salut|bonjour|hola|hallo|moin|olá)"
    rf"(?:{_GAP}+|$)"
    # These are said before a sentence and inside one: "right, use it" and "right margin", "no, use it" and "no mocks".
    r"|(?:no|nope|nah|na|ya|mm+|ha|right|great|cool|good|nice|sure|perfect|fine|true|well|plus|wait|like|man|oh man"
    r"|wtf|ffs|omg|lol|ugh|damn|works|super|prima|parfait|perfecto|perfeito|gut|bien|bom|ok[ae]y)"
    rf"(?:\s*(?:[,.!:;–—]|-(?=[\s-])){_GAP}*|$|\s+(?=(?:i|we|you|it|that|this|they|the|scrap|let['’]?s|so|and|but|don['’]?t"
    r"|do not|please|can|could|thanks?|then|also|maybe|just|because|no|yes|ok|remove|keep|leave|make|stop|not|never"
    r"|always)\b))))+",
    re.I,
)
_LASTING = re.compile(
    r"(?:from (?:now|here) on(?:wards?)?|going forward|(?:(?:a |the |new |general |house |some |our |my |ground )*"
    r"rules?(?: from now on| going forward)?"
    r"(?: (?:for|of|in) (?:the future|us|you|this repo|this project|the repo|the project))?|(?:i |we )?decided|decision"
    r"|conventions?|policy|for the record|(?:(?:just )?(?:some|a few|a couple of|two|three|four|five) )?(?:quick )?"
    r"(?:things|points|notes|changes|decisions|reminders)(?: (?:up ?front|first|for (?:now|later|the record)))?"
    # Whom somebody asked before.
    r"|(?:i |we )?(?:just )?(?:talked|spoke|checked|agreed|discussed(?: it)?) (?:to|with) [\w -]{2,30}"
    r"|(?:\d|two|three|some|a few) more (?:things|points|rules|notes)"
    r"|note to self|(?:just )?so you know)(?=:))[:,]?\s+",
    re.I,
)
_SOFT = re.compile(
    r"(?:i (?:also )?(?:think|guess|believe|suppose|feel(?: like)?|mean|would say|wonder if"
    r"|was wondering if)(?: that| then)?"
    r"|i(?:'d| would)? (?:also )?(?:like|love|want|prefer)(?: (?:you|us|for you))? to|i (?:want"
    r"|need)(?: (?:you|us))? to|(?:can|could|would|will) (?:you|u|we)(?: please| also| just| maybe"
    r"| somehow)*"
    r"|why (?:don'?t|do not|not) we|(?:shouldn'?t|should) we(?: not)?|wouldn'?t it be better to"
    r"|it would be (?:nice|good|better"
    r"|great) (?:to|if we)"
    r"|let['’]s(?: also| just| rather)?|lets(?: also| just)?(?! (?:users?|people|us|you|them|it|me|the|an?|one"
    r"|clients?|customers?|admins?|agents?)\b)|maybe|perhaps|probably|it sounds like"
    r"|it seems(?: like)?|seems like|please|also|we should(?: also| just| probably| rather)?"
    r"|you should(?: probably| also)?|we (?:also )?need to|make sure to|note that"
    r"|keep in mind(?: that)?|remember(?: to| that| this)?|memori[sz]e(?: that| this)?|note(?: this)?"
    r"|don'?t forget(?: to| that|(?=:))|for the record|thinking aloud)[:,]?\s+",
    re.I,
)
_TAIL = re.compile(
    r"(?:[\s,.…]+(?:please|pls|thanks|thank you|from now on|going forward|right|ok|okay|yeah|imo|i think|i guess|or|no"
    r"|maybe|then))+[\s.!?…]*$",
    re.I,
)
_AGENT_LEAD = re.compile(
    r"(?:(?:you(?:'re|’re| are) (?:absolutely |completely )?(?:right|correct)(?: that)?"
    r"|your point is valid(?: though)?|(?:good|great|excellent|nice|fair) (?:catch|point|call|question"
    r"|idea|enough)|makes sense|agreed|exactly|right|yes|understood|got it|done|correct|fair"
    r"|absolutely|perfect|sure|ok(?:ay)?|confirmed|found it|nice|ha|so|and|but|now|also"
    r"|important(?:ly)?|one (?:more|last) thing|i agree with that direction)[\s,.!:;–—-]+)+"
    # What was found out, without that it was.
    r"|(?:[^.:!?\n]{0,60}: )?(?:i (?:have )?found )?(?:the )?(?:root |real |actual |underlying )?cause"
    r"(?: (?:is|was)(?: that)?|:) (?=\w)",
    re.I,
)
_OFFER = re.compile(
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
_CHOOSING = r"(?:let['’]?s )?(?:use|go with|go for|choose|pick|take|approved?)"
_CHOICE = re.compile(
    rf"(?:(?:(?:{_CHOOSING} )?(?:option |opt ))?#?\(?(?:\d{{1,2}}|[A-H])\)?"
    rf"|{_CHOOSING} (?-i:\d{{1,2}}|[A-H])\b)"
    r"(?:(?=[,.:)])[,.:)](?!\d)\s*|\s+(?=please\b|because\b|since\b"
    r"|and\b|is (?:fine|ok(?:ay)?|good|great|it|best|better)\b|but\b|then\b|for now\b"
    r"|without\b)|$)(?:please\b|it is\b|then\b)?[ ,.]*"
    rf"|(?:{_CHOOSING} )?{BY_PLACE}(?: please| pls| then)?(?:[.,;:!]+\s*|$)",
    re.I,
)
#: Several of them: "2, 3, 4a and 5. …"
_CHOICES = re.compile(
    r"#?(?:\d{1,2}[a-h]?|[a-h])(?:(?:\s*,\s*(?:and |& )?|\s+(?:and|&|\+)\s+)"
    r"#?(?:\d{1,2}[a-h]?|[a-h])\b(?! (?:as|bit|few|lot|new)\b))+"
    r"[.,;:]?\s*",
    re.I,
)
#: "Second one but with sqlite".
_ONE_OF_THEM = re.compile(rf"(?:{_CHOOSING} )?{BY_PLACE}\s+(?=(?:but|with|without|and|because|since)\b)", re.I)
#: "B, …" and "2 please" choose; "1. …" may answer a question that has a number.
_CHOOSES = re.compile(
    rf"(?:{_CHOOSING}|option|opt)\b.{{0,10}}?\b(?-i:\d{{1,2}}|[A-H])\b"
    r"|\(?(?-i:[A-H])\)?[,.: ]|(?:\d{1,2}|[a-h]),? (?:please|pls|then|but)\b|\d{1,2}, "
    rf"|(?:{_CHOOSING} )?{BY_PLACE}(?: please| pls| then)?(?:[.,;:!]|$)",
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
#: Said beside the point, anywhere in it.
_BY_THE_WAY = re.compile(r"(?:(?<=\w),)? (?:btw|fyi|übrigens|by the way)(?=[ ,.;!?]|$)(?! the\b)", re.I)
# A short sentence before the point: "That was it, thanks." and "Fix that."
_EMPTY = re.compile(
    r"(?:that (?:was|is) it|that works|(?:fix|do|try) (?:that|it|this)|go (?:ahead|for it)"
    r"|(?:looks|sounds) (?:good|great)|lgtm|thanks?(?: you)?)(?:, thanks?(?: you)?)?[.!]+\s+",
    re.I,
)
_CLAUSE = re.compile(
    r",? (?:because|since(?! (?:the|our|an?)(?: [\w-]+){1,2}\W*$)|so that"
    r"|otherwise(?! (?:because|since|as)\b|\W*(?:$|[.;]))|bcz|in case"
    r"|which (?:means|is why))\b|\s[–—-]{1,2}\s|; "
    r"| so (?=(?:all|every|any|no|each|never|always|please)\b)"
    r"|(?<=\w)\.\s|(?<=\w): |, (?:and|but|so|then|which|or|while|where)\b|\.{2,}"
    r"|\? |\n(?!\s*[a-z])|, (?=(?:we|all|any|every|each|no|always|don['’]?t|do not"
    r"|never(?! (?:with|from|in|on|by|via|for|through|at|to|as)\b)|please|use|keep|let['’]?s"
    r"|maybe)\b)"
)
_RUNS_ON = re.compile(
    r" (?=(?:this|that|it|they|we|also|please) (?:also |only )?(?:should|must|needs?|is|are|has)\b)", re.I
)
#: After these a clause goes on: "the page must ensure it is never shown".
_TAKES_CLAUSE_WORDS = """
    ensure ensures says say said mean means meant shows show hope assume feel believe guess wish expect confirm check
    verify ask asks asked told tell remember note everything anything something whatever every time moment because
    until unless whether though although while where when once before after given case fact sure
"""
_TAKES_CLAUSE = frozenset(_TAKES_CLAUSE_WORDS.split())
_LEAST_RUN = 25
_DEPENDS = re.compile(
    r"\W*(?:(?:so|and|but|ok|okay|yes|also|then)\W+)*(?:if|when|whenever|unless|until|once|while|before|after|for"
    r"|in case)\b",
    re.I,
)
_GIVES_REASON = re.compile(r"because|since|so that|otherwise|bcz|in case|which", re.I)
_AND = re.compile(r", (?:and|or)\b")
_RESTRICTS = re.compile(r"[\s,;:.–—-]*(?:but |and )?(?:only|unless|except|if|when|until|as long as|but not)\b", re.I)
_BRACKETS = re.compile(r"\([^()\n]{0,300}\)?")
_DANGLING = re.compile(
    r"(?:it|this|that|these|those|they|he|she|one|so|but|and|or|because|when|if|like|unless|what|why"
    r"|how|which|who|where|is|are|was|were|do|does|did|can|could|would|here|there|then|not|also|still"
    r"|yes|no(?=[,.]|$)|you|your|even|same|both|otherwise|where|with|without|instead|directly|for|to|of|on|in|at"
    r"|by|from|as|since|though|\d+\.?)\b(?!-)|[`'\"(]?[─│|=]",
    re.I,
)
_PERSONAL = seldom(r"\b(?:i|i'm|i've|i'll|i’m|i’ll|i’ve|me|my|let me)\b", re.I)
# Somebody is spoken to, or tells what they are about to do.
_TALKING = re.compile(
    r"(?<![\w-])(?:i|i['’](?:m|ve|ll|d)|me|my|mine|you|you['’](?:re|ve|ll|d)|your|yours|let me|thanks?|sorry|please)"
    r"(?![\w-])",
    re.I,
)
_POINTING = re.compile(r"(?:it|this|that|these|those|they|there)\b", re.I)
_STATUS = seldom(
    r"\bquestion \d+(?: of \S+)?:"
    r"|\b(?:tests? (?:now )?(?:pass|remain|are (?:all |now |still )?(?:pass|green|red|clean|fail|fix|up"
    r"|in place))|all green|committed|pushed|pr #?\d+|ready to|done\b|passed\b"
    r"|commit(?:ting)? this|checks? pass|(?:now )?passes\b|(?:lint|build|ci) (?:is|are) (?:clean|green)"
    r"|spawn (?:a |an )?(?:worker|agent))",
    re.I,
)
#: Said to whoever keeps it, and nothing of what is kept.
_TO_BE_KEPT = re.compile(
    r"(?:^|(?<=[.!?;])\s+)(?:(?:and|also|please|so)[, ]+)*(?:remember|note|memori[sz]e|save|keep) (?:that|this|it)"
    r"(?: down| in mind| for (?:later|next time|the future))?(?:,? please)?[.!]+(?=\s|$)",
    re.I,
)
#: In the midst of a sentence it says nothing.
_POLITE = re.compile(r" (?:please|pls|plz)(?=[,.;:] )", re.I)
_EXCEPTS = re.compile(
    r"(?:but |and |aber |pero |mais )?"
    r"(?:only (?:in|on|for|the|when|if|with)|except|unless|not (?:in|on|for|the)|nur|außer|ausser"
    r"|salvo|excepto|sauf|exceto|solo (?:en|el|la|para)|seulement)\b",
    re.I,
)
#: How somebody tells what they are at, or were.
_OF_SELF = re.compile(r"(?:i['’]?m|i am|i was|i have|i['’]?ve|i had|i just|i spent|i keep|we had|we were)\b", re.I)
#: What is wrong with something, told as such.
_TROUBLE = re.compile(
    r"\b(?:nothing but|pain(?:ful(?:ly)?)?|absurd|sucks|mess|annoying|nightmare|ridiculous|wiped|lost|leaked|spikes?"
    r"|dead|crash(?:es|ed)|hangs|broke|bit us|went down"
    r"|(?:too|so|painfully|awfully|is|are) (?:slow|flaky|expensive|noisy))\b",
    re.I,
)
_ANYWAY = re.compile(r"\banyways?\W*$", re.I)
#: Who begins so turns to something else, unless it is of the same.
_TURNS = re.compile(
    r"(?:and|also|then|now|oh|btw|ah|und|achja|y|et|e|today|yesterday|i|i['’]?m|i['’]ve)\b(?! (?:that|this|it)\b)", re.I
)
#: "Log retention set to 30 days."
_IS_SET = re.compile(
    r"\b(?:is|are|now|stays?|set|limited|capped|raised|lowered|changed|switched) (?:\w+ )?(?:to|at|for|in|on|with|\d)",
    re.I,
)
#: What is told as new holds from then on.
_NOW = re.compile(r" now\b(?! on\b)", re.I)
#: "10 s is too fast. now 15 s": what it is from now on.
_NEW_VALUE = re.compile(
    r"(?:so |then |and )?(?:now|make (?:it|that)|let['’]?s (?:do|say|use|take))\s+(?:\w+ ){0,2}?\$?\d[\w.,%: -]{0,20}$",
    re.I,
)
#: Who says so takes nothing of what was offered.
_REFUSES = re.compile(
    r"\W*(?:\d{1,2}[.):]?\s+|[a-h][.):]\s+)?(?:no|nope|nah|skip|don['’]?t|do not|nein|non|rather not|out)\b"
    r"(?! (?:problem|worries|objections?|need to ask|doubt|matter)\b)",
    re.I,
)
#: "1. No Redis, …" refuses something, and perhaps not what 1 is: this is what.
_RULES_OUT = re.compile(
    r"\W*(?:\d{1,2}[.):]?\s+|[a-h][.):]\s+)?(?:no|kein\w*) (?!(?:that|it|its|it['’]s|this|these|those|we|i|they|you|he"
    r"|she|thanks|need|not|because|since|as|for|but|leave|keep|let|way|longer|more|point|use|reason|time|one|and|or|so)\b)"
    r"(?P<what>[^,.;:!?]+)",
    re.I,
)
#: What an agent offers to do, besides what a team rules: "no" to it is "do not".
_DOES = re.compile(
    r"(?:allow|archive|block|build|change|check|encrypt|expose|extend|extract|fix|hash|hide|inline|let|log|make|notify"
    r"|raise|retry|return|rewrite|round|run|send|show|sort|support|throw|truncate|update|upgrade|verify|wrap)"
    r" (?!of\b|is\b|are\b)",
    re.I,
)
#: What is chosen, and otherwise than it was offered.
_CHANGES_CHOICE = re.compile(
    r"\W*(?:but|with|without|except|minus|plus|only)\b(?! (?:that|it|this|please|what|why|how)\b)", re.I
)
#: What somebody wants done besides what they chose: "2, and do the index as well while you're at it".
_BESIDES = re.compile(
    r"^\W*(?:and|also|plus)\b.*\b(?:while (?:you|u)\b|as well|can['’]?t hurt)|\bwhile (?:you['’]?re|ur) at it\b", re.I
)
#: What is to be done, behind why.
_SO = re.compile(r"\w{3,}[^.!?]{8,}?,? so (?!that\b|far\b|long\b|much\b|many\b)(?P<point>\w[^.!?]{8,})", re.I)
#: Where or for whom, and nothing of what; and so short is what was said before it.
_WHERE_TO = re.compile(
    r"\W*(?:everywhere|anywhere|in (?:all|every)|for (?:all|every\w*)|on (?:all|every)|also (?:in|on|for)"
    r"|überall|partout)\b(?! (?:we|i|you)\b)(?=[^.!?]{0,60}$)",
    re.I,
)
_SHORT_BEFORE = 6
#: What an agent is at: "Posting the review with points 1 to 5".
_AT_IT = re.compile(
    r"(?!during|string|nothing|something|anything|everything|thing|ring|missing|existing|caching|logging|testing)"
    r"[a-z]+ing (?:the|a|an|it|this|that|these|now|your|my|all|on|to)\b"
    r"(?!.*\b(?:is|are|was|were|has|have|must|should|needs?|stays?)\b)",
    re.I,
)
#: So many things that were not spoken of before are a point of one's own.
_ADDED = 2
_OTHERWISE = re.compile(r"\W*(?:otherwise|sonst|sinon)\b", re.I)
_NARROWS = re.compile(
    r"\b(?:only|just|nothing else|nur|seulement|solo)\b(?=\W*(?:$|[,.;:]))|\b(?:instead|rather)\b", re.I
)
_LEFT_MARK = re.compile(r"^[.,;:!?–—-]+\s+")
#: What forbids something, and what says to do it, up to where the reason may begin.
_BANS = re.compile(r"(?:do not|don['’]?t|never|stop)\b", re.I)
_LETS = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|then|hm+|no|yes|yeah|and|but)\W+)*"
    r"let['’]?s (?:go|use|make|keep|take|stay|stick|switch|move|set) [^,;(]{8,}",
    re.I,
)
_SETTLING = frozenset({"prohibit", "instead", "rule", "standing", "decide", "should", "define"})
_EXPLAINS = ("decided", "limit", "because", "recommend", "trap")


@dataclass(frozen=True, slots=True)
class Wording:
    """A memory's words."""

    title: str
    body: str


def worded(reading: UnitReading, session: SessionReading, related: UnitReading | None = None) -> Wording:
    """A title that stands alone, and a body of what was settled and why."""
    mend = session.speller.mended
    if not reading.unit.is_users:
        text = reading.unit.text
        return Wording(mend(_best_title(_agents_titles(text, 1.0), reading)), fitting(plain(text), 70))
    title = _with_exception(_best_title(_titles(reading), reading), reading.unit.text)
    return Wording(mend(title), mend(_body(reading, title, related)))


def quotes(reading: UnitReading, related: UnitReading | None = None) -> tuple[Quote, ...]:
    """The words it rests on, verbatim: the user's first, then what they answered and how it was taken up."""
    found = [_quote(reading.unit)]
    # Who rules on something of their own in the midst of small talk does not answer what was said before it.
    is_apart = reading.rules_itself and not reading.answers_it
    chosen = 3 if reading.proposal.how is ReplyMatch.ITEM and _is_choice(reading.unit) else 1
    passages = [] if is_apart else list(reading.proposal.passages[:chosen])
    if related is not None:
        found.append(_quote(related.unit))
        # What was answered says less than what came of it.
        passages = [] if reading.confirmation is not None else passages
    if reading.confirmation is not None:
        passages.append(reading.confirmation)
    return (*found, *map(_quote, passages))


def _quote(words_of: Unit | Passage) -> Quote:
    return Quote(words_of.number, words_of.number, clipped(words_of.text, QUOTE_WORDS))


# --- plain words ---------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Markdown as one line of plain text. A table's row becomes its cells."""
    text = _IMAGE.sub("", _LINK.sub(r"\1", text))
    text = _EMOJI.sub("", unmarked(_MARKS.sub("", text)))
    if text.lstrip().startswith("|"):
        text = (
            ": ".join(cell.strip() for cell in text.strip().strip("|").split("|", 1))
            .replace(" | ", ", ")
            .replace("|", ",")
        )
    return _SPACE.sub(" ", text).strip().strip("|").strip()


def statement(text: str) -> str:
    """A user's words without the small talk around them."""
    text = _BY_THE_WAY.sub("", _POLITE.sub("", plain(text)))
    for _ in range(5):
        shorter = impersonal(text)
        for pattern in (_MARK, _LEAD, _AGREED_FIRST, _LASTING, _SOFT):
            if (found := pattern.match(shorter)) is not None and len(topics(shorter[found.end() :])) >= 1:
                shorter = shorter[found.end() :]
        if shorter == text:
            break
        text = shorter
    return capital(_without_tail(text).strip(" ,;:–—-…"))


def _without_tail(text: str) -> str:
    # Only the end is looked at: a text of dots would take for ever.
    found = _TAIL.search(text, max(0, len(text) - 60))
    return text[: found.start()] if found is not None else text


def agents_statement(text: str) -> str:
    """An agent's words without the politeness and the offer."""
    text = plain(text)
    for pattern in (_MARK, _AGENT_LEAD, _OFFER):
        if (found := pattern.match(text)) is not None and len(topics(text[found.end() :])) >= 2:
            text = text[found.end() :]
            text = text.rstrip("?. ") if pattern is _OFFER else text
    return capital(text.strip(" ,;:–—-"))


def fitting(text: str, limit: int) -> str:
    """Whole sentences as far as they fit, else the beginning with a mark that it goes on."""
    if len(text.split()) <= limit:
        return _ended(capital(text))
    whole = [span for span in sentence_spans(text) if len(text[: span.end].split()) <= limit]
    if whole and len(text[: whole[-1].end].split()) * 2 >= limit:
        return _ended(capital(text[: whole[-1].end]))
    return f"{capital(clipped(text, limit)).rstrip(' ,;:(')} …"


def _ended(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?…:。！？" else f"{text}."


# --- the title -----------------------------------------------------------------------------------------------------


def _best_title(offered: Iterator[tuple[str, float]], reading: UnitReading) -> str:
    """The offer that stands best alone. The first of equals wins."""
    ranked = [(_worth(text, reading) + bonus, -place, text) for place, (text, bonus) in enumerate(offered) if text]
    if not ranked:
        return headline(capital(plain(reading.unit.text)))
    return headline(_named(capital(_without_tail(reasoned(max(ranked)[2]).statement)), reading))


def _with_exception(title: str, text: str) -> str:
    """The title with what is said right after it to be excepted, or to hold now: without that it is false."""
    said = [span.of(text) for span in sentence_spans(text)]
    for one, after in pairwise(said):
        is_part = _EXCEPTS.match(after) or _NEW_VALUE.match(after)
        if is_part and not after.endswith("?") and title.lower().rstrip(".") in plain(one).lower():
            whole = f"{title}; {_lower(plain(after).rstrip('. '))}"
            return whole if len(whole) <= TITLE_CHARS else title
    return title


def _named(title: str, reading: UnitReading) -> str:
    """The title, led by the item or the question that was replied to when it would not stand alone."""
    passages = reading.proposal.passages
    if stands_alone(title) or not passages:
        return title
    is_item = reading.proposal.how is ReplyMatch.ITEM
    head = _replied_to(reading) if is_item else _asked_for(passages[0].text) if reading.answers_it else ""
    is_said = not head or title.lower().startswith(head.lower()) or topics(head) <= topics(title)
    return title if is_said else _ruling(head, title)


def _asked_for(text: str) -> str:
    """What the agent asked last, as what the answer is about; nothing when that cannot be said otherwise."""
    question = _last_question(text).rstrip("? ")
    # "Next are snapshot tests: do you want me to add them?"
    for asked in dict.fromkeys((question, question.rpartition(": ")[2])):
        if asked and (subject := as_subject(asked)) != asked:
            return headline(subject, 90)
    return ""


def _last_question(text: str) -> str:
    asked = [span.of(text) for span in sentence_spans(text) if span.of(text).endswith("?")]
    return plain(asked[-1]) if asked else ""


def _titles(reading: UnitReading) -> Iterator[tuple[str, float]]:
    """What could be the title: the user's clauses, what they agreed to, and how the agent took it up."""
    unit, is_item = reading.unit, reading.proposal.how is ReplyMatch.ITEM
    if unit.sort is UnitRole.ANSWER:
        yield _answer_title(unit), 3.0
        return
    text = _without_choice(_lead_off(unit.text)) if is_item else unit.text
    yield from _own_titles(text)
    if is_item:
        yield from _choice_titles(reading, text)
    if PUTS_RIGHT_AT_ONCE.match(text) or (plain_rulings(text) and not reading.rules_itself):
        yield from _told_titles(reading)
    # Who says "always" says what.
    if reading.is_nod and "standing" not in reading.cues and not _rules_itself(unit.text):
        yield from _agreed_titles(reading)


def _own_titles(text: str) -> Iterator[tuple[str, float]]:
    """What the user says, clause by clause."""
    before, said = "", list(sentence_spans(text))
    for span in said:
        sentence = span.of(text)
        whole = statement(sentence)
        if before and (_rules_on_nothing(sentence) or _goes_on(before, sentence)):
            yield f"{before}: {_lower(whole)}", 4.0 + _PLAIN
        # "Uploads fail on slow lines. give it 12 seconds": nobody knows what "it" is without what is wrong.
        if rules_plainly(sentence) and points_away(sentence) and len(topics(before)) >= _OWN_POINT:
            yield f"{before}: {_lower(whole)}", _PLAIN + 1.5
        before = whole.rstrip(".")
        is_ban = _BANS.match(whole) is not None
        for clause, bonus in _clauses(sentence):
            title, cues = statement(clause), user_cues(clause)
            # Behind what is forbidden stands why.
            is_why = is_ban and not _BANS.match(title) and not cues & _SETTLING
            is_why = is_why or _OTHERWISE.match(clause) is not None
            # Words that settle something count, though the title does without them: "we don't need", "from now on".
            lost = (cues - user_cues(title)) & {"prohibit", "rule", "standing"}
            is_news = tells_change(clause) and not tells_change(title)
            # What rules plainly is the point, whatever somebody complains of before it.
            is_plain = len(said) > 1 and rules_plainly(clause)
            yield title, bonus + 1.2 + 0.4 * len(lost) + 2.0 * is_news - 2.5 * is_why + _PLAIN * is_plain
        # What one says to do is the point; what stands before it, and behind a comma, is why.
        if span.start and (point := _LETS.match(sentence)) is not None:
            yield statement(point.group()), 5.0
        # "It checks itself, so overwrite everywhere, drop swap": the same behind "so".
        if (led := _SO.search(sentence)) is not None and any(map(is_order, led["point"].split(", "))):
            yield statement(led["point"]), 5.0


def _told_titles(reading: UnitReading) -> Iterator[tuple[str, float]]:
    """What is so now, as the agent took up a ruling that names nothing: "give them a week"."""
    turn, taken_up = reading.unit.turn, reading.confirmation
    spoken_of = topics(f"{reading.unit.message.text[:_TOLD]} {reading.proposal.text}")
    text = taken_up.text if taken_up is not None else turn.after[0].text[:_TOLD] if turn and turn.after else ""
    for span in sentence_spans(text):
        told = agents_statement(span.of(text))
        title = _NOW.sub("", told)
        if _TALKING.search(title) or is_passing(title) or topics(title).isdisjoint(spoken_of):
            continue
        if _IS_SET.search(told) or (tells_change(told) and stands_alone(title)):
            yield title, 6.5


def _choice_titles(reading: UnitReading, text: str) -> Iterator[tuple[str, float]]:
    """What the user chose from a list, and what they said to it."""
    unit, passages = reading.unit, reading.proposal.passages
    if len(passages) > 1 and _is_choice(unit):
        own = "" if _BESIDES.search(text) else statement(text)
        yield _ruling(_heads(passages), own if _RULES_OUT.match(text) else ""), 8.0
    elif passages and _CHANGES_CHOICE.match(text) and _is_choice(unit):
        # "Second one but with sqlite" changes what was offered.
        yield f"{_replied_to(reading)}, {_lower(text.strip(' .'))}", 8.0
        return
    # What was chosen leads what was said to it, and not what shall be done besides.
    worth = 4.0 if _is_choice(unit) else 2.0
    if passages and (worth > 2 or len(words(unit.text)) < 16):
        own = "" if _BESIDES.search(text) else statement(text)
        yield _ruling(_replied_to(reading), own), 0.0 if _makes_its_point(own) else worth


def _agreed_titles(reading: UnitReading) -> Iterator[tuple[str, float]]:
    """What the user agreed to, as the agent had put it."""
    unit, proposal = reading.unit, reading.proposal
    if not proposal.passages:
        return
    asked = _asked_for(proposal.passages[0].text)
    if reading.gives_figures:
        question = _last_question(proposal.passages[0].text).rstrip("? ")
        yield f"{headline(asked or question, 120)}: {statement(unit.text)}", 8.0
        return
    if asked and _answers_openly(reading):
        # "15 min is fine" answers what was asked, and nothing else that the agent said.
        yield _ruling(asked, statement(unit.text)), 4.0
        return
    # Who brings things of their own says what they mean: "flow is fine. cache in the shop then, redis, 1h".
    said = topics(_lead_off(unit.text))
    if len(said) >= _OWN_POINT and len(said - topics(proposal.text)) >= _ADDED:
        return
    yield from _agents_titles(proposal.passages[0].text, 1.5)
    # The agent's words are the user's only where the user said no more than yes.
    if reading.confirmation is not None:
        yield from _agents_titles(reading.confirmation.text, 0.0 if "?" not in unit.text else 0.7, reading.whole)


def _rules_itself(text: str) -> bool:
    """ "Yes please. Make sure all fields have tooltips" agrees, and says what to do in words of its own."""
    said = (one for one in sentences(text) if not one.endswith("?"))
    return any((user_cues(one) & _SETTLING or tells_change(one)) and len(topics(one)) >= _OWN_POINT for one in said)


def _goes_on(before: str, sentence: str) -> bool:
    """Whether a sentence says where the short one before it holds: "we say du. everywhere, also in mails"."""
    return _WHERE_TO.match(sentence) is not None and 1 < len(before.split()) <= _SHORT_BEFORE


def _rules_on_nothing(sentence: str) -> bool:
    """ "Always 30, never less" says what holds, and not of what: that was said before it."""
    return "standing" in user_cues(sentence) and not topics(sentence) - RULE_WORDS


def _makes_its_point(own: str) -> bool:
    """Whether what was said to an item says enough without the item's name."""
    point = reasoned(own).statement
    return len(topics(point)) >= _OWN_POINT and is_order(point) and stands_alone(point)


def _without_choice(text: str) -> str:
    for several in (_CHOICES, _ONE_OF_THEM):
        if (named := several.match(text)) is not None:
            return text[named.end() :]
    found = _CHOICE.match(text)
    return text[found.end() :] if found is not None and not text[found.end() :].startswith("is ") else text


def _ruling(item: str, ruling: str) -> str:
    """The item and what the user said to it."""
    if len(topics(ruling)) < 1:
        return item
    if topics(item) <= topics(ruling):
        return capital(ruling)
    return (
        f"{item}, {_lower(ruling)}"
        if ruling.lower().startswith(("because", "since", "as "))
        else f"{item}: {_lower(ruling)}"
    )


def _replied_to(reading: UnitReading) -> str:
    """The item that a reply is to, denied where the reply says no."""
    item = _head(reading.proposal.passages[0].text)
    if not _is_refused(reading):
        return item
    if item.lower().startswith("no "):
        # Who is told that something is missing and says "not needed" leaves it so.
        return item
    is_deed = is_order(item) or _DOES.match(item) is not None
    return f"Do not {_lower(item)}" if is_deed else f"No {_lower(item)}"


def _is_refused(reading: UnitReading) -> bool:
    """Whether the user says no to an item that was no question."""
    if reading.proposal.how is not ReplyMatch.ITEM or _REFUSES.match(reading.unit.text) is None:
        return False
    item, ruled_out = plain(reading.proposal.passages[0].text), _RULES_OUT.match(reading.unit.text)
    if ruled_out is not None and topics(ruled_out["what"]).isdisjoint(topics(item)):
        return False
    return not item.endswith("?")


def _heads(passages: Sequence[Passage]) -> str:
    return "; ".join(_head(passage.text) for passage in passages)


def _head(text: str) -> str:
    """What an item of a list is called: its bold beginning, or its first clause."""
    bold = re.match(r"\W{0,4}\*\*([^*\n]{4,90})\*\*", text)
    called = re.sub(r"^(?:item|option|q) ?\w{1,2}[:.] *", "", plain(bold.group(1) if bold else text), flags=re.I)
    found = as_subject(called.rstrip("? ")) if called.endswith("?") else agents_statement(called)
    return headline(found, 90 if called.endswith("?") else 60).rstrip(" …?")


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _answer_title(unit: Unit) -> str:
    """The answer, led by what was asked when it does not stand alone."""
    answer = statement(unit.text.split("\nA:", 1)[-1])
    answer = re.sub(r"\s*\(recommended\)", "", answer, flags=re.I)
    asked = plain(unit.question).rstrip("?: ")
    if len(topics(answer)) >= 5:
        return answer
    return f"{headline(as_subject(asked), 120)}: {answer}"


def _agents_titles(text: str, bonus: float, about: frozenset[str] | None = None) -> Iterator[tuple[str, float]]:
    for span in sentence_spans(text):
        for clause, more in _clauses(span.of(text)):
            title = agents_statement(clause)
            if _AT_IT.match(title):
                continue
            # The agent's words make a title when they say again what the user spoke of.
            strange = 0.0 if about is None else 2.5 * (1 - min(1.0, len(topics(title) & about) / 2))
            yield title, bonus + more + 0.2 * len(agent_cues(clause) & set(_EXPLAINS)) - strange


def _clauses(text: str) -> Iterator[tuple[str, float]]:
    """The sentence, then its clauses when it is long for a title. What stands in brackets is no clause, and what holds
    on a condition is none without it."""
    yield text, 0.5
    if len(text) <= 60:
        return
    open_text = _BRACKETS.sub(lambda match: " " * len(match.group()), text)
    cuts = sorted((*_CLAUSE.finditer(open_text), *_run_on(open_text)), key=re.Match.start)
    starts = [0, *(match.end() for match in cuts)]
    ends = [*(match.start() for match in cuts), len(text)]
    is_conditional = _DEPENDS.match(open_text) is not None or asks(open_text)
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        led_by = cuts[place - 1].group() if place else ""
        is_bound = (is_conditional and start > 0) or _RESTRICTS.match(open_text, end) is not None
        # A reason is no title, and neither is the end of a list.
        is_part = _GIVES_REASON.search(led_by) or (_AND.match(led_by) and ", " in open_text[: cuts[place - 1].start()])
        if len(topics(open_text[start:end])) >= 2 and not is_bound and not is_part:
            yield text[start:end], 0.0


def _run_on(text: str) -> Iterator[re.Match[str]]:
    """Where a new sentence begins without a mark: "… beyond its name this should be a plain tool"."""
    for found in _RUNS_ON.finditer(text):
        before = words(text[: found.start()])[-1:]
        if before and before[0] not in COMMON and before[0] not in _TAKES_CLAUSE and found.start() > _LEAST_RUN:
            yield found


def _worth(text: str, reading: UnitReading) -> float:
    """How well a text stands alone as a title."""
    about = topics(text)
    worth = min(7, len(about)) * 0.45 + 2.5 * len(about & reading.whole) / max(1, len(about)) * (len(about) >= 3)
    worth += 0.4 * len(user_cues(text) & _SETTLING) + 1.5 * (stands_alone(text) + settles(text) - is_passing(text))
    worth -= 2.0 * ("?" in text) + 1.5 * bool(_DANGLING.match(text)) + 1.0 * bool(_POINTING.match(text))
    worth -= 0.8 * bool(_PERSONAL.search(text)) + 0.8 * bool(_PERSONAL.match(text)) + 0.8 * ("wondering" in text)
    worth -= 3.5 * bool(_STATUS.search(text)) + 0.8 * text.endswith((":", "…", ",")) + 1.0 * (text.count("|") > 1)
    # What is so now is the point; what was wrong before is why.
    worth += 2.0 if tells_change(text) else -2.0 * bool(_TROUBLE.search(text))
    # What is so "anyway" is why, not what.
    worth -= 1.5 * bool(_ANYWAY.search(text))
    worth -= 0.02 * max(0, len(text) - TITLE_CHARS) + 1.0 * (len(about) < 3) + 0.5 * (text.count("`") % 2)
    return worth - 0.5 * (text.count("(") != text.count(")"))


def headline(text: str, limit: int = TITLE_CHARS) -> str:
    """The text as a title: as it is when it fits, else cut after a clause, else between words."""
    text = text.strip().rstrip(".:;!, ")
    if len(text) <= limit:
        return text
    ends = [match.start() for match in _CLAUSE.finditer(text, 25) if match.start() <= limit]
    good = [end for end in ends if len(topics(text[:end])) >= 4]
    if good:
        return text[: good[-1]].rstrip(" ,.;:(")
    cut = text[: limit - 1].rsplit(" ", 1)[0]
    while len(cut.split()) > 4 and cut.split()[-1].lower().strip(",`(") in COMMON:
        cut = cut.rsplit(" ", 1)[0]
    return cut.rstrip(" ,.;:(-–—") + " …"


# --- the body ------------------------------------------------------------------------------------------------------


def _body(reading: UnitReading, title: str, related: UnitReading | None) -> str:
    """What was settled, why, and what came of it, each in a sentence or two. Statements, not talk."""
    own = _with_reason_apart(_on_the_point(reading.unit, title), _OWN_WORDS, title)
    parts = [own.statement]
    chosen, is_item = reading.proposal.passages, reading.proposal.how is ReplyMatch.ITEM
    is_refused = _is_refused(reading)
    if is_refused:
        parts = [f"{_ended(_replied_to(reading))} {own.statement}" if topics(own.statement) else _replied_to(reading)]
    elif related is not None and not _narrows(reading, related) and _goes_with(related.unit.text, own.statement):
        parts[0] += " " + fitting(_spoken(related.unit), _CONTEXT_WORDS)
    elif PUTS_RIGHT_AT_ONCE.match(reading.unit.text):
        parts = [own.statement if topics(title) <= topics(own.statement) else f"{_ended(title)} {own.statement}"]
    elif len(topics(own.statement)) < _OWN_POINT and reading.answers_it:
        # "Yes" and "2 please" say nothing by themselves: what they chose does, or what was asked.
        asked = _last_question(reading.proposal.passages[0].text) if _answers_openly(reading) else ""
        is_bare = is_item and len(topics(own.statement)) < 2
        offered = _heads(chosen) if is_bare and len(chosen) > 1 else _chosen(chosen[:2])
        offered = _with_what_was_added(offered, reading) if is_item and _is_choice(reading.unit) else offered
        said = f"{asked} {own.statement}" if asked else offered
        parts = [said] if asked or is_bare or len(topics(said)) >= _OWN_POINT else parts
    if own.why:
        parts.append(f"Why: {own.why}")
    if is_item and not is_refused and reading.answers_it and _is_choice(reading.unit):
        # "B, no second database" means what B is.
        option = _chosen(chosen) if len(chosen) == 1 else _heads(chosen)
        if _BESIDES.search(reading.unit.text):
            parts = [option]
        parts += [] if topics(option) <= topics(" ".join(parts)) else [f"Chosen: {option}"]
    if outcome := _taken_up(reading):
        parts.append(fitting(outcome, _OUTCOME_WORDS))
    return "\n\n".join(parts)


def _with_what_was_added(offered: str, reading: UnitReading) -> str:
    """What was chosen, with what the user changed of it, or ruled besides: "1 and 3. no redis"."""
    text = _without_choice(_lead_off(reading.unit.text)).strip(" .")
    own = statement(text)
    if not topics(own) or topics(own) <= topics(offered) or _BESIDES.search(text):
        return offered
    if _CHANGES_CHOICE.match(text):
        return _ended(f"{offered.rstrip('.')}, {_lower(text)}")
    return f"{_ended(offered)} {_ended(own)}"


def _answers_openly(reading: UnitReading) -> bool:
    """Whether the reply says something, and more than yes to the last question: "15 min is fine"."""
    is_said = reading.gives_figures or bool(topics(_lead_off(reading.unit.text)))
    return reading.proposal.how is not ReplyMatch.ITEM and is_said


def _is_choice(unit: Unit) -> bool:
    said = _lead_off(unit.text)
    return unit.is_lone_item or any(one.match(said) for one in (_CHOOSES, _CHOICES, _ONE_OF_THEM))


def _taken_up(reading: UnitReading) -> str:
    """How the agent put what the user agreed to, or chose from what was offered. What it made of a ruling that says
    enough by itself is its own: it may be overruled in the next turn."""
    is_reply = reading.is_nod or reading.proposal.how in {ReplyMatch.ITEM, ReplyMatch.QUESTION}
    return _stated(reading.confirmation.text, reading) if is_reply and reading.confirmation is not None else ""


def _lead_off(text: str) -> str:
    """A reply without "ok" and "yes" before it."""
    found = _LEAD.match(text)
    return text[found.end() :] if found is not None else text


def _chosen(passages: Sequence[Passage]) -> str:
    """What the agent offered, without the question that follows it."""
    lines = [line for passage in passages for line in passage.text.split("\n") if not line.rstrip().endswith("?")]
    offered = "\n".join(lines) or " ".join(passage.text for passage in passages)
    return fitting(agents_statement(" ".join(map(plain, offered.split("\n")))), _CONTEXT_WORDS)


def _narrows(reading: UnitReading, related: UnitReading) -> bool:
    """Whether it takes something back of what was said before: "first name and seats only" of "name, seats, phone"."""
    return related.unit.number < reading.unit.number and _NARROWS.search(reading.unit.text) is not None


def _goes_with(text: str, said: str) -> bool:
    """Whether other words of the user's say more of the same: not all of it again, and neither "push it" nor what went
    wrong before."""
    more, about = topics(text), topics(said)
    is_talk = any(_is_beside(one) or reports(one) for one in (span.of(text) for span in sentence_spans(text)))
    return bool(more & about) and not more <= about and not is_talk


def _stated(text: str, reading: UnitReading) -> str:
    """The sentences of an agent that state something: nobody is asked, answered or spoken to in them."""
    text = plain(text)
    said = (agents_statement(span.of(text)) for span in sentence_spans(text))
    stated = (one for one in said if _is_whole(one) and not one.endswith("?") and _TALKING.search(one) is None)
    # Whether tests pass and what was pushed is over tomorrow.
    stated = (one for one in stated if _STATUS.search(one) is None and _is_the_users(one, reading))
    # "Building the mockup now" and what else the agent was at comes before it speaks of the user's point, if at all.
    answered = reading.proposal.text if reading.is_nod else ""
    about = reading.about.union(topics(reading.unit.question), topics(answered))
    return " ".join(map(_ended, dropwhile(lambda one: about.isdisjoint(topics(one)), stated)))


def _is_whole(sentence: str) -> bool:
    """Whether it is no piece of code or of a quote that was taken for a sentence."""
    return bool(sentence) and sentence.count("(") == sentence.count(")") and not sentence.count('"') % 2


def _is_the_users(sentence: str, reading: UnitReading) -> bool:
    """Whether an agent's sentence may stand beside the user's. It tells what came of it; a rule is not for an agent to
    add, so one that rules has to speak of what the user spoke of."""
    if not is_order(sentence) and "limit" not in agent_cues(sentence):
        return True
    about = topics(sentence)
    theirs = reading.whole if reading.is_nod else reading.about
    return bool(about) and len(about & theirs) >= _SHARED * len(about)


def _on_the_point(unit: Unit, title: str) -> str:
    """Of what somebody said in one breath, the sentence that the title is made of and those that go with it. What they
    asked for beside it, and what they said of something else, is not of this memory."""
    text, about = _spoken(unit), topics(title)
    spans = list(sentence_spans(text))
    said = [span.of(text) for span in spans]
    shared = [len(topics(one) & about) for one in said]
    point = max(range(len(said)), key=lambda place: shared[place], default=0)
    if unit.sort is UnitRole.ANSWER or len(said) < 2 or shared[point] * 2 < len(about):
        return text
    first, last, about = point, point, topics(said[point])
    # What else they stated goes with it. Nobody knows what "it" is without the sentence before, whatever that tells.
    while first and not _is_beside(said[first - 1]):
        is_told = reports(said[first - 1]) or _OF_SELF.match(_lead_off(said[first - 1]))
        if is_told and stands_alone(statement(said[first])):
            break
        first -= 1
    # There is no room for all of it: what leads up to the point goes, and never the point.
    while first < point and len(text[spans[first].start : spans[point].end].split()) > _OWN_WORDS:
        first += 1
    for place in range(point + 1, len(said)):
        is_elsewhere = about.isdisjoint(topics(said[place])) and _TURNS.match(said[place])
        if (_is_beside(said[place]) or is_elsewhere) and not _NEW_VALUE.match(said[place]):
            break
        last = place
    return text[spans[first].start : spans[last].end]


def _is_beside(sentence: str) -> bool:
    """Whether it asks, or asks for something that is over when it is done."""
    is_over = is_passing(statement(sentence)) and is_errand(sentence)
    is_over = is_over and not (tells_change(sentence) or rules_plainly(sentence))
    return sentence.endswith("?") or asks(sentence) or is_over


def _with_reason_apart(text: str, limit: int, title: str) -> Reasoned:
    """The sentences as far as they fit, with the first reason taken out of them, if it is one for what the title says:
    "X for entries, and accounts stay Y because …" gives none for X."""
    text = fitting(text, limit)
    for span in sentence_spans(text):
        found = reasoned(span.of(text))
        if found.why and not _ends_on_another(found.statement, title):
            rest = f"{text[: span.start]}{_ended(found.statement)}{text[span.end :]}"
            return Reasoned(capital(rest), _ended(capital(found.why)))
    return Reasoned(text)


def _ends_on_another(said: str, title: str) -> bool:
    """Whether what stands right before a reason is not what the title speaks of."""
    ends = [word for word in words(said) if topics(word)][-_LAST_WORDS:]
    return bool(ends) and topics(" ".join(ends)).isdisjoint(topics(title))


def _spoken(unit: Unit) -> str:
    """What the user said, without the reply it begins with, and without the end of what was taken out before it."""
    text = _LEFT_MARK.sub("", plain(unit.text))
    if unit.sort is UnitRole.ANSWER:
        answer = statement(unit.text.split("\nA:", 1)[-1])
        return f"{fitting(plain(unit.question), 25)} {answer}"
    for _ in range(3):
        for pattern in (_CHOICES, _CHOICE, _LEAD, _EMPTY):
            found = pattern.match(text)
            if found is not None and len(topics(text[found.end() :])) >= 2:
                text = text[found.end() :]
    return _TO_BE_KEPT.sub("", text).strip() or text
