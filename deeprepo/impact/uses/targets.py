"""Build the targets of the search: changed definitions as users write them, and names that are no longer exported."""

import re
from collections.abc import Iterable

from deeprepo.impact.changes import ChangedSymbol, Contract
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import rules_of
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.scene import Scene
from deeprepo.impact.values import SPACE, Definition, Use

TWO_WORDS = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z0-9][A-Z]|[A-Z0-9]_[A-Z0-9]")
RUN = re.compile(r"_*(?:test|set_?up|tear_?down|before|after|it|should|spec|given|when|then)(?![a-z])", re.IGNORECASE)
EXTENSION = "extension "  # prefix of the mark of an extension function
RESULT = "()"  # suffix of a function's name for the object that it returns
LONG = 4  # letters required for a resemblance
WHOLE_MODULE = "default"  # the name under which CommonJS exports a whole module
LOST = frozenset({"removed", "renamed"})  # contract changes that also break imports


class UseTarget(Struct, frozen=True):
    """A changed name as users can write it."""

    key: str  # as in `Reference.symbol`
    # pairs of a file and the names under which it exports the definition or its class
    exporting_files: tuple[tuple[str, frozenset[str]], ...]
    shorts: frozenset[str]  # the definition's own name, before and after
    homes: frozenset[str]  # the files that contained it or contain it
    symbol: ChangedSymbol | None = None
    owner: str = ""  # the class or object of a member
    within: str = ""  # the qualified class: "Outer.Inner"
    is_gone: bool = False  # its file no longer has the old name
    # an attribute that a class no longer sets; other code may set it, so nothing is proven
    is_attribute: bool = False
    is_apart: bool = False  # a member whose class is in another file
    whole_homes: frozenset[str] = frozenset()  # the homes that export themselves as the default
    is_loaded: bool = False  # it only concerns code that loads the file by a call

    @property
    def contract(self) -> tuple[Contract, ...]:
        """The changes that concern its users; a name no longer exported is removed for them."""
        if self.symbol is not None:
            return self.symbol.contract
        return ("removed",) if self.is_gone and not all(is_test(home) for home in self.homes) else ()

    @property
    def has_new_signature(self) -> bool:
        """Whether its signature changed."""
        return self.symbol is not None and self.symbol.change == "signature"

    @property
    def former_names(self) -> frozenset[str]:
        """The removed names; for a renamed definition, only the old one."""
        before = self.symbol.before if self.symbol is not None else None
        return frozenset({before.short}) if before is not None else self.shorts

    @property
    def is_macro(self) -> bool:
        """Whether it is a macro that its whole package can call without an import."""
        is_macro = self.symbol is not None and self.symbol.symbol.kind == "macro" and not self.owner
        return is_macro and any(rules_of(home).shared_macros for home in self.homes)

    @property
    def is_method_of_a_value(self) -> bool:
        """Whether it is a function on a value whose class is never written."""
        before = self.symbol.before if self.symbol is not None else None
        head = before.head if before is not None and before.called else ""
        return any(re.search(rules_of(home).loose_methods, head) for home in self.homes)

    @property
    def is_extension(self) -> bool:
        """Whether it extends a type defined elsewhere, on either side, and has not only moved."""
        item = self.symbol
        if item is not None and item.before and item.after and item.contract == ("renamed",):
            was, now = item.before, item.after
            if (was.short, was.marks) == (now.short, now.marks):
                return False
        return item is not None and any(side is not None and is_extension(side) for side in (item.before, item.after))

    def extends(self, use: Use) -> bool:
        """Return whether a use is a member of a value whose written type the definition extends."""
        before = self.symbol.before if self.symbol is not None else None
        types = {one.rpartition(".")[2] for one in use.types}
        is_of_it = before is not None and any(mark.removeprefix(EXTENSION) in types for mark in before.marks)
        return is_of_it and self.is_extension and use.form == "member" and use.name in self.shorts

    @property
    def constructor(self) -> bool:
        """Whether calling the class calls it."""
        return bool(self.owner) and all(
            not self.shorts.isdisjoint(filetype(home).inheritance.constructors) for home in self.homes
        )

    @property
    def reached_by_name(self) -> bool:
        """Whether it can be reached through an object without an import: a member, or a function stored in one."""
        # test runners call test methods; other tests call helpers
        if all(is_test(home) for home in self.homes):
            return self.is_gone and bool(self.owner) and all(is_specific(s) and not RUN.match(s) for s in self.shorts)
        return (
            bool(self.owner)
            or self.is_macro
            or self.is_method_of_a_value
            or (
                self.is_gone
                and self.symbol is not None
                and any(exported_names for _, exported_names in self.exporting_files)
            )
        )

    def accepted(self, use: Use) -> bool:
        """Return whether a call fitted the definition before the change; a call that didn't means an overload."""
        before = self.symbol.before if self.symbol is not None else None
        if use.arguments is None or before is None or before.called is None or before.opaque:
            return True
        rules, is_ordered = filetype(before.path).arguments, rules_of(before.path).ordered_arguments
        forms = (before.listed, *before.also)
        return any(use.arguments.misfit(form, rules, is_ordered=is_ordered) is None for form in forms)

    def is_visible(self, path: str) -> bool:
        """Return whether a file could use it before the change."""
        before = self.symbol.before or self.symbol.after if self.symbol is not None else None
        return before is None or path in self.homes or before.is_visible(path)

    def in_namespace(self, use: Use) -> Use:
        """Return the reference, not guarded if it names the namespace around the definition: `shop::total`."""
        if use.form != "name" or not use.receiver or self.symbol is None:
            return use
        is_named = f"{SPACE}{use.receiver.rpartition('::')[2]}" in (self.symbol.before or self.symbol.symbol).marks
        return replace(use, is_guarded=False) if is_named else use

    def is_own_line(self, use: Use, path: str) -> bool:
        """Return whether a reference is the definition's own head.

        A reference to a private member through a receiver in another file counts, too.
        """
        after = self.symbol.after if self.symbol is not None else None
        before = self.symbol.before or after if self.symbol is not None else None
        is_private = before is not None and before.visible == "self" and path not in self.homes
        is_head = after is not None and after.path == path and use.form == "definition"
        return is_head or (is_private and use.receiver not in ("", "self"))

    def is_provided_for(self, use: Use) -> bool:
        """Return whether the code around a reference handles the missing name.

        Example: `if hasattr(store, "load"): store.load()`.
        """
        return use.is_guarded and self.is_gone and not self.is_loaded and use.name in self.former_names

    def is_member_apart(self, use: Use) -> bool:
        """Return whether a reference is a member of a type with the class's name, defined in another file."""
        is_of_type = any(one.rpartition(".")[2] == self.owner for one in use.types)
        return self.is_apart and use.form == "member" and use.name in self.shorts and is_of_type


def is_extension(definition: Definition) -> bool:
    """Return whether a definition extends a type defined elsewhere."""
    return any(one.startswith(EXTENSION) for one in definition.marks)


def extended_type(definition: Definition) -> str:
    """Return the name of the type that a definition extends, without its namespace; "" if it extends none."""
    marks = (one.removeprefix(EXTENSION) for one in definition.marks if one.startswith(EXTENSION))
    return next(marks, "").rpartition(".")[2]


def is_specific(name: str) -> bool:
    """Return whether a name has several words: `load_settings` or `setWasTracked`, not `resolve` or `__len__`."""
    return not name.startswith("__") and bool(TWO_WORDS.search(name))


def last_word(receiver: str) -> str:
    """Return the last part of a receiver: `Cart` for `shop.Cart` and `Shop::Cart`."""
    return receiver.rpartition(".")[2].rpartition("::")[2]


def names_class(receiver: str) -> bool:
    """Return whether a receiver is written like a class: `shop.Cart`, not `shop.Make()`."""
    return last_word(receiver).lstrip("_")[:1].isupper() and receiver[-1:] not in (")", "]")


def resembles(receiver: str, owner: str) -> bool:
    """Return whether a receiver is named after a class.

    Examples: `self._client_protocol` after `H2ClientProtocol`, `crawler` after `CrawlerProcess`. Words in the middle
    don't count: `files` may be anything that a `SourceFilesCache` has.
    """
    last, name = last_word(receiver).replace("_", "").lower(), owner.lower()
    return len(last) >= LONG and (name.startswith(last) or name.endswith(last))


async def attribute_targets(scene: Scene, attributes: Iterable[tuple[str, str, str]]) -> list[UseTarget]:
    """Return targets for attributes that classes no longer set, given as (path, class, name)."""
    targets = []
    for path, within, name in attributes:
        outline = await scene.exports.outline("head", path)
        above = {within[:at] for at, letter in enumerate(within) if letter == "."} | {within}
        exports = frozenset(there for there, local in outline.exports if local in above) if outline else frozenset()
        if not exports and scene.head.visible_files(path):
            exports = frozenset({within.partition(".")[0]})
        key, owner, exporting_files = f"{path}:{within}.{name}", within.rpartition(".")[2], ((path, exports),)
        home = frozenset({path})
        targets.append(
            UseTarget(
                key, exporting_files, frozenset({name}), home, None, owner, within, is_gone=True, is_attribute=True
            )
        )
    return targets


async def use_targets(scene: Scene) -> list[UseTarget]:
    """Return targets for changed definitions and for names that are no longer exported."""
    targets = [
        await _target(scene, item) for items in scene.symbols.values() for item in items if item.change != "added"
    ]
    plain_targets = [target for target in targets if not target.owner]
    covered_names = {
        (path, name) for target in plain_targets for path, names in target.exporting_files for name in names
    }
    lost_homes = {
        path
        for target in plain_targets
        if LOST & set(target.contract)
        for path, names in target.exporting_files
        if WHOLE_MODULE in names
    }
    for path in sorted(scene.origins):
        known_names = {name for origin, name in covered_names if origin in {path, *scene.origins[path]}}
        gone_names = await scene.exports.gone_names(path)
        if WHOLE_MODULE in gone_names & known_names and path not in lost_homes:
            targets.append(_loaded_default(path))  # no statement names it, so the definition proves nothing
        lost_names = sorted(gone_names - known_names)
        targets += [
            UseTarget(
                f"{path}:{name}", ((path, frozenset({name})),), frozenset({name}), frozenset({path}), is_gone=True
            )
            for name in lost_names
        ]
    return targets


def _loaded_default(path: str) -> UseTarget:
    """Return the target for a removed default export, for code that loads the file by a call."""
    name = frozenset({WHOLE_MODULE})
    return UseTarget(f"{path}:{WHOLE_MODULE}", ((path, name),), name, frozenset({path}), is_gone=True, is_loaded=True)


async def _target(scene: Scene, item: ChangedSymbol) -> UseTarget:
    sides = [side for side in (item.before, item.after) if side is not None]
    owner = sides[0].name.rpartition(".")[0]
    exporting_files: dict[str, frozenset[str]] = {}
    whole_homes = set[str]()
    is_apart = bool(owner) and scene.head.language.rules.members_apart
    for side in sides:
        above = {side.name[:at].removesuffix(RESULT) for at, letter in enumerate(side.name) if letter == "."} | {
            side.name
        }
        for path in (side.path, *sorted(scene.declarations.get((item.symbol.path, side.name), ()))):
            outline = await scene.exports.outline(side.side, path)
            exports = outline.exports if outline else ()
            export_names = frozenset(name for name, local in exports if local in above)
            if not export_names and scene.head.visible_files(path):
                export_names = frozenset({side.name.partition(".")[0]})  # a neighboring file defines the type
            is_apart = is_apart and outline is not None and all(one.name != owner for one in outline.definitions)
            exporting_files[path] = exporting_files.get(path, frozenset()) | export_names
            whole_homes.update([path] if outline is not None and outline.is_whole else [])
    symbol = item.symbol
    return UseTarget(
        key=f"{symbol.path}:{symbol.name}",
        exporting_files=tuple(exporting_files.items()),
        shorts=frozenset(side.short for side in sides),
        homes=frozenset(exporting_files),
        symbol=item,
        owner=owner.rpartition(".")[2],
        within=owner,
        is_gone=item.change in LOST and item.symbol.kind != "implementation" and not _may_be_there(scene, item),
        is_apart=is_apart,
        whole_homes=frozenset(whole_homes),
    )


def _may_be_there(scene: Scene, item: ChangedSymbol) -> bool:
    """Return whether a file does not parse and still contains the name, which it may define."""
    from deeprepo.impact.language import language_of  # grammars load with the first search
    from deeprepo.impact.reading.reader import has_errors

    if (was := item.before) is None:
        return False
    name = re.compile(rf"(?<![\w$]){re.escape(was.short)}(?![\w$])".encode())
    for source in scene.sources:
        if source.file.old_path == was.path and name.search(source.after):
            language = language_of(source.file.path)
            return language is not None and has_errors(language, source.after) is not False
    return False
