"""Hostile programs, and processes in which to run them: plain, under a filter of ours, or as another user."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import indent
from typing import Any

from vivavoce.certificate.explanations.sandbox.program_reply import ProgramReply
from vivavoce.certificate.explanations.sandbox.sandbox import Program, Sandbox, SandboxLimits

ROOT = Path(__file__).parents[3]
USUAL = SandboxLimits()
QUICK = SandboxLimits(cpu_seconds=0.2)
"""For what never ends."""
LIGHT = """
import json, sys, types
for name in ("vivavoce", "vivavoce.certificate", "vivavoce.certificate.explanations"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [f"src/{name.replace('.', '/')}"]
sys.path[:0] = ["src", "."]
"""
"""The sandbox without the rest of the room, which takes a second to import."""


def questions(*texts: str) -> list[dict[str, Any]]:
    return [{"text": text, "options": [], "category": "hostile"} for text in texts]


def answering(body: str) -> Program:
    """A program that covers all and does this to answer, then says "through"."""
    return Program(f'def covers(q):\n    return True\ndef answer(q):\n{indent(body, "    ")}\n    return "through"\n')


def said(body: str, limits: SandboxLimits = USUAL) -> ProgramReply:
    """What it says to one question."""
    (ruling,) = Sandbox(limits).run(answering(body), questions("?"))
    return ruling


def unlocked(body: str) -> str:
    """What the same prints where no sandbox is: "through", if the attempt is a real one."""
    command = [sys.executable, "-I", "-S", "-B", "-c", f"{body}\nprint('through')"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


def in_process(script: str, *, python: str = sys.executable, **options: Any) -> str:
    """What a script prints that uses the sandbox in a process of its own."""
    command = [python, "-B", "-c", LIGHT + script]
    ran: subprocess.CompletedProcess[str] = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, **options
    )
    assert not ran.stderr, ran.stderr
    return ran.stdout
