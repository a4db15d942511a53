# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What people say beside the work: of their day, in praise, of some far day; and errands for this once. Pure."""

from __future__ import annotations

import re

_LED = r"\W*(?:(?:and|but|oh|so|ok(?:ay)?|well|thx|thanks|lol|haha|man|argh|ugh|sorry|unrelated|btw|by the way|übrigens|au fait|por cierto|anyway|ah|hm+|die|der|das|the|my|le|la|el|il|mein\w*|heute|today|merci|danke)[ ,.!]+)*"
#: The weather, the way to work, the stomach, and when somebody comes and goes.
_OF_THE_DAY = re.compile(
    rf"""{_LED}(?:
      (?:weather|wetter|météo|clima|tiempo|tempo)\ (?:(?:outside|here|today|draußen|heute|dehors)\ )?(?:is|was|['’]s|ist|war|est|es|está|è)\b
    | (?:train|bus|tram|plane|flight|subway|ferry|traffic|s-?bahn|zug|bahn|straßenbahn|métro|tren|treno|comboio)\ (?:home\ )?(?:is|was|['’]s|hat|ist|war|kommt|a|est|llega|va)\ (?:\w+\ ){{0,3}}?(?:late|delayed|cancell?ed|full|packed|verspät\w*|zu\ spät|voll|weg|du\ retard|en\ retard|tarde|retraso|ritardo)\b
    | (?:coffee|lunch|canteen|breakfast|dinner|kaffee|kantine|mittagessen|essen|frühstück|café|cantine|déjeuner|comida|almuerzo|pranzo)\ (?:machine\ )?(?:is|was|here|ist|war|heute|est|était|es|estaba|è|era)\b
    | (?:i|we)(?:['’]?m|\ am|['’]?re|\ are)\ (?:so\ |very\ |really\ )?(?:tired|hungry|cold|hot|sick|off|out|away|back|late|done\ for\ today|home|going\ home|on\ the\ train|heading\ (?:out|home))\b
    | (?:i|we)\ (?:have\ to|must|gotta|got\ to|need\ to)\ (?:run|go|leave|catch)\b
    | (?:gotta|got\ to|have\ to)\ (?:run|go|leave)\b
    | (?:off|out|back|away|gone|going\ home|heading\ home|heading\ out)\b(?=\ (?:to|for|in|at|until|till|tomorrow|monday|now|home)\b|\W*$)
    | (?:that['’]?s|thats|this\ is)\ (?:it|all|enough)(?:\ for)?\ (?:today|tonight|now|this\ week)\b
    | (?:calling\ it\ a\ day|see\ (?:you|u|ya)|until\ tomorrow|bis\ (?:morgen|montag|später|dann)|schönen?\ (?:abend|feierabend|tag|wochenende)|feierabend|à\ (?:demain|lundi|plus)|bonne\ (?:soirée|journée|nuit)|hasta\ (?:mañana|luego|el\ lunes)|buen\ (?:finde|día)|a\ domani|até\ amanhã)\b
    | mir\ ist\ (?:\w+\ ){{0,3}}(?:kalt|warm|heiß|schlecht|langweilig)|ich\ (?:bin\ (?:\w+\ ){{0,2}}(?:müde|krank|weg)|muss\ (?:jetzt\ )?(?:los|weg|gehen))
    | il\ fait\ (?:un\ temps|froid|chaud|beau|moche)|j['’]ai\ (?:faim|froid|sommeil)|hace\ (?:calor|frío|mal\ tiempo)|tengo\ (?:hambre|sueño|frío)|fa\ (?:caldo|freddo)|ho\ fame
    | (?:another|what\ an?)\ (?:\w+\ ){{0,2}}(?:day|evening|morning|night|weekend|week|monday|friday)\b
    | (?:my\ |the\ )?(?:kids?|child|children|son|daughter|wife|husband|dog|cat|kind|kinder|tochter|sohn|hund|katze)\ (?:is|are|has|have|was|ist|sind|hat)\ (?:\w+\ )?(?:sick|ill|crying|asleep|hungry|home|waiting|krank|da|hungrig)
    )""",
    re.I | re.X,
)
#: A cry of joy, and nothing with it.
_PRAISE = re.compile(
    rf"{_LED}(?:(?:great|good|nice|super|excellent|amazing|awesome|brilliant|lovely|perfect) (?:catch|find|job|work|one|stuff|idea|thinking)"
    r"|well (?:done|spotted)|love (?:it|that|this)|you rock|you['’]?re (?:the best|great|a star)|(?:gut|super|toll) gemacht|bien joué|bravo|chapeau|bien hecho|ben fatto)"
    r"(?: (?:there|again|today|really|man|thanks?))*\W*$",
    re.I,
)
#: What may be looked at on a day that nobody names.
_SOME_DAY = re.compile(
    r"\b(?:if we ever|one day|some ?day|in a few years|falls wir (?:je|mal)|irgendwann|eines tages|un jour|si jamais|alg[uú]n día|un giorno)\b"
    r"(?=.*\b(?:could|might|may(?:be)?|would be|dunno|who knows|whatever|könnten?|vielleicht|pourrait|peut-être|podríamos|quizás?|potremmo|forse)\b)"
    r"|\b(?:could|might|maybe|would be (?:nice|cool|fun)|könnten?|vielleicht|pourrait|podríamos|potremmo)\b.*\b(?:one day|some ?day|irgendwann|un jour|alg[uú]n día|un giorno)\b",
    re.I,
)
#: What is asked for here and now: a run for a look, a file for a meeting, a name in one loop.
_ONCE = re.compile(
    r"\W*(?:(?:and|then|now|also|please|pls|can you|could you|ok(?:ay)?|nice|just|bitte|und|dann)[ ,.]+)*(?:"
    r"re-?run\b(?!.{0,60}\b(?:every|each|always|nightly|daily|on)\b)"
    r"|(?:run|start|execute|try|send|submit) (?:it|that|this|them|the [\w-]+)\b[^.!?]{0,60}\b(?:once|for me|so (?:that )?i (?:can )?see|for now|again)\b"
    r"|rename [^.!?]{1,60}? (?:in|inside) (?:that|this|the same) (?:loop|function|file|test|method|line|class|module)\b"
    r"|rename `[^`\n]{1,3}` to `[^`\n]+`"
    r"|(?:i need|give me|make me|dump|export|print|list|show me) [^.!?]{3,120}\b(?:to /tmp|for the (?:demo|meeting|call|talk|review)|for (?:my|the) (?:slides|boss|presentation))\b"
    r"|ich brauche? [^.!?]{3,80}\bfür (?:die demo|das meeting|morgen)\b"
    r"|(?:on|we|wir) (?:teste|testen?|fait|regarde|voit|schauen?|machen?) (?:ça|ca|cela|das|it|that) (?:am )?(?:lundi|mardi|mercredi|jeudi|vendredi|demain|montag|dienstag|mittwoch|donnerstag|freitag|morgen)\b"
    r"|das (?:testen|machen|schauen|prüfen) wir (?:uns )?(?:am )?(?:montag|dienstag|mittwoch|donnerstag|freitag|morgen)\b"
    r")",
    re.I,
)


def is_of_the_day(sentence: str) -> bool:
    """Whether somebody speaks of the weather, their way home or their stomach, or is full of praise."""
    return _OF_THE_DAY.match(sentence) is not None or _PRAISE.match(sentence) is not None


def muses(sentence: str) -> bool:
    """Whether it plays with what might be looked at some day."""
    return _SOME_DAY.search(sentence) is not None


def is_once(sentence: str) -> bool:
    """Whether it asks for something here and now, that nobody has to know of later."""
    return _ONCE.match(sentence) is not None
