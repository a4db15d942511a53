"""One session summarized without a model: what was wanted, what happened, what came of it, what is left.

The intent is the user's, put as a task. What happened comes from the agent's own closing words and by what its tools
did. Nothing is taken from a tool's text, and nothing that an agent only repeats from one. docs/summaries.md says more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path

from lerim.ingest.findings import Digest
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_choice import SegmentVoice, budget, chosen, is_rich, weights_of
from lerim.ingest.signals.summary_deeds import Check, Deeds, is_chore, without_type
from lerim.ingest.signals.summary_story import Outcome, Story, asks_on, is_telling, story_of
from lerim.ingest.signals.summary_tags import tags_of
from lerim.ingest.signals.summary_words import clipped, is_task, sentence, stems
from lerim.ingest.transcript import OutsideWords, Transcript, told_speaker
from lerim.sources.chat import PEOPLE
from lerim.text.sentences import sentences

MAX_TITLE = 80
_TITLE_WORDS = 12
#: A title that was cut keeps so many words.
_LEAST_TITLE = 5
_FILES_SHOWN = 5
_CHECKS_SHOWN = 3
_CAUSES_SHOWN = 2
#: So many words of what was asked later.
_LATER_WORDS = 36
_NO_TASK = "A few words without a task"
_NO_WORDS = "Nothing was said"


def summarize(transcript: Transcript) -> Digest:
    """The session's summary. The same session gives the same summary; a session without words still has a title."""
    story = story_of(transcript)
    title = _title(story)
    if title == _NO_TASK and transcript.outside:
        title = f"A conversation with {_outsider(transcript)}"
    body = _rich_body(story, title) if is_rich(story) else _short_body(story, title)
    return Digest(title, _description(story, title), body, tags_of(story.deeds, f"{title}\n{body}"))


def _outsider(transcript: Transcript) -> str:
    """Who was talked to, by a word of ours: what they call themselves is theirs to say."""
    said = (told_speaker(n.line.speaker or "").split() for n in transcript.outside if isinstance(n.line, OutsideWords))
    role = next((words[0] for words in said if words and words[0] in PEOPLE), "")
    return f"{'an' if role[:1] in 'aeio' else 'a'} {role}" if role else "somebody outside"


# --- title and description -------------------------------------------------------------------------------------------

_SUBAGENT = re.compile(r"\s*\(@[\w-]+ subagent\)$")


def _title(story: Story) -> str:
    """A title that stands alone: of all there are, the one that says most of what the session was about."""
    weights = weights_of(story)
    best, most = "", float("-inf")
    for bonus, text in _titles(story):
        fitted = _fit(text)
        score = bonus + _topical(fitted, weights) - 0.35 * min(2, len(cues.VAGUE.findall(fitted)))
        if score > most and len(stems(fitted)) >= 2 and not cues.is_filler(fitted):
            best, most = fitted, score
    return best or _title_of_deeds(story) or (_NO_TASK if story.length or story.tasks else _NO_WORDS)


def _title_of_deeds(story: Story) -> str:
    """What was done, when nobody said what was wanted."""
    deeds = story.deeds
    if deeds.files:
        names = [Path(name).name for name, _ in deeds.files.most_common(2)]
        more = len(deeds.files) - len(names)
        return _fit(f"Changed {_listed([*names, *([_count(more, 'more file')] if more else ())])}")
    fitted = map(_fit, (*deeds.commits, *(task.text for task in story.tasks)))
    return next((text for text in fitted if stems(text) and not cues.is_filler(text)), "")


def _titles(story: Story) -> Iterator[tuple[float, str]]:
    """Texts that could be the title, with how much each is made to be one."""
    for number, task in enumerate(story.tasks[:12]):
        # What was asked for says what was done when it is short and an order; a prompt that is cut says neither.
        is_cut = len(_fit(task.text)) < len(task.text.rstrip(" .:;,"))
        bonus = 0.6 * is_task(task.text) + 0.5 * (number == 0) - 0.6 * task.text.endswith("?") - 0.4 * is_cut
        yield 2.0 if task.is_plan else bonus, task.text
        # "I am new here. Add a sign-in page" is about the page.
        first, *more = sentences(task.text) or [""]
        if number == 0 and cues.SELF.match(first):
            yield from ((0.6, one) for one in more if is_task(one) and not cues.FORBIDS.match(one))
    for pull in story.deeds.pulls:
        yield 1.9, without_type(pull)
    for commit in story.deeds.commits:
        yield 0.3 if is_chore(commit) else 0.7, without_type(commit)
    if len(story.title.split()) >= 3 and not story.title.startswith("/"):
        yield 1.3, _SUBAGENT.sub("", story.title)


def _topical(title: str, weights: dict[str, float]) -> float:
    """0 to 1: how much of a title's words the session came back to."""
    found = stems(title)
    most = max(weights.values(), default=1.0)
    return fsum(weights.get(stem, 0.0) for stem in found) / (most * max(4, len(found)))


def _fit(text: str) -> str:
    """At most 80 characters, ended at a clause or a word."""
    text = text.split(". ")[0].rstrip(" .:;,")
    head = text.split(": ")[0]
    if len(text) > MAX_TITLE and len(head.split()) >= 5:
        text = head
    short = clipped(text, _TITLE_WORDS).removesuffix(" …") if len(text) > MAX_TITLE else text.removesuffix(" …")
    if len(short) > MAX_TITLE:
        short = short[: MAX_TITLE + 1].rsplit(" ", 1)[0].rstrip(" ,;:-–—`('\"")[:MAX_TITLE]
    return short if short == text else _whole(short)


def _whole(cut: str) -> str:
    """A title that was cut, without the phrase that misses its end."""
    bare = cues.HANGING.sub("", cut)
    found = cues.LAST_PHRASE.search(cut) if bare == cut else None
    return bare[: found.start()] if found is not None and len(cut[: found.start()].split()) >= _LEAST_TITLE else bare


def _description(story: Story, title: str) -> str:
    """One sentence: what it was about and how it ended."""
    deeds = story.deeds
    facts = [_count(len(deeds.files), "file") + " changed"] if deeds.files else []
    facts += [_count(len(deeds.commits), "commit")] if deeds.commits else []
    facts += [f"PR #{number}" for number in deeds.pull_numbers[-1:]]
    return f"{title.rstrip('?')}: {story.outcome}{f', with {_listed(facts)}' if facts else ''}."


# --- the body --------------------------------------------------------------------------------------------------------


def _short_body(story: Story, title: str) -> str:
    """A routine session in two lines."""
    intent = _intent(story, title, [task.text for task in story.tasks[1:4]])
    left = _left(story)
    ending = _ending(story, story.deeds.commits[-1:])
    # What is left says how it ended, and a cause what happened.
    last = "" if left else _last_word(story)
    causes = [one.text for one in story.tellings if cues.FOUND.search(one.text) and one.text not in last]
    return _joined([intent, _happened(causes[:_CAUSES_SHOWN]), f"{ending} {last}", _open(left)])


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
    first = story.tasks[0].text if story.tasks else title
    then = "; ".join(clipped(task, _LATER_WORDS).rstrip(".") for task in later)
    return f"**Intent:** {sentence(clipped(first, 45))}{f' Then: {sentence(then)}' if then else ''}"


def _ending(story: Story, commits: Sequence[str]) -> str:
    deeds = story.deeds
    parts = [story.outcome.value, _files(deeds), _commits(deeds, commits), _checks(deeds)]
    return f"**Outcome:** {' '.join(sentence(part) for part in parts if part)}"


def _last_word(story: Story) -> str:
    """The agent's closing words, of a session that needs no list of steps."""
    telling = [statement for statement in story.closing if is_telling(statement)]
    plain = [
        statement
        for statement in story.closing
        if len(statement.split()) > 2 and not statement.endswith("?") and not cues.NARRATION.match(statement)
    ]
    return " ".join(sentence(clipped(cues.LEAD_IN.sub("", statement), 26)) for statement in (telling or plain)[:2])


def _left(story: Story) -> list[str]:
    """What the session leaves undone: open tasks, what the agent's last words say is missing, an offer unanswered."""
    left = [clipped(task, 16) for task in story.deeds.open_tasks[:4]]
    for statement in story.closing:
        if offer := cues.OFFER.match(statement):
            # Who had the last word took it up, or refused it.
            left += [] if story.is_users_word else [f"Offered, not answered: {clipped(offer['deed'], 14)}"]
        elif _is_left(statement):
            left.append(clipped(cues.LEFT_LABEL.sub("", cues.TRAILING_OFFER.sub("", statement)), 24))
    if story.closing and not story.is_users_word and asks_on(story.closing[-1]):
        left.append(f"Asked, not answered: {clipped(story.closing[-1], 24)}")
    if story.outcome is Outcome.INTERRUPTED and len(story.tasks) > 1 and story.unanswered:
        left.append(f"Not answered: {clipped(story.unanswered, 16)}")
    return list(dict.fromkeys(left))[:4]


def _is_left(statement: str) -> bool:
    """Whether the agent says that something is still to be done."""
    is_told = cues.TELLS_DEED.match(statement) or (
        cues.NARRATION.match(statement) and not cues.REMAINING.match(statement)
    )
    return bool(cues.REMAINING.search(statement)) and not is_told and len(statement.split()) > 2


def _files(deeds: Deeds) -> str:
    if not deeds.files:
        return ""
    shown = [f"`{name}`" for name, _ in deeds.files.most_common(_FILES_SHOWN)]
    more = len(deeds.files) - len(shown)
    return f"Changed {_listed([*shown, f'{more} more'] if more else shown)}"


def _commits(deeds: Deeds, shown: Sequence[str]) -> str:
    """The commits worth naming, how many there were, and where they went."""
    number = f" {len(deeds.commits)} times" if len(deeds.commits) > max(1, len(shown)) else ""
    named = f" {_listed([f'“{subject}”' for subject in shown])}" if shown else ""
    parts = [f"committed{number}{', among them' if number and named else ''}{named}"] if deeds.commits else []
    parts += ["pushed"] if deeds.is_pushed else []
    parts += [f"opened PR #{number}{' as a draft' if deeds.is_draft else ''}" for number in deeds.pull_numbers[-1:]]
    parts += ["merged"] if deeds.is_merged else []
    return ", ".join(parts)


def _checks(deeds: Deeds) -> str:
    checks = sorted(deeds.checks.values(), key=lambda check: -check.runs)[:_CHECKS_SHOWN]
    return "; ".join(filter(None, map(_check, checks)))


def _check(check: Check) -> str:
    if check.is_ok is None:
        return ""
    if not check.is_ok:
        return f"`{check.name}` failed in its last run"
    after = f" after {_count(check.failures, 'failure')}" if check.failures else ""
    return f"`{check.name}` passed{after}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
