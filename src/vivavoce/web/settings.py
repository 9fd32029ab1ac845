"""Settings of a site, made by its operator; secrets among them are never shown."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Literal, Self
from urllib.parse import urlsplit

from vivavoce.errors import BadFile, BadInput
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.settings import settings_of

SHORTEST_SECRET: Final = 32
TICK: Final = 3.0
LONGEST_TICK: Final = 5.0
PREFIX: Final = "VIVA_WEB_"
"""Prefix of the environment variables: VIVA_WEB_DATABASE, VIVA_WEB_SECRET, VIVA_WEB_MAIL_HOST ..."""
HEADROOM: Final = 1.25
"""Open connections per served connection: the excess gets "try again", and further ones are closed."""
OPEN_PAGES: Final = 2_000
"""Pages per process that listen for changes; further ones ask now and then."""
DEFAULT_ADDRESS: Final = "http://127.0.0.1:8000"
"""Default address of `viva luna serve`."""
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


@dataclass(frozen=True, slots=True)
class MailSettings:
    """How mail leaves."""

    how: Literal["none", "console", "smtp"] = "console"
    """No mail, mail printed for development, or SMTP."""
    host: str = "localhost"
    port: int = 587
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = "luna@localhost"
    starttls: bool = True


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """The operator's settings of a site.

    >>> settings = SiteSettings(database="postgresql://ann:hunter2@db/site", secret="s" * 32)
    >>> "hunter2" in repr(settings), "sss" in repr(settings), settings.shown_database
    (False, False, 'postgresql://db/site')
    """

    database: str = field(repr=False)
    """A file (SQLite), or `postgresql://USER@HOST/DATABASE`."""
    secret: str = field(repr=False)
    """Signs cookies and links; the same in all processes of a site."""
    base_url: str = DEFAULT_ADDRESS
    """The site's address as people type it, without a slash at the end."""
    https: bool = False
    """Whether cookies are for encrypted connections only."""
    mail: MailSettings = MailSettings()
    reveal_distribution: bool = False
    """Whether players see the distribution of ratings, which invites guesses of the mean (silver2016, chapter 3)."""
    operator: str = "the operator of this site"
    operator_contact: str = ""
    """A mail address or a link, for the pages on contact and privacy."""
    consent_version: str = "1"
    """The consent version that players agree to."""
    operator_token: str = field(default="", repr=False)
    """Token of the operator's pages; empty: no such pages."""
    behind_proxy: bool = False
    """Whether a proxy in front gives the client's address (X-Forwarded-For)."""
    hold_back: bool = True
    """Whether machines' moves wait until a person would have made them; otherwise their speed reveals machines."""
    tick: float = TICK
    """Seconds between two moments at which games start; at most `LONGEST_TICK`."""
    open_pages: int = OPEN_PAGES
    """Pages per process that listen for changes, within its limit of connections; further ones ask now and then."""
    terms: GameTerms = THESIS
    """Terms of new games: VIVA_WEB_QUESTIONS, VIVA_WEB_LONGEST_TEXT and VIVA_WEB_DAYS."""

    def __post_init__(self) -> None:
        """Check all values. Raises `BadInput`, without repeating a secret."""
        if len(self.secret) < SHORTEST_SECRET:
            raise BadInput(f"the site's secret is too short (at least {SHORTEST_SECRET} characters): set {PREFIX}SECRET")
        if self.operator_token and len(self.operator_token) < SHORTEST_SECRET:
            raise BadInput(f"the operator's token is too short: give {SHORTEST_SECRET} characters or more")
        if self.operator_token == self.secret:
            raise BadInput("the operator's token is the same as the site's secret: choose another token")
        if not 0 < self.tick <= LONGEST_TICK:
            raise BadInput(f"{PREFIX}TICK is {self.tick:g}: games begin every {LONGEST_TICK:g} seconds, or more often")
        address = urlsplit(self.base_url)
        if address.scheme not in ("http", "https") or not address.netloc or self.base_url.endswith("/"):
            raise BadInput(f"the site's address must be like https://luna.example.org, not {self.base_url[:80]!r}")
        if self.https and address.scheme != "https":
            raise BadInput("cookies are for encrypted connections only, so the site's address must begin with https://")

    @property
    def shown_database(self) -> str:
        """The database's name, without user and password."""
        if "://" not in self.database:
            return self.database
        address = urlsplit(self.database)
        return f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], **given: Any) -> Self:
        """Settings from `given` values that are not None, otherwise from the environment (VIVA_WEB_BASE_URL, VIVA_WEB_MAIL_HOST
        ...).

        Raises `BadInput`, also if database or secret are missing.
        """
        own = _read(cls, PREFIX, environment) | {name: value for name, value in given.items() if value is not None}
        mail, terms = own.pop("mail", None), own.pop("terms", None) or _terms(environment)
        for name in ("database", "secret"):
            if not own.get(name):
                raise BadInput(f"the site has no {name}: set {PREFIX}{name.upper()}")
        settings = cls(**own, terms=terms)
        return replace(settings, mail=mail or MailSettings(**_read(MailSettings, PREFIX + "MAIL_", environment)))


def kept_secret(file: Path) -> str:
    """The secret in a file that only its owner can read; created if missing, so that a restart signs no one out. Raises
    `BadFile`.
    """
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        try:
            secret = file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a text"
            raise BadFile(file, f"the secret in it can't be read: {reason}") from None
        if len(secret) < SHORTEST_SECRET:
            raise BadFile(
                file, f"its secret is shorter than {SHORTEST_SECRET} characters: delete the file, and a new one is made"
            ) from None
        return secret
    except OSError as error:
        raise BadFile(file, f"a secret can't be written there: {error.strerror}") from None
    with os.fdopen(descriptor, "w") as opened:
        opened.write(secret := secrets.token_urlsafe(48))
    return secret


def _terms(environment: Mapping[str, str]) -> GameTerms:
    """Terms of games from the environment. Raises `BadInput`."""
    values: dict[str, Any] = {}
    for setting in settings_of(GameTerms):
        name = PREFIX + setting.name.upper()
        if (value := environment.get(name)) is None:
            continue
        try:
            values[setting.name] = setting.kind(value)
        except ValueError:
            raise BadInput(f"{name} is {value!r:.80}: give {setting.wanted}") from None
        if setting.problem_with(values[setting.name]):
            raise BadInput(f"{name} is {value!r:.80}: give {setting.wanted}")
    return GameTerms(**values)


def _read(kind: type[SiteSettings] | type[MailSettings], prefix: str, environment: Mapping[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for setting in fields(kind):
        value = environment.get(prefix + setting.name.upper())
        if value is None or setting.type in ("MailSettings", "GameTerms"):
            continue
        if setting.type == "bool":
            if value.lower() not in _TRUE | _FALSE:
                raise BadInput(f"{prefix}{setting.name.upper()} must be yes or no")
            result[setting.name] = value.lower() in _TRUE
        elif setting.type == "int":
            if not (value.isascii() and value.isdigit() and 1 <= int(value) <= 65535):
                raise BadInput(f"{prefix}{setting.name.upper()} must be a whole number from 1 to 65535")
            result[setting.name] = int(value)
        elif setting.type == "float":
            try:
                result[setting.name] = float(value)
            except ValueError:
                raise BadInput(f"{prefix}{setting.name.upper()} must be a number") from None
        else:
            if setting.name == "how" and value not in ("none", "console", "smtp"):
                raise BadInput(f"{prefix}{setting.name.upper()} must be none, console or smtp")
            result[setting.name] = value
    return result
