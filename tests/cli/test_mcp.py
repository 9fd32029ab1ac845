"""`viva mcp` as a process of its own, with a real client of the protocol."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests import tracing
from tests.candidates.conftest import server
from tests.cli.conftest import VIVA, Refuses, Viva, wait_for_records
from tests.plugins.mcp_server.clients import error_of, values_of
from vivavoce.interview.transcript import Transcript

__all__ = ["server"]

pytestmark = pytest.mark.long  # whole programs; and the library keeps the standard error of when it is imported
CERTIFY = {"candidate": "one", "scope": "sums"}
PRINTING = """
import os, subprocess, sys


def answer(text):
    print("printed by the candidate")
    os.write(1, b"written past Python\\n")
    subprocess.run(["echo", "printed by its child"], check=True)
    return "Answer: -5" if sys.stdin.read() == "" else "Answer: 0"
"""


def _server(folder: Path, *options: str, **environment: str) -> StdioServerParameters:
    arguments = ["mcp", "--scope", "sums=arithmetic", "--transcript", "run.sqlite", *options]
    document = {**os.environ, "PYTHONWARNINGS": "error", **environment}
    return StdioServerParameters(command=str(VIVA), args=arguments, cwd=folder, env=document)


async def test_an_agent_examines_a_model_and_anybody_rechecks_it(viva: Viva, tmp_path: Path, server: str) -> None:
    values: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        values.append(progress)

    offered = ("--candidate", f"one=chat:calculator@{server}/v1", "--candidate", "two=bot:calculator?wrong=0.6")
    with tracing.collecting() as collector:
        parameters = _server(
            tmp_path, *offered, "--out", "found", OTEL_EXPORTER_OTLP_ENDPOINT=collector.address, OTEL_EXPORTER_OTLP_TIMEOUT="60"
        )
        async with Client(parameters) as client:
            result = values_of(await client.call_tool("certify", CERTIFY | {"questions": 30}, progress_callback=hear))
            compared = values_of(await client.call_tool("compare", {"candidates": ["two", "one"], "scope": "sums"}))
            assert values_of(await client.call_tool("recheck", {"result": compared["result"]}))["same"] is True
            assert "did you mean" in error_of(await client.call_tool("certify", {"candidate": "ones", "scope": "sums"}))
    assert result["finding"]["candidates"][0] == f"chat:calculator@{server}/v1"
    assert values == sorted(values)
    assert values[-1] >= result["finding"]["figures"]["questions"]
    assert compared["verdict"] == "worse"
    assert await asyncio.to_thread(_rechecked, viva, tmp_path / "found") == ["certificate", "comparison"]
    names = [span.name for span in collector.spans]
    assert names.count("viva certify") == names.count("viva compare") == 1
    assert names.count("chat calculator") >= 30
    assert "tools/call certify" in names


def _rechecked(viva: Viva, folder: Path) -> list[str]:
    """The kinds of documents that the command line finds to be the same as their record."""
    ended = [viva("recheck", str(file), "--transcript", "run.sqlite", "--json") for file in sorted(folder.iterdir())]
    document = [json.loads(entry.out) for entry in ended]
    return [entry["recheck"] for entry in document if not entry["differences"]]


async def test_what_a_candidate_prints_is_not_in_the_protocol_and_its_input_is_empty(tmp_path: Path) -> None:
    (tmp_path / "mind.py").write_text(PRINTING)
    async with Client(_server(tmp_path, "--candidate", "one=function:mind:answer")) as client:
        values = values_of(await client.call_tool("certify", CERTIFY))
    assert values["verdict"] == "fail"
    assert {example["said"] for example in values["examples"]} == {"Answer: -5"}


def test_lines_that_are_no_messages_do_not_end_it() -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    messages: list[Any] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "certify", "arguments": "no object"}},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "\ud800", "arguments": {}}},
        {
            "jsonrpc": "2.0",
            "id": 5,
            "method": "tools/call",
            "params": {"name": "certify", "arguments": CERTIFY | {"\ud800": 1}},
        },
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "certify", "arguments": CERTIFY}},
    ]
    rubbish = [
        "not json", "{", "[]", "null", '"text"', '{"jsonrpc": "1.0"}', '{"jsonrpc":"2.0","id":{},"method":3}', "\x00\ufffd",
    ]  # fmt: skip
    lines = [line for message in messages for line in (*rubbish, "[" * 2000, json.dumps(message))]
    with subprocess.Popen(
        [str(VIVA), "mcp", "--candidate", "one=bot:calculator?wrong=0.6", "--scope", "sums=arithmetic"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as served:  # fmt: skip
        assert served.stdin is not None
        assert served.stdout is not None
        served.stdin.write("\n".join(lines) + "\n")
        served.stdin.flush()
        answers: list[dict[str, Any]] = []
        while not any(answer.get("id") == 3 for answer in answers):
            answers.append(json.loads(served.stdout.readline()))
        out, err = served.communicate(timeout=60)
    assert served.returncode == 0
    assert not out
    assert "Traceback" not in err
    by_id = {answer.get("id"): answer for answer in answers}
    assert "error" in by_id[2]
    assert by_id[3]["result"]["structuredContent"]["verdict"] == "fail"


async def test_killed_in_mid_call_and_started_again_it_goes_on(tmp_path: Path, server: str) -> None:
    model = "calculator"
    offered = ("--candidate", f"one=chat:{model}@{server}/v1", "--concurrency", "2")
    record = tmp_path / "run.sqlite"
    with suppress(Exception):
        async with Client(_server(tmp_path, *offered)) as client:
            call = asyncio.create_task(client.call_tool("certify", CERTIFY | {"questions": 200}))
            await asyncio.to_thread(wait_for_records, record, 10)
            _kill_child_of_this_process()
            await asyncio.wait_for(call, 30)
    asked_before = _seen(server)[model]
    with Transcript.open(record, must_exist=True) as transcript:
        kept = transcript.answers(f"chat:{model}@{server}/v1")
    assert 1 <= kept < 200
    async with Client(_server(tmp_path, *offered)) as client:
        values = values_of(await client.call_tool("certify", CERTIFY | {"questions": 200}))
    assert values["attempt"] == 1
    assert _seen(server)[model] - asked_before <= 200 - kept + 4


def _kill_child_of_this_process() -> None:
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True)
    [child] = [line.split()[0] for line in listed.stdout.splitlines() if " mcp " in line]
    os.kill(int(child), signal.SIGKILL)


def _seen(server: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{server}/seen", timeout=10) as response:
        result: dict[str, int] = json.load(response)
        return result


@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_ends_when_it_is_told_although_its_input_stays_open(tmp_path: Path, end: signal.Signals, code: int) -> None:
    command = [str(VIVA), "mcp", "--candidate", "bot:calculator", "--scope", "arithmetic", "--transcript", "run.sqlite"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(end)
        assert process.wait(timeout=30) == code
        assert process.stderr is not None
        assert not process.stderr.read()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--scope", "arithmetic"), "Missing option '--candidate'"),
        (("--candidate", "bot:calculator"), "Missing option '--scope'"),
        (("--candidate", "human:p07", "--scope", "arithmetic"), "'human:p07' is a person"),
        (("--candidate", "bot:nobody", "--scope", "arithmetic"), "there is no bot 'nobody'"),
        (("--candidate", "bot:calculator", "--scope", "file:no.jsonl"), "no.jsonl"),
        (("--candidate", "bot:calculator", "--scope", "arithmetic", "--questions", "0"), "--questions"),
        (("--candidate", "bot:calculator", "--scope", "arithmetic", "--money", "-1"), "--money"),
    ],
)
def test_what_cannot_be_served_is_refused(refuses: Refuses, options: tuple[str, ...], problem: str) -> None:
    refuses("mcp", *options, says=problem)
