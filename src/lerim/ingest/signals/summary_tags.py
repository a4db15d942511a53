"""Tags of a summary: the languages of the files that changed, the tools that ran, the areas the text speaks of."""

from __future__ import annotations

import re

from lerim.ingest.signals.summary_deeds import Deeds

MOST_TAGS = 8

_LANGUAGES = {
    "py": "python", "rs": "rust", "go": "go", "ts": "typescript", "tsx": "typescript", "js": "javascript",
    "jsx": "javascript", "mjs": "javascript", "rb": "ruby", "java": "java", "kt": "kotlin", "swift": "swift", "c": "c",
    "cc": "cpp", "cpp": "cpp", "h": "c", "cs": "csharp", "php": "php", "ex": "elixir", "exs": "elixir", "sql": "sql",
    "sh": "shell", "ps1": "powershell", "lua": "lua", "scala": "scala", "vue": "vue", "svelte": "svelte", "css": "css",
    "scss": "css", "html": "html", "tf": "terraform", "md": "docs", "mdx": "docs", "rst": "docs",
}  # fmt: skip
_AREAS = {
    "auth": r"auth\w*|login|oauth|jwt|sso|passwords?|session tokens?",
    "tests": r"tests?|pytest|e2e|coverage|fixtures?",
    "ci": r"ci|github actions?|workflows?|pipelines?",
    "database": r"databases?|sql\w*|postgres\w*|migrations?|schema|redis|orm",
    "api": r"apis?|endpoints?|graphql|rest|webhooks?",
    "ui": r"ui|frontend|css|buttons?|modal|dialog|gui|layout",
    "performance": r"performance|slow\w*|latency|cach\w+|speed\w*|memory leak",
    "security": r"security|vulnerab\w*|injection|sanitiz\w*|encrypt\w*|secrets?",
    "git": r"git|rebase\w*|merge conflicts?|worktrees?|branches",
    "docker": r"docker\w*|containers?|kubernetes|k8s",
    "deploy": r"deploy\w*|staging|release\w*|production",
    "config": r"config\w*|settings|env(?:ironment)? variables?",
    "review": r"review\w*|pull requests?|pr",
    "refactoring": r"refactor\w*|renam\w+|dedup\w*|clean-?up",
}
_AREA = {tag: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for tag, words in _AREAS.items()}


def tags_of(deeds: Deeds, text: str) -> tuple[str, ...]:
    """At most eight tags: up to three languages by the number of files, then areas by how often they are named."""
    languages: dict[str, int] = {}
    for path in deeds.files:
        if language := _LANGUAGES.get(path.rsplit(".", 1)[-1].lower()):
            languages[language] = languages.get(language, 0) + 1
    areas = {tag: len(found) for tag, pattern in _AREA.items() if (found := pattern.findall(text))}
    named = [tag for tag, count in _most(areas) if count >= 2 or len(text) < 600]
    return tuple(dict.fromkeys([*(tag for tag, _ in _most(languages)[:3]), *named[:5]]))[:MOST_TAGS]


def _most(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
