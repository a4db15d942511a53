"""Profiles are files that say what counts in a kind of work; what is wrong with one is named, and none comes along."""

from __future__ import annotations

from pathlib import Path

import pytest

from lerim.config.profiles import (
    PrivateKind,
    Profiles,
    SpeakerStanding,
    coding_profile,
    memory_kinds,
    read_profile,
    shipped_profile,
)
from lerim.context.records import Kind, Primitive
from lerim.errors import ConfigError, NotFound, UsageError

SHIPPED = ["coding", "custom", "incident", "research", "sales", "support"]


@pytest.fixture
def profiles(tmp_path: Path) -> Profiles:
    return Profiles(tmp_path)


def written(tmp_path: Path, text: str, name: str = "ward") -> Path:
    path = tmp_path / f"{name}.toml"
    path.write_text(text)
    return path


def test_six_profiles_come_along(profiles: Profiles) -> None:
    assert SHIPPED == profiles.names()
    for name in SHIPPED:
        found = profiles.find(name)
        assert found.is_shipped
        assert set(memory_kinds()) == set(found.kinds)
        assert set(found.order) == set(found.headings)


def test_only_coding_hides_nobody(profiles: Profiles) -> None:
    """Whoever works with people has their mail and their cards taken out."""
    assert () == coding_profile().private
    for name in SHIPPED[1:]:
        assert {PrivateKind.EMAIL, PrivateKind.CARD} <= set(profiles.find(name).private)


@pytest.mark.parametrize(
    ("speaker", "role", "standing"),
    [
        (None, "user", "data"),
        (None, "assistant", "agent"),
        ("colleague", "user", "user"),
        ("Bo (colleague)", "user", "user"),
        ("Bo (Colleague)", "assistant", "user"),
        ("colleague (user)", "user", "data"),
        ("colleague (as labeled)", "user", "data"),
        ("Bo", "user", "data"),
        ("a (b) (colleague)", "user", "user"),
        ("(colleague) x", "user", "data"),
        ("", "user", "data"),
    ],
)
def test_what_somebody_is_decides_what_their_words_are_worth(speaker: str | None, role: str, standing: str) -> None:
    assert SpeakerStanding(standing) is shipped_profile("support").standing(speaker, role)


def test_a_profile_of_ones_own_begins_as_the_commented_file(profiles: Profiles) -> None:
    path = profiles.new("ward")

    found = profiles.find("ward")
    assert path == found.path
    assert not found.is_shipped
    assert shipped_profile("custom").reader == found.reader
    with pytest.raises(UsageError, match="already"):
        profiles.new("ward")


def test_what_is_left_out_is_as_in_the_commented_file(tmp_path: Path) -> None:
    """A line is enough, and it leaves no door open: strangers are data, and people's mail is private."""
    found = read_profile(written(tmp_path, 'about = "A ward."\n[speakers]\nnurse = "user"\n'))

    assert SpeakerStanding.USER is found.standing("nurse", "user")
    assert SpeakerStanding.DATA is found.standing("visitor", "user")
    assert SpeakerStanding.DATA is found.standing("customer", "user")
    assert PrivateKind.EMAIL in found.private


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "key 'about': expected a text"),
        ("about = 3", "key 'about': expected a text"),
        ('about = "x"\nrun = "rm -rf"', "key 'run': unknown key"),
        ('about = "x"\n[reader]\ntusk = "x"', "key 'reader.tusk': unknown key"),
        ('about = "x"\n[kinds]\nspell = "x"', "key 'kinds.spell': unknown key"),
        ('about = "x"\n[speakers]\ncustomer = "god"', "expected user, agent or data"),
        ('about = "x"\n[private]\nkinds = ["soul"]', "'soul' is unknown"),
        ('about = "x"\n[private]\npatterns = ["(?=a)b"]', "the pattern"),
        ('about = "x"\n[words]\nlasting = "always"', "expected a list of strings"),
        ('about = "x"\n[headings]\norder = ["start"]', "expected each section once"),
        (f'about = "x"\n[headings]\nstart = "{"x" * 200}"', "at most 80"),
        (f'about = "x"\n[reader]\ntask = "{"x" * 9000}"', "at most 6,000"),
        ("about = ", "not valid TOML"),
        ("reader = 3\nabout = 'x'", "expected a table"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, problem: str) -> None:
    path = written(tmp_path, text)

    with pytest.raises(ConfigError) as caught:
        read_profile(path)
    assert problem in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.hint


def test_a_file_is_copied_when_it_is_taken_in(profiles: Profiles, tmp_path: Path) -> None:
    """What a pull does to it later changes nothing."""
    source = written(tmp_path, 'about = "A ward."\n[speakers]\nvisitor = "data"\n')
    profiles.add(source)
    source.write_text('about = "A ward."\n[speakers]\nvisitor = "user"\n')

    assert SpeakerStanding.DATA is profiles.find("ward").standing("visitor", "user")


@pytest.mark.parametrize("name", ["coding", "support"])
def test_a_shipped_profile_cannot_be_replaced(profiles: Profiles, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="comes with Lerim"):
        profiles.add(written(tmp_path, 'about = "Mine."\n', name))


@pytest.mark.parametrize("name", ["../escape", "/etc/passwd", "Ward", "", "a" * 60, "x.toml", "a b"])
def test_a_name_is_no_path(profiles: Profiles, name: str) -> None:
    with pytest.raises(NotFound):
        profiles.find(name)


def test_a_profile_that_is_gone_is_read_as_coding(profiles: Profiles) -> None:
    """Whose word counts was settled when the trace was kept."""
    assert profiles.get("gone").is_coding
    assert profiles.get(None).is_coding


def test_the_shipped_profile_tells_of_every_kind_that_records_have() -> None:
    assert {str(Primitive.DECISION), *map(str, Kind)} == set(memory_kinds())
