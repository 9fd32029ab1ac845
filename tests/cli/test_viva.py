import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import VIVA, Viva
from tests.each_case import each_case
from vivavoce.cli.endings import NOT_KEPT, ON_RECORD, CannotContinue, InterruptedByUser, ending, records_at
from vivavoce.errors import CandidateUnreachable, MissingExtra, TranscriptBusy, TranscriptDamaged
from vivavoce.interview.progress import BatchAccount
from vivavoce.interview.record import Key
from vivavoce.interview.transcript import Transcript


def test_help_names_every_command_and_every_exit_code(viva: Viva) -> None:
    ended = viva("--help")
    assert ended.code == 0
    for word in ("  try ", "certify", "consistency", "plan", "list", "transcript", "Exit codes", "  3  ", "  4  ", "  5  "):
        assert word in ended.out


def test_version(viva: Viva) -> None:
    assert viva("--version").out == "viva 0.1.0\n"


def test_a_mistake_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        ending(ZeroDivisionError())


def _for_want_of_files(error: Exception, cause: BaseException) -> Exception:
    try:
        try:
            raise cause
        except type(cause):
            raise error from None
    except type(error) as raised:
        return raised


@each_case(
    "error",
    [
        OSError(errno.EMFILE, "Too many open files", "module.py"),
        OSError(errno.ENFILE, "Too many open files in system"),
        ImportError("libgcc_s.so.1: cannot open shared object file: Too many open files"),
        _for_want_of_files(MissingExtra("alembic", extra="web"), ImportError("x.so: Too many open files")),
    ],
)
def test_too_many_open_files_are_named_with_the_remedy(error: Exception) -> None:
    code, line = ending(error)
    assert code == 2
    assert "too many open files and connections: raise the limit ('ulimit -n 4096')" in line


@pytest.mark.long
def test_questions_in_flight_need_as_many_open_files(tmp_path: Path) -> None:
    command = '"$0" certify bot:calculator --scope arithmetic --questions 5 --quiet --concurrency 100'

    def ended(limit: str) -> subprocess.CompletedProcess[str]:
        script = ["bash", "-c", f"{limit} && {command}", str(VIVA)]
        return subprocess.run(script, capture_output=True, text=True, cwd=tmp_path, check=False)

    few = ended("ulimit -n 64")
    assert few.returncode == 2
    assert (
        "100 needs 140 open files, and the limit is 64: give at most 24, or raise the limit ('ulimit -n 4096')." in few.stderr
    )
    assert ended("ulimit -Sn 64").returncode == 4  # it takes what the hard limit allows


@pytest.mark.long
def test_a_site_needs_open_files_for_its_visitors(tmp_path: Path) -> None:
    script = ["bash", "-c", 'ulimit -n 64 && "$0" luna serve --port 0', str(VIVA)]
    ended = subprocess.run(script, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=60)
    assert ended.returncode == 2
    assert ended.stderr == "viva: the site needs 381 open files, and the limit is 64: raise it ('ulimit -n 4096')\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "remedy"), [("run.sqlite", ON_RECORD), (None, NOT_KEPT)])
def test_what_stops_an_examination_says_how_to_go_on(name: str | None, remedy: str, tmp_path: Path) -> None:
    where = None if name is None else str(tmp_path / name)
    for error, code, wrapped in (
        (KeyboardInterrupt(), 130, InterruptedByUser),
        (CandidateUnreachable("no answer from localhost"), 5, CannotContinue),
        (TranscriptBusy("locked by another program"), 5, CannotContinue),
    ):
        with pytest.raises(wrapped) as stopped, records_at(where):
            raise error
        assert ending(stopped.value)[0] == code
        assert remedy in ending(stopped.value)[1]


def test_what_is_left_of_batches_is_told_of_all_records(tmp_path: Path) -> None:
    def interrupted(opened: list[Transcript]) -> None:
        for transcript, numbers in zip(opened, (range(2), range(1)), strict=True):
            transcript.by_batch = BatchAccount(left={Key("chat:m", "ab" * 32, number) for number in numbers})
        raise KeyboardInterrupt

    places = [str(tmp_path / name) for name in ("one.sqlite", "two.sqlite")]
    with (
        pytest.raises(InterruptedByUser, match=r"3 questions asked by batch may still run on the server"),
        records_at(*places) as opened,
    ):
        interrupted(opened)


def test_a_damaged_transcript_is_not_to_be_run_again(tmp_path: Path) -> None:
    with pytest.raises(TranscriptDamaged) as damaged, records_at(str(tmp_path / "run.sqlite")):
        raise TranscriptDamaged("record 3 was altered")
    assert ending(damaged.value) == (5, "record 3 was altered")


@pytest.mark.long
@pytest.mark.parametrize(
    "command", [["list", "candidates"], ["certify", "bot:calculator", "--scope", "arithmetic", "--questions", "5", "--quiet"]]
)
def test_a_closed_pipe_is_no_error_and_no_verdict(
    viva_process: Callable[..., subprocess.Popen[str]], command: list[str], tmp_path: Path
) -> None:
    process = viva_process(*command, *(["--html", "page.html"] if "certify" in command else []))
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=30) == 1
    assert (tmp_path / "page.html").exists() == ("certify" in command)


@pytest.mark.long
def test_letters_that_the_terminal_does_not_know_are_no_error(tmp_path: Path) -> None:
    command = [str(VIVA), "certify", "bot:calculator", "--scope", "arithmetic", "--questions", "5"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True
    )
    assert done.returncode == 4
    assert "Undecided" in done.stdout


def test_help_imports_nothing_heavy() -> None:
    # what makes a start slow: matplotlib, SciPy, Inspect and SQLAlchemy each take longer than the rest of the start together
    code = (
        "import sys; from vivavoce.cli import main; main(['--help'])\n"
        "print([m for m in ('matplotlib', 'scipy', 'numpy', 'inspect_ai', 'sqlalchemy', 'rich', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.endswith("[]\n")


def test_a_certificate_over_a_recording_imports_only_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "sums.csv").write_text("id,question,answer\na,What is 2 + 3?,5\nb,What is 4 + 4?,8\n")
    (tmp_path / "said.csv").write_text("id,said\na,Answer: 5\nb,Answer: 8\n")
    command = ["certify", "replay:said.csv#said", "--scope", "file:sums.csv", "--seed", "1", "--transcript", "kept.sqlite"]
    needless = (
        *("aiohttp", "jinja2", "matplotlib", "scipy", "sqlalchemy.orm"),
        *("vivavoce.examination", "vivavoce.certificate.comparison.asking", "vivavoce.certificate.comparison.plan"),
        *("vivavoce.interview.forms.one_option", "vivavoce.scopes.rules.scorers", "vivavoce.studies"),
    )
    code = (
        f"import sys; from vivavoce.cli import main; main({command})\n"
        f"print([m for m in {needless} if m in sys.modules], 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert "kept.sqlite" in done.stdout
    assert done.stdout.endswith("[] True\n")


@pytest.mark.long
def test_the_module_ends_with_the_same_exit_code() -> None:
    done = subprocess.run([sys.executable, "-m", "vivavoce", "certfy"], capture_output=True)
    assert done.returncode == 2
    assert b"certfy" in done.stderr


@pytest.mark.long
def test_terminated_twice_inside_an_import_it_cleans_up_and_ends_with_143(tmp_path: Path) -> None:
    (tmp_path / "ending.py").write_text(
        "import os, signal\n"
        "TERMINATE = 'os.kill(os.getpid(), signal.SIGTERM)\\nfor _ in range(100): pass'\n"
        "try:\n"
        "    exec(TERMINATE)\n"
        "finally:\n"
        "    exec(TERMINATE)\n"
        "    open('cleaned up', 'w').close()\n"
    )
    command = [sys.executable, "-m", "vivavoce", "certify", "function:ending:answer", "--scope", "arithmetic"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr.split()) == (143, ["viva:", "interrupted"])
    assert (tmp_path / "cleaned up").exists()
