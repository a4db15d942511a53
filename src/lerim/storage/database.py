"""What a database must offer. Rooms above write plain SQL with `?`; what engines do differently has a name here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from lerim.dataclass import dataclass

Value = str | int | float | bytes | None
Row = tuple[Any, ...]

SCHEMA = Path(__file__).parent / "schema"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Table:
    """One table of a database, as far as copying it takes."""

    name: str
    #: What is written to it: columns that the engine makes from others are not among them.
    columns: tuple[str, ...]
    #: The columns of its primary key; none for a table of a row or two.
    key: tuple[str, ...]
    #: Other tables that its rows point at.
    references: frozenset[str]
    #: Whether its rows may be large.
    has_blobs: bool


class Transaction(Protocol):
    """One unit of work: all of it becomes visible, or none."""

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]: ...

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None: ...

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Execute a statement; the number of rows it changed."""
        ...

    def run_many(self, sql: str, values: Iterable[Sequence[Value]]) -> None: ...

    def tables(self) -> list[Table]:
        """Every table there is, without those that engines keep for themselves."""
        ...

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
        """Insert many rows in one statement, as quickly as the engine can; new rows are numbered after them."""
        ...

    def now(self) -> float:
        """The database's own clock, in seconds since 1970: the same for every process, whatever its own one says."""
        ...

    def among(self, *columns: str) -> str:
        """A condition with one value: these columns, in this order, are one of the lists in a JSON list of lists."""
        ...

    def unheld(self, table: str) -> str:
        """What a SELECT ends with whose rows of `table` nobody else shall have before this is over; those that another
        writer has are passed over."""
        ...

    def take_turn(self, of: str) -> None:
        """Wait for the turn of this name; then it is ours until this is over."""
        ...

    def is_turn(self, of: str) -> bool:
        """Whether nobody else has the turn of this name; then it is ours until this is over."""
        ...


@dataclass(frozen=True)
class TextMatch:
    """Full-text search over records in one engine's words: joined to `records r`, best rank first (lowest)."""

    source: str
    where: str
    rank: str
    value: str


class KeptText(NamedTuple):
    """A record as it is kept to be found: the digest of its text, the vector of that, and its terms as bytes."""

    seq: int
    #: Of the record that all of it was made from.
    version: int
    digest: bytes
    vector: Sequence[float]
    terms: bytes


class KeptVector(NamedTuple):
    """The vector of a record: the digest of the text that it was made from, its numbers (32 bits each, the highest
    byte first), and whether the record's terms are kept, too."""

    digest: bytes
    numbers: bytes
    has_terms: bool


class StoreQuestion(NamedTuple):
    """What records are proposed for: words, each with what it is worth, and a vector; which records count, as a
    condition on `records r`; how many each proposes, and for how many of the best by words their neighbors are, too."""

    words: Mapping[str, float]
    vector: Sequence[float]
    where: str
    values: Sequence[Value]
    depth: int
    beside: int


class StoreCandidate(NamedTuple):
    """A record that may answer: who said it and when, what stands before and after it in its session, nearest first;
    how near its vector is, if there is one, and the digest of the text that this was made from."""

    seq: int
    version: int
    trust: str
    created: str
    before: Sequence[int]
    after: Sequence[int]
    near: float | None
    digest: bytes | None


class Said(NamedTuple):
    """What a record says: its terms as they are kept, with the digest of its text; or, where it changed since, the
    text."""

    seq: int
    terms: bytes | None
    title: str
    body: str
    tags: str
    description: str | None
    digest: bytes | None


class KeptVectors(Protocol):
    """The vectors of a project's records by one model, and their terms, where a database keeps them for everybody."""

    def made(self, tx: Transaction, seqs: Sequence[int]) -> dict[int, KeptVector]:
        """Those of some records."""
        ...

    def keep(self, tx: Transaction, texts: Iterable[KeptText]) -> None:
        """Keep these. Of a record that has changed since, nothing."""
        ...

    def nearest(self, tx: Transaction, vector: Sequence[float], limit: int) -> list[int]:
        """The records whose vectors are nearest to this one."""
        ...

    def proposed(self, tx: Transaction, asked: StoreQuestion) -> list[StoreCandidate]:
        """The records that words, vectors and neighbors propose."""
        ...

    def said(self, tx: Transaction, seqs: Sequence[int]) -> list[Said]:
        """What these records say."""
        ...

    def size(self, tx: Transaction) -> int:
        """How many records the project has, with a vector or without."""
        ...


class Database(Protocol):
    """A database with its schema up to date. Safe to share between processes, one object per thread."""

    @property
    def location(self) -> str:
        """Where it is, for people: a path, or an address without its password."""
        ...

    @property
    def is_read_only(self) -> bool:
        """Whether it stands where this process may not write: it can be read, and `write` raises StoreError."""
        ...

    def read(self) -> AbstractContextManager[Transaction]:
        """A consistent view: what others commit meanwhile is not seen."""
        ...

    def write(self, of: str = "") -> AbstractContextManager[Transaction]:
        """The only writer for its duration: of the project `of`, or of all there is. Commits at the end, rolls back on
        any exception.

        Raises StoreBusy when another process writes for longer than the engine waits.
        """
        ...

    def write_among(self) -> AbstractContextManager[Transaction]:
        """A writer among others, where the engine can have several: rows are theirs one by one. Waits for whoever is
        the only writer of all there is."""
        ...

    def guarded(self, work: Callable[[], _T], *, repeatable: bool = False) -> _T:
        """Do the work; one that can be mended when it is damaged does it again then, if nothing was committed."""
        ...

    def match(self, words: Sequence[str], *, every: bool, of: str) -> TextMatch:
        """Records of the project `of` with every one of the words, or with any of them. Where all projects share an
        index, others' may be among them: whoever asks names the project, too."""
        ...

    def held(self, tx: Transaction, words: Sequence[str], of: str, most: int) -> dict[str, int]:
        """How many records hold each of the words, `most` at most: of the project `of`, or of all of them where they
        share an index."""
        ...

    def text_count(self, tx: Transaction) -> int:
        """How many records the full-text index holds."""
        ...

    def rebuild_text(self, tx: Transaction) -> None:
        """Remake the full-text index from the records."""
        ...

    def vectors(self, project_id: str, model: str) -> KeptVectors | None:
        """The vectors that are kept here; None when every machine keeps its own."""
        ...

    def problems(self) -> list[str]:
        """What is wrong inside the database, in words. Empty when it is sound."""
        ...

    def backup(self, target: Path) -> None:
        """A consistent copy at `target`, taken while others may write. Only its owner can read it."""
        ...

    def become(self, source: Path, meanwhile: Callable[[], None]) -> None:
        """Hold what the copy at `source` holds: all of it, or nothing changed. `meanwhile` is done first, while nobody
        else can get in. Raises StoreBusy when another process has this database open."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Migration:
    """One step of a schema. Steps are applied once, in order, and never edited after a release."""

    number: int
    path: Path


def migrations(engine: str, name: str) -> list[Migration]:
    """The schema of database `name` for `engine`, oldest step first."""
    files = sorted((SCHEMA / engine / name).glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return [Migration(int(path.name[:4]), path) for path in files]
