# Virtual Threads by Experiment. Without make: python3 tools/setup.py lab | test | test-all | release-check | run NOTEBOOK

PYTHON ?= python3
PORT ?=
JDK ?=
NB ?=
RUN ?=
N ?= 5
SIZE ?=
PART ?=
DIR ?=
PLAN ?=
LISTEN ?=
SHARED ?=
EXECUTED ?=

.PHONY: help lab update bundle test test-all release-check claims run record picture drawings site bench score memory image
.PHONY: tool links translations handouts homework slides hall class clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile | expand -t 14

lab: ## open JupyterLab on the first notebook (PORT=9999 for another port)
	@$(PYTHON) tools/setup.py lab --port "$(PORT)"

update: ## update this clone to the newest version of the course; your changes are kept
	@$(PYTHON) tools/setup.py update

bundle: ## pack the course for computers without a network (JDK=yes: include the JDK)
	@$(PYTHON) tools/setup.py bundle $(if $(JDK),--jdk)

test: ## run the quick tests, at most five minutes (NB=05 for one lesson, about one minute)
	@$(PYTHON) tools/setup.py test "$(NB)"

test-all: ## run every lesson once, and the tests with servers, pages and homework: 17 minutes
	@$(PYTHON) tools/setup.py test-all

release-check: ## run all that must hold before a release, or one part (PART=image; CONTRIBUTING.md names them)
	@$(PYTHON) tools/setup.py release-check "$(PART)"

claims: ## record what N=5 quiet runs say of each claim (NB=05 for one lesson; SIZE=usual or binder)
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/claims.py "$(N)" --notebook="$(NB)" --size="$(SIZE)"

run: ## execute a notebook into build/ (NB=notebooks/00-start-here.ipynb)
	@$(PYTHON) tools/setup.py run "$(NB)"

record: ## measure the data in data/recorded again on this machine (RUN=09 for one notebook)
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/record.py $(RUN)

picture: ## draw the pictures of the README from the recorded runs
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/record.py --draw

drawings: ## draw the drawings of the lessons, notebooks/drawings, from tools/notebooks/drawings.py
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/drawings.py

site: ## run what has changed, and build the site, build/site (EXECUTED=1: run nothing, show what has run)
	@$(PYTHON) tools/setup.py --tests -- python tools/publish/build_site.py $(if $(EXECUTED),--executed)

bench: ## time the kernel's first chart against the stock kernel
	@$(PYTHON) tools/setup.py -- python tools/notebooks/bench.py

score: tool ## score whatwaits on services with a known fault; run it until nothing is left (N=4 minutes a call)
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/score.py --minutes="$(N)"
	@$(PYTHON) tools/setup.py --tests -- python tools/publish/scores.py

memory: ## measure a learner's memory: page, kernel and child processes (NB=05 for one notebook); needs root and npm
	@$(PYTHON) tools/setup.py --tests -- python tests/teach/hub_trial.py --learners=1 --cpus=1 --notebooks="$(NB)"

tool: ## build the command whatwaits in one jar, build/whatwaits.jar
	@$(PYTHON) tools/setup.py -- python tools/publish/tool.py

image: ## build the image (Docker or Podman) and walk through it
	@$(PYTHON) tools/publish/image.py

links: ## print the links of this clone, and write them into the README (HUB=https://… for the class link)
	@$(PYTHON) tools/publish/links.py $(HUB)

translations: ## bring README, first page and lesson 00 in Korean, Japanese and Chinese up to date with the English
	@$(PYTHON) tools/setup.py -- python tools/publish/translations.py

handouts: ## write handout, prediction sheet and wrong answers for printing (PLAN=teaching/plan-one-day.md, or NB=05)
	@$(PYTHON) tools/setup.py -- python tools/teach/handouts.py --plan="$(PLAN)" --notebook="$(NB)"

slides: ## write slides with notes for the speaker (PLAN=teaching/plan-one-day.md, or NB=04 for one lesson)
	@$(PYTHON) tools/setup.py -- python tools/teach/slides.py --plan="$(PLAN)" --notebook="$(NB)"

hall: ## let a hall draw its guesses on phones, and show them (LISTEN=192.168.1.20, an address of this computer)
	@$(PYTHON) tools/setup.py -- python tools/hall/hall.py --plan="$(PLAN)" --listen="$(LISTEN)" --port="$(PORT)" $(if $(SHARED),--shared)

homework: ## write homework for nbgrader from the exercises (NB=05 for one notebook)
	@$(PYTHON) tools/setup.py -- python tools/teach/homework/make.py --notebook="$(NB)"

class: ## draw everybody's machines in one chart (DIR=the folder with the learners' files)
	@$(PYTHON) tools/setup.py -- python tools/teach/classroom.py "$(DIR)" --notebook="$(NB)"

clean: ## remove what was built: .venv, build and the modules' target; homework and results stay
	rm -rf .venv build threadlab/target whatwaits/target whatwaits/junit/target site/model/target
