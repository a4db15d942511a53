"""Reconciling: a candidate beside what is known becomes a new record, a better one, a successor, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lerim.context.records import Draft, Kind, Primitive, RecordId, Trust
from lerim.ingest.findings import Candidate, Quote
from lerim.ingest.reconcile import Action, Decision, KnownRecord, Revision, WriteMode, are_alike, decide, opposition
from lerim.text.bearing import Judgment

from ..conftest import examples

DECISION = Primitive.DECISION
LEARNING = Primitive.LEARNING


def candidate(title: str, body: str = "", kind: Kind | None = None, **more: object) -> Candidate:
    primitive = LEARNING if kind else DECISION
    return Candidate("c1", primitive, title, body, (Quote(2, 2, title),), kind, **more)  # type: ignore[arg-type]


def known(title: str, body: str = "", kind: Kind | None = None, **more: object) -> KnownRecord:
    record = RecordId(str(more.pop("id", "lrn-aaaaaaaaaa" if kind else "dec-aaaaaaaaaa")))
    return KnownRecord(record, LEARNING if kind else DECISION, title, body, kind, **more)  # type: ignore[arg-type]


def outcome(decision: Decision) -> str:
    return decision.how.value if decision.how else decision.action.value


#: What is known, what a later session says, and what becomes of it. Of two decisions, unless told otherwise.
REVERSALS = [
    ("Use Celery with Redis because we need retries", "We drop Celery and use procrastinate on our Postgres instead"),
    ("Use Celery with Redis for background mails", "Drop Celery; use procrastinate on our Postgres instead"),
    ("Keep the REST API", "No more REST, everything goes through GraphQL"),
    ("Use npm for installs", "Use pnpm, not npm"),
    ("Use npm", "Use pnpm instead of npm"),
    ("Use npm", "Use pnpm"),
    ("Use pnpm, not npm", "Use npm"),
    ("Commit generated files", "Do not commit generated files"),
    ("Do not commit generated files", "Commit generated files"),
    ("Never squash commits when merging", "Squash commits when merging"),
    ("Keep the legacy API", "Remove the legacy API"),
    ("Add a cache layer in front of the API", "No cache layer in front of the API"),
    ("Use PostgreSQL for the job queue", "Use Redis for the job queue"),
    ("Use Redis for the job queue", "Job queue moves from Redis to RabbitMQ"),
    ("CI runs on CircleCI", "CI runs on Buildkite"),
    ("Deploy to Render", "Deploy to Fly.io"),
    ("The default branch is main", "The default branch is develop"),
    ("Cache TTL is 300 seconds", "Cache TTL is 600 seconds"),
    ("Use Node 18", "Use Node 20"),
    ("Retry failed uploads 3 times", "Retry failed uploads 5 times"),
    ("Line length is 88", "Line length is 120"),
    ("Pin pydantic to v1.10", "Pin pydantic to v2.5"),
    ("Enable telemetry by default", "Disable telemetry by default"),
    ("Allow force pushes on feature branches", "Forbid force pushes on feature branches"),
    ("Run migrations before the deploy", "Run migrations after the deploy"),
    ("Tabs for indentation in Go files", "Spaces for indentation in Go files"),
    ("Prefer tabs in Makefiles", "Prefer spaces in Makefiles"),
    ("Store sessions in cookies", "Sessions are no longer stored in cookies"),
    ("Use GraphQL for the public API", "Prefer REST over GraphQL for the public API"),
    ("Use Jest for unit tests", "Switch unit tests from Jest to Vitest"),
    ("Public endpoints return XML", "Public endpoints return JSON rather than XML"),
    ("Use feature flags for rollouts", "Stop using feature flags for rollouts"),
    ("Use Poetry to manage dependencies", "Use uv to manage dependencies"),
    ("Error messages are shown in a modal", "Do not show error messages in a modal"),
    ("Wrap long lines at 80 columns", "Never wrap long lines"),
    ("Ship the sidebar redesign", "Revert the sidebar redesign"),
    ("Auth uses JWT", "Auth: JWT → server sessions"),
]
SAME = [
    ("Use pnpm, not npm", "Use pnpm instead of npm"),
    ("Use pnpm, not npm", "Use pnpm"),
    ("Do not commit generated files", "Never commit generated files"),
    ("Pin all GitHub Actions to commit SHAs", "Pin GitHub Actions to commit SHAs"),
    ("Tests run in parallel", "Run the tests in parallel"),
    ("Errors are logged as JSON", "Log errors as JSON"),
    ("Use UTC timestamps everywhere", "Timestamps are UTC everywhere"),
    ("Cache TTL is 300 seconds", "The cache TTL is 300 seconds"),
    ("Feature branches are rebased onto main", "Rebase feature branches onto main"),
    ("Pull requests target the develop branch", "Pull requests must target develop branch"),
    ("Keep migrations backwards compatible", "Migrations are kept backwards compatible"),
    ("测试必须在提交之前运行", "测试必须在提交之前运行"),
]
OTHERS = [
    ("Use Redis for caching", "Use Redis for queues"),
    ("Use JWT for API auth", "Do not use JWT for admin auth"),
    ("npm cache must be cleared on CI after a failed build", "Use pnpm, not npm"),
    ("Use Vitest for unit tests", "Use Playwright for end-to-end tests"),
    ("Tests for auth live in tests/auth", "Tests for billing live in tests/billing"),
    ("Phase 14 sharing is read-only", "Phase 15 sharing is read-only"),
    ("Use npm for publishing", "Use pnpm"),
    ("Use feature flags for rollouts", "Never read feature flags in tests"),
    ("Run tests with pytest", "Run tests with coverage"),
    ("Release on Tuesdays", "Write release notes by hand"),
    ("Dark mode follows the system", "Sidebar collapses on small screens"),
    ("Log errors as JSON", "Retry errors with backoff"),
    ("Store uploads in S3", "Scan uploads for viruses"),
    ("API keys come from the environment", "API responses are paginated"),
    ("Use tabs for indentation", "Name branches after tickets"),
    ("Disable telemetry in tests", "Enable tracing in production"),
    ("The CLI prints JSON with --json", "The server answers in JSON"),
    ("Keep functions short", "Keep changelog entries short and user-facing"),
]


@pytest.mark.parametrize(("old", "new"), REVERSALS)
def test_what_cannot_hold_together_is_superseded(old, new):
    """The old record is closed, never rewritten."""
    decision = decide(candidate(new), [known(old)])

    assert (Action.UPDATE, WriteMode.SUPERSEDE, ("dec-aaaaaaaaaa",)) == (
        decision.action,
        decision.how,
        decision.targets,
    )
    assert old in decision.reason


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_is_known_is_not_written_again(old, new):
    """A second session that says the same makes the record surer, and leaves its words."""
    decision = decide(candidate(new), [known(old, confidence=0.7)])

    assert (Action.UPDATE, WriteMode.REVISE) == (decision.action, decision.how)
    assert decision.revision is not None
    assert (old, 0.79) == (decision.revision.title, decision.revision.confidence)


@pytest.mark.parametrize(("old", "new"), OTHERS)
def test_sibling_rulings_stand_beside_each_other(old, new):
    """Words in common do not make two rulings one."""
    decision = decide(candidate(new), [known(old)])

    assert (Action.ADD, WriteMode.CREATE, ()) == (decision.action, decision.how, decision.targets)


#: One rule of two things, in the same words and for the same reason.
OF_TWO_THINGS = [
    ("Keep receipts for ten years", "Keep delivery notes for ten years", "The tax office asks for it until then."),
    ("The gateway always runs with two replicas", "The mailer always runs with two replicas", "One dies each week."),
    ("Encrypt database dumps with age", "Encrypt log archives with age", "They leave the building on disks."),
    ("Store avatars under the media role", "Store attachments under the media role", ""),
    ("Keep comments in S3", "Keep comments with ULIDs", ""),
]


@pytest.mark.parametrize(("old", "new", "reason"), OF_TWO_THINGS)
@pytest.mark.parametrize("said_later", [False, True])
def test_one_rule_of_two_things_is_two_rules(old, new, reason, said_later):
    """Were they one, nobody would find what was said of the other thing."""
    decision = decide(candidate(new, reason), [known(old, reason, said_later=said_later)])

    assert (Action.ADD, WriteMode.CREATE, ()) == (decision.action, decision.how, decision.targets)
    assert not are_alike(candidate(new, reason), candidate(old, reason), 0.4)


MORE = [
    ("Use pnpm", "", "Use pnpm", "The workspace protocol needs it, and CI caches its store by lockfile hash."),
    (
        "Migrations are backwards compatible",
        "Old code must run on the new schema.",
        "Migrations stay backwards compatible",
        "Old code must run on the new schema, because deploys roll over twenty minutes and a rollback reuses it.",
    ),
    (
        "Retry uploads",
        "Three times.",
        "Retry uploads with backoff",
        "Three times, doubling from one second, then alert the on-call.",
    ),
]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("For load tests in the shop, take wrk, in the EU region only", "For load tests in the shop, take Gatling"),
        (
            "Scheduled deploys in the analytics stack: Flux, behind our own thin wrapper",
            "We go with Recharts for charts in the analytics stack, behind our own thin wrapper",
        ),
    ],
)
@pytest.mark.parametrize("said_later", [False, True])
def test_another_name_in_the_same_frame_is_neither_the_same_nor_more(old, new, said_later):
    """However many words are the same: nothing confirms another value, and two matters are not one."""
    decision = decide(candidate(new), [known(old, said_later=said_later)])

    assert outcome(decision) not in ("revise", "no_op")


@pytest.mark.parametrize(("old", "old_body", "new", "new_body"), MORE)
def test_what_says_more_is_a_revision(old, old_body, new, new_body):
    """The same point, better said, becomes a version of the same record."""
    decision = decide(candidate(new, new_body, confidence=0.6), [known(old, old_body, confidence=0.7)])

    assert (Action.UPDATE, WriteMode.REVISE) == (decision.action, decision.how)
    assert decision.revision is not None
    assert new_body in decision.revision.body
    assert 0.7 == decision.revision.confidence


def test_a_revision_loses_nothing():
    """What only the old record said stays in it, and so do its tags."""
    old = known("Use pnpm", "Yarn broke the Windows build in spring.", tags=("windows",))
    new = candidate("Use pnpm", "CI caches its store by lockfile hash.", tags=("ci",))

    revision = decide(new, [old]).revision

    assert revision is not None
    assert "Yarn broke the Windows build in spring.\n\nCI caches its store by lockfile hash." == revision.body
    assert ("windows", "ci") == revision.tags


FACTS = [
    ("Rate limit is 100 requests per minute", "Rate limit is 200 requests per minute", "supersede"),
    ("The staging database is shared", "The staging database is not shared", "supersede"),
    ("Flaky uploads come from the proxy", "Flaky uploads come from the cache", "create"),
    ("Running the linter needs Node", "Running the linter needs Node", "revise"),
]


@pytest.mark.parametrize(("old", "new", "expected"), FACTS)
def test_facts_change_too(old, new, expected):
    """Another number or a denial replaces a fact; another cause is one more cause."""
    assert expected == outcome(decide(candidate(new, kind=Kind.INSIGHT), [known(old, kind=Kind.INSIGHT)]))


def test_a_preference_and_a_decision_are_of_one_kind():
    """Whether an engine calls it decision or preference, the reversal is one."""
    old = known("Prefer tabs in Makefiles", kind=Kind.PREFERENCE)

    assert WriteMode.SUPERSEDE is decide(candidate("Prefer spaces in Makefiles"), [old]).how


def test_the_body_may_say_what_is_replaced():
    """A title that only names the new thing supersedes what its body says it replaces."""
    new = candidate(
        "Search runs on Meilisearch", "Replaces Elasticsearch, which needed too much memory for search runs."
    )

    assert WriteMode.SUPERSEDE is decide(new, [known("Search uses Elasticsearch")]).how


def test_every_record_that_is_contradicted_is_closed():
    """Two records that both say the old thing are both replaced."""
    old = [known("Use npm", id="dec-bbbbbbbbbb"), known("Use npm for installs", id="dec-aaaaaaaaaa")]

    assert {one.id for one in old} == set(decide(candidate("Use pnpm, not npm"), old).targets)


def test_the_same_lines_read_twice_change_nothing():
    """A session that is taken in again, worded a little differently, adds no second record."""
    old = known("Use pnpm for the workspace", "npm broke hoisting.", same_session=True, overlaps=True)
    new = candidate("Workspace packages use pnpm", "Hoisting broke with npm.")

    assert (Action.NO_OP, ("dec-aaaaaaaaaa",)) == (decide(new, [old]).action, decide(new, [old]).targets)


def test_two_rulings_of_one_turn_are_two():
    """That two candidates cite one line does not make them one."""
    old = known("Pin actions to commit SHAs", same_session=True, overlaps=True)

    assert Action.ADD is decide(candidate("Wrap no long lines in docs"), [old]).action


def test_a_session_does_not_confirm_itself():
    """Saying it twice in one session is no independent word."""
    old = known("Use pnpm, not npm", same_session=True, confidence=0.5)

    assert Action.NO_OP is decide(candidate("Use pnpm instead of npm"), [old]).action


def test_a_session_that_grew_may_take_back_its_own_word():
    """Later lines of the same session supersede what the earlier ones said."""
    old = known("Use Redis for the job queue", same_session=True)

    assert WriteMode.SUPERSEDE is decide(candidate("Use RabbitMQ for the job queue"), [old]).how


def test_what_is_sure_stays_as_it_is():
    """Confidence grows with each session until nothing is gained by it."""
    confidences = [0.5]
    for _ in range(20):
        decision = decide(candidate("Use pnpm"), [known("Use pnpm", confidence=confidences[-1])])
        if decision.action is Action.NO_OP:
            break
        confidences.append(decision.revision.confidence)

    assert Action.NO_OP is decision.action
    assert sorted(set(confidences)) == confidences
    assert 0.95 <= confidences[-1] <= 1


def is_evidence_alone(decision, record):
    """Whether a record stays to the letter, and only rests on more."""
    said = Revision(record.title, record.body, record.confidence, record.tags)
    return decision.action is Action.NO_OP and decision.revision == said


@pytest.mark.parametrize(
    ("title", "body", "trust", "expected"),
    [
        ("Use pnpm", "", Trust.USER, "revise"),
        ("Use npm", "It caches its store by lockfile hash and is on every runner.", Trust.USER, "review"),
        ("Use npm", "It caches its store by lockfile hash and is on every runner.", Trust.AGENT, "no_op"),
        ("Use pnpm, not npm", "", Trust.AGENT, "review"),
        ("Use pnpm, not npm", "", Trust.USER, "supersede"),
        ("Release on Tuesdays", "", Trust.AGENT, "create"),
    ],
)
def test_what_a_person_wrote_only_the_user_can_replace(title, body, trust, expected):
    """A record made by hand is not reworded, and closed only by the user's own contradiction."""
    by_hand = known(
        "Use npm" if "npm" in title and title != "Use pnpm" else "Use pnpm", source="manual", confidence=0.5
    )

    decision = decide(candidate(title, body, trust=trust), [by_hand])

    assert expected == outcome(decision)
    assert ("person wrote" in decision.reason) == (expected in ("no_op", "review", "revise"))
    assert expected != "revise" or is_evidence_alone(decision, by_hand)


def test_the_agents_words_do_not_overrule_the_users():
    """What the agent says closes nothing that rests on the user's words; a person decides which of them holds."""
    agents = candidate("Use pnpm, not npm", trust=Trust.AGENT)
    fact = candidate("Rate limit is 200 requests", kind=Kind.INSIGHT, trust=Trust.AGENT)
    users, own = known("Use npm"), known("Use npm", trust=Trust.AGENT)

    decision = decide(agents, [users])

    assert (Action.REVIEW, (users.id,)) == (decision.action, decision.targets)
    assert "“Use npm”" in decision.reason
    assert WriteMode.SUPERSEDE is decide(agents, [own]).how
    assert Action.REVIEW is decide(fact, [known("Rate limit is 100 requests", kind=Kind.INSIGHT)]).action


def test_a_contradiction_that_the_second_reader_does_not_believe_closes_nothing():
    """It hears the later text first, whichever of the two is known."""
    old, new = known("Use npm"), candidate("Use pnpm instead of npm")
    heard: list[str] = []

    def is_believed(later: tuple[str, str], earlier: tuple[str, str], judgment: Judgment) -> bool:
        heard.append(later[0])
        return False

    assert Action.ADD is decide(new, [old], is_believed=is_believed).action
    decide(new, [replace(old, said_later=True)], is_believed=is_believed)

    assert {"Use pnpm instead of npm", "Use npm"} >= {*heard}
    assert "Use pnpm instead of npm" == heard[0]


def test_what_may_contradict_is_left_for_a_person():
    """Refresh tokens may be the tokens that were meant before, or others."""
    old = known("Tokens expire after 15 minutes")

    decision = decide(candidate("Refresh tokens expire after 30 days"), [old])

    assert (Action.REVIEW, None, (old.id,)) == (decision.action, decision.how, decision.targets)
    assert "nobody can tell" in decision.reason


def test_summaries_are_no_rivals():
    """What a session's summary tells is not knowledge that a candidate could repeat."""
    summary = replace(known("Use pnpm"), primitive=Primitive.SUMMARY)

    assert Action.ADD is decide(candidate("Use pnpm"), [summary]).action


def test_a_lower_confidence_of_the_known_alone_is_no_reason_to_rewrite():
    """A candidate that says less never replaces the words of a record."""
    old = known("Use pnpm", "CI caches its store by lockfile hash.", confidence=0.3)

    revision = decide(candidate("Use pnpm", confidence=0.9), [old]).revision

    assert revision is not None
    assert (old.title, old.body) == (revision.title, revision.body)


def test_candidates_that_say_the_opposite_are_not_alike():
    """A session's own reversal is never taken for a repetition."""
    assert not are_alike(candidate("Commit generated files"), candidate("Never commit generated files"), 0.0)
    assert not are_alike(candidate("Use Node 18"), candidate("Use Node 20"), 0.0)
    assert are_alike(candidate("Use Node 20"), candidate("Use node 20"), 1.0)


TITLES = sorted({title for pair in (*REVERSALS, *SAME, *OTHERS) for title in pair})
KNOWN = st.builds(
    known,
    st.sampled_from(TITLES),
    st.sampled_from(["", "Because CI is slow.", "Agreed in the review."]),
    source=st.sampled_from(["sync", "manual"]),
    confidence=st.sampled_from([0.4, 0.8, 0.97]),
    same_session=st.booleans(),
    overlaps=st.booleans(),
)
KNOWNS = st.lists(KNOWN, max_size=6).map(
    lambda found: [replace(one, id=RecordId(f"dec-{'abcdefgh'[i] * 10}")) for i, one in enumerate(found)]
)
CANDIDATES = st.builds(candidate, st.sampled_from(TITLES), trust=st.sampled_from([Trust.USER, Trust.AGENT]))


@given(CANDIDATES, KNOWNS, st.randoms())
def test_the_order_of_what_is_known_does_not_matter(new, old, random):
    """The same candidate beside the same records gives the same decision."""
    shuffled = list(old)
    random.shuffle(shuffled)

    assert decide(new, old) == decide(new, shuffled)


@given(CANDIDATES, KNOWNS)
def test_only_records_that_were_given_are_touched(new, old):
    """Targets are known, each once; what is added has none, and what is closed or changed has."""
    decision = decide(new, old)

    assert set(decision.targets) <= {one.id for one in old}
    assert len(set(decision.targets)) == len(decision.targets)
    assert (decision.action is Action.ADD) == (not decision.targets)
    assert (decision.how is WriteMode.REVISE) == (decision.revision is not None)
    assert decision.reason


@given(CANDIDATES, KNOWNS)
def test_a_persons_record_is_never_revised(new, old):
    """Only the user's own words close what a person wrote; nothing rewords it."""
    decision = decide(new, old)
    by_hand = [one for one in old if one.source == "manual" and one.id in decision.targets]

    is_the_users = decision.how is WriteMode.SUPERSEDE and new.trust is Trust.USER
    assert all(decision.how is None or is_the_users or is_evidence_alone(decision, one) for one in by_hand)


@given(st.text(max_size=60).filter(lambda text: text.strip()), st.text(max_size=200), KNOWNS)
def test_an_identical_candidate_is_never_added(title, body, others):
    """Whatever the text, a record that says exactly this is found."""
    same = known(title, body, id="dec-zzzzzzzzzz", confidence=0.97)

    assert Action.ADD is not decide(candidate(title, body), [*others, same]).action
    assert Action.NO_OP is decide(candidate(title, body), [same]).action


# --- the order in which sessions are read ---------------------------------------------------------------------------


@dataclass
class _Kept:
    """A record in a memory as small as can be."""

    id: str
    title: str
    trust: Trust
    last_said: tuple[int, str]
    holds: bool = True


@dataclass(frozen=True)
class _Session:
    """One session that says one thing on one day."""

    name: str
    day: int
    title: str
    trust: Trust = Trust.USER

    @property
    def said(self) -> tuple[int, str]:
        return self.day, self.name


def _remembered(sessions: Sequence[_Session]) -> list[_Kept]:
    """What is kept after the sessions were read in this order."""
    memory: dict[str, _Kept] = {}
    for session in sessions:
        candidate = Candidate("c1", DECISION, session.title, session.title, (), trust=session.trust)
        near = [
            KnownRecord(
                kept.id,  # type: ignore[arg-type]
                DECISION,
                kept.title,
                kept.title,
                trust=kept.trust,
                said_later=kept.last_said > session.said,
                holds=kept.holds,
            )
            for kept in memory.values()
            if kept.holds or kept.last_said > session.said
        ]
        _apply(decide(candidate, near), session, memory)
    return list(memory.values())


def _apply(decision: Decision, session: _Session, memory: dict[str, _Kept]) -> None:
    if decision.how is WriteMode.REVISE:
        kept = memory[decision.targets[0]]
        # An agent that repeats the user's word does not make it the user's last one.
        kept.last_said = max(kept.last_said, session.said) if session.trust is kept.trust else kept.last_said
    elif decision.how is not None:
        for target in decision.targets:
            memory[target].holds = False
        holds = decision.how is not WriteMode.HISTORY
        memory[session.name] = _Kept(session.name, session.title, session.trust, session.said, holds)


def _truths(sessions: Sequence[_Session]) -> set[tuple[str, str]]:
    return {_STATEMENTS[kept.title] for kept in _remembered(sessions) if kept.holds}


#: What sessions say, and what each says of what.
_STATEMENTS = {
    "Use npm for packages": ("packages", "npm"),
    "Use pnpm for packages": ("packages", "pnpm"),
    "Use yarn for packages": ("packages", "yarn"),
    "Use pnpm instead of npm for packages": ("packages", "pnpm"),
    "Set the timeout to 30 s": ("timeout", "30"),
    "Set the timeout to 60 s": ("timeout", "60"),
    "Commit generated files": ("generated", "yes"),
    "Do not commit generated files": ("generated", "no"),
}


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_whatever_order_sessions_are_read_in_the_same_truth_holds(data):
    """A January session that is read after June's does not overrule it, nor what June has overruled."""
    said = data.draw(st.lists(st.sampled_from(sorted(_STATEMENTS)), min_size=2, max_size=6))
    days = data.draw(st.lists(st.integers(1, 4), min_size=len(said), max_size=len(said)))
    sessions = [_Session(f"s{n}", day, title) for n, (title, day) in enumerate(zip(said, days, strict=True))]
    shuffled = data.draw(st.permutations(sessions))

    assert _truths(sorted(sessions, key=lambda session: session.said)) == _truths(shuffled)


def _expected(sessions: Sequence[_Session]) -> set[tuple[str, str]]:
    """Of each subject what was said last by whom it counts most."""
    weighed = sorted(sessions, key=lambda session: (session.trust is Trust.USER, session.said))
    return {*dict(_STATEMENTS[session.title] for session in weighed).items()}


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_whatever_was_said_by_whom_in_whatever_order_the_truth_holds(data):
    """The user's last word on each thing, or the agent's where the user said none: no more, and nothing less."""
    said = data.draw(st.lists(st.sampled_from(sorted(_STATEMENTS)), min_size=1, max_size=7))
    days = data.draw(st.lists(st.integers(1, 9), min_size=len(said), max_size=len(said)))
    trusts = data.draw(st.lists(st.sampled_from([Trust.USER, Trust.AGENT]), min_size=len(said), max_size=len(said)))
    sessions = [_Session(f"s{n}", *one) for n, one in enumerate(zip(days, said, trusts, strict=True))]
    shuffled = data.draw(st.permutations(sessions))

    assert _expected(sessions) == _truths(shuffled)


def test_what_was_said_before_is_kept_as_history_of_what_holds():
    """Nothing is lost: the earlier word stands there as replaced by the later one."""
    june = known("Use pnpm for packages", id="dec-june", said_later=True)
    january = candidate("Use npm for packages")

    decision = decide(january, [june])

    assert (Action.NO_OP, WriteMode.HISTORY, "dec-june") == (decision.action, decision.how, decision.replaced_by)
    assert "said before" in decision.reason


def test_an_agents_later_word_does_not_make_the_users_history():
    """Whose word it is counts before when it was said."""
    later = known("Use pnpm for packages", id="dec-june", trust=Trust.AGENT, said_later=True)

    decision = decide(candidate("Use npm for packages"), [later])

    assert (WriteMode.SUPERSEDE, ("dec-june",)) == (decision.how, decision.targets)


def test_earlier_words_that_say_more_do_not_lead():
    """What was said later keeps its title; the details are not lost."""
    later = known("Keep sessions in Redis", "Sessions live in Redis.", id="dec-june", said_later=True)
    earlier = candidate("Keep sessions in Redis", "Redis expires idle sessions after twenty minutes without a request.")

    revision = decide(earlier, [later]).revision

    assert revision is not None
    assert ("Keep sessions in Redis", True) == (revision.title, revision.body.endswith("Sessions live in Redis."))
    assert "twenty minutes" in revision.body


# -- what is read late


DAYS = [datetime(2026, 3, day, tzinfo=UTC) for day in range(1, 10)]
WRK, LOCUST = RecordId("dec-wwwwwwwwww"), RecordId("dec-llllllllll")
TURN = "Scrap Locust for load tests and use wrk"


def test_what_a_turn_gives_up_is_closed_even_when_what_it_takes_up_is_known():
    """By the record it repeats, which says so from now on: what says the old thing later is told by it."""
    repeated = known("Use wrk for load tests", "It is quick.", id=WRK, said_later=True, said=DAYS[5])
    ended = known("Use Locust for load tests", id=LOCUST, said=DAYS[1])
    found = decide(candidate(TURN), [repeated, ended])

    assert (Action.UPDATE, WriteMode.REVISE, (WRK, LOCUST)) == (found.action, found.how, found.targets)
    assert found.revision is not None
    assert f"{TURN}.\n\nIt is quick." == found.revision.body

    since = known("Use wrk for load tests", found.revision.body, id=WRK, said_later=True, said=DAYS[5])
    late = decide(candidate("Locust does load tests"), [since])
    assert (WriteMode.HISTORY, WRK) == (late.how, late.replaced_by)


def test_what_says_the_same_as_overruled_words_and_was_said_before_is_closed_with_them():
    """It was read first, and nothing told then that it was the same matter."""
    turn = known("From today wrk instead of Locust for load tests", id=WRK, said_later=True, said=DAYS[5])
    same = known("Locust for load tests, behind our own wrapper", id=LOCUST, said=DAYS[1])
    found = decide(candidate("Use Locust for load tests"), [turn, same])

    assert (WriteMode.HISTORY, WRK, (LOCUST,)) == (found.how, found.replaced_by, found.targets)
    again = replace(same, said=DAYS[7], said_later=True)
    kept = decide(candidate("Use Locust for load tests"), [turn, again])
    assert (WriteMode.REVISE, (LOCUST,)) == (kept.how, kept.targets), "it was said again after the turn"


def test_what_held_when_it_was_said_and_was_replaced_since_is_not_added():
    gone = known("Use Locust for load tests", id=LOCUST, holds=False, replaced_since=True, said=DAYS[1])
    found = decide(candidate("Locust does load tests"), [gone])

    assert (Action.NO_OP, None, (LOCUST,)) == (found.action, found.how, found.targets)


def test_the_users_word_does_not_wait_for_an_agents():
    """What may contradict it is only what an agent said."""
    doubt = known("Tokens expire after 15 minutes", trust=Trust.AGENT)
    new = candidate("Refresh tokens expire after 30 days")

    assert "create" == outcome(decide(new, [doubt]))
    assert Action.REVIEW is decide(new, [replace(doubt, trust=Trust.USER)]).action


def test_what_is_decided_on_a_branch_that_is_not_merged_closes_nothing():
    found = decide(candidate(TURN), [known("Use Locust for load tests", id=LOCUST)], unmerged="bench")

    assert ("create", ()) == (outcome(found), found.targets)
    assert "branch bench" in found.reason


def test_what_was_said_in_fewer_words_before_is_history_in_its_own_words():
    """The later words were not said then: who asks for that day hears what was."""
    more = "Always retry failed loads three times with exponential backoff, starting at 30 seconds"
    september = known(more, id="dec-september", said_later=True)

    decision = decide(candidate("Always retry failed loads three times"), [september])

    assert (WriteMode.HISTORY, "dec-september", ()) == (decision.how, decision.replaced_by, decision.targets)


@pytest.mark.parametrize(
    ("title", "record", "is_against"),
    [
        ("Superset dashboards must always use a certified dataset", "Dashboards are built in Superset", False),
        ("Use Metabase for dashboards, no longer Superset", "Dashboards are built in Superset", True),
    ],
)
def test_only_what_cannot_hold_together_stands_against_each_other(title, record, is_against):
    held = Draft(DECISION, record).record(datetime(2026, 1, 1, tzinfo=UTC))

    assert is_against is (opposition(candidate(title), held, is_later=True) is not None)
