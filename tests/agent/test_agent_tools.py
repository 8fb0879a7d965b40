import asyncio

import pytest
from fakes import Repository
from shop import AFTER, BEFORE, REPORT, Table
from waits import patience

from bot.review.agent import tools
from bot.review.agent.state import RunState
from bot.review.agent.tools import report
from bot.review.session import Session
from bot.sections.overlooked import ListedPlace
from bot.values import Finding, Source, Verdict
from deeprepo.rlm.errors import ProviderRefused
from deeprepo.rlm.repl.process import Repl
from deeprepo.rlm.values import Completion, Limits, Usage
from tests.findings_changed import changed


def blocks(table: Table, *codes: str) -> tuple[list[str], Session, RunState]:
    """Run blocks in a session; return what each prints or its error, the session and the state."""

    async def step(session: Session) -> tuple[list[str], Session, RunState]:
        state = RunState(session, source=Source("model", "scripted/root", "root"))
        async with Repl(await tools.variables(session), tools.functions(state), Limits()) as repl:
            seen = [await repl.run(code) for code in codes]
        return [one.error or one.output.rstrip("\n") for one in seen], session, state

    return table.run(step)


def test_read_numbers_lines_and_suggests_the_nearest_path(table: Table) -> None:
    """Lines are numbered, both sides can be read, and a missing path gets the nearest one as a suggestion."""
    said, _, _ = blocks(
        table,
        "print(read('shop/price.py', 2, 3))",
        "print(read('shop/price.py', 2, base=True))",
        "print(read('price.py'))",
        "print(read('../../etc/passwd'))",
        "print(diff('shop/order.py'))",
        "print(diff('shop/cart.py'))",
    )
    assert said[0] == "--- shop/price.py, of 8 lines ---\n    2     if not items:\n    3         return None"
    assert said[1].startswith("--- shop/price.py (base), of 6 lines ---\n    2     return sum(")
    assert said[2] == "[price.py does not exist; did you mean shop/price.py?]"
    assert said[3] == "[../../etc/passwd does not exist]"
    assert "--- shop/order.py [modified]\n@@ -" in said[4]
    assert "+5     print('booking', order)" in said[4]
    assert "[shop/cart.py is not part of the change" in said[5]


def test_file_name_forges_no_row_of_another_file(repository: Repository) -> None:
    """A file whose name contains a line break and another file's path is shown under its own, quoted name."""
    odd = "x\n" + "A" * 41 + "shop/price.py"
    said, _, _ = blocks(
        Table(repository.change(BEFORE, {**AFTER, odd: "\ncheck(owner)\n"})),
        "print(search('owner')[0])",
    )
    assert said == [f'"x\\n{odd[2:]}":2: check(owner)']


def test_failed_slot_contains_an_error(table: Table) -> None:
    """A failed prompt leaves an error in its slot; last_batch() returns the batch of a block that failed."""
    table.worker = lambda asked: ProviderRefused("too long") if "b" in asked.messages[0].text else "fine"
    said, _, _ = blocks(
        table,
        "r = llm_query_batched(['a', 'b'])\n1 / 0",
        "print(last_batch(), llm_query('c'))",
        "llm_batch('one text')",
    )
    assert said[1] == "['fine', '[worker error: too long]'] fine"
    assert "llm_batch takes a list of prompts" in said[2]


def test_report_refuses_invalid_findings_with_a_reason(table: Table) -> None:
    """Forged paths, forged quotes, duplicates and empty texts are refused with a reason."""
    said, session, _ = blocks(
        table,
        REPORT,
        REPORT,
        "print(report('../secret.py', 'x = 1', 't', 'w'))",
        "print(report('shop/price.py', 'return undefined', 't', 'w'))",
        "print(report('shop/price.py', '        return None', 't', ''))",
        "print(report('shop/price.py', '        return None', 't', 'w', severity='huge'))",
        "print(report('shop/cart.py', 'def show(cart):', 'second', 'w', category='made-up', evidence=[['shop/none.py', 'x']]))",
    )
    first = session.results.findings[0]
    state = "not confirmed"
    assert said[0] == f"{first.fingerprint} accepted at shop/price.py:3; {state}"
    assert (
        said[1]
        == f"refused: it is reported already, as {first.fingerprint} by root scripted/root, and this adds nothing"
    )
    assert "does not occur in ../secret.py" in said[2]
    assert "does not occur in shop/price.py" in said[3]
    assert said[4] == "refused: title and why must say something"
    assert said[5] == "refused: severity must be one of critical, high, medium, low"
    assert "1 of 1 evidence quotes were not found in the tree" in said[6]
    assert [(f.source, f.start, f.category) for f in session.results.findings] == [
        ("root scripted/root", 3, "crash"),
        ("root scripted/root", 4, "other"),
    ]


def test_agree_supports_a_finding_with_the_line_that_decides(table: Table) -> None:
    """agree() keeps another pass's words, and takes a severity only with a line that exists."""

    async def step(session: Session) -> tuple[list[str], Finding]:
        reader = RunState(session, source=Source("model", "scripted/root", "root", view="diff"))
        told = (await report.report(reader, "shop/price.py", "        return None", "It returns None", "why")).split()[
            0
        ]
        root = RunState(session, source=Source("model", "scripted/root", "root"))
        said = [await report.agree(root, told, "shop/cart.py", "no such line", "critical")]
        said.append(await report.agree(root, told, "shop/cart.py", "def show(cart):", "high"))
        return said, session.results.findings[0]

    said, finding = table.run(step)
    assert said == [
        "refused: shop/cart.py has no such line: quote the line that decides, whole and verbatim",
        "supported, now high",
    ]
    assert (finding.title, finding.basis.votes, finding.severity) == ("It returns None", 2, "high")
    assert [(item.path, item.quote) for item in finding.evidence] == [("shop/cart.py", "def show(cart):")]


def test_corrected_finding_replaces_the_old_one_unless_code_has_proven_it(table: Table) -> None:
    """A report instead of another finding leaves one finding with both sources. A proven one stays as well."""

    async def step(session: Session) -> tuple[list[Finding], RunState]:
        reader = RunState(session, source=Source("model", "scripted/root", "root", view="diff"))
        old = await report.report(reader, "shop/price.py", "    if not items:", "It is empty", "why")
        root = RunState(session, source=Source("model", "scripted/root", "root"))
        new = await report.report(root, "shop/cart.py", "def show(cart):", "show() fails", "why", instead_of=old)
        (only,) = rows = session.results.findings
        rows[0] = changed(only, verdict=Verdict.PROVEN)
        await report.report(root, "shop/order.py", "def book(order):", "book() prints", "why", instead_of=new)
        return [only, *rows], root

    (only, *left), root = table.run(step)
    assert (only.path, only.basis.votes) == ("shop/cart.py", 2)
    assert left[1].path == "shop/order.py"
    assert "code has proven it" in str(root.refusals)


def test_root_supports_an_absence_by_a_search_and_reports_a_listed_place(table: Table) -> None:
    """A search that finds nothing supports a finding, unless no file fits its glob. A listed place becomes a finding."""

    async def step(session: Session) -> tuple[list[str], RunState]:
        reader = RunState(session, source=Source("model", "scripted/root", "root", view="diff"))
        told = (await report.report(reader, "shop/price.py", "    if not items:", "No test", "why")).split()[0]
        root = RunState(session, source=Source("model", "scripted/root", "root"))
        session.results.listed = (
            ListedPlace("shop/cart.py", 4, "x", "word", "", 0, was_given=True, new_path="", fingerprint="abcd"),
        )
        globs = "*.tsx", "shop/*.py"
        said = [await report.agree(root, told, glob, "def show") for glob in globs]
        said.append(await report.agree(root, told, "shop/*.py", "def nobody"))
        said.append(await report.report(root, "shop/cart.py", "def show(cart):", "It is old", "why", instead_of="abcd"))
        return said, root

    said, root = table.run(step)
    assert said[0] == "refused: no text file fits '*.tsx'"
    assert said[1].startswith("refused: the search finds shop/cart.py:")
    assert said[2] == "supported"
    assert "accepted at shop/cart.py" in said[3]
    assert len(root.refusals) == 1


def test_report_only_adds_evidence_to_a_proven_finding(table: Table) -> None:
    """A root's report only adds evidence to a proven finding."""

    async def step(session: Session) -> tuple[str, Finding]:
        state = RunState(session, source=Source("model", "", "root"))
        await report.report(state, "shop/price.py", "        return None", "first", "why", category="crash")
        session.results.findings[0] = changed(session.results.findings[0], verdict=Verdict.PROVEN)
        told = await report.report(
            state, "shop/price.py", "        return None", "bland", "nothing", severity="low", category="crash",
            evidence=[["shop/cart.py", "def show(cart):"]],
        )  # fmt: skip
        return told, session.results.findings[0]

    told, finding = table.run(step)
    assert told.endswith("updated: it keeps its words and takes what is new in yours; proven by a static check")
    assert (finding.title, finding.severity, len(finding.evidence)) == ("first", "medium", 1)


def test_challenge_of_a_proof_requires_an_existing_quote(table: Table) -> None:
    """A challenge without a quote, or with one that does not exist, is refused."""

    async def step(session: Session) -> tuple[list[str], Finding]:
        state = RunState(session, source=Source("model", "", "root"))
        await report.report(state, "shop/price.py", "        return None", "first", "why", category="crash")
        rows = session.results.findings
        rows[0] = changed(rows[0], verdict=Verdict.PROVEN)
        told = [await report.drop(state, rows[0].fingerprint, "wrong")]
        told.append(await report.drop(state, rows[0].fingerprint, "wrong", "shop/cart.py", "def hide(cart):"))
        told.append(await report.drop(state, rows[0].fingerprint, "wrong", "shop/cart.py", "def show(cart):"))
        return told, rows[0]

    (words, nowhere, line), finding = table.run(step)
    assert words.startswith("refused: code has proven it")
    assert nowhere.startswith("refused: code has proven it")
    assert line.startswith("challenged with shop/cart.py:")
    assert (finding.verdict, finding.is_challenged) == ("proven", True)
    assert finding.evidence[0].note == "speaks against it"


def test_suspected_secret_can_be_neither_reworded_nor_dropped(table: Table) -> None:
    """The root only sees a mask, so the finding keeps its text and category; only people may dismiss it."""

    async def step(session: Session) -> tuple[str, Finding]:
        state = RunState(session, source=Source("model", "", "root"))
        await report.report(state, "shop/price.py", "        return None", "A password is committed", "why")
        by_code = (Source("analyser", "secrets"),)
        session.results.findings[0] = changed(session.results.findings[0], category="secret", sources=by_code)
        await report.report(
            state, "shop/price.py", "        return None", "A password is committed", "none", severity="low", category="style"
        )  # fmt: skip
        told = session.results.findings[0].fingerprint
        assert await report.agree(state, told, "shop/price.py", "        return None", "low") == "supported"
        return await report.drop(state, told, "made up"), session.results.findings[0]

    answer, finding = table.run(step)
    assert answer.startswith("refused: code has found a secret there")
    assert (finding.category, finding.severity, finding.why) == ("secret", "medium", "why")


def test_empty_result_has_an_explanation(table: Table) -> None:
    """An empty result stays an empty list, with a note if the pattern or glob cannot match."""
    looks = "search('total', '*.{ts,tsx}')", "search('TOTAL')", "callers('total')", "search('nothing like it')"
    said, _, state = blocks(table, f"print({', '.join(looks)})")
    assert said == ["[] [] [] []"]
    assert list(state.notes) == [
        "search('total', '*.{ts,tsx}'): no text file fits the glob",
        "search('total', '*.{ts,tsx}'): no line matches; without the glob 3 lines would, as shop/cart.py:1",
        "search('TOTAL'): no line matches; ignoring case 3 lines would, as shop/cart.py:1",
        "callers('total'): no place in code; search() finds the word in 3 lines: shop/cart.py:1, shop/cart.py:5, shop/price.py:1",
    ]


def test_search_leaves_out_excluded_paths(table: Table) -> None:
    """A glob with an exclamation mark excludes paths."""
    said, _, _ = blocks(table, "print(*search('total', '!shop/cart.py'), *search('total', '!*.py'), sep='\\n')")
    assert [row.partition(":")[0] for row in said[0].splitlines()] == ["shop/price.py"]


def test_canceling_ends_a_block_and_its_worker_call(table: Table) -> None:
    """Canceling ends the block and its worker call, although the call would never return."""
    asked = asyncio.Event()
    table.delay = 3600.0
    table.worker = lambda _: asked.set() or "never"

    async def step(session: Session) -> str:
        state = RunState(session, source=Source("model", "", "root"))
        async with Repl({}, tools.functions(state), Limits()) as repl:
            running = asyncio.create_task(repl.run("llm_query('for ever')"))
            await asyncio.wait_for(asked.wait(), patience())
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(running, patience())
        async with asyncio.timeout(patience()):
            # The event loop cancels the call shortly after the block in its thread.
            while not (calls := [line for line in session.calls.journal.lines if line["kind"] == "call"]):  # noqa: ASYNC110
                await asyncio.sleep(0)
        return calls[-1]["error"]

    assert table.run(step) == "cancelled"


@pytest.mark.parametrize("reply", [Completion("I cannot help.", Usage(), "refusal"), Completion(" ", Usage(1, 1))])
def test_empty_model_answer_leaves_the_code_unread(table: Table, reply: Completion) -> None:
    """A model that declines or answers nothing has read nothing, so the code region stays unread."""
    table.worker = lambda _: reply
    said, session, _ = blocks(table, "print(llm_query(units[0]['diff']))")
    assert said == [f"[worker error: scripted/worker {reply.lack}]"]
    assert len(session.tracker.unread()) == len(session.units)
