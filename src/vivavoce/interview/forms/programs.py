"""Programs in code blocks, or the word that there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.copies import is_copy
from vivavoce.interview.forms.form import Reading, Way, answered, unreadable

LOOKED_AT: Final = 2_000_000
"""Characters of a reply, from its beginning."""
NONE: Final = "none"
"""The reply of a candidate that has no program."""
_HAS_NONE: Final = frozenset((NONE, "no", "i have none", "i don't have any", "i don't know", "i do not know"))
_FENCE = re.compile(r"[ \t]{0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<word>[\w+-]{0,20})")
_LANGUAGES = ("", "python", "python3", "py")


@dataclass(frozen=True, slots=True)
class Programs:
    """Code blocks in Python, each of which defines all functions that are asked for, or the word "none".

    Blocks in another language, without the first of the functions, or longer than allowed are left aside, and so is the
    example: it is not the candidate's. A reply without a code block that begins to define functions at once is taken as
    code, if it defines all of them.

    >>> form = Programs(("covers", "answer"), most=3, longest=1_000, example="def covers(q): return 0")
    >>> form.read("Here:\\n```python\\ndef covers(q): return 1\\ndef answer(q): return 1\\n```\\nand\\n```sh\\nls\\n```").value
    ('def covers(q): return 1\\ndef answer(q): return 1\\n',)
    >>> form.read("None.").value, form.read(f"```\\n{form.example}\\n```").problem
    ((), 'the example alone')
    """

    functions: tuple[str, ...]
    most: int
    """Programs that are taken from one reply."""
    longest: int
    """Characters of a program at most."""
    example: str = ""
    """A program that the prompt shows, for other questions than those that come; empty: it shows none."""
    asked_for: str = ""
    """How many are wanted, in words; empty: this many at most."""

    @property
    def way(self) -> Way:
        """In words, as code written into JSON loses its lines; with a further turn."""
        return "turn"

    @property
    def instruction(self) -> str:
        """What to hand over, and what to say without it."""
        wanted = self.asked_for or ("one program" if self.most == 1 else f"at most {self.most} programs")
        return f'Hand over {wanted}; each in a code block of its own. If you have none, reply with the word "{NONE}".'

    @property
    def further(self) -> str:
        """Asks for the code alone."""
        names = " and ".join(self.functions)
        return f'Now give the code alone: each code block must define {names}. If you have none, reply with the word "{NONE}".'

    @property
    def schema(self) -> Mapping[str, Any]:
        """A list of texts."""
        programs = {"type": "array", "items": {"type": "string"}, "maxItems": self.most}
        return closed({"programs": programs})

    @property
    def schema_instruction(self) -> str:
        """What the list holds."""
        return f'{self.instruction}\n\nReply with a JSON object: "programs" is the list of their code, empty if you have none.'

    def read(self, text: str, /) -> Reading[tuple[str, ...]]:
        """The programs, in their order."""
        text = text[:LOOKED_AT]
        if text.strip(" \t\r\n.!*_`\"'").casefold().replace("’", "'") in _HAS_NONE:
            return answered((), strict=True)
        blocks = [code for word, code in _blocks(text) if word.casefold() in _LANGUAGES]
        if not blocks and text.lstrip().startswith(("def ", "import ", "from ", "#")):
            blocks = [text] if all(self._defines(name, text) for name in self.functions) else []
        return self._fit(blocks)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[tuple[str, ...]]:
        """The programs of the list; code blocks within a text are taken out of it."""
        found = fields.get("programs")
        if not isinstance(found, list):
            return unreadable("no list of programs")
        if not found:
            return answered((), strict=True)
        texts = [one for one in found if isinstance(one, str)]
        return self._fit([code for text in texts for code in ([code for _, code in _blocks(text)] or [text])])

    def write(self, value: tuple[str, ...], /) -> str:
        """The programs in code blocks, or the word that there are none."""
        return "\n".join(f"~~~~~~~~python\n{code.rstrip()}\n~~~~~~~~" for code in value) or NONE

    def _fit(self, blocks: list[str]) -> Reading[tuple[str, ...]]:
        fit = [code for code in blocks if len(code) <= self.longest and self._defines(self.functions[0], code)]
        own = [code for code in fit if not (code.split() == self.example.split() or is_copy(code, [self.example]))]
        if not own:
            return unreadable("the example alone" if fit else f"no code block that defines {self.functions[0]}")
        return answered(tuple(own[: self.most]), strict=True)

    @staticmethod
    def _defines(name: str, code: str) -> bool:
        return re.search(rf"^(?:def[ \t]+{name}[ \t]*\(|{name}[ \t]*=)", code, re.M) is not None


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The code blocks with the word at their head; one that is not closed is none."""
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
