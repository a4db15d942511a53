"""What must not be done before somebody has answered or something has happened: it is left until then. Pure."""

from __future__ import annotations

import re

from lerim.glance import Together
from lerim.ingest.signals.summary_words import is_task

_BLOCKS = Together()
#: A step by which work leaves the desk. What a program does before another thing is the work itself.
_STEP = (
    r"(?:(?:re-?)?(?:merg|deploy|releas|ship|publish|push|migrat|launch|announc|upload|submit|roll(?:s|ed|ing)?[ -]?out"
    r"|cut[ -]?over|switch|flash|tag|deliver|hand(?:ed|ing)?[ -]?over|delet|import|invoic|mail(?!er)|order|print|buy"
    r"|sen[dt])"
    r"(?:e|es|ed|s|ing|ion|ment|ments|ations?)?"
    r"|go(?:es|ing)?[ -]?live|live|merge?n|mergt|ausroll\w*|veröffentlich\w*|einspielen|umstellen|umschalten|ausliefern"
    r"|lösch\w*|verschick\w*|abschick\w*|hochladen|fusionn\w*|déploy\w*|déploiement|publi\w*|livr\w+|mise en (?:ligne"
    r"|prod\w*)"
    r"|despleg\w*|despliegue|lanz\w+|fusion\w*|lançar|enviar|subir)"
)
_SAYS = (
    r"(?:(?:has|have|hat|haben|a|ont|ha|han|tem) )?(?:not )?"
    r"(?:answer(?:s|ed)?|repl(?:y|ies|ied)|sign(?:s|ed)?(?: (?:it|this|that))?(?: off)?(?: on (?:it|this|that))?"
    r"|approve[sd]?|agree[sd]?|confirm(?:s|ed)?|decide[sd]?|(?:ok|okay)(?:s|['’]?e?d)|says? (?:yes|ok|so|go|it)"
    r"|said (?:yes|ok|so|go|it)|clear(?:s|ed) (?:it|this|that)"
    r"|(?:has |have )(?:looked(?: at it)?|seen (?:it|that)|tested (?:it|that)|checked (?:it|that)|read (?:it|that)"
    r"|paid)"
    r"|is back|are back|comes back|gives? (?:us )?(?:the |their |his |her |its )?(?:ok(?:ay)?|go|green light)"
    r"|akkoord(?: is| geeft)?|goedgekeurd|heeft (?:geantwoord|getekend)|antwortet|geantwortet|unterschr\w+|freig\w+"
    r"|zugestimmt|zustimmt|bestätigt|entschieden|entscheidet|zurück ist"
    r"|ok sagt"
    r"|répond\w*|répondu|valid\w+|sign\w+|confirm\w+|approuv\w+|d['’]accord|respond\w+|firm\w+|aprueb\w+|aprob\w+"
    r"|apruebe\w*|contest\w+|aprov\w+|respost\w+)"
)
#: Whose word it waits for is a person or a body, however they are called; who has to do it every time makes a rule.
_NOBODY_YET = (
    r"(?:(?:some|any)(?:body|one)\b|every\w*|each|all|two|three|four|at least|it|they|you|ci"
    r"|(?:the )?(?:users?|clients?|servers?|workers?|services?|jobs?|scripts?|devices?|pages?|apps?|tests?|builds?"
    r"|pipelines?"
    rf"|caches?|queues?|locks?|tokens?|requests?|responses?|tables?|files?) (?={_SAYS}))"
)
_WHO = (
    rf"(?!{_NOBODY_YET}\b)"
    r"(?:(?:the|our|my|their|der|die|das|unser\w*|le|la|les|el|los|il|o"
    r"|a) )?[^\W\d_][\w.'’&-]*(?: [^\W\d_][\w'’-]*){0,2}?"
)
_WORD_OF = (
    r"(?:(?:(?:the|their|his|her|our|my|das|die|der|le|la|el|l['’]|[\w-]+['’]s) ?)(?:[\w'’-]+ ){0,3}?"
    r"(?:sign-?off|approval|go-?ahead|ok(?:ay)?|answer|reply|consent|green light|decision|audit|review|freigabe"
    r"|zusage|antwort"
    r"|unterschrift|validation|accord|réponse|aprobación|respuesta|visto bueno|aprovação)"
    r"|(?:sign-?off|approval|go-?ahead|ok(?:ay)?|answer|reply|consent|green light|freigabe|zusage|antwort|accord"
    r"|aprobación)"
    rf" (?:of|from|by|von|vom|de|du|del|da|do) (?!{_NOBODY_YET}\b))"
    r"(?!\w)(?: ?(?:of|from|by|von|vom|de|du|del|da|do)? ?(?!some(?:body|one)\b)[\w '’-]{2,40})?"
)
_UNTIL = (
    r"(?:before|until|till|unless|as long as|without|bevor|ehe|bis|solange|ohne|vor|avant(?: que| de)?|tant que|sans"
    r"|hasta(?: que)?|antes (?:de(?:l)?(?: que)?|que|da|do)|sin|até(?: que)?|sem|finché|prima (?:di|che))"
)
_NOT = (
    r"(?:no|not|nothing(?: is| gets| goes)?|nobody|don['’]?t|do not|must ?n[o'’]?t|can ?n[o'’]?t|cannot|can['’]?t"
    r"|may not|we (?:don['’]?t|do not"
    r"|can['’]?t|cannot|must not|won['’]?t)(?: be)?|is not|kein\w*|nicht|nichts|pas(?: de| d['’])?|ne|n['’]|aucune?"
    r"|rien|sin|nada|nenhum\w*|não|non)"
)
_AFTER = r"(?:only|not until|erst|pas|alleen|nur|seulement|solo|sólo|só|soltanto)"
_ONCE = (
    r"(?:als|nadat|zodra|after|once|when|if|as soon as|nachdem|wenn|sobald|nach|après(?: que)?|quand|dès que"
    r"|une fois que|cuando"
    r"|después de(?: que)?"
    r"|tras|quando|depois (?:de|que)|dopo(?: che)?)"
)
_THEIRS = rf"(?:{_WHO} {_SAYS}|{_WORD_OF})"
_TAIL = r"(?: [^.?!;]{0,60})?\W*"
_BLOCKED = _BLOCKS.seldom(
    # "No merge before legal has answered", "deploy only once Tom is back", "erst mergen, wenn …", "not before …".
    rf"(?:[\w'’-]+:? ){{0,5}}?(?:{_NOT} (?:[\w'’-]+ ){{0,6}}?{_STEP}\b(?: [\w'’-]+){{0,7}}?"
    rf" {_UNTIL} {_THEIRS}"
    rf"|{_STEP}\b(?: [\w'’-]+){{0,6}}? {_AFTER},? {_ONCE} {_THEIRS}"
    rf"|{_AFTER} {_STEP}\b(?: [\w'’-]+){{0,6}}?,? {_ONCE} {_THEIRS}"
    rf"|{_AFTER} {_ONCE} {_THEIRS}(?: [\w'’-]+){{0,6}}? {_STEP}\b"
    rf"|{_STEP}\b(?: [\w'’-]+){{0,6}}? (?:{_NOT} )?{_UNTIL} {_THEIRS}){_TAIL}",
    re.IGNORECASE,
)
#: The other way round: "legal has to answer first", "without the sign-off of Ida nothing goes out".
_FIRST = _BLOCKS.seldom(
    rf"(?:(?:but|and|so|first|erst|aber) )*(?:{_WHO} (?:still )?(?:has|have|needs?|must|should|muss|müssen|soll|doit"
    rf"|doivent|debe|deben)"
    r"(?: to)?(?: still| first| erst| noch| d['’]abord| primero)* (?:answer|reply|sign|approve|agree|confirm|decide"
    r"|ok|okay|say (?:yes|ok|so))"
    rf"\b[^.?!;]{{0,40}}\bfirst|(?:without|ohne|sans|sin"
    rf"|sem) {_WORD_OF} (?:[\w'’-]+ ){{0,3}}?(?:{_NOT})\b[^.?!;]{{0,40}}){_TAIL}",
    re.IGNORECASE,
)
#: What holds every time is a rule, and waits for nothing.
_A_RULE = re.compile(
    r"\b(?:always|never|every|each|any|whenever|immer|nie(?:mals)?|jede\w*|toujours|jamais|chaque|siempre|nunca|cada"
    r"|sempre)\b",
    re.IGNORECASE,
)
#: Who uses what is built: whether it is sent, printed or deleted after their word is the work itself.
_SERVED = re.compile(
    r"\b(?:customers?|guests?|members?|buyers?|patients?|drivers?|recipients?|visitors?|students?|parents?|sellers?"
    r"|shoppers?|players?|admins?|owners?|kund\w+|gäste?|clientes?|clients?)\b",
    re.IGNORECASE,
)
_WAITS = re.compile(rf"\b(?:{_UNTIL}|{_ONCE})\b", re.IGNORECASE)
_HOLDS = re.compile(rf"(?:do not|don['’]?t|hold|wait|keep|leave|stop|(?:and |but )?{_STEP})\b", re.IGNORECASE)
_GOES_OUT = re.compile(
    r"\b(?:merg|deploy|releas|ship|launch|migrat|roll\w*[ -]?out|go\w*[ -]?live|live\b|cut[ -]?over|flash|ausroll"
    r"|veröffentl"
    r"|publi[eqc]|déploy|despl|lanz)",
    re.IGNORECASE,
)
_MOST_WORDS = 24


def is_blocked(said: str) -> bool:
    """Whether a step of the work waits for a word of somebody: `no merge before legal has answered`."""
    if len(said.split()) > _MOST_WORDS or said.rstrip().endswith("?") or _A_RULE.search(said):
        return False
    if is_task(said) and _HOLDS.match(said) is None:
        return False  # "Add a step that deploys only after Kim has approved" is work.
    waits = _WAITS.search(said)
    if waits is not None and _SERVED.search(said, waits.end()) and not _GOES_OUT.search(said):
        return False
    is_first = _FIRST.fullmatch(said) is not None and _SERVED.search(said) is None
    return is_first or _BLOCKED.fullmatch(said) is not None
