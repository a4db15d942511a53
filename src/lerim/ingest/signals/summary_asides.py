"""What people say beside the work: of their day and their dog, the other way round, or as a thought for some day. Pure.

It wants nothing and rules nothing, so a summary does not tell it. What is life to one is work to another ("the lunch
menu"): where the agent or a file speaks of it too, it is the work.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lerim.glance import Together
from lerim.ingest.signals.summary_words import as_task, is_task, stems
from lerim.text.sentences import sentence_spans

_ASIDES = Together()

# --- of somebody's day ------------------------------------------------------------------------------------------------

_LEAD = (
    r"\W*(?:(?:so|and|but|well|ok(?:ay)?|oh|ah|hm+|great|good|nice|perfect|super|top|thanks|thx|sorry|ugh|argh|hey|hi"
    r"|hello|hallo|morning|now|also|yes|no|gotta|finally|und|aber|so|ach|übrigens|ja|na|et|mais|bon|oui|y|pero|bueno"
    r"|gracias|merci|danke|obrigad[oa]|grazie|bedankt|btw|by the way)\W+)*"
)
_NEAR = (
    r"(?:(?:the|my|our|his|her|a|an|some|all|both|der|die|das|den|mein\w*|unser\w*|ein\w*|le|la|les|mon|ma|mes|notre|un"
    r"|une|el|los|las|mi|mis|nuestr\w+|il|lo|o|os|as|meus?|minha|de|het|mijn|first|second|next|last|little|whole)\s+)*"
)
#: Who and what people have at home, on their way and on their plate.
_LIFE = (
    r"(?:kids?|children|cinema|movie night|barbecue|kino|konzert|cinéma|cine|son|daughter|baby|toddler|wife|husband"
    r"|girlfriend|boyfriend|mom|mum|dad|grandma|cat|dog|puppy"
    r"|dentist|doctor|train|tram|bus|traffic|commute|weather|sun|rain|snow|storm|coffee|espresso|tea|beer|wine|lunch"
    r"|dinner|breakfast|pizza|sandwich|cake|canteen|cafeteria|kitchen|weekend|vacation|holidays?|birthday|gym|football"
    r"|headache|neighbou?rs?"
    r"|kind(?:er)?|sohn|tochter|frau|mann|hund|katze|zahnarzt|arzt|zug|s-bahn|bahn|straßenbahn|verkehr|wetter|regen"
    r"|schnee|sonne|kaffee|bier|essen|mittagessen|frühstück|kuchen|kantine|mensa|wochenende|urlaub|ferien|geburtstag"
    r"|rücken|kopfschmerzen|nachbarn?"
    r"|enfants?|fils|fille|femme|mari|chien|chat|bébé|dentiste|médecin|métro|météo|pluie|neige|soleil|café|bière"
    r"|déjeuner|dîner|cantine|week-?end|vacances|anniversaire"
    r"|niños?|hij[oa]s?|mujer|marido|perr[oa]|gat[oa]|tren|autobús|tráfico|tiempo|lluvia|nieve|cerveza|almuerzo|comida"
    r"|cena|desayuno|finde|vacaciones|cumpleaños"
    r"|crianças?|filh[oa]s?|cachorro|trem|chuva|almoço|jantar|bambin[oi]|figli[oa]|cane|gatto|treno|pioggia|pranzo"
    r"|kinderen|hond|trein|regen|koffie|lunchpauze)"
)
_BE = (
    r"(?:is|are|was|were|has|have|had|wants?|needs?|leaves|left|comes|calls?|called|woke|kept|again|waits?|looks|tastes"
    r"|smells|starts|barks|cries|sits|sat|sleeps|slept|eats|ate|jumps|cancell?ed|broke|ran|runs late|ist|sind|war"
    r"|waren|hat|haben|hatte|will|wollen|muss"
    r"|kommt|wartet|ruft|steht|fährt|schmeckt|ausgefallen|est|sont|était|a|ont|part|arrive|attend|m['’]attend"
    r"|es|está|estaba|tiene|sale|llega|espera|fue|era|é|foi|chega|parte|aspetta|wacht|vertrekt)"
)
_AT_HOME = (
    r"(?:kids?|children|son|daughter|baby|toddler|wife|husband|girlfriend|boyfriend|mom|mum|dad|cat|dog|puppy"
    r"|kind(?:er)?"
    r"|sohn|tochter|frau|mann|hund|katze|fils|fille|femme|mari|chien|chat|hij[oa]s?|mujer|marido|perr[oa]|gat[oa])"
)
_JUST = (
    r"(?:just|already|again|always|still|now|really|also|both|all|heute|schon|gerade|wieder|immer"
    r"|encore|déjà|ya|otra vez)"
)
#: What somebody does with themselves.
_GOING = (
    r"(?:(?:i|we)(?:['’]?(?:m|ll|ve|re)| am| are| will| have| had| need| must| should| got)? ?(?:to |gotta |going to "
    r"|gonna )?(?:run to|go to|head(?:ing)? to|leave for|pick up|fetch|feed|walk|catch|see|call|meet|eat|have|grab"
    r"|get|cook)"
    rf" {_NEAR}{_LIFE}|(?:(?:i['’]?m|we['’]?re|i am|we are) )?(?:off|out) (?:to|for) {_NEAR}{_LIFE}"
    r"|(?:ich|wir) (?:muss|müssen|geh\w*|hol\w*|fahr\w*) (?:\w+ ){0,3}?"
    rf"(?:{_LIFE}|zum {_LIFE}|essen|heim|nach hause|los|weg|schlafen|einkaufen)"
    r"|je (?:vais|dois|file|pars) (?:\w+ )?(?:déjeuner|manger|dormir|rentrer|chercher les enfants|prendre (?:le"
    r"|mon) \w+"
    rf"|(?:au|à la|chez le|en) {_LIFE})"
    r"|(?:me voy|voy|tengo que ir|vamos) a (?:comer|cenar|almorzar|dormir|casa|desayunar|por (?:los niños|un café))"
    r"|(?:vou|vado|ga) (?:a |te |even )?(?:almoçar|jantar|dormir|mangiare|pranzo|casa|eten|lunchen))"
)
_FEELING = (
    r"(?:(?:(?:i|we)(?:['’]?m| am|['’]?re| are) )?(?:so |really |very |still |a bit )*(?:hungry|tired|starving"
    r"|freezing|sick"
    r"|exhausted|knackered|hung ?over)"
    r"|(?:have|did|are) you (?:\w+ ){0,2}?(?:eaten|slept|sleep|ha(?:d|ve) (?:lunch|breakfast|coffee)|hungry|tired)"
    r"|(?:ich )?(?:hab|habe|bin) (?:\w+ ){0,2}?(?:hunger|durst|müde|kopfschmerzen|platt|krank)"
    r"|(?:hast|habt|bist) (?:du|ihr) (?:\w+ ){0,3}?(?:gegessen|geschlafen|hunger|gefrühstückt|müde)"
    r"|(?:j['’]ai|tu as|t['’]as) (?:\w+ ){0,2}?(?:faim|soif|sommeil|mangé|dormi|mal à la tête)"
    r"|(?:tengo|tienes|has) (?:\w+ ){0,2}?(?:hambre|sed|sueño|frío|calor|comido|dormido)"
    r"|(?:draußen )?(?:gießt|regnet|schneit|schüttet|stürmt) es|(?:it['’]?s|it is|it was) (?:so |really |finally "
    r"|again |already )*(?:raining|pouring|snowing|freezing|sunny"
    r"|friday)"
    r"|il (?:pleut|neige|fait (?:trop |si |très )?(?:beau|froid|chaud))|llueve|está lloviendo"
    r"|hace (?:mucho )?(?:frío|calor"
    r"|sol)|es (?:regnet|schneit|ist (?:so )?(?:heiß|kalt|warm) (?:hier|heute|draußen))|piove|está chovendo)"
)
_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
    r"|lundi|mardi|mercredi|jeudi|vendredi|lunes|martes|miércoles|jueves|viernes)"
)
_OF_A_DAY = _ASIDES.seldom(
    rf"{_LEAD}(?:{_NEAR}{_LIFE}(?: {_LIFE})?"
    rf"(?: (?:in|at|on|from|of|with|am|im|an|à|au|chez|en|del|de|na|no) {_NEAR}{_LIFE})?"
    rf" (?:{_JUST} ){{0,2}}{_BE}\b[^.?!;:]{{0,60}}"
    rf"|(?:my|our|mein\w*|unser\w*|mon|ma|mes|mis?|minha|meu|mijn) {_AT_HOME} \w[^.?!;:]{{0,60}}"
    rf"|(?:hope|hoping|i hope|hoffe|hoffentlich|j['’]espère|espero) [^.?!;]{{0,20}}?{_NEAR}{_LIFE}\b[^.?!;]{{0,40}}"
    rf"|(?:what (?:a|an)|such a|was für (?:ein|eine)|was ein|quel|quelle|qué|che) (?:\w+ )?(?:{_LIFE}|day|week"
    rf"|night|tag"
    r"|woche|morning|afternoon|evening|journée|semaine|día|semana|giornata)\b[^.?!;]{0,30}"
    r"|(?:\w+ )?(?:terrible|awful|lovely|nice|beautiful|crazy|horrible|schreckliche[sr]?|schöne[sr]?|tolle[sr]?"
    r"|mieses|furchtbare[sr]?) (?:weather|wetter|temps|tiempo)\b[^.?!;]{0,30}"
    rf"|(?:another|one more|again a|noch ein|wieder ein|encore un|otro) {_DAY}\b[^.?!;]{{0,50}}"
    rf"|(?:finally |endlich |enfin |por fin )?{_DAY}(?: (?:at last|finally|endlich))?"
    rf"|{_NEAR}{_LIFE} (?:tonight|this evening|heute abend|ce soir|esta noche|hoje à noite|stasera"
    rf"|vanavond)\b[^.?!;]{{0,30}}"
    rf"|(?:lol|haha\w*|hehe|hihi|xd)\W+(?:[\w'’]+\W*){{0,4}}|{_GOING}\b[^.?!;]{{0,40}}|{_FEELING}\b[^.?!;]{{0,40}})\W*",
    re.IGNORECASE,
)
_PLEADS = re.compile(r"\b(?:please|pls|plz|bitte|por favor|s['’]il te pla[iî]t)\b", re.IGNORECASE)
_OF_CODE = re.compile(r"\d|[`/\\{}<>=_]|\w\.\w|\w\(|\b\w+[a-z][A-Z]")
_LIFE_WORDS = re.compile(rf"(?<!\w){_LIFE}(?!\w)", re.IGNORECASE)
_MOST_WORDS = 16

# --- the other way round ----------------------------------------------------------------------------------------------

#: What nobody says of what they mean: "what could go wrong", "oh great, and why not …, brilliant".
_IRONY = _ASIDES.seldom(
    r"\bwhat (?:could|can|would) (?:possibly )?go wrong\b|\bwas (?:soll|kann) (?:da )?schon schiefgehen\b"
    r"|\bqu['’]est-ce qui pourrait mal tourner\b|\b(?:qué|que) podría salir mal\b|\bo que poderia dar errado\b"
    r"|\bcosa potrebbe andare storto\b|\bwat kan er misgaan\b"
    r"|^\W*(?:(?:oh|ah|haha\w*|lol),? )?(?:sure|yeah|yes|right|great|brilliant|wonderful|fantastic|klar|sicher"
    r"|super|toll"
    r"|genial|bravo|claro)[,.! ]+(?:(?:and|then|und|et|y|dann) )?(?:why not|warum nicht|pourquoi pas|por qué no)\b"
    r"|^\W*(?:(?:oh|haha\w*|lol|yeah|yes|sure|right|great)[,.! ]+){2,}(?:(?:and|then|so) )?(?:lets|let['’]s|let us)\b"
    r"|^\W*(?:oh,? (?:sure|yeah|yes|right|great)|yeah,? (?:right|sure)|sure,? sure|haha\w*|lol|na klar|aber sicher"
    r"|mais bien sûr|sí,? claro)[,.!]* (?:(?:and|then|so) )?(?:lets|let['’]s|let us|lass(?:t| uns)?|on va|vamos)\b",
    re.IGNORECASE,
)
#: Who says so did not mean what stands before it.
_WINK = (
    r"(?:(?:i['’]?m |just |only |was |ich |war |nur )*(?:kidding|joking|a joke|a jest)|jk|not serious"
    r"|(?:no|but) (?:really|seriously)|(?:war |nur |ein )*(?:scherz|witz|spaß|ironie)|nicht ernst(?: gemeint)?"
    r"|je (?:rigole|plaisante|blague|déconne)|es (?:una )?broma|era broma|brincadeira|scherzo|grapje)"
)
_WINKS = re.compile(rf"\W*(?:(?:ok(?:ay)?|haha\w*|lol|nein|non)\W+)*{_WINK}\b", re.IGNORECASE)

# --- for some day, perhaps --------------------------------------------------------------------------------------------

_SOME_DAY = (
    r"(?:one day|some ?day|at some point|eventually|in the (?:far |distant )?future|down the road|irgendwann(?: mal)?"
    r"|eines tages|un jour|algún día|um dia|un giorno|ooit|when (?:i|we) have (?:nothing better to do|too much time))"
)
#: Who does it, perhaps. What "could crash at some point" is no thought for some day.
_PERHAPS = (
    r"(?:(?:maybe|perhaps|possibly) (?:(?:we|i|one|you|somebody|someone) (?:should|could|might|can|shall|would)|one day"
    r"|some ?day)|(?:we|i|one) (?:could|might)(?: also| even)?|(?:that |this |it )?would be (?:fun|cool|nice"
    r"|interesting)"
    r"|vielleicht (?:sollten?|könnten?|kann|können) (?:wir|man|ich)|(?:könnten?|kann|können) (?:wir|man|ich)"
    r"|(?:wir|man|ich) (?:könnten?|sollten? vielleicht)|wäre (?:schön|cool|nett|interessant)"
    r"|peut-être (?:qu['’]on|on|que nous)|on pourrait|nous pourrions|ce serait (?:bien|sympa|cool)"
    r"|(?:quizás?|a lo mejor|tal vez) (?:deberíamos|podríamos|podemos|habría)|podríamos|estaría bien"
    r"|talvez (?:devêssemos|possamos|a gente|fosse)|poderíamos|seria legal|magari (?:potremmo|si|un giorno)|potremmo"
    r"|misschien (?:kunnen|moeten) we|we zouden)"
)
_WHO_KNOWS = (
    r"(?:dunno|don['’]?t know|who knows|no idea|no clue|just (?:an idea|a thought|dreaming|wondering)"
    r"|thinking (?:out loud|aloud)|keine ahnung|wer weiß|nur so (?:eine idee|ein gedanke)|je (?:ne )?sais pas|qui sait"
    r"|ni idea|quién sabe|quem sabe|sei lá|chissà|geen idee)"
)
_EVER = r"(?:if|falls|wenn|si|se|als) (?:we|i|wir|on|nous)? ?(?:ever|jemals?|un jour|algún día|alguna vez|ooit)"
_MUSES = _ASIDES.seldom(
    rf"(?<!\w){_PERHAPS}\b[^.!?]{{0,80}}\b(?:{_SOME_DAY}|{_WHO_KNOWS})(?!\w)"
    rf"|(?<!\w)(?:{_SOME_DAY}|{_EVER})\b[^.!?]{{0,80}}?(?<!\w){_PERHAPS}(?!\w)",
    re.IGNORECASE,
)
#: Nothing but that.
_ONLY_HEDGES = re.compile(rf"\W*(?:(?:hm+|well|but|and|i|tja|bof|pues)\W+)*(?:{_WHO_KNOWS}|{_WINK})\W*", re.IGNORECASE)


def without_asides(text: str, work: frozenset[str] = frozenset()) -> str:
    """What somebody says of the work, as they said it. `work` are the words of the agent and of files: whoever's lunch
    is among them speaks of the work."""
    spans = list(sentence_spans(text))
    said = [span.of(text) for span in spans]
    gone = [is_aside(one, after, work) for one, after in pairwise([*said, ""])]
    if not any(gone):
        return text
    for span, is_gone in zip(reversed(spans), reversed(gone), strict=True):
        text = f"{text[: span.start]}{text[span.end :].lstrip(' ')}" if is_gone else text
    return text.strip()


def has_asides(text: str) -> bool:
    """Whether something in a message is said beside the work, unless the work is of that."""
    return without_asides(text) != text


def is_aside(said: str, after: str = "", work: frozenset[str] = frozenset()) -> bool:
    """Whether a sentence says nothing of the work, or means nothing of what it says."""
    return is_of_a_day(said, work) or is_ironic(said, after) or is_musing(said)


def is_of_a_day(said: str, work: frozenset[str] = frozenset()) -> bool:
    """Whether a sentence tells of somebody's day: "the dog wants out", "ich muss zum Zahnarzt"."""
    if len(said.split()) > _MOST_WORDS or _OF_CODE.search(said) or _OF_A_DAY.fullmatch(said) is None:
        return False
    # "My train leaves, please finish the export" wants something.
    is_wish = any(is_task(as_task(part)) or _PLEADS.search(part) for part in said.split(", "))
    return not is_wish and work.isdisjoint(stems(" ".join(_LIFE_WORDS.findall(said))))


def is_ironic(said: str, after: str = "") -> bool:
    """Whether it is meant the other way round; who winks does so at the end, or right after."""
    return _IRONY.search(said) is not None or _WINKS.match(after) is not None


def is_musing(said: str) -> bool:
    """Whether it is a thought for some day: "maybe we should look at tiles one day? dunno"."""
    return _MUSES.search(said) is not None or _ONLY_HEDGES.fullmatch(said) is not None
