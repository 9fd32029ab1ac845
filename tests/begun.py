"""A `viva` that has begun already: a call is a copy of a process that has imported what it needs; nothing else differs.

The process is run as `python -m tests.begun ADDRESS`; a call, as `python begun.py ADDRESS ARGUMENT...`, hands it its own
folder, environment, input and output, passes interrupts on, and ends with the exit code of the copy. Where a call is killed, so
is the copy: who waits for the end of its output waits for that as well.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import struct
import sys
from contextlib import contextmanager

TYPE_CHECKING = False  # `typing` itself would take a call longer than all else
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import NoReturn

PACKAGES = ("vivavoce.cli", "vivavoce.certificate", "vivavoce.examination", "vivavoce.render")
MODULES = ("vivavoce.candidates.bots", "matplotlib.figure", "matplotlib.backends.backend_svg")
LONGEST = 1_000_000
"""Bytes of a call: arguments and environment."""
PROCESS = struct.Struct("i")
"""The number of the copy."""


def call(address: str, arguments: list[str]) -> int:
    """The exit code of `viva` with these arguments, here."""
    data = json.dumps({"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LONGEST)
        line.connect(address)
        socket.send_fds(line, [data], [0, 1, 2])
        (copy,) = PROCESS.unpack(line.recv(PROCESS.size))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(copy, number))
        return line.recv(1)[0]


def serve(address: str) -> NoReturn:
    """Copies itself for each call, until it is ended."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(address)
        listening.listen()
        _import_all()
        gc.freeze()  # copies search none of it for garbage, and so share it
        print("begun", flush=True)
        copies = 0
        while True:
            line, _ = listening.accept()
            while copies and os.waitpid(-1, os.WNOHANG)[0]:
                copies -= 1
            if not os.fork():
                _copy(line)
            copies += 1
            line.close()


def _copy(line: socket.socket) -> NoReturn:
    import warnings
    from threading import Thread
    from traceback import print_exc

    from vivavoce.cli import main

    message, files, _, _ = socket.recv_fds(line, LONGEST, 3)
    document = json.loads(message)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(document["folder"])
    os.environ.clear()
    os.environ.update(document["environment"])
    if os.environ.get("PYTHONWARNINGS") == "error":
        warnings.simplefilter("error")
    line.send(PROCESS.pack(os.getpid()))
    Thread(target=_end_with, args=(line,), daemon=True).start()
    code = 1
    try:
        with open(0) as sys.stdin, open(1, "w") as sys.stdout, open(2, "w", 1, errors="backslashreplace") as sys.stderr:
            try:
                code = main(document["arguments"])
            except BaseException:
                print_exc()
    finally:
        line.send(bytes([code]))
        os._exit(code)


def _end_with(call: socket.socket) -> None:
    if not call.recv(1):
        os.kill(os.getpid(), signal.SIGKILL)


def _import_all() -> None:
    from importlib import import_module
    from pkgutil import walk_packages

    for package in map(import_module, PACKAGES):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    for name in MODULES:
        import_module(name)


@contextmanager
def begun(folder: Path) -> Iterator[Path]:
    """A folder with a program `viva` that calls a process which has begun."""
    import shlex
    import subprocess
    from pathlib import Path

    address = str(folder / "line")
    program = folder / "bin" / "viva"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nexec {shlex.join([sys.executable, "-I", "-S", __file__, address])} "$@"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.begun", address],
        cwd=Path(__file__).parents[1],  # a test that has changed its folder may be the first to ask
        stdout=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "120"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield program.parent
        process.terminate()


if __name__ == "__main__":
    if __spec__ is None:
        sys.exit(call(sys.argv[1], sys.argv[2:]))
    serve(sys.argv[1])
