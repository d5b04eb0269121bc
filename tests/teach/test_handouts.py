"""The content of teaching/: sheets and the settings for hubs, compared with the notebooks. Takes a second."""

import json
import re

import yaml
from notebooks.runs import NOTEBOOKS, read, tagged
from teach import handouts
from teach.handouts import TEACHING


def test_the_sheet_asks_every_prediction_of_its_notebooks() -> None:
    sheet = handouts.sheet(NOTEBOOKS)
    asked = sum(cell.source.count("**Predict.**") for path in NOTEBOOKS for cell in read(path).cells)
    assert sheet.count('<td class="line"><td class="line">') == asked > 100
    assert "$" not in sheet


def test_the_wrong_answers_are_those_that_the_checks_explain() -> None:
    checks = [cell for path in NOTEBOOKS for cell in tagged(read(path), "check")]
    explained = sum(check.source.count(".mistake(") + check.source.count("Claim.repair(") for check in checks)
    assert sum(len(handouts.mistakes(check.source)) for check in checks) == explained
    assert all(check.metadata.get("deletable") is False for check in checks), "a reader may delete a check"
    assert "They are fetched one after another" in handouts.answers(NOTEBOOKS[:1])


def test_the_handout_uses_the_words_of_the_notebooks() -> None:
    course = " ".join(cell.source for path in NOTEBOOKS for cell in read(path).cells).lower()
    terms = re.findall(r"\| \*\*([^*]+)\*\* \|", (TEACHING / "handout.md").read_text(encoding="utf-8"))
    assert len(terms) > 8
    assert [term for term in terms if f"**{term}" not in course] == []


def test_the_hub_s_settings_use_keys_that_the_chart_knows() -> None:
    values = yaml.safe_load((TEACHING / "hub/values.yaml").read_text(encoding="utf-8"))
    kept = json.loads((TEACHING / "hub/keys.json").read_text(encoding="utf-8"))
    types = {"object": dict, "integer": int, "number": (int, float), "string": str, "boolean": bool}

    def leaves(value: object, path: str) -> None:
        if isinstance(value, dict) and path not in kept["keys"]:
            for key, below in value.items():
                leaves(below, f"{path}.{key}".lstrip("."))
            return
        known = kept["keys"][path]
        known = known if isinstance(known, list) else [known]
        fits = value in known or any(isinstance(value, types[name]) for name in known if name in types)
        assert fits, f"{path}: {value} is none of {known}"

    leaves(values, "")
    page = (TEACHING / "hub/README.md").read_text(encoding="utf-8")
    assert f"--version {kept['chart']}" in page
    # JupyterHub does not start with a password of fewer than 8 characters; each class gets its own
    assert len(values["hub"]["config"]["SharedPasswordAuthenticator"]["user_password"]) < 8
    # a learner can fill only their own share of memory and disk
    assert values["singleuser"]["memory"]["limit"] and values["singleuser"]["storage"]["capacity"]
