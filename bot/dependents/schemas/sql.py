"""SQL: what statements of a migration, or the difference of two dumps, take away from those who select and insert.

Every dialect writes these few statements alike, and the rest of its grammar decides nothing here. Therefore this reads tokens instead
of a grammar: a statement of an unknown dialect costs nothing, and a file of any size takes linear time.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise

from bot.dependents.schemas import breaks, sql_uses
from bot.dependents.schemas.migrations import change_logs, losses, procedures, reading, rollbacks
from bot.dependents.schemas.migrations import files as migration_files
from bot.dependents.schemas.migrations.returns import UNSURE
from bot.dependents.schemas.migrations.steps import Does, MigrationStep
from bot.dependents.schemas.sql_tokens import MOST_STATEMENTS, Dialect, Lexeme, Statement, statements

NAME = "sql"
_FILE = re.compile(r"\.(?:sql|ddl|psql)$", re.IGNORECASE)
# The names of files and folders that take a migration back.
_DOWN_NAME = re.compile(r"(?P<joint>^|[._-])(?:down|rollback|undo|revert)(?P<tail>\.\w{1,20})$", re.IGNORECASE)
_DOWN_FOLDER = re.compile(r"^(?:down|rollback|revert)$", re.IGNORECASE)
_UNDO_NAME = re.compile(r"^U(?P<tail>[\d._]++__)")  # Flyway
# The marks of the tools, each on a line of its own: what takes the migration back, and what must stand above it.
_MARKS = (
    (r"--[ \t]*+\+(?:goose|micrate)[ \t]++Down", r"--[ \t]*+\+(?:goose|micrate)[ \t]++Up"),
    (r"--[ \t]*+\+migrate[ \t]++Down(?:[ \t]++\w{1,30})?", r"--[ \t]*+\+migrate[ \t]++Up(?:[ \t]++\w{1,30})?"),
    (r"--[ \t]*+migrate:down(?:[ \t]++\w{1,30}:\w{1,30})*+", r"--[ \t]*+migrate:up(?:[ \t]++\w{1,30}:\w{1,30})*+"),
    (r"--[ \t]*+Down Migration", r"--[ \t]*+Up Migration"),
    (r"(?:--|#)[ \t]*+(?:---[ \t]*+)?!Downs", r"(?:--|#)[ \t]*+(?:---[ \t]*+)?!Ups"),
    (r"--[ \t]*+//[ \t]*+@UNDO", ""),
    (r"----[ \t]*+create above / drop below[ \t]*+----", ""),
    (r"(?:--|#)[ \t]*+[=-]*+[ \t]*+@?\(?down\)?[ \t]*+[=-]*+", r"(?:--|#)[ \t]*+[=-]*+[ \t]*+@?\(?up\)?[ \t]*+[=-]*+"),
)
_MARK_LINES = [
    tuple(re.compile(rf"^[ \t]*+{form}[ \t]*+\r?$", re.IGNORECASE | re.MULTILINE) if form else None for form in pair)
    for pair in _MARKS
]
# What some dialects read as a comment, an escape or the end of a statement, and others do not.
_DIFFERS = re.compile(r"\\'|\\\\|/\*|--(?!\s)|#|\r(?!\n)|^[ \t]*+DELIMITER\b", re.IGNORECASE | re.MULTILINE)
_KINDS_OF_TABLE = frozenset(["FOREIGN", "ONLINE", "OFFLINE", "IGNORE", "EXTERNAL"])
_BODIES = frozenset(["PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE", "RULE"])  # what others run
# The words of a script that decide whether the statements behind them are carried out.
_DECIDES = frozenset(["\\", "IF", "RETURN", "EXIT", "QUIT", "GOTO", "WHILE"])
_STOPS = frozenset(["NOEXEC", "PARSEONLY"])
DIALECT_DOUBT = "dialects of SQL read the text of this file differently, and in one of them it is taken away"
_NOT_COLUMNS = frozenset(
    [
        "CONSTRAINT",
        "INDEX",
        "KEY",
        "PRIMARY",
        "FOREIGN",
        "CHECK",
        "PARTITION",
        "DEFAULT",
        "UNIQUE",
        "FULLTEXT",
        "SPATIAL",
        "EXCLUDE",
        "NOT",
        "EXPRESSION",
        "IDENTITY",
        "PERIOD",
        "SYSTEM",
        "LIKE",
        "TRIGGER",
        "OWNER",
        "TABLESPACE",
        "TO",
    ]
)
_FILLS = frozenset(
    [
        "DEFAULT",
        "GENERATED",
        "AUTO_INCREMENT",
        "AUTOINCREMENT",
        "SERIAL",
        "BIGSERIAL",
        "SMALLSERIAL",
        "IDENTITY",
        "AS",
        "NEXTVAL",
        "ROWVERSION",
    ]
)
_USUAL_SCHEMAS = frozenset(["", "public", "dbo", "main"])


def wants(path: str) -> bool:
    """Whether it holds statements, or is a migration that calls functions for them."""
    if not (breaks.is_product(path) or migration_files.is_among(path)):
        return False
    return bool(_FILE.search(path)) or migration_files.is_migration(path) or change_logs.is_log_path(path)


def is_schema(document: breaks.Document) -> bool:
    """Any file of such a name: what defines no table breaks none. A file of code that is called like a test may be a migration."""
    if change_logs.is_log_path(document.path):
        return change_logs.is_log(document.text)
    return wants(document.path) and (
        breaks.is_product(document.path)
        or bool(_FILE.search(document.path))
        or migration_files.has_steps(document.text)
    )


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """What the new statements take away, and what a dump no longer creates: as each dialect reads them."""
    old = {document.successor: document for document in sides.before}
    paths = sides.base_texts.keys() | {document.path for document in sides.after}
    steps: dict[str, list[MigrationStep]] = {}
    for dialect in ("standard", "mysql"):
        rows = steps[dialect] = []
        for document in sides.after:
            if not _FILE.search(document.path):
                is_log = change_logs.is_log_path(document.path)
                rows += (
                    _of_log(document) if is_log else reading.added_steps(document, partial(_of_text, dialect=dialect))
                )
                continue
            mine = _added_steps(document, sides.base_texts, paths, dialect)
            if document.path in old:
                mine = [*_difference(old[document.path], document, dialect), *mine]
            rows += mine
        if not any(_DIFFERS.search(document.text) for document in (*sides.before, *sides.after)):
            return losses.breaks(rows)
    by_place = {
        dialect: {(one.rule, one.owner, one.element): one for one in losses.breaks(rows)}
        for dialect, rows in steps.items()
    }
    sure = by_place["standard"].keys() & by_place["mysql"].keys()
    return [
        one if place in sure else replace(one, doubt=one.doubt or DIALECT_DOUBT)
        for place, one in (by_place["mysql"] | by_place["standard"]).items()
    ]


def _of_log(document: breaks.Document) -> list[MigrationStep]:
    """The steps that a change adds to a log of changes."""
    return [one for one in change_logs.log_steps(document.text, document.path) if one.line in document.added_lines]


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The spellings of the column or the table."""
    return sql_uses.searched_words(one)


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether the line selects, writes or maps it."""
    return sql_uses.likeness(one, place)


def _parts(statement: Statement) -> Iterator[Statement]:
    """A statement, in parts where another one begins without a semicolon between them."""
    words = [token.upper for token in statement]
    edges = [0]
    in_body = False
    for at, (word, behind) in enumerate(pairwise([*words, ""])):
        if word == "GO" or (word == "/" and _is_alone(statement, at)):
            in_body = False
            edges.append(at + 1)
        elif word == "CREATE":
            in_body = not _BODIES.isdisjoint(words[at : at + 6])
        is_start = (word == "ALTER" and (behind == "TABLE" or behind in _KINDS_OF_TABLE)) or (
            word in ("DROP", "RENAME") and behind in ("TABLE", "TABLES", "VIEW")
        )
        is_start |= word in procedures.CALLS
        if is_start and not in_body:
            edges.append(at)
    yield from (part for first, last in pairwise([*edges, len(statement)]) if (part := statement[first:last]))


def _is_alone(statement: Statement, at: int) -> bool:
    """Whether a token is the only one of a statement on its line."""
    line = statement[at].line
    return all(one.line != line for one in (*statement[at - 1 : at], *statement[at + 1 : at + 2]))


def _added_steps(
    document: breaks.Document, base_texts: Mapping[str, str], paths: Collection[str], dialect: Dialect
) -> list[MigrationStep]:
    """The steps of statements that the change brings, without the part that takes a migration back."""
    if is_backward(document.path, base_texts, paths):
        return []
    text = _forward(document.text, document.path, base_texts)
    backward_lines = {at for at, line in enumerate(_forward(document.text).split("\n"), 1) if not line}
    is_called_back = bool(forward_names(document.path))
    return [
        one
        for one in _steps(document, text, dialect)
        # a step that its file or comment calls the way back may drop, but never restores, what the change took away
        if one.does not in ("create", "add") or not (is_called_back or one.line in backward_lines)
    ]


def _steps(document: breaks.Document, text: str, dialect: Dialect) -> list[MigrationStep]:
    """What a script does in its order: what a later statement takes back, or may not reach, brings nothing back."""
    rows: list[MigrationStep] = []
    start, doubt = 0, ""
    try:
        for statement in statements(text, dialect):
            for part in _parts(statement):
                words = [token.upper for token in part[:3]]
                if not _DECIDES.isdisjoint(words[:1]) or not _STOPS.isdisjoint(words):
                    doubt = UNSURE
                if words[0] in ("ROLLBACK", "ABORT"):
                    rows[start:] = [one for one in rows[start:] if one.does not in ("create", "add")]
                if words[0] in ("BEGIN", "START", "COMMIT", "ROLLBACK"):
                    start = len(rows)
                if any(token.line in document.added_lines for token in part):
                    rows += [
                        replace(one, doubt=doubt if one.does in ("create", "add") else one.doubt)
                        for one in _of_statement(part, document.path)
                        if one.line in document.added_lines or one.does in ("create", "add")
                    ]
    except OverflowError as error:
        raise breaks.UnreadableSchemaError(document.path, f"it has more than {MOST_STATEMENTS:,} statements") from error
    return rows


def lost_columns(rows: Iterable[tuple[str, int]], path: str, text: str, added_lines: frozenset[int]) -> list[str]:
    """Return the columns that statements drop on these lines, without those that the same file brings back, or drops on its way back alone."""
    columns = [*rows]
    if not wants(path) or not text:
        return [name for name, _ in columns]
    document = breaks.Document(path, text, added_lines)
    if not _FILE.search(path):
        lines = rollbacks.forward_lines(text, path)
        columns = [(name, line) for name, line in columns if line in lines]
        back = losses.brought_back(reading.added_steps(document, partial(_of_text, dialect="standard")))
    elif forward_names(path):
        back = frozenset()
    else:
        try:
            back = losses.brought_back(_steps(document, _forward(text), "standard"))
            if _DIFFERS.search(text):
                back &= losses.brought_back(_steps(document, _forward(text), "mysql"))
        except breaks.UnreadableSchemaError:
            back = frozenset()
    return [name for name, _ in columns if name.lower() not in back]


def is_backward(path: str, base_texts: Mapping[str, str], paths: Collection[str]) -> bool:
    """Whether a file takes back what another one does: by its name, the other's, and the habit of the base.

    A name that the change chooses proves nothing where the base has migrations beside it that are called otherwise.
    """
    if not any(one in paths for one in forward_names(path)):
        return False
    habits = [bool(forward_names(one)) for one in base_texts if migration_files.home(one) == migration_files.home(path)]
    return any(habits) or not habits


def forward_names(path: str) -> list[str]:
    """What the file is called whose migration a file takes back, if its name says that it takes one back."""
    folder, _, name = path.rpartition("/")
    above, _, last_folder = folder.rpartition("/")
    home, outer = f"{folder}/" if folder else "", f"{above}/" if above else ""
    names: list[str] = []
    if match := _DOWN_NAME.search(name):
        stem = name[: match.start()]
        names += [f"{home}{stem}{match['joint']}{word}{match['tail']}" for word in ("up", "do", "deploy")]
        names += [f"{home}{stem}{match['tail']}"] if stem else []
    if _DOWN_FOLDER.match(last_folder):
        names += [f"{outer}{word}{name}" for word in ("up/", "deploy/", "")]
    if match := _UNDO_NAME.match(name):
        names.append(f"{home}V{name[1:]}")
    return names


def _forward(text: str, path: str = "", base_texts: Mapping[str, str] | None = None) -> str:
    """A text whose part that takes a migration back is blank; lines stay where they are.

    A tool's mark counts below the mark of the migration itself, unless the base has migrations beside it and none of them is marked so.
    """
    mine = migration_files.home(path)
    beside = [
        other
        for one, other in (base_texts or {}).items()
        if other and one != path and migration_files.home(one) == mine
    ]
    for down_form, up_form in _MARK_LINES:
        down = down_form.search(text) if down_form else None
        if not down or (up_form and not up_form.search(text, 0, down.start())):
            continue
        if down_form and beside and not any(down_form.search(other) for other in beside):
            continue
        up = up_form.search(text, down.end()) if up_form else None
        last = up.start() if up else len(text)
        text = text[: down.start()] + "\n" * text.count("\n", down.start(), last) + text[last:]
    return text


def _of_text(text: str, line: int, path: str, dialect: Dialect) -> list[MigrationStep]:
    """The steps of statements in a literal of code that begins on this line."""
    return [
        one
        for statement in statements(text, dialect)
        for part in _parts(statement)
        for one in _of_statement(part, path, line - 1)
    ]


def _difference(old: breaks.Document, new: breaks.Document, dialect: Dialect) -> list[MigrationStep]:
    """The tables and columns that a dump created before the change and no longer creates."""
    before, after = created_tables(_forward(old.text), dialect), created_tables(_forward(new.text), dialect)
    old_columns, new_columns = (required_columns(_forward(one.text), dialect) for one in (old, new))
    lost_tables = [table for table in before if table not in after]
    difference = [
        MigrationStep("drop-table", _short(table), "", old.path, before[table][0], side="base") for table in lost_tables
    ]
    for table, (_, columns) in before.items():
        if table in after and after[table][1]:
            difference += [
                MigrationStep("tighten-column", _short(table), column, new.path, line)
                for column, line in new_columns.get(table, {}).items()
                if column not in old_columns.get(table, {})
            ]
            difference += [
                MigrationStep("drop-column", _short(table), column, old.path, line, side="base")
                for column, line in columns.items()
                if column not in after[table][1]
            ]
    return difference


def created_tables(text: str, dialect: Dialect = "standard") -> dict[str, tuple[int, dict[str, int]]]:
    """Table -> its line, and its columns with theirs.

    The first statement that creates a table defines it: a second one fails or does nothing, and a temporary table is another one.
    """
    tables: dict[str, tuple[int, dict[str, int]]] = {}
    for statement in statements(text, dialect):
        words = [token.upper for token in statement[:6]]
        if words[:1] == ["DROP"] and words[1:2] == ["TABLE"]:
            for part in _actions(statement[2:]):
                tables.pop(_full_name(part, 0)[1], None)
        elif words[:1] == ["CREATE"] and "TABLE" in words and not _is_temporary(statement):
            at, name = _full_name(statement, words.index("TABLE") + 1)
            if name and (name not in tables or words[1:3] == ["OR", "REPLACE"]):
                tables[name] = statement[0].line, dict(_columns(statement, at))
    return tables


def tables_with(column: str, text: str) -> frozenset[str]:
    """The tables that a file creates with a column of this name."""
    name = column.lower()
    return frozenset(table for table, columns in _columns_by_table(text).items() if name in columns)


@lru_cache(maxsize=2)  # a schema before and after a change: each of its keys asks
def _columns_by_table(text: str) -> Mapping[str, Collection[str]]:
    return {table: columns for table, (_, columns) in created_tables(_forward(text)).items()}


def _is_temporary(statement: Statement) -> bool:
    """Whether a statement creates a table that only its own session sees."""
    head = [token.upper for token in statement[:6]]
    at = head.index("TABLE") if "TABLE" in head else len(head)
    name = _full_name(statement, at + 1)[1] or "".join(token.text for token in statement[at + 1 : at + 2])
    return not {"TEMP", "TEMPORARY", "VOLATILE"}.isdisjoint(head[:at]) or name.startswith(
        ("#", "@", "pg_temp", "temp.")
    )


def _is_conditional(statement: Statement) -> bool:
    """Whether it leaves alone what is there already, or replaces it."""
    head = {token.upper for token in statement[:8] if not token.quoted}
    return {"NOT", "EXISTS"} <= head or {"OR", "REPLACE"} <= head


def _renamed(table: str, new: str) -> str:
    """The new name of a table, which stays in its schema."""
    schema = table.rpartition(".")[0]
    return f"{schema}.{new}" if schema and "." not in new else new


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _full_name(statement: Statement, at: int) -> tuple[int, str]:
    """The name of a table behind a position, with its schema unless that is the usual one, and the position behind it."""
    start = at
    at, name = _name(statement, start)
    while start < at and statement[start].upper in ("IF", "NOT", "EXISTS", "ONLY"):
        start += 1
    schema = ".".join(token.text.lower() for token in statement[start : at - 1] if token.text != ".")
    return at, name if schema in _USUAL_SCHEMAS else f"{schema}.{name}"


def _columns(statement: Statement, at: int) -> Iterator[tuple[str, int]]:
    depth, begins = 0, False
    for token in statement[at:]:
        if token.text == "(" and not token.quoted:
            depth += 1
            begins = depth == 1
            continue
        if token.text == ")" and not token.quoted:
            depth -= 1
            if not depth:
                return
        elif token.text == "," and depth == 1:
            begins = True
            continue
        elif begins and depth == 1 and (token.quoted or token.upper not in _NOT_COLUMNS):
            yield token.text.lower(), token.line
        begins = False


def _name(statement: Statement, at: int) -> tuple[int, str]:
    """The name behind a position, without its schema and in lower case, and the position behind it."""
    while at < len(statement) and statement[at].upper in ("IF", "NOT", "EXISTS", "ONLY", "COLUMN"):
        at += 1
    name = ""
    while at < len(statement) and (
        statement[at].quoted or statement[at].text[:1].isalpha() or statement[at].text[:1] == "_"
    ):
        name = statement[at].text.lower()
        at += 1
        if at < len(statement) and statement[at].text == ".":
            at += 1
        else:
            break
    return at, name


def _of_statement(statement: Statement, path: str, above: int = 0) -> Iterator[MigrationStep]:
    if call := procedures.call_of(statement):
        yield from _of_procedure(call, path, above)
        return
    yield from _of_plain_statement(statement, path, above)


def _of_plain_statement(statement: Statement, path: str, above: int) -> Iterator[MigrationStep]:
    first = [token.upper for token in statement[:8]]
    while first and first[0] in ("BEGIN", "GO", "TRANSACTION", "UTF8"):  # a batch without semicolons
        statement, first = statement[1:], first[1:]
    line = statement[0].line + above if statement else 0
    if first[:1] == ["ALTER"] and "TABLE" in first and _KINDS_OF_TABLE.issuperset(first[1 : first.index("TABLE")]):
        at, table = _full_name(statement, first.index("TABLE") + 1)
        for action in _table_actions(statement[at:]):
            yield from _of_action(action, table, path, above)
            yield from _tightening(action, table, path, above)
    elif first[:1] == ["DROP"] and (at := _behind_kind(first)):
        for part in _actions(statement[at:]):
            name = _full_name(part, 0)[1]
            if name:
                yield MigrationStep("drop-table", name, "", path, line)
    elif first[:1] == ["RENAME"] and first[1:2] in (["TABLE"], ["TABLES"]):
        for part in _actions(statement[2:]):
            at, table = _full_name(part, 0)
            yield MigrationStep("rename-table", table, "", path, line, new=_full_name(part, at + 1)[1])
    elif first[:1] == ["CREATE"] and ("TABLE" in first or "VIEW" in first) and not _is_temporary(statement):
        at = first.index("TABLE" if "TABLE" in first else "VIEW") + 1
        at, table = _full_name(statement, at)
        columns = tuple(name for name, _ in _columns(statement, at)) if "TABLE" in first else ()
        yield MigrationStep("create", table, "", path, line, columns=columns, is_conditional=_is_conditional(statement))


def _of_procedure(call: procedures.ProcedureCall, path: str, above: int) -> Iterator[MigrationStep]:
    """The steps of a procedure of SQL Server that gives a column or a table another name, or carries out a text."""
    line = call.line + above
    if call.name == procedures.CARRIES_OUT:
        for inner in statements(call.text):
            for part in _parts(inner):
                yield from _of_plain_statement(part, path, line - 1)  # no text within a text
        return
    if (step := procedures.rename(call, path, line)) is not None:
        yield step


def _behind_kind(first: Sequence[str]) -> int:
    """The position behind what a statement drops, if that is a table or a view; 0 if it is something else."""
    at = 2 if first[1:2] == ["MATERIALIZED"] or first[1:2] == ["FOREIGN"] else 1
    return at + 1 if first[at : at + 1] in (["TABLE"], ["TABLES"], ["VIEW"]) else 0


def _table_actions(tokens: Statement) -> Iterator[Statement]:
    """The actions upon a table, each with one name: Oracle writes a list in brackets, SQL Server one verb before many names."""
    head: Statement = []
    for action in _actions(tokens):
        if head and len(action) == 1 and (action[0].quoted or action[0].text[:1].isalpha()):
            yield [*head, *action]
            continue
        head = action[:2] if [token.upper for token in action[:2]] == ["DROP", "COLUMN"] else []
        yield from _dropped_names(action) or [action]


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


def _dropped_names(action: Statement) -> list[Statement]:
    """The actions that drop one column each, of one that drops a list in brackets."""
    words = [token.upper for token in action[:3]]
    at = 2 if words[1:2] == ["COLUMN"] else 1
    if words[:1] != ["DROP"] or not action[at:] or action[at].quoted or action[at].text != "(":
        return []
    end = next((n for n, token in enumerate(action) if token.text == ")" and not token.quoted), len(action))
    return [[*action[:at], *part] for part in _actions(action[at + 1 : end])]


def _tightening(action: Statement, table: str, path: str, above: int) -> Iterator[MigrationStep]:
    """The step of an action that takes NULL from a column which is there, and gives it no default."""
    words = [token.upper for token in action]
    if not action or not table or words[0] not in ("ALTER", "MODIFY", "CHANGE") or not _is_required(words):
        return
    at, name = _name(action, 2 if words[1:2] == ["COLUMN"] else 1)
    if words[0] == "CHANGE":
        name = _name(action, at)[1]
    if name:
        yield MigrationStep("tighten-column", table, name, path, action[0].line + above)


def _is_required(words: Sequence[str]) -> bool:
    """Whether the words about a column say NOT NULL, and name no value that the database gives."""
    return ("NOT", "NULL") in pairwise(words) and _FILLS.isdisjoint(words) and "DROP" not in words


def required_columns(text: str, dialect: Dialect) -> dict[str, dict[str, int]]:
    """Table -> the columns that its creation requires of each new row, with their lines."""
    columns_by_table: dict[str, dict[str, int]] = {}
    for statement in statements(text, dialect):
        words = [token.upper for token in statement[:6]]
        if words[:1] != ["CREATE"] or "TABLE" not in words or _is_temporary(statement):
            continue
        at, table = _full_name(statement, words.index("TABLE") + 1)
        for part in _actions(_bracketed(statement[at:])):
            is_column = bool(part) and (part[0].quoted or part[0].upper not in _NOT_COLUMNS)
            if is_column and _is_required([token.upper for token in part]):
                columns_by_table.setdefault(table, {})[part[0].text.lower()] = part[0].line
    return columns_by_table


def _bracketed(tokens: Statement) -> Statement:
    """What the first bracket of a statement holds."""
    depth, inside = 0, list[Lexeme]()
    for token in tokens:
        mark = "" if token.quoted else token.text
        depth -= mark == ")"
        if depth:
            inside.append(token)
        elif mark == ")":
            break
        depth += mark == "("
    return inside


def _of_action(action: Statement, table: str, path: str, above: int) -> Iterator[MigrationStep]:
    words = [token.upper for token in action]
    if not action or not table:
        return
    line = action[0].line + above

    def step(does: Does, column: str, new: str = "") -> MigrationStep:
        return MigrationStep(does, table, column, path, line, new=new, is_conditional=_is_conditional(action))

    start = 2 if words[1:2] == ["COLUMN"] else 1
    behind = words[start] if start < len(words) else ""
    at, name = _name(action, start)
    if words[0] == "DROP" and (start > 1 or behind not in _NOT_COLUMNS) and name:
        yield step("drop-column", name)
    elif words[0] == "RENAME" and behind == "TO":
        yield step("rename-table", "", _renamed(table, _full_name(action, start + 1)[1]))
    elif words[0] == "RENAME" and behind not in _NOT_COLUMNS and words[at : at + 1] == ["TO"]:
        yield step("rename-column", name, _name(action, at + 1)[1])
    elif words[0] == "CHANGE" and name:
        new = _name(action, at)[1]
        if new and new != name:
            yield step("rename-column", name, new)
    elif words[0] == "ADD" and words[start : start + 1] != ["("] and (start > 1 or behind not in _NOT_COLUMNS) and name:
        must = ("NOT", "NULL") in pairwise(words) and _FILLS.isdisjoint(words)
        yield step("require-column" if must else "add", name)
