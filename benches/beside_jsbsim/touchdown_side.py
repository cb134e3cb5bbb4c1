"""touchdown's side of the comparison: imported aircraft on a runway, in a vacuum, through the command line."""

import json
import math
import os
import pathlib
import re
import subprocess
import tomllib

GRAVITY = 9.80665
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENE = """default_material = "ground"
[materials.ground]
static_friction = {friction}
dynamic_friction = {friction}
[scene]
half_space = {{ normal = [0, 0, 1], offset = 0 }}
"""


def program():
    """The program: TOUCHDOWN, else what cargo has built last."""
    if given := os.environ.get("TOUCHDOWN"):
        return given
    built = [ROOT / "target" / profile / "touchdown" for profile in ("release", "debug")]
    built = [path for path in built if path.exists()]
    if not built:
        raise SystemExit("no program: run `cargo build --release`, or name one in TOUCHDOWN")
    return str(max(built, key=lambda path: path.stat().st_mtime))


def call(place, *arguments, allowed=(0,)):
    done = subprocess.run([program(), *arguments], cwd=place, capture_output=True, text=True)
    if done.returncode not in allowed:
        raise RuntimeError(f"touchdown {' '.join(arguments)}: {done.stderr.strip().splitlines()[-1:]}")
    return done


class Refused(Exception):
    """Why an aircraft is not imported."""


class Aircraft:
    """An imported aircraft."""

    def __init__(self, file, place, *options):
        self.place = pathlib.Path(place)
        done = call(self.place, "import", "jsbsim", str(file), "--out", "imported.toml", *options, allowed=(0, 2))
        if done.returncode != 0:
            # Without the path that leads to the file.
            message = done.stderr.strip().splitlines()[-1]
            raise Refused(message[message.find(os.path.basename(file)) :])
        self.warnings = done.stderr
        self.vehicle = tomllib.loads((self.place / "imported.toml").read_text())
        # No air, nobody who steers.
        self.vehicle.pop("aerodynamics", None)
        self.vehicle.pop("airframe", None)
        self.vehicle["pilot"] = {"lateral_gain": 0, "heading_gain": 0, "yaw_damping": 0, "brake_delay": 0}
        self.wheels = list(self.vehicle["wheels"])

    @property
    def pitch(self):
        """As it stands [rad]."""
        return math.radians(float(self.vehicle["approach"]["pitch"].split()[0]))

    def lowest(self, wheels, pitch, bank):
        """From the centre of gravity down to the lowest relaxed of some wheels [m]."""
        down = (-math.sin(pitch), math.cos(pitch) * math.sin(bank), math.cos(pitch) * math.cos(bank))
        places = []
        for wheel in wheels:
            x, y, z = wheel["position"]
            places.append(down[0] * x + down[1] * y + down[2] * (z + wheel["z_max"]))
        return max(places)

    def watched(self, brakes_set):
        """The vehicle with its brakes set or off, and so that its landing does not end when it rests: that is for main wheels,
        and main is here one that stays in the air, above all others and the centre of gravity."""
        vehicle = json.loads(json.dumps(self.vehicle))
        for wheel in vehicle["wheels"].values():
            wheel.pop("main", None)
            if wheel.pop("brake_friction", None) is not None and brakes_set:
                wheel["locked"] = True
        # So soft that the steps of the gear do not follow from it.
        watcher = {"k_xy": -1e-3, "k_z": -1e-3, "d_xy": 0, "d_z": 0, "z_min": 0, "z_zero": 0.1, "z_max": 0.1, "static_friction": 0}
        feet = {name: wheel["position"][2] + wheel["z_max"] for name, wheel in vehicle["wheels"].items()}
        if len(feet) == 16:
            # No room for one more: the highest, which a vehicle that stands does not stand on.
            vehicle["wheels"][min(feet, key=feet.get)]["main"] = True
        else:
            vehicle["wheels"]["watcher"] = {"position": [0, 0, min(0.0, *feet.values()) - 1.1], "main": True, **watcher}
        return vehicle

    def fly(self, vehicle, seconds, step, friction, height, pitch=0.0, bank=0.0, forward=0.0, sink=0.0, brake=0.0):
        """One landing, the centre of gravity this high at the start [m]; the trace of its steps."""
        mains = [wheel for wheel in vehicle["wheels"].values() if wheel.get("main")]
        # `height` of a study is that of the lowest main wheel.
        inputs = {
            "airspeed": forward,
            "sink_rate": sink,
            "height": height - self.lowest(mains, pitch, bank),
            "pitch": pitch,
            "bank": bank,
            "brake_level": brake,
        }
        study = {
            "vehicle": "vehicle.json",
            "scene": "scene.toml",
            "landings": 1,
            "seed": 1,
            "step": step,
            "time_limit": seconds,
            "invalid_allowance": 1,
            "inputs": {key: {"distribution": "constant", "value": value} for key, value in inputs.items()},
        }
        (self.place / "vehicle.json").write_text(json.dumps(vehicle))
        (self.place / "scene.toml").write_text(SCENE.format(friction=friction))
        (self.place / "study.json").write_text(json.dumps(study))
        for old in self.place.glob("run/**/*"):
            if old.is_file():
                old.unlink()
        call(self.place, "study", "run", "study.json", "--out", "run", "--engine", "reference", "--threads", "1")
        done = call(self.place, "study", "replay", "run", "--landing", "0", "--trace", "trace.csv", allowed=(0, 5))
        return Trace(self.place / "trace.csv", list(vehicle["wheels"]), done.stdout)

    def outcomes(self):
        """What came out of the last landing, by name."""
        summary = json.loads((self.place / "run" / "summary.json").read_text())
        return {quantity["name"]: quantity["maximum"] for quantity in summary["quantities"]}


class Trace:
    """The steps of a landing."""

    def __init__(self, path, wheels, log):
        self.log = log
        ends = re.findall(r"the landing ends: (.*)|end: (.*)", log)
        self.end = next((a or b for a, b in ends), "")
        with open(path) as file:
            names = file.readline().rstrip("\n").split(",")
            wanted = ["time", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vz"]
            for wheel in wheels:
                wanted += [f"{name}.{wheel}" for name in ("compression", "peak_compression", "peak_force", "state")]
            places = [names.index(name) for name in wanted]
            rows = []
            for line in file:
                cells = line.rstrip("\n").split(",")
                rows.append([float(cells[place] or "nan") for place in places])
        self.columns = dict(zip(wanted, zip(*rows)))
        self.wheels = wheels

    def __getitem__(self, name):
        return self.columns[name]

    @property
    def force(self):
        """Of all wheels together, the greatest of each within a step [N]."""
        return [sum(forces) for forces in zip(*(self[f"peak_force.{wheel}"] for wheel in self.wheels))]

    def attitude(self, row=-1):
        """Pitch and bank [rad]. Heading along the runway."""
        w, x, y, z = (self[name][row] for name in ("qw", "qx", "qy", "qz"))
        # Body axes in the world, z up: forward, right and down.
        forward_up = 2.0 * (x * z - w * y)
        right_up = 2.0 * (y * z + w * x)
        down_up = 1.0 - 2.0 * (x * x + y * y)
        return math.asin(max(-1.0, min(1.0, forward_up))), math.atan2(-right_up, -down_up)

    @property
    def is_broken(self):
        return any(0.0 in self[f"state.{wheel}"] for wheel in self.wheels)
