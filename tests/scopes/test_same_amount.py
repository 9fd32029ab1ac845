"""Spellings of one amount are never graded as another amount, and another amount is never graded as right."""

from tests.each_case import each_case
from vivavoce.interview.candidate import Reply
from vivavoce.interview.scope import Grade
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

SPELLINGS = {
    "What is the population?": (
        "1.2 million | 1,200,000 | 1200000 | 1 200 000 | 1.2M | 1.2m | 1.2 mn | 1.2 mio | 1.2e6 | 1.2 × 10^6 | "
        "1200 thousand | 1,200k | one point two million | twelve hundred thousand | 1.2 Millionen | 1,2 Mio. | "
        "12 lakh | 1.2 million people | 1,200,000 inhabitants | approx. 1.2 million"
    ),
    "What is the revenue?": (
        "$3.5M | $3.5 million | $3,500,000 | 3.5 million dollars | USD 3.5m | US$3.5 million | 3500000 USD | "
        "$3500000 | 3,500,000 dollars | three and a half million dollars | 3.5M | 3.5 million | 3,500,000 | $3.5mn | "
        "$ 3.5 Mio | 3.5 mil dollars | $3,500k"
    ),
    "What does a stamp cost?": "$0.45 | 45 cents | 45¢ | 0.45 USD | 0.45 | 45c | forty-five cents | 45 ct",
    "What share of users churn?": (
        "25% | 25 percent | 25 per cent | 0.25 | a quarter | 1/4 | one in four | 25 in 100 | ¼ | one quarter | "
        "25 pct | 25 out of 100 | 1 out of 4 | quarter | 250 per mille | 1 in 4 | 25 | 25,0 % | 25.0%"
    ),
    "How long is the film?": (
        "90 minutes | 1.5 hours | 1h30 | 1 h 30 min | 1:30 | an hour and a half | 90 min | 90' | "
        "one and a half hours | ninety minutes | 1 hour and 30 minutes | 1:30 h | 1 hour 30 | 5400 seconds | 90 | "
        "1h 30m | 1 1/2 hours"
    ),
    "How far is it?": (
        "1500 m | 1.5 km | 1,500 metres | 1500 meters | 1500m | 1.5km | 1.5 kilometers | fifteen hundred meters | "
        "0.93 miles | 1.500 m | one and a half kilometres | 1500 | 1,5 km"
    ),
    "When does the bus leave?": (
        "6:30 pm | 18:30 | 6.30pm | half past six in the evening | 18h30 | 1830 | 18:30 Uhr | 6:30 p.m. | 18.30 | "
        "half past 6 pm | 18:30:00 | 1830 hours | 6:30PM | six thirty pm"
    ),
    "When does it start?": (
        "3 March 2026 | March 3, 2026 | 2026-03-03 | 03.03.2026 | 3/3/2026 | 3rd of March 2026 | "
        "the third of March, 2026 | 3. März 2026 | Mar 3 2026 | 3 mars 2026 | 03/03/26 | 3-Mar-2026 | "
        "Tuesday, 3 March 2026 | 2026/03/03"
    ),
    "What is the probability?": "0.5 | 1/2 | ½ | half | one half | .5 | 50% | 5/10 | 0.50 | 5e-1 | fifty percent | one in two",
    "At which temperature is it kept?": (
        "-20 °C | −20°C | minus 20 degrees | -20 | 20 below zero | 20 degrees below zero | -20 C | -4 °F | "
        "253.15 K | −20 degrees Celsius | minus twenty | -20 degrees | – 20 °C | (-20)"
    ),
    "How many are there?": "14 | fourteen | XIV | 14.0 | 014 | 1.4e1 | 4+10 | 14 (fourteen) | 14 units | fourteen of them",
    "What is the phone number?": (
        "+44 20 7946 0018 | 020 7946 0018 | (020) 7946-0018 | 02079460018 | +442079460018 | 0044 20 7946 0018 | "
        "020-7946-0018 | +44 (0)20 7946 0018"
    ),
    "Which place did she take?": "3rd | third | 3 | third place | 3rd place | the third | bronze",
    "In which year was it founded?": (
        "1998 | in 1998 | '98 | AD 1998 | 1998 CE | nineteen ninety-eight | 1998 A.D. | early 1998 | 1998. | the year 1998"
    ),
    "How many days does delivery take?": (
        "10-15 | 10 to 15 | 10–15 | between 10 and 15 | from 10 to 15 | 10 - 15 days | 10-15 days | "
        "ten to fifteen days | 10 to 15 business days | 10~15"
    ),
    "How large is the room?": "4 x 5 m | 4m by 5m | 4×5 m | 5 x 4 m | 4 m × 5 m | 4 by 5 metres | 20 m² | 20 square metres",
    "What is the value?": "2^10 | 1024 | 2**10 | 2¹⁰ | 1,024 | $2^{10}$ | 1.024",
    "What is the exact value?": (
        "sqrt(2) | √2 | 2^(1/2) | 1.41421356 | 1.4142 | \\sqrt{2} | $\\sqrt{2}$ | 2^0.5 | the square root of 2 | "
        "square root of two"
    ),
    "What is the ratio of the circumference to the diameter?": "π | pi | 3.14159 | \\pi | 3.1416 | Pi",
    "How heavy is it?": (
        "2.5 kg | 2500 g | 2,5 kg | 2.5kg | 2.5 kilograms | 5.5 lb | two and a half kilos | 2 1/2 kg | 2½ kg | 2500 grams"
    ),
    "How fast may one drive?": (
        "100 km/h | 100 kph | 100 kmh | 100 kilometers per hour | 27.8 m/s | 100 | 62 mph | 100 km per hour | 100 km / h"
    ),
    "How much memory has it?": "1 GB | 1GB | one gigabyte | 1 gigabyte | 1 GiB | 1 Gb | 1 gig",
    "What is the mass of the electron in kg?": (
        "9.11e-31 | 9.11 × 10^-31 | 9.11×10⁻³¹ | 9.11*10^-31 | 9.11x10^-31 kg | 9.11 \\times 10^{-31} | 9.109e-31 | 0.911e-30"
    ),
    "What is the score?": "3-1 | 3:1 | 3 to 1 | three to one | 3 – 1 | 3 goals to 1",
    "What is the ratio?": "2:3 | 2 to 3 | 4:6 | 2/3 | two to three | 0.667 | 2 : 3 | 1:1.5",
    "What is the interest rate?": (
        "4.5% | 4.5 percent | 450 basis points | 0.045 | 4.5 | 4½% | 4,5 % | 450 bps | 4.50% | four and a half percent"
    ),
    "What is the profit?": "-5% | minus five percent | a loss of 5% | -0.05 | −5 % | negative 5% | down 5%",
    "How old is he?": "42 | 42 years | forty-two | 42 years old | 42yo | aged 42 | in his forties",
    "What is the size of the shoe?": "42 | EU 42 | 42 EU | size 42",
    "What is the result of the division?": "1/3 | 0.333 | 0.3333 | one third | 33.3% | 33% | ⅓",
    "How much is it?": (
        "€1,299.00 | 1299 euros | EUR 1299 | 1299 | €1299 | 1,299 EUR | 1299.00 | 1.299 Euro | €1,299 | "
        "one thousand two hundred ninety-nine euros | 1 299 € | 1299,-"
    ),
}
"""For each question spellings of its answer."""
DIFFERENT = {
    ("What is the population?", "1.2 million"): "1.3 million | 2,100,000 | 12 million | 1.2 billion | 120,000 | 5",
    ("What is the population?", "1,200,000"): "1.3 million | 1,100,000 | 2 million",
    ("What is the revenue?", "$3.5M"): "$3.6M | $35 million | $350,000 | $4,000,000",
    ("What is the revenue?", "$3.5 million"): "$3.6 million | $4.5M | 35,000,000",
    ("What does a stamp cost?", "$0.45"): "$0.54 | 55 cents | $45 | 4 cents",
    ("What share of users churn?", "25%"): "30% | a third | one half | 2.5% | 0.3 | 26",
    ("How long is the film?", "90 minutes"): "80 minutes | 2 hours | 95 | 100 min | one hour",
    ("How many minutes is the film?", "90"): "80 | 9 | 900 | 95 minutes",
    ("How far is it?", "1500 m"): "1600 m | 16 km | 1400 | 2 km",
    ("How far is it?", "1500"): "1600 | 15 | 150 m | 1.6 km",
    ("How many km is it?", "12"): "13 | 12000 | 13 km | 1.2",
    ("When does the bus leave?", "6:30 pm"): "7:30 pm | 18:00 | 6:30 am | 6:45 pm",
    ("When does it start?", "3 March 2026"): "4 March 2026 | 3 April 2026 | 3 March 2025 | 2026-04-03",
    ("What is the probability?", "0.5"): "0.6 | 1/3 | 60% | 0.05 | 5",
    ("At which temperature is it kept?", "-20 °C"): "-30 °C | -25 | 0 °C | 5 °C",
    ("How many are there?", "14"): "15 | 41 | 140 | 1.4 | fifteen | 14,000",
    ("In which year was it founded?", "1998"): "1999 | 1989 | 2098",
    ("Which place did she take?", "3rd"): "2nd | fourth | 4th place",
    ("What is the ratio?", "2:3"): "3:2 | 2:5 | 3:4",
    ("What is the interest rate?", "4.5%"): "5.4% | 45% | 4% | 5 percent",
    ("What is the profit?", "-5%"): "-6% | -50% | 10%",
    ("How old is he?", "42"): "41 | 24 years | 43 years old | 420",
    ("How heavy is it?", "2.5 kg"): "3 kg | 2.6 kg | 25 kg | 250",
    ("How fast may one drive?", "100 km/h"): "110 km/h | 90 | 120",
    ("What is the value?", "1024"): "1023 | 2048 | 10.24",
    ("How many employees does the company have?", "240"): "250 people | 24000 employees | 24 | about 300 staff | 2400",
    ("What is the result?", "0.125"): "0.25 | 12.5 | 1.25 | 0.0125",
    ("How much is it?", "€1,299.00"): "€1,399 | 1,199 euros | €12.99",
    ("What is the growth rate?", "5"): "50 | 500 | 6% | 7",
    ("How many days?", "30 days"): "31 days | 20 | 3 days | two weeks",
    ("What is the warranty?", "2 years"): "3 years | 12 months | one year | 20",
    ("What is 12 * 12?", "144"): "142 | 1440 | 14.4 | 124",
}
"""For each question and its answer other amounts."""


def graded(question: str, answer: str, replies: list[str]) -> list[Grade]:
    """The grades of replies to a question."""
    scope = open_scope([{"question": question, "answer": answer}])
    assert isinstance(scope, ListedScope)
    return [scope.grade(scope.questions[0], Reply(reply)) for reply in replies]


@each_case(("question", "answer"), [(question, answer) for question, row in SPELLINGS.items() for answer in row.split(" | ")])
def test_no_spelling_is_another_amount(question: str, answer: str) -> None:
    replies = SPELLINGS[question].split(" | ")
    grades = graded(question, answer, replies)
    assert grades[replies.index(answer)].score == 1 or grades[replies.index(answer)].upper == 1
    assert [reply for reply, grade in zip(replies, grades, strict=True) if grade.upper_score < 1] == []


@each_case(("question", "answer"), [*DIFFERENT])
def test_no_other_amount_is_right(question: str, answer: str) -> None:
    replies = DIFFERENT[question, answer].split(" | ")
    for form in ("{}", "Answer: {}", "It is {}."):
        grades = graded(question, answer, [form.format(reply) for reply in replies])
        assert [reply for reply, grade in zip(replies, grades, strict=True) if grade.score > 0] == []


def test_most_other_amounts_are_wrong() -> None:
    grades = [grade for asked, row in DIFFERENT.items() for grade in graded(*asked, row.split(" | "))]
    assert sum(grade.upper is None for grade in grades) > 0.85 * len(grades)
