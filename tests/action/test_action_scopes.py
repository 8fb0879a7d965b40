"""Jobs in one workflow with different settings files are separate reviewers."""

from opening import event
from stepping import Stage, on_stage

BASE = {
    "a/price.py": "def total(items, tax):\n    return sum(items) * (1 + tax)\n",
    "b/price.py": "def net(items, tax):\n    return sum(items) * (1 + tax)\n",
    "a/.deeprepo.yml": 'ignore: ["b/"]\n',
    "b/.deeprepo.yml": 'ignore: ["a/"]\n',
}
HEAD = {
    "a/price.py": "def total(items, tax):\n    return sum(items) + unknown_a\n",
    "b/price.py": BASE["b/price.py"] + "\n\nX = 1\n",
}


@on_stage(BASE)
async def test_each_settings_file_gets_its_own_summary_and_findings(at: Stage) -> None:
    """Each job has its own summary and never sees the other's findings, in whatever order they run."""
    await at.repo.commit("feature", HEAD)
    with at.gh.holding() as held:
        number = await at.repo.open_pull("feature")
    results = [
        await at.told("pull_request", event(held), config=f"{part}/.deeprepo.yml", fail_on="high") for part in "bab"
    ]
    assert [result.conclusion for result in results] == ["success", "failure", "success"]
    summaries = [one.body for one in at.gh.pull(number).comments if "## deeprepo" in one.body]
    assert [f"`{part}/.deeprepo.yml`" in text for part, text in zip("ba", summaries, strict=True)] == [True, True]
