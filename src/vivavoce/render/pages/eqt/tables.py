"""The tables of an examination on a candidate's own explanations: every number already in words, for page and terminal
alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from vivavoce.eqt.figures import Figures, Validity
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.eqt.questions import ROLES, Manner, Role
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of, percent, percent_interval, score, score_interval
from vivavoce.interview.forms.letters import letters
from vivavoce.render.wording import NBSP

LONGEST_REASON: Final = 60
MOST_REASONS: Final = 8
MOST_LINES: Final = 400
"""Concepts or categories in a table: 280 are built in, a file may hold ten thousand."""

FIGURES: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("closed", "Right without the explanation", "right, closed book", "all wordings; exactly the right options"),
    ("closed_originals", "… original wording alone", "… original wording", "the questions as they were written"),
    ("partial", "… with partial credit", "… partial credit", "right options chosen, of all that are chosen or right"),
    ("open_book", "Right with the explanation at hand", "right, open book", "original wording"),
    (
        "gap",
        "Comprehension gap",
        "comprehension gap",
        "with less without the explanation, question by question, in points of a hundred",
    ),
    ("acs", "Same answer to all wordings (ACS)", "consistency (ACS)", "1: always; as the paper has it, it cannot reach 0"),
    ("acs_rescaled", "… rescaled", "… rescaled", "from 0, every answer different, to 1, all alike"),
    (
        "unreadable",
        "Unreadable or missing answers",
        "unreadable, missing",
        "without the explanation, over all wordings",
    ),
)
"""The attribute of `Figures`, what it is called on a page, what in a terminal, and what it is in a few words."""
DOES: Final[Mapping[Role, str]] = {
    "explainer": "Explains the concepts",
    "writer": "Writes questions and keys",
    "paraphraser": "Paraphrases questions",
    "answerer": "Answers",
    "checker": "Checks questions and keys",
}
READ: Final[Mapping[Manner, str]] = {
    "strict": "In the form that was asked for",
    "lenient": "In another form that leaves no doubt",
    "does not know": "Says that it is not known",
    "unreadable": "Not readable",
    "copied": "Only repeats what was shown",
    "cut off": "Cut off by a limit",
    "no answer": "None came",
}


Line = tuple[str, str]
"""A plain sentence and a share, or a name and what is said about it."""


class Cell(NamedTuple):
    """A number, its interval, and the observations behind it."""

    value: str
    interval: str
    n: str

    @property
    def beneath(self) -> str:
        """The interval and n, for a second line."""
        return ", ".join(part for part in (self.interval, self.n) if part)

    @property
    def line(self) -> str:
        """Number and interval."""
        return f"{self.value} {self.interval}".rstrip()


def called(name: str) -> str:
    """A stranger's name on one line.

    >>> called("a\\nb"), len(called("x" * 500))
    ('a b', 60)
    """
    return name_of(" ".join(name.split()))


def cell(figures: Figures, what: str) -> Cell:
    """One of `FIGURES`."""
    estimate: Estimate = getattr(figures, what)
    highest = figures.highest.get(what)
    if what == "gap":
        return points_cell(estimate, highest)
    return _cell(estimate, score, score_interval) if what.startswith("acs") else share_cell(estimate, highest)


def share_cell(estimate: Estimate, highest: float | None = None) -> Cell:
    """A share in percent, up to `highest` where it lies between two."""
    return _cell(estimate, percent, percent_interval, highest)


def points_cell(estimate: Estimate, highest: float | None = None) -> Cell:
    """A difference of two shares, up to `highest` where it lies between two."""
    return _cell(estimate, points, points_interval, highest)


def points(value: float) -> str:
    """A difference of two shares in points of a hundred, as the sentence at the top has it.

    >>> points(0.1234), points(-0.034), points(0.0001), points(-1.0)
    ('12', '−3', '0', '−100')
    """
    return _whole(round(value * 100))


def points_interval(interval: Interval) -> str:
    """An interval of differences in points, each end rounded outwards.

    >>> points_interval(Interval(-0.034, 0.2101))
    '[−4, 22]'
    """
    lower, upper = math.floor(round(interval.lower * 100, 9)), math.ceil(round(interval.upper * 100, 9))
    return f"[{_whole(lower)}, {_whole(upper)}]"


def numbers(finding: ExplainQueryTest) -> list[tuple[str, str, Cell, Cell]]:
    """The table of figures: what, in a few words, over all questions, over valid ones alone."""
    return [(name, about, cell(finding.whole, what), cell(finding.valid, what)) for what, name, _, about in FIGURES]


IN_LINES: Final = ("closed", "closed_originals", "open_book", "gap", "acs")


def lines(every: Sequence[Figures]) -> list[tuple[str, str, list[Cell]]]:
    """One line a category or concept: its name, how many questions, its figures; without n, which its head tells."""
    return [
        (called(one.name), counted(one.questions, "question"), [cell(one, what)._replace(n="") for what in IN_LINES])
        for one in every[:MOST_LINES]
    ]


def left_out(every: Sequence[Figures], what: str) -> str:
    """What a table had no room for, in words."""
    if len(every) <= MOST_LINES:
        return ""
    return f"There is room for {count(MOST_LINES)} of {count(len(every))} {what}; the JSON has all of them."


def counted(number: int, thing: str) -> str:
    """This many of something.

    >>> counted(1, "question"), counted(0, "key")
    ('1 question', '0 keys')
    """
    return f"{count(number)} {thing}{'' if number == 1 else 's'}"


def worth(validity: Validity, *, checked: bool) -> list[Line]:
    """What the questions are worth: a plain line each, and the share; `checked`: there was a checker."""
    read, made = validity.key_checked - validity.key_unreadable, validity.paraphrases_made
    compared, alone = made - validity.paraphrases_unchecked, validity.written if checked else 0
    told = [
        _of(validity.written, validity.wanted, "question", ("was", "were"), "written in a form that holds options and a key"),
        _of(validity.pointing, validity.written, "question", ("points", "point"), "at a text that the reader cannot see"),
        _of(validity.not_self_contained, alone, "question", ("cannot", "cannot"), "be understood alone, says the checker"),
        _of(validity.duplicates, validity.written, "question", ("asks", "ask"), "what an earlier one of the concept asks"),
        _of(validity.key_failed, read, "key", ("is", "are"), "not what the checker answers, with the explanation at hand"),
        _of(validity.key_unreadable, validity.key_checked, "key check", ("gave", "gave"), "nothing readable", always=False),
        _of(alone - validity.key_checked, alone, "key", ("was", "were"), "not checked", always=False),
        _of(made, validity.paraphrases_wanted, "paraphrase", ("was", "were"), "made"),
        _of(validity.paraphrases_changed, compared, "paraphrase", ("means", "mean"), "something else, says the checker"),
        _of(validity.paraphrases_unchecked, made, "paraphrase", ("was", "were"), "compared by nobody", always=False),
        _of(validity.valid, validity.written, "question", ("has", "have"), "none of these faults"),
    ]
    return [one for one in told if one is not None]


def readings(finding: ExplainQueryTest) -> list[tuple[str, str, str]]:
    """How replies were read: the manner, answers without the explanation, questions of the writer."""
    answers, written = finding.manners, finding.validity.manners
    rows = [(words, _part(answers, manner), _part(written, manner)) for manner, words in READ.items()]
    if not finding.after_turn:
        return rows
    total = sum(answers.values())
    turned = f"{count(finding.after_turn)} ({percent(finding.after_turn / total)})"
    return [*rows, ("Only after a further turn, among all of these", turned, "")]


def pattern(finding: ExplainQueryTest) -> list[Line]:
    """The most frequent answer, and what it would be worth to give always the same."""
    found = finding.pattern
    if found is None:
        return []
    asked = count(found.of_questions)
    return [
        (f"answers are “{letters(found.value)}”, more than any other", f"{count(found.answers)} of {count(found.of_answers)}"),
        ("questions have it as their key", f"{count(found.keys)} of {asked}"),
        ("questions at most would be right with always the same answer", f"{count(found.best)} of {asked}"),
    ]


def reasons(finding: ExplainQueryTest) -> list[str]:
    """Why something could not be read or did not come, a sentence each."""
    told = (
        ("Answers that could not be used", finding.unread),
        ("Wordings that were not put", {"the budget had run out": finding.not_asked}),
        ("Questions that were not written", finding.validity.not_written),
        ("Paraphrases that were not made", finding.validity.not_paraphrased),
        ("Concepts without an explanation", finding.no_explanation),
    )
    return [f"{what}: {listed(why)}." for what, why in told if any(why.values())]


def listed(why: Mapping[str, int]) -> str:
    """Reasons with their numbers, the most frequent first.

    >>> listed({"no option named": 2, "time-out": 12, "refused": 0})
    'time-out 12, no option named 2'
    """
    ordered = sorted(((reason, number) for reason, number in why.items() if number), key=lambda one: (-one[1], one[0]))
    told = [f"{clipped(' '.join(reason.split()), LONGEST_REASON)} {count(number)}" for reason, number in ordered[:MOST_REASONS]]
    rest = sum(number for _, number in ordered[MOST_REASONS:])
    return ", ".join([*told, f"other reasons {count(rest)}"] if rest else told)


def who(finding: ExplainQueryTest) -> list[Line]:
    """What is done, and by whom."""
    return [(DOES[role], called(finding.roles[role])) for role in ROLES if role in finding.roles]


def alone(finding: ExplainQueryTest) -> bool:
    """Whether one and the same does everything."""
    return len(set(finding.roles.values())) <= 1


def cost(finding: ExplainQueryTest) -> list[Line]:
    """What was asked, and what it cost."""
    left = f" of {count(finding.planned)}" if finding.completed != finding.planned else ""
    rows = [("Concepts", f"{count(finding.completed)}{left}"), ("Calls", count(finding.calls))]
    if finding.tokens_in or finding.tokens_out:
        rows.append(("Tokens", f"{count(finding.tokens_in)} sent, {count(finding.tokens_out)} received"))
    if finding.money:
        rows.append(("Money", f"{finding.money:.2f} at the given prices"))
    if finding.exhausted:
        rows.append(("Ended by", clipped(finding.exhausted, LONGEST_REASON)))
    return rows


def consistency(finding: ExplainQueryTest) -> str:
    """What the consistency scores say, in a few sentences."""
    if finding.of_one_pattern:
        return (
            "The same answer was given whatever was asked: that answers to one question agree says nothing about consistency."
        )
    number, found, rescaled = finding.set_up.paraphrases + 1, finding.whole.acs.value, finding.whole.acs_rescaled.value
    if found is None or rescaled is None:
        return "No question was answered in more than one wording, so consistency is not known."
    each = score(1 / number)
    return (
        f"Each question was to be put in {count(number)} wordings that mean the same. The answer consistency score (ACS) of a "
        "question is 1 where all of them got the same answer, right or wrong. Every further different answer takes off "
        f"{each}, so that {each} is left where no two agree; rescaled, that is 0. The mean is {score(found)}, rescaled "
        f"{score(rescaled)}."
    )


def _of(number: int, total: int, thing: str, verbs: tuple[str, str], rest: str, *, always: bool = True) -> Line | None:
    """`9 of 100 questions point at ...`, and the share; None where there is nothing to count, or nothing to tell."""
    if not total or not (number or always):
        return None
    return f"{count(number)} of {counted(total, thing)} {verbs[number != 1]} {rest}", percent(number / total)


def _part(manners: Mapping[Manner, int], manner: Manner) -> str:
    number, total = manners.get(manner, 0), sum(manners.values())
    return f"{count(number)} ({percent(number / total)})" if total else "none"


def _cell(
    estimate: Estimate,
    write: Callable[[float], str],
    write_interval: Callable[[Interval], str],
    highest: float | None = None,
) -> Cell:
    n = f"n{NBSP}={NBSP}{count(estimate.n)}"
    if estimate.value is None:
        return Cell("withheld" if estimate.n else "unknown", "", n)
    bounded = math.isfinite(estimate.interval.lower) and math.isfinite(estimate.interval.upper)
    return Cell(
        between(write(estimate.value), estimate.value if highest is None else highest, write),
        write_interval(estimate.interval) if bounded else "",
        n,
    )


def between(lowest: str, highest: float, write: Callable[[float], str]) -> str:
    """A number that lies between two, its sign once; one that is the same at both ends as it is.

    >>> between("64%", 0.66, percent), between("64%", 0.6401, percent)
    ('64–66%', '64%')
    """
    return lowest if write(highest) == lowest else f"{lowest.removesuffix('%')}–{write(highest)}"


def _whole(number: int) -> str:
    return f"−{-number}" if number < 0 else str(number)
