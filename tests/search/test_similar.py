"""What is near to a text: found by its words, however much else is known, and nothing that does not hold."""

from __future__ import annotations

import pytest

from lerim.context.place import Place
from lerim.context.records import Draft, Kind, Primitive, Record
from lerim.search.similar import similar, titled

from ..samples import sampled


def remember(place: Place, *titles: str, body: str = "", primitive: Primitive = Primitive.DECISION) -> list[Record]:
    kind = Kind.INSIGHT if primitive is Primitive.LEARNING else None
    with place.change("person", "added") as change:
        return [change.create(Draft(primitive, title, body, kind).record(change.now)) for title in titles]


def near(place: Place, title: str, body: str = "", **options: bool) -> list[str]:
    return [one.record.title for one in similar(place, title, body, **options)]


def test_the_nearest_comes_first(place: Place) -> None:
    """By what the titles share before what the bodies do."""
    remember(place, "Use Redis for the job queue", "Use Redis for sessions", "Deploy on Tuesdays")

    assert ["Use Redis for the job queue", "Use Redis for sessions"] == near(
        place, "Use RabbitMQ for the job queue, not Redis"
    )


@pytest.mark.parametrize(
    "title",
    sampled(
        [
            "Use Redis for the job queues",
            "Using redis for a job queue",
            "Use Celery for the job queue",
            "The queue: Redis, for jobs",
        ],
        2,
    ),
)
def test_a_record_is_found_among_many_that_share_its_words(place: Place, title: str) -> None:
    """Every word of it is common here; one more or less, or in another form, does not hide it."""
    remember(place, *(f"{word} {n} is fine" for n in range(300) for word in ("Redis", "Celery", "Job", "Queue")))
    remember(place, "Use Redis for the job queue")

    assert "Use Redis for the job queue" in near(place, title)


def test_the_words_of_the_body_count(place: Place) -> None:
    """A title may say the same in other words."""
    remember(place, "Where fixtures belong", body="Put shared pytest fixtures into conftest.py.")

    assert ["Where fixtures belong"] == near(
        place, "Common test helpers", "They go into conftest.py, as pytest fixtures."
    )


def test_a_script_without_spaces_is_looked_into(place: Place) -> None:
    """Its words have no ends that an index could know."""
    remember(place, "任务队列使用Redis")

    assert ["任务队列使用Redis"] == near(place, "任务队列改用RabbitMQ")


def test_only_what_holds_is_near(place: Place) -> None:
    """Neither what was put away or replaced, nor a summary, unless summaries are asked for."""
    old, new = remember(place, "Use Redis for queues", "Use Redis for all queues")
    remember(place, "Redis and queues", primitive=Primitive.SUMMARY)
    with place.change("person", "replaced") as change:
        change.supersede(old.id, by=new.id)

    assert ["Use Redis for all queues"] == near(place, "Redis queues")
    assert "Redis and queues" in near(place, "Redis queues", summaries=True)


def test_nothing_is_near_to_what_nobody_spoke_of(place: Place) -> None:
    """No record shares a word."""
    remember(place, "Use Redis for queues")

    assert [] == near(place, "Paint the door green")
    assert [] == near(place, "…")


def test_a_title_is_known_whatever_its_case(place: Place) -> None:
    """But not when it only stands in a longer one, or in a body."""
    remember(place, "Use ÉCLAIR for builds", "Use éclair for builds and tests")
    remember(place, "Builds", body="Use éclair for builds")

    assert ["Use ÉCLAIR for builds"] == [record.title for record in titled(place, "use Éclair for builds")]
