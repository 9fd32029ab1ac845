"""A chat server that speaks as models do that reason: they think in three places, refuse parameters, and are cut off.

It runs in a thread, so that any test can ask it, over a real socket::

    with ReasoningServer(lambda request: "Answer: 4", thoughts="content", refuses={"temperature"}) as server:
        viva("certify", f"chat:m@{server.url}", ...)
    assert "temperature" not in server.requests[-1]

Every thought ends with an answer that is wrong, in many forms: whoever reads one is found out.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.serving import completion

Request = dict[str, Any]
DECOY = "Let me see.\nAnswer: 987654\n[Answer] YES\n[Answer] 0.987\nScore: 10\nAnswer: A\nI don't know"
"""What is thought, unless the test says otherwise."""
USED_INSTEAD = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


class ReasoningServer:
    """One model behind `url`; its switches can be turned at any time.

    Parameters
    ----------
    answer: what it says to a request; by default `Answer: C`.
    thoughts: where its thoughts come; `opened` and `closed` are its marks where that is in the content.
    refuses: parameters that it answers with status 400.
    when: which requests it refuses them to; by default all.
    worded: whether the refusal names the parameter in words alone, as many servers do, and not in `param` as well.
    cut: what the limit of tokens cuts off: the thought, or the reply (after its first half); `finish` says so.
    finish: why the reply ended; by default `length` for what was cut off, else `stop`.
    """

    def __init__(
        self,
        answer: Callable[[Request], str] = lambda _: "Answer: C",
        *,
        thoughts: Literal["nowhere", "content", "reasoning", "reasoning_content"] = "content",
        thought: str = DECOY,
        opened: str = "<think>",
        closed: str = "</think>",
        refuses: Collection[str] = (),
        when: Callable[[Request], bool] = lambda _: True,
        worded: bool = False,
        cut: Literal["", "thought", "reply"] = "",
        finish: str = "",
    ) -> None:
        self.answer = answer
        self.thoughts = thoughts
        self.thought = thought
        self.opened = opened
        self.closed = closed
        self.refuses = refuses
        self.when = when
        self.worded = worded
        self.cut = cut
        self.finish = finish
        self.requests: list[Request] = []
        """All that was asked, refused or not, in the order of arrival."""
        self.refused: list[Request] = []
        """Those of them that were refused."""
        self.headers: list[dict[str, str]] = []
        """Of each request, names in small letters."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        """The address, as it stands in a candidate's name."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ReasoningServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _response(self, request: Request) -> tuple[int, object]:
        name = next((name for name in request if name in self.refuses and self.when(request)), "")
        if name:
            self.refused.append(request)
        return (400, {"error": self._refusal(name, request[name])}) if name else (200, self._reply(request))

    def _refusal(self, name: str, value: object) -> dict[str, object]:
        """OpenAI's words for it; `temperature` is refused for its value, as there."""
        if name == "temperature":
            text = (
                f"Unsupported value: 'temperature' does not support {value} with this model. Only the default (1) is supported."
            )
        else:
            text = f"Unsupported parameter: '{name}' is not supported with this model."
            text += f" Use '{USED_INSTEAD[name]}' instead." if name in USED_INSTEAD else ""
        code = "unsupported_value" if name == "temperature" else "unsupported_parameter"
        document: dict[str, object] = {"message": text, "type": "invalid_request_error"}
        return document if self.worded else document | {"param": name, "code": code}

    def _reply(self, request: Request) -> dict[str, object]:
        finish = self.finish or ("length" if self.cut else "stop")
        text = "" if self.cut == "thought" else self.answer(request)
        if self.cut == "reply":
            text = text[: len(text) // 2]
        if self.thoughts in ("reasoning", "reasoning_content"):
            return completion(text, finish, **{self.thoughts: self.thought})
        if self.thoughts == "content":
            text = self.opened + self.thought + ("" if self.cut == "thought" else f"{self.closed}\n\n{text}")
        return completion(text, finish)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class ChatHandler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # a body is a packet of its own, which would wait 40 ms for an acknowledgement

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(request)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, body = server._response(request)
                raw = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                """Nothing on the terminal."""

        return ChatHandler
