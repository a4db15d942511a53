"""Whether one of two titles denies what the other says, in German, French or Spanish. Pure.

English sentences are taken apart elsewhere. Here it is enough that both titles have the same telling words, by how
these begin, and that one denies and the other does not: "nachts laufen keine Jobs", "Jobs dürfen nachts laufen".
"""

from __future__ import annotations

import re
from functools import lru_cache

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.words import words


@dataclass(frozen=True, slots=True)
class SmallWords:
    """What a language says with its small words, and how it denies."""

    small: frozenset[str]
    #: Of these any number denies once.
    denies: frozenset[str]
    #: Of these each denies: what is without, forbidden, or given up.
    ends: frozenset[str]
    excepts: frozenset[str]


def _of(small: str, denies: str, ends: str, excepts: str) -> SmallWords:
    return SmallWords(*(frozenset(text.split()) for text in (small, denies, ends, excepts)))


_TONGUES = (
    _of(
        "der die das den dem des ein eine einen einer eines ist sind war wird werden wurde wurden wir auf mit für im am"
        " um zum zur vom von bei beim nach über und oder auch jetzt nun wieder mehr dürfen darf muss müssen soll sollen"
        " kann können ab sofort alle jede jeder jedes immer vor seit pro erlaubt gestattet zulässig künftig ihr sie als"
        " aus aktiviert eingeschaltet bleibt bleiben heute wegen weil hat haben braucht brauchen mindestens höchstens"
        " kommt gehen gibt läuft laufen liegt liegen steht stehen noch dann statt anstatt uhr"
        " sekunde sekunden stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren prozent",
        "nicht kein keine keinen keinem keiner keines nie niemals niemand nichts",
        "ohne verboten untersagt tabu entfällt entfallen abgeschafft abgeschaltet deaktiviert gestrichen eingestellt",
        "nur außer ausgenommen sofern falls wenn solange bis",
    ),
    _of(
        "le les des est sont une du et ou pour dans sur avec chez on nous peut peuvent doit doivent toutes tous"
        " toujours chaque au aux par la de un en ce ces désormais maintenant nouveau se ne permis permise autorisé"
        " autorisée autorisés autorisées faut relance réactive activé activée activés activées plus d l"
        " seconde secondes heure heures jour jours semaine semaines mois ans",
        "pas jamais aucun aucune personne rien",
        "sans interdit interdite interdits interdites supprimé supprimée supprimés supprimées désactivé désactivée"
        " désactivés désactivées arrêté arrêtée arrêtés arrêtées abandonné abandonnée abandonnés abandonnées",
        "sauf seulement uniquement hormis si tant jusqu",
    ),
    _of(
        "el los las del en y para con una un la de por se está están es son ya ahora siempre todo todos toda todas cada"
        " puede pueden debe deben al hay que lo vez nuevo permitido permitida permitidos permitidas activado activada"
        " segundo segundos minuto minutos hora horas día días semana semanas mes meses año años",
        "no nunca jamás nadie nada ningún ninguna",
        "sin prohibido prohibida prohibidos prohibidas desactivado desactivada desactivados desactivadas eliminado"
        " eliminada eliminados eliminadas suspendido suspendida suspendidos suspendidas",
        "salvo excepto solo sólo únicamente si mientras hasta",
    ),
)
_ENGLISH = frozenset(
    ["the", "is", "are", "of", "to", "we", "with", "and", "for", "not", "must", "should", "can", "may", "now"]
)
#: "Ne … plus" denies, and "plus" adds.
_NE = frozenset(("ne", "n"))
#: What an English sentence has as well.
_HOMOGRAPHS = frozenset(["no", "on", "me", "des"])
#: So many words of a language tell which it is.
_TOLD, _TOLD_ALONE = 3, 2
#: So many letters of two words make them forms of one; so many words that both have tell what they speak of.
_BEGINNING, _ENOUGH = 5, 2


#: "Kein Beleg, keine Buchung": there is none of one without the other.
_NONE_WITHOUT = compile_later(r"\b(?:kein\w*|pas de|sin) [^,]+, (?:kein\w*|pas de|no hay|sin) ", re.I)


def denied_abroad(later: str, earlier: str) -> bool | None:
    """Whether one surely denies the other, where it does so at all: what only the later one names may be a part."""
    tongue = tongue_of(later, earlier)
    if tongue is None or not tongue.excepts.isdisjoint((*told(later), *told(earlier))):
        return None
    if any(_NONE_WITHOUT.search(title) for title in (later, earlier)):
        return None
    if _is_denied(later, earlier, tongue) == _is_denied(earlier, later, tongue):
        return None
    new, old = _telling(later, tongue), _telling(earlier, tongue)
    if len(new & old) < _ENOUGH or (new - old and old - new):
        return None
    return not new - old


def is_abroad(later: str, earlier: str) -> bool:
    """Whether both are in one of these languages."""
    return tongue_of(later, earlier) is not None


def tongue_alone(title: str) -> SmallWords | None:
    """The language that one title is in, where nothing else tells it: two of its small words do."""
    line = frozenset(told(title))
    if not _ENGLISH.isdisjoint(line):
        return None
    # "No" tells nothing by itself, and Spanish from French.
    tongue = max(_TONGUES, key=lambda one: (len(line & _known(one)), len(line & one.denies)))
    return tongue if len(line & _known(tongue)) >= _TOLD_ALONE else None


def is_english(title: str) -> bool:
    """Whether a word says so."""
    return not _ENGLISH.isdisjoint(told(title))


def is_denied_in(title: str, tongue: SmallWords) -> bool:
    """Whether a title denies or ends what it speaks of."""
    return _is_denied(title, "", tongue)


def tongue_of(*titles: str) -> SmallWords | None:
    """The one of these languages that all of them are in."""
    lines = [frozenset(told(title)) for title in titles]
    if any(not _ENGLISH.isdisjoint(one) for one in lines):
        return None
    counts = [[len(one & _known(tongue)) for one in lines] for tongue in _TONGUES]
    found, tongue = max(zip(counts, _TONGUES, strict=True), key=lambda item: sum(item[0]))
    return tongue if min(found) and sum(found) >= _TOLD else None


def _known(tongue: SmallWords) -> frozenset[str]:
    """Its words that an English sentence does not have as well."""
    return (tongue.small | tongue.denies | tongue.ends) - _HOMOGRAPHS


def _is_denied(title: str, other: str, tongue: SmallWords) -> bool:
    line = told(title)
    is_denied = not tongue.denies.isdisjoint(line) or ("plus" in line and not _NE.isdisjoint(line))
    # What both do is what they speak of: "deleted", "no longer deletes".
    deeds = {word[:_BEGINNING] for word in told(other)}
    ended = sum(word in tongue.ends and word[:_BEGINNING] not in deeds for word in line)
    return bool((is_denied + ended) % 2)


def _telling(title: str, tongue: SmallWords) -> frozenset[str]:
    plain = tongue.small | tongue.denies | tongue.ends
    return frozenset(word[:_BEGINNING] for word in told(title) if word not in plain)


@lru_cache(maxsize=4096)  # One title is held against many.
def told(title: str) -> tuple[str, ...]:
    """The words, with what an apostrophe joins apart: "n'est", "l'API"."""
    return tuple(part for word in words(title) for part in word.split("'") if part)
