"""A person's notes become drafts, and every line of theirs is accounted for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lerim.context.notes import Note, Notes, read_notes
from lerim.context.records import MAX_TITLE, Draft, utc_now

from ..conftest import examples

NOTE_HEADER = "---\ntitle: Login\ntype: note\npermalink: notes/login\ntags: [auth, Team Rules]\n---\n"


def only(text: str, path: str = "CLAUDE.md") -> Draft:
    notes = read_notes(text, path)
    assert [] == notes.unplaced
    assert 1 == len(notes.found)
    return notes.found[0].draft


def sort(draft: Draft) -> str:
    return str(draft.kind or draft.primitive)


def titles(text: str, path: str = "CLAUDE.md") -> list[str]:
    return [note.draft.title for note in read_notes(text, path).found]


def reasons(text: str, path: str = "CLAUDE.md") -> list[tuple[int, str]]:
    return [(unplaced.line, unplaced.reason) for unplaced in read_notes(text, path).unplaced]


# Bullets


@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "2)"])
def test_each_top_level_bullet_is_one_draft(marker):
    assert ["Tests live beside code", "Errors carry a hint"] == titles(
        f"# Rules\n\n{marker} Tests live beside code\n{marker} Errors carry a hint\n"
    )


def test_a_draft_from_notes_says_that_it_was_imported():
    draft = only("- Tests live beside code\n")

    assert ("import", 0.7) == (draft.source, draft.confidence)


def test_a_bullet_knows_the_lines_it_came_from():
    notes = read_notes("# Style\n\n- Keep it short\n  and plain\n    - no adverbs\n\n- Write tests\n", "AGENTS.md")

    assert [("AGENTS.md", 3, 5), ("AGENTS.md", 7, 7)] == [(n.path, n.line, n.last_line) for n in notes.found]


def test_nested_bullets_are_the_body_of_their_parent():
    draft = only("- Errors are values:\n  - return them\n    - all of them\n  - never log them\n")

    assert "Errors are values" == draft.title
    assert "- return them\n  - all of them\n- never log them" == draft.body


def test_nesting_by_tabs_is_nesting():
    assert "- return them" == only("-\tErrors are values\n\t- return them\n").body


def test_a_bullet_set_in_by_one_space_is_a_sibling():
    assert ["First rule", "Second rule"] == titles("- First rule\n - Second rule\n")


@pytest.mark.parametrize("continuation", ["  on this line", "    on this line", "on this line"])
def test_a_bullet_continues_on_the_next_line(continuation):
    assert "The cache lives on this line" == only(f"- The cache lives\n{continuation}\n").title


def test_an_indented_paragraph_after_a_blank_line_belongs_to_its_bullet():
    assert "It is safe to delete." == only("- The cache lives in .cache\n\n  It is safe to delete.\n").body


def test_code_below_a_bullet_belongs_to_it():
    indented = only("- Format before you push\n  ```\nmake fmt\n\n  ```\n")
    outside = only("- Format before you push\n\n```\nmake fmt\n```\n")

    assert "```\nmake fmt\n```" == outside.body
    assert "make fmt" in indented.body


def test_a_long_bullet_keeps_its_first_sentence_as_title_and_all_of_it_as_body():
    text = "The cache is keyed by path, e.g. a/b. " + "It is rebuilt when the schema changes. " * 8

    draft = only(f"- {text}\n")

    assert "The cache is keyed by path, e.g. a/b." == draft.title
    assert text.strip() == draft.body.strip()


def test_a_label_is_no_title_for_a_long_bullet():
    draft = only(
        "- **Cache.** It is keyed by path - and by user. " + "It is rebuilt when the schema changes. " * 8 + "\n"
    )

    assert "Cache. It is keyed by path - and by user." == draft.title


def test_what_comes_late_in_a_long_bullet_does_not_decide_its_sort():
    assert "insight" == sort(only("- " + "The cache is keyed by path. " * 20 + "Never mind.\n"))


def test_a_sentence_too_long_for_a_title_is_cut_at_a_word():
    draft = only("- " + "because " * 100 + "\n")

    assert len(draft.title) <= MAX_TITLE
    assert draft.title.endswith("because…")
    assert 100 == draft.body.count("because")


@pytest.mark.parametrize(
    ("bullet", "title"),
    [
        ("**Never** commit to *main*", "Never commit to main"),
        ("**`make lint`**: checks everything", "make lint: checks everything"),
        ("Keep `__init__.py` and __all__ short", "Keep __init__.py and __all__ short"),
        ("_Really_ keep snake_case_names and src/**/*.py", "Really keep snake_case_names and src/**/*.py"),
        ("__Very important__ for 2**3 and x ** y", "Very important for 2**3 and x ** y"),
        ("``List[int]`` is `*args` here", "List[int] is *args here"),
    ],
)
def test_a_title_loses_emphasis_and_keeps_identifiers(bullet, title):
    draft = only(f"- {bullet}\n")

    assert (title, "") == (draft.title, draft.body)


def test_a_link_in_a_bullet_stays_in_the_body():
    draft = only("- Style follows [the guide](https://example.org/guide) <!-- since May -->\n")

    assert "Style follows the guide" == draft.title
    assert "https://example.org/guide" in draft.body


def test_headings_become_tags_but_generic_ones_do_not():
    text = "# CLAUDE.md\n## Overview\n### Code\n#### Unit Tests ##\n##### Data\n###### Mock `x`\n- A rule\n"

    assert ("unit-tests", "data", "mock-x") == only(text).tags
    assert () == only("# CLAUDE.md\n## Notes\n- One rule here\n").tags


def test_the_number_of_a_heading_is_no_part_of_its_name():
    assert ("shop", "api") == only("# 1. Shop\n## 1.2 Api\n- A rule\n").tags
    assert ("contracts", "3d-views") == only("# 2b. Contracts\n## 3d views\n- A rule\n").tags


def test_a_heading_ends_where_its_sibling_begins():
    text = "# Shop\n## Api\n- First rule\n## Web\n- Second rule\n"

    assert [("shop", "api"), ("shop", "web")] == [n.draft.tags for n in read_notes(text, "AGENTS.md").found]


def test_an_underlined_heading_is_a_heading():
    text = "Shop\n====\n\nApi\n---\n- First rule\n"

    assert ("shop", "api") == only(text).tags


# What sort of memory it is


@pytest.mark.parametrize(
    ("expected", "bullet"),
    [
        ("decision", "We use PostgreSQL for everything"),
        ("decision", "Use `pnpm` instead of `npm`"),
        ("decision", "The team decided on trunk-based development"),
        ("decision", "We chose Rust because Go breaks our build"),
        ("decision", "Black is the standard formatter"),
        ("decision", "We no longer use Redux"),
        ("preference", "Always sort imports"),
        ("preference", "Never push to main"),
        ("preference", "Do not mock the database"),
        ("preference", "Don’t use npm instead of pnpm"),
        ("preference", "Prefer composition"),
        ("preference", "Functions should be short"),
        ("pitfall", "Avoid `any`: it breaks inference"),
        ("pitfall", "Never rename the table, the import fails silently"),
        ("pitfall", "Be careful with time zones"),
        ("pitfall", "Gotcha: the cache is global"),
        ("procedure", "Run `make fmt` to format"),
        ("procedure", "To reset the database, run `make reset`"),
        ("procedure", "`npm run build` - build the app"),
        ("procedure", "**Build**: `cargo build --release`"),
        ("friction", "The browser tests are flaky"),
        ("friction", "`make e2e` takes about 12 minutes"),
        ("insight", "The parser is a state machine"),
        ("insight", "A release takes 3 steps"),
        ("insight", "テストは必ず実行する"),
    ],
)
def test_wording_decides_the_sort_of_a_bullet(expected, bullet):
    assert expected == sort(only(f"- {bullet}\n"))


# Steps, prose, code


@pytest.mark.parametrize("heading", ["Release", "How to deploy", "Setup", "Steps"])
def test_a_numbered_list_under_a_how_to_heading_is_one_procedure(heading):
    draft = only(f"## {heading}\n\n1. bump\n2. tag\n   - sign it\n\n```\ngit tag\n```\n\n3. push\n")

    assert ("procedure", heading) == (sort(draft), draft.title)
    assert "1. bump\n2. tag\n   - sign it\n\n```\ngit tag\n```\n\n3. push" == draft.body


def test_a_numbered_list_under_another_heading_is_a_list_of_rules():
    assert ["Small steps", "Clear names"] == titles("## Values\n1. Small steps\n2. Clear names\n")


def test_bullets_under_a_how_to_heading_stay_single():
    assert 2 == len(titles("## Setup\n- Install the tools\n- Copy the config\n"))


def test_short_prose_is_one_insight():
    draft = only("## Design\n\nThe store should be rebuilt\nfrom the files.\n")

    assert ("insight", "The store should be rebuilt from the files.") == (sort(draft), draft.title)
    assert ("design",) == draft.tags


def test_prose_with_shell_code_below_is_a_procedure():
    draft = only("## Tests\n\nOne test alone:\n\n```bash\npytest -k name\n```\n")

    assert ("procedure", "One test alone") == (sort(draft), draft.title)
    assert "```bash\npytest -k name\n```" == draft.body


def test_prose_may_hold_dashes_and_stars():
    assert ["Cache - by path, 2 * 3 at most"] == titles("**Cache** - by path, 2 * 3 at most\n")


def test_five_lines_of_prose_may_have_code_below():
    assert 1 == len(titles("One\nTwo\nThree\nFour\nFive\n\n```python\nx = 1\n```\n"))


def test_quote_signs_are_no_words():
    assert "WARNING: mind the gap" == titles("> [!WARNING]\n> mind the gap\n")[0]


def test_code_alone_under_a_how_to_heading_is_a_procedure():
    draft = only("## Running the tests\n\n```\nmake test\n```\n\n```\nmake e2e\n```\n")

    assert ("procedure", "Running the tests") == (sort(draft), draft.title)
    assert "make test" in draft.body
    assert "make e2e" in draft.body


def test_bullets_inside_code_are_code():
    assert ["A rule with an example"] == titles("- A rule with an example\n\n~~~md\n- no rule\n# no heading\n~~~\n")


def test_inline_code_with_three_backticks_opens_no_fence():
    assert ["code first here", "Second rule"] == titles("- ```code``` first here\n- Second rule\n")


# What is no memory


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("a task, not a memory", "- [ ] write docs"),
        ("a task, not a memory", "- [x] write docs\n  - all of them"),
        ("a task, not a memory", "- TODO: write docs"),
        ("an empty bullet", "- "),
        ("an empty bullet", "*"),
        ("only a link", "- [Docs](https://example.org)"),
        ("only a link", "- https://example.org"),
        ("only a link", "- [[Other note]]"),
        ("a badge or an image", "[![ci](https://a/b.svg)](https://a) ![x](y.png)"),
        ("an import of another file", "@docs/style.md"),
        ("an import of another file", "- @~/.claude/rules.md"),
        ("a table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("a table", "a | b\n--- | ---\n1 | 2"),
        ("an introduction to what follows", "Mind these rules:"),
        ("prose of more than 5 lines; write what matters as single points", "a b\nc\nd\ne\nf\ng"),
        ("code without words that say what it is for", "```python\nx = 1\n```"),
        ("code without words that say what it is for", "~~~\nnever closed\n- a rule"),
        ("about the file itself", "This file provides guidance to Claude Code."),
        ("one word does not stand on its own", "- Python"),
        ("no words in it", "- ..."),
        ("words beside a comment", "<!-- old --> and new"),
        ("a comment that is never closed", "<!-- never closed\n- a rule"),
    ],
)
def test_what_is_no_memory_is_reported_with_its_reason(reason, text):
    notes = read_notes(f"# Things\n\n{text}\n\n", "CLAUDE.md")

    assert [] == notes.found
    assert [(3, reason)] == [(unplaced.line, unplaced.reason) for unplaced in notes.unplaced]
    assert text == notes.unplaced[0].text.rstrip("\n")


def test_headings_comments_and_rules_need_no_report():
    assert Notes() == read_notes("# A\n\n<!-- one\n- two -->\n\n***\n\n## B\n\nC\n==\n", "x.md")


def test_a_memory_that_cannot_be_kept_is_reported_with_the_rule_it_breaks():
    [(line, reason)] = reasons("- A rule with a bell \a in it\n")

    assert (1, "title: holds the control character U+0007") == (line, reason)


# Notes with observations and relations


def test_an_observation_is_a_draft_with_its_tags_context_and_origin():
    draft = only(NOTE_HEADER + "\n## Observations\n- [decision] Tokens are JWT #jwt #a/b (agreed in May)\n")

    assert ("decision", "Tokens are JWT") == (sort(draft), draft.title)
    assert ("jwt", "a/b", "auth", "team-rules") == draft.tags
    assert "Context: agreed in May\n\nFrom the note 'Login'." == draft.body


@pytest.mark.parametrize(
    ("expected", "categories"),
    [
        ("decision", "decision Decision"),
        ("preference", "preference style"),
        ("procedure", "technique method process howto step steps"),
        ("pitfall", "issue problem bug gotcha warning risk pitfall"),
        ("friction", "friction pain"),
        ("insight", "insight tech fact"),
    ],
)
def test_the_category_decides_the_sort_of_an_observation(expected, categories):
    for category in categories.split():
        assert expected == sort(only(f"{NOTE_HEADER}## Observations\n- [{category}] Tokens never expire\n"))


def test_a_category_of_ones_own_becomes_a_tag():
    assert ("tech-stack", "auth", "team-rules") == only(NOTE_HEADER + "## Observations\n- [Tech Stack] Go\n").tags


def test_a_number_after_a_hash_is_no_tag():
    draft = only(NOTE_HEADER + "## Observations\n- [bug] C# client fails since #123\n")

    assert ("C# client fails since #123", ("auth", "team-rules")) == (draft.title, draft.tags)


def test_relations_are_not_imported():
    notes = read_notes(NOTE_HEADER + "## Relations\n- implements [[Session]]\n- [[Other]]\n", "login.md")

    assert [] == notes.found
    assert [(8, "a relation; links are not imported"), (9, "a relation; links are not imported")] == [
        (unplaced.line, unplaced.reason) for unplaced in notes.unplaced
    ]


def test_an_observation_of_tags_alone_says_nothing():
    assert ["an empty bullet"] == [r for _, r in reasons(NOTE_HEADER + "## Observations\n- [fact] #a #b\n")]


def test_prose_beside_observations_is_read_as_prose():
    text = NOTE_HEADER + "# Login\n\nSessions live in Redis.\n\n## Observations\n- [fact] Tokens are short\n- No mark\n"

    assert ["Sessions live in Redis.", "Tokens are short", "No mark"] == titles(text)


# Titled notes


def test_a_short_titled_note_is_one_draft():
    text = "---\ntitle: Logging\ntags: '#ops, #logs'\n---\n\nWe use structlog.\n\n- [ ] even this\n"

    notes = read_notes(text, "kb/logging.md")

    draft = notes.found[0].draft
    assert Note(draft, "kb/logging.md", 1, 8) == notes.found[0]
    assert ("decision", "Logging", ("ops", "logs")) == (sort(draft), draft.title, draft.tags)
    assert "We use structlog.\n\n- [ ] even this" == draft.body


@pytest.mark.parametrize(
    ("expected", "kind", "path"),
    [
        ("pitfall", "gotcha", "kb/decisions/x.md"),
        ("decision", "note", "kb/decisions/x.md"),
        ("procedure", "2024-01-01", "runbooks/x.md"),
        ("insight", "[a, b]", "bug/kb/x.md"),
    ],
)
def test_the_sort_of_a_titled_note_is_its_type_or_its_folder(expected, kind, path):
    assert expected == sort(only(f"---\ntitle: Queues\ntype: {kind}\n---\nThey are fair.\n", path))


def test_a_long_titled_note_is_read_like_any_other():
    text = "---\ntitle: Rules\ntags: [team]\n---\n" + "- One more rule\n" * 61

    notes = read_notes(text, "rules.md")

    assert 61 == len(notes.found)
    assert (5, ("team",)) == (notes.found[0].line, notes.found[0].draft.tags)


def test_frontmatter_without_a_title_only_gives_tags():
    assert ("api",) == only("---\ntags: api\nglobs: '*.py'\n---\n- Names are nouns\n", "rules/api.mdc").tags


def test_frontmatter_without_a_text_is_reported():
    assert [(1, "frontmatter without a text below it")] == reasons("---\ntitle: Empty\n---\n\n")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (3, "---\ntitle: Broken\ntags: [a\n---\n- A rule here\n"),
        (1, "---\ntitle: Never closed\n- A rule here\n"),
        (1, "---\ndone: !!bool maybe\n---\n- A rule here\n"),
        (2, "A rule\nand \0 more\n"),
        (2, "A rule\nand half a pair \ud800\n"),
        (1, "<<<<<<< ours\n- a rule\n=======\n- another\n>>>>>>> theirs\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_unplaced_as_a_whole(line, text):
    notes = read_notes(text, "x.md")

    assert [] == notes.found
    assert 1 == len(notes.unplaced)
    assert notes.unplaced[0].reason.startswith("the whole file: ")
    assert abs(line - notes.unplaced[0].line) <= 1  # YAML notices an open bracket on the line after it.
    notes.unplaced[0].text.encode("utf-8")


# Plain text


def test_paragraphs_of_plain_text_are_statements():
    text = "Never deploy\non Friday.\n\n\nThe queue is fair.\n\n# Not: a heading here\n"

    notes = read_notes(text, "ideas.txt")

    assert ["Never deploy on Friday.", "The queue is fair.", "# Not: a heading here"] == titles(text, "ideas.txt")
    assert ["preference", "insight", "insight"] == [sort(note.draft) for note in notes.found]
    assert [(1, 2), (5, 5), (7, 7)] == [(note.line, note.last_line) for note in notes.found]


def test_a_long_paragraph_of_plain_text_is_unplaced():
    assert [(3, "prose of more than 5 lines; write what matters as single points")] == reasons(
        "A rule here.\n\n" + "and more\n" * 6, "ideas.TXT"
    )


def test_a_list_in_plain_text_is_a_list():
    assert ["First rule", "Second rule"] == titles("- First rule\n- Second rule\n", "ideas.txt")


# Any file


def test_windows_line_endings_change_nothing():
    text = NOTE_HEADER + "## Observations\n- [fact] Tokens are short\n  - very\n\nProse\nof two lines.\n- [ ] task\n"

    assert read_notes(text, "x.md") == read_notes(text.replace("\n", "\r\n"), "x.md")


def test_a_byte_order_mark_is_no_text():
    assert ["First rule"] == titles("\ufeff- First rule\n")


@pytest.mark.parametrize(
    "rule", ["测试必须通过。", "Immer zuerst die Tests ausführen", "اختبر قبل الدفع", "Сначала тесты", "🚀 sprint on"]
)
def test_notes_in_any_language_are_read(rule):
    draft = only(f"# 規則 · Правила\n\n- {rule}\n")

    assert (rule, "insight") == (draft.title, sort(draft))


def test_a_long_sentence_without_spaces_ends_at_its_full_stop():
    assert "短句。" == only("- 短句。" + "很长的句子" * 60 + "\n").title


@pytest.mark.parametrize("heading", [pytest.param("Rules", marks=pytest.mark.drill), "Setup"])
def test_twenty_thousand_items_are_read(heading):
    notes = read_notes(f"# {heading}\n" + "".join(f"{n % 999}. Rule number {n}\n" for n in range(20_000)), "CLAUDE.md")

    assert [] == notes.unplaced
    assert (1 if heading == "Setup" else 20_000) == len(notes.found)


@pytest.mark.parametrize(
    "piece",
    [
        "- a\n\n",
        "<!--\n",
        "a | b\n",
        "```\n",
        "* ",
        "_a ",
        "**a ",
        "[a](",
        "[[",
        "(a",
        "#a ",
        "> ",
        " \t",
        "`a ",
        "@a.",
    ],
)
@pytest.mark.parametrize("times", [4_000, pytest.param(20_000, marks=pytest.mark.drill)])
def test_a_file_of_one_repeated_piece_is_read(piece, times):
    for text in (piece * times, "## Observations\n- [fact] " + piece * times + "end"):
        read_notes(text, "x.md")


# Every line is accounted for. Each piece says which of its lines need no report.

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20)
MARKS = ["- ", "* ", "1. ", "  - ", "\t- ", "- [ ] ", "- [fact] ", "", "  ", "    ", "> ", "| ", "@a/"]
FENCED = st.builds("```{}\n{}\n```".format, st.sampled_from(["", "bash"]), WORDS.map(lambda words: f"$ {words}"))
LOUD = st.one_of(st.builds("{}{}".format, st.sampled_from(MARKS), WORDS), FENCED).filter(
    lambda piece: not re.match(r"\s*(<!--|#|={2}|-{2}|~{3}|`{4})", piece) and not re.fullmatch(r"[\s*_-]*", piece)
)
QUIET = st.sampled_from(
    ["", "# A", "## Setup", "## Observations", "## Relations", "<!-- a -->", "<!--\n- a\n-->", "\n***", "\nB\n=="]
)
PIECES = st.lists(st.one_of(st.tuples(LOUD, st.just(True)), st.tuples(QUIET, st.just(False))), min_size=1, max_size=12)


@settings(max_examples=examples(500), deadline=None)
@given(PIECES, st.sampled_from(["", "---\ntags: [a]\n---\n", NOTE_HEADER]), st.sampled_from(["x.md", "x.mdc", "x.txt"]))
def test_every_line_is_in_one_draft_or_reported_once(pieces, header, path):
    text, loud = header, set()
    for piece, must_count in pieces:
        first = text.count("\n") + 1
        loud |= {first + n for n, line in enumerate(piece.split("\n")) if must_count and line.strip()}
        text += piece + "\n"

    notes = read_notes(text, path)

    spans = [(one.line, one.last_line) for one in (*notes.found, *notes.unplaced)]
    lines = [line for first, last in spans for line in range(first, last + 1)]
    assert len(lines) == len(set(lines))
    assert loud <= set(lines)
    assert set(lines) <= set(range(1, text.count("\n") + 2))


ANYTHING = st.one_of(st.text(), st.text(st.sampled_from("-*_#|`~<>!@[](): \n\t1.ax=—\r\0\ud800"), max_size=200))


@settings(deadline=None)
@given(
    ANYTHING, st.sampled_from(["", "---\n", "---\ntitle: x\n---\n", "# Setup\n"]), st.sampled_from(["x.md", "x.txt"])
)
def test_no_text_raises_and_every_draft_can_be_kept(text, header, path):
    notes = read_notes(header + text, path)

    for note in notes.found:
        note.draft.record(utc_now())
    for one in (*notes.found, *notes.unplaced):
        assert 1 <= one.line <= one.last_line
