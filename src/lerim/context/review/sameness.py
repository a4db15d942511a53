"""Whether what is proposed was proposed before: it says the same, or rests on the same words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lerim.context.records import Evidence
from lerim.context.review.candidates import ReviewCandidate, title_words


def paired(known: Sequence[ReviewCandidate], found: Sequence[ReviewCandidate]) -> dict[str, ReviewCandidate]:
    """Which known candidate each found one is, by the found one's id. Each is taken once: a line can say two things."""
    pairs: dict[str, ReviewCandidate] = {}
    free = {old.id: old for old in known}
    for is_same in (_says_the_same, _rests_on_the_same):
        for new in found:
            twins = (old for old in free.values() if new.id not in pairs and is_same(old, new))
            if (twin := next(twins, None)) is not None:
                pairs[new.id] = free.pop(twin.id)
    return pairs


def _says_the_same(one: ReviewCandidate, two: ReviewCandidate) -> bool:
    return title_words(one.title) == title_words(two.title)


def _rests_on_the_same(one: ReviewCandidate, two: ReviewCandidate) -> bool:
    return any(_overlap(mine, yours) for mine in one.evidence for yours in two.evidence)


def _overlap(one: Evidence, two: Evidence) -> bool:
    """Whether two pieces of evidence are the same lines and mostly the same words."""
    if (one.agent, one.run_id) != (two.agent, two.run_id):
        return False
    if one.first_line > two.last_line or two.first_line > one.last_line:
        return False
    mine, yours = set(title_words(one.quote).split()), set(title_words(two.quote).split())
    return 2 * len(mine & yours) >= min(len(mine), len(yours))
