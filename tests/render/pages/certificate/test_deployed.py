"""A deployment certificate on its page and in the terminal."""

from dataclasses import replace

from tests.render.conftest import HOSTILE, certificate, hostile_certificate
from tests.render.html_pages import outline, printed
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.claims.deployed_certificate import DeploymentCertificate
from vivavoce.scopes.unit_laws import BrokenLaws


def hostile() -> DeploymentCertificate:
    """Understood as a whole, not as people use it."""
    sides = (certificate(6282), hostile_certificate())
    whole, deployed = (replace(side, candidate=HOSTILE, scope="file:used.jsonl", scope_size=300) for side in sides)
    return DeploymentCertificate(whole, deployed, whole.criterion, 6282, (0.5, 0.3, 0.2), whole.signature)


def test_both_verdicts_stand_side_by_side() -> None:
    both = hostile()
    text = printed(both, width=120)
    assert "Pass as a whole; fail as used" in outline(both).text
    assert both.deployed.verdict is Verdict.FAIL
    assert text.index("pass") < text.index("fail")


def test_broken_laws_have_a_row_where_there_are_laws() -> None:
    both = hostile()
    assert "Broken laws" not in outline(both).text
    lawful = replace(
        both,
        whole=replace(both.whole, broken_laws=BrokenLaws(3, 40, 0)),
        deployed=replace(both.deployed, broken_laws=BrokenLaws(2, 14, 0)),
    )
    assert "Broken laws3 of 402 of 14of those that could be judged" in outline(lawful).text.replace("\n", "")
    line = next(line for line in printed(lawful, width=120).splitlines() if line.startswith("Broken laws"))
    assert "3 of 40" in line
    assert "2 of 14" in line
