"""What programs print is told from what people type, though nobody marks it."""

from __future__ import annotations

import time

import pytest

from lerim.ingest.own_words import own_text

SLURM = """JobID           JobName      State ExitCode
------------ ---------- ---------- --------
77120            resize  OUT_OF_ME+    0:125
77120.bat+        batch  OUT_OF_ME+    0:125
Some of the step tasks have been OOM Killed."""
SQUEEZED = """JOBID PARTITION NAME ST TIME NODES
881 gpu resize R 1:02:11 2
882 cpu collect PD 0:00 1"""
PODS = """NAME                     READY   STATUS             RESTARTS   AGE
mailer-6c5b-x2f          0/1     CrashLoopBackOff   11         40m
web-7d9f-kk1             1/1     Running            0          2d"""
DISKS = """Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  468G  468G     0 100% /
tmpfs            16G     0   16G   0% /dev/shm"""
ROWS = """ id | plan  | seats
----+-------+-------
  1 | free  |     1
  2 | team  |    12
(2 rows)"""
PLAN = """ Seq Scan on visits  (cost=0.00..9112.00 rows=4 width=88) (actual time=88.1..90.2 rows=4 loops=1)
   Filter: (clinic = 7)
 Execution Time: 91.020 ms"""
TESTS = """FAILED tests/test_tide.py::test_ebb - AssertionError: assert 3 == 4
FAILED tests/test_tide.py::test_flow - KeyError: 'harbour'
2 failed, 40 passed in 6.11s"""
GO = """--- FAIL: TestTide (0.02s)
    tide_test.go:31: got 3, want 4
FAIL
ok  	example.org/harbour/quay	0.311s"""
COMPILER = """src/pump.c: In function 'pump_start':
src/pump.c:31:5: warning: unused variable 'flow'
   31 |     int flow;
      |         ^~~~
cc1: all warnings being treated as errors
make: *** [Makefile:12: pump.o] Error 1"""
RUST = """error[E0382]: borrow of moved value: `valve`
  --> src/main.rs:14:9
   |
14 |     open(valve);
   |          ^^^^^ value borrowed here after move
help: you must always clone the value first"""
LATEX = """! Undefined control sequence.
l.88 \\citeauthr
Overfull \\hbox (12.3pt too wide) in paragraph at lines 90--94"""
OVERLAY = """## Error Type
Console Error

## Error Message
Two rows have the same key. Keys should be unique so that rows keep their identity.


    at Table (src/Table.tsx:30:11)

Next.js version: 15.5.4 (Turbopack)"""
BROWSER = """Failed to load resource: the server responded with a status of 404 ()Understand this error
table-B4Gmx8Kt.js:93 [table] rows: 3
load @ table-B4Gmx8Kt.js:88"""
POWERSHELL = """At line:1 char:1
+ Get-ChildItem ..\\ui
+ ~~~~~~~~~~~~~~~~~~~~
    + CategoryInfo          : ObjectNotFound: (C:\\ui:String) [Get-ChildItem]"""
DEBUGGER = """#0  0x00005555555551a9 in mix (v=0x0) at mixer.c:44
#1  0x0000555555555210 in main () at main.c:12"""
TRAINING = """Epoch 3/10
781/781 [==============================] - 12s 15ms/step - loss: 0.4121"""
DOCKER = """Step 4/9 : RUN make
 ---> Running in 0a1b2c3d4e5f
make: *** No targets specified and no makefile found.  Stop."""

PRINTED = {
    name: text
    for name, text in globals().items()
    if name.isupper() and isinstance(text, str) and name not in {"PRINTED", "TYPED"}
}
TYPED = (
    "make: never call it without -j1 here",
    "npm: always with --ignore-scripts",
    "ok plan.md looks good. execute",
    "test 3 fails on windows, skip it there",
    "3 errors in the log are fine, ignore them from now on",
    "required from every module:\n- a readme\n- an owner",
    "src/pump.c:31: this must be const, everywhere",
    "dev has 1 gb, staging 2 gb, prod 8 gb\nnever go below that",
    "- tables: snake_case\n- keys: uuid\n- src/shared (no imports from app)",
    "Old style.  Two blanks after a stop.  Always.\nThe second line.  Is set.  The same.",
    "we measured it: 20 ms before, 3 ms after\nso the cache stays",
)


@pytest.mark.parametrize("name", sorted(PRINTED))
@pytest.mark.parametrize("said", ["why did it stop", "Can you look into this?"])
def test_what_a_program_printed_is_nobodys_words(name, said):
    """Tables, results of tests, plans of queries and complaints, with no fence around them."""
    assert said == own_text(f"{said}\n\n{PRINTED[name]}", quotes=True).strip()


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_what_is_typed_right_below_it_is_the_users(name):
    last = "keep the mailer in any case, we need it for the audit"

    assert last == own_text(f"{PRINTED[name]}\n{last}", quotes=True).strip()


@pytest.mark.parametrize("said", ["CI says", "why is that red?", "output of the job:"])
def test_what_is_typed_after_a_gap_is_the_users_whatever_leads_the_output_in(said):
    last = "we round per line and not at the end, the test is wrong"

    assert own_text(f"{said}\n\nRun pnpm test\n{TESTS}\n\n{last}", quotes=True).endswith(last)


@pytest.mark.parametrize("text", TYPED)
def test_what_only_looks_like_it_is_the_users(text):
    """People type figures, paths and names of programs."""
    assert text == own_text(text, quotes=True)


@pytest.mark.parametrize(
    "text", ["a  b  c\n" * 20_000, "| " * 30_000, "1 a/b C D\n" * 20_000, "-- " * 30_000, "= " * 30_000]
)
def test_a_table_made_to_be_slow_is_read_in_linear_time(text):
    began = time.process_time()

    own_text(text, quotes=True)

    assert time.process_time() - began < 5


PYTEST = """..F...............F............... [100%]
=================================== FAILURES ===================================
___________________________ test_a_shop_is_made ____________________________

tmp_path = PosixPath('/tmp/pytest-0/test_a_shop_is_made0')

    def test_a_shop_is_made(tmp_path: Path):
>       code = run_main(["shop", "init", str(tmp_path / "ws")])

tests/test_cli.py:33: AssertionError

root = '/tmp/pytest-0/ws'
with_examples = False

    # Never make examples unless they are asked for.
    init = getattr(module, "init_shop")

E   AttributeError: module 'shop' has no attribute 'init_shop'
=========================== short test summary info ============================
FAILED tests/test_cli.py::test_a_shop_is_made - AttributeError
1 failed, 33 passed in 2.31s"""
GIT_LOG = """commit b8d967c2ee622382109c8b03d4defc6a09e0c863 (origin/main)
Author: Ada Byron <ada@shop.example>
Date:   Wed Feb 11 15:52:29 2026 +0100

    Always sync the metadata branch

    This branch stores what was sold.

commit 5b5815c218ff8017487bd647d4dde351beacf6de
Author: Ada Byron <ada@shop.example>
Date:   Wed Feb 11 15:40:02 2026 +0100"""


@pytest.mark.parametrize("shown", [PYTEST, GIT_LOG], ids=["pytest", "git log"])
def test_code_and_sentences_among_what_a_program_printed_are_nobodys(shown):
    """A failing test shows its code, and a log what somebody had written long ago."""
    assert "look at this" == own_text(f"look at this\n\n{shown}", quotes=True).strip()


def test_what_somebody_types_among_what_a_program_printed_is_theirs():
    said = "that one is fine, we never make examples"
    shown = PYTEST.replace("root = '/tmp/pytest-0/ws'", f"{said}\n\nroot = '/tmp/pytest-0/ws'")

    assert said in own_text(shown, quotes=True)


@pytest.mark.parametrize("said", ["30s", "200ms", "the timeout stays at\n30s"])
def test_a_duration_alone_is_an_answer(said):
    assert said == own_text(said, quotes=True)
