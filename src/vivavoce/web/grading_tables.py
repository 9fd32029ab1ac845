"""The tables of what people grade, and of published dossiers."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    SmallInteger,
    Table,
    Text,
)

from vivavoce.web.columns import TABLES, Moment, Written, one_of, refers

GRADING_QUEUES: Final = Table(
    "grading_queues",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("title", Written, nullable=False),
    Column("scope", Text),  # digest of the only one whose answers are graded here; none: no answer has come yet
    Column("twice", Double, nullable=False),
    Column("lease_seconds", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("created", Moment, nullable=False),
    one_of("state", "open", "closed"),
)
GRADING_ANSWERS: Final = Table(
    "grading_answers",
    TABLES,
    refers("queue", "grading_queues", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # in the order in which they came
    Column("key", Text, nullable=False),
    Column("question_id", Written, nullable=False),
    Column("question", Written, nullable=False),
    Column("answer", Written, nullable=False),
    Column("rubric", Written, nullable=False),
    Column("seats", SmallInteger, nullable=False),  # people who are to grade it
    Column("wanted", Boolean, nullable=False),
    Index("ix_grading_answers_once", "queue", "key", unique=True),
)
GRADERS: Final = Table(
    "graders",
    TABLES,
    Column("id", Text, primary_key=True),
    refers("queue", "grading_queues", nullable=False, index=True),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("expires", Moment, nullable=False),
    Column("consent", Text),
    Column("withdrawn", Moment),
)
GRADES: Final = Table(
    "grades",
    TABLES,
    Column("queue", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),  # the grade at seat 0 counts
    refers("grader", "graders", index=True),  # none: who gave it has withdrawn
    Column("until", Moment),  # the seat is held for this grader; none: it is graded, and nobody needs to know when
    Column("score", Double),  # none: there is no grade yet
    Column("ridiculous", Boolean),
    Column("settled", Boolean, nullable=False),  # it is part of a verdict
    ForeignKeyConstraint(["queue", "number"], ["grading_answers.queue", "grading_answers.number"]),
    CheckConstraint("score >= 0 AND score <= 1", name="score"),
)
"""Seats at an answer: who is to grade it until when, or what they gave."""
GRADING_PASSES: Final = Table(
    "grading_passes",
    TABLES,
    refers("grader", "graders", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
)
"""Answers that somebody said they cannot grade."""
DOSSIERS: Final = Table(
    "dossiers",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("title", Written, nullable=False),
    Column("content", Written, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("published", Moment, nullable=False),
)
"""Dossiers that everybody may read."""
