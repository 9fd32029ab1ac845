"""Phrasings of an answer: none of the right answer is graded wrong, and none of another answer is graded right."""

from tests.each_case import each_case
from vivavoce.interview.candidate import Reply
from vivavoce.interview.scope import Grade
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

NAMES = (
    ("What is the capital of Australia?", "Canberra", "Sydney"),
    ("Who wrote Emma?", "Jane Austen", "Charlotte Bronte"),
    ("Which gas do plants take up?", "carbon dioxide", "oxygen"),
    ("Which team won?", "the Tigers", "the Lions"),
    ("Which city is it?", "York", "Leeds"),
    ("Who approves it?", "the CFO", "the CEO"),
    ("Which language is spoken?", "Portuguese", "Spanish"),
    ("What is the code word?", "blue moon", "red sun"),
    ("Which metal is it?", "gold", "silver"),
    ("Which day is it?", "Monday", "Tuesday"),
    ("Which month is it?", "March", "May"),
    ("Which file?", "config.yaml", "main.py"),
)
"""A question, its answer, and a wrong one."""
GIVES_THE_ANSWER = (
    "{K}", "{K}.", "It's {K}.", "It is {K}", "The answer is {K}", "That would be {K}", "{K}, of course", "{K}, not {W}",
    "Not {W} but {K}", "{K} (not {W})", "{W}? No, {K}.", "I thought {W}, but it is {K}",
    "Most people say {W}, but it's {K}", "Definitely {K}", "**{K}**", "{K} — see section 4", "As stated, {K}.",
    "According to the handbook: {K}", "{K}, according to the policy", "Answer: {K}", "Answer: {K}\nSource: p. 4",
    "answer: {k}", "{k}", "{K}!", "{K} :)", "The correct answer is: {K}", "Sure! It's {K}.", "Great question! {K}.",
    '"{K}"', "'{K}'", "`{K}`", "<b>{K}</b>", '{{"answer": "{K}"}}', "It must be {K}", "I believe it's {K}.", "I'd say {K}",
    "{K}, I think", "{K}; {W} is wrong", "{W} is wrong; it is {K}.", "Hmm, {K}.", "{K}\n\nLet me know if you need more.",
    "Final answer: {K}", "The answer: {K}.", "Thanks for asking! The answer is {K}.", "It is {K} rather than {W}.",
    "Unlike {W}, {K} is right.", "{K} instead of {W}", "Everyone says {W}, but that's a myth: it is {K}", "Correction: {K}",
    "First guess: {W}. Final answer: {K}", "Answer: {W}\nWait, no. Answer: {K}", "{K}, as the text says", "> {K}", "- {K}",
    "1. {K}", "= {K}", "→ {K}", "{K} is the answer", "{K} is correct.", "{K} for sure", "La respuesta es {K}.",
    "Die Antwort lautet {K}.", "La réponse est {K}.", "答案是{K}。",
)  # fmt: skip
GIVES_NO_ANSWER = (
    "It is not {K}.", "Not {K}", "{K} is wrong", "{W}, not {K}", "{W} rather than {K}", "{W} ({K} is a common mistake)",
    "{K}? No, {W}.", "I thought {K}, but it is {W}.", "{K} or {W}", "Either {K} or {W}", "Anyone but {K}",
    "{W}, formerly {K}", "Unlike {K}, {W}", "near {K}", "{K}'s brother", "{K} Junior", "New {K}", "{W}, the rival of {K}",
    "{W} beat {K}", "After {K} came {W}", "Everyone says {K}, but that's a myth: {W}", "{K} was second; {W} was first",
    "{W} (see {K})", "If it isn't {W}, it's {K}", "Ask {K}", "{K} knows.", "{W}. {K} is incorrect.", "{W} and not {K}",
    "It used to be {K}; now it is {W}.", "It was {K} until 2020.", "{W} replaced {K}.", "{K} wanted it, but {W} got it.",
    "Contrary to popular belief, not {K}", "{K} is what people think, {W} is what it is", "It can't be {K}.",
    "It's hardly {K}.", "{K} would be wrong.", "Neither {K} nor {W}", "The opposite of {K}", "{K}, {W}", "{W} / {K}",
    "Answer: {W} (not {K})", "Answer: not {K}", "Answer: {K} or {W}", "I'm sure it isn't {K}", "I doubt that it is {K}",
    "Is it {K}?", "{K}?", "Some say {K}, others {W}.", "It could be {K}.", "Not {W}, not {K}", "~~{K}~~ {W}",
    "{K} (wrong) -> {W}", "First guess: {K}. Final answer: {W}", "My first answer was {K}. Correction: {W}.",
    "Answer: {K}\nCorrection: {W}", "{W} was married to {K}", "The brother of {K}", "{K} is false",
)  # fmt: skip
OPTIONS = (
    ("Which city is the capital of France?", ("Lyon", "Paris", "Nice", "Lille")),
    ("How many legs has a spider?", ("6", "8", "10", "12")),
    ("What does the law say?", ("It is allowed", "It is not allowed", "It is allowed with a permit", "It is unknown")),
    ("Which blood type is the universal donor?", ("A", "B", "AB", "O")),
    ("Where was it?", ("York", "New York", "Yorkshire", "Newark")),
    ("How heavy is it?", ("5 kg", "5 g", "50 kg", "0.5 kg")),
    ("Which share?", ("10%", "20%", "30%", "40%")),
    ("Which vitamin?", ("Vitamin A", "Vitamin B", "Vitamin C", "Vitamin D")),
    ("Which sign?", ("<", ">", "=", "≠")),
)
CHOOSES = (
    "{L}", "({L})", "{L}.", "{l}", "{l})", "Answer: {L}", "Answer: {l}", "Answer: ({L})", "Answer: {T}", "Answer: {L}. {T}",
    "Answer: {L}) {T}", "{T}", "{T}.", "The answer is {L}: {T}", "The answer is {T}", "The correct answer is {L}.",
    "{L}) {T}", "({L}) {T}", "I'd go with {T}", "I would choose option {L}.", "Option {L}", "option {n}", "the {o} option",
    "The {o} one", "{T} ({L})", "**{L}**", "**{L}. {T}**", "\\boxed{{{L}}}", "$\\boxed{{\\text{{{L}}}}}$",
    "It's {T}, not {X}", "Not {X}; {T}", "{X} is wrong, so {T}", "{X} is wrong. The answer is {T}.", "Definitely {T}!",
    "{L} - {T}", "{L} is correct.", "{L} is the correct answer because it fits.", '{{"answer": "{L}"}}',
    '{{"answer": "{T}"}}', "Choice {L}", "My answer is ({l})", "Between {X} and {T}, I choose {T}", "{T} rather than {X}",
    "Neither {X} nor {Y}: {T}", "#{n}", "final answer: {L}", "<answer>{L}</answer>", "<answer>{T}</answer>",
    "Let me think. {X} is tempting, but {T} is right.\n\nAnswer: {L}", "First I thought {XL}, but it is {L}.",
    "{XL}? No, {L}.", "Answer: {XL}\nWait, actually the answer is {L}.", "A: no. B: no. So it must be {L}.",
    "{L}\n\nExplanation: {X} would be wrong since it does not fit.", "Correct option: {L}", "Ans. {L}", "{L}, I think",
    "I believe the answer is {L}", "Die Antwort ist {L}.", "La réponse est {L}", "答案是{L}", "答案：{L}",
    "Of the options, {T} is best.", "`{L}`", '"{L}"', "[{L}]", "{L}/{T}", "{L} = {T}", "Option {L}: {T}", "Answer - {L}",
    "Answer is: {L}", "ANSWER: {L}", "The answer: **{T}**", "It must be {T}.", "Clearly {T}", "{T}, because {X} is false.",
    "While {X} seems plausible, {T} is correct.", "Sure! {L}", "Sure, the answer is {L}.", "{L}\n", "\n\n{L}", "> {L}",
    "- {L}", "1. {L}", "* {L}) {T}", "{T} is the answer; {X}, {Y} and {Z} are not.", "Selected: {L}",
    "I pick {L} over {XL}.", "I'm torn between {L} and {XL} but {L} it is.", "It is not {XL}, it is {L}",
)  # fmt: skip
"""T and L are the chosen option and its letter, X, Y, Z and XL others."""
YES = (
    "Yes, it is.", "It is.", "Absolutely", "Absolutely!", "Of course.", "Sure thing", "Yup", "Yes — you can.",
    "Yes you can, without a permit.", "You can.", "You may.", "Dogs are allowed.", "No doubt: yes.", "No problem, yes.",
    "Yes, no problem.", "Certainly, yes.", "I think so.", "I believe so", "Indeed.", "Correct.",
    "That's right, they are allowed.", "Yes (see section 4).", "Yes, since 2020.", "Affirmative.", "✅", "👍", "YES", "yes.",
    "Y", "Answer: Yes", "Answer: y", "True", "1", "Oui", "Ja", "Sí", "Da", "はい", "是", "It is allowed.",
    "Yes, dogs are not prohibited.", "Definitely", "100%", "By all means", "Without a doubt", "Why not? Yes.",
    "Nothing forbids it, so yes.", "No rule forbids it: yes.", "Yes, they are permitted inside.", "It's fine.", "OK",
    "Okay, yes", "Yes, I am sure.", "Yeah, sure.", "Yes, of course they are, no question about it.",
    "Not only allowed but welcome: yes",
)  # fmt: skip
NO = (
    "No, it isn't.", "It isn't.", "Absolutely not", "Of course not.", "No way", "Nope", "No — you can't.", "You can't.",
    "You cannot.", "You may not.", "Dogs are not allowed.", "No doubt: no.", "I don't think so.", "I'm afraid not.",
    "Unfortunately not.", "Sorry, no.", "Sadly, no.", "Never.", "Negative.", "Incorrect.", "❌", "👎", "NO", "no.", "N",
    "Answer: No", "Answer: n", "False", "0", "Non", "Nein", "Nie", "いいえ", "不", "It is not allowed.", "It is forbidden.",
    "It's prohibited.", "Dogs are banned.", "By no means", "Under no circumstances", "Certainly not!",
    "No, they are not permitted inside.", "No, only guide dogs are.", "Not at all", "Not allowed", "No, I am sure.",
    "No, it's against the rules, yes even for small ones.", "Nah", "Not really", "Not yet", "Yes, it is forbidden.",
    "No dogs.",
)  # fmt: skip
NEITHER = (
    "Yes and no.", "It depends.", "Yes or no?", "Maybe.", "Sometimes yes, sometimes no.", "Yes, if they are on a leash.",
    "No, unless they are guide dogs.", "Only on Sundays.", "Yes? No?", "Neither yes nor no", "Possibly", "In some cases",
    "Dogs", "The policy covers dogs.", "Let me check.", "Yes no", "No yes", "Please ask the owner.", "Usually.", "Rarely",
)  # fmt: skip
STATES_THE_NUMBER = (
    "{n}", "{n}.", "= {n}", "${n}$", "\\boxed{{{n}}}", "\\[\\boxed{{{n}}}\\]", "#### {n}", "Therefore, {n}.",
    "The answer is {n}.", "The answer is {n}", "It is not {m} but {n}.", "{m}? No, {n}.", "I first got {m}, but it's {n}.",
    "Answer: {n}", "Answer: {n} ({m} would be wrong)", "**{n}**", "The total is {n} apples.", "There are {n} of them.",
    "So the answer is **{n}**.", "Final answer: {n}", "{n} is the answer.", "{n} is correct.",
    "Let me compute: {a} + {b} = {n}. So the answer is {n}.", "{a} + {b} = {n}", "Step 1: {a}.\nStep 2: {b}.\nTotal: {n}",
    "The answer is {n}\n\nLet me double-check: {a}+{b}={n} ✓.", "{n} = {a} + {b}", "It's {n}, not {m}.", "Not {m}; {n}.",
    "My answer: {n}", "Result: {n}", "x = {n}", "We get {n}.", "That makes {n}.", "That gives us {n} in total.",
    "In total, {n}.", "I think it's {n}", "I'm confident it is {n}.", "{n}!", "{n}, since {a} and {b} make {n}.",
    "The sum of {a} and {b} is {n}.", "Adding {a} to {b} yields {n}.", "Answer: {m}\nWait, that's wrong. Answer: {n}",
    "Answer: {n}.", "The correct answer is ${n}$.", "\\( {n} \\)", '{{"answer": {n}}}', '{{"answer": "{n}"}}',
    "<answer>{n}</answer>", "`{n}`", "The number is {n}.", "Exactly {n}.", "{n} (exactly)", "Sure! The answer is {n}.",
    "Die Antwort ist {n}.", "La réponse est {n}.", "La respuesta es {n}.", "答案是{n}。", "{a} + {b}\n= {n}",
    "First, {a}. Then, {b}. Hence {n}.", "Some say {m}, but the answer is {n}.",
    "A common mistake is {m}; the right answer is {n}.", "If you forget one you get {m}; the right answer is {n}.",
    "Solution: {n}", "Output: {n}", "{n}\n\nExplanation: {a} plus {b} is {n}, as asked.", "The answer is: {n}",
    "The final answer is $\\boxed{{{n}}}$.", "Thus the answer is {n}; {m} would need one more.", "{n} – done.",
)  # fmt: skip
STATES_ANOTHER = (
    "not {n}", "It is not {n}.", "{n} is wrong.", "It can't be {n}.", "{m}, not {n}", "{n}? No, {m}.",
    "I first got {n}, but it's {m}.", "Answer: {m}", "Answer: {m} ({n} would be wrong)", "The answer is {m}.",
    "{a} + {b} = {m}", "Some say {n}, but the answer is {m}.", "It is either {n} or {m}.", "{n} or {m}", "more than {n}",
    "less than {n}", "at least {n}", "between {n} and {m}", "{n} to {m}", "{n} minus something", "not {m} and not {n}",
    "Answer: {n}\nCorrection: {m}", "{n} + 1", "{n} - {a}", "{n} times {a}", "The previous answer was {n}; now it is {m}.",
    "In chapter {n} it says {m}.", "Question {n}: {m}", "page {n}", "Step {n}: add.", "{n}. Add {a} and {b}: {m}",
    "On {n} May I knew.", "{n}%, that is {m}", "Is it {n}?", "{n}?", "maybe {n}, maybe {m}", "{n}{m}", "{n}.{m}", "-{n}",
    "{n}e3", "1/{n}", "{n}/{m}", "{n}^2", "{n}k", "Answer: -{n}", "around {m}",
    "The answer is {m}\n\nCheck: {a}+{b}={n}? No.",
)  # fmt: skip
"""n is the answer and the sum of a and b, m another number."""


def graded(row: dict[str, object], replies: list[str]) -> list[tuple[str, Grade]]:
    """The replies to a question, with their grades."""
    scope = open_scope([row])
    assert isinstance(scope, ListedScope)
    return [(reply, scope.grade(scope.questions[0], Reply(reply))) for reply in replies]


def right(rows: list[tuple[str, Grade]]) -> list[str]:
    """The replies that are graded right."""
    return [reply for reply, grade in rows if grade.score == 1]


def wrong(rows: list[tuple[str, Grade]]) -> list[str]:
    """The replies that can't be right by their grades."""
    return [reply for reply, grade in rows if grade.upper_score < 1]


@each_case(("question", "answer", "other"), NAMES)
def test_names(question: str, answer: str, other: str) -> None:
    row: dict[str, object] = {"question": question, "answer": answer}
    yes, no = (
        graded(row, [phrase.format(K=answer, W=other, k=answer.lower()) for phrase in phrases])
        for phrases in (GIVES_THE_ANSWER, GIVES_NO_ANSWER)
    )
    assert wrong(yes) == right(no) == []
    assert len(right(yes)) > 0.85 * len(yes)


@each_case(("question", "options"), OPTIONS)
def test_options(question: str, options: tuple[str, ...]) -> None:
    for chosen, letter in enumerate("ABCD"):
        x, y, z = (index for index in range(4) if index != chosen)
        replies = [
            phrase.format(
                L=letter, l=letter.lower(), T=options[chosen], X=options[x], Y=options[y], Z=options[z], XL="ABCD"[x],
                n=chosen + 1, o=("first", "second", "third", "fourth")[chosen],
            )
            for phrase in CHOOSES
        ]  # fmt: skip
        yes, no = (graded({"question": question, "options": options, "answer": key}, replies) for key in (letter, "ABCD"[x]))
        assert wrong(yes) == right(no) == []
        assert len(right(yes)) > 0.75 * len(yes)


@each_case("answer", ["yes", "No.", "true"])
def test_yes_and_no(answer: str) -> None:
    row: dict[str, object] = {"question": "Are dogs allowed?", "answer": answer}
    yes, no = (graded(row, [*replies]) for replies in ((YES, NO) if answer != "No." else (NO, YES)))
    neither = graded(row, [*NEITHER])
    assert wrong(yes) == right(no) == right(neither) == wrong(neither) == []
    assert len(right(yes)) > 0.5 * len(yes)


@each_case(("a", "b", "m"), [(11, 39, 51), (3, 60, 62), (48, 19, 77), (25, 31, 59)])
def test_numbers(a: int, b: int, m: int) -> None:
    row: dict[str, object] = {"question": "What is the total?", "answer": str(a + b)}
    yes, no = (
        graded(row, [phrase.format(n=a + b, m=m, a=a, b=b) for phrase in phrases])
        for phrases in (STATES_THE_NUMBER, STATES_ANOTHER)
    )
    assert wrong(yes) == right(no) == []
    assert len(right(yes)) > 0.85 * len(yes)
