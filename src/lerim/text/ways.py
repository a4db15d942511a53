"""Two ways of one thing of which only one is so at a time: on the client or the server, at once or later. Data.

Names of tools and formats are kinds (`kinds.py`). These are everyday words, and each may stand in a sentence about
something else: whoever asks knows that both sentences are of one matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

# One pair of ways in a line; two words that are one name are joined by a plus sign.
_WAY_WORDS = """
client client-side browser frontend / server server-side backend
device phone on-device local locally / cloud upload uploaded server remote remotely
synchronous synchronously sync inline in-request / asynchronous asynchronously async queue queued worker background
eager eagerly upfront startup precompute precomputed precompile ahead / lazy lazily on-demand on+demand first+view
  first+use first+access
immediately instantly directly once / batch batched collected queued later nightly digest delay delayed hold grace
real-time realtime live streaming stream streamed / batch nightly daily hourly polling polled poll
cached cache / uncached each+request every+request recomputed
hidden hide invisible / visible shown show displayed display
opt-in / opt-out default
optional voluntary / mandatory required obligatory compulsory
manual manually hand hand-written handwritten / automatic automatically automated auto generated generates script bot
exact exactly pinned pin fixed locked / range ranges caret compatible latest floating
committed checked-in versioned tracked vendored / ignored gitignored gitignore not+in+git downloaded generated
read-only readonly read / write writes writable edit
shared common single central one / own separate dedicated individual each
rounded / truncated
comma commas comma-separated / semicolon semicolons tab tabs tab-separated
block blocks blocking fail fails / warn warns warning warnings advisory
gpu gpus / cpu cpus
in-house internal internally own ourselves / external externally vendor outsourced agency contractor third-party
open unlocked / locked closed fused sealed
plain plaintext unencrypted cleartext / encrypted encrypts encryption
permanent permanently forever indefinitely / deleted purged expire expires temporary
hard+delete hard-deleted deleted+permanently / soft+delete soft-deleted archived restorable
public publicly anyone / private internal restricted members
anonymous anonymously guest guests / account accounts login signed-in registered
top above / bottom below
ascending oldest / descending newest
inline next+to / toast modal popup dialog banner
modal dialog popup / page drawer panel
portrait / landscape
dark / light
online online+only connected / offline disconnected
weekly week / daily nightly night biweekly fortnightly monthly
monthly month / daily yearly annually quarterly biweekly
hourly / daily nightly weekly
static / dynamic dynamically
stateful / stateless
wired cable cabled / wireless
user users individual / team teams organisation organization
email mail e-mail mailbox / phone portal form program chat ticket tickets sms
password passwords / passwordless magic+link passkey passkeys link sso
paper printed print / digital electronic pdf app online
remote remotely home / office on-site onsite
solo individually / pair pairs pairing mob
full complete whole / incremental incrementally partial delta
vertical vertically / horizontal horizontally
push pushed / pull pulled poll polling
strict strictly / lenient relaxed loose loosely
uncompressed raw / compressed compress gzipped
lossless / lossy
physical real / virtual emulator emulators simulated simulator
unique / duplicate duplicates
gross / net
with+vat include includes including inclusive / without+vat exclude excludes excluding exclusive
british / american
"""
_BREAK = "/"


_WAYS = tuple(
    tuple(frozenset(side.split()) for side in line.split(f" {_BREAK} "))
    for line in _WAY_WORDS.replace("\n  ", " ").strip().splitlines()
)


def other_way(later: Sequence[str], earlier: Sequence[str]) -> tuple[str, str] | None:
    """The way that the later line tells, and the other one that the earlier line tells; None where either tells both,
    or none."""
    new, old = (frozenset((*line, *(f"{one}+{two}" for one, two in pairwise(line)))) for line in (later, earlier))
    for one, two in _WAYS:
        for mine, theirs in ((one, two), (two, one)):
            said, was = new & mine, old & theirs
            if said and was and new.isdisjoint(theirs) and old.isdisjoint(mine):
                return _told(said), _told(was)
    return None


def _told(names: frozenset[str]) -> str:
    return min(names).replace("+", " ")
