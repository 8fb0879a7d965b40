"""An organization's defaults on a real server: they apply, name their source, and leak nothing in public."""

from dataclasses import replace

from whole import BASE, Whole

BAR = "fail_on: high\nenforce: [fail_on, ignore]\n"
SECRET = "codename-heron"
TEXTS = (
    f'instructions: [{{path: "**", text: "Ask @all {SECRET} about ::error::x"}}]\n'
    f'ignore: [{{path: "**", kind: claims, reason: "{SECRET} checks this."}}, '
    f'{{path: "{SECRET}/**", kind: logic, reason: "{SECRET}"}}]\n'
    f'instructions: [{{name: "{SECRET}", text: "{SECRET}?", must: note}}]\n'
    f'ignore: ["{SECRET}/"]\n'
    f'triggers: {{skip_authors: ["{SECRET}"]}}\n'
    f"{SECRET}: unknown\n"
)


async def organization(at: Whole, text: str) -> None:
    """Create the organization's defaults repository."""
    await at.gh.repository("acme", ".deeprepo", files={".deeprepo.yml": text}, private=True)


def page(at: Whole, number: int) -> str:
    """Return everything that the pull request shows."""
    pull = at.gh.pull(number)
    return repr((pull.comments, pull.review_comments, pull.reviews, pull.checks))


async def test_enforced_organization_settings_fail_a_pull_request(at: Whole) -> None:
    """A repository cannot change enforced settings, and `/deeprepo config` shows each value's source."""
    await organization(at, f"{BAR}ignore: []\n")
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\nignore: ['**']\nquota: 2\n"})
    number = await at.reviewed()
    assert at.gh.pull(number).checks[-1].conclusion == "failure"
    shown = await at.said(number, "/deeprepo config")
    rows = {row.split("|")[1].strip(" `"): row for row in shown.splitlines() if row.startswith("| `")}
    assert ".deeprepo.yml of acme/.deeprepo" in rows["fail_on"]
    assert ".deeprepo.yml" in rows["quota"]
    assert "high" in rows["fail_on"]


async def test_private_settings_file_does_not_apply_to_a_public_repository(at: Whole) -> None:
    """A private file does not apply to a public repository, and none of its text appears there."""
    await organization(at, f"{BAR}{TEXTS}")
    public = replace(at, repo=await at.gh.repository("acme", "open", files=BASE, private=False))
    number = await public.reviewed()
    assert at.gh.pull(number).checks[-1].conclusion == "neutral"
    shown = await public.said(number, "/deeprepo config") + await public.said(number, "/deeprepo rules")
    assert "private" in shown
    assert SECRET not in page(public, number)

    own = await at.reviewed()
    shown = await at.said(own, "/deeprepo config")
    assert SECRET in shown
    row = next(row for row in shown.splitlines() if row.startswith("| `instructions`"))
    assert row.split(" | ")[1].startswith("`")  # as code, where @mentions notify nobody
