"""Forms for lists of named statements, and for programs in code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Final

from vivavoce.interview.forms.form import READ, ParsedReply, ReplyFormat, answered, closed, copied, unreadable
from vivavoce.interview.forms.spellings import alphanumeric

REFUSED: Final = "refused"
TOO_LONG: Final = "too long"

_REFUSAL = re.compile(
    r"(?:(?:i'm|i am) (?:very |so )?sorry|sorry|unfortunately|i apologi[sz]e)?[,;. ]{0,3}(?:but )?"
    r"(?:i (?:cannot|can't|can not|won't|will not|must decline)|i(?:'m| am) (?:unable|not able)|as an ai\b)",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"(?:sure|certainly|of course|okay|ok|absolutely|here(?:'s| is| are)|below is|the following is)\b.{0,200}[:!.]",
    re.IGNORECASE,
)


def refuses(text: str) -> bool:
    """Whether a short text begins like a refusal.

    >>> refuses("I'm sorry, but I cannot write this."), refuses("I cannot stress enough that ..." * 100)
    (True, False)
    """
    return len(text) < 400 and bool(_REFUSAL.match(text.replace("’", "'").lstrip(" *_\"'")))


def unquoted(text: str) -> str:
    """A text without emphasis or quotation marks around the whole of it.

    >>> unquoted('**"What is a tree?"**'), unquoted('"Tree" or "forest"')
    ('What is a tree?', '"Tree" or "forest"')
    """
    text = text.strip()
    for opening, closing in (("**", "**"), ("__", "__"), ('"', '"'), ("“", "”"), ("'", "'"), ("«", "»"), ("*", "*")):
        inner = text[len(opening) : -len(closing)]
        if (
            len(text) > 2 * len(opening)
            and text.startswith(opening)
            and text.endswith(closing)
            and not {*opening, *closing} & set(inner)
        ):
            text = inner.strip()
    return text


def without_preamble(lines: Sequence[str]) -> list[str]:
    """Lines without a first line such as "Sure! Here is a question:", and without blank lines around them."""
    kept = list(lines)
    while kept and (not kept[0].strip() or _PREAMBLE.fullmatch(kept[0].replace("’", "'").strip(" *_"))):
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


_OPENING_REFUSAL = re.compile(
    r"\W{0,9}(?:(?:i'?m |i am |we are )?(?:very |so |really )?sorry|i apologi[sz]e|unfortunately|as an ai\b"
    r"|(?:i|we)(?: can ?not| can'?t| won'?t| will not| must decline| decline| do not feel|(?: am|'m) (?:unable|not able)))",
    re.IGNORECASE,
)


def begins_with_refusal(text: str) -> bool:
    """Whether a text begins as a refusal does.

    >>> begins_with_refusal("I’m sorry, I can't."), begins_with_refusal("He is sorry.")
    (True, False)
    """
    return _OPENING_REFUSAL.match(text[:200].replace("’", "'")) is not None


_Run = tuple[str, ...]
RUN: Final = 8
"""Length of the compared runs of words."""
MOST: Final = 0.5
"""A larger share of common runs makes a reply a copy."""
FEWEST: Final = 4
"""Fewest words of a text within a task that make it a copy: "photosynthesis" may well be an answer."""
LONGEST: Final = 20_000
"""Most characters of each text that are compared."""


def copied_share(reply: str, shown: Iterable[str]) -> float:
    """The share of a reply's runs of eight words that occur in the shown texts; 0 for a reply of fewer words.

    Eight words in a row are rarely the same by chance. Whether shorter replies are copies can be seen only from many of them
    (`repeated_answers`).

    Case, marks and white space do not matter.

    >>> copied_share("End your reply with a line that names one. Yes.", ["End your reply with a line that names one."])
    0.6666666666666666
    >>> copied_share("Answer: 12", ["Answer: 12"])
    0.0
    """
    own = list(_runs(reply)) if len(reply.split(maxsplit=RUN)) >= RUN else []
    if not own:
        return 0.0
    known = frozenset[_Run]().union(*map(_known, shown))
    return sum(run in known for run in own) / len(own)


def is_copy(reply: str, shown: Iterable[str]) -> bool:
    """Whether more than half of a reply's runs of eight words occur in the shown texts."""
    return copied_share(reply, shown) > MOST


def repeats(text: str, prompt: str) -> bool:
    """Whether a text of four words or more occurs in its writer's instructions, or more than half of it does.

    >>> repeats("Ask what shows thought.", "- Be kind.\\n- Ask what shows thought. Whatever can be looked up may be.")
    True
    """
    words = _words(text)
    inside = f" {' '.join(words)} " in _one_line(prompt)
    return (len(words) >= FEWEST and inside) or is_copy(text, [prompt])


@lru_cache(maxsize=64)
def _one_line(prompt: str) -> str:
    return f" {' '.join(_words(prompt))} "


def _words(text: str) -> list[str]:
    return [bare for word in text[:LONGEST].casefold().split() if (bare := alphanumeric(word))]


@lru_cache(maxsize=64)
def _known(text: str) -> frozenset[_Run]:
    """The runs of a shown text, which is mostly the same for many replies."""
    return frozenset(_runs(text))


def _runs(text: str) -> Iterator[_Run]:
    words = _words(text)
    return zip(*(islice(words, start, None) for start in range(RUN)), strict=False)


LONGEST_STATEMENT: Final = 1_000
"""Most characters of a statement under a schema."""
CANNOT: Final = "[Cannot]"
ANSWERED: Final = ("yes,", "yes.", "no,", "no.")
BOTH: Final = "statements, and why there are none"
_BEFORE, _AFTER = r"^[ \t>*_#-]{0,8}", r"[*_`]{0,4}[ \t]{0,4}:?[ \t]{0,4}"
_STATEMENT = re.compile(rf"{_BEFORE}\[Statement[ \t]{{1,4}}(\w{{1,80}})\]{_AFTER}(.*)$", re.MULTILINE | re.IGNORECASE)
_CANNOT = re.compile(rf"{_BEFORE}\[Cannot\]{_AFTER}(.*)$", re.MULTILINE | re.IGNORECASE)
_QUOTES: Final = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A writer's statements, or why it cannot write them."""

    statements: Mapping[str, str] = field(default_factory=dict)
    """Statements by name, in the requested order."""
    declined: str | None = None
    """The reason why one of them can't be written; None if all are."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Statements under these names, with a schema by default.

    Each must be there, and not twice in different words; other statements are left out.

    >>> Proposals(("not_P",)).read("Well.\\n[Statement not_P] Will it stay dry?").value.statements
    {'not_P': 'Will it stay dry?'}
    >>> Proposals(("not_P",)).read("I cannot help with that.").problem
    'refused'
    """

    names: tuple[str, ...]
    told: str = ""
    """The task, in the words for the writer: a statement that repeats it is a copy."""
    way: ReplyFormat = "schema"
    optional: tuple[str, ...] = ()
    """Those of the names that may be left out; their statements are empty then."""

    @property
    def instruction(self) -> str:
        names = " and ".join(f'"[Statement {name}]"' for name in self.names)
        each = "a line that begins" if len(self.names) == 1 else "lines that begin"
        return (
            f"Put what you write on {each} with {names}, without a line break in it.\n"
            'If it cannot be written, give instead one line that begins with "[Cannot]" and says why.'
        )

    @property
    def further(self) -> str:
        return f"Give what was asked for alone.\n{self.instruction}"

    @property
    def schema(self) -> Mapping[str, Any]:
        """A text for each name. There is no field for a reason why one is missing, because a weak model would always fill
        it."""
        return closed({name: {"type": "string", "maxLength": LONGEST_STATEMENT} for name in self.names})

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt if the server enforces the schema."""
        names = ", ".join(f'"{name}"' for name in self.names)
        return f'Reply in JSON: {names} with what you write. What cannot be written begins with "[Cannot]" and says why.'

    def write(self, value: Proposal, /) -> str:
        if value.declined is not None:
            return f"[Cannot] {value.declined}"
        return "\n".join(f"[Statement {name}] {text}" for name, text in value.statements.items())

    def read(self, text: str, /) -> ParsedReply[Proposal]:
        text = text[-READ:].replace("\r\n", "\n").replace("\r", "\n")
        values: dict[str, str] = {}
        for name, words in _STATEMENT.findall(text):
            statement = _bare(words)
            if values.setdefault(name, statement) != statement and name in self.names:
                return unreadable(f"{name} is given twice, in different words")
        within = [_CANNOT.match(statement) for statement in values.values()]
        declined = next((match for match in (*within, _CANNOT.search(text)) if match), None)
        if declined and all(within):
            return answered(Proposal({}, declined[1].strip()), strict=True)
        if declined:
            return unreadable(BOTH)
        if not values and begins_with_refusal(text):
            return unreadable(REFUSED)
        return self._all(values, strict=True)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[Proposal]:
        values = {name: " ".join(text.split()) for name in self.names if isinstance(text := fields.get(name), str)}
        declined = [text.partition(CANNOT)[2].strip() for text in values.values() if text.startswith(CANNOT)]
        if sum(text.count(CANNOT) for text in values.values()) > len(declined) or 0 < len(declined) < len(values):
            return unreadable(BOTH)
        if declined:
            return answered(Proposal({}, declined[0]), strict=True)
        return self._all({name: text for name, text in values.items() if text}, strict=True)

    def _wanted(self, values: Mapping[str, str]) -> dict[str, str]:
        return {name: values.get(name, "") for name in self.names if name in values or name in self.optional}

    def _all(self, values: Mapping[str, str], *, strict: bool) -> ParsedReply[Proposal]:
        if missing := [name for name in self.names if name not in (*values, *self.optional)]:
            return unreadable(f"without {', '.join(missing)}")
        if any(text.casefold().startswith(ANSWERED) for text in self._wanted(values).values()):
            return unreadable("an answer in place of a statement")
        if any(repeats(text, self.told) for text in self._wanted(values).values()):
            return copied()
        return answered(Proposal(self._wanted(values)), strict=strict)


def _bare(text: str) -> str:
    """A statement without emphasis or quotation marks around the whole of it."""
    text = text.strip().removesuffix("**").removeprefix("**").strip()
    for opening, closing in _QUOTES:
        if len(text) > 1 and text[0] == opening and text[-1] == closing and not {opening, closing} & set(text[1:-1]):
            return text[1:-1].strip()
    return text


LOOKED_AT: Final = 2_000_000
"""Characters of a reply that are read, from its beginning."""
NONE: Final = "none"
"""The reply of a candidate that has no program."""
_HAS_NONE: Final = frozenset((NONE, "no", "i have none", "i don't have any", "i don't know", "i do not know"))
_FENCE = re.compile(r"[ \t]{0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<word>[\w+-]{0,20})")
_LANGUAGES = ("", "python", "python3", "py")


@dataclass(frozen=True, slots=True)
class Programs:
    """Code blocks in Python, each of which defines all requested functions, or the word "none".

    Blocks in another language, without the first of the functions, or longer than allowed are ignored, and so is the example.
    A reply without a code block that begins with a function definition is taken as code, if it defines all functions.

    >>> form = Programs(("covers", "answer"), most=3, longest=1_000, example="def covers(q): return 0")
    >>> form.read("Here:\\n```python\\ndef covers(q): return 1\\ndef answer(q): return 1\\n```\\nand\\n```sh\\nls\\n```").value
    ('def covers(q): return 1\\ndef answer(q): return 1\\n',)
    >>> form.read("None.").value, form.read(f"```\\n{form.example}\\n```").problem
    ((), 'the example alone')
    """

    functions: tuple[str, ...]
    most: int
    """Most programs taken from one reply."""
    longest: int
    """Most characters of a program."""
    example: str = ""
    """A program that the prompt shows, for other questions; empty: none."""
    asked_for: str = ""
    """The number of programs to ask for, in words; empty: at most this many."""

    way: ClassVar[ReplyFormat] = "turn"
    """In words, as code written into JSON loses its lines; with a follow-up."""

    @property
    def instruction(self) -> str:
        """What to hand over, and what to say without a program."""
        wanted = self.asked_for or ("one program" if self.most == 1 else f"at most {self.most} programs")
        return f'Hand over {wanted}; each in a code block of its own. If you have none, reply with the word "{NONE}".'

    @property
    def further(self) -> str:
        names = " and ".join(self.functions)
        return f'Now give the code alone: each code block must define {names}. If you have none, reply with the word "{NONE}".'

    @property
    def schema(self) -> Mapping[str, Any]:
        programs = {"type": "array", "items": {"type": "string"}, "maxItems": self.most}
        return closed({"programs": programs})

    @property
    def schema_instruction(self) -> str:
        return f'{self.instruction}\n\nReply with a JSON object: "programs" is the list of their code, empty if you have none.'

    def read(self, text: str, /) -> ParsedReply[tuple[str, ...]]:
        """The programs, in their order."""
        text = text[:LOOKED_AT]
        if text.strip(" \t\r\n.!*_`\"'").casefold().replace("’", "'") in _HAS_NONE:
            return answered((), strict=True)
        blocks = [code for word, code in _blocks(text) if word.casefold() in _LANGUAGES]
        if not blocks and text.lstrip().startswith(("def ", "import ", "from ", "#")):
            blocks = [text] if all(self._defines(name, text) for name in self.functions) else []
        return self._fit(blocks)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[tuple[str, ...]]:
        """The programs of the list; code blocks within a text are taken out of it."""
        results = fields.get("programs")
        if not isinstance(results, list):
            return unreadable("no list of programs")
        if not results:
            return answered((), strict=True)
        texts = [name for name in results if isinstance(name, str)]
        return self._fit([code for text in texts for code in ([code for _, code in _blocks(text)] or [text])])

    def write(self, value: tuple[str, ...], /) -> str:
        """The programs in code blocks, or the word for none."""
        return "\n".join(f"~~~~~~~~python\n{code.rstrip()}\n~~~~~~~~" for code in value) or NONE

    def _fit(self, blocks: list[str]) -> ParsedReply[tuple[str, ...]]:
        fit = [code for code in blocks if len(code) <= self.longest and self._defines(self.functions[0], code)]
        own = [code for code in fit if not (code.split() == self.example.split() or is_copy(code, [self.example]))]
        if not own:
            return unreadable("the example alone" if fit else f"no code block that defines {self.functions[0]}")
        return answered(tuple(own[: self.most]), strict=True)

    @staticmethod
    def _defines(name: str, code: str) -> bool:
        return re.search(rf"^(?:def[ \t]+{name}[ \t]*\(|{name}[ \t]*=)", code, re.M) is not None


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The code blocks that begin with the word; an unclosed one does not count."""
    opened: re.Match[str] | None = None
    code: list[str] = []
    for line in text.splitlines(keepends=True):
        fence = _FENCE.match(line)
        if opened is None:
            opened, code = fence, []
        elif fence and fence["marks"].startswith(opened["marks"]) and not line[fence.end("marks") :].strip():
            yield opened["word"], "".join(code)
            opened = None
        else:
            code.append(line)
