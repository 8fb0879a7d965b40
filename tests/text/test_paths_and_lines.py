"""How paths and lines are classified: one table per question, with the conventions of all languages."""

import pytest

from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_output, is_product, is_prose, is_test

TESTS = """
    e2e/x.ts e2e/login.py tests/test_shop.py test/shop_test.py shop/tests.py shop/test_rates.py conftest.py tests/conftest.py src/cart.test.ts
    src/cart.spec.tsx src/cart.cy.ts src/cart.e2e.ts src/app.e2e-spec.ts src/types.test-d.ts src/cart-test.js cypress/support/commands.ts
    playwright/login.ts src/__tests__/cart.js src/__mocks__/api.ts jest.setup.ts vitest.setup.mts src/setupTests.ts app/features/login.feature
    features/step_definitions/login.js pkg/shop/shop_test.go internal/testutil/server.go src/test/java/shop/Fixtures.java
    src/androidTest/kotlin/Login.kt src/main/java/shop/CartTest.java src/main/java/shop/CartTests.java src/main/java/shop/CartTestCase.java
    src/main/java/shop/CartIT.java src/main/java/shop/TestCart.java src/commonTest/kotlin/Cart.kt app/CartTest.kt app/CartSpec.scala
    app/CartSpec.groovy src/Shop.Tests/Cart.cs src/Shop.UnitTests/Cart.cs Shop/CartTests.cs Shop/CartTest.cs src/CartTest.php Tests/Unit/Cart.php
    spec/models/cart_spec.rb lib/cart_spec.rb test/models/cart_test.rb tests/cart.rs src/tests.rs src/cart_test.rs src/cart_tests.rs src/cart_test.cc
    src/CartTest.cpp ShopUITests/Login.swift lib/cart_test.dart test/cart_test.exs t/00-load.t scripts/deploy.bats integration-tests/api/cart.py
    unit_tests/cart.c tests-e2e/cart.ts test_data/cart.py testing/doubles.py
"""
PROSE = """
    README README.md README.fr docs/index.rst docs/guide.adoc docs/page.markdown CHANGELOG CHANGES CHANGES.txt NEWS HISTORY LICENSE LICENSE-MIT
    LICENSE.apache COPYING.LESSER AUTHORS CONTRIBUTORS notes.txt locale/de.po man/shop.1
"""
COMMENTS = [
    ("# tax", "a.py"), ("    # tax", "a.py"), ("#[1, 2]", "a.py"), ("#tax", "a.rb"), ("# tax", "deploy.sh"),
    ("# tax", "ci.yml"), ("# tax", "Dockerfile"), ("# tax", "Makefile"), ("# tax", "CMakeLists.txt"), ("# tax", "requirements.txt"),
    ("# define a rate here", "a.py"), ("#include the tax", "a.py"), ("#define it later", "a.rb"),
    ("// tax", "a.ts"), ("//tax", "a.go"), ("/// Tax.", "a.rs"), ("//! Tax.", "a.rs"), ("/* tax */", "a.c"), ("/* tax", "a.java"),
    (" * tax", "a.java"), (" *", "a.js"), (" */", "a.js"), (" **/", "a.c"), ("{/* tax */}", "a.tsx"),
    ("// tax", "a.kt"), ("// tax", "a.cs"), ("/// <summary>", "a.cs"), ("// tax", "a.swift"), ("// tax", "a.proto"),
    ("-- tax", "a.sql"), ("--tax", "a.sql"), ("-- tax", "a.lua"), ("-- tax", "a.hs"), ("/* tax */", "a.sql"),
    ("; tax", "a.el"), (";; tax", "a.clj"), ("; tax", "a.ini"), ("# tax", "a.ini"), ("! tax", "a.properties"),
    ("<!-- tax -->", "a.html"), ("<!-- tax", "a.vue"), ("{# tax #}", "a.j2"), ("{{! tax }}", "a.hbs"), ("<%# tax %>", "a.erb"), ("@* tax *@", "a.cshtml"),
    ("# tax", "a.php"), ("// tax", "a.php"), ("% tax", "a.erl"), ("% tax", "a.tex"),
    ("/* tax */", "a.css"), (" * tax", "a.css"), ("# tax", "main.tf"), ("// tax", "main.tf"), ("# tax", "a.ex"), ("# tax", "a.nix"),
    ("# tax", "unknown.xyz"), ("// tax", "unknown.xyz"), (";; tax", "unknown.xyz"), ("-- tax", "unknown.xyz"),
]  # fmt: skip
CODE = [
    ("#define RATE 2", "a.c"), ("# define RATE 2", "a.c"), ("#include <tax.h>", "a.cpp"), ("#if TAX", "a.h"), ("#endif", "a.h"), ("#pragma once", "a.hpp"),
    ("#import <Tax.h>", "a.m"), ("#nullable enable", "a.cs"), ("#region Tax", "a.cs"), ("#[derive(Debug)]", "a.rs"), ("#![no_std]", "a.rs"),
    ("#[Route('/tax')]", "a.php"), ("#!/bin/sh", "a.sh"), ("#rate = 2;", "a.js"), ("  #rate;", "a.ts"), ("  #total() {", "a.js"),
    ("#tax {", "a.css"), ("#tax, .rate {", "a.scss"), ("* {", "a.css"), ("*,", "a.css"), ("--tax: 2px;", "a.css"),
    ("--count;", "a.c"), ("-- count;", "a.java"), ("--count;", "a.js"), ("--rate 2", "a.sh"), ("-- rate", "a.py"), ("--;", "a.go"),
    (";;", "a.js"), (";;", "a.c"), (";;", "a.sh"), ("; rest()", "a.js"),
    ("*rate = 2;", "a.c"), ("*rate = 2", "a.go"), ("*items() {", "a.js"), ("**options,", "a.py"), ("*rows,", "a.py"), ("*args, **kwargs", "a.rb"),
    ("* tax", "a.py"), ("// 2", "a.py"), ("//tax", "a.py"), ("//go:build linux", "a.go"), ("//go:embed rates.json", "a.go"),
    ('/// <reference types="node" />', "a.d.ts"), ("/* tax */ pay();", "a.c"), ("*/ pay();", "a.c"), ("<!-- tax --> <b>2</b>", "a.html"),
    ('"# tax"', "a.py"), ("'// tax'", "a.js"), ('"-- tax"', "a.sql"), ("`/* tax */`", "a.ts"), ("https://shop.example", "a.sh"),
    ("# Tax", "a.md"), ("// tax", "a.css"), ("# tax", "a.c"), ("! tax", "a.py"), ("% tax", "a.py"), ("' tax'", "a.py"), ("--> tax", "a.hs"),
    ("* tax", "a.md"), ("-- tax", "a.md"), ("- tax", "a.yml"),
]  # fmt: skip


@pytest.mark.parametrize("path", TESTS.split())
def test_path_is_recognized_by_convention(path: str) -> None:
    """Paths that follow any language's test conventions are tests, not product code."""
    assert is_test(path)
    assert not is_product(path)


@pytest.mark.parametrize("path", ["poetry.lock", "go.sum", "a.min.js", "api_pb2.py", "x.snap", "logo.svg", "fix.patch"])
def test_generated_file_counts_as_output(path: str) -> None:
    """Lock files, snapshots and generated code count as output, not as documents."""
    assert is_output(path)
    assert not is_prose(path)


@pytest.mark.parametrize(("line", "path"), COMMENTS)
def test_comment_is_recognized_by_its_language(line: str, path: str) -> None:
    """A line is a comment in its own language only; in other languages, these characters are code."""
    assert is_comment(line, path)
