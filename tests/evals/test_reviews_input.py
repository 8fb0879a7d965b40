import json
from pathlib import Path

import pytest
from reviewed import BASE, Folder, told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "off-1.json is not a case: the file: Invalid JSON"),
        ('{"id": "x", "kind": "natural", "repo": "a/b"}', "base_sha: Field required"),
        (json.dumps({"id": "x", "kind": "natural", "repo": "a/b", "base_sha": "a" * 40}), "it names no head"),
        (json.dumps({"id": "../x", "kind": "k", "repo": "a/b", "base_sha": "a" * 40}), "id: String should match"),
    ],
)
def test_invalid_case_file_is_reported(shop: Folder, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    """The message names the file and the invalid field."""
    (shop.cases / "off-1.json").write_text(text)
    code, _, err = told(capsys, shop.command("--oracle"))
    assert code == 2
    assert said in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--oracle", "--strategy", "root"], "--oracle replaces the worker"),
        (["--oracle", "--baseline", "nothing"], "unknown baseline 'nothing'"),
        (["--oracle", "--kind", "other"], "holds no such case: there are 5, of the kinds"),
        (["--oracle", "--judge", "a/b", "--judge", "c/d", "--judge", "e/f"], "at most two judges"),
        (["--oracle", "--judge", "nobody/none"], "unknown provider 'nobody'"),
        (["--oracle", "--out", "/"], "it is a folder"),
    ],
)
def test_invalid_options_exit_with_2(
    shop: Folder, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    """Invalid options exit with 2 and a message."""
    code, _, err = told(capsys, shop.command(*options))
    assert code == 2
    assert said in err


def test_edits_keep_line_endings_and_can_add_or_delete_files(
    shop: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A case defined as edits can replace lines, add a file and delete a file."""
    windows = BASE["shop/money.py"].replace("\n", "\r\n")
    base = shop.clone.commit({"shop/money.py": windows}, "windows")
    edits = [
        {"path": "shop/money.py", "start": 3, "end": 3, "lines": ["    for row in rows[1:]:"]},
        {"path": "shop/new.py", "lines": ["NEW = 1"]},
        {"path": "shop/labels.py", "delete": True},
    ]
    shop.write("off-1", base_sha=base, head_sha=None, pr=edits)
    kept = tmp_path / "kept"
    code, _, err = told(capsys, shop.command("--oracle", "--only", "off-1", "--keep", str(kept)))
    assert code == 0, err
    built = next(kept.iterdir())
    shown = shop.clone.git("-C", str(built), "diff", "--name-status", "base", "head").split()
    assert shown == ["D", "shop/labels.py", "M", "shop/money.py", "A", "shop/new.py"]
    assert "\r\n    for row in rows[1:]:\r\n" in raw(shop, built, "head:shop/money.py")


def raw(shop: Folder, built: Path, name: str) -> str:
    """Return a blob's content with its original line endings."""
    import subprocess

    command = ["git", "-C", str(built), "cat-file", "blob", name]
    return subprocess.run(command, env=shop.clone.env, capture_output=True, check=True).stdout.decode()
