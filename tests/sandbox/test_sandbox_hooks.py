import hashlib
import hmac
import json
from pathlib import Path

from sandbox_rig import app_jwt, receiver, rig


async def test_a_delivery_is_signed(tmp_path: Path) -> None:
    """A pull request that is opened reaches the App: signed over its bytes, with an event, a GUID and a whole payload."""
    async with receiver() as heard, rig(tmp_path, webhook=heard.url) as at:
        head, body = heard.got[0]
        want = "sha256=" + hmac.new(at.gh.secret.encode(), body, hashlib.sha256).hexdigest()
        assert head["x-hub-signature-256"] == want
        assert (head["x-github-event"], head["content-type"]) == ("pull_request", "application/json")
        said = json.loads(body)
        assert (said["action"], said["number"], said["installation"]["id"]) == ("opened", 1, at.gh.installation)
        assert said["pull_request"] == await at.ok("GET", "/pulls/1")
        assert (said["repository"]["id"], said["sender"]["login"]) == (at.repo.id, "colleague")
        assert said["organization"]["login"] == "acme"


async def test_failed_deliveries_are_listed_and_sent_again(tmp_path: Path) -> None:
    """A delivery that failed is not repeated by itself: it stands in the list, and an attempt asked for keeps its GUID."""
    async with receiver() as heard, rig(tmp_path, webhook=heard.url) as at:
        heard.status = 500
        await at.repo.comment(1, "one")
        at.gh.listen("http://127.0.0.1:9/webhook")
        await at.repo.comment(1, "two")
        at.gh.listen(heard.url)
        heard.status = 202
        head = f"Bearer {app_jwt(at.gh)}"
        failed = await at.ok("GET", "//app/hook/deliveries?status=failure", authorization=head)
        assert [(row["event"], row["status_code"]) for row in failed] == [
            ("issue_comment", 502),
            ("issue_comment", 500),
        ]
        heard.got.clear()
        await at.ok("POST", f"//app/hook/deliveries/{failed[0]['id']}/attempts", authorization=head)
        await at.gh.settle()
        assert heard.got[0][0]["x-github-delivery"] == failed[0]["guid"]
        newest = (await at.ok("GET", "//app/hook/deliveries?per_page=1", authorization=head))[0]
        assert (newest["redelivery"], newest["guid"], newest["status_code"]) == (True, failed[0]["guid"], 202)
        assert (await at.refused("POST", "//app/hook/deliveries/1/attempts", authorization=head))[0] == 422
