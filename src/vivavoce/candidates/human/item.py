"""What a person is shown of a prompt, and how what the person types becomes a reply.

A model writes a whole reply and ends it as the form asks. A person gives the answer alone, which then is written in that form.
What cannot be an answer (a letter without an option, a word where a number is asked for) is said at once and can be typed
again: that tells nothing of what is right. What is right is in the form of some prompts, and is not shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vivavoce.candidates.text import as_unicode
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Exchange, Prompt
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.form import Form, Outcome
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.text import ShortText

LONGEST: Final = 20_000
"""Characters of an answer."""

Kind = Literal["option", "number", "text", "reply"]
"""What is typed: a letter, a number, a short text, or a whole reply."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question as a person sees it.

    >>> form = OneOption(("Lyon", "Paris"))
    >>> item = item_of(Prompt("Capital of France?\\n\\n(A) Lyon\\n(B) Paris\\n\\n" + form.instruction, form=form))
    >>> item.text, item.options, item.reply("b")
    ('Capital of France?', (('A', 'Lyon'), ('B', 'Paris')), 'Answer: B')
    >>> item.reply("C")
    Traceback (most recent call last):
    vivavoce.errors.BadInput: There is no option 'C'. Give one letter from A to B.
    """

    kind: Kind
    text: str
    options: tuple[tuple[str, str], ...] = ()
    """Letters with their options."""
    system: str = ""
    shown: tuple[Exchange, ...] = ()
    """Worked examples."""
    dont_know: bool = False
    """Whether it is said that ignorance may be admitted."""
    form: Form[str] | None = None
    """In which the answer is written; None: the reply is what is typed."""

    @property
    def hint(self) -> str:
        """What is to be typed."""
        text = {
            "option": "Give the letter of one option.",
            "number": "Give a number.",
            "text": "Give a short answer.",
            "reply": "Write your reply.",
        }[self.kind]
        return f'{text} If you do not know, write "{DONT_KNOW}".' if self.dont_know else text

    def reply(self, typed: str) -> str:
        """What is typed as a reply. Raises `BadInput`, in words for the person, for what cannot be an answer."""
        result = cleaned(typed)
        if not result:
            raise BadInput("Nothing is written yet.")
        if len(result) > LONGEST:
            raise BadInput(f"That is too long: write at most {LONGEST:_} characters.".replace("_", " "))
        if self.form is None:
            return result
        result = " ".join(result.split())
        if fold(result) == fold(DONT_KNOW):
            return self.form.write(DONT_KNOW)
        if self.kind == "option":
            result = result.strip("().").upper()
            letters = [letter for letter, _ in self.options]
            if result not in letters:
                raise BadInput(f"There is no option '{result[:20]}'. Give one letter from {letters[0]} to {letters[-1]}.")
        if self.kind == "number" and self.form.read(self.form.write(result)).outcome is not Outcome.ANSWER:
            raise BadInput("That cannot be read as a number. Write digits, such as 12 or -3.5.")
        return self.form.write(result)


def item_of(prompt: Prompt) -> Item:
    """What is shown of a prompt, as it is put (`requests.full_prompt`)."""
    form = prompt.form
    if not isinstance(form, OneOption | Number | ShortText):
        return Item("reply", prompt.text, system=prompt.system, shown=prompt.shown)
    text = prompt.text.removesuffix(form.instruction).rstrip()
    if text == prompt.text.rstrip():  # a further turn, or asked otherwise: the words are all that there is
        return Item("reply", prompt.text, system=prompt.system, shown=prompt.shown)
    given = prompt.system, prompt.shown, form.dont_know, form
    if not isinstance(form, OneOption):
        return Item("number" if isinstance(form, Number) else "text", text, (), *given)
    options = tuple(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", form.options, strict=False))
    lines = "\n".join(f"({letter}) {option}" for letter, option in options)
    return Item("option", text.removesuffix(lines).rstrip(), options, *given)


def cleaned(text: str) -> str:
    r"""Text without control characters but for line ends and tabs, and without space around it.

    >>> cleaned(" a\x1b[31m\r\nb ")
    'a[31m\nb'
    """
    lines = as_unicode(text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in lines if c.isprintable() or c in "\n\t").strip()
