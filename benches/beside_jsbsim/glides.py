"""Aircraft of JSBSim's wheel and their imports glide for ten seconds with their controls held, from the same state.

    python3 benches/beside_jsbsim/glides.py [NAME ...]

Needs the Python package jsbsim and the program (`cargo build --release`); see README.md. Ends with exit code 1 where a glide ends farther
from JSBSim's than is allowed.
"""

import csv
import json
import math
import pathlib
import re
import sys
import tempfile
import tomllib

import jsbsim
import numpy

import jsbsim_side
import touchdown_side

# Without engines and with surfaces that stand still while commands do: transports and fighters. JSBSim's channels move those of others.
AIRCRAFT = ("737", "A320", "MD11", "B747", "global5000", "A4", "T38", "F4N")
SECONDS = 10.0
# Of JSBSim, and of touchdown [s].
JSBSIM_STEP, STEP = 1.0 / 120.0, 0.005
# What a glide may differ by at the end [m]: with JSBSim's integrators at its step, and with touchdown's at its own.
ALLOWED_SAME, ALLOWED_OWN = 1e-3, 0.5
HEIGHT = 300.0
BANK = math.radians(2.0)
AILERON, RUDDER = -0.03, 0.05
SLOPE = math.radians(3.0)
# The air, the same at all heights.
TEMPERATURE, PRESSURE = 288.15, 101_325.0
DENSITY, SOUND = PRESSURE / (287.05287 * TEMPERATURE), math.sqrt(1.4 * 287.05287 * TEMPERATURE)
FOOT = jsbsim_side.FOOT
SLUG = jsbsim_side.POUND_FORCE / FOOT
GRAVITY, RADIUS = jsbsim_side.GRAVITY, jsbsim_side.RADIUS
GLIDE = re.compile(r"without thrust it glides down (\S+) deg")
STEADY = re.compile(r"angle of attack ([^\s,]+) deg, elevator ([^\s,]+), throttle")
ENGINE_LOADS = [f"engines {load}" for load in ("x-lbs", "y-lbs", "z-lbs", "l-lbsft", "m-lbsft", "n-lbsft")]
EARLY_STEPS = 1440
INTEGRATORS = ("rate/rotational", "rate/translational", "position/rotational", "position/translational")


def numbers(value, names):
    """An expression of a vehicle file, where names stand for these numbers."""
    if isinstance(value, str):
        return names[value]
    if not isinstance(value, dict):
        return float(value)
    ((operation, parts),) = value.items()
    parts = [numbers(part, names) for part in parts]
    return {"max": max, "min": min, "product": math.prod, "sum": sum}[operation](parts)


class Glider:
    """An import without the force of its engines, its commands held in the trim of its glide, but for some aileron and rudder."""

    def __init__(self, name, place):
        self.name, self.place = name, pathlib.Path(place)
        self.imported = touchdown_side.Aircraft(jsbsim_side.aircraft_file(name), place)
        self.airspeed = 1.3 * self.imported.vehicle["approach"]["airspeed"]
        vehicle = tomllib.loads((self.place / "imported.toml").read_text())
        for function in vehicle["airframe"]["engines"]:
            if function["name"] in ENGINE_LOADS:
                function["value"] = 0
        (self.place / "glider.json").write_text(json.dumps(vehicle))
        self.slope = math.radians(float(GLIDE.search(self.tuned(SLOPE))[1]))
        attack, elevator = (float(number) for number in STEADY.search(self.tuned(self.slope)).groups())
        self.pitch = math.radians(attack) - self.slope
        pilot = {"elevator": elevator, "aileron": AILERON, "rudder": RUDDER, "spoilers": 0.0, "throttle": 0.0, "brake": 0.0}
        names = {f"pilot/{command}": number for command, number in pilot.items()} | {"pilot/on-ground": 0.0}
        self.commands = {}
        for command in vehicle["airframe"]["commands"]:
            command["value"] = self.commands[command["name"]] = numbers(command["value"], names)
        self.vehicle = vehicle | {"pilot": self.imported.vehicle["pilot"]}

    def tuned(self, slope):
        how = ["--airspeed", f"{self.airspeed:.2f}", "--glide-slope", f"{slope} rad"]
        return touchdown_side.call(self.place, "vehicle", "tune", "glider.json", *how, allowed=(0, 1)).stdout

    def fly(self):
        """touchdown's way: the state at the start and places at the end [m], X along, Y to the left, Z up."""
        sink = self.airspeed * math.sin(self.slope)
        self.imported.fly(self.vehicle, SECONDS, STEP, 1.0, HEIGHT, self.pitch, BANK, forward=self.airspeed, sink=sink)
        with open(self.place / "trace.csv") as file:
            rows = list(csv.DictReader(file))
        return [{name: float(row[name]) for name in ("time", "x", "y", "z", "vx", "vy", "vz", "qw", "qx", "qy", "qz")} for row in (rows[0], rows[-1])]
