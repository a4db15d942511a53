"""The title of a session's summary: of all that was asked, committed and told, what says most of what was done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import fsum, log1p
from pathlib import Path

from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.phrasing import capital
from lerim.ingest.signals.spelling import Speller
from lerim.ingest.signals.summary_changes import without_corrected
from lerim.ingest.signals.summary_choice import weights_of
from lerim.ingest.signals.summary_deeds import DOCUMENT, is_chore, without_type
from lerim.ingest.signals.summary_left import NOT_DECIDED
from lerim.ingest.signals.summary_story import Story
from lerim.ingest.signals.summary_tasks import StoryTask
from lerim.ingest.signals.summary_words import VERBS, clipped, closed, counted, is_task, listed, sentence, stems
from lerim.ingest.signals.title_ends import is_no_wording, points_elsewhere, whole, without_lead
from lerim.ingest.words import is_english
from lerim.text.sentences import sentences
from lerim.text.stems import stem

MAX_TITLE = 80
_TITLE_WORDS = 12
#: A title that was given is of so many words.
_LEAST_GIVEN = 2
#: What was asked for after so much else is not what a session was about.
_MOST_WISHES = 12
#: A longer name of a file takes the room of words.
_FILE_CHARS = 32
#: There is one of these in many a folder.
_ANY_FILE = re.compile(
    r"(?:readme|claude|agents|tasks|todo|index|page|layout|main|app|__init__|mod|spec|proposal|design|plan|config)\.\w+$",
    re.IGNORECASE,
)
#: A title that was cut keeps so many words.
_LEAST_TITLE = 5
#: With fewer words that tell something, a title needs what is said next.
_LEAST_STEMS = 3
#: What an agent's message says it did is in its first sentences; below them are the parts.
_HEADLINE = 1
#: With fewer words that are of this work and no other, a title could stand above any session.
_LEAST_NAMED = 2
#: Behind what was asked for, where nothing is left of it, and where nothing but documents was written.
_UNDONE, _ONLY_DOCUMENTS = " (taken back)", " (documents only)"
#: What is built of something else than documents.
_BUILDS = re.compile(
    r"(?:build|implement|develop|allow|integrate|migrate|deploy)\b"
    r"(?!.*\b(?:docs?|document\w*|readme|specs?|specification|plan|guide|changelog|skills?|rules?|prompts?|agents)\b)",
    re.IGNORECASE,
)
_LED_BY_QUESTION = re.compile(r"(?:Whether|How|What|Which|Where|When)\b[^?]*: ")
_NO_TASK = "A few words without a task"
_NO_WORDS = "Nothing was said"

_SUBAGENT = re.compile(r"\s*\(@[\w-]+ subagent\)$")
#: A list that was written as one line, a way that was picked by its letter, a line for the shell, an errand at the end.
_NO_TITLE = re.compile(
    r":\s+-\s|^(?:make|take|set|use|do|keep) (?:it )?\d"
    r"|^(?:go with|choose|pick|take|use|do) (?:option|approach|plan|way) \w\b|^[/!]\w|\d>|&&|\|\|"
    r"|^[1-9] (?:and|e|und|et|y) |^(?:proceed|continue|go on|carry on|move on) (?:with|to)\b"
    r"|^(?:create|make|write) (?:a |the )?(?:task|to-?do)s? list\b"
    r"|^(?:pushed|committed|merged)\b.*\b(?:[0-9a-f]{7,40}|origin|main|master)\b"
    r"|^(?:rename|delete|create|switch|cut) (?:the |a |this |my |to )*(?:new )?branch\b"
    r"|^(?:commit|push|stage|save|check ?out|cd|pick up|go (?:in)?to|find the (?:file|folder|directory)"
    r"|search for the (?:file|folder|directory)|(?:but )?(?:don['’]?t|do not))\b"
    r"|\bfollowing (?:updates|changes|tasks)$"
    # Where the work is done, and how it is brought up to date.
    r"|^(?:(?:switch|change|go|get|come|move)(?: us)? (?:back )?(?:on)?to|be on) (?:the )?(?:main|master"
    r"|develop|trunk)\b"
    r"|^(?:create|make|add|set up|open|start|use) (?:an? |the |another |new |git |fresh |separate )*worktree\b"
    r"|^(?:delete|remove|prune|clean ?up|tidy up) (?:the |all |my |any |old |stale |merged |local |dead |unused )*"
    r"(?:branch(?:es)?|worktrees?)\b"
    r"|^(?:switched|checked out|pulled|fetched|rebased|branched|staged)\b"
    r"|^use (?:the |a |an )?[\w-]+ (?:skill|agent|subagent|mcp|tool)s?$"
    r"|^(?:bring|get) (?:this|the|my|our) branch (?:up to date|in sync)\b|^(?:pull|fetch|rebase"
    r"|fix the (?:origin|remote))\b"
    # Said in passing: who waits, and how much of a hurry it is.
    r"|\b(?:is|are) waiting\b|^(?:live|quick|urgent|asap|hurry)\b(?!.* (?:the|a|an|so that) )",
    re.IGNORECASE,
)
#: A touch of something, and no work of a session that had other.
_ERRAND = re.compile(
    r"^(?:make|turn|set|put|change|move|rename|fix) (?:.{3,40} (?:smaller|bigger|larger|wider|narrower|shorter|longer"
    r"|bold|darker|lighter|up|down|(?:to )?(?:red|green|blue|grey|gray|black|white|yellow|orange))\b"
    r"|(?:the |a )?(?:typos?|colou?rs?|wording|spelling)\b|['\"“‘`].{1,40} (?:in front of|before|behind|after)\b)",
    re.IGNORECASE,
)
#: What goes along with work: its tests, what is written of it, a run.
_GOES_ALONG = re.compile(
    r"(?:now |also |then |again |please )*(?:(?:add|write|create) (?:\w+ ){0,3}tests?\b"
    r"|(?:summari[sz]e|draft|write|generate|create|give me|make|update|open)\b.{0,60}"
    r"\b(?:PR|pull request|commit message"
    r"|release notes|changelog|readme|description)\b|(?:re-?)?run\b"
    r"|(?:install|restart|rebase|lint|format|split|squash)\b"
    r"|(?:update|adjust|fix) (?:the |all )?(?:docs?|documentation|tests?|comments?)\b(?! \w+ \w+ \w+))",
    re.IGNORECASE,
)
#: A version that went out is what its session was for, unless other work was committed in it.
_RELEASE = re.compile(
    r"^(?:release[sd]?|cut|publish(?:ed)?|ship(?:ped)?|tag(?:ged)?|bump(?:ed)?)?\W*(?:version |release )?"
    r"v?\d+\.\d+(?:\.\d+)*\b",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?<![\w.])v?(\d+\.\d+(?:\.\d+)*(?:-?(?:rc|beta|alpha)\.?\d*)?)(?!\w)")
#: A last touch to what is written, and no work beside a release.
_TOUCH_UP = re.compile(
    r"\b(?:typos?|spelling|wording|whitespace|tippfehler|rechtschreib\w*|coquille|faute|errata|errores tipográficos)\b"
    r"|^(?:readme|changelog|docs?)\b|^(?:update|edit|amend|fix|adjust|correct|mention|note)\b.*\b(?:changelog|readme"
    r"|release notes)\b",
    re.IGNORECASE,
)
#: What a value was before it was set anew.
_FIRST = re.compile(r" \(first [^()]{1,20}\)")
_OF_WHAT_IS_LEFT = 0.7
#: A finding looks like one: it tells of work, of a cause or a check.
_FINDING = 1.0
#: Who asks, with or without a mark.
_WONDERS = re.compile(r"\b(?:what|why|how|who|which|what['’]?s)\b", re.IGNORECASE)
#: So many wishes can be told apart by whether files were changed for them.
_FEW_TASKS = 6
_ONLY = re.compile(r"^(?:only|just|rather|instead) (?=\w+ )", re.IGNORECASE)
#: So many of the files that were changed most, and what a word of their names weighs.
_FILES_HEARD, _OF_A_NAME = 5, 0.4
_PARTS_OF_NAMES = re.compile(r"[\W_\d]+|(?<=[a-z])(?=[A-Z])")
#: What a title loses for a word that nobody knows, of so many.
_STRANGE, _MOST_STRANGE = 0.3, 2
#: What it loses where it was cut before what it is about.
_CUT_SHORT = 0.6
_OBJECT = re.compile(
    r" (?:whether|if|how|what|why|it|them|him|her|us)\b",
    re.IGNORECASE,
)
_SECOND_ORDER = re.compile(r"(?<=\w),? (?:and|then|und|et|y) (?P<order>[^,;:]{3,60})$")
#: What is thrown away is not what was done.
_GIVES_UP = re.compile(
    r"^(?:put|take|bring) (?:it|that|this|them|all|everything) back\b|^(?:go|roll|switch|change) back\b|^(?:drop"
    r"|discard|scrap|revert|undo|delete"
    r"|remove|throw away|kill|forget|reset) (?:it|that|this|them|all"
    r"|everything|the (?:branch|try|attempt|experiment|changes?|commits?|files?|prototype|spike|draft)s?)\b"
    r"|\b(?:drop|delete|revert|undo|throw) (?:it|that|this|the branch|everything)(?: away| again)?$",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(r"(?:revert|roll ?back|back ?out|undo|scrap|drop|remove|take out)\b", re.IGNORECASE)
#: With so many changes of files it is seen which wish took the work.
_MANY_EDITS = 4
#: What a headline does without, but for code, quotations and what is said besides.
_KEPT_AS_IT_IS = frozenset('`"(“')
_ARTICLES = re.compile(r"(?<=\w )(?:(?:the|an?) )+(?=\w)", re.IGNORECASE)
#: A place on somebody's disk: its last part is the name that people know.
_TODAY = re.compile(
    r"(?<=\w) (?:today|now|right now|(?:with|like|as in) this(?: error)?|see below|as follows|heute|jetzt"
    r"|aujourd['’]hui"
    r"|hoy|hoje|oggi)$",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?<![\w.:/])(?:~|[A-Za-z]:)?(?:[/\\][\w.@-]+){2,}[/\\](?P<name>[\w.@-]+)/?")
_NAMED_FILE = re.compile(
    r"(?:^|[\s:(`'\"])(?:\.{0,2}/|@)?(?:[\w .-]+/)*(?P<name>[\w-]+\.(?:mdx?|txt|ya?ml|json|csv|sql|pdf))\b"
)
#: One part of what was done.
_OF_A_FILE = re.compile(r"^\w+(?: the)? `?[\w@~-]*[./][\w./@-]+`?\s", re.IGNORECASE)
#: What the work was done to, and how it is since.
_IS_NOW = re.compile(r"[^.?!:;]{3,60}? (?:is|are) now (?!available|ready|running|done|complete|clean|up)\w")
_TELLS_COMMIT = re.compile(
    r"(?:(?:i|we) )?(?:also )?(?:committed|pushed|merged)\b[^`\"“‘]{0,25}[`\"“‘](?P<subject>[^`\"”’\n]{8,120})[`\"”’]",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:(?:and|so|but|hm+|wait) )*(?:how|what|where|when|who|which|do|does|did|is|are|was|were|has|have|should|whats"
    r"|wheres)\b"
    r"(?! (?:not|n['’]t)\b)",
    re.IGNORECASE,
)
_NEEDS = re.compile(r"(?:i|we) (?:need|want) (?!to\b|your?\b|help\b|some help\b)\w+ \w", re.IGNORECASE)
_STATES = re.compile(r"^[\w-]+ (?:is|are|was|were|has|have|stays?)\b", re.IGNORECASE)
#: Said of the talk or of a mood, and not of work.
_IN_PASSING = re.compile(
    r"^(?:remember|remind|btw|fyi|shit|damn|wtf|ugh|argh|oh no|help|prove|thoughts|what do you think)\b"
    r"|^(?:this|that|it|the following) (?:just )?(?:came|popped up|arrived|happened|landed)\b"
    r"|^(?:i )?(?:just )?got (?:this|that|the following|a|an)\b"
    r"|^(?:an? |the |this )?(?:mail|e-?mail|slack|message|letter|note|ticket|chat|nachricht|brief|courriel|mensaje"
    r"|correo)"
    r" (?:from|of|von|vom|de|del|da)\b|\bfyi\b"
    r"|\b(?:(?:is|are) (?:giving|driving|making|killing) (?:me|us)\b|(?:is|are) (?:complaining|angry|unhappy|waiting)$"
    r"|(?:\w+ )?complaining$|annoys me|hate)\b"
    r"|\b(?:overkill|not worth it|too much for now|from now on$|no idea|not sure yet|undecided)\b|^(?:good morning"
    r"|morning|hello|hi|back from|i['’]?m back"
    r"|i am back|today (?:i|we) (?:want|need|have))\b",
    re.IGNORECASE,
)
#: Who came back with something, and not yet with what.
_REPORTS = re.compile(
    r"(?:(?:and|so|ok(?:ay)?|well|hm+|update)\W+)*(?:(?:the|our|my|der|die|das|unser\w*|le|la|les|notre|el|los|las"
    r"|nuestr\w+) )?[\w'’&.-]+(?: [\w'’&.-]+){0,4}?"
    r" (?:(?:has |have |just |finally )*(?:came|come|got|gotten|is|are) back|(?:has |have |just |finally )*(?:called"
    r"|wrote"
    r"|written|replied|answered|rang|phoned|mailed|emailed|complained|complains|is unhappy|reached out)"
    r"|(?:hat|haben) (?:\w+ ){0,3}?(?:angerufen|geantwortet|geschrieben|gemeldet|reklamiert)|meldet sich|beschwert sich"
    r"|(?:a|ont) (?:\w+ )?(?:répondu|appelé|rappelé|écrit)|(?:ha |han )?(?:respondi[oó]|respondido|llam[oó]|llamado"
    r"|contest[oó]|escrib[ií]o|escrito))"
    r"(?: (?:to|at|with) (?:us|me)| (?:us|me|back|again|today|yesterday|this morning|wieder|heute|gestern|ce matin"
    r"|hoy|ayer)"
    r")*\W*",
    re.IGNORECASE,
)
#: A remark on what was just seen, or an order for this one time: no work.
_REMARK = re.compile(
    r"^(?:(?:that|it|this)(?:['’]?s| is| was)|das (?:ist|war)|c['’]est|c['’]était|eso (?:es|fue)|(?:she|he"
    r"|they) says?)\b"
    r"|\b(?:this (?:time|once)|for once|just (?:push|commit|merge|deploy|ship)|diesmal|cette fois|esta vez)\b",
    re.IGNORECASE,
)
#: Who only wants to know, of a thing that stands elsewhere.
_LOOKS = re.compile(
    r"^(?:find out|figure out|(?:have a )?look|check|see|investigate|explain|tell me|schau\w*|finde|regarde\w*|mira)\b"
    r".*\b(?:it|that|this|they|das|es|ça|eso)\b|^(?:explain|tell me|describe)\b",
    re.IGNORECASE,
)
#: Behind what goes wrong.
_WHY = re.compile(
    r",\s*(?:but |and |aber |y |mais )?(?:(?:regarde\w*|schau\w*(?: mal)?|mira) (?:pourquoi|warum|wieso|woran|por qué)"
    r"(?: (?:stp|svp|bitte))?|why|how come|warum|wieso|woran liegt(?: das| es)?|pourquoi|por ?qu[eé]"
    r"|perché|waarom"
    r"|any ideas?|what['’]?s (?:wrong|going on|up))\s*\?*$",
    re.IGNORECASE,
)
#: Less of the work than this was done by the way.
_BY_THE_WAY = 0.2
#: And this much was most of it.
_MOST_OF_IT = 0.4
_BY_ME = re.compile(r"^(?:i|we)(?: have|['’]ve)? (?:also )?(?=\w+ed\b|wrote|rewrote|built|split)", re.IGNORECASE)
#: What work is made of, whatever it is about.
_WORK_WORDS = """
    above actual actually again all analysis approach approve area before below block both branch broken bug bugs case
    cases change changes chat clarification clarifications code codebase completion context current currently deep
    detail detailed details directory dive doc docs document documentation documents enhancement error errors
    everything existing failure failures feature features file files finding findings first fixes folder following
    full fully gap gaps general implementation improvement improvements input issue issues item items last left list
    message messages milestone minor necessary need needed new next non note notes number old option options output
    part parts phase planned previous problem problems progress project prompt proposed question questions quick
    readme recommended remaining repo repository requested requirement requirements result results role rule rules
    satisfied second session source spec specification specs stack stage state status step steps story suggested
    summary task tasks template test testing tests thing things third thorough thoroughly three todo todos truth two
    upcoming urgent way work workflow works
"""
_ANY_WORK = frozenset(map(stem, [*VERBS, *re.findall(r"\w+", _WORK_WORDS)]))


def title_of(story: Story) -> str:
    """A title that stands alone: of all there are, the one that says most of what the session was about."""
    if best := _placed(_best(story), story):
        is_undone = story.deeds.is_undone or any(best == _fit(task.text) for task in _taken_back(story))
        return _ended(best, _UNDONE if is_undone else _ONLY_DOCUMENTS if _is_on_paper(story, best) else "")
    return (
        _reported(story)
        or _title_of_deeds(story)
        or _found(story)
        or (_NO_TASK if story.length or story.tasks else _NO_WORDS)
    )


def _placed(title: str, story: Story) -> str:
    """A title that says little by itself, with the file that was changed most: "replace it to use OpenAI (chat.ts)"."""
    is_amount = any(one.isdigit() for one in title)
    says_little = points_elsewhere(title) or (len(_named(title)) < _LEAST_NAMED and not is_amount)
    files = [Path(name) for name, _ in story.deeds.files.most_common()]
    is_told = _RELEASE.match(title) or any(one.stem.lower() in title.lower() for one in files)
    if not title or not files or not says_little or is_told:
        return title
    # A document goes along with other work, and is the work where there is no other.
    name = _file_name(next((one for one in files if not DOCUMENT.search(one.name)), files[0]))
    return _ended(title, f" ({name})") if 0 < len(name) <= _FILE_CHARS else title


def _file_name(file: Path) -> str:
    """What a file is known by; nothing where there may be many of its name."""
    if not _ANY_FILE.match(file.name):
        return file.name
    return f"{file.parent.name}/{file.name}" if file.parent.name else ""


def _taken_back(story: Story) -> Iterator[StoryTask]:
    """The wishes of whose changes nothing is left; trouble stays, whichever way to mend it was given up."""
    return (task for task in story.tasks if task.turn in story.undone and is_task(task.text))


def _reported(story: Story) -> str:
    """What the agent says it did, when nobody said what was wanted."""
    told = (_fit(one.text) for one in story.tellings if one.place <= _HEADLINE and cues.TELLS_DEED.match(one.text))
    return next((text for text in told if len(_named(text)) >= _LEAST_NAMED), "")


def _found(story: Story) -> str:
    """What the agent found, when nobody said what was wanted and nothing was changed."""
    told = (_fit(one.text) for one in story.tellings if one.cue >= _FINDING)
    return next((text for text in told if len(_named(text)) >= _LEAST_NAMED), "")


def _best(story: Story) -> str:
    weights, speller = _weights(story), _speller(story)
    # Who writes in a hurry is answered in their language.
    is_read = any(is_english(" ".join(said)) for said in ([task.text for task in story.tasks], story.closing))
    best, most = "", float("-inf")
    for bonus, text in _titles(story):
        fitted = _fit(speller.mended(text))
        score = bonus + _topical(fitted, weights) - 0.35 * min(2, len(cues.VAGUE.findall(fitted)))
        score -= _CUT_SHORT * _is_cut_before_object(text, fitted)
        score -= _STRANGE * min(_MOST_STRANGE, speller.strange(fitted)) * is_read
        is_enough = (len(stems(fitted)) >= 2 and not is_no_wording(fitted)) or _RELEASE.match(fitted) is not None
        if score > most and is_enough and not (cues.is_filler(fitted) or cues.COUNTS.fullmatch(fitted)):
            best, most = fitted, score
    return best


def _is_cut_before_object(text: str, fitted: str) -> bool:
    """Whether a title ends where the thing begins that it speaks of: "make sure to name | it", "confirm | whether"."""
    rest = text[len(fitted) :] if text.startswith(fitted) else ""
    return _OBJECT.match(rest) is not None


def _weights(story: Story) -> dict[str, float]:
    """How much each word is what the session is about; what was changed most is called so."""
    weights = weights_of(story)
    for name, edits in story.deeds.files.most_common(_FILES_HEARD):
        for one in stems(_PARTS_OF_NAMES.sub(" ", Path(name).stem)) - _ANY_WORK:
            weights[one] = weights.get(one, 0.0) + _OF_A_NAME * log1p(edits)
    return weights


def _speller(story: Story) -> Speller:
    """Puts slips of a title right by the words of the agent: it is no quote, and has to be read."""
    names = " ".join(_PARTS_OF_NAMES.sub(" ", name) for name in story.deeds.files)
    told = (
        *(one.text for one in story.tellings),
        *story.closing,
        *story.deeds.commits,
        *story.deeds.pulls.titles,
        names,
    )
    return Speller(told, (task.text for task in story.tasks))


def _ended(title: str, end: str) -> str:
    """A title with a word on what came of it, cut where there is no room for both."""
    room = MAX_TITLE - len(end)
    if len(title) <= room:
        return f"{title}{end}"
    kept = title[: room + 1].rsplit(" ", 1)[0][:room].rstrip(" ,;:")
    return f"{whole(kept, is_cut=True)}{end}"


def _is_on_paper(story: Story, title: str) -> bool:
    """Whether something was to be built, and nothing but documents came of it so far."""
    files = story.deeds.files
    return bool(files) and _BUILDS.match(title) is not None and story.deeds.has_only_documents


def says_nothing(title: str) -> bool:
    """Whether it is the title of a session in which nobody said what was wanted."""
    return title == _NO_TASK


def _title_of_deeds(story: Story) -> str:
    """What was done, when nobody said what was wanted."""
    deeds = story.deeds
    if deeds.files:
        names = [Path(name).name for name, _ in deeds.files.most_common(2)]
        more = len(deeds.files) - len(names)
        return _fit(f"Changed {listed([*names, *([counted(more, 'more file')] if more else ())])}")
    fitted = map(_fit, (*deeds.commits, *(task.text for task in story.tasks)))
    return next((text for text in fitted if stems(text) and not cues.is_filler(text)), "")


def _titles(story: Story) -> Iterator[tuple[float, str]]:
    """Texts that could be the title, with how much each is made to be one."""
    for number, task in enumerate(story.tasks[:_MOST_WISHES]):
        text = _wish_alone(story, task, is_first=number == 0)
        yield 2.0 if task.is_plan else _worth(story, task, text, is_first=number == 0) - _thinness(_fit(text)), text
        yield from _orders_in(story, task, text, is_first=number == 0)
    yield from ((1.9, without_type(pull)) for pull in story.deeds.pulls.titles)
    yield from _committed(story)
    # The agent's program gives a title to what was talked about.
    if len(story.title.split()) >= _LEAST_GIVEN and not story.title.startswith("/"):
        yield 1.6, _SUBAGENT.sub("", story.title)
    yield from ((bonus, sentence(_BY_ME.sub("", told))) for bonus, told in _headlines(story))


def _wish_alone(story: Story, task: StoryTask, *, is_first: bool) -> str:
    """What was asked for, without what leads to it. Nobody calls their work by the question that they answered."""
    text = _FIRST.sub("", task.bare if _is_answer(task) else task.text)
    text = without_corrected(text, story.correction) if is_first and story.correction else text
    return without_lead(_WHY.sub("", _without_report(text)))


def _is_answer(task: StoryTask) -> bool:
    return bool(task.bare) and _LED_BY_QUESTION.match(task.text) is not None


def _worth(story: Story, task: StoryTask, text: str, *, is_first: bool) -> float:
    """How much a wish is made to be the title: it says what was done when it is short and an order; a prompt that is
    cut says neither."""
    fitted = _fit(text)
    # In a short session, what files were changed for is what was done.
    is_worked_on = len(story.tasks) <= _FEW_TASKS and any(one.turn in story.edits for one in story.tasks)
    return (
        _weight(story, task.turn, is_first=is_first, is_order=is_task(text))
        + 0.6 * (is_task(text) or (is_first and _NEEDS.match(text) is not None))
        - 0.6 * bool(_ERRAND.match(text))
        - 0.7 * (not is_first and _GOES_ALONG.match(text) is not None and _share(story, task.turn) < _MOST_OF_IT)
        - 0.6 * (_is_question(text) or _ASKS.match(fitted) is not None)
        - 0.4 * (len(fitted) < len(whole(text.rstrip(" .:;,"), is_cut=False)))
        - 0.4 * _is_answer(task)
        - 0.6 * task.is_chosen
        - 0.3 * (not is_first and cues.FORBIDS.match(fitted) is not None)
        - 2.0 * (task.turn in story.undone and is_task(text))
        - 1.0 * (not is_first and task.text == story.unanswered)
        - 1.0 * any(_is_part_of(fitted, one) for one in (*story.left_for_later, " ".join(story.left_for_later)))
        - (0.8 if is_first else 2.5) * bool(_GIVES_UP.search(fitted))
        - 0.8 * bool(_IN_PASSING.search(fitted))
        - 0.9 * points_elsewhere(fitted)
        - 1.5 * is_no_wording(fitted)
        - 1.0 * bool(_REMARK.search(fitted))
        - 0.6 * (bool(story.edits) and _LOOKS.match(fitted) is not None)
        - 0.8 * (_RELEASE.match(fitted) is not None and 0 < _share(story, task.turn) < _MOST_OF_IT)
        - 0.5 * (is_worked_on and task.turn not in story.edits and _WONDERS.search(fitted) is not None)
    )


def _orders_in(story: Story, task: StoryTask, text: str, *, is_first: bool) -> Iterator[tuple[float, str]]:
    """The orders behind what a wish begins with: "I am new here. Add a sign-in page" is about the page."""
    first, *more = sentences(text) or [""]
    # What came instead of what was taken back says what was done.
    is_instead = not is_first and any(one.turn < task.turn for one in _taken_back(story))
    is_most = not is_first and not is_task(first) and _share(story, task.turn) >= _MOST_OF_IT
    if not ((is_first and not is_task(first)) or is_instead or is_most):
        return
    more = more if is_first else [first, *more]
    # "Guests find no room, split the index" is about the index.
    more += [part for one in more for part in one.split(", ")[1:]] if is_most else []
    worth = 0.6 + (0.5 * _share(story, task.turn) if is_most else 0.0)
    about = _NAMED_FILE.search(first) if is_first else None
    for one in (capital(_ONLY.sub("", one)) for one in more):
        is_order = is_task(one) and not cues.FORBIDS.match(one) and not _STATES.match(one) and not _NO_TITLE.search(one)
        if is_order and (is_first or not _GIVES_UP.search(one)):
            is_look = bool(story.edits) and _LOOKS.match(one) is not None
            yield worth - 0.6 * is_look, _about(_fit(one), about) if about else one


def _about(wish: str, found: re.Match[str]) -> str:
    """A wish behind a list of what it is about, with the first of it: "copy the flows directly (UC-06.md)"."""
    is_told = re.search(r"[\d./#]", wish) is not None
    return wish if is_told else _ended(wish, f" ({found['name']})")


def _weight(story: Story, turn: int, *, is_first: bool, is_order: bool) -> float:
    """What speaks for the wish of a turn: that it came first; and where that was done by the way, how much of the work
    was done for it."""
    first = _share(story, story.tasks[0].turn)
    wish = story.tasks[0].text
    is_asked = not first and (_is_question(wish) or cues.COUNTS.fullmatch(wish) is not None)
    is_by_the_way = is_asked or 0 < first < _BY_THE_WAY or _ERRAND.match(wish) is not None
    is_seen = sum(story.edits.values()) >= _MANY_EDITS
    if is_seen and is_by_the_way:
        return 0.8 * _share(story, turn)
    if is_seen and not is_first:
        return 0.3 * _share(story, turn) * is_order - 0.3 * (_share(story, turn) < _BY_THE_WAY)
    return 0.5 * is_first


def _is_question(wish: str) -> bool:
    """Whether a wish only asks; who gives an order first and asks then has given one."""
    return wish.endswith("?") and not is_task(wish)


def _share(story: Story, turn: int) -> float:
    """How much of the work was done in a turn, where there was enough to tell."""
    total = sum(story.edits.values())
    return story.edits.get(turn, 0) / total if total >= _MANY_EDITS else 0.0


def _without_report(text: str) -> str:
    """A wish without who came back with it: "legal called. Drop the banner" is about the banner."""
    for stop in (". ", ": "):
        first, mark, rest = text.partition(stop)
        if mark and _REPORTS.fullmatch(first):
            return capital(rest)
    return text


def _committed(story: Story) -> Iterator[tuple[float, str]]:
    subjects = [
        (subject, is_chore(commit) or _TOUCH_UP.search(subject) is not None)
        for commit in story.deeds.commits
        if (subject := without_type(commit))
    ]
    wished = {number for task in story.tasks for number in _VERSION.findall(task.text)}
    is_release_only = all(is_of_no_weight or _RELEASE.match(subject) for subject, is_of_no_weight in subjects)
    # What was committed where nobody saw the tool, as the agent tells it.
    told = [found["subject"] for one in story.tellings if (found := _TELLS_COMMIT.match(one.text))]
    told = [one for one in told if " " in one.strip() and not is_no_wording(one)]
    yield from ((0.3 if is_chore(one) else 1.0, without_type(one)) for one in told)
    undone = set(_reverted(subject for subject, _ in subjects))
    for subject, is_of_no_weight in subjects:
        if subject in undone:
            continue
        is_wished = not wished.isdisjoint(_VERSION.findall(subject))
        if (is_release_only or is_wished) and _RELEASE.match(subject):
            yield 2.0, f"Release {subject}" if _VERSION.fullmatch(subject.lstrip("v")) else subject
        else:
            yield 0.3 if is_of_no_weight else 1.0, subject


def _reverted(subjects: Iterable[str]) -> Iterator[str]:
    """The commits that a later one takes back by its name: "remove the mosaic" is what became of "mosaic tiles"."""
    before: list[str] = []
    for subject in subjects:
        if _TAKES_BACK.match(subject):
            yield from (one for one in before if len(_named(one) & _named(subject)) >= min(2, len(_named(one))) > 0)
        before.append(subject)


def _headlines(story: Story) -> Iterator[tuple[float, str]]:
    """What an agent says first of what it did, turn by turn: where nobody named the work, it does."""
    first_wish = _fit(story.tasks[0].text) if story.tasks else ""
    is_unnamed = not first_wish or _thinness(first_wish) > 0 or _IN_PASSING.search(first_wish) is not None
    deeds = [
        one
        for one in story.tellings
        if (one.place <= _HEADLINE and cues.TELLS_DEED.match(one.text)) or (not one.place and _IS_NOW.match(one.text))
    ]
    first = [one for one in deeds if not _TELLS_COMMIT.match(one.text)]
    for turn, line in story.headings:
        told, share = _BY_ME.sub("", line), _share(story, _asked_in(story, turn))
        is_whole = _fit(told) == told and whole(told, is_cut=True) == told
        if share >= _MOST_OF_IT and is_whole and len(_named(told)) >= _LEAST_NAMED and not _NO_TITLE.search(told):
            yield 0.5 * is_unnamed + 0.45 * share - 0.9 * points_elsewhere(told), told
    begins = min((one.turn for one in first), default=0)
    for one in first:
        told = _fit(one.text)
        if len(_named(told)) >= _LEAST_NAMED and not (_OF_A_FILE.match(one.text) or _NO_TITLE.search(told)):
            share = _share(story, _asked_in(story, one.turn))
            yield 0.5 * is_unnamed + 0.2 * (one.turn == begins) + 0.45 * share - 0.9 * points_elsewhere(told), one.text


def _asked_in(story: Story, turn: int) -> int:
    """The turn in which that was asked for, which an agent did in this one."""
    return max((task.turn for task in story.tasks if task.turn <= turn), default=0)


def _is_part_of(title: str, left: str) -> bool:
    """Whether a title tells what was left, and not what was done."""
    found = stems(title)
    return not left.startswith(NOT_DECIDED) and len(found & stems(left)) >= _OF_WHAT_IS_LEFT * len(found)


def _thinness(title: str) -> float:
    """How much a title could stand above any session: "Update the plan", "Go with option A"."""
    return 1.2 if _NO_TITLE.search(title) else 0.35 * max(0, _LEAST_NAMED - len(_named(title)))


def _named(title: str) -> frozenset[str]:
    """The words of a title that are of this work and no other."""
    return frozenset(word for word in stems(title) if word not in _ANY_WORK and not word.isdigit())


def _topical(title: str, weights: dict[str, float]) -> float:
    """0 to 1: how much of a title's words the session came back to. What names no work is about none."""
    found = stems(title)
    most = max(weights.values(), default=1.0)
    return fsum(weights.get(stem, 0.0) for stem in (_named(title) if _thinness(title) else found)) / (
        most * max(4, len(found))
    )


def _fit(text: str) -> str:
    """At most 80 characters, ended at a clause or a word."""
    is_question = text.rstrip().endswith("?")
    text, *more = _PLACE.sub(r"\g<name>", text).split(". ")
    if more and len(stems(text)) < _LEAST_STEMS and ":" not in more[0] and not is_task(text):
        # "Three things" says nothing, and "New laptop" little.
        text = more[0] if cues.COUNTS.fullmatch(text) else f"{text}: {more[0][:1].lower()}{more[0][1:]}"
    asked, mark, _ = text.partition("? ")
    text = f"{asked}?" if mark and len(stems(asked)) >= _LEAST_NAMED else text
    text = _TODAY.sub("", text.rstrip(" .:;,\\"))
    head, _, told = text.partition(": ")
    if len(text) > MAX_TITLE and len(head.split()) >= _LEAST_TITLE:
        text = _at_colon(head, told)
    text = _without_articles(text) if len(text) > MAX_TITLE else text
    short = clipped(text, _TITLE_WORDS).removesuffix(" …") if len(text) > MAX_TITLE else text.removesuffix(" …")
    if len(short) > MAX_TITLE:
        short = short[: MAX_TITLE + 1].rsplit(" ", 1)[0].rstrip(" ,;:-–—`('\"")[:MAX_TITLE]
    if text[len(short) :].startswith(": "):
        return _fit(_at_colon(short, text[len(short) + 2 :]))
    told = closed(whole(short, is_cut=short != text))
    # Of two orders the first is whole.
    if _is_cut_before_object(text, told) and (end := _SECOND_ORDER.search(told)) is not None and is_task(end["order"]):
        told = told[: end.start()]
    # A question keeps its mark, wherever it was cut.
    is_asked = is_question and not told.endswith("?") and _ASKS.match(told) is not None
    return f"{told[: MAX_TITLE - 1]}?" if is_asked else told


def _without_articles(text: str) -> str:
    """What is a little too long, as a headline says it: "Check if limits and pairs reach agents"."""
    short = _ARTICLES.sub("", text)
    return short if len(short) <= MAX_TITLE and _KEPT_AS_IT_IS.isdisjoint(text) else text


def _at_colon(head: str, told: str) -> str:
    """What stands before a colon, or what it only leads to: "two things for the crew page, and one on cost: …"."""
    before = head[: max(head.rfind(mark) for mark in ",;")] if re.search(r"[,;]", head) else head
    if is_task(head) or (before != head and len(before.split()) >= _LEAST_TITLE):
        return head if is_task(head) else before
    is_led = is_task(told) or len(head.split()) < _LEAST_TITLE
    return capital(told) if is_led and len(stems(told)) >= _LEAST_STEMS else head
