"""The small words and the verbs that statements about work are built with, as data: enough to see who does what, where
and with what, without a parser. English."""

from __future__ import annotations

from collections.abc import Iterator

from lerim.text.stems import stem

_PREPOSITION_WORDS = """
in on at to for with via through by from of as under over into onto within inside outside across during before after
until till per against between about beside behind beneath below above near around throughout upon using toward
towards like off out next than
"""
PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
_DETERMINER_WORDS = """
a an the our your my their its his her this that these those all every each any some both no own such other another
"""
_REFUSAL_WORDS = """
reject refuse deny block forbid ban prohibit abort disallow discourage prevent skip omit outlaw freeze dislike hate
oppose resent bypass
"""
#: Verbs that deny what they are said of.
REFUSALS = frozenset(_REFUSAL_WORDS.split())
DETERMINERS = frozenset(_DETERMINER_WORDS.split())
_AUXILIARY_WORDS = """
is are was were be been being am has have had do does did may can could should must shall will would might isn't
aren't wasn't weren't hasn't haven't don't doesn't didn't can't cannot shouldn't mustn't won't wouldn't needn't 's
stays stay remains remain becomes become it's that's there's here's
"""
AUXILIARIES = frozenset(_AUXILIARY_WORDS.split())
_COPULA_WORDS = (
    "is are was were be been being am isn't aren't wasn't weren't stays stay remains remain becomes become it's"
)
COPULAS = frozenset(_COPULA_WORDS.split())
_PRONOUN_WORDS = """
we you i it they he she us them me him who which what whoever everybody everyone anybody anyone nobody someone
somebody there here itself themselves ourselves that let's let we'll we're we've you'll you're i'm i'll they're one
"""
PRONOUNS = frozenset(_PRONOUN_WORDS.split())
_ADVERB_WORDS = """
now always never again back away still already just also too only here there everywhere anymore today currently
instead really simply please ever even then so not longer more further directly actually generally usually normally
explicitly strictly first together alone soon later yet exactly altogether completely entirely basically once
whenever wherever anywhere straight
"""
ADVERBS = frozenset(_ADVERB_WORDS.split())
_CONJUNCTION_WORDS = (
    "and or but nor if when while where because since although though whereas as whether plus either neither both"
)
CONJUNCTIONS = frozenset(_CONJUNCTION_WORDS.split())
CONDITIONS = frozenset({"when", "if", "while", "before", "after", "until", "unless", "once", "whenever"})
MODALS = frozenset({"may", "can", "could", "might", "must", "should", "shall", "will", "would"})
#: What parts phrases and joins nothing by itself.
JOINING = CONJUNCTIONS | PRONOUNS | DETERMINERS
#: All that names nothing.
FUNCTION_WORDS = JOINING | PREPOSITIONS | AUXILIARIES | ADVERBS

#: Verbs whose object is what was chosen: "use pnpm for installs".
_CHOOSING_WORDS = """
use adopt choose pick prefer favor favour take employ select leverage rely standardize standardise stick utilize
"""
CHOOSING = frozenset(map(stem, _CHOOSING_WORDS.split()))
#: Verbs that say little by themselves: where things are, what they are done with. One may stand for another.
_LIGHT_WORDS = """
use run live lie sit go come store keep save put hold host handle manage do have be work reside stay belong build
make write read send serve listen get take rely base place locate define declare set configure create adopt choose
pick prefer favor select switch move migrate change convert become happen start follow provide supply standardize
standardise stick want employ land end bind expose hit include contain show went came ran wrote kept sent built
chose took got made held given taken done gone talk speak
"""
LIGHT = frozenset(map(stem, _LIGHT_WORDS.split()))
#: Verbs of those who do something for everybody: there is one of them.
_AGENT_WORDS = """
schedule build handle send serve render compile manage host bundle lint format deploy publish terminate own approve
merge review sign generate collect process route proxy monitor orchestrate provision parse minify transpile package
carry deliver store cache power
"""
AGENTIVE = frozenset(map(stem, _AGENT_WORDS.split()))
_VERB_WORDS = """
dislike hate oppose resent
abandon abort accept add adopt alert align allow alter answer appear approve archive ask assign attach authenticate
authorize avoid base batch belong bill bind block boot branch break bring broadcast buffer build bump bundle buy cache
calculate call carry catch change charge check choose clean clear clone close collect combine come commit compile
complete compose compress compute configure confirm connect consist consult consume contact contain contribute convert
copy cost count cover crash create cut debug decide declare define delegate delete deny depend deploy deprecate derive
describe detect differ disable display distribute ditch do document downgrade download drain draw drop duplicate edit
email emit employ enable encrypt end enforce enqueue escape evaluate exceed exclude execute exist exit expand expect
expire explain export expose extend fail fall favor favour feed fetch fill filter find finish fire fit fix focus
follow forbid force format forward freeze gate gather generate get give go grant group grow guarantee guard hand
handle happen hash have help hide hit hold host hurt identify ignore implement import include indent index inform
inherit inject inspect install integrate introduce invoke issue join jump keep know land last launch lay lead learn
leave let level lie lift limit link lint listen live load lock log look lose maintain make manage map mark mask match
mean measure meet merge migrate mind minify miss mix mock modify monitor mount move name need negotiate notify observe
offer omit open optimize order overwrite own pack package pad page paint pair parse partition pass patch pay perform
persist pick pin ping place plan play point poll pool practice prefer prepare prevent print process produce promote
prompt protect provide provision proxy prune publish pull purge push put quarantine query queue raise reach read
rebase rebuild receive recompute record recover redact redirect reduce refactor reference refresh refuse register
reject relax release rely remember remove rename render renew repair repeat replace replicate reply report request
require reset reside resize resolve respond restart restore result resume retain retire retry return reuse reveal
revert review revoke rewrite rise roll rotate route run sample sanitize save say scale scan schedule scrap scrape seal
search see seed seem select sell send serve set shard share shift ship show shut sign simulate sit skip sleep sniff
solve sort speak specify split squash stage stand standardize start stay step stick stop store stream strip stub
submit subscribe suggest summarize supply support surface suspend swap switch sync tag take talk target teach tear
tell template terminate test think throttle throw time toggle touch trace track train transfer transform translate
transpile transport treat trigger trim trust try tune turn understand unify unload unlock update upgrade upload use
validate vanish vary vendor verify view visit vote wait walk want warn watch win wire work wrap write zip power fold
defer delay encode decode truncate normalize serialize paginate prerender preload reindex rerun tokenize bootstrap
dedupe crawl fuel abolish advise afford aggregate annotate announce apply assemble assert associate assume attempt
audit automate await ban browse bypass capture categorize certify classify coexist coordinate craft customize deliver
demand demote deserve determine disallow discourage develop dictate discard discuss dismiss divide drive earn elect
embed emulate encounter encourage enter establish estimate flag flush forget formalize foster fork govern halt harden
honor imply improve increase initialize insert insist instruct intercept interpret investigate involve isolate iterate
judge justify kill label mandate mention mirror mitigate mute nest nominate obey occur outlaw oversee parametrize
permit pinpoint pose post precede predict preserve press presume probe prohibit propose prove pursue qualify randomize
rank recommend reconcile recycle regenerate regulate remind reorganize reproduce rescue reserve respect restrict
retrieve retrain rip scrub settle silence simplify specialize spawn spend spin sponsor standardise stretch succeed
survive suppress sweep tackle tolerate transcribe triage undergo undo unite utilize violate warrant weigh withdraw
witness
"""
_IRREGULAR_WORDS = """
went/go gone/go came/come ran/run wrote/write written/write kept/keep sent/send built/build chose/choose
chosen/choose took/take taken/take got/get made/make held/hold gave/give given/give done/do did/do caught/catch
found/find drawn/draw thrown/throw threw/throw driven/drive hidden/hide shown/show known/know said/say told/tell
left/leave lost/lose rewrote/rewrite rewritten/rewrite rebuilt/rebuild broke/break broken/break brought/bring
bought/buy sold/sell fell/fall fed/feed knew/know lay/lie laid/lay led/lead meant/mean met/meet paid/pay rose/rise
saw/see seen/see spoke/speak stood/stand taught/teach thought/think tore/tear torn/tear understood/understand
won/win
"""
# Verbs whose participle looks like the verb itself.
_UNCHANGED_WORDS = "run put set read cut hit let split reset shut quit come"
_UNCHANGED = frozenset(_UNCHANGED_WORDS.split())
_VOWELS = frozenset("aeiou")


def _forms(base: str) -> Iterator[tuple[str, str]]:
    """The forms of a regular verb, and what each is."""
    yield base, "base"
    sibilant = base.endswith(("s", "x", "z", "ch", "sh", "o"))
    is_consonant_y = base.endswith("y") and base[-2:-1] not in _VOWELS
    yield (base[:-1] + "ies" if is_consonant_y else base + ("es" if sibilant else "s")), "third"
    root = base[:-1] if base.endswith("e") else base
    yield (base[:-1] + "ied" if is_consonant_y else root + "ed"), "past"
    yield root + "ing", "ing"
    if len(base) > 2 and base[-1] not in "aeiouwxy" and base[-2] in _VOWELS and base[-3] not in _VOWELS:
        yield base + base[-1] + "ed", "past"
        yield base + base[-1] + "ing", "ing"


def _all_forms() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for base in sorted(set(_VERB_WORDS.split())):
        for form, kind in _forms(base):
            # "Set", "put" and "run" may be either.
            found.setdefault(form, (base, "either" if form in _UNCHANGED else kind))
    for pair in _IRREGULAR_WORDS.split():
        form, base = pair.split("/")
        found[form] = base, "past"
    return found


#: Each form of each verb: the verb, and "base", "third", "past", "ing" or "either".
VERB_FORMS = _all_forms()
#: Verbs that are names of things as often: at the beginning of a line they are one only where no other verb follows.
_NOUN_TOO_WORDS = """
log cache test build release search batch commit format review name index document query queue page report tag
branch schedule lock time map package patch check print stream error email alert trace flag gate host change merge
backup limit seed load target support display template share group buffer cost lead last code pull push quote access
status model request set update upgrade export import view order record result sample scan stage step surface plan
point practice process pool mark match issue hand focus end copy bundle deploy sync upload download install rollback
read proxy filter bump clone audit label flag post fork mirror probe press spin capture triage demand mention rank
call bill charge warn trust vote walk watch zip value start stop
"""
NOUN_TOO = frozenset(_NOUN_TOO_WORDS.split())
#: Words that say nothing of what a statement is about, though they are no stop words.
_SOFT_WORDS = """
accept allow permit
project codebase team everything thing things way enough people anybody everyone place need needed want mandatory
required necessary allowed fine okay ok acceptable permitted possible alright always only rule rules policy
convention approach choice decision sure maximum minimum max min simply just lot bit alive around available please
must may might exactly untouched
"""
SOFT = frozenset(map(stem, (*_SOFT_WORDS.split(), *REFUSALS)))

_MANNER_WORDS = """
parallel order sequence batch background isolation advance general detail full short demand time once startup night
place turn turns pair series memory sync care ease secret public private bulk chunk
"""
#: How something is done: "in parallel", "on demand". It takes no other's place.
MANNER = frozenset(map(stem, _MANNER_WORDS.split()))
_GENERIC_WORDS = """
server service app application page value limit setting number size process job file version level rate count length
column field system layer library tool default suite setup requirement gate policy rule practice support usage
integration stuff instance step process habit
"""
#: Words that go with a name without making it another's.
GENERIC = frozenset(map(stem, _GENERIC_WORDS.split()))
_EVERYDAY_WORDS = """
state prompt code change changes push commit source error failure fail restart start stop test build repo repository
generate user own data request response client task session message name type branch document docs script run output
input result check step command function method class module folder directory path key list item text line word view
screen window button form link image color style theme mode option flag feature fix bug issue review merge release
deploy deployment update install package project workspace team work way place part piece thing point case example
local remote global old new first last current main base root simple clean good better best real full empty single
workaround problem question answer plan idea note comment log event action state phase status order group role rule
check guard wait call return load save read write open close create remove add set get show hide print parse format
"""
#: Words that mean something else each time: who gives up "the state" need not mean the state of anybody else.
EVERYDAY = GENERIC | frozenset(map(stem, _EVERYDAY_WORDS.split()))
_TIME_WORDS = """
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april june july august september october november december morning noon afternoon evening night
midnight weekend weekday weekdays today tomorrow
"""
#: Words that tell when.
TIMES = frozenset(map(stem, _TIME_WORDS.split()))
_ENDING_WORDS = """
disable cancel abolish discontinue retire withdraw suspend revoke drop remove shelve scrap abandon halt pause kill
"""
#: Verbs that end what they are said of.
ENDING = frozenset(map(stem, _ENDING_WORDS.split()))
