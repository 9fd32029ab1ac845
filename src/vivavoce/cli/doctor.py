"""`viva doctor`: check the installation, the keys and the server of a model."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, PROVIDERS, candidate_name
from vivavoce.cli.options import JSON, wants_json
from vivavoce.cli.output import print_json
from vivavoce.cli.settings_file import read_settings, shown_setting
from vivavoce.errors import VivavoceError
from vivavoce.version import __version__

if TYPE_CHECKING:
    from vivavoce.candidates.chat.candidate import Chat

EXTRAS: Final = {
    "models": ("inspect_ai",),
    "chess": ("chess", "ribs"),
    "web": ("fastapi", "uvicorn", "alembic"),
    "postgres": ("psycopg",),
    "text": ("sklearn", "rapidfuzz", "xgboost"),
    "neural": ("torch", "transformers", "peft"),
    "luna": ("openskill",),
    "traces": ("phonenumbers",),
}
"""The modules of each extra."""
ENGINES: Final = ("stockfish", "lc0")
LEAST_FREE: Final = 200_000_000
"""Bytes of free disk that a long run may need."""
SHOWN: Final = 10
"""Models of a server that are listed."""
WORKS, FAILS, ABSENT = "works", "fails", "not there"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One check."""

    name: str
    state: str
    """`works`, `fails`, or `not there` for something optional."""
    says: str


@command(epilog=exit_codes("0 everything that is needed works", "2 something fails"))
@click.argument("model", required=False, type=CANDIDATE)
@JSON
def doctor(*, model: str | None) -> int:
    """Check Python, extras, keys, engines and disk, and whether MODEL answers (default: the model of viva.toml).

    \b
    viva doctor
    viva doctor chat:llama3.2@http://localhost:11434/v1
    viva doctor --json

    Keys are listed by name; no value is printed. One question is asked of the model, and nothing is kept.
    """
    checks = [*_installation(), *_settings()]
    try:
        named = model or candidate_name(read_settings().values.get("model", ""))
    except VivavoceError as error:
        checks.append(DoctorCheck("model", FAILS, str(error)))
    else:
        absent = DoctorCheck("model", ABSENT, "no model: give MODEL, or set model in viva.toml")
        checks += asyncio.run(_asked(named)) if named else [absent]
    if wants_json():
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            mark = {WORKS: "✓", FAILS: "✕", ABSENT: "–"}[check.state]
            click.echo(f"{mark} {check.name}: {check.says}")
    return 2 if any(check.state == FAILS for check in checks) else 0


def _installation() -> list[DoctorCheck]:
    from importlib.util import find_spec

    checks = [
        DoctorCheck("Python", WORKS, f"{sys.version.split()[0]} at {sys.executable}"),
        DoctorCheck("Vivavoce", WORKS, f"{__version__} at {Path(__file__).parents[1]}"),
    ]
    for extra, modules in EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        says = f"pip install 'vivavoce[{extra}]' for {', '.join(missing)}" if missing else "installed"
        checks.append(DoctorCheck(f"extra {extra}", ABSENT if missing else WORKS, says))
    for engine in ENGINES:
        program = shutil.which(engine) or shutil.which(engine, path="/usr/games")
        checks.append(DoctorCheck(f"engine {engine}", ABSENT if program is None else WORKS, program or "not found"))
    free = shutil.disk_usage(".").free
    checks.append(
        DoctorCheck("free disk", WORKS if free >= LEAST_FREE else FAILS, f"{free / 1e9:.1f} GB in the current folder")
    )
    return checks


def _settings() -> list[DoctorCheck]:
    """The names of keys that are set, and the settings of viva.toml."""
    from vivavoce.candidates.chat.options import KEY_VARIABLES

    names = dict.fromkeys((*KEY_VARIABLES, *(provider.key for provider in PROVIDERS)))
    keys = [name for name in names if os.environ.get(name)]
    checks = [DoctorCheck("keys", WORKS if keys else ABSENT, ", ".join(keys) or f"none of {', '.join(names)} is set")]
    try:
        settings = read_settings()
    except VivavoceError as error:
        return [*checks, DoctorCheck("settings", FAILS, str(error))]
    words = ", ".join(map(shown_setting, settings.values, settings.values.values()))
    says = f"{settings.source}: {words or 'nothing set'}" if settings.source else "no viva.toml: the defaults apply"
    return [*checks, DoctorCheck("settings", WORKS if settings.source else ABSENT, says)]


async def _asked(name: str) -> list[DoctorCheck]:
    """Check whether the model's server answers, which models it has, and whether a reply can be parsed."""
    from vivavoce.candidates import close_candidate, open_candidate
    from vivavoce.candidates.chat.candidate import Chat

    try:
        candidate: Any = open_candidate(name)
    except VivavoceError as error:
        return [DoctorCheck("model", FAILS, str(error))]
    try:
        server = [await _server(candidate)] if isinstance(candidate, Chat) else []
        return [*server, await _reply(candidate)]
    finally:
        await close_candidate(candidate)


async def _server(candidate: Chat) -> DoctorCheck:
    """Check whether the server answers, and get the names of its models."""
    from yarl import URL

    try:
        response = await candidate.http.send("GET", URL(candidate.address + "/models"), longest=1 << 22)
        entries = json.loads(response.body)["data"] if response.status < 300 else None
        names = None if entries is None else [str(entry["id"]) for entry in entries]
    except VivavoceError as error:
        return DoctorCheck("server", FAILS, f"{candidate.address}: {error}")
    except (ValueError, KeyError, TypeError):
        names = None
    if names is None:
        return DoctorCheck("server", WORKS, f"{candidate.address} answers with status {response.status}; it lists no models")
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return DoctorCheck("server", WORKS, f"{candidate.address} has {', '.join(names[:SHOWN])}{more}")


async def _reply(candidate: Any) -> DoctorCheck:
    """Check whether the reply to one sum can be parsed."""
    from vivavoce.certificate.graders.rule_grading import try_out
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.scopes import open_scope

    interview = Interview(candidate, answers=Reply)
    try:
        answers = [answer async for answer in try_out(interview, open_scope("arithmetic"), questions=1)]
    except VivavoceError as error:
        return DoctorCheck("reply", FAILS, str(error))
    if not answers or not answers[0].read_as:
        reply = answers[0].answer[:200] if answers else "none"
        return DoctorCheck("reply", FAILS, f"{candidate.name} gave no answer that can be parsed: {reply}")
    return DoctorCheck("reply", WORKS, f"{candidate.name} answers {answers[0].question} with {answers[0].read_as}")
