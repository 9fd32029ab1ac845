"""Replies that hold an accepted value with something at it, or the value in an unusual form."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.each_case import each_case
from vivavoce.interview.candidate import Reply
from vivavoce.interview.scope import Grade
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

NEVER_RIGHT = """
What dose of the syrup should a child of 20 kg get? | 7.5 mL | 15 mL (two doses of 7.5 mL)
What is the statute of limitations for written contracts in California? | 4 years | 2 years (oral contracts: 4 years)
What version fixed the bug? | 2.4.1 | The bug was introduced in 2.4.1 and fixed in 2.5.0.
What time does the last train leave? | 23:47 | 11:47
How long before expiry can I renew? | 9 months | Based on the document: **6 months** before it (in urgent cases 9 months).
How many vacation days do full-time employees get? | 28 days | 28 weeks | 28 hours
How many vacation days do full-time employees get? | 28 days | 28 days minus 3 for the company shutdown, so effectively 25
What is the notice period during probation? | two weeks | After probation it's two weeks; during probation there is none.
How long should I boil an egg for a hard yolk? | 10 minutes | For a soft yolk 10 minutes, for a hard yolk 14.
How many people fit in conference room B? | 12 | 12 kg | 12% of the staff
How many nights? | 7 nights | 7 weeks
Wie viel kostet die Monatskarte? | 49.00 € | 49 € pro Woche | 49 € pro Jahr
What power has the plant? | 5 MW | 5 mW
What is the resistance? | 3 MΩ | 3 mΩ
What is the rate? | 100 MB/s | 100 Mb/s
What is the symbol of cobalt? | Co | CO
Which flag inverts the match? | grep -v | grep -V
Which flag is recursive? | -r | -R
Which command lists all files including hidden ones? | ls -a | ls -A
When does it open on Saturdays? | 10:00 | On Sundays at 10:00, on Saturdays at nine.
What is the maximum daily dose? | 4 g | 4 g per hour
What does the monthly pass cost? | €12 | €12 per hour
What is the interest on the loan per year? | 4.5% | 4.5% per month
Within how many days must an appeal be filed? | 30 days | 30 business days | 30 working days
When does it close? | 18:00 | 6:00
How many chromosomes do humans have? | 46 | 46 pairs
What is the weekly limit? | 3 | 3 per month
Wie hoch ist die Jahresgebühr? | 49 € | 49 € pro Monat
Was kostet es pro Woche? | 49 € | 49 € pro Tag
What is the function? | 2x + 1 | -2x + 1
What are the roots? | 1 and 4 | -1 and 4
What is the limit? | infinity | -infinity
What is it? | √2 | -√2
What is it? | pi | -pi
At which temperature? | 5 to 10 °C | -5 to 10 °C
What is the voltage? | 12 V | -12 V | Answer: -12 V | It is −12 V.
What is the gain? | 3 dB | -3 dB
What is the result? | 3/4 | It is - 3/4.
In which section is this explained? | 4.20 | section 4.2
Which article? | 5.1 | 5.10
What is the time signature? | 3/4 | 6/8
What is the date? | 9/11 | 18/22
Which operator is it? | != | =
Which operator is it? | = | !=
Which note? | F | F♭
Which note? | C | C♯
Which function? | f | f'
Which language? | C | the C++ language
Which countries? | France, Italy and Spain | France, Italy and Spain as well as Portugal
Which country? | Germany | It is Germany as well as France.
Which gases? | oxygen and nitrogen | one of oxygen and nitrogen
What is the distance in kilometres? | 42 | 42 hours | 42 kg | $42
How many volts is it? | 42 | 42 mV
What is the area in m²? | 80 | 80 hectares
What is the mass in mg? | 500 | 500 µg
What is the share in percent? | 40 | $40
In which year? | 476 | 476 BC
Is a permit required? | yes | Could be yes. | Yes, as long as you registered. | Yes before 2020, no after.
Is a permit required? | no | Could be yes. | Some say yes, others say no. | Half of the sources say yes, half say no.
True or false: The warranty covers water damage. | true | They say it is true. | It used to be true. | True in part.
True or false: The warranty covers water damage. | true | The opposite is true.
True or false: The warranty covers water damage. | false | True only on Sundays.
What is the capital? | Sydney | Answer: Canberra\\nPrevious answer: Sydney
What is the capital? | Sydney | Final answer: Canberra\\nPreliminary answer: Sydney
What is the capital? | Sydney | My answer: Canberra\\nBob's answer: Sydney
What is the capital? | Canberra | A bad answer: Canberra | {"wrong_answer": "Canberra"} | Update: Sydney (was Canberra)
What is the capital? | Canberra | Answer: Sydney (was Canberra) | Canberra is a myth. | Canberra: rejected
How many apples? | 12 | 12; 21 | by no means 12
How many apples are left? | 12 | 77. Only 12 people know that.
How many? | 12 | <s>12</s> 21 | [ ] 12\\n[x] 21
When does the train leave? | 12:00 | 12:00 am
When do they serve breakfast? | 7:40 pm | 7h40
When does it open? | 9:00 | 9:00 pm
"""
"""A question, its answer, and replies that do not give it."""
NEVER_WRONG = """
What is the population of Iceland? | about 380,000 | 376,000 | 382,000
How many chromosomes do humans have? | 46 | 23 pairs | 46 (23 pairs)
What is the notice period? | two weeks | 2 weeks
Wie lang? | drei Monate | 3 Monate
How is insulin stored? | 2–8 °C | 2-8°C
What is the delivery time? | 3-5 business days | 3 to 5 business days
What is the capacity? | 5000 mAh | 5,000 mAh
What is the frequency? | 50 Hz | 50Hz
What size is a cabin bag? | 55 x 40 x 20 cm | 55x40x20 cm
What version fixed the bug? | 2.4.1 | v2.4.1
When does it open? | 10:00 | 10 am
Who leads it? | Dr. Maria Schneider | Frau Dr. Maria Schneider
By what date? | April 15 | 15 April | April 15th | by April 15
When was it? | 2024-03-05 | 5 marca 2024 | 5 maart 2024
Which branches? | legislative, executive, judicial | 1) Legislative (Congress)\\n2) Executive (President)\\n3) Judicial (Court)
Does the warranty cover water damage? | no | Water damage is not covered.
Which Python? | 3.10 or later | 3.10 or newer
When was the treaty signed? | 25 October 1995 | 1995 October 25
When was it? | 1848 March 13 | March 13, 1848
When was the war? | 1914-1918 | 1914–18
In which season did they win the title? | 2019/20 | 2019/2020 | the 2019/20 season
What do tickets cost? | adults $10, children $5 | children $5, adults $10
What are the roots? | 2, 7 | 7, 2
Which ports must be open? | 80, 443 | 443, 80
Which share? | 10% to 15% | 10%-15%
What is the price range? | 10 €-15 € | 10-15 €
What are the opening hours? | 9 to 5 | 9-17
What are the opening hours? | 9-17 | nine to five
What is the blood pressure? | 120/80 | Answer: systolic 120, diastolic 80
What is the invoice number? | 2024/0815 | 20240815
How many litres does the tank hold? | 60 | 0.06 m³
What is the mass in mg? | 500 | 500,000 µg
What is the result? | -0.75 | It is - 3/4.
In which month did it open? | 3/2026 | March, 2026
When is the party? | 12/24 | 24.12.
Is a permit required? | yes | Could be yes. | Yes, as long as you registered. | Yes before 2020, no after.
Is a permit required? | yes | Yes, when you build a house you need one.
Is a permit required? | no | Could be yes. | Some say yes, others say no. | Half of the sources say yes, half say no.
True or false: The warranty covers water damage. | true | They say it is true. | It used to be true. | True in part.
True or false: The warranty covers water damage. | true | The opposite is true.
True or false: The warranty covers water damage. | false | True only on Sundays.
How many? | 8 | Answer: 8\\nPrevious answer: 6 | <s>6</s> 8
How many apples are left? | 12 | 12. That took 7 minutes.
How many? | 12 | [x] 12\\n[ ] 21
"""
"""A question, its answer, and replies that give it, or may do so."""
RIGHT = """
What is the capital? | Paris | Your answer: Paris | Here's your answer: Paris | **Answer:** Paris
How many? | 12 | Your answer: 12 | Here's answer: 12
When does it close? | 6:30 pm | 18:30 | 6:30 p.m.
How many vacation days do full-time employees get? | 28 days | 28 days | They get 28 vacation days. | 28
How many people fit in conference room B? | 12 | 12 people | It fits 12 persons.
How many minutes is the film? | 90 | 90 min
How far is it? | 1500 | 1500 m
What does the monthly pass cost? | €12 | €12 per month | It costs €12 a month.
What is the interest on the loan per year? | 4.5% | 4.5% per annum | 4.5% a year
What is the formula of water? | H2O | h2o
Which agency? | NASA | Nasa
Which city? | Paris | PARIS
Which company? | IBM | ibm
What is the deadline? | 5 business days | 5 business days
How many business days? | 5 | 5 business days
What version fixed the bug? | 2.4.1 | It was fixed in 2.4.1, not in 2.4.0. | 2.4.1
How heavy is it? | 8 kg | 8 kg (not 10 kg)
What is the warranty? | 2 years | 2 years (24 months)
How many chromosomes do humans have? | 46 | 46 chromosomes
How many euros is it? | 50 | 50 euros
How many percent? | 50 | 50%
How many hours do employees work? | 38 | 38 hours per week
What does parking cost on Sunday? | €2 | €2 per hour
What percentage is it? | 5% | 5% per year
Wie hoch ist die Jahresgebühr? | 49 € | 49 € pro Jahr
How many people fit in room B? | 12 | 12 people fit
How many employees work there? | 240 | 240 employees
What is the fee per hour? | $5 | $5 an hour
What is the fee? | $5 | $5 an hour
What is the capital? | Paris | - Paris
What is the voltage? | 12 V | 12 V | It is 12V.
What are the roots? | 1 and 4 | 1 and 4
When was it? | 25 October 1995 | 25 October 1995
What is the result? | 3/4 | 3/4
What fraction is left? | 3/4 | 0.75
What is 3 divided by 4? | 3/4 | 75%
Is a permit required? | yes | Yes.
Is it true? | true | It is true.
How many apples? | 12 | 12.
What is the share in percent? | 40 | 40%
What is the distance in kilometres? | 42 | 42 km
Which note? | C | C | The note is C.
Which operator is it? | = | =
Which operator is it? | != | `!=`
What is the capital? | Canberra | My answer: Canberra | Final answer: Canberra
When does it open? | 9:00 | 9:00
How many? | 12 | Answer: 12
"""
"""A question, its answer, and replies that plainly give it."""


def rows(table: str) -> Iterator[tuple[str, str, str]]:
    for line in table.strip().splitlines():
        question, answer, *replies = line.split(" | ")
        yield from ((question, answer, reply.replace("\\n", "\n")) for reply in replies)


def graded(folder: Path, question: str, answer: str, reply: str) -> Grade:
    path = folder / "questions.jsonl"
    path.write_text(json.dumps({"question": question, "answer": answer}) + "\n")
    scope = open_scope(f"file:{path}")
    assert isinstance(scope, ListedScope)
    return scope.grade(scope.questions[0], Reply(reply))


@each_case(("question", "answer", "reply"), [*rows(NEVER_RIGHT)])
def test_what_is_not_the_answer_is_never_right(tmp_path: Path, question: str, answer: str, reply: str) -> None:
    assert graded(tmp_path, question, answer, reply).score == 0


@each_case(("question", "answer", "reply"), [*rows(NEVER_WRONG)])
def test_what_may_be_the_answer_is_never_wrong(tmp_path: Path, question: str, answer: str, reply: str) -> None:
    assert graded(tmp_path, question, answer, reply).upper_score == 1


@each_case(("question", "answer", "reply"), [*rows(RIGHT)])
def test_a_plain_answer_is_right(tmp_path: Path, question: str, answer: str, reply: str) -> None:
    assert graded(tmp_path, question, answer, reply).score == 1
