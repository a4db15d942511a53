# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""Faults that users report, and what an agent says they come from: told as a fact, asked about, borne out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lerim.glance import seldom
from lerim.ingest.own_words import own_text
from lerim.ingest.signals.phrasing import capital, is_order, lower
from lerim.ingest.signals.plain_words import TITLE_CHARS, agents_statement, headline, statement
from lerim.ingest.signals.rulings import rules_plainly
from lerim.ingest.signals.text import topics, unmarked
from lerim.ingest.signals.titles import is_errand
from lerim.ingest.signals.turns import Turn
from lerim.ingest.signals.verdicts import says_it_runs
from lerim.text.sentences import sentence_spans, sentences

#: The sign of a cause that was borne out or confirmed.
FOUND_CAUSE = "found cause"
#: The sign of what says why something that was tried does not work.
GIVEN_UP = "given up"
#: Behind a fault that the session mended in which it was found.
MENDED = " (fixed)"
#: Who speaks so says where something comes from, in a few languages.
_COMES_FROM = seldom(
    r"\b(?:root )?cause[sd]?\b(?! (?:a|an|any|no|some|the|more|trouble|problems|issues)\b)|\bculprit\b"
    r"|\b(?:comes?|came|stems?|results?|follows?) from\b|\bthe (?:real |actual |slow |heavy |broken )?"
    r"(?:reason|trouble|problem|issue|bug|fault|part)(?: here)? (?:is|was)\b|\bfound (?:it|the \w+)\b|\bturns out\b"
    r"|\b(?:it|that|this) (?:is|was) (?:an?|the) [\w -]{3,40}: |\b(?:that['’]?s|this is|which is) why\b|\bexplains\b"
    r"|\bursache\b|\bgrund\b|\bliegt (?:daran|an|am)\b|\bkommt (?:daher|von|vom)\b|\bschuld\b"
    r"|\bla cause\b|\bvient d[eu]\b|\bà cause\b|\bcoupable\b|\bla causa\b|\bviene d[ei]l?\b|\bse debe\b"
    r"|\ba causa\b|\bpor causa\b|\bvem d[aeo]\b|\boorzaak\b|\bkomt door\b|\bprzyczyn\w+\b|\bпричин\w+\b",
    re.I,
)
#: So an agent says what follows from what; asked why, it tells a cause.
_FOLLOWS = seldom(
    r"(?:^\W*|[.!] )(?:so|therefore|hence|that means|deshalb|darum|also|donc|entonces|quindi),? (?!(?:far|i|we|let|you|what|please|now"
    r"|next|wir|ich|on|nous)\b|that['’])|\bbecause\b|\bdue to\b|, so (?:the|it|they|every|each|all|that|nothing|no)\b|\bso it (?:never|always|only)\b"
    r"|\bweil\b|\bdeshalb\b|\bparce que?\b|\bdonc\b|\bporque\b|\bperché\b|\bomdat\b|\bponieważ\b|потому",
    re.I,
)
#: What stands before the cause and says only that it is one.
_LABEL = re.compile(
    r"\W*(?:(?:i )?found (?:it|the (?:\w+ )?(?:cause|culprit|bug|problem))|got it|there it is"
    r"|(?:the |die |la |el )?(?:root |real |actual |eigentliche )?(?:cause|culprit|reason|ursache|grund|causa)"
    r"(?: (?:gefunden|found|trouvée|encontrada)|,? (?:and )?(?:it['’]s |this is )?(?:on me|mine|confirmed|identified|verified|located))*)"
    r"(?:\s?[:–—]| (?:es|est|é|è|ist|is) (?:que|che|dass|that)\b,?)\s*(?=\S)",
    re.I,
)
#: Where an agent has it from.
_SOURCE = re.compile(r"(?:the|your|our) [\w.` -]{2,30}? (?:says?|shows?|tells?|confirms?)(?: that)? (?=\S)", re.I)
_CONCLUDES = re.compile(r"\W*(?:so|therefore|hence|that means|deshalb|darum|also|donc|entonces|quindi)\b", re.I)
_GUESSES = re.compile(
    r"\b(?:maybe|perhaps|probably|possibl[ey]|likely|suspect\w*|guess\w*|hypothes\w+|seems?|might|may|could(?:n['’]t)?"
    r"|would|let me|i think|i assume|i['’]d|not sure|unclear|don['’]t know|vielleicht|vermut\w+|wahrscheinlich|könnte"
    r"|möglich\w*|peut-être|probable\w*|sans doute|quizás?|forse|talvez|misschien)\b|\?",
    re.I,
)
#: What it is not says nothing of what it is.
_ONLY_NOT = re.compile(r"\W*(?:(?:no|so),? )?(?:it|that|this) (?:is|was)(?: not|n['’]t) [^.:;]*\W*$", re.I)
#: What shall be done is no cause.
_INTENDS = re.compile(
    r"\bi(?:['’]ll| will| am going to|['’]m going to)\b|^\W*(?:i|i['’](?:m|ve)|let me|now|next|to answer|done|fixed)\b|\bwe (?:should|must|always|never|will|use)\b"
    r"|^\W*(?:always|never|use|keep|set|make|add)\b|\bfrom now on\b",
    re.I,
)
#: What ought to be is no reason why something is.
_OUGHT = re.compile(r"\b(?:must|should|shall|always|never|ha(?:s|ve) to|needs? to)\b", re.I)
#: An agent asks whether this may be the cause.
_ASKED = re.compile(
    r"(?:^|(?<=[.!?] )|(?<=\n))(?:(?:is it possible|could it be|can it be|might it be|may it be|kann es sein|könnte es sein"
    r"|est-il possible|se peut-il|se pourrait-il|¿?(?:puede|podría) ser|può essere|potrebbe essere|pode ser"
    r"|kan het(?: zijn)?),? (?:that |dass |que |qu['’]|che |dat ))(?P<cause>[^?\n]{12,240})\?",
    re.I,
)
#: What does not work as it should, as people report it.
_FAULT = seldom(
    r"\b(?:hang(?:s|ing)?|hung|freez\w+|froze|dies|die (?:after|with|on|when|at|in|of|from|every)|died|crash\w*|fail(?:s|ed|ing)?|broken?|breaks|wrong|missing|stuck"
    r"|leak(?:s|ing)?|truncated|corrupt\w*|vanish\w*|disappear\w*|lost|loses|empty|blank|twice|doubled?|duplicated?"
    r"|slow(?:er)?|infeasible|garbled|flak\w+|flicker\w*|stutter\w*|jumps|drop(?:s|ped|ping)? (?:out|off|frames|packets)|stall(?:s|ed)|cuts out|not found|out of (?:memory|disk|space)|oom[\w-]*"
    r"|tim(?:es?|ed|ing) out|timeouts?|errors?|exceptions?|warnings?|complain(?:s|ed)?|rejected|refuses|black seams?"
    r"|too (?:much|many|little|few|high|low|long|big|small|late|early)|double|kill(?:ed|s)?|5\d\d|not (?:work|show|load)\w*"
    r"|(?:doesn|don|didn|isn|aren|won)['’]?t (?:work|show|load|start|open|save|match|appear|arrive|come|show up)"
    r"|falsch\w*|häng(?:t|en)|kaputt|stürzt|abgestürzt|fehl(?:t|en)|leer\w*|doppelt\w*|langsam\w*|geht nicht|gehen nicht"
    r"|verschwind\w*|verlier(?:t|en)|verloren|perd(?:u\w*|ent)|pierde\w*|zu (?:viel|viele|wenig|hoch|niedrig|spät|früh|lang)|kommt nicht|plante?|lent\w*|vides?|faux|fausse"
    r"|deux fois|manque\w*|ne (?:marche|fonctionne|s['’]ouvre)|erreurs?|no funciona|falla\w*|lent[oa]s?|vací[oa]s?"
    r"|dos veces|en blan(?:co|c)|non funziona|sbagliat\w+|não funciona|errad\w+|duas vezes)\b",
    re.I,
)
#: What something is for, and what would come without it, is no report of it.
_WHAT_FOR = re.compile(
    r"\b(?:so (?:that|no|nothing|we|it|they)|to (?:avoid|prevent)|otherwise|because|since|damit|sonst|weil|pour (?:que|éviter)"
    r"|sinon|para (?:que|evitar)|si no|perché|altrimenti)\b[^.;!?]*",
    re.I,
)
#: Who says so wants to know why.
_ASKS_WHY = re.compile(
    r"\b(?:why|find out|figure out|any ideas?|what(?:['’]?s| is) (?:going on|wrong|happening)|look into|investigate|debug"
    r"|warum|wieso|weshalb|woran liegt\w*|woher kommt|schau (?:mal )?(?:wo|was|warum)|finde? (?:mal )?(?:raus|heraus)"
    r"|pourquoi|d['’]où vient|trouve pourquoi|por ?qu[eé]|perch[eé]|come mai|waarom|dlaczego|почему)\b",
    re.I,
)
#: What an agent says after a cure that worked: a check passed, or a figure moved.
_CAME_RIGHT = seldom(
    r"\b(?:pass(?:es|ed)?|green|fixe[sd]|gone|solved|(?:went|goes|dropped|fell|down|rose) (?:down |up )?(?:from|to)\b"
    r"|no longer|completed|reproduce|behoben|laufen durch|läuft durch|grün|bestehen|passent|réussi\w*|corrigé\w*|verts?"
    r"|pasan|corregid\w+|passano|corrett\w+|passam|slagen|przechodzą)\b|\d ?→ ?\d",
    re.I,
)
#: What is wished or ordered beside a report is no part of it.
_LOOK = re.compile(
    r"\W*(?:(?:pls|please|can you|and|so|bitte|stp)[ ,]+)*(?:look|find|figure|investigate|check|fix|why|see|schau|finde?|regarde|trouve)\b",
    re.I,
)
#: What people say or want, and what they have done: no fault by itself.
_RULES = re.compile(
    r"\b(?:should|must|shall|always|never|only|don['’]?t|do not|no more|from now|instead|immer|nie|darf|dürfen|soll"
    r"|muss|toujours|jamais|doit|siempre|nunca|sempre|mai|we (?:use|keep|want|need|decided|switch)|let['’]?s|please"
    r"|change|set|use|keep|make|put|add)\b|^\W*(?:no|kein\w*|pas de|sin|ning[uú]n\w*|nada de|sem|niente|geen|bez) \w",
    re.I,
)
_ALWAYS_SO = re.compile(
    r"\b(?:no|without) exceptions?\b|\b(?:always|never|only|immer|nie|toujours|jamais) "
    r"(?=\w{3,}s\b|there\b|when\b|if\b|after\b|on\b|in\b|with\b|for\b)",
    re.I,
)
#: Who complains is no part of what is wrong.
_COMPLAINS = re.compile(
    r"[\w .'’-]{2,40}? (?:complain(?:s|ed)?|reports?|reported|says?|meldet|klagt|se plaint):?(?: that| dass| que)? ",
    re.I,
)
#: A user says so when the cure helped.
_WORKS = re.compile(
    r"\W*(?:(?:yes|yep|yeah|ok(?:ay)?|great|nice|cool|ja|oui|sí|ah|oh|wow|perfect|super|it|that|this|es|das|ça)\W+)*"
    r"(?:works|worked|helped|helps|fixed|solved|geht|läuft|klappt|hilft|marche|fonctionne|funciona|funziona|działa)\b",
    re.I,
)
#: Who reports a fault does so briefly; a page or a log is no report.
_EFFECT_CHARS, _REPORT_CHARS = 80, 700
#: What comes of a cause, and what only says that one was found.
_THAT_IS_WHY = re.compile(r"\W*(?:so |and )?(?:that|this|which)(?:['’]s| is) why\b", re.I)
_FAULT_TOPICS = topics(
    "it still fails, failed, failing, broken, an error, a bug, wrong, an issue, a problem, missing, not working"
)
_FEW_SENTENCES = 4
_CAUSE_TOPICS = topics("the root cause, real issue, problem, bug, reason, culprit or trouble was found")
#: What begins so says where "it" comes from.
_OF_IT = re.compile(
    r"(?:it|that|this|these|those|they|the (?:reason|cause|culprit|problem|bug|issue)|das|es|dies|der grund|ça|cela|ce"
    r"|esto|eso|questo|ciò|isso|dat|het|to|это)\b",
    re.I,
)
#: Who comes back to something names it.
_BACK_TO = re.compile(r"\W*(?:so |ok |and )*(?:back (?:to|at|on)|again (?:on|at)|about|on)\b", re.I)
_NAMED_AS = re.compile(
    r"^(?:that|this|the) (?:old |damn |stupid )?|(?:,? again)? (?:thing|issue|problem|error|business)$", re.I
)
#: What stands for a fault that has no word for it.
_TROUBLE = seldom(
    r"\b(?:root cause|caused by|due to|(?:the|an?|this|that|first|real|actual) (?:\w+ ){0,2}(?:issue|bug|problem|culprit"
    r"|regression|flaw)|because|instead of|without|not|cannot|overw?rit\w+|silently|swallow\w*|strip\w*"
    r"|wrong\w*|stale)\b|n['’]t\b",
    re.I,
)
#: A gain or an aim of the plan itself.
_AIMS = re.compile(r"\w [—–] \w|\b(?:will|would|should|must)\b", re.I)
#: What is not as it shall be, in a sentence on how things are.
_LACKS = re.compile(
    r"\b(?:never|not|n['’]t) (?:being |actually |even |yet )?[a-z]+ed\b|\bnever \w+(?: up)?$|\bsilent(?:ly)?\b|\binconsistent\w*"
    r"|\bcurrently\b|\bunused\b|\bnowhere\b|\bthere(?:['’]s| is| are) no\b|\bwith no \w+|\b(?:risk|break|fail|leak|lose|crash)s?\b",
    re.I,
)
#: Who orders so has what was found mended.
_MEND_IT = re.compile(
    r"\b(?:fix|address|resolve|repair|correct|handle|tackle|mend)(?:ing)? (?:it|them|that|this|all|those|these|everything"
    r"|each|both|any|the (?:[\w-]+ ){0,2}(?:findings?|issues?|bugs?|problems?|errors?|comments?|points?|gaps?|ones?))\b"
    r"|\b(?:issues?|findings|bugs?|problems|errors) (?:to be )?(?:fixed|addressed|resolved)\b"
    r"|\b(?:beheb|repariere?|korrigiere?)\w* (?:das|es|sie|alle|beide|die)\b|\bcorrige[rsz]? (?:ça|tout|les|le|la|todo|eso)\b"
    r"|\barregla (?:todo|eso|los|las|ambos)\b",
    re.I,
)
_ONLY_CODE = re.compile(r"(?:line \d+\W+)?`[^`]*`\W*|\W*", re.I)
#: What breaks off there goes on in the next line.
_DANGLES = re.compile(
    r"\b(?:when|if|while|that|the|an?|and|or|of|to|in|on|at|by|with|for|from|because|since|neither|is|are)$", re.I
)
_ORDER_CHARS = 300
_TURNS_BACK = 3
_LEAST_TOPICS = 2


def tells_cause(text: str, *, is_asked: bool = False) -> bool:
    """Whether an agent says as a fact where something comes from; asked why, what follows from what does so, too."""
    said = sentences(text)
    return any(map(_is_cause, said)) or (is_asked and any(_is_told(one) and _FOLLOWS.search(one) for one in said))


def _is_cause(sentence: str) -> bool:
    return _COMES_FROM.search(sentence) is not None and _is_told(sentence)


def _is_told(sentence: str) -> bool:
    return not (_GUESSES.search(sentence) or _ONLY_NOT.match(sentence) or _INTENDS.search(sentence))


def asked_cause(text: str) -> str:
    """The cause that an agent asks about, as a statement: "could it be that the ack is late?"; else nothing."""
    found = _ASKED.search(text)
    return found["cause"].strip() if found is not None else ""


def tells_trouble(text: str) -> bool:
    """Whether a text speaks of something that went wrong, or of what was not as it should be: "so the call chain is …"
    does not."""
    return _FAULT.search(text) is not None or _TROUBLE.search(text) is not None


def tells_state_before(text: str) -> bool:
    """Whether a sentence of a plan tells what the plan does away with: a fault, or what nobody uses or did."""
    return _LACKS.search(text) is not None and _AIMS.search(text) is None


def is_ordered_mended(reply: Turn | None) -> bool:
    """Whether the user has the agent mend what it found, and the agent sets about it: "fix all of them"."""
    return reply is not None and reply.passed > 0 and orders_mending(reply.text[:_ORDER_CHARS])


def orders_mending(text: str) -> bool:
    """Whether somebody has mended what was found: "fix those"."""
    return _MEND_IT.search(text) is not None


def answers_why(text: str, turn: Turn) -> bool:
    """Whether this is what an agent says first, as a fact, to who asks why something is so: should they take it for
    the cause, it is one, whatever it is called."""
    answer = turn.after[-1].text if turn.after else ""
    first = next(iter(sentences(text)), "")
    is_first = bool(first) and answer.lstrip("# *\n").startswith(first)
    is_fact = _is_told(first) and _OUGHT.search(first) is None and len(topics(first)) >= _LEAST_TOPICS
    return is_first and is_fact and is_asked_why(turn)


def cause_told(text: str) -> str:
    """The sentence of an agent's that says where something comes from, as a statement; else nothing."""
    if asked := asked_cause(text):
        return agents_statement(asked)
    told = (one for one in sentences(text) if _is_told(one) and _THAT_IS_WHY.match(one) is None)
    said = [one for one in told if len(topics(one) - _CAUSE_TOPICS) >= _LEAST_TOPICS]
    cause = next(filter(_is_cause, said), "") or (_concluded_from(said) if tells_cause(text, is_asked=True) else "")
    label = _LABEL.search(unmarked(cause)) or _SOURCE.match(unmarked(cause))
    source = agents_statement(unmarked(cause)[label.end() :] if label is not None else cause)
    # What only leads in, or is a line of code, tells nothing.
    return "" if source.endswith((":", "—", "–", "{", "{`", ";")) or _ONLY_CODE.fullmatch(source) else source


def _concluded_from(said: Sequence[str]) -> str:
    """What stands right before "So the rail drops"; else what was said first."""
    return next((before for before, one in pairwise(said) if _CONCLUDES.match(one)), said[0] if said else "")


def reports_fault(text: str) -> bool:
    """Whether a user tells what goes wrong, and neither rules on it nor says what to do."""
    told = [one for one in sentences(text) if not one.endswith("?") and not _LOOK.match(one)]
    told = [_ALWAYS_SO.sub("", one) for one in told if len(topics(one)) >= _LEAST_TOPICS]
    faults = [one for one in told if _FAULT.search(_WHAT_FOR.sub("", one)) is not None]
    return 0 < len(told) <= 2 * len(faults) and not any(map(_orders, told))


def _orders(sentence: str) -> bool:
    """Whether it rules, or says what to do."""
    said = statement(sentence)
    return rules_plainly(sentence) or _RULES.search(sentence) is not None or is_order(said) or is_errand(said)


def is_asked_why(turn: Turn) -> bool:
    """Whether the user asks why something is so."""
    return len(turn.text) <= _REPORT_CHARS and _ASKS_WHY.search(turn.text) is not None


def is_sought(turn: Turn) -> bool:
    """Whether the user reports in a turn what goes wrong, or asks why something is so."""
    return is_asked_why(turn) or (len(turn.text) <= _REPORT_CHARS and any(map(reports_fault, sentences(turn.text))))


def came_right(turn: Turn, number: int) -> bool:
    """Whether a check passed in a turn's answer, and the agent says so behind a line."""
    after = (message.text for message in turn.after if message.number > number)
    return turn.passed > 0 and any(_CAME_RIGHT.search(text) is not None for text in after)


def was_mended(turn: Turn, reply: Turn | None, number: int) -> bool:
    """Whether what an agent told the cause of came right behind that line, or in the next answer, or the user says so."""
    if came_right(turn, number):
        return True
    if reply is None:
        return False
    return came_right(reply, number) or (turn.passed > 0 and (says_it_works(reply.text) or says_it_runs(reply.text)))


def says_it_works(text: str) -> bool:
    """Whether a user says that the cure helped."""
    return _WORKS.match(text) is not None and "?" not in text and " not " not in text[:_EFFECT_CHARS]


def effect_before(turns: tuple[Turn, ...], turn: Turn, cause: str) -> tuple[Turn, str] | None:
    """What went wrong by this cause, in the user's words, and the turn that tells it: the one that is answered, or the
    last before it that speaks of the same as the cause."""
    about = topics(cause) - _FAULT_TOPICS
    for earlier in reversed(turns[max(0, turn.index - _TURNS_BACK) : turn.index + 1]):
        said = own_text(earlier.text, quotes=True)
        # Who says little besides gets the cause of that for an answer.
        is_answered = earlier is turn and len(sentences(said[:_REPORT_CHARS])) <= _FEW_SENTENCES
        told = [one for one in _faults(said) if is_answered or not about.isdisjoint(topics(one))]
        if told:
            return earlier, told[0]
    return None


def _faults(text: str) -> Iterator[str]:
    for span in sentence_spans(text) if len(text) <= _REPORT_CHARS else ():
        is_asked = span.of(text).endswith("?") and _ASKS_WHY.search(span.of(text)) is not None
        if not (is_asked or reports_fault(span.of(text))):
            continue
        said = capital(_COMPLAINS.sub("", _without_lead(statement(span.of(text))), count=1)).rstrip("?. ")
        is_part = _LOOK.match(said) or _DANGLES.search(said)
        if _FAULT.search(said) is None or len(topics(said)) < _LEAST_TOPICS or is_part:
            continue
        # Who saw it and since when is told at the end.
        short = re.split(r",? (?:since|seit|depuis|desde|dal?)\b|, | - | — ", said)[0]
        is_enough = _FAULT.search(short) is not None and len(topics(short)) > _LEAST_TOPICS
        yield short if is_enough else headline(said, _EFFECT_CHARS)


def _without_lead(said: str) -> str:
    """What went wrong, where it is only named: "back to the import, that font not found thing"."""
    if _BACK_TO.match(said) is None:
        return said
    named = next((one for one in reversed(said.rstrip("?. ").split(", ")) if _FAULT.search(one)), said)
    return _NAMED_AS.sub("", named)


def titled(cause: str, effect: str, *, is_mended: bool = False) -> str:
    """A title of cause and effect; of the cause alone where that names its effect, or fills it. What was mended at once is
    told as that: whoever reads of it later must not take it for how things are."""
    title = _titled(cause, effect)
    return f"{title}{MENDED}" if is_mended and len(title) + len(MENDED) <= TITLE_CHARS else title


def _titled(cause: str, effect: str) -> str:
    is_named = len(topics(effect) & topics(cause)) >= _LEAST_TOPICS and _OF_IT.match(cause) is None
    if not effect or is_named:
        return headline(cause)
    led = f"{effect}: "
    cut = headline(lower(cause), TITLE_CHARS - len(led))
    is_whole = not cut.endswith("…") and len(topics(cut)) >= _LEAST_TOPICS
    return led + cut if is_whole else headline(cause)
