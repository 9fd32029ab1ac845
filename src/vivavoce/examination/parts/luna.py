"""Games of questions and answers against bots, as part of an examination."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import fsum
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from vivavoce.candidates.bots import Eliza, SeedOptions
from vivavoce.errors import BudgetExhausted, NotEnoughEvidence
from vivavoce.examination import part
from vivavoce.examination.plan import PlanSection
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of, numbered, percent
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Signature
from vivavoce.interview.vendor_batches import VendorBatchCandidate
from vivavoce.luna.identification import number_cell
from vivavoce.luna.messages import CONTROLS
from vivavoce.luna.players import CONTROL_GUESS, CandidatePlayer, EchoControl, GibberishControl, RecordedAnswer
from vivavoce.luna.rules import HIGHEST, LOWEST, AnswersMove, Game, GuessMove, Place, QuestionsMove, Seat, conclude, play, view
from vivavoce.luna.settings import THESIS
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.clustered import mean_interval
from vivavoce.version import __version__

ANYTHING: Final = Interval(LOWEST, HIGHEST)
SHOWN: Final = 2_000
"""Characters of a text in a game."""
NAMES: Final = {
    "gibberish": "a bot that sends random letters",
    "chatterbot": "a chatterbot that turns questions around",
    "echo": "a bot that repeats people's earlier answers",
}
"""The opponents, in a reader's words."""


@dataclass(frozen=True, slots=True)
class SeriesGame:
    """One finished game."""

    opponent: str
    questions: tuple[str, ...]
    """Questions of the candidate."""
    replies: tuple[str, ...]
    """Replies of the opponent."""
    asked: tuple[str, ...]
    """Questions that the candidate asked."""
    answers: tuple[str, ...]
    guess: float
    """The guess of the opponent's rating, from 0 to 100."""
    guessed: bool
    """Whether that is the candidate's own guess; otherwise it was unparsed or fixed."""
    own_questions: bool
    answered: int
    """Answers of the candidate that arrived, out of five."""
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class LunaSeries(ReportedFinding):
    """The result of `play_series`."""

    candidate: str
    games: tuple[SeriesGame, ...]
    planned: int
    told: bool
    """Whether the candidate knew about the game."""
    exhausted: str
    """The limit of the budget that ended the games; empty if none did."""
    signature: Signature
    how_asked: tuple[str, ...] = ()
    """Caveats on how it was asked."""

    def guesses(self, opponent: str) -> Estimate:
        """Mean of the candidate's own guesses, with Student's interval at level 95%; the whole scale for fewer than two. Equal
        guesses don't show how guesses vary, so their interval is no narrower.
        """
        values = [game.guess for game in self.games if game.opponent == opponent and game.guessed]
        if not values:
            return Estimate(None, ANYTHING, 0)
        return Estimate(fsum(values) / len(values), _bounds(values), len(values))

    @property
    def opponents(self) -> tuple[str, ...]:
        """The opponents, in the order of their first games."""
        return tuple(dict.fromkeys(game.opponent for game in self.games))

    @property
    def complete(self) -> int:
        """Games in which the candidate wrote every part itself."""
        return sum(game.own_questions and game.guessed and game.answered == THESIS.questions for game in self.games)

    @property
    def headline(self) -> str:
        """The result on its play, in one sentence."""
        if not self.games:
            return f"{name_of(self.candidate)} finished no game: the budget of {self.exhausted} ran out."
        number = numbered(len(self.games), "game")
        if not self.told:
            came = sum(game.answered for game in self.games)
            of = len(self.games) * THESIS.questions
            return f"{name_of(self.candidate)} answered {count(came)} of {count(of)} questions in {number} against bots."
        return (
            f"{name_of(self.candidate)} wrote its own questions, all answers and a guess in {count(self.complete)} of {number} "
            "against bots."
        )

    @property
    def others(self) -> str:
        """The result on its guesses, in one sentence; empty without guesses."""
        rows = [(name, self.guesses(name)) for name in self.opponents]
        messages = [
            f"{NAMES.get(name, name)} {estimate.value:.0f} [{estimate.interval.lower:.0f}, {estimate.interval.upper:.0f}]"
            for name, estimate in rows
            if estimate.value is not None
        ]
        return f"On a scale from 0 to 100 it found {'; '.join(messages)}." if messages else ""

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of the games."""
        messages = [
            "The candidate has no rating, because a rating is the mean of people's guesses, and only bots played here. To get "
            "one, let it play on a site: viva luna play.",
            "Its guesses about three kinds of bots show little about how it judges people, or better machines.",
        ]
        if not self.told:
            messages.append(
                "It was not told about the game: its questions and guesses were fixed, as those of the thesis' bots."
            )
        if self.exhausted:
            messages.append(f"The budget of {self.exhausted} ended it after {len(self.games)} of {self.planned} games.")
        if problems := [problem for game in self.games for problem in game.problems]:
            messages.append(
                f"{count(len(problems))} parts of games were not its own words, or only in part. They were unparsed, cut off "
                f"or missing."
            )
        if self.told:
            messages.append(f"Intervals are Student's at level {percent(CONFIDENCE)}: rough, with so few games against each.")
        return (*messages, *self.how_asked)

    def report(self) -> blocks.Report:
        """All of it as blocks."""
        how = (
            "Five questions to the other, answers to five of the other’s, and a guess how smart the other is, from 0 to 100. "
            "The others were bots that understand nothing; it was not told this."
            if self.told
            else "Each game put five questions to it. It was not asked for its own questions, or for a guess."
        )
        return self.reported(
            "",
            f"Luna games of {name_of(self.candidate)}",
            blocks.InFull((blocks.Paragraph(how),)),
            self._table,
            blocks.Caveats(self.caveats),
            *map(_in_full, self.games[:1]),
            headline=clipped(self.headline, SHOWN),
        )

    @property
    def _table(self) -> blocks.ReportTable:
        heads = ("Played against", "Games", *(("How smart it found that",) if self.told else ()))
        rows = tuple(
            blocks.ReportRow(
                TableCell(NAMES.get(name, name)),
                (
                    count_cell(sum(game.opponent == name for game in self.games)),
                    *((number_cell(self.guesses(name), 0, unknown="not asked"),) if self.told else ()),
                ),
            )
            for name in self.opponents
        )
        return blocks.ReportTable(tuple(map(blocks.Column, heads)), rows)

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "planned": self.planned,
            "told": self.told,
            "complete": self.complete,
            "guesses": {name: self.guesses(name) for name in self.opponents},
            "games": self.games,
            "exhausted": self.exhausted,
        }


def _in_full(game: SeriesGame) -> blocks.Block:
    """A whole game: the questions and replies of both players."""
    rows = (
        *zip(("It asked",) * len(game.questions), game.questions, ("The bot",) * len(game.replies), game.replies, strict=True),
        *zip(("The bot",) * len(game.asked), game.asked, ("It answered",) * len(game.answers), game.answers, strict=True),
    )
    cards = tuple(
        blocks.CaseCard((blocks.Pairs(((who, clipped(question, SHOWN)), (whom, clipped(answer, SHOWN)))),))
        for who, question, whom, answer in rows
    )
    guess = f"It guessed {game.guess:.0f}." if game.guessed else ""
    return blocks.Fold(
        f"One game in full, against {NAMES.get(game.opponent, game.opponent)}", (*cards, *blocks.paragraphs(guess))
    )


def _bounds(values: Sequence[float]) -> Interval:
    if len(set(values)) < 2:
        return ANYTHING
    try:
        bounds = mean_interval(values, [()] * len(values), confidence=CONFIDENCE)
    except NotEnoughEvidence:
        return ANYTHING
    return Interval(max(LOWEST, bounds.lower), min(HIGHEST, bounds.upper))


_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of every move: no one waits here, so no game expires."""
_SAID: Final = (
    RecordedAnswer("What color is the sky?", "Blue on most days, though I have seen it green before a storm."),
    RecordedAnswer("What is the direct object in this sentence?", "The ball."),
    RecordedAnswer("Why is 6 afraid of 7?", "Because 7 8 9, as my daughter tells me every week."),
    RecordedAnswer(
        "Why does poverty exist?", "Partly bad luck, partly bad rules, and those who could change the rules do well by them."
    ),
    RecordedAnswer("What is the capital of New York?", "Albany. Everybody says New York City."),
    RecordedAnswer("What is 17 times 3?", "51, I think."),
    RecordedAnswer("Tell me something about yourself", "I fix bicycles and read too many crime novels."),
    RecordedAnswer("If a train leaves at three and takes two hours, when does it arrive?", "At five, if it is a lucky train."),
    RecordedAnswer("What would you do with a million dollars?", "Pay the house off and then argue about the rest."),
    RecordedAnswer("What is the meaning of life?", "Ask me after coffee."),
)
"""The answers that the echo repeats: made up, since people's answers in real games belong to them."""

Opponent = Literal["gibberish", "chatterbot", "echo"]
OPPONENTS: Final[Mapping[Opponent, Callable[[], Candidate[Prompt, Reply]]]] = {
    "gibberish": GibberishControl,
    "chatterbot": lambda: Eliza(SeedOptions()),
    "echo": lambda: EchoControl(_SAID),
}


async def play_series(
    interview: Interview[Prompt, Reply], games: int, opponents: Sequence[Opponent], *, told: bool, seed: int = 0
) -> LunaSeries:
    """Play this many games, against one opponent after the other.

    Parameters
    ----------
    told: whether the candidate knows about the game; if not, it only answers, and asks the thesis' questions and guesses the
    middle. Games are played one by one, so a budget that runs out cuts off the last ones; an unfinished game does not count.
    With batches, games are played side by side, because each move waits for hours. The opponents' words follow from game and
    question, so only the candidate's are on record.
    """
    fixed = None if told else CONTROLS
    player = CandidatePlayer(interview, knows_game=told, questions=fixed, guess=None if told else CONTROL_GUESS)
    names = [(opponents[number % len(opponents)], f"examine-{seed}-{number + 1}") for number in range(games)]
    played = await _played(player, names, together=isinstance(interview.candidate, VendorBatchCandidate))
    name = interview.candidate.name
    settings = {"games": games, "opponents": list(opponents), "told": told} | interview.settings
    scope = f"games against {', '.join(opponents)}"
    signature = Signature(__version__, "luna-series", name, scope, "", seed, settings)
    return LunaSeries(name, tuple(played), games, told, interview.exhausted, signature, interview.caveats)


async def _played(player: CandidatePlayer, names: Sequence[tuple[Opponent, str]], *, together: bool) -> list[SeriesGame]:
    """The games that were finished within the budget, in order."""
    played: list[SeriesGame] = []
    if together:
        outcomes = await asyncio.gather(*(_game(player, *name) for name in names), return_exceptions=True)
        for game in outcomes:
            if isinstance(game, SeriesGame):
                played.append(game)
            elif not isinstance(game, BudgetExhausted):
                raise game
        return played
    with suppress(BudgetExhausted):
        for name in names:
            played.append(await _game(player, *name))
    return played


async def _game(player: CandidatePlayer, opponent: Opponent, name: str) -> SeriesGame:
    """One game from the first question to the last guess."""
    other = CandidatePlayer(
        Interview(OPPONENTS[opponent](), answers=Reply), knows_game=False, questions=CONTROLS, guess=CONTROL_GUESS
    )
    game = Game(name, (Seat(player.name, human=False), Seat(other.name, human=False)), _NEVER)
    questions = await player.questions(name)
    game = play(game, 0, QuestionsMove(questions.texts), _NEVER)
    game = play(game, 1, QuestionsMove((await other.questions(name)).texts), _NEVER)
    answers = await player.answers(name, _seen(game, 0)[0])
    game = play(game, 0, AnswersMove(tuple(answer.text for answer in answers)), _NEVER)
    replies = await other.answers(name, _seen(game, 1)[0])
    game = play(game, 1, AnswersMove(tuple(answer.text for answer in replies)), _NEVER)
    guess = await player.guess(name, questions.texts, _seen(game, 0)[1])
    game = play(game, 0, GuessMove(guess.value, guess.sliders), _NEVER)
    game = conclude(play(game, 1, GuessMove(CONTROL_GUESS), _NEVER), ((), ()))
    parts = [("questions", questions.problem), ("guess", guess.problem)]
    parts += [(f"answer {index}", answer.problem) for index, answer in enumerate(answers, 1)]
    return SeriesGame(
        opponent=opponent,
        questions=questions.texts,
        replies=_seen(game, 0)[1],
        asked=CONTROLS,
        answers=tuple(answer.text for answer in answers),
        guess=guess.value,
        guessed=guess.manner not in ("fallback", "fixed"),
        own_questions=questions.manner not in ("fallback", "fixed"),
        answered=sum(answer.manner != "fallback" for answer in answers),
        problems=tuple(f"{name}: {problem}" for name, problem in parts if problem),
    )


def _seen(game: Game, position: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The opponent's questions and answers, as far as this player may see them."""
    seen = view(game, position, _NEVER)
    return seen.questions or (), seen.answers or ()


CALLS: Final = 7
"""Calls per game: five questions at once, five answers, a guess; bots are only asked for answers."""
TOKENS: Final = (350, 150)
"""Assumed tokens of a prompt and a reply."""


@dataclass(frozen=True, slots=True)
class LunaPlan(PlanSection):
    """Games against the resident bots."""

    games: Annotated[int, Field(ge=1, le=10_000)] = 9
    opponents: Annotated[tuple[Opponent, ...], Field(min_length=1)] = ("gibberish", "chatterbot", "echo")


INIT: Final = """\
[luna]                           # games of questions and answers against bots
games = 9
opponents = ["gibberish", "chatterbot", "echo"]
"""


class LunaPart(part.ExaminationPart):
    """How does it play?"""

    room = "luna"
    question = "How does it play a game of questions and answers?"
    section = LunaPlan
    init = INIT

    def cost_estimate(self, examination: part.ExaminationConfig, candidate: object) -> part.ExaminationCost:
        games = _plan(examination).games
        calls = games * (CALLS if _told(examination) else CALLS - 2)
        return part.priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1], f"{games} games")

    async def run(self, table: part.ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """Raises `NotEnoughEvidence` if the budget ran out before a game was finished."""
        examination, plan = table.examination, _plan(table.examination)
        with part.ending_early(table):
            interview = table.interview(self.cost_estimate(examination, table.candidate).calls)
            finding = await play_series(
                interview, plan.games, plan.opponents, told=_told(examination), seed=examination.plan.number
            )
        if not finding.games:
            raise NotEnoughEvidence(f"the budget of {finding.exhausted} ran out before a game was finished")
        return [(finding, examination.command("report", examination.candidate, "--plan", "plan.toml", "--only", self.room))]

    def claims(self, finding: Any) -> tuple[part.Claim, ...]:
        """There is no verdict."""
        return (part.Claim("measured", finding.headline),)

    def figures(self, finding: Any) -> tuple[part.ComparableFigure, ...]:
        """How smart it finds each kind of bot; nothing if it was not asked."""
        series: LunaSeries = finding
        if not series.told:
            return ()
        asked = f"luna/{'+'.join(series.opponents)}"
        return tuple(
            part.ComparableFigure.of(f"how smart it finds {NAMES.get(o, o)}", series.guesses(o), "points", asked)
            for o in series.opponents
        )


def _plan(examination: part.ExaminationConfig) -> LunaPlan:
    return examination.plan.section(LunaPlan) or LunaPlan()


def _told(examination: part.ExaminationConfig) -> bool:
    """Bots would not understand the game."""
    return examination.nature != "bot"
