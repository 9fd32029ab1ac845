"""Caveats of certificates: the limits of a verdict, and the number of ungraded replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vivavoce.certificate.attempts.attempt import UNSEEN
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.formats.wording import capital, count, share
from vivavoce.interview.faults import asked_again_caveat, turned_away_caveat
from vivavoce.report.blocks import Caveats

MANY: Final = 0.1
"""The headline mentions a larger share of copied replies."""
MANY_UNGRADED: Final = 0.2
"""The headline mentions ungraded replies of at least this share."""


@dataclass(frozen=True, slots=True)
class ReplyCounts:
    """Counts of replies that were not simply an answer, and of questions that met a fault."""

    unreadable: int = 0
    """Unparsed replies, without those that were copied or cut off."""
    copied: int = 0
    """Replies that repeat the instruction or a worked example."""
    cut_off: int = 0
    """Replies that a limit ended."""
    after_turn: int = 0
    """Answers that were read only from the reply to a further turn, "I don't know" included."""
    no_answers: int = 0
    orphans: int = 0
    """Questions whose run ended first, perhaps because of the candidate: their grade is unknown."""
    faults: int = 0
    """Questions that met a fault of the service: no answer came, or only one to a second try, which does not count."""
    turned_away: int = 0
    """Others that were turned away and asked again, assumed unheard (too many requests)."""
    asked_again: int = 0
    """Further questions that met a fault of the service in an earlier run. This run asked them again, and those answers
    count."""
    dont_know: int = 0


@dataclass(frozen=True, slots=True)
class UngradedReplies:
    """The replies of one examination whose answer no one knows."""

    unreadable: int
    copied: int
    cut_off: int
    asked: int
    """Questions asked, answered or not."""
    judged: bool = False
    """Whether the replies are ungraded because judgements were unparsed."""
    orphans: int = 0
    """Questions without a reply because the run ended; not counted above."""
    faults: int = 0
    """Questions that met a fault of a server that may have received them; they don't count either."""
    ruled: bool = False
    """Whether a rule graded some of the replies, and the judge the others."""
    no_answers: int = 0
    """Questions without a reply that scored 0; not counted above."""

    @classmethod
    def of(cls, replies: ReplyCounts, asked: int, *, judged: bool = False, ruled: bool = False) -> UngradedReplies:
        """From the counts of a claim."""
        unread = replies.unreadable, replies.copied, replies.cut_off
        return cls(*unread, asked, judged, replies.orphans, replies.faults, ruled, replies.no_answers)

    @property
    def count(self) -> int:
        """Number of all of them."""
        return self.unreadable + self.copied + self.cut_off

    @property
    def is_all(self) -> bool:
        """Whether no reply could be graded."""
        return 0 < self.asked == self.count

    @property
    def verb(self) -> str:
        """The participle for them: "graded" or "judged"."""
        return "graded" if not self.judged else "graded or judged" if self.ruled else "judged"

    @property
    def row(self) -> str:
        """Their name in a table."""
        return "Not judged" if self.judged and not self.ruled else "Not gradable"

    @property
    def mostly_copied(self) -> bool:
        """Whether the headline must mention replies that repeat the prompt."""
        return self.copied > MANY * self.asked

    @property
    def in_headline(self) -> str:
        """The clause for the headline if there are many; else empty.

        >>> UngradedReplies(12, 0, 0, 50).in_headline, UngradedReplies(9, 0, 0, 50).in_headline
        ('24% of the replies could not be graded', '')
        """
        many = self.count >= MANY_UNGRADED * self.asked > 0
        return replace(self, orphans=0, faults=0).words if many else self.copied_words if self.mostly_copied else ""

    @property
    def words(self) -> str:
        """How many, in a clause.

        >>> UngradedReplies(2, 0, 1, 4).words
        '75% of the replies could not be graded (1 was cut off)'
        """
        if self.faults:
            return self._after(replace(self, faults=0), self.faulted_words)
        if self.orphans:
            lost = f"{count(self.orphans)} question{' was' if self.orphans == 1 else 's were'} asked and never answered"
            return self._after(replace(self, orphans=0), lost)
        if not self.count:
            return "too many judgements could not be read" if self.judged else "every reply could be graded"
        some = self.count < self.asked
        part = share(self.count / self.asked)
        what = f"{part} of the replies could not be {self.verb}" if some else f"no reply could be {self.verb}"
        kinds = [
            f"{count(number)} {'was' if number == 1 else 'were'} {why}"
            for number, why in ((self.copied, "copied from the prompt"), (self.cut_off, "cut off"))
            if number
        ]
        return f"{what} ({', '.join(kinds)})" if kinds else what

    @staticmethod
    def _after(others: UngradedReplies, words: str) -> str:
        return f"{others.words}, and {words}" if others.count or others.orphans else words

    @property
    def faulted_words(self) -> str:
        """The number of questions that met a fault, as a clause; empty without any.

        >>> UngradedReplies(0, 0, 0, 40, faults=12).faulted_words
        '12 of 40 questions met a fault of the server'
        """
        if not self.faults:
            return ""
        of = f"{count(self.faults)} of {count(self.asked)} questions" if self.asked > 1 else "the one question"
        return f"{of} met a fault of the server"

    @property
    def unanswered_words(self) -> str:
        """The number of questions without an answer, as a clause, if there are many; else empty.

        >>> UngradedReplies(0, 0, 0, 40, no_answers=12).unanswered_words
        '12 of 40 questions got no answer, which counts as wrong'
        >>> UngradedReplies(0, 0, 0, 40, no_answers=4).unanswered_words
        ''
        """
        many = self.no_answers > MANY * self.asked
        return f"{count(self.no_answers)} of {count(self.asked)} questions got no answer, which counts as wrong" if many else ""

    @property
    def copied_words(self) -> str:
        """How many repeat the prompt, in a clause."""
        return f"{share(self.copied / self.asked)} of its replies repeat the prompt"

    @property
    def remedies(self) -> tuple[str, ...]:
        """Sentences on what to try."""
        by_server = (_SERVER,) if self.faults else ()
        if not self.count:
            return by_server
        other = "Use another judge, or more judgements of each answer ('--set judge-samples')."
        if self.judged and not self.ruled:
            return (other, _WRONG, *by_server)
        longer = "Allow longer replies: '?max_tokens=N' after the candidate's name."
        return (
            other if self.judged else "Let a model judge what no rule can grade: '--judge MODEL'.",
            "Ask in another way: '--set reply-format'.",
            *((longer,) if self.cut_off else ()),
            _WRONG,
            *by_server,
        )


def assumed_words(number: int) -> str:
    """A clause on why short replies that are only assumed wrong do not justify a fail.

    >>> assumed_words(12)
    'it fails if these 12 short replies are wrong'
    """
    return f"it fails if {these_replies(number)} wrong"


def these_replies(number: int) -> str:
    """Short replies that are wrong only by assumption, with a verb.

    >>> these_replies(1), these_replies(12)
    ('this short reply is', 'these 12 short replies are')
    """
    return "this short reply is" if number == 1 else f"these {count(number)} short replies are"


_SERVER: Final = "Ask fewer questions at once ('--concurrency'), or have the server turn away what it cannot take (status 429)."
_WRONG: Final = "Count ungradable replies as wrong: '--set unreadable=wrong'. The verdict then depends on them."


def unread_caveats(unread: UngradedReplies, *, wrong: bool = False, zero_is_unacceptable: bool = False) -> tuple[str, ...]:
    """Caveats about ungraded replies; nothing if there are none.

    >>> unread_caveats(UngradedReplies(1, 0, 0, 50), wrong=True)
    ('1 reply could not be graded and scored 0: the verdict is on what can be graded.',)
    """
    if not unread.count:
        return ()
    replies = f"{unread.count} {'reply' if unread.count == 1 else 'replies'} could not be {unread.verb}"
    if wrong:
        sentence = f"{replies} and scored 0: the verdict is on what can be graded."
    else:
        absurd = "each may also be unacceptable, or not" if zero_is_unacceptable else "none of them counts as unacceptable"
        sentence = (
            f"{replies}: each counts as 0 in the evidence for understanding and as 1 in the evidence against it. No verdict "
            f"rests on unknown grades; {absurd}. The mean score is a range."
        )
    were = "was" if unread.cut_off == 1 else "were"
    cut = f"{unread.cut_off} of them {were} cut off by a limit." if unread.cut_off else ""
    copied = "" if not unread.mostly_copied else f"{unread.copied_words}: it may not have understood the task."
    return tuple(words for words in (sentence, cut, capital(copied)) if words)


SEVERAL = 2
"""Number of zero-scored replies with an accepted answer from which a caveat mentions them; a single one may be chance."""
NAMED = 10
"""The most ignored columns that are named."""


_FIXED = "a fixed candidate, which would do as well at any question whenever it is asked"


@dataclass(frozen=True, slots=True)
class CertificateFacts:
    """The facts that decide a certificate's caveats."""

    population: int | None
    clustered: bool
    unacceptable_limit: float | None
    exact: bool
    """Whether all of a finite scope was asked."""
    unread: UngradedReplies
    unread_is_wrong: bool
    """Whether unparsed replies scored 0, as the user chose."""
    zero_is_unacceptable: bool
    replies: ReplyCounts
    if_anew_wrong: Verdict | None
    """The verdict if repeated answers counted 0."""
    overlooked: int
    """Replies that earned nothing and hold an accepted answer somewhere."""
    decided: bool
    changed: bool
    """Whether the scores show that the candidate changed."""
    strata_unasked: int
    """Strata in which no question was asked."""
    largest_weight: float | None
    """How many times its share the heaviest question counted, if questions were drawn evenly."""


AS_GRADED: Final = (
    "It is about grades as they were given: how often a rule or a judge misreads a reply can be measured, not proven."
)


STAYS_AS_IT_IS: Final = (
    f"It assumes {_FIXED}. One that changes, learns or is replaced may do well until the verdict and badly afterwards."
)
THESE_QUESTIONS: Final = (
    "It holds for questions drawn as the scope draws them, in these words, and for the candidate as it was when it answered. "
    "It says nothing about other questions."
)


OF_ALL: Final = frozenset({THESE_QUESTIONS, STAYS_AS_IT_IS, AS_GRADED, UNSEEN})
"""Caveats of every certificate."""


def limits(sentences: Sequence[str]) -> Caveats:
    """Caveats for a page: those specific to this examination come first and are never folded.

    >>> limits([AS_GRADED, "The seed was given."]).sentences[0]
    'The seed was given.'
    """
    own = [sentence for sentence in sentences if sentence not in OF_ALL]
    return Caveats((*own, *(sentence for sentence in sentences if sentence in OF_ALL)), len(own))


def caveats(facts: CertificateFacts) -> tuple[str, ...]:
    """The caveats that apply to a certificate, the most important first.

    The first says what the guarantee is (and that it is not the probability that a given verdict is right).
    """
    sentences = (
        ""
        if facts.exact or not facts.decided
        else "The guarantee is about the procedure: whatever the candidate is like, a wrong verdict comes out at most that "
        "often. It is not the probability that this one verdict is wrong.",
        "The scores did not come in random order: something changed while questions were asked, the candidate or its service. "
        f"The guarantee assumes {_FIXED}; this one was not."
        if facts.changed
        else "",
        "" if facts.exact or facts.changed or not facts.decided else STAYS_AS_IT_IS,
        "Every question of the scope was asked, so nothing about these questions is left to chance. A candidate that answers "
        "differently each time may do better or worse tomorrow."
        if facts.exact
        else "",
        THESE_QUESTIONS,
        AS_GRADED,
        _some(
            facts.replies.no_answers,
            "got no answer (a time-out, a refusal by a content filter, or an error of the candidate's own) and scored 0.",
        ),
        *unknowable_caveats(facts.replies.orphans, facts.replies.faults, facts.replies.turned_away),
        *asked_again_caveats(facts.replies.asked_again, facts.if_anew_wrong),
        ""
        if facts.overlooked < SEVERAL
        else f"{facts.overlooked} replies scored 0 although an accepted answer appears somewhere in them. Check them, and if "
        "they are right, match the questions in another way ('match' in your own file).",
        *unread_caveats(facts.unread, wrong=facts.unread_is_wrong, zero_is_unacceptable=facts.zero_is_unacceptable),
        "Unacceptable answers were not examined: no limit was set." if facts.unacceptable_limit is None else "",
        "" if not facts.strata_unasked or facts.exact else _unasked(facts.strata_unasked),
        ""
        if facts.largest_weight is None
        else f"Questions were drawn evenly and count by weight, the heaviest {facts.largest_weight:.3g} times its share. "
        "The mean score is an estimate whose values are not all between 0 and 1.",
        "Questions of one cluster are not independent: each cluster counts once, with its mean." if facts.clustered else "",
        "Answers to published questions don't show whether they were memorised." if facts.population else "",
    )
    return tuple(sentence for sentence in sentences if sentence)


def ignored_caveats(scopes: Sequence[object]) -> tuple[str, ...]:
    """Caveats about how a file was read and which columns were ignored; nothing without any."""
    notes = dict.fromkeys(note for scope in scopes for note in getattr(scope, "notes", ()))
    names = tuple(dict.fromkeys(name for scope in scopes for name in getattr(scope, "ignored", ())))
    if not names:
        return tuple(notes)
    shown = ", ".join(f"“{name[:40]}”" for name in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (*notes, f"Unknown columns of the file were ignored: {shown}{more}.")


def _unasked(strata: int) -> str:
    some = "One stratum was" if strata == 1 else f"{strata} strata were"
    return (
        f"{some} not asked about: the evidence and the intervals allow for anything there, the mean score and the rate leave "
        f"{'it' if strata == 1 else 'them'} out."
    )


def _some(number: int, rest: str) -> str:
    return f"{number} question{'' if number == 1 else 's'} {rest}" if number else ""


def unknowable_caveats(orphans: int, faults: int, turned_away: int) -> tuple[str, ...]:
    """Caveats on questions whose value no one can know, whatever the reply; empty without any.

    >>> unknowable_caveats(0, 1, 0)[0][:60]
    '1 question met a fault of the server, which may have heard i'
    """
    pair = (
        _some(
            orphans,
            "had been asked when the program ended, and got no answer. Each counts as 0 in the evidence for understanding and "
            "as 1 in the evidence against it. None was asked again, since the candidate may have ended the program itself.",
        ),
        _some(
            faults,
            "met a fault of the server, which may have heard it. Each counts as 0 in the evidence for understanding, as 1 in "
            "the evidence against it, and as possibly unacceptable; a second try changes nothing. The next run over the "
            "same transcript asks those without an answer again.",
        ),
        turned_away_caveat(turned_away) if turned_away else "",
    )
    return tuple(sentence for sentence in pair if sentence)


def asked_again_caveats(number: int, otherwise: Verdict | None) -> tuple[str, ...]:
    """The caveat on questions that met a fault of the service in an earlier run and were answered in a later one.

    otherwise: the verdict if these answers counted 0; None if that is not known.

    >>> asked_again_caveats(3, Verdict.UNDECIDED)[0][-79:]
    'If the 3 answers that a later run asked again counted 0, it would be undecided.'
    """
    if not number:
        return ()
    would = "" if otherwise is None else f" {if_anew_wrong(number, otherwise)}"
    return (asked_again_caveat(number) + would,)


def followed_up(settings: Mapping[str, object]) -> str:
    """Addition to a candidate's name in a headline if its replies were followed up.

    >>> followed_up({"asking": "turn"}), followed_up({"asking": "by form"})
    (' with follow-up', '')
    """
    return " with follow-up" if settings.get("asking") == "turn" else ""


def if_anew_wrong(number: int, otherwise: Verdict) -> str:
    """A sentence on the verdict if this many answers that a later run asked again counted 0.

    >>> if_anew_wrong(1, Verdict.PASS)
    'If the answer that a later run asked again counted 0, it would pass all the same.'
    """
    answers = "the answer that a later run asked again" if number == 1 else f"the {number} answers that a later run asked again"
    would = {
        Verdict.PASS: "it would pass all the same",
        Verdict.FAIL: "it would fail",
        Verdict.UNDECIDED: "it would be undecided",
    }
    return f"If {answers} counted 0, {would[otherwise]}."
