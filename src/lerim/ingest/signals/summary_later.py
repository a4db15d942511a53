"""The words with which people put something off, say who does it, or say what it waits for. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from lerim.glance import Together, seldom
from lerim.ingest.signals.summary_blocks import is_blocked
from lerim.ingest.signals.summary_words import is_task

#: What each part of a message is held against.
_PUT_OFF = Together()
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|q[1-4]|(?:spring|summer|autumn|fall|winter)|the new year)"
)
_LONG = (
    r"(?:week|month|year|sprint|release|version|milestone|iteration|semester|term|season|time|session|round|quarter)"
)
#: What work waits for: a day everybody knows of, or a version.
_EVENT = (
    r"(?:releases?|deadlines?|holidays?|vacations?|launch|weekend|demo|lunch|break|freeze|meetings?|fair|move|reviews?"
    r"|sprints?|exams?|submissions?|conference|hearing|audit|easter|christmas|xmas|go-?live|cut-?over|roll-?out"
    r"|workshop"
    r"|call|stand-?up|retro|trip|election|seasons?|tournament|concert|premiere|race|beta|rc|handover|wedding|thesis"
    r"|defen[cs]e|play-?tests?|user tests?|test runs?|pilot|trial|upgrade|finals?|opening|harvest|inventory|year end"
    r"|camera[- ]ready|talk|v?\d+(?:\.\d+)+|v\d+)"
)
_AFTER = (
    r"(?:(?:only |not before |earliest |maybe )?after (?:(?:the|my|our|this|that|\w+['’]s) )?(?:[\w.-]+ ){0,2}?"
    rf"(?:{_EVENT}|{_MONTH})(?!\w)"
    r"(?: (?:in|at|of|with|on|for) (?:(?:the|our|my) )?[\w-]+(?: (?!(?:in|at|of|with|on|for|and|but|i|we)\b)[\w-]+)?"
    r"){0,3})"
)
#: In German, French and Spanish.
_MONTH_ABROAD = (
    r"januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
    r"|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
#: The same abroad: "erst nach dem Jahresabschluss", "pas avant la rentrée", "después del lanzamiento".
_EVENT_ABROAD = (
    r"(?:jahres(?:abschluss|wechsel)|abschluss|release|urlaub|ferien|sommer(?:ferien|pause)?|messe|umzug|abnahme"
    r"|go-?live|einführung|umstellung|launch|start|audit|prüfung(?:en)?|deadline|abgabe|ostern|weihnachten|winter"
    r"|frühling|frühjahr|herbst|wochenende|feiertage\w*|pause|freigabe|inventur|saison|quartal\w*|wahl|lieferung"
    r"|sitzung"
    rf"|termin|{_MONTH_ABROAD}"
    r"|rentrée|vacances|mise en (?:prod\w*|ligne|service)|lancement|livraison|clôture|déménagement|salon|audience"
    r"|examens?"
    r"|soutenance|fêtes?|été|hiver|printemps|automne|réunion|inventaire"
    r"|lanzamiento|vacaciones|verano|invierno|primavera|otoño|cierre|entrega|feria"
    r"|puesta en (?:marcha|producción)|reunión|auditoría|inventario|navidad"
    r"|lançamento|férias|verão|inverno|entrega|natal|auditoria|lancio"
    r"|ferie|estate|consegna|natale|zomer|vakantie|oplevering|kerst)"
)
_AFTER_ABROAD = (
    r"(?:(?:(?:erst|frühestens|vielleicht|lieber|nur) )?(?:nicht vor|nach|(?<=erst )(?:im|zum)) (?:(?:dem|der|den|das"
    r"|unser\w*|mein\w*|de[mr] nächsten) )?(?:[\w.-]+ )?"
    r"|(?:(?:seulement|plutôt) )?(?:après|pas avant) (?:(?:le|la|les|l['’]|notre|mes|nos) ?)?(?:[\w-]+ )?"
    r"|(?:(?:sólo|solo|só|solo) )?(?:después de|no antes de|depois d|não antes d|tras|dopo|non prima d|pas na)"
    r"(?:[aeo]s?|el|l|ell[ao]|i)? (?:(?:la|las|los|el|o|a|as|os|il|le|lo|de|het) )?(?:[\w-]+ )?"
    rf"){_EVENT_ABROAD}(?!\w)"
    r"(?: (?:in|im|am|de|du|del|da|en) [\w-]+)?"
)
#: Who does one of these is a person, however they are called.
_PERSON_DOES = (
    r"(?:is back|comes back|returns|answers|answered|replie[sd]|decides|decided|says|said|approve[sd]|agree[sd]|signs"
    r"|signed|knows|confirm(?:s|ed)|has (?:answered|decided|approved|signed|confirmed|time|looked|seen it)"
    r"|is (?:here|in)"
    r"|sends|sent|delivers|delivered|arrives)"
)
_WHEN_THEY = (
    r"(?:(?:when|once|as soon as|until|till|if) (?:(?:the|my|our) )?[\w'’-]+(?: [\w'’-]+)?"
    rf" {_PERSON_DOES}(?: [\w'’]+){{0,3}}"
    r"|(?:once|as soon as|until|till) (?!(?:it|that|this|they)\b)(?:the |my |our )?[\w'’-]+(?: [\w'’-]+)?"
    r" (?:is|are) (?:there|up|live|ready|done|out|online|finished|stable|merged|released|shipped))"
)
#: Some day, and which one nobody knows.
_SOME_DAY = (
    r"later(?: on)?|tomorrow|tmrw|tmr|tomo|another (?:day|time|session)|some ?(?:other )?(?:day|time)|at some point"
)
#: The same in other languages: German, French, Spanish, Portuguese, Italian and Dutch.
_SOME_DAY_ABROAD = (
    r"(?:über)?morgen|später|irgendwann|(?:heute|jetzt|diese woche) (?:noch )?nicht(?: mehr)?"
    r"|nicht (?:heute|jetzt|mehr heute|diese woche)|ein ander(?:es )?mal"
    r"|(?:après-)?demain|plus tard|pas (?:aujourd['’]hui|maintenant|tout de suite|cette semaine)|un autre jour"
    r"|(?:pasado )?mañana|más (?:tarde|adelante)|(?:hoy|ahora) no|no (?:hoy|ahora)|otro día"
    r"|amanhã|mais tarde|(?:hoje|agora) não|outro dia"
    r"|domani|più tardi|non (?:oggi|ora|adesso)|un altro giorno|niet (?:vandaag|nu)"
)
_ABROAD = (
    rf"(?:(?:für |pour |para |per |voor |erst |nur |am )?(?:über)?morgen(?: früh)?|{_SOME_DAY_ABROAD}"
    r"|(?:(?:in |für )?(?:der |die |das )?nächste[nsr]? (?:woche|monat|jahr|mal|sprint|version|release))"
    r"|(?:(?:erst|frühestens|lieber|nicht vor) )?(?:am |ab |bis |nächsten |kommenden )*"
    r"(?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)(?: (?:früh|morgen|mittag|nachmittag|abend))?"
    r"|(?:(?:seulement|plutôt|pas avant) )?(?:(?:lun|mar|mercre|jeu|vendre|same)di|dimanche)(?: (?:prochain|matin"
    r"|soir))?"
    r"|(?:(?:s[oó]lo|mejor|no antes del?) )?(?:el |para el )?(?:próximo )?(?:lunes|martes|miércoles|jueves"
    r"|viernes|sábado"
    r"|domingo)(?: que viene)?"
    r"|(?:pour |à )?(?:la )?(?:semaine prochaine|prochaine (?:fois|version))"
    r"|(?:le )?mois prochain|(?:(?:para )?(?:la |el )?próxim[oa] (?:semana|mes|vez|versión|sprint))"
    r"|(?:para )?(?:la semana|el mes) que viene"
    r"|(?:(?:para |n)?a )?(?:semana que vem|próxima semana)|(?:la )?(?:settimana prossima|prossima settimana)"
    r"|volgende (?:week|maand|keer|sprint)"
    r"|erst,? (?:wenn|sobald|nachdem) [^.?!,;]{3,50}|(?:seulement quand|une fois que|s[oó]lo cuando"
    r"|só quando) [^.?!,;]{3,50}"
    r"|heute abend|ce soir|esta noche|stasera|vanavond|hoje à noite"
    r"|nächste[ns]? (?:quartal|jahr)|l['’]année prochaine|el año que viene|ano que vem"
    rf"|{_AFTER_ABROAD})"
)
_DAY_ABROAD = (
    r"(?:(?:am |bis |nächsten )?(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|(?:el )?(?:lunes|martes|miércoles|jueves|viernes)"
    r"|segunda|terça|quarta|quinta|sexta|lunedì|martedì|mercoledì|giovedì|venerdì|maandag|dinsdag|woensdag|donderdag"
    r"|vrijdag)"
)
#: "In February at the earliest", "not before Jan 15", "frühestens im Mai".
_SHORT_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)\.?"
_EARLIEST = (
    rf"(?:in (?:early |mid |late )?{_MONTH},? (?:at the earliest|the earliest|earliest)"
    rf"|(?:not (?:before|until)|earliest|at the earliest) (?:in )?(?:{_MONTH}|{_SHORT_MONTH}(?= \d))"
    r"(?: \d{1,4}(?:st|nd|rd|th)?)?"
    r"|frühestens (?:im|ab|in) \w+|(?:im|ab) \w+ frühestens|(?:en|à partir de) \w+ au plus tôt"
    r"|(?:en|a partir de) \w+ como pronto)"
)
#: Another time than now.
_WHEN = (
    rf"(?:(?:(?:only |rather |earliest )?(?:for |on |until |till )|not (?:before|until|till) )?(?:{_SOME_DAY}|tonight"
    rf"|(?:the )?next (?:{_LONG}|{_DAY})"
    rf"|not (?:today|now|yet)|not (?:in |for )?this {_LONG}|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"(?: (?:morning|afternoon|evening|night))?"
    rf"|(?:at |this |over )?(?:the )?weekend|{_ABROAD})"
    r"|(?:maybe |only |rather |then )in (?:v\d[\w.]*|\d+\.\d+[\w.]*|(?:phase|version|part) \d\S*|(?:a|the) (?:next"
    r"|later|other) \w+)"
    rf"|{_AFTER}|{_WHEN_THEY}|{_EARLIEST}"
    r"|not (?:before|until|till) (?:we|i)(?: have| are| know| get| got| can|['’]ve|['’]re) [^.?!,;]{3,40}"
    r"|when (?:i(?:['’]?m| am| get| have)|we(?:['’]?re| are| get| have)) [^.?!,;]{2,40})"
)
#: That it is not now goes without saying.
IS_SOME_DAY = re.compile(
    rf"(?:(?:maybe|perhaps|then|ok|vielleicht|peut-être|quizás)\W+)*(?:{_SOME_DAY}|(?:not )?(?:now|today|yet|tonight)"
    rf"|(?:for )?next \w+|not this \w+|nächste \w+|{_SOME_DAY_ABROAD})\W*",
    re.IGNORECASE,
)
#: Said of nothing else, it is another time as well; of a thing it may be what the thing is about.
_IN_A_WHILE = (
    rf"(?:in {_MONTH}|(?:at the |by the )?end of (?:the )?(?:{_LONG}|{_MONTH})"
    r"|in (?:a|one|two|three|four|\d+|some|a few|a couple of) (?:days?|weeks?|months?))"
)
#: With whom, and what goes without saying.
_LATER_FILLER = (
    r"(?:\W+(?:not (?:today|now)|thanks|thx|please|pls|too|as well|then|maybe|rather|instead|first|danke|gracias"
    r"|with (?!(?:a|an|the|this|that)\b)\w+(?: and \w+)?|together"
    r"|when (?:the |my |our )?\w+ (?:is|are) \w+))*"
)
NOD = (
    r"(?:(?:ok(?:ay)?|yeah|yes|yep|no|nah|hm+|well|then|and|but|so|good|great|cool|thanks|thx|nice|passt|gut|ja|nein"
    r"|oui|non|sí|si|gotta run)\W+)*"
)
_WAITS = (
    r"(?:let['’]?s |we |i |please |pls )?(?:wait|hold(?: (?:it|that|this|them))?(?: off| back)?) (?:for|till|until"
    r"|with (?:it|that|this))\b"
    r"[^.?!,;\n]{0,40}"
)
_LEFT_FOR_LATER = re.compile(
    rf"{NOD}(?:maybe |perhaps |probably |rather |only )*(?:"
    r"(?:(?:let['’]?s |we |i |we['’]?ll |i['’]?ll )?(?:leave|keep|do|finish|start|move|take|merge|push|deploy|schedule"
    r"|add|write|test|park|postpone|look at|look into) [^.?!\n]{2,50}? (?<!\bto )"
    r"|(?:i(?:['’]?ll| will)(?! (?:show|tell|present|send|ask|go|be|talk|call|bring|use|take it to)\b)|[\w]+ (?:does"
    r"|will do|takes care of)|das macht|das mache?) [^.?!\n]{2,40}? )?"
    r"(?:(?:that|this|it)(?:['’]?s| is) (?:something |one |more )?)?"
    r"(?:(?:ask|remind|ping|tell) me (?:again )?(?:(?:about|of) (?:it|that|this) )?)?"
    rf"(?:{_WHEN}|{_IN_A_WHILE})"
    r"|(?:that|this|it) (?:can|has to|will have to) wait|(?:park|postpone) (?:it|that|this|them)(?: for now)?"
    r"|(?:put|write) (?:it|that|this|them) (?:on|in|into) (?:the|our|my) (?:backlog|list|todos?|to-do list)"
    r"|i(?:['’]?ll| will) (?:look (?:at|into)|think about|come back to|check|see about) (?:it|that|this|them)"
    rf"|{_WAITS}"
    rf"){_LATER_FILLER}(?:\W*$|[,;] )",
    re.IGNORECASE,
)
_SPOKEN_OF = re.compile(
    rf"\b(?:{_WHEN}|comes? last|at the (?:very )?end|(?:when|once|as soon as|until|till) [^.?!,;]{{3,40}})(?!\w)",
    re.IGNORECASE,
)
_IN_MONTH = re.compile(
    rf"\b(?:in|by|(?:until|before|at) (?:the )?(?:end|beginning|middle) of) {_MONTH}\b"
    r"|\b(?:im|bis|ende|anfang|mitte|en|in|em|fin|début|avant|hasta|a finales de|antes de) (?:den |la fin |fin"
    r" )?(?:de )?"
    rf"(?:{_MONTH_ABROAD}|janeiro|fevereiro|maio|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre)\b",
    re.IGNORECASE,
)
#: What it waits for is told with it: a day is past when somebody reads of it.
_CONDITION = re.compile(
    rf"(?:maybe |perhaps |only )?(?:{_AFTER}|{_WHEN_THEY})|(?<!\w){_AFTER_ABROAD}|{_WAITS}", re.IGNORECASE
)
#: With whom, and on which day, something is done that stands in what the agent said: "eso lo probamos el lunes".
_ON_A_DAY_ABROAD = re.compile(rf"\b{_DAY_ABROAD}(?!\w)", re.IGNORECASE)
#: The other half of what was just put off: "don't touch it before", "vorher nicht anfassen".
_NOT_BEFORE = re.compile(
    r"(?:(?:and|but|so|please|pls|also|und|bitte|aber|et|y)[ ,]+)*(?:"
    r"(?:(?:do not|don['’]?t|never|no(?:t|thing)?|nobody) (?:[\w'’]+ ){0,4}?(?:(?:it|that|this|them|anything|there) )?"
    r"(?:before(?: (?:that|then))?|until then|till then|by then|yet|for now)"
    r"|(?:until|till|before) then,? (?:[\w'’]+ ){0,6}?(?:not|nothing|no|don['’]?t|leave|keep)\b(?: [\w'’]+){0,5})"
    r"|(?:vorher|bis dahin|davor) (?:[\w]+ ){0,4}?(?:nicht|nichts|kein\w*|lassen|so lassen)(?: [\w]+){0,4}"
    r"|(?:nicht|nichts) (?:[\w]+ ){0,4}?(?:vorher|davor|bis dahin)(?: [\w]+){0,2}"
    r"|(?:on n['’]y touche|n['’]y touche|ne (?:le |la |les |l['’])?\w+|ne touche à rien|rien) ?(?:[\w]+ )*pas(?: avant"
    r"| d['’]ici là)|pas avant|rien avant|no (?:lo |la |los |las )?\w+ antes|antes no(?: [\w]+){0,4}|hasta entonces"
    r"(?: [\w]+){0,5}|não (?:\w+ ){0,3}antes|non (?:\w+ ){0,3}prima"
    r")\W*",
    re.IGNORECASE,
)


_ONLY_NOD = re.compile(
    r"(?:ok(?:ay)?|yes|yeah|no|nope|nah|well|good|fine|ja|nein|gut|oui|non|bien|sí|si|não|sim)", re.IGNORECASE
)
#: Who likes what was offered, before they put it off.
_APPROVES = re.compile(
    r"(?:(?:yes|yeah|ok(?:ay)?|well|sure|hm+)\W+)*(?:that|it|this)?(?:['’]?d| would| could| might)?(?: be|['’]?s| is"
    r"| sounds"
    r"| looks| seems)? ?(?:would be )?(?:very |really |quite |a )*(?:nice|good|cool|great|fun|useful|interesting"
    r"|helpful"
    r"|tempting|lovely|worth it|schön|gut|bien|sympa|bueno|bonito)(?: (?:idea|one|point|to have|thing|plan))?\W*",
    re.IGNORECASE,
)
#: What somebody else does, by name: "the import does Sven". In small letters it may be what a thing does.
_DOES_SOMEBODY = re.compile(
    r"(?P<thing>[^\W\d_][^.?!,;]{2,60}?) (?:does|do|makes?|macht|machen|übernimmt|erledigt|fait|hace|haze|faz|fa)"
    r" (?P<who>(?-i:[^\W\d_a-zà-ÿ])[^\W\d_]+)\W*",
    re.IGNORECASE,
)


def is_left_for_later(text: str) -> bool:
    """Whether a whole reply puts off what the agent told or offered, or says who does it then; a reason may follow."""
    return _LEFT_FOR_LATER.match(text.strip()) is not None


#: "The rest later: umlauts, the empty column": what is named behind the colon.
_REST = re.compile(
    rf"(?P<head>^|.*?\S[,;.]?\s+(?:[–—-]+\s+)?)(?:and |but )?(?:the )?(?:rest|others?|other (?:things|points|ones"
    rf"|stuff)|remaining \w+)"
    rf" (?:(?:comes?|is for|we do|i do|can wait|has to wait|have to wait|for"
    rf"|is) ?)?(?:{_WHEN})?\s*:\s+(?P<things>\S.{{3,200}})$"
    rf"|(?P<before>^|.*?\S[,;.]?\s+(?:[–—-]+\s+)?)(?:for )?(?:later|next (?:week|sprint|time)|tomorrow|another day"
    rf"|später|plus tard|más tarde"
    r"|mais tarde|più tardi)\s*:\s+(?P<named>\S.{3,200})$",
    re.IGNORECASE,
)


def rest_for_later(text: str) -> str:
    """What a sentence names at its end as what is for later."""
    found = _REST.match(text)
    return "" if found is None else found["things"] or found["named"]


def without_rest(text: str) -> str:
    """A sentence without what it names at its end as what is for later."""
    found = _REST.match(text)
    return text if found is None else (found["head"] or found["before"] or "").rstrip(" ,;.–—-")


def only_leaves(text: str) -> bool:
    """Whether all of a sentence puts off what somebody else named: "not today, put it on the list"."""
    parts = [part.strip(" ,;-–—") for part in _BETWEEN.split(text) if part.strip(" ,;-–—.")]
    # "Nein, heute nicht": a no before it says no more.
    parts = [part for part in parts if _ONLY_NOD.fullmatch(part) is None and not approves(part)]
    # "Maybe when …" names nothing.
    return bool(parts) and all(is_left_for_later(part) and _NO_THING.fullmatch(at_another_time(part)) for part in parts)


def only_holds_back(text: str) -> bool:
    """Whether a sentence only says that what was put off is not to be begun before."""
    return _NOT_BEFORE.fullmatch(text) is not None


def names_a_day_abroad(text: str) -> bool:
    """Whether a day of the week is named, in another language than English."""
    return _ON_A_DAY_ABROAD.search(text) is not None


def approves(text: str) -> bool:
    """Whether somebody only likes what was offered."""
    return _APPROVES.fullmatch(text) is not None


def names_a_time(text: str) -> bool:
    """Whether another time than now is spoken of."""
    return _SPOKEN_OF.search(text) is not None or _IN_MONTH.search(text) is not None


def condition_in(text: str) -> str:
    """What something waits for that is put off: "after the review"; nothing where only a day is named."""
    found = _CONDITION.search(text)
    return found[0].strip() if found is not None else ""


#: Points of a list by their numbers: "3 i do tmrw", "2 and 3 can wait", "b after the deadline".
NUMBER_PUT_OFF = re.compile(
    r"(?:and |but |then )?(?:number |no\.? ?|points? |items? |option |#)?"
    r"(?P<marks>(?:\d|[a-e])(?:(?: ?, ?| and | & | ?\+ ?)(?:\d|[a-e]))*)\W*"
    r"(?:(?:i|we|you)(?:['’]?ll| will)? ?(?:do|take|make|look at|fix)? ?(?:it|that|them)? ?|is |are |comes? |do "
    r"|maybe )?"
    rf"(?:can wait|has to wait|{_WHEN}){_LATER_FILLER}\W*",
    re.IGNORECASE,
)

# --- whose turn it is -------------------------------------------------------------------------------------------------

#: Another person's turn, or the user's own with another person: no rule for whoever comes, and no order.
_THEIR_TURN = re.compile(
    r"(?:(?:and|but|so|then) )?(?:"
    r"(?:somebody|someone|he|she) (?:still )?(?:has to|needs to|must|should|will have to)(?: still| also)?"
    r" (?!be\b|have\b|see\b|get\b|find\b)\w+"
    r"|(?:(?:the|our|my|that|this|about) [\w'’ -]{2,40}? )?i(?: still)? (?:have to|need to|must|got to"
    r"|gotta)(?: still| first)?"
    r" (?:ask|check with|talk (?:to|with)|call|decide|clarify|discuss)"
    r"|i(?:['’]?ll| will) (?:ask|check with|talk (?:to|with)|call|decide)"
    r"|[^\W\d_]{3,} (?:muss|müssen|soll|sollen) (?:das |es )?(?:erst|noch|vorher)(?: noch)? (?:gefragt|gehört"
    r"|zustimmen|entscheiden"
    r"|prüfen|freigeben|antworten|schauen|ran)"
    r"|[^\W\d_]{3,} (?:doit|doivent) (?:d['’]abord|encore) (?:répondre|valider|décider|confirmer|vérifier)"
    r"|[^\W\d_]{3,} (?:tiene|tienen) que (?:confirmar|decidir|responder|aprobar|revisar)"
    r"|(?!(?:you|we|it|that|this|they|users?|customers?|clients?|guests?|members?|admins?|everybody|everyone|nobody"
    r"|agents?|server|app|page|who|which|what|i)\b)[^\W\d_]{3,}"
    r" (?:still )?(?:has to|needs to|must|should|will|wants to|['’]ll)(?: still| first)?"
    r" (?:ask|decide|approve|sign off|look (?:at|into)|talk|check with|do (?:it|that)|find out|think about)"
    r")\b",
    re.IGNORECASE,
)
_A_RULE = re.compile(r"\b(?:every|each|always|never|any|before|if|whenever|first time)\b", re.IGNORECASE)
_DO = (
    r"(?:do|make|take|write|fix|run|finish|build|add|change|update|send|draw|test|translate|handle"
    r"|look (?:at|into|after)|take care of)"
)
_POINTED_AT = r"(?:(?:it|that|this|them|these|those|all|one|the rest|so)\b)"
#: Within one statement: the dot of `robots.txt` ends none.
_ANY = r"(?:[^.?!;]|\.(?=\w))"
#: What the user does themselves, with its thing: "I'll do the compose file myself", "the backfill i do tomorrow".
_BY_USER = _PUT_OFF.seldom(
    rf"{NOD}(?:"
    rf"i(?:['’]?ll| will|['’]?m going to| can)? (?:rather )?{_DO} (?!{_POINTED_AT})\w{_ANY}*? (?:myself|on my own)"
    rf"|(?!{_POINTED_AT})\w{_ANY}*? (?:i(?:['’]?ll| will)? {_DO}|i can {_DO}|{_DO} i)(?: (?:it|that|them))? myself"
    rf"|(?!{_POINTED_AT})(?:the|my|our|all) {_ANY}*? i(?:['’]?ll| will)? {_DO}(?: (?:it|that|them))?"
    rf"|\w{_ANY}*? (?:mache?|schreibe?|übernehme?|erledige?|baue?|teste?) ich(?: selbst| selber)?"
    r"|(?:leave|keep) (?!(?:it|that|this|them)\b)[^.?!;]{3,60}? (?:to|for) me"
    r"|(?!(?:it|that|this|they)\b)[\w' -]{3,50}? (?:is|are|stays?) (?:my (?:job|part|task)|for me)"
    # What is theirs only with a time.
    rf"|(?:i(?:['’]?ll| will)? {_DO} (?!{_POINTED_AT})\w{_ANY}*?"
    r"|i(?:['’]?ll| will| can)? (?!(?:have|had|need|want|saw|got|like|use|see|know|think|meet|show|tell|present|send"
    rf"|found|noticed)\b)[a-z]{{3,}} (?:it|that|this|them)(?: (?:in|on|out|off|up|down|to \w+))?) {_WHEN}"
    r"|i(?:['’]?ll| will| can)? (?:measure|test|check|try|flash|verify|review|read|run|weigh|time|print|order|call|ask"
    rf"|probe|look at|merge|push|deploy|release)(?: (?:it|that|this|them))? {_WHEN}"
    r"(?: (?:with|on|in|at|from|over) [\w' -]{2,40})?"
    rf")(?: {_WHEN})?{_LATER_FILLER}\W*",
    re.IGNORECASE,
)
#: Who does it, and no program.
_DOES_IT = re.compile(
    r"(?:and |but |so )?(?:(?:the|our|my) )?(?!(?:it|that|this|which|who|what|nothing|everything|something|one|you|we"
    r"|they|so|and|then|please|pls|now|just|also|always|never|first|ci|cd"
    r"|cron|script|job|server|build|pipeline|docker|git|app|hook|linter|compiler|framework|library|lib|tests?|code"
    r"|worker"
    r"|system|browser|database|db|client|api)\b)[^\W\d_]{1,20} (?:does|do|makes|draws|redraws|writes|rewrites|handles"
    r"|takes"
    r"|translates|checks|prepares|deploys|pushes|merges|uploads|orders|brings|fixes|updates|will do|macht)"
    r" (?:(?P<it>it|that|them|those|das)|(?:the|all|these) \w+(?: \w+)?)"
    r"(?: (?:myself|himself|herself|themselves|then|too))?\W*",
    re.IGNORECASE,
)
_ONLY_WHEN = re.compile(
    rf"(?:but |and )?(?:(?:that|this|it|those|them|these)(?:['’]?s)? )?(?:is |are |comes? |we do |i do |only |rather "
    rf"|maybe |for )*{_WHEN}"
    rf"{_LATER_FILLER}\W*",
    re.IGNORECASE,
)
#: What was tried is done then: "we do that in December".
_DOES_IT_THEN = re.compile(
    rf"{NOD}(?:(?:we|i)(?:['’]?ll| will| can)? (?:do|try|redo|retry|revisit|come back to|look at) (?:it|that|this|them)"
    r"|(?:das|es|die) (?:machen|probieren|versuchen) wir|on (?:le|la|les) (?:fait|fera|refait)"
    r"|(?:lo|la|los|las) (?:hacemos|haremos))"
    rf"(?: again| then| only| rather| dann| erst)* (?P<when>{_IN_A_WHILE}|{_EARLIEST}|next {_LONG}"
    rf"|(?:im|en|in|em) {_EVENT_ABROAD})"
    rf"{_LATER_FILLER}\W*",
    re.IGNORECASE,
)
#: So few words are no work.
_HEARD = 2
_HEARS = re.compile(
    r"^(?:ok(?:ay)?|noted|understood|alright|right|sure)\b.*\b(?:until then|till then|stays?|wait|leave|left"
    r"|untouched|not touched)\b"
    r"|^(?:noted|(?:i|we)(?:['’]ll| will| have)? not(?:e|ed))\b"
    r"|\b(?:stays?|left) as (?:it|they) (?:is|are) (?:until|till|for now)\b",
    re.IGNORECASE,
)
_NODS = re.compile(NOD, re.IGNORECASE)
_ON_THE_LIST = re.compile(
    rf"{NOD}(?:please |pls |just |bitte )?(?:(?:put|write|add|note|take) (?:it|that|this|them)(?: down| up)? (?:on"
    rf"|in|into"
    r"|to|onto)"
    r" (?:the |our |my |your )?(?:to-?do )?(?:list|backlog|todos?|notes?|board|agenda)"
    r"|(?:setz|schreib|pack|nimm|stell)e? (?:das |es |die |sie )?(?:bitte )?(?:auf|in) (?:die|den|das|unsere) "
    r"(?:liste|backlog|todos?|todo-liste)(?: auf)?|(?:mets|note|ajoute|écris)(?:-(?:le|la|les))? ?(?:ça |cela"
    r" )?(?:sur|à|dans)"
    r" (?:la |ma |notre )?(?:liste|backlog)|(?:ponlo|ponla|apúntalo|anótalo|añádelo) (?:en|a) (?:la )?lista)"
    r"(?: (?:then|too|please|pls|for (?:later|now)|bitte))*\W*",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|ich|i['’]?ll|me|my|mine|myself)\b", re.IGNORECASE)


def is_their_turn(part: str) -> bool:
    """Whether a part of a message says what somebody has to do, once, before it goes on."""
    return _THEIR_TURN.match(part) is not None and _A_RULE.search(part) is None


@lru_cache(maxsize=4096)  # Who tells what is left and who tells what was asked for ask about the same parts.
def is_kept_by_user(part: str) -> bool:
    """Whether a part of a message says of a thing that is named that the user does it themselves."""
    is_short = len(part.split()) <= _PART_WORDS
    return is_short and _BY_USER.fullmatch(part) is not None and _A_RULE.search(part) is None


def is_done_by_somebody(part: str) -> bool:
    """Whether a part of a message only says who does what was named: "the dba does it"."""
    return _DOES_IT.fullmatch(part) is not None and _A_RULE.search(part) is None


def only_when(part: str) -> bool:
    """Whether a part of a message is a time and nothing else: of what stands before it."""
    return _ONLY_WHEN.fullmatch(part) is not None


def when_it_is_done(part: str) -> str:
    """When a part of a message says that what was tried is done; nothing where it says no such thing."""
    found = _DOES_IT_THEN.fullmatch(part)
    return found["when"] if found is not None else ""


def without_nod(text: str) -> str:
    """A text without the yes or no that it begins with."""
    return _NODS.sub("", text, count=1)


def is_put_on_list(part: str) -> bool:
    """Whether a part of a message wants what stands before it noted, and not done now: "put it on the list"."""
    return _ON_THE_LIST.fullmatch(part) is not None


def acknowledges(said: Sequence[str]) -> bool:
    """Whether an agent only says that it heard, and leaves something as it is."""
    return bool(said) and (len(" ".join(said).split()) <= _HEARD or any(map(_HEARS.search, said)))


def points_at_it(part: str) -> bool:
    """Whether what somebody does stands elsewhere."""
    found = _DOES_IT.fullmatch(part)
    return found is not None and found["it"] is not None


def is_of_user(part: str) -> bool:
    """Whether it is said in the first person."""
    return _FIRST_PERSON.search(part) is not None


# --- what is for another time -----------------------------------------------------------------------------------------

_AT_ANOTHER_TIME = _PUT_OFF.seldom(
    rf"\s(?:maybe |perhaps |itself |only )*(?:{_WHEN}){_LATER_FILLER}\W*$", re.IGNORECASE
)
#: First the time, and then the thing: "tomorrow the legend", "after the release: proration".
_FIRST_WHEN = _PUT_OFF.seldom(
    rf"{NOD}(?:maybe |only )?{_WHEN}(?P<mark>[ :,]+)(?:(?:i|we)(?:['’]?ll| will)? {_DO} |(?:comes?|the rest of"
    rf") )?(?P<thing>\S.+)",
    re.IGNORECASE,
)
#: The thing and its time, side by side: "thumbnails: next week", "the board does petra on monday".
_BESIDE = _PUT_OFF.seldom(
    rf"{NOD}(?P<thing>[^:.?!,;]{{3,60}}?)(?:\s*:|\s+(?:does|do|makes?|macht) (?!(?:it|that|this|not|the|a"
    rf"|an)\b)\w+)\s+(?:maybe |only )?{_WHEN}"
    rf"{_LATER_FILLER}\W*",
    re.IGNORECASE,
)
#: What is not wanted now is wanted later.
_NOT_NOW = _PUT_OFF.seldom(
    rf"{NOD}(?:(?:please|pls) )?(?:(?:don['’]?t|do not) (?:touch|do|change|start|build|add|merge|migrate|run|push"
    rf"|deploy|delete"
    r"|remove|rename)|not(?= (?:the|this|that|these|those|our|my)\b)) (?P<thing>(?!(?:the |any |my )?(?:code|files?"
    r"|anything|everything|it|that|this)\b)[^.?!,;]{3,60}?) (?:now|today|yet"
    r"|this (?:week|sprint|release|month))\W*",
    re.IGNORECASE,
)
#: What somebody has to say, send or bring before it goes on; not what a program waits for.
_FROM_PEOPLE = (
    r"(?:[^.?!,;]{0,30}(?<!it)['’]s\b[^.?!,;]{0,30}|(?:[\w-]+ ){0,3}(?:feedback|sign-?off|reviews?|rerun|budget"
    r"|quote|hardware"
    r"|parts|delivery|boards?|samples?|licen[cs]e|credentials|green light|measurements?)(?: (?:of|from|by"
    r") [\w '’-]{2,30})?"
    r"|(?:[\w-]+ ){0,3}(?:answers?|reply|approval|decision|ok|okay|numbers|data|access|go) (?:of|from|by"
    r") (?!(?:the )?(?:server"
    r"|backend|api|service|worker|client|device|broker|database|db|sensor|modem|peer|host|user|other|last|each)s?\b)"
    rf"[\w '’-]{{2,30}}|(?:the |our |my )?(?:[\w.-]+ ){{0,2}}{_EVENT})"
)
_IT_WAITS = _PUT_OFF.seldom(
    rf"(?:and |but |so )?(?P<thing>(?!(?:we|you|i|let['’]?s)\b)\w[^.?!;]{{1,60}}?) (?:still )?(?:"
    r"(?:(?:waits?|is waiting|are waiting|has to wait|have to wait|will have to wait|must wait|can wait) (?:for|on"
    rf"|till|until)|(?:is|are) (?:blocked (?:by|on)|stuck (?:on|with|at))) {_FROM_PEOPLE}"
    r"|(?:can wait|has to wait|have to wait|will have to wait|must wait)"
    r"|(?:is|are|goes?|comes?) (?:on hold|(?:in|on|into|to) the backlog)"
    rf"|(?:is|are|was|were|gets?|got) (?:put off|postponed|deferred|moved|shelved|pushed back) (?:to|until|till)"
    rf" [^.?!,;]{{3,40}}|(?:wird|werden|ist|sind) (?:auf|bis) [^.?!,;]{{3,40}} verschoben|(?:est|sont) (?:reporté"
    rf"|repoussé"
    rf"|décalé)\w* (?:à|au|en|jusqu['’]) ?[^.?!,;]{{3,40}}|(?:se )?(?:aplaza|pospone|retrasa)\w* (?:hasta|a|al)"
    rf" [^.?!,;]{{3,40}}"
    rf"|(?:is|are) (?:something |one )?for {_WHEN}|(?:comes?|goes?) (?:later|(?:in |into |with )?next (?:{_LONG})"
    rf"|(?:in|into|with) v?\d[\w.]*|{_AFTER}))\W*",
    re.IGNORECASE,
)
#: "Die alten Werte machen wir nach der Ernte", "les photos, on les fait après le salon": whatever it is after.
_WE_DO_AFTER = _PUT_OFF.seldom(
    rf"(?P<thing>[^.?!,;]{{3,60}}?),? (?:(?:we|i)(?:['’]?ll| will)? (?:{_DO}|redo|rewrite|split|merge|migrate|start"
    rf"|tackle"
    r"|rework|move)(?: (?:it|them|that))?(?: only)? after|(?:machen|erledigen|bauen|schreiben|testen|prüfen"
    r"|übersetzen|drucken|nehmen) wir"
    r" (?:erst |dann |lieber )?nach|on (?:les |le |la |l['’])?\w+ (?:seulement )?après|(?:las |los |la |lo )?\w+[ae]mos"
    r" después de|fazemos depois d\w)\b [^.?!,;]{3,40}",
    re.IGNORECASE,
)
_HELD_BACK = _PUT_OFF.seldom(
    rf"{NOD}(?:(?:please|pls) )?(?:park|postpone|defer|shelve|skip|hold back|leave out|wait with|hold off(?: on"
    rf"| with)?|leave) "
    rf"(?P<thing>(?!(?:it|that|this|them)\b)\w[^.?!,;]{{2,50}}?)(?: for now| for the moment|(?: for| until"
    rf"| till)? {_WHEN}"
    rf"|(?: (?:till|until|for) {_FROM_PEOPLE}))\W*",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"(?:(?:the|our|my|all|most|these|those|die|unsere|les|nos|los|las|nuestros) )?(?:\w+ )?(?:editors?|users?"
    r"|customers?|people"
    r"|guests?|clients?|colleagues?|authors?|visitors?|readers?|testers?|drivers?|admins?|operators?"
    r"|students?|patients?|players?"
    r"|folks|boss|manager|team|everybody|everyone|kunden|nutzer|leute|redakteure|fahrer|chef(?:in)?"
    r"|gens|utilisateurs|clientes"
    r"|usuarios|gente|he|she|they)",
    re.IGNORECASE,
)
_IS_NO_DELAY = re.compile(r"^\s*(?:until|till)\b|\bnext (?:time|session)\b", re.IGNORECASE)
_IS_CODE = re.compile(r"(?:^|\s)--?\w|[/\\{}<>=`]")
#: Who says so puts off whatever they name.
_SURELY = re.compile(
    rf"\b(?:not (?:today|now|yet)|not (?:in |for )?this {_LONG}|maybe (?:later|after|next|tomorrow|tmrw|some|in)"
    rf"|another (?:day|time)"
    r"|later|tomorrow|tmrw|tmr|tomo|next sprint|some (?:other )?(?:day|time)|at some point|(?:maybe|only|rather"
    r") in (?:v?\d|phase|a|the)"
    rf"|{_ABROAD})(?!\w)|{_AFTER}|{_WHEN_THEY}|{_EARLIEST}",
    re.IGNORECASE,
)
#: Who says when something happens does not put it off.
_STATES = re.compile(
    r"\b(?:is|are|was|were|starts?|begins?|ends?|comes?|came|goes|went|opens?|closes?|runs?|happens?|expires?|has"
    r"|have|had"
    r"|needs?|must|should|will|can|could|would|gets?|works?|fails?|breaks?|arrives?|leaves|meets?|expects?|wants?"
    r"|shows?"
    r"|sends?|appears?|returns?|logs?|calls?|day|days|hours?|minutes?|weeks?|earlier|than|see|you|who|which|what"
    r"|that"
    r"|ist|sind|war|kommt|beginnt|startet|läuft|hat|haben|muss|soll|kann|est|sont|sera|commence|doit|peut|es|está|son"
    r"|empieza|puede|debe|é|são|começa|è|sono|inizia|begint|moet|kan)\b",
    re.IGNORECASE,
)
#: Before the time: who does it, or what is done with it.
_WE_DO = re.compile(
    rf"\s+(?:i|we)(?:['’]?(?:ll|d)| will| can| could| would)?(?: rather)? (?:{_DO}|tackle|leave|keep|schedule"
    r"|plan)(?: (?:it|that|them|this))?$"
    r"|(?<=\w)\s+(?:i|we)(?:['’]?ll| will)? (?!(?:have|had|need|want|saw|got|like|use|see|know|think|meet|go|be|am"
    r"|are)\b)\w{3,}"
    r"(?: (?:on|in|at|with|from|via) (?:the |my |our )?[\w-]+)?$",
    re.IGNORECASE,
)
#: With one of these at its end, it is the time itself that was spoken of.
_HANGS = re.compile(r"\b(?:to|of|for|from|at|by|with|in|than|as|before|since|between|and|or)$", re.IGNORECASE)
_BY_SOMEBODY = re.compile(r"(?:i|we|you|he|she|they)(?:['’]\w+)?\b", re.IGNORECASE)
_NOW = re.compile(r"\b(?:for now|now|first|for the moment|today)$", re.IGNORECASE)
_THEN = re.compile(
    r"(?:and |then |but )?(?P<thing>[^.?!,;]{2,50}?) (?:after(?:wards)?|once|when|as soon as|later|then"
    r"|in the next)\b[^.?!,;]{0,40}",
    re.IGNORECASE,
)
#: A part of a message that puts something off is short, and names it in fewer words.
_PART_WORDS = 18
_MOST_WORDS = 8
_BETWEEN = re.compile(r"[.!;…]+(?:\s+|$)|,\s+|\s+[–—-]+\s+|\s+but\s+")
#: What names nothing by itself.
_NO_THING = re.compile(
    r"(?:(?:and|but|so|ok|no|not|yes|maybe|perhaps|probably|only|just|then|rather|it|thats?|this|them|these|those|one"
    r"|all|we|i"
    r"|you|do|does|let['’]?s|leave|keep|finish|continue|more|rest|the|a|lot|much|again|also|too|please|pls|some|ask"
    r"|remind"
    r"|me|us|of|about|push|merge|deploy|commit|release|check|look|at|into|back|come|test|try|thanks|thx)\b\W*)*",
    re.IGNORECASE,
)


def at_another_time(part: str) -> str:
    """What a part of a message puts off, without when: `Rename the rest next week` is `Rename the rest`."""
    found = _AT_ANOTHER_TIME.search(part)
    # What is shown "until next week" is shown now, and what is kept "for next time" is kept now.
    is_now = found is None or _IS_NO_DELAY.search(found[0]) or _A_RULE.search(part) or _IS_CODE.search(part)
    thing = "" if found is None or is_now else part[: found.start()].strip(" ,:;")
    return "" if _HANGS.search(thing) else thing


@lru_cache(maxsize=4096)  # Who tells what is left and who tells what was asked for ask about the same parts.
def named_for_later(part: str) -> str:
    """The thing that a part of a message puts off by itself, in whatever order: `the legend not today`, `tomorrow the
    legend`, `figure 5 waits for marek's rerun`; nothing where it only says when something happens."""
    if is_blocked(part):
        return part
    if len(part.split()) > _PART_WORDS or _A_RULE.search(part) or _IS_CODE.search(part):
        return ""
    for pattern in (_HELD_BACK, _NOT_NOW, _IT_WAITS, _BESIDE):
        if (found := pattern.fullmatch(part)) is not None:
            # "Editors can wait" puts nothing off.
            return "" if _PEOPLE.fullmatch(found["thing"].strip()) else _thing(found["thing"])
    if (found := _DOES_SOMEBODY.fullmatch(part)) is not None:
        return _thing(found["thing"])
    thing = at_another_time(part)
    if bare := _WE_DO.sub("", thing) if thing else "":
        is_named = _BY_SOMEBODY.match(bare) is None and _SURELY.search(part[len(thing) :]) is not None
        is_sure = bare != thing or is_named
        # Behind the thing stands who does it: whatever it is called, it is one.
        return bare if bare != thing and len(bare.split()) <= _MOST_WORDS else _thing(bare) if is_sure else ""
    if (found := _WE_DO_AFTER.fullmatch(part)) is not None:
        return found["thing"].strip() if len(found["thing"].split()) <= _MOST_WORDS else ""
    first = _FIRST_WHEN.fullmatch(part)
    return _thing(first["thing"]) if first is not None and _SURELY.match(part) else ""


def follows_for_now(before: str, part: str) -> bool:
    """Whether something is named for a later time right behind what is done for now: "mutex for now, channel once it
    is stable"."""
    found = _THEN.fullmatch(part)
    return _NOW.search(before) is not None and found is not None and bool(_thing(found["thing"]))


def _thing(text: str) -> str:
    """What can be put off: a few words that name something, and tell nothing of it."""
    is_name = len(text.split()) <= _MOST_WORDS and _STATES.search(text) is None
    return text.strip(" ,:;") if is_name and _NO_THING.fullmatch(text) is None else ""


#: Said of what is put off, and of nothing else.
NO_HURRY = re.compile(
    r"(?:ok(?:ay)?,? |then |but )?(?:it |that |this )?(?:does ?n[o'’]?t matter|is ?n[o'’]?t (?:important|urgent)"
    r"|(?:not|nothing) (?:so |that )?(?:important"
    r"|urgent)|(?:there['’]?s )?no (?:hurry|rush|stress)|low prio(?:rity)?|whenever|never ?mind|(?:ist )?(?:egal"
    r"|nicht (?:so )?"
    r"(?:wichtig|eilig|dringend))|keine eile|(?:c['’]est )?pas (?:urgent|pressé|grave)|no (?:corre prisa|es urgente"
    r"|importa)"
    r"|não (?:é urgente|importa))\W*",
    re.IGNORECASE,
)


def is_only_put_off(text: str) -> bool:
    """Whether a sentence puts off what it names, or says that the user does it, and asks for nothing else."""
    if is_blocked(text):
        return True
    parts = [part.strip(" ,;-–—") for part in _BETWEEN.split(text) if part.strip(" ,;-–—.")]
    parts = [part for part in parts if NO_HURRY.fullmatch(part) is None and not only_holds_back(part)]
    named = [is_kept_by_user(part) or bool(named_for_later(part)) for part in parts]
    if any(is_task(part) and at_another_time(part) and _HELD_BACK.fullmatch(part) is None for part in parts):
        return False  # An order with a time stays one.
    if not parts:
        return only_holds_back(text) or NO_HURRY.fullmatch(text) is not None
    return any(named) and all(is_it or is_left_for_later(part) for is_it, part in zip(named, parts, strict=True))


#: The same, of work that is begun.
FINISHES_LATER = seldom(
    r"\b(?:finish|continue|carry on|go on|resume|pick (?:it|this|that) (?:back )?up|take (?:it|this|that) up|the rest"
    r"|do (?:that|this|it)|look at (?:it|that|this)"
    r"|(?:i['’]?ll|will) (?:do|look|push|merge|deploy|release|commit|test|try|check)"
    r"|come back to (?:it|this|that))\b[^.?!]{0,40}\b(?:tomorrow|tmrw|later|next (?:week|time)|another (?:day|time)"
    r"|tonight|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\bto be continued\b|\bmorgen (?:geht['’]?s "
    r"|machen wir |mache ich )?weiter\b"
    r"|\b(?:tomorrow|tmrw|later|next (?:week|time)|another day|on (?:mon|tues|wednes|thurs|fri)day) (?:we|i|let['’]?s)"
    r"(?:['’]?ll| will| can)? (?:go on|continue|finish|carry on|resume|do the rest|pick (?:it|this|that) up)\b"
    r"|\bon (?:continue|finit|reprend) (?:demain|plus tard|lundi)|\b(?:seguimos|continuamos|terminamos) (?:mañana"
    r"|amanhã|luego|el lunes)",
    re.IGNORECASE,
)
