"""What sentences of agents look like: those that tell of work, of causes, of what is left, and those that tell nothing.

Each pattern is a list of phrases, several to a line, separated by ` | `.
"""

from __future__ import annotations

import re

from lerim.glance import Together, seldom
from lerim.ingest.signals.summary_later import NOD

#: What each sentence of an agent's is looked through for.
_TOLD = Together()
_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def _phrases(listed: str, *, start: bool = False) -> re.Pattern[str]:
    """Any of the phrases as whole words, anywhere or at the start of a text."""
    parts = [part.strip() for line in listed.strip().splitlines() for part in line.split(" | ") if part.strip()]
    edge = "^" if start else r"\b"
    return re.compile(rf"{edge}(?:{'|'.join(parts)})(?!\w)", re.IGNORECASE)


DONE = _phrases(r"""
    fixed | added | removed | replaced | updated | changed | created | renamed | moved | merged | committed | pushed
    implemented | switched | reverted | deleted | rewrote | rewritten | extracted | refactored | introduced | documented
    verified | confirmed | resolved | simplified | split | squashed | rebased | opened | closed | disabled | enabled
    dropped | kept | built | wired | pinned | amended | addressed | ported | found | now
""")
FOUND = _phrases(r"""
    root cause | the (?:real |actual |underlying )?(?:cause|culprit|problem|issue|bug|reason)(?: is| was|:) | caused by
    turns? out | was due to | the fix (?:is|was) | (?:fail|broke)\w* because
""")
#: How an agent begins the sentence that tells the cause it was looking for, or says that the next one does.
LEADS_CAUSE = _TOLD.seldom(
    r"\W*(?:(?:ok(?:ay)?|ah+|aha|right|yes|and|so),? )?(?:found (?:it|the (?:cause|culprit|problem|bug|reason))"
    r"|there it is|that (?:is|was) it|reproduced(?: it)?|confirmed|verified|root cause(?: found| identified)?"
    r"|prove[nd]?|solved"
    r"|mystery solved|gefunden|trouvé|encontrado)(?: now)?\W*(?:[:.!–—,-]|$)",
    re.IGNORECASE,
)
#: What an agent concludes from what it just told.
CONCLUDES = re.compile(
    r"(?:so|therefore|hence|that means|also|deshalb|darum|donc|entonces|quindi),? (?:the|it|they|every|each|all|no|der"
    r"|die|das|es|le|la|les|el|los|il)\b",
    re.IGNORECASE,
)
LEADS_ON = re.compile(r"^(?:so|therefore|hence|also|deshalb|darum|donc|entonces|quindi),? ", re.IGNORECASE)
#: What calls itself one.
NAMES_CAUSE = seldom(
    r"\b(?:causes?d?|culprit|the (?:real )?(?:reason|problem|bug|issue)|because|ursache|grund|weil|causa|raison"
    r"|parce que"
    r"|porque)\b",
    re.IGNORECASE,
)
FOUND_IT = re.compile(r"\W*(?:found (?:it|the)|gefunden|trouvé|encontrado)\b", re.IGNORECASE)
IS_THE_CAUSE = _TOLD.seldom(
    r"\b(?:root cause|the (?:real |actual |underlying )?(?:cause|culprit)) (?:is|was)\b"
    r"|^\W*(?:the )?(?:root |real |actual |underlying )?(?:cause|culprit):|\(root cause\):",
    re.IGNORECASE,
)
#: How a cause is told with no such word; and a fault by its name.
TELLS_CAUSE = _TOLD.seldom(
    r"\b(?:comes?|came|stems?|stemmed|results?) (?:straight |directly )?from\b|\b(?:is|are|was|were) (?:all )?(?:due to"
    r"|caused by)\b|\b(?:happens?|fails?|hangs?|crash(?:es)?|breaks?|dies?|stops?|was|is|are|were"
    r"|(?:was|is|are|were|came out|got)(?: \w+)? (?:wrong|late|slow|empty|blank|missing|doubled|off|short))"
    r" because\b"
    r"|\bthat(?:['’]s| is| was) why\b"
    r"|\b(?:is|was|it['’]s|that['’]s) an? (?:classic )?(?:\w+ )?(?:deadlock|race|leak|overflow|off-by-one|typo|livelock"
    r"|regression|use[- ]after[- ]free|time ?zone (?:bug|problem|issue)|cache (?:bug|problem|issue))\b"
    r"|\b(?:liegt|lag) (?:daran|an)\b|\bkommt (?:daher|davon|aus|von)\b|\b(?:schuld|ursache|der grund) (?:ist|war)\b"
    r"|^(?:die |der |das )?(?:ursache|grund|problem):|\bist ein(?:e)? (?:deadlock|race\w*|überlauf|wettlauf)\b"
    r"|\b(?:vient|viennent|provient|provenait|venait) d(?:e|u|es)\b|\bà cause d(?:e|u|es)\b|\bla cause (?:est|:)"
    r"|\bse deb(?:e|ía|en) a\b|\b(?:viene|vienen|venía) de\b|\bla causa (?:es|era|:)|\bpor culpa de\b"
    r"|\bdeve-se a\b|\bvem d[aoe]s?\b|\bdipende da\b|\bè dovuto a\b|\bkomt door\b",
    re.IGNORECASE,
)
#: What tells how a check ended tells no cause.
PASSES = seldom(r"\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|works? (?:now|again)|exit code)\b", re.IGNORECASE)
#: Who looks for one: they tell what goes wrong, or ask why.
LOOKS_FOR_CAUSE = seldom(
    r"\b(?:why|how come|what(?:['’]?s| is| was) (?:wrong|going on|happening|broken)|find out|figure out|any ideas?"
    r"|debug"
    r"|wrong|broken?|breaks|fail(?:s|ed|ing)?|crash(?:es|ed)?|hang(?:s|ing)?|hung|stuck|dies?|died|slow|leak(?:s|ing)?"
    r"|bugs?|errors?|does ?n[o'’]t|doesnt|not working|missing|disappear\w*|vanish\w*|doubled?|twice|too (?:much|many"
    r"|few)"
    r"|since (?:the |our |my )?(?:last |latest )?(?:update|upgrade|deploy\w*|release|change|merge|yesterday)"
    r"|complain\w*"
    r"|(?:too )?late|hates?|out of (?:sync|step)|gaps?|seams?|corrupt\w*|flaky|lost|loses"
    r"|warum|wieso|weshalb|woran|falsch|kaputt|hängt|stürzt|fehler|fehlt|doppelt|lücken?|pourquoi|erreur|plante|bloqué"
    r"|lent|faux|double|por ?qu[eé]|error|falla|lento|roto|mal|porquê|erro|perché|errore|waarom|fout)\b",
    re.IGNORECASE,
)
#: What an agent takes for the cause and has not shown.
SUSPECTS = _TOLD.seldom(
    r"\b(?:suspect(?:s|ed)?|suspicion|suspicious|my (?:first |best )?(?:bet|guess|theory|idea)|hypothes[ie]s"
    r"|probably|presumably|likely|(?:might|could|may) (?:be|have|come)|i (?:think|assume|guess|believe)"
    r"|it (?:looks|seems|sounds) like|seems to|looks like|vermutlich|wahrscheinlich)\b",
    re.IGNORECASE,
)
CAUSE = re.compile(rf"{FOUND.pattern}|\b(?:because|since|mismatch)\b", re.IGNORECASE)
CHECKED = re.compile(
    r"(?:all )?(?:\d+ )?\b(?:tests?|lint|build|checks?|CI)\b.{0,40}\b(?:pass(?:es|ed|ing)?|green|clean|succeed\w*"
    r"|fail\w*)\b",
    re.IGNORECASE,
)
CHOSEN = _phrases(r"""
    decided | chose | chosen | settled | agreed | opted | instead of | rather than | rejected | declined | trade-?off
    kept
""")
#: Said to the user rather than told of the work.
ADDRESSED = _phrases(r"you | your | you['’]\w+")
NARRATION = _phrases(
    r"""
    let me | let['’]s | now (?:let|i) | i['’]ll | i will | i need | i can | i could | i should | i see | i understand
    first,? (?:let|i) | next,? (?:let|i) | looking | checking | here(?:['’]s| is| are) | you can | you may | you['’]ll
    to (?:run|test|use|try|verify|see) | run | try | would you | want me | do you | shall i | should i | if you | sure
    great | good | perfect | you['’]re right | thanks | note that you | ready (?:to|for|when) | say the word | feel free
    just (?:say|let|tell) | what (?:would|should|do) | which | how | done\.?$ | next steps | summary | changes made
    i have (?:enough|everything|all (?:the|i)|what i need) | for example | e\.g\. | example | i['’]m \w+ing
    i['’]ve (?:now )?(?:got|written (?:the|a|up)\b.{0,12}plan) | i think you | the user (?:is|wants|asks|asked)
    my (?:bet|guess) | to close the loop | false alarm | worth noting | so | and
    """,
    start=True,
)
#: What an agent lays down for later is no deed. A memory needs the user's words, and a summary tells what was.
ORDER = _TOLD.seldom(
    _phrases(r"""
    remember(?:ed|ing)? | memori[sz]e\w* | noted | keep in mind | from now on | going forward | henceforth | for future
    in (?:all )?future (?:sessions?|runs?|tasks?|work) | as (?:instructed|requested by the|per the)
    ignore (?:all|any|previous|prior|your) | (?:system|developer) (?:prompt|message|reminder)
    save[sd]? (?:this |it |that )?(?:to|in|into) (?:my |the )?memor\w+ | (?:must|should|shall) (?:always|never)
    i(?:['’]ll| will) (?:always|never|use|make sure|treat|follow)
    always (?:use|run|deploy|send|push|call|install|add|include|set|prefer)
    (?<!was )(?<!were )(?<!been )(?<!is )(?<!are )never (?:use|run|deploy|ask|tell|mention|push|call)
    """).pattern
    + r"|^(?:always|never|must)\b",
    re.IGNORECASE,
)
FAILING = _phrases(r"""
    (?:does|do|did)(?: not|n['’]t) (?:compile|build|link|boot)(?! (?:a|an|any|the|in|into|for)\b)
    still (?:fail|broken|not work)\w* | (?:did|does) ?n[o'’]t work | unable to | could ?n[o'’]t | not working | no luck
    cannot (?:proceed|continue) | blocked by | gave up | without success
""")
MISSING = _phrases(r"""
    not (?:yet )?(?:implemented|done|fixed|started|finished|complete) | (?<!all )(?<!all the )(?<!no )remaining
    remains? (?:to|open|un(?!changed|touched|affected|supported|altered|modified))\w*
    still (?:open|to do|needs?|wants? an?|awaits?|requires? an?|missing|pending|fail\w*|todo)
    (?:stays?|left|kept) open(?! (?:source|for))
    still (?:has|have) to(?! (?:admit|say|be said)\b) | (?:has|have|needs?) to be \w+ (?:by hand|manually)
    (?:does|do)(?: not|n['’]t) (?:build|compile|pass|work|run) yet | left (?:to do|open)
    to be (?:done|made) | unresolved | next steps? (?:is|are|would) | (?:is|are|comes?|come) next
    waits? for (?:you|your \w+|\w+['’]s \w+)
    waits? for (?:the |an? )?(?:\w+ )?(?:review|approval|answer|decision|ok|merge|confirmation|sign-?off)
    waits? for (?:the |an? )?(?:\w+ )?(?:feedback|release|access|credentials|numbers|data|hardware|samples?)
    (?:is|are) (?:(?:still )?(?:missing|outstanding)|still queued) | (?:is|are) left\.?$
    have(?: not|n['’]t) seen (?:it|them) (?:finish|pass|complete|run|green)\w*
    (?:is|are|have)(?: not|n['’]t)(?: been)? (?!supported|known|needed|used)\w+(?:e[dn]|wn|ne|lt|ut) (?:\w+ ){0,3}yet
    still to be \w+ | queda(?:n)? pendientes? | il reste(?: encore)? à | fehl(?:t|en) noch | steh(?:t|en) noch aus
    (?:ist|sind|wurden?|haben?) noch nicht
""")
#: Nobody had decided yet: over when the user has answered.
UNDECIDED = _TOLD.seldom(
    r"\bno (?:rule|decision|policy|convention|agreement)\b.*\byet\b"
    r"|\bneeds? (?:a|your) (?:decision|choice|ruling|call)\b"
    r"|\b(?:undecided|not (?:yet )?decided|open question)\b|^(?:options?|alternatives|possibilities)\b",
    re.IGNORECASE,
)
#: What the agent would do: told only when nobody answered it.
WOULD = re.compile(
    r"\b(?:i['’]d|i would|we could|i could|i (?:propose|suggest|recommend)"
    r"|my (?:suggestion|proposal|recommendation)|(?:could|might) be worth)\b",
    re.IGNORECASE,
)
#: What could be: of no interest once the user has said what shall be.
PROPOSES = _TOLD.seldom(
    rf"{WOULD.pattern}|\bwould be (?:a |an |the )?(?:\w+ly )?(?:reasonable|good|sensible|fine|better|best|enough"
    r"|simpler"
    r"|simplest|safer|easier|cleaner|default|option)\b|\b(?:you|they|it|that|this) (?:could|might) (?:also )?"
    r"(?:go|be|use"
    r"|have|take|live|keep|make)\b|\beither (?:works|way|is fine)\b",
    re.IGNORECASE,
)
#: The words that call the points of a message ways to choose from.
WAYS = seldom(
    r"\b(?:options?|ideas|ways|alternatives|approaches|either|choices|possibilities|which|shapes|candidates|variants"
    r"|propos(?:e|als?)|suggest(?:ions?)?|recommend(?:ations?)?)\b",
    re.IGNORECASE,
)
#: Work that its author calls unfinished.
UNFINISHED = re.compile(r"^\W*(?:wip|draft|fixup!|tmp|temp)\b", re.IGNORECASE)
REMAINING = _TOLD.seldom(
    rf"{MISSING.pattern}|\b(?:not (?:yet )?(?:run|tested|verified|pushed|committed|merged|released|deployed|created"
    r"|published|executed|applied)|pending|deferred(?=\W*(?:$|[.,;:)—–]|(?:until|till|for|because|since|by"
    r"|to (?:the|an?|v?\d|later|next))\b))"
    r"|(?-i:TODOs?))\b"
    r"|^(?:next|left|open|offen|to ?do|outstanding|not done(?: yet)?)\s*[:–—-]",
    re.IGNORECASE,
)
#: What is said of what is open, and leaves nothing to do.
NOTHING_OPEN = re.compile(
    r"\b(?:no|zero|without(?: any)?) (?:\w+ )?(?:remaining|outstanding|pending|open|todos?)\b"
    r"|\b(?:not|n['’]t) (?:a )?block(?:ing|ers?)?\b|\bnone (?:is|are|remain)"
    # Where nothing was to be run.
    r"|\bnot run \W?(?:(?:docs?|documentation|review|read|static|planning|plan|config|text|markdown)\b"
    r"|(?:no|not) (?:code|requested|needed|necessary|applicable|required))",
    re.IGNORECASE,
)
#: Below "Open" nobody has to read that it is.
LEFT_LABEL = re.compile(
    r"^(?:also,?\s+)?"
    r"(?:(?:left(?: to do)?|(?:still )?open(?: \w+ you want (?:it|them)| for (?:later|you))?|offen|to ?do"
    r"|outstanding|not done(?: yet)?)\s*[:–—-]\s*)?(?=\S)",
    re.IGNORECASE,
)
#: A sentence that tells of something done, whatever it speaks of besides.
TELLS_DEED = re.compile(rf"^(?:(?:i|we)(?: have|['’]ve)? )?(?:also )?{DONE.pattern}(?<!now)", re.IGNORECASE)
OFFER = re.compile(
    r"^(?:¿ ?)?(?:want me to|would you like me to|shall i|should i|do you want me to|soll ich|dois-je|veux-tu que je"
    r"|voulez-vous que je"
    r"|quieres que|devo|vuoi che|queres que|zal ik)\s+(?P<deed>.+?)\s?\?",
    re.IGNORECASE,
)
TRAILING_OFFER = re.compile(
    r"\s*[—–,;.(-]+\s*(?:want me|would you|shall i|should i|let me know|say the word|do you want|just say|if you).*$",
    re.IGNORECASE,
)
#: A question that nobody has to answer: what was asked for is done.
COURTESY = _phrases(r"""
    anything else | what(?:['’]s| is) next | what (?:would|do) you (?:like|want) (?:me )?(?:to )?(?:do|work|tackle) next
    any (?:other )?questions | make sense | how (?:can|may) i help | (?:shall|should) we (?:move on|continue|wrap up)
    want me to | would you like (?:me )?to | do you want (?:me )?to | shall i | should i | need (?:me|anything)
""")
#: An agent's last words that say what it does next: it did not come to that.
ANNOUNCES = re.compile(
    r"(?:now|next|then),? (?:i['’]?ll|i will|i am going to|i['’]m going to|let me)\b.{3,}"
    r"|(?:(?:ok(?:ay)?|sure|first|yes),? )?(?:i['’]?ll|i will|let me|i['’]m going to) (?:first |also "
    r"|quickly )?(?:start|begin|look|check"
    r"|read|run|try|add|write|implement|fix|create|update|search|investigate|inspect|set up|build|continue|proceed)\b"
    r"(?!.*\b(?:if|once|when|after|as soon as|unless|tomorrow|later|next time|from now on)\b).{3,}"
    r"|(?:i['’]?ll|i will|let me) (?:now|next|then)\b.{3,}|(?:now )?(?:let me|i['’]?ll)\b.{3,}:",
    re.IGNORECASE,
)
#: What somebody calls something, in quotes, says nothing of how far it is.
QUOTED = re.compile(r"\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|(?<!\w)['‘][^'’\n]{1,80}['’](?!\w)|`[^`\n]{1,80}`")
#: Who says so asks for nothing now: they do it themselves, refuse it, or put it off.
PUT_OFF = _phrases(r"""
    leave (?:it|that|this|them|the rest)(?: (?:as (?:it|they) (?:is|are)|alone|for .+))? | later | tomorrow | next week
    not now | not today | another (?:day|time) | (?:on |until |till |for )?(?:mon|tues|wednes|thurs|fri|satur|sun)day
    (?:not|dont|\w+n['’]t)\b[^.?!]{0,40}\b(?:before|until|till)
    myself | i(?:['’]ll| will| am going to| can) | after the | no need | morgen | später | mach ich | demain | mañana
    amanhã | depois
""")
#: Who forbids something wants nothing done.
FORBIDS = re.compile(r"\W*(?:(?:and|but|so|please|pls) )?(?:don['’]?t|do not|never)\b", re.IGNORECASE)
#: What somebody says they do themselves asks for no answer.
OWN_TURN = re.compile(r"\W*(?:(?:left |open )?for me\b|my (?:todo|task|part)\b|note to self\b)", re.IGNORECASE)
#: What somebody says is left to do.
NAMES_LEFT = re.compile(
    r"^\W*(?:(?:what['’]?s )?(?:still )?(?:left(?: for (?:me|us))?|open|missing|remaining|to-?do)"
    r"|(?:noch )?offen|fehlt noch)\s*:\s*(?P<rest>.{4,200})$"
    r"|(?:^|[,;] ?(?:and |but )?|\b(?:and|but) )(?P<thing>(?!it\b|that\b|this\b|what\b|is\b|are\b)[\w][\w '/.-]{2,60}?)"
    r" (?:(?:is |are )?still (?:open|missing|left|pending|to ?do|to be done|not (?:done|there|written|built|tested))"
    r"|(?:is|are) (?:missing|open|not (?:done|there|written|built|tested)) (?:still|yet)|fehlt noch)\W*(?:$|,| but\b)",
    re.IGNORECASE,
)
#: What an agent says first that it did.
TELLS_PAST = re.compile(r"^\W*(?:(?:i|we)(?: have|['’]ve)? )?(?:also |now )?\w+(?:ed|[iu]lt|ut|ote|ent|it|ade)\b", re.I)
#: Who has not made up their mind.
WAVERS = seldom(
    r"\b(?:let me (?:first )?(?:ask|check with|talk (?:to|with))|sleep on (?:it|that|this)|sleep over (?:it|that)"
    r"|think (?:about it|it over|that over|about that|on it)"
    r"|mull (?:it|that) over|decide (?:that |it |this )?(?:later|tomorrow|tmrw|next|when|on)|can(?:no|['’])?t decide"
    r"|(?:do ?n['’]?o?t|have ?n['’]?t|not) (?:know|decided|made up my mind)(?: that| it)? yet|undecided|not sure yet"
    r"|i(?:['’]ll| will| have to| need to| must)? (?:first )?ask (?!(?:you|for|it|that|about|myself|again|me)\b)\w+"
    r"|no idea yet|muss ich (?:noch )?überlegen)\b",
    re.IGNORECASE,
)


#: Whoever leaves the choice to the agent has chosen.
LEAVES_CHOICE = re.compile(
    r"\b(?:you (?:decide|choose|pick)|up to you|your call|whatever|what would you)\b", re.IGNORECASE
)
_POINTED = (
    r"(?:it\b|them\b|one(?=\W*$| (?:up|too|in|out)\b)|(?:that|this|those|these)(?=\W*$"
    r"| (?:in|on|to|for|too|also|as|with|at|by|from|up|out|tomorrow|tmrw|later|next|when|after|then|now"
    r"|first|myself|tonight|not)\b))"
)
#: A sentence whose thing stands in another: "It's not built", "Build it".
POINTS_AT = re.compile(
    rf"^{NOD}(?:(?:it|they)\b|(?:thats|(?:that|this|these|those)['’]s)\b"
    r"|(?:that|this|these|those)(?: (?:is|are|was|were|has|have|had|needs?|takes?|does"
    r"|do|did|would|will|can|could|should|is ?n['’]t|still|also|only|not|goes|comes|works?|remains?)\b|\W*$)"
    r"|(?:(?:\w+ (?:still )?(?:has|have|needs?|ought|will have) to|\w+ (?:must|should|will|can)"
    r"|(?:i|we)(?:['’]?ll)?) )?"
    rf"(?:also |still )?(?!(?:as|if|when|so|with|like|is|are|was|can|could|does|do|did|will|would|should)\b)\w+"
    rf" (?:(?:at|into|on|up|over|about|back) )?{_POINTED}"
    r"|(?:not|nothing)(?: \w+)?\W*$)",
    re.IGNORECASE,
)
#: A deed and nothing else.
ONLY_POINTS = re.compile(
    r"(?:\w+ (?:it|that|this|them|those|both|one)(?: (?:too|now|as well|for you|up|in|out|on|off|myself))*"
    r"|(?:it|that)(?:['’]s| is) not (?:built|there|done|possible|implemented|supported)(?: yet)?|not yet)",
    re.IGNORECASE,
)
#: What the agent says that it could do.
COULD = re.compile(
    r"^(?:i|we) (?:can|could|might)(?: also| then)? (?!not\b|only\b|see\b|confirm\b|reproduce\b|tell\b|say\b)"
    r"(?P<deed>.+?)(?:,? (?:if you|which|whenever|when you|but)\b.*)?[.!]?$",
    re.IGNORECASE,
)


#: Who says that something is left to do; and who leaves it so, whatever else they want.
TELLS_LEFT = seldom(
    r"\b(?:not\b[^.]{0,60}\byet|still (?:needs?|has|have|is|are|to be)|yet to|remains?|(?:is|are) missing"
    r"|noch nicht|noch die alte\w*|fehlt|fehlen|steht noch|muss noch|müssen noch"
    r"|il reste|reste(?:nt)? à|manque(?:nt)?|pas encore|queda(?:n)?|faltan?|todavía|aún|ainda|manca(?:no)?|non ancora"
    r"|nog niet|moet(?:en)? nog)\b|n['’]t\b[^.]{0,60}\byet\b",
    re.IGNORECASE,
)
#: The same of what somebody has to do, and not of how things are.
STILL_HAS_TO = re.compile(
    r"\bstill (?:has|have|needs?) to (?:be \w+|run|check|sign|approve|test|confirm|review|decide|measure|send|order)\b"
    r"|\bstill (?:has|have) to\b.{0,60}\bby (?!now\b|then\b|hand\b)\w+"
    r"|\b(?:is|are) not (?:deployed|merged|released|migrated|measured|published|configured|rolled out|run|tested)\b"
    r"[^.]{0,30}\byet\b|\b(?:is|are) still (?:open|to do|pending|missing)\b"
    r"|\b(?:remains?|is) to be (?:done|run|tested)\b"
    r"|\b(?:is|are|was|were|stays?) left (?:for|to) (?-i:[A-ZÀ-ÖØ-Þ])\w+"
    r"|\b(?:workers?|(?:sub)?agents?|jobs?|runs?|builds?|pipelines?|imports?|migrations?|trainings?)\b[^.;:]{0,30}"
    r"\b(?:is|are) still (?:running|in progress|queued|under way|working on)\b"
    r"|\b(?:muss|müssen) noch\b|\bfehl(?:t|en) noch\b|\bsteh(?:t|en) noch aus\b"
    r"|\b(?:ist|sind|wird|werden) noch nicht\b|\bil reste(?: encore)? à\b|\breste(?:nt)? à\b|\bmanque(?:nt)? encore\b"
    r"|\bn(?:e |['’])(?:est|sont) pas encore\b|\bqueda(?:n)? (?:pendientes?|por)\b|\bfaltan? por\b"
    r"|\b(?:todavía|aún) no (?:está|están|se)\b|\bainda não (?:está|estão|foi)\b|\bfalta (?:testar|fazer)\b"
    r"|\bnon (?:è|sono) ancora\b|\bmanca(?:no)? ancora\b|\bmoet(?:en)? nog\b|\b(?:is|zijn) nog niet\b",
    re.IGNORECASE,
)
_RUNS = (
    r"(?:(?:run|ran)(?! it\b)|appl(?:y|ied)|deploy(?:ed)?|push(?:ed)?|publish(?:ed)?|migrated?|executed?|restart(?:ed)?"
    r"|upload(?:ed)?"
    r"|sent|send|install(?:ed)?|import(?:ed)?|releas(?:e|ed)|backfill(?:ed)?|translated?|rolled out|switched on"
    r"|printed)"
    # What was not checked is a caveat, and no work that is left.
    r"(?! (?:[\w'’-]+ ){0,4}?(?:tests?|suite|specs?|checks?|lint\w*|build|e2e|benchmarks?)\b)"
)
#: What an agent says that it, or nobody, has run: it is there, and did nothing yet.
NOT_RUN = _TOLD.seldom(
    rf"\b(?:i|we) (?:have ?n[o'’]t|have not|did ?n[o'’]?t|did not|could ?n[o'’]?t|could not)(?: yet)? {_RUNS}\b"
    rf"|\b(?:was|were|is|are|has|have)(?: ?n['’]t| not| never)(?: yet)?(?: been)?(?: yet)? {_RUNS}"
    r"(?: (?:yet|so far|on|in|against|with|to)\b|\W*$)"
    r"|\b(?:ich habe?|habe? ich)\b[^.;]{0,60}\bnicht (?:ausgeführt|angewendet|eingespielt|ausgerollt|übersetzt"
    r"|gestartet)"
    r"|\b(?:ist|sind|wurden?)\b[^.;]{0,40}\bnicht (?:ausgeführt|angewendet|eingespielt|ausgerollt|übersetzt)\b"
    r"|\bje n['’]ai pas (?:\w+ )?(?:lancé|exécuté|appliqué|déployé|publié|traduit)"
    r"|\bno (?:lo |la |los |las )?he (?:ejecutado|aplicado|desplegado|publicado|traducido)"
    r"|\bnão (?:executei|apliquei|publiquei|rodei)\b",
    re.IGNORECASE,
)
#: Who tells why something went wrong leaves nothing open by it.
TELLS_WHY = re.compile(
    r"\b(?:because|since|so that|that(?:['’]s| is) why|therefore|hence|as a result|which is why|weil|deshalb|daher"
    r"|parce que|c['’]est pourquoi|porque|por eso)\b|,? so\b",
    re.IGNORECASE,
)
STILL = re.compile(r"\b(?:still|not|yet|missing|old|todo|open|remains?|left)\b|n['’]t\b", re.IGNORECASE)
LEAVES_IT = re.compile(
    r"\b(?:later|tomorrow|tmrw|tonight|on the weekend|next (?:week|sprint|time)|another (?:day|time)|not today|myself"
    r"|(?:fine|ok) for today"
    r"|\w+ (?:does|will do) (?:it|that)|mach(?:e|en)? (?:ich|wir)|morgen|nächste woche|später|mañana|demain"
    r"|plus tard)\b",
    re.IGNORECASE,
)
#: Who says how it is to be done from then on waits for nothing.
RULES_ON = re.compile(
    r"\W*(?:(?:and|also|btw|ok(?:ay)?|oh|fyi|nice|great|thanks|but)[ ,]+)*"
    r"(?:when(?:ever)?\b|every ?time\b|from now on\b|next time\b|in (?:the )?future\b|always\b|never\b)",
    re.IGNORECASE,
)
#: What only says that something follows.
COUNTS = re.compile(
    r"(?:ok(?:ay)?,? )?(?:(?:just )?(?:some|a few|a couple of|two|three|four|five|one) )?(?:\w+ )?"
    r"(?:things?|questions?|points?|notes?|changes?|stuff|items?)(?: up ?front| first| for you)?"
    r"|(?:(?:eine )?(?:kurze|kleine) frage|(?:a )?quick question|(?:petite )?question(?: rapide)?"
    r"|una pregunta(?: rápida)?)"
    r"(?: (?:vorab|first|up ?front|d['’]abord|antes|vorweg|zuerst))?|(?:dann )?das eigentliche"
    r"|(?:(?:ok(?:ay)?|so|and|now),? )*(?:the )?(?:big|real|main|important|next|other|last) (?:one|thing|part)",
    re.IGNORECASE,
)
#: The same of an agent, before its points.
COUNTS_UP = re.compile(
    r"\W*(?:there (?:are|were) |i (?:found|see|have) |found |we have )?(?:two|three|four|five|six|several|some"
    r"|a (?:few|couple of)"
    r"|\d+) (?:\w+ ){0,2}?(?:things|points|problems|issues|causes|reasons|findings|places|bugs|options|ways"
    r"|candidates|parts"
    r"|steps|notes|remarks|observations)(?: (?:stand|stood|come|came|are|were|to|here|out|left|up|worth|matter|know"
    r"|note|say|it|this"
    r"|that|mention|involved|at|work|in|play))*[.:!]?",
    re.IGNORECASE,
)
#: Who says so ends the talk, whatever else is in it.
CLOSES = _phrases(r"""
    (?:we are|we['’]?re|i['’]?m|i am|that['’]?s|thats) (?:all )?(?:done|finished|it|all|fine|ok|enough)
    is mine | remind me
    no more for (?:now|today) | call it a day
""")
PLEADS = _phrases(r"please | pls | plz | (?:and )?(?:now|next) the | bitte | por favor | s['’]il te pla[iî]t")
#: What stays as it is wants nothing done.
STAYS = re.compile(r"(?:then )?(?:keep|leave|stay|stick|wait|let)\b|then no\b", re.IGNORECASE)
#: Who disputes what was said right before.
DISPUTES = re.compile(
    r"\W*(?:no|nope|nah|wrong|not true|(?:that|this|it)(?:['’]?s| is)(?: not|n['’]t)? (?:it|wrong|right|true|the cause)"
    r"|i don['’]?t (?:think|believe)|can['’]?t be|impossible"
    r"|(?:i |we )?(?:already )?(?:tried|checked|ruled|tested|did|changed|replaced|swapped|updated) (?:that|it|this)\b"
    r"|(?:does|did) ?n['’]?o?t (?:help|change|matter)|same (?:thing|error|problem|result)|still (?:the same|happens)"
    r"|no (?:change|difference|luck))\b|[^.!?\n]{0,60}\bso no\b",
    re.IGNORECASE,
)
#: Who only agrees.
AGREES = re.compile(
    r"\W*(?:(?:yes|yep|yeah|yup|ok(?:ay)?|sure|do (?:it|that|so)|go(?: ahead| on| for it)?|please|pls|perfect|great"
    r"|good|fine|sounds good|lgtm|right|correct|exactly|agreed?|continue|proceed|both|all|no|nope|nah|ja"
    r"|oui|sí|si|sim)\W*)+",
    re.IGNORECASE,
)
#: Who says so of what the agent said answers nothing yet.
PRAISES = re.compile(
    r"\W*(?:(?:ah|oh|yes|yeah|ok|hm+)\W+)?(?:good|great|nice|fair|excellent|very good)"
    r"(?: (?:point|idea|catch|call|question|one|find|job|work|stuff|read|overview|summary|plan|list|to know))\W*",
    re.IGNORECASE,
)
#: Who begins so puts right what they said; and who says so, what they speak of.
CORRECTS = re.compile(
    r"\W*(?:(?:oh|ah|hm+|ok(?:ay)?|no|sorry|wait|well|and)\W+)*"
    r"(?:actually|(?:oh|ah)\W+right|(?:oh|ah)\W+no|sorry|scratch that|on second thoughts?|correction|i meant"
    r"|my mistake|rather|better|no\W+(?=not\b|only\b|just\b|without\b))\b",
    re.IGNORECASE,
)
NARROWS = re.compile(r"\b(?:only|without|instead of|not .{1,40} but|leave out|drop)\b", re.IGNORECASE)
#: A choice: by number or letter, or by its place.
CHOOSES = re.compile(
    r"(?:(?:ok|okay|yes|to|let['’]?s|go with|take|use|option|variant|number|i(?:['’]d)? (?:take|go with))[ ,:]+)*"
    r"(?:(?:the (?P<place>first|second|third|fourth)(?: one| option)?)|(?P<mark>[1-9]|[a-e]))(?=\W|$)(?!['’])"
    # "A few" and "3 weeks" choose nothing.
    r"(?=\W*$|\s?[,.:;)!–—-]|\s+(?:but|and|then|please|pls|with|without|is|it|for|because|since|as|coz|cause|cuz|now|so"
    r"|first|only|works|would|sounds?|looks?|seems?|makes|fine|ok|plus|though|if|not|like|todo|rather|by|i|we|also)\b)"
    r"[ ,.:;)]*(?:(?:but|then|please|pls) )*",
    re.IGNORECASE,
)
#: The same within a message, where it is named as a choice.
CHOOSES_BELOW = re.compile(
    r"(?:(?:ok|okay|yes|so|then|let['’]?s|go with|take|use|i(?:['’]d)? (?:take|go with))[ ,:]+)*"
    r"(?:option|variant|number) ?(?P<mark>[1-9]|[a-e])\b[ ,.:;)]*(?:(?:but|then|please|pls) )*",
    re.IGNORECASE,
)
PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3}
OFFERED_ITEM = re.compile(r"(?m)^\s*(?:[-*]\s+)?(?:\*\*)?\(?(?P<mark>[1-9]|[a-eA-E])[.)](?:\*\*)?\s+(?P<text>[^\n]+)")
#: Who gives up what was said: "forget the 20", "not 20 but", "10 is too long".
GIVES_UP = seldom(
    r"\b(?:forget|scrap|drop|undo|revert|not|instead of|no longer)\b[^.,;!?\n]{0,40}"
    r"|(?<![\w.,:])\d[\d.,:]{0,24}\b[^.!?\n]{0,20}\btoo (?:long|short|much|many|few|high|low)\b",
    re.IGNORECASE,
)
#: Who refuses what was offered.
REFUSES = re.compile(r"\W*(?:no|nope|nah|nein|non|não)\b(?! (?:i|you|that|it|this|we)\b)", re.IGNORECASE)
#: Who says so breaks off what was begun.
STOPS = re.compile(
    r"\W*(?:ok(?:ay)?,? |no,? |wait,? )?(?:stop|halt|abort|cancel)\b(?! (?:using|the|all|this|that|sending)\b)",
    re.IGNORECASE,
)
#: What ends a talk and asks for nothing.
FAREWELL = re.compile(
    r"\W*(?:(?:clear|exit|quit"
    r"|ok(?:ay)?|k+|thx|ty|thanks?(?: (?:you|a lot|so much|again))?|thank you(?: so much)?|cheers|great"
    r"|perfect|nice|awesome|cool|excellent|amazing|lgtm|good (?:job|work|night|stuff)|well done|all good|looks? good"
    r"|so far(?: so good)?|(?:good|fine|ok) so far|that(?:['’]?s| is) (?:all|it|great|perfect)(?: for (?:now|today))?"
    r"|very (?:good|nice|well)"
    r"|(?:close|good|fair|near) enough(?: for (?:now|today|me|us|\w+day))?"
    r"|(?:it |that |this )?works(?: now| great| fine| again)?|oh right"
    r"|lol|haha+|hehe|enjoy|no worries|never ?mind|nvm|same (?:here|to you)"
    r"|you too|sehr gut|top|tmrw|tomorrow|ciao|perfetto"
    r"|mooi|fijn|dank\w*|klasse|parfait|perfecto|perfeito|genial|ありがとう\w*|谢谢\w*|好的|감사\w*"
    r"|(?:we['’]?re |i['’]?m )?done for (?:now|today)|bye+|goodbye|(?:see (?:you|ya)|talk|more)"
    r"(?: (?:tomorrow|later|soon|next week))?|have a (?:good|nice) \w+"
    r"|vielen dank|danke(?: dir| schön)?|super|prima|passt|tsch(?:ü|ue)ss|gr(?:ü|ue)(?:ß|ss)e?|feierabend|gute nacht"
    r"|bis (?:morgen|dann|bald|später|nachher|nächste woche|montag)|perfekt|wunderbar|alles klar|servus|schön"
    r"|schöne[nrs]? (?:\w*tag|mittwoch|abend|wochenende|feierabend|woche|urlaub)(?: noch)?|happy \w+day"
    r"|bon (?:dimanche|lundi)"
    r"|guten (?:morgen|tag|abend)|moin|dir auch"
    r"|merci(?: beaucoup| bien)?|gracias|muchas gracias|obrigad[oa]|grazie(?: mille)?"
    r"|(?:à|a) (?:demain|bientôt|plus(?: tard)?|lundi|tout à l['’]heure|la semaine prochaine)"
    r""
    r"|bonne (?:journée|soirée|nuit)"
    r"|bon week-?end|salut|bonjour|bonsoir|au revoir|super|d['’]accord|de rien|impeccable|nickel"
    r"|hasta (?:mañana|luego|pronto|la próxima|el lunes)|nos vemos(?: mañana| el lunes)?|buen (?:día|finde|trabajo)"
    r"|buen[oa]s (?:días|tardes|noches)|hola|adiós|estupendo|vale|listo|de nada"
    r"|até (?:amanhã|logo|mais|já|segunda)|bom dia|boa (?:noite|tarde)|tchau|valeu"
    r"|a (?:domani|presto|dopo|lunedì)|buon(?:a giornata|giorno|a serata|anotte)|arrivederci"
    r"|tot (?:morgen|ziens|later|straks|maandag)|fijne (?:avond|dag)|doei)(?!\w)\W*)+",
    re.IGNORECASE,
)
_SCENE = (
    r"(?:coffee|tea|espresso|lunch|breakfast|kaffee|tee|café|thé|mate|cat|dog|kids?|baby|sun|snow|rain(?:ing)?|cold)"
)
_SMALL_TALK = re.compile(
    r"\W*(?:(?:so|wonderful|lovely|great|good|nice|perfect|super|ok(?:ay)?|and|but|well|hey|hi|hello|morning|yes|ja"
    r"|also|alors|bueno)\W+)*(?:"
    r"(?:i |we )?(?:hope|trust) (?:you|your|all|everything|the weekend)\b[^?.!]{0,50}|how (?:are|was|is|['’]s) (?:you"
    r"|your|it)\b[^.!]{0,30}"
    r"|(?:with |got |have |had |i need |need |first |after )*(?:my |the |a |some |another |big |second |fresh )*"
    rf"{_SCENE}(?: (?:steht|bereit|fertig|dabei|is|in|on|at|beside|first|hand|ready|here|now|my|the|lap|keyboard"
    rf"|break|again|outside|time|drunk))*"
    r"|(?:it['’]?s |it is |finally |already )+(?:monday|tuesday|wednesday|thursday|friday|late|early|cold|hot|sunny"
    r"|raining|snowing)"
    r"(?: (?:again|here|already|today|outside|night|evening|morning))*"
    r"|(?:i['’]?m |i am |we['’]?re )?(?:back(?: again| at it)?(?: from (?:lunch|holidays?|vacation|the break"
    r"|coffee))?|tired|sleepy"
    r"|ready(?: to (?:go|start|roll))?|all set|awake|still here)(?: (?:today|again|now))?"
    r"|(?:i |sorry,? )?(?:have|need|got|gotta|must) ?(?:to )?(?:run|go|leave|catch (?:a|the|my) \w+)(?: now)?"
    r"|(?:then )?let['’]?s (?:go|start|begin|roll|do (?:this|it)|get (?:going|started|to work))(?: then| now)?"
    r"|here we go(?: again)?"
    r"|(?:what a (?:day|week|night)|(?:what a |such a )?(?:lovely|nice|beautiful|awful|long|great|busy|rainy|sunny"
    r"|grey|gray|foggy|quiet|cold|hot) (?:weather"
    r"|day|morning|evening|week|night))"
    r"(?: (?:today|here|it was|again))*"
    r"|(?:then )?(?:i['’]?m|i am|i['’]?ll be|i)? ?(?:go|going|off|heading|gone|leaving|afk|out)(?: now)? (?:for|to"
    r"|home|out|into)\b"
    r"[^.!?,]{0,20}|(?:haha+,? )?(?:nothing|nix|rien|nada)(?: (?:much|special))?|(?:i['’]?m |i am |was )?(?:just"
    r"|only) (?:checking|testing"
    r"|trying|saying|looking)(?: (?:if|whether|in|around|hi|hello|that|out|how|you|it|this|works?|are|there|work))*"
    r"|wie geht['’]?s[^.!]{0,20}|(?:dann )?(?:los geht['’]?s|auf geht['’]?s|legen wir los|packen wir['’]?s)|ça va"
    r"|comment (?:ça va|vas-tu)"
    r"|on y va|c['’]est parti|qué tal|cómo estás|vamos(?: allá)?|tudo bem|come va|andiamo|hoe gaat het"
    r"|(?:sorry|entschuldigung),? (?:i |ich )?(?:was|had|war|hatte) (?:a|at|in|im|on|beim|to)\b[^.!?]{0,24}"
    r")\W*",
    re.IGNORECASE,
)
#: What joins two pieces of small talk.
_SCENES = re.compile(r",\s+|\s+[–—-]+\s+|\s+(?:and|und|et|y)\s+")


def is_small_talk(text: str) -> bool:
    """Whether all of a sentence is said for company: "morning, coffee in hand", "hope you had a good weekend"."""
    if _SMALL_TALK.fullmatch(text) is not None:
        return True
    parts = [part for part in _SCENES.split(text) if part.strip(" .!")]
    said = (FAREWELL.fullmatch(one) or _SMALL_TALK.fullmatch(one) or is_filler(one) for one in parts)
    return len(parts) > 1 and all(said)


_SHIPPING_WORDS = "deploy push publish ship release merge tag commit land submit upload roll live send"
_WORDS_BESIDE = """
    ok okay k yes yep yeah yup sure good great perfect nice cool awesome fine lgtm thanks thx ty please pls then now and
    so passt super top alright all looks it this that them everything go out up the a to main master prod production
    staging server stage npm pypi github store branch lets let's you can as with too again just do done
"""
_SHIPS, _BESIDE = frozenset(_SHIPPING_WORDS.split()), frozenset(_WORDS_BESIDE.split())


def only_ships(text: str) -> bool:
    """Whether somebody's words only send off what is done: "👍 deploy", "ok commit and push". What comes of it is no
    longer told to anybody."""
    said = [word.strip(".'") for word in re.findall(r"[\w.']+", text.lower().replace("’", "'"))]
    others = [word for word in said if word not in _SHIPS and word not in _BESIDE and not re.search(r"\d", word)]
    return not others and not text.rstrip().endswith("?") and not _SHIPS.isdisjoint(said)


LEAD_IN = re.compile(
    r"^(?:sorry|apologies|my mistake|understood|of course|ok(?:ay)?|got it|makes sense|agreed|yes|yep|no|done|right"
    r"|sure|fine|alright|noted|fixed|confirmed|perfect|great|good (?:point|call|catch)"
    r"|found it)\s*[—–:,!-]+\s*(?=\S+ \S+ \S+)",
    re.IGNORECASE,
)
#: Words that point at something a title does not show.
VAGUE = _phrases(
    r"this | thats? | its? | me | us | them | these | those | here | one | left off | same | then | so far | your? | my"
    r" | i | we | our"
)
_FILLER_WORDS = """
hi hey hello yo sup wassup wazzup howdy greetings morning evening afternoon thanks thank thx you u ok okay k yes yep
yeah yup no nope sure right correct fine good great nice cool perfect awesome lgtm please pls go ahead on continue
proceed carry keep going resume try again retry next step it that this so do just lets let's start begin and that's
thats all done wait stop i i'm im am don't dont not have got haven't anything nothing else more there is there's never
mind nevermind sounds looks are ready up what what's whats how we me my now then as like wish agree understand decide
choose can could for with by the a an any further question questions at moment ping oi olá ola bom dia obrigado pode
fazer continuar seguir sim não alterações ja mach mal das bitte oui vas y
allez fais dale hazlo sí vale adelante
"""
FILLER_WORDS = frozenset(_FILLER_WORDS.split())
_TO_SAY = re.compile(r"\bto (?:add|say|ask|report|comment)\b")


def is_filler(text: str) -> bool:
    """Whether something was said in passing and is no title: a greeting, thanks, a nod, an order to go on."""
    words = _WORDS.findall(_TO_SAY.sub("", text.lower().replace("’", "'")))
    return all(word in FILLER_WORDS for word in words)


FORBIDS = re.compile(r"(?:do not|don['’]?t|never|no|avoid|always|only)\b", re.IGNORECASE)
#: Who speaks of themselves has not come to the point.
SELF = re.compile(r"(?:i|i['’]m|we|we['’]re|my|our|this is|there (?:is|are))\b", re.IGNORECASE)
PASTED_ERROR = _phrases(r"\w*error | \w*exception | traceback | fail\w* | panic")
NO_ANSWER = _phrases(r"you decide | no preference | not sure")
