"""Which of all sentences a summary has room for: the ones that say most of what the session came back to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum

from lerim.ingest.signals.summary_story import Story
from lerim.ingest.signals.summary_tasks import StoryTask
from lerim.ingest.signals.summary_tellings import REFUSED_PLAN
from lerim.ingest.signals.summary_words import clipped, is_task, stems

#: Words of a summary: of a session with one small task, and of the richest one.
LEAST_WORDS, MOST_WORDS = 100, 286
_TASK_CUE, _REMARK_CUE, _COMMIT_CUE = 1.8, 1.1, 1.3
_LEAST_GAIN = 0.3
#: So much of the changes of files were made for one wish.
_MUCH = 0.3
#: So many wishes are told one by one.
_FEW_TASKS = 5
#: So many causes are told whatever else there is.
_MOST_CAUSES = 2
#: So many answers are, where questions are so many times as many as the wishes that took work.
_MOST_ANSWERS, _MUCH_ASKED = 3, 1
#: In fewer words nobody tells how something ended.
_RESULT_WORDS = 5


class SegmentVoice(StrEnum):
    """Whose words a segment is made of."""

    AGENT = "agent"
    USER = "user"
    COMMIT = "commit"  # the subject the agent gave a commit


_MOST_OF_KIND = {SegmentVoice.AGENT: 16, SegmentVoice.USER: 6, SegmentVoice.COMMIT: 4}


@dataclass(frozen=True)
class SummarySegment:
    """A text that could stand in the summary. `at` is its place in the session."""

    kind: SegmentVoice
    text: str
    at: int
    cue: float
    stems: frozenset[str]


def chosen(story: Story, words: int, known: str) -> list[SummarySegment]:
    """What adds most to what is known already, within so many words, in the session's order."""
    waiting = {segment.text: segment for segment in _segments(story)}
    weights = weights_of(story, list(waiting.values()))
    # The cause that was found is what people look for, however few of its words came up again.
    refused = [one.text for one in story.tellings if one.text.startswith(REFUSED_PLAN)]
    surely = [*_causes(story, known), *refused, *_answers(story), *_result(story, known)]
    picked = [waiting.pop(text) for text in dict.fromkeys(surely) if text in waiting]
    words -= sum(len(one.text.split()) for one in picked)
    covered = set(stems(known)).union(*(one.stems for one in picked))
    kinds = Counter(one.kind for one in picked)
    gains = {text: _gain(segment, weights, covered) for text, segment in waiting.items()}
    while waiting and words > 0:
        best = max(waiting.values(), key=lambda segment: (gains[segment.text], -segment.at))
        del waiting[best.text]
        if gains[best.text] < _LEAST_GAIN:
            break
        length = len(best.text.split())
        if kinds[best.kind] < _MOST_OF_KIND[best.kind] and length <= words + 8:
            picked.append(best)
            kinds[best.kind] += 1
            words -= length
            # Only who says some of it says less from now on.
            fresh = best.stems - covered
            covered |= fresh
            alike = (segment for segment in waiting.values() if not fresh.isdisjoint(segment.stems))
            gains.update((segment.text, _gain(segment, weights, covered)) for segment in alike)
    return sorted(picked, key=lambda segment: segment.at)


def _causes(story: Story, known: str) -> list[str]:
    """The causes found last, unless they are told already."""
    found = sorted((one for one in story.tellings if one.is_found), key=lambda one: (one.turn, one.place))
    return [one.text for one in found if not stems(one.text) <= stems(known)][-_MOST_CAUSES:]


def _answers(story: Story) -> list[str]:
    """With what the agent answered the questions that needed no work, the last ones: however much of it was asked."""
    found: dict[int, str] = {}
    for one in sorted((one for one in story.tellings if one.is_answer), key=lambda one: one.place):
        found.setdefault(one.turn, one.text)
    # Where most was asked, the answers are what happened.
    most = _MOST_ANSWERS if len(found) >= _MUCH_ASKED * max(1, len(story.edits)) else 1
    return [found[turn] for turn in sorted(found)[-most:]]


def _result(story: Story, known: str) -> list[str]:
    """With what the agent opened the last message that tells anything: how it ended, or what was asked last."""
    tellings = [one for one in story.tellings if not one.text.startswith(REFUSED_PLAN)]
    last = max((one.turn for one in tellings), default=-1)
    said = [one for one in tellings if one.turn == last and not one.is_cause]
    said = sorted((one for one in said if len(one.text.split()) >= _RESULT_WORDS), key=lambda one: one.place)
    return [one.text for one in said[:1] if not stems(one.text) <= stems(known)]


def budget(story: Story) -> int:
    """How many words a summary may have: more turns and more deeds, more to tell."""
    deeds = story.deeds
    size = 13 * len(story.tasks) + 4 * len(deeds.files) + 12 * len(deeds.commits) + deeds.calls // 2
    return min(MOST_WORDS, LEAST_WORDS + size)


def is_rich(story: Story) -> bool:
    """Whether there is more to tell than two lines hold."""
    deeds = story.deeds
    return (
        len(story.tasks) > _FEW_TASKS
        or deeds.calls > 12
        or len(deeds.files) > 2
        or bool(deeds.pulls.titles)
        or story.length > 150
    )


def weights_of(story: Story, segments: Sequence[SummarySegment] = ()) -> dict[str, float]:
    """How much each word is what this session is about: said by the user, named in commits, met again and again."""
    counts: Counter[str] = Counter()
    for segment in segments:
        counts.update(segment.stems)
    for task in story.tasks:
        counts.update(dict.fromkeys(stems(task.text), 2))
    for subject in [*story.deeds.commits, *story.deeds.pulls.titles]:
        counts.update(dict.fromkeys(stems(subject), 3))
    return {stem: math.log1p(count) ** 2 for stem, count in counts.items()}


def _segments(story: Story) -> list[SummarySegment]:
    happened = [
        _segment(SegmentVoice.AGENT, one.text, one.turn * 1_000 + one.place + 1, one.cue) for one in story.tellings
    ]
    asked = [
        _segment(SegmentVoice.USER, clipped(task.told, 32).rstrip("."), task.turn * 1_000, _asked_cue(story, task))
        for task in story.tasks[1:]
    ]
    commits = [
        _segment(SegmentVoice.COMMIT, clipped(one, 18), number, _COMMIT_CUE)
        for number, one in enumerate(story.deeds.commits)
    ]
    return list({segment.text: segment for segment in [*happened, *asked[-80:], *commits[-80:]]}.values())


def _asked_cue(story: Story, task: StoryTask) -> float:
    """What took much of the work was a task, however it was put."""
    is_work = story.edits.get(task.turn, 0) >= _MUCH * max(1, sum(story.edits.values()))
    return _TASK_CUE if is_work or is_task(task.text) else _REMARK_CUE


def _segment(kind: SegmentVoice, text: str, at: int, cue: float) -> SummarySegment:
    return SummarySegment(kind, text, at, cue, stems(text))


def _gain(segment: SummarySegment, weights: dict[str, float], covered: set[str]) -> float:
    fresh = segment.stems - covered
    if len(fresh) * 3 < len(segment.stems):
        return 0.0
    news = fsum(weights.get(stem, 0.0) for stem in fresh)
    return (0.6 + segment.cue) * news / (3 + len(segment.stems))
