"""The layers themselves: that they stand when they say so, and that nothing runs where those that must stand do not."""

from __future__ import annotations

import ctypes
import json
import os
import re
import struct
import subprocess
import sys
import time
from errno import ENOSYS, EPERM
from functools import partial
from pathlib import Path

import pytest

from tests.certificate.explanations.hostile import LIGHT, ROOT, in_process
from tests.each_case import each_case
from vivavoce.certificate.explanations.sandbox.isolation import MACHINES, ProcessorNumbers, filter_for
from vivavoce.certificate.explanations.sandbox.sandbox import NEEDED, Layer, SandboxLayers, SandboxLimits, opened, what_holds

ALLOW, DENY, KILL = 0x7FFF0000, 0x00050000 | EPERM, 0x80000000


def status(process: int) -> dict[str, str]:
    """What Linux says of a process; nothing of one that is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def locked(first: int) -> list[int]:
    """Those under a filter among this process and all below it."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    parents = {number: int(status(number).get("PPid", 0)) for number in numbers}
    counts = level = [first]
    while level:
        level = [number for number, parent in parents.items() if parent in level]
        counts = counts + level
    return [number for number in counts if status(number).get("Seccomp") == "2"]


def gone(processes: list[int]) -> None:
    """Wait until these have ended, though nobody may yet have been told."""
    for _ in range(3000):
        if all(status(process).get("State", "Z")[0] == "Z" for process in processes):
            return
        time.sleep(0.02)
    raise AssertionError(f"{processes} are still there")


def test_what_must_hold_holds_here() -> None:
    holds = what_holds()
    assert holds.missing == ()
    assert all(holds[name].stands for name in NEEDED)
    assert what_holds() is holds


def test_linux_itself_says_so_of_the_process() -> None:
    with opened(SandboxLimits(cpu_seconds=3)) as child:
        (process,) = locked(child.number)
        document = status(process)
        limits = Path(f"/proc/{process}/limits").read_text()
        assert child.holds == what_holds()
        assert document["NoNewPrivs"] == "1"
        assert int(document["CapEff"], 16) == int(document["CapPrm"], 16) == 0
        assert document["Threads"] == "1"
        assert (document["Uid"].split()[0] == "65534") == (child.holds["another user"].stands or os.getuid() == 65534)
        assert ("\t" in document["NSpid"]) == child.holds["process namespace"].stands
        for name, most in {"cpu time": 4, "file size": 0, "core file size": 0, "processes": 0, "open files": 0}.items():
            assert re.search(rf"Max {name} +{most} +{most} ", limits)
        assert re.search(rf"Max address space +{2**28} +{2**28} ", limits)
    gone([process])


def test_landlock_alone_keeps_files_out() -> None:
    if not what_holds()["landlock"].stands:
        pytest.skip("this kernel has no Landlock")
    script = """
from vivavoce.certificate.explanations.sandbox import isolation
isolation._prctl(38, 1)
open("/etc/passwd").close()
isolation._landlock()
try:
    open("/etc/passwd")
except PermissionError:
    print("kept out")
"""
    assert in_process(script) == "kept out\n"


@pytest.mark.skipif(os.getuid() != 0, reason="only root may look at another user's namespaces")
def test_the_namespaces_are_others() -> None:
    with opened(SandboxLimits()) as child:
        (process,) = locked(child.number)
        kinds = {"user": "user namespace", "net": "network namespace", "ipc": "message namespace", "pid": "process namespace"}
        for kind, layer in kinds.items():
            other = os.readlink(f"/proc/{process}/ns/{kind}") != os.readlink(f"/proc/self/ns/{kind}")
            assert other == child.holds[layer].stands
        assert (os.listdir(f"/proc/{process}/root") == []) == child.holds["empty root"].stands
        assert sorted(os.listdir(f"/proc/{process}/fd")) == ["0", "1", "2"]


def test_the_process_dies_with_the_one_that_started_it() -> None:
    script = """
from vivavoce.certificate.explanations.sandbox.sandbox import *
code = "import _thread; lock = _thread.allocate_lock(); lock.acquire(); lock.acquire()"
Sandbox(SandboxLimits(wall_seconds=600)).run(Program(code), [])
"""
    starter = subprocess.Popen([sys.executable, "-B", "-c", LIGHT + script], cwd=ROOT)
    try:
        while not (below := locked(starter.pid)):
            assert starter.poll() is None
            time.sleep(0.05)
    finally:
        starter.kill()
        starter.wait()
    gone(below)


REFUSED = """
from tests.certificate.explanations.denying import deny
from vivavoce.certificate.explanations.sandbox.sandbox import *
(calls, error), path = json.loads(sys.stdin.read())
deny(calls, error=error)
try:
    Sandbox().run(Program(f"open({path!r}, 'w'); covers = answer = bool"), [{"text": "?"}])
except SandboxUnavailable as refusal:
    print(refusal)
"""


@each_case(
    ("calls", "error", "missing"),
    [
        (["prctl:22"], EPERM, "here: seccomp (operation not permitted), no network ("),
        (["prctl:22", "unshare", "landlock", "setresuid"], ENOSYS, "seccomp (function not implemented)"),
        (["prctl:38"], EPERM, "here: no new privileges (operation not permitted)"),
        (["prctl"], ENOSYS, "here: process (it ended before its layers stood: exit code 1). This needs Linux"),
        (
            ["prlimit64", "setrlimit"],
            EPERM,
            "here: limits (operation not permitted), bounded memory (it was tried, and was not refused).",
        ),
    ],
)
def test_where_the_kernel_denies_what_must_hold_nothing_is_run(
    calls: list[str], error: int, missing: str, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)
    refusal = in_process(REFUSED, input=json.dumps([[calls, error], str(tmp_path / "ran")]))
    assert refusal.startswith("the candidate's programs cannot be run safely here: ")
    assert missing in refusal
    assert "leave explanations out, or examine on such a machine" in refusal
    assert not (tmp_path / "ran").exists()


HELD = """
from vivavoce.certificate.explanations.sandbox.sandbox import *
holds = what_holds()
print(json.dumps([list(map(str, holds.missing)), holds["another user"].why_not]))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become others")
def test_root_that_may_not_kill_others_stays_who_it_is() -> None:
    keep_no_right_to_kill = partial(ctypes.CDLL(None).prctl, 24, 5, 0, 0, 0)
    missing, why_not = json.loads(in_process(HELD, preexec_fn=keep_no_right_to_kill))
    assert (missing, why_not) == ([], "root may not kill here")


@pytest.mark.skipif(os.getuid() != 0, reason="the other tests run as a plain user already")
def test_it_holds_for_a_plain_user_too() -> None:
    can = [python for python in (sys.executable, "/usr/bin/python3") if _runs_for_others(python)]
    if not can:
        pytest.skip("other users may run no Python here")
    missing, why_not = json.loads(in_process(HELD, python=can[0], user=65534, group=65534, extra_groups=[]))
    assert (missing, why_not) == ([], "not started as root")


def _runs_for_others(python: str) -> bool:
    needed = "import sys; assert sys.version_info >= (3, 11); open('src/vivavoce/errors.py')"
    try:
        ran = subprocess.run(
            [python, "-c", needed], cwd=ROOT, user=65534, group=65534, extra_groups=[], stderr=subprocess.DEVNULL
        )
    except OSError:
        return False
    return not ran.returncode


def verdict(code: bytes, *, audit: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """What the filter says, by the manual of its instructions."""
    data = struct.pack("=iIQ6Q", number, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = list(struct.iter_unpack("HBBI", code))
    at, held = 0, 0
    while True:
        what, so, not_so, value = steps[at]
        at += 1
        if what == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
        elif what == 0x06:
            return int(value)
        else:
            taken = {0x15: held == value, 0x25: held > value, 0x45: bool(held & value)}[what]
            at += so if taken else not_so


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_the_filter_lets_through_what_it_says_and_nothing_else(machine: ProcessorNumbers) -> None:
    code = filter_for(machine)
    allowed = machine.allowed
    free = set(allowed.values()) - {allowed[call] for call in ("read", "write")}
    for number in [*range(1024), 2**30 + 9, 2**31 - 1]:
        assert verdict(code, audit=machine.audit, number=number, arguments=(7,)) == (ALLOW if number in free else DENY)
        assert verdict(code, audit=0x40000003, number=number) == KILL
    for call, right in (("read", 0), ("write", 1)):
        for descriptor in (0, 1, 2, 3, 2**31):
            decision = verdict(code, audit=machine.audit, number=allowed[call], arguments=(descriptor,))
            assert decision == (ALLOW if descriptor == right else DENY)
    for call in ("mmap", "mprotect"):
        for protection in range(16):
            decision = verdict(code, audit=machine.audit, number=allowed[call], arguments=(0, 0, protection))
            assert decision == (DENY if protection & 4 else ALLOW)
    # those of `linux/time.h` from CLOCK_REALTIME to CLOCK_BOOTTIME, whatever is in the half that Linux leaves aside
    for clock in [*range(-40, 40), *(~process << 3 | kind for process in (0, 1, 77, 2**22) for kind in range(8))]:
        for argument in (clock % 2**32, clock % 2**64):
            decision = verdict(code, audit=machine.audit, number=allowed["clock_gettime"], arguments=(argument,))
            assert decision == (ALLOW if 0 <= clock <= 7 else DENY), clock


@pytest.mark.parametrize(
    ("name", "header"), [("x86_64", "x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "asm-generic/unistd.h")]
)
def test_the_numbers_are_those_of_linux_s_own_headers(name: str, header: str) -> None:
    file = Path("/usr/include") / header
    if not file.exists():
        pytest.skip(f"there is no {file}")
    text = file.read_text()
    machine = MACHINES[name]
    for call, number in {**machine.allowed, "capset": machine.capset, "pivot_root": machine.pivot_root}.items():
        assert re.search(rf"#define __NR(3264)?_{call} {number}\b", text), call


def test_what_holds_in_words() -> None:
    assert SandboxLayers(()).words == "nothing"
    assert SandboxLayers((Layer("landlock", "no"), Layer("seccomp"))).words == "seccomp; not landlock (no)"
    assert {layer.name for layer in SandboxLayers(()).missing} == set(NEEDED)
