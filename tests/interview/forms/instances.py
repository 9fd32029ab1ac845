"""Forms to be tested: an instance of each with values, values in JSON as a person would note them, and pieces of replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any, Final

from hypothesis import strategies as st

from vivavoce.interview.forms.ending import Words
from vivavoce.interview.forms.form import ReplyForm
from vivavoce.interview.forms.guesses import GuessAndJudgementForm, GuessForm, JudgedGuess, PlayerGuess
from vivavoce.interview.forms.judgements import Digit, JudgeScore, Points, ReasonedDecision, ReasonedYesNo
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.forms.probability import Probability, ProbabilityIfKnown, Quantity
from vivavoce.interview.forms.prose import Programs, Proposal, Proposals
from vivavoce.interview.forms.repeated_answers import PrintedForm
from vivavoce.interview.forms.several_options import SeveralOptions
from vivavoce.interview.forms.text import ShortText
from vivavoce.interview.forms.written_question import MultipleChoice, WrittenQuestion
from vivavoce.interview.forms.written_texts import Message, Rewording, Rewordings, SeveralQuestions


@dataclass(frozen=True, slots=True)
class Instance:
    """A form, values that it writes, and the fields of a reply under its schema that says the same."""

    name: str
    form: ReplyForm[Any]
    values: Sequence[tuple[Any, dict[str, Any]]]
    differ: tuple[str, ...] = ()
    """Replies that give two different answers without a decision."""
    lines: bool = False
    """Whether what is written stands on lines of its own, and not behind other words."""
    breaks: Mapping[str, str] = field(default_factory=dict)
    """Laws of the contract that cannot hold for it, by the names of their tests, and why."""


def _answer(*pairs: tuple[str, object]) -> list[tuple[str, dict[str, Any]]]:
    return [(value, {"answer": field}) for value, field in pairs]


STRIPPED: Final = {"test_no_more_than_the_end_of_a_reply_is_looked_at": "white space is removed first"}
WORD_FOR_WORD: Final = "whatever is said is the message"
CODE: Final = "def covers(q):\n    return True\n\n\ndef answer(q):\n    return 0\n"
CITIES: Final = ("Lyon", "Paris", "Nice", "Lille")
FORMS: list[Instance] = [
    Instance(
        "number",
        Number(),
        _answer(("42", 42), ("-17", -17), ("0.25", 0.25), ("1e3", "1e3"), ("1234", "1,234")),
        ("12 or 13", "Answer: 12 or 13", "It may be 12. It may be 13."),
    ),
    Instance("number that may be unknown", Number(dont_know=True), _answer(("42", 42), ("3.50", "3.50"))),
    Instance(
        "one option",
        OneOption(CITIES),
        _answer(("A", "A"), ("B", "(B)"), ("D", "d"), ("C", "Nice")),
        ("A or C", "Answer: A/C", "(A) is fine, and so is (C)", "Lyon\nNice"),
    ),
    Instance("one option, or none known", OneOption(CITIES, dont_know=True), _answer(("A", "A"), ("D", "D"))),
    Instance(
        "several options",
        SeveralOptions(CITIES),
        [
            (frozenset(places), {"answer": ["ABCD"[index] for index in places]})
            for places in ((0,), (0, 2), (1, 2, 3), (0, 1, 2, 3))
        ],
        ("Answer: A\nAnswer: C", "Answer: A or C", "Lyon\nNice"),
    ),
    Instance(
        "several options in printed words",
        PrintedForm(SeveralOptions(CITIES), 'Select all and answer in the format: "Answer: [Your selections]".'),
        [(frozenset(places), {"answer": ["ABCD"[index] for index in places]}) for places in ((0,), (0, 2))],
        ("Answer: A\nAnswer: C", "Answer: A or C"),
        breaks={"test_an_answer_behind_the_instruction_is_one": "whatever holds the printed instruction counts as its copy"},
    ),
    Instance("one of 26 options", OneOption(tuple(f"case {i}" for i in range(26))), _answer(("I", "I"), ("X", "X"))),
    Instance("short text", ShortText(), _answer(("Marie Curie", "Marie Curie"), ("] ) >", "] ) >")), ("Lyon\nNice",)),
    Instance(
        "short text of known answers",
        ShortText((("yes",), ("no", "not at all")), dont_know=True),
        _answer(("yes", "yes"), ("No", "No."), ("Marie Curie", "Marie Curie")),
        ("yes\nno", "It is yes. It is no."),
    ),
    Instance(
        "short text with a known answer anywhere",
        ShortText((("Rome", "Roma"), ("Milan",)), anywhere=True),
        _answer(("Rome", "Rome"), ("Oslo", "Oslo")),
        ("Rome, or perhaps I should say that Milan has its merits\nHm",),
    ),
    Instance(
        "one of some words",
        Words(("YES", "NO", "UNDECIDED"), offered=("YES", "NO"), said_as={"YES": ("should be released",)}),
        [(word, {"reasoning": "It is so.", "answer": word}) for word in ("YES", "NO")],
        ("YES or NO", "Yes.\nNo.", "Answer: YES/NO", "Answer: YES\nAnswer: NO", "He should be released.\nNO."),
    ),
    Instance(
        "one of three words",
        Words(("SAME", "DIFFERENT", "UNCLEAR")),
        [(word, {"reasoning": "", "answer": word}) for word in ("SAME", "DIFFERENT", "UNCLEAR")],
        ("Same. Different.",),
    ),
    Instance(
        "verdict with its reason",
        ReasonedYesNo(),
        [
            (ReasonedDecision(True, "Both say so."), {"reason": "Both say so.", "verdict": "YES"}),
            (ReasonedDecision(False, "No date is given."), {"reason": "No date is given.", "verdict": "no"}),
        ],
        ("Reason: So it is.\nAnswer: YES\nAnswer: NO", "YES/NO"),
        lines=True,
    ),
    Instance(
        "probability",
        Probability(),
        [(p, {"reasoning": "It is rare.", "per_cent": 100 * p}) for p in (0.0, 0.03, 0.5, 1.0)],
        ("Answer: 20% or 30%", "Answer: 0.2-0.3", "0.2\n0.3 or so", "Answer: 20%\nAnswer: 30%\nHm.", "Answer: 1"),
    ),
    Instance(
        "probability that may be unknown",
        ProbabilityIfKnown(dont_know=True),
        [(p, {"reasoning": "It is rare.", "per_cent": per_cent}) for p, per_cent in (("0.25", 25), ("1.0", 100), ("0.0", "0"))],
        ("Answer: 20% or 30%", "Answer: 0.2-0.3", "Answer: 20%\nAnswer: 30%\nHm.", "Answer: 1"),
    ),
    Instance(
        "quantity",
        Quantity(),
        [(x, {"reasoning": "It grows.", "answer": x}) for x in (-4.5, 0.0, 1200.0, 3e6)],
        ("Answer: 5 to 10", "Answer: 5\nAnswer: 10\nHm."),
    ),
    Instance(
        "statements under names",
        Proposals(("not_P", "P_and_Q")),
        [
            (Proposal({"not_P": "Will it not?", "P_and_Q": "Both?"}), {"not_P": "Will it not?", "P_and_Q": "Both?"}),
            (Proposal({}, "It has no opposite."), {"not_P": "[Cannot] It has no opposite.", "P_and_Q": "[Cannot] Nor this."}),
        ],
        ("[Statement not_P] Will it not?\n[Statement not_P] Will it fail?\n[Statement P_and_Q] Both?",),
        lines=True,
    ),
    Instance(
        "versions of a text",
        Rewordings(2),
        [({1: "She was jailed.", 2: "She was locked up."}, {"versions": ["She was jailed.", "She was locked up."]})],
        lines=True,
        breaks=STRIPPED,
    ),
    Instance(
        "written question",
        WrittenQuestion(3, 1),
        [
            (
                MultipleChoice("Which lies by the sea?", ("Paris", "Lyon", "Nice"), frozenset({2})),
                {"exam_question": "Which lies by the sea?", "right_answers": ["Nice"], "wrong_answers": ["Paris", "Lyon"]},
            )
        ],
        ("Question: Which?\nA) Lyon\nB) Paris\nC) Nice\nCorrect: A\nCorrect: B",),
        lines=True,
    ),
    Instance(
        "question in other words",
        Rewording("What is a tree in graph theory?"),
        [(text, {"paraphrase": text}) for text in ("In graph theory, what is called a tree?", "Which graphs are trees?")],
        ("Paraphrase: Which graph is a tree?\nParaphrase: When is a graph a tree?",),
        lines=True,
    ),
    Instance(
        "questions of a player",
        SeveralQuestions(2, longest=100),
        [(("Why so?", "How many are there?"), {"questions": ["Why so?", "How many are there?"]})],
        lines=True,
        breaks=STRIPPED
        | {"test_an_answer_behind_the_instruction_is_one": "the instruction's lines have the same numbers: two of each"},
    ),
    Instance(
        "message",
        Message("Reply with the answer and nothing else."),
        [("It rains.", {"message": "It rains."})],
        lines=True,
        breaks=STRIPPED
        | {
            "test_no_instruction_and_no_line_of_one_is_an_answer": f"{WORD_FOR_WORD}: with marks around it, it is one",
            "test_words_of_an_instruction_are_no_answer": f"{WORD_FOR_WORD}: some words of the instruction may be one",
            "test_an_answer_behind_the_instruction_is_one": f"{WORD_FOR_WORD}: both together are the message",
            "test_placeholders_are_no_answers": f"{WORD_FOR_WORD}: so is 'Answer:'",
            "test_the_prompt_said_back_is_no_answer": f"{WORD_FOR_WORD}: what it must not repeat, `told` says",
            "test_a_whole_worked_example_said_back_is_no_answer": "too few words of an instruction to make it a copy",
            "test_the_last_line_in_the_form_decides": f"{WORD_FOR_WORD}: all lines are the message",
        },
    ),
    Instance(
        "guess of a player",
        GuessForm(2, lowest=0, highest=100),
        [(PlayerGuess(68.0, (80.0, 60.0)), {"answers": [80, 60], "guess": 68})],
        ("My guess is 10. My guess is 20.",),
        lines=True,
        breaks=STRIPPED
        | {
            "test_a_whole_worked_example_said_back_is_no_answer": "too few words of an instruction to make it a copy; no room "
            "shows worked examples with it"
        },
    ),
    Instance(
        "guess and judgement of a player",
        GuessAndJudgementForm(GuessForm(2, lowest=0, highest=100)),
        [
            (
                JudgedGuess(68.0, (80.0, 60.0), "machine", 90.0),
                {"answers": [80, 60], "guess": 68, "other": "machine", "sure": 90},
            )
        ],
        ("My guess is 10. My guess is 20.",),
        lines=True,
        breaks=STRIPPED,
    ),
    Instance(
        "points of a judge",
        Points(),
        [(JudgeScore(7.5, False), {"reason": "A gap.", "score": 7.5, "unacceptable": False})],
        ("Score: 7 or 8\nUnacceptable: no", "Score: 7\nUnacceptable: yes or no"),
        lines=True,
    ),
    Instance(
        "digit",
        Digit({"1": "it changes", "0": "it stays"}),
        [("1", {"digit": "1"}), ("0", {"digit": 0})],
        ("0 or 1", "0\n1"),
        lines=True,
        breaks={"test_the_last_line_in_the_form_decides": "on the first line a number counts as much: two are none"},
    ),
    Instance(
        "programs",
        Programs(("covers", "answer"), most=2, longest=1_000),
        [((CODE,), {"programs": [CODE]})],
        lines=True,
        breaks=STRIPPED,
    ),
]
"""Every form of the house."""


FORMS_BY_NAME: Final[Mapping[str, type[Any]]] = {
    form.__name__: form
    for form in (
        Digit,
        GuessForm,
        Message,
        Number,
        OneOption,
        Points,
        Probability,
        Programs,
        Proposals,
        Quantity,
        Rewording,
        Rewordings,
        SeveralOptions,
        SeveralQuestions,
        ShortText,
        ReasonedYesNo,
        Words,
        WrittenQuestion,
    )
}
"""By their names."""


def form_named(name: str, settings: Mapping[str, Any]) -> ReplyForm[Any]:
    """The form of a recorded reply."""
    form: ReplyForm[Any] = FORMS_BY_NAME[name](**{key: _frozen(value) for key, value in settings.items()})
    return form


def noted(form: ReplyForm[Any], value: Any) -> Any:
    """The value of a reading in JSON; None where there is none.

    >>> noted(SeveralOptions(("a", "b", "c")), frozenset({0, 2})), noted(ReasonedYesNo(), ReasonedDecision(True, "It is so."))
    ('A, C', 'YES')
    """
    if value is None:
        return None
    if isinstance(form, Message):
        return "text"  # word for word
    for kind, note in _NOTES.items():
        if isinstance(value, kind):
            return note(value)
    return value


def _letters(places: frozenset[int]) -> str:
    return ", ".join(ascii_uppercase[index] for index in sorted(places))


_NOTES: Final[Mapping[type[Any], Any]] = {
    frozenset: _letters,
    ReasonedDecision: lambda words: "YES" if words.passed else "NO",
    JudgeScore: lambda words: [words.points, words.unacceptable],
    PlayerGuess: lambda words: words.guess,
    MultipleChoice: lambda words: {"options": len(words.options), "right": len(words.key)},
    Proposal: lambda words: "declined" if words.declined is not None else sorted(words.statements),
    tuple: len,
    Mapping: lambda words: sorted(words),
}


def _frozen(value: Any) -> Any:
    """Settings as forms have them: JSON knows lists alone."""
    if isinstance(value, list):
        return tuple(_frozen(entry) for entry in value)
    if isinstance(value, dict):
        return {key: _frozen(entry) for key, entry in value.items()}
    return value


PHRASES = st.lists(
    st.sampled_from(
        [
            "the answer is", "A", "or", "(B)", "C.", "I don't know", "=", "12", "\n", ",", "**", "\\boxed{", "}", "not",
            "is correct",
        ]
    )
)  # fmt: skip


HOSTILE: Final = {
    "answers": "answer ",
    "answers are": "the answer is A or B. ",
    "answers stated": "Answer: 1\n",
    "letters": "A ",
    "spaces": " ",
    "lines": "\n",
    "brackets": "(",
    "boxes": "\\boxed{",
    "digits": "1",
    "commas": "1,111",
    "equals": "= 1 ",
    "ignorance": "I don't know ",
    "is right": "C is ",
    "negations": "answer not ",
    "one word": "x",
    "option lines": "A. Lyon\n",
    "minus": "- ",
    "dots": "1.",
    "known": "yes ",
    "known sentences": "It is yes. ",
    "corrections": "Answer: B. Wait, no: C. ",
    "marks": "✗ B ",
    "labels": "A: B\n",
    "branches": "a if b and C: ",
    "turns": "Which one?\n(A) x\n",
    "other languages": "antwort 答案 ",
    "struck": "~~A",
    "tags": "<b><B>",
    "instructions": 'End your reply with a line that begins with "Answer:"\n',
}
