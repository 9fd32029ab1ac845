"""Lists every sentence that a finding can print: `python -m tests.studies.sentences [STUDY...]`.

Sentences of studies have made-up values. Those of other findings are read from the source, with expressions in braces.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

from vivavoce import studies
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Column
from vivavoce.studies.effects import Effect, LimitTest, LimitVerdict, Mean, Rate, RateDifference, Treatment
from vivavoce.studies.presentation import StudyExample
from vivavoce.studies.study import Study, StudyFinding

CASES: Final = 40
CAVEAT_FUNCTIONS: Final = frozenset({"caveats", "caveats_of"})
"""A module outside the studies with a function of such a name belongs to a finding."""
FEWEST_WORDS: Final = 4


def declared() -> Mapping[str, Study[Any]]:
    """All studies that modules of `vivavoce.studies` declare, by the name of the constant."""
    modules = (import_module(module.name) for module in walk_packages(studies.__path__, f"{studies.__name__}."))
    constants = [(name, value) for module in modules for name, value in vars(module).items() if isinstance(value, Study)]
    return {name.lower().replace("_", "-"): study for name, study in constants}


def sentences_of(study: Study[Any]) -> list[str]:
    """All headlines, lists, method sentences, caveats and table heads, each once, in the order of a page."""
    sentences = chain(
        (finding.headline for finding in findings_of(study)),
        (finding.others for finding in findings_of(study)),
        chain.from_iterable(finding.method for finding in findings_of(study)),
        (study.about, study.ability),
        (caveat if isinstance(caveat, str) else caveat[0] for caveat in study.caveats),
        chain.from_iterable(finding.caveats for finding in findings_of(study)),
        chain.from_iterable(map(_heads, (column for table in study.tables for column, _ in table.columns))),
    )
    return list(dict.fromkeys(filter(None, sentences)))


def findings_of(study: Study[Any]) -> Iterator[StudyFinding[Any]]:
    """Made-up findings: more, fewer and as many events as the control, none at all, and each verdict."""
    for events, control in ((30, 2), (2, 30), (10, 8)):
        yield finding_of(study, events, control)
    yield replace(finding_of(study, 0, 0), effects=())
    verdicts: tuple[LimitVerdict, ...] = ("pass", "fail", "undecided") if study.under else ()
    for verdict in verdicts:
        finding = finding_of(study, 10, 8)
        rate = finding.effects[0].rates[study.events[0]]
        test = LimitTest(0.1, 0.05, verdict, rate, 0.0, 0.0)
        yield replace(finding, limit_test=test, is_clustered=True, not_reached=3)


def finding_of(study: Study[Any], events: int, control: int, cases: int = CASES) -> StudyFinding[Any]:
    """A finding with these numbers of events under two treatments and the control."""
    rate, again = _rate(events, cases), _rate(control, cases)
    mean, difference = Mean.of_scores([(1.0, 1.0)], [("a",)]), Mean.of_differences([(1.0, 1.0)], [(0.0, 0.0)], [("a",)])
    scores = {"before": mean, "after": mean, "difference": difference}
    rates, controls = (dict.fromkeys((*study.events, *study.sample.rates), entry) for entry in (rate, again))
    excess = dict.fromkeys(study.events, RateDifference.of(rate, again))

    def effect(name: str, *, is_control: bool = False) -> Effect:
        about = study.sample.about.get(name, f"a {name}")
        treatment = Treatment(name, about, control="control", is_control=is_control, sources=("source2024",))
        numbers, estimates = dict(study.sample.numbers), dict(study.sample.estimates)
        if is_control:
            return Effect(treatment, cases, controls, {}, {}, scores, {}, numbers, estimates)
        absences = {"does not apply": 2} if study.no_treatment else {}
        return Effect(treatment, cases, rates, controls, excess, scores, absences, numbers, estimates)

    return StudyFinding(
        study,
        "the model",
        "the questions",
        effects=tuple(map(effect, study.sample.treatments)),
        control=(effect("control", is_control=True),) if study.control_label else (),
        limit_test=None,
        examples=(StudyExample("q1", "first treatment", "An event", (("Question", "?"),)),),
        not_reached=0,
        is_clustered=False,
        replies={"read": cases},
        details=study.sample.details,
        asked_so=(),
        signature=Signature("0", study.kind, "the model", "the questions", "", 0, {}),
    )


def _rate(events: int, cases: int) -> Rate:
    return Rate.of([True] * events + [False] * (cases - events), [(number,) for number in range(cases)])


def _heads(column: Column) -> Sequence[str]:
    return column.head, column.about


def templates() -> Mapping[str, Sequence[str]]:
    """The sentences of all findings but studies, by module, as they are in the source: `{...}` is an expression."""
    root = Path(studies.__file__).parents[1]
    trees = {
        path.relative_to(root).with_suffix("").as_posix(): ast.parse(path.read_text("utf-8"))
        for path in sorted(root.rglob("*.py"))
        if "studies" not in path.parts
    }
    return {module: _texts(tree) for module, tree in trees.items() if _is_of_a_finding(tree)}


def _is_of_a_finding(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.name in CAVEAT_FUNCTIONS for node in ast.walk(tree))


def _texts(tree: ast.Module) -> list[str]:
    """All texts of at least four words, without docstrings and the messages of errors."""
    texts: list[str] = []

    def visit(node: ast.AST) -> None:
        match node:
            case ast.Expr() | ast.Raise():
                return
            case ast.Assign(targets=[ast.Name(id="json_keys")]):
                return
            case ast.JoinedStr(values=parts):
                whole = (part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part)[3:-2]}}}" for part in parts)
                texts.append("".join(map(str, whole)))
                return
            case ast.Constant(value=str(text)):
                texts.append(text)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return [text for text in dict.fromkeys(texts) if len(text.split()) >= FEWEST_WORDS]


def main(names: Sequence[str]) -> None:
    """Print the sentences of these studies, by default of all and of the other findings."""
    for name, study in declared().items():
        if not names or name in names:
            print(f"# {name}", *sentences_of(study), "", sep="\n")
    for module, texts in {} if names else templates().items():
        print(f"# {module}", *texts, "", sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
