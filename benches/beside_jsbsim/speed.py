"""Steps per second and core of JSBSim and of touchdown, on the same airplane and landing, in turn.

    python3 benches/beside_jsbsim/speed.py [AIRCRAFT [KNOTS]]

Needs the Python package jsbsim and the program (`cargo build --release`). JSBSim flies its own 737, or another of its aircraft, from 300 ft
down a path of 3 degrees with its controls held, and rolls. touchdown imports the same file, finds gains, and lands it by its laws, in
turbulence, on one thread. Both are timed by the processor time of their process, several times in turn; printed are the fastest of each,
which other work on the machine has disturbed least.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import jsbsim

import touchdown_side

ROOT = pathlib.Path(jsbsim.get_default_root_dir())
SCENE = touchdown_side.ROOT / "examples/scenes/lszh14_wet.toml"
TURNS = 3
# Of JSBSim's landing, from 300 ft to the end of the roll.
SECONDS = 60
# What both have in common, as finding steady flights, is not counted: of two studies the difference is.
LANDINGS = [512, 2560]

STUDY = """
name = "beside JSBSim"
vehicle = "vehicle.toml"
scene = "{scene}"
autoland = true
landings = {landings}
seed = 1

[inputs]
height = {{ distribution = "constant", value = "300 ft" }}
airspeed = {{ distribution = "uniform", min = "{slow} kt", max = "{fast} kt" }}
glide_slope = {{ distribution = "constant", value = "3 deg" }}
turbulence = {{ distribution = "uniform", min = 0.5, max = 1.5 }}
turbulence_vertical = {{ distribution = "uniform", min = 0.25, max = 0.75 }}
"""


def steps_of_jsbsim(aircraft, airspeed):
    """Steps per second of processor time."""
    simulation = jsbsim.FGFDMExec(str(ROOT), None)
    simulation.set_debug_level(0)
    simulation.load_model(aircraft)
    simulation["ic/h-agl-ft"] = 300
    simulation["ic/vc-kts"] = airspeed
    simulation["ic/gamma-deg"] = -3
    simulation["gear/gear-cmd-norm"] = 1
    simulation["fcs/throttle-cmd-norm"] = 0.3
    simulation.run_ic()
    steps = int(SECONDS / simulation.get_delta_t())
    started = time.process_time()
    for _ in range(steps):
        simulation.run()
    return steps / (time.process_time() - started)


def run(place, *words):
    """Processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [touchdown_side.program(), *words]
    subprocess.run(program, cwd=place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def steps_of_touchdown(place, airspeed):
    """Steps per second of processor time."""
    times, steps = [], []
    for landings in LANDINGS:
        (place / "study.toml").write_text(STUDY.format(scene=SCENE, landings=landings, slow=airspeed - 2, fast=airspeed + 2))
        out = tempfile.mkdtemp(dir=place)
        how = ["--engine", "native", "--threads", "1", "--out", out]
        times.append(run(place, "study", "run", "study.toml", *how))
        steps.append(json.loads((pathlib.Path(out) / "summary.json").read_text())["vehicle_steps"])
    return (steps[1] - steps[0]) / (times[1] - times[0])


def main():
    aircraft = sys.argv[1] if len(sys.argv) > 1 else "737"
    airspeed = float(sys.argv[2]) if len(sys.argv) > 2 else 140.0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        run(place, "import", "jsbsim", str(ROOT / "aircraft" / aircraft / f"{aircraft}.xml"), "--out", "imported.toml")
        run(place, "vehicle", "tune", "imported.toml", "--airspeed", f"{airspeed} kt", "--out", "vehicle.toml")
        turns = [(steps_of_jsbsim(aircraft, airspeed), steps_of_touchdown(place, airspeed)) for _ in range(TURNS)]
    theirs, ours = (max(turn[side] for turn in turns) for side in (0, 1))
    both = f"JSBSim {theirs / 1e3:.0f} thousand steps/s and core, touchdown {ours / 1e6:.2f} million"
    print(f"{aircraft}: {both}, {ours / theirs:.1f} times as many")


if __name__ == "__main__":
    main()
