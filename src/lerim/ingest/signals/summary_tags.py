"""Tags of a summary: the languages of the files that changed, and the areas the text speaks of; few, and true ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from pathlib import PurePosixPath

from lerim.ingest.signals.summary_deeds import Deeds
from lerim.text.stems import stem

MOST_TAGS = 8

_LANGUAGES = {
    "py": "python", "rs": "rust", "go": "go", "ts": "typescript", "tsx": "typescript", "js": "javascript",
    "jsx": "javascript", "mjs": "javascript", "rb": "ruby", "java": "java", "kt": "kotlin", "swift": "swift", "c": "c",
    "cc": "cpp", "cpp": "cpp", "h": "c", "hpp": "cpp", "cs": "csharp", "php": "php", "ex": "elixir", "exs": "elixir",
    "sql": "sql", "sh": "shell", "ps1": "powershell", "lua": "lua", "scala": "scala", "vue": "vue", "svelte": "svelte",
    "css": "css", "scss": "css", "html": "html", "tf": "terraform", "md": "docs", "mdx": "docs", "rst": "docs",
    "tex": "latex", "gd": "gdscript", "dart": "dart", "jl": "julia", "zig": "zig", "hs": "haskell",
}  # fmt: skip
#: What says that a header is of another language than C.
_CPP = frozenset({"cc", "cpp", "hpp", "cxx", "ino"})
#: What shares its ending with TypeScript: texts of Qt in XML, and pieces of a film.
_QT = re.compile(r"\w_[a-z]{2}(?:_[A-Z]{2})?\.ts$")
_TEXTS = re.compile(r"(?:^|/)(?:translations?|i18n|l10n|lang|locales?|po)/[^/]+$")
_QT_BESIDE = frozenset({"pro", "ui", "qrc", "qm", "cpp", "cc", "hpp", "h"})
_FILM = re.compile(r"(?:^|[/_-])(?:seg(?:ment)?s?|chunks?|hls|streams?|vod|video|media)?[_-]?\d+\.ts$", re.IGNORECASE)
_FILM_BESIDE = frozenset({"m3u8", "mp4", "mpd", "mkv", "m4s"})
_SCRIPT_BESIDE = frozenset({"tsx", "js", "jsx", "mjs", "vue", "svelte", "package.json", "tsconfig.json"})
#: One such word makes it the area; of the words in the second place two are needed, which mean other things as well.
_AREAS = {
    "auth": (r"auth\w*|logins?|log-?in|sign-?in|oauth|jwt|sso|passwords?|session tokens?", r"permissions?|roles?"),
    "tests": (
        r"pytest|e2e|test coverage|(?:unit|integration|flaky|failing|regression) tests?|tests? (?:suite|fixtures?)"
        r"|(?:add|writ|fix|test)\w* (?:\w+ ){0,2}tests?",
        r"tests?|coverage|fixtures?",
    ),
    "ci": (r"ci|github actions?|gitlab[ -]ci|jenkins|build server", r"workflows?|pipelines?|nightly"),
    "database": (r"databases?|postgres\w*|mysql|sqlite|mongo\w*|redis|orm", r"sql|migrations?|schema|index|table"),
    "api": (r"apis?|endpoints?|graphql|webhooks?|(?-i:REST)", r"routes?|requests?"),
    "ui": (r"ui|gui|frontend|css|buttons?|dialogs?", r"modal|layout|page|menu|screen"),
    "performance": (
        r"performance|latency|throughput|memory leaks?|bottlenecks?|speed(?:s|ed)?[ -]?ups?|slow(?:er|ness|down)"
        r"|(?:too|so|very|is|are|was|were|gets?|got|still|really|feels?) slow"
        r"|slow (?:quer\w+|builds?|start\w*|tests?|responses?|requests?|endpoints?|pages?|loading|imports?)",
        r"faster|cach\w+|speed|profil\w+|times? out|timeouts?",
    ),
    "security": (r"security|vulnerab\w*|encrypt\w*|xss|csrf|sql injection|cve\S*", r"injection|sanitiz\w*|secrets?"),
    "git": (r"rebas\w*|merge conflicts?|worktrees?|cherry-pick\w*|git history", r"git|branch(?:es)?"),
    "docker": (r"docker\w*|kubernetes|k8s|helm", r"containers?|pods?|images?"),
    "deploy": (r"deploy\w*|rollouts?", r"staging|releases?|production|prod"),
    "config": (r"configuration|config files?|env(?:ironment)? variables?", r"config\w*|settings?"),
    "review": (r"code reviews?|review (?:the|this|my|our|of|comments?)", r"review\w*|pull requests?|prs?"),
    "refactoring": (r"refactor\w*|dedup\w*", r"renam\w+|clean-?up|mov(?:ed|ing)|split\w*"),
}
_AREA = {
    tag: (re.compile(rf"\b(?:{sure})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for tag, (sure, other) in _AREAS.items()
}
#: Names of files and checks, and what is left to do, say nothing of what a session was about.
_NO_WORDS = re.compile(r"`[^`\n]*`|\*\*Open:\*\*.*", re.DOTALL)
_SHORT_TEXT = 600
#: Words that may mean other things mean this one together.
_BOTH = 2


def tags_of(deeds: Deeds, text: str) -> tuple[str, ...]:
    """At most eight tags: up to three languages by the number of files, then areas by how often they are named."""
    seen = (*deeds.files, *deeds.seen)
    beside = {_ending(path) for path in seen} | {PurePosixPath(path).name for path in seen}
    languages = Counter(filter(None, (_language(path, beside, deeds) for path in deeds.files)))
    told = _NO_WORDS.sub(" ", text)
    areas = {tag: count for tag in _AREA if (count := _named(tag, told))}
    return tuple(dict.fromkeys([*_most(languages)[:3], *_most(areas)[:5]]))[:MOST_TAGS]


def _language(path: str, beside: Collection[str], deeds: Deeds) -> str:
    """The language of a file, by its ending and by what lies beside it; nothing where the ending says too little."""
    ending = _ending(path)
    if ending == "ts" and not _is_script(path, beside, is_markup=path in deeds.markup):
        return ""
    if ending == "h" and not _CPP.isdisjoint(beside):
        return "cpp"
    return _LANGUAGES.get(ending, "")


def _is_script(path: str, beside: Collection[str], *, is_markup: bool) -> bool:
    """Whether a `.ts` is TypeScript."""
    if is_markup:
        return False
    if not _SCRIPT_BESIDE.isdisjoint(beside):
        return True
    is_text = _TEXTS.search(path) is not None and not _QT_BESIDE.isdisjoint(beside)
    is_qt = _QT.search(path) is not None or is_text
    is_film = _FILM.search(path) is not None or not _FILM_BESIDE.isdisjoint(beside)
    return not is_qt and not is_film


def _named(tag: str, text: str) -> int:
    """How often a text names an area; 0 where it only has a word that means other things as well."""
    sure, other = (pattern.findall(text) for pattern in _AREA[tag])
    least = 1 if len(text) < _SHORT_TEXT else 2
    number = len(sure) + len({word.lower() for word in other})
    return number if (sure and number >= least) or len({stem(word.lower()) for word in other}) >= _BOTH else 0


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lstrip(".").lower()


def _most(counts: dict[str, int]) -> list[str]:
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
