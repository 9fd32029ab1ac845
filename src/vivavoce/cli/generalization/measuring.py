"""What `viva generalization measure` asks about: the pairs with people's beliefs, their questions, and whoever answers them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vivavoce.examination.pair_questions import Asked, Told
    from vivavoce.generalization.config import MeasureConfig
    from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate
    from vivavoce.generalization.measurement.measurement import MeasurementOrigin
    from vivavoce.generalization.pairs import Pair
    from vivavoce.generalization.survey.card_file import SurveyCard
    from vivavoce.scopes.listed import ListedScope


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where questions, beliefs and pairs come from, as given."""

    scopes: tuple[str, ...]
    beliefs: Path
    pairs_file: Path | None


@dataclass(frozen=True, slots=True)
class Subject:
    """What the candidates are asked about."""

    pairs: tuple[Pair, ...]
    """With what is known of people's beliefs, after right answers and after wrong ones."""
    chosen: Mapping[str, Asked]
    """Their questions, by key."""
    origins: MeasurementOrigin

    @property
    def prompts(self) -> dict[str, str]:
        """The questions as they are read, by key."""
        from vivavoce.generalization.survey.cards import wording

        return {key: wording(question) for key, (_, question) in self.chosen.items()}


def who(candidates: Sequence[str], listed: Path | None) -> tuple[MeasuredCandidate, ...]:
    """All candidates; raises `BadInput`, `BadFile`."""
    from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate, checked_candidates, read_candidates

    if not candidates and listed is None:
        raise click.UsageError("give --candidate, or --candidates FILE.")
    more = read_candidates(listed) if listed is not None else []
    return checked_candidates([*(MeasuredCandidate(name, name) for name in candidates), *more])


def subject_of(wanted: Wanted, config: MeasureConfig) -> Subject:
    """Draw the pairs, or read them, with beliefs; raises `BadInput`, `BadFile`, `NotEnoughEvidence`."""
    from vivavoce.examination.pair_questions import agreed_questions, listed_scopes
    from vivavoce.generalization.answers import key_of
    from vivavoce.generalization.measurement.measurement import MeasurementOrigin
    from vivavoce.generalization.survey.cards import wording

    scopes = listed_scopes(wanted.scopes)
    known = {key: one for key, one in agreed_questions(scopes).items() if one[1].form is not None and one[1].accepted}
    pool = {key: one for key, one in known.items() if len(wording(one[1])) <= config.longest}
    pairs = _from_predictor(wanted, pool, config) if wanted.beliefs.is_dir() else _from_file(wanted)
    in_pairs = dict.fromkeys(key_of(text) for pair in pairs for text in (pair.q1, pair.q2))
    chosen = {key: known[key] for key in in_pairs if key in known}
    if not chosen:
        names = "', '".join(name[:80] for name in wanted.scopes)
        raise click.UsageError(f"'{names}' holds no question of the {len(in_pairs)} in the pairs: name their scope.")
    origins = MeasurementOrigin(
        scopes=tuple(scope.name for scope in scopes),
        beliefs=wanted.beliefs.name,
        digest=_digest(wanted.beliefs, scopes),
        questions=len(pool),
        left_out=sum(scope.size for scope in scopes) - len(pool),
        missing=len(in_pairs) - len(chosen),
    )
    return Subject(tuple(pairs), chosen, origins)


def cards_of(subject: Subject, told: Mapping[str, Told]) -> list[SurveyCard]:
    """The pairs with one candidate's answers, as a survey shows them: each pair once, if its first answer can be shown."""
    from vivavoce.generalization.answers import key_of
    from vivavoce.generalization.measurement.measured_candidates import grade_of
    from vivavoce.generalization.survey.card_file import SurveyCard
    from vivavoce.generalization.survey.cards import shown_answer

    cards: dict[tuple[str, str], SurveyCard] = {}
    for pair in subject.pairs:
        key = key_of(pair.q1)
        if key not in told or (key, key_of(pair.q2)) in cards:
            continue
        grade, answer = told[key]
        shown = shown_answer(subject.chosen[key][1], grade, answer)
        if shown is not None:
            right = grade_of(grade) is True
            of = (pair.q1, pair.q2, pair.source1, pair.source2)
            cards[key, key_of(pair.q2)] = SurveyCard(len(cards) + 1, *of, shown, right)
    return list(cards.values())


def _from_predictor(wanted: Wanted, pool: Mapping[str, Asked], config: MeasureConfig) -> list[Pair]:
    """Pairs both ways, with the predicted chance of a change."""
    from dataclasses import replace

    from vivavoce.generalization.evaluation.influential_pairs import both_ways
    from vivavoce.generalization.predictors.few_shot import FewShotPredictor
    from vivavoce.generalization.predictors.model_store import open_predictor

    predictor, _ = open_predictor(wanted.beliefs)
    if isinstance(predictor, FewShotPredictor):
        raise click.UsageError(
            "this predictor asks a language model: let 'viva generalization predict' do that, and give its file as --beliefs."
        )
    given = _kept(wanted)
    pairs = both_ways(given or _drawn(wanted, pool, config))
    return [replace(pair, pred=float(chance)) for pair, chance in zip(pairs, predictor.predict(pairs), strict=True)]


def _drawn(wanted: Wanted, pool: Mapping[str, Asked], config: MeasureConfig) -> list[Pair]:
    """Pairs drawn uniformly from the pool, kept in the file for them, if one is wanted."""
    import numpy as np

    from vivavoce.generalization.evaluation.influential_pairs import both_ways, draw_pairs
    from vivavoce.generalization.pairs import TaskQuestion, write_pairs
    from vivavoce.generalization.survey.cards import wording

    questions = [TaskQuestion(wording(one), one.category or scope.name) for scope, one in pool.values()]
    pairs = draw_pairs(questions, config.pairs, rng=np.random.default_rng(config.seed))
    if wanted.pairs_file is not None:
        write_pairs(wanted.pairs_file, both_ways(pairs))
    return pairs


def _from_file(wanted: Wanted) -> list[Pair]:
    """The pairs of a file, with its beliefs; only those of the file of pairs, where there is one."""
    from vivavoce.errors import BadInput
    from vivavoce.generalization.answers import key_of
    from vivavoce.generalization.evaluation.influential_pairs import both_ways
    from vivavoce.generalization.pairs import read_pairs, write_pairs

    pairs, given = read_pairs(wanted.beliefs), _kept(wanted)
    if wanted.pairs_file is not None and not given:
        write_pairs(wanted.pairs_file, both_ways(pairs))
    if not given:
        return pairs
    kept = {(key_of(one.q1), key_of(one.q2)) for one in given}
    found = [pair for pair in pairs if (key_of(pair.q1), key_of(pair.q2)) in kept]
    if not found:
        raise BadInput(f"{wanted.beliefs} has beliefs about none of the {len(kept)} pairs of {wanted.pairs_file}")
    return found


def _kept(wanted: Wanted) -> list[Pair]:
    """The pairs of the file for them; none where it is not there yet."""
    from vivavoce.cli.pages import check_output
    from vivavoce.generalization.pairs import read_pairs

    check_output("--pairs-file", wanted.pairs_file)
    return [] if wanted.pairs_file is None or not wanted.pairs_file.exists() else read_pairs(wanted.pairs_file)


def _digest(beliefs: Path, scopes: Sequence[ListedScope]) -> str:
    """SHA-256 in hex of beliefs and scopes."""
    import hashlib

    from vivavoce.cli.asking import file_digest

    files = sorted(file for file in beliefs.rglob("*") if file.is_file()) if beliefs.is_dir() else [beliefs]
    return hashlib.sha256("".join([*map(file_digest, files), *(scope.digest for scope in scopes)]).encode()).hexdigest()
