import pytest
import step
from fakes import Repository

from bot.checkout import Checkout
from bot.context import routes
from bot.context.builder import ContextBuilder
from bot.context.searches import Searches
from bot.diff import units
from bot.values import Dependents


@pytest.mark.parametrize(
    "line",
    [
        '@app.get("/v1/diff/{diff_id}/issues")',
        "path('diff/<int:diff_id>/issues/', IssueView.as_view()),",
        '    r"diff/(?P<diff_id>[0-9]+)/issues", IssueViewSet, basename="issues"',
        "router.get('/api/diff/:diffId/issues', list)",
        "const found = await fetch(`/v2/diff/${diff.id}/issues?page=1`)",
        'response = self.client.get("/v1/diff/42/issues/")',
    ],
)
def test_a_route_is_recognised_however_its_open_part_is_written(line: str) -> None:
    """The fixed segments are searched, whatever stands between them; version and query are left out."""
    assert routes.patterns([line]) == (r"(?<![\w-])diff/[^/\s\"'`]+/issues(?![\w-])",)


def test_who_fetches_a_changed_route_is_shown_with_what_it_calls(repository: Repository) -> None:
    """In another language, in another part of the repository; tests and the change's own files are not."""
    pull = repository.change(
        {
            "server/app.py": '@app.get("/v1/diff/{diff_id}/issues")\ndef issues(diff_id):\n    return {"results": []}\n',
            "web/store.ts": "export const load = (id) => pages(`/v1/diff/${id}/issues/`)\n\n\n\n\n\n"
            "function pages(url) {\n  const data = get(url)\n  return data.results\n}\n",
            "web/tests/store.test.ts": "mock.get('/v1/diff/42/issues/')\n",
        },
        {"server/app.py": '@app.get("/v1/diff/{diff_id}/issues")\ndef issues(diff_id):\n    return []\n'},
    )

    async def run(tree: Checkout, files: step.Files) -> list[tuple[str, str]]:
        read = {path: blob.decode() for path, blob in (await tree.read_many(["server/app.py"])).items()}
        parts = units.cut(files, Dependents(), units.Texts(read, read))
        return [(excerpt.path, excerpt.body) for excerpt in await ContextBuilder(Searches(tree, files)).of(parts)]

    found = step.over(pull, run)
    assert {path for path, _ in found} == {"web/store.ts"}
    shown = "\n".join(body for _, body in found)
    assert "pages(`/v1/diff/${id}/issues/`)" in shown
    assert "return data.results" in shown
