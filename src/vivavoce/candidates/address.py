"""The base address of a server, in one spelling and without secrets."""

from __future__ import annotations

from urllib.parse import urlsplit

from vivavoce.errors import BadInput


def base_address(url: str, *, example: str) -> str:
    """The address without the path of the chat protocol and without a slash at the end.

    Raises `BadInput` for an address that cannot be read or holds a password; the message never repeats the address.

    >>> base_address("HTTP://LocalHost:8000/v1/chat/completions/", example="chat:m@http://localhost:8000/v1")
    'http://localhost:8000/v1'
    """
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        raise BadInput(f"the address of the candidate cannot be read; write {example}") from None
    if "@" in parts.netloc:
        raise BadInput("a password has no place in a name, which stands in every record: put the key in the environment")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.fragment:
        raise BadInput(f"the address of the candidate needs http:// or https:// and a host, and no '#'; write {example}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return f"{parts.scheme}://{host}{port}{path}"
