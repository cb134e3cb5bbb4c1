"""Jobs on arrays: numbers that are known, and those of the program's tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import touchdown as td

BALL = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]


def segments(count: int) -> tuple[np.ndarray, np.ndarray]:
    """From high above the airport to points below it."""
    random = np.random.default_rng(7)
    origins = random.uniform([-200.0, -200.0, 50.0], [1200.0, 200.0, 80.0], (count, 3))
    ends = origins + random.uniform([-100.0, -100.0, -160.0], [100.0, 100.0, -30.0], (count, 3))
    return origins, ends


def test_rays_are_those_of_the_program(examples: Path) -> None:
    path = examples / "scenes/airport.toml"
    scene = td.Scene(path)
    origins, ends = segments(5000)
    hits = scene.entry_points(origins, ends, engine="native")
    names = ("x1", "y1", "z1", "x2", "y2", "z2")
    rays = dict(zip(names, np.column_stack([origins, ends]).T, strict=True))
    table = td.job("raycast", scene=path, rays=rays, engine="native")
    is_hit = hits.status == td.RayStatus.HIT
    assert 500 < is_hit.sum() < 4900
    assert [("miss", "hit")[int(hit)] for hit in is_hit] == table["status"].to_pylist()
    assert np.array_equal(hits.lambda_, table["lambda"].to_numpy(zero_copy_only=False), equal_nan=True)
    assert np.array_equal(hits.normal[:, 2], table["nz"].to_numpy(zero_copy_only=False), equal_nan=True)
    material = [None if number < 0 else scene.materials[number] for number in hits.material]
    assert material == table["material"].to_pylist()
    on = origins + hits.lambda_[:, None] * (ends - origins)
    assert np.array_equal(on[is_hit], hits.point[is_hit])
    print(f"{is_hit.sum()} of 5000 rays hit, equal to the program's")


def test_contacts_of_balls() -> None:
    a = np.array([BALL, BALL])
    b = a.copy()
    b[0, :6] = [2.7, 0.0, 0.0, 2.0, 2.0, 2.0]
    found = td.ellipsoid_pairs(a, b, engine="reference")
    assert list(found.status) == [td.ContactStatus.OK, td.ContactStatus.DEGENERATE]
    assert found.separation[0] == pytest.approx(-0.3, abs=1e-12)
    assert found.mu[0] == pytest.approx(0.9, abs=1e-12) and np.isnan(found.mu[1])
    assert found.normal[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    wall = td.ellipsoid_walls(a[:1] + [[0, 0, 3, 0, 0, 0, 0, 0, 0, 0]], np.array([[0.0, 0.0, 1.0, 0.0]]))
    assert wall.separation[0] == pytest.approx(2.0, abs=1e-12) and wall.normal[0, 2] == pytest.approx(-1.0)
    axes = a.copy()
    axes[0, 3] = -1.0
    assert td.ellipsoid_pairs(axes, b).status[0] == td.ContactStatus.BAD_INPUT


def test_pairs_are_those_of_the_program() -> None:
    random = np.random.default_rng(3)
    one, other = (random.uniform(0.5, 2.0, (500, 10)) for _ in range(2))
    other[:, :3] += 1.5
    found = td.ellipsoid_pairs(one, other, engine="native")
    names = ("x", "y", "z", "s1", "s2", "s3", "qw", "qx", "qy", "qz")
    columns = {f"a_{name}": one[:, i].copy() for i, name in enumerate(names)}
    columns |= {f"b_{name}": other[:, i].copy() for i, name in enumerate(names)}
    table = td.job("ellipsoids", pairs=columns, engine="native")
    assert np.array_equal(found.separation, table["separation"].to_numpy())
    assert np.array_equal(found.lambda_, table["lambda"].to_numpy())


def test_normals_of_boxes() -> None:
    boxes = np.array([[4.6, 1.8, 1.4, 0.3, 1.0, 0.0, 0.0, 0.0]] * 2)
    found = td.box_normals(boxes, np.array([[2.0, 0.3, 0.0], [2.0, 0.9, 0.0]]))
    assert list(found.region) == [td.BoxRegion.FACE, td.BoxRegion.EDGE]
    assert found.normal[0].tolist() == [1.0, 0.0, 0.0]
    # Edges wider than the box.
    refused = td.box_normals(np.array([[2.0, 2.0, 2.0, 9.0, 1.0, 0.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]))
    assert (refused.status[0], refused.region[0]) == (td.BoxStatus.BAD_INPUT, 255)
    pair = td.box_pairs(boxes[:1], np.array([[2.3, 0.2, 0.0]]), boxes[:1], np.array([[-2.3, 0.3, 0.0]]))
    assert pair.case[0] == td.BoxCase.FACE_FACE and pair.normal[0].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("unknowns", [2, 12])
def test_complementarity_problems(unknowns: int) -> None:
    random = np.random.default_rng(unknowns)
    factors = random.normal(size=(40, unknowns, unknowns))
    matrices = np.ascontiguousarray(factors @ factors.transpose(0, 2, 1) + 0.1 * np.eye(unknowns))
    vectors = random.normal(size=(40, unknowns))
    found = td.lcp(matrices, vectors)
    assert (found.status == td.LcpStatus.SOLVED).all()
    w = np.einsum("nij,nj->ni", matrices, found.z) + vectors
    assert found.z.min() >= 0.0
    assert np.abs(np.minimum(found.z, w)).max() < 1e-10
    assert found.residual.max() < 1e-10


def packing() -> dict[str, np.ndarray]:
    """Two balls that touch, and touch again across a period of 4 m."""
    names = ("x", "y", "z", "s1", "s2", "s3", "qw", "qx", "qy", "qz")
    balls = np.array([BALL, BALL])
    balls[1, 0] = 1.9
    balls[:, 3:6] = [1.1, 0.5, 0.5]
    return {"id": np.arange(2), **{name: balls[:, i].copy() for i, name in enumerate(names)}}


@pytest.mark.parametrize("period", [(4, 4, "open"), [4, 4, "open"], [np.float64(4), 4.0, "open"], "4,4,open"])
def test_options_take_several_values(period: object) -> None:
    table = td.job("ellipsoids", bodies=packing(), engine="native", period=period)
    assert sorted(table["image_x"].to_pylist()) == [-1, 0]


def test_options_take_an_array_and_names() -> None:
    bodies = packing()
    of_array = td.job("ellipsoids", bodies=bodies, engine="native", period=np.array([4.0, 4.0, 4.0]))
    assert sorted(of_array["image_x"].to_pylist()) == [-1, 0]
    bodies["tag"] = bodies.pop("id") + 10
    named = td.job("ellipsoids", bodies=bodies, engine="native", columns={"id": "tag"})
    assert (named["id_a"].to_pylist(), named["id_b"].to_pylist()) == ([10], [11])


def test_a_command_tells_of_no_file_that_was_never_named(capfd: pytest.CaptureFixture[str]) -> None:
    td.job("ellipsoids", bodies=packing(), engine="native")
    told = capfd.readouterr().err
    assert "1 contacts of 2 bodies" in told and "touchdown-" not in told and "parquet" not in told


def test_any_command_takes_tables() -> None:
    item = {"x": 1.0, "v": 0.0, "h": 0.01, "m": 1.0, "g": 9.81, "gamma": 1.0}
    columns = {name: np.array([value]) for name, value in item.items()}
    table = td.job("particle", items={**columns, "steps": np.array([100])}, restitution="exact")
    assert table.num_rows == 100
    assert min(table["x"].to_pylist()) >= -1e-12
