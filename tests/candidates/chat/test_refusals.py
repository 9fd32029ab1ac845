"""Which errors say that a parameter is not taken: in the words of real servers, kept short."""

from __future__ import annotations

from tests.each_case import each_case
from vivavoce.candidates.chat.reply import ServerError, read_error
from vivavoce.candidates.chat.server_errors import refused
from vivavoce.errors import ParameterRefused, TransportFault, refused_parameter

ALL = {"temperature", "max_tokens", "response_format", "logprobs", "top_p", "seed", "stop", "reasoning_effort", "top_k"}


@each_case(
    ("message", "parameter"),
    [
        # OpenAI
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "max_tokens",
        ),
        (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported.",
            "temperature",
        ),
        ("Unsupported parameter: 'stop' is not supported with this model.", "stop"),
        ("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "response_format"),
        ("Unrecognized request argument supplied: reasoning_effort", "reasoning_effort"),
        ("You are not allowed to request logprobs from this model", "logprobs"),
        # Anthropic
        ("`temperature` is deprecated for this model.", "temperature"),
        ("temperature: range: 0..1, must be at most 1", "temperature"),
        ("`temperature` and `top_p` cannot both be specified for this model. Please use only one.", "temperature"),
        # Gemini
        ('Invalid JSON payload received. Unknown name "seed": Cannot find field.', "seed"),
        ("Logprobs is not enabled for models/gemini-2.5-pro", "logprobs"),
        # DeepSeek, Kimi, Groq, LM Studio
        ("deepseek-reasoner does not support the parameter `temperature`", "temperature"),
        ("This response_format type is unavailable now", "response_format"),
        ("invalid temperature: only 1 is allowed for this model", "temperature"),
        ("This model does not support response format `json_schema`.", "response_format"),
        ("'response_format.type' must be 'json_schema' or 'text'", "response_format"),
        # llama.cpp, vLLM, FastAPI
        ('response_format type must be one of "text" or "json_object", but got: json_schema', "response_format"),
        ("Unable to generate parser: JSON schema error at #: unrecognized type nonsense", "response_format"),
        ("Field 'temperature': type must be number, but is string", "temperature"),
        (
            "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra inputs are not permitted', 'input': 3}]",
            "top_k",
        ),
        ("top_logprobs must be at most 5", "logprobs"),
    ],
)
def test_a_refusal_in_words_names_its_parameter(message: str, parameter: str) -> None:
    assert refused(ServerError(message), ALL) == parameter
    assert refused(ServerError(message), ALL - {parameter} - ({"top_p"} if parameter == "temperature" else set())) == ""


@each_case(
    "error",
    [
        ServerError("This model's maximum context length is 4096 tokens. Please reduce max_tokens.", param="max_tokens"),
        ServerError("'max_tokens' is too large: 8192. This model's maximum context length is 4096 tokens.", param="max_tokens"),
        ServerError("max_tokens must be smaller", ("context_length_exceeded",)),
        ServerError("the request exceeds the available context size, try increasing it; max_tokens is invalid"),
        ServerError("prompt is too long: 9 tokens > 8, max_tokens cannot be kept"),
        ServerError("Invalid value for 'messages': expected texts. Got {'temperature': 0}"),
        ServerError("unsupported", param="messages[0].content"),
        ServerError("Your prompt was flagged: to ask at what temperature paper burns is not allowed."),
        ServerError("Only text is taken. Stop it."),
        ServerError("Your credit balance is too low", ("invalid_request_error",)),
        ServerError("Invalid value: 'developer'.", ("unsupported_value",), "messages[0].role"),
        ServerError(""),
    ],
)
def test_other_complaints_are_no_refusals(error: ServerError) -> None:
    assert refused(error, ALL) == ""


@each_case(
    ("body", "parameter"),
    [
        (b'{"error": {"message": "no", "param": "temperature", "code": "unsupported_value"}}', "temperature"),
        (b'{"error": {"message": "Invalid schema", "param": "response_format.json_schema"}}', "response_format"),
        (b'{"error": {"message": "no", "param": "top_logprobs"}}', "logprobs"),
        (b'{"error": {"message": "about \\"seed\\"", "code": "unsupported_parameter"}}', "seed"),
        (b'[{"error": {"code": 400, "message": "Unknown name \\"seed\\": Cannot find field."}}]', "seed"),
        (b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "logprobs"], "msg": "Extra inputs"}]}', "logprobs"),
        (b'{"object": "error", "message": "`temperature` is not supported", "param": null, "code": 400}', "temperature"),
        (b"temperature must be 1", "temperature"),
        (b"{}", ""),
        (b"[]", ""),
        (b'{"error": {"message": 5, "param": ["temperature"]}}', ""),
    ],
)
def test_a_refusal_is_read_from_the_body_of_an_error(body: bytes, parameter: str) -> None:
    assert refused(read_error(body), ALL) == parameter


def test_the_reason_on_record_tells_the_parameter() -> None:
    fault: TransportFault = ParameterRefused("top_p", "status 400: 'top_p' is not supported")
    assert fault.reason.startswith("refuses the parameter 'top_p'")
    assert refused_parameter(fault.reason) == "top_p"
    assert (fault.reached, fault.worth_retrying) == (True, False)
    for reason in ("time-out", "status 400: refuses the parameter 'seed'", "refuses the parameter", ""):
        assert refused_parameter(reason) == ""
