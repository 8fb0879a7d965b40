"""Settings files of earlier versions. `tests/settings` has a file with every key for each version."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import get_args, get_origin, get_type_hints

import pytest
import yaml

from bot import config
from bot.config.defaults import SettingsFile
from bot.config.removed import REMOVED

FILES = sorted((Path(__file__).parent / "settings").glob("*.yml"))
NEWEST = Path(__file__).parent / "settings" / "0.2.0.yml"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_settings_from_an_earlier_version_are_valid_or_explained(path: Path) -> None:
    """Each key is still a setting or gets a warning that explains what happened to it."""
    file = config.read(path.read_bytes())
    about_removed = [warning for warning in file.warnings if any(f": {name}: " in warning for name in REMOVED)]
    assert list(file.warnings) == about_removed
    assert (file.values["fail_on"], file.values["quota"]) == ("high", 3)


def test_newest_sample_file_contains_every_key() -> None:
    """New settings must be added to this file, so that removing one later requires an entry in REMOVED."""
    written = yaml.safe_load(NEWEST.read_text())
    for name, declared in get_type_hints(SettingsFile).items():
        assert name in written
        form = get_args(declared)[0] if get_origin(declared) is UnionType else declared
        if is_dataclass(form):
            known = {each.name for each in fields(form)}
            assert {key for key in written[name] if f"{name}.{key}" not in REMOVED} == known


@pytest.mark.parametrize("name", REMOVED)
def test_warning_for_a_removed_key_names_the_replacement(name: str) -> None:
    """The warning names the replacement, and the rest of the file applies."""
    section, _, key = name.rpartition(".")
    line = f"{section}: {{{key}: [x]}}" if section else f"{key}: [x]"
    file = config.read(f"quota: 3\n{line}\n".encode())
    assert file.values["quota"] == 3
    assert file.warnings == (f".deeprepo.yml line 2: {name}: {REMOVED[name].instead}",)
    assert bool(file.doubts) == REMOVED[name].is_threshold
