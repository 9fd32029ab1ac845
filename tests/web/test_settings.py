"""Settings from arguments and the environment; secrets are never shown."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from vivavoce.errors import BadFile, BadInput
from vivavoce.web.settings import MailSettings, Settings, kept_secret

SECRET = "s3cr3t" * 6


def test_arguments_come_before_the_environment() -> None:
    environment = {
        "VIVA_WEB_DATABASE": "postgresql://ann:hunter2@db:5432/site",
        "VIVA_WEB_SECRET": SECRET,
        "VIVA_WEB_BASE_URL": "https://luna.example.org",
        "VIVA_WEB_HTTPS": "Yes",
        "VIVA_WEB_MAIL_HOW": "smtp",
        "VIVA_WEB_MAIL_PORT": "2525",
        "VIVA_WEB_MAIL_PASSWORD": "hunter3",
        "PATH": "/bin",
    }
    settings = Settings.from_environment(environment, base_url="https://other.example.org", operator=None)
    assert settings.base_url == "https://other.example.org"
    assert settings.https
    assert not settings.reveal_distribution
    assert settings.mail == MailSettings("smtp", port=2525, password="hunter3")
    assert settings.shown_database == "postgresql://db:5432/site"
    assert not [secret for secret in ("hunter", SECRET) if secret in repr(settings)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET", "too short"), ("SECRET", ""), ("DATABASE", ""), ("BASE_URL", "luna.example.org"), ("BASE_URL", "http://a/"),
        ("HTTPS", "maybe"), ("HTTPS", "yes"), ("MAIL_PORT", "99999"), ("MAIL_PORT", "x"), ("MAIL_HOW", "pigeon"),
        ("OPERATOR_TOKEN", "too short"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_without_the_secret(name: str, value: str) -> None:
    environment = {"VIVA_WEB_DATABASE": "site.sqlite", "VIVA_WEB_SECRET": SECRET, f"VIVA_WEB_{name}": value}
    with pytest.raises(BadInput) as caught:
        Settings.from_environment(environment)
    assert "too short" not in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_secret_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    secret = kept_secret(file)
    assert kept_secret(file) == secret
    assert len(secret) >= 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kept_secret(tmp_path / "other") != secret
    file.write_text("short")
    with pytest.raises(BadFile):
        kept_secret(file)
    with pytest.raises(BadFile):
        kept_secret(tmp_path / "no such folder" / "secret")
