"""Converts what users asked an application into rows of a question file: from traces, chats and logs.

A conversation gives one row: the first question of its user, with the system prompt. Questions that are equal but for white
space and case are one row, whose weight is how often they were asked. So questions are drawn as users ask them. What the model
replied then is not read, since nothing says whether it was right: a rubric does that for all questions.

Alternatively each call is a row, with the turns before it. Calls of one conversation, or of one trace where none is named, are
a cluster then: they say much the same.

Identifiers of people are replaced before anything is written (`deidentification`), in error messages, too.

Replaces identifiers of people in texts by words such as [EMAIL], before anything is written.

Telephone numbers are found by `phonenumbers`, which knows the numbering plans of all countries (extra `traces`). The others
have check digits or a fixed shape: card numbers (Luhn), IBANs (ISO 13616), IP addresses, e-mail addresses, and the user part
of a URL. `names` finds names of people.

All patterns take time in proportion to the text, whatever it says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.lines import JSON_LINES, ending, whole_json
from vivavoce.formats.records import ROWS, records
from vivavoce.formats.wording import count, counted
from vivavoce.formats.yaml_file import YamlSource
from vivavoce.interview.record import canonical_json, digest_of
from vivavoce.scopes.importers.conversion import Conversion, SourceRow, converted
from vivavoce.scopes.importers.names import NameFinder
from vivavoce.scopes.importers.spans import CALLS, EXPORT, OPERATION, SpanCall, calls_of_export
from vivavoce.scopes.question_rows import QuestionMessages, conversation_of
from vivavoce.scopes.questions import LONGEST_RUBRIC, Question

ASKED: Final = ("messages", "question", "prompt")
"""Columns of a file of chats, one of which has what was asked."""
CONVERSATIONS: Final = ("conversation_id", "session_id", "thread_id")
"""Columns that name the conversation of a row; without one, each row is its own."""
_SYSTEM: Final = ("system", "developer")
_ID: Final = 12
"""Hexadecimal digits of a question's id."""

Replace = Callable[[str], str]
"""Replaces identifiers of people in a text, such as a `Deidentifier`."""


def from_calls(file: Path, calls: Iterable[SpanCall], rubric: str, hide: Replace, *, every_call: bool = False) -> Conversion:
    """The questions of users among these calls, such as those of `calls_of`.

    Parameters
    ----------
    file: where they are from.
    rubric: what earns points, for a judge or for people.
    hide: replaces identifiers of people.
    every_call: whether each call is a question, with the turns before it, and not only the first question of a conversation.

    Raises `BadFile` without calls, and `BadInput` for a rubric that is empty or too long.
    """
    if not 0 < len(rubric.strip()) <= LONGEST_RUBRIC:
        raise BadInput(f"a rubric of {len(rubric.strip()):,} characters: give 1 to {LONGEST_RUBRIC:,}")
    listed = list(calls)
    if not listed:
        raise BadFile(file, f"has no span of a model call ({OPERATION} {', '.join(CALLS)})")
    return converted(_every_call(listed, rubric, hide) if every_call else _first_questions(listed, rubric, hide))


def is_log(file: Path) -> bool:
    """Whether the file is a log of Inspect: by its name, or by what is in a `.json` file."""
    if file.suffix == ".json":
        value = whole_json(file)
        return isinstance(value, Mapping) and EXPORT not in value and "eval" in value
    return file.suffix == ".eval"


def calls_of(file: Path) -> Iterator[SpanCall]:
    """The calls in a file of traces (OTLP in JSON), or the rows of a file of chats. Raises `BadFile`."""
    form = ending(file, ROWS)
    if form == ".json" and isinstance(value := whole_json(file), Mapping):
        yield from calls_of_export(YamlSource(file, None), value)
        return
    for line, record in records(file):
        source = YamlSource(file, None, first=line)
        if form in JSON_LINES and EXPORT in record:
            yield from calls_of_export(source, record)
        else:
            yield _chat(source, line, record)


def _chat(source: YamlSource, line: int, record: Mapping[str, Any]) -> SpanCall:
    """A row of a file of chats; a request of a batch has its messages in `body`."""
    body = record.get("body")
    values = {**body, **record} if isinstance(body, Mapping) else record
    asked = next((values[name] for name in ASKED if values.get(name) not in (None, "")), None)
    if not any(name in values for name in ASKED):
        raise source.wrong(
            f"is not an export of traces: it needs '{EXPORT}', as in OTLP's JSON; a row of chats has one of {', '.join(ASKED)}"
        )
    conversation = next((str(values[name]) for name in CONVERSATIONS if values.get(name) not in (None, "")), "")
    messages = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    problem = f"nothing in {', '.join(name for name in ASKED if name in values)}" if asked is None else ""
    return SpanCall(source, f"row {line}", str(line), conversation, 0, messages, problem)


def _first_questions(calls: Sequence[SpanCall], rubric: str, hide: Replace) -> Iterator[SourceRow | BadFile]:
    """A row for each different question that a user asked first, and a problem for each conversation without one."""
    conversations: dict[str, SpanCall] = {}
    for index, call in enumerate(calls):
        name = f"named {call.conversation}" if call.conversation else f"own {index}"
        earlier = conversations.get(name)
        if earlier is None or (bool(call.problem), call.start) < (bool(earlier.problem), earlier.start):
            conversations[name] = call
    rows: dict[str, SourceRow] = {}
    times: Counter[str] = Counter()
    for call in conversations.values():
        try:
            first = _hidden(_first(_readable(call)), hide)
        except BadInput as error:
            yield _problem(call, error, hide)
            continue
        folded = canonical_json([" ".join(text.split()).casefold() for text in (first.system, first.asked)])
        question = Question(digest_of(folded)[:_ID], first.asked, rubric=rubric, system=first.system)
        rows.setdefault(folded, SourceRow(call.source, (), hide(call.name), question))
        times[folded] += 1
    for folded, row in rows.items():
        yield row._replace(question=replace(row.question, weight=float(times[folded])))


def _every_call(calls: Sequence[SpanCall], rubric: str, hide: Replace) -> Iterator[SourceRow | BadFile]:
    """A row for each call, with the turns before it."""
    sizes = Counter(call.conversation for call in calls if call.conversation)
    # a conversation's name may be a person's, so clusters are numbered
    clusters = {name: f"c{number}" for number, name in enumerate(sizes, 1)}
    for call in calls:
        try:
            messages = _hidden(conversation_of(_readable(call)), hide)
        except BadInput as error:
            yield _problem(call, error, hide)
            continue
        cluster = clusters[call.conversation] if sizes[call.conversation] > 1 else ""
        id_ = hide(call.id)
        question = Question(
            id_, messages.asked, cluster=cluster, rubric=rubric, system=messages.system, earlier=messages.earlier
        )
        yield SourceRow(call.source, (), hide(call.name), question)


def _readable(call: SpanCall) -> Any:
    if call.problem:
        raise BadInput(call.problem)
    return call.messages


def _first(messages: Any) -> QuestionMessages:
    """The first question of the user, with the system prompt. Raises `BadInput`."""
    if not isinstance(messages, list) or not all(isinstance(message, Mapping) for message in messages):
        return conversation_of(messages)  # which says what is needed
    system = [message for message in messages[:1] if message.get("role") in _SYSTEM]
    asked = next((message for message in messages if message.get("role") == "user"), None)
    if asked is None:
        raise BadInput("has no message of the user: give conversations that a user began")
    return conversation_of([*system, asked])


def _hidden(messages: QuestionMessages, hide: Replace) -> QuestionMessages:
    """All texts without identifiers of people."""
    earlier = tuple((hide(asked), hide(replied)) for asked, replied in messages.earlier)
    return QuestionMessages(hide(messages.asked), hide(messages.system), earlier)


def _problem(call: SpanCall, error: BadInput, hide: Replace) -> BadFile:
    return call.source.wrong(f"{hide(call.name)}: {error}")


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
