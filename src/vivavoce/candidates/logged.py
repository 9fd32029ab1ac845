"""What a candidate replied in a log of another program, with the scores that it got there."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, unquote

from vivavoce.candidates.replay import RepeatedAnswers, ReplayedAnswer
from vivavoce.errors import CandidateMisconfigured
from vivavoce.formats.logged import Log, with_score
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply

LONGEST = 20_000
"""Characters of a reply that are kept."""


class LoggedReplies:
    """Repeats the replies in a log, each with its score.

    The name holds the file's own name, the model's and the file's digest, not the folder: equal names, equal replies.

    questions: for each sample and epoch the id of its question (`scopes.logged`).
    """

    asked_again: RepeatReason = "same"
    """It would say the same."""

    def __init__(self, log: Log, questions: Mapping[tuple[str, int], str]) -> None:
        self.name = name_of_log(log)
        self._replies = {
            questions[answer.sample, answer.epoch]: with_score(clipped(answer.reply, LONGEST), answer.score)
            for answer in log.answers
            if (answer.sample, answer.epoch) in questions
        }

    @property
    def recorded(self) -> Mapping[str, str]:
        """All replies, by question id."""
        return self._replies

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self._replies)} answers>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The reply in the log. Raises `CandidateMisconfigured` for a question that is not there."""
        try:
            return Reply(self._replies[question.id])
        except KeyError:
            raise CandidateMisconfigured(f"{self.name} has no sample '{question.id[:80]}'") from None


def drawn_from_log(log: Log, questions: Mapping[tuple[str, int], str]) -> RepeatedAnswers:
    """Repeats the replies in a log; each epoch of a sample is one draw, in order.

    questions: as for `LoggedReplies`, one of all epochs of a sample.
    """
    found: dict[str, list[ReplayedAnswer]] = {}
    for answer in sorted(log.answers, key=lambda one: one.epoch):
        if (answer.sample, answer.epoch) in questions:
            reply = Reply(with_score(clipped(answer.reply, LONGEST), answer.score))
            found.setdefault(questions[answer.sample, answer.epoch], []).append(ReplayedAnswer(reply))
    return RepeatedAnswers(name_of_log(log), found)


def name_of_log(log: Log) -> str:
    """What a log is called on record: with the scorer where it holds scores of several, so that their scores stand apart there.

    >>> name_of_log(Log("a.eval", "ab12" * 16, "openai/gpt-4o", "mmlu", "choice", ()))
    'log:a.eval#openai/gpt-4o?sha256=ab12ab12ab12'
    """
    scorer = f"scorer={quote(log.scorer, safe='/')}&" if log.others else ""
    return f"log:{log.file}#{log.model}?{scorer}sha256={log.digest[:12]}"


def scorer_of(name: str) -> str:
    """The scorer that a log's name on record tells; empty where it is the only one.

    >>> scorer_of(name_of_log(Log("a.eval", "ab12" * 16, "m", "mmlu", "judge:tone & style", (), others=True)))
    'judge:tone & style'
    """
    query = name.rpartition("?")[2]
    return unquote(query.removeprefix("scorer=").partition("&")[0]) if query.startswith("scorer=") else ""
