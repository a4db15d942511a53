"""One session summarized without a model: what was wanted, what happened, what came of it, what is left.

The intent is the user's, put as a task. What happened comes from the agent's own closing words and by what its tools
did. Nothing is taken from a tool's text, and nothing that an agent only repeats from one. docs/summaries.md says more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lerim.ingest.findings import Digest
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_checks import Check
from lerim.ingest.signals.summary_choice import SegmentVoice, budget, chosen, is_rich
from lerim.ingest.signals.summary_deeds import Deeds
from lerim.ingest.signals.summary_later import acknowledges
from lerim.ingest.signals.summary_left import is_not_run, with_subject
from lerim.ingest.signals.summary_outcome import Outcome, announces_more, asks_on
from lerim.ingest.signals.summary_story import Story, story_of
from lerim.ingest.signals.summary_tags import tags_of
from lerim.ingest.signals.summary_tellings import CAUSE_LABEL, is_telling
from lerim.ingest.signals.summary_titles import says_nothing, title_of
from lerim.ingest.signals.summary_words import clipped, counted, is_task, listed, sentence, stems
from lerim.ingest.transcript import OutsideWords, Transcript, told_speaker
from lerim.sources.chat import PEOPLE

_FILES_SHOWN = 5
_CHECKS_SHOWN = 3
_PULLS_SHOWN = 4
_CAUSES_SHOWN = 2
_EVENTS_SHOWN = 5
_MOST_LEFT = 6
_CONDITION = re.compile(r"(?<=\w )(?:when(?:ever)?|while|if|unless|as long as)\b[^.,;]*", re.IGNORECASE)
#: So much of what is told has to be new.
_NEWS = 0.5
_NOT_RUN = re.compile(r"\bnot (?:yet )?(?:run|tested|executed)\b", re.IGNORECASE)
#: So much of it stands in what is told already.
_KNOWN = 0.7
#: A question with fewer words that tell something asks of what stands elsewhere.
_LEAST_NAMED = 2
#: So many words of what was asked later.
_LATER_WORDS = 44


def summarize(transcript: Transcript) -> Digest:
    """The session's summary. The same session gives the same summary; a session without words still has a title."""
    story = story_of(transcript)
    title = title_of(story)
    if says_nothing(title) and transcript.outside:
        title = f"A conversation with {_outsider(transcript)}"
    body = _rich_body(story, title) if is_rich(story) else _short_body(story, title)
    return Digest(title, _description(story, title), body, tags_of(story.deeds, f"{title}\n{body}"))


def _outsider(transcript: Transcript) -> str:
    """Who was talked to, by a word of ours: what they call themselves is theirs to say."""
    said = (told_speaker(n.line.speaker or "").split() for n in transcript.outside if isinstance(n.line, OutsideWords))
    role = next((words[0] for words in said if words and words[0] in PEOPLE), "")
    return f"{'an' if role[:1] in 'aeio' else 'a'} {role}" if role else "somebody outside"


# --- the description -----------------------------------------------------------------------------------------------


def _description(story: Story, title: str) -> str:
    """One sentence: what it was about and how it ended."""
    deeds = story.deeds
    facts = [counted(len(deeds.files), "file") + " changed"] if deeds.files else []
    made = len(deeds.commits) + deeds.unnamed_commits
    facts += [counted(made, "commit")] if made else []
    facts += [f"PR #{number}" for number in deeds.pulls.numbers[-1:]]
    return f"{title.rstrip('?')}: {story.outcome}{f', with {listed(facts)}' if facts else ''}."


# --- the body --------------------------------------------------------------------------------------------------------


def _short_body(story: Story, title: str) -> str:
    """A routine session in two lines."""
    intent = _intent(story, title, [task.told for task in story.tasks[1:]])
    left = _left(story)
    ending = _ending(story, story.deeds.commits[-1:])
    # What the agent says is left says how it ended, and a cause what happened.
    last = "" if len(left) > len(story.left_for_later) + len(_running(story)) else _last_word(story)
    events = _on_the_way(story, f"{intent} {ending} {last}")
    return _joined([intent, _happened(events), f"{ending} {last}", _open(left)])


def _on_the_way(story: Story, known: str) -> list[str]:
    """The causes, and of each turn before the last what says most of it, unless that is told already."""
    causes = [one for one in story.tellings if one.is_cause and one.text.removeprefix(CAUSE_LABEL) not in known][
        :_CAUSES_SHOWN
    ]
    # What the agent closed with is told as how it ended.
    last = max((one.turn for one in story.tellings if _is_of_closing(one.text, story)), default=-1)
    told = {one.turn for one in causes}
    picked, seen = list(causes), stems(known)
    for one in story.tellings:
        found = stems(one.text)
        if one.turn != last and one.turn not in told and len(found - seen) >= _NEWS * len(found):
            told.add(one.turn)
            picked.append(one)
    return [one.text for one in sorted(picked[:_EVENTS_SHOWN], key=lambda one: (one.turn, one.place))]


def _is_of_closing(text: str, story: Story) -> bool:
    return any(text in said or said in text for said in story.closing)


def _rich_body(story: Story, title: str) -> str:
    """The two lines, and between them the steps, as many as the summary has room for."""
    left = _open(_left(story))
    # A lone commit is always named; of several, those that tell more than the rest does.
    lone = story.deeds.commits if len(story.deeds.commits) == 1 else []
    fixed = f"{_intent(story, title, [])} {_ending(story, lone)} {left}"
    steps = chosen(story, budget(story) - len(fixed.split()), fixed)
    events, asked, commits = ([step.text for step in steps if step.kind is kind] for kind in SegmentVoice)
    return _joined([_intent(story, title, asked), _happened(events), _ending(story, lone or commits), left])


def _happened(events: Sequence[str]) -> str:
    return "**What happened:**\n" + "\n".join(f"- {text}" for text in events) if events else ""


def _open(left: Sequence[str]) -> str:
    return f"**Open:** {' '.join(map(sentence, left))}" if left else ""


def _joined(paragraphs: Sequence[str]) -> str:
    return "\n\n".join(["## Session Summary", *(text.rstrip() for text in paragraphs if text)]) + "\n"


def _intent(story: Story, title: str, later: Sequence[str]) -> str:
    first = story.tasks[0].told if story.tasks else title
    then = "; ".join(clipped(task, _LATER_WORDS).rstrip(".") for task in later)
    # Trouble is not taken back, whichever way to mend it was given up.
    is_undone = story.tasks and story.tasks[0].turn in story.undone and is_task(first)
    first = f"{first.rstrip('.')} (taken back)" if is_undone else first
    fixed = f" Put right later: {sentence(clipped(story.correction, _LATER_WORDS))}" if story.correction else ""
    return f"**Intent:** {sentence(clipped(first, 45))}{fixed}{f' Then: {sentence(then)}' if then else ''}"


def _ending(story: Story, commits: Sequence[str]) -> str:
    deeds = story.deeds
    parts = [story.outcome.value, _files(deeds), _gone(deeds), _commits(deeds, commits)]
    # How a try did that was thrown away is no state of anything.
    parts += [] if deeds.is_undone else [_checks(deeds)]
    return f"**Outcome:** {' '.join(sentence(part) for part in parts if part)}"


def _last_word(story: Story) -> str:
    """The agent's closing words, of a session that needs no list of steps."""
    # That it heard, and its good-bye, are no ending.
    said = [one for one in story.last_told if not acknowledges([one]) and cues.FAREWELL.fullmatch(one) is None]
    telling = [statement for statement in said if is_telling(statement)]
    plain = [
        statement
        for statement in said
        if len(statement.split()) > 2 and not statement.endswith("?") and not cues.NARRATION.match(statement)
    ]
    return " ".join(sentence(clipped(cues.LEAD_IN.sub("", statement), 26)) for statement in (telling or plain)[:2])


def _left(story: Story) -> list[str]:
    """What the session leaves undone: open tasks, what the agent's last words say is missing, an offer unanswered."""
    left = [clipped(task, 16) for task in story.deeds.open_tasks[:4]]
    left += _running(story)
    left += [clipped(cues.LEFT_LABEL.sub("", one), 30) for one in story.left_for_later[-_MOST_LEFT:]]
    asked = [story.closing_on] if story.closing_on else []
    for place, statement in enumerate(story.closing):
        before = [*asked, *story.closing[:place]]
        if offer := cues.OFFER.match(statement):
            # Who had the last word took it up, or refused it.
            left += [] if story.is_users_word else [f"Offered, not answered: {clipped(offer['deed'], 14)}"]
        elif _is_left(statement) and not _needs_no_run(statement, story.deeds) and not _is_told(statement, left):
            text = cues.LEAD_IN.sub("", cues.LEFT_LABEL.sub("", cues.TRAILING_OFFER.sub("", statement)))
            text = clipped(text, 24)
            left.append(with_subject(text, before))
    if story.closing and not story.is_users_word and asks_on(story.closing[-1]):
        left += _waiting(story)
    left += [one for one in story.not_done if not _is_told(one, left)]
    if story.deeds.pulls.is_draft and story.deeds.pulls.opened and not story.deeds.pulls.is_merged:
        number = f"PR #{next(reversed(story.deeds.pulls.opened))}"
        left += [] if any(number in one for one in left) else [f"{number} is a draft"]
    is_stopped = story.outcome is Outcome.INTERRUPTED and not story.is_users_word and not story.not_done
    if is_stopped and announces_more(story.closing):
        left.append(f"Announced, not done: {clipped(story.closing[-1].rstrip(':'), 24)}")
    elif is_stopped and story.unfinished:
        left.append(f"Not finished: {clipped(story.unfinished, 24)}")
    if story.put_off:
        left.append(f"Put off: {clipped(story.put_off, 24)}")
    if story.outcome is Outcome.INTERRUPTED and len(story.tasks) > 1 and story.unanswered:
        label = "Not begun" if is_task(story.unanswered) else "Not answered"
        left.append(f"{label}: {clipped(story.unanswered, 16)}")
    return list(dict.fromkeys(filter(None, left)))[:_MOST_LEFT]


def _running(story: Story) -> list[str]:
    """What was started and not seen to end, and what was planned and not applied, unless that is told in words."""
    deeds = story.deeds
    told = " ".join([*story.left_for_later, *story.closing])
    left = [f"Started, not seen to end: `{job}`" for job in deeds.started[-2:]]
    is_told = is_not_run(told) or not deeds.planned
    return left if is_told or not deeds.files else [*left, f"Planned, not applied: `{deeds.planned}`"]


def _is_left(statement: str) -> bool:
    """Whether the agent says that something is still to be done."""
    is_told = cues.TELLS_DEED.match(statement) or (
        cues.NARRATION.match(statement) and not cues.REMAINING.match(statement)
    )
    # What is so "when the check is pending" is not pending.
    bare = _CONDITION.sub("", cues.QUOTED.sub("", statement))
    is_open = cues.REMAINING.search(bare) is not None or is_not_run(bare)
    is_open = is_open and cues.NOTHING_OPEN.search(bare) is None
    return is_open and not is_told and len(statement.split()) > 2


def _is_told(statement: str, left: Sequence[str]) -> bool:
    found = stems(statement)
    return any(len(found & stems(one)) >= _KNOWN * len(found) for one in left)


def _needs_no_run(statement: str, deeds: Deeds) -> bool:
    """Whether nothing was written that could be run: "tests not run" says nothing then."""
    return deeds.has_only_documents and (is_not_run(statement) or _NOT_RUN.search(statement) is not None)


def _waiting(story: Story) -> list[str]:
    """What the agent asked last, or where that says nothing to who was not there ("Go?"), what it was about."""
    question = story.closing[-1]
    if question.endswith("?") and len(stems(question)) >= _LEAST_NAMED:
        return [f"Asked, not answered: {clipped(question, 24)}"]
    is_named = len(stems(story.waiting)) >= _LEAST_NAMED
    return [f"Waits for an answer: {clipped(story.waiting, 16)}"] if is_named else []


def _files(deeds: Deeds) -> str:
    if not deeds.files:
        return ""
    shown = [f"`{name}`" for name, _ in deeds.files.most_common(_FILES_SHOWN)]
    more = len(deeds.files) - len(shown)
    return f"Changed {listed([*shown, f'{more} more'] if more else shown)}"


def _gone(deeds: Deeds) -> str:
    """How much was tried, and is not there any more: what it was for says the intent."""
    return f"{counted(len(deeds.gone), 'other file' if deeds.files else 'file')} taken back" if deeds.gone else ""


def _commits(deeds: Deeds, shown: Sequence[str]) -> str:
    """The commits worth naming, how many there were, and where they went."""
    made = len(deeds.commits) + deeds.unnamed_commits
    number = f" {made} times" if made > max(1, len(shown)) else ""
    named = f" {listed([f'“{subject}”' for subject in shown])}" if shown else ""
    parts = [f"committed{number}{', among them' if number and named else ''}{named}"] if made else []
    parts += ["pushed"] if deeds.is_pushed else []
    parts += _pulls(deeds, shown)
    return ", ".join(parts)


def _pulls(deeds: Deeds, shown: Sequence[str]) -> list[str]:
    """The pull requests by number, and what one of them holds, where that is not all that was committed."""
    pulls = deeds.pulls
    opened, merged = ([f"PR #{one}" for one in [*found][-_PULLS_SHOWN:]] for found in (pulls.opened, pulls.merged))
    held = next(iter(pulls.opened.values()), ()) if len(pulls.opened) == 1 and len(shown) > 1 else ()
    of = [f"“{one}”" for one in held if one in shown]
    draft = " as a draft" if pulls.is_draft else ""
    parts = [f"opened {listed(opened)}{f' with {listed(of)}' if of else ''}{draft}"] if opened else []
    parts += [f"merged {'it' if merged == opened and len(merged) == 1 else listed(merged)}"] if merged else []
    return [*parts, "merged"] if pulls.has_nameless and not merged else parts


def _checks(deeds: Deeds) -> str:
    # With which it ended is told, however seldom it ran.
    checks = sorted(deeds.checks.values(), key=lambda check: (check.name != deeds.failed_last, -check.runs))
    return "; ".join([told for check in checks if (told := _check(check))][:_CHECKS_SHOWN])


def _check(check: Check) -> str:
    if check.is_ok is None:
        return ""
    if not check.is_ok:
        return f"`{check.name}` failed in its last run"
    after = f" after {counted(check.failures, 'failure')}" if check.failures else ""
    return f"`{check.name}` passed{after}"
