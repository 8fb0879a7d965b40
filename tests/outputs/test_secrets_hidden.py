from dataclasses import replace

import pytest
from doors import shown
from sample_reviews import FINDING, REVIEW

from bot.outputs import OUTPUTS, posts
from bot.values import CommentSpot, Evidence, PlacedFinding
from deeprepo.rlm.values import Observation, Turn

KEY = "wJb1rXUtnFEMIqK7" + "MDENGxbPxRfiCYzKq83ma0Tw"
LINES = {
    f'AWS_SECRET_ACCESS_KEY = "{KEY}"': KEY,
    f"password: {KEY[:12]} # 'rotate'": KEY[:12],
    f"const url = `postgres://me:{KEY[:14]}@db.prod.corp.io/x`;": KEY[:14],
    f'    "{KEY}": "admin",': KEY,
    f"TOKEN={KEY}": KEY,
    f'KEY = "-----BEGIN PRIVATE KEY-----\\n{KEY}"': KEY,
    f'password: str = "{KEY[:9]} with blanks"': KEY[:9] + " with blanks",
}


@pytest.mark.parametrize("form", sorted(OUTPUTS))
@pytest.mark.parametrize("line", sorted(LINES))
def test_secret_is_masked_in_every_output(form: str, line: str) -> None:
    """No output repeats a secret: not in its own finding, another one, a note or a transcript."""
    secret = LINES[line]
    own = replace(FINDING, category="secret", quote=line, path="conf.py", evidence=(Evidence("b.py", line, 4),))
    other = replace(FINDING, why=f"It prints {secret}.", quote=line, suggestion=line, trigger=line)
    review = replace(
        REVIEW,
        findings=(PlacedFinding(own, "inline"), PlacedFinding(other, "inline")),
        summary=f"See {secret}",
        notes=(line,),
        turns=(Turn(1, line, Observation(line), said=line),),
    )
    page = OUTPUTS[form]().render(shown(review))

    assert secret not in page
    assert "***" in page
    assert "conf.py" in page


def test_long_secret_shows_only_its_first_four_characters() -> None:
    """A long secret shows its first four characters, a short one none."""
    own = replace(FINDING, category="secret", quote=f'a = "{KEY}"\nb = "{KEY[-7:]}"')
    page = OUTPUTS["console"]().render(shown(replace(REVIEW, findings=(PlacedFinding(own, "inline"),))))

    assert f'a = "{KEY[:4]}***"' in page
    assert 'b = "***"' in page


def test_fix_that_contains_a_secret_is_not_a_suggestion() -> None:
    """A mask must not be committed as code, so the fix is not a suggestion."""
    own = replace(FINDING, category="secret", quote=f'KEY = "{KEY}"', suggestion=f'KEY = read("{KEY}")')
    placed = PlacedFinding(
        own, "inline", CommentSpot(own.path, own.start, own.end, "RIGHT"), replacement=f'KEY = read("{KEY}")'
    )
    (post,) = posts.comments(shown(replace(REVIEW, findings=(placed,)))).posts

    assert "```suggestion" not in post.body
    assert "it contains a secret" in post.body
