"""What says nothing that lasts, whatever words it has: questions, reports, what is for once, and what leads in."""

from __future__ import annotations

import re

from lerim.glance import seldom
from lerim.ingest.signals.asked import leaves_all
from lerim.ingest.signals.beside import is_of_the_day, is_once, muses
from lerim.ingest.signals.chat import is_chat, is_of_this_evening, sighs
from lerim.ingest.signals.cues import tells_change, user_cues
from lerim.ingest.signals.forms import steers_talk
from lerim.ingest.signals.plain_words import agents_statement, is_of_now
from lerim.ingest.signals.put_off import is_put_off
from lerim.ingest.signals.reading import UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.rulings import rules_plainly
from lerim.ingest.signals.summary_later import is_left_for_later
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import has_a_verb, is_task
from lerim.ingest.signals.units import Unit, UnitRole, is_review
from lerim.ingest.words import is_english
from lerim.text.sentences import sentences

#: Who says so says that it lasts.
LASTING = frozenset({"standing", "remember"})
#: What rules in every language whose words are known.
RULES_ANYWHERE = frozenset({"standing", "remember", "prohibit", "rule", "should", "instead"})
#: So few words without a verb are no statement.
_FRAGMENT_WORDS = 5
#: What an agent says of its working tree holds until the next command.
_OF_THE_MOMENT = seldom(
    r"\bworking (?:tree|directory|copy) (?:is|has|was)\b|\b(?:un)?staged\b|\buntracked\b|\buncommitted\b"
    r"|\b(?:net|[-+−]) ?[-+−]?\d+ lines\b|\b(?:is|was|are) (?:now )?(?:checked out|stashed|rebased)\b"
    r"|\ball tests? (?:now )?pass"
    # Nor does what runs elsewhere stay so.
    r"|\b(?:worker|sub-?agent|job|task|pipeline|workflow|build|run|check|ci)s?\b(?: [\"“`'’][\w-]+[\"”`'’]?)?"
    r" (?:has|have|is|are) (?:(?:now |just |still |all |both )*(?:finished|completed|done|started|queued|pending|idle"
    r"|in progress|waiting|back)|(?:still|now|just) running)\b|\bmerge-ready\b|\b(?:is|are"
    r"|still) (?:currently )?(?:in progress|being run)\b",
    re.I,
)
#: How a question begins that asks for nothing to be done.
_WONDERS = re.compile(
    r"\W*(?:(?:and|so|but|ok(?:ay)?|hm+|wait|also|then|btw)[ ,]+)*"
    r"(?:what|whats|what['’]s|why|how|where|which|who|when|is|are|am|was|were|do|does|did|has|have"
    # Whether they themselves may is asked of the agent.
    r"|(?:shall|should|may|can|could|must|need) i|soll ich|darf ich|kann ich|muss ich|(?:dois|puis)-je|je dois|debo"
    r"|puedo|devo|posso)\b",
    re.I,
)


def says_nothing_lasting(reading: UnitReading) -> bool:
    """Whether form alone says that nothing of it will matter in the next session."""
    return (
        reading.is_passing
        or _is_ironic(reading.unit)
        or _only_leads_in(reading.unit)
        or _only_asks(reading)
        or _is_fragment(reading)
        or _is_of_the_moment(reading)
        or _is_agents_step(reading)
        or _is_anothers_review(reading)
        or _is_for_once(reading)
        or _only_reports(reading)
        or _is_small_talk(reading)
        or _is_left_open(reading)
        or _only_tells(reading)
        or (reading.unit.sort is UnitRole.ANSWER and steers_talk(reading.unit.question, reading.unit.answer))
    )


#: What nobody says of a rule that they mean: "oh sure, let's also …", "…, what could go wrong".
_IRONY = re.compile(
    r"\bwhat (?:could|can|would) (?:possibly )?go wrong\b|\bwas (?:soll|kann) (?:da )?schon schiefgehen\b"
    r"|\bqu['’]est-ce qui pourrait mal tourner\b|\bqué podría salir mal\b"
    r"|(?:^|(?<=[.!?] ))\W*(?:oh,? (?:sure|yeah|yes|right|great)|yeah,? (?:right|sure)|sure,? sure|suuu+re|haha\w*|lol"
    r"|na klar|aber sicher)"
    r"[,.!]* (?:(?:and|then|why not|so) )?(?:lets|let['’]s|let us|lass(?:t| uns)?)\b",
    re.I,
)


#: So far behind a sentence its wink may stand.
_WINK = 40


def _is_ironic(unit: Unit) -> bool:
    """Whether it is said the other way round: whoever means it says so without a wink."""
    return unit.is_users and _IRONY.search(unit.message.text[unit.span.start : unit.span.end + _WINK]) is not None


def _only_leads_in(unit: Unit) -> bool:
    """Whether its line ends with a colon: it leads in what follows, and says nothing itself."""
    if unit.sort is not UnitRole.WORDS or not unit.text.rstrip(" *_").endswith((":", "：")):
        return False
    return not unit.message.text[unit.span.end :].partition("\n")[0].strip(" *_")


def _is_fragment(reading: UnitReading) -> bool:
    """Whether the user only names something, in a few words that state nothing: "the mail subject", "inngest or so"."""
    unit, how = reading.unit, reading.proposal.how
    if unit.sort is not UnitRole.WORDS or how in {ReplyMatch.ITEM, ReplyMatch.QUESTION} or unit.mark:
        return False
    if reading.settles_question or reading.swaps:
        return False
    is_short = len(unit.text.split()) <= _FRAGMENT_WORDS and is_english(unit.text) and not reading.has_ruling
    return is_short and not reading.cues and not tells_change(unit.text) and not has_a_verb(unit.text)


def _is_of_the_moment(reading: UnitReading) -> bool:
    """Whether an agent tells how the working tree stands, or how much it wrote."""
    unit = reading.unit
    return unit.sort is UnitRole.AGENT and not reading.is_telling and _OF_THE_MOMENT.search(unit.text) is not None


def _is_anothers_review(reading: UnitReading) -> bool:
    """Whether it stands in a review that the user pasted: what somebody else finds is nobody's ruling."""
    unit = reading.unit
    if not unit.is_reviewing or unit.is_agreed:
        return False
    return is_review(unit.message.text) or not reading.cues & LASTING


#: A line of a list of changes: what was done to what, and nobody who did it.
_CHANGE = re.compile(
    r"(?:`[^`\n]+`(?: \w+)?(?: \([^)\n]*\))? ?[—–:-] )?"
    r"(?:(?:re)?(?:added|created|updated|removed|replaced|implemented|renamed|moved|changed|refactored|simplified"
    r"|extracted|introduced|defined|delivered|wired|scoped|captured|wrote|made|built|converted|deleted|dropped|switched"
    r"|extended|adjusted|improved|cleaned|exposed|bumped|installed|configured|registered|documented|fixed|kept))\b"
    r"(?! (?:is|are|was|were|has|have|must|should|may|can|never|always)\b)",
    re.I,
)


_LOOKS_NEXT = re.compile(
    r"\W*(?:so |now |first,? |but )?(?:let me|let['’]s|i(?:['’]ll| will| need to|['’]m going to)"
    r"|i['’]m (?=\w+ing\b)) (?:\w+ )?"
    r"(?:verif|check|confirm|look|see|test|read|find|inspect|trace|make sure|double-check)\w*",
    re.I,
)
_SUPPOSES = re.compile(
    r"\b(?:likely|probably|presumably|perhaps|maybe|may be|might|seems?|appears? to|i (?:think|suspect|guess|assume"
    r"|suppose))\b",
    re.I,
)


def _is_agents_step(reading: UnitReading) -> bool:
    """Whether an agent only tells what it does next, or what it changed: the summary's business. What a thing comes
    from is worth more than that."""
    unit = reading.unit
    if unit.sort is not UnitRole.AGENT or reading.is_telling:
        return False
    told = [one for one in sentences(unit.text) if topics(one)]
    if any(_LOOKS_NEXT.match(one) for one in told):
        # What is only supposed is looked up in the next step.
        told = [one for one in told if not (_LOOKS_NEXT.match(one) or _SUPPOSES.search(one))]
        if not told:
            return True
    if "cause" in reading.cues:
        return False
    said = [agents_statement(one) for one in told]
    return bool(said) and all(_CHANGE.match(one) is not None or is_task(one) for one in said)


_ONCE = re.compile(
    r"\b(?:just|only) (?:for )?this (?:time|once)\b|\bfor this (?:one )?(?:time|run|once)\b|\bthis once\b"
    r"|\bthis time\W*$",
    re.I,
)
_LOOK_INTO = re.compile(
    r"\b(?:(?:find|figure) out (?:why|what|how)|look into (?:it|this|that|why)|check why|see why"
    r"|debug (?:it|this|that)|investigate (?:it|this|that|why|the)"
    r"|(?:see|check|test|verify) (?:if|whether)|then we(?:['’]ll| will)? (?:know|see)\W*$"
    r"|(?:prove|verify|confirm|reproduce|double[- ]?check) (?:it|that|this)"
    r"(?=\W*$|,| (?:please|pls|first|before you)\b)"
    r"|(?:^\W*|\b(?:but|and|then|please|pls|,) )check (?:it|that|this)\b(?! (?:in|into|out|against?|every|each)\b)"
    r"|check (?:the|our) (?:\w+ )?logs?\b"
    r"|(?:pls|please|can you|,) fix(?: (?:it|this|that|pls|please|asap))?\W*$)",
    re.I,
)
#: What somebody wants mended: "…, it always jumps back to USD". Nobody rules on that.
_GOES_WRONG = re.compile(
    r"[,.;:(-]\s*(?:it|they|this|that|which|because it|die|der|das|es|er|sie)\b[^,.;!?]{0,24}?"
    r"\b(?:always|never|keeps?|immer|nie|ständig|dauernd)\b[^,.;!?]*",
    re.I,
)
#: What does not end, or goes wrong each time, as somebody sees it: "the spinner never goes away".
_NEVER_ENDS = re.compile(
    r"\bnever (?:goes away|finish(?:es)?|ends|stops|loads|responds|works|completes|closes|returns|comes back)\b"
    r"|\b(?:always|keeps?|constantly) (?:crash|fail|break|hang|freez|flicker|jump|reset|overlap|tim(?:es|ing) out"
    r"|gets? stuck|getting stuck|disappear|goes blank|going blank)\w*",
    re.I,
)
_RULES_WORD = re.compile(
    r"\b(?:always|never|must|from now on|every time|immer|nie(?:mals)?|ab jetzt|should|don['’]?t|do not)\b", re.I
)
#: A question without its mark: "why do we get the old index in the tests now", "what about the purge".
_ASKS_UNMARKED = re.compile(
    r"\W*(?:(?:and|so|but|ok(?:ay)?|hm+|wait|also|then|btw)[ ,]+)*(?:(?:why|how|when|where|who) (?:do|does|did"
    r"|is|are|was|were|can|could|would|has|have)|what about|what (?:do|does|did|is|are|was|were))\b[^.?!\n]*$",
    re.I,
)
#: A question of one sentence, as Japanese and Chinese end theirs.
_ASKS_ELSEWHERE = re.compile(r"^[^。！!\n]{0,80}(?:(?:です|ます|でしょう|ない|の)か|吗|嗎|呢)[？?。]?$")


#: Said to the agent for this question alone: "don't change anything, just asking".
_HANDS_OFF = re.compile(
    r"\b(?:just|only|merely|simply) (?:asking|wondering|curious|(?:being )?nosy|thinking(?: out loud| aloud)?"
    r"|an? (?:\w+ )?question|out of (?:interest|curiosity))\b|\b(?:asking|question) only\b"
    r"|(?:^|[,.;–—-] ?)(?:(?:but|and|ok(?:ay)?|so|please|pls|for now)[, ]+)*"
    r"(?:(?:do not|don['’]?t|dont) (?:change|touch|edit|modify|do|write|fix|implement|commit|build)"
    r" (?:anything|any code|a thing|code)|no (?:code )?(?:changes|edits))"
    r"(?: (?:yet|for now|now|please|pls|though|here|today))*\W*(?:$|,)",
    re.I,
)
#: A whole line of farewell, or of being friendly.
_SMALL_TALK = re.compile(
    r"\W*(?:(?:very good|thanks?(?: you| a lot)?|thx|ok(?:ay)?|great|good|and|bye|cu|perfect|super)\W+)*"
    r"(?:(?:have|enjoy) (?:an?|the|your) (?:very )?(?:\w+ )?"
    r"(?:weekend|day|evening|night|one|trip|holidays?|vacation|week|lunch)"
    r"|see you(?: \w+){0,2}|talk to you(?: \w+){0,2}|good (?:night|morning|evening)|happy (?:friday|holidays)"
    r"|say hi to \w+|thank(?:s| you)(?: (?:so|very) much| a lot)?)\W*",
    re.I,
)
#: Nothing but a day, or what is done on it.
_ONLY_A_DAY = re.compile(
    r"\W*(?:(?:no|wait|ok(?:ay)?|so|then|hm+|and|well|better|make (?:it|that)|sorry|actually|on|do it|deploy"
    r"|release|ship|merge)[ ,.]+)*(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"(?: (?:then|please|pls|instead|morning|evening))*\W*",
    re.I,
)
#: What is said to be undecided.
_LEFT_OPEN = re.compile(
    r"\b(?:leave (?:it|that|this|the (?:question|matter|point|choice|decision)) open"
    r"|(?:leave|keep) (?:[\w-]+ ){1,4}?undecided)(?: (?:please|pls|for now|then|until|till)\b|\W*$)"
    r"|\bto be decided\b|\bwe (?:still )?have to decide\b"
    r"|\b(?:i|we)(?: still)? (?:have to|need to|must) (?:ask|check with|talk to)\b",
    re.I,
)


def is_for_this_question(text: str) -> bool:
    """Whether it only keeps the agent from more than an answer, this once."""
    return _HANDS_OFF.search(text) is not None


def _is_small_talk(reading: UnitReading) -> bool:
    """Whether all of it is for this question, for this day, or friendly."""
    if reading.unit.sort is not UnitRole.WORDS or reading.cues & LASTING:
        return False
    stated = [one for one in sentences(reading.unit.text) if not one.endswith("?") and topics(one)]
    # "Commit" and "fits" say nothing of the rest.
    said = [one for one in stated if len(one.split()) > 1] or stated
    return bool(said) and all(map(_is_beside, said))


def _is_beside(sentence: str) -> bool:
    if is_for_this_question(sentence) or _SMALL_TALK.fullmatch(sentence) or _ONLY_A_DAY.fullmatch(sentence):
        return True
    is_idle = is_of_the_day(sentence) or muses(sentence) or is_once(sentence)
    return is_idle and not user_cues(sentence) & LASTING


def _is_left_open(reading: UnitReading) -> bool:
    """Whether the user says that nothing is decided yet; what they rule beside it is not of that."""
    unit = reading.unit
    if unit.sort is not UnitRole.WORDS or reading.cues & LASTING or reading.has_ruling:
        return False
    last = [one for one in sentences(unit.text) if topics(one)][-2:]
    rest = [one for one in last if _LEFT_OPEN.search(one) is None]
    return len(rest) < len(last) and not any(user_cues(one) & _RULES_NOW for one in rest)


def _only_tells(reading: UnitReading) -> bool:
    """Whether whatever sounds like a rule in it is left to the agent, asked for a yes, a habit, or read off a meter."""
    if reading.unit.sort is not UnitRole.WORDS or reading.swaps:
        return False
    said = [one for one in sentences(reading.unit.text) if topics(one) or leaves_all(one)]
    ruling = [one for one in said if user_cues(one) & RULES_ANYWHERE or rules_plainly(one) or leaves_all(one)]
    told = (leaves_all, is_habit, is_of_this_evening, _checks, _READ_OFF.match)
    return bool(ruling) and all(any(tells(one) for tells in told) for one in ruling)


#: What rules beside an open matter.
_RULES_NOW = frozenset({"rule", "prohibit", "should", "instead"})


def _only_asks(reading: UnitReading) -> bool:
    """Whether each sentence of the user's asks what, how or whether it is: who asks for something wants it."""
    unit = reading.unit
    if unit.sort is not UnitRole.WORDS or reading.cues & LASTING:
        return False
    if _ASKS_ELSEWHERE.search(unit.text) or _ASKS_UNMARKED.match(unit.text):
        return True
    if "?" not in unit.text:
        return False
    return all(one.endswith("?") and _WONDERS.match(one) for one in sentences(unit.text))


def _only_reports(reading: UnitReading) -> bool:
    """Whether the user tells what goes wrong and wants it looked into: that is over when it is mended."""
    unit = reading.unit
    if unit.sort is not UnitRole.WORDS:
        return False
    if "request" in reading.cues and _GOES_WRONG.search(unit.text):
        return not _RULES_WORD.search(_GOES_WRONG.sub("", unit.text))
    if _NEVER_ENDS.search(unit.text) and not _RULES_WORD.search(_NEVER_ENDS.sub("", unit.text)):
        return True
    if reading.cues & RULES_ANYWHERE:
        return False
    if all(map(is_of_now, sentences(unit.text))):
        return True
    return _LOOK_INTO.search(unit.text) is not None and not tells_change(unit.text)


def _is_for_once(reading: UnitReading) -> bool:
    """Whether the user says that it is for this time, or puts off what is left to do."""
    unit = reading.unit
    if unit.sort is not UnitRole.WORDS or reading.cues & LASTING or reading.settles_question:
        return False
    if is_put_off(unit.text):
        return False
    if _is_at_it_themselves(unit.text) and not reading.has_ruling:
        return True
    if _ONCE.search(unit.text) is not None or is_left_for_later(unit.text):
        return True
    said = [one for one in sentences(unit.text) if topics(one)]
    if (said and all(map(_THING_PUT_OFF.match, said))) or _PUT_OFF_LAST.fullmatch(unit.text):
        return True
    # "Next week. Not in this sprint": what was offered is no decision yet.
    return reading.is_nod and any(map(is_left_for_later, sentences(unit.text)[:1]))


_SOME_DAY = (
    r"(?:myself|tonight|tomorrow|later(?: today)?|this (?:evening|afternoon|weekend|week)|next week"
    r"|after (?:lunch|work|dinner)|(?:on |next |till |until )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
#: The thing first, and then when: "the old grid we do not today", "the intro i do with jens on monday". What "we" do on
#: a day of the week may be a habit.
_THING_PUT_OFF = re.compile(
    r"\W*(?:(?:and|but|so|ok(?:ay)?|then|also|btw|yes|no|hm+)[ ,]+)*"
    r"(?!(?:every|each|all|any|no|from|when|if|after|before|in|on|for)\b)(?:[\w.'’/-]+ ){1,6}?"
    r"(?:(?:we|you|they|i)(?:['’]ll| will| can| could| should)? (?:\w+ ){0,2}?"
    r"(?:not (?:today|now|yet|this (?:week|sprint|month|time))|(?:today|tomorrow|tmrw|tmr|tonight|later"
    r"|another (?:day|time)|next (?:week|month|sprint|time|year|quarter)))"
    rf"|i(?:['’]ll| will| can)? (?:\w+ ){{1,4}}?{_SOME_DAY}"
    r"|not (?:today|yet|this (?:week|sprint|month)))(?: (?:then|please|pls|though|with \w+|maybe|anymore|together))*"
    r"(?=\W*$|, )",
    re.I,
)
#: "Try nomad? hm not now": asked, and put off in the same breath.
_PUT_OFF_LAST = re.compile(
    r"[^.!?\n]{2,80}?(?:\?|,|\s[–—-]|\.{2,3})\s*(?:(?:hm+|uh|well|nah|no|maybe|perhaps|rather|yes but|vielleicht|lieber"
    r"|peut-être|quizás)[, ]+)*(?:not (?:now|yet|today)|later|another time|some other time|some day|one day"
    r"|next (?:year|time)"
    r"|nicht jetzt|noch nicht|später|ein andermal|pas maintenant|plus tard|ahora no|más tarde|luego|depois"
    r"|non ora|più tardi)"
    r"\W*",
    re.I,
)
#: What somebody does alone, once, or why they will not be there.
_AT_IT_THEMSELVES = re.compile(
    rf"\bi(?:['’]?ll| will|['’]?m going to| am going to|['’]?m gonna| can)? (?!always|never|want|need|prefer|expect)"
    rf"(?:[\w'’-]+ ){{1,7}}?{_SOME_DAY}\b"
    r"|\bi(?:['’]?m| am)(?: \w+)? "
    r"(?:on (?:vacation|holidays?|leave)|away|out of office|offline|sick|back (?:on|in|at))\b",
    re.I,
)


def _is_at_it_themselves(text: str) -> bool:
    said = [one for one in sentences(text) if len(topics(one)) > 1]
    return "?" not in text and bool(said) and all(map(_AT_IT_THEMSELVES.search, said))


# --- what somebody only tells ---

#: "… on by default, no?" wants to hear that it is so.
_TAG = re.compile(
    r"[,–—-]\s*(?:(?:that['’]?s )?(?:no|right|correct|yes|yeah|huh|eh|true|or)"
    r"|(?:is|are|was|were|does|do|did|has|have|will|would|can)(?:n['’]?t)? (?:it|they|he|she|we|you|that|there|i)"
    r"|oder(?: nicht)?|nicht(?: wahr)?|ne|gell|stimmt['’]?s|n['’]est[- ]ce pas|non|hein|verdad|no es así|né"
    r"|não é|vero|giusto"
    r"|toch|hè)\s*\?+\W*$",
    re.I,
)
#: Who asks so wants it so all the same.
_DIRECTS = re.compile(
    r"^\W*(?:never|always|don['’]?t|do not|please|let['’]?s|keep|use)\b"
    r"|\b(?:should|must|shall|need to|needs to|ha(?:s|ve) to|want|better|can we|could we|from now on)\b",
    re.I,
)
_HABIT = (
    r"(?:forget\w*|remember|mix|confus\w+|misread|mistype|mess|lose|wonder\w*|wanted|liked|loved|hated|heard|read|saw|seen"
    r"|knew|know|thought|think|understood|understand|tried|did|had|been|was|noticed|learn\w*|get (?:it|that"
    r"|this|them|lost)"
    r"|look (?:it|that|this) up|used(?! to)|worked|met|found|felt)"
)
#: What somebody does or did all their life is no rule of a project's.
_OWN_HABIT = re.compile(
    rf"\bi(?:['’]m| am|['’]ve| have)? (?:\w+ )?(?:always|never|constantly|keep) {_HABIT}\b"
    rf"|^\W*(?:(?:ah+|oh|wow|hm+|ha|haha|lol|ok(?:ay)?|huh)\W+)*never (?:seen|heard|had|been|thought|knew|liked"
    rf"|noticed|understood|saw|happened)\b"
    r"|\bich (?:vergesse|verwechsle|weiß|verstehe|hab\w*|war|kannte|wusste)\b[^.!?]{0,40}\b(?:immer|nie|ständig)\b"
    r"|\b(?:noch )?nie (?:gesehen|gehört|gewusst|gehabt|benutzt)\b"
    r"|\bj['’]oublie toujours\b|\bje ne (?:sais|retiens|comprends) jamais\b|\bjamais (?:vu|entendu)\b"
    r"|\bsiempre (?:me olvido|se me olvida|confundo)\b|\bnunca (?:me acuerdo|recuerdo|he visto|lo he)\b",
    re.I,
)
_KIN = (
    r"(?:mother|father|mom|mum|dad|wife|husband|son|daughter|kids?|child(?:ren)?|brother|sister|neighbou?rs?"
    r"|cats?|dogs?|friends?|roommate|girlfriend|boyfriend|partner|family|parents|in-laws)"
)
_EVER = r"(?:always|never|constantly|immer|nie|ständig|toujours|siempre)"
#: The same of others, and of what nobody here can rule on.
_OTHERS_HABIT = re.compile(
    rf"\b(?:my|his|her) {_KIN} (?:(?:and|still|just|also|\w+ly) ?)?{_EVER}\b"
    rf"|\b(?!(?:we|i|and|but|or|so|please|must|should)\b)[\w'’-]+ {_EVER} (?:(?:come|arrive|show up|turn up|run"
    rf"|are|is|comes"
    r"|arrives|leave|leaves|start|starts) )?(?:too |so |very |a bit )?(?:late|early|funny|annoying|hungry|tired"
    r"|sad|happy"
    r"|weird|boring|crowded|rainy)\b(?![-\w])"
    rf"|\b{_EVER}\b[^.!?]{{0,60}}(?:\b(?:lol|haha+|hehe|xd|rofl|lmao)\W*|:-?[D)P]\s*|\^\^\s*|[😂😅🙄]\s*)$",
    re.I,
)
#: What somebody makes of a habit: "…, so always add one".
_MAKES_OF_IT = re.compile(
    r"[,;:–—-] ?(?:so|then|therefore|deshalb|also|donc|entonces)\b|\b(?:must|should|shall|need to|needs to"
    r"|ha(?:s|ve) to"
    r"|muss|soll(?:en|te)?)\b|[,;:–—-] ?(?:please|let['’]?s|always"
    r"|never(?! (?:seen|had|heard|been)\b)|don['’]?t|do not|use|keep)\b",
    re.I,
)
#: What a gauge shows: "battery at 4%".
_READ_OFF = re.compile(
    r"\W*(?:(?:my|the|der|die|das|mein|meine|le|la|mi) )?(?:[\w-]+ )?(?:battery|akku|phone|handy|laptop|tablet"
    r"|disk|drive|cpu"
    r"|gpu|ram|memory|swap|storage|download|upload|build|update|install(?:ation)?|charge|usage|signal|wifi|fuel|tank"
    r"|batterie|batería|bateria)"
    r"(?: (?:is|are|was|still|now|only|already|ist|noch|nur|est|está|sits))* (?:at|on|bei|auf|à|al"
    r"|en) (?:about |only )?\d+ ?%"
    r"(?=\W*$|[,.;]? *(?:back|brb|gotta|i\b|so i\b|need|sorry|later|charging|hurry|bis|muss|gleich))",
    re.I,
)
_HOLDS = r"(?:has|have|contains?|holds?|includes?|consists?(?: of)?|shows?|lists?)"
_SO_FAR = r"(?:(?:still|currently|now|right now|so far) )*"
#: What stands in a place today: "the repo has only a README".
_STANDS_THERE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|hm+|well|and|but|right now|currently|at the moment)[ ,]+)*"
    r"(?:(?:the|this|that|our|my|your) (?:[\w-]+ )?(?:repo(?:sitory)?|folder|directory|dir|files?|readme|branch"
    r"|pages?|site"
    r"|docs?|documentation|tables?|sheet|list|logs?|archive|zip|database|db|project|app|package|module|notebook|history"
    r"|changelog|backlog|tracker|data ?set|data|inbox)"
    rf" {_SO_FAR}(?:(?:only|just) {_HOLDS}|(?:{_HOLDS}|is|are) {_SO_FAR}(?:only|just|nothing|no|empty|barely|hardly))\b"
    r"|there (?:is|are) (?:(?:currently|still) )?(?:only|just|nothing but|no)\b)",
    re.I,
)


#: How something on a screen behaves: "the menu opens only on the second click".
_BEHAVES = re.compile(
    r"(?:the|this|that|my) (?:[\w-]+ ){0,2}?(?:menu|button|page|dialog|pop-?up|modal|panel|list|tab|screen"
    r"|spinner|banner|tooltip"
    r"|field|form|icon|image|link|chart|window|cursor|animation|app|site|preview|cell|row|map) (?:only "
    r"|just )?(?:opens|closes"
    r"|shows(?: up)?|appears|loads|updates|works|reacts|responds|moves|renders|displays|scrolls|jumps|blinks"
    r"|flickers|starts"
    r"|fires|refreshes|comes|goes away)\b[^.!?]{0,40}?\b(?:only|just)? ?(?:on|after|when|if|in|with|for)\b",
    re.I,
)


def is_habit(text: str) -> bool:
    """Whether it tells what somebody always does, and wants nothing done so."""
    is_told = is_chat(text) or _OWN_HABIT.search(text) is not None or _OTHERS_HABIT.search(text) is not None
    return is_told and _MAKES_OF_IT.search(text) is None


def tells_what_is_there(text: str) -> bool:
    """Whether it tells what a place has or lacks today: that is no ruling."""
    return _STANDS_THERE.match(text) is not None


def _checks(sentence: str) -> bool:
    """Whether a sentence only asks whether it is so."""
    return _TAG.search(sentence) is not None and _DIRECTS.search(sentence) is None


# --- what somebody sees ---

#: What is broken at the moment, as somebody sees it.
_SYMPTOM = re.compile(
    r"\bstill (?:not|getting|seeing|see|get|have|having|failing|fails|broken|shows?|showing|doesn['’]?t|does not"
    r"|can['’]?t)\b"
    r"|\b(?:is|are|was|were)(?: not|n['’]?t) (?:showing|displaying|displayed|shown|working|loading|visible|rendering)\b"
    r"|\bnot (?:showing|displaying|working|loading|rendering)\b|\bi (?:don['’]?t|do not|can['’]?t|cannot) see\b"
    r"|\b(?:is|are|was|were) (?:\S+ ){1,3}?(?:and |but )?should be\b"
    r"|\bunable to\b|^\W*(?:error|bug|issue) \d+\b|\bi(?:['’]m| am)? (?:keep )?(?:getting|seeing) (?:this|an?|the) ",
    re.I,
)
#: What others always do is no rule of anybody's: "they always side with the customer".
_OTHERS_ALWAYS = re.compile(
    r"\b(?:they|he|she|people|everybody|everyone|the (?:bank|boss|supplier|vendor|carrier)s?) (?:\w+ )?"
    r"(?:always|never|constantly)\b",
    re.I,
)
#: What the trouble is: "the drivers are mostly on the road and they must sign anyway".
_OTHERS_HAVE_TO = re.compile(
    r"\b(?:often|mostly|usually|sometimes|at times|(?:most|half) of the time)\b.{2,80}?"
    r"\b(?:they|he|she|people|everybody|everyone) (?:still |then |also )?(?:must|have to|has to|need to|needs to)\b"
    r"|\b(?:must|have to|has to|need to|needs to) [^.?!]{2,60}"
    r"\b(?:anyway|nevertheless|nonetheless|even so|regardless)\b",
    re.I,
)
#: What shall be done or over by a day: then it is.
_BY_A_DAY = re.compile(
    r"\b(?:must|has to|have to|needs? to|should) be (?:\w+ )?(?:out|in|done|live|ready|gone|up|over|finished|shipped"
    r"|released|merged|deployed|delivered|submitted|fixed|online|off|there|migrated|installed|closed)\b[^.?!]{0,50}?"
    r"\b(?:(?:before|by|until|till|on|for|this|next|in) )(?:the |this |next |early |late |end of )*"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|black friday|week(?:end)?|month|quarter|sprint|tomorrow|tonight|eod"
    r"|eow|easter|christmas|xmas|holidays?|fair|demo|launch|freeze|deadline|q[1-4]|january|february|march|april|june|july"
    r"|august|september|october|november|december|summer|winter|spring|autumn|\d{1,2}(?:st|nd|rd|th|\.))(?!\w)",
    re.I,
)


#: What somebody read off a meter, or a clock.
_MEASURED = re.compile(
    r"\W*(?:(?:hm+|ok(?:ay)?|so|and|but|just|well)[ ,]+)*(?:(?:i|we) (?:have |['’]ve )?(?:just )?)?"
    r"(?:measured|metered|timed|counted|weighed|scoped|probed)\b[^?]*\d",
    re.I,
)
_GUESSES = re.compile(r"\b(?:i (?:guess|think|suppose|bet)|maybe|probably|perhaps|no idea|not sure|right\?)\b", re.I)


def is_looked_at(text: str) -> bool:
    """Whether it tells what was measured, asks to look, or only wonders and guesses."""
    said = sentences(text)
    asked = [one for one in said if one.endswith("?")]
    if asked and all(one in asked or _GUESSES.search(one) or len(topics(one)) < _FEW_TOPICS for one in said):
        return not any(map(_WANTS_WORK.match, asked))
    return any(map(_MEASURED.match, said)) or _LOOK_INTO.search(text) is not None


#: A question that wants something done rules on it: "can we use tabs everywhere?".
_WANTS_WORK = re.compile(r"\W*(?:(?:and|so|also|then|ok(?:ay)?)[ ,]+)*(?:can|could|let['’]?s|would|shall)\b", re.I)
_FEW_TOPICS = 2


def is_symptom(text: str) -> bool:
    """Whether it reports what is broken at the moment."""
    return _SYMPTOM.search(text) is not None


def is_seen(title: str) -> bool:
    """Whether it tells what somebody sees: how something looks that should not, or what others do or have to; and
    whether it holds for this answer, or until a day."""
    return (
        is_for_this_question(title)
        or tells_what_is_there(title)
        or sighs(title)
        or any(
            one.search(title) is not None for one in (_SYMPTOM, _BEHAVES, _OTHERS_ALWAYS, _OTHERS_HAVE_TO, _BY_A_DAY)
        )
    )
