"""Commands that say whether things are in order, and whether they did. Pure: a command and its result in.

Of what a tool printed only numbers and the words of test runners are read: whether something passed or failed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lerim.sources.trace import ToolResult

_CHECK = re.compile(
    r"(?:^|[\s;&|(])((?:python3? -m )?"
    r"(?:pytest|unittest|mypy|ruff(?: check| format)?|tox|nox|pyright|basedpyright|black|flake8|bandit|interrogate)"
    r"|go (?:test|vet|build)|cargo (?:test|check|build|clippy|fmt|llvm-cov)|golangci-lint|govulncheck"
    r"|(?:npm|pnpm|yarn|bun)(?: (?:-[rw]|-F \S+|--filter[= ]\S+|workspace \S+|--[\w-]+))*(?: run)?"
    r" (?:test|lint|build|typecheck|type-check|check|e2e)[\w:-]*|bun test"
    r"|npx (?:tsc|vitest|jest|eslint|playwright|biome)|tsc\b|vitest|jest\b|eslint|biome|playwright test"
    r"|mise (?:run )?(?:test|lint|fmt|check|build)[\w:-]*|(?:make|just) (?:test|lint|check|build|e2e)[\w-]*"
    r"|nx (?:test|lint|run|type-check)\b|mix (?:test|format|credo)|bundle exec rspec|rspec|phpunit|phpstan"
    r"|(?:\./)?mvnw?(?: -\S+)* (?:test|verify)|(?:\./)?gradlew?(?: -\S+)* [\w:-]*?(?:[tT]est|[bB]uild|[cC]heck|lint)\w*"
    r"|xcodebuild(?: [^\s;&|]+){0,12}? (?:test|build|archive)\b|fastlane (?:\w+ )?(?:test|tests|scan|lint)|sbt test"
    r"|(?:bazel|deno) (?:test|build|lint|check)|pre-commit run|python3? manage\.py test|dotnet (?:test|build)"
    r"|swift (?:test|build)|swiftlint|ktlint|detekt|ctest|rubocop"
    r"|(?:bin/)?rails test|flutter (?:test|analyze|build \w+)|dbt (?:test|build|run|snapshot)"
    # What is measured against a limit, and what looks for faults.
    r"|(?:(?:npx|bunx|(?:npm|pnpm|yarn|bun)(?: exec| run| dlx)?) )?(?:lhci(?: autorun| assert)?"
    r"|lighthouse(?:-ci)?|k6 run"
    r"|artillery (?:run|quick)|size-limit|bundlesize|bundlewatch|pa11y(?:-ci)?|cypress run|test-storybook"
    r"|stylelint|oxlint"
    r"|knip|chromatic)|locust -\S+|shellcheck|hadolint|yamllint|helm lint|semgrep|pip-audit|promtool check \w+|nginx -t"
    r"|(?:npm|pnpm|yarn|cargo) audit"
    r"|(?:docker|terraform) (?:build|plan|validate))(?=$|[\s;&|)\"'])"
)
#: A part of a command that names a check and runs none: it is installed, looked for or spoken of.
_NO_CHECK = re.compile(
    r"(?:(?<=[;&|(\n])|^)\s*(?:sudo )?"
    r"(?:(?:python3? -m )?(?:pip3?|uv pip|uv tool|pipx|apt(?:-get)?|brew|npm|pnpm|yarn|bun|poetry"
    r"|pdm|cargo|gem|go|rustup component) (?:-\S+ )*(?:install|add|i|get|remove|uninstall|upgrade|update)"
    r"|uv (?:add|remove)|e?grep|rg|ag|git|which|command -v|type|cat|ls|echo|printf|find|sed|head|tail|man|gh)"
    r"\s[^;&|\n]*"
)
_RUNNER = re.compile(
    r"^(?:npx |bunx |python3? -m |bundle exec |(?:npm|pnpm|yarn|bun)(?: exec| run| dlx)? (?=(?:lhci|lighthouse|k6"
    r"|artillery"
    r"|size-limit|bundle|pa11y|cypress|test-storybook|stylelint|oxlint|knip|chromatic)))"
)
#: What it is to do stands behind a line of settings.
_SETTINGS = re.compile(r"(?<=xcodebuild) .+(?= (?:test|build|archive)$)")
#: What test runners print of what failed; a test that is called "a FAILED payment is retried" has not.
_FAILED = re.compile(
    r"\b([1-9]\d*) (?:tests? )?(?:failed|failures?|failing)\b|^--- FAIL|^FAIL\b|^\W*FAILED\b|\bFAILED(?=\s*(?:$|\())"
    r"|\b(?:BUILD|TESTS?|RUN|result:) FAILED\b|\berror\[E\d+\]|\bexit (?:code|status) [1-9]"
    r"|^not ok\b",
    re.MULTILINE,
)
#: The same of what reads code and runs none.
_FOUND_ERRORS = re.compile(r"\(\s?[1-9]\d* errors?, \d+ warnings?\)|\bFound [1-9]\d* errors?\b(?!.*\b0 remaining)")
#: And of what passed.
_PASSED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|^PASS\b|^ok\s|\btest result: ok\b|\bOK \([1-9]\d* tests?|^OK$"
    r"|\bBUILD SUCCESS(?:FUL)?\b|\b0 failed\b|\bAll (?:\d+ )?tests passed\b",
    re.MULTILINE,
)
#: What checks of one kind are called: where one passes, an earlier one of its kind no longer counts. Tests differ by
#: what they test.
_KINDS = tuple(
    re.compile(rf"\b(?:{names})", re.IGNORECASE)
    for names in (
        r"lint|eslint|biome|ruff|flake8|stylelint|oxlint|clippy|golangci|rubocop|swiftlint|detekt|ktlint",
        r"tsc|typecheck|type-check|mypy|pyright|basedpyright",
    )
)
#: Who watched the checks of the other side, and what that printed of one that failed.
_OF_A_FILE = re.compile(r"^[^;&|\n]*\s[\w@./-]*\w\.[a-zA-Z]{1,5}(?=\s|$)")
_WATCHES = re.compile(r"\bgh\s+(?:run\s+watch|pr\s+checks)\b|\bglab\s+ci\s+status\b")
_RED = re.compile(
    r"\bfail(?:s|ed|ing|ure)?\b|\bpending\b|\bin_progress\b|\bcancel|[✗×]|^X ", re.IGNORECASE | re.MULTILINE
)
_TESTS = re.compile(r"test|spec\b|phpunit|tox|nox|e2e|scan|verify|verification", re.IGNORECASE)
_CHAIN = re.compile(r"&&|;|\n")


@dataclass
class Check:
    """A command that says whether things are in order, over the whole session."""

    name: str
    runs: int = 0
    failures: int = 0
    is_ok: bool | None = None

    def take(self, command: str, result: ToolResult | None) -> None:
        """One run more."""
        self.runs += 1
        self.is_ok = None if result is None or result.running else has_passed(self.name, command, result)
        self.failures += self.is_ok is False


def checks_in(command: str) -> list[str]:
    """The checks a command runs, each once."""
    ran = _NO_CHECK.sub("", command[:2000])
    found = (_SETTINGS.sub("", match.group(1)) for match in _CHECK.finditer(ran))
    return list(dict.fromkeys(_RUNNER.sub("", name) for name in found))


def overtakes(passed: str, failed: str, command: str) -> bool:
    """Whether a check that passed says as much as one that had failed: another name of its kind, not of one file."""
    of_one_file = _OF_A_FILE.search(command[max(0, command.rfind(passed)) :]) is not None
    return not of_one_file and any(kind.search(passed) and kind.search(failed) for kind in _KINDS)


def saw_green(command: str, result: ToolResult) -> bool:
    """Whether a command watched the checks of the other side, and none of them failed."""
    is_over = not (result.has_failed or result.running) and bool(result.text.strip())
    return is_over and _WATCHES.search(command) is not None and _RED.search(result.text) is None


def has_passed(name: str, command: str, result: ToolResult) -> bool:
    """Whether one check of a command passed. A pipe hides the exit code, so the numbers a test runner prints count as
    well; and in a chain they say that it was not the tests, or not what ran before them, that went wrong."""
    tells_failed, tells_passed = _FAILED.search(result.text) is not None, _PASSED.search(result.text) is not None
    if _CHAIN.search(command):
        names = checks_in(command)
        tests = next((place for place, one in enumerate(names) if _TESTS.search(one)), len(names))
        if name in names[:tests] and tests < len(names) and (tells_failed or tells_passed) and "&&" in command:
            return True
        if name in names[tests : tests + 1] and tells_passed and not tells_failed:
            return True
    is_red = tells_failed or _FOUND_ERRORS.search(result.text) is not None
    return not (result.has_failed or is_red)
