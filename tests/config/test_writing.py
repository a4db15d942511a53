"""Settings written into a person's file: what changes is what was meant, and nothing else."""

from __future__ import annotations

import os
import tomllib

import pytest

from lerim.config.writing import changed, difference, read_settings, write_settings
from lerim.errors import ConfigError

READER = {"roles.extract": {"provider": "claude", "model": None, "base_url": None}}
MINE = """# my settings
[sources]
window_days = 30  # a month

[roles.extract]   # who reads
provider = "ollama"
model = "qwen3"
timeout_seconds = 120
[budget]
day_usd = 2.5
"""


def test_only_what_was_meant_changes():
    """Comments, order and other tables stay as they are."""
    after = changed(MINE, READER)

    assert MINE.replace('provider = "ollama"\nmodel = "qwen3"\n', 'provider = "claude"\n') == after
    assert ['-provider = "ollama"', '-model = "qwen3"', '+provider = "claude"'] == [
        line for line in difference(MINE, after, "config.toml")[2:] if line[:1] in "+-"
    ]


@pytest.mark.parametrize("text", ["", "# nothing yet", "[budget]\nday_usd = 1.0"])
def test_a_table_that_is_not_there_is_added(text):
    """At the end, with only what has a value."""
    after = changed(text, READER)

    assert {**tomllib.loads(text), "roles": {"extract": {"provider": "claude"}}} == tomllib.loads(after)
    assert after.startswith(text)


def test_the_same_twice_changes_nothing_more():
    """Whatever was there before."""
    assert changed(MINE, READER) == changed(changed(MINE, READER), READER)


def test_values_are_written_as_they_are_meant():
    """Quotes and backslashes, too."""
    odd = 'a "b" \\ c'

    assert odd == tomllib.loads(changed("", {"roles.extract": {"model": odd}}))["roles"]["extract"]["model"]


@pytest.mark.parametrize(
    "text",
    [
        'roles.extract.provider = "ollama"\n',
        'roles = { extract = { provider = "ollama" } }\n',
        '[roles]\nextract.provider = "ollama"\n',
        '[roles.extract]\nmodel = """\nprovider = "x"\n"""\n',
    ],
)
def test_a_file_that_cannot_be_changed_line_by_line_is_left_alone(text):
    """The lines to write by hand are in the hint."""
    with pytest.raises(ConfigError) as caught:
        changed(text, {"roles.extract": {"provider": "claude"}})

    assert '[roles.extract] provider = "claude"' in str(caught.value.hint)


def test_a_file_is_put_in_place_whole_and_for_its_owner_only(tmp_path):
    """A link to it stays one."""
    real = tmp_path / "dotfiles.toml"
    real.write_text("old")
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").symlink_to(real)

    write_settings(home / "config.toml", "new")

    assert "new" == real.read_text() == read_settings(home / "config.toml")
    assert (home / "config.toml").is_symlink()
    assert 0o600 == os.stat(real).st_mode & 0o777
    assert [real.name] == [path.name for path in tmp_path.iterdir() if path.is_file()]


def test_no_file_is_no_text(tmp_path):
    """It is made when there is something to write."""
    assert "" == read_settings(tmp_path / "config.toml")
