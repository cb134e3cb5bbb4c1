"""Steps per second and core of JSBSim and of touchdown, on the same airplane and landing, in turn.

    python3 benches/beside_jsbsim/speed.py [AIRCRAFT [KNOTS]]

Needs the Python package jsbsim and the program (`cargo build --release`). JSBSim flies its own 737, or another of its aircraft, from 300 ft
down a path of 3 degrees with its controls held, in calm air, and rolls. touchdown imports the same file, finds gains, and lands it by its
laws on one thread, down the same path: in calm air on a dry runway, which is JSBSim's landing, and in turbulence on a wet one, as studies
have it. All are timed by the processor time of their process, several times in turn; printed are the fastest of each, which other work on
the machine has disturbed least, and how touchdown's landings end, which are to be landings.
"""

import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import jsbsim

import touchdown_side

ROOT = pathlib.Path(jsbsim.get_default_root_dir())
DRY = """
default_material = "dry"

[runway]
length = 3300
width = 60

[materials.dry]
static_friction = 0.8
dynamic_friction = 0.6

[shapes.ground]
half_space = { normal = [0, 0, 1], offset = 0 }

[scene]
use = "ground"
"""
TURBULENCE = """
turbulence = { distribution = "uniform", min = 0.5, max = 1.5 }
turbulence_vertical = { distribution = "uniform", min = 0.25, max = 0.75 }
"""
# Of each landing its scene and the inputs of its air.
KINDS = {
    "calm and dry": (DRY, ""),
    "turbulent and wet": ((touchdown_side.ROOT / "examples/scenes/lszh14_wet.toml").read_text(), TURBULENCE),
}
TURNS = 3
# Of JSBSim's landing, from 300 ft to the end of the roll.
SECONDS = 60
SLOPE = 3.0
# On the path, which passes 50 ft over the threshold.
START = -(300 - 50) * 0.3048 / math.tan(math.radians(SLOPE))
# What both have in common, as finding steady flights, is not counted: of two studies the difference is.
LANDINGS = [512, 2560]

STUDY = """
name = "beside JSBSim"
vehicle = "vehicle.toml"
scene = "scene.toml"
autoland = true
landings = {landings}
seed = 1

[inputs]
height = {{ distribution = "constant", value = "300 ft" }}
start_distance = {{ distribution = "constant", value = {start} }}
airspeed = {{ distribution = "uniform", min = "{slow} kt", max = "{fast} kt" }}
glide_slope = {{ distribution = "constant", value = "{slope} deg" }}
{air}"""


def steps_of_jsbsim(aircraft, airspeed):
    """Steps per second of processor time."""
    simulation = jsbsim.FGFDMExec(str(ROOT), None)
    simulation.set_debug_level(0)
    simulation.load_model(aircraft)
    simulation["ic/h-agl-ft"] = 300
    simulation["ic/vc-kts"] = airspeed
    simulation["ic/gamma-deg"] = -SLOPE
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


def steps_of_touchdown(place, airspeed, kind):
    """Steps per second of processor time, and how the landings ended."""
    scene, air = KINDS[kind]
    (place / "scene.toml").write_text(scene)
    times, steps, summary = [], [], {}
    for landings in LANDINGS:
        study = STUDY.format(landings=landings, start=START, slope=SLOPE, slow=airspeed - 2, fast=airspeed + 2, air=air)
        (place / "study.toml").write_text(study)
        out = tempfile.mkdtemp(dir=place)
        how = ["--engine", "native", "--threads", "1", "--out", out]
        times.append(run(place, "study", "run", "study.toml", *how))
        summary = json.loads((pathlib.Path(out) / "summary.json").read_text())
        steps.append(summary["vehicle_steps"])
    [sink_rate] = [of["mean"] for of in summary["quantities"] if of["name"] == "touchdown_sink_rate"]
    classes = [f"{count} {name}" for name, count in summary["classes"].items() if count > 0]
    end = f"{', '.join(classes)}, touched down with {sink_rate:.2f} m/s"
    return (steps[1] - steps[0]) / (times[1] - times[0]), end


def main():
    aircraft = sys.argv[1] if len(sys.argv) > 1 else "737"
    airspeed = float(sys.argv[2]) if len(sys.argv) > 2 else 128.0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        run(place, "import", "jsbsim", str(ROOT / "aircraft" / aircraft / f"{aircraft}.xml"), "--out", "imported.toml")
        run(place, "vehicle", "tune", "imported.toml", "--airspeed", f"{airspeed} kt", "--out", "vehicle.toml")
        theirs, ours, ends = [], {kind: [] for kind in KINDS}, {}
        for _ in range(TURNS):
            theirs.append(steps_of_jsbsim(aircraft, airspeed))
            for kind, rates in ours.items():
                rate, ends[kind] = steps_of_touchdown(place, airspeed, kind)
                rates.append(rate)
    print(f"{aircraft}: JSBSim {max(theirs) / 1e3:.0f} thousand steps/s and core")
    for kind, rates in ours.items():
        print(f"touchdown, {kind}: {max(rates) / 1e6:.2f} million, {max(rates) / max(theirs):.1f} times as many ({ends[kind]})")


if __name__ == "__main__":
    main()
