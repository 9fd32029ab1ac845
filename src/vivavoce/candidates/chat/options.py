"""The options after the `?` of a chat candidate, and their effects: key, headers, extra request fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from vivavoce.candidates.options import SEVERAL, UNNAMED
from vivavoce.candidates.providers import PRESETS, Limit, Preset
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import expanded
from vivavoce.interview.record import canonical_json

KEY_VARIABLES: Final = ("VIVA_API_KEY", "OPENAI_API_KEY")
"""Variables that may hold the key, in order, unless `?key=` names another one."""
SECRET_OPTIONS: Final = frozenset(
    {"api_key", "apikey", "api-key", "token", "access_token", "authorization", "password", "secret"}
)
"""Names of fields that hold secrets; a candidate's name and a body file must not contain them."""
BODY_BYTES: Final = 65_536
"""Size of a body file."""
SETTINGS: Final = ("temperature", "max_tokens", "max_completion_tokens", "top_p", "seed", "stop", "reasoning_effort")
"""Options that are sent unchanged, under their own names."""
_OWN_FIELDS: Final = frozenset({"messages", "model", "stream", "n", "response_format", "logprobs", "top_logprobs"})
_OWN_HEADERS: Final = frozenset(
    {
        "host",
        "content-type",
        "content-length",
        "content-encoding",
        "accept",
        "accept-encoding",
        "connection",
        "transfer-encoding",
    }
)
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")

MOST_LINES: Final = 50_000
"""The most questions of a batch (https://platform.openai.com/docs/guides/batch)."""

Positive = Annotated[int, Field(gt=0)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Stop = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Options after the `?`; the server decides omitted ones."""

    temperature: Annotated[float | None, Field(ge=0, le=10)] = None
    max_tokens: Positive | None = None
    max_completion_tokens: Positive | None = None
    """The same limit for reasoning models, whose thoughts count too; a prompt's own limit is then sent under this name."""
    top_p: Annotated[float | None, Field(gt=0, le=1)] = None
    seed: int | None = None
    reasoning_effort: Annotated[str | None, Field(pattern="^[A-Za-z]+$")] = None
    stop: tuple[Stop, ...] = field(default=(), metadata=SEVERAL)
    """Texts at which the reply ends: `?stop=A&stop=B` for several, a new line as `%0A`."""
    system: str = ""
    """System text, sent before the prompt's own."""
    preset: str = ""
    """Which kind of server it is, by its name in `PRESETS`."""
    header: tuple[str, ...] = field(default=(), metadata=SEVERAL)
    """`NAME:VARIABLE`, several with commas between them; in a candidate's name, the header's name alone."""
    body: str = ""
    """A JSON file with further fields of the request; in a candidate's name, a digest of them."""
    max_reply: Positive = field(default=4_000_000)
    """Bytes; a longer reply is not read, and is a fault of the service."""
    errors: Literal["service", "own"] = "service"
    """The cause of the server's errors and time-outs. Those of the service say nothing about the candidate; those of a bot that
    you built with its server count as wrong answers.
    """
    deterministic: Literal["yes", "no"] = "no"
    """Whether you declare that it gives the same answer each time; a temperature of 0 does not prove it."""
    key: str = field(default="", metadata=UNNAMED)
    """Name of the environment variable that holds the key."""
    price_in: Price = field(default=0.0, metadata=UNNAMED)
    """Money per million tokens of prompt."""
    price_out: Price = field(default=0.0, metadata=UNNAMED)
    """Money per million tokens of reply."""
    batch: Annotated[int | None, Field(ge=1, le=MOST_LINES)] = field(default=None, metadata=UNNAMED)
    """Ask by batches. 1: of as many questions as the examination will need; more: of that many."""
    batch_discount: Annotated[float, Field(ge=0, lt=1)] = field(default=0.5, metadata=UNNAMED)
    """The discount of batches, as a share of the price; half with OpenAI and most others."""
    batch_poll: Annotated[float, Field(gt=0, le=3600)] = field(default=5.0, metadata=UNNAMED)
    """Seconds between the first two checks of a batch; later ones are further apart."""
    batch_wait: Annotated[float, Field(gt=0, le=1000)] = field(default=26.0, metadata=UNNAMED)
    """Hours to wait for a batch; it continues at the server, and the next run finds it."""

    def __post_init__(self) -> None:
        if self.max_tokens is not None and self.max_completion_tokens is not None:
            raise ValueError("'max_tokens' and 'max_completion_tokens' set the same limit: give one of them")

    @property
    def limit(self) -> Limit:
        """This server's name for a limit of tokens."""
        if self.preset:
            return PRESETS[self.preset].limit
        return "max_tokens" if self.max_completion_tokens is None else "max_completion_tokens"

    @property
    def settings(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in SETTINGS}
        limits = (given.pop("max_tokens"), given.pop("max_completion_tokens"))
        given[self.limit] = next((limit for limit in limits if limit is not None), None)
        given["stop"] = list(self.stop) or None
        return {name: value for name, value in given.items() if value is not None}


def preset_of(options: ChatOptions) -> Preset | None:
    """The named preset, if any. Raises `UnknownName`, and `BadInput` if it never sends a parameter that the user wants."""
    if not options.preset:
        return None
    if options.preset not in PRESETS:
        raise UnknownName("preset", options.preset, PRESETS)
    preset = PRESETS[options.preset]
    for name in SETTINGS:
        if name in preset.never_sent and getattr(options, name) is not None:
            raise BadInput(f"the preset '{preset.name}' is for servers without {name}: leave out ?{name}= or ?preset=")
    return preset


def key_of(options: ChatOptions, environment: Mapping[str, str]) -> str:
    """The key, or nothing: servers of your own need none. No message repeats what might itself be a key."""
    if options.key and not _VARIABLE.fullmatch(options.key):
        raise BadInput("'?key=' takes the name of an environment variable in capitals, never the key itself")
    if options.key and not environment.get(options.key):
        raise BadInput("the environment variable that '?key=' names is not set: export it first")
    names = (options.key,) if options.key else KEY_VARIABLES
    name = next((name for name in names if environment.get(name)), "")
    return _fit_for_a_header(environment.get(name, ""), name)


def headers_of(options: ChatOptions, environment: Mapping[str, str]) -> dict[str, str]:
    """Further headers, sorted by name in lower case. No message repeats a possible secret."""
    values: dict[str, str] = {}
    for given in ",".join(options.header).split(",") if options.header else ():
        name, _, variable = given.strip().partition(":")
        name = name.lower()
        if not re.fullmatch(r"[a-z0-9_-]{1,100}", name) or not _VARIABLE.fullmatch(variable):
            raise BadInput(
                "'?header=' takes NAME:VARIABLE: a header, and the environment variable in capitals that holds its value, "
                "never the value itself"
            )
        if name in _OWN_HEADERS:
            raise BadInput(f"the header '{name}' is set for every request: leave it out")
        if name in values:
            raise BadInput("'?header=' names one header twice: give it once")
        if not environment.get(variable):
            raise BadInput("an environment variable that '?header=' names is not set: export it first")
        values[name] = _fit_for_a_header(environment[variable], variable)
    return dict(sorted(values.items()))


def body_of(options: ChatOptions) -> dict[str, Any]:
    """The further fields of the request. Raises `BadFile`; no message repeats a value."""
    if not options.body:
        return {}
    file = expanded(options.body)
    fields = _json_of(file)
    if not isinstance(fields, dict):
        raise BadFile(file, 'it must contain one JSON object with fields of the request, such as {"top_k": 1}')
    for name in fields:
        if name in _OWN_FIELDS:
            raise BadFile(file, f"'{name}' is set for every request: leave it out")
        if name in SETTINGS:
            raise BadFile(file, f"'{name}' belongs in the candidate's name: leave it out, and write ?{name}=")
    if any(name.lower() in SECRET_OPTIONS for name in _names(fields)):
        raise BadFile(file, "it contains a key: put the key in $VIVA_API_KEY, or name a header with ?header=NAME:VARIABLE")
    return fields


def _json_of(file: Path) -> Any:
    try:
        with file.open("rb") as stream:
            raw = stream.read(BODY_BYTES + 1)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    if len(raw) > BODY_BYTES:
        raise BadFile(file, f"larger than {BODY_BYTES >> 10} KiB: leave out what the server does not need")
    try:
        document = json.loads(raw.decode("utf-8-sig"))
        canonical_json(document)  # it has no digest to identify it
    except json.JSONDecodeError as error:
        raise BadFile(file, f"not JSON: {error.msg}", line=error.lineno) from None
    except UnicodeDecodeError:
        raise BadFile(file, "not UTF-8: save it as UTF-8") from None
    except (ValueError, RecursionError):
        raise BadFile(file, "not JSON: numbers must be finite, texts must be Unicode, and nesting shallow") from None
    return document


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names(inner)


def _fit_for_a_header(value: str, variable: str) -> str:
    value = value.strip()
    if not (value.isascii() and value.isprintable()):
        raise BadInput(f"the key in ${variable} has invalid characters for a key: export it again")
    return value
