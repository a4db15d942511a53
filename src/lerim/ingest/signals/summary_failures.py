# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What failed last, was told as failing and was left at that: the work is not done, whoever takes it up. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lerim.glance import seldom
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_checks import checks_in, has_passed
from lerim.ingest.signals.summary_deeds import is_edit, refused_calls
from lerim.ingest.signals.summary_left import LEADS_IN, LeftThing
from lerim.ingest.signals.summary_tasks import StoryTask, StoryTurn
from lerim.ingest.signals.summary_words import as_task, clipped, is_task, prose, sentence, stems, visible
from lerim.ingest.signals.title_ends import is_shell_only
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Assistant, ToolCall, ToolResult, User, Via
from lerim.text.leftovers import LOOKS_ONLY

#: What an agent says of something that did not work, or is not there because of that.
_SAYS_FAILED = seldom(
    r"\b(?:fail(?:s|ed|ing|ure)?|(?:was|is|were|are|got|gets) (?:refused|rejected|denied|declined)|(?:refused"
    r"|rejected|denied) by"
    r"|conflicts?|stopped (?:with|at|because)|same (?:error|failure|message|result)|errors? out|crashe[sd]"
    r"|aborted|timed out"
    r"|(?:is|are|was|were)(?: still)?(?: not|n['’]t) (?:re)?(?:built|run|loaded|deployed|published|released|created"
    r"|installed|applied|uploaded|there|working)"
    r"|(?:could|can|did|does)(?:not| not|n['’]t) (?:be |even )?(?:re)?(?:build|built"
    r"|run|load|start|deploy|compile|link|work|connect|install|publish|created?|applied)"
    r"|(?:do|does)(?: not|n['’]t) know (?:the (?:cause|reason)|why|what)|still (?:red|broken)"
    r"|fehlgeschlagen|schlägt\b.{0,40}\bfehl|schlug\b.{0,40}\bfehl|gescheitert|scheitert|bricht\b.{0,30}\bab"
    r"|abgebrochen|abgelehnt|zurückgewiesen|konflikte?|refusée?|rejetée?|conflits?|rechazad[oa]|conflictos?"
    r"|(?:a |ont )?échou\w+|(?:ha )?fall(?:a|ó|ado)|falhou|non riesce|è fallit\w|mislukt\w*)(?!\w)",
    re.IGNORECASE,
)
#: And of what was measured, and is not as it has to be.
NOT_MET = seldom(
    r"\b(?:(?:did|does|do|has)(?: not|n['’]t) (?:help|improve|suffice|meet|reach|pass|hold|change)\w*"
    r"|(?:is|are|stays?|remains?|was|sits?) (?:still )?(?:well |far |just |slightly )?(?:above|over|below|under|beyond"
    r"|too (?:high|low|slow|large|big|heavy))"
    r"|exceed(?:s|ed)?|over (?:the )?(?:budget|limit|threshold)"
    r"|miss(?:es|ed)? the (?:limit|target|budget|threshold|goal)"
    r"|the (?:limit|target|budget|threshold|goal) (?:is|was)|not (?:met|reached|enough)|no improvement"
    r"|hat nicht geholfen|hilft nicht|liegt (?:noch |immer noch )?(?:über|unter)|zu (?:langsam|hoch|groß|schwer)"
    r"|dépasse|n['’]a pas (?:aidé|suffi)|trop (?:lent|haut|lourd|élevé)e?|supera"
    r"|no ha (?:ayudado|bastado)|demasiado \w+)(?!\w)",
    re.IGNORECASE,
)
#: What was given back fails no more.
_GIVES_BACK = re.compile(
    r"\b(?:revert\w*|roll(?:ed)? (?:\w+ )?back|undo|undone|put (?:\w+ )?back|back (?:to|on)|restored?"
    r"|zurück\w*|rückgängig"
    r"|annul\w+|remets|revenu\w*|deshaz\w*|deshecho|vuelve a)\b",
    re.IGNORECASE,
)
#: A sigh says nothing of what failed.
_SIGH = re.compile(r"(?:\W*\b(?:h+m+|mh+|meh|ugh|argh|oh|ok(?:ay)?|well|ach|tja|bof|pff+|na ja)\b)+\W*", re.IGNORECASE)
#: Who says so leaves off, and what was tried did not come about.
_GIVES_UP = re.compile(
    r"\b(?:(?:i|we|let['’]?s|i['’]ll|we['’]ll)(?: just)? (?:give|gave) (?:it |this |that )?up|(?:i['’]?m|we['’]?re) giving (?:it |this )?up"
    r"|ich geb['’]?e?(?:['’]?s| es| das)? auf|wir geben(?:['’]?s| es| das)? auf|j['’]abandonne|on abandonne|me rindo|nos rendimos"
    r"|mi arrendo|desisto|ik geef het op)(?=\W*$|[,.;!:]|\W+(?:on|for|here|now|today|with|für|heute|pour|por|per|voor)\b)"
    r"|\b(?:park|shelve|abandon) (?:it|this|that)(?=\W*$|[,.;!]| (?:for|until|and|then)\b)"
    r"|\b(?:park|shelve|abandon) (?:the|my|our|this|that) (?:\w+ )?(?:branch|work|attempt|idea|change|migration|pr|thing|topic)\b"
    r"|\blassen wir['’]?s?(?: es| das)?(?: für heute)?(?=\W*$|[,.;!])|\blass (?:es )?gut sein\b|\blaissez? tomber\b|\blo dejamos(?=\W*$|[,.;!])"
    r"|\blasciamo perdere\b",
    re.IGNORECASE,
)
_NAMES_IT = re.compile(r"\b(?:park|shelve|abandon)\b", re.IGNORECASE)
#: When, and how somebody begins to say it.
_FOR_TODAY = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|well|then|alright|hm+|gut|also|bon|bueno)\W+)*(?:(?:for|on) (?:now|today|this|it|that)\b|here\b|für heute\b"
    r"|pour (?:aujourd['’]hui|ce soir)|por hoy|per oggi|(?:now|today)\b)?",
    re.IGNORECASE,
)
#: What nobody minds: it was so before, it was meant to be so, or it is of something else.
_MINDED_BY_NOBODY = re.compile(
    r"\b(?:known (?:issue|bug|failure|problem|flake)|flaky|(?:is|was|as|are|were) expected|expected to|unrelated"
    r"|not related|nothing to do with|pre-?existing|on purpose|should fail|supposed to fail|meant to fail"
    r"|(?:already|always|also) (?:fail(?:s|ed)|red|broken)|fail(?:s|ed) (?:before|on main|on master|without)"
    r"|ignore (?:it|that|this|them|the)|does ?n[o'’]t matter|never ?mind|not (?:needed|important)|(?:failing|red)"
    r" (?:\w+ )?tests?\b|tests? (?:that|which) fails?|egal|unwichtig|erwartet|wie erwartet|attendu|esperado)\b",
    re.IGNORECASE,
)
#: What a command begins with before its name.
_RUNNERS = re.compile(
    r"(?:(?:sudo|env|time|nice|npx|bunx|fvm|uv run|poetry run|pdm run|pipenv run|bundle exec|mise exec|python3? -m"
    r"|\w+=\S*)\s+)+"
)
#: What brings no work on: that it failed says nothing of it.
_BESIDE = re.compile(
    rf"(?:{LOOKS_ONLY}"
    # Of these only what brings the work on.
    r"|git(?! (?:push|merge|rebase|pull|cherry-pick)\b)"
    r"|curl(?!.*\s(?:-X ?(?:POST|PUT|PATCH|DELETE)|--request[ =](?:POST|PUT|PATCH|DELETE)|-d|--data\S*|-F|--form|-T"
    r"|--upload-file)\b))\b"
)
#: What git could not bring together is, once it went on in another way.
_BROUGHT_TOGETHER = re.compile(r"\bgit (?:commit|push|pull|merge|rebase|cherry-pick)\b")
_BRINGS_TOGETHER = ("git merge", "git rebase", "git pull", "git cherry-pick")
_PARTS = re.compile(r"&&|\|\||;|\n|\|")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|<<.*", re.DOTALL)
#: What is no command's name: a piece of code, or nothing that can be read.
_NO_NAME = re.compile(r"['\"{}()=…]|:(?!\w+$)|^\W+$")
_MOST_CHARS, _NAME_WORDS = 600, 3
#: So much of what somebody says of it is told.
_SAID, _SAID_WORDS, _GIVEN_UP_WORDS = 2, 18, 30
#: So much of it stands in what is told as left.
_KNOWN = 0.7


@dataclass(frozen=True)
class _Run:
    """A command that failed: what it is called, and the turn in which it ran."""

    name: str
    turn: int
    is_check: bool
    #: Whether files were changed after it.
    is_worked_on: bool = False


def given_up(turns: Sequence[StoryTurn], tasks: Sequence[StoryTask]) -> LeftThing | None:
    """What the user gave up at the end: what they say of it, or what they had asked for before. None where the agent
    went on with it."""
    for number, turn in list(enumerate(turns))[-2:]:
        said = prose(turn.text) if turn.via is Via.TYPED else []
        at = next((place for place, one in enumerate(said) if _GIVES_UP.search(one) and not one.endswith("?")), -1)
        if at < 0 or any(one.edited for one in turns[number:]):
            continue
        told = [_told_beside(one) for one in said[at : at + _SAID]]
        before = next((one.text for one in reversed(tasks) if one.turn < number), "")
        words = "; ".join(filter(None, told)) or before
        text = sentence(f"Given up: {clipped(words, _GIVEN_UP_WORDS)}") if words else ""
        return LeftThing(text, tuple(said[at : at + _SAID]), is_of_work=True) if text else None
    return None


def _told_beside(said: str) -> str:
    """What a sentence says besides that something is given up; all of it where it names that itself."""
    found = _GIVES_UP.search(said)
    if found is None or _NAMES_IT.search(found[0]):
        return LEADS_IN.sub("", said).rstrip(" .")
    return _FOR_TODAY.sub("", f"{said[: found.start()]}{said[found.end() :]}").strip(" .,;:")


def left_failing(transcript: Transcript, turns: Sequence[StoryTurn], told: Sequence[LeftThing]) -> LeftThing | None:
    """The command whose last run failed, which the agent says and nobody mended or minds, with what the user said of
    it last; unless what is `told` as left says that already. None where nothing failed."""
    run = _last_failed(transcript)
    if run is None or run.turn >= len(turns) or _NO_NAME.search(run.name):
        return None
    since = turns[run.turn :]
    said = [one for turn in since for one in turn.closing]
    said = said if not run.is_worked_on else next((turn.closing for turn in reversed(since) if turn.replies), [])
    signs = (_SAYS_FAILED, NOT_MET) if run.is_check else (_SAYS_FAILED,)
    failing = [one for one in said if any(sign.search(one) for sign in signs) and not one.endswith("?")]
    wish = as_task(" ".join(prose(since[0].text)[-1:]))
    is_fine = any(_MINDED_BY_NOBODY.search(one) for one in (*said, *(turn.text for turn in since)))
    if not failing or is_fine or wish.endswith("?") or _is_given_back(since):
        return None
    text = f"Still failing: `{run.name}`"
    words = _words_on(since, told)
    return LeftThing(sentence(f"{text} ({words})" if words else text), tuple(failing[-1:]), is_of_work=True)


def _is_given_back(since: Sequence[StoryTurn]) -> bool:
    """Whether the user had what failed given back, and the agent did so."""
    return any(_GIVES_BACK.search(turn.text) and any(map(_GIVES_BACK.search, turn.closing)) for turn in since[1:])


def _words_on(since: Sequence[StoryTurn], told: Sequence[LeftThing]) -> str:
    """What the user said of it last, where that led to no change, answers no question and stands nowhere else."""
    last, before = since[-1], since[-2:-1]
    if not before or last.via is not Via.TYPED or last.edited or any(one.endswith("?") for one in before[0].closing):
        return ""
    known = frozenset[str]().union(*(stems(one.text) for one in told))
    said = [LEADS_IN.sub("", one).rstrip(" .") for one in prose(last.text) if not cues.FAREWELL.fullmatch(one)]
    # What is wanted next is said of something else.
    said = [
        one for one in said if _SIGH.fullmatch(one) is None and not is_task(as_task(one)) and not is_shell_only(one)
    ]
    said = [one for one in said if not (cues.is_small_talk(one) or cues.is_filler(one) or _is_known(one, known))]
    said = said[:_SAID]
    return clipped("; ".join(said), _SAID_WORDS).rstrip(".")


def _is_known(said: str, known: frozenset[str]) -> bool:
    found = stems(said)
    return len(found & known) >= _KNOWN * len(found)


def _last_failed(transcript: Transcript) -> _Run | None:
    """The last command that failed and did not pass later."""
    results = {n.line.call: n.line for n in transcript.lines if isinstance(n.line, ToolResult)}
    failed: dict[str, _Run] = {}
    refused, turn = refused_calls(transcript), -1
    for line in (numbered.line for numbered in transcript.lines if not numbered.line.undone):
        if isinstance(line, User) or (isinstance(line, Assistant) and turn < 0 and line.text.strip()):
            turn += 1
        elif isinstance(line, ToolCall) and line.call not in refused:
            if is_edit(line):
                failed = {
                    name: _Run(run.name, run.turn, run.is_check, is_worked_on=True) for name, run in failed.items()
                }
            elif (
                (result := results.get(line.call)) is not None and not line.text.startswith("{") and not result.running
            ):
                _take(line.text, result, max(turn, 0), failed)
    return next(reversed(failed.values()), None)


def _take(command: str, result: ToolResult, turn: int, failed: dict[str, _Run]) -> None:
    checks = {name: has_passed(name, command, result) for name in checks_in(command)}
    runs = checks or dict.fromkeys(_names(command)[-1:], not result.has_failed)
    if not result.has_failed and _BROUGHT_TOGETHER.search(command) is not None:
        for name in [one for one in failed if one.startswith(_BRINGS_TOGETHER)]:
            del failed[name]
    for name, is_ok in runs.items():
        failed.pop(name, None)
        if not is_ok:
            failed[name] = _Run(name, turn, bool(checks))


def _names(command: str) -> list[str]:
    """What the commands of a line are called: their first words, without flags; none of what only looks at things."""
    found = []
    for part in _PARTS.split(_QUOTED.sub("", visible(command)[:_MOST_CHARS])):
        bare = _RUNNERS.sub("", part.strip(), count=1)
        words = bare.split()
        flag = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
        if words and flag and not _BESIDE.match(bare):
            # Whichever branch it is, a push is a push.
            most = _NAME_WORDS - 1 if words[0] == "git" else _NAME_WORDS
            found.append(" ".join(words[: min(flag, most)]))
    return found
