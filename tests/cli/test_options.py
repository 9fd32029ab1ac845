"""The command as a whole: options of one meaning are one option, and what cannot be meant is a line with the remedy."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.cli.conftest import VIVA, Refuses, Viva
from tests.each_case import each_case
from vivavoce.cli.certify import certify
from vivavoce.cli.help import SHORT
from vivavoce.cli.options import ExpertOption
from vivavoce.cli.viva import viva as top

AT_THE_END = ("quiet", "json", "html", "junit", "markdown")
"""Options of output, in the order of every help."""
LEAVES_DATA = {
    "transcript export", "people predict apply", "luna serve", "mcp", "import",
}  # fmt: skip
"""Commands whose output is a table for other programs, or none."""
ONE_MEANING = ("json", "html", "quiet", "transcript", "tokens", "money", "timeout", "max-tries", "reply-format", "temperature")


def commands(group: click.Command = top, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command by its whole name, groups left out."""
    if not isinstance(group, click.Group):
        yield " ".join(path), group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command, *path, name)


COMMANDS = dict(commands())


def test_there_are_few_enough_commands_to_choose_from(viva: Viva) -> None:
    listed = re.findall(r"^  ([a-z]+)  +[A-Z]", viva("--help").out, flags=re.MULTILINE)
    assert sorted(listed) == sorted(top.list_commands(click.Context(top)))
    assert len(listed) <= 21
    assert len(COMMANDS) <= 80


READS_A_RECORD = "recheck"
"""The command whose transcript must be there already."""


def options(command: click.Command) -> dict[str, click.Option]:
    """Its options by their long names."""
    options = (option for option in command.params if isinstance(option, click.Option))
    return {next(name for name in option.opts if name.startswith("--"))[2:].removeprefix("set "): option for option in options}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_tells_its_exit_codes_its_options_and_can_speak_json(viva: Viva, name: str) -> None:
    ended = viva(*name.split(), "--help")
    assert ended.code == 0
    assert "Exit codes: 0 " in ended.out[-400:].replace("\n  ", " ")
    given = options(COMMANDS[name])
    assert all(option.help for option in given.values())
    assert ("json" in given) is (name not in LEAVES_DATA)
    at_the_end = [text for text in given if text in AT_THE_END]
    assert list(given)[len(given) - len(at_the_end) :] == at_the_end == sorted(at_the_end, key=AT_THE_END.index)


def plain(command: click.Command) -> dict[str, click.Option]:
    """The options that are not settings."""
    return {name: option for name, option in options(command).items() if not isinstance(option, ExpertOption)}


MANY = [name for name, command in COMMANDS.items() if len(plain(command)) > SHORT]
NEVER_HIDDEN = {"passing-grade", "unacceptable-limit", "flip-limit", "delta", "transcript", "seed", "new-attempt", "judge"}


@pytest.mark.parametrize("name", MANY)
def test_short_help_has_what_a_first_user_needs_and_help_all_has_every_option(viva: Viva, name: str) -> None:
    given = plain(COMMANDS[name])
    short, whole = (viva(*name.split(), flag).out for flag in ("--help", "--help-all"))
    listed = {
        text
        for text in given
        if re.search(rf"^ +(-\w, )?(--[\w-]+, )*--{text}\b(?!-)", short.partition("Options:")[2], re.MULTILINE)
    }
    needed = {text for text, option in given.items() if option.required} | (NEVER_HIDDEN & set(given))
    assert needed <= listed
    assert len(listed) <= SHORT
    assert all(f"--{text}" in whole for text in given)
    assert all(f"\n  {option.key}=" in whole for option in options(COMMANDS[name]).values() if isinstance(option, ExpertOption))
    assert len(short.splitlines()) < len(whole.splitlines())
    assert viva(*name.split(), "--help").out == short, "what was asked for before changes nothing"


def test_the_help_of_certify_fits_a_screen(viva: Viva) -> None:
    assert len(viva("certify", "--help").out.splitlines()) <= 45


def test_certify_has_at_most_thirty_options(viva: Viva) -> None:
    given = certify.get_params(click.Context(certify))
    assert len([option for option in given if isinstance(option, click.Option) and not isinstance(option, ExpertOption)]) <= 30


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--timeout",), "'--set timeout' lacks a value: write '--set timeout=VALUE'."),
        (("--timeout=soon",), "'--set timeout': 'soon' is out of range"),
        (("--set", "tiemout=3"), "there is no setting 'tiemout'; did you mean 'timeout'?"),
        (("--set", "questions=3"), "'questions' is an option: write '--questions' without '--set'."),
        (("--set", "timeout"), "'--set timeout' lacks a value: write '--set timeout=VALUE'."),
        (("--set", "timeout=soon"), "'--set timeout': 'soon' is out of range: give a number above 0"),
        (("--set", "strict-faults=maybe"), "give true or false"),
        (("--set",), "'--set' needs a value: write one after it."),
    ],
)
def test_a_wrong_setting_is_told_what_to_write(refuses: Refuses, given: tuple[str, ...], says: str) -> None:
    refuses("certify", "bot:calculator", *SUMS, *given, says=says)


def test_settings_are_read_as_options_are(viva: Viva) -> None:
    more = ("--strict-faults", "--max-tries=2", "--set", "name=a=b", "--set=zero-is-unacceptable=false", "--timeout", "9")
    ended = viva("certify", "bot:calculator", *SUMS, *more, "--seed", "0", "--json")
    assert ended.code == 0
    assert '"strict_faults": true' in ended.values["signature"]
    assert "a=b passes" in ended.values["statement"]


def test_a_few_options_need_no_second_help(viva: Viva) -> None:
    assert "--help-all" not in viva("transcript", "show", "--help").out
    assert viva("transcript", "show", "--help-all").code == 2


@each_case("name", COMMANDS)
def test_help_of_an_option_is_one_sentence_of_80_characters(name: str) -> None:
    assert [option.help for option in options(COMMANDS[name]).values() if len(option.help or "") > 80] == []


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option) for name in COMMANDS for option in ("html", "junit", "markdown") if option in options(COMMANDS[name])],
)
def test_a_page_in_a_folder_that_is_not_there_is_refused(viva: Viva, name: str, option: str) -> None:
    ended = viva(*name.split(), f"--{option}", "no/page")
    assert (ended.code, ended.out) == (2, "")
    assert f"--{option} no/page: the folder 'no' does not exist" in ended.err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (("certfy",), "viva certify"),
        (("conversation",), "viva consistency conversations"),
        (("consistency", "chess-search"), "viva consistency chess search"),
        (("luna", "predict", "comparre"), "viva luna predict compare"),
        (("examine",), "viva report"),
        (("dossier",), "viva diff"),
        (("sweep",), "viva compare --plan"),
        (("generalization",), "viva people"),
        (("serve",), "viva luna serve"),
        (("scopes",), "viva list scopes"),
        (("consistency", "metamorphic"), "viva consistency rules"),
        (("consistency", "sycophancy"), "viva consistency conversations"),
        (("luna", "unban"), "viva luna admin ban --undo"),
    ],
)
def test_a_misspelt_command_is_told_the_nearest(refuses: Refuses, given: tuple[str, ...], meant: str) -> None:
    refuses(*given, says=f"there is no command '{given[-1]}': did you mean '{meant}'?")


def test_a_command_like_no_other_gets_the_list(viva: Viva) -> None:
    assert "there is no command 'zzzzz': commands are show, verify, export." in viva("transcript", "zzzzz").err


def test_errors_of_independent_values_come_together(viva: Viva) -> None:
    ended = viva("certify", "bot:eliza", "--delta", "2", "--passing-grade", "70", "--concurrency", "x")
    assert (ended.code, ended.out) == (2, "")
    lines = ended.err.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("viva: ") for line in lines)
    for text in ("'--delta': '2'", "'--passing-grade': '70'", "'--concurrency': 'x'", "Missing option '--scope'"):
        assert sum(text in line for line in lines) == 1


@each_case("meaning", ONE_MEANING)
def test_an_option_of_one_meaning_is_one_option(meaning: str) -> None:
    taken = {name: options(command) for name, command in COMMANDS.items() if name != READS_A_RECORD}
    results = [given[meaning] for given in taken.values() if meaning in given]
    assert (
        len({(tuple(option.opts), option.help, option.metavar, str(option.default), option.is_flag) for option in results}) == 1
    )
    assert len(results) > 2


def test_what_is_not_there_is_not_made(viva: Viva, tmp_path: Path) -> None:
    for arguments in (("add", "Bot", "--renew"), ("revoke", "Bot"), ("list",)):
        ended = viva("luna", "machine", *arguments, "--database", "lunna.sqlite")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err == "viva: lunna.sqlite: there is no such database: 'viva luna serve' makes one\n"
    assert list(tmp_path.iterdir()) == []


PLAN = ("plan", "--simulations", "10")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*PLAN, "--score", "nan"), "'nan' is out of range: give a number from 0 to 1"),
        ((*PLAN, "--unacceptable", "nan"), "'nan' is out of range"),
        ((*PLAN, "--delta", "1e-320"), "'1e-320' is out of range"),
        ((*PLAN, "--passing-grade", "1e-320"), "'1e-320' is out of range"),
        ((*PLAN, "--passing-grade", "70"), "For 70% write 0.7."),
        ((*PLAN, "--passing-grade", "70%"), "For 70% write 0.7."),
        ((*PLAN, "--questions", "9" * 30), "is out of range: give a whole number from 1 to"),
        (("plan", "--simulations", "9" * 30), "is out of range: give a whole number from 1 to"),
        (("transcript", "show", "x.sqlite", "--limit", "9" * 30), "is out of range: give a whole number above 0"),
        (("transcript", "show", "x.sqlite", "--limit", "9" * 5000), "is out of range: give a whole number above 0"),
        (("transcript", "verify", "x.sqlite", "--expect", f"²:{'a' * 64}"), "is not a head"),
        (("transcript", "verify", "x.sqlite", "--expect", f"{'9' * 5000}:{'a' * 64}"), "is not a head"),
        (("transcript", "show", "x.sqlite", "--topic", "\udcff"), "is not valid UTF-8"),
        (("transcript", "show", "two\nlines\x1b[2J"), "two lines\N{REPLACEMENT CHARACTER}[2J"),
    ],
)
def test_numbers_and_texts_that_cannot_be_are_refused(refuses: Refuses, arguments: tuple[str, ...], message: str) -> None:
    refuses(*arguments, says=message)


SUMS = ("--scope", "arithmetic")


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (("certify", "bot:elisa", "--scope", "arithmatic"), ("did you mean 'eliza'?", "did you mean 'arithmetic'?")),
        (("compare", "bot:elisa", "bot:calcu", "--scope", "arithmatic"), ("'arithmetic'?", "'eliza'?", "'calculator'?")),
        (("gate", "bot:elisa", "--baseline", "old.csv", "--scope", "arithmatic"), ("'arithmetic'?", "'eliza'?")),
        (("consistency", "teach", "bot:elisa", "--teacher", "bot:calcu", *SUMS), ("'eliza'?", "'calculator'?")),
        (("try", "bot:elisa", "--scope", "arithmatic", "--judge", "bot:calcu"), ("'arithmetic'?", "'eliza'?", "'calculator'?")),
        (("consistency", "vary", "bot:elisa", "--scope", "arithmatic"), ("'arithmetic'?", "'eliza'?")),
        (("consistency", "conversations", "bot:elisa", "--scope", "arithmatic"), ("'arithmetic'?", "'eliza'?")),
        (
            ("certify", "bot:eliza", *SUMS, "--rubric", "x", "--set", "batch=3", "--set", "judge-only=2"),
            ("'--rubric' needs a judge", "'--set batch' needs people as graders", "'--set judge-only' needs a judge and"),
        ),
        (
            (
                "certify", "bot:eliza", *SUMS, "--set", "checks=9", "--set", "procedure=fixed", "--strata", "category",
                "--set", "importance-weighting",
            ),
            ("'--set checks' is for explanations", "'--strata' draws by weight", "'--set procedure=fixed' needs '--questions"),
        ),
        (
            ("certify", "bot:eliza", *SUMS, "--html", "no/page.html", "--results", "rows.doc"),
            ("the folder 'no' does not exist", "'rows.doc' ends in none of .csv, .jsonl and .parquet"),
        ),
        (("certify", "openai:gpt-4o", *SUMS), ("For a model of a provider write inspect:openai/gpt-4o",)),
        (
            ("certify", "old.csv#a", *SUMS),
            ("'old.csv#a' is a file: to use the answers in one of its columns, write replay:old.csv#COLUMN",),
        ),
        (("certify", "bot:eliza", "bot:calculator", *SUMS), ("'bot:calculator' is one argument too many: leave it out",)),
        (("certify", "chat:m@http://localhost:1/v1?temp=0", *SUMS), ("did you mean 'temperature'?",)),
        (("people", "predict", "fit", "a.csv", "--predictor", "berd", "--out", "m"), ("did you mean 'bert'?",)),
        (("report", "bot:eliza", "--only", "lunna"), ("did you mean 'luna'?",)),
    ],
)  # fmt: skip
def test_all_that_is_wrong_is_said_with_what_to_write(
    viva: Viva, tmp_path: Path, arguments: tuple[str, ...], lines: tuple[str, ...]
) -> None:
    (tmp_path / "old.csv").write_text("id,question,reply,read as,expected,score,outcome,seconds,tokens\n")
    ended = viva(*arguments)
    assert (ended.code, ended.out) == (2, "")
    splitlines = ended.err.splitlines()
    assert len(splitlines) == len(lines), ended.err
    for line, part in zip(splitlines, lines, strict=True):
        assert line.startswith("viva: ")
        assert part in line


FULL = Path("/dev/full")
needs_a_full_disk = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full, a disk that is always full")


@needs_a_full_disk
def test_a_full_disk_is_one_line_with_the_remedy(viva: Viva) -> None:
    arguments = ("certify", "--seed", "0", "bot:calculator", "--scope", "arithmetic", "--questions", "5", "--quiet", "--json")
    ended = viva(*arguments, "--html", str(FULL))
    assert ended.code == 2
    assert ended.out.startswith("{"), "what was found is said all the same"
    assert ended.err == "viva: /dev/full: cannot be written: No space left on device; make room, or choose another place\n"


@needs_a_full_disk
def test_output_that_finds_no_room_is_one_line(tmp_path: Path) -> None:
    with FULL.open("w") as full:
        done = subprocess.run([VIVA, "list", "candidates"], stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("viva: a file can't be written: ")
