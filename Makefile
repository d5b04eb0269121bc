# Virtual Threads by Experiment. Without make: python3 tools/setup.py lab | test | test-all | run NOTEBOOK

PYTHON ?= python3
PORT ?=
JDK ?=
NB ?=
RUN ?=
N ?= 5
DIR ?=
PLAN ?=
EXECUTED ?=

.PHONY: help lab update bundle test test-all claims contact-sheet run record picture site bench memory image
.PHONY: kills links translations handouts homework slides class clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile | expand -t 14

lab: ## open JupyterLab on the first notebook (PORT=9999 for another port)
	@$(PYTHON) tools/setup.py lab --port "$(PORT)"

update: ## update this clone to the newest version of the course; your changes are kept
	@$(PYTHON) tools/setup.py update

bundle: ## pack the course for computers without a network (JDK=yes: include the JDK)
	@$(PYTHON) tools/setup.py bundle $(if $(JDK),--jdk)

test: ## run the quick tests, five to nine minutes (NB=05 for one notebook, about one minute)
	@$(PYTHON) tools/setup.py test "$(NB)"

test-all: ## run the other tests, about an hour: claims, browser, image, servers, Binder
	@$(PYTHON) tools/setup.py test-all

claims: ## run all notebooks N=5 times, or one (NB=05), and say how often each claim broke
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/claims.py "$(N)" --notebook="$(NB)"

contact-sheet: ## put all charts, or those of one notebook (NB=05), on one page for review
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/contact_sheet.py --notebook="$(NB)"

run: ## execute a notebook into build/ (NB=notebooks/00-start-here.ipynb)
	@$(PYTHON) tools/setup.py run "$(NB)"

record: ## measure the data in data/recorded again on this machine (RUN=09 for one notebook)
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/record.py $(RUN)

picture: ## draw the pictures of the README and of the site's first page from the recorded runs
	@$(PYTHON) tools/setup.py --tests -- python tools/notebooks/record.py --draw

site: ## build the site with all results, build/site (EXECUTED=1: run nothing, show what is in build/executed)
	@$(PYTHON) tools/setup.py --tests -- python tools/publish/build_site.py $(if $(EXECUTED),--executed)

bench: ## time the kernel's first chart against the stock kernel
	@$(PYTHON) tools/setup.py -- python tools/notebooks/bench.py

kills: ## kill the image's start, the update and the set-up at 20 moments each; no file may be lost
	@THREADLAB_KILLS=20 $(PYTHON) tools/setup.py --tests -- python -m pytest -q tests/bootstrap/test_kills.py

memory: ## measure a learner's memory: page, kernel and child processes (NB=05 for one notebook); needs root and npm
	@$(PYTHON) tools/setup.py --tests -- python tools/teach/hub_trial.py --learners=1 --cpus=1 --notebooks="$(NB)"

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

homework: ## write homework for nbgrader from the exercises (NB=05 for one notebook)
	@$(PYTHON) tools/setup.py -- python tools/teach/homework.py --notebook="$(NB)"

class: ## draw everybody's machines in one chart (DIR=the folder with the learners' files)
	@$(PYTHON) tools/setup.py -- python tools/teach/classroom.py "$(DIR)" --notebook="$(NB)"

clean: ## remove what was built: .venv, build and threadlab/target; homework and results stay
	@# where an older version of the course kept the homework
	[ ! -d build/homework ] || mv build/homework homework
	rm -rf .venv build threadlab/target
