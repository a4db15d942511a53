"""What the user asked for, turn by turn, as tasks: short replies with what they answer, choices with the option."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals import summary_later as later
from lerim.ingest.signals.cues import tells_change
from lerim.ingest.signals.phrasing import as_subject, capital
from lerim.ingest.signals.summary_drafts import told_statements
from lerim.ingest.signals.summary_moods import unscolded
from lerim.ingest.signals.summary_words import (
    ADDS,
    as_task,
    clipped,
    is_approval,
    is_task,
    is_trivial,
    plain,
    prose,
    sentence,
    stems,
    visible,
)
from lerim.ingest.signals.title_ends import is_shell_only
from lerim.ingest.signals.verdicts import without_left_out
from lerim.sources.trace import Via
from lerim.text.sentences import first_sentence, sentences

#: So much of an agent's last message of a turn is read.
MOST_CLOSING = 6_000
#: So much of a wish stands in the same one that was sent again.
_SAME_AGAIN = 0.75
#: A turn of so many words is told whole: what was said in passing may be what somebody looks for.
_SAID_WHOLE = 36
#: A reply of so few words may say nothing without what it answers.
_SHORT_REPLY = 12
#: And an answer in so few is one only beside its question.
_FEW_WORDS = 3
#: Of a longer turn, so many sentences are told that say what is so from now on.
_MOST_RULINGS = 3

CHOSEN = "Chosen: "
#: A message of more words brings a list of its own: only what it begins with chooses.
_MOST_CHOOSING = 60
#: Where the name of a way ends, and what goes without saying before and behind it; not in the middle of code.
_NAME_ENDS = re.compile(r"(?:`[^`]*`|[^`])*?(?P<end>:(?= )| [–—-]+ |; )")
_BEHIND_NAME = re.compile(
    r" \((?:(?:recommended|default|preferred|my pick|fastest|safest|simplest|empfohlen)\b[^()]*"
    r"|[^()]*\bI(?:['’]\w+)?\b.*)(?:\)|$)| \(`[^`]*`\)$"
)
_BY_AGENT = re.compile(r"\bI\b")
_I_CAN = re.compile(
    r"^(?:I(?:['’]ll|['’]d| can| could| will| would)|we(?:['’]ll| can| could)|let me) (?:also |then )?(?=\w)",
    re.IGNORECASE,
)
#: Points of a list of one's own are no choice.
_ANSWERS_EACH = re.compile(r"^1\W.*(?:^|\s)2[.):]\s", re.DOTALL)
_LEAST_NAMED = 2
_MORE_MARKS = re.compile(
    r"(?:\s*(?:,|\band\b|&|\+)\s*(?:[1-9]|[a-e])\b)+(?=\s*$|\s*[,.;:)!]|\s+(?:but|please|pls|then)\b)", re.IGNORECASE
)
_MARK_IN_LINE = re.compile(r"(?:(?<=\s)|(?<=^))\(?(?P<mark>[1-5]|[a-e])\)\s+(?=\S)")
_BEHIND_ITEM = re.compile(r"(?:[\s,;]+(?:or|and|oder|und|ou|et|o|y))?[\s,;.?]*$")
_WE_COULD = re.compile(
    r"\W*(?:(?:and|so|hm+|hey|also|but)\W+)*(?:could|might|can|should) we\b(?![^?]*\b(?:please|pls)\b)[^?]*\?$",
    re.IGNORECASE,
)
#: How somebody speaks of another thing than what they were asked.
_BESIDES = re.compile(r"\W*(?:also|btw|by the way|another thing|one more thing|besides|außerdem|aussi|también)\b", re.I)
#: What only leads to what was pasted below, or lost what it ended with.
_LEADS_ON = re.compile(
    r"(?:\w+ )?(?:this|these|the following|following|that)(?: (?:bit|part|one|section|line|paragraph|stuff"
    r"|thing)s?)?(?: here| below"
    r"| above)?\W*|(?:\S+ ){0,6}(?:to|that|with|and|or|the|a|an|of|for|is|are|says?|said)\W*",
    re.IGNORECASE,
)
_RECOMMENDED = re.compile(r"\s*\((?:recommended|empfohlen|recommandé|recomendado)\)\s*$", re.IGNORECASE)
#: So many questions at once are answered one by one, or not at all.
_MANY_QUESTIONS = 3
_BARE_WORDS = re.compile(r"[\w-]+(?:, (?:and |or )?[\w-]+){2,}\W*")
_ALSO_MARK = re.compile(r"\W*(?:and|or|&|\+)\s+\w\W*", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:it|that|this|them|these|those|both|one)\b", re.IGNORECASE)
#: A choice for now is one.
_FOR_NOW = re.compile(r"^(?:for now|now|first|for the moment)\b", re.IGNORECASE)
#: How much or how many, and no number by which something is called.
_AMOUNTS = re.compile(r"(?<![\w#./-])\d[\d.,]*(?= ?(?:%|[^\W\d_]{2,}))")
_SLASH = re.compile(r"^/[\w:.-]+\s*")
#: A command whose words go on from its name: "/security-review of the till".
_NAMED_COMMAND = re.compile(r"^/(?:[\w.-]+:)?(?P<name>[a-z]+(?:-[a-z]+)*)(?= of\b)")
_PLAN_HEAD = re.compile(r"^#+\s*(?:plan|implementation plan)?\s*[:–-]?\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_PLAN_WHY = re.compile(
    r"^#+\s*(?:context|goal|summary|problem|background|overview)\b.*\n+(?P<why>(?:(?!#).+\n?){1,12})",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER = re.compile(r"^Q: (?P<asked>[^\n]+)\nA: (?P<said>[^\n]+)", re.MULTILINE)
#: A line for the shell: a command and its arguments, a flag, a pipe.
_SHELL = re.compile(r"^[a-z][\w.-]*(?:\s+[\w./~:@=-]+){0,3}$|\s-{1,2}[a-zA-Z]|\s(?:\||&&|>)\s")


@dataclass
class StoryTurn:
    """What the user said, and what the agent said until the user spoke again."""

    text: str
    via: Via
    replies: list[str] = field(default_factory=list)
    #: The files that the agent changed in it, as often as it did.
    edited: list[str] = field(default_factory=list)
    #: How often it put each name into a file, less than none where it took it out.
    tokens: Counter[str] = field(default_factory=Counter)
    #: Whether the user refused a call at its end.
    is_rejected: bool = False
    #: What the plan calls itself that the user refused at its end.
    refused_plan: str = ""
    #: Whether the agent called a tool in it, and whether it committed or pushed.
    has_calls: bool = False
    has_commit: bool = False

    @property
    def has_work(self) -> bool:
        """Whether the agent changed or committed something in it."""
        return self.has_commit or bool(self.edited)

    @property
    def has_named_work(self) -> bool:
        """Whether that was more than notes of its own."""
        return self.has_commit or any(self.edited)

    @property
    def edits(self) -> int:
        """How often the agent changed a file in it."""
        return len(self.edited)

    @cached_property
    def closing(self) -> list[str]:
        """The agent's last message of the turn, sentence by sentence."""
        return self.told(self.replies[-1][:MOST_CLOSING]) if self.replies else []

    def told(self, reply: str) -> list[str]:
        """What a message of the turn says, without a text that it only drafts."""
        return told_statements(reply, self.text, has_edits=self.edits > 0)


@dataclass(frozen=True)
class StoryTask:
    """What the user wanted, in one turn. A plan is one the user approved."""

    text: str
    turn: int
    is_plan: bool = False
    #: Their own words alone, where the text is led by what the agent asked.
    bare: str = ""
    #: Whether it is a way that the agent had named, and the user chose.
    is_chosen: bool = False

    @property
    def told(self) -> str:
        """How it is told as wished: what was chosen is the agent's words, and the choice the user's."""
        return f"{CHOSEN}{self.text}" if self.is_chosen else self.text


def offers_ways(turn: StoryTurn) -> bool:
    """Whether an agent's last message of a turn puts several ways before the user."""
    said = _closing(turn)
    is_asked = cues.WAYS.search(said) is not None or (turn.text.rstrip().endswith("?") and cues.WAYS.search(turn.text))
    return len(cues.OFFERED_ITEM.findall(said)) > 1 and bool(is_asked)


def offered_items(turn: StoryTurn) -> dict[str, str]:
    """The numbered points of an agent's last message of a turn, by their marks; none of a list of one."""
    items = {item["mark"].lower(): plain(item["text"]) for item in cues.OFFERED_ITEM.finditer(_closing(turn))}
    items = items if len(items) > 1 else _items_in_a_row(_closing(turn).rstrip().rpartition("\n")[2])
    return items if len(items) > 1 else {}


def _items_in_a_row(line: str) -> dict[str, str]:
    """The points that a line numbers one behind the other: "1) a list, or 2) a table?"."""
    found = [*_MARK_IN_LINE.finditer(line)]
    ends = [*(one.start() for one in found), len(line)][1:]
    items = {
        one["mark"].lower(): _BEHIND_ITEM.sub("", first_sentence(plain(line[one.end() : end])))
        for one, end in zip(found, ends, strict=True)
    }
    return items if "".join(items) in ("12345"[: len(items)], "abcde"[: len(items)]) else {}


def _closing(turn: StoryTurn) -> str:
    return turn.replies[-1][:MOST_CLOSING] if turn.replies else ""


def tasks_of(turns: Sequence[StoryTurn]) -> list[StoryTask]:
    """The user's requests as tasks, in order, each once."""
    tasks: list[StoryTask] = []
    seen: list[tuple[frozenset[str], frozenset[str]]] = []
    for number, turn in enumerate(turns):
        if number and (_only_leaves(turn.text) or later.is_only_put_off(plain(visible(turn.text)))):
            continue
        is_idle = not any(one.has_work for one in turns[number : number + 2])
        for text in (
            _turn_tasks(turn, is_idle=is_idle)
            or _replied(turn, turns[number - 1] if number else None)
            or _pasted(turn, number)
        ):
            task = _led(StoryTask(text, number, turn.via is Via.PLAN), turns)
            found, figures = stems(task.text), frozenset(_AMOUNTS.findall(task.text))
            # Asked again, or typed again after a stop: once is enough. Another figure is something else.
            if tasks and _is_typed_again(found, tasks[-1], seen[-1][0], number, turns):
                tasks.pop()
                seen.pop()
            is_again = any(len(found & old) >= 0.75 * len(found) and figures <= same for old, same in seen[-40:])
            is_named = bool(figures and not found <= figures) or ADDS.fullmatch(turn.text.strip()) is not None
            if len(found) >= (1 if is_named else 2) and not is_again:
                tasks.append(task)
                seen.append((found, figures))
    return tasks


def _is_typed_again(
    found: frozenset[str], last: StoryTask, old: frozenset[str], number: int, turns: Sequence[StoryTurn]
) -> bool:
    """Whether a wish is the last one, sent again with more to it before anything was done for it."""
    is_unheard = all(not turn.edited and not turn.replies for turn in turns[last.turn : number])
    is_same = len(found & old) >= _SAME_AGAIN * len(old) and not any(one[:1].isdigit() for one in old - found)
    return last.turn < number and is_unheard and is_same


def _only_leaves(text: str) -> bool:
    """Whether a reply puts something off, and asks for nothing else."""
    return later.is_left_for_later(text) and not any(is_task(as_task(one)) for one in re.split(r"[.,;!]\s+", text)[1:])


def _replied(turn: StoryTurn, before: StoryTurn | None) -> list[str]:
    """What a reply of a few words says, where the agent had asked or offered something: "30." and "then no arm64"."""
    text = plain(visible(turn.text)).strip()
    is_short = 0 < len(text.split()) <= _SHORT_REPLY and turn.via is Via.TYPED
    if before is None or not is_short or not before.closing or cues.FAREWELL.fullmatch(text):
        return []
    is_asked = before.closing[-1].endswith("?") or offers_ways(before)
    # Who only agrees says nothing that the deeds do not tell.
    if cues.is_small_talk(sentences(text)[0]) or is_approval(text):
        return []
    bare = as_task(text)
    return [bare] if is_asked and bare and cues.AGREES.fullmatch(text) is None else []


def _led(task: StoryTask, turns: Sequence[StoryTurn]) -> StoryTask:
    """A reply that says little by itself, led by what it answers: "Only from tags" of what?"""
    before = turns[task.turn - 1].closing if task.turn else []
    is_typed = turns[task.turn].via is Via.TYPED
    is_short = len(first_sentence(task.text).split()) <= _SHORT_REPLY and is_typed
    if before and is_typed and (option := _option(task, turns)):
        return option
    if before and is_typed and not before[-1].endswith("?") and (named := _answer_before(task, turns[task.turn].text)):
        # "Kafka. No new service": which of those that the agent had named.
        return replace(task, text=f"{named}{task.text}") if stems(named) <= stems(" ".join(before)) else task
    question = before[-1].rstrip("? ") if before and is_short and before[-1].endswith("?") else ""
    asked = as_subject(question)
    # "Shall I start?" names nothing: what the user had asked about does.
    if question and len(stems(asked)) < _LEAST_NAMED:
        asked_about = [one for one in prose(turns[task.turn - 1].text) if one.endswith("?")]
        asked_about = [one for one in asked_about if not cues.is_small_talk(one)]
        asked = clipped(as_task(asked_about[-1]).rstrip("?"), _SHORT_REPLY) if asked_about else question
    questions = sum(one.endswith("?") for one in before)
    is_another = _BESIDES.match(turns[task.turn].text) is not None or questions >= _MANY_QUESTIONS
    # Only where it could be said as no question.
    # Who asks back has not answered.
    if (
        asked == question
        or is_another
        or task.text.endswith("?")
        or stems(asked) <= stems(task.text)
        or _is_beside(task, turns[task.turn].text, asked)
    ):
        return task
    said = turns[task.turn].text
    first, *more = sentences(plain(visible(said)).strip())
    if more and later.only_when(first.strip(" .!")):
        return task  # "Not now. Show the hits instead" wants something else.
    is_refused = cues.REFUSES.match(said) is not None and cues.REFUSES.match(task.text) is None
    answer = "" if is_refused else _answer_before(task, said)
    rest = (
        f"no, {task.text[:1].lower()}{task.text[1:]}"
        if is_refused
        else task.text
        if answer
        else f"{task.text[:1].lower()}{task.text[1:]}"
    )
    return replace(task, text=f"{asked}: {answer}{rest}", bare=f"{answer}{task.text}")


def _is_beside(task: StoryTask, said: str, asked: str) -> bool:
    """Whether what was asked for stands behind a yes, and speaks of something else than the question."""
    first, *more = sentences(plain(visible(said)).strip())
    is_yes = bool(more) and cues.AGREES.fullmatch(first) is not None and cues.REFUSES.match(first) is None
    # An order that says enough is none of "whether".
    says_enough = len(stems(task.text)) >= _LEAST_NAMED and _POINTS.search(task.text) is None
    is_order = is_task(task.text) and says_enough and asked.startswith("Whether")
    return (is_yes or is_order) and stems(task.text).isdisjoint(stems(asked))


def _answer_before(task: StoryTask, said: str) -> str:
    """A word or two before what was asked for besides, which says nothing alone: "500. and the missing ones …"."""
    first, *more = sentences(plain(visible(said)).strip())
    is_answer = (
        more and len(first.split()) <= _FEW_WORDS and not task.text.lower().startswith(first.lower().rstrip("."))
    )
    if _ANSWERS_EACH.search(said):
        return ""
    is_nod = cues.is_filler(first) and not any(map(str.isdigit, first))
    if not is_answer or is_nod or cues.AGREES.fullmatch(first) or cues.PRAISES.fullmatch(first):
        return ""
    return f"{sentence(first)} "


@dataclass(frozen=True)
class ChosenWay:
    """What a reply chose of an agent's list: its text, the mark, and what its sentence says besides."""

    text: str
    mark: str
    beside: str
    #: Whether it was chosen with a change.
    is_changed: bool


def chosen_way(said: str, before: StoryTurn) -> ChosenWay | None:
    """The option of an agent's list that a reply chose by its number, letter or place; None when it chose none."""
    items = offered_items(before)
    reply = as_task(plain(visible(said)))
    are_questions = all(item.endswith("?") for item in items.values())
    if not items or are_questions or cues.WAVERS.search(said) or _ANSWERS_EACH.search(reply):
        return None
    later_on = sentences(reply)[1:] if len(reply.split()) <= _MOST_CHOOSING else []
    # "Kubernetes is overkill. 3, but …" chooses by a number behind its reason.
    ways = [cues.CHOOSES.match(reply), *map(cues.CHOOSES_BELOW.match, later_on)]
    ways += [cues.CHOOSES.match(one) for one in later_on if one[:1].isdigit()]
    for found in filter(None, ways):
        place = cues.PLACES.get((found.groupdict().get("place") or "").lower(), len(items))
        mark = (found["mark"] or "").lower() or next(iter([*items][place:]), "")
        if mark in items:
            more, end = _more_marks(found, items)
            rest = found.string[end:].strip(" ,.;:")
            is_changed = re.search(r"\bbut\b", found[0], re.IGNORECASE) is not None
            text = " and ".join(_named_way(without_left_out(items[one], reply)) for one in (mark, *more))
            return ChosenWay(text, mark, first_sentence(rest) if rest else "", is_changed)
    return None


def _more_marks(found: re.Match[str], items: dict[str, str]) -> tuple[list[str], int]:
    """The marks beside the first one ("1 and 3"), and where they end."""
    after = _MORE_MARKS.match(found.string, found.end("mark")) if found["mark"] else None
    marks = [one.lower() for one in re.findall(r"\b(?:[1-9]|[a-e])\b", after[0])] if after is not None else []
    is_list = after is not None and all(one in items for one in marks)
    return (marks, after.end()) if is_list and after is not None else ([], found.end())


def _named_way(item: str) -> str:
    """An option by its name: what stands behind it tells how it would be done, and "I can" before it, who would."""
    item = capital(_I_CAN.sub("", item))
    end = _NAME_ENDS.match(item)
    name, behind = (item[: end.start("end")], item[end.end("end") :]) if end is not None else (item, "")
    is_named = len(name.split()) > 1 or _BY_AGENT.search(behind) is not None
    name = _BEHIND_NAME.sub("", name if is_named else item)
    return clipped(sentences(name)[0].rstrip(" .?:"), 16)


def _option(task: StoryTask, turns: Sequence[StoryTurn]) -> StoryTask | None:
    """A choice with the option that it chose; None when it chose none."""
    way = chosen_way(turns[task.turn].text, turns[task.turn - 1])
    if way is None:
        return None
    option, chosen = f"{way.text[:1].upper()}{way.text[1:]}", cues.CHOOSES.match(task.text)
    is_led = chosen is not None and (chosen["mark"] or way.mark).lower() == way.mark
    rest = (task.text[chosen.end() :] if chosen is not None and is_led else task.text).strip(" ,.;:")
    if chosen is not None and is_led and way.beside:
        rest = rest[max(0, rest.find(way.beside[:20])) :]  # Behind all the marks.
    rest = " ".join(one for one in sentences(rest) if cues.CHOOSES_BELOW.match(one) is None and not _is_mark(one, way))
    if way.beside and as_task(way.beside).lower().rstrip(".") not in rest.lower() and stems(way.beside):
        rest = f"{sentence(way.beside)} {rest}"
    rest = "" if _ALSO_MARK.fullmatch(rest) else _FOR_NOW.sub("", rest).strip(" ,.;:")
    rest = "" if all(later.NUMBER_PUT_OFF.fullmatch(part) for part in re.split(r",\s+", rest)) else rest
    if stems(option) <= stems(rest):
        return replace(task, text=rest)  # Their own words say it.
    if way.is_changed and rest:
        # What is chosen with a change is not what was offered.
        return replace(task, text=f"{option}, but {rest[:1].lower()}{rest[1:]}", bare=rest, is_chosen=True)
    return replace(task, text=f"{option}: {rest}" if rest else option, bare=rest or task.text, is_chosen=True)


def _is_mark(said: str, way: ChosenWay) -> bool:
    found = cues.CHOOSES.match(said)
    return found is not None and said[:1].isdigit() and found["mark"] == way.mark


def _turn_tasks(turn: StoryTurn, *, is_idle: bool) -> list[str]:
    match turn.via:
        case Via.PLAN:
            return _planned(visible(turn.text))
        case Via.ANSWER:
            pairs = _ANSWER.findall(visible(turn.text))
            return [_answered(asked, answer) for asked, answer in pairs if not cues.NO_ANSWER.search(answer)]
        case Via.COMMAND:
            named = _NAMED_COMMAND.sub(lambda found: found["name"].replace("-", " "), turn.text)
            text = _SLASH.sub("", named)
            return [] if text == turn.text and _SHELL.search(text.strip()) else _asked(text)
        case _:
            return [] if is_shell_only(turn.text) else _asked(turn.text, is_idle=is_idle)


def is_worded_by_agent(task: StoryTask, turns: Sequence[StoryTurn]) -> bool:
    """A plan, and the question an answer answers, are the agent's words under the user's name."""
    return bool(task.bare) or turns[task.turn].via in {Via.PLAN, Via.ANSWER}


def unechoed(task: StoryTask, echoed: frozenset[str]) -> StoryTask | None:
    """A task without what the agent only repeats; None when nothing is left."""
    if task.text not in echoed:
        return task
    return replace(task, text=task.bare) if task.bare else None


def _pasted(turn: StoryTurn, number: int) -> list[str]:
    """A session that begins with nothing but a pasted error is about that error."""
    is_error = number == 0 and cues.PASTED_ERROR.search(turn.text) is not None
    return ["Look into an error that the user pasted"] if is_error else []


def _answered(asked: str, answer: str) -> str:
    return f"{clipped(plain(asked), 14).rstrip('?')}: {clipped(_RECOMMENDED.sub('', plain(answer)), 14)}"


def answer_in(text: str) -> str:
    """What was answered last to the questions of a form, without them."""
    for asked, said in reversed(_ANSWER.findall(visible(text))):
        offered = cues.OFFER.match(plain(asked))
        answer = as_task(plain(said))
        # "Plan it" is told with what was offered.
        return capital(offered["deed"]) if offered is not None and stems(answer) <= stems(asked) else answer
    return ""


def _as_asked(said: str) -> str:
    return capital(said.strip()) if _WE_COULD.match(said) else as_task(said)


def _is_only_named(said: str, after: str) -> bool:
    """Whether a few words name what the next ones put off: "dark mode? not now"."""
    is_short = said.endswith("?") and len(said.split()) <= _FEW_WORDS
    return is_short and later.only_when(after.strip(" .!"))


def _planned(text: str) -> list[str]:
    """An approved plan: its heading, and why it was made."""
    head = _PLAN_HEAD.search(text)
    if head is None:
        return _asked(text)
    why = _PLAN_WHY.search(text)
    reasons = [text for text in prose(why["why"]) if not is_trivial(text)][:2] if why else []
    return [". ".join([plain(head.group(1)), *(clipped(reason, 24).rstrip(".") for reason in reasons)])]


def _asked(text: str, *, is_idle: bool = False) -> list[str]:
    """A turn's wish: its first sentence that says what to do, after the one that says why, if that came first. Where
    nothing was changed for it, "could we use sockets?" only asks."""
    own = [bare for one in prose(text) if (bare := later.without_rest(one))]
    calm = (unscolded(one) for one, after in pairwise([*own, ""]) if not _is_only_named(one, after))
    said = [one for one in calm if one and not is_trivial(one) and cues.PRAISES.fullmatch(one) is None]
    # What is for another time stands with what is left.
    said = [one for one in said if not (later.is_only_put_off(one) or later.only_leaves(one))]
    said = [one for one in said if not (cues.FAREWELL.fullmatch(one) or later.NO_HURRY.fullmatch(one))]
    said = [one for one in said if not (cues.is_small_talk(one) or is_shell_only(one))]
    wishes = [wish for one in said if stems(wish := _as_asked(one) if is_idle else as_task(one))]
    # "Which of them? Add, edit, delete" names words, and wants nothing done.
    wishes = [one for one in wishes if not _BARE_WORDS.fullmatch(one)]
    wishes = [one for one in wishes if not (cues.is_filler(one) or cues.COUNTS.fullmatch(one))] or wishes
    # A name, a nod and half a sentence say nothing beside a wish.
    wishes = [one for one in wishes if is_task(one) or not (is_trivial(one) or _LEADS_ON.fullmatch(one))] or wishes
    if not wishes:
        return []
    if sum(len(one.split()) for one in wishes) <= _SAID_WHOLE:
        return [" ".join(map(sentence, wishes)).rstrip(".")]
    main = next((number for number, one in enumerate(wishes) if is_task(one)), 0)
    is_short = len(wishes[0].split()) < 8 and len(wishes) > 1
    if main:
        # "Can you confirm?": what stands right before it.
        lead = wishes[main - 1 if len(stems(wishes[main])) < _LEAST_NAMED else 0]
        told = f"{sentence(clipped(lead, 20))} {clipped(wishes[main], 24)}"
    else:
        told = clipped(f"{sentence(wishes[0])} {wishes[1]}" if is_short else wishes[0], 38)
    # What is so from now on is told, wherever it stands.
    rulings = [one for one in wishes[1:] if tells_change(one) and one not in told][:_MOST_RULINGS]
    return [" ".join([sentence(told), *(sentence(clipped(one, 16)) for one in rulings)]).rstrip(".")]
