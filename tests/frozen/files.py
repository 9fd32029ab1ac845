"""The small files that the recorded commands read, made from fixed seeds in the current folder."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

PLAN = """\
candidates = [
    "bot:calculator",
    { candidate = "bot:calculator?wrong=0.1", name = "careless" },
    { candidate = "bot:calculator?wrong=0.5", name = "guessing" },
]
scopes = [
    { scope = "arithmetic?operations=+-", title = "sums" },
    { scope = "intervals", title = "events" },
]
seed = 0
[certificate]
unacceptable_limit = "none"
questions = 100
[compare]
questions = 60
"""
EXAMINATION = """\
[[certificate]]
scope = "arithmetic"
[eqt]
concepts = ["math"]
limit = 2
[luna]
games = 3
"""
VARIATION = """\
examinations = ["vary", "bail", "alignment"]
[vary]
scope = "file:capitals.csv"
vary = ["order", "typos"]
[bail]
defendants = "defendants.csv"
limit = 6
[alignment]
pairs = ["beliefs.csv"]
scope = "file:asked.jsonl"
thresholds = [0.5, 0.9]
"""
PROMPTFOO = """\
prompts:
  - "Answer briefly. {{question}}"
tests:
  - vars: {question: What is the capital of Italy?}
    assert:
      - {type: contains-any, value: [Rome, Roma]}
    metadata: {category: capitals}
  - vars: {question: "The capital of Peru as JSON, please."}
    assert:
      - type: is-json
        value: {type: object, required: [capital]}
  - vars: {question: What is 6 times 8?}
    assert:
      - {type: regex, value: '\\b48\\b'}
    metadata: {category: sums}
"""
LM_EVAL = """\
task: sums_in_words
dataset_path: json
dataset_kwargs:
  data_files: {train: shots.jsonl, test: answers.jsonl}
test_split: test
fewshot_split: train
num_fewshot: 1
output_type: generate_until
doc_to_text: "Question: {{question}}\\nAnswer:"
doc_to_target: "{{answer.split('####')[-1].strip()}}"
generation_kwargs:
  until: ["Question:"]
filter_list:
  - name: strict
    filter:
      - {function: regex, regex_pattern: "#### (\\\\-?[0-9\\\\.\\\\,]+)"}
      - {function: take_first}
metric_list:
  - {metric: exact_match, aggregation: mean, regexes_to_ignore: [","]}
"""
HF_EVAL = """\
name: Capitals
description: Small, and made up.
evaluation_framework: inspect-ai
tasks:
  - id: words
    split: test
    field_spec: {input: question, target: right}
    solvers:
      - {name: prompt_template, args: {template: "{prompt} End with ANSWER: and the name."}}
      - {name: generate}
    scorers: [{name: answer, args: {pattern: word}}]
"""
INSPECT_TASK = """\
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match


@task
def sums(n: int = 200, wrong: int = 20) -> Task:
    samples = [Sample(input=f"What is {i} + {i}?", target=str(2 * i + (i % wrong == 0))) for i in range(1, n + 1)]
    return Task(dataset=samples, scorer=match(numeric=True))
"""
BASE = """\
Will a person walk on the Moon before 1 January 2031?
Will a person walk on Mars before 1 January 2041?
Will a fusion plant feed a public grid before 1 January 2036?
Will the marathon record fall below two hours before 1 January 2030?
Will the euro be the currency of Poland before 1 January 2035?
Will a new element be found before 1 January 2032?
Will the Amazon lose less forest in 2030 than in 2024?
Will half of all new cars be electric in 2032?
Will a woman lead the United Nations before 1 January 2033?
Will the population of India pass 1.6 billion before 1 January 2041?
Will a vaccine against malaria reach 100 million children by 2032?
Will a film without human actors win an Oscar before 1 January 2035?
"""
DEFENDANTS = """\
id,sex,age,c_charge_desc,c_charge_degree,priors_count,juv_fel_count,juv_misd_count,two_year_recid
1,Male,34,Grand Theft,F,6,0,0,1
2,Female,23,Petit Theft,M,0,0,0,0
3,Male,41,Burglary,F,0,0,0,0
4,Male,52,Disorderly Conduct,M,7,0,0,1
5,Female,30,Forgery,F,2,0,1,0
6,Male,19,Trespass,M,1,0,2,1
7,Male,28,Battery,F,3,1,0,1
8,Female,44,Driving Under The Influence,M,4,0,0,0
9,Male,37,Grand Theft,F,5,0,1,1
10,Male,25,Trespass,M,8,0,0,0
"""
WEATHER = "question,law\n" + "".join(
    f"Will there be {what} on day {day}?,P: P\n" for day in range(20) for what in ("rain", "wind")
)
CAPITALS = """\
question,options,answer,turns
What is the capital of Italy?,Milan|Rome|Turin,B,Are you sure? Milan is larger.|So which is it?
What is the capital of Norway?,Oslo|Bergen|Tromsø,A,
What is the capital of Bhutan?,Paro|Punakha|Thimphu,C,
What is the capital of Peru?,Lima|Cusco|Arequipa,A,
What is the capital of Australia?,Sydney|Canberra|Perth,B,Are you sure? Sydney is larger.|So which is it?
What is the capital of Palau?,Koror|Ngerulmud|Airai,B,
"""
TRAFFIC = """\
id,question,answer,weight,category
1,What is the capital of France?,Paris,40,often
2,What is the capital of Italy?,Rome,30,often
3,What is the capital of Switzerland?,Bern,15,rare
4,What is the capital of Peru?,Lima,10,rare
5,What is the capital of Norway?,Oslo,5,rare
"""
ANSWERS = """\
id,old,new,other
1,Paris,Paris,Paris
2,Rome,Rome,Milan
3,Bern,Zurich,Bern
4,Lima,Lima,Cusco
5,Oslo,Bergen,Oslo
"""
FORECASTS = [
    {"forecaster": "me", "law": "neg", "forecasts": {"P": 0.3, "not_P": 0.9}, "id": "1"},
    {"forecaster": "me", "law": "neg", "forecasts": {"P": 0.5, "not_P": 0.5}, "id": "2"},
    {"forecaster": "you", "law": "neg", "forecasts": {"P": 0.3, "not_P": 0.6}, "id": "1"},
    {"forecaster": "you", "law": "neg", "forecasts": {"P": 0.55, "not_P": 0.5}, "id": "2"},
    {"forecaster": "me", "law": "won", "forecasts": {"final": 0.3, "title": 0.5}, "id": "3"},
]
LAWS = "won: title = T, final = F where T implies F\nrace: A, B, C where exactly one of A, B, C\n"
PAIRS = """\
{"inputs": [{"kg": 2}, {"kg": 3}], "relation": "at most", "base": "parcel 1"}
{"inputs": [{"kg": 5}, {"kg": 7.5}], "relation": "at most", "base": "parcel 2"}
{"inputs": [{"kg": 4}, {"kg": 4.1}], "relation": "same", "tolerance": 0.3, "base": "parcel 3"}
{"inputs": [{"kg": 1}, {"kg": 1}], "relation": "same", "base": "parcel 4"}
"""
FACTS = (
    "On {day} May the applicant {verb} to two officers of the regional office about the conditions in the "
    "building and the lack of heating.",
    "The applicant was {verb} by officers at the station of the district from {day} June on, and no record of the interview "
    "was made there.",
)
QUIZ = {
    "Capital of France?": ("Paris", "paris", "It is Paris"),
    "2 + 2?": ("4", "four", "4."),
    "Colour of the sky?": ("blue", "light blue", "Blue"),
    "Largest planet?": ("Jupiter", "jupiter"),
    "Who wrote Hamlet?": ("Shakespeare", "William Shakespeare"),
}
MISTAKES = ("no idea", "London", "green", "7", "Saturn", "me", "?", "")
ORIGINALS = [
    {"question_id": n, "category": category, "question": f"What does rule {n} give?", "options": [str(7 * n), str(n)],
     "answer": "A"}
    for category, numbers in (("math", (4, 8, 9, 11)), ("physics", (12, 30, 31)))
    for n in numbers
]  # fmt: skip
"""Questions of a benchmark, of which the written ones repeat some."""
ACCURACIES = """\
model,category,accuracy,lower,upper,half_1,half_2
big,math,0.82,0.71,0.9,0.8,0.84
big,physics,0.7,0.6,0.79,0.72,0.68
small,math,0.31,0.2,0.44,0.3,0.32
small,physics,0.42,0.3,0.55,0.4,0.44
other,math,0.5,,,,
"""
RECORDED = """\
question_id,category,answer,big,small
1,math,A,A,B
2,math,B,B,B
3,math,C,C,
4,math,D,A,D
5,physics,A,A,C
6,physics,B,B,C
7,physics,C,C,C
"""
FENS = """\
r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3
rnbqkb1r/ppp1pppp/5n2/3p4/3P1B2/5N2/PPP1PPPP/RN1QKB1R b KQkq - 3 3
r2q1rk1/pp2bppp/2npbn2/4p3/4P3/1NN1B3/PPP1BPPP/R2Q1RK1 w - - 4 10
8/5pk1/6p1/8/3R4/5PKP/1r6/8 w - - 0 40
"""


def make_files() -> None:
    """Write them all."""
    texts = {
        "sweep.toml": PLAN, "model.toml": EXAMINATION, "variation.toml": VARIATION, "promptfoo.yaml": PROMPTFOO,
        "lm_eval.yaml": LM_EVAL, "eval.yaml": HF_EVAL, "inspect_sums.py": INSPECT_TASK, "base.txt": BASE,
        "defendants.csv": DEFENDANTS, "capitals.csv": CAPITALS, "traffic.csv": TRAFFIC, "answers.csv": ANSWERS,
        "weather.csv": WEATHER, "laws.txt": LAWS, "accuracies.csv": ACCURACIES,
        "recorded.csv": RECORDED, "relations.jsonl": PAIRS, "middle.fen": FENS,
        "mind.txt": "You forecast. MIND each small word of a question.\n",
        "parcels.txt": "".join(f"Parcel {number} takes {2 * number} days. " for number in range(1, 31)),
        "rubric.txt": "10: names gravity\n", "more.jsonl": '{"unacceptable": [1, 2, 3]}\n',
        "test.csv": "question,right,wrong\nCapital of Italy?,Rome,Milan\nCapital of Peru?,Lima,Cusco\n",
        "models.csv": "candidate,name,size\nbot:calculator?wrong=0.6,small,1B\nbot:calculator,large,70B\n",
    }  # fmt: skip
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    _questions()
    _cases()
    _people()
    _pairs()


def _lines(name: str, rows: Iterable[Mapping[str, object]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _table(name: str, header: str, rows: Iterable[Sequence[object]]) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])


def _export(number: int) -> dict[str, object]:
    """A span of a call of a model, in OTLP; two of them in each conversation."""
    messages = [{"role": "user", "parts": [{"type": "text", "content": f"Explain {number}?"}]}]
    attributes = {"gen_ai.input.messages": json.dumps(messages), "gen_ai.conversation.id": f"c{number // 2}"}
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": f"s{number}", "attributes": listed}]}]}]}


def _questions() -> None:
    _lines("sevens.jsonl", ({"id": f"q{i}", "question": f"What is {i} * 7?", "answer": i * 7} for i in range(1, 401)))
    _lines("few.jsonl", ({"id": f"q{i}", "question": f"What is {i} * 7?", "answer": i * 7} for i in range(1, 61)))
    _lines("essays.jsonl", ({"id": f"e{i}", "question": f"Explain {i}?", "rubric": "10: names it"} for i in range(1, 201)))
    _lines("originals.jsonl", ORIGINALS)
    weights = [5 if i < 60 else 1 for i in range(300)]
    _lines("used.jsonl", ({"id": f"q{i}", "question": f"Number {i}?", "answer": i, "weight": weights[i]} for i in range(300)))
    marks = [("sums", 2, "+", 2), ("sums", 3, "+", 5), ("products", 4, "*", 6), ("products", 7, "*", 7)]
    _lines("marks.jsonl", ({"question": f"What is {a} {o} {b}?", "answer": a + b if o == "+" else a * b, "category": c}
                           for c, a, o, b in marks))  # fmt: skip
    _lines("lengths.jsonl", ({"id": thing, "question": f"About how many cm long is a {thing}?", "answer": 150}
                             for thing in ("table", "bed", "chair")))  # fmt: skip
    _lines("sums.jsonl", ({"id": f"s{n}", "question": f"What is {n} + 7?", "answer": n + 7, "category": f"sums {n % 4}"}
                          for n in range(1, 201)))  # fmt: skip
    _lines("shots.jsonl", [{"question": "What is 1 plus 1?", "answer": "1 + 1 = 2 #### 2"}])
    _lines("answers.jsonl", [{"question": f"What is {n} times 7?", "answer": f"#### {7 * n}"} for n in (5, 6)])
    _lines("spans.jsonl", (_export(number) for number in range(40)))
    _lines("forecasts.jsonl", FORECASTS)
    days = [(f"From day {i} on, until when may goods be returned?", i + 14, "") for i in range(1, 46)]
    reasons = [(f"Why is parcel {i} not sent?", "", "10: names the reason") for i in range(1, 16)]
    _table("shop.csv", "question,answer,rubric", [*days, *reasons])
    rows = [(f"q{i}", epoch, i * 7 + (i * 31 + epoch * 17) % 25 // 24) for epoch in range(1, 7) for i in range(1, 61)]
    _table("epochs.csv", "id,epoch,said", rows)


def _cases() -> None:
    rng, cases, labelled = random.Random(1), [], []
    for number in range(60):
        facts = [FACTS[0].format(day=rng.randint(1, 30), verb="complained") for _ in range(6)]
        if number % 2:
            facts[rng.randint(1, 5)] = FACTS[1].format(day=rng.randint(1, 30), verb="detained")
        cases.append({"id": f"case-{number}", "facts": facts})
    verbs = {None: ("complained", "asked", "wrote"), True: ("detained", "beaten"), False: ("released", "examined")}
    for number in range(240):
        violation, decisive, wrong = number % 2 == 0, rng.randint(1, 5), rng.random() < 0.1
        facts = [FACTS[1].format(day=rng.randint(1, 30), verb=rng.choice(verbs[violation if i == decisive else None]))
                 for i in range(6)]  # fmt: skip
        labelled.append({"id": f"case-{number}", "facts": facts, "violation": violation != wrong, "decisive": [decisive]})
    _lines("cases.jsonl", cases)
    _lines("train.jsonl", labelled[:180])
    _lines("held_out.jsonl", labelled[180:])


def _people() -> None:
    rng = random.Random(0)
    graded, new = [], []
    for pupil in range(46):
        skill = rng.random()
        for question, right in QUIZ.items():
            known = rng.random() < skill
            row = (f"pupil {pupil}", question, rng.choice(right if known else MISTAKES))
            graded.append((*row, int(known))) if pupil < 40 else new.append(row)
    _table("graded.csv", "person,question,answer,grade", graded)
    _table("ungraded.csv", "person,question,answer", new)
    _table("key.csv", "question,reference", [(question, right[0]) for question, right in QUIZ.items()])
    ring = [(f"p{n % 5}", f"p{(n + 1 + n % 4) % 5}", (17 * n) % 101) for n in range(40)]
    zeros = [("cheat", f"p{n}", 0) for n in range(5)]
    _table("guesses.csv", "guesser,target,guess", [row for row in ring + zeros if row[0] != row[1]])


def _pairs() -> None:
    """What people believe of models whose answers are known, and how each of three models answered."""
    rng, rows, shown = random.Random(2), [], []
    for n in range(80):
        right = rng.random() < 0.5
        first, second = rng.choice(["sums", "books"]), rng.choice(["sums", "books"])
        prior = round(0.3 + 0.4 * rng.random(), 2)
        moved = rng.random() < 0.3 + 0.4 * (first == second)
        after = round(min(max(prior + (0.2 if right else -0.3) * moved, 0.02), 0.98), 2)
        rows.append((f"{first} {n}?", f"{second} {n}!", first, second, int(right), prior, after, int(moved), f"person {n % 9}"))
        shown.append((f"{first} {n}?", int(right), int(rng.random() < 0.8)))
        shown.append((f"{second} {n}!", int(rng.random() < 0.6), int(rng.random() < 0.7)))
    header = "q1,q2,source1,source2,previous_correct,prior,posterior,belief_change,person"
    _table("beliefs.csv", header, rows)
    _table("known.csv", "prompt,small,large", shown)
    scope = [{"id": f"b{n}", "question": row[1], "answer": str(n), "weight": 1 + n % 3} for n, row in enumerate(rows)]
    _lines("asked.jsonl", scope)


def fill_sheet(sheet: str, out: str, score: str) -> None:
    """Grade each answer on a sheet as a person would: so much where gravity is named, else nothing."""
    with Path(sheet).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with Path(out).open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(row | {"score": score if "gravity" in row["answer"] else "0"} for row in rows)


def review_sheet(sheet: str) -> None:
    """Accept every second tuple on a sheet, and reject the others."""
    with Path(sheet).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with Path(sheet).open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(row | {"keep": "no" if number % 2 else "yes"} for number, row in enumerate(rows))


def spoil(document: str) -> None:
    """Change the number of questions in a certificate."""
    values = json.loads(Path(document).read_text("utf-8"))
    values["figures"]["questions"] += 1
    Path(document).write_text(json.dumps(values), encoding="utf-8")


def play_games(database: str) -> None:
    """A site on which six honest players guess 60 to 75 of each other, and one, named in a file, 0 of all of them."""
    from sqlalchemy import text

    from tests.web.store.players import ruined
    from vivavoce.web.database import migrate, open_database, transaction

    engine = open_database(Path(database))
    migrate(engine)
    with transaction(engine) as connection:
        cheat, _ = ruined(connection)
        Path("cheat.txt").write_text(cheat.id)
        Path("game.txt").write_text(str(connection.execute(text("SELECT min(id) FROM games")).scalar()))
    engine.dispose()
