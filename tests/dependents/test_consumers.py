"""What a change breaks in other repositories, checked with real clones of both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from fakes import Repository

import deeprepo

Files = Mapping[str, str]
Others = Callable[[str], Repository]


@dataclass(frozen=True)
class Pair:
    """A library before and after a change, and a consumer with the line that breaks."""

    before: Files
    after: Files
    consumer: Files
    broken: tuple[str, int, str] | None  # path, line, rule


PYPROJECT = '[project]\nname = "acme-quotes"\nversion = "1.4.0"\n'
PYTHON = {"pyproject.toml": PYPROJECT, "src/acme_quotes/__init__.py": "from acme_quotes.quotes import quote\n"}
USER = '[project]\nname = "billing"\nversion = "1"\ndependencies = ["acme_quotes>=1.2,<2"]\n'
POM = "<project><groupId>com.acme</groupId><artifactId>quotes</artifactId><version>1.4</version></project>"
TAKING_POM = (
    "<project><groupId>com.bill</groupId><artifactId>billing</artifactId>"
    "<dependencies><dependency><groupId>com.acme</groupId><artifactId>quotes</artifactId><version>1.2</version></dependency></dependencies></project>"
)
PAIRS = {
    "python: a function that is gone": Pair(
        {**PYTHON, "src/acme_quotes/quotes.py": "def quote(cents, express=False):\n    return cents\n"},
        {"src/acme_quotes/quotes.py": "def price(text):\n    raise ValueError(text)\n", "src/acme_quotes/__init__.py": ""},
        {"pyproject.toml": USER, "billing/pay.py": "import acme_quotes\n\n\ndef pay():\n    return acme_quotes.quote(3)\n"},
        ("billing/pay.py", 5, "consumer-removed-symbol"),
    ),
    "python: a parameter that is gone": Pair(
        {**PYTHON, "src/acme_quotes/quotes.py": "def quote(cents, express=False):\n    return cents\n"},
        {"src/acme_quotes/quotes.py": "def quote(cents):\n    return cents\n"},
        {"requirements.txt": "Acme.Quotes==1.2\n", "pay.py": "from acme_quotes import quote\n\nquote(3, express=True)\n"},
        ("pay.py", 3, "consumer-keyword"),
    ),
    "python: a module that is gone": Pair(
        {**PYTHON, "src/acme_quotes/quotes.py": "def quote(): ...\n", "src/acme_quotes/old.py": "def tax(): ...\n"},
        {"src/acme_quotes/old.py": None},  # type: ignore[dict-item]
        {"pyproject.toml": USER, "pay.py": "from acme_quotes.old import tax\n\ntax()\n"},
        ("pay.py", 3, "consumer-removed-module"),
    ),
    "python: an override that is left behind": Pair(
        {**PYTHON, "src/acme_quotes/quotes.py": "class Quote:\n    def total(self, cents):\n        return cents\n"},
        {"src/acme_quotes/quotes.py": "class Quote:\n    def total(self, cents, rate):\n        return cents * rate\n"},
        {"pyproject.toml": USER, "own.py": "from acme_quotes.quotes import Quote\n\n\nclass Own(Quote):\n    def total(self, cents):\n        return 2 * cents\n"},
        ("own.py", 5, "consumer-override"),
    ),
    "javascript: an export that is gone": Pair(
        {"package.json": '{"name": "@acme/quotes", "exports": "./dist/index.js"}', "src/index.ts": "export function quote(cents: number) { return cents }\nexport const RATE = 2\n"},
        {"src/index.ts": "export const RATE = 2\n"},
        {"package.json": '{"dependencies": {"@acme/quotes": "^1.2.0"}}', "src/pay.ts": "import { quote, RATE } from '@acme/quotes'\n\nexport const paid = quote(RATE)\n"},
        ("src/pay.ts", 3, "consumer-removed-symbol"),
    ),
    "go: a function with a new parameter": Pair(
        {"go.mod": "module example.com/quotes\n", "tax/tax.go": "package tax\n\nfunc Rate(country string) int {\n\treturn 1\n}\n"},
        {"tax/tax.go": "package tax\n\nfunc Rate(country string, year int) int {\n\treturn year\n}\n"},
        {"go.mod": "module example.com/billing\n\nrequire example.com/quotes v1.2.0\n", "pay/pay.go": 'package pay\n\nimport "example.com/quotes/tax"\n\nfunc Pay() int {\n\treturn tax.Rate("de")\n}\n'},
        ("pay/pay.go", 6, "consumer-required-parameter"),
    ),
    "rust: a function that is gone": Pair(
        {"Cargo.toml": '[package]\nname = "acme-quotes"\nversion = "1.4.0"\n', "src/lib.rs": "pub mod tax;\n", "src/tax.rs": "pub fn rate() -> u32 {\n    1\n}\npub fn other() -> u32 {\n    2\n}\n"},
        {"src/tax.rs": "pub fn other() -> u32 {\n    2\n}\n"},
        {"Cargo.toml": '[package]\nname = "billing"\nversion = "1.0.0"\n[dependencies]\nacme-quotes = "1.2"\n', "src/main.rs": 'use acme_quotes::tax::rate;\n\nfn main() {\n    println!("{}", rate());\n}\n'},
        ("src/main.rs", 4, "consumer-removed-symbol"),
    ),
    "php: a class that is gone": Pair(
        {"composer.json": '{"name": "acme/quotes", "autoload": {"psr-4": {"Acme\\\\Quotes\\\\": "src/"}}}', "src/Quote.php": "<?php\nnamespace Acme\\Quotes;\n\nclass Quote\n{\n    public static function of(int $cents) { return $cents; }\n}\n"},
        {"src/Quote.php": None},  # type: ignore[dict-item]
        {"composer.json": '{"require": {"acme/quotes": "^1.2"}, "autoload": {"psr-4": {"Billing\\\\": "app/"}}}', "app/Pay.php": "<?php\nnamespace Billing;\n\nuse Acme\\Quotes\\Quote;\n\nclass Pay\n{\n    public function run() { return Quote::of(3); }\n}\n"},
        ("app/Pay.php", 8, "consumer-removed-module"),
    ),
    "java: a method with another number of arguments": Pair(
        {"pom.xml": POM, "src/main/java/com/acme/Quote.java": "package com.acme;\n\npublic class Quote {\n    public static int of(int cents) {\n        return cents;\n    }\n}\n"},
        {"src/main/java/com/acme/Quote.java": "package com.acme;\n\npublic class Quote {\n    public static int of(int cents, int rate) {\n        return cents * rate;\n    }\n}\n"},
        {"pom.xml": TAKING_POM, "src/main/java/com/bill/Pay.java": "package com.bill;\n\nimport com.acme.Quote;\n\npublic class Pay {\n    int pay() {\n        return Quote.of(3);\n    }\n}\n"},
        ("src/main/java/com/bill/Pay.java", 7, "consumer-required-parameter"),
    ),
    "c#: a class that is gone": Pair(
        {"src/Quotes/Acme.Quotes.csproj": "<Project><PropertyGroup><Version>1.4</Version></PropertyGroup></Project>", "src/Quotes/Quote.cs": "namespace Acme.Quotes;\n\npublic class Quote\n{\n    public static int Of(int cents) => cents;\n}\n", "src/Quotes/Tax.cs": "namespace Acme.Quotes;\n\npublic class Tax\n{\n    public int Rate;\n}\n"},
        {"src/Quotes/Quote.cs": None},  # type: ignore[dict-item]
        {"Billing.csproj": '<Project><ItemGroup><PackageReference Include="Acme.Quotes" Version="1.2" /></ItemGroup></Project>', "Pay.cs": "using Acme.Quotes;\n\nnamespace Billing;\n\npublic class Pay\n{\n    public int Run() => Quote.Of(3);\n}\n"},
        ("Pay.cs", 7, "consumer-removed-symbol"),
    ),
    "ruby: a class that is gone": Pair(
        {"acme_quotes.gemspec": "Gem::Specification.new do |spec|\n  spec.name = 'acme_quotes'\nend\n", "lib/acme_quotes.rb": "require 'acme_quotes/quote'\nrequire 'acme_quotes/tax'\n", "lib/acme_quotes/quote.rb": "module AcmeQuotes\n  class Quote\n    def self.of(cents)\n      cents\n    end\n  end\nend\n", "lib/acme_quotes/tax.rb": "module AcmeQuotes\n  class Tax\n  end\nend\n"},
        {"lib/acme_quotes.rb": "require 'acme_quotes/tax'\n", "lib/acme_quotes/quote.rb": None},  # type: ignore[dict-item]
        {"Gemfile": "gem 'acme_quotes', '~> 1.2'\n", "lib/pay.rb": "require 'acme_quotes/quote'\n\nAcmeQuotes::Quote.of(3)\n"},
        ("lib/pay.rb", 3, "consumer-removed-module"),
    ),
}  # fmt: skip
NO_BREAK = {
    "a private name is nobody's contract": Pair(
        {**PYTHON, "src/acme_quotes/quotes.py": "def quote(): ...\ndef _tax(): ...\n"},
        {"src/acme_quotes/quotes.py": "def quote(): ...\n"},
        {"pyproject.toml": USER, "pay.py": "from acme_quotes.quotes import _tax\n\n_tax()\n"},
        None,
    ),
    "a copy in a folder of other people's code is not a consumer": Pair(
        {**PYTHON, "src/acme_quotes/quotes.py": "def quote(): ...\ndef tax(): ...\n"},
        {"src/acme_quotes/quotes.py": "def quote(): ...\n"},
        {"pyproject.toml": USER, "billing/_vendor/pay.py": "from acme_quotes.quotes import tax\n\ntax()\n"},
        None,
    ),
    "a function that the consumer defines itself under the same name": Pair(
        {**PYTHON, "src/acme_quotes/quotes.py": "def quote(): ...\ndef total_tax(): ...\n"},
        {"src/acme_quotes/quotes.py": "def quote(): ...\n"},
        {"pyproject.toml": USER, "pay.py": "import acme_quotes\nfrom own import total_tax\n\ntotal_tax()\n", "own.py": "def total_tax(): ...\n"},
        None,
    ),
    "a name that is handed on from where it moved to": Pair(
        {**PYTHON, "src/acme_quotes/quotes.py": "def quote(cents):\n    return cents\n"},
        {"src/acme_quotes/prices.py": "def quote(cents):\n    return cents\n", "src/acme_quotes/quotes.py": "from acme_quotes.prices import quote\n"},
        {"pyproject.toml": USER, "pay.py": "from acme_quotes.quotes import quote\n\nquote(3)\n"},
        None,
    ),
    "java: an interface that asks more of who implements it": Pair(
        {"pom.xml": POM, "src/main/java/com/acme/Source.java": "package com.acme;\n\npublic interface Source {\n    int size();\n}\n"},
        {"src/main/java/com/acme/Source.java": "package com.acme;\n\npublic interface Source {\n    int size();\n\n    int limit();\n}\n"},
        {"pom.xml": TAKING_POM, "src/main/java/com/bill/Pay.java": "package com.bill;\n\nimport com.acme.Source;\n\npublic class Pay {\n    int pay(Source source) {\n        return source.size();\n    }\n}\n"},
        None,
    ),
}  # fmt: skip


def affected(repository: Repository, others: Others, pair: Pair) -> deeprepo.Impact:
    """Return the impact of the library's change on the consumer."""
    repository.commit(dict(pair.before), "before")
    repository.commit(dict(pair.after), "after")
    consumer = others("billing")
    consumer.commit(dict(pair.consumer), "uses it")
    return deeprepo.analyze(repository.folder, "HEAD~1..HEAD", consumers=[consumer.folder])


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_break_is_proven_at_the_consumer_line(repository: Repository, repositories: Others, pair: Pair) -> None:
    """For each language, the finding is at the consumer's line, and the consumer counts as checked."""
    found = affected(repository, repositories, pair)
    assert pair.broken is not None
    path, line, rule = pair.broken
    places = [(one.path, one.line, one.rule, one.proven) for one in found.broken if one.consumer]
    assert places == [(f"billing:{path}", line, rule, True)]
    assert [(one.name, one.state, one.breaks) for one in found.consumers] == [("billing", "checked", 1)]


def npm(exports: str, source: str, asked: str = "@acme/quotes") -> Pair:
    """Return a package whose `exports` lists only build outputs, and a consumer that imports one entry."""
    both = "export function quote(cents) { return cents }\nexport const RATE = 2\n"
    return Pair(
        {"package.json": f'{{"name": "@acme/quotes", "version": "1.4.0", "exports": {exports}}}', source: both},
        {source: both.partition("\n")[2]},
        {"package.json": '{"dependencies": {"@acme/quotes": "^1.2.0"}}', "pay.js": f"import {{ quote }} from '{asked}'\n\nquote(2)\n"},
        ("pay.js", 3, "consumer-removed-symbol"),
    )  # fmt: skip


def classmap(listed: str, name: str, source: str, asks: str) -> Pair:
    """Return a PHP package that maps classes by folder, and a consumer with this statement."""
    method = "    public static function taxOf(int $a) { return $a; }\n"
    line = asks.count("\n") + 2
    return Pair(
        {"composer.json": f'{{"name": "acme/quotes", "autoload": {{"classmap": {listed}}}}}', name: source.replace("BODY", method)},
        {name: source.replace("BODY", "")},
        {"composer.json": '{"require": {"acme/quotes": "^1"}}', "pay.php": f"<?php\n{asks}"},
        ("pay.php", line, "consumer-removed-symbol"),
    )  # fmt: skip


SPACED = "<?php\nnamespace Acme\\Quotes;\n\nfinal class Tax\n{\nBODY}\n"
SECOND = "<?php\nnamespace Acme\\Quotes;\n\ninterface Rate\n{\n}\n\nclass Tax\n{\nBODY}\n"
PLAIN = "<?php\nclass Acme_Tax\n{\nBODY}\n"
ELSEWHERE = {
    "a bundle that is called like the package": npm('{".": {"import": "./dist/quotes.mjs", "require": "./dist/quotes.cjs"}}', "src/index.js"),
    "one text": npm('"./dist/quotes.js"', "src/index.js"),
    "php: a folder": classmap('["src/"]', "src/Tax.php", SPACED, "use Acme\\Quotes\\Tax;\n\nTax::taxOf(1);"),
    "php: a file of another name": classmap('["inc"]', "inc/rates.inc.php", SECOND, "use Acme\\Quotes\\{Rate, Tax};\n\nTax::taxOf(1);"),
    "php: no namespace": classmap('["inc"]', "inc/tax.php", PLAIN, "\n\nAcme_Tax::taxOf(1);"),
}  # fmt: skip


@pytest.mark.parametrize("pair", ELSEWHERE.values(), ids=ELSEWHERE)
def test_library_source_is_found_from_its_manifest(repository: Repository, repositories: Others, pair: Pair) -> None:
    """The source is found even if the manifest lists only build outputs or folders."""
    found = affected(repository, repositories, pair)
    places = [(one.path, one.line, one.rule) for one in found.broken if one.consumer]
    assert pair.broken is not None
    assert places == [(f"billing:{pair.broken[0]}", *pair.broken[1:])]


PAY = "def quote(cents, express=False):\n    return cents\n"
LIBRARY = {
    "pyproject.toml": '[project]\nname = "quotes"\nversion = "1.4.0"\n',
    "quotes/__init__.py": "",
    "quotes/pay.py": PAY,
}
BILL = {
    "requirements.txt": "quotes>=1.2,<2\n",
    "bill.py": "from quotes.pay import quote\n\nprint(quote(30, express=True))\n",
}
MOVES = {
    **{
        f"python: a file that becomes {path}": (LIBRARY, {"quotes/pay.py": None, path: PAY}, BILL, "bill.py")
        for path in ("quotes/test_pay.py", "quotes/tests/pay.py", "quotes/pay.py.txt", "conftest.py")
    },
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "consumer", "path"), MOVES.values(), ids=MOVES)
def test_consumer_import_broken_by_a_move_or_manifest_is_reported(
    repository: Repository, repositories: Others, before: Files, after: Files, consumer: Files, path: str
) -> None:
    """If a consumer's import worked before the change and fails after it, there is a finding at its line."""
    repository.commit({"README.md": "quotes\n", **before}, "before")
    repository.commit(dict(after), "after")
    other = repositories("billing")
    other.commit(dict(consumer), "uses it")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none", consumers=[other.folder])
    assert any(item.path == f"billing:{path}" for one in review.findings for item in one.evidence)


@pytest.mark.parametrize("pair", NO_BREAK.values(), ids=NO_BREAK)
def test_change_outside_the_contract_is_not_reported(repository: Repository, repositories: Others, pair: Pair) -> None:
    """Changes to private names and other non-contracts report nothing in a checked consumer."""
    found = affected(repository, repositories, pair)
    assert [one for one in found.broken if one.consumer] == []
    assert [one.state for one in found.consumers] == ["checked"]
