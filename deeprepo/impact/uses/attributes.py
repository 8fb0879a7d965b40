"""Find attributes that no new version of a class sets, and what they are called in a search for users."""

import re
from collections.abc import Collection, Iterator, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.language import rules_of
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.importing import Scene
from deeprepo.impact.uses.symbols import ChangedSource
from deeprepo.impact.uses.targets import UseTarget, exported_as
from deeprepo.impact.values import Use


async def attribute_targets(scene: Scene) -> list[UseTarget]:
    """Return targets for attributes that classes no longer set."""
    targets = []
    for path, within, name in _lost_attributes(scene.sources):
        outline = await scene.exports.outline("head", path)
        exports = exported_as(outline, within, is_visible=bool(scene.head.visible_files(path)))
        target = UseTarget(
            key=f"{path}:{within}.{name}",
            exports=tuple((path, one) for one in sorted(exports)),
            shorts=frozenset({name}),
            homes=frozenset({path}),
            within=within,
            is_gone=True,
            is_attribute=True,
        )
        targets.append(target)
    return targets


def _lost_attributes(sources: Sequence[ChangedSource]) -> Iterator[tuple[str, str, str]]:
    """Yield (path, class, attribute) for attributes that no new version of the class sets.

    Attributes of removed classes are not included.
    """
    for source in sources:
        left = {symbol.name for symbol in source.new.definitions}
        classes = [one for one in source.old.definitions if one.kind == "class" and one.name in left]
        own = "|".join(map(re.escape, rules_of(source.file.path).receivers.own))
        if not classes or not own or is_test(source.file.path):
            continue
        lines = file_lines(source.before)
        written = re.compile(rf"(?:{own})(?:\.|->)(\w+)")
        removed_lines = [lines[at - 1] for at in source.file.removed_lines if at <= len(lines)]
        names = {name for line in removed_lines for name in written.findall(line)}
        found: set[tuple[str, str]] = set()
        for use in _assignments(source, names, is_before=True) if names else ():
            around = [one for one in classes if one.start <= use.line <= one.end]
            owner = min(around, key=lambda one: one.end - one.start, default=None)
            holders = [other for other in sources if other is source or (owner and _has_class(other, owner.short))]
            if owner is not None and not any(_may_set(other, use.name) for other in holders):
                found.add((owner.name, use.name))
        for owner_name, name in sorted(found):
            yield source.file.path, owner_name, name


def _has_class(source: ChangedSource, name: str) -> bool:
    return any(symbol.short == name and symbol.kind == "class" for symbol in source.new.definitions)


def _assignments(source: ChangedSource, names: Collection[str], *, is_before: bool) -> list[Use]:
    """Return the assignments to attributes of the own object, such as `self.total = 0`."""
    path, code = source.file.path, source.before if is_before else source.after
    uses = resolving.uses(path, code, names)
    return [use for use in uses if use.is_assigned and use.receiver in rules_of(path).receivers.own]


def _may_set(source: ChangedSource, name: str) -> bool:
    """Return whether a file defines the name, assigns it to its own object, or spells it as a string."""
    if any(symbol.short == name for symbol in source.new.definitions):
        return True
    is_spelled = re.search(rb"[\"']%b[\"']" % name.encode(), source.after) is not None
    return is_spelled or bool(_assignments(source, {name}, is_before=False))
