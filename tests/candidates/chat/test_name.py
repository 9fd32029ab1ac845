"""From a name to a chat candidate: addresses, options, prices, and what is refused."""

from __future__ import annotations

import pytest

from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.candidate import HasPrices


@pytest.mark.parametrize(
    ("target", "query"),
    [
        ("m@http://user:hunter2hunter2@localhost/v1", ""),
        ("m@http://hunter2hunter2@localhost/v1", ""),
        ("m@http://localhost/v1", "key=hunter2hunter2"),
        ("m@http://localhost/v1", "key=HUNTER2HUNTER2"),
        ("m@http://localhost/v1", "api_key=hunter2hunter2"),
        ("m@http://localhost/v1", "token=hunter2hunter2"),
        ("m@http://hunter2[hunter2/v1", ""),
    ],
)
def test_secrets_in_a_name_are_refused_and_not_repeated(target: str, query: str) -> None:
    with pytest.raises(BadInput) as caught:
        open_chat(target, query, environment={})
    assert "hunter2" not in str(caught.value).lower()


def test_a_key_that_would_break_the_header_is_refused() -> None:
    with pytest.raises(BadInput, match=r"export it again") as caught:
        open_chat("m@http://localhost/v1", "", environment={"VIVA_API_KEY": "abc\r\nX-Evil: 1"})
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "query", "name"),
    [
        ("m@http://localhost:8000/v1/", "", "chat:m@http://localhost:8000/v1"),
        ("m@HTTP://LocalHost:8000/v1/chat/completions", "", "chat:m@http://localhost:8000/v1"),
        ("@cf/meta/x@https://h.example/v1", "", "chat:@cf/meta/x@https://h.example/v1"),
        ("m@http://[::1]:80/v1", "seed=1&temperature=0.50", "chat:m@http://[::1]:80/v1?temperature=0.5&seed=1"),
        ("m@http://h/v1", "price_in=3&price_out=15&max_reply=4000000", "chat:m@http://h/v1"),
        ("m@http://h/v1", "system=be+brief%26true", "chat:m@http://h/v1?system=be%2Bbrief%26true"),
    ],
)
def test_one_candidate_has_one_name(target: str, query: str, name: str) -> None:
    assert open_chat(target, query, environment={}).name == name


@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        ("temprature=0", UnknownName, "did you mean 'temperature'"),
        ("temperature=hot", BadInput, "'temperature' of chat is 'hot'"),
        ("temperature=-1", BadInput, "greater than or equal to 0"),
        ("max_tokens=0", BadInput, "greater than 0"),
        ("seed=1&seed=2", BadInput, "given twice"),
        ("price_in=nan", BadInput, "price_in"),
    ],
)
def test_options_that_make_no_sense_are_told(query: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        open_chat("m@http://h/v1", query, environment={})


@pytest.mark.parametrize("target", ["gpt", "gpt@localhost", "@http://h", "m@ftp://h/v1", "m@http://", "m@http://h/v1#x"])
def test_an_address_that_makes_no_sense_is_told(target: str) -> None:
    with pytest.raises(BadInput, match="chat:llama3"):
        open_chat(target, "", environment={})


def test_prices_are_told_before_anything_is_asked() -> None:
    assert open_chat("m@http://h/v1", "price_in=2&price_out=10", environment={}).prices == (2.0, 10.0)
    assert isinstance(open_chat("m@http://h/v1", "", environment={}), HasPrices)
