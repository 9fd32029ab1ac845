"""Templates of strangers, in a process of their own."""

from __future__ import annotations

import pytest

from vivavoce.errors import BadInput
from vivavoce.formats import bounded_process
from vivavoce.scopes.importers.promptfoo import TemplateProblem, rendered


def test_all_rows_are_rendered_at_once_in_their_order() -> None:
    templates = ["{{ n + 1 }}\n", "plain", "{{ list }}{% if n == 2 %}!{% endif %}"]
    rows = [({"n": number, "list": ["x", number]}, templates) for number in range(3)]
    assert rendered(rows) == [[f"{n + 1}\n", "plain", f"['x', {n}]{'!' if n == 2 else ''}"] for n in range(3)]


def test_javascript_writes_json() -> None:
    values = {"o": {"a": [1, True]}, "t": True, "f": 2.0, "n": None, "s": '{"a": 3}'}
    assert rendered([(values, ["{{ o }} {{ t }} {{ f }} {{ n }}", "{{ (s | load).a }}"])], "javascript") == [
        ['{"a": [1, true]} true 2 ', "3"]
    ]


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{{ 'a' * 10 ** 10 }}", "takes more memory than it may"),
        ("{% for i in range(99999) %}aaaaaaaaaaaaaaaaaaaaa{% endfor %}", "gives more than 1,048,576 characters"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ cycler.__init__.__globals__ }}", "unsafe"),
        ("{{ [1].append(2) }}", "unsafe"),
        ("{% include '/etc/passwd' %}", "no loader"),
        ("{{ lost }}", "'lost' is undefined"),
        ("{{", "unexpected 'end of template'"),
    ],
)
def test_hostile_ones_do_no_harm(template: str, problem: str) -> None:
    (template_problem,) = rendered([({}, [template])])
    assert isinstance(template_problem, TemplateProblem)
    assert problem in template_problem.problem
    assert template_problem.template == template


def test_a_row_that_cannot_be_rendered_leaves_the_others() -> None:
    rows: list[dict[str, int]] = [{"n": 2}, {}, {"n": 0}, {"n": 4}]
    assert rendered((values, ["{{ 8 // n }}", "plain"]) for values in rows) == [
        ["4", "plain"],
        TemplateProblem("'n' is undefined", "{{ 8 // n }}"),
        TemplateProblem("integer division or modulo by zero", "{{ 8 // n }}"),
        ["2", "plain"],
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' | regex_replace('(a+)+b', '') }}",
    ],
)
def test_one_that_never_ends_is_ended(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_process, "CPU_SECONDS", 1)
    with pytest.raises(BadInput, match="make them simpler"):
        rendered([({}, [template])])
