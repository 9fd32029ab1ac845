"""Questions and paraphrases as writers write them: what is taken for one, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.written_question import MultipleChoice, WrittenQuestion
from vivavoce.interview.forms.written_texts import Rewording
from vivavoce.interview.reading import read

TEXTS = ("A graph has vertices", "It only has weights", "Euler began it", "It is a directed graph")
BODY = "\n".join(f"{letter}) {text}" for letter, text in zip("ABCD", TEXTS, strict=True))
ROW = BODY.replace("\n", " ")


def read_question(reply: Reply | NoAnswer, options: int, *, instructions: str = "") -> ParsedReply[MultipleChoice]:
    """What a writer's reply holds, read as a room reads it."""
    return read(Prompt("Write a question.", form=WrittenQuestion(options, 1, instructions)), reply)


@each_case(
    "reply",
    [
        "Question: What?\nOptions: A) 0 B) 1\nOptions: A) 1 B) 0\nCorrect: A",
        "Question: What?\nOptions: A) 0 B) 1 D) 3\nCorrect: D",
        "Question: What?\nOptions: B) 0 C) 1\nCorrect: B",
        "Options: A) 0 B) 1\nCorrect: A",
    ],
)
def test_options_in_a_row_that_leave_a_doubt_are_none(reply: str) -> None:
    assert read_question(Reply(reply), 2).value is None


def test_labels_within_an_option_make_no_row() -> None:
    choice = read_question(Reply("Question: What?\nA) Either B) or C) is meant\nB) None\nCorrect: A"), 2).value
    assert choice == MultipleChoice("What?", ("Either B) or C) is meant", "None"), frozenset([0]))


def options(form: str, labels: str = "ABCD") -> str:
    return "\n".join(form.format(label, text) for label, text in zip(labels, TEXTS, strict=True))


def marked(first: str, third: str) -> str:
    """The options with marks behind the right ones."""
    return BODY.replace("vertices", f"vertices{first}").replace("began it", f"began it{third}")


@each_case(
    ("reply", "strictness"),
    [
        (f"Question: Which hold?\n{BODY}\nCorrect: A, C", "strict"),
        (f"Question: Which hold?\n\n{BODY}\n\nCorrect: A, C\n", "strict"),
        (f"<think>Question: bad\n{BODY}\nCorrect: B</think>\nQuestion: Which hold?\n{BODY}\nCorrect: A, C", "strict"),
        (f"Question: Which hold?\n\nOptions:\n{BODY}\n\nCorrect Answers: [A, C]", "lenient"),
        (f"**Question: Which hold?**\n\n{BODY}\n\n**Correct: A, C**", "lenient"),
        (f"**Question:** Which hold?\n\n{options('**{})** {}')}\n\n**Correct:** A, C", "lenient"),
        (f"Question: Which hold?\n{options('**{}) {}**')}\nCorrect: A, C", "lenient"),
        (f"Question: Which hold?\n{options('- {}) {}')}\nCorrect: A, C", "lenient"),
        (f"Question: Which hold?\n{options('{}. {}')}\nAnswer: A, C", "lenient"),
        (f"Question: Which hold?\n{options('({}) {}')}\nAnswer key: (A), (C)", "lenient"),
        (f"Question: Which hold?\n{options('{}) {}', 'abcd')}\nCorrect: a, c", "lenient"),
        (f"Question: Which hold?\n{options('{}. {}', '1234')}\nCorrect: 1, 3", "lenient"),
        (f"Sure! Here is a question:\n\nQuestion: Which hold?\n{BODY}\nCorrect: A and C", "lenient"),
        (f"Here's a multiple-choice question about graphs:\n\nWhich hold?\n\n{BODY}\n\nCorrect answers: A, C", "lenient"),
        (f"### Question 3\n\nWhich hold?\n\n{BODY}\n\n### Correct Answer\nA, C", "lenient"),
        (f"Question type: definition\n\nQuestion: Which hold?\n{BODY}\nCorrect: A, C", "lenient"),
        (f"```\nQuestion: Which hold?\n{BODY}\nCorrect: A, C\n```", "lenient"),
        (f"Question: Which hold?\n{BODY}\nThe correct answers are A and C.", "lenient"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A, C\n\nExplanation: A is right. B is wrong.", "lenient"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A) A graph has vertices, C) Euler began it", "lenient"),
        (f"Question: Which hold?\n{BODY}\nCorrect answers:\nA) A graph has vertices\nC) Euler began it", "lenient"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A, C\n\nAnswer: A, C", "lenient"),
        (f"Question: Which hold?\n{marked(' (correct)', ' ✓')}", "lenient"),
        (f"Question: Which hold?\n{marked(' ✅', ' ✅')}\nCorrect: A, C", "lenient"),
        (f"Question: Which hold? {ROW}\n\nOptions: {ROW}\n\nCorrect Answers: A, C", "lenient"),
        (f"Question: Which hold?\n\nOptions: {ROW}\n\nCorrect Answers: A, C", "lenient"),
        (f"Question: Which hold? {ROW}\nCorrect: A, C", "lenient"),
        (f"Question: Which hold?\n{ROW}\nCorrect: A, C", "lenient"),
        (f"Question: Which hold?\n{BODY.replace('has ', 'has' + chr(10) + '   ')}\nCorrect: A, C", "lenient"),
    ],
)  # fmt: skip
def test_questions_that_are_read(reply: str, strictness: str) -> None:
    """In all of these forms it is one and the same question, and nothing of options or key shows through in its texts."""
    reading = read_question(Reply(reply), 4)
    assert (reading.outcome, reading.strict, reading.problem) == (Outcome.ANSWER, strictness == "strict", "")
    assert reading.value == MultipleChoice("Which hold?", TEXTS, frozenset((0, 2)))


@each_case(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("I'm sorry, I can't do that.", "refused"),
        ("What is a graph?", "no options"),
        ("Question: Which hold? A) x B) y C) z D) w Correct: A", "no options"),
        ("Question: Which hold?\nA) x\nCorrect: A", "no options"),
        (f"Question: Which hold?\n{BODY}", "no key"),
        (f"Question: Which hold?\n{BODY}\nCorrect: F", "the key names an option that there is not"),
        (f"Question: Which hold?\n{BODY}\nCorrect: None", "the key says that no option is right"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A or C", "the key leaves open which options it means"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A graph", "the key names no option"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A\nCorrect: C", "two different keys"),
        (f"Question: Which hold?\n{BODY.replace('weights', 'weights (correct)')}\nCorrect: A", "two different keys"),
        (f"Question: a?\n{BODY}\nCorrect: A\n\nQuestion: b?\n{BODY}\nCorrect: A", "more than one question"),
        (f"Question: Which hold?\n{BODY}\n{BODY}\nCorrect: A", "more than one question"),
        ("Question: Which hold?\nA) x\nB) y\nD) z\nCorrect: A", "options are not in order"),
        ("Question: Which hold?\nA) x\nB) X.\nC) z\nD) w\nCorrect: A", "two options are alike"),
        ("Question: Which hold?\nA)\nB) y\nC) z\nD) w\nCorrect: B", "an option is empty"),
        (f"{BODY}\nCorrect: A", "no question before the options"),
        (f"Question:\n{BODY}\nCorrect: A", "no question before the options"),
        (f"Question: Which hold?\n{chr(10).join(f'{c}) {c * 3}' for c in 'ABCDEFGHIJK')}\nCorrect: A", "more than 10 options"),
        (f"Question: {'x ' * 3_000}\n{BODY}\nCorrect: A", "too long"),
    ],
)
def test_questions_that_are_not_read(reply: str, problem: str) -> None:
    reading = read_question(Reply(reply), 4)
    assert (reading.value, reading.outcome, reading.problem) == (None, Outcome.UNREADABLE, problem)


def test_a_writer_that_gave_no_answer() -> None:
    reading = read_question(NoAnswer("time-out after 120 s"), 4)
    assert (reading.value, reading.outcome, reading.problem) == (None, Outcome.NO_ANSWER, "time-out")
    assert read_question(Reply("Question: x", finish="length"), 4).outcome is Outcome.CUT_OFF


def test_another_number_of_options_is_lenient_and_some_must_be_wrong() -> None:
    five = read_question(Reply(f"Question: Which hold?\n{BODY}\nE) More\nCorrect: E"), 4)
    assert (five.strict, five.value and five.value.key) == (False, frozenset((4,)))
    ten = "\n".join(f"{letter}) {letter * 3}" for letter in "ABCDEFGHIJ")
    reading = read_question(Reply(f"Question: Which hold?\n{ten}\nCorrect: A, J"), 10)
    assert (reading.strict, reading.value and reading.value.key) == (True, frozenset((0, 9)))
    everything = read_question(Reply(f"Question: Which hold?\n{BODY}\nCorrect: A, B, C, D"), 4)
    assert everything.problem == "no option is wrong"


def test_what_the_writer_was_told_is_no_question() -> None:
    """As a model of .5 billion weights wrote them: rules of the prompt as options, and the task as the question."""
    rules = "Ask why something happens, or what brings it about. It has exactly four options. One of them is right."
    copied = BODY.replace(TEXTS[1], "It has exactly four options.")
    reading = read_question(Reply(f"Question: Which hold?\n{copied}\nCorrect: A"), 4, instructions=rules)
    assert reading.outcome is Outcome.COPIED
    task = f"Question: Ask why something happens, or what brings it about.\n{BODY}\nCorrect: A"
    assert read_question(Reply(task), 4, instructions=rules).outcome is Outcome.COPIED
    assert read_question(Reply(f"Question: Which is right?\n{BODY}\nCorrect: A"), 4, instructions=rules).value is not None


FORM = WrittenQuestion(4, 2)
FIELDS = {
    "exam_question": "Which hold?",
    "right_answers": ["It is so", "It may be so"],
    "wrong_answers": ["It was so", "It never is"],
}


def test_under_the_schema_right_and_wrong_options_come_apart_and_their_words_alone_decide_the_order() -> None:
    reading = FORM.read_fields(FIELDS)
    assert reading.strict
    assert reading.value is not None
    assert {reading.value.options[index] for index in reading.value.key} == {"It is so", "It may be so"}
    assert set(reading.value.options) == {"It is so", "It may be so", "It was so", "It never is"}
    swapped = FORM.read_fields(FIELDS | {"right_answers": FIELDS["wrong_answers"], "wrong_answers": FIELDS["right_answers"]})
    assert swapped.value is not None
    assert swapped.value.options == reading.value.options
    assert swapped.value.key == frozenset(range(4)) - reading.value.key


@each_case(
    ("fields", "problem"),
    [
        ({"exam_question": 3}, "not the fields that were asked for"),
        ({"right_answers": "It is so"}, "not the fields that were asked for"),
        ({"wrong_answers": [None, "x"]}, "not the fields that were asked for"),
        ({"exam_question": " "}, "no question before the options"),
        ({"right_answers": []}, "no key"),
        ({"wrong_answers": []}, "no option is wrong"),
        ({"wrong_answers": ["", "x"]}, "an option is empty"),
        ({"wrong_answers": ["it is so.", "it may be so."]}, "no options"),
    ],
)
def test_fields_that_hold_no_question(fields: dict[str, object], problem: str) -> None:
    assert FORM.read_fields(FIELDS | fields).problem == problem


def test_an_option_said_twice_is_one_option() -> None:
    reading = FORM.read_fields(FIELDS | {"wrong_answers": ["It was so", "it was so."]})
    assert (reading.strict, reading.value and len(reading.value.options)) == (False, 3)


def test_an_option_said_to_be_right_and_wrong_is_left_out() -> None:
    reading = FORM.read_fields(FIELDS | {"wrong_answers": ["it is so.", "It was so"]})
    assert reading.value is not None
    assert (reading.strict, set(reading.value.options)) == (False, {"It may be so", "It was so"})
    assert {reading.value.options[index] for index in reading.value.key} == {"It may be so"}


words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=9)


@given(st.lists(words, min_size=3, max_size=11, unique=True), st.data())
def test_what_is_written_is_read_again_in_words_and_under_the_schema(texts: list[str], data: st.DataObject) -> None:
    stem, *options = texts
    key = data.draw(st.sets(st.integers(0, len(options) - 1), min_size=1, max_size=len(options) - 1))
    question = MultipleChoice(f"What of {stem}?", tuple(options), frozenset(key))
    form = WrittenQuestion(len(options), len(key))
    reading = form.read(form.write(question))
    assert (reading.value, reading.strict) == (question, True)
    right = [option for index, option in enumerate(options) if index in key]
    wrong = [option for option in options if option not in right]
    fields = {"exam_question": question.stem, "right_answers": right, "wrong_answers": wrong}
    under = form.read_fields(fields).value
    assert under is not None
    assert (under.stem, {under.options[index] for index in under.key}) == (question.stem, set(right))
    assert set(under.options) == set(options)


def test_stems_of_several_lines_and_texts_that_look_like_marks() -> None:
    reading = read_question(Reply(f"Question: A town has bridges.\n\n- one\n- two\n\nWhich hold?\n{BODY}\nCorrect: A"), 4)
    assert reading.value is not None
    assert reading.value.stem == "A town has bridges.\n\n- one\n- two\n\nWhich hold?"
    smith = read_question(Reply(f"Question: A. Smith wrote:\nA. Smith is right.\nWhich hold?\n{BODY}\nCorrect: A"), 4)
    assert smith.value is not None
    assert smith.value.stem.startswith("A. Smith wrote:")
    maths = read_question(Reply("Question: What is $2**3$?\nA) f(x)\nB) key: 6\nC) 9 (right)\nD) *\nCorrect: B"), 4)
    assert maths.value is not None
    assert maths.value.options == ("f(x)", "key: 6", "9 (right)", "*")


STEM = "What is a tree in graph theory?"
LONG = "Which of the following statements about the chromatic number of a bipartite graph with 12 vertices is true?"


def read_paraphrase(reply: Reply, stem: str) -> tuple[str | None, str]:
    """The question, or why there is none, read as a room reads it."""
    reading: ParsedReply[str] = read(Prompt("Put it in other words.", form=Rewording(stem)), reply)
    return reading.value, reading.problem


@each_case(
    ("reply", "stem"),
    [
        ("Paraphrase: What do we call a tree?", "What do we call a tree?"),
        ("**Paraphrase:** What do we call a tree?", "What do we call a tree?"),
        ('"What do we call a tree?"', "What do we call a tree?"),
        ("Here's a paraphrased version of the question:\n\nWhat do we call a tree?", "What do we call a tree?"),
        ("Here is a paraphrase: What do we call a tree?", "What do we call a tree?"),
        ("Paraphrased question: What do we call a tree?\n\nOptions:\nA) x\nB) y", "What do we call a tree?"),
        ("What do we call a tree?\nA) x\nB) y", "What do we call a tree?"),
        ("Paraphrase:\nWhat do we call a tree?", "What do we call a tree?"),
        ("Paraphrase: A tree has no cycles.\nWhat is it?", "A tree has no cycles. What is it?"),
        ("Paraphrase: What is a tree called?\n\nNote: I moved the words.", "What is a tree called?"),
        (f"Question: {STEM}\nParaphrase: What is called a tree?", "What is called a tree?"),
        # Nothing is deleted from within, whatever it looks like.
        ("Paraphrase: In graphs, this is a tree. What is it?", "In graphs, this is a tree. What is it?"),
        ('Paraphrase: "Tree": what is a "tree"?', '"Tree": what is a "tree"?'),
    ],
)
def test_paraphrases_that_are_read(reply: str, stem: str) -> None:
    assert read_paraphrase(Reply(reply), STEM) == (stem, "")


@each_case(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("Paraphrase:", "not in a form that can be distinguished from other words"),
        ("What do we call a tree?\n\nI changed the words.", "not in a form that can be distinguished from other words"),
        ("Paraphrase: A tree has no cycles.\n\nWhat is it?", "not in a form that can be distinguished from other words"),
        ("Paraphrase: a?\nParaphrase: b?", "several paraphrases"),
        ("I'm sorry, I can't do that.", "refused"),
        (" what is a TREE in graph theory ", "repeats the original"),
        (f"Paraphrase: {'x ' * 3_000}", "too long"),
    ],
)
def test_paraphrases_that_are_not_read(reply: str, problem: str) -> None:
    assert read_paraphrase(Reply(reply), STEM) == (None, problem)


@each_case(
    ("rewording", "problem"),
    [
        ("The question is about one matter.", "has no word of the question in it"),
        ("Which of the following statements is true of this kind of thing?", "has no word of the question in it"),
        ("Say it as someone would who asks aloud, in plain and short sentences.", "has no word of the question in it"),
        ("What is right?", "too short for the question"),
        ("The graph is bipartite.", "too short for the question"),
        ("What can be said truly of a bipartite graph's chromatic number?", ""),
        ("Take 12 points joined in two parts. What holds of the fewest hues?", ""),
        ("Name the true one among the statements on chromatic numbers of such graphs.", ""),
    ],
)
def test_a_rewording_keeps_something_of_the_question(rewording: str, problem: str) -> None:
    for reply in (rewording, f"Paraphrase: {rewording}", f'{{"paraphrase": "{rewording}"}}'):
        assert read_paraphrase(Reply(reply), LONG)[1] == problem


def test_nothing_but_length_is_asked_of_a_question_without_a_subject() -> None:
    assert Rewording("Which of these is right?").read("Paraphrase: What holds here?").value == "What holds here?"


def test_what_is_cut_off_is_no_paraphrase() -> None:
    reading = read(Prompt("Put it in other words.", form=Rewording(STEM)), Reply("Paraphrase: What is", finish="length"))
    assert reading.outcome is Outcome.CUT_OFF


@given(
    st.lists(
        st.sampled_from(["tree", "graph", "theory", "vertex", "edge", "cycle", "of", "the", "in", "with"]),
        min_size=3,
        max_size=12,
    )
)
def test_both_ways_read_the_same(words: list[str]) -> None:
    form, text = Rewording(STEM), f"What of {' '.join(words)}?"
    reading = form.read(form.write(text))
    assert reading == form.read_fields({"paraphrase": text})
    assert reading.value in (None, text)


@each_case("field", [None, 3, "", " ", ["What is a tree?"]])
def test_fields_that_hold_no_paraphrase(field: object) -> None:
    assert Rewording(STEM).read_fields({"paraphrase": field}).value is None


@pytest.mark.parametrize("stem", [STEM, LONG, "Which words does a line hold in a reply?"])
def test_no_instruction_said_back_is_a_paraphrase(stem: str) -> None:
    form = Rewording(stem)
    for text in (form.instruction, form.schema_instruction, form.further):
        assert read(Prompt("Put it in other words.", form=form), Reply(text)).value is None
