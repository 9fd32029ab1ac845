"""The interface of forms: how a prompt asks for a reply, and how the reply is parsed.

Finds a reply's statements: "The answer is 42.", "Answer: 42", "I don't know".

The last statement with content decides. Patterns have bounded repetitions, so a hostile reply costs no more time than a long
one.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

T = TypeVar("T")

ReplyFormat = Literal["text", "schema", "turn"]
"""How the prompt asks for the form: in words; in words, with a JSON Schema that the server enforces; or in words, with a
follow-up if the reply can't be parsed."""

COPY: Final = "repeats what it was told or shown"
READ: Final = 20_000
"""Characters at the end of a reply that are read."""


class Outcome(StrEnum):
    """How the reading of a reply ended."""

    ANSWER = "answer"
    DONT_KNOW = "I don't know"
    UNREADABLE = "unreadable"
    COPIED = "copied"
    """The reply repeats the instruction or a worked example."""
    CUT_OFF = "cut off"
    """A limit cut off the reply, or the thought before it: its last words may be missing."""
    NO_ANSWER = "no answer"
    ORPHAN = "asked, never answered"
    """The program ended before an answer came, perhaps because of the candidate: the answer is unknown."""
    FAULT = "asked, met a fault"
    """The server failed when it may have got the question: an answer to a second try does not count."""

    @property
    def unknowable(self) -> bool:
        """Whether the value of the answer is unknown under any rule for unparsed replies."""
        return self in (Outcome.ORPHAN, Outcome.FAULT)

    @property
    def unread(self) -> bool:
        """Whether a reply came and no answer was read from it."""
        return self in (Outcome.UNREADABLE, Outcome.COPIED, Outcome.CUT_OFF)


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[T]):
    """The result of reading a reply."""

    outcome: Outcome
    value: T | None = None
    """None unless `outcome` is `ANSWER`."""
    problem: str = ""
    """Why there is no value, in a few words; empty if there is one."""
    strict: bool = False
    """Whether the reply has exactly the requested form."""
    after_turn: bool = False
    """Whether it was read from the reply to the follow-up."""


def answered(value: T, *, strict: bool = False) -> ParsedReply[T]:
    """A reply that was read.

    >>> answered("B").outcome
    <Outcome.ANSWER: 'answer'>
    """
    return ParsedReply(Outcome.ANSWER, value, strict=strict)


def copied() -> ParsedReply[Any]:
    """A reply that repeats the instruction, the task or a worked example."""
    return ParsedReply(Outcome.COPIED, problem=COPY)


def unreadable(problem: str) -> ParsedReply[Any]:
    """A reply in which no answer can be found."""
    return ParsedReply(Outcome.UNREADABLE, problem=problem)


class ReplyForm(Protocol[T]):
    """How a reply must end, and how it is read. Pure: it depends on texts only, never on the candidate.

    Every form guarantees: its instruction, a line of it, or a whole worked example, repeated, is not read as an answer; a text
    from `write` is read as the value that was written; hostile text takes no longer than long text.
    """

    @property
    def way(self) -> ReplyFormat:
        """The reply format unless the user chooses another: `turn` for an answer, `schema` for longer texts."""
        ...

    @property
    def instruction(self) -> str:
        """The last paragraph of the prompt: how to end the reply."""
        ...

    @property
    def further(self) -> str:
        """The text of the follow-up, which asks for the final answer alone and gives no hint."""
        ...

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of a reply, an object without further properties."""
        ...

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt if the server enforces the schema."""
        ...

    def read(self, text: str, /) -> ParsedReply[T]:
        """Read a reply in words, without its thoughts."""
        ...

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[T]:
        """Read a reply under the schema; any fields may be missing or wrong."""
        ...

    def write(self, value: T, /) -> str:
        """A reply in words with this value in the requested form, for worked examples and simulated candidates."""
        ...


def json_object(text: str) -> dict[str, Any] | None:
    """The text as a JSON object; None if it is not one.

    >>> json_object('{"guess": 7}'), json_object("7")
    ({'guess': 7}, None)
    """
    if not text.startswith("{"):
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def closed(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Schema of an object that has all of these properties, in their order, and no others.

    >>> closed({"answer": {"type": "string"}})["required"]
    ['answer']
    """
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_MOST: Final = 100
"""Statements that are read at the end of a reply: one with more only repeats itself."""
STATED: Final = 2_000
"""How many characters of a statement are examined."""
NOTHING_STATED: Final = "states no answer"
SEVERAL: Final = "states several answers"
TAKEN_BACK: Final = "takes its answer back"
DONT_KNOW: Final[ParsedReply[Any]] = ParsedReply(Outcome.DONT_KNOW)

BEST: Final = r"(?:correct|right|best|final|chosen|my)\s{1,2}(?:option|choice|one|selection)"
LINK: Final = r"\b(?P<between>[^\n.:=?!\"]{0,60}?)(?::|=|\bis\b|\b(?:would|must|should|will|has to)\s{1,2}be\b)"
ANSWER_IS: Final = re.compile(rf"(?<![\"\w])(?:answer|{BEST}){LINK}", re.IGNORECASE)
MISLEADING: Final = (
    r"wrong|incorrect|false|bad|worst|mistaken|invalid|common|popular|usual|tempting|trap|trick|decoy|distractor|na[iï]ve"
    r"|eliminated|rejected|least \w{1,12}"
)
"""Words for an answer that is not the reply's own."""
NEGATION: Final = re.compile(r"\b(?:not|never|neither|cannot|wrong|incorrect)\b|n't\b", re.IGNORECASE)
IGNORANCE: Final = re.compile(
    r"(?:(?:(?:i'm |i am )?(?:very |so )?sorry|apologies|honestly|unfortunately)[,.]? (?:but )?)?"
    r"(?:(?:i )?(?:do not|don't|dont) know|idk|(?:i have )?no idea|(?:i'm |i am )?(?:not sure|unsure)"
    r"|(?:das )?weiß ich (?:leider )?nicht|ich weiß (?:es |das )?(?:leider )?nicht|keine ahnung|je ne sais pas|no (?:lo )?sé"
    r"|não sei|non (?:lo )?so|ik weet (?:het )?niet|не знаю"
    r"|(?:i |it )?(?:cannot|can't|can not) (?:be )?determined?)\b(?!,? (?:but|though|however)\b)",
    re.IGNORECASE,
)
_BEFORE: Final = r"(?:[.;,:!?(–—\n-]\s{0,3})"
_NO_ELSEWHERE: Final = (
    r"nope|nein|non|não|nao|nee|nej|nei|nie|ei|нет|ні|ne|hayır|όχι|nem|nu|bukan|tidak|아니(?:요|오|야|다)?|いや|いいえ|ううん|不|لا"
    r"|नहीं|anzi|aliás|vielmehr|quatsch|pardon|perd[óo]n|desculpe|scus(?:a|i|ate)|извините|простите|вернее|точнее"
    r"|przepraszam|raczej|plutôt|mejor dicho|más bien|ou (?:melhor|plutôt)|oder besser|entschuldigung|verzeihung"
    r"|undskyld|ursäkta|anteeksi"
)
"""Words before a comma with which a reply in another language retracts a statement."""
_CORRECTED_ELSEWHERE: Final = (
    r"berichtigung|korrekt(?:ur|ion)|rectification|correcci[óo]n|correç[ãa]o|correzione|correctie|rettelse|rättelse|korjaus"
    r"|korekta|sprostowanie|oprava|исправление|поправка|виправлення|düzeltme|errat(?:um|a)|fe de erratas"
    r"|je voulais dire|ich (?:meinte|habe mich (?:geirrt|vertan))|je me suis tromp\w{1,3}|quise decir|me equivoqu[ée]"
    r"|quis dizer|me enganei|volevo dire|mi sono sbagliat\w|ik bedoel(?:de)?|ik vergiste me|jag menade|jeg mente"
    r"|miał[ae]m na myśli|pomylił[ae]m się|я имел\w? в виду|я ошиб(?:ся|лась)"
)
_CORRECTED_IN_THE_EAST: Final = (
    r"不对(?!的)|不對(?!的)|错了|錯了|更正|纠正|糾正|修正|订正|訂正|我是说|我的意思是|(?:应|應|应该|應該)[是为為]"
    r"|違[うい]|間違|정정|수정|틀렸"
)
RETRACTION: Final = re.compile(
    r"(?:\b(?:wait|actually|correction|(?:scratch|strike|disregard|ignore) that|never ?mind|hang on|hold on"
    r"|that (?:cannot|can't) be"
    r"|let me (?:reconsider|rethink|correct|fix|redo|recheck|recount|re-?calculate)|corrected"
    r"|i (?:mean|now (?:think|believe)|(?:have )?changed my mind|was mistaken)"
    r"|(?:up)?on (?:second thoughts?|reflection|reconsideration|(?:further |closer |a second )?(?:review|inspection|look))"
    r"|(?:just )?kidding|oops|sorry"
    r"|apologies|my (?:mistake|bad)|i (?:misread|misspoke|meant|erred|was wrong|forgot|missed|overlooked|miscounted"
    r"|made an? \w{0,12} ?(?:mistake|error)"
    r"|take (?:that|it) back)|that(?:'s| is| was)(?: not right| wrong| incorrect| a mistake| off by)"
    r"|(?:it )?should (?:be|have been)"
    r"|edit|update|revised|in fact|(?:or )?rather(?! than)|make that|no longer"
    rf"|{_CORRECTED_ELSEWHERE})\b"
    rf"|{_BEFORE}(?:no|{_NO_ELSEWHERE})\s{{0,2}}[,:;.!–—-]"
    rf"|{_BEFORE}(?:{_CORRECTED_IN_THE_EAST})|\n[ \t]{{0,4}}final\s{{0,2}}:)",
    re.IGNORECASE,
)
"""Words with which a reply retracts a statement."""
_THAT: Final = r"(?:that|this|it|(?:that|this|the|my) (?:last |previous |above |first )?(?:answer|reply|response|result|one))"
_WITHDRAWAL: Final = re.compile(
    r"[.;!?–—\n]\s{0,3}(?:(?:but|however|actually|sorry|hmm+|hm|no|wait|oh|please|then again|unfortunately|on reflection"
    r"|(?:up)?on \w{1,9} (?:thoughts?|review)|i may be wrong and|i am afraid|i'm afraid)[\s,:]{1,3}){0,4}"
    rf"(?:(?:ignore|disregard|forget|scratch|strike|discard) (?:{_THAT}|what i (?:said|wrote))"
    rf"|{_THAT} (?:can't|cannot|can not) be(?: right| correct| true)?"
    rf"|{_THAT} (?:does not|doesn't) (?:look|seem|sound|feel)(?: to be)? (?:right|correct)"
    rf"|{_THAT}(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct)|a mistake|an error)"
    r"|i(?:'m| am) (?:not (?:sure|certain|convinced)|no longer sure) (?:that |whether |if )?"
    rf"{_THAT}(?:'s| is) (?:right|correct)"
    r"|(?:i )?(?:can't|cannot|can not|could not|won't|will not|(?:would|will) (?:rather|prefer to) not|would prefer not to"
    r"|decline to|refuse to|(?:am|was) (?:not able|unable) to) (?:answer|solve|determine|tell|say)"
    r"(?: (?:this|that|it))?(?: question)?(?: after all)?)[ ]{0,2}(?=[.!?,;:\n]|$)"
    r"|[ ]\((?:wrong|incorrect|not (?:right|correct)|false|withdrawn|retracted)\)"
    r"|[ ](?:is|was) (?:what i|my) (?:first|initial(?:ly)?|original(?:ly)?|earlier|previous(?:ly)?)\b"
    r"|[.,;:!?\n]\s{0,3}(?:不对(?!的)|不對(?!的)|错了|錯了|違う|違い|間違|틀렸)",
    re.IGNORECASE,
)
"""Words with which a reply retracts a statement without a correction."""
_CALLED_WRONG = re.compile(
    r"(?:\bnot|n't|\bnever|\bno)[ ]{1,3}(?:(?:an?|the|my)[ ]{1,3})?(?:\w{1,12}[ ]{1,3})?$"
    rf"|\b(?:{MISLEADING}|previous|prior|old|earlier|preliminary|initial|former|example|sample|placeholder|hypothetical|others?'?"
    r"|their|his|her|(?!here|let|that|there|what|it)\w+['’]s)[ ]{1,3}$",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"\b(?:no|wait|actually|but|rather|sorry|final(?:ly)?)\b", re.IGNORECASE)
_ADMISSION = re.compile(rf"(?:^[ \t]{{0,4}}|[.!?][ \t]{{1,2}}){IGNORANCE.pattern}", re.IGNORECASE | re.MULTILINE)


def statements(text: str, marker: re.Pattern[str] = ANSWER_IS) -> list[str]:
    """Explicit statements in order: the rest of the line, or the next line if that is empty."""
    result = []
    for m in deque(marker.finditer(text), maxlen=_MOST):
        if not NEGATION.search(m["between"]) and not _CALLED_WRONG.search(text[max(0, m.start() - 30) : m.start()]):
            rest = text[m.end() : m.end() + STATED].lstrip(" \t\r\n:*_")
            result.append(rest.split("\n", 1)[0].strip())
    return result


def retracted(text: str, marker: re.Pattern[str] = ANSWER_IS) -> str:
    """The words after a retraction of the last statement, or of the first words without a statement; empty without one.

    >>> retracted("Answer: D. Wait, no: C."), retracted("Answer: D, since C is too large.")
    (', no: C.', '')
    """
    end = max((match.end() for match in marker.finditer(text)), default=0)
    rest = text[end : end + STATED]
    cue = RETRACTION.search(rest, 1)
    return rest[cue.end() :] if cue else ""


def after_withdrawal(text: str) -> str | None:
    """The words after a sentence that withdraws the last statement, or the first words without a statement; None without one.

    >>> after_withdrawal("Answer: 40. Please ignore that."), after_withdrawal("Answer: 40. Please ignore the units.")
    ('.', None)
    """
    end = max((match.end() for match in ANSWER_IS.finditer(text)), default=0)
    rest = text[end : end + STATED]
    cue = _WITHDRAWAL.search(rest, 1)
    return rest[cue.end() :] if cue else None


def last_said(statements: list[str], read: Callable[[str], ParsedReply[T] | None]) -> ParsedReply[T] | None:
    """The reading of the last statement with content; None without one.

    An answer right before "I don't know" leaves open which of the two holds, unless a word retracts it.
    """
    readings = ((statement, reading) for statement in reversed(statements) if (reading := read(statement)))
    last = next(readings, None)
    if last is None or last[1] != DONT_KNOW:
        return last and last[1]
    before, reading = next(readings, last)
    return unreadable(SEVERAL) if reading.outcome is Outcome.ANSWER and not _TAKEN_BACK.search(before) else last[1]


def admits_ignorance(text: str) -> bool:
    """Whether a sentence begins with "I don't know" or its like, and does not go on with "but"."""
    return bool(_ADMISSION.search(text))
