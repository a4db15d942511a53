"""Words that a writer may add to what others said without adding anything: glue, near synonyms, and what turns a
statement around or weakens it. As data; English first, with the small words of its neighbors."""

from __future__ import annotations

from lerim.text.stems import stem
from lerim.text.words import STOP

# What statements are made with, whatever they are about, and the labels people put before them.
_GLUE_WORDS = """
again ago already although and/or another around away back become becomes became besides come comes decide decided
decides decision decisions choice choose chooses chose chosen pick picked despite due either else etc even ever
example examples e.g i.e following follows former go goes going gone hence however instead latter let's lot many
meanwhile much nevertheless namely neither nor none note noted notes nothing of often ought particular plus point
points prefer prefers preferred preference otherwise belong belongs reside resides quite rather reason reasons
rationale really regarding rule rules same say says said see seem seems several similarly since solely sort still
such sure take takes taken though thus therefore together too toward towards upon want wants wanted way ways well
what's whatever whenever wherever whether whichever yes yet need needs needed needn't should shall must have has
able across along among during per than that then there these thing things this those context background detail
details why how when here now currently today one ones ourselves itself themselves myself yourself everyone's we'd
they'd it'd he'd she'd you'd i'd isn't aren't wasn't weren't keep keeps kept keeping stay stays put puts set sets
give gives given holds hold held apply applies applied mean means meant conclusion convention conventions agree
agreed agrees agreement settle settled team project kind kinds case cases matter matters fact facts learned learning
lesson remember user's
"""
_GLUE_ELSEWHERE = """
der die das den dem des ein eine einen einem einer und oder aber mit für auf im am zu zum zur von vom bei ist sind
wird werden wurde wir sie es als auch dass weil damit nach vor über unter durch hier soll sollen muss müssen kann le
la les un une du de et ou mais avec pour sur dans par est sont nous on il elle ce cette ces que qui parce doit el
los las una unos y o pero con para por en son se porque debe al lo su sus nos gli e ma per da di che è sono noi si
deve della dei het een of maar met voor op van door wij we dat omdat moet os as um uma mas com são nós do
"""

_UNIVERSAL_WORDS = "all any each every everything everywhere everyone everybody only always anything anywhere"
#: Words that say that something holds without exception.
UNIVERSAL = frozenset(_UNIVERSAL_WORDS.split())
#: Words that need no support.
GLUE = (STOP | frozenset(f"{_GLUE_WORDS} {_GLUE_ELSEWHERE}".split())) - UNIVERSAL - {"both", "most"}

_STRONG_WORDS = "never must required mandatory strictly whole entire none nothing nobody both"
#: Any of these in the support makes a universal word a matter of style.
STRONG = UNIVERSAL | frozenset(_STRONG_WORDS.split())
_HEDGE_WORDS = (
    "may might could perhaps maybe possibly probably guess consider optionally sometimes optional presumably likely"
)
#: Words that leave something open.
HEDGES = frozenset(_HEDGE_WORDS.split())

# Words that turn a statement around by themselves, and may be used for each other.
_NOT_WORDS = """
no not never none nobody nothing neither without cannot avoid avoids avoided avoiding stop stops stopped forbid
forbids forbidden prohibit prohibited prohibits ban banned bans disallow disallowed lack lacks lacked lacking unlike
non against don't doesn't didn't can't won't isn't aren't wasn't weren't shouldn't mustn't wouldn't couldn't hasn't
haven't hadn't needn't dont doesnt cant wont shouldnt mustnt ain't nope unwanted unused nicht nie niemals kein keine
keinen keinem keiner keines ohne nichts weder statt anstatt verboten ne pas jamais sans aucun aucune nunca jamás sin
ningún ninguna niet nooit geen zonder senza mai não sem не нет никогда без нельзя
"""
#: Words that deny.
DENIES = frozenset(_NOT_WORDS.split())
# Languages that deny with two words at once.
_DOUBLED_WORDS = "ne pas jamais aucun aucune plus rien nunca jamás ningún ninguna sin no non mai"
#: Words of which any number denies once, when one of them is not English.
DOUBLED = frozenset(_DOUBLED_WORDS.split())
# Words that deny what follows and say how: they must have been said.
_UNDOES_WORDS = """
disable disables disabled disabling remove removes removed removing skip skips skipped skipping ignore ignores
ignored ignoring drop drops dropped dropping delete deletes deleted deleting block blocks blocked blocking prevent
prevents prevented reject rejects rejected refuse refuses refused deny denies denied omit omits omitted exclude
excludes excluded excluding abandon abandoned bypass bypasses bypassed revert reverts reverted undo undone off
except excepting unable
unless hardly rarely seldom barely scarcely doubt doubts doubted disagree disagrees disagreed oppose opposes opposed
"""
#: Words that deny and add how.
UNDOES = frozenset(_UNDOES_WORDS.split())
#: Scripts without spaces: what denies in a run of characters.
DENIES_UNSPACED = (
    "不要",
    "不",
    "别",
    "勿",
    "没",
    "未",
    "无",
    "禁止",
    "ない",
    "ません",
    "なし",
    "않",
    "안 ",
    "못",
    "금지",
    "ห้าม",
    "ไม่",
)

_SYNONYMS = """
use used using uses usage adopt adopted employ utilize utilise
run runs execute executes executed execution invoke invoked
break breaks broke broken fail fails failed failing failure crash crashes
store stores stored save saved keep kept persist persisted
fix fixed fixes repair repaired resolve resolved correct corrected
create creates created add adds added introduce introduced
need needs require requires required requirement
choose chose chosen pick select selected
switch switched move moved migrate migrated migration change changed
replace replaces replaced supersede superseded
start starts begin begins launch
find finds found discover discovered locate
big large huge
small little tiny
fast quick quickly rapid
slow slowly
error errors exception exceptions
because since reason due
folder folders directory directories dir
repo repos repository repositories
config configuration configure configured configs settings setting
db database databases
env environment environments
docs doc documentation documented document
dev development
prod production
auth authentication authenticate
app apps application applications
lib libs library libraries
deps dependency dependencies
postgres postgresql
javascript js
typescript ts
kubernetes k8s
python py
function functions func
variable variables var
parameter parameters param params argument arguments args
minute minutes min mins
second seconds sec secs
hour hours hr hrs
millisecond milliseconds ms
night nights nightly
expire expires expired expiry expiration lifetime live lives ttl
write writes wrote written author
delete deleted remove removed
forbid forbidden prohibit prohibited ban banned disallow
check checks verify verified verification
show shows display displays displayed
allow allows allowed permit permits permitted
must mandatory required
manually manual hand
own owns owner owned
include includes included contain contains
live lives reside belong belongs
test tests testing tested
speed speeds faster
commit commits committed
"""


def _groups() -> dict[str, frozenset[str]]:
    known: dict[str, frozenset[str]] = {}
    for line in _SYNONYMS.strip().splitlines():
        group = frozenset(stem(word.lower()) for word in line.split())
        for word in group:
            known[word] = known.get(word, frozenset()) | group
    return known


#: Stems that may stand for each other.
SYNONYMS = _groups()

_NUMBER_NAMES = """
two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 thirteen 13 fourteen 14 fifteen 15
sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80
ninety 90 hundred 100 thousand 1000 million 1000000 twice 2 zero 0 dozen 12
"""
#: Numbers that are written as words.
NUMBER_WORDS = dict(zip(_NUMBER_NAMES.split()[::2], _NUMBER_NAMES.split()[1::2], strict=True))

_UNIT_WORDS = """
ms millisecond milliseconds s sec secs second seconds min mins minute minutes h hr hrs hour hours day days week
weeks month months quarter quarters year years percent kb mb gb tb bytes byte lines line rows characters tokens
requests times euros dollars cents pixels px
"""
#: What numbers count.
UNITS = frozenset(_UNIT_WORDS.split())

#: Units as they are glued to a number.
SHORT_UNITS = {"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day"}

_TOPIC_WORDS = """
api architecture auth backend build caching ci cli code config configuration convention conventions data database
debugging dependencies deploy deployment design docs documentation errors formatting frontend git infrastructure
integration linting logging migration monitoring naming packaging performance process quality refactoring release
releases review security storage style testing tests tooling tools types ui ux validation versioning workflow
automation architecture-decision cleanup
"""
#: What a tag may say of anything: areas of work, and nothing that has a name.
TOPICS = frozenset(_TOPIC_WORDS.split())

_REPORT_WORDS = """
account achieve achieved add added address addressed adjust adjusted agent aim aimed analysis analyze analyzed
answer answered approach approve approved ask asked assistant attempt attempted begin began bug cause caused change
changed check checked clean cleanup complete completed confirm confirmed consider considered consist continue
continued cover covered create created current debug debugged describe described detail discuss discussed document
documented edit edited end ended ensure ensured examine examined existing expand expanded explain explained explore
explored extend extended feature file files final finally find finish finished fix fixed focus focused found goal
handle handled help helped identify identified implement implementation implemented improve improved include
included initial initially inspect inspected investigate investigated involve involved issue issues left locate look
looked made main modify modified move moved new old open opened outcome overall part parts pass passed pending
perform performed plan planned prepare prepared problem problems produce produced propose proposed provide provided
purpose question read refactor refactored relate related remain remaining remains rename renamed replace replaced
report reported request requested require required resolve resolved result resulted results review reviewed rework
run ran search searched section session simplify simplified solution solve solved start started state step steps
subsequently success successful successfully suggest suggested summarize summary support supported task tasks tell
test tested told topic tried try turn turned understand update updated user verify verified was while work worked
wrote
"""
#: What an account of a session is told with.
REPORT = frozenset(_REPORT_WORDS.split())
