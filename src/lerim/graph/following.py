"""How far the links of a place have followed its records. Needs no numerics: most looks find nothing to do."""

from __future__ import annotations

from lerim.context.feed import START, Feed, Followed
from lerim.context.links import LinkRows
from lerim.context.place import Place
from lerim.storage.database import Transaction

# A number that goes up when links are found by other rules: those of before are made anew then.
_RULES = 1


def followed(local: Transaction, project_id: str, model: str) -> Followed:
    """How far the links of a project have come that were found by the vectors of one model, or by none."""
    return Followed(local, project_id, f"links {_RULES} by {model}")


def is_behind(place: Place, model: str) -> bool:
    """Whether anything changed since the links were last brought up to date."""
    project = place.project.id
    with place.local.read() as local, place.store.database.read() as tx:
        feed, rows = Feed(tx, project), LinkRows(local, project)
        position = followed(local, project, model).position(feed)
        if position is None:
            return feed.newest() != START or rows.has_any()
        return bool(feed.since(position, 1)) or rows.is_unfinished(with_vectors=bool(model))
