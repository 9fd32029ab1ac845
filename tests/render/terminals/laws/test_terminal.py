"""Forecasts measured against laws, in the terminal."""

import io
import re
from dataclasses import replace

from rich.console import Console

from tests.render.conftest import HOSTILE
from tests.render.laws_findings import LAWS, alone, rows, several
from vivavoce.studies.forecasts import ForecastFinding
from vivavoce.studies.forecasting.forecast_files import Row
from tests.studies.forecasts.finding import law_rows, score
from vivavoce.formats.wording import percent, percent_interval
from vivavoce.render.console import print_report


def printed(finding: ForecastFinding, *, width: int = 80, terminal: bool = False) -> str:
    file = io.StringIO()
    print_report(finding.report(), Console(file=file, width=width, force_terminal=terminal, legacy_windows=False))
    return file.getvalue()


def table(text: str) -> list[str]:
    """The lines up to the first that is no part of a table."""
    return text[: text.index("The worst contradictions")].splitlines()


def test_one_forecaster_within_eighty_columns_with_the_numbers_of_the_finding() -> None:
    found = alone()
    text = printed(found)
    assert all(len(line) <= 80 for line in table(text))
    for row in law_rows(found):
        assert row.strong.value is not None
        assert f" {percent(row.strong.value)} {percent_interval(row.strong.interval)} " in text
    # Negation at random: above .2 with probability .8 squared; always .4: exactly .2 from 1, which is not strong.
    assert re.search(r"^neg .* 64%\s+0%\s+39$", text, re.MULTILINE)
    assert [line.split()[0] for line in text.splitlines()[1 : 1 + len(LAWS)]] == [*LAWS[:4], "won", "increasing", "repeat"]
    assert "1 tuples with an unreadable forecast." not in text
    assert "1 tuple with an unreadable forecast." in text
    assert "Replies that could not be used: no number 1." in text


def test_the_sentence_is_the_last_word_and_the_caveats_stand_before_it() -> None:
    for found in (alone(), several(), several(7)):
        text = printed(found)
        assert text.rstrip().splitlines()[-1] == found.statement
        unwrapped = " ".join(text.split())
        assert all(" ".join(caveat.split()) in unwrapped for caveat in found.caveats)
        assert unwrapped.index(found.caveats[0]) > unwrapped.index("Not shown")


def test_two_forecasters_with_the_comparison_in_a_sentence_and_a_table() -> None:
    found = several()
    text = printed(found)
    assert all(len(line) <= 80 for line in table(text))
    unwrapped = " ".join(text.split())
    assert "model_0 is more consistent than model_1 on Negation, And and The same question again." in unwrapped
    first = found.comparisons[0]
    assert re.search(rf"neg\s+−0\.\d\d \[.*\]\s+<\s0\.001\s+<\s0\.001\s+0 : {first.second_only}\s+40\s*$", text, re.MULTILINE)
    assert re.search(r"^at random\s+64%.*64%\s*$", text, re.MULTILINE)
    assert re.search(r"^forecaster(\s+n = 40){3}\s*$", text, re.MULTILINE)


def test_the_worst_tuple_stands_beside_its_repair() -> None:
    found = score([Row("model", "neg", {"P": 0.9, "not_P": 0.9}), *rows("model", ("neg",), spread=0.1)])
    assert "  neg, metric 0.80: P 90% → 50%, ~P 90% → 50%" in printed(found)  # by symmetry


def test_laws_that_do_not_fit_beside_one_another_go_below() -> None:
    laws = ("neg", "and", "or", "but", "cond", "cond-cond", "consequence", "expected-evidence")
    found = several(3, laws)
    narrow, wide = printed(found), printed(found, width=300)
    assert len(re.findall(r"^forecaster ", narrow, re.MULTILINE)) == 2
    assert len(re.findall(r"^forecaster ", wide, re.MULTILINE)) == 1
    assert all(law in narrow for law in laws)
    assert all(len(line) <= 80 for line in narrow[: narrow.index("Who is more")].splitlines())


def test_of_many_forecasters_the_extremes_are_shown() -> None:
    found = several(58, ("neg", "and"))
    text = printed(found)
    assert "The 10 least and the 10 most contradictory of 58;" in " ".join(text.split())
    assert len(re.findall(r"^model_\d+", text, re.MULTILINE)) == 20
    assert re.match(r"model_0 ", text.splitlines()[4])  # the one that is planted as consistent


def test_who_was_not_asked_a_law_has_no_number_there() -> None:
    text = printed(score([*rows("one", ("neg", "and")), *rows("other", ("neg",), 17)]))
    assert re.search(r"^other .* not asked\s*$", text, re.MULTILINE)
    assert "n = 17 to 40" in text


def test_colours_only_in_a_terminal() -> None:
    assert "\x1b" not in printed(alone())
    assert "\x1b[" in printed(alone(), terminal=True)


def test_hostile_names_laws_and_reasons_steer_nothing() -> None:
    law = "[red]x\x07: A, B where A implies B"
    hostile = [replace(row, forecaster=HOSTILE, replies={HOSTILE: 1}) for row in rows("model", ("neg",), 5)]
    hostile.append(Row(HOSTILE, law, {"A": 0.9, "B": 0.1}))
    series = Row(HOSTILE, "increasing", {"2025": 3.0, "2026": 2.0, "2027": 1.0}, questions={"2025": HOSTILE})
    for found in (score([*hostile, series]), score([*hostile, *rows("[bold]other", ("neg",), 5)])):
        text = printed(found)
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "\u202e" not in text
        assert "[red]x" in text
        assert len(text) < 10_000
    assert "[bold]other" in text


def test_where_nothing_could_be_read_nothing_is_claimed() -> None:
    text = printed(score([Row("model", "neg", {"P": None, "not_P": None})]))
    assert re.search(r"^neg\s+unknown\s+unknown\s+64%\s+0%\s+0\s*$", text, re.MULTILINE)
    assert text.rstrip().splitlines()[-1].startswith("Nothing can be said")
