"""Who decides on a thing says nothing of whether the thing stays, and a name is no subject."""

from __future__ import annotations

import pytest

from lerim.text.bearing import Bearing, judge
from lerim.text.deciders import deciders
from lerim.text.statements import statement
from lerim.text.stems import stem


def bearing(earlier: str, later: str) -> Bearing:
    return judge(statement(later, ""), statement(earlier, "")).bearing


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Nora decides the discounts, Emil does the mailings", {"nora"}),
        ("Carla Ruiz approves every schema change", {"carla", "ruiz"}),
        ("The quota is decided by Henrik", {"henrik"}),
        ("Selma entscheidet über die Preise", {"selma"}),
        ("Über die Preise entscheidet Selma", {"selma"}),
        ("Bei großen Rabatten entscheidet immer der Vertrieb", {"vertrieb"}),
        ("Sobre los descuentos decide Ramón", {"ramón"}),
        ("C'est Amélie qui décide des tarifs", {"amélie"}),
        ("We decide on Friday", set()),
        ("Who approves this?", set()),
    ],
)
def test_names_of_whoever_decides_are_found(title: str, names: set[str]) -> None:
    assert {stem(name) for name in names} <= deciders(title)
    assert names or not deciders(title)


@pytest.mark.parametrize(
    ("title", "matter"),
    [
        ("Über die Preise entscheidet Selma", "preise"),
        ("Bei großen Rabatten entscheidet immer der Vertrieb", "rabatten"),
        ("Sobre los descuentos decide Ramón", "descuentos"),
    ],
)
def test_what_is_decided_on_decides_nothing(title: str, matter: str) -> None:
    assert stem(matter) not in deciders(title)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nora decides which Grafana boards are public, nobody opens one without her", "We stay with Grafana"),
        ("Emil owns the RabbitMQ queues, don't create any without him", "RabbitMQ stays"),
        ("The security team approves every Vault policy", "We keep Vault"),
        ("Selma entscheidet über die Jenkins-Jobs", "Wir bleiben bei Jenkins"),
        ("RabbitMQ stays", "RabbitMQ queues are made by the platform team"),
    ],
)
def test_who_decides_is_not_the_same_as_what_stays(one: str, other: str) -> None:
    assert Bearing.DUPLICATE not in (bearing(one, other), bearing(other, one))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use pnpm", "We use pnpm"),
        ("Install packages with pnpm", "We use pnpm"),
        ("We stay with Grafana for the dashboards", "We stay with Grafana"),
        ("Nora decides the discounts, Emil does the mailings", "Nora decides the discounts"),
    ],
)
def test_the_same_is_still_the_same(earlier: str, later: str) -> None:
    assert bearing(earlier, later) is Bearing.DUPLICATE


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "Henrik Moe decides about the tariffs, always ask him",
            "Henrik came back to us: the report goes out at 7 instead of 9",
        ),
        ("Carla approves the releases", "Carla wants the logs kept for 60 days instead of 30"),
        ("Amélie said the exports are monthly", "Amélie wants tabs instead of spaces"),
    ],
)
def test_a_name_alone_is_no_common_subject(earlier: str, later: str) -> None:
    assert bearing(earlier, later) is Bearing.UNRELATED


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Carla wants the logs kept for 30 days", "Carla wants the logs kept for 60 days"),
        ("Releases need an approval by Carla", "Releases need no approval by Carla anymore"),
    ],
)
def test_what_the_same_person_says_of_the_same_thing_replaces_it(earlier: str, later: str) -> None:
    assert bearing(earlier, later).replaces
