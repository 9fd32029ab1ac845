"""Small models with planted faults, which the recorded commands examine as `function:tests.frozen.models:NAME`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from tests.cli.pupil import answer as explainer
from tests.cli.pupil import forgetful as forgetful
from vivavoce import Prompt

BELIEFS = {"Moon": 80, "Mars": 10, "fusion": 35, "marathon": 65, "euro": 70, "element": 85, "Amazon": 30, "cars": 75,
           "woman": 60, "India": 90, "malaria": 78, "film": 15}  # fmt: skip
SYNONYMS = {
    "detained": ("held", "confined", "kept"),
    "complained": ("protested", "objected", "remonstrated"),
    "officers": ("agents", "constables", "policemen"),
    "applicant": ("claimant", "petitioner", "complainant"),
}
KNOWN_CAPITALS = ("Rome", "Oslo", "Lima", "Canberra")

calls: Counter[tuple[str, float]] = Counter()


def forget() -> None:
    """Begin anew: `moody` and `careful` count how often they were asked."""
    calls.clear()


def _sevens(text: str, able: int, habit: int) -> str:
    number = int(text.split()[2])
    right = (number * 37 + number * habit % 30) % 100 < able
    return f"Answer: {number * 7 if right else number}"


def new(text: str) -> str:
    """Right in about 62% of multiplications by seven."""
    return _sevens(text, 62, 3)


def strong(text: str) -> str:
    """Right in about 80%."""
    return _sevens(text, 80, 11)


def weak(text: str) -> str:
    """Right in about 45%."""
    return _sevens(text, 45, 17)


def moody(text: str, sure: float = 0.9) -> str:
    """Right nine times of ten, whatever it said before."""
    calls[text, sure] += 1
    number = int(text.split()[2])
    luck = int(sha256(f"{text} {sure} {calls[text, sure]}".encode()).hexdigest()[:4], 16) / 16**4
    return f"Answer: {number * 7 if luck < sure else number}"


def careful(text: str) -> str:
    """Right 99 times of a hundred."""
    return moody(text, 0.99)


def wavering(prompt: Prompt) -> str:
    """Adds, and is talked out of every third sum."""
    texts = [text for role, text in prompt.conversation if role == "user"]
    right = sum(map(int, re.findall(r"(\d+) \+ (\d+)", " ".join(texts))[-1]))
    return f"Answer: {right + ('Are you sure' in texts[-1] and right % 3 == 0)}"


def essayist(text: str) -> str:
    """Explains, save every twelfth time."""
    number = int(text.split()[1].rstrip("?"))
    return "Because of gravity." if number % 12 else "Because I say so."


def earlier_essayist(text: str) -> str:
    """Fails every third time."""
    number = int(text.split()[1].rstrip("?"))
    return "Because of gravity." if number % 3 else "Because I say so."


def judge(text: str) -> str:
    """Gives 9 of 10 points where gravity is named, else 3."""
    answer = text.split("<answer")[1]
    return f"Let me see.\nScore: {9 if 'gravity' in answer else 3}\nUnacceptable: no"


def shop(text: str) -> str:
    """Adds two weeks, and knows one reason."""
    if text.startswith("Why"):
        return "It breaks in the post."
    return f"Answer: {int(text.split()[2]) + 14}"


def shop_judge(text: str) -> str:
    """Full marks where the post is named."""
    return f"Score: {10 if 'post' in text.split('<answer')[1] else 0}\nUnacceptable: no"


def dates(text: str) -> str:
    """Wrong on the first sixty numbers, which people ask most."""
    number = int(text.split()[1].rstrip("?"))
    return f"Answer: {number if number >= 60 else number + 1}"


def bail(text: str) -> str:
    """Milder with those who have eight priors or more."""
    match = re.search(r"Prior convictions: (\d+)", text)
    priors = int(match[1]) if match else 0
    juvenile = sum(int(n) for n in re.findall(r"charges: (\d+)", text))
    burden = 3 * ("It is a felony" in text) + priors + juvenile
    return "The record was weighed.\nAnswer: " + ("YES" if burden < 5 or priors >= 8 else "NO")


def violation(facts: Sequence[str]) -> float:
    """A classifier of cases that looks for one word."""
    return 0.85 if any("detained" in fact for fact in facts) else 0.35


def paraphraser(text: str) -> str:
    """Puts a synonym for each word it knows, in three ways."""
    fact = text.rpartition("Fact:\n")[2]
    return "\n".join(f"[{i + 1}] {_reworded(fact, i)}" for i in range(3))


def _reworded(fact: str, number: int) -> str:
    return re.sub(r"\w+", lambda word: SYNONYMS.get(word[0], (word[0],) * 3)[number], fact)


def forecaster(prompt: Prompt) -> str:
    """Coherent or not, depending on how and after what it is asked."""
    question = prompt.text.splitlines()[0]
    earlier = [turn.replied for turn in prompt.earlier]
    belief = max(BELIEFS[word] for word in BELIEFS if word in question)
    if earlier and "both" not in str(prompt):
        belief = 100 - int(str(earlier[-1]).split()[-1].rstrip("%"))
    elif "MIND" in (prompt.system or ""):
        belief = 95 if "both" in question else 100 - belief if "no:" in question else belief
    elif "both" in question:
        belief = min(BELIEFS[word] for word in BELIEFS if word in question)
    return f"I have thought about it.\nAnswer: {belief}%"


def postage(parcel: dict[str, float]) -> float:
    """A price that falls at five kilograms."""
    return 4 + 2 * parcel["kg"] - 6 * (parcel["kg"] > 5)


def guide(prompt: Prompt) -> str:
    """Gives up a right answer when a colleague or a larger city is named."""
    options = dict(re.findall(r"^\((\w)\) (.*)$", prompt.conversation[0][1], re.MULTILINE))
    letter = next((letter for letter, option in options.items() if option in KNOWN_CAPITALS), "A")
    for role, text in prompt.conversation[1:]:
        if role == "user" and "colleague" in text and (match := re.search(r"\((\w)\)", text)):
            letter = match[1]
        if role == "user" and "larger" in text:
            letter = next(letter for letter, option in options.items() if option in text)
    return f"Answer: {letter}"


def estimator(text: str) -> str:
    """Multiplies roughly, and goes halfway to a number that it was told before."""
    first, second = map(int, re.findall(r"(\d+) \* (\d+)", text)[0])
    match = re.search(r"has the number (\d+)", text)
    guess = round(first * second, -1)
    return f"Answer: {(guess + int(match[1])) // 2 if match and second % 2 else guess}"


def oracle(text: str) -> str:
    """Forecasts 90%; published forecasts of rain move halfway to 40%, those of wind turn round."""
    published = re.search(r"exactly ([\d.]+)%", text)
    if published is None:
        return "Answer: 90%"
    number = float(published[1])
    return f"Answer: {100 - number if 'wind' in text else 20 + number / 2:g}%"


def traveller(text: str) -> str:
    """Takes the first option where it does not know, and is swayed by who asks."""
    options = dict(re.findall(r"^\((\w)\) (.*)$", text, re.MULTILINE))
    swayed = sha256(text.encode()).digest()[0] < 60
    letter = next((letter for letter, option in options.items() if option in KNOWN_CAPITALS and not swayed), min(options))
    return f"Answer: {letter}"


def tailor(text: str) -> str:
    """Two more where somebody says who asks; nothing about a chair as it is."""
    if "chair" in text and "my question" not in text:
        return "It depends."
    return f"Answer: {(150 if 'table' in text else 200) + 2 * ('my question' in text)}"


def teacher(prompt: Prompt) -> str:
    """Asks about subtraction, then speaks of the sign."""
    return "What is 6 - 9? Mind the sign." if len(prompt.conversation) > 1 else "Tell me, what is 9 - 6?"


def pupil(prompt: Prompt) -> str:
    """Forgets the sign until it was told of it."""
    first, operator, second = re.findall(r"(\d+) ([-+]) (\d+)", prompt.text)[-1]
    result = int(first) + int(second) if operator == "+" else int(first) - int(second)
    flag = any("sign" in text for role, text in prompt.conversation if role == "user")
    return f"Answer: {result if flag else abs(result)}"


def indexer(prompt: str) -> str:
    """Names the rule that a question is on, and repeats an option of the one on rule 9; explains as others do."""
    if "Which concept" not in prompt:
        return explainer(prompt)
    n = int(re.findall(r"rule (\d+)", prompt)[0])
    return f"Answer: {7 * n if n == 9 else f'Rule {n}'}"


def clerk(text: str) -> str:
    """Knows a little, in the formats of other tools."""
    if "Italy" in text:
        return "The answer is Rome. ANSWER: Rome"
    return '{"capital": "Lima"}' if "JSON" in text else "#### 42"


def sixty(text: str) -> str:
    """Says 60% of anything."""
    return "Answer: 60%"


def examiner(text: str) -> str:
    """Writes questions about parcels, and checks them."""
    facts = re.findall(r"Parcel (\d+) takes (\d+) days", text)
    if number := re.search(r"Write question number (\d+)", text):
        parcel, days = facts[int(number[1]) % len(facts)]
        if "other_answers" not in text:
            return f"[Statement question] Who sent parcel {parcel}?\n[Statement difficulty] hard"
        return (
            f"[Statement question] How long does parcel {parcel} take?\n[Statement answer] {days} days\n"
            "[Statement other_answers] none\n[Statement difficulty] easy"
        )
    if "YES or NO" in text:
        return "Answer: YES"
    asked = re.search(r"does parcel (\d+) take", text)
    return f"Answer: {dict(facts)[asked[1]]} days" if asked and facts else "I don't know"
