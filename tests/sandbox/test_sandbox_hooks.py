import asyncio
import hashlib
import hmac
import json
from pathlib import Path

from sandbox_rig import app_jwt, receiver, rig


def test_a_delivery_is_signed(tmp_path: Path) -> None:
    """A pull request that is opened reaches the App: signed over its bytes, with an event, a GUID and a whole payload."""

    async def run() -> None:
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

    asyncio.run(run())


def test_what_people_do_is_told(tmp_path: Path) -> None:
    """Every action of a person is an event with GitHub's name for it."""

    async def run() -> None:
        async with receiver() as heard, rig(tmp_path, webhook=heard.url) as at:
            heard.got.clear()
            await at.repo.push("feature", {"b.txt": "1\n"})
            await at.repo.set_draft(1, draft=True)
            await at.repo.set_draft(1, draft=False)
            await at.repo.edit(1, title="Another title")
            await at.repo.add_label(1, "big")
            await at.repo.comment(1, "/deeprepo review")
            note = await at.repo.review_comment(1, "a.txt", 11, "look")
            await at.repo.reply(1, note, "yes")
            await at.repo.review(1, "All of it, please.")
            await at.repo.edit_comment(1, note, "look here")
            await at.repo.delete_comment(1, note)
            await at.repo.close(1)
            await at.repo.reopen(1)
            await at.repo.merge_group(at.gh.pull(1).head_sha, at.gh.pull(1).base_sha)
            await at.gh.withdraw(at.repo)
            await at.gh.uninstall()
            assert heard.events == [
                "pull_request.synchronize",
                "pull_request.converted_to_draft",
                "pull_request.ready_for_review",
                "pull_request.edited",
                "pull_request.labeled",
                "issue_comment.created",
                "pull_request_review.submitted",
                "pull_request_review_comment.created",
                "pull_request_review.submitted",
                "pull_request_review_comment.created",
                "pull_request_review.submitted",
                "pull_request_review_comment.edited",
                "pull_request_review_comment.deleted",
                "pull_request.closed",
                "pull_request.reopened",
                "merge_group.checks_requested",
                "installation_repositories.removed",
                "installation.deleted",
            ]
            talk = json.loads(heard.got[5][1])
            assert (talk["issue"]["number"], "pull_request" in talk["issue"]) == (1, True)
            push = json.loads(heard.got[0][1])
            assert (push["after"], push["before"] != push["after"]) == (push["pull_request"]["head"]["sha"], True)

    asyncio.run(run())


def test_failed_deliveries_are_listed_and_sent_again(tmp_path: Path) -> None:
    """A delivery that failed is not repeated by itself: it stands in the list, and an attempt asked for keeps its GUID."""

    async def run() -> None:
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

    asyncio.run(run())
