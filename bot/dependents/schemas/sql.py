"""SQL: what statements of a migration, or the difference of two dumps, take away from those who select and insert.

Every dialect writes these few statements alike, and the rest of its grammar decides nothing here. Therefore this reads tokens instead
of a grammar: a statement of an unknown dialect costs nothing, and a file of any size takes linear time.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from bot.dependents.schemas import breaks, migrations, sql_uses
from bot.dependents.schemas.migrations import MigrationStep
from bot.dependents.schemas.sql_tokens import MOST_STATEMENTS, Lexeme, Statement, statements
from bot.values import Severity

NAME = "sql"
_FILE = re.compile(r"\.(?:sql|ddl|psql)$", re.IGNORECASE)
# The names of files and folders that take a migration back, and the lines of the tools behind which a file does.
_BACKWARD = re.compile(
    r"(?:^|[/._-])(?:down|rollback|undo|revert)\.\w{1,20}$|(?:^|/)(?:down|rollback|revert)/[^/]++$|(?:^|/)U[\d._]++__[^/]++$",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"^[ \t]*+(?:--|#)[ \t]*+(?:\+?(?:goose|micrate|migrate)[ \t:]++|--- !|!)?"
    r"(?:(?P<down>Downs?(?: Migration)?|//[ \t]*+@UNDO)|Ups?(?: Migration)?)\b[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_COLUMNS = frozenset({
    "CONSTRAINT", "INDEX", "KEY", "PRIMARY", "FOREIGN", "CHECK", "PARTITION", "DEFAULT", "UNIQUE", "FULLTEXT", "SPATIAL", "EXCLUDE", "NOT",
    "EXPRESSION", "IDENTITY", "PERIOD", "SYSTEM", "LIKE", "TRIGGER", "OWNER", "TABLESPACE", "TO",
})  # fmt: skip
_FILLS = frozenset({
    "DEFAULT", "GENERATED", "AUTO_INCREMENT", "AUTOINCREMENT", "SERIAL", "BIGSERIAL", "SMALLSERIAL", "IDENTITY", "AS", "NEXTVAL", "ROWVERSION",
})  # fmt: skip
_BEFORE_NAMES = ("IF", "NOT", "EXISTS", "ONLY")


def wants(path: str) -> bool:
    """Whether it holds statements, or is a migration that calls functions for them."""
    return breaks.is_product(path) and (bool(_FILE.search(path)) or migrations.is_migration(path))


def is_schema(document: breaks.Document) -> bool:
    """Any file of such a name: what defines no table breaks none."""
    return wants(document.path)


def is_backward(path: str) -> bool:
    """Whether a file takes a migration back, by its name."""
    return bool(_BACKWARD.search(path))


likeness = sql_uses.likeness


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """What the new statements take away, and what a dump no longer creates."""
    old = {document.home: document for document in sides.before}
    losses: list[MigrationStep] = []
    steps: list[MigrationStep] = []
    for document in sides.after:
        if not _FILE.search(document.path):
            steps += [one for one in _of_code(document) if one.line in document.added_lines]
        elif not is_backward(document.path):
            try:
                losses += _difference(old[document.path], document) if document.path in old else []
                steps += _of_script(document)
            except OverflowError as error:
                reason = f"it has more than {MOST_STATEMENTS:,} statements"
                raise breaks.UnreadableSchemaError(document.path, reason) from error
    rows = [*losses, *_lost_in_order(steps)]
    return list({(one.rule, one.owner, one.element): one for one in map(_break, reversed(rows))}.values())[::-1]


def _of_code(document: breaks.Document) -> list[MigrationStep]:
    """What a migration in code does: its calls, and the statements in its texts."""
    rows = [*migrations.call_steps(document)]
    for text, line in migrations.sql_texts(migrations.forward(document.text)):
        rows += [one for statement in statements(text) for one in _of_statement(statement, document.path, line - 1)]
    return sorted(rows, key=lambda one: one.line)


def _of_script(document: breaks.Document) -> Iterator[MigrationStep]:
    """What the statements of a file do that the change brings, in their order."""
    for statement in statements(forward(document.text)):
        if not document.added_lines.isdisjoint(token.line for token in statement):
            rows = _of_statement(statement, document.path)
            yield from (one for one in rows if one.line in document.added_lines or one.does in ("create", "add"))


def forward(text: str) -> str:
    """A text whose part below a tool's mark, which takes the migration back, is blank; lines stay where they are."""
    marks = [*_MARK.finditer(text)]
    for mark, behind in pairwise([*marks, None]):
        if mark is not None and mark["down"] and any(not one["down"] for one in marks):
            last = behind.start() if behind is not None else len(text)
            text = text[: mark.start()] + re.sub(r"[^\n]", " ", text[mark.start() : last]) + text[last:]
    return text


def _lost_in_order(steps: Sequence[MigrationStep]) -> list[MigrationStep]:
    """The steps that take away what was there before the change and is missing at its end, and those that ask for more."""
    lost: dict[tuple[str, str], MigrationStep] = {}
    new: set[tuple[str, str]] = set()
    required: list[MigrationStep] = []
    origins: dict[str, str] = {}  # the name of a table now -> at the beginning
    for step in steps:
        table = origins.get(step.table, step.table)
        place = (table, step.column.lower())
        if step.does in ("create", "add", "require-column"):
            restored = (
                [(table, "")] + [(table, column) for column in step.columns] if step.does == "create" else [place]
            )
            came_back = [lost.pop(one, None) for one in restored]
            if not any(came_back):
                new.add(place)
            if step.does == "require-column" and (table, "") not in new:
                required.append(step)
            continue
        if place not in new and (table, "") not in new:
            lost.setdefault(place, replace(step, table=table))
        if step.does == "rename-column":
            lost.pop((table, step.new.lower()), None)
        elif step.does == "rename-table" and lost.pop((step.new.lower(), ""), None) is None:
            origins[step.new.lower()] = table
    return [*lost.values(), *required]


def _break(row: MigrationStep) -> breaks.SchemaBreak:
    table = row.table
    kind: breaks.Kind = "column" if row.column else "table"
    element = f"{table}.{row.column}" if row.column else table
    verb = row.does.partition("-")[0]
    rule, name = f"{kind}-{'renamed' if verb == 'rename' else 'dropped'}", row.column or table
    alone: Severity | None = None
    fate = f"was renamed to {row.new}" if row.new else "was dropped"
    law = f"A statement that names a {kind} which is gone fails."
    if verb == "require":
        rule, name, alone = "column-required", "", "medium"
        fate = "is NOT NULL without a default"
        law = "A database has no value for the rows that are there: the migration fails on a table that is not empty (MySQL fills in an empty value)."
    return breaks.SchemaBreak(
        rule, kind, element, fate, law, row.path, row.line, row.side, name, table if row.column else "", alone, model=row.model,
    )  # fmt: skip


def _difference(old: breaks.Document, new: breaks.Document) -> list[MigrationStep]:
    """The tables and columns that a dump created before the change and no longer creates."""
    before, after = created_tables(forward(old.text)), created_tables(forward(new.text))
    rows: list[MigrationStep] = []
    for table, (line, columns) in before.items():
        if table not in after:
            rows.append(MigrationStep("drop-table", table, "", old.path, line, side="base"))
        elif after[table][1]:
            rows += [
                MigrationStep("drop-column", table, column, old.path, at, side="base")
                for column, at in columns.items()
                if column not in after[table][1]
            ]
    return rows


def created_tables(text: str) -> dict[str, tuple[int, dict[str, int]]]:
    """Table -> its line, and its columns with theirs. The first statement that creates a table defines it, unless it is dropped again."""
    tables: dict[str, tuple[int, dict[str, int]]] = {}
    for statement in statements(text):
        for step in _of_statement(statement, ""):
            if step.does == "drop-table":
                tables.pop(step.table, None)
            elif step.does == "create" and step.table not in tables:
                tables[step.table] = step.line, dict(_columns(statement))
    return tables


def _of_statement(statement: Statement, path: str, above: int = 0) -> Iterator[MigrationStep]:
    """The steps of one statement. `above`: lines above its text."""
    first = [token.upper for token in statement[:8]]
    line = statement[0].line + above if statement else 0
    if first[:1] == ["ALTER"] and "TABLE" in first[1:3]:
        at, table = _name(statement, first.index("TABLE") + 1)
        for action in _actions(statement[at:]):
            yield from _of_action(action, table, path, above)
    elif first[:1] == ["DROP"] and (kind := next((n for n in (1, 2) if first[n : n + 1] in (["TABLE"], ["VIEW"])), 0)):
        for part in _actions(statement[kind + 1 :]):
            if name := _name(part, 0)[1]:
                yield MigrationStep("drop-table", name, "", path, line)
    elif first[:2] in (["RENAME", "TABLE"], ["RENAME", "TABLES"]):
        for part in _actions(statement[2:]):
            at, table = _name(part, 0)
            yield MigrationStep("rename-table", table, "", path, line, new=_name(part, at + 1)[1])
    elif first[:1] == ["CREATE"] and not {"TABLE", "VIEW"}.isdisjoint(first):
        at = next(n for n, word in enumerate(first) if word in ("TABLE", "VIEW"))
        columns = tuple(name for name, _ in _columns(statement))
        yield MigrationStep("create", _name(statement, at + 1)[1], "", path, line, columns=columns)


def _of_action(action: Statement, table: str, path: str, above: int) -> Iterator[MigrationStep]:
    """The step of one action upon a table."""
    words = [token.upper for token in action]
    start = 2 if words[1:2] == ["COLUMN"] else 1
    behind = words[start] if start < len(words) else ""
    at, name = _name(action, start)
    if not table or not name or (start == 1 and behind in _NOT_COLUMNS - {"TO"}):
        return
    line, new = action[0].line + above, _name(action, at + (words[0] == "RENAME"))[1]
    if words[0] == "DROP":
        yield MigrationStep("drop-column", table, name, path, line)
    elif words[0] == "RENAME" and behind == "TO":
        yield MigrationStep("rename-table", table, "", path, line, _name(action, start + 1)[1])
    elif (words[0] == "RENAME" and words[at : at + 1] == ["TO"]) or (words[0] == "CHANGE" and new not in ("", name)):
        yield MigrationStep("rename-column", table, name, path, line, new)
    elif words[0] == "ADD":
        is_required = ("NOT", "NULL") in pairwise(words) and _FILLS.isdisjoint(words)
        yield MigrationStep("require-column" if is_required else "add", table, name, path, line)


def _actions(tokens: Statement) -> Iterator[Statement]:
    """The parts between commas that are in no bracket."""
    depth, part = 0, list[Lexeme]()
    for token in tokens:
        mark = "" if token.quoted else token.text
        depth += (mark == "(") - (mark == ")")
        if mark == "," and depth <= 0:
            yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _columns(statement: Statement) -> Iterator[tuple[str, int]]:
    """The columns in the first bracket of a statement that creates a table."""
    start = next((n for n, token in enumerate(statement) if token.text == "(" and not token.quoted), len(statement))
    depth, end = 0, len(statement)
    for at, token in enumerate(statement[start:], start):
        mark = "" if token.quoted else token.text
        depth += (mark == "(") - (mark == ")")
        if not depth:
            end = at
            break
    for part in _actions(statement[start + 1 : end]):
        if part and (part[0].quoted or part[0].upper not in _NOT_COLUMNS):
            yield part[0].text.lower(), part[0].line


def _name(statement: Statement, at: int) -> tuple[int, str]:
    """The name behind a position, without its schema and in lower case, and the position behind it."""
    while at < len(statement) and statement[at].upper in (*_BEFORE_NAMES, "COLUMN"):
        at += 1
    name = ""
    while at < len(statement) and (statement[at].quoted or re.match(r"[A-Za-z_#@]", statement[at].text)):
        name = statement[at].text.lower()
        at += 1
        if at < len(statement) and statement[at].text == ".":
            at += 1
        else:
            break
    return at, name
