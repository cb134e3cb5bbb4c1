"""What is refused, and what an exception says."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import touchdown as td


def test_an_error_in_a_study_has_its_place(tmp_path: Path, examples: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('model = "particle"\nparticles = 10\nseed = 1\n[inputs.position]\ndistribution = "uniform"\nmin = 1.0\nmax = "2 kg"\n')
    with pytest.raises(td.StudyError) as caught:
        td.Study(path)
    error = caught.value
    assert (error.file, error.line, error.field) == (str(path), 7, "inputs.position.max")
    assert isinstance(error, ValueError) and isinstance(error, td.TouchdownError)
    assert str(error).startswith(f"{path}:7:")
    sent = pickle.loads(pickle.dumps(error))
    assert (str(sent), sent.line, sent.field) == (str(error), 7, "inputs.position.max")
    with pytest.raises(td.StudyError) as caught:
        td.Study(examples / "c172_wet_runway.toml").replace(landings=-1)
    assert caught.value.field == "landings"
    table = tmp_path / "table.parquet"
    pq.write_table(pa.table({"brake_level": [0.25, 0.5]}), table, compression="zstd")
    with pytest.raises(td.TouchdownError, match="column `brake_level` is compressed by zstd; write it with snappy"):
        td.Study(examples / "c172_wet_runway.toml", inputs=table)
    with pytest.raises(td.SceneError) as scene:
        td.Scene(tmp_path / "missing.toml")
    assert scene.value.file == str(tmp_path / "missing.toml") and scene.value.line is None


def test_numbers_beyond_a_trials_are_refused_as_such(examples: Path) -> None:
    study = td.Study(examples / "particle.toml")
    with pytest.raises(IndexError, match="from 0 to 9223372036854775807"):
        study.sample(1, 2**64)
    with pytest.raises(IndexError):
        study.sample(2**64)
    with pytest.raises(ValueError, match="noise=1000"):
        study.function(study.quantities[0], noise=10**30)
    with pytest.raises(ValueError, match="parts are counted"):
        study.run(parts=(0, 10**30))
    with pytest.raises(td.CommandError, match="column x"):
        td.job("particle", items={"x": [10**30]})


def test_a_study_file_that_only_the_program_reads_is_told(tmp_path: Path, examples: Path) -> None:
    text = (examples / "particle.toml").read_text()
    newer = tmp_path / "toml_1_1.toml"
    newer.write_text('name = "\\x41"\n' + text.replace("name =", "# name ="))
    study = td.Study(newer)
    assert study.name == "A"
    with pytest.raises(td.StudyError, match="TOML 1.0"):
        study.replace(seed=2)


def test_arrays_that_do_not_fit_are_refused(examples: Path) -> None:
    scene = td.Scene(examples / "scenes/airport.toml")
    good = np.zeros((4, 3))
    assert len(scene.entry_points(good, good + 1.0)) == 4
    for bad, kind, words in [
        (good.astype(np.float32), TypeError, "an array of float32"),
        (good.astype(">f8"), TypeError, "an array of >f8"),
        (np.ma.masked_array(good, mask=good == 1.0), TypeError, "is a masked array"),
        (good.tolist(), TypeError, "must be a numpy array of float64"),
        (np.zeros((4, 4)), ValueError, r"the shape is \[4, 4\]; it must be \(n, 3\)"),
        (np.zeros(12), ValueError, "it must be"),
        (np.asfortranarray(np.zeros((4, 3))), ValueError, "C order"),
        (np.zeros((8, 3))[::2], ValueError, "C order"),
        (np.frombuffer(bytearray(8 * 12 + 1), offset=1).reshape(4, 3), ValueError, "aligned"),
        (np.full((4, 3), np.nan), ValueError, "row 0 has NaN"),
        (np.full((4, 3), np.inf), ValueError, "row 0 has inf"),
        (np.zeros((5, 3)), ValueError, "ends has 4|origins has 5"),
    ]:
        with pytest.raises(kind, match=words):
            scene.entry_points(bad, good)
    study = td.Study(examples / "particle.toml")
    f = study.function(study.quantities[0].name)
    with pytest.raises(ValueError, match="the shape is"):
        f(np.zeros((2, 7)))
    with pytest.raises(ValueError, match="known: "):
        study.function("nothing")
    with pytest.raises(ValueError, match="known: "):
        study.function(study.quantities[0].name, inputs=["nothing"])


class Table:
    """What tables of pandas have: numbers, and a method named as an attribute of masked arrays."""

    def mask(self) -> None: ...

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.asfortranarray(np.zeros((4, 3)))


def test_a_table_is_no_masked_array(examples: Path) -> None:
    scene = td.Scene(examples / "scenes/airport.toml")
    ends = np.zeros((4, 3))
    words = r'origins is of type Table; it must be a numpy array of float64, as numpy.ascontiguousarray\(origins, "float64"\)'
    with pytest.raises(TypeError, match=words):
        scene.entry_points(Table(), ends)
    assert len(scene.entry_points(np.ascontiguousarray(Table(), "float64"), ends)) == 4


def test_an_engines_arguments_are_named() -> None:
    good = np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]])
    for bad, kind, words in [
        ({"threads": "2"}, TypeError, "threads='2': must be a whole number"),
        ({"threads": 1.5}, TypeError, "threads=1.5: must be a whole number"),
        ({"threads": -1}, ValueError, "threads=-1: must be from 0"),
        ({"engine": "gpu", "adapter": 0}, TypeError, "adapter=0: must be a string"),
    ]:
        with pytest.raises(kind, match=words):
            td.ellipsoid_pairs(good, good, **bad)
    assert td.ellipsoid_pairs(good, good, engine="native", threads=np.int64(1)).status[0] == td.ContactStatus.DEGENERATE


@pytest.mark.parametrize("number", [float("nan"), np.float64("inf"), np.array(-np.inf)])
def test_numbers_of_a_mapping_that_no_file_holds_are_refused_in_their_place(examples: Path, number: object) -> None:
    study = td.Study(examples / "particle.toml")
    with pytest.raises(td.StudyError, match="inputs.position.mean: (nan|inf|-inf) is not allowed") as caught:
        study.replace(inputs={"position": {"distribution": "normal", "mean": number, "sd": 0.1}})
    assert caught.value.field == "inputs.position.mean"
    document = {**study.document, "quantiles": [[0.5, number]]}
    with pytest.raises(td.StudyError) as caught:
        td.Study(document)
    assert caught.value.field == "quantiles[0][1]"


def test_a_directory_of_another_study_is_refused(examples: Path, tmp_path: Path) -> None:
    study = td.Study(examples / "particle.toml").replace(particles=10)
    study.run(engine="native", directory=tmp_path)
    with pytest.raises(td.RunError, match="another study"):
        study.replace(seed=99).run(engine="native", directory=tmp_path)
    with pytest.raises(ValueError, match="no engine `fast`"):
        study.run(engine="fast")
    with pytest.raises(ValueError, match="must be all, failures or sample"):
        study.run(engine="native", keep="some")
    with pytest.raises(ValueError, match="has 1 parts"):
        study.run(engine="native", parts=(0, 2))
    part = study.replace(part_size=5).run(engine="native", parts=(0, 1))
    with pytest.raises(td.RunError, match="not finished"):
        part.summary


def test_a_command_fails_with_its_message(tmp_path: Path) -> None:
    items = {name: np.ones(2) for name in ("x", "v", "h", "m", "g")}
    with pytest.raises(td.CommandError, match="gamma"):
        td.job("particle", items={**items, "steps": np.ones(2, dtype=np.int64)})
    with pytest.raises(td.CommandError, match="unrecognized subcommand"):
        td.job("particles", items=items)


def test_a_column_that_no_table_holds_is_named() -> None:
    good = np.ones(2)
    for bad, words in [
        (good.astype(">f8"), "items: column x: "),
        (good + 1j, "items: column x: "),
        (np.ones((2, 2)), "items: column x: "),
        (1.0, "items: column x: "),
        ("ab", "items: column x is of type str; it must be an array"),
        (np.ones(3), "items: .*x"),
    ]:
        with pytest.raises(td.CommandError, match=words):
            td.job("particle", items={"v": good, "x": bad})
    with pytest.raises(TypeError, match="items holds a dict"):
        td.job("particle", items=[{"x": 1.0}])


def test_a_report_that_cannot_be_written_is_an_error_of_the_run(examples: Path, tmp_path: Path) -> None:
    run = td.Study(examples / "particle.toml").replace(particles=20).run("native", directory=tmp_path / "run")
    for place in (tmp_path, tmp_path / "none" / "r.html"):
        with pytest.raises(td.RunError, match="the report cannot be written"):
            run.report(place)
    # The place where it is anyway.
    own = run.directory / "report.html"
    assert run.report(own).path == own
