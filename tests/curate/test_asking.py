"""A model's judgment: one request for a group, the same rules, and nothing asked when nothing is due."""

from __future__ import annotations

import json

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from lerim.context.decay import DecayRule
from lerim.context.records import Status, Trust
from lerim.curate.asking import ModelJudge
from lerim.curate.room import Curation
from lerim.curate.validation import CurationRules
from lerim.errors import ModelError


class Script:
    """A model that answers what it is told to, and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked: list[list[dict[str, str]]] = []

    def model(self):
        def answer(messages, info):
            task = messages[0].parts[-1].content
            self.asked.append(json.loads(task.partition("\n\n")[2]))
            found = self.answers[min(len(self.asked), len(self.answers)) - 1]
            named = found(self.asked[-1]) if callable(found) else found
            return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"actions": named})])

        return FunctionModel(answer)


def maintained(desk, script, run_id="maintain-20260220-103000-aaaaaa", **how):
    judge = ModelJudge(script.model, CurationRules(DecayRule(), desk.clock()))
    curation = Curation(desk.place, clock=desk.clock, judge=judge)
    return curation.apply(curation.plan(), run_id=run_id, **how)


def named(records, title):
    return next(record["name"] for record in records if record["title"] == title)


def test_a_group_is_asked_about_once_with_bodies(desk):
    """Whose word it is and when it was said stand beside it; no id does."""
    desk.say("Use Redis for the job queue", "It is fast.", days=5)
    desk.say("Use Redis for the job queue of invoices", "Invoices are slow.", who=Trust.AGENT)
    script = Script([])

    maintained(desk, script)

    (asked,) = script.asked
    assert {"the user", "the agent"} == {record["who"] for record in asked}
    assert {"It is fast.", "Invoices are slow."} == {record["body"] for record in asked}
    assert {"name", "type", "who", "said", "title", "body"} == set(asked[0])


def test_nothing_is_asked_when_nothing_is_due(desk):
    """Neither without neighbors, nor for the very same, nor a second time."""
    (
        desk.say("Use Redis for the job queue", "It is fast."),
        desk.say("Use Redis for the job queue", "It is fast.", days=3),
    )
    desk.say("Deploys happen on Mondays")
    script = Script([])

    maintained(desk, script), maintained(desk, script, "maintain-20260220-103000-bbbbbb")

    assert [] == script.asked


def test_a_model_sees_what_words_do_not_show(desk):
    """And what it says is done, when the rules allow it."""
    old = desk.say("Ship releases from the laptop of whoever is on duty", days=60)
    new = desk.say("Ship releases from CI, nobody's laptop is clean", days=2)

    def answer(records):
        return [
            {
                "verb": "supersede",
                "records": [named(records, old.title)],
                "into": named(records, new.title),
                "reason": "Releases are shipped from CI now.",
            }
        ]

    maintained(desk, Script(answer))

    assert new.id == desk.fetch(old).superseded_by


FORBIDDEN = {
    "an earlier word does not replace a later one": (
        {"days": 2},
        {"days": 60, "title": "Use the database for the job queue"},
        lambda one, two: {"verb": "supersede", "records": [one], "into": two},
        "review",
    ),
    "the agent does not replace the user": (
        {"days": 60},
        {"days": 2, "who": Trust.AGENT},
        lambda one, two: {"verb": "supersede", "records": [one], "into": two},
        "review",
    ),
    "words of two speakers do not become one": (
        {"days": 60},
        {"days": 2, "who": Trust.AGENT},
        lambda one, two: {"verb": "merge", "records": [one, two], "into": one},
        "review",
    ),
    "what the records do not say is not written": (
        {},
        {"days": 3},
        lambda one, two: {"verb": "merge", "records": [one, two], "into": one, "title": "Use Kafka for all queues"},
        None,
    ),
    "no revision turns a record around": (
        {},
        {"days": 3},
        lambda one, two: {"verb": "revise", "records": [one], "title": "Never use Redis for the job queue"},
        None,
    ),
    "nobody answers about what was not shown": (
        {},
        {"days": 3},
        lambda one, two: {"verb": "supersede", "records": ["R77"], "into": one},
        None,
    ),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_model_is_held_to_the_same_rules(desk, name):
    """What is only a person's to decide is proposed; anything else is asked for again, and then refused."""
    first, second, action, verb = FORBIDDEN[name]
    one = desk.say("Use Redis for the job queue", "Redis is fast.", **first)
    two = desk.say(**{"title": "Use Redis for queues of slow jobs", "body": "Slow jobs wait there.", **second})
    before = desk.store()

    def answer(records):
        return [action(named(records, one.title), named(records, two.title)) | {"reason": "So it seems."}]

    script = Script(answer)
    run = maintained(desk, script)

    assert before == desk.store()
    assert ([verb] if verb else []) == [item.verb for item in run.open]
    assert len(script.asked) == (1 if verb else 3)


@pytest.mark.parametrize("verb", ["merge", "revise", "supersede"])
def test_what_a_person_wrote_no_model_changes(desk, verb):
    """Not by an edit that turns it around, nor by a merge, nor by something that an agent said."""
    mine = desk.write("Use pnpm, never npm", "pnpm it is.")
    other = desk.say("Use pnpm for all installs", "pnpm it is.", days=-0.5)

    def answer(records):
        one, two = named(records, mine.title), named(records, other.title)
        action = {"verb": verb, "records": [one] if verb == "revise" else [one, two], "reason": "Better so."}
        return [action | ({"into": two} if verb != "revise" else {"title": "Use pnpm"})]

    maintained(desk, Script(answer))

    assert (mine.title, Status.ACTIVE) == (desk.fetch(mine).title, desk.fetch(mine).status)


def test_what_a_model_proposes_is_never_safe(desk):
    """Unattended, it is only planned."""
    old, new = desk.say("Ship releases from the laptop", days=60), desk.say("Ship releases from CI alone", days=2)

    def answer(records):
        names = [named(records, one.title) for one in (old, new)]
        return [{"verb": "supersede", "records": names[:1], "into": names[1], "reason": "From CI now."}]

    run = maintained(desk, Script(answer), unattended=True)

    assert ((), 1) == (run.done, len(run.open))


def test_a_model_that_answers_nonsense_changes_nothing(desk):
    """The error names the next command."""
    desk.say("Use Redis for the job queue"), desk.say("Use Redis for queues of slow jobs", days=3)
    before = desk.store()

    with pytest.raises(ModelError):
        maintained(desk, Script([{"verb": "delete", "records": []}]))

    assert before == desk.store()
