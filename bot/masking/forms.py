"""What a secret looks like: exact forms of tokens, and values whose name says that they are secret."""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from math import log2
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from bot.text.paths import is_lock, is_prose, is_sample, is_test
from bot.values import Severity

Role = Literal["code", "document", "sample"]

if TYPE_CHECKING:
    from detect_secrets.plugins.high_entropy_strings import HighEntropyStringsPlugin
    from detect_secrets.plugins.keyword import KeywordDetector

LONGEST = (
    400  # characters; a longer line is read by what stands at each name: the patterns for names take quadratic time
)
MOST_NAMES = 8  # in one line; with more it is read so too
BEFORE_NAME, AFTER_NAME = 60, 300  # characters around a name that are read at once
MOST_PARTS = 1_500  # of one line; of a longer one the rest is open
WINDOW, OVERLAP = 2_000, 200  # a very long line is read in windows, for the same reason
SHORTEST = 8
MOST_SLOW = 50  # identities of guessable secrets in one change: each costs the time of scrypt
KEY = "private-key"
KEY_LABELS = ("PRIVATE KEY", "PuTTY-User-Key-File")  # the first line of a private key holds one
KEY_HEAD = 60  # lines of words after the first of a private key in which its body is looked for
KEY_TELLS = 320  # characters of a body that tell it from others
KEY_SHORTEST = 40  # characters of the shortest body
KEY_WIDTH = 12  # characters of a row
BREAK = re.compile(r"\\[nrt]")  # between two lines of a key in a string literal
KEY_RUN = re.compile(r"[A-Za-z0-9+/=_-]{40,}")  # of a body, whatever code stands around it
KEY_MIXES = 8  # times that such a run goes from letters to digits, or to capitals: a path or a name does so less often
MIX = re.compile(r"(?=[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z])")
KEY_REACH = (
    400  # lines after the first in which its body is looked for, however it is wrapped, empty ones and headers included
)
KEY_END = re.compile(r"-----END |Private-MAC")
KEY_ROW = re.compile(r"""["'`]{0,3}([A-Za-z0-9+/=]++)["'`,;+\\.)}\]]*+""")
KEY_HEADER = re.compile(
    r"[A-Za-z-]+: .{0,200}|Public-Lines|-+|[\W_]*"
)  # what may stand before a body, and between its lines
BITS = 3.0  # per character, over the value: below it a value was made up by a person

PLACEHOLDER = re.compile(
    r"vdM02xNOcqFlqUwJPLlmEtlCDXJ1|example|sample|dummy|fake|placeholder|change.?me|change.?it|replace|your|redacted|insert|foobar|password|passwd|secret|token|test"
    r"|xxx|\*\*\*|\.\.\.|000000|123456|abcdef|qwerty|lorem|deadbeef|(.)\1{4}",
    re.IGNORECASE,
)
NAMES = r"passw|secret|token|credential|api.?key|access.?key|auth.?key|private.?key|bearer"
NAMED = re.compile(rf"({NAMES})\w{{0,60}}+['\"\]]{{0,6}}+\s*+[:=]", re.IGNORECASE)
NO_SECRET = re.compile(
    r"hash|sha\d|md5|digest|checksum|integrity|commit|revision|etag|fingerprint|public|csrf.?header|(?:csrf|xsrf|authenticity|verification).?token(?![\w.-]{0,60}(?:secret|key))|_id\b|selector|i18n|label|regex|pattern|url\b|path\b|name\b|type\b|field\b|file\b",
    re.IGNORECASE,
)
WORDY = re.compile(
    r"[\s(){}\[\]<>$%|\\]|://|^[./~#@]|^[a-z]+([-_.:/ ][a-z]+)*$|^[A-Z]+([-_.][A-Z]+)*$|^[A-Za-z]+$|^[\d.,:-]+$"
)
NAME = re.compile(r"[\w$-]+")
ASSIGNMENT = re.compile(r"(?<![=<>!])=(?![=>])")
STATEMENT = re.compile(r"[;{}]|:\s")
BRACES = re.compile(r"[{},]")
BRACKETS = " ()[]{};"
SEPARATOR = re.compile(r"[,;({\[&|?]")
TYPED = re.compile(r"(\w)\s?:\s?[\w.\[\]|\"' ]{1,60}=\s?(?=\w{0,2}[\"'`])")
FALLBACK = re.compile(  # `os.getenv("NAME", "value")`, `env.NAME or "value"`
    r"[=:]\s?(?:\w[\w.]{0,60}\(\s?[\"'][^\"']{1,80}[\"']\s?,\s?|[\w.$]{1,60}(?:[(\[][\"'][^\"']{1,80}[\"'][)\]])?\s?(?:or|\|\||\?\?|\?:)\s?)(?=[\"'])"
)
DEFAULT = re.compile(  # `getenv("NAME", "value")`, `env["NAME"] || "value"`, `env.NAME ?? "value"`
    r"(?:[(\[]\s?[\"'](?P<key>[\w.-]{1,60})[\"']\s?(?:,\s?|[)\]]\s?(?:or|\|\||\?\?|\?:)\s?)"
    r"|\.(?P<member>\w{1,60})\s?(?:or|\|\||\?\?|\?:)\s?)(?P<value>[\"'][^\s\"']{8,400}[\"'])"
)
SHELL_DEFAULT = re.compile(r"\$\{(?P<name>\w{1,60}):?[-=](?P<value>[^\s\"'`${}]{8,400})\}")
HANDED_ON = re.compile(
    r"[=:]\s?(?:new )?(?:str|bytes|bytearray|String|Secret\w{0,10}|Buffer\.from|(?:base64\.)?b64decode|atob|\[\]byte|\[)\(?\s?(?=\w{0,2}[\"'`])"
)
LITERAL_MARK = re.compile(r"([=:]\s?)(?:[bBrRuUfFL]{1,2}|@|\$)(?=[\"'])")
PAIR = re.compile(  # `setattr(self, "NAME", "value")`
    r"\(\s?(?:\w[\w.]{0,60}\s?,\s?)?[\"']([\w.-]{1,60})[\"']\s?,\s?(?=[\"'])"
)
YAML_MARK = re.compile(r"(:\s)(?:!{1,2}\w{0,20}|&\w{1,60})\s(?=\S)")
SIGN = re.compile(
    r"(?:\|\|=|&&=|\?\?=|:=|=\s?[\w.]{1,60}\s?=|=\s?(?:\"\"|'')\s?(?:or|\|\||\?\?|\+)?|=\s?\()\s?(?=[\"'])"
)
COLON = re.compile(r"(\w)\s?:\s?(?=[\"'`])")  # `C{Password: "value"}`
NEXT_LINE = re.compile(
    r"(?:passw|pwd|secret|token|credential|key|bearer)\w{0,60}+['\"\]]{0,6}+\s*+(?::\s*+[\w.]{1,40}\s*+)?(?:=|:=|:)\s*+[(\[\\]?\s*+$",
    re.IGNORECASE,
)
# A name that the next line gives a value: `- name: DB_PASSWORD`, `"name": "DB_PASSWORD",`, `<key>DbPassword</key>`; and such a value.
NAME_LINE = re.compile(
    r"(?:^|[\s{\"'(,-])(?:name|key)[\"']?\s?+[:=]\s?+[\"']?(?P<word>[\w.-]{1,60})[\"']?\s?+,?\s?+$"
    r"|<(?:param-)?(?:name|key)>(?P<text>[\w.-]{1,60})</[\w-]{1,20}>\s?+$|<\w[^<>]{0,200}\s(?:name|key)=[\"'](?P<attribute>[\w.:-]{1,60})[\"'][^<>/]{0,200}>\s?+$",
    re.IGNORECASE,
)
VALUE_LINE = re.compile(
    r"\s*+[\"']?value[\"']?\s?+[:=]\s?+[\"']?(?P<word>[^\s\"'`]{8,400})[\"']?[\s,/>})]*+|\s*+<(?:param-)?(?:value|string)>(?P<text>[^\s<>]{8,400})</[\w-]{1,20}>\s*+",
    re.IGNORECASE,
)
LITERAL_LINE = re.compile(r"\s*+\w{0,2}([\"'`])[^\s\"'`]{8,400}\1[\s,;)\]]*+")
OPENS = " \t\r([\\"
BARE_KINDS = frozenset(
    ("x", "x.env", "x.sh", "x.bash", "x.zsh", "x.ksh", "x.mk", "x.dockerfile", "x.yml", "x.yaml", "x.service")
)
BARE = re.compile(  # `--password=value`, `ENV NAME=value`, `NAME=value command`
    r"(?<![\w.$-])(?:--?)?(?P<name>[A-Za-z_][\w.-]{0,60})=(?P<value>[^\s\"'`$(){}<>|;&,\\]{8,400})(?=[\s\\;]|$)"
)
AUTHORIZATION = re.compile(  # `Authorization: Bearer VALUE`, as a header, a member or an argument
    r"\bauthorization\b[\"'\]]{0,3}\s?(?:[:=,]|=>)\s?\w{0,2}[\"'`]?(?:bearer|basic|token|apikey)\s([^\s\"'`$<>{}\\]{8,2000})",
    re.IGNORECASE,
)
LOGIN = re.compile(
    r"(?<![\w-])(?:-u|--user|--proxy-user|-U)[\s=]?[\"']?[^\s:\"'$-][^\s:\"'$]{0,60}:([^\s\"'`$<>{}\\]{8,400})"
)
SENDS = re.compile(r"\bcurl\b|^\s?(?:-u|--user)\b")  # a command that sends a login, or a line of one
TRIPLE = re.compile(r"([\"'])\1\1")
ELEMENT = re.compile(  # `<password>value</password>`, `<string name="password">value</string>`
    r"<(?P<tag>[A-Za-z][\w.:-]{0,60})(?P<attributes>\s[^<>]{0,300})?>\s?(?:<value>)?(?:<!\[CDATA\[)?(?P<value>[^\s<>\]]{8,400})(?=</|\]\]>)"
)
FIELD = re.compile(  # of an entry: `name="password"`, `"value": "value"`, `key: password`, `<value>value</value>`, `<password value="value"/>`
    r"(?:<(?P<tag>[\w.:-]{1,60})\s|\b)(?P<role>name|key|id|value)[\"']?\s?[:=]\s?"
    r"(?:[\"'](?P<quoted>[^\s\"'<>]{1,400})[\"']|(?=(?P<bare>[^\s\"'{}<>,]{1,400})))"
    r"|<(?:param-)?(?P<element>name|key|value|string)>(?P<text>[^\s<>]{1,400})</(?:[\w-]{1,20}>)?",
    re.IGNORECASE,
)
VALUES = frozenset({"value", "string"})  # fields of an entry that hold no name
BETWEEN = re.compile(r"[^<>{}()]{0,100}")  # two fields of one entry
# `Server=db;User Id=shop;Password=value;`, `host=db user=shop password=value`, `jdbc:mysql://db/shop?user=shop&password=value`
CONNECTION = re.compile(
    r"(?:\b(?:server|data source|addr(?:ess)?|host(?:name)?|user ?(?:id|name)?|uid|database|dbname|initial catalog|endpoint|driver|account ?name|sharedaccesskeyname)"
    r"\s?=\s?(?:[^;=\"']{1,200};|[^\s;=\"',()]{1,200}\s))|://[^\s\"'`]{1,200}[?&;]",
    re.IGNORECASE,
)
ESCAPED = re.compile(
    r"&(?:amp|lt|gt|quot|apos|#\w{1,6});|\\u[0-9A-Fa-f]{4}|[&<'\\]"
)  # what a value may hold, as it is or written otherwise
CONNECTION_VALUE = re.compile(  # parts that `;` or blanks separate, and parts of an address, which `&` separates
    r"(?:^|[;\s\"'`>])(?P<name>[A-Za-z][\w-]{1,40})\s?=\s?(?=(?P<value>(?:&(?:amp|lt|gt|quot|apos|#\w{1,6});|<(?!/)|'(?=\w)|\\(?![\"'`nrt])|[^\s;\"'`<>$(){},\\])"
    r"{8,400}+)(?:[;\s\"'`<\\]|$))|[?&](?P<key>[A-Za-z][\w-]{1,40})=(?=(?P<part>[^\s;&\"'`<>$(){},\\]{8,400}+)(?:[;&\s\"'`<\\#]|$))"
)
LOCAL = re.compile(
    r"@(localhost|127\.|0\.0\.0\.0|\[::1\]|(host|hostname|server|proxy|db|postgres|mysql|redis|rabbitmq)(?![\w.-])|[\w.-]*example\.)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A secret in a line. `what` and `how` name its kind in a title and a sentence; `value` leaves it nowhere."""

    value: str
    rule: str
    what: str
    severity: Severity = "high"
    exact: bool = True

    @property
    def how(self) -> str:
        """What the line holds, for a sentence."""
        kind = self.what[0].lower() + self.what[1:] if not self.what.startswith("An AWS") else "an AWS" + self.what[6:]
        return f"the exact form of {kind}" if self.exact else f"what looks like {kind}"


@dataclass(frozen=True, slots=True)
class LocatedSecret:
    """A secret in consecutive lines: the index of its line, and what is secret, as far as the lines show it."""

    at: int
    hit: Hit
    whole: str

    @property
    def text(self) -> str:
        """What tells it from all others: the value, or how the body of a private key begins."""
        return self.whole[:KEY_TELLS] if self.hit.rule == KEY else self.whole

    def is_in(self, wholes: Sequence[str]) -> bool:
        """Whether it is one of these, which are sorted, or how one of them begins; the last row of a key may be a word of prose."""
        start = self.whole[: 1 - KEY_WIDTH] if self.hit.rule == KEY else self.whole
        at = bisect_left(wholes, start)  # whatever begins so comes next
        return at < len(wholes) and (wholes[at].startswith(start) if self.hit.rule == KEY else wholes[at] == start)


@dataclass(frozen=True, slots=True)
class TokenPattern:
    """One exact form of a token."""

    rule: str
    what: str
    patterns: tuple[re.Pattern[str], ...]
    severity: Severity = "high"
    random: bool = True  # False: the form is a label ("BEGIN PRIVATE KEY"), not the secret itself
    group: bool = False  # the pattern's group is the secret, not all that it matches


# "-----BEGIN [kind] PRIVATE KEY-----" in Base64, up to the characters that the next word does not change.
ENCODED_KEY = r"\bLS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFUR|BFQyBQUklWQVRF|BEU0EgUFJJVkFUR|BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFUR)[A-Za-z0-9+/=]{40,}"
# Where a token may begin: behind nothing of a word, or behind an escape that ends in a letter or a digit.
EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\x[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\[0-7])|(?<=\\[0-7]{2})|(?<=\\[0-7]{3}))"
OWN = (  # forms that detect-secrets 1.5 does not know
    TokenPattern("github-token", "A GitHub token", (re.compile(r"github_pat_[A-Za-z0-9_]{60,}"),)),
    TokenPattern("openai-key", "An OpenAI key", (re.compile(r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}"),)),
    TokenPattern("anthropic-key", "An Anthropic API key", (re.compile(r"sk-ant-[A-Za-z0-9_-]{60,}"),)),
    TokenPattern("google-key", "A Google API key", (re.compile(EDGE + r"AIza[0-9A-Za-z_-]{35}"),), "critical"),
    TokenPattern("npm-token", "An npm token", (re.compile(r"npm_[A-Za-z0-9]{36}"),)),
    TokenPattern("encoded-key", "A private key in Base64", (re.compile(ENCODED_KEY),), "critical"),
    TokenPattern("hugging-face-token", "A Hugging Face token", (re.compile(EDGE + r"hf_[A-Za-z]{34}"),)),
)


REST = re.compile(r"[A-Za-z0-9_-]*")
# What every exact form has: its own label, or a long run of token characters with a digit. Most lines have neither. Each label begins with
# a character of its own, so that a search of a whole text goes from one of these characters to the next.
LABELS = (
    r"PRIVATE KEY|PuTTY-User|A3T|ABIA|ACCA|AKIA|ASIA|AccountKey=|github_pat_|gh[pousr]_|gl[a-z]{2,5}-|GR1348941|sk-|rk_live_|sk_live_|AIza|npm_"
    r"|_authToken|LS0tLS1|hf_|pypi-|SG\.|sq0csp-|-us\d"
)
FOLDED_LABELS = r"aws|xox|hooks\.slack"
NUMBER = r"\d{8}:"
IN_PARTS = r"[MNO][\w-]{23,25}\.[\w-]{6}\."
LONG_RUN = r"(?<![A-Za-z0-9_+/-])(?=[A-Za-z_+/-]*[0-9])[A-Za-z0-9_+/-]{16}"
NAMED_WORDS = r"pass|pwd|secret|key|token|cred|auth|bearer|contrase|://"
MAYBE = re.compile(rf"{LABELS}|(?i:{FOLDED_LABELS})|{NUMBER}|{IN_PARTS}|{LONG_RUN}")
MAYBE_NAMED = re.compile(rf"{NAMED_WORDS}|\bcurl\b|(?m:^)[ \t]*+(?:-u|--user)\b", re.IGNORECASE)
MAYBE_ANY = re.compile(f"{MAYBE.pattern}|(?i:{MAYBE_NAMED.pattern})")  # neither goes over the end of a line
CASED = tuple(map(re.compile, (LABELS, NUMBER, IN_PARTS, LONG_RUN)))
FOLDED = re.compile(f"{FOLDED_LABELS}|{NAMED_WORDS}")
COMMAND = re.compile(r"curl|-u")

VALUE_BREAK = re.compile(r"\s")
VALUE_REST = re.compile(r"[^\s\"'`,;]{0,2000}")


def role_of(path: str) -> Role:
    """What a file is to secrets: in a document only values of a known form count, in a test or a sample no private key either.

    A lock file is full of random values that are public, and holds a key as seldom as a document.
    """
    if is_test(path) or is_sample(path):
        return "sample"
    return "document" if is_prose(path) or is_lock(path) else "code"


def hits(path: str, line: str, role: Role = "code") -> tuple[Hit, ...]:
    """The secrets in a line, the surest first."""
    may_be_named = role == "code" and _may_be_named(line)
    line_hits = _exact_hits(line, role == "sample", may_be_named)
    for part, asks_kind in _named_parts(line) if may_be_named else ():
        # All that the patterns for names ask about a file; exact forms ask nothing.
        named_hits = _named_hits(kind_of(path) if asks_kind else None, part)
        line_hits += tuple(hit for hit in named_hits if hit not in line_hits)
    return line_hits


def kind_of(path: str) -> str:
    """A name of a file of the same kind."""
    name = PurePosixPath(path).name.lower()
    if name.startswith((".env", "dockerfile", "containerfile", "makefile", "gnumakefile")):
        return "x.env"
    return "x" + PurePosixPath(name).suffix


def with_name(before: str, line: str) -> str:
    """A text that stands alone on its line, behind the name that the line before gives it to; "" if it is not one of those."""
    if NEXT_LINE.search(before) and LITERAL_LINE.fullmatch(line):
        return f"{before.rstrip(OPENS)} {line.strip()}"
    name, value = NAME_LINE.search(before), VALUE_LINE.fullmatch(line)
    if name is None or value is None:
        return ""
    return _assignment(name["word"] or name["text"] or name["attribute"], value["word"] or value["text"])


def names_next_line(line: str) -> bool:
    """Whether a line may end in the name of a secret whose value the next one holds."""
    return MAYBE_NAMED.search(line) is not None and (
        NEXT_LINE.search(line) is not None or NAME_LINE.search(line) is not None
    )


def secrets_in(path: str, lines: Sequence[str], only: Iterable[int] | None = None) -> Iterator[LocatedSecret]:
    """Find the secrets of consecutive lines, of all or of those with these indexes.

    The first line of a private key without a body is not a secret: code that reads keys names it too.
    """
    role, wholes = role_of(path), dict[str, str]()  # one copy of a body below several marks
    for at in range(len(lines)) if only is None else only:
        line, whole_text = lines[at], with_name(lines[at - 1], lines[at]) if at else ""
        for hit in _distinct((*hits(path, line, role), *(hits(path, whole_text, role) if whole_text else ()))):
            whole = _key_body(line, lines[at + 1 : at + 1 + KEY_REACH]) if hit.rule == KEY else hit.value
            if whole:
                yield LocatedSecret(at, hit, wholes.setdefault(whole, whole))


def keys_in(path: str, lines: Sequence[str]) -> Iterator[LocatedSecret]:
    """Find the private keys of consecutive lines, each at its first line."""
    marks = (at for at, line in enumerate(lines) if any(label in line for label in KEY_LABELS))
    return (secret for secret in secrets_in(path, lines, marks) if secret.hit.rule == KEY)


def new_secrets(
    find: Callable[[str, Sequence[str]], Iterable[LocatedSecret]],
    path: str,
    lines: Sequence[str],
    is_added: Callable[[int], bool],
    sides_before: Iterable[Sequence[str]],
) -> Iterator[LocatedSecret]:
    """Find the secrets that a change brings into these lines: in those that it adds, and those that it completes around them.

    A secret on a line that was there is completed if none of the sides before shows it, or as much of it: a name is now above the value,
    or rows of a body are below its mark.
    """
    former: list[str] | None = None
    for secret in find(path, lines):
        if not is_added(secret.at) and former is None:
            former = sorted({one.whole for side in sides_before for one in find(path, side)})
        if is_added(secret.at) or not secret.is_in(former or ()):
            yield secret


def _distinct(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Keep each secret of a line once: one that is a part of a surer one, or contains it, is the same."""
    distinct: list[Hit] = []
    for hit in hits:
        if hit.rule == KEY:
            distinct += [] if any(one.rule == KEY for one in distinct) else [hit]
        elif not any(hit.value in one.value or one.value in hit.value for one in distinct if one.rule != KEY):
            distinct.append(hit)
    return tuple(distinct)


def _key_body(line: str, following: Sequence[str]) -> str:
    """Return the body of a private key whose `BEGIN PRIVATE KEY` is in `line`, "" if no body follows.

    The rows of a body run without a gap to the end mark; code that only reads keys has no such rows.
    """
    body = ""
    for row in _key_rows(line.partition("PRIVATE KEY")[2], following):
        if not re.search(r"\w", row):
            continue
        match = KEY_ROW.fullmatch(row)
        if match is None and (body or not KEY_HEADER.fullmatch(row)):
            break
        body += match[1] if match else ""
        if match and len(match[1]) < KEY_WIDTH:  # the last row, or a word of prose
            break
    mixed = any(map(str.isdigit, body)) and any(map(str.islower, body)) and any(map(str.isupper, body))
    return body if len(body) >= KEY_SHORTEST and mixed else _key_runs(line, following)


def _key_runs(line: str, following: Sequence[str]) -> str:
    """A body between words of code: comments, calls, numbers of rows, an end mark that comes too early. The next mark has one of its own."""
    body, room = "", KEY_HEAD
    for row in (line.partition("PRIVATE KEY")[2], *following):
        if body and _is_key_mark(row):
            break
        body += "".join(run for run in KEY_RUN.findall(row) if len(MIX.findall(run)) > KEY_MIXES)
        room -= not KEY_HEADER.fullmatch(row)
        if not room or (body and KEY_END.search(row)):
            break
    return body


def _is_key_mark(row: str) -> bool:
    forms = known_forms() if any(label in row for label in KEY_LABELS) else ()
    return any(pattern.search(row) for form in forms if form.rule == KEY for pattern in form.patterns)


def _key_rows(rest: str, following: Sequence[str]) -> Iterator[str]:
    """The rows between the two marks of a private key, which may all be written in one line of code."""
    for row in (rest, *following):
        end = KEY_END.search(row)
        inside = row[: end.start()] if end else row
        for part in BREAK.split(inside):
            yield from ([part.strip()] if ": " in part else part.split())
        if end:
            return


@lru_cache(maxsize=4_096)
def identity(value: str, *, exact: bool) -> str:
    """What tells a secret from all others, whole: nobody can make another one that has it, and nobody finds out the secret by it.

    A machine has drawn a token of an exact form, with more bits than anybody can try. A password may be a guess away, so each
    guess costs the time and the memory of scrypt. No key: the same secret is the same one on a server, in a workflow and at a terminal.
    """
    text = value.encode("utf-8", "surrogatepass")
    if exact:
        return hashlib.sha256(text).hexdigest()
    return hashlib.scrypt(text, salt=b"deeprepo: the identity of a secret", n=1 << 12, r=8, p=1, dklen=32).hex()


def shared_identity(values: Iterable[str]) -> str:
    """One identity of many guessable secrets, at the cost of one: anyone who wants to guess a value has to guess all of them."""
    return identity("\0".join(sorted(values)), exact=False)


@lru_cache(maxsize=512)  # a file is read as that file, and again as a part of what is sent
def promising_lines(text: str) -> tuple[int, ...]:
    """The numbers of the lines, from 0, that could hold a secret at all: the cheap question before the others, those of `MAYBE_ANY`.

    One search with that pattern takes three times as long: a search jumps only where all that it looks for begins with known characters.
    """
    small_letters = text.casefold()
    numbers = {*_lines_with(FOLDED, small_letters)}
    for pattern in CASED:
        numbers.update(_lines_with(pattern, text))
    commands = set(_lines_with(COMMAND, small_letters)) - numbers
    lines = text.split("\n") if commands else ()
    return tuple(sorted(numbers | {number for number in commands if MAYBE_NAMED.search(lines[number])}))


def _lines_with(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    number, line_start = 0, 0
    while match := pattern.search(text, line_start):
        number += text.count("\n", line_start, match.start())
        yield number
        line_start = text.find("\n", match.end()) + 1
        number += 1
        if not line_start:
            return


def _names_value(line: str) -> bool:
    """Whether a value of a line can be secret by its name: without these words neither the library's patterns match nor `NAMED`.

    Parts of a text that tells how to connect are joined before they are asked, and may only then hold one.
    """
    return _naming_words().search(line) is not None or CONNECTION.search(line) is not None


@cache
def _naming_words() -> re.Pattern[str]:
    from detect_secrets.plugins.keyword import DENYLIST

    return re.compile("|".join((*DENYLIST, NAMES)), re.IGNORECASE)


@lru_cache(maxsize=8)  # of one line for several kinds of file
def _may_be_named(line: str) -> bool:
    """Tell whether the patterns for named secrets can match a line: it has an address with a login, or a word that may be a value."""
    return MAYBE_NAMED.search(line) is not None and ("://" in line or any(map(_may_hold_value, line.split())))


def is_readable(line: str) -> bool:
    """Whether a line has so few names that all of it is looked through."""
    return len(line) <= LONGEST or next(islice(_parts(line), MOST_PARTS, None), None) is None


def _parts(line: str) -> Iterator[str]:
    """A line as the patterns for names can take it: whole, or what stands around each name, so that nothing beside a name hides its value."""
    if len(line) <= LONGEST and len(MAYBE_NAMED.findall(line)) <= MOST_NAMES:
        yield line
        return
    covered = 0
    for name in MAYBE_NAMED.finditer(line):
        if name.end() > covered:
            covered = name.end() + AFTER_NAME // 2
            end = VALUE_REST.match(line, min(len(line), name.end() + AFTER_NAME))
            part = line[max(0, name.start() - BEFORE_NAME) : end.end() if end else len(line)]
            if any(map(_may_hold_value, VALUE_BREAK.split(part))):
                yield part


def _may_hold_value(word: str) -> bool:
    """Whether a part of a word could be a value: what every value has, asked before the slow patterns."""
    return len(word) >= SHORTEST and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


@lru_cache(maxsize=1 << 15)
def _exact_hits(line: str, sample: bool, may_be_named: bool) -> tuple[Hit, ...]:
    hits: list[Hit] = []
    if not may_be_named and not MAYBE.search(line):
        return ()
    for at in range(0, max(1, len(line) - OVERLAP), WINDOW - OVERLAP):
        window = line[at : at + WINDOW]  # cut before it is asked: a window within a long run begins one
        if MAYBE.search(window):
            hits += _exact(window, sample=sample)
    return tuple(hits)


@lru_cache(maxsize=8)  # of one line for several kinds of file
def _named_parts(line: str) -> tuple[tuple[str, bool], ...]:
    """The parts of a line that may hold a secret by its name, each with whether it matters for that what kind of file it is in."""
    return tuple((part, _names_value(part)) for part in islice(_parts(" ".join(line.split())), MOST_PARTS))


@lru_cache(maxsize=1 << 15)
def _named_hits(kind: str | None, part: str) -> tuple[Hit, ...]:
    return tuple(dict.fromkeys((*_sent(part), *(() if kind is None else _by_name(kind, part)))))


def _exact(line: str, *, sample: bool) -> Iterator[Hit]:
    """Values of a known form."""
    for form in known_forms():
        for pattern in form.patterns:
            for match in pattern.finditer(line):
                value = match[match.lastindex if match.lastindex and form.group else 0]
                if value and (_is_drawn(value, pattern) if form.random else not sample):
                    rest = REST.match(line, match.end(match.lastindex if match.lastindex and form.group else 0))
                    whole = value + (rest[0] if rest and form.random else "")  # newer tokens are longer than the form
                    yield Hit(whole, form.rule, form.what, form.severity)


def _is_drawn(value: str, pattern: re.Pattern[str]) -> bool:
    """Whether a machine has drawn a token; words that stand behind a whole one do not make it a sample."""
    word = PLACEHOLDER.search(value, SHORTEST)
    whole = value[: word.start()] if word is not None else ""
    return _is_random(value) or (pattern.fullmatch(whole) is not None and _is_random(whole))


def _by_name(path: str, line: str) -> Iterator[Hit]:
    """Values that are secret by their name."""
    from detect_secrets.filters.heuristic import is_indirect_reference as is_looked_up
    from detect_secrets.plugins.keyword import REGEX_BY_FILETYPE
    from detect_secrets.util.filetype import determine_file_type

    keyword, entropies = _detectors()
    bare_values = tuple(_bare_values(line)) if path in BARE_KINDS else ()
    connections = tuple(_connections(line))
    written = {value: whole for _, value, whole in connections}
    longer = tuple(f"{whole}{end}" for whole in written.values() for end in ";&")
    more_values = (
        *_marked_up(line, has_bare=path in BARE_KINDS),
        *(_assignment(name, value) for name, value, _ in connections),
    )
    for text in dict.fromkeys(
        (line, _bare_assignment(line), *_single_assignments(line), *_looked_up(line), *more_values, *bare_values)
    ):
        for value in keyword.analyze_string(text, REGEX_BY_FILETYPE.get(determine_file_type(path))):
            name, is_inside = _name_of(text, value)
            if value.startswith(longer):
                continue
            is_beside = is_inside or text != line  # of what the line looks up, if it does
            if _is_value(value) and not NO_SECRET.search(name) and (is_beside or not is_looked_up(line)):
                yield Hit(written.get(value, value), "password", "A password or key", exact=False)
    for text in (line, *more_values, *bare_values):
        for entropy in entropies if NAMED.search(text) else ():
            for value in entropy.analyze_string(text):
                if (
                    len(value) >= 2 * SHORTEST
                    and entropy.calculate_shannon_entropy(value) > entropy.entropy_limit
                    and _is_value(value)
                    and not NO_SECRET.search((place := _name_of(text, value))[0])
                    and (place[1] or text != line or not is_looked_up(line))
                ):
                    yield Hit(written.get(value, value), "random-value", "A token or key", exact=False)


def _sent(line: str) -> Iterator[Hit]:
    """What a request carries: the password of an address, the value of a header `Authorization`, the password of `curl -u`."""
    for login in re.finditer(r"://[^\s:/@'\"]*:([^\s:/@'\"{}$<>%]+)@[^\s'\"]+", line):
        if len(login[1]) >= SHORTEST and not LOCAL.search(login[0]) and _is_random(login[1]):
            yield Hit(login[1], "login-in-address", "A password in an address", exact=False)
    for match in islice(AUTHORIZATION.finditer(line), MOST_NAMES):
        if _is_value(match[1].rstrip(",;)")):
            yield Hit(match[1].rstrip(",;)"), "authorization-header", "A token in a header", exact=False)
    for match in islice(LOGIN.finditer(line) if SENDS.search(line) else (), MOST_NAMES):
        if _is_value(match[1]):
            yield Hit(match[1], "login-in-command", "A password in a command", exact=False)


def _name_of(line: str, value: str) -> tuple[str, bool]:
    """The name directly before a value, and whether that stands within brackets: of `f(user=a, key=b)` it is `key`.

    Of `key: Text = b` it is `key`; of `if path: key = b`, whose last word is what a value is given to, it is `key` too.
    """
    head = line[: max(0, line.find(value))]
    names = [part for part in SEPARATOR.split(head) if "=" in part or ":" in part] or [head]
    before = names[-1].rpartition("=")[0] or names[-1].rpartition(":")[0] or names[-1]
    typed, _, last = before.rstrip(":").rpartition(":")
    words = NAME.findall(last if MAYBE_NAMED.search(last) else typed or last)
    return words[-1] if words else "", len(names) > 1 or not head.startswith(names[-1])


def _bare_assignment(line: str) -> str:
    """The line as if the value stood alone behind its name: no type, no mark of a literal, no call that hands it on, no comment."""
    line = line.partition(" #")[0]
    for pattern, text in (
        (TYPED, r"\1 = "),
        (FALLBACK, "= "),
        (HANDED_ON, "= "),
        (PAIR, r" \1 = "),
        (YAML_MARK, r"\1"),
        (SIGN, "= "),
        (LITERAL_MARK, r"\1"),
        (COLON, r"\1 = "),
        (TRIPLE, r"\1"),
    ):
        line = pattern.sub(text, line)
    return line


def _looked_up(line: str) -> Iterator[str]:
    """The defaults of what is looked up by a name, each as an assignment to that name."""
    for match in islice(DEFAULT.finditer(line), MOST_NAMES):
        yield f"{match['key'] or match['member']} = {match['value']}"
    for match in islice(SHELL_DEFAULT.finditer(line), MOST_NAMES):
        yield _assignment(match["name"], match["value"])


def _marked_up(line: str, *, has_bare: bool) -> Iterator[str]:
    """The values of elements and entries of markup and of data, each as an assignment to its name. `has_bare`: they need no quotes."""
    for match in islice(ELEMENT.finditer(line), MOST_NAMES):
        names = [text for role, text, _ in _fields(match["attributes"] or "") if role not in VALUES]
        yield _assignment(names[0] if names else match["tag"], match["value"])
    halves: dict[bool, str] = {}  # whether it is the value -> text
    end = 0
    for role, text, match in _fields(line, has_bare=has_bare):
        if match["tag"] and role in VALUES:
            yield _assignment(match["tag"], text)
        if role != "id":
            if not BETWEEN.fullmatch(line, end, max(match.start(), match.start("role"))):
                halves.clear()
            halves.setdefault(role in VALUES, text)
            end = match.end()
        if halves.keys() == {False, True}:
            yield _assignment(halves[False], halves[True])
            halves.clear()


def _fields(line: str, *, has_bare: bool = False) -> Iterator[tuple[str, str, re.Match[str]]]:
    """(role, text, match) of what may be a half of an entry."""
    for match in islice(FIELD.finditer(line), 4 * MOST_NAMES):
        if text := match["quoted"] or match["text"] or (match["bare"] if has_bare else ""):
            yield (match["role"] or match["element"]).lower(), text, match


def _connections(line: str) -> Iterator[tuple[str, str, str]]:
    """(name, value without marks that tell nothing, value as it is written) of a text that tells how to connect."""
    for match in islice(CONNECTION_VALUE.finditer(line) if CONNECTION.search(line) else (), 4 * MOST_NAMES):
        name, value = match["name"] or match["key"], match["value"] or match["part"]
        if MAYBE_NAMED.search(name):
            yield name, ESCAPED.sub("", value), value


def _assignment(name: str, value: str) -> str:
    return f'{name} = "{value}"'


def _single_assignments(line: str) -> Iterator[str]:
    """The assignments of `user, password = "a", "b"` and the pairs of `{user: a, password: b}`, one by one."""
    for sign in islice(ASSIGNMENT.finditer(line), 4 * MOST_NAMES):
        targets = STATEMENT.split(line[: sign.start()].rstrip(": "))[-1]
        names, parts = targets.split(","), line[sign.end() :].partition(";")[0].split(",")
        if 1 < len(names) <= len(parts):
            for name, part in zip(names, parts, strict=False):
                yield f"{name.strip(BRACKETS)} = {part.strip(BRACKETS)}"
    if "{" in line:
        yield from (part.strip(BRACKETS) for part in BRACES.split(line) if MAYBE_NAMED.search(part) and ":" in part)


def _bare_values(line: str) -> Iterator[str]:
    """The values that stand without quotes in a shell, an image's file or a file of variables, each as an assignment."""
    for match in islice(BARE.finditer(line), 4 * MOST_NAMES):
        if MAYBE_NAMED.search(match["name"]):
            yield _assignment(match["name"], match["value"])


def _is_value(value: str) -> bool:
    """Whether a value could be a secret at all: not a word, a path, a template, a number or an id."""
    from detect_secrets.filters import heuristic

    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return (
        len(value) >= SHORTEST
        and letters
        and digits
        and not WORDY.search(value)
        and not heuristic.is_potential_uuid(value)
        and _is_random(value)
    )


def _is_random(value: str) -> bool:
    """Whether nobody made it up: no word that says so, no sequence, enough different characters."""
    from detect_secrets.filters import heuristic

    body = value[4:] if len(value) >= 4 * SHORTEST else value
    counts = [value.count(character) / len(value) for character in set(value)]
    bits = -sum(share * log2(share) for share in counts)
    enough = min(BITS, log2(len(value)) - 0.5)
    return not PLACEHOLDER.search(body) and not heuristic.is_sequential_string(value) and bits >= enough


def is_allowed(path: str, line: str, before: str) -> bool:
    """Whether a comment allows a secret (`pragma: allowlist secret`), on the line or on the one before."""
    if "allowlist" not in line and "allowlist" not in before:
        return False
    from detect_secrets.filters.allowlist import is_line_allowlisted
    from detect_secrets.util.code_snippet import get_code_snippet

    return bool(is_line_allowlisted(path, line, get_code_snippet([before, line], 2)))


@cache
def known_forms() -> tuple[TokenPattern, ...]:
    """Return every exact form of a token, those of the library included."""
    from detect_secrets.plugins import (
        aws,
        azure_storage_key,
        discord,
        github_token,
        gitlab_token,
        mailchimp,
        npm,
        openai,
        private_key,
        pypi_token,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        telegram_token,
    )

    def form(rule: str, what: str, detector: type, severity: Severity = "high") -> TokenPattern:
        patterns: Iterable[re.Pattern[str]] = detector.denylist  # type: ignore[attr-defined]
        # A letter behind a token, which its own alphabet may not hold, does not hide it.
        whole = [re.compile(one.pattern.removesuffix(r"(?!\w)"), one.flags) for one in patterns]
        return TokenPattern(rule, what, tuple(whole), severity)

    return (
        replace(form(KEY, "A private key", private_key.PrivateKeyDetector, "critical"), random=False),
        replace(form("aws-key", "An AWS key", aws.AWSKeyDetector, "critical"), group=True),
        form("azure-key", "An Azure storage key", azure_storage_key.AzureStorageKeyDetector, "critical"),
        *OWN,
        form("github-token", "A GitHub token", github_token.GitHubTokenDetector),
        form("gitlab-token", "A GitLab token", gitlab_token.GitLabTokenDetector),
        form("openai-key", "An OpenAI key", openai.OpenAIDetector),
        form("slack-token", "A Slack token", slack.SlackDetector),
        form("stripe-key", "A live Stripe key", stripe.StripeDetector),
        form("npm-token", "An npm token", npm.NpmDetector),
        form("pypi-token", "A PyPI token", pypi_token.PypiTokenDetector),
        form("sendgrid-key", "A SendGrid key", sendgrid.SendGridDetector),
        form("telegram-token", "A Telegram bot token", telegram_token.TelegramBotTokenDetector),
        form("discord-token", "A Discord bot token", discord.DiscordBotTokenDetector),
        form("mailchimp-key", "A Mailchimp key", mailchimp.MailchimpDetector),
        form("square-key", "A Square key", square_oauth.SquareOAuthDetector),
    )


def load() -> None:
    """Load the library behind the patterns, so that processes that are forked from this one need not."""
    _detectors()


@cache
def _detectors() -> "tuple[KeywordDetector, tuple[HighEntropyStringsPlugin, ...]]":
    from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString, HexHighEntropyString
    from detect_secrets.plugins.keyword import KeywordDetector

    return KeywordDetector(), (Base64HighEntropyString(), HexHighEntropyString())
