"""A deployment certificate on its page and in the terminal."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from tests.render.conftest import HOSTILE
from tests.render.html_pages import assert_self_contained, outline
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claim import Verdict
from vivavoce.certificate.several.deployed_certificate import DeploymentCertificate
from vivavoce.render.console import print_report
from vivavoce.scopes.unit_laws import BrokenLaws


@pytest.fixture
def both(granted: Certificate, refused: Certificate) -> DeploymentCertificate:
    """Understood as a whole, not as people use it."""
    whole, deployed = (replace(one, candidate=HOSTILE, scope="file:used.jsonl", scope_size=300) for one in (granted, refused))
    return DeploymentCertificate(whole, deployed, granted.criterion, 6282, (0.5, 0.3, 0.2), granted.signature)


def printed(finding: DeploymentCertificate) -> str:
    console = Console(file=io.StringIO(), width=120)
    print_report(finding.report(), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_both_verdicts_stand_side_by_side_and_a_strangers_words_stay_text(both: DeploymentCertificate) -> None:
    shown = outline(both)
    assert "Pass as a whole; fail as used" in shown.text
    assert not shown.tags["script"]
    assert not shown.tags["img"]
    assert_self_contained(both)
    text = printed(both)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert both.deployed.verdict is Verdict.FAIL
    assert text.index("pass") < text.index("fail")


def test_broken_laws_have_a_row_where_there_are_laws(both: DeploymentCertificate) -> None:
    assert "Broken laws" not in outline(both).text
    lawful = replace(
        both,
        whole=replace(both.whole, broken_laws=BrokenLaws(3, 40, 0)),
        deployed=replace(both.deployed, broken_laws=BrokenLaws(2, 14, 0)),
    )
    assert "Broken laws3 of 402 of 14of those that could be judged" in outline(lawful).text.replace("\n", "")
    line = next(line for line in printed(lawful).splitlines() if line.startswith("Broken laws"))
    assert "3 of 40" in line
    assert "2 of 14" in line
