"""
Settings of the organiser: in `pigpen.toml` in the current folder, or in the environment, which goes first.

The file is not read where it lies in a bot's folder (file.py).

The names are the same in both: `data_dir` in the file is `PIGPEN_DATA_DIR` in the environment. A relative path is one
from the current folder, where the file is too.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import unquote, urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    NonNegativeFloat,
    PositiveInt,
    SecretStr,
    Tag,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ladder.errors import NoLadder
from ladder.registry.image_names import is_address
from ladder.settings.file_source import read_file
from ladder.settings.settings_file import FILE, bot_around
from ladder.values.clocks import DEFAULT_CLOCK_TEXT, MAX_LIMIT, MAX_SECONDS, MIN_LIMIT, read_clock
from ladder.values.mail import is_address as is_mail_address
from ladder.values.names import LANGUAGES, Builds, Public
from ladder.values.order import Order
from ladder.values.sandbox_kind import AUTO, LOCKED_BYTES, WARM_BYTES, LadderSandbox, SandboxKind, has_own_kernel
from referee.match.formats import DEFAULT_CLOCK
from referee.records.framing import MAX_DEALS, MAX_SEATS, shortened
from referee.records.lines import Instances

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic_core import ErrorDetails
    from sqlalchemy import URL

    from pigpen import ClockSetting

PREFIX = "PIGPEN_"
MAX_COUNT = 10**15
"""No number in the settings is larger: the database could not hold it, nor Python write it in any length."""
MAX_DELAY = 3600.0
MatchBoards = Annotated[PositiveInt, Field(le=MAX_DEALS // MAX_SEATS)]
"""A number of boards that fits into the record of a match at a table of any size."""
Boards = Annotated[
    Annotated[Literal["auto"], Tag("auto")] | Annotated[MatchBoards, Tag("number")],
    Discriminator(lambda value: "auto" if value == "auto" else "number"),
]
"""A number, or that the ladder chooses it for each match."""
MAIL_PORTS = {"starttls": 587, "tls": 465, "none": 25}
URL_HINT = "write sqlite:////path/to/file or postgresql://user@host/name"
BOARDS_HINT = f'write a number from 1 to {MAX_DEALS // MAX_SEATS}, or "auto"'


def default_data_dir() -> Path:
    """Give the default folder of a ladder, by the XDG base directory specification."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "pigpen"


def provider_in(text: str) -> tuple[str, str, str]:
    """
    Read the setting `oidc`: the address of the provider, the site's name there, and its secret.

    >>> provider_in("https://arena:open%20sesame@id.example/realms/main")
    ('https://id.example/realms/main', 'arena', 'open sesame')

    Raises:
        ValueError: If it is none.
    """
    parts = urlsplit(text)
    if not (parts.scheme and parts.hostname and parts.username and parts.password) or parts.query or parts.fragment:
        raise ValueError("write https://CLIENT:SECRET@id.example; in CLIENT and SECRET, %3A stands for : and %40 for @")
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}", unquote(parts.username), unquote(parts.password)


class Settings(BaseModel):
    """The settings of a ladder; every field can be set in `pigpen.toml` and in the environment (`load_settings`)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, validate_default=True)

    data_dir: Path = Field(default_factory=default_data_dir)
    """Folder for the database, the records, and the bots that were entered as folders."""
    database_url: str = ""
    """sqlite:////path/to/file, or postgresql://user@host/name; empty: ladder.db in data_dir."""
    sandbox: LadderSandbox = SandboxKind.DOCKER
    """Sandbox in which bots run; process is for your own bots only."""
    runtime: str = AUTO
    """The OCI runtime of containers; auto: gVisor (runsc) if the Docker engine knows it, else runc, and a warning."""
    concurrency: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Matches to play at once; 0: one for each core, and at least two, but no more than the memory holds."""
    workers: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Number of worker processes that play the matches; 0: one for each core, but not more than matches at once."""
    boards: Boards = "auto"
    """Boards in a match, each in every rotation; auto: 1 to 16, the fewest with which starting is below 20 % of it."""
    boundary: Annotated[int, Field(ge=0, le=MAX_COUNT)] = 10
    """The rank below which is the boundary about which 15 of 100 matches are; 0: there is none."""
    newcomer_ci: Annotated[float, Field(ge=1.0, le=MAX_COUNT)] = 120.0
    """Newcomers play first until their ± is at most this, in Elo, or they have had 60 matches."""
    clock: str = DEFAULT_CLOCK_TEXT
    """Seconds in the bank + seconds added for each decision."""
    limit: Annotated[float, Field(ge=MIN_LIMIT, le=MAX_LIMIT)] = DEFAULT_CLOCK.limit
    """The most seconds for one decision."""
    match_seconds: Annotated[NonNegativeFloat, Field(le=MAX_SECONDS)] = 0.0
    """A match that takes longer is void, and played again; 0: as long as the bots' clocks allow."""
    image_bytes: Annotated[PositiveInt, Field(le=MAX_COUNT)] = 2 * 1024**3
    """The largest image, or folder, that is accepted."""
    locked_bytes: Annotated[PositiveInt, Field(le=MAX_COUNT)] = LOCKED_BYTES
    """The largest image whose files are kept in memory while it plays; a larger one needs gVisor."""
    instances: Instances = "warm"
    """Start of instances; warm: forked in containers that are kept, where possible; fresh: each in one of its own."""
    warm_bytes: Annotated[PositiveInt, Field(le=MAX_COUNT)] = WARM_BYTES
    """Memory that warm containers without an instance may have together; divided among the workers."""
    builds: Builds = "base"
    """Dockerfiles of folders submitted on this host; base: FROM pigpen/bot, COPY; allowed: any (docs/security.md)."""
    languages: Annotated[str, Field(max_length=200)] = " ".join(LANGUAGES)
    """Languages of folders that are built here besides Python, with spaces between; empty: none."""
    live: Public = "played"
    """Public part of running matches; played: cards played, and finished deals; open: all cards; off: nothing."""
    live_delay: Annotated[NonNegativeFloat, Field(le=MAX_DELAY)] = 0.0
    """Seconds by which what is seen of a running match is late."""
    standings_by: Order = Order.ELO
    """Order of the standings; elo: places; points: points a deal against the field (docs/ratings.md)."""
    records: Annotated[int, Field(ge=0, le=MAX_COUNT)] = 0
    """Number of records to keep, the newest ones; 0: all."""
    fill_with_house_bots: bool = False
    """True if house bots play, and are rated, while too few owners have a bot for a match (docs/ladder.md)."""
    preflight_deals: Annotated[PositiveInt, Field(le=MAX_DEALS)] = 4
    """Deals that a submitted bot plays against itself in each variant."""
    site_host: str = "127.0.0.1"
    """The address at which the site listens; 0.0.0.0: every one of this machine."""
    site_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """The site's port; 0: 8020, or any other if that is taken."""
    site_proxy: str = ""
    """Addresses of proxies before the site, with commas between; only their X-Forwarded headers are believed."""
    site_url: Annotated[str, Field(max_length=200)] = ""
    """The site's address as visitors type it, such as https://arena.example; empty: the one they came by."""
    tls_certificate: Path | None = None
    """File with the site's certificate chain, in PEM; with tls_key the site speaks HTTPS."""
    tls_key: Path | None = None
    """File with the private key of that certificate, in PEM."""
    plain_http: bool = False
    """True if accounts may be used over HTTP from other machines; who listens between them reads passwords."""
    public_logs: bool = False
    """True if the site shows all visitors what bots print."""
    registration: Literal["invitation", "open", "oidc"] = "invitation"
    """Creation of accounts; invitation: by a link; open: by any visitor; oidc: by logging in at a provider."""
    oidc: SecretStr = SecretStr("")
    """The identity provider in one line, https://CLIENT:SECRET@id.example: registration oidc, and the next three."""
    oidc_issuer: Annotated[str, Field(max_length=200)] = ""
    """The identity provider (OpenID Connect): its address, below which /.well-known/openid-configuration is."""
    oidc_client: Annotated[str, Field(max_length=200)] = ""
    """The name under which the provider knows the site."""
    oidc_secret: SecretStr = SecretStr("")
    """The site's secret at the provider."""
    session_days: Annotated[PositiveInt, Field(le=365)] = 30
    """Days after which a browser must log in again."""
    token_days: Annotated[PositiveInt, Field(le=3650)] = 365
    """The most days for which a token is good."""
    address_days: Annotated[PositiveInt, Field(le=3650)] = 30
    """Days for which the audit log keeps addresses, and expired sessions and invitations are kept."""
    audit_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    """Days for which entries of the audit log are kept; 0: for good."""
    log_days: Annotated[PositiveInt, Field(le=3650)] = 30
    """Days for which files in logs are kept at most; of each process there are 100 MB at most, in any case."""
    upload_bytes: Annotated[PositiveInt, Field(le=MAX_COUNT)] = 64 * 1024**2
    """The largest upload of a bot's folder, packed."""
    submissions_a_day: Annotated[int, Field(ge=0, le=MAX_COUNT)] = 20
    """Submissions that an account may make in 24 hours; accounts can have quotas of their own."""
    submissions_waiting: Annotated[PositiveInt, Field(le=MAX_COUNT)] = 3
    """Submissions of one account that may wait or be tried at the same time."""
    trial_minutes: Annotated[PositiveInt, Field(le=MAX_COUNT)] = 60
    """Minutes that the trials of one account may take in 24 hours."""
    team_size: Annotated[int, Field(ge=0, le=100)] = 0
    """Members that a team may have; 0: there are no teams."""
    people_tables: Annotated[int, Field(ge=0, le=10_000)] = 200
    """Tables with people that may be played at once, and as many may wait for people; 0: none."""
    guest_tables: Annotated[int, Field(ge=1, le=10_000)] = 8
    """Tables that guests at one address (IPv6: a /64) may have open at once."""
    game_days: Annotated[int, Field(ge=1, le=28)] = 7
    """Days that a game against bots waits for its person; a day's board waits until its midnight, UTC."""
    registry: Annotated[str, Field(max_length=200)] = ""
    """The ladder's registry of images, host and port, such as arena.example:5000; empty: none."""
    registry_gc: bool = True
    """True if images are removed from the registry whose versions have retired everywhere."""
    webhook_http: bool = False
    """True if webhooks may have addresses with http; who listens between reads the messages, and may change them."""
    webhook_loopback: bool = False
    """True if webhooks may reach this machine itself, at a loopback address, also with http."""
    mail_host: Annotated[str, Field(max_length=200)] = ""
    """The SMTP server that takes the ladder's e-mail, by its name; empty: the ladder sends no e-mail."""
    mail_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """Its port; 0: the usual one, 587 with starttls, 465 with tls, 25 with none."""
    mail_security: Literal["starttls", "tls", "none"] = "starttls"
    """Encryption: starttls: after the connection; tls: from its beginning; none: only to this machine itself."""
    mail_user: Annotated[str, Field(max_length=200)] = ""
    """The ladder's name at that server; empty: it does not log in there."""
    mail_password: SecretStr = SecretStr("")
    """The ladder's password there."""
    mail_sender: Annotated[str, Field(max_length=254)] = ""
    """The address from which e-mail comes, and to which servers return it, such as pigpen@arena.example."""
    mail_a_day: Annotated[PositiveInt, Field(le=MAX_COUNT)] = 1000
    """Letters that the ladder sends in 24 hours at most; nine tenths of them may be notices."""
    cluster_listen: Annotated[str, Field(max_length=200)] = "tls://127.0.0.1:8786"
    """Address of --cluster for workers of other machines; tls://0.0.0.0:8786: every address of this one."""

    @model_validator(mode="before")
    @classmethod
    def _with_provider(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Put the parts of the setting `oidc` into their own settings, which say the same where they are given."""
        text = given.get("oidc")
        try:
            issuer, client, secret = provider_in(str(text)) if isinstance(text, str) and text else ("", "", "")
        except ValueError:  # the field's own check says so
            return given
        parts = {"registration": "oidc", "oidc_issuer": issuer, "oidc_client": client, "oidc_secret": secret}
        return {**parts, **given} if issuer else given

    @field_validator("oidc")
    @classmethod
    def _is_provider(cls, text: SecretStr) -> SecretStr:
        if value := text.get_secret_value():
            provider_in(value)
        return text

    @field_validator("data_dir", mode="before")
    @classmethod
    def _is_named(cls, value: object) -> object:
        if value == "":  # as a path it would be the current folder
            raise ValueError("it is empty; name a folder, or leave the line out for the default")
        return value

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        if "\0" in str(path):
            raise ValueError("no path has a NUL character in it")
        return _without_tilde(path)

    @field_validator("tls_certificate", "tls_key", mode="before")
    @classmethod
    def _none_if_empty(cls, value: object) -> object:
        return None if value == "" else value

    @field_validator("database_url")
    @classmethod
    def _known(cls, text: str) -> str:
        if text:
            read_url(text)
        return text

    @field_validator("site_proxy")
    @classmethod
    def _are_addresses(cls, text: str) -> str:
        for each in filter(None, map(str.strip, text.split(","))):
            try:
                ipaddress.ip_network(each, strict=False)
            except ValueError:
                raise ValueError(f"{each[:60]!r} is not an address; write 127.0.0.1 or 10.0.0.0/8") from None
        return text

    @field_validator("site_url")
    @classmethod
    def _is_origin(cls, text: str) -> str:
        if text and not re.fullmatch(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?/?", text, re.ASCII):
            raise ValueError("it is not the address of a site; write https://arena.example, without a path")
        return text.rstrip("/").lower()

    @field_validator("clock")
    @classmethod
    def _is_clock(cls, text: str) -> str:
        read_clock(text, DEFAULT_CLOCK.limit)
        return text

    @field_validator("languages")
    @classmethod
    def _are_languages(cls, text: str) -> str:
        unknown = [name for name in text.split() if name not in LANGUAGES]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no language that is built; write some of: {' '.join(LANGUAGES)}")
        return " ".join(dict.fromkeys(text.split()))

    @field_validator("registry")
    @classmethod
    def _is_registry(cls, text: str) -> str:
        if text and not is_address(text):
            raise ValueError("it is not a host with a port; write it as arena.example:5000")
        return text

    @field_validator("mail_host")
    @classmethod
    def _has_address(cls, text: str, info: ValidationInfo) -> str:
        if text and not re.fullmatch(r"[\w.-]+|[\da-fA-F:.]+", text, re.ASCII):
            raise ValueError("it is not the name of a host; write it as mail.example, and the port as mail_port")
        if text and not info.data.get("site_url"):
            raise ValueError("links in e-mail need the site's address; set site_url, such as https://arena.example")
        return text

    @field_validator("mail_security")
    @classmethod
    def _is_encrypted(cls, text: str, info: ValidationInfo) -> str:
        host = info.data.get("mail_host", "")
        if text == "none" and host and not _is_loopback(host):
            raise ValueError(f"e-mail to {host} must be encrypted: links in it open accounts; write starttls or tls")
        return text

    @field_validator("mail_sender")
    @classmethod
    def _sends(cls, text: str, info: ValidationInfo) -> str:
        if text and not is_mail_address(text):
            raise ValueError("it is not an address; write it as pigpen@arena.example, without a name")
        if info.data.get("mail_host") and not text:
            raise ValueError("it is empty; write the address from which e-mail comes, such as pigpen@arena.example")
        return text

    @field_validator("cluster_listen")
    @classmethod
    def _is_tls(cls, text: str) -> str:
        if not re.fullmatch(r"tls://([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}", text, re.ASCII):
            raise ValueError("it is not an address with a port; write it as tls://10.0.0.1:8786")
        return text

    @property
    def clock_setting(self) -> ClockSetting:
        """The clock of a match."""
        return read_clock(self.clock, self.limit)

    @property
    def container_runtime(self) -> str | None:
        """The OCI runtime to use for containers; None: bots play in none."""
        return self.runtime if self.sandbox == SandboxKind.DOCKER else None

    @property
    def sends_mail(self) -> bool:
        """True if the ladder sends e-mail."""
        return bool(self.mail_host)

    @property
    def mail_server_port(self) -> int:
        """The port of the SMTP server."""
        return self.mail_port or MAIL_PORTS[self.mail_security]

    @property
    def owners_apart(self) -> bool:
        """
        True if bots of one owner must not play at the same time: containers on one kernel share too much.

        With `AUTO` they must not, until the engine has been asked (`ladder.app.doctor`).
        """
        return self.sandbox == SandboxKind.DOCKER and not has_own_kernel(self.runtime)

    @property
    def url(self) -> URL:
        """The database's URL."""
        from sqlalchemy import URL

        if self.database_url:
            return read_url(self.database_url)
        return URL.create("sqlite", database=str(self._usual_file))

    @property
    def database_file(self) -> Path | None:
        """The file that holds the database; None if a server has it."""
        if not self.database_url:  # and no SQLAlchemy, which takes long to load
            return self._usual_file
        url = self.url
        return Path(str(url.database)) if url.get_backend_name() == "sqlite" else None

    @property
    def _usual_file(self) -> Path:
        return self.data_dir / "ladder.db"

    def check_file(self) -> None:
        """
        Make sure that there is a database, as far as a look at its file tells.

        Raises:
            NoLadder: If there is none.
        """
        if (file := self.database_file) and not os.path.exists(file):
            raise NoLadder(f"There is no ladder in {str(file.parent)!r}")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_url(text: str) -> URL:
    """
    Read the URL of a database, which is SQLite's or PostgreSQL's, and name the driver that comes with Pigpen.

    Raises:
        ValueError: If it is none; the message does not repeat it, for it may hold a password.
    """
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        if "\0" in text:
            raise ValueError
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ValueError(f"it is not a URL; {URL_HINT}") from None
    if url.drivername in ("sqlite", "sqlite+pysqlite"):
        if url.database in (None, "", ":memory:") or url.query:
            raise ValueError(f"it names no file; {URL_HINT}")
        return url.set(drivername="sqlite", database=str(_without_tilde(Path(str(url.database)))))
    if "password" in url.query:
        raise ValueError(f"it has its password at the end; {URL_HINT}, the password between user: and @")
    if "sslpassword" in url.query:
        raise ValueError("it holds the password of a key (sslpassword); use a key without one, readable by you alone")
    if url.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg")
    raise ValueError(f"{url.drivername!r} is not a kind of database that Pigpen can use; {URL_HINT}")


def _without_tilde(path: Path) -> Path:
    """
    Put a home folder in the place of ``~`` and ``~user``, and make the path absolute.

    Raises:
        ValueError: If there is no such folder.
    """
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        user = path.parts[0].removeprefix("~")
        reason = f"there is no user of the name {shortened(user)!r}" if user else "this user has no home folder"
        raise ValueError(f"{reason}; write the path without ~") from None


def load_settings(bots: Iterable[Path] = (), **given: Any) -> Settings:
    """
    Read the settings: first what code gives counts, then the environment, then the file.

    Args:
        bots: Folders of bots named on the command line; a file within one of them is not read.
        given: Values that go before all else.

    Raises:
        ValueError: If one makes no sense; the message names it and where it stands.
    """
    try:
        return Settings(**({} if bot_around(bots) else read_file()) | _environment() | given)
    except ValidationError as error:
        raise ValueError(_sentence(error)) from None
    except (OSError, ValueError) as error:
        why = "a number in it has too many digits" if "integer string conversion" in str(error) else error
        raise ValueError(f"{str(Path(FILE).absolute())!r} cannot be read: {why}.") from None
    except RecursionError:
        raise ValueError(f"{str(Path(FILE).absolute())!r} cannot be read: it is nested too deep.") from None
    except RuntimeError as error:  # the user has no home folder
        raise ValueError(
            f"{error} Name a folder: data_dir in {FILE}, or {PREFIX}DATA_DIR in the environment."
        ) from None


def _environment() -> dict[str, str]:
    """Read the settings in the environment: in letters of any case, and not those that are empty."""
    found = {name.lower(): value for name, value in os.environ.items() if value}
    return {name: found[variable] for name in Settings.model_fields if (variable := f"{PREFIX}{name}".lower()) in found}


def source_of(name: str) -> Literal["environment", "file", "default"]:
    """Tell where the value of a setting comes from: ``environment``, ``file`` or ``default``."""
    if name in _environment():
        return "environment"
    return "file" if not bot_around() and name in read_file() else "default"


def _sentence(error: ValidationError) -> str:
    detail = error.errors(include_input=False)[0]
    name = shortened(str(detail["loc"][0]))
    file = str(Path(FILE).absolute())
    if detail["type"] == "extra_forbidden":
        near = difflib.get_close_matches(name, Settings.model_fields, 1)
        meant = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(Settings.model_fields)}."
        return f"{name} in {file!r} is not a setting. {meant}"
    place = f"{PREFIX}{name.upper()} in the environment" if source_of(name) == "environment" else f"{name} in {file!r}"
    return f"{place} cannot be used: {_why(name, detail)}."


def _why(name: str, detail: ErrorDetails) -> str:
    if detail["type"] == "path_type":
        return 'it is not a path; write one in quotation marks, such as "/srv/ladder"'
    reason = detail["msg"].removeprefix("Value error, ").rstrip(".")
    return f"{reason}; {BOARDS_HINT}" if name == "boards" else reason
