"""Generated code bases: the same seed gives the same code, the code works, and every planted defect shows in what it does."""

from collections.abc import Mapping

import pytest
from families import few

from bot.review.lenses.tests import is_test
from deeprepo.impact.reading.faults import faults
from deeprepo_evals import plant
from deeprepo_evals.plant import defects as table
from deeprepo_evals.plant import synthetic
from deeprepo_evals.plant.values import OLDER


def rows_of(files: Mapping[str, str]) -> dict[str, list[table.Row]]:
    """Files as `defects` changes them."""
    return {path: [table.Row(line) for line in text.split("\n")] for path, text in files.items()}


@pytest.mark.parametrize("files", few([10, 11, 24, 57, 300], 0, 3))
def test_a_code_base_has_exactly_as_many_files_and_all_parse(files: int) -> None:
    """10 to 300 files, in Python, TypeScript and Go, without a syntax error."""
    code = plant.codebase(5, files)
    assert files == len(code.files)
    assert not [path for path, text in code.files.items() if faults(path, text.encode())]
    assert max(3, files // 8) == len(code.labels)


@pytest.mark.parametrize("scope", ["whole", "change"])
def test_labels_name_the_lines_of_the_head(scope: plant.Scope) -> None:
    """Text, head and proof stand where the label says, and the planted line is no test's."""
    code = plant.codebase(3, 120, scope=scope)
    for label in code.labels:
        rows = code.files[label.path].split("\n")
        assert label.text == rows[label.line - 1].strip()
        assert not is_test(label.path)
        assert label.kind in plant.CLASSES
        for line in (label.head, *label.proof):
            assert line.text == code.files[line.path].split("\n")[line.number - 1].strip()


def test_every_defect_of_the_list_can_stand_somewhere() -> None:
    """Each entry finds its lines in some code base, and what it leaves there parses."""
    known = {(one.kind, one.path, one.function, one.old) for one in table.listed()}
    for seed in range(1, 12):
        clean, entities = synthetic.draw(seed, 60)
        for named in entities:
            for one in [one for one in table.listed() if one.kind != OLDER]:
                files = rows_of(clean)
                found = table.places(files, [named], (one.kind,))[one.kind]
                chosen = [place for place in found if place.defect == one.of(named)]
                if chosen and (one.kind, one.path, one.function, one.old) in known:
                    known.discard((one.kind, one.path, one.function, one.old))
                    table.plant(files, chosen)
                    texts = {path: "\n".join(row.text for row in rows) for path, rows in files.items()}
                    assert texts != clean
                    assert not [
                        path for path, text in texts.items() if text != clean[path] and faults(path, text.encode())
                    ]
        if not any(kind != OLDER for kind, *_ in known):
            break
    assert sorted(row for row in known if row[0] != OLDER) == []
