"""A real model on its own explanations: 20 concepts, as recorded, beside Table 1 of `asgari2025`.

    python bench/eqt_real.py                                  check the recording again: no model is asked
    VIVA_MODEL=chat:NAME@URL python bench/eqt_real.py --out FILE.jsonl [--transcript FILE]     another model, the same setting

The recording holds every reply, word for word, by the prompt that it answers (`bench/eqt_real.jsonl`). Checking it again
puts the same prompts to the recording through the same pipeline, so that what is said of the model follows from its replies
alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.eqt.concepts import all_concepts, concepts_in_words, drawn_concepts
from vivavoce.eqt.eqt_finding import finding_of
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.record import ROLES, EqtConfig, EqtRecord
from vivavoce.eqt.result import EqtResult
from vivavoce.eqt.score import score
from vivavoce.errors import BadInput
from vivavoce.formats.lines import json_lines, write_whole
from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.transcript import Transcript

RECORDING = Path(__file__).with_suffix(".jsonl")
SETTING = EqtConfig(questions=1, paraphrases=3, checks=False)
CONCEPTS = drawn_concepts(all_concepts(), 20, seed=SETTING.seed)
TABLE_1 = {"Gemini-1.5-Pro": 0.85, "GPT-4o": 0.95, "Sonnet-3.5": 0.97, "Llama-405B-Ins": 0.92, "O1-preview": 0.91}
"""Average ACS of 14 categories of 20 concepts, 5 questions each in 4 wordings."""
CHECKS = ("/key check", "/self-contained", "/meaning of")
"""What the setting does not ask for, and a transcript may hold all the same."""

Key = tuple[str, bool]
"""A prompt's id, and whether it is a further turn."""


@dataclass
class EqtReplies:
    """The replies of a recording as a candidate."""

    name: str
    replies: Mapping[Key, Reply]
    ways: tuple[ReplyFormat, ...] = ("text", "turn", "schema")

    async def answer(self, question: Prompt, /) -> Reply:
        """What the model said."""
        key = (question.id, bool(question.shown))
        if key not in self.replies:
            raise BadInput(f"the recording has no reply to '{question.id}'")
        return self.replies[key]


def read_recording(file: Path = RECORDING) -> EqtReplies:
    """The recording of a file; its first line names the candidate."""
    lines = [values for _, values in json_lines(file)]
    replies = {
        (line["id"], line["further"]): Reply(line["text"], Usage(line["tokens_in"], line["tokens_out"]), finish=line["finish"])
        for line in lines[1:]
    }
    return EqtReplies(lines[0]["candidate"], replies)


def write_recording(file: Path, name: str, transcript: Transcript) -> None:
    """All replies of a transcript to prompts of the examination."""
    lines: list[dict[str, object]] = [{"candidate": name}]
    for record in transcript.records(candidate=name):
        question, answer = json.loads(record.question), json.loads(record.answer)
        prompt_id = str(question["id"])
        if not prompt_id.startswith("eqt/") or "text" not in answer or any(check in prompt_id for check in CHECKS):
            continue
        lines.append(
            {
                "id": question["id"],
                "further": bool(question["figures"]["shown"]),
                "text": answer["text"],
                "finish": answer["finish"],
                "tokens_in": answer["usage"]["tokens_in"],
                "tokens_out": answer["usage"]["tokens_out"],
            }
        )
    write_whole(file, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


async def examined(candidate: Candidate[Prompt, Reply], transcript: Transcript | None = None) -> EqtRecord:
    """The examination in the setting of the recording."""
    interview: Interview[Prompt, Reply] = Interview(
        candidate, answers=Reply, transcript=transcript, concurrency=2, settings=AskSettings(time_out=300)
    )
    return await explain_query_test(dict.fromkeys(ROLES, interview), CONCEPTS, SETTING)


def found(record: EqtRecord) -> EqtResult:
    """What the record shows."""
    source, digest = concepts_in_words(CONCEPTS)
    return score(record, source=source, digest=digest)


def table(finding: EqtResult) -> list[str]:
    """Consistency beside Table 1 of the paper, and what else is said of the model."""
    acs, closed, opened = finding.whole.acs, finding.whole.closed_originals, finding.whole.open_book
    rows = [f"{'model':40} ACS"]
    rows += [f"{name:40} {value:.2f} (paper)" for name, value in TABLE_1.items()]
    rows.append(
        f"{finding.candidate[:40]:40} {acs.value or 0:.2f} [{acs.interval.lower:.2f}, {acs.interval.upper:.2f}], n = {acs.n}"
    )
    rows.append(finding_of([finding]).statement)
    rows.append(f"closed {closed.value}, open {opened.value}, written {finding.validity.written} of {finding.validity.wanted}")
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Check the recording again, or make one of the model that $VIVA_MODEL names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="where the recording of $VIVA_MODEL goes")
    parser.add_argument("--transcript", default=None, help="keep every answer there, and go on from it")
    given = parser.parse_args(arguments)
    name = os.environ.get("VIVA_MODEL", "")
    if not name:
        print("\n".join(table(found(asyncio.run(examined(read_recording()))))))
        return
    if given.out is None:
        parser.error("give --out FILE.jsonl")
    candidate = open_candidate(name)

    async def asked(transcript: Transcript) -> EqtRecord:
        try:
            return await examined(candidate, transcript)
        finally:
            await close_candidate(candidate)

    with Transcript.open(given.transcript) as transcript:
        record = asyncio.run(asked(transcript))
        write_recording(given.out, name, transcript)
    print("\n".join(table(found(record))))


if __name__ == "__main__":
    main()
