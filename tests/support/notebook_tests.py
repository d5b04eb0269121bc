"""What the run of a notebook must show a reader."""

import base64
import io

from nbformat import NotebookNode
from PIL import Image
from notebooks.runs import claims, code_cells, errors, texts

PLATFORM, VIRTUAL = (0xD5, 0x5E, 0x00), (0x00, 0x72, 0xB2)
HIGH = (0x88, 0x22, 0x55)  # a tile's outcome, in a table whose columns say which kind had it


def pictures(notebook: NotebookNode) -> dict[str, list[tuple[dict, Image.Image]]]:
    """The charts of each cell that draws any: their display data and their pixels."""
    found: dict[str, list[tuple[dict, Image.Image]]] = {}
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if png := output.get("data", {}).get("image/png"):
                image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
                found.setdefault(cell.id, []).append((output.metadata["image/png"], image))
    return found


def charts_are_sharp_and_say_what_they_show(notebook: NotebookNode, lesson: bool) -> None:
    comparisons = 0
    for cell, images in pictures(notebook).items():
        for about, image in images:
            assert image.size == (2 * about["width"], 2 * about["height"])
            assert len(about["alt"]) > 20, f"{cell} has a chart without words"
            colours = {colour for _, colour in image.getcolors(1 << 20) or []}
            assert len(colours) > 10, f"{cell} shows an empty chart"
            comparisons += {PLATFORM, VIRTUAL} <= colours
            named = all(word in about["alt"] for word in ("platform", "virtual"))
            assert not named or {PLATFORM, VIRTUAL, HIGH} & colours, (
                f"{cell} names both kinds and shows neither"
            )
    assert comparisons > 0 or not lesson, "no chart compares platform with virtual threads"


def no_cell_fails(notebook: NotebookNode) -> None:
    said = [f"{cell.id}: {text}" for cell in code_cells(notebook) for text in texts(cell)]
    failed = errors(notebook) + [line for line in said if "cannot be used until this is declared" in line]
    assert not failed, "\n".join(failed)


def nothing_is_written_to_standard_error(notebook: NotebookNode) -> None:
    for cell in code_cells(notebook):
        for output in cell.outputs:
            assert output.get("name") != "stderr", f"{cell.id}: {output.text}"


def every_claim_is_judged_and_listed(notebook: NotebookNode, listed: list[dict[str, str]]) -> None:
    shown = claims(notebook)
    assert shown
    for name, text in shown.items():
        assert text.startswith(("✔", "✘", "≈")), f"{name}: {text}"
    for cell in code_cells(notebook):
        if "Claim.printed(" in cell.source:
            assert texts(cell)[-1].startswith("✔"), cell.id
    for row in listed:
        assert row["note"] or float(row["margin used (%)"]) >= 0, row
    # a system without a feature may omit a claim, but of two claims with the same words one would be hidden
    stated = {text[2:] for text in shown.values()}
    assert not [text for text in stated if not any(text.startswith(row["claim"] + ":") for row in listed)]
    assert len(listed) == len(shown)
