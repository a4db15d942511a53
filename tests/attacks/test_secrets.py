"""Planted secrets and near-misses: few are kept, and nothing else is touched."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from lerim.sources import secret_hints as hints
from lerim.sources.redact import Redactor
from lerim.sources.secret_hints import suspected

from . import fresh_secrets, leaky_sessions, leaky_sessions_later
from . import near_misses as near
from . import planted_secrets as secrets

WHOLE = pytest.param(40, marks=pytest.mark.drill)
SEEDS = (1, 2)


def _kept(planted: list) -> list:
    redactor = Redactor(b"salt")
    kept = [item for item in planted if item.is_left(redactor.clean(item.text))]
    print(f"{len(kept)} of {len(planted)} kept")
    for item in kept:
        print(f"  {item.kind}: {item.text!r}")
    return kept


def test_the_corpus_is_as_large_as_it_claims():
    """At least 2,500 secrets of 60 kinds, and 500 near-misses."""
    assert len(secrets.KINDS) >= 60
    assert 40 * len(secrets.KINDS) >= 2_500
    assert len(set(near.near_misses(1, 6))) >= 500


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("per_kind", [4, WHOLE])
def test_few_planted_secrets_are_kept(per_kind, seed):
    """Over all kinds at most four in a hundred, and of no kind a third."""
    planted = list(secrets.planted(seed, per_kind))
    kept = _kept(planted)

    assert len(kept) <= 0.04 * len(planted)
    many = Counter(item.kind for item in kept)
    assert per_kind < 40 or [] == [kind for kind, count in many.items() if count > per_kind / 3]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("per_kind", [10, WHOLE])
def test_few_secrets_of_kinds_written_later_are_kept(per_kind, seed):
    """Carriers that the rules were not written for."""
    planted = list(secrets.later(seed, per_kind))

    assert len(_kept(planted)) <= 0.08 * len(planted)


@pytest.mark.parametrize("per_kind", [3, WHOLE])
def test_what_was_cleaned_is_clean_and_json_stays_json(per_kind):
    """Cleaning again changes nothing, and a document of JSON can still be read."""
    redactor = Redactor(b"salt")
    for item in [*secrets.planted(3, per_kind), *secrets.later(3, per_kind)]:
        cleaned = redactor.clean(item.text)
        assert cleaned == redactor.clean(cleaned)
        if _is_json(item.text):
            assert _is_json(cleaned), (item.text, cleaned)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_near_misses_stay_as_they_are():
    """Hashes, ids, placeholders, code, counts, paths, public keys, and prose about passwords."""
    redactor = Redactor(b"salt")
    lines = list(near.near_misses(1, 6))

    assert [] == [line for line in lines if redactor.clean(line) != line]
    text = "\n".join(lines)
    assert text == redactor.clean(text)


def test_near_misses_pass_the_stricter_gate_too():
    """A memory that speaks of passwords, hashes and ids is not masked."""
    assert [] == [(line, suspected(line)) for line in near.near_misses(2, 6) if suspected(line)]


SAID = [
    "The staging password is swordfish.",
    'password: "correct horse battery staple"',
    "Use hunter2 for the db",
    "PIN 4711",
    "the pin is 0815",
    "Die PIN ist 4711",
    "your verification code is 481516",
    "one-time code: 123-456",
    "Bestätigungscode 482913",
    "code de vérification : 482913",
    "código de verificación es 482913",
    "код подтверждения: 482913",
    "验证码：482913",
    "인증번호 482913",
    "認証コード：482913",
    "das Passwort ist geheimnis",
    "le mot de passe est tournesol",
    "la contraseña es girasol",
    "wachtwoord: zonnebloem",
    "nimm sommer99 für die Datenbank",
    "recovery code: abcd1-efgh2",
    "the box answers to kJ8mN2pQ4rS6tU8vW0xY2zA4 only",
]


@pytest.mark.parametrize("text", SAID)
def test_the_stricter_gate_believes_the_user(text):
    """What somebody calls a password, a PIN or a code is one, whatever it looks like."""
    assert suspected(text)


HONEST = [
    "Passwords are hashed with argon2id; the password is never logged.",
    "The password is stored in the vault under kv/app/db.",
    "Use sqlite3 for the database, and python3 on the server.",
    "Use utf8mb4 for the database.",
    "Tokens expire after 3600 seconds; the token is refreshed by the client.",
    "Ask for the PIN in step 2 of 4.",
    "Port 5432 is for the database, 6379 for Redis.",
    "Pin pytest to 8.3.4, and ruff to 0.8.1.",
    "The commit is 9fceb02d0ae598e95dc970b74767f19372d61af8.",
    "The error code is 403 and the exit code 137.",
    "Run `pytest -p no:cacheprovider`; the cache folder is on NFS.",
    "Use the access code path in AuthCodeFlowHandlerFactory.",
    "The password field is `password_confirmation`.",
    "password: required, at least 12 characters",
    "Set `DB_PASSWORD` in the environment; see docs/config.md.",
    "Das Passwort ist [redacted:password:5a3b1c], bitte nicht loggen.",
]


@pytest.mark.parametrize("text", HONEST)
def test_the_stricter_gate_leaves_honest_memories_alone(text):
    """What speaks of secrets without telling one is not touched."""
    assert [] == suspected(text)


# --- Sessions as developers have them ---------------------------------------------------------------------------------


def _left(planted: list) -> list:
    redactor = Redactor(b"salt")
    cleaned = {item.text: redactor.clean(item.text) for item in planted}
    return [item for item in planted if item.secret in cleaned[item.text]]


@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.drill)])
@pytest.mark.parametrize("corpus", [leaky_sessions.leaks, leaky_sessions_later.later])
def test_few_of_the_secrets_that_sessions_spill_are_kept(corpus, rounds):
    """In commands, files, code, tables and talk of many languages: at most eight in a hundred."""
    planted = corpus(seed=7, rounds=rounds)
    left = _left(planted)
    print(Counter(item.kind for item in left))

    assert len(left) <= 0.08 * len(planted)


@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.drill)])
def test_few_secrets_of_everyday_work_are_kept(rounds):
    """Written without a look at the rules: at most eight in a hundred can still be read, or half of them."""
    redactor = Redactor(b"salt")
    planted = list(fresh_secrets.fresh(rounds=rounds))
    kept = [item for item in planted if item.kept(redactor.clean(item.text))]
    print(Counter(item.kind for item in kept))

    assert len(planted) == 250 * rounds
    assert all(item.kept(item.text) for item in planted)
    assert len(kept) <= 0.08 * len(planted)


BESIDE = [
    "ADMIN_TOKEN=$TOKEN&&make deploy",
    "https://deploy-bot:{password}@git.example.org/team/app.git",
    'requests.get(url, cookies={"consent": "accepted-by-default"})',
    "password: passwordConfirmationFieldFactory",
    "the tests are in password_Base64EncoderSpec.js and password_reset_form.py",
    "use the passphrase end-to-end only",
    "the admin login is broken, see the ticket",
    "| Environment | Secret key |\n|---|---|\n| prod | rotated in May |",
    "2026-11-03T10:11:12+00:00",
]


@pytest.mark.parametrize("text", BESIDE)
def test_what_stands_where_such_secrets_do_is_left_alone(text):
    """Names, placeholders and talk in the carriers of everyday work."""
    assert text == Redactor(b"salt").clean(text)


def test_the_spilled_secrets_are_as_many_as_they_claim():
    """Seventy kinds, almost eight hundred secrets, all different."""
    planted = [*leaky_sessions.leaks(), *leaky_sessions_later.later()]

    assert len({item.kind for item in planted}) >= 70
    assert len({item.secret for item in planted}) >= 700


@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.drill)])
def test_what_only_looks_spilled_is_left_alone(rounds):
    """Digests, ids, versions, placeholders, code, and talk about secrets that tells none."""
    redactor = Redactor(b"salt")
    texts = leaky_sessions.harmless(seed=7, rounds=rounds)

    assert len(leaky_sessions.HARMLESS) >= 150
    assert [] == [(text, redactor.clean(text)) for text in texts if redactor.clean(text) != text]


@pytest.mark.parametrize("per_kind", [2, WHOLE])
def test_one_pass_passes_over_no_text_that_says_a_secret(per_kind):
    """What the first look lets go by, none of the closer looks would have taken: in any case, and with signs put in."""
    dice = random.Random(7)
    texts = [item.text for item in (*secrets.planted(3, per_kind), *secrets.later(3, per_kind))]
    texts += [
        *near.near_misses(3, 2),
        "The password is swordfish.",
        "use hunter22 for the db",
        "my PIN: 4821",
        "OTP 123-456",
    ]
    for text in list(texts):
        at = dice.randrange(len(text) + 1)
        texts += [text.upper(), text[:at] + dice.choice(" -_'1éſıİK") + text[at:]]

    told = [text for text in texts if any((*hints._said(text), *hints._used(text), *hints._numbers(text)))]
    assert told
    assert [] == [text for text in told if hints._SAYS not in hints._hints().standing_in(text)]
    random_words = [text for text in texts if any(hints._random(text))]
    assert random_words
    assert [] == [text for text in random_words if hints._HAS_LONG_WORD not in hints._hints().standing_in(text)]
