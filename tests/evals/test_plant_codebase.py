"""Generated code bases are reproducible and parse, and their labels point at the planted defects."""

from collections.abc import Mapping

import pytest
from families import few

from deeprepo.impact.reading.faults import faults
from deeprepo.impact.text.paths import is_test
from deeprepo_evals import plant
from deeprepo_evals.plant import defects as table
from deeprepo_evals.plant import synthetic
from deeprepo_evals.plant.values import OLDER


def rows_of(files: Mapping[str, str]) -> dict[str, list[table.Row]]:
    """Return the files in the form that `table.plant` changes."""
    return {path: [table.Row(line) for line in text.split("\n")] for path, text in files.items()}


@pytest.mark.parametrize("files", few([10, 11, 24, 57, 300], 0, 3))
def test_codebase_has_the_requested_number_of_valid_files(files: int) -> None:
    """A code base has the requested number of files, without syntax errors, and one defect per 8 files."""
    code = plant.codebase(5, files)
    assert files == len(code.files)
    assert not [path for path, text in code.files.items() if faults(path, text.encode())]
    assert max(3, files // 8) == len(code.labels)


@pytest.mark.parametrize("scope", ["whole", "change"])
def test_labels_match_the_lines_in_the_head(scope: plant.Scope) -> None:
    """Each label has the right text and line, its proof exists, and no defect is in a test."""
    code = plant.codebase(3, 120, scope=scope)
    for label in code.labels:
        rows = code.files[label.path].split("\n")
        assert label.text == rows[label.line - 1].strip()
        assert not is_test(label.path)
        assert label.kind in plant.CLASSES
        for line in (label.head, *label.proof):
            assert line.text == code.files[line.path].split("\n")[line.number - 1].strip()


def test_every_listed_defect_fits_some_codebase() -> None:
    """Every defect in the list fits some code base, and the code with it still parses."""
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
