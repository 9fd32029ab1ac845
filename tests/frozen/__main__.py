"""`python -m tests.frozen --record`: run all commands and write the record; with names, of these cases alone."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.frozen.recording import RECORD, RENAMED, RecordedOutput, Renames, read_record, recorded, write_record
from tests.frozen.running import FrozenCase, read_cases, run_case


def main() -> None:
    """Cases that are no longer among the commands are dropped; of others that are not named the record stays.

    Cases that are named are recorded under the old names of keys and words, like the rest of the record.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    parser.add_argument("--record", action="store_true", required=True)
    parser.add_argument("names", nargs="*", metavar="CASE")
    names, cases = parser.parse_args().names, read_cases()
    if unknown := {*names} - {*cases}:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    kept = read_record() if names and RECORD.exists() else {}
    renames = Renames.read(RENAMED.read_text("utf-8")) if kept else Renames()
    lines = []
    for name, case in cases.items():
        lines += record_case(case, renames) if name in names or not names else kept.get(name, [])
    write_record(lines)
    print(f"{len(lines)} commands in {len(cases)} cases: {RECORD}")


def record_case(case: FrozenCase, renames: Renames) -> list[RecordedOutput]:
    """What its commands leave, in a folder that is then removed."""
    with TemporaryDirectory() as folder:
        return [recorded(case.name, step, output, renames) for step, output in enumerate(run_case(case, Path(folder)), 1)]


if __name__ == "__main__":
    main()
