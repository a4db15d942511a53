"""The settings: which layer wins, what is refused, and where the message points."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import sys
import tempfile
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.config import settings
from lerim.config.layers import Config, Ignored, Layer, TrustLevel, home_dir, load, may_set, reference
from lerim.config.scope import ScopeMode
from lerim.config.setting_checks import toml_text
from lerim.config.settings import EngineChoice, Exporter, Provider
from lerim.errors import ConfigError, UnsafePath
from lerim.openat import read_own

PACKAGE = Path(settings.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "config.md"
PROVIDERS = ", ".join(Provider)
ROLES = ("lead", "explorer", "extract", "summarize")
ALL_VARIABLES = "OPENROUTER_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or ZAI_API_KEY"


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "repo"
    (folder / ".lerim").mkdir(parents=True)
    return folder


def refused(home: Path, text: str | bytes) -> ConfigError:
    """The error that a user's file with this text leads to."""
    (home / "config.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(ConfigError) as caught:
        load(home, None, {})
    return caught.value


def trust(home: Path, repo: Path) -> None:
    """Add a repository to the projects that the user's file trusts."""
    with (home / "config.toml").open("a") as file:
        file.write(f'[trust]\nprojects = ["{repo}"]\n')


# --- home -------------------------------------------------------------------------------------------------------------


def test_home_is_in_the_users_home_directory(tmp_path):
    """Without LERIM_HOME everything is in ~/.lerim."""
    assert tmp_path / ".lerim" == home_dir({"HOME": str(tmp_path)})


def test_empty_lerim_home_counts_as_unset(tmp_path):
    """An exported but empty variable does not mean the current directory."""
    assert tmp_path / ".lerim" == home_dir({"HOME": str(tmp_path), "LERIM_HOME": ""})


@pytest.mark.parametrize(("text", "expected"), [("~", ""), ("~/elsewhere", "elsewhere"), ("~/a/b", "a/b")])
def test_lerim_home_may_start_with_a_tilde(tmp_path, text, expected):
    """The tilde is the HOME of the environment that was passed in."""
    assert tmp_path / expected == home_dir({"HOME": str(tmp_path), "LERIM_HOME": text})


@pytest.mark.parametrize(
    "env",
    [
        {"LERIM_HOME": "data"},
        {"LERIM_HOME": "./.lerim"},
        {"LERIM_HOME": "../up", "HOME": "/home/me"},
        {"HOME": ""},
        {"HOME": "."},
        {"HOME": "me"},
        {"HOME": "", "LERIM_HOME": "~/data"},
        {"HOME": "", "LERIM_HOME": ""},
        {"HOME": "~"},
    ],
)
def test_a_home_that_is_no_full_path_is_refused(env):
    """Seen from a repository, the store would come to lie in it."""
    with pytest.raises(ConfigError, match="no full path") as caught:
        home_dir(env)

    assert caught.value.hint


def test_without_home_the_account_says_where_it_is():
    assert home_dir({}) == Path(pwd.getpwuid(os.getuid()).pw_dir) / ".lerim"


def test_home_of_an_unknown_user_is_refused():
    """A tilde with a name nobody has gives an error, not a folder called '~nobody'."""
    with pytest.raises(ConfigError) as caught:
        home_dir({"LERIM_HOME": "~no-such-user-here/lerim"})

    assert "'~no-such-user-here/lerim': there is no such home directory" == caught.value.message
    assert "write a full path" == caught.value.hint


# --- defaults and layers ----------------------------------------------------------------------------------------------


def test_defaults_hold_without_any_file(home):
    """With no file of their own, people get the documented defaults."""
    got = load(home, None, {}).settings

    assert ScopeMode.PROJECT_FALLBACK_GLOBAL is got.memory.scope
    assert (False, False, False) == (
        got.memory.separate_worktrees,
        got.memory.share_summaries,
        got.memory.share_traces,
    )
    assert settings.SourceSettings(30, (), (), settings.UnscopedPolicy.SKIP) == got.sources
    assert settings.RedactionSettings(()) == got.redaction
    assert settings.DecaySettings(180, 0.1, 0.2, 30) == got.decay
    assert settings.RoleSettings(Provider.EMBEDDED, "", "", 600, 10, ()) == got.roles.lead
    assert settings.RoleSettings(Provider.EMBEDDED, "", "", 300, 6, ()) == got.roles.explorer
    assert settings.RoleSettings(Provider.EMBEDDED, "", "", 600, 20, ()) == got.roles.extract
    assert settings.RoleSettings(Provider.EMBEDDED, "", "", 600, 10, ()) == got.roles.summarize
    assert settings.IngestSettings(EngineChoice.AUTO) == got.ingest
    assert settings.BudgetSettings(0, 0.0, 0, 0.0, 0, 0, 0.0, 0.0) == got.budget
    assert settings.TracingSettings(False, Exporter.FILE, "", False) == got.tracing
    assert settings.TrustSettings(()) == got.trust


def test_defaults_stand_in_one_place():
    """No dataclass repeats a default that default.toml states."""

    def defaulted(cls) -> list[str]:
        below = [name for f in fields(cls) if is_dataclass(f.type) for name in defaulted(f.type)]
        own = [f.name for f in fields(cls) if not f.default is f.default_factory is MISSING]
        return below + own

    assert [] == defaulted(settings.Settings)
    with pytest.raises(TypeError):
        settings.DecaySettings()


def test_every_setting_is_immutable(home):
    """Settings are read once; nobody changes them for somebody else."""
    got = load(home, None, {}).settings

    with pytest.raises(AttributeError):
        got.decay.floor = 0.5


def test_each_layer_overrides_the_one_below_key_by_key(home, repo, tmp_path):
    """A file changes the keys it names and leaves the rest of the table alone."""
    named = tmp_path / "ci.toml"
    (home / "config.toml").write_text('[decay]\nperiod_days = 90\ngrace_days = 7\n[roles.lead]\nmodel = "user"\n')
    trust(home, repo)
    (repo / ".lerim/config.toml").write_text('[decay]\ngrace_days = 8\n[roles.lead]\nprovider = "openai"\n')
    named.write_text("[decay]\nfloor = 0\n")

    got = load(home, repo, {"LERIM_CONFIG": str(named)})

    assert settings.DecaySettings(90, 0.0, 0.2, 8) == got.settings.decay
    assert settings.RoleSettings(Provider.OPENAI, "user", "", 600, 10, ()) == got.settings.roles.lead
    assert {
        "decay.period_days": Layer("user", home / "config.toml"),
        "decay.grace_days": Layer("project", repo / ".lerim/config.toml"),
        "decay.floor": Layer("LERIM_CONFIG", named),
        "decay.archive_threshold": Layer("default", PACKAGE / "default.toml"),
        "roles.lead.model": Layer("user", home / "config.toml"),
        "roles.lead.provider": Layer("project", repo / ".lerim/config.toml"),
    }.items() <= got.origins.items()


def test_a_list_is_replaced_not_extended(home, repo):
    """A project that names its own fallback models does not inherit the user's."""
    (home / "config.toml").write_text('[roles.lead]\nfallback_models = ["a", "b"]\n')
    trust(home, repo)
    (repo / ".lerim/config.toml").write_text('[roles.lead]\nfallback_models = ["c"]\n')

    assert ("c",) == load(home, repo, {}).settings.roles.lead.fallback_models


def test_projects_file_counts_only_in_the_project(home, repo):
    """Outside the project its file says nothing."""
    (repo / ".lerim/config.toml").write_text("[decay]\nperiod_days = 1\n")

    assert 180 == load(home, None, {}).settings.decay.period_days


def test_the_global_folder_is_not_read_as_a_project(tmp_path):
    """When project and home are the same folder its file is the user's, once."""
    home = tmp_path / ".lerim"
    home.mkdir()
    (home / "config.toml").write_text("[decay]\nperiod_days = 5\n")

    assert "user" == load(home, tmp_path, {}).origins["decay.period_days"].name
    assert "user" == load(home, home, {}).origins["decay.period_days"].name


def test_entries_list_every_setting_with_its_layer(home):
    """What `config show` prints: each key once, its value as one writes it, and who decided it."""
    (home / "config.toml").write_text('[roles.extract]\nfallback_models = ["a", "b"]\n[memory]\nshare_traces = true\n')

    entries = {entry.key: entry for entry in load(home, None, {}).entries()}

    assert [setting.key for setting in reference()] == list(entries)
    assert ('["a", "b"]', "user") == (
        entries["roles.extract.fallback_models"].text,
        entries["roles.extract.fallback_models"].layer.name,
    )
    assert ("true", "user") == (entries["memory.share_traces"].text, entries["memory.share_traces"].layer.name)
    assert ('"embedded"', "default") == (entries["roles.lead.provider"].text, entries["roles.lead.provider"].layer.name)
    assert ("0.1", "default") == (entries["decay.floor"].text, entries["decay.floor"].layer.name)


NUMBERS = {
    "decay.period_days": st.integers(1, 999),
    "decay.grace_days": st.integers(0, 999),
    "decay.floor": st.floats(0, 1),
    "roles.lead.max_iterations": st.integers(1, 99),
    "roles.explorer.max_iterations": st.integers(1, 99),
    "memory.share_traces": st.booleans(),
    "roles.lead.model": st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=5),
}


@given(st.lists(st.fixed_dictionaries({}, optional=NUMBERS), min_size=3, max_size=3))
def test_the_highest_layer_that_sets_a_key_wins(layers):
    """Whatever the files say, each value comes from the highest file that has it, and its origin names that file."""
    with tempfile.TemporaryDirectory() as folder:
        config, paths = load_layers(Path(folder), layers)

    for entry in config.entries():
        name, value = "default", None
        for layer, values in zip(paths, layers, strict=True):
            counts = layer != "project" or not entry.key.startswith("roles.")
            if entry.key in values and counts:
                name, value = layer, values[entry.key]
        assert name == entry.layer.name
        assert entry.layer == config.origins[entry.key]
        if name != "default":
            assert value == entry.value
            assert paths[name] == entry.layer.path


def load_layers(folder: Path, layers: list[dict[str, object]]) -> tuple[Config, dict[str, Path]]:
    home, repo = folder / "home", folder / "repo"
    paths = {
        "user": home / "config.toml",
        "project": repo / ".lerim" / "config.toml",
        "LERIM_CONFIG": folder / "named.toml",
    }
    for path, values in zip(paths.values(), layers, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{key} = {toml_text(value)}\n" for key, value in values.items()), "utf-8")
    return load(home, repo, {"LERIM_CONFIG": str(paths["LERIM_CONFIG"])}, trusted=True), paths


# --- what a project may say -------------------------------------------------------------------------------------------

CLONED = """
[decay]
period_days = 7
[roles.extract]
provider = "openai_compatible"
model = "m"
base_url = "https://elsewhere.example/v1"
[budget]
day_usd = 500
[tracing]
enabled = true
[ingest]
engine = "model"
[trust]
projects = ["/"]
"""
IN_VAIN = (
    *("roles.extract.provider", "roles.extract.model", "roles.extract.base_url"),
    *("budget.day_usd", "tracing.enabled", "ingest.engine"),
)


def test_a_cloned_repository_cannot_choose_models_or_spend(home, repo):
    """Where conversations go and what they cost is the user's to say; the rest counts in a project that is trusted."""
    file = repo / ".lerim/config.toml"
    file.write_text(CLONED)

    got = load(home, repo, {}, trusted=True)

    untouched = load(home, None, {}).settings
    assert 7 == got.settings.decay.period_days
    assert [getattr(untouched, name) for name in ("roles", "budget", "tracing", "ingest", "trust")] == [
        getattr(got.settings, name) for name in ("roles", "budget", "tracing", "ingest", "trust")
    ]
    assert tuple(Ignored(key, Layer("project", file)) for key in (*IN_VAIN, "trust.projects")) == got.ignored


@pytest.mark.parametrize("layer", ["user", "LERIM_CONFIG"])
def test_a_trusted_project_may_choose(home, repo, tmp_path, layer):
    """Once the user lists the folder, in either file of their own, only trust itself stays theirs."""
    named = tmp_path / "named.toml"
    env = {"LERIM_CONFIG": str(named)} if layer == "LERIM_CONFIG" else {}
    (named if env else home / "config.toml").write_text(f'[trust]\nprojects = ["/elsewhere", "{repo}"]\n')
    (repo / ".lerim/config.toml").write_text(CLONED)

    got = load(home, repo, env)

    assert ["trust.projects"] == [ignored.key for ignored in got.ignored]
    assert Provider.OPENAI_COMPATIBLE is got.settings.roles.extract.provider
    assert 500 == got.settings.budget.day_usd
    assert ("/elsewhere", str(repo)) == got.settings.trust.projects


def test_a_trusted_folder_may_begin_with_a_tilde(home, repo, tmp_path):
    """The tilde is the HOME of the environment that was passed in."""
    (home / "config.toml").write_text('[trust]\nprojects = ["~/repo"]\n')
    (repo / ".lerim/config.toml").write_text(CLONED)

    assert EngineChoice.MODEL is load(home, repo, {"HOME": str(tmp_path)}).settings.ingest.engine
    assert EngineChoice.AUTO is load(home, repo, {"HOME": str(home)}).settings.ingest.engine


def test_a_relative_path_trusts_nobody(home, repo, monkeypatch):
    """'.' would be whatever folder one happens to be in."""
    monkeypatch.chdir(repo)
    (home / "config.toml").write_text('[trust]\nprojects = [".", "../repo"]\n')
    (repo / ".lerim/config.toml").write_text(CLONED)

    assert EngineChoice.AUTO is load(home, repo, {}).settings.ingest.engine


def test_trusting_one_project_trusts_no_other(home, repo, tmp_path):
    """Neither the folder above nor one within counts."""
    (home / "config.toml").write_text(f'[trust]\nprojects = ["{tmp_path}", "{repo}/.lerim"]\n')
    (repo / ".lerim/config.toml").write_text(CLONED)

    assert len(IN_VAIN) + 1 == len(load(home, repo, {}, trusted=True).ignored)


def test_every_setting_has_somebody_who_may_set_it():
    """A new one that nobody thought about is no project's to set; each row of the page says the same as the code."""
    page = PAGE.read_text("utf-8")
    rows = dict(re.findall(r"^\| `([a-z_.*]+)` \| (never|always|when trusted|when named)", page, re.MULTILINE))
    words = {
        TrustLevel.STRANGER: "always",
        TrustLevel.TRUSTED: "when trusted",
        TrustLevel.NAMED: "when named",
        TrustLevel.NOBODY: "never",
    }

    for setting in reference():
        fitting = [key for key in rows if setting.key.startswith(key.removesuffix("*"))]
        assert words[may_set(setting.key)] == rows[max(fitting, key=len)], setting.key


def test_a_stranger_may_only_hide_more(home, repo):
    """Of all that a file can set, one key counts in a project that nobody trusts."""
    (repo / ".lerim/config.toml").write_text(
        '[memory]\nscope = "global_only"\nshare_traces = true\nshare_summaries = true\nseparate_worktrees = true\n'
        "[decay]\nperiod_days = 1\n[sources]\nwindow_days = 0\n[embeddings]\nenabled = false\n"
        "[redaction]\npatterns = ['x-[0-9]+']\n"
    )

    got = load(home, repo, {})

    untouched = load(home, None, {}).settings
    assert replace(untouched, redaction=got.settings.redaction) == got.settings
    assert ("x-[0-9]+",) == got.settings.redaction.patterns
    assert 7 == len(got.ignored)


@pytest.mark.parametrize(
    ("engine", "provider", "expected"),
    [
        ("auto", "embedded", EngineChoice.EMBEDDED),
        ("auto", "ollama", EngineChoice.MODEL),
        ("embedded", "ollama", EngineChoice.EMBEDDED),
        ("rlm", "ollama", EngineChoice.RLM),
    ],
)
def test_auto_is_decided_by_the_model_of_extract(home, engine, provider, expected):
    """With a model there is somebody to ask; whoever names an engine gets it."""
    (home / "config.toml").write_text(f'ingest.engine = "{engine}"\nroles.extract.provider = "{provider}"\n')

    assert expected is load(home, None, {}).settings.engine


# --- what is refused --------------------------------------------------------------------------------------------------


def test_an_unknown_key_is_answered_with_the_nearest_one(home):
    """A typing slip names file, line and key, and what was probably meant."""
    error = refused(home, "# mine\n[decay]\nfloor = 0.1\nperiod_day = 90\n")

    assert f"{home}/config.toml:4: key 'decay.period_day': unknown key" == error.message
    assert "did you mean 'decay.period_days'?" == error.hint
    assert 2 == error.exit_code


@pytest.mark.parametrize(
    ("text", "line", "key", "hint"),
    [
        ("period_days = 3", 1, "period_days", "did you mean 'decay.period_days'?"),
        ('[decay]\nmodel = "x"', 2, "decay.model", "did you mean 'roles.lead.model'?"),
        ('"memory.scope" = "project_only"', 1, '"memory.scope"', "did you mean 'memory.scope'?"),
        ("[roles.lead]\nmax_tokens = 4096", 2, "roles.lead.max_tokens", "did you mean 'roles.lead.max_iterations'?"),
        (
            "[decay]\nhalf = 3",
            2,
            "decay.half",
            "the table [decay] has period_days, floor, archive_threshold, grace_days",
        ),
        ('color = "red"', 1, "color", "delete it; docs/config.md lists every key"),
    ],
)
def test_an_unknown_key_gets_a_useful_hint(home, text, line, key, hint):
    """Wrong table, quoted path or pure invention: the hint fits the slip."""
    error = refused(home, text)

    assert f"{home}/config.toml:{line}: key '{key}': unknown key" == error.message
    assert hint == error.hint


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ("[decays]\nfloor = 0.1", "decays", "did you mean 'decay'?"),
        ('[roles.led]\nmodel = "x"', "roles.led", "did you mean 'roles.lead'?"),
        ('[role.lead]\nmodel = "x"', "role", "did you mean 'roles'?"),
        (
            "[network]\nport = 1",
            "network",
            "choose one of roles, memory, sources, redaction, profile, decay, "
            "roles.lead, roles.explorer, roles.extract, roles.summarize, ingest, budget, tracing, "
            "trust, embeddings, backup, helper, daemon, views, slo, mcp, storage",
        ),
    ],
)
def test_an_unknown_table_is_refused(home, text, key, hint):
    """A table nobody reads would silently do nothing."""
    error = refused(home, "\n" + text)

    assert f"{home}/config.toml:2: key '{key}': unknown table" == error.message
    assert hint == error.hint


@pytest.mark.parametrize(
    ("key", "value", "expected", "got", "hint"),
    [
        ("memory.share_traces", '"yes"', "a boolean", "a string", "write true or false, without quotes"),
        ("memory.share_traces", "1", "a boolean", "an integer", "write true or false, without quotes"),
        (
            "decay.period_days",
            '"180"',
            "an integer from 1 to 365000",
            "a string",
            "write a whole number, without quotes or a decimal point",
        ),
        (
            "decay.period_days",
            "true",
            "an integer from 1 to 365000",
            "a boolean",
            "write a whole number, without quotes or a decimal point",
        ),
        (
            "decay.period_days",
            "180.0",
            "an integer from 1 to 365000",
            "a float",
            "write a whole number, without quotes or a decimal point",
        ),
        ("decay.floor", "false", "a number from 0 to 1", "a boolean", "write a number such as 0.5, without quotes"),
        ("decay.floor", "2026-01-01", "a number from 0 to 1", "a date or time", "write a number such as 0.5, without"),
        ("roles.lead.model", "4", "a string", "an integer", 'write text in quotes, such as "text"'),
        (
            "roles.lead.fallback_models",
            '"a"',
            "a list of strings",
            "a string",
            'write strings in brackets, such as ["first", "second"]',
        ),
        (
            "roles.lead.fallback_models",
            '["a", 1]',
            "a list of strings",
            "a list that holds an integer",
            'write strings in brackets, such as ["first", "second"]',
        ),
        ("decay", "3", "a table", "an integer", "start a table with [decay]"),
        ("decay.floor", "{ low = 1 }", "a number from 0 to 1", "a table", "write a number such as 0.5, without quotes"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(home, key, value, expected, got, hint):
    """The message says what was expected and what was found; the hint how to write it."""
    error = refused(home, f"# settings\n{key} = {value}\n")

    assert f"{home}/config.toml:2: key '{key}': expected {expected}, got {got}" == error.message
    assert error.hint is not None
    assert error.hint.startswith(hint)


@pytest.mark.parametrize(
    ("key", "value", "low", "high"),
    [
        ("decay.period_days", "0", 1, 365000),
        ("decay.grace_days", "-1", 0, 365000),
        ("decay.floor", "1.5", 0, 1),
        ("decay.floor", "nan", 0, 1),
        ("decay.archive_threshold", "-0.1", 0, 1),
        ("roles.explorer.timeout_seconds", "0", 1, 604800),
        ("roles.extract.max_iterations", "0", 1, 10000),
    ],
)
def test_a_number_out_of_range_is_refused(home, key, value, low, high):
    """The message names the range and the number."""
    error = refused(home, f"{key} = {value}\n")

    assert error.message.startswith(f"{home}/config.toml:1: key '{key}': expected a")
    assert error.message.endswith(f" from {low} to {high}, got {value}")
    assert f"choose a value from {low} to {high}" == error.hint


def test_a_number_of_thousands_of_digits_is_refused(home):
    """Neither the check nor its message stumbles over an absurd number."""
    assert "got a much larger one" in refused(home, f"decay.floor = {10**4000}").message
    assert ":1: not valid TOML: a number too long" in refused(home, "decay.floor = 1" + "0" * 5000).message


@pytest.mark.parametrize("value", ["1", "0"])
def test_a_whole_number_is_fine_where_a_fraction_is_asked(home, value):
    """Zero and one need no decimal point, and arrive as fractions."""
    (home / "config.toml").write_text(f"[decay]\nfloor = {value}\n")

    floor = load(home, None, {}).settings.decay.floor

    assert float(value) == floor
    assert float is type(floor)


def test_a_floor_above_the_threshold_is_allowed(home):
    """It says that nothing is archived for its age, which people may want."""
    (home / "config.toml").write_text("[decay]\nfloor = 0.9\n")

    assert 0.9 == load(home, None, {}).settings.decay.floor


@pytest.mark.parametrize(
    ("key", "value", "choices", "got", "hint"),
    [
        (
            "memory.scope",
            '"project"',
            "project_fallback_global, project_only, global_only",
            "another string",
            "did you mean 'project_only'?",
        ),
        (
            "roles.lead.provider",
            '"opnai"',
            PROVIDERS,
            "another string",
            "did you mean 'openai'?",
        ),
        (
            "roles.lead.provider",
            "true",
            PROVIDERS,
            "a boolean",
            f"choose one of {PROVIDERS}",
        ),
    ],
)
def test_an_invalid_choice_is_answered_with_the_valid_ones(home, key, value, choices, got, hint):
    """The message lists every choice; the hint the likely one."""
    error = refused(home, f"\n\n{key} = {value}")

    assert f"{home}/config.toml:3: key '{key}': expected one of {choices}; got {got}" == error.message
    assert hint == error.hint


@pytest.mark.parametrize("provider", list(Provider))
def test_every_provider_can_be_chosen(home, provider):
    """All the documented providers are accepted."""
    (home / "config.toml").write_text(f'[roles.lead]\nprovider = "{provider}"\n')

    assert provider is load(home, None, {}).settings.roles.lead.provider


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:8080", "https://models.example/v1/", "http://[::1]:1/x"])
def test_an_address_is_taken(home, address):
    """A host with or without port and path; nothing for the provider's own."""
    (home / "config.toml").write_text(f'roles.lead.base_url = "{address}"\ntracing.endpoint = "{address}"\n')

    got = load(home, None, {}).settings

    assert address == got.roles.lead.base_url == got.tracing.endpoint


@pytest.mark.parametrize(
    "address", ["models.example", "ftp://models.example", "https://", "https:///v1", "https://a b", "https://a/?k=v"]
)
def test_what_is_no_address_is_refused(home, address):
    """It is not repeated: what was meant to be an address may turn out to be somebody's key."""
    error = refused(home, f'[roles.lead]\nbase_url = "{address}"\n')

    assert f"{home}/config.toml:2: key 'roles.lead.base_url': expected an address" == error.message
    assert 'write it as "https://host/path"' == error.hint


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(unclosed", "is no regular expression: missing ): (unclosed"),
        (r"(?<=badge )\d+", "looks around, which is not supported"),
        (r"(\d)\1", "refers back to a group, which is not supported"),
        (r"\d+\Z", r"has \Z, which is written \z here"),
    ],
)
def test_a_redaction_pattern_that_cannot_be_searched_for_is_refused(home, pattern, problem):
    """With its place, its text and what is wrong with it, before any trace is read."""
    error = refused(home, f"[redaction]\npatterns = ['fine', '{pattern}']\n")

    assert f"{home}/config.toml:2: key 'redaction.patterns': the pattern {pattern!r} {problem}" == error.message
    assert "RE2" in error.hint


# --- API keys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "variables"),
    [
        ("api_key", ALL_VARIABLES),
        ("apiKey", ALL_VARIABLES),
        ("access-token", ALL_VARIABLES),
        ("client_secret", ALL_VARIABLES),
        ("password", ALL_VARIABLES),
        ("OPENAI_API_KEY", "OPENAI_API_KEY"),
        ("zai_api_key", "ZAI_API_KEY"),
        ("roles.lead.api_key", ALL_VARIABLES),
    ],
)
def test_a_key_named_like_a_secret_is_refused(home, key, variables):
    """Files get shared; keys belong in the environment. The value is not repeated."""
    error = refused(home, f'\n{key} = "hunter2-hunter2"\n')

    assert f"{home}/config.toml:2: key '{key}': API keys are read from the environment only" == error.message
    assert f"set {variables} in the environment and delete this line" == error.hint


@pytest.mark.parametrize(
    ("value", "variables"),
    [
        ("sk-ant-REDACTED", "ANTHROPIC_API_KEY"),
        ("sk-or-v1-0123456789abcdef", "OPENROUTER_API_KEY"),
        ("sk-proj-0123456789abcdef", ALL_VARIABLES),
        ("ghp_0123456789abcdefghij", ALL_VARIABLES),
        ("AIzaSyA0123456789abcdef", ALL_VARIABLES),
        ("Bearer sk-0123456789abcdef", ALL_VARIABLES),
        ("0123456789abcdef0123456789abcdef.AbCdEfGh12345678", ALL_VARIABLES),
    ],
)
@pytest.mark.parametrize("written", ['model = "{}"', 'fallback_models = ["x", "{}"]', 'provider = "{}"', 'note = "{}"'])
def test_a_value_that_looks_like_a_key_is_refused(home, value, variables, written):
    """A key pasted into the wrong setting is caught by its looks, in lists and unknown keys too."""
    error = refused(home, "[roles.lead]\n" + written.format(value))

    key = "roles.lead." + written.split()[0]
    assert f"{home}/config.toml:2: key '{key}': API keys are read from the environment only" == error.message
    assert f"set {variables} in the environment and delete this line" == error.hint


def test_the_hint_follows_the_provider_beside_the_key(home):
    """Whoever configures a provider is told that provider's variable."""
    error = refused(home, '[roles.extract]\nprovider = "openrouter"\napi_key = "x"\n')

    assert f"{home}/config.toml:3: key 'roles.extract.api_key'" in error.message
    assert "set OPENROUTER_API_KEY in the environment and delete this line" == error.hint


@pytest.mark.parametrize("key", ["roles.lead.base_url", "tracing.endpoint"])
@pytest.mark.parametrize("user", ["ada:hunter2", "ada", ":hunter2"])
def test_an_address_with_a_password_is_refused(home, key, user):
    """A user or password before the host is a secret like any other."""
    error = refused(home, f'{key} = "https://{user}@models.example/v1"\n')

    assert f"{home}/config.toml:1: key '{key}': API keys are read from the environment only" == error.message
    assert "hunter2" not in str(error.hint)


def test_a_budget_in_quotes_is_no_secret(home):
    """A setting that counts tokens is told how to write a number, not that keys belong in the environment."""
    error = refused(home, '[budget]\nday_tokens = "5"\n')

    assert "write a whole number, without quotes or a decimal point" == error.hint


def test_a_secret_in_place_of_a_key_is_not_repeated(home):
    """Even a secret on the wrong side of the equals sign stays out of the message."""
    error = refused(home, 'roles."sk-ant-REDACTED" = "x"')

    assert f"{home}/config.toml:1: key 'roles.…': API keys are read from the environment only" == error.message


@pytest.mark.parametrize("model", ["gpt-5-mini", "x-ai/grok-4.1-fast", "qwen3:32b", "claude-sonnet-4", "task-model-x1"])
def test_names_of_models_are_not_taken_for_keys(home, model):
    """Real model names pass."""
    (home / "config.toml").write_text(f'[roles.lead]\nmodel = "{model}"\nfallback_models = ["{model}"]\n')

    assert model == load(home, None, {}).settings.roles.lead.model


# --- files that cannot be read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("[decay]\nfloor =\n", 2, "Invalid value"),
        ("[decay\nfloor = 1\n", 1, "Expected ']' at the end of a table declaration"),
        ("[decay]\nfloor = 0.1\nfloor = 0.2\n", 3, "Cannot overwrite a value"),
        ('\n\nmodel = "open', 3, "Unterminated string"),
    ],
)
def test_a_syntax_error_names_its_line(home, text, line, problem):
    """A file that is no TOML is reported with the place the parser stopped."""
    error = refused(home, text)

    assert f"{home}/config.toml:{line}: not valid TOML: {problem}" == error.message
    assert "correct the line, or delete it" == error.hint


def test_brackets_without_end_are_a_syntax_error(home):
    """Nesting deeper than the parser goes is an error like any other, not a crash."""
    assert f"{home}/config.toml:1: not valid TOML" in refused(home, "x = " + "[" * 20_000).message


def test_text_that_is_not_utf8_names_its_line(home):
    """A file in another encoding is reported where it stops being UTF-8."""
    error = refused(home, b"[decay]\n# fine\n# M\xfcnchen\n")

    assert f"{home}/config.toml:3: not UTF-8 text" == error.message
    assert "save the file as UTF-8" == error.hint


def test_byte_order_mark_and_windows_line_ends_are_fine(home):
    """What some editors add does not matter, and lines are still counted right."""
    (home / "config.toml").write_bytes(b"\xef\xbb\xbf[decay]\r\nperiod_days = 9\r\n")

    assert 9 == load(home, None, {}).settings.decay.period_days
    assert ":3: key 'decay.flor'" in refused(home, b"\xef\xbb\xbf[decay]\r\n\r\nflor = 9\r\n").message


def test_a_folder_in_place_of_a_file_is_refused(home):
    """What is there but cannot be read is not treated as absent."""
    (home / "config.toml").mkdir()

    with pytest.raises(ConfigError) as caught:
        load(home, None, {})

    assert f"{home}/config.toml is a folder" == caught.value.message
    assert f"move it away: mv {home}/config.toml {home}/config.toml.away" == caught.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(home):
    """A user who locked the file learns why the settings are not in force."""
    (home / "config.toml").write_text("")
    (home / "config.toml").chmod(0)

    with pytest.raises(ConfigError, match=r"config\.toml: cannot be read: Permission denied"):
        load(home, None, {})


def test_a_file_where_the_home_should_be_has_no_settings(tmp_path):
    """Settings still load; whoever needs the folder reports it."""
    (tmp_path / "file").write_text("")

    assert 180 == load(tmp_path / "file", None, {}).settings.decay.period_days


def test_a_missing_file_named_by_lerim_config_is_refused(home, tmp_path):
    """Whoever names a file wants it read; running without it would surprise."""
    with pytest.raises(ConfigError) as caught:
        load(home, None, {"LERIM_CONFIG": str(tmp_path / "gone.toml")})

    assert f"{tmp_path}/gone.toml: the file LERIM_CONFIG names does not exist" == caught.value.message
    assert "create the file, or unset LERIM_CONFIG" == caught.value.hint


def test_an_error_names_the_layers_own_file(home, repo):
    """With several files, the message points at the one that is wrong."""
    (home / "config.toml").write_text("[decay]\nfloor = 0.1\n")
    (repo / ".lerim/config.toml").write_text("\n[decay]\nfloor = 7\n")

    with pytest.raises(ConfigError) as caught:
        load(home, repo, {})

    assert caught.value.message.startswith(f"{repo}/.lerim/config.toml:3: key 'decay.floor'")


# --- lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[roles.lead]\nmodle = 1", 2),
        ("roles.lead.modle = 1", 1),
        ("[roles]\n\nlead.modle = 1", 3),
        ("[roles]\nlead = { timeout_seconds = 9, modle = 1 }", 2),
        ('["roles"."lead"]\n"modle" = 1', 2),
        ("[ roles . 'lead' ] # the lead\n# modle = 0\nmodle = 1", 3),
        ("[roles.explorer]\nmodel = 'modle = 1'\n[roles.lead]\nmodle = 1", 4),
        ('[roles.lead]\nmodel = """\n[roles.lead]\nmodle = 1\n"""\nmodle = 1', 6),
        ("[roles.lead]\nfallback_models = [\n 'modle',\n # ]\n]\nmodle = [\n1]", 6),
        ("  [roles.lead]\n\tmodle = 1", 2),
        ("[roles.lead]\nmodel = '\u2028'\nmodle = 1", 3),
    ],
)
def test_the_line_is_the_one_that_sets_the_key(home, text, line):
    """However TOML lets one write it, the message points at the line to change."""
    error = refused(home, text)

    assert f"{home}/config.toml:{line}: key 'roles.lead.modle': unknown key" == error.message


def test_a_key_inside_a_list_of_tables_points_at_the_list(home):
    """Where no line sets the key by itself, the line of what holds it has to do."""
    error = refused(home, '\n[[extra]]\n[[extra]]\n[other]\nlist = [\n  { api_key = "x" },\n]\n')

    assert f"{home}/config.toml:5: key 'other.list.api_key'" in error.message


def test_a_statement_of_a_thousand_lines_does_not_stall_the_message(home):
    """Past a limit the search stops and names the last line it is sure of."""
    error = refused(home, "[roles.lead]\nmodel = '''\n" + "text\n" * 5000 + "'''\nmodle = 1\n")

    assert f"{home}/config.toml:1: key 'roles.lead.modle'" in error.message


# --- the reference page and the start-up ------------------------------------------------------------------------------


def test_every_setting_is_documented_beside_its_field():
    """Each key has a sentence, a type and a default, once."""
    found = reference()

    assert len({setting.key for setting in found}) == len(found) == 51 + 6 * len(ROLES)
    assert all(setting.doc.endswith(".") and setting.type and setting.default for setting in found)


def test_the_reference_page_is_complete():
    """docs/config.md has a row for every key with its default and its meaning, and names every variable."""
    page = PAGE.read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("|")]

    missing = [s.key for s in reference() if not any(documents(row, s) for row in rows)]

    assert [] == missing
    assert [] == [
        name
        for name in ("LERIM_HOME", "LERIM_CONFIG", *settings.API_KEYS.values(), *settings.OPTIONAL_API_KEYS.values())
        if f"`{name}`" not in page
    ]
    assert [] == [choice for choice in (*Provider, *ScopeMode, *EngineChoice, *Exporter) if f"`{choice}`" not in page]


def documents(row: str, setting: settings.Setting) -> bool:
    return all(text in row for text in (f"`{setting.key}`", f"`{setting.default}`", setting.doc))


def test_the_reference_pages_example_is_a_valid_file(home):
    """The example can be copied as it stands."""
    example = PAGE.read_text("utf-8").split("```toml\n")[1].split("```")[0]
    (home / "config.toml").write_text(example)

    assert "user" in {entry.layer.name for entry in load(home, None, {}).entries()}


def test_the_reference_page_shows_real_errors(home):
    """Every error on the page is what the tool says about the line shown with it."""
    shown = PAGE.read_text("utf-8").split("```console\n")[1].split("```")[0].strip().split("\n\n")

    for block in shown:
        written, message, hint = block.split("\n")
        table, line = written.removeprefix("# ").split("  ")
        error = refused(home, f"{table}\n{line}\n")
        assert message == error.message.replace(str(home), "~/.lerim")
        assert hint == f"hint: {error.hint}"


def test_importing_the_settings_loads_nothing_heavy():
    """Every command pays for this import, so parsers and helpers wait until they are needed."""
    code = "import sys, lerim.config.settings; print(*sys.modules)"
    env = {"PYTHONPATH": str(PACKAGE.parents[1]), "PATH": os.environ["PATH"]}

    loaded = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout

    assert set() == set(loaded.split()) & {"tomllib", "difflib", "json", "pydantic", "yaml", "subprocess", "asyncio"}


def test_a_link_to_what_is_never_opened_is_what_is_to_be_moved(tmp_path):
    """Not what it leads to: that may be the system's."""
    path = tmp_path / "config.toml"
    path.symlink_to("/dev/zero")

    with pytest.raises(UnsafePath) as refused:
        read_own(path, 1000)

    assert f"mv {path} {path}.away" in (refused.value.hint or "")
    assert "mv /dev/zero" not in (refused.value.hint or "")
    assert f"{path} leads to /dev/zero" in refused.value.message


def test_nobody_is_told_to_move_a_device(tmp_path):
    with pytest.raises(UnsafePath) as refused:
        read_own(Path("/dev/zero"), 1000)

    assert "mv" not in (refused.value.hint or "")


def test_a_pipe_that_lies_there_is_to_be_moved_away(tmp_path):
    path = tmp_path / "config.toml"
    os.mkfifo(path)

    with pytest.raises(UnsafePath) as refused:
        read_own(path, 1000)

    assert f"mv {path} {path}.away" in (refused.value.hint or "")
