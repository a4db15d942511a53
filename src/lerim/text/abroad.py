"""Whether one of two titles takes the place of the other, in German, French or Spanish. Pure.

English sentences are taken apart elsewhere. Here it is enough to see what a title gives up by name, which figure, day
or thing of a kind it tells where the other tells another, and whether both speak of one thing by how their telling
words begin. Where each has a word for its own matter, both hold.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.former_values import figure_changed
from lerim.text.kinds import rivals, things
from lerim.text.tongues import SmallWords, told, tongue_of
from lerim.text.words import words

_ARTICLE = (
    r"(?:(?:der|die|das|dem|den|des|ein\w*|unser\w*|le|la|les|un|une|du|des|el|los|las|una|al|del) |l['’]|d['’])?"
)
_NAME = r"(?P<name{}>[\w.+#/-]+\w)"
_FORMER = (
    rf"\bnicht mehr (?:mit|über|auf|in|an|bei|via|aus|als|per) {_ARTICLE}{_NAME.format(1)}",
    rf"\bkein(?:e[nmrs]?)? {_NAME.format(9)}(?: \w+)? mehr\b",
    r"\b(?:statt|anstatt|anstelle von|anstelle|weg von|au lieu de|au lieu|à la place de|en vez de|en lugar de) "
    rf"(?:in |im |auf |mit |über |bei |als |par |sur |dans |en |con |por )?{_ARTICLE}{_NAME.format(2)}",
    rf"\b(?:von|vom) {_ARTICLE}{_NAME.format(3)} (?:auf|zu|zum|zur|nach) ",
    rf"\b(?:passe|passons|migre|migrons|bascule|basculons) (?:de |d['’]|du ){_ARTICLE}{_NAME.format(4)} (?:à|au|vers) ",
    rf"\b(?:pasamos|migramos|cambiamos|vamos) (?:de|del) {_ARTICLE}{_NAME.format(5)} a",
    rf"\b(?:n['’]|ne )\w+ plus (?:de |par |avec |sur |en )?{_ARTICLE}{_NAME.format(6)}",
    rf"\bplus de {_NAME.format(7)}\W*$",
    rf"\bya no (?:\w+ )?(?:con |en |por |a |de )?{_ARTICLE}{_NAME.format(8)}",
)
_ENDED = (
    rf"{_NAME.format(1)} (?:fliegt|fliegen|kommt|kommen|ist|sind|wird|werden|geht|gehen) (?:\w+ ){{0,2}}?"
    r"(?:raus|weg|rausgeworfen|geschichte|abgeschafft|abgelöst|abgeschaltet|gekündigt|eingestellt|ersetzt|passé)\b",
    rf"{_NAME.format(2)} (?:entfällt|entfallen|fällt weg|fallen weg|hat ausgedient)\b",
    rf"{_NAME.format(3)} (?:c['’]est fini|disparaît|disparaissent|dégage|s['’]en va"
    r"|(?:est|sont) (?:abandonn|supprim|remplac|retir)\w+)",
    rf"\b(?:abandonn(?:e|ons)|supprim(?:e|ons)|vir(?:e|ons)|quitt(?:e|ons)|arrêt(?:e|ons)|laiss(?:e|ons) tomber) "
    rf"{_ARTICLE}{_NAME.format(4)}",
    rf"{_NAME.format(5)} (?:desaparece\w*|se va|se van|queda\w* fuera|est[áé]n? (?:elimina|retira|descarta)d\w+)",
    rf"\b(?:dejamos de usar|dejamos|abandonamos|quitamos|eliminamos|descartamos) {_ARTICLE}{_NAME.format(6)}",
    rf"\b(?:ersetzt|ersetzen|löst|remplace|remplacent|sustituye|reemplaza) {_ARTICLE}{_NAME.format(7)}",
)
#: What is named as gone: what something else takes the place of, and what ends for good.
_INSTEAD = compile_later("|".join(part.replace("<name", f"<f{at}n") for at, part in enumerate(_FORMER)), re.I)
_GONE = compile_later("|".join(part.replace("<name", f"<e{at}n") for at, part in enumerate(_ENDED)), re.I)
_CHANGES = compile_later(
    r"\b(?:ab (?:jetzt|sofort|heute|morgen|nun|dem|januar|februar|märz|april|mai|juni|juli|august|september|oktober"
    r"|november|dezember)|von (?:jetzt|nun) an|künftig|zukünftig|nun|neu|neuerdings|inzwischen|jetzt"
    r"|umstellen|umgestellt|umgezogen|stell(?:en|t) .{1,60} um|wechseln|wechselt|erhöhen"
    r"|gehen .{1,40} (?:runter|hoch|rauf)"
    r"|senken|désormais|dorénavant|maintenant|à partir|dès|pass(?:e|ons|ent) (?:à|au|aux|de|en)|migre|migrons"
    r"|bascule|basculons|augmente|baisse|ahora|desde|a partir|pasamos|pasan? (?:a|al|de)|cambiamos|migramos|subimos"
    r"|bajamos)\b",
    re.I,
)
#: What is taken from one thing to another.
_SWITCHES = compile_later(
    r"\b(?:stell(?:en|t) .{1,60} um|umgestellt|wechseln|wechselt|umgezogen|zieh(?:en|t) .{1,60} um|passons|migrons"
    r"|basculons|on (?:passe|migre|bascule)|pasamos|migramos|cambiamos)\b",
    re.I,
)
#: What is said of all but what is named.
_REST = compile_later(
    r"\b(?:alle (?:anderen|übrigen)|(?:der|vom) rest|(?:tous )?les autres|le reste|los demás|las demás|el resto)\b",
    re.I,
)
_LETTER = compile_later(r"(?<![\w.'’-])[A-Z](?![\w.'’-])")
_ADDS = compile_later(r"\b(?:auch|zusätzlich|außerdem|nebenbei|aussi|également|en plus|también|además)\b", re.I)
#: A figure that was: "7 Tage sind zu knapp", "dix secondes, c'est trop court".
_BLAMED = compile_later(r"\b(?:zu|trop|demasiad\w+|muy) \w+|\breich\w* nicht\b|\bsuffi\w+ pas\b|\bno bast\w+", re.I)
_COMPLAINS = compile_later(
    r"\b(?:hängt|stürzt|kaputt|fehler\w*|langsam|schlägt fehl|plante|bloque|échoue|lente?|falla\w*|se cuelga|cuelga)\b",
    re.I,
)
_FIGURE = compile_later(r"(?<![\w.,:/-])(\d+(?:[.,:]\d+)*)(?:[ -]?(%|[^\W\d_]+))?", re.I)
_NUMBER_WORDS = """
zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 zwölf=12 deux=2 trois=3 quatre=4 cinq=5 sept=7
huit=8 dix=10 douze=12 quinze=15 vingt=20 trente=30 dos=2 tres=3 cuatro=4 cinco=5 siete=7 ocho=8 diez=10 doce=12
quince=15
"""
_NUMBERS = dict(one.split("=") for one in _NUMBER_WORDS.split())
_ARTICLES = frozenset(["ein", "eine", "einer", "einem", "einen", "un", "une", "una"])
_WEEKDAY_WORDS = """
montag montags lundi lundis lunes/dienstag dienstags mardi mardis martes/mittwoch mittwochs mercredi mercredis
miércoles miercoles/donnerstag donnerstags jeudi jeudis jueves/freitag freitags vendredi vendredis viernes/samstag
samstags sonnabend samedi samedis sábado sábados sabado/sonntag sonntags dimanche dimanches domingo domingos
"""
_WEEKDAYS = {day: at for at, group in enumerate(_WEEKDAY_WORDS.split("/")) for day in group.split()}
#: Behind one of these a day only says since when, or which one.
_SINCE_WORDS = "ab seit bis letzten letzter depuis dès jusqu dernier desde hasta pasado"
_SINCE = frozenset(_SINCE_WORDS.split())
_PLACE_WORDS = "auf in im bei für pour sur dans chez en para am an"
_PLACING = frozenset(_PLACE_WORDS.split())
_LEAST_WORDS = "mindestens minimum min wenigstens minimal minimale moins mínimo menos"
_MOST_WORDS = "höchstens maximal maximum max maximale plus máximo"
_BOUNDS = (frozenset(_LEAST_WORDS.split()), frozenset(_MOST_WORDS.split()))
_LIGHT_WORDS = """
statt anstatt lieu place vez lugar kommt kommen geht gehen gibt geben läuft laufen nimmt nehmen macht machen braucht
brauchen haben hält halten stellt stellen schickt schicken liegt liegen steht stehen heißt bitte dann eben noch schon
gilt gelten wollen will setzen nutzen nutzt benutzen verwenden verwendet einsetzen zu raus rein um vorher später knapp
lang kurz viel wenig reicht reichen erst immer künftig zukünftig neu neuerdings inzwischen désormais maintenant
dorénavant ahora sein sind bleibt gibt beträgt être ser wegen sofort klein groß hoch niedrig teuer schwer eng lourd
court long cher peu petit grand poco mucho corto largo va vont faut part partent passe reste restent met mettons
mettre prend prendre fait faire utilise utilisons utiliser trop fini bout hay va van usa usamos usar pone poner hace
hacer tiene tienen queda quedan bastan
"""
_UNIT_WORDS = """
sekunde sekunden minute minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren uhr
prozent seconde secondes minutes heure heures jour jours semaine semaines mois an ans segundo segundos minuto minutos
hora horas día días dia dias semana semanas mes meses año años mb gb kb ms km px hz
"""
_BEGINNING = 5
#: Words that tell nothing of what a title is about.
_UNITS = frozenset(_UNIT_WORDS.split())
_WEAK = frozenset((*_LIGHT_WORDS.split(), *_UNITS, *_NUMBERS, *_WEEKDAYS))
_SHORTEST_NAME, _ENOUGH = 3, 2
_CLAUSE = compile_later(r"[,;:(]\s|\.\s|\s[-–—]\s", re.I)


@dataclass(frozen=True, slots=True)
class TurnAbroad:
    """What the later title tells otherwise, whether that is surely of the same thing, and whether it gives it up."""

    reason: str
    is_sure: bool
    is_given_up: bool = False


@dataclass(frozen=True, slots=True)
class _Title:
    text: str
    line: tuple[str, ...]
    telling: frozenset[str]
    #: What stands behind a word that says where.
    places: frozenset[str]
    days: frozenset[int]
    figures: frozenset[tuple[str, str]]

    @property
    def changes(self) -> bool:
        return _CHANGES.search(self.text) is not None

    @property
    def letters(self) -> frozenset[str]:
        return frozenset(_LETTER.findall(self.text))


def day_of(word: str) -> int | None:
    """Which day of the week a word of one of these languages is."""
    return _WEEKDAYS.get(word)


def turned_abroad(later: str, earlier: str) -> TurnAbroad | None:
    """What the later one says otherwise than the earlier one, where both are in one of these languages."""
    tongue = tongue_of(later, earlier)
    if tongue is None or _ADDS.search(later) is not None:
        return None
    new, old = _title(later, tongue), _title(earlier, tongue)
    if new.letters != old.letters or _COMPLAINS.search(earlier) is not None:
        return None  # Shift A and shift B; what is wrong with a thing, and what is done about it.
    return _gives_up(new, old, tongue) or _other_value(new, old, tongue) or _narrows(new, old) or _moves(new, old)


@lru_cache(maxsize=4096)  # One title is held against many.
def _title(text: str, tongue: SmallWords) -> _Title:
    line = told(text)
    plain = tongue.small | tongue.denies | tongue.ends | tongue.excepts
    telling = [
        word[:_BEGINNING] if word not in plain | _WEAK and not word[0].isdigit() and len(word) > 1 else ""
        for word in line
    ]
    found = frozenset(telling) - {""}
    places: set[str] = set()
    for at, word in enumerate(line):
        if word in _PLACING:
            places.update(next(([one] for one in telling[at + 1 : at + 3] if one in found), []))
    days = frozenset(
        _WEEKDAYS[word] for at, word in enumerate(line) if word in _WEEKDAYS and not (at and line[at - 1] in _SINCE)
    )
    return _Title(text, line, found, frozenset(places), days, _figures(line, text, plain))


def _figures(line: tuple[str, ...], text: str, plain: frozenset[str]) -> frozenset[tuple[str, str]]:
    """Each figure with how its unit begins."""
    found = {(number.replace(",", "."), unit.casefold()) for number, unit in _FIGURE.findall(text)}
    for word, following in zip(line, (*line[1:], ""), strict=True):
        if word in _NUMBERS or (word in _ARTICLES and following in _UNITS):
            found.add((_NUMBERS.get(word, "1"), following))
    return frozenset((number, "" if unit in plain - _UNITS else unit[:4]) for number, unit in found)


# -- what is named as gone


def _gives_up(new: _Title, old: _Title, tongue: SmallWords) -> TurnAbroad | None:
    if not tongue.denies.isdisjoint(old.line):
        return None
    for pattern, is_for_good in ((_INSTEAD, False), (_GONE, True)):
        given_before = {name.casefold() for name in _names(old.text)}
        for name in _named(pattern, new.text):
            thing = _in(name, old)
            if not thing or name.casefold() in given_before:
                continue
            shared = (new.telling & old.telling) - thing
            if not shared and not is_for_good:
                continue  # In place of it, and for what, nobody said.
            is_sure = bool(shared) and not _are_elsewhere(new, old, thing)
            return TurnAbroad(f"it gives up {name}", is_sure, is_given_up=True)
    return None


def _names(text: str) -> list[str]:
    return [*_named(_INSTEAD, text), *_named(_GONE, text)]


def _named(pattern: re.Pattern[str], text: str) -> list[str]:
    return [name for found in pattern.finditer(text) for name in found.groups() if name]


def _in(name: str, title: _Title) -> frozenset[str]:
    """How the words of a title begin that are this name, or what it is short for."""
    wanted = name.casefold()
    if len(wanted) < _SHORTEST_NAME or wanted in _WEAK:
        return frozenset()
    is_long = len(wanted) >= _BEGINNING
    found = (
        word[:_BEGINNING]
        for word in title.line
        if word == wanted or (is_long and word[:_BEGINNING] == wanted[:_BEGINNING])
    )
    return frozenset(found) & title.telling


def _are_elsewhere(new: _Title, old: _Title, besides: frozenset[str] = frozenset()) -> bool:
    """Whether each says where, and the other has no word of that place."""
    return bool(new.places - old.telling - besides) and bool(old.places - new.telling - besides)


# -- another figure, another day, another of a kind


def _other_value(new: _Title, old: _Title, tongue: SmallWords) -> TurnAbroad | None:
    if tongue.denies.isdisjoint(new.line) != tongue.denies.isdisjoint(old.line) or _are_elsewhere(new, old):
        return None  # What is forbidden on one day is allowed on others.
    return _other_figure(new, old) or _other_of_a_kind(new, old) or _other_day(new, old)


def _other_figure(new: _Title, old: _Title) -> TurnAbroad | None:
    if any(a & {*new.line} and b & {*old.line} for a, b in (_BOUNDS, _BOUNDS[::-1])):
        return None
    if (change := figure_changed(new.text, old.text)) is not None:
        return _told_of_one(f"it says {change.new} instead of {change.old}", new, old, is_told=True)
    known = {number for number, _ in new.figures}
    for number, unit in sorted(old.figures):
        is_told = number in known
        others = {one for one, of in new.figures if one != number and (of in ("", unit) if is_told else of == unit)}
        if len(others) == 1 and (not is_told or _BLAMED.search(new.text) is not None):
            return _told_of_one(f"it says {others.pop()} instead of {number}", new, old, is_told=is_told)
    return None


def _other_of_a_kind(new: _Title, old: _Title) -> TurnAbroad | None:
    choice = rivals(*(things(words(side.text)) for side in (new, old)))
    if choice is None or choice.is_of_deed:
        return None
    named = [part for thing in (choice.new, choice.old) for part in told(thing.replace("+", " "))]
    reason = f"it says {choice.new.replace('+', ' ')} instead of {choice.old.replace('+', ' ')}"
    return _told_of_one(reason, new, old, frozenset(word[:_BEGINNING] for word in named))


def _other_day(new: _Title, old: _Title) -> TurnAbroad | None:
    if not new.days or not old.days or new.days & old.days:
        return None
    return _told_of_one("it says another day", new, old)


def _told_of_one(
    reason: str, new: _Title, old: _Title, besides: frozenset[str] = frozenset(), *, is_told: bool = False
) -> TurnAbroad | None:
    is_sure = _is_of_one(new, old, besides, is_told=is_told)
    return TurnAbroad(reason, is_sure) if is_sure is not None else None


def _is_of_one(new: _Title, old: _Title, besides: frozenset[str], *, is_told: bool) -> bool | None:
    """Whether two values are surely of one thing; None where they are of two. What a title says first is of what its
    value is of: behind that stands why."""
    shared = (new.telling & old.telling) - besides
    more, lack = (_first(one) - other.telling - besides for one, other in ((new, old), (old, new)))
    if not shared or (more and lack and not (is_told or (new.changes and len(shared) >= _ENOUGH))):
        return None
    return not more and (not lack or is_told or new.changes)


def _first(title: _Title) -> frozenset[str]:
    """The telling words of the clause that stands first and tells something."""
    for clause in _CLAUSE.split(title.text):
        if found := frozenset(word[:_BEGINNING] for word in told(clause)) & title.telling:
            return found
    return title.telling


# -- what is otherwise from now on


def _narrows(new: _Title, old: _Title) -> TurnAbroad | None:
    """What the earlier one says of all, the later one says of the rest: "alle anderen nicht"."""
    if _REST.search(new.text) is None or not _is_near(new, old, _ENOUGH):
        return None
    return TurnAbroad(f"it leaves less of “{old.text}”", is_sure=False)


def _moves(new: _Title, old: _Title) -> TurnAbroad | None:
    """Something else of what both speak of, from now on: nobody can tell for sure."""
    least = 1 if _SWITCHES.search(new.text) is not None else _ENOUGH
    if not new.changes or not _is_near(new, old, least) or not _first(new) - old.telling:
        return None
    return TurnAbroad(f"it says what is so from now on, and “{old.text}” was said", is_sure=False)


def _is_near(new: _Title, old: _Title, least: int) -> bool:
    shared = new.telling & old.telling
    return len(shared) >= least and 2 * len(shared) >= min(len(new.telling), len(old.telling))
