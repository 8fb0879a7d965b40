"""Find secrets in lines: tokens with a known form, private keys, and values named "password" or similar."""

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from math import log2
from string import ascii_letters, digits, hexdigits
from typing import Literal, NamedTuple, TypeVar

from pydantic_core import SchemaValidator
from pydantic_core.core_schema import str_schema

from bot.values import Severity
from deeprepo.impact.text.paths import is_aside, is_lock, is_prose

Role = Literal["code", "document", "sample"]
Row = TypeVar("Row")

# A long line is searched in windows, because one of the library's patterns takes quadratic time.
WINDOW, OVERLAP = 2_000, 200
MOST_APART = 500  # secrets in a line that are compared with each other
MIN_VALUE_CHARS = 8
LONG_TOKEN = 2 * MIN_VALUE_CHARS
LONG_NAME = 100
# Identities of guessable secrets per change, because each is computed with scrypt, which is slow.
MOST_SLOW = 50
KEY = "private-key"
KEY_LABELS = ("PRIVATE KEY", "PuTTY-User-Key-File")  # the first line of a private key contains one
KEY_HEAD, KEY_REACH = 60, 400  # lines after the first within which its body must start, and end
KEY_KIND_CHANGES = 8  # changes between lowercase letters, capitals and digits; paths and names have fewer
KEY_ROW = re.compile(r"[A-Za-z0-9+/=_-]{32,}")  # ignores the code around it
KEY_END = re.compile(r"-----END |Private-MAC")
ESCAPED_BREAK = re.compile(r"\\[nrt]")  # between two rows of a key in a string literal
KIND_CHANGE = re.compile(r"(?=[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z])")
LEAST_BITS = 3.0  # bits of entropy per character; a value with less was made up by a person
BITS_OF_TOKEN = {True: 3.0, False: 4.5}  # by whether a value is hexadecimal

PLACEHOLDER = re.compile(
    r"vdM02xNOcqFlqUwJPLlmEtlCDXJ1|example|sample|dummy|fake|placeholder|change.?me|change.?it|replace|your|redacted|insert|foobar|password|passwd|secret|token|test"
    r"|xxx|\*\*\*|\.\.\.|000000|123456|abcdef|qwerty|lorem|deadbeef|(.)\1{4}",
    re.IGNORECASE,
)
NO_SECRET = re.compile(
    r"hash|sha\d|md5|digest|checksum|integrity|commit|revision|etag|fingerprint|public|csrf.?header|(?:csrf|xsrf|authenticity|verification).?token(?!.{0,60}(?:secret|key))|selector|i18n|label|regex|pattern|(?:_id|url|path|name|type|field|file)$",
    re.IGNORECASE,
)
WORDY = re.compile(
    r"[\s(){}\[\]<>$%|\\]|://|^[./~#@]|^[a-z]+([-_.:/ ][a-z]+)*$|^[A-Z]+([-_.][A-Z]+)*$|^[A-Za-z]+$|^[\d.,:-]+$"
)
# Words with at most one number, such as `hmac-sha256` or `my-api-key-1`. No machine generates such a value.
SLUG = re.compile(r"(?=[^\d]*\d{1,4}(?![a-z\d])[^\d]*$)[a-z]{2,}\d*(?:[-_.](?:[a-z]+\d*|\d+))+", re.IGNORECASE)
SAMPLE_FILE = re.compile(r"[._-](?:example|sample|template|dist)s?$")  # a template for a real file

# After a strong name, any value that a person did not make up is a secret. After a weak name, only a long
# random value is.
STRONG = r"passw|pwd|secret|contrase(?:n|ñ)a|(?:api|auth|service|account|db|database|priv|private|client)[-_. ]?key|(?:db|database|key)_?pass"
WEAK = r"token|credential|bearer|access[-_. ]?key"
NAMED_VALUE = rf"(?P<name>(?:{STRONG}|{WEAK})[\w.-]{{0,60}}+)"
STRONG_NAME = re.compile(STRONG, re.IGNORECASE)
CLOSING = r"[\"'\])]{0,3}\s*+"
VALUE_ENTRY = (
    # `"name": "DB_PASSWORD", "value": "VALUE"`, `<password value="VALUE"/>`.
    r"(?:,\s*+)?[\"']?value[\"']?\s*+[:=]"
)
QUOTED_VALUE = re.compile(
    rf"{NAMED_VALUE}{CLOSING}(?:(?P<pair>,)|(?::\s?[\w.\[\]|?]{{1,40}}+\s*+)?[:|?&!=]{{0,2}}=>?|:-?|\|\||\?\?|\?:|or\b|{VALUE_ENTRY})"
    r"\s*+[\w@]{0,2}(?P<quote>[\"'`])(?P<value>[^\s\"'`]{8,400})(?P=quote)",
    re.IGNORECASE,
)
UNQUOTED_VALUE = re.compile(  # in a file without quotes, or inside a string; `${NAME:-VALUE}` in any
    rf"{NAMED_VALUE}(?:(?P<fallback>:-)|{CLOSING}(?:=\s*+|:\s++|{VALUE_ENTRY}\s*+))"
    r"(?P<value>(?:&\w{2,6};|[^\s\"`$(){}<>|;,\[\]]|<(?!/)){8,400})(?=[\s;,}\"]|$)",
    re.IGNORECASE,
)
ELEMENT = re.compile(  # `<password>VALUE</password>`, `<string name="api_key">VALUE</string>`, `<key>ApiKey</key> <string>VALUE</string>`
    rf"{NAMED_VALUE}(?:[\"'][^<>]{{0,100}})?(?:</[\w-]{{1,20}}>\s*+<(?:value|string))?>\s*+(?:<value>|<!\[CDATA\[)?(?P<value>[^\s<>\]]{{8,400}})(?=</|\]\]>)",
    re.IGNORECASE,
)
NO_CODE = str.maketrans("", "", "&<'\\")  # signs that do not show that an unquoted value is code
NO_QUOTES = re.compile(  # shell scripts, container files, YAML and settings
    r"(?:^|/)(?:\.env|dockerfile|containerfile|(?:gnu)?makefile|\.?[^./]+$)[^/]*$"
    r"|\.(?:env|sh|bash|zsh|ksh|mk|dockerfile|ya?ml|service|ini|cnf|cfg|conf|properties)$",
    re.IGNORECASE,
)
AUTHORIZATION = re.compile(  # `Authorization: Bearer VALUE` as a header, member or argument
    r"\bauthorization\b[\"'\]]{0,3}\s?(?:[:=,]|=>)\s?\w{0,2}[\"'`]?(?:bearer|basic|token|apikey)\s(?P<value>[^\s\"'`$<>{}\\]{8,2000})",
    re.IGNORECASE,
)
LOGIN = re.compile(
    r"(?<![\w-])(?:-u|--user|--proxy-user|-U)[\s=]?[\"']?[^\s:\"'$-][^\s:\"'$]{0,60}:(?P<value>[^\s\"'`$<>{}\\]{8,400})"
)
LOGIN_COMMAND = re.compile(r"\bcurl\b|^\s*+(?:-u|--user)\b")  # a command with a login, or a line of one
LOCAL_HOST = r"(?:localhost|127\.|0\.0\.0\.0|\[::1\]|(?:host|hostname|server|proxy|db|postgres|mysql|redis|rabbitmq)(?![\w.-])|[\w.-]*example\.)"
ADDRESS = re.compile(
    rf"://[^\s:/@'\"]{{0,200}}:(?P<value>[^\s:/@'\"{{}}$<>%]{{8,400}})@(?!{LOCAL_HOST})[^\s'\"]{{1,200}}", re.IGNORECASE
)
# A name at the end of a line, and a value on the next line.
NAME_AT_END = re.compile(
    rf"(?:{STRONG}|{WEAK})[\w.-]{{0,60}}+[\"'\]]{{0,2}}(?:\s?:\s?[\w.]{{1,40}})?(?:</[\w-]{{1,20}}>|\s[^<>]{{0,60}}>|[\s,:=(\[\\]{{0,8}})[^\S\n]*+$",
    re.IGNORECASE,
)
OPENING_SIGNS = " \t\r([\\"
VALUE_ALONE = re.compile(
    r"\s*+(?:\w{0,2}([\"'`])[^\s\"'`]{8,400}\1[\s,;)\]]*+|[\"']?value[\"']?\s*+[:=]\s*+\S{8,400}[\s,]*+|<(?:value|string)>\S{8,400}\s*+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A secret in a line. `value` is never shown. `what` and `how` describe its kind.

    `exact` says whether it has the known form of a token, instead of following a name such as "password".
    """

    value: str
    rule: str
    what: str
    severity: Severity = "high"
    exact: bool = True

    @property
    def how(self) -> str:
        """A phrase for what the line contains."""
        kind = self.what[0].lower() + self.what[1:]
        return f"the exact form of {kind}" if self.exact else f"what looks like {kind}"


@dataclass(frozen=True, slots=True)
class LocatedSecret:
    """A secret in consecutive lines: the index of its line, and the part of the secret in these lines."""

    at: int
    hit: Hit
    whole: str

    def is_in(self, wholes: Sequence[str]) -> bool:
        """Return whether it is one of these secrets, which are sorted, or the start of a key among them."""
        at = bisect_left(wholes, self.whole)  # values with this prefix come next
        return at < len(wholes) and (
            wholes[at].startswith(self.whole) if self.hit.rule == KEY else wholes[at] == self.whole
        )


class TokenPattern(NamedTuple):
    """One exact form of a token."""

    rule: str
    what: str
    patterns: tuple[re.Pattern[str], ...]


# "-----BEGIN [kind] PRIVATE KEY-----" in Base64, without the last characters, which depend on what follows.
ENCODED_KEY = r"LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFUR|BFQyBQUklWQVRF|BEU0EgUFJJVkFUR|BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFUR)"
# Where a token may start: not after part of a word, except an escape ending in a letter or digit.
FORM_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\x[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"
OWN_FORMS = (  # forms unknown to detect-secrets 1.5
    TokenPattern("github-token", "A GitHub token", (re.compile(r"github_pat_[A-Za-z0-9_]{60,}"),)),
    TokenPattern("openai-key", "An OpenAI key", (re.compile(r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}"),)),
    TokenPattern("anthropic-key", "An Anthropic API key", (re.compile(r"sk-ant-[A-Za-z0-9_-]{60,}"),)),
    TokenPattern("google-key", "A Google API key", (re.compile(FORM_EDGE + r"AIza[0-9A-Za-z_-]{35}"),)),
    TokenPattern("npm-token", "An npm token", (re.compile(r"npm_[A-Za-z0-9]{36}"),)),
    TokenPattern("encoded-key", "A private key in Base64", (re.compile(rf"\b{ENCODED_KEY}[A-Za-z0-9+/=]{{40,}}"),)),
    TokenPattern("hugging-face-token", "A Hugging Face token", (re.compile(FORM_EDGE + r"hf_[A-Za-z]{34}"),)),
)
LIBRARY_FORMS = (  # forms known to detect-secrets, with their class
    (KEY, "A private key", "private_key.PrivateKeyDetector"),
    ("aws-key", "An AWS key", "aws.AWSKeyDetector"),
    ("azure-key", "An Azure storage key", "azure_storage_key.AzureStorageKeyDetector"),
    ("github-token", "A GitHub token", "github_token.GitHubTokenDetector"),
    ("gitlab-token", "A GitLab token", "gitlab_token.GitLabTokenDetector"),
    ("openai-key", "An OpenAI key", "openai.OpenAIDetector"),
    ("slack-token", "A Slack token", "slack.SlackDetector"),
    ("stripe-key", "A live Stripe key", "stripe.StripeDetector"),
    ("npm-token", "An npm token", "npm.NpmDetector"),
    ("pypi-token", "A PyPI token", "pypi_token.PypiTokenDetector"),
    ("sendgrid-key", "A SendGrid key", "sendgrid.SendGridDetector"),
    ("telegram-token", "A Telegram bot token", "telegram_token.TelegramBotTokenDetector"),
    ("discord-token", "A Discord bot token", "discord.DiscordBotTokenDetector"),
    ("mailchimp-key", "A Mailchimp key", "mailchimp.MailchimpDetector"),
    ("square-key", "A Square key", "square_oauth.SquareOAuthDetector"),
)
CRITICAL = frozenset({KEY, "aws-key", "azure-key", "google-key", "encoded-key"})


TOKEN_CHARACTERS = f"{ascii_letters}{digits}_-"
# The distinctive parts of all exact forms, with enough context to exclude `mask-image` and `"aws_region"`. The
# library is only loaded for lines that contain one, which are few.
WORD = "[A-Za-z0-9_-]"
FORM_LABELS = (
    r"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User|A(?:3T|BIA|CCA|KIA|SIA)[A-Z0-9]{16}|AccountKey=|GR1348941|_authToken|sq0csp-"
    rf"|github_pat_{WORD}{{60}}|gh[pousr]_{WORD}{{36}}|gl[a-z]{{2,5}}-{WORD}{{20}}|sk-{WORD}{{40}}|[rs]k_live_|AIza{WORD}{{35}}"
    rf"|npm_{WORD}{{36}}|{ENCODED_KEY}|hf_[A-Za-z]{{34}}|pypi-{WORD}{{80}}|SG\.{WORD}{{22}}\.|[a-z0-9]{{32}}-us[0-9]"
    rf"|[0-9]{{8}}:{WORD}{{35}}|[MNO]{WORD}{{23,25}}\.{WORD}{{6}}\."
)
FOLDED_LABELS = r"aws.{0,40}(?:key|pw|pass|token).{0,30}[\"'][a-z0-9/+]{40}|xox.-[0-9]|hooks\.slack"
NAMED_WORDS = r"pass|pwd|secret|key|token|cred|auth|bearer|contrase|://|curl|--user|-u "
MAYBE_TOKEN = rf"{FORM_LABELS}|(?i:{FOLDED_LABELS})"


def matcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that tells whether a pattern without assertions occurs in a text, ten times as fast as `re`."""
    is_match = SchemaValidator(str_schema(pattern=pattern, regex_engine="rust-regex")).isinstance_python
    return lambda text: is_match(text if text.isascii() else text.encode("utf-8", "replace"))


is_token = matcher(MAYBE_TOKEN)
is_named = matcher(rf"(?i:{NAMED_WORDS})")
has_long_row = matcher(r"[A-Za-z0-9+/]{60}")

# For `git grep`, which matches bytes. Every text with a secret has a line that matches: a label or the name of
# a value, with a digit within the longest value, or with the value on the next line; or a row of a key.
PROMISING_LINE = (
    rf"{MAYBE_TOKEN}|(?i:{NAMED_WORDS})(?:[^\S\n]*+\S){{0,800}}?[0-9\x80-\xff]|(?i:{NAME_AT_END.pattern})"
    r"|[A-Za-z0-9+/]{60}"
)


def role_of(path: str) -> Role:
    """Return a file's role, which determines what counts as a secret in it.

    In documents, only known forms count. In tests and samples, private keys don't count either. A lock file
    is full of random public values and rarely contains a key, so it counts as a document.
    """
    if is_aside(path) or SAMPLE_FILE.search(path):
        return "sample"
    return "document" if is_prose(path) or is_lock(path) else "code"


def has_quotes(path: str) -> bool:
    """Return whether string values are quoted in files of this kind."""
    return NO_QUOTES.search(path) is None


@lru_cache(maxsize=1 << 15)  # excerpts repeat lines of files, and prompts repeat excerpts
def hits(line: str, role: Role = "code", *, quotes: bool = True) -> tuple[Hit, ...]:
    """Return the secrets in a line, most certain first.

    `quotes` says whether string values are quoted in the file.
    """
    may_be_named = role == "code" and _may_be_named(line)
    if not may_be_named and not is_token(line):
        return ()
    found = list(_token_hits(line, sample=role == "sample"))
    if may_be_named:
        found += [*_login_hits(line), *_named_hits(line, quotes=quotes)]
    distinct: list[Hit] = []  # a value that overlaps a more certain one is the same secret
    for hit in found:
        if hit.rule == KEY:
            distinct += [] if any(other_hit.rule == KEY for other_hit in distinct) else [hit]
        elif not any(
            hit.value in other_hit.value or other_hit.value in hit.value
            for other_hit in distinct[:MOST_APART]
            if other_hit.rule != KEY
        ):
            distinct.append(hit)
    return tuple(distinct)


def joined(before: str, line: str) -> str:
    """Return both lines as one if `before` ends in a secret's name and `line` is only a value, else ""."""
    return (
        f"{before.rstrip(OPENING_SIGNS)} {line.strip()}"
        if VALUE_ALONE.fullmatch(line) and NAME_AT_END.search(before[-LONG_NAME:])
        else ""
    )


def secrets_in(path: str, lines: Sequence[str]) -> Iterator[LocatedSecret]:
    """Yield the secrets in consecutive lines.

    The first line of a private key doesn't count without rows below it, because code that reads keys also
    contains such a line.
    """
    role, quotes = role_of(path), has_quotes(path)
    for index in range(len(lines)):
        found = hits(lines[index], role, quotes=quotes)
        if not found and index and (whole_text := joined(lines[index - 1], lines[index])):
            found = hits(whole_text, role, quotes=quotes)
        for hit in found:
            whole = key_body(lines[index], lines[index + 1 : index + 1 + KEY_REACH]) if hit.rule == KEY else hit.value
            if whole:
                yield LocatedSecret(index, hit, whole)


def new_secrets(
    path: str,
    lines: Sequence[str],
    is_added: Callable[[int], bool],
    sides_before: Iterable[Sequence[str]],
) -> Iterator[LocatedSecret]:
    """Yield the secrets that a change adds, on added lines or by completing existing lines.

    `is_added` returns whether the line at an index is new. `sides_before` are the same lines before the
    change. A token that was already there is not new, even if its line was reformatted or moved. A password
    on an added line is always new, because it may have been an example before. An existing line becomes a
    secret if the change adds a name above the value, or rows of a key below its first line.
    """
    former: list[str] | None = None
    for secret in secrets_in(path, lines):
        is_password = is_added(secret.at) and not secret.hit.exact
        if not is_password and former is None:
            former = sorted({one.whole for side in sides_before for one in secrets_in(path, side)})
        if is_password or not secret.is_in(former or ()):
            yield secret


def key_body(line: str, following: Sequence[str]) -> str:
    """Return the rows of the private key that starts in `line`, joined; "" if there are none."""
    body = ""
    for index, text in enumerate((line.partition("PRIVATE KEY")[2], *following)):
        if index and any(label in text and not KEY_END.search(text) for label in KEY_LABELS):
            break
        rows = KEY_ROW.findall(ESCAPED_BREAK.sub(" ", KEY_END.split(text, maxsplit=1)[0]))
        body += "".join(row for row in rows if len(KIND_CHANGE.findall(row)) > KEY_KIND_CHANGES)
        if KEY_END.search(text) or (not body and index >= KEY_HEAD):
            break
    return body


@lru_cache(maxsize=4_096)
def identity(value: str, *, exact: bool) -> str:
    """Return a secret's identity, a digest that does not reveal the secret.

    A token with an exact form has too much entropy to be guessed. A password may be guessable, so its digest
    uses scrypt, which makes each guess expensive. No key is involved, so the identity is equal on a
    server, in a workflow and in a terminal.
    """
    text = value.encode("utf-8", "surrogatepass")
    if exact:
        return hashlib.sha256(text).hexdigest()
    return hashlib.scrypt(text, salt=b"deeprepo: the identity of a secret", n=1 << 12, r=8, p=1, dklen=32).hex()


def identified(rows: Iterable[tuple[str, str, Hit, Row]]) -> Iterator[tuple[str, list[Row]]]:
    """Yield identities, each with its rows. `rows` contains path, secret, hit and row.

    After MOST_SLOW guessable secrets, those in the same file and of the same kind share an identity, which
    can only be guessed for all of them together.
    """
    slow, rest = 0, dict[tuple[str, str], dict[str, Row]]()
    for path, value, hit, row in rows:
        slow += not hit.exact
        if hit.exact or slow <= MOST_SLOW:
            yield identity(value, exact=hit.exact), [row]
        else:
            rest.setdefault((path, hit.rule), {})[value] = row
    for values in rest.values():
        yield identity("\0".join(sorted(values)), exact=False), list(values.values())


def is_promising(text: str) -> bool:
    """Return whether a text may contain a secret. Three patterns are searched for faster than one."""
    return is_named(text) or is_token(text) or has_long_row(text)


def promising_lines(lines: Sequence[str], first: int = 0) -> Iterator[int]:
    """Yield the numbers, from `first`, of the lines that may contain a secret."""
    if is_promising("\n".join(lines)):
        if len(lines) == 1:
            yield first
        else:
            half = len(lines) // 2
            yield from promising_lines(lines[:half], first)
            yield from promising_lines(lines[half:], first + half)


def _may_be_named(line: str) -> bool:
    """Return whether a line contains a part of a secret's name or of a login, and a possible value."""
    return is_named(line) and ("://" in line or any(map(_may_hold_value, line.split())))


def _may_hold_value(word: str) -> bool:
    """Return whether a word could contain a value. This is a cheap test before slower patterns."""
    return len(word) >= MIN_VALUE_CHARS and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _token_hits(line: str, *, sample: bool) -> Iterator[Hit]:
    for index in range(0, max(1, len(line) - OVERLAP), WINDOW - OVERLAP):
        window = line[index : index + WINDOW]
        for form in known_forms() if is_token(window) else ():
            for match in (match for pattern in form.patterns for match in pattern.finditer(window)):
                group = match.lastindex if match.lastindex and form.rule == "aws-key" else 0
                value, is_label = match[group], form.rule == KEY  # the label is not the secret itself
                if value and (not sample if is_label else _is_generated(value, match.re)):
                    tail = window[match.end(group) :]
                    # Newer tokens are longer than the pattern.
                    whole = value if is_label else value + tail[: len(tail) - len(tail.lstrip(TOKEN_CHARACTERS))]
                    yield Hit(whole, form.rule, form.what, "critical" if form.rule in CRITICAL else "high")


def _is_generated(value: str, pattern: re.Pattern[str]) -> bool:
    """Words after a complete token don't matter."""
    word = PLACEHOLDER.search(value, MIN_VALUE_CHARS)
    whole = value[: word.start()] if word is not None else ""
    return _is_random(value) or (pattern.fullmatch(whole) is not None and _is_random(whole))


def _named_hits(line: str, *, quotes: bool) -> Iterator[Hit]:
    marks, begin = Counter[str](), 0  # how often each quote occurs before a match
    for match in UNQUOTED_VALUE.finditer(line):
        marks.update(sign for sign in line[begin : match.start()] if sign in "\"'`")
        begin = match.start()
        if not quotes or match["fallback"] or any(number % 2 for number in marks.values()):
            is_parameter = match.start() and line[match.start() - 1] in "?&"
            value = (match["value"].partition("&")[0] if is_parameter else match["value"]).strip("'\\")
            yield from _named_hit(line, match, value, value.translate(NO_CODE))
    for pattern in (QUOTED_VALUE, ELEMENT):
        for match in pattern.finditer(line):
            groups = match.groupdict()
            # The first of two arguments is only a name if nothing has called or indexed it.
            is_closed = bool(groups.get("pair")) and not {*")]"}.isdisjoint(
                line[match.end("name") : match.start("pair")]
            )
            is_pair = groups.get("pair") and "(" not in line[max(0, match.start() - LONG_NAME) : match.start()]
            if not is_closed and not is_pair:
                yield from _named_hit(line, match, match["value"], match["value"])


def _named_hit(line: str, match: re.Match[str], value: str, plain_value: str) -> Iterator[Hit]:
    """Yield the value as a secret if its name and its randomness suggest that.

    `plain_value` has no escapes.
    """
    before = line[max(0, match.start("name") - LONG_NAME) : match.start("name")]
    name = before[len(before.rstrip(f"{TOKEN_CHARACTERS}$")) :] + match["name"]
    if NO_SECRET.search(name) or not _is_value(plain_value):
        return
    if STRONG_NAME.search(name):
        yield Hit(value, "password", "A password or key", exact=False)
    elif (
        len(plain_value) >= LONG_TOKEN
        and _bits(plain_value) > BITS_OF_TOKEN[all(sign in hexdigits for sign in plain_value)]
    ):
        yield Hit(value, "random-value", "A token or key", exact=False)


def _login_hits(line: str) -> Iterator[Hit]:
    """Yield logins: passwords in addresses, `Authorization` headers, and `curl -u`."""
    for match in ADDRESS.finditer(line):
        if _is_random(match["value"]):
            yield Hit(match["value"], "login-in-address", "A password in an address", exact=False)
    for match in AUTHORIZATION.finditer(line):
        if _is_value(value := match["value"].rstrip(",;)")):
            yield Hit(value, "authorization-header", "A token in a header", exact=False)
    for match in LOGIN.finditer(line) if LOGIN_COMMAND.search(line) else ():
        if _is_value(match["value"]):
            yield Hit(match["value"], "login-in-command", "A password in a command", exact=False)


def _is_value(value: str) -> bool:
    is_readable = WORDY.search(value) or SLUG.fullmatch(value) or not value.isascii()
    return _may_hold_value(value) and not is_readable and _is_random(value)


def _is_random(value: str) -> bool:
    """Return whether a value seems random: enough entropy, no placeholder, no sequence, and no ID."""
    body = value[4:] if len(value) >= 4 * MIN_VALUE_CHARS else value
    enough = min(LEAST_BITS, log2(len(value)) - 0.5)
    if PLACEHOLDER.search(body) or _bits(value) < enough:
        return False
    from detect_secrets.filters import heuristic  # imported here because it loads slowly

    return not (heuristic.is_sequential_string(value) or heuristic.is_potential_uuid(value))


def _bits(value: str) -> float:
    """Return a value's entropy in bits per character."""
    shares = [value.count(character) / len(value) for character in set(value)]
    return -sum(share * log2(share) for share in shares)


@cache
def known_forms() -> tuple[TokenPattern, ...]:
    """Return all exact forms of tokens, including the library's."""
    found = list(OWN_FORMS)
    for rule, what, detector in LIBRARY_FORMS:
        module, _, name = detector.partition(".")
        patterns: Iterable[re.Pattern[str]] = getattr(import_module(f"detect_secrets.plugins.{module}"), name).denylist
        # A letter after a token does not hide it.
        whole = (re.compile(pattern.pattern.removesuffix(r"(?!\w)"), pattern.flags) for pattern in patterns)
        found.append(TokenPattern(rule, what, tuple(whole)))
    return tuple(found)
