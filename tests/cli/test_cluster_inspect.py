"""`--cluster` where the scope is a task of Inspect."""

from __future__ import annotations

import json

import pytest

from tests.candidates.cluster.conftest import address as address
from tests.candidates.cluster.conftest import local as local
from tests.cli.conftest import Viva
from tests.plugins.inspect_plugin.conftest import own_folder as own_folder
from tests.plugins.inspect_plugin.task_scope.conftest import in_own_folder as in_own_folder
from tests.plugins.inspect_plugin.task_scope.doubler import TASKS

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")]
MODEL = "inspect:viva/bot:calculator"


def test_a_candidate_of_ours_that_runs_a_task_of_inspect_is_dealt(viva: Viva, address: str) -> None:
    """A model of Inspect's own is asked from here, which is said."""
    command = ("--scope", f"inspect-task:{TASKS}@matched", "--seed", "1", "--json", "--quiet")
    here = viva("certify", MODEL, *command, "--set", "log-dir=here")
    there = viva("certify", MODEL, *command, "--set", "log-dir=there", "--cluster", address)
    document = there.values
    run = document.pop("run")
    assert (there.code, json.dumps(document), there.err) == (here.code, here.out.strip(), "")
    assert run["questions"]["answered"] >= document["figures"]["questions"] > 0
    agent = ("--scope", f"inspect-task:{TASKS}@agent", *command[2:])  # it is refused, as it would reach this machine
    text = viva("certify", "inspect:mockllm/model", *agent, "--cluster", address).err
    assert text.startswith("viva: inspect:mockllm/model is asked from here: workers have nothing to compute for it\n")
    assert "no effect" not in text
