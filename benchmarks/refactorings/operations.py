"""The changes: each takes a package, changes it as people do, and returns its kind."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Protocol, TypeVar

from benchmarks.refactorings.model import (
    Alias,
    Choice,
    Files,
    Function,
    Import,
    Interface,
    Item,
    Kind,
    Module,
    Package,
    Parameter,
    Path,
    Record,
    Use,
    User,
    named,
)
from benchmarks.refactorings.words import Words

T = TypeVar("T")


class Language(Protocol):
    """How one language writes a package, and in which forms it can hand on what moved."""

    NAME: str
    STYLES: Sequence[str]  # of imports; the first always works
    FUNCTION_ALIASES: Sequence[str]
    RECORD_ALIASES: Sequence[str]
    CHOICE_ALIASES: Sequence[str]
    MODULE_FORMS: Sequence[str]  # how the old place of a module hands it on
    FUNCTION_FORMS: Sequence[str]  # other ways to write a function that is called in the same way
    GIVEN_FORMS: Sequence[str]  # how a record gets a method that it does not write itself
    HAS_BASES: bool
    HAS_DEFAULTS: bool
    HAS_KEYWORDS: bool
    NAMES_FIELDS: float  # the share of records that are made with the names of their fields

    def render(self, package: Package) -> Files:
        """Return the files of a package."""


class NothingToChangeError(Exception):
    """An operation finds nothing in the package that it could change."""


@dataclass
class Draw:
    """What one change is drawn with."""

    chance: Random
    words: Words
    language: Language
    taken: list[str] = field(default_factory=list)  # words about the choices that were made

    def one(self, options: Sequence[T]) -> T:
        """Return one of the options. Raises NothingToChangeError if there are none."""
        if not options:
            raise NothingToChangeError
        return self.chance.choice(options)

    def flip(self, share: float = 0.5) -> bool:
        """Return true in a share of the cases."""
        return self.chance.random() < share

    def say(self, word: str) -> str:
        """Note a choice that belongs to the kind of the change."""
        self.taken.append(word)
        return word

    def updated(self, modules: Sequence[Module]) -> list[Module]:
        """Return the modules whose users follow the change: all, all but one, or none."""
        if not modules:
            return []
        how = self.chance.choices(("all", "one left", "none"), (4, 4, 2))[0]
        self.say({"all": "every user follows", "one left": "one user is left", "none": "no user follows"}[how])
        if how == "none":
            return []
        left = self.one(modules) if how == "one left" else None
        return [module for module in modules if module is not left]


def package(draw: Draw) -> Package:
    """Return a made-up package: three modules that define things, and others that use them."""
    words, chance = draw.words, draw.chance
    folder = words.module()
    homes = [Module((words.module(),)), Module((folder, words.module())), Module((folder, words.module()))]
    for module in homes:
        module.items += [_function(draw) for _ in range(chance.randint(1, 2))]
    first, second, third = homes
    first.items.append(Choice(words.type(), [words.member() for _ in range(3)]))
    record = Record(words.type(), [_parameter(draw) for _ in range(2)], [_function(draw), _function(draw)])
    second.items.append(record)
    interface = Interface(words.type(), [_function(draw)])
    third.items.append(interface)
    users = [Module((words.module(),)), Module((words.module(), words.module())), Module((folder, words.module()))]
    implementer = Record(
        words.type(), [_parameter(draw)], [_method_like(interface.methods[0])], implements=interface.name
    )
    users[0].items.append(implementer)
    _take(draw, users[0], third, interface.name)
    made = Package([*homes, *users])
    if draw.language.HAS_BASES:
        over = [_method_like(record.methods[0])] if draw.flip() else []
        users[1].items.append(Record(words.type(), [], [*over, _function(draw)], base=record.name))
        _take(draw, users[1], second, record.name)
    for module in users:
        module.items.append(_user(draw, module, homes))
    second.items.append(User(words.function(), [_use_of(draw, record), _call(draw, _functions(second)[0])]))
    return made


def _function(draw: Draw) -> Function:
    kinds: list[Kind] = ["int", "int", "text"]
    count = draw.chance.randint(1, 3)
    made = [Parameter(draw.words.field(), draw.one(kinds)) for _ in range(count)]
    if draw.language.HAS_DEFAULTS and draw.flip(0.3):
        made[-1].has_default = True
    return Function(draw.words.function(), made, draw.one(("int", "int", "text")))


def _method_like(one: Function) -> Function:
    return deepcopy(one)


def _parameter(draw: Draw) -> Parameter:
    return Parameter(draw.words.field(), draw.one(("int", "int", "text")))


def _functions(module: Module) -> list[Function]:
    return [item for item in module.items if isinstance(item, Function)]


def _call(draw: Draw, function: Function) -> Use:
    used = Use("call", function.name, arguments=[one.kind for one in function.parameters], result=function.returns)
    return _shortened(draw, used, function)


def _shortened(draw: Draw, used: Use, function: Function) -> Use:
    """Leave out a default, or name the last argument."""
    if function.parameters and function.parameters[-1].has_default and draw.flip():
        used.arguments.pop()
    elif draw.language.HAS_KEYWORDS and function.parameters and draw.flip(0.3):
        used.keywords = [function.parameters[-1].name]
    return used


def _use_of(draw: Draw, item: Record | Choice) -> Use:
    if isinstance(item, Choice):
        return Use("member", draw.one(item.members), item.name)
    kind = draw.one(("new", "method", "field")) if item.fields else "method"
    if kind == "field":
        one = draw.one(item.fields)
        return Use("field", one.name, item.name, result=one.kind)
    if kind == "new":
        made = Use("new", item.name, item.name, [one.kind for one in item.fields])
        if draw.flip(draw.language.NAMES_FIELDS):
            made.keywords = [one.name for one in item.fields]
        return made
    method = draw.one(item.methods)
    used = Use("method", method.name, item.name, [one.kind for one in method.parameters], result=method.returns)
    return _shortened(draw, used, method)


def _take(draw: Draw, module: Module, home: Module, name: str) -> None:
    if module.import_of(name) is None and module is not home:
        module.imports.append(Import(home.path, name, draw.one(draw.language.STYLES)))


def _user(draw: Draw, module: Module, homes: Sequence[Module]) -> User:
    uses: list[Use] = []
    for home in homes:
        for item in home.items:
            if isinstance(item, Function):
                uses.append(_call(draw, item))
                _take(draw, module, home, item.name)
            elif isinstance(item, Record | Choice):
                uses += [_use_of(draw, item) for _ in range(2)]
                _take(draw, module, home, item.name)
    return User(draw.words.function(), uses)


# What changes


def _uses(modules: Iterable[Module]) -> list[Use]:
    return [use for module in modules for user in module.users() for use in user.uses]


def _any(draw: Draw, made: Package, *kinds: type[Item]) -> tuple[Module, Item]:
    pairs = [
        (module, item)
        for module in made.modules
        for item in module.items
        if isinstance(item, kinds) and any(other.import_of(item.name) for other in made.modules)
    ]
    return draw.one(pairs)


def _users(made: Package, name: str) -> list[Module]:
    """The other modules that use an item."""
    return made.importers(name)


def _aliases(draw: Draw, item: Item) -> Sequence[str]:
    if isinstance(item, Function):
        return draw.language.FUNCTION_ALIASES
    if isinstance(item, Record):
        return draw.language.RECORD_ALIASES
    return draw.language.CHOICE_ALIASES if isinstance(item, Choice) else ()


def _new_module(draw: Draw, made: Package, beside: Path) -> Module:
    deep = draw.flip(0.3)
    path = (*beside[:-1], draw.words.module()) if not deep else (draw.words.module(), draw.words.module())
    module = Module(path)
    made.modules.append(module)
    return module


def _carry(made: Package, item: Item, old: Module, new: Module) -> None:
    """Move an item with the imports that it needs. Its old module still uses it."""
    old.items.remove(item)
    new.items.append(item)
    if isinstance(item, Record):
        for name in filter(None, (item.base, item.implements)):
            if (taken := old.import_of(name)) is not None:
                new.imports.append(deepcopy(taken))
            elif made.home(name) is old:
                new.imports.append(Import(old.path, name, ""))


def move(draw: Draw, made: Package) -> str:
    """Move an item to another module; the old one may hand it on."""
    old, item = _any(draw, made, Function, Record, Choice)
    new = _new_module(draw, made, old.path) if draw.flip(0.7) else made.modules[-1 - draw.chance.randrange(2)]
    if new is old or isinstance(item, Alias):
        new = _new_module(draw, made, old.path)
    name, form = item.name, draw.one(["", *_aliases(draw, item)])
    users = [module for module in _users(made, name) if module is not new]
    new.imports = [one for one in new.imports if one.name != name]
    _carry(made, item, old, new)
    if form and isinstance(item, Function | Record | Choice):
        old.items.append(Alias(name, new.path, item, form))
        draw.say(f"handed on by {form}")
    if any(name in {use.name, use.owner} for use in _uses([old])) or any(
        isinstance(one, Record) and one.base == name for one in old.items
    ):
        old.imports.append(Import(new.path, name, draw.language.STYLES[0]))
    for module in draw.updated(users):
        for one in module.imports:
            one.of = new.path if one.name == name else one.of
    return f"move {_word(item)}"


def _word(item: Item) -> str:
    return {Function: "function", Record: "class", Choice: "enum", Interface: "interface"}.get(type(item), "alias")


def move_module(draw: Draw, made: Package) -> str:
    """Move a whole module; its old place may hand it on."""
    old = draw.one(made.modules[:3])
    new = _new_module(draw, made, old.path)
    path, new.items, new.imports = old.path, old.items, old.imports
    form = draw.one(["", *draw.language.MODULE_FORMS])
    if form:
        old.items, old.imports, old.form, old.of = [], [], draw.say(f"handed on by {form}"), new.path
        old.form = form
    else:
        made.modules.remove(old)
    users = [module for module in made.modules if any(one.of == path for one in module.imports)]
    for module in draw.updated(users):
        for one in module.imports:
            one.of = new.path if one.of == path else one.of
    return "move module"


def split(draw: Draw, made: Package) -> str:
    """Move most items of a module to a new one, which the old one hands on as a whole or by name."""
    old = made.modules[draw.chance.randrange(3)]
    items = [item for item in old.items if isinstance(item, Function | Record | Choice)]
    new = _new_module(draw, made, old.path)
    forms = [set(_aliases(draw, item)) for item in items]
    common = sorted(set.intersection(*forms)) if forms else []
    form = draw.one(["", *common])
    if form:
        draw.say(f"handed on by {form}")
    moved = items[: max(1, len(items) - 1)]
    for item in moved:
        _carry(made, item, old, new)
        if form:
            old.items.append(Alias(item.name, new.path, item, form))
        if any(item.name in (use.name, use.owner) for use in _uses([old])):
            old.imports.append(Import(new.path, item.name, draw.language.STYLES[0]))
    names = {item.name for item in moved}
    users = [
        module for module in made.modules if any(one.name in names for one in module.imports) and module is not old
    ]
    for module in draw.updated(users):
        for one in module.imports:
            one.of = new.path if one.name in names else one.of
    return "split module"


def inline(draw: Draw, made: Package) -> str:
    """Move all items of a module into another one, and remove it."""
    old = made.modules[1 + draw.chance.randrange(2)]
    new = next(module for module in made.modules[:3] if module is not old)
    names = {named(item) for item in old.items}
    new.items += old.items
    new.imports += [one for one in old.imports if one.of != new.path]
    made.modules.remove(old)
    if old.path != new.path:
        new.imports = [one for one in new.imports if one.of != old.path]
    users = [module for module in made.modules if any(one.of == old.path for one in module.imports)]
    for module in draw.updated(users):
        for one in module.imports:
            one.of = new.path if one.name in names else one.of
    return "inline module"


def rename(draw: Draw, made: Package) -> str:
    """Rename an item; an alias may keep the old name."""
    home, item = _any(draw, made, Function, Record, Choice, Interface)
    old = item.name
    new = draw.words.function() if isinstance(item, Function) else draw.words.type()
    users = _users(made, old)
    forms = [form for form in _aliases(draw, item) if form != "star"]
    form = draw.one(["", "", *forms])
    item.name = new
    made.gone[old] = item
    _rename_in([home], old, new)
    if form and isinstance(item, Function | Record | Choice):
        draw.say(f"kept by {form}")
        home.items.append(Alias(old, home.path, item, form))
    _rename_in(draw.updated(users), old, new)
    return f"rename {_word(item)}"


def _rename_in(modules: Iterable[Module], old: str, new: str) -> None:
    for module in modules:
        for one in module.imports:
            one.name = new if one.name == old else one.name
        for use in _uses([module]):
            use.owner = new if use.owner == old else use.owner
            use.name = new if use.name == old and use.what in ("call", "new") else use.name
        for item in module.items:
            if isinstance(item, Record):
                item.base = new if item.base == old else item.base
                item.implements = new if item.implements == old else item.implements


def rename_member(draw: Draw, made: Package) -> str:
    """Rename a field or a method of a class, or a member of an enumeration."""
    home, item = _any(draw, made, Record, Choice)
    users = _users(made, item.name)
    if isinstance(item, Choice):
        at = draw.chance.randrange(len(item.members))
        old, new, what = item.members[at], draw.words.member(), ("member",)
        item.members[at] = new
        kind = "rename enum member"
    elif isinstance(item, Record) and item.fields and draw.flip():
        one = draw.one(item.fields)
        old, new, what, kind = one.name, draw.words.field(), ("field",), "rename field"
        one.name = new
    else:
        methods = item.methods if isinstance(item, Record) else []
        method = draw.one(methods)
        old, new, what, kind = method.name, draw.words.function(), ("method",), "rename method"
        method.name = new
        if draw.language.GIVEN_FORMS and draw.flip(0.3) and isinstance(item, Record):
            kept = deepcopy(method)
            kept.name = old
            item.given, item.form = [kept], draw.one(draw.language.GIVEN_FORMS)
            draw.say(f"kept by {item.form}")
    for module in [home, *draw.updated(users)]:
        for use in _uses([module]):
            if use.what in what and use.name == old and use.owner == item.name:
                use.name = new
            if use.what == "new" and "field" in what and use.owner == item.name:
                use.keywords = [new if one == old else one for one in use.keywords]
        for other in module.items:
            if isinstance(other, Record) and other.base == item.name:
                for function in other.methods:
                    function.name = new if function.name == old else function.name
    return kind


def parameters(draw: Draw, made: Package) -> str:
    """Add a parameter to a function or a method, or remove one."""
    home, item = _any(draw, made, Function, Record)
    if isinstance(item, Record):
        function, owner, what = draw.one(item.methods), item.name, "method"
    elif isinstance(item, Function):
        function, owner, what = item, "", "call"
    else:
        raise TypeError(item)
    modules = _users(made, item.name)
    count = len(function.parameters)
    if draw.flip(0.25) and count:
        at = draw.chance.randrange(count)
        function.parameters.pop(at)
        kind = f"remove a parameter of a {'method' if owner else 'function'}"

        def mend(use: Use) -> None:
            _without(use, at)
    else:
        at = draw.one((0, count, count, count // 2))
        default = draw.language.HAS_DEFAULTS and draw.flip()
        extra = Parameter(draw.words.field(), draw.one(("int", "text")), default)
        function.parameters.insert(at, extra)
        if default and draw.flip(0.7):
            for later in function.parameters[at:]:
                later.has_default = True
        where = "at the end" if at == count else "before the last"
        kind = f"add a {'default' if default else 'required'} parameter {where}, {'method' if owner else 'function'}"

        def mend(use: Use) -> None:
            _with(use, at, extra)

    for module in [home, *draw.updated(modules)]:
        for use in _uses([module]):
            if use.what == what and use.name == function.name and use.owner == owner:
                mend(use)
        for other in module.items:
            if owner and isinstance(other, Record) and other.base == owner:
                for one in other.methods:
                    if one.name == function.name:
                        one.parameters = deepcopy(function.parameters)
    return kind


def _with(use: Use, at: int, extra: Parameter) -> None:
    plain = len(use.arguments) - len(use.keywords)
    if at > len(use.arguments):
        return
    use.arguments.insert(at, extra.kind)
    if at > plain or (at == plain and use.keywords):
        use.keywords.insert(at - plain, extra.name)


def _without(use: Use, at: int) -> None:
    plain = len(use.arguments) - len(use.keywords)
    if at < len(use.arguments):
        use.arguments.pop(at)
        if at >= plain:
            use.keywords.pop(at - plain)


def change_field(draw: Draw, made: Package) -> str:
    """Add a field to a class, remove one, or change its type."""
    home, item = _any(draw, made, Record)
    if not isinstance(item, Record):
        raise TypeError(item)
    users = _users(made, item.name)
    what = draw.one(("add", "remove", "retype")) if item.fields else "add"
    at = draw.chance.randrange(len(item.fields) + (what == "add"))
    if what == "add":
        default = draw.language.HAS_DEFAULTS and draw.flip(0.4)
        extra = Parameter(draw.words.field(), draw.one(("int", "text")), default)
        item.fields.insert(at, extra)
        if default:
            for one in item.fields[at:]:
                one.has_default = True
    elif what == "remove":
        item.fields.pop(at)
    else:
        item.fields[at].kind = "text" if item.fields[at].kind == "int" else "int"
    for module in [home, *draw.updated(users)]:
        for use in _uses([module]):
            if use.what == "new" and use.owner == item.name:
                if what == "add":
                    _with(use, at, item.fields[at])
                elif what == "remove":
                    _without(use, at)
                elif at < len(use.arguments):
                    use.arguments[at] = item.fields[at].kind
            elif (
                use.what == "field" and what == "retype" and use.owner == item.name and use.name == item.fields[at].name
            ):
                use.result = item.fields[at].kind
    return {"add": "add a field", "remove": "remove a field", "retype": "change a field's type"}[what]


def change_choice(draw: Draw, made: Package) -> str:
    """Add a member to an enumeration, or remove one."""
    _, item = _any(draw, made, Choice)
    if not isinstance(item, Choice):
        raise TypeError(item)
    at = draw.chance.randrange(len(item.members))
    if draw.flip(0.4):
        item.members.insert(at, draw.words.member())
        return "add an enum member"
    gone = item.members.pop(at)
    for use in _uses(draw.updated(_users(made, item.name))):
        if use.what == "member" and use.owner == item.name and use.name == gone:
            use.name = item.members[0]
    return "remove an enum member"


def returns(draw: Draw, made: Package) -> str:
    """Change what a function or a method returns."""
    _, item = _any(draw, made, Function, Record)
    function = draw.one(item.methods) if isinstance(item, Record) else item
    if not isinstance(function, Function):
        raise TypeError(item)
    function.returns = "text" if function.returns == "int" else "int"
    return f"change the return type of a {'method' if isinstance(item, Record) else 'function'}"


def give(draw: Draw, made: Package) -> str:
    """Let a class have a method in another way: from a base, a mixin, a delegate."""
    home, item = _any(draw, made, Record)
    if not isinstance(item, Record):
        raise TypeError(item)
    if draw.language.HAS_BASES and not item.base and draw.flip(0.4):
        new = _new_module(draw, made, home.path) if draw.flip() else home
        base = Record(draw.words.type(), [], [item.methods.pop(draw.chance.randrange(len(item.methods)))])
        new.items.insert(0, base)
        item.base = base.name
        if new is not home:
            home.imports.append(Import(new.path, base.name, draw.one(draw.language.STYLES)))
        return "pull up a method"
    item.form = draw.one(draw.language.GIVEN_FORMS)
    at = draw.chance.randrange(len(item.methods))
    item.given = [item.methods.pop(at)]
    return f"give a method by {item.form}"


def override(draw: Draw, made: Package) -> str:
    """Delete an override whose base has the method, or a method of a class."""
    heirs = [
        (module, item)
        for module in made.modules
        for item in module.items
        if isinstance(item, Record) and item.base and item.methods
    ]
    if not heirs:
        return give(draw, made)
    _, item = draw.one(heirs)
    base = next((one for module in made.modules for one in module.items if named(one) == item.base), None)
    names = {one.name for one in base.methods} if isinstance(base, Record) else set()
    shared = [one for one in item.methods if one.name in names]
    item.methods.remove(draw.one(shared or item.methods))
    return "delete an override" if shared else "delete a method"


def interface(draw: Draw, made: Package) -> str:
    """Change an interface: a new method, a default one, a parameter, another name."""
    _, item = _any(draw, made, Interface)
    if not isinstance(item, Interface):
        raise TypeError(item)
    what = draw.one(("abstract", "default", "parameter", "rename"))
    method = item.methods[0]
    implementers = [
        module
        for module in made.modules
        for one in module.items
        if isinstance(one, Record) and one.implements == item.name
    ]
    if what in ("abstract", "default"):
        extra = Function(draw.words.function(), [_parameter(draw)], "int", "default" if what == "default" else "")
        item.methods.append(extra)
    elif what == "parameter":
        at = draw.one((0, len(method.parameters)))
        method.parameters.insert(at, Parameter(draw.words.field(), draw.one(("int", "text"))))
    else:
        method.name = draw.words.function()
    for module in draw.updated(implementers):
        for one in module.items:
            if isinstance(one, Record) and one.implements == item.name:
                one.methods = [deepcopy(m) for m in item.methods if m.form != "default"]
    return {
        "abstract": "add an abstract method",
        "default": "add a default method",
        "parameter": "add a parameter to an abstract method",
        "rename": "rename an abstract method",
    }[what]


def wrap(draw: Draw, made: Package) -> str:
    """Write a function in another way."""
    _, item = _any(draw, made, Function)
    if not isinstance(item, Function):
        raise TypeError(item)
    item.form = draw.one(draw.language.FUNCTION_FORMS)
    return f"wrap a function by {item.form}"


def remove(draw: Draw, made: Package) -> str:
    """Remove an item; users may stop using it."""
    home, item = _any(draw, made, Function, Record, Choice)
    name = item.name
    home.items.remove(item)
    made.gone[name] = item
    users = [home, *draw.updated(_users(made, name))]
    for module in users:
        module.imports = [one for one in module.imports if one.name != name]
        for user in module.users():
            user.uses = [use for use in user.uses if name not in (use.name, use.owner)]
    return f"remove {_word(item)}"


Operation = Callable[[Draw, Package], str]
OPERATIONS: Sequence[tuple[Operation, int]] = (
    (move, 5),
    (move_module, 4),
    (split, 3),
    (inline, 2),
    (rename, 5),
    (rename_member, 4),
    (parameters, 5),
    (change_field, 4),
    (change_choice, 2),
    (returns, 2),
    (give, 5),
    (override, 2),
    (interface, 3),
    (wrap, 3),
    (remove, 2),
)


@dataclass(frozen=True)
class Change:
    """A package before and after one change. `seed` makes it again."""

    seed: int
    language: str
    kind: str
    choices: tuple[str, ...]
    base: Files
    head: Files
    programs: tuple[Files, Files] = ({}, {})  # for the judge alone: what runs the base, and the head


def change(language: Language, seed: int) -> Change:
    """Make one change: one operation, seldom two."""
    chance = Random(f"{language.NAME} {seed}")  # noqa: S311 - reproducible
    draw = Draw(chance, Words(chance), language)
    before = package(draw)
    after = deepcopy(before)
    done, weights = zip(*OPERATIONS, strict=True)
    count = 2 if draw.flip(0.15) else 1
    kinds: list[str] = []
    while len(kinds) < count:
        for one in chance.choices(done, weights, k=count - len(kinds)):
            with suppress(NothingToChangeError):
                kinds.append(one(draw, after))
    kind = kinds[0] if count == 1 else "two changes"
    choices = (*(kinds if count > 1 else ()), *draw.taken)
    driver = getattr(language, "driver", None)
    programs = (driver(before), driver(after)) if driver is not None else ({}, {})
    return Change(seed, language.NAME, kind, choices, language.render(before), language.render(after), programs)
