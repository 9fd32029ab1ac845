"""What the scripts of the documentation find here: a server in place of a model's, small files in place of large ones.

Nothing else of a script is changed. `$SERVER` is a chat server, `$PORT` a free port, `$DATABASE` an empty schema of PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.documents.reading import ROOT

ENDLESS = ("viva luna serve", "inspect view", "dask scheduler", "dask worker")
"""Commands that run until they are stopped."""

EVERYWHERE = {
    "http://localhost:11434/v1": "$SERVER/v1",
    "chat:a@URL chat:b@URL": "chat:a@$SERVER/v1 chat:b@$SERVER/v1",
    "inspect:anthropic/claude-sonnet-4-0": "inspect:openai-api/local/model",
    "openai/gpt-4o": "openai-api/local/model",
    "viva luna serve": "viva luna serve --port $PORT",
    "postgresql://luna@localhost/luna": "$DATABASE",
    "postgresql://viva@database/viva": "$DATABASE",
    "https://luna.example ": "http://127.0.0.1:$PORT ",
    "http://localhost:8000 --token-file": "http://127.0.0.1:$PORT --token-file",
    "--limit 400000": "--limit 12",
    "--workers 16": "--workers 2",
}

BY_HAND = {
    "VIVA_MODEL=": "tests/model/test_reasoning.py runs the same rooms",
    "llama-server": "it needs a model",
    "python docs/gallery.py": "it needs two models, for an hour",
    "vllm serve": "it needs a model",
    "xdg-open": "nobody looks",
    "pip install .": "tests/test_bare_install.py does",
    "python3 -m venv": "tests/test_bare_install.py does",
    "/tmp/bare": "tests/test_bare_install.py does",
    "du -sm": "tests/test_bare_install.py does",
}
"""How commands begin that are not run, and why."""

STUDIES = ("python bench/", "python -m tests.validity", "viva luna predict compare $VIVA_DATA")
"""How commands begin that take minutes: `test_documents.py` runs them, and those that the text mentions."""

NETWORKS = (
    "viva people predict fit pairs.csv --predictor bert",
    "viva people predict fit pairs.csv --predictor causal",
    "viva people predict fit pairs.csv --predictor embeddings",
    "viva people predict evaluate bert-model",
)
"""How commands begin that need torch: `test_networks.py` runs them."""

GAMES = """\
python - <<'END'
import chess, chess.pgn, random
rng = random.Random(0)
with open("games.pgn", "w") as file:
    for _ in range(12):
        board = chess.Board()
        while board.ply() < 60 and not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        print(chess.pgn.Game.from_board(board), file=file, end="\\n\\n")
END
"""
LEELA = f"""\
PYTHONPATH={ROOT} python -c 'from pathlib import Path; from tests.candidates.leela import lc0; lc0(Path())'
export PATH="$PWD:$PATH"
"""
ECHR = """\
python - <<'END'
import json, pathlib

cases = [json.loads(line) for line in pathlib.Path("cases.jsonl").read_text().splitlines()]
for name, part in (("EN_train", cases[:120]), ("EN_dev", cases[120:150]), ("EN_test", cases[150:180])):
    pathlib.Path(name).mkdir()
    for case in part:
        row = {"ITEMID": case["id"], "TEXT": case["facts"], "VIOLATED_ARTICLES": ["3"] * case["violation"]}
        pathlib.Path(name, case["id"] + ".json").write_text(json.dumps(row))
END
"""
"""Cases of the page in the files of ECHR, which is not at hand."""
SMALL_PLAN = """\
[[certificate]]
scope = "arithmetic"
[eqt]
concepts = ["math"]
limit = 2
[luna]
games = 3
"""
"""Of an examination that takes seconds."""
TINY_MODEL_PLAN = f"cat > model.toml <<'END'\n{SMALL_PLAN}END\n"
SITE = "viva luna serve --database luna.sqlite --port $PORT &\nawait-site\n"
PLAYED = """\
VIVA_WEB_HOLD_BACK=no viva luna serve --demo --database played.sqlite --port $PORT &
until viva luna admin stats --database played.sqlite --json 2>/dev/null | grep -q '"games_finished": [1-9]'; do sleep 1; done
viva luna machine add "Machine $RANDOM" --database played.sqlite > token.txt
export LUNA_SERVER=http://127.0.0.1:$PORT VIVA_LUNA_TOKEN=$(cat token.txt) LUNA_PAUSE=1
first() { python -c "import sqlite3, sys; print(*sqlite3.connect('played.sqlite').execute(sys.argv[1]).fetchone())" "$1"; }
"""
"""A site where scripted players are at play, and a token for a machine."""
SURVEY = """\
viva people survey create sums --scope arithmetic --candidate 'bot:calculator?wrong=0.3' --pairs 60 \\
    --database luna.sqlite
viva people survey open sums --database luna.sqlite
"""
RESPONDENTS = f"PYTHONPATH={ROOT}/src:{ROOT} python -m tests.web.survey_bots http://127.0.0.1:$PORT/surveys/sums 4\n"
QUESTIONS = """\
rm tuples.jsonl
for event in rain snow hail; do echo "{\\"question\\": \\"Will it $event?\\"}"; done > base.jsonl
"""
TUPLES = "viva consistency forecasts make --questions base.txt --law neg --writer template --out tuples.jsonl --quiet >made\n"
BASE = "printf 'Will it rain?\\nWill it snow?\\nWill it hail?\\n' > base.txt\n"
BENCHMARK = """\
cat > mmlu_pro.csv <<'END'
model,category,accuracy
chat:a@$SERVER/v1,math,0.5
chat:b@$SERVER/v1,math,0.6
END
echo '{"question": "2 + 2?", "options": ["4", "5"], "answer": "A", "category": "math"}' | gzip > mmlu_pro.jsonl.gz
"""


@dataclass(frozen=True)
class Here:
    """What is different on one page."""

    before: Mapping[str, str] = field(default_factory=dict)
    """By a text of a script: what is done before it."""
    instead: Mapping[str, str] = field(default_factory=dict)


PAGES = {
    "appendix/belief-change.md": Here(
        before={"--teacher": 'cp "$VIVA_DATA"/human_generalization/*.csv .\ncp survey_practice.csv held-out.csv\n'}
    ),
    "appendix/forecasts.md": Here(before={"forecasts.csv.gz": 'cp "$VIVA_DATA"/forecasting/forecasts.csv.gz .\n'}),
    "appendix/chess.md": Here(
        before={"twic944_part": 'cp "$VIVA_DATA"/chess/twic944_part.pgn .\n'},
        instead={
            "--limit 2000": "--limit 4",
            "--limit 1000": "--limit 4",
            "--evaluations 6000": "--evaluations 60",
            "nodes=10000": "nodes=200",
        },
    ),
    "cases.md": Here(
        before={"cases train EN_train": ECHR},
        instead={
            "sentences:./legal-bert": "lsa",
            "--facts 10": "--facts 1",
            "chat:gpt-4o@https://api.openai.com/v1": "function:court:writer",
        },
    ),
    "chess.md": Here(
        before={"--limit 400000": GAMES},
        instead={"--cluster tcp://scheduler:8786 ": "", "uci:stockfish --positions": "'uci:stockfish?nodes=500' --positions"},
    ),
    "batch.md": Here(
        before={
            "batch=1": "mkfifo hold\n"
            f"PYTHONPATH={ROOT}/src:{ROOT} python -m tests.candidates.batch_server vendor --port $PORT <hold >served &\n"
            "exec 9>hold\nawait-site\n"
        },
        instead={
            "VIVA_API_KEY=...": "VIVA_API_KEY=sk-batch-0123456789",
            "gpt-4o-mini@https://api.openai.com/v1": "calculator:0.05@http://127.0.0.1:$PORT/v1",
        },
    ),
    "chess-leela.md": Here(
        before={"uci:lc0": GAMES + LEELA},
        instead={"--nodes 1,100,200,400,800,1600,3200": "--nodes 1,9", "--limit 1000": "--limit 4", "nodes=400&": "nodes=9&"},
    ),
    "eqt.md": Here(
        before={"--benchmark mmlu_pro.csv": BENCHMARK},
        instead={"--concepts math": "--concepts math --limit 2", "--cross": "--cross --concepts math --limit 2"},
    ),
    "examine.md": Here(
        before={"viva report": TINY_MODEL_PLAN},
        instead={
            "--out llama": "--plan model.toml --out llama",
            "--money 2 ": "--plan model.toml ",
        },
    ),
    "generalization.md": Here(
        before={"viva people deploy": "D=$VIVA_DATA/human_generalization\n"},
        instead={"file:used.jsonl": "file:used.jsonl || [ $? -eq 4 ]"},
    ),
    "howto/many-machines.md": Here(
        before={"games.pgn": GAMES},
        instead={
            "tcp://scheduler:8786": "tcp://127.0.0.1:$PORT",
            "8786": "$PORT",
            "--nworkers 16": "--nworkers 2",
            "uci:stockfish": "'uci:stockfish?nodes=500'",
        },
    ),
    "howto/own-model.md": Here(
        before={"viva report": TINY_MODEL_PLAN},
        instead={"http://localhost:8000/v1": "$SERVER/v1", "--money 2": "--money 2 --plan model.toml"},
    ),
    "howto/own-survey.md": Here(before={"survey close": SITE + RESPONDENTS}),
    "inspect.md": Here(
        before={"inspect eval": 'cp "$VIVA_DATA"/mmlu_pro/questions.jsonl.gz .\n' + BASE + TUPLES},
        instead={"inspect view": "inspect view start --port $PORT"},
    ),
    "luna.md": Here(
        before={"viva luna admin reports": PLAYED},
        instead={
            "--database luna.sqlite": "--database played.sqlite",
            "GAME PLACE": "$(first 'SELECT id FROM games') 0",
            "PLAYER": "$(first 'SELECT id FROM players')",
            "--database postgresql": "--port 0 --database postgresql",
        },
    ),
    "luna-machines.md": Here(
        before={
            "viva luna play": PLAYED
            + "viva luna admin export --database played.sqlite --out games && cp games/answers.csv .\n",
            "import json": PLAYED,
        },
        instead={"--games 5": "--games 1"},
    ),
    "luna-prediction.md": Here(before={"--guess-by": PLAYED + "printf 'Why %s?\\n' 1 2 3 4 5 > five.txt\n"}),
    "luna-ratings.md": Here(before={"viva luna admin export": PLAYED}, instead={"luna.sqlite": "played.sqlite"}),
    "making-tuples.md": Here(before={"base.jsonl": QUESTIONS}),
    "privacy.md": Here(before={"viva luna admin export": SITE + SURVEY}),
    "local-models.md": Here(
        before={"viva report": TINY_MODEL_PLAN},
        instead={
            "http://localhost:8080/v1": "$SERVER/v1",
            "http://localhost:8000/v1": "$SERVER/v1",
            "--out": "--plan model.toml --out",
        },
    ),
    "relations.md": Here(
        instead={"heavier = ": "postage = lambda parcel: 4 + 2 * parcel['kg']\npairs = [({'kg': 1}, {'kg': 2})]\nheavier = "}
    ),
    "start.md": Here(before={"viva report": TINY_MODEL_PLAN}, instead={"--out llama": "--plan model.toml --out llama"}),
    "surveys.md": Here(
        before={"survey create": SITE},
        instead={
            "viva people survey close": RESPONDENTS + "viva people survey close",
        },
    ),
}
