"""Options that an engine does not declare."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("chess", reason="python-chess knows the rules: pip install 'vivavoce[chess]'")

from tests.candidates.leela import lc0
from tests.cli.conftest import Viva


def test_an_option_that_is_not_declared_is_passed_on_with_a_warning(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "some.fen").write_text("r1b2r2/1p1q1pk1/3p3p/pNp3p1/PnP5/1P1PnNPP/4P1B1/R3QRK1 b - - 2 20\n")
    engine = f"uci:{lc0(tmp_path)}?nodes=10&CPuctAtRoot=2.5"
    ended = viva("consistency", "chess", "check", engine, "--check", "mirror", "--positions", "some.fen", "--limit", "1")
    assert ended.code == 0
    assert "warning: the engine does not declare 'CPuctAtRoot': passed on" in ended.err
    assert "Lc0 v0.29.0" in ended.out


def test_the_warning_comes_once_however_often_the_engine_is_opened(viva: Viva, tmp_path: Path) -> None:
    engine = f"uci:{lc0(tmp_path)}?nodes=2&CPuctAtRoot=2.5"
    ended = viva(
        "consistency", "chess", "check", engine, "--check", "mirror", "--limit", "1"
    )  # it plays for its positions, too
    assert (ended.code, ended.err.count("warning")) == (0, 1)
