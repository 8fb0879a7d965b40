"""Ten files with two true-looking claims each: one that people dismiss, in six wordings, and another defect of the same file.

The wordings of a claim share no sentence: they differ in title, mechanism, consequence, trigger, category and quoted line, as models do
from one round to the next.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from deeprepo_sandbox import providers as doubles
from tests.rows import of


@dataclass(frozen=True, slots=True)
class Words:
    """One way to say it; `line` is the quoted line, by its place in the subject's function."""

    title: str
    why: str
    trigger: str
    category: str = "logic"
    line: int = 1


@dataclass(frozen=True, slots=True)
class Subject:
    """A function, the claim about it that its team dismisses for a reason, and the other defect."""

    name: str
    code: tuple[str, ...]
    reason: str
    claim: tuple[Words, ...]
    other: Words
    imports: str = ""  # of the file: code finds nothing of its own in it

    def file(self, pass_number: int) -> str:
        """The file in this round: each push changes the function beside the quoted lines."""
        return self.imports + "\n".join((*self.code, f"    # pass {pass_number}", "    return result")) + "\n"

    def finding(self, path: str, words: Words) -> dict[str, Any]:
        """What a reader reports."""
        return {
            "path": path, "quote": self.code[words.line], "title": words.title, "why": words.why, "trigger": words.trigger,
            "consequence": "A customer notices.", "severity": "high", "category": words.category, "claims": [], "evidence": [],
            "suggestion": None,
        }  # fmt: skip


SUBJECTS = (
    Subject(
        "freight",
        ("def freight(parcel, table):", "    unit = table.price / parcel.weight", "    result = round(unit * table[parcel.zone - 1], 2)"),
        "the form in front of this service refuses a weight of zero",
        (
            Words("Division by zero for letters", "A letter has the weight 0, and the price is divided by it.", "freight(Parcel(weight=0), table)"),
            Words("Unguarded denominator", "Nothing stops `weight` from being zero before it is used as a divisor.", "a parcel without a weight", "crash"),
            Words("freight() crashes on weightless items", "ZeroDivisionError is raised as soon as something weighs nothing.", "an e-mail voucher in the cart", "crash"),
            Words("Missing check of parcel.weight", "The caller may hand in any number, also 0, which this expression cannot take.", "freight() from the importer", "security", 0),
            Words("Price per unit is undefined for empty parcels", "An empty parcel makes the quotient infinite or fails.", "an empty box"),
            Words("Arithmetic error in an edge case", "With the smallest weight that the type allows, the first statement raises.", "weight = 0", "other"),
        ),
        Words("The zone is off by one", "Zones begin at 0 in the table, so zone 0 reads the last row.", "a parcel of zone 0", "logic", 2),
    ),
    Subject(
        "login",
        ("def login(user, token, log):", "    same = token == user.token", "    result = log.write(token) and same"),
        "the tokens are random and live for ten seconds",
        (
            Words("Timing attack on the token", "The comparison ends at the first byte that differs, which tells an attacker how much was right.", "many requests", "security"),
            Words("Token compared in non-constant time", "`==` on strings takes a time that depends on the common prefix.", "login(user, guess)", "security"),
            Words("Side channel in login()", "An attacker measures how long the equality takes and learns the secret byte by byte.", "a slow network", "security", 0),
            Words("hmac.compare_digest is not used", "Secrets have to be compared by a function whose time is constant.", "any login", "contract"),
            Words("Leak through response times", "Whoever may ask often finds the token from the duration of the check.", "a script", "other"),
            Words("Insecure equality", "A plain equality of credentials can be distinguished by the clock.", "a remote attacker"),
        ),
        Words("The token is written to the log", "log.write() stores the credential in plain text.", "any login", "security", 2),
    ),
    Subject(
        "shelf",
        ("def shelf(order, stock):", "    first = stock.shelves[0]", "    result = first.take(order.count) + first.take(order.count)"),
        "a warehouse always has a shelf: the migration creates one",
        (
            Words("IndexError for an empty warehouse", "`stock.shelves` may be empty, and then there is no first one.", "a new warehouse", "crash"),
            Words("First shelf is assumed to exist", "The subscript fails if nobody has set up a shelf yet.", "shelf(order, Stock([]))"),
            Words("Unchecked list access", "Index 0 is read although the list can have the length 0.", "an empty list", "crash"),
            Words("New sites cannot ship", "On a site without shelves this raises before anything is taken.", "the first order of a site", "other", 0),
            Words("Missing guard in shelf()", "There is no branch for stock without shelves.", "no shelves"),
            Words("Crash on the boundary of an empty collection", "The head of the collection is taken without a look at its size.", "shelves == []", "crash"),
        ),
        Words("The goods are taken twice", "take() is called twice, so each order takes the double amount.", "any order", "logic", 2),
    ),
    Subject(
        "refund",
        ("def refund(order, bank):", "    bank.pay(order.customer, order.total)", "    result = order.close() if order.total > 0 else None"),
        "the till asks for the payment before it calls refund()",
        (
            Words("Refund without a payment", "The money is sent although nobody looked whether the order was paid.", "an unpaid order"),
            Words("order.paid is never read", "Before paying back, the state of the payment would have to be known.", "refund(unpaid, bank)", "security"),
            Words("Customers can be paid for nothing", "Whoever opens an order and asks for a refund at once gets its total.", "an order that was just opened", "security", 0),
            Words("Missing precondition on the payment", "bank.pay() is reached for every order, whatever became of its invoice.", "an invoice that is due", "data-loss"),
            Words("State machine is not respected", "An order can go from `open` to `refunded` without having been `paid`.", "refund() on a new order", "other"),
            Words("Money is transferred unconditionally", "There is no condition before the transfer.", "any call"),
        ),
        Words("An order of zero is never closed", "For a total of 0 the order stays open for ever.", "a voucher order", "logic", 2),
    ),
    Subject(
        "report",
        ("def report(rows, db):", "    names = [db.customer(row.id).name for row in rows]", "    result = sorted(names)[:-1]"),
        "a report has ten rows at most",
        (
            Words("A query in a loop", "Each row asks the database once, so the cost grows with the report.", "a long report", "performance"),
            Words("N+1 selects", "db.customer() is called for each element instead of once for all.", "report(thousands, db)", "performance"),
            Words("Reports get slow as the shop grows", "The work is linear in round trips: one for every line.", "a shop of a year", "performance", 0),
            Words("Customers are loaded one by one", "A batch would do; here every iteration waits for the server.", "any report", "other"),
            Words("Latency multiplies", "With 20 ms for a round trip, a thousand lines take 20 seconds.", "1,000 rows", "performance"),
            Words("The ORM is used inefficiently", "Lazy loading inside of the comprehension issues a statement per row.", "a page of results"),
        ),
        Words("The last customer is missing", "The slice drops the last name of each report.", "any report", "logic", 2),
    ),
    Subject(
        "upload",
        ("def upload(name, data, root):", "    path = root / name", "    result = path.write_text(data) == len(data.encode())"),
        "names are made by our own form from a list of three",
        (
            Words("Path traversal by the name", "A name with `..` leaves the folder of uploads.", "upload('../../etc/passwd', ...)", "security"),
            Words("Unsanitised file name", "`name` comes from outside and is joined to the root as it is.", "a name with slashes", "security"),
            Words("Files outside of the root can be overwritten", "An absolute name replaces the whole left side of the join.", "upload('/tmp/x', ...)", "security", 0),
            Words("Directory escape in upload()", "The joined path is not resolved and compared with its base.", "`..` in a request", "data-loss"),
            Words("Arbitrary write", "Whoever chooses the name chooses where the bytes go.", "an attacker", "security"),
            Words("Missing validation of user input", "Neither separators nor parent folders are refused.", "a hostile client", "other"),
        ),
        Words("Characters are compared with bytes", "write_text() returns characters, so every text with an umlaut counts as failed.", "upload('a', 'ä', root)", "logic", 2),
    ),
    Subject(
        "retry",
        ("def retry(call, times):", "    while not call(): times -= 1", "    result = times >= 0 or call"),
        "call() gives up by itself after a minute",
        (
            Words("Endless loop", "The loop never looks at `times`, so a call that fails always goes on for ever.", "a server that is down"),
            Words("The limit of attempts has no effect", "`times` is counted down and nobody compares it.", "retry(fail, 3)", "crash"),
            Words("retry() may never return", "Termination depends on the call alone.", "a permanent failure", "concurrency", 0),
            Words("No bound on repetitions", "If the other side refuses, this spins until the process is killed.", "a refused connection", "performance"),
            Words("Busy waiting", "The condition is asked again at once and without end.", "an outage", "other"),
            Words("A worker can hang", "A thread that comes here with a broken call is lost.", "a broken call", "crash"),
        ),
        Words("A function is returned instead of an answer", "`or call` hands back the function itself once the attempts are used up.", "retry(fail, 0)", "contract", 2),
    ),
    Subject(
        "cache",
        ("def cached(key, store, make):", "    store[key] = store.get(key) or make(key)", "    result = store.pop(key)"),
        "keys are the twelve months",
        (
            Words("The cache grows without a bound", "Nothing is ever removed, so memory is kept for each key that was asked for.", "many keys", "performance"),
            Words("Memory leak in cached()", "Every new key adds an entry that nobody evicts.", "a long-running process", "performance"),
            Words("No eviction", "A store without a maximum size takes what memory there is.", "a crawler", "other", 0),
            Words("Unbounded dictionary", "Distinct keys accumulate over the life of the process.", "keys from requests", "performance"),
            Words("Out of memory after days", "The number of entries only ever rises.", "a week of traffic", "crash"),
            Words("Missing LRU", "A cache needs a limit, and this one has none.", "more keys than memory"),
        ),
        Words("The entry is removed when it is read", "pop() takes the value out again, so nothing is ever cached.", "the second call", "logic", 2),
    ),
    Subject(
        "dates",
        ("def due(day, zone):", "    now = datetime.now()", "    result = (day - now).days > 30 or zone.name"),
        "all our servers and customers are in one time zone",
        (
            Words("Naive local time", "datetime.now() has no zone, so the result depends on where the server stands.", "a server in another zone"),
            Words("Time zone is ignored", "`zone` is a parameter and the clock is read without it.", "due(day, tokyo)", "data-loss"),
            Words("Off by hours around midnight", "Customers east or west of the machine get yesterday or tomorrow.", "23:30", "logic", 0),
            Words("now() without tz", "Aware and unaware moments are mixed.", "an aware `day`", "crash"),
            Words("Daylight saving shifts the limit", "The wall clock jumps twice a year, and the difference with it.", "the last Sunday of March", "other"),
            Words("Wrong clock for deadlines", "A deadline needs UTC or the customer's own zone.", "a customer abroad"),
        ),
        Words("A name is returned where a truth value is expected", "Within 30 days the function returns the name of the zone, which is always true.", "a day in two weeks", "contract", 2),
        "from datetime import datetime\n\n\n",
    ),
    Subject(
        "total",
        ("def total(items, rate):", "    net = sum(item.price for item in items)", "    result = net * (1 + rate) * (1 + rate)"),
        "prices are whole cents, as integers",
        (
            Words("Money is added as floats", "Binary fractions add up to sums such as 0.30000000000000004.", "three items of 0.1", "data-loss"),
            Words("Rounding errors in total()", "The prices are summed without a fixed number of decimals.", "many small prices"),
            Words("Decimal should be used", "Floating point cannot hold most prices exactly.", "0.1 + 0.2", "data-loss", 0),
            Words("Cents get lost", "An invoice of a hundred lines may be off by a cent.", "a hundred lines", "logic"),
            Words("Imprecise arithmetic", "Accumulation order changes the last digits of the amount.", "another order of items", "other"),
            Words("The sum does not match the invoice", "The printed amount and the sum of the printed rows may differ.", "prices with fractions"),
        ),
        Words("Tax is added twice", "The factor (1 + rate) stands there twice.", "any rate", "logic", 2),
    ),
)  # fmt: skip
WAYS = ("withdrawn in a conversation", "rejected in a reply", "ignored in the thread", "ignored by its number")
CASES = [(subject, way) for subject in range(len(SUBJECTS)) for way in range(len(WAYS))]
CONFIRMED = {
    "verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": "r", "ground": "g", "limit": "none",
    "sentence": "", "repeats": "", "new_evidence": "",
}  # fmt: skip


@dataclass(slots=True)
class Reader:
    """A reader that reports what the round's script has, and a second opinion that is right about what is the same claim.

    It names a dismissed claim only if it is shown one that is the same, so what it is not shown is reported. It withdraws a claim for a
    fact that it is told, and leaves one that a reply rejects as it is.
    """

    subject: Subject
    reports: dict[str, tuple[Words, ...]] = field(default_factory=dict)  # what it says now, by path

    def __call__(self, request: Mapping[str, Any]) -> doubles.Reply:
        text = "\n".join(str(message["content"]) for message in request["messages"])
        if request["response_format"]["json_schema"]["name"] == "reply":
            withdraw = {
                "finding": 1,
                "because": "told",
                "reason": self.subject.reason,
                "words": f"{self.subject.reason}.",
            }
            return doubles.Reply(
                data={
                    "answer": "Then it cannot happen.",
                    "quotes": [],
                    "withdraw": [] if "Won't fix" in text else [withdraw],
                    "look_ups": [],
                }
            )
        if request["response_format"]["json_schema"]["name"] == "verdicts":
            ids = re.findall(r"^(C\d)\. The claim, about", text, re.MULTILINE)
            return doubles.Reply(data={"verdicts": [{**CONFIRMED, "claim": one} for one in ids]})
        if "The claim, about" in text:
            return doubles.Reply(data={**CONFIRMED, "repeats": self._repeated(text)})
        found = [
            self.subject.finding(path, words) for path, said in self.reports.items() for words in said if path in text
        ]
        return doubles.Reply(data={"answer": "Read.", "findings": found, "look_ups": [], "unsettled": []})

    def _repeated(self, text: str) -> str:
        """The id of the dismissed claim that this one makes again, "" if none of those that are shown is the same."""
        titles = [words.title for words in self.subject.claim]
        claim = (re.search(r"^Title: (.*)$", text, re.MULTILINE) or [""])[1]
        rows = re.findall(r"^(D\d): (.*)$", text, re.MULTILINE)
        return next((name for name, row in rows if claim in titles and any(title in row for title in titles)), "")


def other_claim(subject: Subject, way: int) -> Words:
    """The other defect; in half of the cases it is reported with the line and the category of the dismissed claim."""
    first = subject.claim[0]
    return replace(subject.other, line=first.line, category=first.category) if way in (1, 3) else subject.other


def planted(way: int) -> int:
    """The round in which a reader sees the other defect first."""
    return (1, 2, 3, 2)[way]


def rounds(subject: Subject, way: int) -> list[tuple[Words, ...]]:
    """What a reader says in each of three rounds: every wording once, and the other defect from its round on."""
    claim, other = subject.claim, other_claim(subject, way)
    said = [(claim[0],), (claim[1], claim[2]), (claim[3], claim[4], claim[5])]
    return [(*words, other) if number >= planted(way) else words for number, words in enumerate(said, 1)]


def titles(review: Mapping[str, Any], *statuses: str) -> set[str]:
    """The titles of the findings of these statuses in the JSON output."""
    return {row["title"] for row in of(review, *statuses)}


def problems_of(review: Mapping[str, Any], subject: Subject, way: int, number: int) -> list[str]:
    """What is wrong with the JSON output of a round: a dismissed claim that is said, another defect that is not."""
    told, other, problems = titles(review, "new", "still"), other_claim(subject, way), []
    if number >= planted(way) and other.title not in told:
        problems.append(f"round {number}: silenced: {other.title}")
    repeats = {words.title for words in subject.claim} & told
    if repeats != (
        {subject.claim[0].title} if number == 1 or way == 1 else set()
    ):  # what a reply rejects stays open itself
        problems.append(f"round {number}: said: {', '.join(sorted(repeats)) or 'nothing'}")
    return problems
