"""Studies and runs: the same bytes as the command line, and what a run shows."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import files_of

import touchdown as td
from touchdown import _progress, _study

CRITERIA = ("overrun", "excursion", "gear", "short_stop")


@pytest.fixture(scope="module")
def study(examples: Path) -> td.Study:
    return td.Study(examples / "c172_wet_runway.toml").replace(landings=600, part_size=200)


@pytest.fixture(scope="module")
def run(study: td.Study) -> td.Run:
    return study.run(engine="native")


def test_python_and_the_command_line_write_the_same_bytes(examples: Path, tmp_path: Path, program) -> None:
    path = examples / "c172_wet_runway.toml"
    study = td.Study(path)
    study.run(engine="native", directory=tmp_path / "python", parts=(0, 2))
    done = program("study", "run", path, "--engine", "native", "--parts", "0..2", "--out", tmp_path / "program")
    assert done.returncode == 0, done.stderr
    ours, theirs = files_of(tmp_path / "python"), files_of(tmp_path / "program")
    assert [name for name in ours if name.startswith("parts/")] == ["parts/00000.parquet", "parts/00001.parquet"]
    assert ours == theirs
    # To the end: the summary too.
    small = study.replace(landings=300, part_size=100)
    small.run(engine="native", directory=tmp_path / "small")
    text = small._study.text
    (tmp_path / "study.json").write_text(text)
    for name, content in small._study.files().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    done = program("study", "run", tmp_path / "study.json", "--engine", "native", "--out", tmp_path / "again")
    assert done.returncode in (0, 1, 6), done.stderr
    ours, theirs = files_of(tmp_path / "small"), files_of(tmp_path / "again")
    assert "summary.json" in ours
    assert ours == theirs
    print(f"{len(ours)} files, {sum(map(len, ours.values()))} bytes, equal")


def test_progress_is_of_the_trials_of_the_parts_asked_for(
    study: td.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    totals = []
    ticker = _study.ticker

    def noted(progress, total: int, many: str):
        totals.append(total)
        return ticker(progress, total, many)

    monkeypatch.setattr(_study, "ticker", noted)
    for parts in [(1, 3), (0, 1), None]:
        study.run(engine="native", directory=tmp_path / str(parts), parts=parts)
    assert totals == [400, 200, 600]


def test_progress_ends_with_what_is_done(study: td.Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    study.run(engine="native", directory=tmp_path, progress=lambda *counts: told.append(counts))
    assert told[-1] == (600, 600)
    # All parts are there, and counted within the interval of a line.
    study.run(engine="native", directory=tmp_path, progress=True)
    assert capsys.readouterr().err.rsplit("\r", 1)[-1].startswith("600/600 landings, ")
    with _progress.ticker(True, 600, "landings") as tick:
        for done in (0, 200, 600):
            tick(done)
    shown = capsys.readouterr().err.rsplit("\r", 1)[-1]
    assert shown.startswith("600/600 landings, ") and shown.endswith("/s \n")


def test_inputs_with_a_constant_distribution_are_columns_too(examples: Path) -> None:
    study = td.Study(examples / "particle.toml")
    names = tuple(variable.name for variable in study.inputs)
    assert "step" in names and study.document["inputs"]["step"]["distribution"] == "constant"
    assert study.function("position").inputs == names
    assert study.sample(2).shape == (2, len(names))
    assert repr(study).endswith(f"particles, {len(names)} inputs>")


def test_a_summary_is_found_by_names_and_attributes(run: td.Run) -> None:
    criteria = run.summary["criteria"]
    assert criteria.names == CRITERIA
    excursion = criteria["excursion"]
    assert excursion.upper == excursion["upper"] == run.summary.criteria[1].upper
    assert 0 <= excursion.lower <= excursion.estimate <= excursion.upper < 1
    assert run.summary.landings == 600
    with pytest.raises(KeyError, match="overrun, excursion"):
        criteria["excursoin"]
    assert "excursion" in run._repr_html_() and "<table>" in run._repr_html_()


def test_rows_are_those_of_the_parts(run: td.Run) -> None:
    parts = sorted((run.directory / "parts").iterdir())
    rows = run.rows
    assert rows.num_rows == 600
    assert rows["landing"].to_pylist() == list(range(600))
    for name in rows.column_names:
        column = [value for part in parts for value in pq.read_table(part)[name].to_pylist()]
        assert rows[name].to_pylist() == column, name
    # The table holds on to the memory of the native part, also after the run.
    again = td.open_run(run.directory).rows
    assert again.equals(rows)


def test_a_function_gives_the_values_of_the_run(study: td.Study, run: td.Run) -> None:
    names = [variable.name for variable in study.inputs]
    X = study.sample(600)
    columns = np.column_stack([run.rows[f"input.{name}"].to_numpy() for name in names])
    assert np.array_equal(X, columns)
    compared = [quantity for quantity in ("stopping_point", "load_factor") if quantity in run.rows.column_names]
    assert "stopping_point" in compared
    for quantity in compared:
        Y = study.function(quantity, noise=None)(X)
        assert np.array_equal(Y, run.rows[quantity].to_numpy(zero_copy_only=False), equal_nan=True)


def test_a_function_depends_on_its_row_alone(study: td.Study) -> None:
    f = study.function("stopping_point")
    X = study.sample(64)
    Y = f(X)
    assert Y.shape == (64,) and Y.dtype == np.float64
    assert np.array_equal(f(np.ascontiguousarray(X[::-1])), Y[::-1], equal_nan=True)
    brake = study.function("stopping_point", inputs=["brake_level"])
    softer, harder = brake(np.array([[0.2], [0.5]]))
    assert softer > harder + 20.0


def test_uniforms_become_the_studys_inputs(study: td.Study) -> None:
    uniforms = np.random.default_rng(1).uniform(size=(4000, len(study.inputs)))
    X = study.transform(uniforms)
    names = [variable.name for variable in study.inputs]
    mass, airspeed = X[:, names.index("mass")], X[:, names.index("airspeed")]
    assert mass.min() >= 850.0 and mass.max() <= 1043.0
    # 53 kt in SI units; the standard error of the mean is 0.016 m/s.
    assert abs(airspeed.mean() - 53 * 1852 / 3600) < 0.1
    ranks = np.corrcoef(mass.argsort().argsort(), airspeed.argsort().argsort())[0, 1]
    # Rank correlation 0.7 with a standard error of 0.01.
    assert abs(ranks - 0.7) < 0.04
    with pytest.raises(ValueError, match="row 0 has 1"):
        study.transform(np.ones((1, len(study.inputs))))


def test_a_replay_equals_its_row(run: td.Run) -> None:
    replay = run.replay(5)
    assert replay.differences == []
    assert replay.class_ == run.rows["class"][5].as_py()
    assert replay.quantities["stopping_point"] == run.rows["stopping_point"][5].as_py()
    assert replay.table.num_rows > 100 and "time" in replay.table.column_names[0]
    assert replay.events
    with pytest.raises(IndexError, match="600 landings"):
        run.replay(600)


def test_a_report_shows_itself(run: td.Run, tmp_path: Path) -> None:
    report = run.report(tmp_path / "r.html")
    assert report.path == tmp_path / "r.html"
    assert report.path.read_text(encoding="utf-8").startswith("<!")
    assert "srcdoc" in report._repr_html_()


def test_a_mapping_is_a_study_and_a_study_can_be_sent(study: td.Study, examples: Path) -> None:
    same = td.Study(study.document, directory=examples)
    assert same.hash == study.hash
    sent = pickle.loads(pickle.dumps(study))
    assert sent.hash == study.hash and sent.trials == 600
    heavier = study.replace(inputs={"mass": {"distribution": "uniform", "min": 1000, "max": 1043}, "bank": None})
    assert len(heavier.inputs) == len(study.inputs) - 1
    assert heavier.sample(100)[:, 0].min() >= 1000


def test_what_is_changed_keeps_its_files(study: td.Study, run: td.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Files of the same names where the process happens to be are not those of the study.
    name = next(iter(study._study.files()))
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("nonsense")
    monkeypatch.chdir(tmp_path)
    for same in (pickle.loads(pickle.dumps(study)), td.open_run(run.directory).study):
        assert same.replace(seed=1).hash == same.replace(seed=1, landings=600).hash
        assert same.replace(seed=2).seed == 2


def test_a_study_of_a_table_has_its_rows(study: td.Study, examples: Path, tmp_path: Path) -> None:
    table = tmp_path / "brakes.csv"
    table.write_text("brake_delay,brake_level\n1.5,0.25\n3.0,0.5\n")
    of_table = td.Study(examples / "c172_wet_runway.toml", inputs=table)
    run = of_table.run(engine="native", directory=tmp_path / "run")
    assert run.rows["input.brake_level"].to_pylist() == [0.25, 0.5]
    for other in (of_table, td.open_run(tmp_path / "run").study):
        with pytest.raises(TypeError, match="rows of a table"):
            pickle.dumps(other)
        with pytest.raises(TypeError, match="rows of a table"):
            other.replace(seed=2)


def test_every_model_is_there(examples: Path) -> None:
    for name in ("particle", "offset_collisions", "spill", "shol"):
        path = examples / f"{name}.toml"
        many = td.Study(path)._study.nouns[1]
        study = td.Study(path).replace(**{many: 4, "part_size": None, "stopping": None, "map": None})
        summary = study.run(engine="native").summary
        assert summary[many] == 4, name
