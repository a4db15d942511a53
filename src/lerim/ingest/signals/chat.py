# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What sounds like a rule and is chat: a mood, a complaint, what is said with a wink, what people always do. Pure."""

from __future__ import annotations

import re

from lerim.glance import seldom
from lerim.ingest.words import EVER

_EVER = rf"(?:{EVER}|constantly|every time|ständig)"
_LED = r"\W*(?:(?:ah+|oh|wow|hm+|ha(?:ha)*|lol|well|ok(?:ay)?|nice|great|thanks|thx|yes|no|and|but|as|wie|ach|na ja|ja|oui|sí)[ ,.!]+)*"
_DAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tage?|mittwoche?|lundis?|vendredis?|lunes|viernes)"
#: A mood without anything that it is said of: "always a pleasure", "never again monday".
_MOOD = re.compile(
    rf"{_LED}{_EVER} (?:(?:again|been|so|such|too|wieder|plus|a|an|the|ein(?:e[nr]?)?|une?) )*"
    r"(?:pleasure|joy|treat|delight|adventure|surprise|pain|mess|fight|struggle|mystery|nightmare|drama|dull moment|good (?:time|laugh|sign)|fun|happy|happier|glad|boring|nice|great|lovely|better|worse|same (?:old|story|thing|mess|stress|trouble)"
    rf"|something(?=\W*$| (?:new|else|with|wrong)\b)|same\W*$|{_DAY}|freude|vergnügen|spa(?:ß|ss)|ärger|theater|drama|dasselbe\W*$|das (?:gleiche|selbe)\W*$|irgendwas|schön|plaisir|galère|bonheur|pareil|la même (?:chose|histoire)|un placer|lo mismo\W*$|lo de siempre|un lío)\b",
    re.I,
)
#: What somebody or something is in the eyes of who is tired of it.
_SUCH = re.compile(
    rf"\b(?:is|are|was|gets?|ist|sind|war|est|sont|es|son|è)\b(?:n['’]t)? (?:just |simply )?{_EVER} (?:(?:so|such|very|a|an|a bit|the|too|total|ein(?:e[nr]?)?|so ein(?:e[nr]?)?|une?|un) )*"
    r"(?:special|weird|strange|funny|annoying|pain|mess|crazy|stupid|picky|tricky|difficult|the problem|problem|worst|best|same (?:story|thing|mess|problem)|great|nice|lovely|happy|angry|mad|busy|wrong|sick|slow|slower|flaky|broken|nightmare|adventure"
    r"|komisch|besonders|schwierig|zickig|nervig|langsam|kaputt|katastrophe|spécial\w*|bizarre|pénible|lente?|compliqué\w*|especial|rar[oa]|lent[oa]|complicad[oa]|speciale|strano|lento)"
    rf"(?=\W*$|[,.;:!]|\s[–—-]| (?:of course|again|here|lately|though|on {_DAY}|after|when it)\b)",
    re.I,
)
#: What people do all the time, as somebody sighs about it.
_PEOPLE_DO = re.compile(
    rf"\b(?!(?:we|i|you|to|and|or|must|should|shall|may|can|will|please)\b)[\w'’-]+ {_EVER} (?:changes? (?:her|his|their|its) minds?|forgets?|complains?|whines?|nags?|clicks? (?:on )?the wrong|gets? (?:it|this|that|them|everything) wrong|loses?|breaks? (?:it|everything|things|something)"
    r"|knows? better|wants? (?:something|more|everything)|finds? (?:something|a reason)|asks? (?:for (?:more|something)|the same)|shows? up|answers?\W*$|sleeps?|ignores? (?:it|me|us|that|my)|thinks?|likes?|hates?|surprises? me|disappoints?|fights?|panics?|argues?|takes? (?:ages|forever|so long|too long))\b"
    r"|\byou (?:never disappoint|always (?:find|know|save|make my day|surprise))\b|\b(?:ändert|vergisst|meckert|nörgelt|verliert|jammert|beschwert sich|überlegt|vergessen|klicken|meckern|ändern)\b[^.!?]{0,24}\b(?:immer|ständig|dauernd|nie)\b"
    r"|\b(?:oublien?t?|change(?:nt)?|râlen?t?|perd(?:ent)?|cliquen?t?) (?:toujours|tout le temps)\b|\bsiempre (?:se (?:olvida|queja|equivoca)n?|cambian? de (?:idea|opinión))\b|\bsempre (?:se esquecem?|reclamam?|muda de ideia)\b|\bsi dimentican? sempre\b",
    re.I,
)
#: What never came, or was never said: that is told.
_NEVER_WAS = re.compile(
    r"\b(?:i|we|they|he|she) never (?:said|got|asked|had|saw|heard|received|ordered|agreed|meant|told|did|knew|paid|managed|promised|noticed|signed)\b|\bnever (?:seen|had|heard of) (?:that|this|it|anything like)\b"
    r"|\b(?:ich|wir) (?:habe?n? )?(?:\w+ ){0,3}?nie (?:\w+ ){0,2}?(?:gesagt|bekommen|gekriegt|bestellt|verlangt|gewollt|gemeint)\b|\b(?:je n['’]ai|on n['’]a|nous n['’]avons) jamais (?:dit|reçu|demandé|eu|voulu)\b|\bnunca (?:dije|recibimos|recibí|pedimos|pedí|dijimos)\b",
    re.I,
)
#: How it goes on somebody's own machine, and what it does again and again.
_GOES = r"(?:green|red|fine|ok(?:ay)?|happens?|fails?|works?|pass(?:es)?|breaks?|crash(?:es)?|grün|rot|läuft|geht|klappt|vert\w*|rouge|marche|passe|verde|roj[oa]|funciona|fallan?|pasan?)"
_ON_MINE = re.compile(
    rf"\b(?:locally|on my (?:machine|laptop|box|phone|mac|pc)|at home|lokal|bei mir|auf meine[mr] \w+|en local|chez moi|sur ma machine|en mi (?:máquina|equipo))\b[^.!?;]{{0,30}}?\b(?:{_EVER} (?:\w+ )?{_GOES}|{_GOES} (?:\w+ )?{_EVER})\b"
    rf"|\b(?:{_EVER} {_GOES}|{_GOES} {_EVER})\b[^.!?;]{{0,20}}\b(?:locally|on my (?:machine|laptop|box|phone|mac|pc)|lokal|bei mir|en local|chez moi)\b"
    rf"|\b(?:it|this|that|es|das|ça) {_EVER} does (?:that|this|it)\b|\b(?:takes?|took|dauert|prend|tarda) {_EVER} (?:ages|forever|ewig|une éternité|una eternidad)\b|\b{_EVER} (?:takes?|took|prend|tarda) (?:ages|forever|hours|so long|too long|une éternité|una eternidad)\b",
    re.I,
)
#: By when somebody wants to leave: the rule of one evening.
_BEFORE_HOME = re.compile(
    r"\b(?:before|until|till) i (?:go|leave|head|can go|quit|sleep)\b|\bbevor ich (?:\w+ )?(?:gehe|los|heim|schlafe)\b|\bavant que je (?:parte|rentre|m['’]en aille)\b|\bantes de (?:irme|que me vaya)\b",
    re.I,
)
_KINDS = (_MOOD, _SUCH, _PEOPLE_DO, _NEVER_WAS, _ON_MINE)
#: Said with a wink or a sigh, or of one browser: it tells how things are.
_SIGHS = seldom(
    r"\b(?:of course|as (?:always|usual|ever)|figures|go figure|typical(?:ly)?|classic|what a surprise|sigh|ugh|naturally|natürlich|wie immer|typisch|klar|comme (?:toujours|d['’]habitude)|évidemment|bien sûr|como siempre|por supuesto|claro)\W*$"
    rf"|\b(?:is|are|stays?|looks?|shows?|comes?|ist|sind|bleibt|est|sont|reste|está|están) (?:\w+ )?{_EVER} (?:\w+ ){{1,3}}?(?:in|on|unter|im|auf|sous|en|sur) (?:firefox|safari|chrome|edge|opera|ios|android|iphones?|ipads?|windows|linux|macos|mobile|phones|my \w+)\b"
    rf"|\b(?:is|are|ist|sind|est|sont|está|están) {_EVER} (?:blank|empty|stuck|cut off|missing|late|invisible|leer|weg|vide|vací[oa])\b",
    re.I,
)
_ORDERS = re.compile(
    r"^\W*(?:please |pls |bitte )?(?:always|never|do not|don['’]?t|dont|no|use|keep|run|make|put|write|test|check)\b(?! (?:a|an|the|been|so|green|red|fine|works?|fails?)\b)|\b(?:must|should|shall|have to|has to|needs? to|let['’]?s|we|wir|on (?:doit|va|met|utilise|garde)|muss|müssen|soll\w*)\b|, (?:never|not|nie|nicht|jamais|nunca)\b",
    re.I,
)


def is_chat(sentence: str) -> bool:
    """Whether "always" and "never" are said in it of a mood, of people, or of how it goes here: nobody rules on that."""
    return any(one.search(sentence) is not None for one in _KINDS)


def is_of_this_evening(sentence: str) -> bool:
    """Whether it says what has to be so before somebody leaves."""
    return _BEFORE_HOME.search(sentence) is not None


def sighs(sentence: str) -> bool:
    """Whether it seems to tell how things are, with a sigh: that is never sure."""
    return _SIGHS.search(sentence) is not None and _ORDERS.search(sentence) is None
