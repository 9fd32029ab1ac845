"""What the figures of a site are, as a value, and what they say and do not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from vivavoce.formats.interval import CONFIDENCE, Estimate
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.interview.scope import Signature
from vivavoce.luna.asked import AskedQuestion
from vivavoce.luna.cells import in_words, number_cell
from vivavoce.luna.identification_finding import CAVEATS, Identified, calibration_lines
from vivavoce.luna.spread import SpreadAt, spread_lines
from vivavoce.report.blocks import Caveats, Column, Figure, InFull, Report, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.figures import Histogram
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported
from vivavoce.version import __version__

THESIS: Final[Mapping[str, str]] = {
    "players": "86 accounts, 1\N{NARROW NO-BREAK SPACE}207 guests, 2 machines",
    "games": "685 begun, 292 finished by both",
    "games a person": "mean 0.33, median 0",
    "rating": "mean 68.9, median 74 (220 persons)",
    "length and guess": "r = 0.179",
}
"""The same figures in silver2016, section 6.3, after two weeks."""
SHOWN: Final = 20
"""Questions in a table."""
TOLD: Final = 500
"""Questions in the JSON."""
LONGEST_SHOWN: Final = 160
"""Characters of a question in a table."""


@dataclass(frozen=True, slots=True)
class MachineFigures:
    """How people found a machine."""

    player: str
    """Its pseudonym."""
    rating: Estimate
    lowest: float
    """Guess of a person."""
    highest: float


@dataclass(frozen=True, slots=True, repr=False)
class LunaStatistics(Reported):
    """The figures of a site."""

    site: str
    players: Mapping[str, int]
    """By kind."""
    newcomers: tuple[tuple[date, int], ...]
    """People who came for the first time, by day."""
    games_begun: int
    games_finished: int
    share_finished: Estimate
    games_per_person: Estimate
    """Finished ones; also of people who have none."""
    median_games: Estimate
    rating: Estimate
    """Of people who have one."""
    median_rating: Estimate
    histogram: tuple[int, ...]
    """People with a rating from 0, from 10 ... from 90 to 100."""
    machines: tuple[MachineFigures, ...]
    """Best first."""
    games_looked_into: int
    """Finished ones whose texts and guesses may be looked at."""
    length_and_guess: Estimate
    """Pearson's correlation of the characters of a person's answers with the other person's guess."""
    length_and_guess_with_machines: Estimate
    """The same with what machines answered."""
    questions: tuple[AskedQuestion, ...]
    """Those with most marks first."""
    spread: tuple[SpreadAt, ...]
    identified: Identified
    """How well people tell machines from people."""

    @property
    def statement(self) -> str:
        """The result in a few plain sentences."""
        return " ".join((self.headline, *self.more))

    @property
    def headline(self) -> str:
        """Who came, and what became of their games."""
        if not sum(self.players.values()):
            return "Nobody has come yet."
        people = sum(number for kind, number in self.players.items() if kind != "machine")
        machines = self.players.get("machine", 0)
        came = f"{_counted(people, 'person', 'people')} and {_counted(machines, 'machine', 'machines')} came"
        share = self.share_finished
        if share.value is None:
            return f"{came}."
        return (
            f"{came} and began {_counted(self.games_begun, 'game', 'games')}, of which {count(self.games_finished)} "
            f"({percent(share.value)} {percent_interval(share.interval)}) were finished."
        )

    @property
    def more(self) -> tuple[str, ...]:
        """What there is to say about ratings and judgements, a sentence each."""
        told = []
        if self.rating.value is not None:
            told.append(f"People rate people {in_words(self.rating)} on average.")
        if self.length_and_guess.value is not None:
            told.append(
                f"Players who write longer answers are guessed {self._tendency}: r = {in_words(self.length_and_guess, 2)}."
            )
        return (*told, *self.identified.sentences)

    @property
    def _tendency(self) -> str:
        interval = self.length_and_guess.interval
        if 0.0 in interval:
            return "neither higher nor lower for certain"
        return "higher" if interval.lower > 0 else "lower"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the figures do not show, each in a sentence."""
        told = [
            "Players came on their own (self-selection), and most play seldom: nothing here holds for people at large.",
            "Games that are still open count as not finished, and a guest who makes an account counts as an account.",
            "A rating says how smart people find somebody, not how smart somebody is; one machine or person may be several "
            "players.",
            "A correlation of length and guess does not show which causes which, or whether effort causes both.",
            "The thesis looked for guesses that agree better the more games there are. Those of one player need not: what "
            "shrinks is the uncertainty of their mean. Persons with many games are also other persons than those with few.",
        ]
        if self.identified.machines.n or self.identified.people.n:
            told += CAVEATS
        missing = [name for name, value in self._wanting.items() if value is None]
        if missing:
            told.append(f"Too little to say: {', '.join(missing)}.")
        if self.marked:
            told.append(
                "Difficulty and discrimination of a question rest on people who chose to mark, and on whoever was asked: "
                "harder questions may have been put to others. Questions are as players wrote them: read before you publish."
            )
        if self.games_looked_into < self.games_finished:
            told.append(
                f"Lengths, machines and spread rest on {count(self.games_looked_into)} of {count(self.games_finished)} "
                "finished games: those whose players agreed to it and are still here."
            )
        return tuple(told)

    @property
    def _wanting(self) -> Mapping[str, object]:
        return {
            "share of finished games": self.share_finished.value,
            "ratings of people": self.rating.value,
            "ratings of machines": self.machines[0].rating.value if self.machines else None,
            "length and guess": self.length_and_guess.value,
            "spread of guesses": self.spread[0].deviation.value if self.spread else None,
            "how often machines pass for people": self.identified.machines.value,
            "how often people are taken for machines": self.identified.people.value,
        }

    @property
    def marked(self) -> tuple[AskedQuestion, ...]:
        """Questions with enough marks for a difficulty."""
        return tuple(one for one in self.questions if one.difficulty.value is not None)

    @property
    def signature(self) -> Signature:
        """How these figures were made."""
        settings = {"confidence": CONFIDENCE, "games": self.games_looked_into, "players": sum(self.players.values())}
        return Signature(__version__, "luna statistics", "all players", self.site or "a site", "", 0, settings)

    @property
    def _ratings(self) -> Histogram:
        told = ", ".join(f"{number} from {10 * place}" for place, number in enumerate(self.histogram) if number)
        return Histogram(0.0, 10.0, self.histogram, f"Ratings of people: {told}.", "Rating", "People", limit=None)

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "The Luna game",
            f"Figures of {clipped(self.site, 200) or 'a Luna site'}",
            InFull(paragraphs(" ".join(self.more))),
            self.beside_the_thesis,
            Figure(self._ratings),
            Figure(spread_lines(self.spread)),
            Figure(calibration_lines(self.identified.calibration)),
            *(Section(heading, (table,)) for heading, table in self.tables),
            Caveats(self.caveats),
        )

    @property
    def beside_the_thesis(self) -> Table:
        """The figures that the thesis has too, next to its own."""
        share = self.share_finished
        finished = "none begun" if share.value is None else f"{percent(share.value)} {percent_interval(share.interval)}"
        kinds = ", ".join(f"{count(number)} {kind}{'s' if number != 1 else ''}" for kind, number in self.players.items())
        games = f"{count(self.games_begun)} begun, {count(self.games_finished)} finished: {finished}"
        lengths, everybody = self.length_and_guess, self.length_and_guess_with_machines
        rows = (
            ("Players", Cell(kinds or "none"), "players"),
            ("Games", Cell(games), "games"),
            ("Finished games of a person, mean", number_cell(self.games_per_person, 2), "games a person"),
            ("Finished games of a person, median", number_cell(self.median_games, 1), ""),
            ("Rating of people, mean", number_cell(self.rating, 1).with_n(self.rating.n), "rating"),
            ("Rating of people, median", number_cell(self.median_rating, 1), ""),
            ("Length of answers against guess, people", number_cell(lengths, 2).with_n(lengths.n), "length and guess"),
            ("Length of answers against guess, with machines", number_cell(everybody, 2).with_n(everybody.n), ""),
        )
        return Table(
            (Column("What"), Column("Here"), Column("In the thesis")),
            tuple(Row(Cell(what), (here, Cell(THESIS.get(there, "")))) for what, here, there in rows),
        )

    @property
    def tables(self) -> tuple[tuple[str, Table], ...]:
        """Machines, spread, who is taken for whom, newcomers by day, with their headings; without those that would be empty."""
        machines = tuple(
            Row(
                Cell(one.player),
                (number_cell(one.rating, 1), count_cell(one.rating.n), Cell(f"{one.lowest:g} to {one.highest:g}")),
            )
            for one in self.machines
        )
        questions = tuple(_question_row(one) for one in self.marked[:SHOWN])
        spread = tuple(Row(count_cell(one.games), _cells_of(one)) for one in self.spread)
        days = tuple(Row(Cell(day.isoformat()), (count_cell(number),)) for day, number in self.newcomers)
        found = (
            ("Machines", ("Machine", "Rating", "Guesses of people", "From – to"), machines),
            (
                "Questions that were marked most (the higher the mean mark, the easier)",
                ("Question", "Games", "Marks", "Mean mark", "Discrimination"),
                questions,
            ),
            (
                "How far guesses about a person lie apart",
                ("Guesses", "People", "Standard deviation", "Between people", "Standard error"),
                spread,
            ),
            *self.identified.tables,
            ("New people by day", ("Day", "People"), days),
        )
        return tuple((heading, Table(tuple(map(Column, heads)), rows)) for heading, heads, rows in found if rows)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        estimates = (
            "share_finished", "games_per_person", "median_games", "rating", "median_rating", "length_and_guess",
            "length_and_guess_with_machines",
        )  # fmt: skip
        return {
            "players": dict(self.players),
            "newcomers": [{"day": day.isoformat(), "people": number} for day, number in self.newcomers],
            "games_begun": self.games_begun,
            "games_finished": self.games_finished,
            "games_looked_into": self.games_looked_into,
            **{name: getattr(self, name).as_json() for name in estimates},
            "histogram": [{"from": 10 * place, "people": number} for place, number in enumerate(self.histogram)],
            "machines": [
                {"player": one.player, "rating": one.rating.as_json(), "lowest": one.lowest, "highest": one.highest}
                for one in self.machines
            ],
            "questions": [
                {
                    "question": one.text,
                    "games": len(one.games),
                    "difficulty": one.difficulty.as_json(),
                    "discrimination": one.discrimination.as_json(),
                }
                for one in self.marked[:TOLD]
            ],
            "spread": [
                {"games": one.games, "deviation": one.deviation.as_json(), "between": one.between, "error": one.error}
                for one in self.spread
            ],
            "identification": self.identified.as_json(),
        }


def _question_row(one: AskedQuestion) -> Row:
    difficulty, discrimination = number_cell(one.difficulty, 1), number_cell(one.discrimination, 2)
    counts = (count_cell(len(one.games)), count_cell(one.difficulty.n))
    return Row(Cell(clipped(one.text, LONGEST_SHOWN)), (*counts, difficulty, discrimination.with_n(one.discrimination.n)))


def _cells_of(one: SpreadAt) -> tuple[Cell, ...]:
    between = Cell("–", known=False) if one.between is None else Cell(f"{one.between:.1f}", one.between)
    return (
        count_cell(one.deviation.n),
        number_cell(one.deviation, 1),
        between,
        Cell(f"{one.error:.1f}", one.error),
    )


def _counted(number: int, one: str, many: str) -> str:
    return f"{count(number)} {one if number == 1 else many}"
