"""Where a title ends, and whether it says by itself what it is about: titles are cut, and written in a hurry. Pure."""

from __future__ import annotations

import re

#: A title that was cut keeps so many words.
_LEAST_WORDS = 5
#: Words no title ends with, whoever wrote it.
_UNFINISHED = re.compile(
    r"(?:\s+(?:and|or|but|the|an?|because|since|titled|named|called|including|based(?: on| upon)?|depending on|such as"
    r"|that says?|(?:and )?(?:make|be) sure(?: to| that)?|and ensure|[(\[“‘«–—-]))+$"
)
#: And words no title is cut behind.
_HANGING = re.compile(
    r"(?:\s+(?:that|which|who|says?|and|or|but|to|with|of|at|for|from|by|as|the|a|an|are|be|its|so|if|when|into|via"
    r"|(?:and )?(?:let|tell) (?:me|us)(?: know)?|not|another|would|we|you|i|they|he|she|our|your|my|their"
    r"|based|using|upcoming|how|why|what|do|does|can|should"
    r"|will|than|since|because|named|titled|called|including|between|without|like|such|until|where|whether|some|any"
    r"|in|on|is|it|this|each|every|compared|new|(?:and )?(?:make|be) sure|ensure|[(\[“‘«–—-]))+$"
)
_HANGING_ABROAD = re.compile(
    r"(?:\s+(?:und|oder|mit|von|im|auf|für|den|dem|der|die|das|ein|eine|einen|zum|zur|bei|dass|wenn|nach|vom|als"
    r"|et|ou|avec|dans|sur|pour|qui|que|le|la|les|des|du|de|un|une|en|au|aux|par|à"
    r"|y|con|el|los|las|del|al|una|por|para|e|da|dos|das|em|na|nos|nas|com|um|uma|os|ao|depois))+$"
)
#: Whose end was taken off with what it hangs on: "that spawn based on".
_CLAUSE = re.compile(r",? (?:that|which|who) \w+$")
#: The phrase that a cut went through: what begins with a preposition and ends within a few words.
_LAST_PHRASE = re.compile(
    r",? (?:for|in|of|on|at|to|with|from|by|about|into|using|based on|so|and|or|but|which|that|when|if|as|since)"
    r"(?: (?:the|an?|our|my|your|its|their|all|this))?(?: [\w/.@'’-]+)?$",
    re.IGNORECASE,
)
_QUOTES = {"“": "”", "‘": "’", '"': '"', "«": "»", "[": "]"}
#: What is said to be done with a thing that stands elsewhere: "replace it with X", "add this here".
_POINTS = re.compile(
    r"^(?:[\w-]+ ){1,2}?(?:it|this|that|them|these|those|both|all of (?:it|this|them))"
    r"(?: (?:to|for|in|into|on|at|with|from|as|by|too|also|again|here|there|now|quite|please|pls|up|out|instead|and)\b"
    r"|[,.:;]|$)"
    r"|\b(?:here|there|like (?:this|that)|as (?:you|i|we) (?:should|said|did|suggested|discussed))$",
    re.IGNORECASE,
)
#: What nobody said for a title: a place alone, a line for a shell or of its output.
_NO_WORDS = re.compile(
    r"^\W*[A-Za-z]{1,6}[-_#]?\d+\W*$|^\W*[\w.~@-]*[/\\.][\w./\\@~-]+\W*$|^(?:view|see) (?:build )?details\b",
    re.IGNORECASE,
)
_SHELL = re.compile(
    r"^!|^[\w/~.@:-]* ?[%$#] \w|>>? ?[~/\w]+[./]\w"
    r"|^(?:go|node|npm|pnpm|yarn|bun|npx|cargo|docker|uvicorn|python3?|pip3?|uv|make|echo|export|git|gh|kubectl|claude"
    r"|gemini|codex|java|mvn|gradle|brew|apt(?:-get)?|sudo|curl)"
    r" (?:\S*[./:=]\S|-{1,2}\w|mcp\b|run \S*[:./]|build -|'export)",
    re.IGNORECASE,
)
#: The same, said of a whole line: a command with its verb, and nothing that a person adds.
_SHELL_LINE = re.compile(
    r"(?-i:cd|ls|pwd|exit|clear|source|mkdir|chmod|rm|cp|mv) ?(?:[-~./]\S*|[\w.-]*[/.-][\w./-]*|[A-Z]\S*|\.\.)?"
    r"|(?-i:git) (?:add|commit|push|pull|status|init|clone|checkout|switch|log|diff|fetch|stash|remote|branch|merge"
    r"|rebase)(?: -\S.*| \.| origin\b.*| https?:.*| add \w.*)?"
    r"|(?-i:npm|pnpm|yarn|bun) (?:i|ci|install|start|test|run(?: [\w:-]+)?|dev|build)"
    r"|(?:gemini|claude|codex|exit|quit)",
)
_ARGUMENT = re.compile(r"'[^']*'|\"[^\"]*\"")
#: Words of a sentence, which a command has none of.
_SAID = re.compile(
    r"(?<![\w./=-])(?:is|are|was|the|an?|it|this|that|to|with|and|or|please|pls|why|how|what|does|should|not|but|fix|fails?"
    r"|in|on|for|from|der|die|das|und|ist|le|la|les|et|el|los|y)(?![\w./=-])",
    re.IGNORECASE,
)
#: Before the work, and of the talk: "take a look at: …", "again, …".
_LEAD = re.compile(
    r"^(?:(?:take|have) a (?:quick |closer )?look(?: at)?: |again,? (?=\w)|ultrathink:? "
    r"|think (?:hard|harder|deeply)[:,.] "
    # Where to go before it.
    r"|(?:find|open|locate|go (?:in)?to|cd (?:in)?to|look at) (?:the )?"
    r"(?:(?:file|folder|directory) )?(?:named |called )?"
    r"[`'\"]?[\w~@-]*[./][\w./@-]+[`'\"]?,? and (?=[a-z]+ )|user (?=(?:wants|asks|asked|learn|request)))",
    re.IGNORECASE,
)


def without_lead(text: str) -> str:
    """A wish without what only turns to the agent."""
    bare = _LEAD.sub("", text)
    return text if bare == text else bare[:1].upper() + bare[1:]


def points_elsewhere(title: str) -> bool:
    """Whether it tells what to do with a thing that it does not name."""
    return _POINTS.search(title) is not None


def is_no_wording(title: str) -> bool:
    """Whether it is a place, a line for a shell, or one that a program printed."""
    return _NO_WORDS.search(title) is not None or _SHELL.search(title) is not None


def is_shell_only(text: str) -> bool:
    """Whether all that somebody typed are lines for a shell."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return bool(lines) and all(map(_is_shell, lines))


def _is_shell(line: str) -> bool:
    if _SHELL_LINE.fullmatch(line) is not None:
        return True
    return _SHELL.match(line) is not None and _SAID.search(_ARGUMENT.sub("", line)) is None


def whole(title: str, *, is_cut: bool) -> str:
    """A title without the words, the phrase or the quotation that miss their end."""
    title = _unquoted(title)
    bare = _without_hanging(title, is_cut=is_cut)
    if bare == title and is_cut and (found := _LAST_PHRASE.search(title)) is not None:
        is_long = len(title[: found.start()].split()) >= _LEAST_WORDS
        bare = _without_hanging(title[: found.start()], is_cut=True) if is_long else title
    elif bare != title:
        bare = _CLAUSE.sub("", bare)
    return bare if len(bare.split()) > 1 else title


def _without_hanging(title: str, *, is_cut: bool) -> str:
    bare = _HANGING_ABROAD.sub("", _HANGING.sub("", title)) if is_cut else _UNFINISHED.sub("", title)
    return title if bare == title else bare.rstrip(" ,;:")


def _unquoted(title: str) -> str:
    """Without a mark of quotation that is opened last and never closed, and what stands behind it."""
    title = title.removesuffix(" '")
    for opening, closing in _QUOTES.items():
        at = title.rfind(opening)
        is_open = title.count(opening) % 2 if opening == closing else at > title.rfind(closing)
        if at > 0 and is_open and len(title[:at].split()) >= _LEAST_WORDS:
            title = title[:at].rstrip(" ,;:")
    return title
