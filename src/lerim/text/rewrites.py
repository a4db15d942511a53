"""Turns of phrase that say in several words what one says, rewritten: what statements are taken apart from. Pure.

"No longer than an hour" denies nothing, "it's fine to" and "you may" allow the same, "turned off" is disabled.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lerim.lazy_regex import compile_later
from lerim.text.common import DENIES
from lerim.text.grammar import ADVERBS, AUXILIARIES, NOUN_TOO, PRONOUNS, VERB_FORMS

_QUOTES = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "“": '"', "”": '"', "`": None, "%": " percent"})
#: In lower case they would be a pronoun and verbs.
_UNITED_STATES = compile_later(r"\bUS\b")
_METHOD = compile_later(r"\b(GET|PUT|POST|PATCH|DELETE)\b(?! FROM)")
#: In lower case it would be an article: "2.4 A for the lift".
_AMPERES = compile_later(r"(?<![\w.-])(\d+ |\d+\.\d+ ?)A\b(?! [A-Z][a-z])")
_MODAL = "must|should|may|can|do|does"
_STATE_ENDS = r"(?=\s*(?:[,.;:()!?]|$)|\s(?:in|for|by|again|on|now|when|until|at|during|while|since)\b)"
_NAME = r"[\w@./+#'-]+"
#: What does a job: a name of a few words. And the job, up to where the next part begins.
_NOBODY = r"(?!(?:we|you|it|this|that|there|nobody|no|what|not|never)\b)"
_VALUE = rf"((?:(?:a|an|the|our|plain) )?{_NOBODY}{_NAME}(?: {_NAME}){{0,2}}?)"
_JOB = rf"({_NOBODY}[^,;:.()]{{2,60}}?)"
_OVER = r"(?=\s*(?:[,;:.()!?]|$)|\s(?:now|from|these|instead|since|because|as of|again)\b)"
_CARES = (
    r"(?:does|handles|owns|maintains|covers|takes over(?! from)|takes care of|looks after|is (?:now )?responsible for"
    r"|(?:is|stays|remains) (?:now |still )?in charge of)"
)
_DONE = r"(?:done|handled|owned|maintained|covered|managed|taken care of|made|run|solved)"

# "Use bun not npm" denies npm alone, as if there were a comma; "it is not red", "it's not red" and "do not" deny what
# they say.
_BEFORE_NOT = (
    "is|are|was|were|be|am|do|does|did|must|should|may|might|can|could|will|would|shall|has|have|had|need|why|if|or|but"
    "|and|so|please|rather|better|just|that|this|it|we|you|i|they|he|she|also|still|certainly|definitely|probably"
    r"|[\w-]*'s|s"
)
_AFTER_NAME = r"(?:\s*(?:[,.;:()!?]|$)|\s(?:in|for|on|at|here|with|when|as|to|anywhere|everywhere)\b)"
_BARE_NOT = (
    rf"\b(?!(?:{_BEFORE_NOT})\b)([\w@/+#'-][\w@./+#'-]*) not (?=(?:the |an? )?{_NAME}{_AFTER_NAME})",
    r"\1, not ",
)
_bare_not = compile_later(_BARE_NOT[0], 2)


def with_commas(text: str) -> str:
    """The text with a comma where people leave it out before "not"."""
    return _bare_not.sub(_BARE_NOT[1], text) if " not " in text else text


def _but_not(match: re.Match[str]) -> str:
    """ "Use pnpm and never npm" denies npm alone; "review and never push" says two things."""
    is_deed = match[2] in VERB_FORMS and match[2] not in NOUN_TOO
    return match[0] if is_deed else f", {match[1]} "


def _power(match: re.Match[str]) -> str:
    return f"{match[1] or 1}e{match[2]}"


#: First of all: "off" ends something, unless it is its state.
_SPELLED: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    _BARE_NOT,
    (rf",? and (not|never) (?=({_NAME}){_AFTER_NAME})", _but_not),
    (rf"\b(?:turn|switch)(?:s|es|ed|ing)? (?:back )?(on|off) (?!again|in |for |by )({_NAME})", r"state-\1 \2"),
    (
        rf"\b(?:turn|switch)(?:s|es|ed|ing)? (?:the |our )?({_NAME}(?: [\w-]+)?) (?:back )?(on|off){_STATE_ENDS}",
        r"state-\2 \1",
    ),
    (
        rf"\b(is|are|was|were|be|stays?)(?: turned| switched| kept)? (?:back )?(on|off){_STATE_ENDS}",
        r"\1 state-\2",
    ),
    (r"\bstate-on\b", "enabled"),
    (r"\bstate-off\b", "disabled"),
    (r"\b(?:called off|rolled back|put on hold|done away with|taken away|wound down|shut down)\b", "cancelled"),
    (r"\b(is|are|was|were) (?:a (?:mistake|bad idea|dead end)|not worth it)\b", r"\1 cancelled"),
    (r"\bback(?:s|ed|ing)? up\b", "backup"),
    (
        r"^(?:the |our )?support for ([^,;.]{2,60}?) (?:has |was |is |has been )?"
        r"(?:ended|ends|over|dropped|removed|discontinued|cancelled|gone)\b",
        r"we no longer support \1",
    ),
    (r"\bby hand\b", "manually"),
    (r"\b(?:a )?quarter of an hour\b", "15 minutes"),
    # "1,200" is one number, and money: a word has no such marks.
    (r"(?<=\d),(?=\d{3}(?!\d))", ""),
    (r"€\s?(\d[\d,.]*(?<=\d))|(?<!\w)(\d[\d,.]*)\s?€", r"\1\2 eur"),
    (r"\$\s?(\d[\d,.]*(?<=\d))|(?<!\w)(\d[\d,.]*)\s?\$(?!\w)", r"\1\2 usd"),
    (r"°\s?c\b", " celsius"),
    (r"°\s?f\b", " fahrenheit"),
    # ".05" is a number, and 10^-6 one word.
    (r"(?<![\w.])\.(?=\d)", "0."),
    (r"(?<![\w.])(?:(\d+(?:\.\d+)?)\s?[x*·×]\s?)?10\s?\^\s?\(?(-?\d{1,2})\)?", _power),
    (r"£\s?(\d[\d,.]*(?<=\d))", r"\1 gbp"),
    (r"^((?:[\w-]+ ){1,4})(?:will )?times? out after\b", r"timeout for \1is"),
    (
        r"\b(is|are|stays?|remains?|becomes?) (?:now |strictly |absolutely |still )?(?:off[- ]limits|taboo|a no[- ]go"
        r"|(?:not an|no) option|out of the question|out of bounds|verboten|a no-no)\b",
        r"\1 forbidden",
    ),
    (r"\bauto-(?!increment)(\w+)", r"\1 automatically"),
    # What is no longer forbidden may be done.
    (
        r"(?:\b(?:the|our|this|that) )?\b(?:freeze|ban|moratorium|embargo|restriction|prohibition|veto|block)s?"
        r" (?:on|against|for) (.{3,80}?) (?:is|are|was|were|has been|have been|got)"
        r" (?:now |finally |officially )?(?:lifted|over|gone|removed|dropped|ended|withdrawn|revoked|no more)\b",
        r"it's fine to change \1 now",
    ),
    # Where a name of a deed stands for the verb.
    (
        r"^(?:the |our |all )?(?:deployments|deploys|rollouts)"
        r" (?:run|go|happen|take place|live|are (?:made|done|run|hosted))\b",
        "deploy",
    ),
    (
        r"^(?:the |our |all |an? )?releases?"
        r" (?:go(?:es)? out|happens?|takes? place|ships?|(?:is|are) (?:made|done|cut))\b",
        "release",
    ),
    (r"(?<!\bit)(?<!\bthat)(?<!\blet)(?<!here)(?<!\bwhat)(?<!\bwho)(?<!\bhe)'s(?= \w)", ""),
    (r"\bin favou?r of\b", "and use"),
    (r"\bper-(?=\w)", "per "),
    (r"\bevery second (?=\w)", "every other "),
    (r"\b(deploy|deployment|change|release|feature|merge|schema|dependency) freeze\b", r"no \1"),
    (r"^(?:(?:we(?:'re| are)|let's go|we go) )?back to\b", "switch to"),
    (r"\b(?:go|goes|going|went|gone|came|come) back to\b", "revert to"),
    (
        r"\b(swap(?:s|ped|ping)?|left|leave|leaves|leaving|ditch(?:ed)?|dump(?:ed)?|trade[ds]?) ([^,.;]{1,40}?) for\b",
        r"\1 \2 and use",
    ),
    (r"\b(?:has|have|gets?|with) (?:its|their|his|her|an?) own\b", "owns"),
)
_OPENING = compile_later(
    r"^(?:just )?(?:an? |the )?(?:reminder|remember|note|fyi|heads[- ]up|again|decision|ruling|update|ps"
    r"|as (?:agreed|discussed|said|decided|before))[:,] ",
    re.I,
)
#: What does which job is told in many ways, all of which come to "use this for that".
_ASSIGNED = (
    (
        rf"^for {_JOB},? (?:we(?:'ll| will)? |let's |please )?(?:take|use|pick|choose|go with|have) (?={_NAME})",
        r"use-for \1 | ",
    ),
    (r"^use-for (.+?) \| (.+?)(?=[,;:.()!?]|$)", r"use \2 for \1"),
    (
        rf"(?:^|\b(?:we(?:'re|'ll|'ve| are| will| have)?|let's) )(?:go|going|went|gone) with {_VALUE} for\b",
        r"use \1 for",
    ),
    (rf"^{_VALUE} it is for\b", r"use \1 for"),
    # "X is what we write tests with", "X is where tests are run".
    (rf"^{_VALUE} is (?:now )?what we (\w+) ([^,;.]+?) (?:with|in|on|from){_OVER}", r"\2 \3 with \1"),
    (rf"^{_VALUE} is (?:now )?where (?:we (?:\w+ )|our |the )?([^,;.]+?) (?:goes?|lives?|is|are)\b", r"\2 live in \1"),
    (rf"^{_VALUE} is what we (?:use|take|run|have) for\b", r"use \1 for"),
    (rf"\b(?:let's|we) (?:have|let) {_VALUE} (?:handle|do|manage|cover|run|take care of|look after) ", r"use \1 for "),
    (rf"\b(?:let's|we) (?:have|let) {_VALUE} (\w+[^s\W]) (?=the |our |all |\w+s\b)", r"\1 \2s "),
    (rf"^{_VALUE} {_CARES} {_NOBODY}(?={_NAME})", r"use \1 for "),
    (rf"^{_JOB} (?:is|are) (?:now )?{_DONE} (?:with|by|through|via|using|in|on) {_VALUE}{_OVER}", r"use \2 for \1"),
    (
        rf"^(\w+ing\b[^,;:.()]{{0,50}}?) (?:is|runs|goes|happens) (?:now )?(?:on|with|through|via|by|in)"
        rf" {_VALUE}{_OVER}",
        r"use \2 for \1",
    ),
    (r"^(use .+? for) (?:making|doing|handling|running|managing|building|keeping|creating|the) (?=\w)", r"\1 "),
)
#: Before a part of a sentence is taken apart.
_PLAINER = (
    # What looks like a denial and is none.
    (r"\b(?:not|never|n't) just\b|\b(?:not|never) only\b", " "),
    (
        r"\bno (?:more|longer|later|greater|larger|bigger|higher|fewer|less) than\b|\bat most\b|\bup to\b|\bat least\b",
        " ",
    ),
    (r"\b(must|should|may|do|does)n't (?=exceed|\w+ (?:over|above|beyond|more|longer|larger|bigger)\b)", r"\1 not "),
    (
        rf"\b(?:(?:{_MODAL}) )?not (?:exceed|go (?:over|above|beyond)"
        r"|(?:be|take|last) (?:more|longer|larger|bigger) than)\b",
        " ",
    ),
    (rf"\b(?:(?:{_MODAL}) )?not (\w+) (?:more|longer) than\b", r"\1"),
    (
        r"\bno ((?:[\w-]+ ){1,3})(?:takes?|lasts?|exceeds?|is|are|gets?|has|have) (?:more|longer|larger|bigger) than\b",
        r"\1",
    ),
    (r"\b(?:nobody|no one|none|no-one|nothing) (?:except|but|other than|besides)(?: for)?\b", "only"),
    (r"\bno other ((?:[\w-]+ )?)than\b", r"only \1"),
    (
        r"\b((?:run|test|check|validat|verif|compar|build|develop|work|execut|measur)\w*\b[^,;.]{0,40}?) against\b",
        r"\1 with",
    ),
    # What need not be.
    (
        r"\b(?:there(?:'s| is) )?no (?:need|reason) (?:to|for)\b|\bneeds? not(?: be)?\b|\bneedn't(?: be)?\b"
        r"|\bdo(?:es)?(?:n't| not) (?:need|have)(?: to)?\b",
        "not",
    ),
    (r"\b(?:(?:is|are) )?(?:not|no longer) (?:necessary|required|needed|mandatory|obligatory)\b", "not"),
    (
        r"\b(?:isn't|aren't) (?:necessary|required|needed)\b"
        r"|\b(?:is|are|becomes?) (?:optional|unnecessary|advisory|voluntary)\b",
        "not",
    ),
    # What may be.
    (
        r"\b(?:it(?:'s| is) |that(?:'s| is) )?(?:fine|ok|okay|alright|all right|acceptable|safe|allowed|permitted"
        r"|tolerated|legal|legit)"
        r"(?: to| for| with)?(?= \w)",
        " may ",
    ),
    (r"\bfeel free to\b|\bgo ahead and\b|\byou (?:may|can|are free to)\b|\b(?:is|are) (?:free|welcome) to\b", " may "),
    (r"\b(?:out|outside|off) of\b", "not in"),
    (r"\b(?:is|are|stays?|remains?) ([\w]{4,})-free\b", r"has no \1"),
    (
        r"\b(?:do|does|did|must|should|shall|may|can|will|would|could) not\b|\bcannot\b"
        r"|\b(?:do|does|did|must|should|ca|wo|would|could)n't\b",
        "not",
    ),
    (r"\b(?:any ?more|any longer|from (?:now|today|here) on|these days|nowadays|after all|as of (?:now|today))\b", " "),
    (r"\bby default\b", "default"),
    (r"\bincluding\b", "with"),
    # "Use X to do it" is "do it with X".
    (r"\buse ([^,;.]{1,40}?) to (?!be )(\w+) ([^,;.]+)", r"\2 \3 with \1"),
    (r"\be2e\b", "end-to-end"),
)
_SPELLINGS = tuple((compile_later(pattern), text) for pattern, text in (*_SPELLED, *_ASSIGNED))
_COLON = compile_later(rf"^(?P<job>[^:,;.()]{{3,60}}): (?P<value>(?:a |the |our )?{_NAME}(?: {_NAME}){{0,2}})(?=$|,)")
_PLAIN_FORMS = tuple((compile_later(pattern), text) for pattern, text in _PLAINER)


def spelled_out(text: str) -> str:
    """A sentence in lower case, its marks and states written in one way."""
    plain = _METHOD.sub(r"http-\1", _UNITED_STATES.sub("usa", text.translate(_QUOTES)))
    plain = _AMPERES.sub(r"\1 amps", plain)
    line = without_opening(" ".join(plain.lower().split()))
    for pattern, spelled in _SPELLINGS:
        line = pattern.sub(spelled, line)
    return _COLON.sub(_assigned, line)


def without_opening(text: str) -> str:
    """A sentence without the word that only says that one follows: "reminder: …", "as agreed, …"."""
    return _OPENING.sub("", text)


def _assigned(match: re.Match[str]) -> str:
    """What stands behind a colon does what stands before it, where both are names: "log search: Loki"."""
    job, value = match["job"].split(), match["value"].split()
    is_told = any(word in DENIES or word in VERB_FORMS or word in AUXILIARIES or word in ADVERBS for word in value)
    is_deed = VERB_FORMS.get(job[0], ("", ""))[1] == "base" and job[0] not in NOUN_TOO
    is_sentence = any(word in DENIES or word in AUXILIARIES or word in PRONOUNS for word in job)
    return match[0] if is_told or is_deed or is_sentence else f"use {match['value']} for {match['job']}"


def plainly(line: str) -> str:
    """A part of such a sentence, said with as few words as it can be."""
    for pattern, text in _PLAIN_FORMS:
        line = pattern.sub(text, line)
    return line
