"""The same memories asked in other words, as a check on what is tuned with the other questions.

Written before any of their answers was read. Only their figure is looked at: a rule that lifts the others and not
these has learned the questions, not how to answer.
"""

# fmt: off
# One question a line: it is read as a table.

from __future__ import annotations

from answer_corpus import Asked
from answer_examples import Probe


def _a(question: str, *answers: str) -> Asked:
    return Asked(question, answers)


def _p(question: str, *says: str, never: str = "") -> Probe:
    return Probe(question, says, tuple(filter(None, never.split("|"))))


FRESH_ANSWERABLE = (
    _a("what database are orders in?", "dec-orderspg"),
    _a("How do we page through long result lists?", "dec-cursor"),
    _a("what should I use for primary keys in a new table", "dec-uuidseven"),
    _a("do prepared statements work with pgbouncer?", "lrn-prepstmt"),
    _a("How far behind can the replica be?", "lrn-replag"),
    _a("Where are feature flags stored?", "dec-flags"),
    _a("which queue do jobs go through now", "dec-natsjs"),
    _a("How many times is a failing job tried before it is parked?", "dec-dlq"),
    _a("How are webhooks signed?", "dec-webhooksign"),
    _a("For how long do we keep retrying webhooks?", "dec-webhookretry"),
    _a("what's the request limit per shop", "dec-ratelimit"),
    _a("Why can't we revoke JWTs, and what did we do about it?", "dec-apikeys"),
    _a("When are invoices created?", "dec-invoicemonthly"),
    _a("How are database backups done?", "dec-backups"),
    _a("When do people hand over on-call?", "dec-oncallweek"),
    _a("Can we deploy on Saturday?", "dec-deploywindow"),
    _a("What share of traffic does a canary get?", "dec-canary"),
    _a("which tool tests load", "dec-loadk6"),
    _a("why do we keep the rate engine in python", "dec-pyrates"),
    _a("How do I roll back a deployment?", "lrn-rollback"),
    _a("Who reviews changes to adapters?", "dec-codeowners"),
    _a("What GOMEMLIMIT should services have?", "lrn-oom"),
    _a("How is VAT rounded?", "lrn-vatround"),
    _a("why did we pick bunny over cloudfront", "dec-cdn"),
    _a("What do we use to check addresses?", "dec-addressval"),
    _a("when did we switch to OpenTofu?", "dec-tofu"),
)

FRESH_UNANSWERABLE = tuple(
    Asked(question)
    for question in (
        "Which region is the S3 bucket in?",
        "How many people are in the carrier team?",
        "What is the timeout of a database query?",
        "Which feature flag turns on the new checkout?",
        "Who is Henrik's manager?",
        "How do we import historic orders from Shopware?",
        "What does a Keycloak licence cost us?",
        "Which editor does the team use?",
        "How often do we upgrade Kubernetes?",
        "Where is the ledger's source code reviewed?",
        "How are gift cards redeemed?",
        "What is the phone number of the support desk?",
    )
)

FRESH_PROBES = (
    _p("what do we use for background jobs now?", "procrastinate"),
    _p("is redis still needed", "redis goes out|out of the compose"),
    _p("why procrastinate instead of celery", "200 jobs|outages|same transaction|committed together"),
    _p("in which database do queued jobs live?", "postgres"),
    _p("which pull request moved the queue to postgres", "41"),
    _p("what was the bug with berth 14", "check|lock|overlap|double booking"),
    _p("what file is the overlap migration in", "0012"),
    _p("where do constraints like no double booking belong?", "database|constraint"),
    _p("are mocks ok for the store", "real postgres|don't mock|not mock"),
    _p("which test framework do we use", "pytest"),
    _p("from which night on is there a discount", "seventh"),
    _p("what timezone are dates saved in?", "utc"),
    _p("only where may we convert to the marina's zone", "api"),
    _p("one big commit or several?", "small|separate"),
    _p("how fast is POST /bookings now", "90"),
    _p("what still needs to be done before the overlap migration runs in production", "by hand|sorted out"),
    _p("which files did the queue change touch", "tasks.py"),
    _p("which message bus do we use"),
    _p("how do users log in"),
    _p("what's our branch naming rule"),
    _p("who pays for the berths"),
    _p("which css framework is used"),
)
