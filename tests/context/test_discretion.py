"""What a memory file keeps to itself: the exchange, the machine, the person; and what people are shown of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lerim.context.discretion import (
    PASSAGE_WORDS,
    RevealKind,
    discreet,
    discreet_record,
    discreet_tags,
    passages,
    revealed,
)
from lerim.context.memory import Memory
from lerim.context.records import Draft, Evidence, Primitive, Trust, utc_now
from lerim.context.share_check import Revelation, Sharing, names_here, take_out, would_reveal

# Put together, so that no file of this repository names somebody's home.
MAC = "/" + "Users"
TALK = "Use pnpm.\n\nWhy: It is faster.\n\nAgent: Done, you are right.\n\nIn reply to: Which one do you want?"


def kinds(text: str, *names: str) -> set[str]:
    return {span.kind for span in revealed(text, names)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TALK, "Use pnpm.\n\nWhy: It is faster."),
        ("Use pnpm.\n\n**User:** yes please", "Use pnpm."),
        ("In reply to: all there is", "all there is"),
        ("See /home/ada/work/shop/src/cart.py, line 3.", "See …/src/cart.py, line 3."),
        ("See /home/ada/shop.", "See ~/shop."),
        (f"It is in '{MAC}/ada/Library/Mobile Documents/x'", "It is in '~/Library/Mobile Documents/x'"),
        (r"Error: c:\Users\ada\code\app\src\page.ts is missing", "Error: …/src/page.ts is missing"),
        ("The branch is at `/tmp/auth-check` now.", "The branch is at `…/auth-check` now."),
        ("this one'/var/folders/sr/6t/T/Shot.png' there", "this one'…/Shot.png' there"),
        (f"file://{MAC}/ada/x/y/z.md", "…/y/z.md"),
        ("(.venv) ada@box:~/projects/shop$ make test", "(.venv) $ make test"),
        (f"{MAC}/ada/Library/CloudStorage/GoogleDrive-ada@corp.com/Plans/q3.md", "…/Plans/q3.md"),
        ("Ask ada.l@corp.com about it.", "Ask [e-mail] about it."),
        ("it is not fucking detecting the text", "it is not detecting the text"),
        ("The first one was shit, so we use the parser.", "The first one was bad, so we use the parser."),
        ("Use it for storage and otp shit", "Use it for storage and otp"),
        ("What the fuck is this", "What is this"),
        ("we won't fuck the index up again", "we won't f*** the index up again"),
        ("Don't fuck with the fucking lock file", "Don't f*** with the lock file"),
        ("this fucks up the totals of March", "this f*** up the totals of March"),
        ("shit we shipped the old price list", "we shipped the old price list"),
        ("a shitty cache is worse than none, damn it", "a bad cache is worse than none"),
    ],
)
def test_what_lerim_writes_keeps_the_exchange_to_itself(text: str, told: str) -> None:
    assert told == discreet(text)
    assert set() == kinds(told)


@pytest.mark.parametrize(
    "text",
    [
        "Serve it below https://host.dev/home/ada/index.html and /etc/nginx/sites",
        "Clone git@github.com:team/shop.git, mail noreply@corp.com, import react@next.js",
        "Write to you@example.com in the docs",
        "The agent: how it works. Users: see /users/list, /home/settings and `src/home/page.ts`",
        "Scunthorpe, shiitake, brainfuck and the damning report are words",
        "node_modules/@ngtools/webpack/src/ivy/loader.js",
        "Fuck!",
    ],
)
def test_what_reveals_nobody_stays(text: str) -> None:
    assert text == discreet(text)
    assert set() == kinds(text)


def test_tags_that_name_a_folder_or_a_person_go() -> None:
    tags = ("/tmp/auth-check", "/users/ada/x", "c:/users/ada/x", "ada@corp.com", "shit", "sh/v0.3.0", "testing")

    assert ("sh/v0.3.0", "testing") == discreet_tags(tags)


def test_the_name_of_whoever_works_here_is_seen() -> None:
    assert {RevealKind.NAME} == kinds("Ada Lovelace wants tabs", "Ada Lovelace")
    assert set() == kinds("Adapters want tabs", "Ada")


def test_a_long_run_of_somebodys_words_is_a_passage_of_the_conversation() -> None:
    said = " ".join(f"word{number}" for number in range(PASSAGE_WORDS))

    assert [RevealKind.TALK] == [span.kind for span in passages(f"So: {said.upper()}!", [f"well {said}, then"])]
    assert [] == list(passages(said.rpartition(" ")[0], [said]))


# --- records and files ------------------------------------------------------------------------------------------------


def learn(memory: Memory, author: str, body: str = TALK, *tags: str) -> str:
    evidence = (Evidence("claude", "abc", 5, 5, "use pnpm, you idiot", Trust.USER),)
    with memory.target().change(author, "sync of claude/abc") as change:
        draft = Draft(Primitive.DECISION, "Use pnpm", body, tags=tags, source="sync", evidence=evidence)
        return str(change.create(draft.record(change.now)).id)


def look(memory: Memory, *, summaries: bool = False, traces: bool = False) -> list[Revelation]:
    return would_reveal(memory.target(), Sharing(summaries, traces, ("ada",)))


def test_whatever_engine_wrote_it_the_file_tells_no_exchange(memory: Memory) -> None:
    """The words are in the store, where `why` shows them."""
    record = memory.find(learn(memory, "lerim", TALK, "/home/ada/x")).record

    assert ("Use pnpm.\n\nWhy: It is faster.", ()) == (record.body, record.tags)
    assert "use pnpm, you idiot" == record.evidence[0].quote
    assert [] == look(memory)


def test_what_a_person_writes_is_theirs_and_shown_to_them(memory: Memory) -> None:
    kept = memory.find(learn(memory, "person"))
    assert TALK == kept.record.body

    found = look(memory)

    assert [("talk", False), ("talk", False)] == [(item.kind, item.ours) for item in found]
    assert ["Agent: Done, you are right.", "In reply to: Which one do you want?"] == [item.text for item in found]
    assert {kept.path} == {item.path for item in found}
    lines = Path(str(kept.path)).read_text().splitlines()
    assert [item.text for item in found] == [lines[item.line - 1] for item in found]
    assert found == take_out(memory.target(), found)


def test_what_an_earlier_lerim_wrote_can_be_said_again_without(memory: Memory) -> None:
    """A record whose every version is Lerim's; its history keeps what it said."""
    place = memory.target()
    record_id = learn(memory, "lerim", "Use pnpm.")
    with place.store.database.write() as tx:
        tx.run("UPDATE records SET body = ? WHERE id = ?", (TALK, record_id))
    place.face.rewrite()
    found = look(memory)
    assert [True, True] == [item.ours for item in found]

    done = take_out(place, found)

    assert [True, True] == [item.fixed for item in done]
    assert [] == look(memory)


def test_an_old_body_is_not_rewritten_in_passing() -> None:
    record = Draft(Primitive.DECISION, "Use pnpm", TALK).record(utc_now())

    assert "Use bun" == discreet_record(replace(record, title="Use bun"), record).title
    assert TALK == discreet_record(replace(record, title="Use bun"), record).body


def test_traces_and_summaries_count_when_the_project_shares_them(memory: Memory) -> None:
    folder = memory.target().folder.root.parent / "meta" / "traces" / "sessions" / "claude"
    folder.mkdir(parents=True)
    (folder / "abc.jsonl").write_text("{}\n")

    assert [] == look(memory)
    assert [RevealKind.TRACE] == [item.kind for item in look(memory, traces=True)]


def test_names_come_from_the_machine_and_from_git(tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ada Lovelace\n\temail = ada@corp.com\n")

    assert ("ada", tmp_path.name, "Ada Lovelace") == names_here({"USER": "ada", "HOME": str(tmp_path)}, tmp_path / "x")
    assert () == names_here({"USER": "root", "HOME": str(tmp_path / "root")}, tmp_path / "x")
