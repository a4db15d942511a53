"""What is private of people in a text: their names, addresses and numbers. A profile says which of it is taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from lerim.config.profiles import PrivateKind
from lerim.lazy_regex import compile_later
from lerim.sources.secret_values import CUSTOM, SecretSpan
from lerim.sources.trace import Assistant, Line, User

_Spans = Iterator[tuple[int, int]]
_LEAST_DIGITS, _MOST_DIGITS = 7, 15
_EMAIL = compile_later(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[A-Za-z]{2,24}(?![\w-])")
# With a plus, in brackets, in the groups of a telephone, or beside a word for one: dates and counts are none of these.
_PHONE = compile_later(
    r"(?<![\w.])(?:\+\d{1,3}[ ().-]{0,2}(?:\d[ ().-]{0,2}){6,13}\d|\(\d{2,5}\)[ .-]?\d{2,5}(?:[ .-]?\d{2,5}){1,3}"
    r"|\d{3}[ .-]\d{3}[ .-]\d{4})(?![\w-])"
)
_CALLED = compile_later(
    r"(?i)\b(?:phone|telephone|mobile|cell|call me (?:at|on|back at)|tel|whatsapp)\b[a-z ]{0,12}[:.#]?\s{0,2}"
    r"(?P<value>\+?\d(?:[ ()./-]{0,2}\d){6,14})"
)
_CARD = compile_later(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = compile_later(r"(?<!\w)[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,4})?(?!\w)")
_JOINT = r"(?:\s{1,2}(?:number|no\.?|nr\.?|id|code|reference|ref\.?|is|was)|\s{0,2}[#:=(])"
# "Orders of 500 units" name nobody's: what stands beside the bare word has to look like a number of its own.
_VALUE = (
    rf"(?:{_JOINT}{{1,3}}\s{{0,2}}(?P<value>(?=[\w/-]{{0,30}}\d)[A-Za-z0-9][\w/-]{{2,30}})"
    r"|\s(?P<bare>(?=(?:[A-Za-z/-]{0,6}\d){3})[A-Za-z0-9][\w/-]{3,30}))"
)
_ACCOUNT = compile_later(
    rf"(?i)\b(?:account|acct\.?|(?:customer|client|member|membership|contract|policy)(?={_JOINT}))(?!s){_VALUE}"
)
_ORDER = compile_later(
    r"(?i)\b(?:order|invoice|ticket|case|booking|reservation|shipment|tracking|parcel|reference|rma)(?!s)" + _VALUE
)
_ORDER_SHAPE = compile_later(
    r"(?<![\w-])(?:ORD|INV|RMA|CASE|TKT|SO|PO)[-_#]?\d{3,}[\w-]{0,20}|(?<![\w&#])#\d{4,}(?!\w)"
)
_ADDRESS = compile_later(
    r"(?<![\w.])\d{1,5}[a-z]?\s(?:[A-Z][\w'.-]{1,20}\s){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard"
    r"|Blvd|Way|Court|Ct|Place|Pl|Square)\b\.?(?:,?\s(?:Apt|Suite|Unit|Floor)\.?\s\w{1,6})?"
    r"|\b[A-ZÄÖÜ][\wäöüß-]{2,30}(?:straße|strasse|weg|platz|allee|gasse)\s\d{1,4}[a-z]?\b"
)

# --- names ---------------------------------------------------------------------------------------------------------

# Capitals of the alphabets that have them, and what stands small inside of a name.
_CAPITAL = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŹŻŽΆΈ-Ώ\u0391-\u03a9Ѐ-Я\u0490Ԁ"
_WORD = rf"[{_CAPITAL}][\w'’-]{{1,30}}"
_BETWEEN = r"(?:(?:van|von|vom|zu|zum|de|der|den|del|della|da|di|dos|das|du|la|le|bin|al|ter|af) ){0,3}"
_NAME = rf"(?P<name>{_WORD}(?:[ ](?:[{_CAPITAL}]\.|{_BETWEEN}{_WORD})){{0,3}})"
#: Where a name may end that nothing but its place tells to be one.
_ENDS = (
    r"(?=\s{0,2}(?:[,.:!;()–—-]|\n|\Z)"
    r"|\s(?:from|with|at|and|of|here|calling|writing|thanks?|how|we|I|und|von|aus|wie|wir|ich|et|y|e|en|van|z|из|и)\b)"
)
_TITLE = (
    r"(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof|Sr|Sra|Sig|Dhr|M|Mme|Mlle|Miss|Herrn?|Frau|Monsieur|Madame|Señora?|Senhora?|Signora?"
    r"|Mevrouw|Meneer|Pan|Pani|Господин|Госпожа)\.?\s){0,2}"
)
_HELLO = (
    r"(?i:hi|hello|hey|hiya|dear|greetings|good (?:morning|afternoon|evening|day)|hallo|moin|servus|guten (?:tag|morgen"
    r"|abend)|grüezi|liebe[rs]?|sehr geehrte[rs]?|bonjour|bonsoir|salut|ch[eè]re?|hola"
    r"|buen(?:os|as) (?:d[ií]as|tardes|noches)|estimad[oa]|querid[oa]|ciao|salve|buongiorno|buonasera|gentile"
    r"|car[oa]|olá|oi|bom dia|boa (?:tarde|noite)|prezad[oa]|beste|geachte|goede(?:morgen|middag|navond)|hej|hei"
    r"|cześć|dzień dobry|szanown[yae]|merhaba|sayın|здравствуйте|привет|добрый (?:день|вечер)|доброе утро"
    r"|уважаем(?:ый|ая))"
)
_THANKS = r"(?i:thanks|thank you|danke|merci|gracias|grazie|obrigad[oa]|bedankt|dank je|dziękuję|спасибо|tack|takk?)"
# It is a name that follows, whatever it is.
_CALLED_SO = (
    r"(?i:\bmy (?:full )?name(?: is|['’]s)|\bi am called|\bname:|\b(?:mein name ist|ich heiße|ich heisse)"
    r"|\bje m['’]appelle|\bmon nom est|\bme llamo|\bmi nombre es|\bmi chiamo|\bil mio nome è|\bmeu nome é"
    r"|\b(?:me chamo|chamo-me)|\bmijn naam is|\bik heet|\bnazywam się|\bmam na imię|\bjag heter"
    r"|\bjeg h(?:eter|edder)|\bmit navn er|\b(?:benim )?adım|\bменя зовут)"
)
# People also say so what they are: it is a name in two parts, or behind a greeting.
_BEING = (
    r"(?i:\bi['’]?m|\bi am|\bthis is|\bit['’]s|\bich bin|\bhier (?:ist|spricht|schreibt)|\bje suis|\bici|\bsoy"
    r"|\bsono|\bik ben|\b(?:eu )?sou(?: [oa])?|\bjag är|\bjeg er|\bя)"
)
_ADDRESSED = r"(?:\s(?:there|all|team|everyone|zusammen|à tous|a todos|a tutti))?[,.!]{0,2}\s{1,2}"
# With these it is signed; the last ones are said besides, so that a comma or a line comes first.
_SIGNED = (
    r"(?:(?i:\b(?:regards|sincerely(?: yours)?|yours (?:truly|faithfully)|grüßen?|grüssen?|gruß|mfg|cordialement"
    r"|bien à vous|saludos?|atentamente|cordiali saluti|distinti saluti|met vriendelijke groet(?:en)?|groeten"
    r"|atenciosamente|cumprimentos|pozdrawiam|med vänlig hälsning|(?:с уважением)|saygılarımla)),?\s{1,2}\n?"
    r"|(?i:\b(?:thanks|thank you|cheers|best|yours|danke|lg|vg|merci|gracias|grazie|obrigad[oa]|abraços|bedankt"
    r"|спасибо))(?: again| so much| a lot)?[,!.]{0,2}(?:(?<=,)\s|\s{0,2}\n)|(?:\n|[.!?]\s)(?:--|[–—]))\s{0,3}"
)
_INTRODUCED = tuple(
    compile_later(pattern)
    for pattern in (
        rf"{_CALLED_SO}\s{{1,2}}{_TITLE}{_NAME}",
        rf"\b(?i:this is|hier (?:ist|spricht))\s{_NAME}(?=,? (?:speaking|calling|from|here|again|am apparat|von)\b)",
        rf"{_SIGNED}{_TITLE}{_NAME}[.,]?[ \t]{{0,3}}(?=\n|\Z)",
    )
)
#: The same, where it may also be what somebody is.
_PERHAPS_INTRODUCED = tuple(
    compile_later(pattern)
    for pattern in (
        rf"(?m)(?:^|(?<=[.!?]\s)){_HELLO}{_ADDRESSED}{_BEING}\s{_TITLE}{_NAME}{_ENDS}",
        rf"{_BEING}\s{_TITLE}(?P<name>{_WORD}(?:[ ](?:[{_CAPITAL}]\.|{_BETWEEN}{_WORD})){{1,3}}){_ENDS}",
    )
)
_GREETED = (compile_later(rf"(?m)^\W{{0,3}}(?:{_HELLO}|{_THANKS}),?\s{_TITLE}{_NAME}{_ENDS}"),)
_NOBODY = frozenset(
    (
        *("There", "Team", "All", "Everyone", "Everybody", "Support", "Sir", "Madam", "Again", "Folks", "Customer"),
        *("Friend", "Guys", "Dear", "Sales", "Desk", "The", "This", "That", "For", "Very", "You", "So", "And", "Agent"),
        *("Thanks", "Thank", "Regards", "Best", "Sorry", "Please", "What", "How", "When", "Why", "Can", "Our", "Your"),
        *(
            "Damen",
            "Herren",
            "Zusammen",
            "Kunde",
            "Kundin",
            "Danke",
            "Bitte",
            "Liebe",
            "Liebes",
            "Ihr",
            "Ihre",
            "Vielen",
        ),
        *("Client", "Cliente", "Clientes", "Monsieur", "Madame", "Messieurs", "Equipo", "Equipe", "Klant", "Señores"),
    )
)
# What somebody may say they are: trades, ranks, countries.
_WHAT_ONE_IS = re.compile(
    r"(?:Manager|Director|Engineer|Developer|Owner|Admin\w*|Lead|Head|Chief|Officer|Senior|Junior|Product|Project|Account"
    r"|Premium|Pro|Plus|Gold|Silver|Platinum|Basic|Business|Enterprise|Member|User|Student\w*|Teacher|CEO|CTO|CFO|COO|HR"
    r"|IT|VIP|Prime|Certified|Lehrer(?:in)?|Mitglied|Kund\w+|Nutzer(?:in)?|Mieter(?:in)?|Rentner(?:in)?|Besitzer(?:in)?"
    r"|Inhaber(?:in)?|Leiter(?:in)?|Entwickler(?:in)?|Chef(?:in)?|German|French|Italian|Spanish|British|American|Canadian"
    r"|Australian|Indian|Chinese|Japanese|Korean|Dutch|Polish|Russian|Ukrainian|Turkish|Swiss|Austrian|Swedish|Danish"
    r"|Norwegian|Finnish|Portuguese|Brazilian|Mexican|Irish|Scottish|Welsh|Greek|Deutsche[rn]?|Windows|Android|Linux|Mac"
    r"|Chrome|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
)
_LEAST_NAME = 3
_MOST_NAMES = 50
_OF_SPEAKER = compile_later(r"\s*(?P<name>[^()]{2,100}?)\s*\((?P<role>[^()]*)\)\s*")


def names_in(lines: Iterable[Line]) -> list[str]:
    """What the people outside are called in a session: by its own word, by theirs, and by whoever greets them."""
    found: dict[str, None] = {}
    spoken = [line for line in lines if isinstance(line, User | Assistant)]
    has_outside = any(line.outside for line in spoken)
    for line in spoken:
        if line.outside and line.speaker and (said := _OF_SPEAKER.fullmatch(line.speaker)):
            found.update(dict.fromkeys(_parts(said["name"])))
        if line.outside or has_outside:
            for name in _told_by(line.text[:20_000], _INTRODUCED if line.outside else _GREETED):
                found.update(dict.fromkeys(_parts(name)))
        if line.outside:
            for name in _told_by(line.text[:20_000], _PERHAPS_INTRODUCED):
                if not any(map(_WHAT_ONE_IS.fullmatch, name.split())):
                    found.update(dict.fromkeys(_parts(name)))
    return sorted(found, key=len, reverse=True)[:_MOST_NAMES]


def _told_by(text: str, patterns: Iterable[re.Pattern[str]]) -> Iterator[str]:
    return (match["name"] for pattern in patterns for match in pattern.finditer(text))


def _parts(name: str) -> Iterator[str]:
    """A name whole, and its parts that are long enough to be one."""
    words = [word for word in (word.strip(".,") for word in name.split()) if word]
    # "Jane Thanks for …": a sentence that goes on without a mark.
    words = list(takewhile(lambda word: word not in _NOBODY, words))
    if not words:
        return
    if len(words) > 1:
        yield " ".join(words)
    yield from (word for word in words if len(word) >= _LEAST_NAME and not word[0].islower())


def named(text: str, names: Sequence[str]) -> _Spans:
    """Where somebody is named, longest names first."""
    if names and any(name in text for name in names):
        for found in re.finditer("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), text):
            yield found.span()


# --- numbers and addresses -----------------------------------------------------------------------------------------


def _emails(text: str) -> _Spans:
    return (found.span() for found in _EMAIL.finditer(text)) if "@" in text else iter(())


def _phones(text: str) -> _Spans:
    for found in _PHONE.finditer(text):
        if _LEAST_DIGITS <= _digits(found[0]) <= _MOST_DIGITS:
            yield found.span()
    yield from (found.span("value") for found in _CALLED.finditer(text))


def _cards(text: str) -> _Spans:
    for found in _CARD.finditer(text):
        if 13 <= _digits(found[0]) <= 19 and _is_luhn(found[0]):
            yield found.span()


def _ibans(text: str) -> _Spans:
    return (found.span() for found in _IBAN.finditer(text) if _is_iban(found[0]))


def _accounts(text: str) -> _Spans:
    return (_valued(found) for found in _ACCOUNT.finditer(text))


def _valued(found: re.Match[str]) -> tuple[int, int]:
    return found.span("value") if found["value"] else found.span("bare")


def _orders(text: str) -> _Spans:
    yield from map(_valued, _ORDER.finditer(text))
    yield from (found.span() for found in _ORDER_SHAPE.finditer(text))


def _addresses(text: str) -> _Spans:
    return (found.span() for found in _ADDRESS.finditer(text))


_FINDERS: dict[PrivateKind, Callable[[str], _Spans]] = {
    PrivateKind.EMAIL: _emails,
    PrivateKind.CARD: _cards,
    PrivateKind.IBAN: _ibans,
    PrivateKind.PHONE: _phones,
    PrivateKind.ACCOUNT: _accounts,
    PrivateKind.ORDER: _orders,
    PrivateKind.ADDRESS: _addresses,
}


def private_in(text: str, kinds: Iterable[PrivateKind], names: Sequence[str]) -> Iterator[SecretSpan]:
    """Where a text has something private of these kinds."""
    for kind in kinds:
        spans = named(text, names) if kind is PrivateKind.NAME else _FINDERS[kind](text)
        yield from (SecretSpan(start, CUSTOM, end, str(kind)) for start, end in spans)


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _is_luhn(text: str) -> bool:
    digits = [int(one) for one in text if one.isdigit()][::-1]
    total = sum(digits[::2]) + sum(sum(divmod(2 * one, 10)) for one in digits[1::2])
    return total % 10 == 0 and any(digits)


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1
