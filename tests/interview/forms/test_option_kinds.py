"""Kinds of replies to a choice, each with neighbours that must be read the other way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.one_option import OneOption

CITIES = ("Lyon", "Paris", "Nice", "Lille")
LETTERS = st.sampled_from("ABCD")
TWO = st.permutations("ABCD").map(lambda letters: (letters[0], letters[1]))


def read(reply: str, options: tuple[str, ...] = CITIES) -> str:
    """The letter that is read; empty where none is."""
    reading = OneOption(options).read(reply)
    assert reading.outcome is not Outcome.DONT_KNOW
    return reading.value or ""


def text(letter: str) -> str:
    return CITIES["ABCD".index(letter)]


MARKS = (
    ("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("<<", ">>"), ("[[", "]]"), ("«", "»"), ("“", "”"), ("‘", "’"), ("'", "'"),
    ('"', '"'), ("*", "*"), ("**", "**"), ("_", "_"), ("~", "~"), ("`", "`"), ("【", "】"), ("「", "」"), ("《", "》"),
    ("$", "$"), ("\\boxed{", "}"), ("\\text{", "}"), ("<b>", "</b>"), ("<option>", "</option>"), ("→ ", ""), ("- ", ""),
    ("( ", " )"), ("", " ✅"),
)  # fmt: skip
FRAMES = ("{}", "Answer: {}", "The answer is {}.", "Answer: {}.", "So the correct option is {}")


@given(LETTERS, st.sampled_from(MARKS), st.sampled_from(FRAMES))
def test_marks_around_a_letter_are_no_part_of_it(letter: str, marks: tuple[str, str], frame: str) -> None:
    assert read(frame.format(f"{marks[0]}{letter}{marks[1]}")) == letter


@given(
    TWO,
    st.sampled_from(MARKS[:-1]),
    st.sampled_from(FRAMES),
    st.sampled_from((", ", "/", " or ", " and ", " & ", "; ", " or maybe ")),
)
def test_marks_around_two_letters_choose_none(letters: tuple[str, str], marks: tuple[str, str], frame: str, link: str) -> None:
    both = link.join(letters)
    assert read(frame.format(f"{marks[0]}{both}{marks[1]}")) == ""
    assert read(frame.format(link.join(f"{marks[0]}{letter}{marks[1]}" for letter in letters))) == ""


SUBJECTS = ("({})", "{}", "Option {}", "option ({})", "Choice {}", "{})", "Answer {}")
RIGHT = (
    "is correct.", "is right.", "is the answer.", "is the correct answer.", "is clearly the best choice.", "must be correct.",
    "is the right one, because it lies there.", "seems correct.", "is the most likely answer.", "fits best.",
)  # fmt: skip
WRONG = (
    "is incorrect.", "is wrong.", "is false.", "is not correct.", "isn't right.", "is not the answer.", "can be ruled out.",
    "cannot be right.", "can't be correct.", "does not fit.", "doesn't fit the question.", "is a distractor.",
    "is clearly a trap.", "has been excluded.", "must be rejected.", "is too small.", "is implausible.", "is hardly correct.",
    "seems unlikely.", "is the wrong answer.", "would be wrong.", "contradicts the text.", "violates the rule.",
    "ignores the second sentence.", "makes no sense.", "is less likely to be correct.",
)  # fmt: skip


@given(LETTERS, st.sampled_from(SUBJECTS), st.sampled_from(RIGHT), st.sampled_from(WRONG))
def test_a_letter_is_chosen_if_called_right_and_not_if_called_wrong(letter: str, subject: str, right: str, wrong: str) -> None:
    words = subject.format(letter)
    assert read(f"{words} {right}") == letter
    assert read(f"{words} {wrong}") == ""
    assert read(f"{text(letter)} {right}") == letter
    assert read(f"{text(letter)} {wrong}") == ""


AGAINST = (
    "Not {}.", "Distractor: {}", "It is not {}.", "I don't think it's {}.", "I would rule out {}.", "Definitely not {}.",
    "Anything but {}.", "The answer is not {}.", "I don't think the answer is {}.", "The wrong answer is {}.", "Incorrect: {}",
    "I doubt that it is {}.", "Eliminate {}.", "Is it {}?", "Suppose it is {}.", "Some say the answer is {}.",
)  # fmt: skip
FOR = (
    "So {}.", "It is {}.", "I think it's {}.", "I would go with {}.", "Definitely {}.", "It must be {}.", "The answer is {}.",
    "I think the answer is {}.", "The right answer is {}.", "Correct: {}", "I believe that it is {}.", "Choose {}.",
    "Hence {}.", "My pick: {}", "That leaves {}.",
)  # fmt: skip


@given(LETTERS, st.sampled_from(FOR), st.sampled_from(AGAINST), st.sampled_from(("{}", "({})", "option {}")))
def test_words_before_a_letter_choose_or_deny_it(letter: str, chosen: str, denied: str, form: str) -> None:
    assert read(chosen.format(form.format(letter))) == letter
    assert read(denied.format(form.format(letter))) == ""


STYLES = (
    ("{}. Correct", "{}. Incorrect"), ("{}: right", "{}: wrong"), ("{} ✓", "{} ✗"), ("✅ {}", "❌ {}"),
    ("({}) is right.", "({}) is false."), ("{} - yes", "{} - no"), ("[x] {}", "[ ] {}"),
    ("**{})** This is correct.", "**{})** This is not correct."),
)  # fmt: skip


@given(st.permutations("ABCD"), st.sampled_from(STYLES), st.sampled_from(("\n", "\n\n")))
def test_verdicts_on_all_options_choose_the_only_right_one(order: list[str], style: tuple[str, str], between: str) -> None:
    right, wrong = style
    chosen, *others = order
    verdicts = [right.format(chosen), *(wrong.format(other) for other in others)]
    assert read(between.join(sorted(verdicts))) == chosen
    assert read(between.join([right.format(letter) for letter in order[:2]] + verdicts[2:])) == ""


@given(
    st.permutations("ABCD"),
    st.sampled_from(("Not {}", "{} is wrong", "({}) is incorrect", "I rule out {}")),
    st.sampled_from((", ", ". ")),
)
def test_the_only_option_that_is_not_denied_is_chosen(order: list[str], denial: str, between: str) -> None:
    left, *others = order
    assert read(between.join(denial.format(other) for other in others) + ".") == left
    assert read(between.join(denial.format(other) for other in others[:2]) + ".") == ""
    assert read(between.join(denial.format(other) for other in others[:2]) + f": {left}.") == left


CUES = (
    ". Wait, no: ", "\n\nCorrection: ", " — no, ", ". Actually it is ", ". Oops, I meant ", "\n\nOn reflection: ", "... no, ",
    ". Scratch that: ", "\n\nI misread; it should be ", ". Sorry, ", ", or rather ", ". Make that ",
)  # fmt: skip
HARMLESS = (
    ". No other city is by the sea.", ". Actually, it is a nice place.", " (the others are wrong).",
    ", since the rest is inland.", ". I hope that this helps.", ". Sorry for the delay.", ". In fact, it is well known.",
    "\nConfidence: 90%",
)  # fmt: skip
BARE = (". Wait, no.", ". Scratch that.", ". I take that back.", ". Oops, that's wrong.", ". Just kidding.")


@given(
    TWO,
    st.sampled_from(("Answer: ", "The answer is ", "")),
    st.sampled_from(CUES),
    st.sampled_from(HARMLESS),
    st.sampled_from(BARE),
)
def test_a_correction_counts_and_other_words_do_not(
    letters: tuple[str, str], start: str, cue: str, harmless: str, bare: str
) -> None:
    first, second = letters
    assert read(f"{start}{first}{cue}{second}.") in (second, "")
    assert read(f"Answer: {first}{cue}{second}.") == second
    assert read(f"Answer: {text(first)}{cue}{text(second)}.") in (second, "")
    assert read(f"Answer: {first}{harmless}") == first
    assert read(f"Answer: {first}{bare}") == ""
    assert read(f"Answer: {first}, not {second}.") == first


@given(
    TWO,
    st.sampled_from(
        ("Answer: {}) {}", "Answer: {}. {}", "{}) {}", "({}) {}", "The answer is {} ({}).", "Option {}: {}", "{} - {}")
    ),
)
def test_a_letter_and_the_text_of_another_option_are_unreadable(letters: tuple[str, str], frame: str) -> None:
    assert read(frame.format(letters[0], text(letters[0]))) == letters[0]
    assert read(frame.format(letters[0], text(letters[1]))) == ""
    assert read(f"The answer is {text(letters[0])} ({letters[0]}).") == letters[0]
    assert read(f"The answer is {text(letters[0])} ({letters[1]}).") == ""


@given(
    st.permutations("ABCD"),
    st.sampled_from(("Vitamin", "Hepatitis", "Plan", "Type", "Exhibit")),
    st.sampled_from(RIGHT),
    st.sampled_from(WRONG),
)
def test_a_letter_within_an_options_text_is_a_part_of_it(order: list[str], name: str, right: str, wrong: str) -> None:
    options = tuple(f"{name} {letter}" for letter in order)
    for where, option in zip("ABCD", options, strict=True):
        for words in (
            f"{option} {right}",
            option,
            f"Answer: {option}",
            f"The answer is {option.lower()}.",
            f"{where}) {option}",
        ):
            assert read(words, options) == where
        assert read(f"{where} {right}", options) == where
        assert read(f"{option} {wrong}", options) == ""
        if option[-1] != where:
            assert read(f"Answer: {option[-1]}) {option}", options) == ""
            assert read(f"{option} {right}", CITIES) == ""


@given(TWO, st.sampled_from(("", "Q: Which one?\n", "Question: Which one is it?\n")))
def test_the_label_of_an_answer_is_no_letter(letters: tuple[str, str], asked: str) -> None:
    for words in (letters[0], f"({letters[0]})", f"I say {letters[0]}", text(letters[0])):
        assert read(f"{asked}A: {words}") == letters[0]
    assert read(f"{asked}A: {letters[0]} or {letters[1]}") == ""
    assert read("A: it lies by the sea") == ""


ELSEWHERE = (
    ("Die richtige Antwort ist {}.", "Die richtige Antwort ist nicht {}."),
    ("La réponse est donc {}.", "La réponse n'est pas {}."), ("La respuesta correcta es la {}.", "La respuesta no es {}."),
    ("A alternativa correta é a letra {}.", "A resposta não é {}."), ("La risposta giusta è: {}", "La risposta non è {}."),
    ("Het juiste antwoord is {}.", "Het antwoord is niet {}."), ("Правильный ответ — {}.", "Неправильный ответ: {}"),
    ("Oikea vastaus on {}.", "Vastaus ei ole {}."), ("Správná odpověď je {}.", "Odpověď není {}."),
    ("Doğru cevap {}'dir.", "Cevap {} değil."), ("答案应该是{}。", "答案不是{}。"), ("{}是正确答案。", "{}是错误答案。"),
    ("答えは{}です。", "答えは{}ではない。"), ("정답은 {}입니다.", "정답은 {}가 아니다."), ("คำตอบคือ {}", "คำตอบไม่ใช่ {}"),
    ("Đáp án đúng là {}.", "Đáp án không phải là {}."), ("الإجابة الصحيحة هي {}.", "الإجابة ليست {}."),
    ("सही उत्तर {} है।", "उत्तर {} नहीं है।"), ("Jawaban yang benar adalah {}.", "Jawabannya bukan {}."),
    ("התשובה היא {}", "התשובה לא {}"), ("したがって、答えは{}になります。", "答えは{}になりません。"),
    ("私は{}を選びます。", "私は{}を選びません。"), ("정답은 {}번입니다.", "정답은 {}번이 아닙니다."),
    ("Die korrekte Option ist {}.", "Die korrekte Option ist nicht {}."),
)  # fmt: skip


@each_case(("stated", "denied"), ELSEWHERE)
@each_case("letter", "ABCD")
def test_other_languages_state_and_deny(stated: str, denied: str, letter: str) -> None:
    assert read(stated.format(letter)) == letter
    assert read(denied.format(letter)) == ""


TURNS = (
    "Question: Which is a river?\nAnswer: {}", "Q: next?\nAnswer: {}", "User: another one\nAssistant: Answer: {}",
    "### Question 2\nWhich?\nAnswer: {}", "Which is a river?\nA. Don\nB. Oslo\nAnswer: {}",
    "Human: and?\n\nAssistant: The answer is {}.", "2. Which is it?\n(A) Don\n(B) Oslo\nAnswer: {}", "Assistant: Answer: {}",
)  # fmt: skip


@given(TWO, st.sampled_from(("Answer: {}", "{}", "The answer is ({}).")), st.sampled_from(TURNS))
def test_a_turn_that_a_model_invents_is_not_read(letters: tuple[str, str], reply: str, turn: str) -> None:
    first, second = letters
    assert read(f"{reply.format(first)}\n\n{turn.format(second)}") == first
    assert read(f"Let me think.\n\n{turn.format(second)}") == second  # nothing is said before it


@each_case("reply", ["None of the above", "All of them", "Both", "Neither", "Any of these", "Answer: all of the above"])
def test_a_phrase_that_is_no_option_chooses_none_and_an_option_itself(reply: str) -> None:
    assert read(reply) == ""
    assert read(reply, (*CITIES, reply.removeprefix("Answer: "))) == "E"


@given(st.permutations(("increases", "decreases", "does not change", "cannot be determined")), LETTERS)
def test_an_options_text_that_denies_something_denies_no_letter(options: list[str], letter: str) -> None:
    own = options["ABCD".index(letter)]
    for words in ("({}) {}", "The answer is ({}) {}.", "Answer: {}. {}", "{}. {}"):
        assert read(words.format(letter, own), tuple(options)) == letter


@given(
    TWO, st.sampled_from((" then {}", " → {} after checking", " ⟶ {}", " -> {} now", "? or {}?", "?? {}??", "|{}", " > {} > D"))
)
def test_another_letter_behind_the_first_leaves_it_open(letters: tuple[str, str], more: str) -> None:
    first, second = letters
    assert read(f"Answer: {first}{more.format(second)}") == ""
    assert read(f"Answer: {first} → {text(first)}") == first


@given(LETTERS, st.sampled_from(("or none", "or another letter?", "or something else", "or neither", "or both", "or not")))
def test_a_letter_or_something_else_is_no_choice(letter: str, more: str) -> None:
    assert read(f"Answer: {letter} {more}") == ""
    assert read(f"Answer: {letter}, or {text(letter)}") == letter


@given(
    TWO,
    st.sampled_from(
        (
            "Most people choose {}.", "Students often pick {}.", "Many tend to select {}.", "Your answer was {}.",
            "The user's guess was {}.", "The trap answer is {}.", "The naive answer is {}.", "Confidence: {}", "Grade: {}",
            "Difficulty: **{}**",
        )
    ),
)  # fmt: skip
def test_a_letter_that_others_choose_or_that_rates_is_no_choice(letters: tuple[str, str], reply: str) -> None:
    first, second = letters
    assert read(reply.format(first)) == ""
    assert read(f"{reply.format(first)}\nI choose {second}.") == second
    assert read(f"You should choose {second}.") == second


@given(st.permutations("ABCD"), st.sampled_from(("Grade", "Type", "Exhibit")))
def test_a_letter_behind_the_word_of_all_options_is_their_text(order: list[str], name: str) -> None:
    options = tuple(f"{name} {letter}" for letter in order)
    for where, option in zip("ABCD", options, strict=True):
        assert read(f"The right {name.lower()} is {option[-1]}.", options) == where
        assert read(f"{name}: {option[-1]}", options) == where


@given(st.permutations("ABCD"))
def test_verdicts_in_a_table_or_with_reasons_choose_the_only_right_one(order: list[str]) -> None:
    right, *_ = order
    rows = "\n".join(f"| {letter} | {'Yes' if letter == right else 'No'} |" for letter in "ABCD")
    assert read(f"| Option | Correct? |\n|---|---|\n{rows}") == right
    both = "\n".join(f"| {letter} | {'Yes' if letter in order[:2] else 'No'} |" for letter in "ABCD")
    assert read(f"| Option | Correct? |\n|---|---|\n{both}") == ""
    document = {letter: "Yes, this is correct." if letter == right else "No, it is too far." for letter in "ABCD"}
    assert read("\n".join(f"{letter}) {text(letter)} - {document[letter]}" for letter in "ABCD")) == right


@given(TWO)
def test_an_option_that_is_described_is_chosen_unless_denied(letters: tuple[str, str]) -> None:
    first, second = letters
    assert read(f"**{first}**: {text(first)} is the city by the sea.") == first
    for denial in ("is not by the sea.", "is a city, but far away.", "is too small.", f"is larger than {text(second)}."):
        assert read(f"**{first}**: {text(first)} {denial}") == ""
    assert read(f"{first}: {text(second)} is the city by the sea.") == ""


@given(TWO)
def test_words_for_wrong_in_another_language_correct_nothing(letters: tuple[str, str]) -> None:
    first, second = letters
    for words in ("Réponse : {}. Non, {} est faux.", "Antwort: {}. Nein, {} ist falsch.", "答案：{}。不是{}。"):
        assert read(words.format(first, second)) in (first, "")
    assert read(f"如果答案是{first}") == ""
