"""What is private of people in a text: their names, addresses and numbers. A profile says which of it is taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

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

_NAME = r"(?P<name>[A-ZÀ-Þ][\w'’-]{1,30}(?:\s(?:[A-ZÀ-Þ]\.|[A-ZÀ-Þ][\w'’-]{1,30})){0,3})"
_INTRODUCED = compile_later(
    rf"(?:\b[Mm]y (?:full )?name is|\b[Mm]y name['’]s|\bI am called|\b[Nn]ame:)\s{{1,2}}{_NAME}"
    rf"|\b[Tt]his is\s{_NAME.replace('name', 'caller')}(?=,? (?:speaking|calling|from|here|again)\b)"
    r"|(?:[Rr]egards|[Tt]hanks|[Ss]incerely|[Cc]heers|[Bb]est|[Yy]ours),?\s{0,2}\n\s{0,2}"
    rf"{_NAME.replace('name', 'signed')}\s*\Z"
)
_GREETED = compile_later(
    rf"(?m)^\W{{0,3}}(?:Hi|Hello|Dear|Hey|Thanks|Thank you|Good (?:morning|afternoon|evening)),?\s"
    rf"(?:(?:Mr|Mrs|Ms|Dr)\.?\s)?{_NAME}(?=\s{{0,1}}[,!.–-]|\s{{0,2}}$)"
)
_NOBODY = frozenset(
    (
        *("There", "Team", "All", "Everyone", "Everybody", "Support", "Sir", "Madam", "Again", "Folks", "Customer"),
        *("Friend", "Guys", "Dear", "Sales", "Desk", "The", "This", "That", "For", "Very", "You", "So", "And", "Agent"),
    )
)
_LEAST_NAME = 3
_MOST_NAMES = 50
_OF_SPEAKER = compile_later(r"\s*(?P<name>[^()]{2,100}?)\s*\((?P<role>[^()]*)\)\s*")


def names_in(lines: Iterable[Line]) -> list[str]:
    """What the people outside are called in a session: by its own word, by theirs, and by whoever greets them."""
    found: dict[str, None] = {}
    has_outside = False
    for line in lines:
        if not isinstance(line, User | Assistant):
            continue
        has_outside = has_outside or line.outside
        if line.outside and line.speaker and (said := _OF_SPEAKER.fullmatch(line.speaker)):
            found.update(dict.fromkeys(_parts(said["name"])))
        pattern = _INTRODUCED if line.outside else _GREETED if has_outside else None
        for match in pattern.finditer(line.text[:20_000]) if pattern else ():
            name = next((value for value in match.groupdict().values() if value), "")
            found.update(dict.fromkeys(_parts(name)))
    return sorted(found, key=len, reverse=True)[:_MOST_NAMES]


def _parts(name: str) -> Iterator[str]:
    """A name whole, and its parts that are long enough to be one."""
    words = [word.strip(".,") for word in name.split() if word.strip(".,")]
    if not words or words[0] in _NOBODY or words[0].startswith("[redacted"):
        return
    if len(words) > 1:
        yield " ".join(words)
    yield from (word for word in words if len(word) >= _LEAST_NAME and word not in _NOBODY)


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
