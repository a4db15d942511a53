"""Text as people and agents write it → the sentences a summary may use. Pure: text in, text out.

A user's turn holds more than the user's words: logs, pasted pages, transcripts with speakers of their own. Those are
left out. What is kept is cut to size and put as a task, so that a summary does not read like a clipped prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from lerim.glance import seldom
from lerim.ingest.signals.summary_pastes import typed_text
from lerim.ingest.signals.text import LIST_MARK, unmarked
from lerim.text.sentences import sentences
from lerim.text.stems import stem
from lerim.text.words import STOP, pieces


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


#: Nobody says more in a sentence; what is longer was not written as one.
MOST_CHARS = 1_000
#: A turn says what it is about well before.
MOST_SENTENCES = 60
#: Characters nobody sees: direction marks, joiners, the tags block, variation selectors.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# "s3://models/<git sha>" names what is filled in there.
# So does one of several words, which no tag is: `<strategy name> is ready`.
_MARKUP = re.compile(
    r"(?!(?<=[/=:.-])<[a-z][\w -]{0,20}>)(?!<[a-z][a-z-]*(?: [a-z][a-z-]*){1,3}>)</?[A-Za-z][^<>\n]{0,200}>"
)
#: What stands where an image was sent, before the words that were typed with it.
_IMAGE = re.compile(r"^[ \t]*\[(?:image|pasted|file|screenshot)\b[^\]\n]{0,80}\][ \t]*", re.IGNORECASE | re.MULTILINE)
#: Text that says it is somebody else's: reminders, instructions, attached documents.
_BLOCK = re.compile(
    r"<(?P<tag>system[\w-]*|user[\w-]*|assistant|human|developer|instructions?|important\w*|reminder|memory|memories"
    r"|tool[\w-]*|context|documents?|files?|claude[\w-]*|admin)\b"
    r"[^<>]{0,200}>.{0,4000}?(?:</(?P=tag)>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,400}\)")
_URL = re.compile(r"\b[a-z]{2,10}://(?:\[redacted:[^\]\s]*\]|[^\s)>\]])+", re.IGNORECASE)
#: An address in the middle of a sentence, which would leave a hole there; of a repository's, its name is known.
_URL_WITHIN = re.compile(
    r"(?<=\w )https?://(?!\S*/(?:pull|issues"
    r"|merge_requests)/)(?:www\.)?(?P<host>[\w.-]+)(?P<path>/[^\s)>\],;]*)?(?=,? [a-z])"
)
_FORGES = ("github.", "gitlab.", "bitbucket.", "codeberg.")
_NAME_CHARS = 40
_PULL = re.compile(r"\bhttps://[\w.-]+/[\w./-]+/(?:pull|merge_requests)/(\d+)[^\s)>\]]*")
_ISSUE = re.compile(r"\bhttps://[\w.-]+/[\w./-]+/issues/(\d+)[^\s)>\]]*")
_TWICE = re.compile(r"\b(?:PR (?:created|opened|open|URL)\W+(?=PR #)|(?:PR #(\d+))\W+PR #(?=\1\b))", re.IGNORECASE)
_PLACES = seldom(
    r"\s*\((?:`?[\w./\\@-]+\.\w+`?(?::\d+(?:[-–,]\s*:?\d+)*)?(?:,\s*|\s+and\s+)?)+\)|\s*\([Ll]ines? [\d\s,–-]+\)"
)
#: A line of a file; the port of a host stays.
_LINE_NUMBER = re.compile(
    r"(\.(?:py|tsx?|jsx?|mjs|go|rs|java|kts?|rb|php|c|h|cc|cpp|hpp|cs|swift|md|json|ya?ml|toml|sql|sh|css|scss|html|vue"
    r"|svelte|lua|exs?|tf|txt|xml|log)):\d+(?:[-–]\d+)?"
)
_DECORATION = re.compile(r"[\u2500-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]+\s*")

_FENCE = re.compile(r"\s*(?:```|~~~)")
#: A speaker's label at the start of a line: what follows is a pasted conversation, whoever it names.
_SPEAKER = re.compile(
    r"[\s>#*|-]{0,12}\W{0,3}(?:human|user|assistant|system|developer|tool|ai|bot|claude|gpt|model)\W{0,3}"
    r"(?:\([\w ]{1,40}\))?\W{0,3}[:>]",
    re.IGNORECASE,
)
_ENDS_IN_PATH = re.compile(r":\s+[~/]\S*/\S*/\S+\s*$")
#: A time at the start of a line is a log's, unless somebody says something of it: "03:30 is better".
_TIMED = re.compile(
    r"\s*\[?\d{1,4}[-:/.]\d\d(?! ?(?:am|pm|uhr)\b)"
    r"(?! (?:is|was|would|better|please|pls|instead|then|not|and|or|sounds|seems)\b)"
)
_PASTED = re.compile(
    r"\s*(?:[>|$%➜❯#{}\[\]<]|at \S+\(|Traceback|File \"|\w*(?:Error|Exception)\b:"
    r"|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|FAIL|PASS|error|warning|hint|fatal|npm ERR)\b\W?[:\s\]!]"
    r"|(?:Collecting|Using cached|Downloading|Requirement already|Preparing metadata|Getting requirements) \S"
    r"|={3,}|-{3,}|\+{3}|@@|diff --git|index [0-9a-f]{7}|\w[\w.-]*@[\w.-]+[:~$]|[\w-]+\s+git:\()"
)
#: What parts the cells of a table, but for bars around it.
_CELLS = (
    ("tab", re.compile(r"\t+")),
    ("bar", re.compile(r"\s\|\s")),
    ("gap", re.compile(r" {2,}")),
    ("comma", re.compile(r"[,;](?! )")),
)
_POINTS, _POINT = re.compile(r"(?:^|\s)1[.)]\s.{3,200}?\s2[.)]\s"), re.compile(r"(?:^|\s+)(?=[1-9][.)]\s)")
_BULLET = re.compile(rf"^\s*(?:{LIST_MARK}|q\d{{1,2}}\))\s+(?:\[[ xX]\]\s*)?")
_GREETING = (
    r"(?:ok(?:ay)?|so(?! far\b)|now|and|also|but|(?:hey|hi|hello)(?: there| all| again| everyone)?|well"
    r"|(?:vale|sí|oui|ja|nein|non|claro|perfecto|bien|d['’]accord|de acuerdo|gut|prima|klar|certo|bene)(?=\s*[,.!])"
    r"|(?:und|aber|außerdem|dann|et|mais|ensuite|y|pero|además)(?=\s)|(?:good )?(?:morning|afternoon"
    r"|evening)(?=\s*[,.!])"
    r"|(?:salut|bonjour|bonsoir|coucou|hallo|moin|servus|guten (?:morgen|tag|abend)|hola|buenas?|buen(?:os)? d[ií]as?"
    r"|buenas (?:tardes|noches)|olá|bom dia|boa (?:tarde|noite)|ciao|buongiorno|buonasera|goede(?:morgen|middag|navond)"
    r"|hoi)(?: (?:à tous|zusammen|a todos|todos))?(?=\s*[,.!])"
    r"|(?:(?:the )?(?:first|second|third|next|last|other)|the (?:real|main|important|big|actual)|quick|small"
    r"|one (?:more|other)"
    r"|another"
    r"|(?:noch )?eine|autre|une autre|otra)"
    r" (?:thing|point|topic|question|one|sache|chose|cosa)(?: (?:for (?:today|now|you)|on (?:my|the"
    r"|our) list))?(?=\s*[,.:;–—])"
    r"|(?:noch (?:was|etwas|eins)|noch(?=:)|das eigentliche(?=:)|(?:eine )?(?:kurze|kleine) frage(?: vorab| vorweg"
    r"| zuerst)?(?=:)|nächstes|zweitens|drittens|ensuite|puis|segundo)(?=\s*[,.:])"
    r"|(?:good|great|nice|fair) (?:point|idea|catch|call|question|one|thing)|right(?=\s*(?:[,.!:;–—-]|$))"
    r"|great|cool|nice|sorry(?=,? \w)|thanks?(?: you)?|thx"
    r"|perfect|awesome|yes"
    r"|yep|yeah|yup|sure|no(?=\s*[,.!;:–—-])|nope|h+m+|m+m+|e+h+|uh+m*|ah|oh|dear(?=,)"
    r"|actually|alright|good(?! to know| enough)|please|pls"
    r"|then|just|lastly|lol|haha+|wow|yikes|ouch"
    r"|finally|additionally|btw|wait|sounds (?:good|great)|let me know|cheeky|one more thing"
    r"|i (?:think|guess|believe|feel like))"
)
_ATTACHED = re.compile(r"^(?:[@.]\S*/\S+\s+)+")
_NOD = (
    r"(?:(?:that |it )?(?:sounds|looks|works|is|seems) (?:good|great|fine|right)|that works|go (?:ahead|for it|on)"
    r"|do (?:it|that)|ship it|lgtm|continue|proceed|resume|carry on|keep (?:going|working)|you (?:may"
    r"|can) (?:now )?(?:begin|start|proceed|go ahead)(?=\W*$))"
)
_APPROVAL = re.compile(
    rf"^(?:{_NOD}[,.!;] (?:and |so )?)*(?:{_NOD}"
    r"|(?:commit|push|merge)(?: (?:and|it|this|that|them|up|everything|push|commit|,))*)\b[\w\s,]{0,12}[.!]*$",
    re.IGNORECASE,
)
#: The words tasks begin with.
VERBS = _words("""
    add adjust align allow analyse analyze answer apply audit benchmark bring build bump change check clarify clean
    clear close come commit compare complete configure confirm continue convert copy create cut debug decide define
    delete deploy describe design determine disable discuss document draft drop enable ensure evaluate examine
    expand explain explore expose extend extract fetch figure find finish fix format generate get give go handle
    hide identify implement import improve include increase init inspect install integrate introduce investigate
    keep limit link list look make mark measure merge migrate mock modify move name open optimise optimize order
    organize patch pin plan port prepare print produce profile propose provide publish pull push put raise rank read
    rebase recheck record reduce refactor refine release remove rename reorganize replace reply report reproduce
    request research reset resolve restore restructure resume return revert review rewrite reword run save scaffold
    set setup ship show simplify skip sort spawn split squash start stop store streamline strip submit suggest
    summarise summarize support switch sync tag take tell test throw trace track translate triage trim try tune turn
    understand undo unify update upgrade use validate verify view wire work wrap write
""")
#: The same of German, French and Spanish, as one says them to somebody who is at hand; none that is an English word.
_VERBS_ABROAD = _words("""
    aktivier aktiviere aktualisier aktualisiere änder ändere baue behebe benenne beschreib beschreibe bereite
    deaktiviere dokumentiere entferne erklär erkläre ergänze ersetze erstell erstelle erweitere erzeuge finde
    formatiere füg füge gestalte implementiere installiere kläre komprimiere kopiere korrigier korrigiere kürze lege
    lösch lösche mache migriere miss nenne optimiere ordne plane prüf prüfe räum räume repariere richte schalte schau
    schaue schick schicke schieb schiebe schreib schreibe setze sieh sortiere speichere starte stelle stoppe suche
    teile tausche teste trage trenne übersetze überarbeite übertrage überprüf überprüfe untersuche verbessere verbinde
    vereinfache vergleiche verkleinere verschieb verschiebe vermeide verwende wechsle wandle zeichne zeig zeige
    affiche ajoute ajuste améliore analyse annule applique arrête cherche compare compile configure convertis copie
    corrige crée décris découpe déplace déploie désactive dessine écris efface enlève enregistre envoie essaie
    explique exporte fais fusionne génère importe installe lis mesure mets migre modifie montre nettoie optimise passe
    prépare publie raccourcis réduis refais regarde relance remplace renomme répare retire sauvegarde sépare supprime
    teste trie trouve utilise vérifie ajouter changer corriger créer supprimer vérifier
    actualiza activa agrega añade aplica arregla borra busca cambia comprueba compara configura convierte copia
    corrige crea describe desactiva despliega elimina encuentra envía escribe explica exporta genera guarda haz
    implementa importa instala lee limpia migra mira modifica mueve muestra ordena pon prueba publica quita reduce
    reemplaza renombra repara revisa separa sube sustituye traduce
""")
#: What is wrong, and that its reason is to be found: "the till hangs, schau warum".
_LOOKS_WHY = re.compile(
    r"[,;:.] (?:mira|revisa|comprueba|busca|schau|sieh|prüf|such|guck|regarde|vois|vérifie|cherche|trouve)e?"
    r" (?:mal |bitte |nach |stp )*(?:por qué|porqué|warum|woran|wieso|weshalb|pourquoi)\b[^.!?]{0,30}$",
    re.IGNORECASE,
)
#: Of these the first is an order only with what goes with it: "bau … ein", "mach das fertig".
_SHORT_VERBS_ABROAD = re.compile(
    r"(?:bau|mach|such|stell|setz|nimm|zieh|hol|gib|leg|lege|bring|lies|tu|pack|pass|schalt|trag|häng|mets|va|dis|sors|saca"
    r"|deja|dale)(?:-[a-z]+)? (?:\w+ ){0,2}?(?:bitte|mal|doch|noch|auch|jetzt|den|die|das|dem|der|ein|eine|einen"
    r"|alle|uns|mir"
    r"|es|sie|le|la|les|un|une|des|du|l['’]\w+|el|los|las|una)\b",
    re.IGNORECASE,
)
#: Verbs that are names as well, unless something is named behind them: "first name and seats", "next release".
_NAMES_TOO = (
    r"(?:name|order|change|release|commit|set|list|link|record|run|test|report|review|build|issue|plan|port|view"
    r"|turn|try|answer|draft|mark|start|stop|look|call|request|update|use)"
)
_COUNTS = (
    rf"(?:next|first)(?=\s*[,.!:;–—-]|\s+(?:please|let|can|could|we|i|you)\b"
    rf"|\s+(?!{_NAMES_TOO}\b)(?:{'|'.join(sorted(VERBS))})\s"
    rf"|\s+{_NAMES_TOO}\s+(?:the|an?|all|our|my|this|that|these|those|it|them|every|some|up|for|at|to|in|on|out)\b)"
)
_OPENER = re.compile(
    rf"(?:(?:{_GREETING}|{_COUNTS})\b[\s,.!:;–-]*|"
    r"(?:can|could|would|will) (?:you|we|u)(?: please| also| just| now| maybe| then| first| help me(?: to)?)*\s+|"
    r"i(?:['’]d| would) (?:like|love|prefer)(?: for)?(?: you| us)?(?: to)?\s+|"
    r"i (?:want|need)(?: for)?(?: you| us)? to\s+|i want you\s+|"
    r"(?:(?:kannst|könntest|würdest) du(?: bitte| mal| auch| noch| jetzt)*|bitte(?=,? \w+ \w)|(?:tu )?(?:peux"
    r"|pourrais)(?:-tu| tu)?"
    r"(?= \w+er\b)|s['’]il te pla[iî]t|stp|¿?(?:puedes|podrías)(?= \w+r\b)|por favor)[\s,]+|"
    r"(?:i think |maybe )?we (?:need|want|have|ought) to\s+|(?:i think |maybe )?we should\s+|"
    r"let['’]?s(?: please| also| just| now| then| first)*\s+|(?:go ahead|feel free) (?:and|to)\s+|"
    r"(?:today )?(?:i|we) (?:want|need|would like) that (?:we|you)\s+|today (?:i|we) (?:want|need|have) to\s+|"
    r"(?:please|kindly)\s+|help me(?: to)?\s+|your task is to\s+|make sure (?:to\s+)?(?=[a-z]+ ))",
    re.IGNORECASE,
)
#: What comes before the wish: `based on the old script, can you write another` is `write another`.
_LEAD = re.compile(
    r"^(?!(?:why|who|(?:what|how|where|which)(?: \w+)? (?:would|will|does|do|did|is|are|was|happens?)) )"
    r"(?:\S+\s+){1,14}?(?<!why )(?<!what )(?<!where )(?<!when )(?<!which )(?<!who )"
    r"(?:can|could|would) (?:you|we|u)(?: please| also| just)?\s+(?=\w+ \w+)",
    re.IGNORECASE,
)
#: A role given to the model, not a wish.
_ROLE = re.compile(r"^(?:you are|you['’]re|act as|pretend|imagine)\b", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?:(?:ok(?:ay)?|and|but|no|only|just|max(?:imum)?|min(?:imum)?|at (?:most|least)|every|after|up to|then|make it"
    r"|höchstens)\W+)*"
    r"\d[\d.,:]* ?(?!(?:please|pls|then|is|and|or|first|now|ok|too|works?|it|that|sounds?|looks?)\b)(?:%"
    r"|[^\W\d_]{1,20})"
    r"(?: (?:please|pls|then|max|at most|at least|each|instead|bitte))*\W*",
    re.IGNORECASE,
)
#: One thing more, by its name: "and Welsh", "now the footer", "same for the tablet".
ADDS = re.compile(
    r"(?:(?:ok(?:ay)?|good|great|nice|fine|thanks|super|gut|bien)\W+)?(?:and|also|now|next|plus|same (?:for|with|in"
    r"|on)|und|auch"
    r"|noch|jetzt|et|aussi|maintenant|y|también|ahora|e|anche|ook)(?: (?:the|a|an|in|into|for|on|to|also|now|with|our"
    r"|my|same|die|der"
    r"|das|den|auf|für|le|la|les|en|pour|el|los|un|una|o|os|as|il|het|de))* "
    r"(?!(?:go|push|commit|merge|now|thanks|then|so|done|you|it|that|this|yes|no|what|why|how|again|more|bye|good"
    r"|nice|great|ok|please"
    r"|deploy|ship|release|continue|next|rest|all|both|danke|merci|gracias|weiter|gut|bien|dann|toi|tu|voilà|demain"
    r"|morgen|là)\b)"
    r"[^\W\d_][\w+#.-]{2,}(?:,? (?:please|pls|too|as well|bitte|auch|aussi|también))*[.!]*",
    re.IGNORECASE,
)
#: What is not wanted, by its name.
_RULES_OUT = re.compile(
    r"(?:(?:and|but|so|also|then|please|pls|und|aber|et|y|e)\s+)*(?:no|without|never|kein\w*|ohne|keine|pas de|sans"
    r"|sin|sem)"
    r" (?!(?:problems?|worry|worries|idea|need|hurry|rush|thanks|questions?|change|luck|comment|way|matter|doubt|stress"
    r"|more|further|clue|offen[cs]e|chance|fear|news|yes|ok|it|that|this|one|ahnung|problem|probleme|eile|soucis?"
    r"|prisa)\b)"
    r"[^\W\d_][\w+#.-]{2,}(?: [\w-]{3,})?(?:,? (?:please|pls|bitte|then|though|either|at all|here|anywhere|por favor"
    r"|merci))*\W*",
    re.IGNORECASE,
)
#: "They come from the run number, right?" is no statement.
_TO_BE_SURE = re.compile(r"\b(?:right|correct|no|yeah|isn['’]?t it|or not)\W*$", re.IGNORECASE)
_POLITE = re.compile(r" (?:pls|plz)(?=,)", re.IGNORECASE)
_CLOSER = re.compile(
    r"[\s,]*(?:\b(?:please|pls|plz|thanks|thank you|thx|thoughts"
    r"|(?<=\s)(?<!until )(?<!till )(?<!since )(?<!by )then)\b)?[\s,;:.!?–-]*$",
    re.IGNORECASE,
)
_MARKS_BEHIND = ",;:.!?–-"
_LONGEST_CLOSER = len("thank you")
_WISHES = re.compile(
    r"\b(?:can|could|would|will|let|lets|please|pls|plz|kindly|help|want|need|should|have to|ought|task|sure)\b"
    r"|['’]d\b",
    re.IGNORECASE,
)
#: What is wrong was said: that it is to be mended goes without saying.
_FIX_IT = seldom(
    r"(?<=\w{4}),\s*(?:and )?(?:(?:can you|could you|please|pls|plz) )*(?:fix|(?:check|look(?: into| at)?|take a look"
    r"|have a look|see|investigate))(?: (?:it|that|this))?$",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"^(?!(?:find out|figure out|tell (?:me|us)|look into|check|see|explain)\W+why\W*$)"
    r"(?P<what>.{8,}?)(?:[,;:]? (?:(?:can you |could you |please |pls )*(?:find out|figure out|tell me|look into"
    r"|check|see)"
    r"|(?:i|we) wonder|any idea|do you know))?,? why\??$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:why|what|where|when|which|who|how|is|are|was|were|do|does|did|should|shouldn['’]?t|has|have|can|could)\b",
    re.IGNORECASE,
)

_STOP = STOP | _words("""
    after again before cannot don down further need no nor not off ok okay re s same t under until want yes
""")


_TRAILS_OFF = re.compile(r"(?:\.\.\.|…)[\"”’'`)*_]*$")


def visible(text: str) -> str:
    """The text without characters that nobody sees and comments that nobody reads."""
    seen = text if text.isascii() else _INVISIBLE.sub("", text)
    return _COMMENT.sub(" ", seen) if "<!--" in seen else seen


@lru_cache(maxsize=8192)  # Each sentence is held against many.
def stems(text: str) -> frozenset[str]:
    """The words that carry meaning, cut so that `test`, `tests` and `tested` are one."""
    return frozenset(stem(word) for word in pieces(text.lower()) if word not in _STOP and len(word) > 1)


def prose(text: str) -> list[str]:
    """The sentences a person wrote themselves: nothing fenced, quoted, logged, marked up or said by another speaker."""
    return list(_prose(text))


@lru_cache(maxsize=1024)  # What is wanted, left and chosen is looked for apart.
def _prose(text: str) -> tuple[str, ...]:
    seen = _URL_WITHIN.sub(_name_of, _IMAGE.sub("", visible(text)))
    own = _own_lines(_BLOCK.sub("\n\n", typed_text(seen)))
    kept = (one for line in own for one in _sentences(line) if not _is_list_of_paths(one))
    return tuple(islice(kept, MOST_SENTENCES))


def _name_of(found: re.Match[str]) -> str:
    """What an address is called in a sentence: its repository, the last part of its path, or its host."""
    parts = [part for part in (found["path"] or "").split("?")[0].split("#")[0].split("/") if part]
    is_forge = found["host"].startswith(_FORGES) and len(parts) > 1
    name = "/".join(parts[:2]) if is_forge else next(iter(parts[-1:]), found["host"])
    is_name = len(name) <= _NAME_CHARS and re.fullmatch(r"[\w./-]+", name) is not None
    return name if is_name else found["host"]


def _is_list_of_paths(text: str) -> bool:
    words = text.split()
    return sum("/" in word or word.startswith("@") for word in words) * 2 > len(words)


def statements(text: str) -> list[str]:
    """What an agent's message says, sentence by sentence and point by point: no code, no tables, no headings."""
    found: list[str] = []
    for line in unfenced(visible(text)):
        if line.lstrip()[:1] in {"#", "|", ">"} or not line.strip():
            continue
        found.extend(line_statements(line))
    return found


def line_statements(line: str) -> list[str]:
    """What one line of a message says, sentence by sentence."""
    return list(_sentences(_BULLET.sub("", line, count=1)))


def _sentences(line: str) -> Iterator[str]:
    """The sentences of a line, without decoration; one goes on behind what trails off: `"Move to…" and "Copy"`."""
    told = ""
    for found in sentences(plain(line)):
        if told and not (_TRAILS_OFF.search(told) and found[:1].islower()):
            yield told[:MOST_CHARS]
            told = ""
        told = f"{told} {found}" if told else found
    if told:
        yield told[:MOST_CHARS]


def one_line(text: str) -> str:
    """The first line that is seen of a text, plain, as far as a subject or a title goes."""
    return plain(visible(text).split("\n", 1)[0])[:160]


@lru_cache(maxsize=8192)  # As above.
def plain(text: str) -> str:
    """One line without Markdown's marks, addresses and places in files."""
    text = _LINK.sub(r"\1", text) if "](" in text else text
    if "://" in text:
        text = without_addresses(text, "")
        text = _TWICE.sub("Opened " if "reated" in text or "pened" in text else "", text)
    if "." in text:
        text = _LINE_NUMBER.sub(r"\1", _PLACES.sub("", text) if "(" in text else text)
    # Every second piece of the split is code.
    pieces = text.split("`")
    pieces[::2] = [_DECORATION.sub("", _MARKUP.sub(" ", piece)) for piece in pieces[::2]]
    return " ".join(unmarked("`".join(pieces)).split()).lstrip(" -–—•:→").rstrip(" -–—•→")


def without_addresses(text: str, mark: str) -> str:
    """The text with a mark for every address, but for those of links, pull requests and issues, which have a name."""
    text = _LINK.sub(r"\1", text) if "](" in text else text
    return _URL.sub(mark, _ISSUE.sub(r"issue #\1", _PULL.sub(r"PR #\1", text)))


@lru_cache(maxsize=4096)  # Each sentence is asked about by who looks for tasks, and by who looks for what is left.
def as_task(request: str) -> str:
    """A request as the task it sets: `ok, can you fix the login please?` is `Fix the login`."""
    asked = text = _LEAD.sub("", _ATTACHED.sub("", request.strip()))
    for _ in range(6):
        shorter = _OPENER.sub("", text, count=1) if _OPENER.match(text) else text
        if shorter == text or not shorter.strip():
            break
        text = shorter.lstrip(" ,.;:")
    text = text[3:] if text.lower().startswith("to ") and is_task(text[3:]) else text
    if why := _WHY.match(text):
        text = f"find out why {why['what']}"
    # "Anything left to plan?" asks, and "can you add a legend?" does not.
    is_wish = is_task(text) or _WISHES.search(asked, 0, max(0, len(asked) - len(text))) is not None
    is_bare = not is_wish and text[:1] != ""
    is_question = request.rstrip().endswith("?") and bool(_QUESTION.match(text) or _TO_BE_SURE.search(text) or is_bare)
    text = _FIX_IT.sub("", _without_closer(_POLITE.sub("", text)))
    return _capital(text) + ("?" if is_question and text else "")


def _without_closer(text: str) -> str:
    # Only the end is looked at: marks and blanks, the last word and what stands before it.
    begin = len(text)
    while begin and (text[begin - 1].isspace() or text[begin - 1] in _MARKS_BEHIND):
        begin -= 1
    begin = max(0, begin - _LONGEST_CLOSER)
    while begin and (text[begin - 1].isspace() or text[begin - 1] == ","):
        begin -= 1
    found = _CLOSER.search(text, begin)
    return text[: found.start()] if found is not None else text


def clipped(text: str, words: int) -> str:
    """The text up to so many words, ended where a clause ends if one does in its second half."""
    split = text.split()
    if len(split) <= words:
        return text
    kept = " ".join(split[:words])
    ends = [
        match.start()
        for match in re.finditer(r"[,;:.](?=\s)|\s(?:[–—(]|-(?!>))\s?|\s(?:because|so that|which|where|while)\s", kept)
    ]
    late = [end for end in ends if end > len(kept) * 0.55]
    kept = kept[: late[-1]] if late else kept
    return closed(kept.rstrip(" ,;:.(–—-")) + ("" if late else " …")


def sentence(text: str) -> str:
    """The text with a capital and a full stop, unless it begins with code or ends in a mark of its own."""
    text = _capital(text.strip().rstrip(";:,；：，、"))
    return text if text.endswith((".", "?", "!", "…", "。", "？", "！")) else f"{text}."


def counted(number: int, what: str) -> str:
    """So many of something: `1 file`, `2 files`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """Items as a sentence lists them."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def is_trivial(text: str) -> bool:
    """Whether a sentence only says yes, go on, or who to be. "No mails" and "4 percent" say something in few words."""
    found = stems(text)
    says_little = len(found) < 2 and not any(one.fullmatch(text) for one in (_AMOUNT, _RULES_OUT, ADDS))
    return says_little or _ROLE.match(text) is not None or is_approval(text)


def is_approval(text: str) -> bool:
    """Whether a text only says yes and go on: "looks good, you may begin"."""
    return _APPROVAL.match(as_task(text)) is not None


def is_task(text: str) -> bool:
    """Whether a text says what to do, and not how things are."""
    first = text.split(" ", 1)[0].lower().rstrip(",")
    if _LOOKS_WHY.search(text) is not None:
        return True
    if first in _VERBS_ABROAD or (not first.isascii() and first.partition("-")[0] in _VERBS_ABROAD):
        return True
    return (
        first in VERBS
        or _SHORT_VERBS_ABROAD.match(text) is not None
        or text.lower().startswith(("do not ", "don't ", "never ", "always ", "no longer "))
    )


def closed(text: str) -> str:
    """Code marks and brackets that a cut left open, closed or taken off."""
    if text.count("`") % 2:
        is_late = text.rindex("`") > len(text) * 0.7
        text = text[: text.rindex("`")].rstrip() if is_late else f"{text.rstrip(' ,;:.…')}`"
    if text.count("(") > text.count(")") and text.rindex("(") > len(text) // 2:
        text = text[: text.rindex("(")]
    return text.rstrip(" ,;:(–—-")


def _capital(text: str) -> str:
    first = text.split(" ", 1)[0].rstrip(",;:.").replace("'", "")
    # Names of code keep their case.
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


def unfenced(text: str) -> Iterator[str]:
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield line


def _listed(line: str) -> list[str]:
    """The points of a list that was written in one line: "1. export the pages 2. delete the old ones"."""
    return _POINT.split(line) if _POINTS.search(line) else [line]


def _own_lines(text: str) -> Iterator[str]:
    pasted = False
    lines = text.splitlines()
    rows = _table_rows(lines)
    for line in (one for number, whole in enumerate(lines) if number not in rows for one in _listed(whole)):
        if _SPEAKER.match(line):
            return
        if not line.strip():
            pasted = False
            continue
        looks = _looks_pasted(line)
        # What follows a pasted line without a gap was pasted with it.
        pasted = pasted or looks
        if not pasted:
            yield _BULLET.sub("", line, count=1)


def _table_rows(lines: Sequence[str]) -> frozenset[int]:
    """The lines of a table that was pasted: two below each other with as many cells. What stands below it was typed."""
    cells = [_cells(line) for line in lines]
    return frozenset(
        number
        for number, one in enumerate(cells)
        if one[1] > 1 and one in (cells[number - 1] if number else None, *cells[number + 1 : number + 2])
    )


def _cells(line: str) -> tuple[str, int]:
    """What parts a line into cells, and how many there are."""
    bare = line.strip()
    if bare.startswith("|") and bare.endswith("|"):
        return "|", bare.count("|")
    for mark, between in _CELLS:
        if len(found := between.split(bare)) > 1 + (mark != "tab"):
            return mark, len(found)
    return "", 1


def _looks_pasted(line: str) -> bool:
    if _PASTED.match(line) or _TIMED.match(line):
        return True
    if _ENDS_IN_PATH.search(line):
        return True
    letters = sum(map(str.isalpha, line)) + sum(map(str.isspace, line))
    return letters < len(line) * 0.7 and len(line) > 12
