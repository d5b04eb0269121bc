"""A notebook of a few seconds: threads of both kinds, measured and drawn, and a published figure."""

import nbformat
from nbformat.v4 import new_code_cell

CELLS = (
    """
    var measured = Trials.of("threads")
            .platform(n -> { for (int i = 0; i < n; i++) Thread.ofPlatform().start(() -> {}).join(); })
            .virtual(n -> { for (int i = 0; i < n; i++) Thread.ofVirtual().start(() -> {}).join(); })
            .sizes(10, 100).run();
    Plots.timings(measured)
    """,
    'Table.read().csv("../data/published/published.csv").rowCount() > 5',
    "Runtime.getRuntime().maxMemory() / 1_000_000",
)
KERNEL = {"kernelspec": {"name": "java", "display_name": "Java", "language": "java"}}
TEXT = nbformat.writes(nbformat.v4.new_notebook(metadata=KERNEL, cells=[*map(new_code_cell, CELLS)]))
# in the folder of the notebooks, with TEXT as standard input
EXECUTE = "cd notebooks && exec jupyter nbconvert --stdin --to notebook --execute --stdout"


def heap(told: str) -> int:
    """The megabytes of heap that an executed notebook prints; its other cells must have worked."""
    chart, table, memory = nbformat.reads(told[told.index("{\n") :], as_version=4).cells
    assert any("image/png" in output.get("data", {}) for output in chart.outputs), chart
    assert table.outputs[-1]["data"]["text/plain"] == "true", table
    return int(memory.outputs[0]["data"]["text/plain"].replace(",", ""))
