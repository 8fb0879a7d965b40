"""Access to every page and ID for four kinds of people and the operator."""

import re
import time
from pathlib import Path
from urllib.parse import quote

import httpx2
from visiting import Visit, form, stored, visit

from bot.storage import FinishedReview
from bot.values import PullRef

PAGES = ("/", "/?days=7", "/?repositories=all", "/reviews", "/reviews?state=findings", "/queue", "/worth")
SEEN = {"ann": {"shop"}, "bob": {"shop", "grid"}, "operator": {"shop", "grid"}}
NOBODY = ("mia", "sam")


async def _entered(at: Visit) -> dict[str, httpx2.AsyncClient]:
    found = {"operator": await at.operator()}
    for login in ("ann", "bob"):
        assert (await at.sign_in(login)).status_code == 303
        found[login] = await at.browser(login)
    return found


async def test_each_person_sees_only_their_own_data_on_every_page(tmp_path: Path) -> None:
    """Admins of one or two installations and the operator; sums exclude other people's data."""
    async with visit(tmp_path) as at:
        await stored(at)
        for login, http in (await _entered(at)).items():
            for path in PAGES:
                page = await http.get(path)
                assert page.status_code == 200, path
                named = {name for name in ("shop", "grid") if re.search(rf"/{name}\b", page.text)}
                assert named == SEEN[login], (login, path)
            home = (await http.get("/")).text
            assert f"<dt>Pull requests</dt><dd>{len(SEEN[login])}</dd>" in home
            assert f"<dt>Cost</dt><dd>${0.25 * len(SEEN[login]):.2f}</dd>" in home


async def test_unknown_price_is_not_shown_as_zero(tmp_path: Path) -> None:
    """With one review of unknown price, no amount is shown, and "1 review" is singular."""
    async with visit(tmp_path) as at:
        pull = PullRef(at.shop.installation, at.shop.id, "acme", "shop", 1)
        now = time.time()
        await at.server.opened.store.reviews.save(
            FinishedReview(
                "review~1~1#1~a", "a" * 40, "push", 1, now - 9, now, "neutral", "parts", 2, 900, None, pull, b"{}"
            )
        )
        page = (await (await at.operator()).get("/")).text
        assert "1 review of unknown price" in page
        assert "No prices are known." in page
        assert "<dt>Cost</dt><dd>$" not in page
        assert "nothing spent" not in page
        assert "1 reviews" not in page


async def test_inaccessible_review_looks_like_a_missing_one(tmp_path: Path) -> None:
    """An unknown ID, an invalid ID and another person's ID get identical answers."""
    async with visit(tmp_path) as at:
        jobs = await stored(at)
        ann = (await _entered(at))["ann"]
        mark = form((await ann.get("/queue")).text)
        other, ours = at.grid, at.shop
        nothing = await ann.get("/reviews/nothing")
        gets = [f"/reviews/{quote(jobs['grid'])}", f"/reviews?repository={other.id}", "/reviews?repository=1"]
        gets += ["/reviews?repository=x", f"/reviews?repository={'9' * 30}"]
        answers = [await ann.get(path) for path in gets]
        names = (f"{other.id}#12", "1#1", "", "\0")
        answers += [await ann.post("/retry", data={"form": mark, "failure": name}) for name in names]
        assert {(one.status_code, one.text) for one in answers} == {(404, nothing.text)}
        assert (await ann.get(f"/reviews/{quote(jobs['shop'])}")).status_code == 200
        assert (await ann.get(f"/reviews?repository={ours.id}")).status_code == 200
        assert len(await at.server.opened.store.failures.newest(None, 9)) == 2


async def test_people_who_administer_nothing_are_refused(tmp_path: Path) -> None:
    """Members and strangers get a message and no session, and every page redirects them to the sign-in."""
    async with visit(tmp_path) as at:
        jobs = await stored(at)
        paths = [
            *PAGES,
            *(f"/reviews/{quote(job)}" for job in jobs.values()),
            "/reviews/nothing",
            f"/reviews?repository={at.grid.id}",
        ]
        for login in NOBODY:
            refused = await at.sign_in(login)
            assert (refused.status_code, "does not administer any installation" in refused.text) == (403, True)
            http = await at.browser(login)
            for path in paths:
                page = await http.get(path)
                assert (page.status_code, page.headers["location"].startswith("/signin"), page.text) == (303, True, "")
            gone = await http.post("/retry", data={"failure": f"{at.shop.id}#11", "form": "x"})
            assert (gone.status_code, gone.headers["location"]) == (303, "/signin")


async def test_admin_of_only_some_repositories_is_refused(tmp_path: Path) -> None:
    """A single repository that they do not administer or cannot see is enough to refuse them."""
    async with visit(tmp_path) as at:
        more = await at.gh.repository("acme", "more", private=True)
        assert (await at.sign_in("ann")).status_code == 403
        more.add("ann", "read")
        assert (await at.sign_in("ann")).status_code == 403
        more.add("ann", "admin")
        assert (await at.sign_in("ann")).status_code == 303


async def test_markup_in_titles_and_messages_is_escaped(tmp_path: Path) -> None:
    """Markup in titles and messages is shown as text."""
    async with visit(tmp_path) as at:
        jobs = await stored(at)
        http = await at.operator()
        for path in ("/", "/reviews", "/queue", f"/reviews/{quote(jobs['shop'])}"):
            page = await http.get(path)
            assert "alert(1)" not in page.text or "&lt;script&gt;alert(1)" in page.text
            assert "<script>alert" not in page.text
            assert "\u202e" not in page.text
            assert "unsafe" not in page.headers["content-security-policy"]
            assert " style=" not in page.text


async def test_failed_job_can_be_retried_once(tmp_path: Path) -> None:
    """The button repeats the job and removes the failure; without the form's token nothing happens."""
    async with visit(tmp_path) as at:
        await stored(at)
        http = (await _entered(at))["ann"]
        page, name = (await http.get("/queue")).text, f"{at.shop.id}#11"
        for said in ({}, {"form": "x"}):
            await http.post("/retry", data={"failure": name, **said})
        assert at.server.done == []
        again = await http.post("/retry", data={"failure": name, "form": form(page)})
        assert (again.status_code, again.headers["location"]) == (303, "/queue")
        (ask,) = await at.server.worked(1)
        assert (ask.pull.number, ask.trigger) == (11, "push")  # type: ignore[union-attr]
        assert "shop broke" not in (await http.get("/queue")).text
        assert (await http.post("/retry", data={"failure": name, "form": form(page)})).status_code == 404
