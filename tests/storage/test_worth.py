from dataclasses import replace

from bot.storage import FinishedReview, Store, StoredFinding
from bot.storage.findings import OutcomeCounts
from bot.values import Dismissal, PullRef, Rejection

PULL = PullRef(7, 70, "acme", "shop", 1)
FOUND = StoredFinding("", "new", "high", "logic", "worker a/b", "", "t")


async def merged(store: Store, pull: PullRef, findings: dict[str, StoredFinding], *, merge: bool = True) -> None:
    """Store a merged or closed pull request whose review's findings were not addressed."""
    shown = tuple(replace(one, fingerprint=name) for name, one in findings.items())
    done = FinishedReview(
        f"job-{pull.key}", "h", "opened", 1, 90.0, 100.0, "neutral", "parts", 1, 9, 0.5, pull, b"{}", shown
    )
    await store.reviews.save(done)
    await store.reviews.close(pull, 200.0, merged=merge)
    await store.outcomes.close(pull, 200.0)


async def test_findings_are_counted_by_kind_and_folder(store: Store) -> None:
    """Findings that people dismissed count as ignored or rejected, all others as left."""
    noise = {f"n{n}": replace(FOUND, path=f"db/migrations/{n}/up.py") for n in range(6)}
    wanted = {f"w{n}": replace(FOUND, kind="F601", path=f"shop/{n}.py") for n in range(6)}
    await merged(store, PULL, noise | wanted)
    for name in noise:
        how: Rejection = "ignored" if name == "n0" else "withdrawn"
        await store.people.dismiss(PULL, Dismissal(name, "no", how, "ann"), 150.0)
    worth = await store.worths.since(None, 150.0)
    assert worth.by_kind == {"F601": OutcomeCounts(left=6), "logic": OutcomeCounts(rejected=5, ignored=1)}
    assert worth.by_path == {"acme/shop: db/": worth.by_kind["logic"], "acme/shop: shop/": OutcomeCounts(left=6)}


async def test_only_merged_pull_requests_in_the_period_and_scope_count(store: Store) -> None:
    """Unmerged pull requests, other installations and other periods are excluded, including their cost."""
    await merged(store, PULL, {"a": replace(FOUND, path="a.py")})
    await merged(store, replace(PULL, number=2), {"b": replace(FOUND, path="b.py")}, merge=False)
    await merged(store, replace(PULL, number=3, installation=8, repository=71, name="web"), {"c": FOUND})
    whole, ours = await store.worths.since(None, 150.0), await store.worths.since((7,), 150.0)
    assert (whole.pulls, whole.usd, whole.results) == (2, 1.0, OutcomeCounts(left=2))
    assert (ours.pulls, ours.usd, ours.by_path) == (1, 0.5, {"acme/shop: /": OutcomeCounts(left=1)})
    assert (await store.worths.since(None, 250.0)).pulls == 0
