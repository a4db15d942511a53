"""Keeping the memory true: what becomes one, what is closed, what is left to a person, and what it costs to look."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lerim.context.records import Draft, Evidence, Kind, Primitive, Status, Trust
from lerim.curate.proposals import CurationVerb
from lerim.curate.undo import undo_run

RUN = "maintain-20260220-103000-aaaaaa"


# --- what says the same -----------------------------------------------------------------------------------------------


def test_duplicates_become_the_better_evidenced_one_with_all_evidence(desk):
    """The one that more sessions said is left, and rests on what the other rested on, too."""
    more = tuple(Evidence("claude", name, 1, 1, "Redis", Trust.USER) for name in ("x", "y"))
    weak = desk.say("Use Redis for the job queue", "It is fast.", days=5)
    strong = desk.say("Use Redis for the job queue", "It is fast.", evidence=more)

    run = desk.maintain()

    assert ["merge"] == [item.operation for item in run.done]
    left = desk.fetch(strong)
    assert {*weak.evidence, *more} == set(left.evidence)
    assert (Status.SUPERSEDED, strong.id) == (desk.fetch(weak).status, desk.fetch(weak).superseded_by)
    assert min(weak.valid_from, strong.valid_from) == left.valid_from


def test_nothing_that_one_of_them_says_is_lost(desk):
    """What only the other one says stands in the one that is left."""
    desk.say("Use Redis for the job queue", "Redis is fast enough for the queue of jobs.\n\nIt runs on port 6380.")
    desk.say("Use Redis for the job queue", "Keys expire after 3 days.", days=3)

    desk.maintain()

    (left,) = [record for record in desk.records() if record.holds]
    assert "6380" in left.body
    assert "3 days" in left.body


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Use Redis for the job queue", "Use Redis for the session cache"),
        ("Deploy the api on Mondays", "Deploy the website on Tuesdays"),
        ("Tests run with pytest", "Docs are built with sphinx"),
    ],
)
def test_neighbors_stay_what_they_are(desk, one, two):
    """Similar is not the same, and no contradiction."""
    desk.say(one), desk.say(two, days=3)

    desk.maintain()

    assert {one: "active", two: "active"} == desk.titles()


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("We stay with Grafana", "Nora decides which Grafana boards are public, nobody opens one without her"),
        ("Emil owns the RabbitMQ queues and Nora does the mailings, ask them first", "We stay with RabbitMQ"),
    ],
)
def test_who_decides_on_a_thing_is_no_twin_of_the_thing(desk, one, two):
    """A word in common is not the same in other words: neither is lost."""
    desk.say(one), desk.say(two, days=3)

    desk.maintain()

    assert {one: "active", two: "active"} == desk.titles()


def test_the_agents_echo_does_not_lower_the_users_word(desk):
    """It is closed in favor of the user's, which stays the user's: nothing of the agent's gets a higher trust."""
    users = desk.say("Use Redis for the job queue", "It is fast.")
    agents = desk.say("Use Redis for the job queue", "It is fast.", days=2, who=Trust.AGENT)

    desk.maintain()

    assert (users.id, Status.SUPERSEDED) == (desk.fetch(agents).superseded_by, desk.fetch(agents).status)
    assert (Trust.USER, users.evidence) == (desk.fetch(users).trust, desk.fetch(users).evidence)


# --- what cannot both hold --------------------------------------------------------------------------------------------

OVERRULED = [
    ("Use date-fns for dates", "From now on we use Luxon instead of date-fns"),
    ("Never push to main", "It's fine to push to main now"),
    ("Tokens expire after 15 minutes", "Tokens expire after 60 minutes"),
    ("Use npm for installing packages", "Do not use npm for installing packages"),
]


@pytest.mark.parametrize(("old", "new"), OVERRULED)
@pytest.mark.parametrize("new_is_read_first", [False, True])
def test_what_was_said_later_holds_whichever_was_read_first(desk, old, new, new_is_read_first):
    """And the window of what it closes ends when that was said."""
    said = [(old, 90), (new, 5)]
    for title, days in reversed(said) if new_is_read_first else said:
        desk.say(title, days=days)

    desk.maintain()

    assert {old: "superseded", new: "active"} == desk.titles()
    records = {record.title: record for record in desk.records()}
    assert records[old].valid_until == records[new].last_said.at


def test_of_three_values_the_last_one_holds(desk):
    """Whatever the order they were read in."""
    for days, port in ((5, 9000), (90, 7000), (40, 8000)):
        desk.say(f"The api listens on port {port}", days=days)

    for _ in range(3):
        desk.maintain()

    active = [record.title for record in desk.records() if record.holds]
    assert ["The api listens on port 9000"] == active


# --- whose word counts ------------------------------------------------------------------------------------------------


def test_what_a_person_wrote_is_left_to_a_person(desk):
    """An agent's later words propose, with both sides quoted, and change nothing."""
    mine = desk.write("Use pnpm, never npm")
    desk.say("Use npm for installing packages", days=-0.5, who=Trust.AGENT)
    before = desk.store()

    run = desk.maintain()

    assert before == desk.store()
    (item,) = run.open
    assert ("review", "supersede", {mine.id}) == (item.verb, item.would, set(item.targets))
    assert ["a person wrote", "the agent said"] == [
        "a person wrote" if "a person wrote" in words else "the agent said" for words in item.evidence
    ]
    assert "Use pnpm, never npm" in item.evidence[0]
    assert "Use npm for installing packages" in item.evidence[1]


def test_new_words_of_the_user_replace_what_a_person_wrote(desk):
    """If they say so, and after that."""
    mine = desk.write("Use date-fns for dates")
    desk.clock.tick(days=3)
    new = desk.say("From now on we use Luxon instead of date-fns", days=1)

    desk.maintain()

    assert new.id == desk.fetch(mine).superseded_by


def test_an_agent_does_not_overrule_the_user(desk):
    """However late it says so."""
    desk.say("Never push to main", days=50)
    desk.say("It's fine to push to main now", days=2, who=Trust.AGENT)

    run = desk.maintain()

    assert {"Never push to main": "active", "It's fine to push to main now": "active"} == desk.titles()
    assert ["review"] == [item.verb for item in run.open]


def test_two_notes_of_a_person_are_for_them_to_merge(desk):
    """Nobody merges a person's words but they, unless they wrote the very same twice."""
    desk.write("Use JWT bearer tokens for API auth", "Short expiry.")
    desk.write("JWT bearer tokens are used for API auth", "Short expiry.")

    run = desk.maintain()

    assert ((), ["review"]) == (run.done, [item.verb for item in run.open])


def test_hearsay_is_nobodys_business(desk):
    """What came with a repository that is not trusted is neither closed nor makes anything close."""
    desk.say("Use date-fns for dates", days=50)
    desk.say("From now on we use Luxon instead of date-fns", days=1, trust=Trust.SHARED)

    assert (0, {"active"}) == (len(desk.maintain().done), set(desk.titles().values()))


# --- single records ---------------------------------------------------------------------------------------------------


def test_a_title_that_ends_on_a_verb_is_whole_and_keeps_its_body(desk):
    """Nothing is reworded into itself, and no body is lost over it."""
    title = "Terraform state is locked with the native lockfile from now on, one thing less to pay for"
    record = desk.say(title, f"{title}.")

    report = desk.maintain()

    assert [] == list(report.done)
    assert [record.body] == [one.body for one in desk.records() if one.id == record.id]


def test_a_title_that_leans_on_something_is_said_by_the_body(desk):
    """In the record's own words; of a body without any, a person is asked."""
    desk.say("It works now", "The deploy script needs AWS_REGION to be set.", who=Trust.AGENT, kind=Kind.PITFALL)
    desk.say("Same as above", "Yes.", who=Trust.AGENT, kind=Kind.INSIGHT)

    run = desk.maintain()

    assert {"The deploy script needs AWS_REGION to be set": "active", "Same as above": "active"} == desk.titles()
    assert ["review"] == [item.verb for item in run.open]


@pytest.mark.parametrize(
    ("title", "body", "wanted"),
    [
        (
            "This won't do, legal, phone numbers of drivers never go into the export",
            "I look at the export and I see `driver 0171 5550199 on route 9` there. This won't do, legal, "
            "phone numbers of drivers never go into the export.",
            "Phone numbers of drivers never go into the export",
        ),
        (
            "Ok, so the crane stops above 12 m/s of wind",
            "The sensor on mast two showed 14 m/s the whole afternoon. Ok, so the crane stops above 12 m/s of wind.",
            "Ok, so the crane stops above 12 m/s of wind",
        ),
        (
            "That is ugly, use tabs, never spaces",
            "We talked of it. That is ugly, use tabs, never spaces.",
            "Use tabs, never spaces",
        ),
    ],
)
def test_a_leaning_title_keeps_its_rule_and_never_becomes_what_led_to_it(desk, title, body, wanted):
    desk.say(title, body)

    desk.maintain()

    assert [wanted] == [*desk.titles()]


def test_what_happened_once_is_no_title_for_the_rule_that_came_of_it(desk):
    desk.say("Same regime for the other one", "Somebody wiped the staging db from his laptop yesterday.")

    desk.maintain()

    assert ["Same regime for the other one"] == [*desk.titles()]


def test_a_rule_that_is_called_an_insight_is_a_preference(desk):
    """What the user tells one to do is how they want things done."""
    rule = desk.say("Prefer small commits over large ones", kind=Kind.INSIGHT)
    fact = desk.say("The cache is shared by all workers", kind=Kind.INSIGHT)

    desk.maintain()

    assert (Kind.PREFERENCE, Kind.INSIGHT) == (desk.fetch(rule).kind, desk.fetch(fact).kind)


def test_what_rests_on_nothing_any_more_is_for_a_person(desk):
    """It came of a session, and nobody can say where."""
    desk.say("Use Redis for the job queue", evidence=())

    (item,) = desk.maintain().open

    assert ("review", "archive") == (item.verb, item.would)


def test_what_faded_is_put_away_and_comes_back_when_it_is_used(desk):
    """Used means shown, answered with or served; a run says both."""
    old = desk.say("The old build needs webpack 4", days=400, read=399, who=Trust.AGENT, kind=Kind.INSIGHT)
    desk.maintain()
    assert Status.ARCHIVED is desk.fetch(old).status
    desk.clock.tick(days=1)
    with desk.place.store.change("lerim", "used") as change:
        change.touch([old.id])

    desk.maintain("maintain-20260221-103000-bbbbbb")

    assert Status.ACTIVE is desk.fetch(old).status


def test_while_a_person_is_asked_which_side_holds_neither_fades(desk):
    """Else the answer would be who was used last."""
    desk.say("Use pnpm, never npm", days=400, read=399)
    later = desk.say("Use npm for installing packages", days=390, read=389, who=Trust.AGENT)

    (item,) = desk.maintain().open

    assert later.id in item.records
    assert desk.fetch(later).holds


def test_what_a_person_brought_back_does_not_fade_at_once(desk, memory):
    """Bringing it back says that it is wanted."""
    old = desk.say("The old build needs webpack 4", days=400, read=399, who=Trust.AGENT, kind=Kind.INSIGHT)
    desk.maintain()
    assert not desk.fetch(old).holds
    desk.clock.tick(days=1)

    memory.restore(memory.find(old.id), reason="needed")
    desk.clock.tick(days=1)
    desk.maintain("maintain-20260222-103000-bbbbbb")

    assert desk.fetch(old).holds


def test_what_a_person_archived_stays_away(desk):
    """Looking at it does not bring it back."""
    old = desk.say("The old build needs webpack 4", who=Trust.AGENT, kind=Kind.INSIGHT)
    with desk.place.change("person", "no use") as change:
        change.archive(old.id)
    desk.clock.tick(days=1)
    with desk.place.store.change("lerim", "used") as change:
        change.touch([old.id])

    desk.maintain()

    assert Status.ARCHIVED is desk.fetch(old).status


# --- what a look costs, and what is left ------------------------------------------------------------------------------


def test_only_what_changed_is_looked_at(desk):
    """A second look has nothing to do; a third one looks at what is new and near it."""
    for number in range(30):
        desk.say(f"The service number{number} speaks protocol{number}", days=20)
    desk.maintain()
    assert 0 == desk.maintain().plan.looked_at.records
    desk.say("The service number7 speaks protocol7 over TLS", days=1)

    look = desk.maintain().plan.looked_at

    assert (1, desk.clock()) == (look.changed, look.since)
    assert look.records <= 12


def test_what_waits_for_a_person_is_told_each_time(desk):
    """Until somebody decides; a plan that nobody read must not be the last word."""
    desk.write("Use pnpm, never npm")
    desk.say("Use npm for installing packages", days=-0.5, who=Trust.AGENT)

    assert [1, 1, 1] == [len(desk.maintain().open) for _ in range(3)]


def test_a_record_fades_though_nobody_changed_it(desk):
    """Its time comes without a change."""
    old = desk.say("The old build needs webpack 4", days=1, who=Trust.AGENT, kind=Kind.INSIGHT)
    desk.maintain()
    desk.clock.tick(days=400)

    desk.maintain("maintain-20270401-103000-bbbbbb")

    assert Status.ARCHIVED is desk.fetch(old).status


def test_unattended_only_what_is_safe_is_done(desk):
    """The very same said twice, and what faded; the rest is planned."""
    (
        desk.say("Use Redis for the job queue", "It is fast."),
        desk.say("Use Redis for the job queue", "It is fast.", days=3),
    )
    desk.say("The old build needs webpack 4", days=400, read=399, who=Trust.AGENT, kind=Kind.INSIGHT)
    desk.say("Use date-fns for dates", days=50)
    desk.say("From now on we use Luxon instead of date-fns", days=1)

    run = desk.maintain(unattended=True)

    assert {"merge", "archive"} == {item.operation for item in run.done}
    assert ["supersede"] == [item.verb for item in run.open]
    assert "active" == desk.titles()["Use date-fns for dates"]
    assert ["supersede"] == [item.operation for item in desk.maintain(unattended=False).done]


def test_what_was_taken_back_is_not_done_again(desk):
    """Not until one of the records says something new."""

    desk.say("Use date-fns for dates", days=50)
    desk.say("From now on we use Luxon instead of date-fns", days=1)
    desk.maintain()
    undo_run(desk.place, RUN)

    again = desk.maintain("maintain-20260220-103000-bbbbbb")

    assert ((), ()) == (again.done, again.open)
    assert {"active"} == set(desk.titles().values())


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_notes_of_one_second_the_one_that_was_written_last_is_proposed_to_hold(desk, turned):
    """Nobody can tell by the clock; a person decides, and is told which was written right after the other."""
    titles = ("Use Redis for the job queue", "Use Postgres for the job queue")
    first, second = (desk.write(title) for title in (reversed(titles) if turned else titles))
    [item] = desk.curation.plan().items

    assert (CurationVerb.REVIEW, CurationVerb.SUPERSEDE, second.id) == (item.verb, item.would, item.into)
    assert (first.id, second.id) == item.records
    assert "written right after the other" in item.reason


def test_of_two_notes_of_one_second_the_first_is_replaced_though_a_third_replaces_the_second(desk):
    """Each in its turn: what overrules the later one does not save the earlier."""
    first, second = (
        desk.write(title) for title in ("We use date-fns for dates", "From now on we use Luxon instead of date-fns")
    )
    desk.clock.tick()
    third = desk.write("Drop Luxon, use Temporal")

    assert {(first.id, second.id), (second.id, third.id)} <= {item.records for item in desk.curation.plan().items}


# --- what says nothing anew -------------------------------------------------------------------------------------------


def _written_on(desk, title: str, days: float):
    """A person's file that tells of a day long ago."""
    with desk.place.change("person", "by hand") as change:
        return change.create(Draft(Primitive.DECISION, title).record(desk.clock() - timedelta(days=days)))


@pytest.mark.parametrize("how", ["tagged", "judged", "closed and taken back"])
def test_what_was_said_first_stays_first_whatever_is_noted_of_it(desk, how):
    """A tag, feedback and an undo say nothing anew: else the newer truth would be replaced by the older."""
    old = _written_on(desk, "The billing API listens on port 7000", 600)
    new = _written_on(desk, "The billing API listens on port 7100", 200)
    desk.clock.tick(days=1)
    if how == "closed and taken back":
        with desk.place.change("person", "by hand", "maintain-20260220-103000-cccccc") as change:
            change.supersede(old.id, by=new.id)
        undo_run(desk.place, "maintain-20260220-103000-cccccc")
    else:
        noted = {"tags": ("billing",)} if how == "tagged" else {"confidence": 0.9}
        with desk.place.change("person", "by hand") as change:
            change.revise(old.id, **noted)

    desk.maintain()

    assert old.last_said == desk.fetch(old).last_said
    # What somebody took back is not done again, and least of all the other way round.
    is_closed = how != "closed and taken back"
    assert (Status.SUPERSEDED if is_closed else Status.ACTIVE, Status.ACTIVE) == (
        desk.fetch(old).status,
        desk.fetch(new).status,
    )


def test_who_gives_it_other_words_says_so_now(desk):
    """Then it is the last word."""
    old = _written_on(desk, "The billing API listens on port 7000", 600)
    new = _written_on(desk, "The billing API listens on port 7100", 200)
    with desk.place.change("person", "by hand") as change:
        change.revise(old.id, title="The billing API listens on port 7200")

    assert desk.clock() == desk.fetch(old).last_said.at
    desk.maintain()
    assert (Status.ACTIVE, Status.SUPERSEDED) == (desk.fetch(old).status, desk.fetch(new).status)


def test_what_says_more_of_the_same_stands_beside_it(desk):
    """Only what says nothing that was not said before becomes one with it."""
    short = desk.say("Cache carrier rates in Redis", days=20)
    longer = desk.say("Carrier rates cached in Redis expire after 20 minutes", days=10)

    result = desk.maintain()

    assert desk.fetch(short).holds and desk.fetch(longer).holds
    assert not result.open


def test_two_titles_without_a_word_in_common_are_two_memories(desk):
    """Although one says below what the other says in its title."""
    first = desk.say("Decision is made, contract signed", "Moving the warehouse from Redshift to Snowflake.", days=90)
    later = desk.say("Redshift is gone since yesterday, finance agreed to the earlier shutdown", days=10)

    desk.maintain()

    assert desk.fetch(first).holds and desk.fetch(later).holds


def test_a_title_is_not_replaced_by_one_that_says_less(desk):
    """A sentence of a few words stands alone no better."""
    said = "Don't post style nits in reviews of other people's PRs, ruff does that"
    kept = desk.say(said, f"Post 1-3, skip 4. {said}.")
    vague = desk.say("This one as well", "Post 1-3, skip 4. Keep it.")

    desk.maintain()

    assert (said, "This one as well") == (desk.fetch(kept).title, desk.fetch(vague).title)
