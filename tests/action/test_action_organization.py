"""An organization's defaults in a workflow step."""

from opening import BASE, opened
from stepping import Stage, on_stage

BAR = "fail_on: high\nenforce: [fail_on]\n"


async def organization(at: Stage, text: str) -> str:
    """Create the organization's defaults repository; return a token that can only read this repository."""
    repo = await at.gh.repository("acme", ".deeprepo", files={".deeprepo.yml": text}, private=True)
    return at.gh.actions_token(repo, {"contents": "read"})


@on_stage(BASE)
async def test_step_input_cannot_override_enforced_organization_settings(at: Stage) -> None:
    """With a token, the private file overrides the step's input; without one, the log says so."""
    _, body = await opened(at)
    token = await organization(at, BAR)
    result = await at.told("pull_request", body, fail_on="critical")
    assert result.conclusion != "failure"
    assert any("This token cannot find .deeprepo.yml in acme/.deeprepo" in row for row in at.rows)
    result = await at.told("pull_request", body, fail_on="critical", organization_token=token)
    assert result.conclusion == "failure"
    assert token not in repr((result, at.rows))
