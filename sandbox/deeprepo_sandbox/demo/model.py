"""The demo's scripted model, whose answers about the sample change were written in advance.

The bot calls it like any other model. One of its findings is wrong, so that a visitor can correct it.
"""

import re
from collections.abc import Mapping
from typing import Any

from deeprepo_sandbox import honest, providers
from deeprepo_sandbox.providers import Reply

NAME = "compatible/scripted"
NOTICE = (
    "The bot uses a scripted model here, whose findings and answers were written for this demo. Static checks, comments, "
    "rules and counts are real."
)
CHARGED = '    return Decimal("4.50") if region in REMOTE else Decimal(0)'
PRODUCT = "    return PER_KG[zone] * Decimal(weight_kg) * SERVICES[service]"
GUARD = "    if weight_kg <= 0:"
WRONG, UNCHARGED = "A negative weight gives a negative price", "A capitalized remote region is not charged"
FINDINGS: tuple[Mapping[str, Any], ...] = (
    {
        "path": "parcel/rates.py",
        "quote": PRODUCT,
        "line": 23,
        "title": WRONG,
        "why": "The weight is not checked before the multiplication, so a negative weight gives a negative price.",
        "consequence": "The shop pays the customer.",
        "trigger": 'quote(-1, "local", service="standard")',
        "severity": "high",
        "category": "logic",
    },
    {
        "path": "parcel/rates.py",
        "quote": CHARGED,
        "line": 12,
        "title": UNCHARGED,
        "why": "The comparison is case-sensitive, and the names in `REMOTE` are lowercase.",
        "consequence": "A parcel to Iceland is shipped without the surcharge.",
        "trigger": 'remote_surcharge("Iceland")',
        "severity": "medium",
        "category": "logic",
        "suggestion": CHARGED.replace("region in", "region.lower() in"),
    },
)
READ: Mapping[str, Any] = {
    "overview": (
        "Shipping now has named services: `quote` takes a `service` instead of the `express` flag, and overnight is a new service. "
        "`surcharge` was renamed to `remote_surcharge`. Parcels are now announced to the carrier over the network, so an order can "
        "now fail halfway."
    ),
    "look_first": "parcel/carrier.py",
}
PHRASES: Mapping[str, str] = {
    "parcel/carrier.py": "Carrier | new: announces a parcel to the carrier",
    "parcel/rates.py": "Prices | takes a service instead of a flag; renames the surcharge",
    "parcel/checkout.py": "Prices | passes the ordered service",
    "tests/test_rates.py": "Tests | tests the price of an overnight parcel",
}
ISSUE: Mapping[str, Any] = {
    "number": 1,
    "asks": "Orders can be shipped overnight, and the label names the service.",
    "done": "partly",
    "missing": "The label still says EXPRESS.",
}
UNNAMED = "    raise RuntimeError(f\"the carrier refused parcel {parcel_id}: {answer['status']}\")"
AGAIN = "The code shown does not say whether `announce` is called again when an order is retried."
SCRIPTED = (
    "This answer is scripted. With an API key, a real model answers here. It sees the finding with its evidence, the current code "
    "and the conversation."
)
YES = "You are right. `quote` raises an error for a weight of zero or less before it reaches this line."
SHOW = "`quote(-1, ...)` would return -1.20. If code before this line rejects such a weight, tell me where, and I will withdraw the finding."
NOT_YET = "Not yet: the last review has {open}. The calls in unchanged files fail when they run."
SAFE = "The last review has no open findings."
ARGUES = re.compile(r"guard|above|further up|rais|refus|reject|<= ?0|negative", re.IGNORECASE)
NO_ANSWER = re.compile(
    r"\s*(?:thank|won'?t fix|not a bug|by design|false positive|works as intended)", re.IGNORECASE
)  # and none is needed
REMARK = re.compile(r"^--- the remark to answer.*?---\n(.*?)\n--- end ---", re.DOTALL | re.MULTILINE)
LISTED = re.compile(r"^- \d+\. ", re.MULTILINE)


def answer(body: Mapping[str, Any]) -> Reply:
    """The reply to one request, by the form that it asks for."""
    form = body["response_format"]["json_schema"]["schema"]["properties"]
    shown = "\n".join(str(message["content"]) for message in body["messages"])
    if "verdict" in form or "verdicts" in form:
        return providers.verdict(body, _verdict)
    if "withdraw" in form:
        return Reply(data=_remark(shown))
    if "sketch" in form:
        return Reply(data={"answer": SCRIPTED, "quotes": [], "sketch": None, "more": []})
    return Reply(data=_read(shown, form))


def _read(shown_text: str, form: Mapping[str, Any]) -> dict[str, Any]:
    """The findings on lines that are shown; what the change does if all of it is asked for."""
    found = [{"suggestion": None, **one, "evidence": []} for one in FINDINGS if one["quote"].strip() in shown_text]
    judged = [f"{row} | {PHRASES.get(row.partition(' | ')[0], ' | ')}" for row in honest.files([shown_text])]
    said = {"answer": "", "findings": found, "look_ups": [], "unsettled": [], "files": judged}
    more = {name: READ[name] for name in ("overview", "look_first") if name in form}
    if "checks" in form:
        said["checks"] = _checks(shown_text)
    return said | more | ({"issues": [ISSUE]} if "issues" in form else {})


def _checks(shown_text: str) -> list[dict[str, Any]]:
    """What the checks of the repository's owner are answered, by their names."""
    is_broken = UNNAMED.strip() in shown_text
    unnamed: dict[str, Any] = {
        "verdict": "failed" if is_broken else "passed",
        "reason": "`parcel_id` is not defined." if is_broken else "",
        "quotes": [{"path": "parcel/carrier.py", "quote": UNNAMED}] if is_broken else [],
    }
    again: dict[str, Any] = {"verdict": "undecided", "reason": AGAIN, "quotes": []}
    answers_by_name = {"errors name the parcel": unnamed, "announced once": again}
    rows = re.findall(
        r"^(\d+)\. ([\w ]+?)(?: \(in|:)",
        shown_text.partition("--- checks of the repository's owner ---")[2],
        re.MULTILINE,
    )
    return [{"check": int(number), **answers_by_name[name]} for number, name in rows if name in answers_by_name]


def _verdict(shown_text: str) -> dict[str, Any]:
    """Confirmed: the harness shows the finding, and its trigger stays as it is."""
    own = [one for one in FINDINGS if one["title"] in shown_text]  # an earlier one may be named beside it, as withdrawn
    trigger = min(own, key=lambda one: shown_text.index(one["title"]))["trigger"] if own else ""
    return {"verdict": "confirmed", "trigger": trigger, "author_would_change": True, "reason": "", "look_ups": []}


def _remark(shown_text: str) -> dict[str, Any]:
    """What a remark gets: a withdrawal if it argues against the one finding that is wrong."""
    (said,) = REMARK.findall(shown_text)[-1:] or ("",)
    reply: dict[str, Any] = {"answer": SCRIPTED, "quotes": [], "withdraw": [], "look_ups": []}
    if NO_ANSWER.match(said):
        return reply | {"answer": ""}
    if f"\n{WRONG}\n" in shown_text:
        if not ARGUES.search(said):
            return reply | {"answer": SHOW}
        taken = {"finding": 1, "because": "code", "reason": "A guard further up rejects the weight.", "words": ""}
        return reply | {
            "answer": YES,
            "quotes": [{"path": "parcel/rates.py", "quote": GUARD}],
            "withdraw": [taken],
        }
    if "--- finding 1" in shown_text:
        return reply
    open_ones = len(LISTED.findall(shown_text))
    told = NOT_YET.format(open=f"{open_ones} findings") if open_ones else SAFE
    return reply | {"answer": f"{told} {SCRIPTED}"}
