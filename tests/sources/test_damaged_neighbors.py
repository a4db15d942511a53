"""What is damaged costs only itself: neither its neighbors, nor its parts, nor the file when it is the first."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from lerim.sources.base import Account, SessionRef
from lerim.sources.json_file import read_document
from lerim.sources.registry import source_for
from lerim.sources.trace import Injected, Line, ToolResult

from .test_cursor import build_stores

GOLDEN = Path(__file__).parent


def told(agent: str, path: Path) -> list[Line]:
    source = source_for(agent)
    reading = source.read(SessionRef(agent, path, path.stem))
    lines = list(reading.lines)
    assert reading.account.is_balanced
    return lines


def words(lines: Sequence[Line]) -> list[str]:
    return [line.text for line in lines]


def written(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{record if isinstance(record, str) else json.dumps(record)}\n" for record in records))
    return path


def items(path: Path, text: str) -> tuple[list[dict[str, Any]], Account]:
    account = Account()
    path.write_text(text)
    document = read_document(path, account, "messages", lambda item: "role" in item)
    return [item for _, item in document.items], account


def test_an_item_without_an_end_does_not_swallow_those_behind_it(tmp_path: Path) -> None:
    """Its brackets are closed by the document's own, so that it looks whole."""
    cut = '{"role": "user", "content": [{"text": "why?"}'
    found, account = items(
        tmp_path / "a.json", f'{{"messages": [{cut},\n{{"role": "agent", "content": []}},\n{{"role": "user"}}]}}'
    )

    assert [{"role": "agent", "content": []}, {"role": "user"}] == found
    assert 1 == len(account.bad)


def test_a_last_item_that_is_whole_in_a_document_that_is_cut_is_told(tmp_path: Path) -> None:
    found, _ = items(
        tmp_path / "a.json", '{"messages": [{"role": "user"},\n{"role": "agent", "parts": [{"text": "x"}]}'
    )

    assert ["user", "agent"] == [item["role"] for item in found]


def test_two_damaged_items_after_another_are_passed_over(tmp_path: Path) -> None:
    """The first one closes a list that it never opened, the second one cannot be read."""
    damaged = '{"role": "user"}]}, "x": {"y": 1}},\n{"role": "agent", "x": [{"role": 1}]essage": 1}'
    found, _ = items(tmp_path / "a.json", f'{{"messages": [{damaged},\n{{"role": "user", "last": 1}}]}}')

    assert {"role": "user", "last": 1} in found


def test_the_first_item_of_a_list_may_be_damaged(tmp_path: Path) -> None:
    found, _ = items(tmp_path / "a.json", '{"messages": [{"role" 1}], "shown": [{"text": "x"}]},\n{"role": "user"}]}')

    assert {"role": "user"} in found


def test_a_list_among_the_items_does_not_swallow_the_next_one(tmp_path: Path) -> None:
    found, _ = items(tmp_path / "a.json", '{"messages": [{"role": "user"},\n["oops",\n{"role": "agent"}]}')

    assert ["user", "agent"] == [item["role"] for item in found]


def test_a_list_inside_an_item_that_lost_its_head_is_not_the_end(tmp_path: Path) -> None:
    """What is left of the item ends in its middle, where a list was; the one behind that holds no items."""
    first, last = '{"id": 1, "role": "user"}', '{"id": 4, "role": "agent"}'
    damaged = '{"id": 2, "role": "user"}], "calls": [{"id": 3, "name": "x"}]}'
    found, _ = items(tmp_path / "a.json", f'{{"messages": [{first},\n{damaged},\n{last}]}}')

    assert [1, 2, 4] == [item["id"] for item in found]


def test_an_item_inside_one_that_is_open_when_what_follows_is_nested_without_end_is_found(tmp_path: Path) -> None:
    sound = '{"role": "agent", "text": "why?"}'
    found, _ = items(
        tmp_path / "a.json", f'{{"messages": [{{"role": "user", "x": [{{"y": [1,\n{sound},\n{"[" * 9_000}]}}'
    )

    assert {"role": "agent", "text": "why?"} in found


def test_an_item_behind_a_number_is_found_where_the_list_seemed_to_end(tmp_path: Path) -> None:
    damaged = '{"role": "user"}], "x": "y"},\n[1, 2],\n{"role": "agent"}'
    found, _ = items(tmp_path / "a.json", f'{{"messages": [{damaged},\n{{"role"]}}')

    assert ["user", "agent"] == [item["role"] for item in found]


def test_another_list_of_the_same_kind_behind_the_end_is_not_told(tmp_path: Path) -> None:
    first, other = '{"id": 1, "role": "user"}', '{"id": 4, "role": "agent"}'
    found, _ = items(tmp_path / "a.json", f'{{"messages": [{{"id"}}, {first}], "drafts": [{other}, {other}]}}')

    assert [1] == [item["id"] for item in found]


def test_an_item_behind_one_of_which_nothing_is_left_is_found(tmp_path: Path) -> None:
    """A block that was never written stands between two commas, where the list seemed to end."""
    parts = '"content": [{"type": "thinking"}, {"role": "user", "x": 1}]'
    damaged = f'{{"role"z "user"}},\n{{"role": "agent" {parts}}},\n{chr(0) * 100},\n'
    found, _ = items(tmp_path / "a.json", f'{{"messages": [{damaged}{{"type": "text", "role": "user"}}]}}')

    assert {"type": "text", "role": "user"} in found


def test_a_part_of_a_damaged_cline_message_is_not_taken_for_one(tmp_path: Path) -> None:
    stray = '{"type": "tool_use", "id": "t1", "role": {"command": "make"}}], "modelInfo": {"id": "x"}'
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "make: error"}
    last = json.dumps({"role": "user", "content": [result]})
    path = tmp_path / "s-1.messages.json"
    path.write_text(f'{{"messages": [{{"role" "user"}},\n{{"role": "assistant" "content": [{stray}}},\n{last}]}}')

    assert ["make: error"] == words(told("cline", path))


def test_an_object_inside_a_damaged_first_item_does_not_say_how_items_begin(tmp_path: Path) -> None:
    damaged = '{"id": "1", "type": [{"role": "text", "text": 7}], "text": "x}'
    found, _ = items(tmp_path / "a.json", f'{{"messages": [{damaged},\n{{"id": "2", "role": "user"}}]}}')

    assert {"id": "2", "role": "user"} in found


def test_a_gemini_call_is_told_again_when_its_input_was_damaged(tmp_path: Path) -> None:
    def message(command: Any) -> dict[str, Any]:
        call = {"id": "t1", "name": "run_shell_command", "args": {"command": command}}
        return {"id": "g1", "type": "gemini", "content": "On it.", "toolCalls": [call]}

    path = written(tmp_path / "s.jsonl", {"sessionId": "s", "projectHash": "0"}, message([[]]), message("npm test"))

    assert "npm test" in words(told("gemini", path))


def test_parts_of_an_opencode_message_that_cannot_be_read_are_nobodys(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    session = written(storage / "session/p/ses_1.json", {"id": "ses_1", "projectID": "p", "time": {"created": 1}})
    written(storage / "message/ses_1/msg_1.json", '{"id": "msg_1", "ro')
    written(storage / "part/msg_1/prt_1.json", {"id": "prt_1", "type": "text", "text": "print the labels"})

    (line,) = told("opencode", session)
    assert isinstance(line, Injected) and "print the labels" == line.text


def test_an_opencode_session_without_its_facts_has_its_messages(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    session = written(storage / "session/p/ses_1.json", {"id": "ses_9", "projectID": "p"})
    written(storage / "message/ses_1/msg_1.json", {"id": "msg_1", "role": "user", "time": {"created": 1}})
    written(storage / "part/msg_1/prt_1.json", {"id": "prt_1", "type": "text", "text": "print the labels"})

    assert ["print the labels"] == words(told("opencode", session))


def test_a_damaged_change_of_a_vscode_log_does_not_take_all_requests_away(tmp_path: Path) -> None:
    asked = {"requestId": "r1", "message": {"text": "explain the cart"}, "response": [], "result": {}}
    start = {"kind": 0, "v": {"sessionId": "s", "requests": []}}
    for change in (
        {"kind": 0, "v": {"value": "It"}},
        {"kind": 3, "k": ["requests"]},
        {"kind": 1, "k": ["requests"], "v": 7},
        {"kind": 2, "k": ["requests"], "v": [], "i": -1},
        {"kind": 2, "k": ["requests"], "v": [], "i": False},
    ):
        path = written(tmp_path / "s.jsonl", start, {"kind": 2, "k": ["requests"], "v": [asked]}, change)

        assert "explain the cart" in words(told("vscode", path)), change


def test_what_a_vscode_log_cuts_away_is_told_as_undone(tmp_path: Path) -> None:
    """With one more or one less in the list, or another number, it is another request than was meant."""
    asked = [{"requestId": f"r{n}", "message": {"text": f"question {n}"}, "response": [], "result": {}} for n in (1, 2)]
    grown = [{"kind": 2, "k": ["requests"], "v": [one]} for one in asked]
    again = {"requestId": "r3", "message": {"text": "question 3"}, "response": [], "result": {}}
    cut = {"kind": 2, "k": ["requests"], "v": [again], "i": 2}
    for requests in ([["x"]], [7]):
        start = {"kind": 0, "v": {"sessionId": "s", "requests": requests}}
        path = written(tmp_path / "s.jsonl", start, *grown, cut)

        lines = told("vscode", path)
        assert ["question 1", "question 3", "question 2"] == words(lines)
        assert [False, False, True] == [line.undone for line in lines]


def test_a_text_transcript_of_cursor_whose_first_speaker_is_damaged_keeps_the_words(tmp_path: Path) -> None:
    path = tmp_path / "agent-transcripts" / "s.txt"
    written(path, "us\x00er:", "why does it not load?", "", "assistant:", "A tab.")

    assert ["why does it not load?", "A tab."] == words(told("cursor", path))[-2:]


def test_a_canonical_trace_is_one_without_its_header(tmp_path: Path) -> None:
    said = {"type": "user", "text": "use tabs"}, {"type": "tool_call", "text": "make", "tool": "Bash", "call": "c"}
    for head in ("\0" * 100, "[" * 5_000, '"text"', "{}", '{"type": "'):
        path = written(tmp_path / "run.jsonl", head, *said)

        assert ["use tabs", "make"] == words(told("custom", path)), head[:10]


def test_a_canonical_trace_is_one_below_lines_that_swelled(tmp_path: Path) -> None:
    swollen = json.dumps({"type": "é" * 20_000, "text": "?"})
    call = {"type": "tool_call", "text": "make", "tool": "Bash", "call": "c"}
    said = call, {"type": "tool_result", "text": "ok", "call": "c"}
    path = written(tmp_path / "run.jsonl", '"text"', swollen, *said)

    assert ["make", "ok"] == words(told("custom", path))


def test_a_transcript_keeps_what_stands_below_a_damaged_label(tmp_path: Path) -> None:
    for head in ("Us\x07er: rename it", "[" * 5_000, "{" * 3_000):
        path = written(tmp_path / "talk.txt", head, "and its tests", "", "Assistant: Done.")

        lines = told("custom", path)
        assert isinstance(lines[-2], Injected) and "and its tests" == lines[-2].text
        assert "Done." == lines[-1].text


def test_a_transcript_without_a_label_where_one_belongs_is_nobodys(tmp_path: Path) -> None:
    """Whoever stands inside a paragraph proves nothing, but that it is a talk."""
    path = written(tmp_path / "talk.txt", "Us\x07er: rename it", "User: is only text", "", "Assis9ant: Done.")

    lines = told("custom", path)
    assert all(isinstance(line, Injected) for line in lines)
    assert "User: is only text" in words(lines)


def test_a_transcript_keeps_what_stands_between_lines_that_swelled(tmp_path: Path) -> None:
    swollen = "{" * 3_000
    path = written(
        tmp_path / "talk.txt", "System: Be brief.", swollen, "It took a while.", swollen, swollen, "", "User: hi"
    )

    lines = told("custom", path)
    assert "It took a while." in lines[0].text and "hi" == lines[-1].text


def test_a_codex_prompt_with_an_image_whose_event_is_damaged_is_the_users(tmp_path: Path) -> None:
    def record(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-03-04T09:00:00Z", "type": kind, "payload": payload}

    def item(*parts: dict[str, str]) -> dict[str, Any]:
        return record("response_item", type="message", role="user", content=list(parts))

    image = {"type": "input_image", "image_url": "data:image/png;base64,QUJD"}
    mark = {"type": "input_text", "text": "<image name=[Image #1]>"}
    path = written(
        tmp_path / "rollout-2026-03-04T10-00-00-019cb813-5280-7000-8000-000000000001.jsonl",
        record("session_meta", id="019cb813-5280-7000-8000-000000000001", cwd="/w"),
        item({"type": "input_text", "text": "first"}),
        record("event_msg", type="user_message", message="first"),
        item(mark, image, {"type": "input_text", "text": "and here?"}),
        '{"timestamp": "2026-03-04T09:00:00Z", "type": "event_m',
        record("event_msg", type="user_message", message="", images=["data:image/png;base64,QUJD"]),
    )

    assert any("and here?" in line.text and line.type == "user" for line in told("codex", path))


def test_a_claude_record_that_comes_again_is_told_when_it_was_damaged_the_first_time(tmp_path: Path) -> None:
    def record(message: dict[str, Any]) -> dict[str, Any]:
        known = {"uuid": "0c9a5c1e-1111-4c4c-8a8a-000000000001", "sessionId": "s", "cwd": "/w"}
        return {"type": "user", **known, "message": message}

    good = record({"role": "user", "content": "Use tabs."})
    for bad in (record({"rone": ""}), record({"role": "user", "content": "Uxe"})):
        assert "Use tabs." in words(told("claude", written(tmp_path / "s.jsonl", bad, good)))
    assert ["Use tabs."] == words(told("claude", written(tmp_path / "s.jsonl", good, good)))


def test_a_claude_record_that_comes_again_is_told_when_its_type_was_damaged(tmp_path: Path) -> None:
    said = {"uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": "First."}}
    path = written(tmp_path / "s.jsonl", {"type": "-1", **said}, {"type": "user", **said})

    assert ["First."] == words(told("claude", path))


def test_a_result_in_continue_is_told_when_the_state_of_its_call_is_damaged(tmp_path: Path) -> None:
    asked = {"id": "c1", "function": {"name": "read_file", "arguments": "{}"}}
    state = {"toolCallId": "c1", "toolCall": asked, "status": "done", "output": [{"content": {}}]}
    history = [
        {"message": {"role": "user", "content": "look"}},
        {"message": {"role": "assistant", "content": "Yes.", "toolCalls": [asked]}, "toolCallStates": [state]},
        {"message": {"role": "tool", "content": "for i < n", "toolCallId": "c1"}},
    ]
    path = written(tmp_path / "s.json", {"sessionId": "s", "history": history})

    assert "for i < n" in words(told("continue", path))


def test_a_pi_session_of_which_only_its_summary_is_left_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a_b.jsonl", "{" * 20, {"type": "compaction", "summary": "No docs."})

    assert "No docs." in words(told("pi", path))


def test_a_store_of_cursor_whose_root_is_damaged_tells_its_messages_as_they_were_written(tmp_path: Path) -> None:
    folder = build_stores(GOLDEN / "cursor" / "store", tmp_path)
    path = next(folder.rglob("store.db"))
    clean = {line.text for line in told("cursor", path) if line.type in ("user", "assistant")}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE blobs SET data = x'00ff00' WHERE substr(data, 1, 1) != x'7b'")

    assert clean and clean <= {line.text for line in told("cursor", path)}


def test_a_journal_of_kiro_is_known_by_any_of_its_lines(tmp_path: Path) -> None:
    said = {"kind": "AssistantMessage", "data": {"content": [{"kind": "text", "data": "Sure."}]}}
    path = written(tmp_path / "9f1c.jsonl", *["oops"] * 9, said)

    assert ["Sure."] == words(told("kiro", path))


def test_a_journal_of_kiro_is_known_behind_a_line_that_swelled(tmp_path: Path) -> None:
    said = {"kind": "AssistantMessage", "data": {"content": [{"kind": "text", "data": "Sure."}]}}
    path = written(tmp_path / "9f1c.jsonl", '{"version": "' + "x" * 100_000, said)

    assert ["Sure."] == words(told("kiro", path))


def test_lines_of_gemini_are_known_by_any_of_them(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *['{"id": "u', "null"] * 5, {"id": "u1", "type": "user", "content": "go on"})

    assert ["go on"] == words(told("gemini", path))


def test_a_tool_of_cursor_whose_name_is_no_text_costs_only_itself(tmp_path: Path) -> None:
    def message(role: str, **block: Any) -> dict[str, Any]:
        return {"role": role, "message": {"content": [block]}}

    path = written(
        tmp_path / "s.jsonl",
        message("user", type="text", text="<user_query>\nport it\n</user_query>"),
        message("tool", type="tool_result", tool_use_id="c", toolName=["AskQuestion"], content="yes"),
        message("assistant", type="text", text="Done."),
    )

    assert ["port it", "yes", "Done."] == words(told("cursor", path))


def test_the_words_around_lines_of_a_cursor_transcript_that_swelled_are_told(tmp_path: Path) -> None:
    """The line that names the agent is damaged, and so are its marks: what is left is nobody's, and not cut."""
    swollen = "{" * 3_000
    damaged = (
        f"user:\n<user_query>\nwhy?\n</user_query>\n{swollen}\nThe file starts with a tab.\n{swollen}\n{swollen}\n"
    )
    printed = f"assistant:\n[Tool result] Shell\n{swollen}\nIt is indented by one.\n{swollen}\n{swollen}\n"
    path = tmp_path / "agent-transcripts/s.txt"
    path.parent.mkdir()
    path.write_text(damaged + printed)

    lines = told("cursor", path)

    for words in ("The file starts with a tab.", "It is indented by one."):
        (line,) = (line for line in lines if words in line.text)
        assert isinstance(line, Injected | ToolResult) and not line.cut


# --- exports: most of what is said stands in several records --------------------------------------------------------


def run(run_id: str, kind: str, parent: str | None, **sides: Any) -> dict[str, Any]:
    return {"id": run_id, "run_type": kind, "trace_id": "r0", "parent_run_id": parent, "start_time": run_id, **sides}


def asked(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def test_what_an_enclosing_run_says_is_nobodys_when_the_one_inside_is_damaged(tmp_path: Path) -> None:
    chain = run("r0", "chain", None, inputs=asked("find sources"), outputs={})
    for inside, kind in (("fixd \x00", "injected"), ("find sources", "user")):
        path = written(tmp_path / "runs.jsonl", chain, run("r1", "llm", "r0", inputs=asked(inside), outputs={}))

        assert [kind] == [line.type for line in told("custom", path) if "find sources" == line.text]


def test_a_result_that_is_told_in_other_words_is_told_again(tmp_path: Path) -> None:
    """The record of the tool is damaged, the call of the model that got its result is not."""
    result = {"role": "tool", "tool_call_id": "c", "content": "Three reports found."}
    call = {"id": "c", "function": {"name": "search", "arguments": "{}"}}
    history = {"messages": [{"role": "assistant", "content": "", "tool_calls": [call]}, result]}
    for back, count in (("Thr{e reports", 2), ("", 1), ("Three reports found.", 1)):
        tool = run("r1", "tool", "r0", name="search", inputs={}, outputs={"output": {**result, "content": back}})
        path = written(tmp_path / "runs.jsonl", tool, run("r2", "llm", "r0", inputs=history, outputs={}))

        results = [line.text for line in told("custom", path) if isinstance(line, ToolResult) and line.text]
        assert "Three reports found." in results and count == len(results)


def test_a_tool_that_got_the_id_of_the_run_around_it_hides_nothing(tmp_path: Path) -> None:
    runs = [
        run("r0", "chain", None, inputs={}, outputs={}),
        run("r1", "llm", "r0", inputs=asked("find sources"), outputs={}),
        run("r0", "tool", "r0", name="search", inputs={"input": "x"}, outputs={"output": "y"}),
    ]

    for order in (runs, runs[::-1]):
        assert "find sources" in words(told("custom", written(tmp_path / "runs.jsonl", *order)))


def test_a_span_of_a_tool_that_got_the_id_of_the_one_around_it_hides_nothing(tmp_path: Path) -> None:
    def span(name: str, parent: str, **attributes: str) -> dict[str, Any]:
        ids = {"traceId": "t", "spanId": name, "parentSpanId": parent, "endTime": "2026-03-04T10:00:00Z"}
        return {**ids, "attributes": {f"gen_ai.{key.replace('_', '.')}": value for key, value in attributes.items()}}

    path = written(
        tmp_path / "spans.jsonl",
        span("a", "", operation_name="invoke_agent"),
        span("b", "a", prompt="why does it fail?"),
        span("a", "a", tool_name="get_plan", tool_call_result="basic"),
    )

    assert "why does it fail?" in words(told("custom", path))


def test_an_observation_whose_type_is_damaged_is_still_one(tmp_path: Path) -> None:
    def observed(name: str, kind: str, said: str) -> dict[str, Any]:
        sides = {"input": [{"role": "user", "content": "sum it up"}], "output": said}
        return {"id": name, "traceId": "t", "type": kind, "parentObservationId": "o", **sides}

    path = written(tmp_path / "t.jsonl", observed("a", "GENERAT", "First."), observed("b", "GENERATION", "They agree."))

    assert "They agree." in words(told("custom", path))


def test_observations_are_no_chats_though_one_of_them_is_damaged(tmp_path: Path) -> None:
    sides = {"input": [{"role": "user", "content": "sum it up"}], "output": "They agree."}
    damaged = {"id": {"a": 1}, "traceId": "t", "type": "GENERATION", **sides}
    path = written(
        tmp_path / "t.jsonl", {"id": "o", "traceId": "t", "type": "GENERATION", **sides}, damaged, damaged | {"id": 7}
    )

    assert "They agree." in words(told("custom", path))


def test_a_first_entry_that_lost_its_head_does_not_cost_those_behind_it(tmp_path: Path) -> None:
    """What is left of it is an object of no kind, and closes the list."""
    answer = {"Response": {"message_id": "m", "content": "ok"}}
    entry = {"user": {"content": {"Prompt": {"prompt": "keep the Makefile"}}}, "assistant": answer}
    rest = '{"conversation_id": "c", "history": [{"useame": "bash"}, {"id": "t2"}]}}, "request_metadata": {}},\n'
    path = tmp_path / "c.json"
    path.write_text(f"{rest}{json.dumps(entry)}]}}")

    assert ["keep the Makefile", "ok"] == words(told("kiro", path))


def test_words_whose_event_is_damaged_behind_them_are_told(tmp_path: Path) -> None:
    """And nothing whole comes after them."""
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "per request"}]}
    records = (
        ("session_meta", {"id": "019cb813-5280-7000-8000-000000000001", "cwd": "/w"}),
        ("event_msg", {"type": "user_message", "message": "use redis"}),
        ("response_item", item),
    )
    damaged = (
        ("event_osg", {"type": "user_message", "message": {"type": None}}),
        ("evgnt_msg", {"type": "user_messawe", "message": "per reqest"}),
        ("event_msg", {"type": "user_mecsage", "message": "per reqest", "local_images": []}),
    )
    moment = "2026-03-04T09:00:00.250Z"
    for event in damaged:
        lines = [{"timestamp": moment, "type": kind, "payload": payload} for kind, payload in (*records, event)]
        path = written(tmp_path / "rollout.jsonl", *lines)

        assert "per request" in words(told("codex", path))


def test_a_first_item_whose_first_key_is_damaged_does_not_cost_those_behind_it(tmp_path: Path) -> None:
    request = {"requestId": "r2", "message": {"text": "explain the cart"}, "response": [{"value": "It adds up."}]}
    damaged = '{"requestId\ufffd: "r1", "response": [{"value": "Fixed.", "message": "Fixed."}], "result": {}}'
    head = f'{{"version": 3, "sessionId": "s", "requests": [{damaged},\n'
    path = tmp_path / "s.json"
    path.write_text(f"{head}{json.dumps(request)}]}}")

    assert {"explain the cart", "It adds up."} <= set(words(told("vscode", path)))
