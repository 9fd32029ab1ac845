"""The names of candidates on the command line: a table of kinds, and functions that open a candidate by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from os.path import isfile
from typing import Any

from vivavoce.candidates.cluster.scheduler import opened
from vivavoce.candidates.providers import PRESETS
from vivavoce.errors import BadInput, MissingExtra, UnknownName
from vivavoce.interview.candidate import Candidate, Prompt, Reply


@dataclass(frozen=True, slots=True)
class CandidateKind:
    """One way to name a candidate."""

    prefix: str
    """The text before the first colon; for a bot, its name."""
    form: str
    example: str
    explanation: str


def open_candidate(source: str | Callable[..., Any], *, deterministic: bool = False) -> Candidate[Prompt, Reply]:
    """Open the candidate of that name, or a function, async or not; close it with `close_candidate` when done.

    A function gets a prompt's text (or the `Prompt`, if its parameter is annotated so) and returns a text, a number or a
    `Reply`. It is on record as `function:MODULE:NAME` with a digest of its source: changed code is asked again. `deterministic`
    declares that a function answers the same each time; in a name, `?deterministic=yes` does.

    Raises `UnknownName` for a kind, bot, column or option that does not exist (with the nearest one), `BadInput` for a name
    that cannot be used, `BadFile` for a recording that cannot be read, and `MissingExtra` for a kind whose package is not
    installed.

    >>> open_candidate("bot:calculator?wrong=0.05").name
    'bot:calculator?wrong=0.05'
    >>> open_candidate(str.upper).name
    'function:builtins:str.upper'
    >>> open_candidate("bot:calcluator")
    Traceback (most recent call last):
    ...
    vivavoce.errors.UnknownName: there is no bot 'calcluator'; did you mean 'calculator'? There are: ...
    """
    if callable(source):
        from vivavoce.candidates.function import function_given

        return function_given(source, deterministic=deterministic)
    if deterministic:
        raise BadInput(f"'deterministic' is for functions: write '{source[:200]}?deterministic=yes'")
    prefix = kind_of(source)
    _, colon, rest = source.strip().partition(":")
    kinds = {kind.prefix: kind for kind in KINDS}
    target, _, query = rest.partition("?")
    if not colon or not target:
        raise BadInput(f"'{prefix}:' needs more: write {kinds[prefix].form}, for example {kinds[prefix].example}")
    return opened(source, "candidate", lambda: _open(prefix, target, query))


def kind_of(name: str) -> str:
    """The text before the first colon; raises `UnknownName` for an unknown kind, and `BadInput` for a model's name without
    a kind.
    """
    prefix, colon, _ = name.strip().partition(":")
    kinds = [kind.prefix for kind in KINDS]
    file = prefix.partition("#")[0]
    if not colon and isfile(file):
        raise BadInput(f"'{prefix[:80]}' is a file: to use the answers in one of its columns, write replay:{file}#COLUMN")
    if file.endswith((".py", ".csv", ".tsv", ".json", ".jsonl", ".eval", ".sqlite")):
        raise BadInput(f"there is no file '{prefix[:80]}' in or below the current folder: check the path")
    if not colon and prefix and not get_close_matches(prefix, kinds, n=1, cutoff=0.75):
        model = prefix[:80]
        raise BadInput(
            f"'{model}' has no kind of candidate: write KIND:NAME, for example chat:{model}@http://localhost:11434/v1 for a "
            f"server, or inspect:PROVIDER/{model}. Kinds are {', '.join(kinds)}"
        )
    if colon and prefix and prefix not in kinds and not get_close_matches(prefix, kinds, n=1, cutoff=0.5):
        known = f"there is no kind of candidate '{prefix[:80]}': kinds are {', '.join(kinds)}"
        raise BadInput(f"{known}. For a model of a provider write inspect:{name.strip().replace(':', '/', 1)[:80]}")
    if prefix not in kinds:
        raise UnknownName("kind of candidate", prefix, kinds)
    return prefix


def runs_code(name: str) -> bool:
    """Whether opening the candidate of that name runs code of a file: a function, also as a model of Inspect.

    >>> runs_code("function:my_model:answer"), runs_code("inspect:viva/function:my_model:answer"), runs_code("bot:eliza")
    (True, True, False)
    """
    return kind_of(name.strip().removeprefix("inspect:viva/")) == "function"


async def close_candidate(candidate: Candidate[Any, Any]) -> None:
    """Close a candidate and its connections, if it has any."""
    close = getattr(candidate, "close", None)
    if close is not None:
        await close()


def _open(prefix: str, target: str, query: str) -> Candidate[Prompt, Reply]:
    """Each kind is imported when one is opened."""
    match prefix:
        case "chat":
            from vivavoce.candidates.chat.batch import by_batch
            from vivavoce.candidates.chat.candidate import open_chat

            return by_batch(open_chat(target, query))
        case "inspect":
            try:
                from vivavoce.candidates.inspect_ai import open_inspect
            except ModuleNotFoundError as error:
                raise MissingExtra((error.name or "inspect_ai").partition(".")[0], extra="models") from None
            return open_inspect(target, query)
        case "function":
            from vivavoce.candidates.function import open_function

            return open_function(target, query)
        case "replay":
            from vivavoce.candidates.replay import open_replay

            return open_replay(target, query)
        case "human":
            from vivavoce.candidates.human import open_person

            return open_person(target, query)
        case "bot":
            return _open_bot(target, query)
        case "uci":
            raise BadInput(
                f"'uci:{target[:80]}' is an engine: it answers positions, not prompts, so 'viva consistency chess check' "
                "examines it"
            )
    raise BadInput(f"'{prefix}:{target[:80]}' is a classifier: it judges cases, so 'viva consistency cases check' examines it")


def _open_bot(name: str, query: str) -> Candidate[Prompt, Reply]:
    from vivavoce.candidates import bots
    from vivavoce.candidates.options import NoOptions, read_options

    of = f"bot:{name}"
    match name:
        case "calculator":
            return bots.Calculator(read_options(query, bots.Errors, of=of))
        case "timekeeper":
            return bots.Timekeeper(read_options(query, NoOptions, of=of))
        case "eliza":
            return bots.Eliza(read_options(query, bots.SeedOptions, of=of))
        case "gibberish":
            return bots.Gibberish(read_options(query, bots.SeedOptions, of=of))
    raise UnknownName("bot", name, [bot.prefix for bot in BOTS])


KINDS: tuple[CandidateKind, ...] = (
    CandidateKind(
        "chat",
        "chat:MODEL@URL",
        "chat:llama3.2@http://localhost:11434/v1?temperature=0",
        "A language model behind any server that speaks the OpenAI-compatible protocol: vLLM, Ollama, llama.cpp, most vendors. "
        "The key comes from $VIVA_API_KEY, else $OPENAI_API_KEY, or the variable that ?key=NAME names. Options: temperature, "
        "max_tokens or max_completion_tokens (for models that reason), top_p, seed, reasoning_effort, stop, system, preset "
        f"(what the server takes: {', '.join(PRESETS)}), header (NAME:VARIABLE), body (a JSON file of further fields), "
        "max_reply (bytes), deterministic=yes (it answers the same each time), key, price_in and price_out (money per million "
        "tokens), batch (by batches, in hours and at half "
        "the price: 1, or N questions each), batch_discount, batch_poll (seconds), batch_wait (hours).",
    ),
    CandidateKind(
        "inspect",
        "inspect:PROVIDER/MODEL",
        "inspect:anthropic/claude-sonnet-4-0?max_tokens=1024",
        "A language model through Inspect, which reaches about 30 providers (pip install 'vivavoce[models]'); keys as Inspect "
        "expects them. Options: temperature, max_tokens, top_p, seed, system, base_url, deterministic=yes (it answers the same "
        "each time), price_in, price_out.",
    ),
    CandidateKind(
        "function",
        "function:MODULE:CALLABLE",
        "function:my_model:answer",
        "A Python function, found from the current folder. It gets the prompt's text (or the Prompt, if its first parameter "
        "is so annotated), returns a text, and may be async. Records are kept under its name and a digest of its module's "
        "file: if that changes, it is asked again, and another attempt is counted. Option: deterministic=yes, if it answers "
        "the same each time: a gate then asks each question once, answers on record count again, and questions in flight when "
        "a program or a worker ended are asked again.",
    ),
    CandidateKind(
        "replay",
        "replay:FILE#COLUMN",
        "replay:predictions.csv.gz#gpt-4?id=question_id",
        "Answers recorded earlier, in a column of a CSV, TSV or JSONL file (also .gz). Rows are found by question id: the "
        "column that ?id= names, else 'id', else 'question_id', else the row's number from 1.",
    ),
    CandidateKind(
        "human",
        "human:ALIAS",
        "human:p07",
        "A person, asked one question at a time in the terminal. Only the alias is recorded, so choose one that identifies no "
        "one. Before the first question the person reads what is kept, and agrees.",
    ),
    CandidateKind(
        "bot",
        "bot:NAME",
        "bot:calculator?wrong=0.05",
        "A candidate without a model, for trying things out.",
    ),
    CandidateKind(
        "uci",
        "uci:PROGRAM",
        "uci:stockfish?nodes=10000&Use NNUE=false",
        "An engine of chess that speaks UCI, by its path or its name on $PATH, with arguments where it needs "
        "them (uci:gnuchess --uci); it evaluates positions and does not answer prompts. Options: nodes, depth, hash "
        "(megabytes), wdl (engine or "
        "logistic), scale (of the logistic), time_out (seconds), engine (the name that it must report), and all options of the "
        "engine itself.",
    ),
    CandidateKind(
        "hf",
        "hf:FOLDER",
        "hf:models/legal-bert?positive=violation",
        "A sequence classifier of Hugging Face in a local folder (pip install 'vivavoce[neural]'); it judges cases, not "
        "prompts. Nothing is fetched, and no code of the folder is run. Options: positive, layer, pool, join, max_length, "
        "device.",
    ),
    CandidateKind(
        "trained",
        "trained:FOLDER",
        "trained:judge",
        "A classifier of cases that 'viva consistency cases train' made, in a local folder; it judges cases, not prompts, and "
        "reports its attention to each fact.",
    ),
)
"""All kinds of candidates, as `viva list candidates` lists them."""

BOTS: tuple[CandidateKind, ...] = (
    CandidateKind(
        "calculator",
        "bot:calculator?wrong=P&unacceptable=P&idk=P&unreadable=P&slow_when_wrong=SECONDS&delay=SECONDS&explains=WHAT&seed=N",
        "bot:calculator?wrong=0.05&unacceptable=0.001",
        'Does sums, and errs as often as you set: slightly, absurdly, by "I don\'t know", or by talking of other things. '
        "Asked for procedures it hands over one: multiplication, or, carelessly, one that is wrong in 3% of cases.",
    ),
    CandidateKind(
        "timekeeper",
        "bot:timekeeper",
        "bot:timekeeper",
        "Knows which of several events began, ended or overlapped, and when that cannot be known.",
    ),
    CandidateKind(
        "eliza",
        "bot:eliza?seed=N",
        "bot:eliza",
        "A chatterbot that turns statements into questions, by patterns. It understands nothing.",
    ),
    CandidateKind(
        "gibberish",
        "bot:gibberish?seed=N",
        "bot:gibberish?seed=1",
        "Says pronounceable nonsense.",
    ),
)
"""All bots; `CandidateKind.prefix` is the part after `bot:`."""
