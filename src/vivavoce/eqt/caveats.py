"""What an examination on a candidate's own explanations does not show, each in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vivavoce.eqt.questions import UNREAD
from vivavoce.eqt.wording import explained_by_itself, reasons
from vivavoce.interview.forms.letters import letters
from vivavoce.interview.wording import count, name_of, percent

if TYPE_CHECKING:
    from vivavoce.eqt.benchmark_finding import EqtBenchmark
    from vivavoce.eqt.finding import EqtComparison, ExplainQueryTest

FEW: Final = 10
"""Concepts below which an interval is told to be rough."""
FEW_MODELS: Final = 10
SETTINGS: Final = ("questions", "paraphrases", "options", "shuffle", "checks", "temperature")
"""What must be the same for two examinations to be compared."""


def caveats(finding: ExplainQueryTest) -> tuple[str, ...]:
    """What to keep in mind about these numbers; each only where it applies."""
    who = "the candidate" if explained_by_itself(finding) else name_of(finding.roles["explainer"])
    return tuple(
        filter(
            None,
            (
                f"What {who} never mentions is never asked, and what it explains wrongly is keyed wrongly: the figures show "
                "whether an explanation is known, not whether it is true.",
                _key(finding),
                _same_reply(finding),
                _faults(finding),
                _pattern(finding),
                _unreadable(finding),
                _cut_off(finding),
                _after_turn(finding),
                _paraphrases(finding),
                _concepts(finding),
                ""
                if finding.set_up.shuffle
                else "Options stood as their writer put them: a model that favours one place for what is right also finds "
                "it there (position bias).",
                _temperature(finding),
                _budget(finding),
                _no_explanation(finding),
                *finding.asking,
            ),
        )
    )


def _key(finding: ExplainQueryTest) -> str:
    if not finding.set_up.checks:
        return "Neither keys nor paraphrases were checked: a wrong key makes a right answer count as wrong."
    writer, checker = finding.roles.get("writer"), finding.roles.get("checker")
    if writer == checker:
        return "Nobody but their writer checked the keys: a mistake that it makes twice stays unseen."
    return f"Keys were checked by {name_of(checker or 'a model')}, which can be mistaken too, and by no person."


def _same_reply(finding: ExplainQueryTest) -> str:
    same = finding.set_up.checks and finding.roles.get("checker") == finding.roles.get("answerer")
    if not same or finding.valid.open_book.value != 1.0:
        return ""
    return (
        "The checker is the answerer, so questions without a fault are by definition those that it answers rightly with the "
        "explanation at hand: over them only the figures without the explanation say anything."
    )


def _faults(finding: ExplainQueryTest) -> str:
    checked = finding.validity
    faulty = checked.written - checked.valid
    if not faulty:
        return ""
    share = f"{count(faulty)} of {count(checked.written)} questions ({percent(faulty / checked.written)})"
    return f"{share} {'has' if faulty == 1 else 'have'} a fault; figures are given with and without them."


def _pattern(finding: ExplainQueryTest) -> str:
    """Where one answer is given more often than the keys explain, or that may be; `headline` has said it where it prevails."""
    pattern = finding.pattern
    if pattern is None or not (pattern.repeated or pattern.untold):
        return ""
    said = f"The answer “{letters(pattern.value)}” is given to {count(pattern.questions)} of {count(pattern.of_questions)} "
    said += f"questions and is the key of {count(pattern.keys)}"
    if pattern.untold:
        return f"{said}: these are too few questions to tell whether it is given whatever is asked."
    constant = f"always the same answer would get at most {percent(pattern.best / pattern.of_questions)} right"
    if pattern.prevails:
        return f"{said}, more than the keys explain: all figures about knowledge are withheld; {constant}."
    return f"{said}, more than the keys explain: part of the answers do not depend on the question; {constant}."


def _unreadable(finding: ExplainQueryTest) -> str:
    missing = sum(finding.unread.values())
    if not missing:
        return ""
    total = finding.whole.unreadable.n
    unread = sum(number for manner, number in finding.manners.items() if manner in UNREAD)
    told = f"{count(missing)} of {count(total)} answers ({percent(missing / total)}) "
    told += f"could not be read or did not come{reasons(finding.unread)}"
    if not unread:
        return f"{told}; they count as wrong."
    copied = finding.manners.get("copied", 0)
    repeats = f" {count(copied)} only repeat what was shown." if copied else ""
    return f"{told}; {count(unread)} came and may have been right or wrong: figures are given for both.{repeats}"


def _cut_off(finding: ExplainQueryTest) -> str:
    number = finding.manners.get("cut off", 0) + finding.validity.manners.get("cut off", 0)
    if not number:
        return ""
    return f"{count(number)} repl{'y was' if number == 1 else 'ies were'} cut off by a limit: give more room (?max_tokens=)."


def _after_turn(finding: ExplainQueryTest) -> str:
    if not finding.after_turn:
        return ""
    return (
        f"{count(finding.after_turn)} of {count(finding.whole.unreadable.n)} answers could be read only after a further turn "
        "that asked for the final answer alone."
    )


def _paraphrases(finding: ExplainQueryTest) -> str:
    checked = finding.validity
    missing = checked.paraphrases_wanted - checked.paraphrases_made
    parts = []
    if missing:
        parts.append(f"{count(missing)} of {count(checked.paraphrases_wanted)} paraphrases are missing")
    if checked.paraphrases_changed:
        parts.append(
            f"{count(checked.paraphrases_changed)} of {count(checked.paraphrases_made)} paraphrases mean something else"
        )
    return f"{', and '.join(parts)}: consistency over all wordings is rough where many are." if parts else ""


def _concepts(finding: ExplainQueryTest) -> str:
    concepts = finding.whole.concepts
    if not concepts:
        return ""
    if concepts == 1:
        return "One concept only: the intervals are about other questions on it, not about other concepts."
    rough = f"Only {count(concepts)} concepts, so that intervals are rough. " if concepts < FEW else ""
    return f"{rough}Intervals are about other concepts like these, with questions by the same writer."


def _temperature(finding: ExplainQueryTest) -> str:
    temperature = finding.set_up.temperature
    if temperature == 0:
        return ""
    which = "its own temperature" if temperature is None else f"temperature {temperature:g}"
    return f"Answers were drawn at {which}: part of the differences between wordings is chance, not the wording."


def _budget(finding: ExplainQueryTest) -> str:
    if not finding.exhausted and finding.completed >= finding.planned:
        return ""
    why = f" ({name_of(finding.exhausted)})" if finding.exhausted else ""
    left = f"; {count(finding.not_asked)} wordings were not put" if finding.not_asked else ""
    return f"The budget ran out{why}: {count(finding.completed)} of {count(finding.planned)} concepts were completed{left}."


def _no_explanation(finding: ExplainQueryTest) -> str:
    missing = sum(finding.no_explanation.values())
    if not missing:
        return ""
    return (
        f"{count(missing)} of {count(finding.completed)} concepts got no explanation{reasons(finding.no_explanation)}: "
        "no figure covers them."
    )


def of_comparison(compared: EqtComparison) -> tuple[str, ...]:
    """What a comparison of candidates does not show."""
    findings = compared.findings
    set_ups = {tuple(getattr(one.set_up, name) for name in SETTINGS) for one in findings}
    concepts = {frozenset(figures.name for figures in one.concepts) for one in findings}
    faulty = [name_of(one.candidate) for one in findings if 2 * one.validity.valid < one.validity.written]
    return tuple(
        filter(
            None,
            (
                "Each candidate answers questions about its own explanations: a candidate that writes harder ones gets "
                "lower figures."
                if not compared.everywhere
                else "On its own questions each candidate may find them easier or harder than others' are: the matrix "
                "shows it.",
                "They were not examined in the same way: the signature of each says how." if len(set_ups) > 1 else "",
                "They were not examined on the same concepts." if len(concepts) > 1 else "",
                f"More than half of the questions have a fault for {', '.join(faulty[:6])}." if faulty else "",
                f"Fewer than {FEW} concepts for some: read the intervals, not the order."
                if any(one.whole.concepts < FEW for one in findings)
                else "",
            ),
        )
    )


def of_benchmark(beside: EqtBenchmark) -> tuple[str, ...]:
    """What a correlation of EQT with a benchmark does not show."""
    models = len({pairing.model for pairing in beside.pairings})
    return tuple(
        filter(
            None,
            (
                "Pairs of one model, and pairs of one category, go up and down together: p and the interval over all pairs "
                "treat them as independent, and are too optimistic.",
                "Over all pairs the correlation mixes two things: which models are better, and which categories are easier in "
                "both tests. Only the one between models says whether EQT ranks models.",
                f"There are {count(models)} models: the correlation between them is rough." if models < FEW_MODELS else "",
                "EQT's own figures are uncertain, which pulls every correlation towards 0 (attenuation).",
                f"Only one of the two has {_listed(beside.unmatched)}: left out." if beside.unmatched else "",
            ),
        )
    )


def _listed(names: tuple[str, ...]) -> str:
    shown = [name_of(name) for name in names[:6]] + ([f"{len(names) - 6} more"] if len(names) > 6 else [])
    return ", ".join(shown)
