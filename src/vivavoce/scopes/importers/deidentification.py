"""Replaces identifiers of people in texts by words such as [EMAIL], before anything is written.

Telephone numbers are found by `phonenumbers`, which knows the numbering plans of all countries (extra `traces`). The others
have check digits or a fixed shape: card numbers (Luhn), IBANs (ISO 13616), IP addresses, e-mail addresses, and the user part
of a URL. `names` finds names of people.

All patterns take time in proportion to the text, whatever it says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Any, Final

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.formats.wording import count, counted
from vivavoce.scopes.importers.names import NameFinder

EXTRA: Final = "traces"
LONGEST: Final = 100_000
"""The most characters of a text."""
KINDS: Final = {
    "USER": "user part of a URL",
    "EMAIL": "e-mail address",
    "IBAN": "IBAN",
    "CARD": "card number",
    "IP": "IP address",
    "PHONE": "telephone number",
    "NAME": "name",
}
"""The words that replace identifiers, in the order in which they are looked for."""
_PLURAL: Final = {"USER": "user parts of URLs", "EMAIL": "e-mail addresses", "IP": "IP addresses"}
_URL_USER: Final = re.compile(r"(?<=://)[^\s/@?#\"'<>]{1,200}(?=@)")
_AT: Final = ("@", "＠", "%40")
_EMAIL: Final = re.compile(rf"(?<![\w.%+-])[\w.%+'-]{{1,64}}(?:{'|'.join(_AT)})(?:[\w-]{{1,63}}\.){{1,8}}[^\W\d_]{{2,63}}")
_GAP: Final = " \u00a0\u2007\u2009\u202f\u2010-\u2013-"
"""Spaces and hyphens between groups of digits, as in a character class."""
_IBAN: Final = re.compile(rf"(?<!\w)[A-Z]{{2}}\d{{2}}(?:[{_GAP}]?[A-Z0-9]){{11,30}}(?!\w)", re.IGNORECASE)
_CARD: Final = re.compile(rf"(?<![\d.])\d(?:[{_GAP}]?\d){{12,18}}(?![\d.]?\d)")
_IPV4: Final = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6: Final = re.compile(r"(?<![\w:])[0-9a-f:]{2,39}(?:\.\d{1,3}){0,3}(?![\w:])", re.IGNORECASE)
_DIGITS: Final = 7
"""The fewest digits of an IBAN after its check digits."""


class Deidentifier:
    """Replaces identifiers, and counts them by kind; nothing else is kept of them.

    Parameters
    ----------
    names: of people, each of one or more words, that are found wherever they stand.
    countries: two letters each; telephone numbers without a country code are looked for as those of these countries.

    Raises `MissingExtra` without `phonenumbers` or `faker`, and `BadInput` for an unknown country.

    >>> hide = Deidentifier(["Ann Lee"])
    >>> hide("Mail ann.lee@example.org or ring +44 20 7946 0958 for ANN LEE, at https://ann:pw@example.org/")
    'Mail [EMAIL] or ring [PHONE] for [NAME], at https://[USER]@example.org/'
    >>> hide.summary
    'Replaced: one user part of a URL, one e-mail address, one telephone number, one name'
    """

    def __init__(self, names: Sequence[str] = (), countries: Iterable[str] = ()) -> None:
        if find_spec("phonenumbers") is None:
            raise MissingExtra("phonenumbers", extra=EXTRA)
        self._phones: Any = import_module("phonenumbers")
        self._countries = tuple(dict.fromkeys(country.upper() for country in countries))
        unknown = next((country for country in self._countries if country not in self._phones.SUPPORTED_REGIONS), None)
        if unknown is not None:
            raise BadInput(f"'{unknown[:20]}' is not a country: give two letters, such as US or DE")
        self._names = NameFinder(names)
        self.counts: Counter[str] = Counter()
        """How many were replaced of each kind, by the words that replace them."""

    def __call__(self, text: str) -> str:
        """The text without identifiers. Raises `BadInput` for one that is too long."""
        if len(text) > LONGEST:
            raise BadInput(f"a text of {len(text):,} characters: at most {LONGEST:,} are read")
        for kind in KINDS:
            text = self._without(text, kind)
        return text

    @property
    def summary(self) -> str:
        """What was replaced, in a sentence without a full stop."""
        parts = [
            f"{count(number)} {_PLURAL[kind]}" if number > 1 and kind in _PLURAL else counted(number, words)
            for kind, words in KINDS.items()
            if (number := self.counts[kind])
        ]
        return f"Replaced: {', '.join(parts) or 'nothing'}"

    def _without(self, text: str, kind: str) -> str:
        kept, end = [], 0
        for start, stop in self._places(text, kind):
            if start >= end:
                kept += [text[end:start], f"[{kind}]"]
                end = stop
                self.counts[kind] += 1
        return "".join([*kept, text[end:]])

    def _places(self, text: str, kind: str) -> Iterator[tuple[int, int]]:
        """Begin and end of each identifier of this kind, in order of their beginning."""
        match kind:
            case "USER":
                return (match.span() for match in _URL_USER.finditer(text))
            case "EMAIL":
                return (match.span() for match in _EMAIL.finditer(text)) if any(at in text for at in _AT) else iter(())
            case "IBAN":
                return _ibans(text)
            case "CARD":
                return (match.span() for match in _CARD.finditer(text) if _is_card(match[0]))
            case "IP":
                both = (match for form in (_IPV4, _IPV6) for match in form.finditer(text) if _is_address(match[0]))
                return iter(sorted(match.span() for match in both))
            case "PHONE":
                return iter(sorted(self._phone_places(text), key=lambda span: (span[0], -span[1])))
        return self._names.places(text)

    def _phone_places(self, text: str) -> Iterator[tuple[int, int]]:
        """Valid numbers: with a country code, or of the given countries."""
        for country in (None, *self._countries):
            # without an own limit the matcher gives up on a text with many numbers that are not valid
            for number in self._phones.PhoneNumberMatcher(text, country, max_tries=len(text) + 1):
                # a bracket that is closed later is not part of the number
                yield number.start + (number.raw_string.count("(") > number.raw_string.count(")")), number.end


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    """IBANs; a candidate that is too long may be one followed by a word, so that its beginnings are tried too."""
    for match in _IBAN.finditer(text):
        for end in _ends(match[0]):
            if _is_iban(match[0][:end]):
                yield match.start(), match.start() + end
                break


def _ends(candidate: str) -> Iterator[int]:
    """Where an IBAN may end: at the end, or before a space, the longest first."""
    yield len(candidate)
    yield from (index for index in range(len(candidate) - 1, 14, -1) if not candidate[index].isalnum())


def _is_iban(candidate: str) -> bool:
    """Whether the check digits are right (ISO 13616: the number modulo 97 is 1), and it is not mostly words.

    >>> _is_iban("GB82 WEST 1234 5698 7654 32"), _is_iban("GB82 WEST 1234 5698 7654 33")
    (True, False)
    """
    plain = re.sub(f"[{_GAP}]", "", candidate).upper()
    digits = "".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(digits) % 97 == 1 and sum(map(str.isdecimal, plain[4:])) >= _DIGITS


def _is_card(candidate: str) -> bool:
    """Whether the check digit is right (Luhn), and not all digits are the same.

    >>> _is_card("4111 1111 1111 1111"), _is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(sign) for sign in candidate if sign.isdecimal()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[::-2]) + sum(doubled)) % 10 == 0


def _is_address(candidate: str) -> bool:
    """Whether it is an IP address with a digit: `a::b`, as programs write it, is none."""
    try:
        return any(sign.isdecimal() for sign in candidate) and bool(ip_address(candidate))
    except ValueError:
        return False
