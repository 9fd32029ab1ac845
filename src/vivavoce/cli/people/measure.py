"""`viva people measure`: section 5 of the paper for your own models, in one command."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options, examined_side_by_side
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, is_scope, scope_name
from vivavoce.cli.options import config_options
from vivavoce.cli.output import RESULTS, check_output, running, show
from vivavoce.cli.people.align import AMONG, BELIEFS, THRESHOLDS, belief_averages
from vivavoce.errors import BadInput
from vivavoce.formats.lines import file_digest
from vivavoce.formats.wording import count
from vivavoce.generalization.config import BELIEFS as BUILT_IN
from vivavoce.generalization.config import AlignConfig, MeasureConfig
from vivavoce.generalization.pairs import BeliefPair, Floats, GradedAnswers, key_of, read_pairs, write_pairs
from vivavoce.generalization.survey.plan import SurveyCard, write_cards
from vivavoce.interview.candidate import Candidate, HasPrices, Prompt, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vivavoce.examination.parts.alignment import Asked, Told
    from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate, ModelReplies
    from vivavoce.generalization.measurement.measurement import MeasurementOrigin
    from vivavoce.interview.interview import Interview
    from vivavoce.scopes.listed_and_endless import ListedScope


TOKENS = (150, 60)
"""Assumed tokens of a question and a reply, for estimates."""


@command(epilog=exit_codes("2 bad input, such as pairs with questions that are in no scope", GOES_ON))
@click.argument("names", nargs=-1, type=CANDIDATE, metavar="[CANDIDATE|SCOPE]...")
@click.option("--candidates", "listed", type=options.KNOWN_FILE, help="Read more candidates from CSV: candidate[,name,size].")
@click.option(
    "--beliefs",
    "where",
    default=BUILT_IN,
    show_default="the built-in model",
    type=options.KNOWN_PATH,
    metavar="MODEL|FILE",
    help="Take beliefs from a predictor, or from pairs (CSV) with posterior or pred.",
)
@config_options(MeasureConfig, only=("pairs",))
@click.option("--pairs-file", type=options.FILE, help="Keep the pairs in this file, and reuse pairs in it.")
@config_options(
    MeasureConfig, only=("longest", "most", "seed"), longest={"option": "--max-characters"}, most={"option": "--list"}
)
@config_options(
    AlignConfig,
    only=("thresholds", "rules", "among", "confidence"),
    thresholds=THRESHOLDS,
    rules={"option": "--rule"},
    among=AMONG,
)
@BELIEFS
@click.option(
    "--out",
    default="measured",
    show_default=True,
    type=options.FOLDER,
    metavar="FOLDER",
    help="Write transcript, tables and page to this folder.",
)
@RESULTS
@asking_options
@options.JSON
def measure(*, names: tuple[str, ...], out: Path, **given: Any) -> None:
    """Measure models on pairs of questions: how well people's beliefs fit them, and where trust is misplaced.

    \b
    viva people measure chat:A@http://localhost:11434/v1 chat:B@http://localhost:11434/v1
    viva people measure chat:A@http://localhost:11434/v1 mmlu:FOLDER bbh:FOLDER --out measured
    viva people measure pool:FOLDER --candidates models.csv --beliefs model --pairs-file pairs.csv
    viva people measure file:questions.jsonl --candidates models.csv --beliefs answers/pairs.csv --out mine

    Without a SCOPE the questions are the built-in obvious ones. Pairs are drawn uniformly from all questions, or come from
    the --beliefs file. Each candidate is asked each question once. The transcript is in FOLDER, or where --transcript says.
    To resume, run the same command again.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.generalization.alignment.human_alignment import rules_of
    from vivavoce.generalization.measurement.measurement import measure as measure_all
    from vivavoce.generalization.measurement.measurement_files import PAGE, RECORD, begin_folder, write_measurement

    asking = asking_of(given)
    config, beliefs = options.taken_out(given, MeasureConfig), belief_averages(given)
    how = replace(options.taken_out(given, AlignConfig), seed=config.seed, beliefs=beliefs)
    if not out.absolute().parent.is_dir():
        raise click.UsageError(f"--out {out}: the folder '{out.absolute().parent}' does not exist; create it first.")
    rules_of(how)
    scopes = tuple(scope_name(name) for name in names if is_scope(name)) or ("obvious",)
    measured = who([name for name in names if not is_scope(name)], given["listed"])
    opened = [open_candidate(candidate.candidate) for candidate in measured]
    subject = subject_of(MeasureSources(scopes, given["where"], given["pairs_file"]), config)
    begin_folder(out, subject.pairs)
    documents, ended = _asked(opened, subject, replace(asking, transcript=asking.transcript or str(out / RECORD)))
    answers, replies = _kept(out, measured, subject, documents, ended)
    finding = measure_all(
        subject.pairs, answers, measured, config, how, replies=replies, origins=subject.origins, drawn=subject.drawn
    )
    write_measurement(out, finding)
    running().files["--html"] = out / PAGE
    show(finding)


def _asked(
    candidates: Sequence[Candidate[Prompt, Reply]], subject: MeasuredQuestions, asking: AskOptions
) -> tuple[list[dict[str, Told]], list[str]]:
    """The answers of each candidate, and the limit of the budget that ended its questions."""
    from vivavoce.examination.parts.alignment import all_graded

    _announce(candidates, len(subject.chosen), quiet=asking.quiet)

    async def ask(
        interviews: Sequence[Interview[Prompt, Reply]], _: Interview[Prompt, Reply] | None
    ) -> tuple[list[dict[str, Told]], list[str]]:
        documents = await all_graded(interviews, subject.chosen, topic="measure")
        return documents, [str(interview.exhausted) for interview in interviews]

    return examined_side_by_side(candidates, ask, asking, expected=len(subject.chosen))


def _kept(
    out: Path,
    measured: Sequence[MeasuredCandidate],
    subject: MeasuredQuestions,
    documents: Sequence[Mapping[str, Told]],
    ended: Sequence[str],
) -> tuple[GradedAnswers, list[ModelReplies]]:
    """Write the answers, and pairs with them for a survey; returns the graded answers and the outcomes of all questions."""
    from vivavoce.generalization.measurement.measured_candidates import ModelReplies, grade_of
    from vivavoce.generalization.measurement.measurement_files import write_graded

    graded = {
        candidate.name: {key: grade_of(grade) for key, (grade, _) in of.items()}
        for candidate, of in zip(measured, documents, strict=True)
    }
    write_graded(out, subject.prompts, graded)
    for number, of in enumerate(documents, 1):
        if cards := cards_of(subject, of):
            write_cards(out / f"cards-{number}.jsonl", cards)
    replies = [
        ModelReplies.of(candidate.name, len(subject.chosen), Counter(str(grade.outcome) for grade, _ in of.values()), limit)
        for candidate, of, limit in zip(measured, documents, ended, strict=True)
    ]
    by_key = {key: tuple(of.get(key) for of in graded.values()) for key in subject.chosen}
    return GradedAnswers(tuple(graded), by_key, {}), replies


def _announce(candidates: Sequence[Candidate[Prompt, Reply]], questions: int, *, quiet: bool) -> None:
    """Print the expected cost."""
    if quiet:
        return
    prices = [candidate.prices if isinstance(candidate, HasPrices) else (0.0, 0.0) for candidate in candidates]
    money = sum(questions * (TOKENS[0] * price_in + TOKENS[1] * price_out) / 1e6 for price_in, price_out in prices)
    priced = f", roughly {money:.2f} of money" if money else ""
    calls = questions * len(candidates)
    click.echo(
        f"viva: {count(questions)} questions to each of {count(len(candidates))} candidates: {count(calls)} calls, roughly "
        f"{count(calls * sum(TOKENS))} tokens{priced}, less what is on record",
        err=True,
    )


@dataclass(frozen=True, slots=True)
class MeasureSources:
    """The sources of questions, beliefs and pairs, as given."""

    scopes: tuple[str, ...]
    beliefs: Path
    pairs_file: Path | None


@dataclass(frozen=True, slots=True)
class MeasuredQuestions:
    """The material for the questions."""

    pairs: tuple[BeliefPair, ...]
    """The pairs, with people's beliefs after right and after wrong answers."""
    chosen: Mapping[str, Asked]
    """Their questions, by key."""
    origins: MeasurementOrigin
    drawn: Floats | None
    """Chances by other fits of the predictor."""

    @property
    def prompts(self) -> dict[str, str]:
        """The questions as they are read, by key."""
        from vivavoce.generalization.survey.cards import wording

        return {key: wording(question) for key, (_, question) in self.chosen.items()}


def who(candidates: Sequence[str], listed: Path | None) -> tuple[MeasuredCandidate, ...]:
    """All candidates; raises `BadInput`, `BadFile`."""
    from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate, checked_candidates, read_candidates

    if not candidates and listed is None:
        raise click.UsageError("there is no candidate: name one, or give --candidates FILE.")
    more = read_candidates(listed) if listed is not None else []
    return checked_candidates([*(MeasuredCandidate(name, name) for name in candidates), *more])


def subject_of(sources: MeasureSources, config: MeasureConfig) -> MeasuredQuestions:
    """Draw or read the pairs, with beliefs; raises `BadInput`, `BadFile`, `NotEnoughEvidence`."""
    from vivavoce.examination.parts.alignment import agreed_questions, listed_scopes, predicted
    from vivavoce.generalization.measurement.measurement import MeasurementOrigin
    from vivavoce.generalization.survey.cards import wording

    scopes = listed_scopes(sources.scopes)
    known = {
        key: agreed_question
        for key, agreed_question in agreed_questions(scopes).items()
        if agreed_question[1].form is not None and agreed_question[1].accepted
    }
    pool = {key: row for key, row in known.items() if len(wording(row[1])) <= config.longest}
    drawn = None
    if sources.beliefs.is_dir():
        pairs, drawn = predicted(_kept_pairs(sources) or _drawn(sources, pool, config), sources.beliefs)
    else:
        pairs = _from_file(sources)
    in_pairs = dict.fromkeys(key_of(text) for pair in pairs for text in (pair.q1, pair.q2))
    chosen = {key: known[key] for key in in_pairs if key in known}
    if not chosen:
        names = "', '".join(name[:80] for name in sources.scopes)
        raise click.UsageError(f"'{names}' has none of the {len(in_pairs)} questions in the pairs: name their scope.")
    origins = MeasurementOrigin(
        scopes=tuple(scope.name for scope in scopes),
        beliefs=sources.beliefs.name,
        digest=_digest(sources.beliefs, scopes),
        questions=len(pool),
        left_out=sum(scope.size for scope in scopes) - len(pool),
        missing=len(in_pairs) - len(chosen),
    )
    return MeasuredQuestions(tuple(pairs), chosen, origins, drawn)


def cards_of(subject: MeasuredQuestions, answers: Mapping[str, Told]) -> list[SurveyCard]:
    """The pairs with one candidate's answers, as a survey shows them: each pair once, if its first answer can be shown."""
    from vivavoce.generalization.measurement.measured_candidates import grade_of
    from vivavoce.generalization.survey.cards import shown_answer

    cards: dict[tuple[str, str], SurveyCard] = {}
    for pair in subject.pairs:
        key = key_of(pair.q1)
        if key not in answers or (key, key_of(pair.q2)) in cards:
            continue
        grade, answer = answers[key]
        shown = shown_answer(subject.chosen[key][1], grade, answer)
        if shown is not None:
            right = grade_of(grade) is True
            of = (pair.q1, pair.q2, pair.source1, pair.source2)
            cards[key, key_of(pair.q2)] = SurveyCard(len(cards) + 1, *of, shown, right)
    return list(cards.values())


def _drawn(sources: MeasureSources, pool: Mapping[str, Asked], config: MeasureConfig) -> list[BeliefPair]:
    """Pairs drawn uniformly from the pool; written to `--pairs-file` if it is given."""
    from vivavoce.examination.parts.alignment import drawn_pairs
    from vivavoce.generalization.evaluation.influential_pairs import both_ways

    pairs = drawn_pairs(pool, config.pairs, config.seed)
    if sources.pairs_file is not None:
        write_pairs(sources.pairs_file, both_ways(pairs))
    return pairs


def _from_file(sources: MeasureSources) -> list[BeliefPair]:
    """The pairs of a file, with its beliefs; restricted to the pairs of `--pairs-file`, if given."""
    from vivavoce.generalization.evaluation.influential_pairs import both_ways

    pairs, given = read_pairs(sources.beliefs), _kept_pairs(sources)
    if sources.pairs_file is not None and not given:
        write_pairs(sources.pairs_file, both_ways(pairs))
    if not given:
        return pairs
    kept = {(key_of(entry.q1), key_of(entry.q2)) for entry in given}
    result = [pair for pair in pairs if (key_of(pair.q1), key_of(pair.q2)) in kept]
    if not result:
        raise BadInput(f"{sources.beliefs} has beliefs about none of the {len(kept)} pairs of {sources.pairs_file}")
    return result


def _kept_pairs(sources: MeasureSources) -> list[BeliefPair]:
    """The pairs in `--pairs-file`; none if it does not exist yet."""
    check_output("--pairs-file", sources.pairs_file)
    return [] if sources.pairs_file is None or not sources.pairs_file.exists() else read_pairs(sources.pairs_file)


def _digest(beliefs: Path, scopes: Sequence[ListedScope]) -> str:
    """SHA-256 in hex of beliefs and scopes."""
    files = sorted(file for file in beliefs.rglob("*") if file.is_file()) if beliefs.is_dir() else [beliefs]
    return hashlib.sha256("".join([*map(file_digest, files), *(scope.digest for scope in scopes)]).encode()).hexdigest()
