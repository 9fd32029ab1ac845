"""`viva consistency cases` and `bail`: whether legal decisions change when a fact is paraphrased, or a record is worse."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, examining_options, on_record, writing_after
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import CommandGroup, command
from vivavoce.cli.names import CANDIDATE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import output_options, rows_into, show
from vivavoce.cli.progress import now_and_then
from vivavoce.consistency.config import CasesConfig, TrainingConfig
from vivavoce.formats.json_values import to_json
from vivavoce.interview.candidate import CONCURRENCY, Candidate, Reply, usual_time_out
from vivavoce.studies.config import BailConfig

if TYPE_CHECKING:
    from vivavoce.consistency.legal.examine_cases import Bench
    from vivavoce.consistency.legal.paraphrasing import Paraphraser
    from vivavoce.consistency.legal.training_finding import TrainedOnCases
    from vivavoce.consistency.legal.trials import ExaminedCase, LegalCase, LegalJudge, Paraphrase
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import CombinedProgress, Progress
    from vivavoce.interview.results import ResultRows
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.cases import CasesFinding
    from vivavoce.studies.defendants.decisions import JudgedPair


@click.group(cls=CommandGroup)
def cases(**_: Any) -> None:
    """Test whether a classifier of legal cases changes its decision when one fact is paraphrased.

    \b
    viva consistency cases train train.jsonl --test test.jsonl --encoder sentences:./legal-bert --out judge --html training.html
    viva consistency cases check trained:judge --cases test.jsonl --facts 10 --writer chat:llama3.2@http://localhost:11434/v1
    viva consistency cases check hf:legal-bert --cases cases.jsonl --writer chat:qwen3@http://localhost:8000/v1 --html page.html
    """


@dataclass(frozen=True, slots=True)
class CaseRoles:
    """The classifier, and who writes and checks paraphrases."""

    classifier: str
    claim: str | None
    """The claim whose probability a language model is asked for; None: the default claim."""
    writer: str | None
    """Let this language model paraphrase facts."""
    checker: str | None
    paraphrases_file: Path | None
    """Existing paraphrases."""


@cases.command("check", epilog=exit_codes("4 nothing could be compared", GOES_ON))
@click.argument("classifier")
@click.option(
    "--cases",
    type=options.KNOWN_PATH,
    required=True,
    metavar="FILE",
    help='Read {"id": "1", "facts": [...]} lines, or ECtHR or ECHR as published.',
)
@click.option("--writer", metavar="CANDIDATE", help="Let this language model paraphrase facts.")
@click.option("--checker", metavar="CANDIDATE", help="Let this language model check paraphrases.")
@click.option(
    "--paraphrases-file", type=options.KNOWN_FILE, help="Read paraphrases from this file; --writer writes missing ones."
)
@click.option("--export-paraphrases", "export", type=options.OUTPUT, help="Write all paraphrases for people to review.")
@config_options(CasesConfig, shortest={"option": "--min-characters"})
@click.option("--claim", metavar="SENTENCE", help="Claim whose probability a language model is asked for.")
@click.option("--details", "each", type=options.OUTPUT, help="Write each trial (JSON Lines).")
@examining_options
def check_cases(*, cases: Path, each: Path | None, export: Path | None, **given: Any) -> int:
    """Test whether CLASSIFIER changes its decision on a case when one fact is paraphrased.

    \b
    viva consistency cases check hf:legal-bert --cases cases.jsonl --writer chat:qwen3@http://localhost:8000/v1 --html page.html
    viva consistency cases check trained:judge --cases cases.jsonl --facts 10 --writer chat:llama3.2@http://localhost:11434/v1
    viva consistency cases check function:my_model:probability --cases cases.jsonl --paraphrases-file reviewed.jsonl
    viva consistency cases check chat:llama3.2@http://localhost:11434/v1 --cases cases.jsonl --writer chat:qwen3@http://localhost:8000/v1

    \b
    CLASSIFIER is one of
      hf:FOLDER                 a sequence classifier of Hugging Face (pip install 'vivavoce[neural]'); options positive
                                (label), layer (whose attention; -1 is the final one), pool (mean or sum), join (space,
                                newline, separator), max_length, device
      trained:FOLDER            one that 'viva consistency cases train' made, with its attention over facts
      function:MODULE:NAME      a Python function from facts to a probability, or an object with 'probability' and perhaps
                                'importance'
      any language model        as 'viva list candidates' lists them; it is asked for the probability of --claim
    """
    from vivavoce.consistency.legal.case_files import read_cases, read_paraphrases, write_paraphrases
    from vivavoce.consistency.legal.examine_cases import chosen_cases
    from vivavoce.interview.progress import CombinedProgress
    from vivavoce.studies.cases import judge_cases

    config, asking, cast = options.taken_out(given, CasesConfig), asking_of(given), CaseRoles(**given)
    if cast.writer is None and cast.paraphrases_file is None:
        raise click.UsageError("no paraphrases: give --writer CANDIDATE or --paraphrases-file FILE.")
    if cast.checker is not None and cast.writer is None:
        raise click.UsageError("--checker checks paraphrases of a --writer: give --writer, too.")
    examined: list[ExaminedCase] = []
    chosen = chosen_cases(read_cases(cases), config)
    known = None if cast.paraphrases_file is None else read_paraphrases(cast.paraphrases_file)

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> CasesFinding:
        together = CombinedProgress(on_progress, expected=expected(cast, config, chosen))
        async with opened(cast, known, asking, (transcript, together, results)) as bench:
            return await judge_cases(replace(bench, source=cases.name, on_case=examined.append), chosen, config)

    with rows_into(asking.results) as results:
        finding = on_record(asking.transcript, ask, quiet=asking.quiet)
    try:
        with writing_after(each, "Trials", lambda: _trial_rows(examined, config.threshold)):
            show(finding, measured=finding.measured)
    finally:
        if export is not None:
            number = write_paraphrases(export, (paraphrase for case in examined for paraphrase in case.paraphrases))
            click.echo(f"Paraphrases: {number} in {export}", err=wants_json())
    return 0 if finding.measured else OF_VERDICT["undecided"]


def _trial_rows(examined: list[ExaminedCase], threshold: float) -> Iterator[Mapping[str, Any]]:
    for trial in (trial for case in examined for trial in case.trials):
        yield to_json(trial) | {"shift": round(trial.shift, 12), "flip": trial.flips(threshold)}


_KNOWN: Final = click.Path(exists=True, path_type=Path)


@cases.command()
@click.argument("train", type=_KNOWN, metavar="CASES")
@click.option("--out", type=options.FOLDER, required=True, metavar="FOLDER", help="Write the classifier to this folder.")
@click.option(
    "--encoder",
    default="lsa",
    show_default=True,
    metavar="ENCODER",
    help="Encode facts by lsa, or sentences:NAME_OR_FOLDER.",
)
@click.option("--dev", type=_KNOWN, metavar="CASES", help="Choose the penalty on these cases.")
@click.option("--test", type=_KNOWN, metavar="CASES", help="Evaluate on these held-out cases.")
@config_options(TrainingConfig)
@click.option("--details", type=options.OUTPUT, help="Write each held-out decision (JSON Lines).")
@options.QUIET
@output_options
def train(
    train: Path,
    out: Path,
    encoder: str,
    *,
    dev: Path | None,
    test: Path | None,
    details: Path | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Train a classifier on CASES with known outcomes: a frozen encoder of facts with attention over them.

    \b
    viva consistency cases train cases.jsonl --out judge --html training.html
    viva consistency cases train EN_train --dev EN_dev --test EN_test --encoder sentences:./legal-bert --out judge
    viva consistency cases train train.jsonl --dev dev.jsonl --test test.jsonl --article 3 --out judge

    \b
    CASES is one of
      FILE.jsonl    {"id": "1", "facts": ["...", "..."], "violation": true}, or with "violated_articles": ["3"], as ECtHR has
                    it; "decisive": [2] names facts that decide, counted from 0 (also gold_rationales, silver_rationales)
      FOLDER        a case a file: ECHR's EN_train, EN_dev and EN_test, with ITEMID, TEXT and VIOLATED_ARTICLES

    \b
    ENCODER is one of
      lsa                        latent semantic analysis of the facts to train on (pip install 'vivavoce[text]')
      sentences:NAME_OR_FOLDER   a model of sentence-transformers, or any BERT (pip install 'vivavoce[neural]')

    An existing classifier in FOLDER is replaced; any other non-empty folder is refused. Test the classifier with
    'viva consistency cases check trained:FOLDER'. Training can't be resumed: if it stops, it starts again.
    """
    from vivavoce.candidates.trained import trained_name
    from vivavoce.consistency.legal.case_files import read_labelled
    from vivavoce.consistency.legal.training import divided
    from vivavoce.consistency.legal.training import train as trained
    from vivavoce.consistency.legal.training_finding import finding_of
    from vivavoce.embeddings.embedding import open_embedder
    from vivavoce.embeddings.set_classifier import check_replaceable, digest_of_folder, save_classifier

    config = TrainingConfig(**given)
    check_replaceable(out)
    choosing, held_out = (None if file is None else read_labelled(file, config.article) for file in (dev, test))
    division = divided(read_labelled(train, config.article), choosing, held_out, config)
    embedder = None if encoder == "lsa" else open_embedder(encoder)
    names = [file.name for file in (train, dev, test) if file is not None]
    progress = None if quiet else now_and_then(lambda what, done, total: f"{what}: {done} of {total}")
    made = trained(division, config, embedder=embedder, about={"training": names}, progress=progress)
    save_classifier(out, made.classifier)
    name = trained_name(out.resolve().name, digest_of_folder(out))
    finding = finding_of(made, config, candidate=name, source=", ".join(names))
    with writing_after(details, "Decisions", lambda: _decision_rows(finding)):
        show(finding)
    click.echo(f"Classifier: {finding.candidate} in {out}", err=wants_json())


def _decision_rows(finding: TrainedOnCases) -> Iterator[Mapping[str, Any]]:
    for decided in finding.decided:
        yield {
            "case": decided.case,
            "violation": decided.violation,
            "probability": decided.probability,
            "top_fact": decided.top,
            "decisive": list(decided.decisive),
        }


@asynccontextmanager
async def opened(
    cast: CaseRoles,
    known: dict[str, list[Paraphrase]] | None,
    asking: AskOptions,
    record: tuple[Transcript, CombinedProgress, ResultRows | None],
) -> AsyncIterator[Bench]:
    """Opens everyone who takes part, and closes them at the end. Only the classifier's judgements become rows."""
    from vivavoce.candidates import close_candidate, open_candidate
    from vivavoce.candidates.classifiers import is_classifier, open_classifier
    from vivavoce.consistency.legal.examine_cases import Bench
    from vivavoce.consistency.legal.paraphrasing import ParaphraseWriter, PreparedParaphrases
    from vivavoce.consistency.legal.trials import CLAIM, ClassifierJudge, ModelJudge
    from vivavoce.interview.candidate_kinds import CaseJudgement
    from vivavoce.interview.interview import Interview, Monitor
    from vivavoce.interview.retries import AskSettings

    transcript, together, results = record
    async with AsyncExitStack() as stack:

        def interview(
            candidate: Candidate[Any, Any], answers: type[Any], results: ResultRows | None = None
        ) -> Interview[Any, Any]:
            stack.push_async_callback(close_candidate, candidate)
            return Interview(
                candidate,
                answers=answers,
                transcript=transcript,
                concurrency=asking.concurrency,
                settings=AskSettings(
                    time_out=usual_time_out(candidate) if asking.time_out is None else asking.time_out,
                    attempts=asking.attempts,
                    reply_format=asking.reply_format,
                ),
                monitor=Monitor(on_progress=together.one(), results=results),
            )

        judge: LegalJudge
        if is_classifier(cast.classifier):
            judge = ClassifierJudge(interview(open_classifier(cast.classifier), CaseJudgement, results))
        else:
            judge = ModelJudge(interview(open_candidate(cast.classifier), Reply, results), cast.claim or CLAIM)
        writer: Paraphraser | None = None
        if cast.writer is not None:
            checker = None if cast.checker is None else interview(open_candidate(cast.checker), Reply)
            writer = ParaphraseWriter(interview(open_candidate(cast.writer), Reply), checker)
        if known is not None and cast.paraphrases_file is not None:
            writer = PreparedParaphrases(known, cast.paraphrases_file.name, otherwise=writer)
        assert writer is not None
        yield Bench(judge, writer, concurrency=asking.concurrency or CONCURRENCY, budget=asking.budget)


def expected(cast: CaseRoles, config: CasesConfig, chosen: tuple[LegalCase, ...]) -> int:
    """Rough number of questions, for the progress line only."""
    from vivavoce.candidates.classifiers import is_classifier
    from vivavoce.consistency.legal.examine_cases import questions_in

    attention = config.importance != "leave-one-out" and is_classifier(cast.classifier)
    asked = [cast.writer is not None and cast.paraphrases_file is None, cast.checker is not None]
    return sum(questions_in(case, config, attention=attention, writer=asked[0], checker=asked[1]) for case in chosen)


@command(epilog=exit_codes("4 no two decisions to compare", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option(
    "--defendants",
    required=True,
    type=options.KNOWN_FILE,
    help="Read the defendants' records from this CSV; columns are listed above.",
)
@config_options(BailConfig)
@click.option("--details", "each", type=options.OUTPUT, help="Write each pair of records with both decisions (JSON Lines).")
@examining_options
def bail(*, candidate: str, defendants: Path, each: Path | None, **given: Any) -> int:
    """Check that a worse record never gets a milder bail decision than a better one.

    \b
    viva consistency bail chat:llama3.2@http://localhost:11434/v1 --defendants defendants.csv --transcript run.sqlite
    viva consistency bail inspect:openai/gpt-4o --defendants defendants.csv --limit 1560 --html page.html
    viva consistency bail function:my_judge:decide --defendants defendants.csv --keep-charge --details pairs.jsonl

    The file has columns id, sex, age, c_charge_desc, c_charge_degree (F or M), priors_count, juv_fel_count and
    juv_misd_count. Each defendant takes eleven questions, and one for the control; twice as many with --recidivism.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.studies.bail import judge_bail
    from vivavoce.studies.defendants.decisions import cases_of, open_dataset, questions_in

    config, asking = options.taken_out(given, BailConfig), asking_of(given)
    pairs: list[JudgedPair] = []
    dataset = open_dataset(defendants)
    finding = asking.examined(
        open_candidate(candidate),
        lambda interview: judge_bail(interview, dataset, config, pairs.append),
        expected=questions_in(cases_of(dataset, config), config),
    )
    with writing_after(each, "Pairs", lambda: map(to_json, pairs)):
        show(finding, measured=finding.measured)
    if config.limit > finding.details.chosen and not asking.quiet:
        click.echo(f"viva: the file has only {finding.details.chosen} defendants, not {config.limit}", err=True)
    return 0 if finding.measured else OF_VERDICT["undecided"]
