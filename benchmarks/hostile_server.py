"""`python -m benchmarks.hostile_server`: `deeprepo serve` with a language whose files cannot be parsed, such as *.hang.

The server's child processes load this program too, and with it the language.
"""

from pathlib import Path

from deeprepo.impact import filetypes, language, languages, table

FOLDER = Path(__file__).parent / "languages"
table.FOLDERS.append(FOLDER)
languages.__path__.append(str(FOLDER))
for one in (known for module in (table, filetypes, language) for known in vars(module).values()):
    if hasattr(one, "cache_clear"):  # children know the languages before they load this program
        one.cache_clear()

if __name__ == "__main__":
    from bot.__main__ import main

    main()
