"""Questions to the memory of the example sessions, as a developer types them: short, sloppy, some with no answer.

Each says what a good answer must contain and must not, or that there is none. They were written from the sessions,
before any answer was read.
"""

# fmt: off
# One question a line: it is read as a table.

from __future__ import annotations

from typing import NamedTuple


class Probe(NamedTuple):
    """A question, what its answer must say (`a|b`: one of them) and must not. Neither: there is no answer."""

    question: str
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()

    def is_good(self, text: str, *, supported: bool) -> bool:
        told = " ".join(text.lower().split())
        if not self.says:
            return not supported
        said = all(any(one in told for one in wanted.lower().split("|")) for wanted in self.says)
        return supported and said and not any(one.lower() in told for one in self.never)


def _p(question: str, *says: str, never: str = "") -> Probe:
    return Probe(question, says, tuple(filter(None, never.split("|"))))


PROBES = (
    # The queue, chosen and replaced.
    _p("which job queue do we use?", "procrastinate", never="use Celery with Redis then"),
    _p("do we still use celery?", "procrastinate|drop celery"),
    _p("why did we drop celery", "200 jobs|outages|same transaction"),
    _p("what replaced redis", "procrastinate|postgres"),
    _p("is it still true that we need redis in compose", "redis goes out|out of the compose"),
    _p("when did we get rid of celery?", "celery", "2026-06-14"),
    _p("where are background jobs stored", "postgres"),
    _p("how many jobs a day do we have", "200"),
    _p("what's the PR for the queue change", "41"),
    _p("which PRs were opened?", "41"),
    _p("how are confirmation mails sent", "procrastinate|queue"),
    _p("how often is a failed mail retried?", "five|5"),
    _p("should i add celery tasks for the reminder mails?", "procrastinate|drop celery"),
    _p("what happend to redis", "redis goes out|out of the compose|redis are gone|redis is gone"),
    _p("who said to drop celery", "celery"),
    # Bookings
    _p("how did the double booking happen?", "check"),
    _p("whats the root cause of the double bookings", "check|without a lock|both"),
    _p("how do we prevent overlapping bookings", "constraint"),
    _p("where should invariants be enforced?", "database|constraint", never="celery"),
    _p("do we check invariants in python or in the db", "constraint|database"),
    _p("which migration adds the exclusion constraint", "0012"),
    _p("what extension does the no overlap constraint need", "btree_gist"),
    # Tests
    _p("how should i write tests here", "pytest"),
    _p("can I use unittest.TestCase?", "pytest|no unittest"),
    _p("do we mock the database in tests", "real postgres|don't mock|not mock"),
    _p("why not mock the store?", "mocked ones passed|broken|query"),
    _p("pytest or unittest?", "pytest"),
    _p("how do i run the tests", "pytest"),
    _p("what do tests need running", "postgres"),
    _p("what did the mocked tests miss", "discount|query|rules"),
    _p("when does the weekly discount start", "seventh"),
    # Times
    _p("which time zone do we store times in", "utc"),
    _p("Where do we convert to local time?", "api layer"),
    _p("why was CI red", "time zone|utc|nights"),
    _p("why did test_calendar fail on CI but not locally", "time zone|utc|lisbon"),
    _p("are times stored in local time?", "utc"),
    _p("why UTC", "comes back|otherwise|next date function"),
    # Ways of working
    _p("how big should commits be", "small"),
    _p("should tests and fixes be in one commit?", "separate"),
    _p("what are the user's preferences", "pytest", "postgres"),
    # The past, by when it was said.
    _p("what did we decide in june", "procrastinate", "utc"),
    _p("what did we decide before june"),
    _p("what did we work on last?", "nights in utc"),
    _p("what happened on june 14", "procrastinate|queue"),
    _p("what's left to do", "reports.py|helpers|local time|ci is running"),
    _p("was dt.py renamed", "dates.py"),
    _p("what changed about the queue", "procrastinate|queue"),
    _p("list all decisions", "procrastinate", "utc"),
    _p("how many decisions do we have?", "decisions"),
    # No answer
    _p("which date library do we use?"),
    _p("which frontend framework do we use"),
    _p("what is our password policy"),
    _p("how do we deploy to kubernetes"),
    _p("who is on call this week"),
    _p("do we use kafka?"),
    _p("which python version do we support"),
    _p("why did we choose mongodb"),
    _p("whats the rate limit of the api"),
    _p("how are invoices generated"),
    _p("which license is this under"),
)
