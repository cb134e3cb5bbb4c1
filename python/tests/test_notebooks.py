"""The notebooks of `examples/python` run from top to bottom; their cells assert what they claim."""

from __future__ import annotations

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

PLACE = Path(__file__).parents[2] / "examples" / "python"


@pytest.mark.parametrize("name", ["study", "sobol_indices", "limit_state"])
def test_a_notebook_runs(name: str) -> None:
    for needed in {"study": ["matplotlib", "pandas"], "sobol_indices": ["SALib"], "limit_state": ["openturns"]}[name]:
        pytest.importorskip(needed)
    notebook = nbformat.read(PLACE / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(PLACE)}}).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stdout":
                print(output.text.strip())
