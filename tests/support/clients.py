"""Clients of Jupyter that are fetched once, beside the same environment."""

from bootstrap.environment import beside


def clients() -> dict[str, str]:
    """What lets Python find them."""
    home = beside("clients")
    return {"PYTHONPATH": str(home), "JUPYTER_PATH": str(home / "share/jupyter")}
