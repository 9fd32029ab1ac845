"""What a server's error means: an outcome of the question, a fault of the service, or the end of the run."""

from __future__ import annotations

import json

import pytest

from tests.each_case import each_case
from tests.serving import completion
from vivavoce.candidates.chat.candidate import Chat, open_chat, tells_of_an_error
from vivavoce.candidates.chat.http import Response
from vivavoce.candidates.chat.server_errors import cause_of
from vivavoce.errors import (
    CandidateMisconfigured,
    CandidateUnreachable,
    ParameterRefused,
    ServiceFault,
    TransportFault,
    VivavoceError,
)
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.reading import broken_off, heard

SUM = Prompt("What is 6 times 7?")


def chat(query: str = "") -> Chat:
    return open_chat("m@http://127.0.0.1:1/v1", query, environment={})


def read(body: object, status: int = 200, *, query: str = "", prompt: Prompt = SUM) -> Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return chat(query).read(Response(status, {}, raw), prompt)


def error(message: str, code: object = None, **more: object) -> dict[str, object]:
    return {"error": {"message": message, "code": code, **more}}


def raised(body: object, status: int = 200, *, query: str = "", prompt: Prompt = SUM) -> VivavoceError:
    with pytest.raises(VivavoceError) as caught:
        read(body, status, query=query, prompt=prompt)
    return caught.value


@each_case("status", [400, 403, 406, 409, 410, 413, 418, 422, 425, 451, 408, 500, 502, 503, 504, 520, 524, 529])
@each_case("body", [b"<html>Attention Required! | Cloudflare</html>", b"", error("no"), {"detail": "no"}])
def test_an_error_that_names_nothing_is_a_fault_of_the_service(status: int, body: object) -> None:
    fault = raised(body, status)
    assert type(fault) is ServiceFault
    assert fault.status == status
    assert fault.worth_retrying == (status >= 500 or status in (408, 409, 425))


@each_case(
    ("status", "body"),
    [
        (400, error("The response was filtered", "content_filter")),
        (400, error("no", "invalid_request_error", innererror={"code": "x"}) | error("no", "content_policy_violation")),
        (400, error("Input data may contain inappropriate content.", "data_inspection_failed")),
        (403, error('m requires moderation. Your input was flagged for "violence"', 403)),
        (400, error("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.")),
        (200, error("blocked", "content_filter")),
    ],
)
def test_a_filter_on_the_prompt_is_the_models_refusal_and_an_outcome(status: int, body: object) -> None:
    refusal = raised(body, status)
    assert type(refusal) is TransportFault
    assert not refusal.worth_retrying
    assert "filter on the prompt" in refusal.reason


@each_case(
    ("status", "body"),
    [
        (402, b""),
        (400, error("Your account balance is insufficient", "insufficient_balance")),
        (403, error("Key limit exceeded (total limit). Manage it in settings", 403)),
        (429, error("You exceeded your current quota", "insufficient_quota")),
        (400, error("Your credit balance is too low to access the API.")),
        (403, error("You have run out of credits, please top up", "x")),
        (503, error("Insufficient credits on this account")),
        (200, error("Insufficient Balance", 402)),
        (200, {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}),
        (200, {**completion("Answer: 4"), "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}),
        (400, error("Access denied, please make sure your account is in good standing.", "Arrearage")),
        (403, {"message": "Billing is disabled for this project"}),
    ],
)
def test_an_account_that_cannot_pay_ends_the_run_until_it_does(status: int, body: object) -> None:
    problem = raised(body, status)
    assert isinstance(problem, CandidateUnreachable)
    assert problem.by_service
    assert "no credit left" in str(problem)


@each_case(
    ("status", "body", "words"),
    [
        (400, error("API key expired. Please renew the API key.", 400, status="INVALID_ARGUMENT"), "key"),
        (401, b"", "key"),
        (403, error("Incorrect API key provided"), "key"),
        (200, error("Incorrect API key provided", "invalid_api_key"), "key"),
        (200, {"detail": "Not authenticated"}, "Not authenticated"),
        (200, {"error": "Unauthorized"}, "key"),
        (400, error("m is not a valid model ID", 400), "model"),
        (410, error("The model m has been retired", "model_deprecated"), "model"),
        (400, error("model 'm' not found, try pulling it first"), "model"),
        (200, {"object": "error", "message": "The model does not exist", "type": "NotFoundError", "code": 404}, "model"),
        (404, b"<html>Not Found</html>", "address"),
        (405, b"", "address"),
        (403, error("Your organization does not have access to this"), "permission"),
        (403, error("denied", "permission_denied"), "permission"),
        (403, error("Country, region, or territory not supported"), "permission"),
        (400, b"<html><h1>400</h1>The plain HTTP request was sent to HTTPS port</html>", "https"),
        (400, b"Client sent an HTTP request to an HTTPS server.", "https"),
    ],
)
def test_a_wrong_key_model_or_address_is_named_with_a_remedy(status: int, body: object, words: str) -> None:
    problem = raised(body, status)
    assert isinstance(problem, CandidateMisconfigured)
    assert problem.by_service
    assert words in str(problem)


@each_case(
    ("status", "message"),
    [
        (503, "The model is currently loading"),
        (503, "The model m is not available right now, try again"),
        (429, "Quota exceeded for quota metric 'requests per minute'"),
        (400, "This model's maximum context length is 8192 tokens, but you sent 9000; it is not supported"),
        (413, "The request is too large for this model"),
        (400, "messages.0.content must not be empty"),
        (500, "no load balancer was found"),
        (400, "Your account was flagged"),
        (400, "Invalid JSON: the key 'messages' is duplicated"),
    ],
)
def test_words_that_are_near_a_cause_name_none(status: int, message: str) -> None:
    assert cause_of(status, message, []) in ("", "length")
    assert isinstance(raised(error(message), status), ServiceFault)


def test_a_refused_parameter_is_told_before_all_else() -> None:
    prompt = Prompt("?", temperature=0.0)
    refusal = raised(error("'temperature' is not supported with this model", "unsupported_value"), 400, prompt=prompt)
    assert isinstance(refusal, ParameterRefused)


@each_case(
    ("body", "hearing", "reached"),
    [
        (error("Rate limit exceeded", 429), "turned away", False),
        (error("Rate limit exceeded"), "turned away", False),
        (error("slow down", "rate_limit_exceeded"), "turned away", False),
        ({"error": "Too many requests"}, "turned away", False),
        (error("Overloaded", type="overloaded_error"), "heard", False),
        (error("upstream is down", 502), "heard", False),
        (error("oops"), "heard", True),
        (
            {"choices": [{"message": {"content": "Answer: 4"}, "finish_reason": "error"}], "error": {"code": 502}},
            "heard",
            False,
        ),
        ({"choices": [{"message": {"content": "Answer: 4"}, "error": {"code": 502, "message": "cut"}}]}, "heard", False),
        ({"errors": [{"message": "broken"}]}, "heard", True),
        ({**completion("Answer: 4"), "errors": [{"message": "stream interrupted"}]}, "heard", True),
        ({"choices": [{"message": {"role": "error", "content": "Answer: 4"}, "finish_reason": "stop"}]}, "heard", True),
        ({"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}, "turned away", False),
    ],
)
def test_an_error_with_status_200_counts_as_its_code(body: object, hearing: str, reached: bool) -> None:
    fault = raised(body)
    assert type(fault) is ServiceFault
    assert (fault.hearing, fault.reached, fault.worth_retrying) == (hearing, reached, True)


def test_the_servers_own_words_are_found_wherever_they_stand() -> None:
    body = error("Provider returned error", 429, metadata={"raw": "m is temporarily rate-limited upstream"})
    assert "temporarily rate-limited" in str(raised(body))
    fields = {"detail": [{"type": "missing", "loc": ["body", "messages"], "msg": "Field required"}]}
    assert "Field required (missing at body.messages)" in str(raised(fields, 422))


@each_case("empty", [None, "", {}, []])
def test_an_empty_error_with_a_reply_is_none(empty: object) -> None:
    body = {"error": empty, "message": "success", "choices": [{"message": {"content": "Answer: 42"}, "finish_reason": "stop"}]}
    assert read(body).text == "Answer: 42"


@each_case("status", [400, 403, 422, 500, 502, 503])
def test_errors_of_a_bot_that_are_its_own_are_outcomes(status: int) -> None:
    for body in (error("bug"), b"<html>", error("out of credits")):
        own = raised(body, status, query="errors=own")
        assert type(own) is TransportFault
        assert not own.worth_retrying
    assert type(raised(b"Traceback", query="errors=own")) is TransportFault
    assert type(raised(error("bug"), query="errors=own")) is TransportFault
    assert isinstance(raised(b"", 401, query="errors=own"), CandidateMisconfigured)
    assert type(raised(b"", 429, query="errors=own")) is ServiceFault


def test_whose_errors_are_meant_is_part_of_the_name() -> None:
    assert chat("errors=own").name.endswith("?errors=own")
    assert chat("errors=service").name == chat().name


@each_case(
    "text",
    [
        "Internal server error. Please contact support. Error code 500",
        "Error 429: Too many requests",
        "Error: 503 Service Unavailable",
        "[ERROR] HTTP 502 Bad Gateway",
        "<html><head><title>502 Bad Gateway</title></head></html>",
        "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
        "Rate limit exceeded. Please try again in 20s.",
        "Sorry, something went wrong. Please try again later.",
        "The model is currently overloaded. Please try again later.",
        "API error: status code 500",
    ],
)
def test_an_error_told_as_content_is_a_fault_of_the_service(text: str) -> None:
    assert tells_of_an_error(text, SUM)
    body = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    assert type(raised(body)) is ServiceFault
    asked = Prompt("What does an HTTP server say with status 500?")
    assert read(body, prompt=asked).text == text


@each_case(
    "text",
    [
        "500",
        "Forbidden",
        "Answer: 500",
        "Error bars show 95% intervals.",
        "The error is 404 m.",
        "A rate limit of 60 km/h. Answer: 60",
        "The service is free. Answer: 0",
        "I made an error. 6 times 7 is 42.",
    ],
)
def test_a_reply_that_has_such_words_stays_a_reply(text: str) -> None:
    assert read({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).text == text


@each_case(
    "text",
    [
        "Model m is currently loading, estimated time 20.0 s",
        "Loading model... 37%",
        "Queue position: 12. Please wait.",
        "You are number 5 in the queue.",
        "status_code=500",
        "Your trial has ended. Plans start at $20 per month.",
        "Insufficient balance: 0.00 USD",
        "Usage limit reached. It resets at 3 pm.",
        "Generation stopped after 4 tokens",
        "CUDA error 2: ran out of memory",
        "Das Kontingent von 50 Anfragen ist erschöpft.",
        "Sie sind auf Platz 3 in der Warteschlange.",
        "Votre quota de 20 requêtes est épuisé.",
        "Le modèle est en cours de chargement (37 %)",
        "Su saldo es insuficiente: 0 USD",
        "Erro de rede. Tente novamente em 5 s.",
        "Riprova più tardi: codice 12",
        "Uw tegoed is opgebruikt (0 euro).",
        "Недостаточно средств: 0 руб.",
        "网络错误，请稍后重试 (500)",
        "您的账户余额不足，剩余 0 元",
        "残高が不足しています (0円)",
        "무료 체험이 종료되었습니다 (14일)",
    ],
)
def test_a_notice_of_a_gateway_told_as_content_is_a_fault_of_the_service(text: str) -> None:
    assert type(raised(completion(text))) is ServiceFault
    assert type(raised(completion(text), query="errors=own")) is TransportFault
    about_it = Prompt(f"What does this message of a server say: {text}")
    assert read(completion(text), prompt=about_it).text == text


@each_case(
    ("question", "text"),
    [
        ("How many people are in the queue?", "12 people are waiting in the queue"),
        ("What is left of a balance of 5 after 5 was spent?", "Insufficient balance: 0"),
        ("Which structure is first in, first out?", "A queue"),
        ("Welche Struktur gibt zuerst aus, was zuerst kam?", "Warteschlange"),
        ("Why do prices rise?", "Because of high demand"),
        ("When did the court finish?", "The trial ended in 1946"),
        ("How many requests may be sent?", "Answer: 20, then the usage limit is reached"),
        ("What is the limit of 1/x?", "The limit is reached at 0"),
        ("What is 6 times 7?", "The generation was stopped. " + "Let us see. " * 30 + "42"),
    ],
)
def test_a_reply_with_words_of_notices_stays_a_reply(question: str, text: str) -> None:
    assert read(completion(text), prompt=Prompt(question)).text == text


COMPLETE = (
    *("stop", "STOP", "eos", "eos_token", "end_turn", "endTurn", "stop_sequence", "COMPLETE", "tool_calls", "tool-calls"),
    *("FINISH_REASON_STOP", "function_call", "stop_criteria_met", "FINISH", "completed", "endoftext", "null", ""),
)
BROKEN_OFF = (
    *("length", "MAX_TOKENS", "max_tokens", "model_length", "error", "ERROR", "abort", "network_error", "SAFETY", "RECITATION"),
    *(
        "insufficient_system_resource",
        "model_context_window_exceeded",
        "OTHER",
        "BLOCKLIST",
        "LANGUAGE",
        "cancelled",
        "timeout",
    ),
    *("ERROR_TOXIC", "USER_CANCEL", "malformed_model_output", "load", "pause_turn", "unheard of"),
)


@each_case("finish", [*COMPLETE, None, {"type": "stop", "matched": 2}, {"type": None}])
def test_what_means_complete_is_read(finish: object) -> None:
    reply = read({"choices": [{"message": {"content": "Answer: 4"}, "finish_reason": finish}]})
    assert heard(reply) == ("Answer: 4", "")


@each_case("finish", [*BROKEN_OFF, {"type": "abort", "message": "client left"}, 7, [], ["length"], {}, False])
def test_anything_else_means_that_the_reply_was_broken_off(finish: object) -> None:
    reply = read({"choices": [{"message": {"content": "Answer: 4"}, "finish_reason": finish}]})
    assert heard(reply) == ("", "cut off")


@each_case(
    ("native", "problem"),
    [("MAX_TOKENS", "cut off"), ("SAFETY", "cut off"), ("refusal", "filtered"), ("end_turn", ""), (None, ""), (1, "")],
)
def test_the_models_own_reason_counts_where_the_router_says_that_the_reply_is_complete(native: object, problem: str) -> None:
    choice = {"message": {"content": "Answer: 4"}, "finish_reason": "stop", "native_finish_reason": native}
    assert heard(read({"choices": [choice]}))[1] == problem
    streamed = [{"delta": {"content": "Answer: 4"}}, {"delta": {}, "finish_reason": "stop", "native_finish_reason": native}]
    events = "".join("data: " + json.dumps({"choices": [piece]}) + "\n\n" for piece in streamed)
    assert heard(read(events.encode()))[1] == problem


def test_the_first_choice_is_the_one_with_the_lowest_index() -> None:
    choices = [{"index": index, "message": {"content": f"Answer: 4{2 - index}"}} for index in (1, 0)]
    assert read({"choices": choices}).text == "Answer: 42"
    pieces = [{"index": index, "delta": {"content": text}} for index, text in ((1, "41"), (0, "4"), (1, "9"), (0, "2"))]
    events = "".join("data: " + json.dumps({"choices": [piece]}) + "\n\n" for piece in pieces)
    assert read(f"{events}data: [DONE]\n".encode()).text == "42"


@pytest.mark.parametrize("kind", ["reasoning", "thinking"])
def test_thoughts_in_parts_of_the_content_are_no_part_of_the_text(kind: str) -> None:
    parts = [{"type": kind, "text": "Answer: 41"}, {"type": "text", "text": "Answer: 42"}]
    reply = read(completion(parts))
    assert (reply.text, reply.thoughts) == ("Answer: 42", "Answer: 41")


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", '"latin1"'])
def test_a_declared_encoding_is_honoured_where_the_body_is_not_unicode(charset: str) -> None:
    headers = {"Content-Type": f"application/json; charset={charset}"}
    body = json.dumps(completion("Voilà. Answer: 42"), ensure_ascii=False)
    for encoding in ("latin-1", "utf-8"):
        assert chat().read(Response(200, headers, body.encode(encoding)), SUM).text == "Voilà. Answer: 42"
    with pytest.raises(ServiceFault, match="not valid UTF-8"):
        chat().read(Response(200, {"Content-Type": "application/json; charset=zip"}, body.encode("latin-1")), SUM)


@each_case("finish", ["content_filter", "CONTENT_FILTERED", "guardrail_intervened", "refusal"])
def test_what_a_filter_held_back_is_not_read_either(finish: str) -> None:
    assert broken_off(Reply("Answer: 4", finish=finish)) == "filtered"


@each_case(
    "choice",
    [
        {"text": "Answer: 42"},
        {"message": "Answer: 42"},
        {"message": {"role": "assistant", "content": None}, "text": "Answer: 42"},
        {"delta": {"content": "Answer: 42"}, "finish_reason": "stop"},
        {"message": {"content": [{"type": "text", "text": "Answer: "}, {"type": "text", "text": "42"}]}},
        {"message": {"content": ["Answer: ", "42"]}},
        {"message": {"content": {"type": "text", "text": "Answer: 42"}}},
    ],
)
def test_the_words_are_found_where_careless_servers_put_them(choice: dict[str, object]) -> None:
    assert read({"choices": [choice]}).text == "Answer: 42"


def numbered(text: str, identifier: str | None, created: int = 1) -> Response:
    return Response(200, {}, json.dumps(completion(text) | {"id": identifier, "created": created}).encode())


FIRST, ANOTHER = Prompt("What is 3 + 4?"), Prompt("What is 84 halved?")


@pytest.mark.parametrize("identifier", ["a", None])
def test_one_completion_for_two_questions_is_a_fault_where_others_had_their_own(identifier: str | None) -> None:
    candidate = chat()
    candidate.read(numbered("Answer: 7", identifier), FIRST)
    candidate.read(numbered("Answer: 42", "b"), SUM)
    assert candidate.read(numbered("Answer: 42", "b"), SUM).text == "Answer: 42", "the same question may be asked again"
    with pytest.raises(ServiceFault, match="completion b was sent for two questions, as by a cache"):
        candidate.read(numbered("Answer: 42", "b"), ANOTHER)
    assert candidate.read(numbered("Answer: 42", "c"), ANOTHER).text == "Answer: 42"


@each_case(
    ("query", "identifiers", "created"),
    [
        ("", "bbb", (1, 1, 1)),  # one that never changes names nothing
        ("", "abb", (1, 1, 2)),  # random ones may meet
        ("", "abc", (1, 1, 1)),
        ("errors=own", "abb", (1, 1, 1)),
    ],
)
def test_equal_replies_alone_are_no_fault(query: str, identifiers: str, created: tuple[int, int, int]) -> None:
    candidate = chat(query)
    candidate.read(numbered("Answer: 7", identifiers[0], created[0]), FIRST)
    candidate.read(numbered("Answer: 42", identifiers[1], created[1]), SUM)
    assert candidate.read(numbered("Answer: 42", identifiers[2], created[2]), ANOTHER).text == "Answer: 42"
