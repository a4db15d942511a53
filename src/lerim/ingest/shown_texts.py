# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""A text above or below what the user typed, and what speaks of it: "Slack log from this morning", "^ what is that". Pure."""

from __future__ import annotations

import re

from lerim.glance import seldom
from lerim.ingest.introductions import CAME, DASH, MOST_CHARS, OWN_HEADING
from lerim.ingest.naming_texts import PAPER, TEXT, THIS
from lerim.ingest.text_work import ABOUT_WORK, AT_WORK, PROCESS, WORDCRAFT

# Something is to be done with what stands below.
_SHOWN = seldom(
    r"(?i)^(?!\W*(?:i|i['’]\w+|we|yes|yep|no|ok|okay|good|great|nice|thanks|thank|perfect|cool|love|that|that['’]s|this|it|so|let['’]?s|now|do|also)\b)[^\n]*\b(?:this|these|those|below|the following)\b"
)
# Work that is listed below, and no text: "make the following changes".
_LISTS_WORK = re.compile(
    r"(?i)\b(?:these|those|the following) (?:\w+ ){0,2}(?:changes|additions|edits|steps|tasks|fixes|features|fields|things|points|improvements|adjustments|updates|modifications|requirements|rules)\b"
)
# A heading that names a text: "Slack log from this morning", "thoughts on this tweet".
_HEADED = seldom(
    rf"""^\W*(?!my\b|our\b)(?:\w+\W+){{0,2}}{PAPER}\W*(?:$|\b(?:from|of|by|on|in|about|i|we|that|to|with|for)\b|[(,])
    | \b{THIS}\ (?:\w+\ )?{TEXT}|\b(?:turn|convert|make|extract|distill|sort|condense)\b.{{0,30}}\b{PAPER}
    | \b(?:\w+['’]s|their|his|her)\ (?:\w+\ ){{0,2}}{PAPER}
    | \b{TEXT}\ (?:was|is|says|said|reads|goes|went|i\ got|we\ got|we\ received)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Who says it, or wants it, above a gap: "greptile wrote", "the auditors want this from us", "remarks from the panel".
_ANNOUNCED = seldom(
    r"""\b(?!(?:i|we|you|that|which|what)\b)[\w'’@.-]+\ (?:(?:just|now|also|already|has|have|again)\ )?(?:wrote|writes|said|says|answered|answers|replied|replies|complained|complains
      |reported|reports|suggested|suggests|proposed|proposes|posted|commented|noted|demands|demanded|requires|insists)\W*$
    | (?<!\bi\ )(?<!\bwe\ )(?<!\byou\ )\b(?!(?:i|we|you|now|just|also|really|only|still|to)\b)\w+\ (?:wants?|wanted|asks?|asked|needs?|demands?|expects?|would\ like|requires?)\ (?:this|these|the\ following|all\ (?:this|that|of\ this))\b
    | ^\W*(?:\w+\W+){0,3}(?:requirements?|demands|wishes|complaints?|feedback|findings|guidelines|criteria|comments?|remarks|suggestions|answers?|reviews?|report|proposal)
      \ (?:from|by|of)\ (?!(?:me|us|mine|ours|my|our|now|here|this|it|that|today|yesterday|last)\b)
    | \b(?:kommentare|anmerkungen|wünsche|anforderungen|beschwerden?|rückmeldung(?:en)?|vorgaben)\ (?:vom|von|der|des)\ (?!(?:mir|uns|heute)\b)
    | \b(?:kunde|kundin|chef|chefin|gutachter\w*|prüfer\w*|auftraggeber\w*|vermieter\w*|lieferant\w*)\ (?:will|möchte|schreibt|fordert|verlangt|sagt|meint)\b
    | \b(?:remarques|commentaires|demandes|exigences|réclamations?|souhaits)\ (?:du|de\ la|des|de\ l['’])
    | \b(?:comentarios|requisitos|quejas?|observaciones|commenti|richieste|requisiti|osservazioni|comentários|pedidos|exigências)\ (?:del|de\ la|de\ los|della|dei|do|da|dos)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A paper that people are given and do not write here, or one from somebody; a place where others talk.
_SOURCE = seldom(
    r"""^\W*(?:(?:the|this|that|an?|old|their|his|her|so|ok)\W+){0,2}(?:\w+\W+)?(?:data\ ?sheet|ticket(?:\ text|\ \#?[\w-]*\d+)?|issue\ (?:text|body|\#?\d+)|bug\ report|style\ ?guide|handbook
      |standard|licen[cs]e(?:\ (?:text|header))?|contract|policy|complaint|retro|minutes|transcript|press\ release|man\ ?page|tender|user\ story)\b[^.!?:\n]{0,40}:?\W*$
    | ^\W*(?:(?:the|this|that|an?|another|last|new)\W+){0,2}(?:\w+\W+)?(?:e-?mail|mail|message|text|comment|review|answer|reply|post|tweet|letter|note|chat|summary|report|statement|dm|sms
      |whatsapp|slack|voicemail|analysis|recommendation|list|output|proposal)\ (?:.{0,30}\ )?(?:from|by)\ (?!(?:me|us|mine|ours|now|here|scratch|today|my\ side|our\ side)\b)[^.!?:\n]{1,50}:?\W*$
    | ^[^.!?:,\n]{2,50}\ (?:in|on|from|via)\ (?:the\ |our\ )?(?:\w+\ )?(?:slack|teams|discord|whatsapp|telegram|jira|linear|notion|confluence|zendesk|stack\ ?overflow|reddit|linkedin|signal|irc)
      (?:\ (?:channel|thread|chat|today|yesterday|just\ now|this\ morning))?:?\W*$
    | ^[^.!?:\n]{2,50}\ that\ (?:the\ )?\w+\ (?:wants?|demands?|requires?|asked\ for|insists\ on):?\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_THEIR_OWN = re.compile(
    r"(?i)\b(?:my|our|mine|ours|i|we|next|todo|idea|new|for|about|template|format|should)\b|[`/_=]"
)
#: A source is named in few words.
_SOURCE_WORDS = 9
_FIRST_CLAUSE = re.compile(r"[^,;.!?]*")
# What the user wants of something of theirs: "what i want from this export".
_WANTED = re.compile(r"(?i)\b(?:i|we)(?:['’]d)? (?:\w+ )?(?:want|need|expect|would|like|decided|agreed|think|prefer)\b")
#: A longer paragraph is no heading.
_HEADING_WORDS = 30
# Behind a text: whose it was.
_WAS_THEIRS = re.compile(
    r"""(?:^|[.!?]\ +|\n)\W*(?:(?:that|this|it)(?:['’]s|\ is|\ was)|(?:are|were|is|was)\ (?:the\ |his\ |her\ |their\ )(?:exact\ )?words)\ (?:\w+\ )?
      (?:what|how|from|taken\ from|copied\ from|according\ to|a\ quote)\ (?!(?:i|we|my|our|now)\b)[^.?!\n]{1,80}
    | (?:^|\n)[ ]*(?:\^|↑|☝|👆)[^\n]{0,160}$
    | (?:<-+|←|⬅)\ *(?:what|who|why|is|does|this|explain|translate|check|fix|thoughts|nonsense|wrong)\b[^\n]{0,160}$
    | (?:^|[.!?]\ +|\n)\W*(?:what|who|why|how)\b[^.?!\n]{0,40}\b(?:he|she|they|author|sender)\b[^.?!\n]{0,40}\?\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def headed(text: str) -> int | None:
    """Where the first paragraph ends when it is short and speaks of the text below it."""
    gap = text.find("\n\n")
    heading = text[: max(gap, 0)].strip()
    if not heading or not text[gap:].strip() or len(heading.split()) > _HEADING_WORDS:
        return None
    if heading.endswith(("?", "？")) and not ABOUT_WORK.search(heading):
        return gap
    if _is_announced(heading) or _is_source(heading):
        return gap
    if OWN_HEADING.search(heading) or heading.endswith((":", "：")):
        return None
    is_own = any(sign.search(heading) for sign in (AT_WORK, _WANTED, _LISTS_WORK))
    is_shown = _SHOWN.search(heading) is not None and not is_own
    return gap if is_shown or any(sign.search(heading) for sign in (WORDCRAFT, _HEADED, CAME)) else None


def _is_announced(heading: str) -> bool:
    """Whether a heading says who speaks below it; what is to be done with it may stand behind."""
    found = _ANNOUNCED.search(heading)
    first = _FIRST_CLAUSE.match(heading)
    return found is not None and first is not None and OWN_HEADING.search(first[0]) is None


def _is_source(heading: str) -> bool:
    """Whether a heading names where the text below it is from, and nothing else."""
    is_named = len(heading.split()) <= _SOURCE_WORDS and _SOURCE.search(heading) is not None
    return is_named and OWN_HEADING.search(heading) is None and _OF_THEIR_OWN.search(heading) is None


def spoken_of_below(text: str) -> int | None:
    """Where the words begin that speak of the text above them: what is asked of it, or whose it was."""
    asked = _asked_of_what_stands_above(text)
    whose = _WAS_THEIRS.search(text.rstrip(), max(0, len(text.rstrip()) - 2 * MOST_CHARS))
    return asked if whose is None else max(asked or 0, whose.start())


def _asked_of_what_stands_above(text: str) -> int | None:
    """Where the last line, or what stands behind a last dash, begins when it asks something of the text above it."""
    body = text.rstrip()
    dash = max((found.end() for found in DASH.finditer(body)), default=0)
    start = max(body.rfind("\n") + 1, dash)
    last = body[start:].strip(" .?!:")
    if not start or len(last) > MOST_CHARS:
        return None
    about = re.search(r"(?i)\b(?:this|that|these|it|above|das|ça|ceci|ce|esto|este|isto|это|这|これ)\b", last)
    return start if about and (PROCESS.search(last) or WORDCRAFT.search(last)) else None
