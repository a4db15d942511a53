"""Markdown of others as a page shows it: no tag but ours, no word lost."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.serve.pages.prose import coded, prose

from .dashboard import tags_of

OURS = {"p", "ul", "ol", "li", "strong", "code", "pre", "a"}
_MARKUP = st.text(alphabet="ab <>&\"'`*_#-1.)([]|~!\n\t:/htps", max_size=200)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("One.\nTwo.\n\nThree.", "<p>One.\nTwo.</p><p>Three.</p>"),
        (
            "## Why\n\nIt **is** `x < y`.",
            "<p><strong>Why</strong></p><p>It <strong>is</strong> <code>x &lt; y</code>.</p>",
        ),
        (
            "- one\n- two\n  - deep\n1. first\n2. second",
            "<ul><li>one</li><li>two<ul><li>deep</li></ul></li></ul><ol><li>first</li><li>second</li></ol>",
        ),
        ("```sh\nrm -rf <x>\n```", "<pre><code>rm -rf &lt;x&gt;</code></pre>"),
        ("```\nnever closed", "<pre><code>never closed</code></pre>"),
        ("<b>no</b><script>x</script>", "<p>&lt;b&gt;no&lt;/b&gt;&lt;script&gt;x&lt;/script&gt;</p>"),
        ("<!-- said -->", "<p>&lt;!-- said --&gt;</p>"),
        (
            "[here](https://a.example/b?c=1&d=2)",
            '<p><a href="https://a.example/b?c=1&amp;d=2" rel="noreferrer noopener nofollow">here</a></p>',
        ),
        (
            "See http://a.example/x.",
            '<p>See <a href="http://a.example/x" rel="noreferrer noopener nofollow">http://a.example/x</a>.</p>',
        ),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[x](data:text/html,y)", "<p>[x](data:text/html,y)</p>"),
        (
            '[x](https://a.example/"onclick="y)',
            '<p>[x](<a href="https://a.example/" rel="noreferrer noopener nofollow">https://a.example/</a>&#34;onclick=&#34;y)</p>',
        ),
    ],
)
def test_markdown_is_drawn(text: str, html: str) -> None:
    assert html == str(prose(text))


@given(_MARKUP)
def test_whatever_is_written_makes_tags_of_ours_alone(text: str) -> None:
    for tag, said in tags_of(str(prose(text))):
        assert tag in OURS and set(said) <= {"href", "rel"}
        assert re.match(r"https?://", said.get("href") or "http://")
    assert {tag for tag, _ in tags_of(str(coded(text)))} <= {"code"}


@given(_MARKUP)
def test_no_word_is_lost(text: str) -> None:
    shown = unescape(re.sub(r"<[^>]*>", " ", str(prose(text))))

    # A fence names its language, which is not shown; marks are not words.
    words = re.findall(r"[ab]+", "" if "~~~" in text or "```" in text else text)
    assert len(re.findall(r"[ab]+", shown)) >= len(words)


@pytest.mark.parametrize("piece", ["[", "`", "**", "- ", "  - ", "http://", "[a](", "#", "```\n", "|", "<!--"])
def test_a_page_full_of_marks_ends(piece: str) -> None:
    """A memory may be a megabyte; nobody waits for one line of it."""
    assert "x" in prose(piece * 20_000 + "x")
    assert prose("\n".join(" " * depth + "- x" for depth in range(400)))


def test_code_in_a_title_is_code_and_nothing_else() -> None:
    assert "Root cause: <code>book()</code> &lt;i&gt; **x** https://a.example" == str(
        coded("Root cause: `book()` <i> **x** https://a.example")
    )
