"""Find memories: by words and by meaning, project before global. Without a model, by words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.records import Primitive, Record
from lerim.dataclass import dataclass, replace
from lerim.errors import UsageError
from lerim.search.embeddings import Embedder, NoEmbedder
from lerim.search.ranking import BELONGS, Parts, answers
from lerim.text.sentences import sentences
from lerim.text.words import STOP, pieces

if TYPE_CHECKING:
    from lerim.search.hybrid import Query


@dataclass(frozen=True)
class Hit:
    """A record that matched, the words that did, and a line of it to recognize it by."""

    kept: Kept
    words: tuple[str, ...]
    #: Whether all the words were there.
    complete: bool
    excerpt: str
    #: What speaks for it, when it was judged by its meaning, too.
    parts: Parts | None = None
    #: Why it should not be taken for granted: its ground is gone, or its branch is not merged.
    doubt: str = ""
    #: How it is linked with the hit that led to it, when it was reached so.
    linked: str = ""

    @property
    def why(self) -> str:
        """Why it matched, in a few words."""
        if self.linked:
            return self.linked
        matched = f"matched {', '.join(self.words)}" if self.words else ""
        near = self.parts.nearness if self.parts else ""
        return "; ".join(filter(None, (matched, near))) or (self.parts.aside if self.parts else "")

    def explained(self) -> list[str]:
        """What each part of its score says, in words."""
        if self.linked:
            return [self.linked]
        return self.parts.explained() if self.parts else [f"has {'all' if self.complete else 'some'} of the words"]


@dataclass(frozen=True)
class Searcher:
    """What a search works with besides the memory: the model, and the folder of the index files."""

    embedder: Embedder | NoEmbedder
    folder: Path


def search(
    memory: Memory,
    query: str,
    wanted: Filter,
    limit: int = 10,
    *,
    searcher: Searcher | None = None,
    as_of: datetime | None = None,
) -> list[Hit]:
    """The best matches, at most `limit`, and a few records that are linked with the best of them. Nothing when nothing
    matches. Raises UsageError for a query without words.

    Without a searcher, or when it has no model, by words alone.
    """
    words = query_words(query)
    if not words:
        raise UsageError(f"'{query}' has no word to search for", hint="lerim search auth tokens")
    if not wanted.hearsay or not _any_hearsay(memory):
        found = _found_by(memory, searcher, query, words, wanted, limit, as_of)
        return found if as_of else _with_linked(_with_doubts(found), words, wanted, limit)
    # The user's own first, however well a stranger's words were chosen to match; hearsay in what room is left.
    own = _found_by(memory, searcher, query, words, replace(wanted, hearsay=False), limit, as_of)
    everything = _found_by(memory, searcher, query, words, wanted, limit + len(own), as_of)
    told = [hit for hit in everything if hit.kept.record.is_hearsay][: limit - len(own)]
    own = own if as_of else _with_linked(_with_doubts(own), words, wanted, limit)
    return [*own, *told]


def _with_doubts(hits: list[Hit]) -> list[Hit]:
    """The hits, those that are doubted marked; one whose ground is gone below those that stand on theirs."""
    doubted = [replace(hit, doubt=doubt) if (doubt := hit.kept.doubt) else hit for hit in hits]
    return sorted(doubted, key=lambda hit: bool(hit.doubt) and hit.kept.record.id in hit.kept.place.grounds.suspects())


def _with_linked(hits: list[Hit], words: Sequence[str], wanted: Filter, limit: int) -> list[Hit]:
    """The hits, and behind them what is linked with the best: a third as many, at most. None of them is pushed out,
    and links are those of today."""
    strong, most = [hit for hit in hits if hit.why][:_STRONG], limit // 3
    if not strong or not most:
        return hits
    from lerim.search.linked import reached  # Start-up: only a search that found something needs it.

    found = reached([hit.kept for hit in strong], {hit.kept.record.id for hit in hits}, wanted)
    linked = [replace(_hit(kept.place, kept.record, words), linked=how, doubt=kept.doubt) for kept, how in found]
    return [*hits, *linked[:most]]


def _any_hearsay(memory: Memory) -> bool:
    return any(place.keeps_hearsay() for place in memory.places())


def _found_by(
    memory: Memory,
    searcher: Searcher | None,
    query: str,
    words: Sequence[str],
    wanted: Filter,
    limit: int,
    as_of: datetime | None,
) -> list[Hit]:
    if searcher is None or isinstance(searcher.embedder, NoEmbedder):
        return _by_words(memory, words, wanted, limit, as_of)
    return _by_meaning(memory, searcher, query, words, wanted, limit, as_of)


def query_words(query: str) -> list[str]:
    """The words of a query that say something, each once; all of them when none does."""
    words = list(dict.fromkeys(map(str.lower, pieces(query))))
    return [word for word in words if word not in STOP] or words


# --- by meaning -------------------------------------------------------------------------------------------------------

#: Hits whose links are followed.
_STRONG = 3
#: Records that terms and vectors each propose first. More are looked at when a filter leaves too few.
_DEPTH = 200
# So many records that a filter takes can be judged one by one.
_FEW = 5000
#: Vectors a search makes before it looks. What was just remembered is found by its meaning, too.
_EMBEDDED_AT_ONCE = 8
#: How much better a session's summary, which speaks of many things, has to fit to come before what holds.
_SUMMARY_LESS = 1.0
#: A name of code or a file: nobody types one who does not mean it.
_NAME = re.compile(
    r"(?<![\w./-])(?=[\w./-]*[A-Za-z])(?:[\w-]*_[\w-]+|[\w-]+(?:[./][\w-]+)+|[a-z]+[A-Z]\w*|\w*\d\w*)(?![\w/-])"
)
#: So many letters of a word stand for it: "auth" for "authentication", but "h" for nothing.
_BEGINNING = 4
#: Characters of what is shown of a hit.
_EXCERPT = 200


def _by_meaning(
    memory: Memory,
    searcher: Searcher,
    query: str,
    words: Sequence[str],
    wanted: Filter,
    limit: int,
    as_of: datetime | None,
) -> list[Hit]:
    # Start-up: numpy, for those who have a model.
    from lerim.search.hybrid import Query

    assert isinstance(searcher.embedder, Embedder)
    question = Query(query, searcher.embedder.encode([query])[0])
    hits: list[Hit] = []
    for place in memory.places():
        if len(hits) < limit:
            room = limit - len(hits)
            found = (
                _ranked(place, searcher, question, wanted, room)
                if as_of is None
                else _ranked_as_of(place, searcher, question, wanted, room, as_of)
            )
            told = (_hit(place, record, words, parts) for record, parts in _told_first(query, found))
            # Nobody shows what nothing can be said for.
            hits += [hit for hit in told if hit.why]
    return hits


def _told_first(query: str, found: Sequence[tuple[Record, Parts]]) -> list[tuple[Record, Parts]]:
    """What has a name that the query has, first; a summary behind what holds and fits nearly as well."""
    names = [name.lower() for name in _NAME.findall(query)]

    def place(one: tuple[Record, Parts]) -> tuple[bool, float]:
        record, parts = one
        text = f"{record.title} {record.body}".lower() if names else ""
        is_named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)
        return not is_named, (_SUMMARY_LESS if record.primitive is Primitive.SUMMARY else 0.0) - parts.score

    return sorted(found, key=place)


def _ranked(
    place: Place, searcher: Searcher, question: Query, wanted: Filter, limit: int
) -> list[tuple[Record, Parts]]:
    """The records of a place that answer best."""
    from lerim.search.hybrid import Ranking
    from lerim.search.index import Index

    index = Index.of(place.store.database, place.local, place.project.id, searcher.folder, searcher.embedder)
    if (kept := index.kept_elsewhere()) is not None:
        from lerim.search.from_store import ranked_by_store

        with ranked_by_store(place, kept, question, wanted) as (judged, size):
            return _relevant(judged, limit, size)
    index.catch_up(_EMBEDDED_AT_ONCE)
    with index.reading() as opened:
        ranking = Ranking(opened.view, question)
        if not wanted.is_broad:
            seqs = opened.select(wanted, _FEW + 1)
            if len(seqs) <= _FEW:
                return _relevant(opened.fetch(ranking.among(seqs), wanted), limit, len(seqs))
        depth, found = _DEPTH, list[tuple[Record, Parts]]()
        while True:
            found = _relevant(opened.fetch(ranking.best(depth), wanted), limit, opened.view.size)
            if len(found) >= limit or depth >= opened.view.size or wanted.is_broad:
                return found
            depth *= 16


def _relevant(found: Iterator[tuple[Record, Parts]], limit: int, among: int) -> list[tuple[Record, Parts]]:
    """The first `limit` that belong to the question; none of them when not even the best has to do with it."""
    kept = list(islice((item for item in found if item[1].relevance >= BELONGS), limit))
    return kept if any(parts.relevance >= answers(among) for _, parts in kept) else []


def _ranked_as_of(
    place: Place, searcher: Searcher, question: Query, wanted: Filter, limit: int, moment: datetime
) -> list[tuple[Record, Parts]]:
    """The same among the records as they stood at a moment: those are read from their versions, all of them."""
    from lerim.search.hybrid import Ranking
    from lerim.search.index import Index

    index = Index.of(place.store.database, place.local, place.project.id, searcher.folder, searcher.embedder)
    with place.store.read() as snapshot:
        records = snapshot.select_as_of(moment, wanted)
        view, by_seq = index.view_of(snapshot, records)
    ranked = Ranking(view, question).best(len(records))
    return _relevant(((by_seq[item.seq], item.parts) for item in ranked), limit, len(records))


# --- by words alone ---------------------------------------------------------------------------------------------------


def _by_words(memory: Memory, words: Sequence[str], wanted: Filter, limit: int, as_of: datetime | None) -> list[Hit]:
    hits: list[Hit] = []
    for place in memory.places():
        seen: set[str] = set()
        for record, complete in _matches(place, words, wanted, limit, as_of):
            if record.id not in seen and len(hits) < limit:
                seen.add(record.id)
                hits.append(replace(_hit(place, record, words), complete=complete))
    return hits


def _matches(
    place: Place, words: Sequence[str], wanted: Filter, limit: int, as_of: datetime | None
) -> Iterator[tuple[Record, bool]]:
    """Records with all the words first, then those with any of them."""
    if as_of is not None:
        yield from _matches_as_of(place, words, wanted, as_of)
        return
    database = place.store.database
    with place.store.read() as snapshot:
        for every in (True, False):
            for record, _ in snapshot.matching(database.match(words, every=every, of=place.project.id), wanted, limit):
                yield record, every
        for word in words:
            # Chinese, Japanese and Thai come as one long token; look inside it.
            if not word.isascii():
                yield from ((record, False) for record in snapshot.containing(word, wanted, limit))


def _matches_as_of(
    place: Place, words: Sequence[str], wanted: Filter, moment: datetime
) -> Iterator[tuple[Record, bool]]:
    with place.store.read() as snapshot:
        records = snapshot.select_as_of(moment, wanted)
    counted = [(len(_found(record, words)), record) for record in records]
    for count, record in sorted(counted, key=lambda item: -item[0]):
        if count:
            yield record, count == len(words)


# --- what people see of it --------------------------------------------------------------------------------------------


def _hit(place: Place, record: Record, words: Sequence[str], parts: Parts | None = None) -> Hit:
    found = _found(record, words)
    return Hit(Kept(record, place), found, len(found) == len(words), _excerpt(record, words), parts)


def _found(record: Record, words: Sequence[str]) -> tuple[str, ...]:
    from lerim.search.terms import terms  # Start-up: stems are for those who found something.

    text = f"{record.title} {record.body} {' '.join(record.tags)} {record.description or ''}"
    held, plain = set(terms(text)), text.lower()
    return tuple(word for word in words if not held.isdisjoint(terms(word)) or _begins_word(word, plain))


def _begins_word(word: str, plain: str) -> bool:
    """Whether a text has a word that begins so; where words are not spaced, the word at all."""
    if not word.isascii():
        return word in plain
    return len(word) >= _BEGINNING and re.search(rf"(?<![a-z0-9]){re.escape(word)}", plain) is not None


def _excerpt(record: Record, words: Sequence[str]) -> str:
    """The line of the body that matches best, or its first."""
    # A heading says what comes, not what is.
    lines = [line.strip() for line in record.body.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return record.description or ""
    best = max(lines, key=lambda line: _hits(line, words))
    if len(best) <= _EXCERPT:
        return best
    # Of a long line, from the sentence on that matches best.
    parts = sentences(best)
    at = max(range(len(parts)), key=lambda place: _hits(parts[place], words))
    said = " ".join(parts[at:])
    said = said if not at else f"… {said}"
    return said if len(said) <= _EXCERPT else said[: _EXCERPT - 1] + "…"


def _hits(text: str, words: Sequence[str]) -> int:
    from lerim.search.terms import terms  # As above.

    held, plain = set(terms(text)), text.lower()
    return sum(not held.isdisjoint(terms(word)) or _begins_word(word[:5], plain) for word in words)
