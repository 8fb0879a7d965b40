"""Generated code bases: the same seed gives the same code, the code works, and every planted defect shows in what it does."""

import os
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from families import few

from bot.errors import UsageError
from bot.languages.faults import faults
from bot.review.lenses.tests import is_test
from deeprepo_evals import plant
from deeprepo_evals.plant import synthetic
from deeprepo_evals.plant.planting import Field, edit_file, parses, scene

WITNESS = Path(__file__).with_name("plant_witness.py")


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """Files on the disk."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def witnessed(base: Path, *mutants: Path) -> list[str]:
    """A digest of what each tree does."""
    command = [sys.executable, str(WITNESS), str(base), *map(str, mutants)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("files", few([10, 11, 24, 57, 300], 0, 3))
def test_a_code_base_has_exactly_as_many_files_and_all_parse(files: int) -> None:
    """10 to 300 files, in Python, TypeScript and Go, without a syntax error."""
    code = plant.codebase(5, files)
    assert files == len(code.files)
    assert not [path for path, text in code.files.items() if faults(path, text.encode())]
    assert max(3, files // 8) == len(code.labels)


@pytest.mark.parametrize("files", [9, 301, 0, -1])
def test_other_sizes_are_refused_with_a_sentence(files: int) -> None:
    """The sentence says what is possible."""
    with pytest.raises(UsageError, match="10 to 300 files"):
        plant.codebase(1, files)


def test_an_unknown_class_is_refused_with_the_known_ones() -> None:
    """A misspelt class does not give a code base without defects."""
    with pytest.raises(UsageError, match="no class of defects is called typo: known are off-by-one"):
        plant.codebase(1, 10, kinds=["typo"])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_code_base_in_another_process() -> None:
    """Nothing depends on the order of a set or on the clock."""
    program = (
        "import sys; from deeprepo_evals import plant; sys.stdout.write(repr(plant.codebase(7, 24, scope='change')))"
    )
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, env=env | {"PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    ]
    assert said[0].stdout == said[1].stdout != b""


def test_another_seed_gives_other_code_and_other_defects() -> None:
    """What was learnt of one code base is of no use in the next."""
    one, two = plant.codebase(1, 24), plant.codebase(2, 24)
    assert not {label.text for label in one.labels} & {label.text for label in two.labels}
    assert not {path for path in one.files if "model.py" in path} & {path for path in two.files if "model.py" in path}


@pytest.mark.parametrize("scope", ["whole", "change"])
def test_labels_name_the_lines_of_the_head(scope: plant.Scope) -> None:
    """Text, head and proof stand where the label says, and the planted line is no test's."""
    code = plant.codebase(3, 120, scope=scope)
    for label in code.labels:
        rows = code.files[label.path].split("\n")
        assert label.text == rows[label.line - 1].strip()
        assert not is_test(label.path)
        assert label.kind in plant.CLASSES
        for line in (label.head, *label.proof, *label.callers):
            assert line.text == code.files[line.path].split("\n")[line.number - 1].strip()


def test_the_diff_leads_from_the_base_to_the_head(tmp_path: Path) -> None:
    """Git applies it and arrives at the same files."""
    code = plant.codebase(3, 24, scope="change")
    tree = written(tmp_path / "tree", code.base)
    subprocess.run(["git", "apply", "-"], cwd=tree, input=code.diff.encode(), check=True, capture_output=True)
    assert code.files == {str(p.relative_to(tree)): p.read_text() for p in tree.rglob("*") if p.is_file()}


def test_a_code_base_without_defects_is_the_clean_one() -> None:
    """For measuring false reports."""
    assert synthetic.make(4, 30) == plant.codebase(4, 30, defects=0).files


def test_only_the_asked_classes_are_planted() -> None:
    """A class can be studied alone."""
    assert {"wrong-key"} == {label.kind for label in plant.codebase(1, 60, kinds=["wrong-key"]).labels}


def test_what_a_change_rewrites_beside_its_defects_does_not_change_behaviour(tmp_path: Path) -> None:
    """The older names of local variables are only names."""
    code = plant.codebase(6, 13, defects=8, scope="change")
    base, clean = written(tmp_path / "base", code.base), written(tmp_path / "clean", synthetic.make(6, 13))
    assert code.base != synthetic.make(6, 13)
    before, after = witnessed(base, clean)
    assert before == after


@pytest.mark.slow
def test_every_defect_in_python_changes_what_the_code_does(tmp_path: Path) -> None:
    """Each proposal over a whole entity, one by one: results, errors, or what is left open differ from the clean code."""
    ground = scene(synthetic.make(1, 13))
    field = Field(ground, sorted(ground.files), sorted(plant.MUTATIONS))
    proposals = [one for one in field.proposals(random.Random(1)) if parses(ground, one.edits)]  # noqa: S311 - data
    base = written(tmp_path / "base", {path: blob.decode() for path, blob in ground.files.items()})
    mutants = [
        written(
            tmp_path / str(number),
            {
                path: edit_file(ground.files[path], path, one.edits).decode()
                for path in {edit.path for edit in one.edits}
            },
        )
        for number, one in enumerate(proposals)
    ]
    clean, *digests = witnessed(base, *mutants)
    assert len(proposals) > 40
    assert [one.why for one, digest in zip(proposals, digests, strict=True) if digest == clean] == []
