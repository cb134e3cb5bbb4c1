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

# Transports and fighters, whose engines are turbines: without fuel they give no force.
AIRCRAFT = ("737", "A320", "B747", "T38", "F4N")
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
GLIDE = re.compile(r"glides down (\S+) deg")
STEADY = re.compile(r"angle of attack ([^\s,]+) deg, elevator ([^\s,]+), throttle")
ENGINE_LOADS = [f"engines {load}" for load in ("x-lbs", "y-lbs", "z-lbs", "l-lbsft", "m-lbsft", "n-lbsft")]
# How long surfaces settle in JSBSim before the glide [s].
SETTLING = 40.0
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
        glide = GLIDE.search(self.tuned(SLOPE))
        self.slope = math.radians(float(glide[1])) if glide else SLOPE
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

    def fly(self, at_start):
        """touchdown's own integrators, surfaces as they have settled: where it is at the end [m], X along, Y to the left, Z up."""
        self.vehicle["airframe"]["at_start"] = self.vehicle["airframe"].get("at_start", {}) | at_start
        sink = self.airspeed * math.sin(self.slope)
        forward = self.airspeed * math.cos(self.slope)
        self.imported.fly(self.vehicle, SECONDS, STEP, 1.0, HEIGHT, self.pitch, BANK, forward=forward, sink=sink)
        with open(self.place / "trace.csv") as file:
            *_, last = csv.DictReader(file)
        if abs(float(last["time"]) - SECONDS) > 0.5 * STEP:
            raise RuntimeError(f"{self.name} ends after {last['time']} s")
        return numpy.array([float(last[axis]) for axis in "xyz"])

    def loads(self, state):
        """Force [N] and moment [N m], body axes, as `vehicle loads` has them."""
        with open(self.place / "state.csv", "w") as file:
            writer = csv.DictWriter(file, state)
            writer.writeheader()
            writer.writerow(state)
        arguments = ["imported.toml", "--states", "state.csv", "--out", "loads.csv", "--engine", "reference", "--threads", "1"]
        touchdown_side.call(self.place, "vehicle", "loads", *arguments)
        with open(self.place / "loads.csv") as file:
            (row,) = csv.DictReader(line for line in file if not line.startswith("#"))
        return [numpy.array([float(row[name]) for name in names]) for names in (("fx", "fy", "fz"), ("l", "m", "n"))]

    def given(self):
        """Properties that the air forces are given."""
        return self.listed("given properties")

    def kept(self):
        """Positions of surfaces that a step leaves to the next."""
        return [name for name in self.listed("left by a step to the next, and what the first one finds") if name.startswith(("fcs/", "gear/"))]

    def listed(self, title):
        """The names below a title of `vehicle show`."""
        shown = touchdown_side.call(self.place, "vehicle", "show", "imported.toml").stdout
        lines = shown.split(title + "\n")[1].split("\n\n")[0].splitlines()
        return [line.strip().split("  ")[0] for line in lines if line.strip()]


class Flight:
    """JSBSim's side: the whole aircraft, its engines off, its tanks empty, in the same air above a planet that stands still."""

    def __init__(self, glider, step):
        planet = pathlib.Path(jsbsim_side.Aircraft(glider.name, glider.place / "bare").place) / "planet.xml"
        fdm = self.fdm = jsbsim.FGFDMExec(jsbsim.get_default_root_dir())
        self.step = step
        fdm.set_debug_level(0)
        fdm.set_dt(step)
        fdm.load_planet(str(planet), False)
        if not fdm.load_model(glider.name):
            raise RuntimeError(f"{glider.name} cannot be loaded")
        fdm["simulation/gravity-model"] = 0
        fdm["atmosphere/override/temperature"] = TEMPERATURE * 1.8
        fdm["atmosphere/override/pressure"] = PRESSURE * FOOT**2 / jsbsim_side.POUND_FORCE
        fdm["atmosphere/override/density"] = DENSITY * FOOT**3 / SLUG
        fdm["ic/lat-geod-deg"] = fdm["ic/long-gc-deg"] = fdm["ic/terrain-elevation-ft"] = 0.0
        fdm["ic/h-agl-ft"] = HEIGHT / FOOT
        fdm["ic/theta-rad"], fdm["ic/phi-rad"], fdm["ic/psi-true-rad"] = glider.pitch, BANK, math.pi / 2
        sink = glider.airspeed * math.sin(glider.slope)
        forward = glider.airspeed * math.cos(glider.slope)
        fdm["ic/vn-fps"], fdm["ic/ve-fps"], fdm["ic/vd-fps"] = 0.0, forward / FOOT, sink / FOOT
        fdm.run_ic()
        tank = 0
        while fdm.query_property_catalog(f"propulsion/tank[{tank}]/contents-lbs"):
            fdm[f"propulsion/tank[{tank}]/contents-lbs"] = 0.0
            tank += 1
            if tank > 30:
                break
        for name, value in glider.commands.items():
            fdm[name] = value
        # Surfaces settle while the aircraft stands still in the air.
        kept = {name: fdm[f"simulation/integrator/{name}"] for name in INTEGRATORS}
        for name in kept:
            fdm[f"simulation/integrator/{name}"] = 0
        self.run(SETTLING)
        for name, number in kept.items():
            fdm[f"simulation/integrator/{name}"] = number

    def run(self, seconds, watched=()):
        """Gives the watched properties after each step."""
        seen = []
        for _ in range(round(seconds / self.step)):
            self.fdm.run()
            seen.append({name: self.fdm[name] for name in watched})
        return seen

    def place(self):
        """As that of touchdown."""
        fdm = self.fdm
        along, left = RADIUS * fdm["position/long-gc-rad"], RADIUS * fdm["position/lat-gc-rad"]
        return numpy.array([along, left, fdm["position/h-agl-ft"] * FOOT])


def quaternion_product(a, b):
    (w, x, y, z), (s, t, u, v) = a, b
    return numpy.array([w * s - x * t - y * u - z * v, w * t + x * s + y * v - z * u, w * u - x * v + y * s + z * t, w * v + x * u - y * t + z * s])


def matrix(q):
    w, x, y, z = q
    return numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def about(axis, angle):
    return numpy.array([math.cos(0.5 * angle), *(math.sin(0.5 * angle) * numpy.array(axis))])


class SameIntegrators:
    """The import's air forces, integrated as JSBSim does it: attitude and rates by Euler's method, velocities by that of Adams and
    Bashforth of second order, places by that of third, in axes that stand still, in which X is up, Y east and Z north at the start."""

    def __init__(self, glider, given):
        self.glider, self.given = glider, given[0]
        inertia = glider.imported.vehicle["inertia"]
        xx, yy, zz, xy, xz, yz = (inertia.get(name, 0.0) for name in ("xx", "yy", "zz", "xy", "xz", "yz"))
        self.inertia = numpy.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])
        self.mass = glider.imported.vehicle["mass"]
        self.q = quaternion_product(quaternion_product(self.level(), about((0, 1, 0), glider.pitch)), about((1, 0, 0), BANK))
        self.r = numpy.array([RADIUS + HEIGHT, 0.0, 0.0])
        sink, forward = glider.airspeed * math.sin(glider.slope), glider.airspeed * math.cos(glider.slope)
        self.v = numpy.array([-sink, forward, 0.0])
        self.rate = numpy.zeros(3)
        self.own_acceleration, self.lift = numpy.zeros(3), 0.0
        # Accelerations act on themselves by the rate of the angle of attack: as long as all stands still they come to rest.
        for _ in range(20):
            self.accelerate()
        self.velocities, self.accelerations = [self.v] * 3, [self.acceleration] * 2

    @staticmethod
    def level():
        """The attitude of one whose forward is Y, right -Z and down -X."""
        columns = numpy.array([[0, 0, -1], [1, 0, 0], [0, -1, 0]], dtype=float)
        w = 0.5 * math.sqrt(1.0 + numpy.trace(columns))
        return numpy.array([w, *(numpy.array([columns[2, 1] - columns[1, 2], columns[0, 2] - columns[2, 0], columns[1, 0] - columns[0, 1]]) / (4 * w))])

    def accelerate(self):
        to_world = matrix(self.q)
        up = self.r / numpy.linalg.norm(self.r)
        own = to_world.T @ self.v
        roll = math.atan2(-to_world[:, 1] @ up, -to_world[:, 2] @ up)
        state = dict(zip(("u", "v", "w"), own)) | dict(zip(("p", "q", "r"), self.rate))
        state |= {"height": numpy.linalg.norm(self.r) - RADIUS, "air_density": DENSITY, "speed_of_sound": SOUND, "mass": self.mass}
        state |= dict(zip(("u_dot", "v_dot", "w_dot"), self.own_acceleration))
        state |= {"roll": roll, "pitch": math.asin(to_world[:, 0] @ up), "temperature": TEMPERATURE, "pressure": PRESSURE}
        state |= {"lift_before": self.lift}
        force, moment = self.glider.loads({name: repr(float(value)) for name, value in (state | self.given).items()})
        attack = math.atan2(own[2], own[0])
        self.lift = math.sin(attack) * force[0] - math.cos(attack) * force[2]
        self.acceleration = to_world @ force / self.mass - GRAVITY * RADIUS**2 / (self.r @ self.r) * up
        self.own_acceleration = to_world.T @ self.acceleration - numpy.cross(self.rate, own)
        self.turning = numpy.linalg.solve(self.inertia, moment - numpy.cross(self.rate, self.inertia @ self.rate))

    def fly(self, given):
        """With these positions of surfaces in each step."""
        for self.given in given:
            self.q = self.q + 0.5 * JSBSIM_STEP * quaternion_product(self.q, numpy.array([0.0, *self.rate]))
            self.q /= numpy.linalg.norm(self.q)
            self.rate = self.rate + JSBSIM_STEP * self.turning
            first, second, third = self.velocities
            self.r = self.r + JSBSIM_STEP * (23 * first - 16 * second + 5 * third) / 12
            self.v = self.v + JSBSIM_STEP * (1.5 * self.accelerations[0] - 0.5 * self.accelerations[1])
            self.accelerate()
            self.velocities = [self.v, *self.velocities[:2]]
            self.accelerations = [self.acceleration, self.accelerations[0]]
        x, y, z = self.r
        return numpy.array([RADIUS * math.atan2(y, x), RADIUS * math.atan2(z, math.hypot(x, y)), numpy.linalg.norm(self.r) - RADIUS])


def glide(name):
    """How far apart the ends are [m]: with JSBSim's integrators and step; with touchdown's, and those that JSBSim has with a tenth step."""
    with tempfile.TemporaryDirectory() as place:
        glider = Glider(name, place)
        there = Flight(glider, JSBSIM_STEP)
        surfaces = glider.given()
        given = [{name: there.fdm[name] for name in surfaces}]
        settled = {name: there.fdm[name] for name in glider.kept() if " " not in name}
        given += there.run(SECONDS, surfaces)
        fine = Flight(glider, 0.1 * JSBSIM_STEP)
        fine.run(SECONDS)
        distance = lambda one, other: float(numpy.linalg.norm(one - other))
        own = glider.fly(settled)
        same = SameIntegrators(glider, given).fly(given[1:])
        return distance(same, there.place()), distance(own, there.place()), distance(own, fine.place()), distance(fine.place(), there.place())


def main(output):
    print("| aircraft | its integrators | ours | ours, its step a tenth | what its step costs |\n|" + " --- |" * 5, file=output)
    failed = []
    for name in sys.argv[1:] or AIRCRAFT:
        same, own, fine, cost = glide(name)
        print(f"| {name} | {1e3 * same:.3f} mm | {own:.3f} m | {fine:.3f} m | {cost:.3f} m |", file=output)
        if same > ALLOWED_SAME or own > ALLOWED_OWN:
            failed.append(name)
    print(f"\n{len(failed)} differ by more than {1e3 * ALLOWED_SAME:.0f} mm, or {ALLOWED_OWN} m.", file=output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(jsbsim_side.own_output()))
