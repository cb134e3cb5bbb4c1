"""Ten aircraft of JSBSim's wheel beside their imports: how they stand, drop, roll and brake.

    python3 benches/beside_jsbsim/beside.py [--step SECONDS] [NAME ...]

Needs the Python package jsbsim and the program (`cargo build --release`). Ends with exit code 1 when a difference is above
2 %. What is compared, and how it is made to mean the same on both sides, stands in README.md.
"""

import argparse
import math
import sys
import tempfile

import jsbsim_side
import touchdown_side

# Transports, a commuter, light aircraft, taildraggers and fighters.
AIRCRAFT = ("737", "A320", "global5000", "DHC6", "c310", "c172p", "J3Cub", "p51d", "T38", "f16")
ALLOWED = 0.02
# touchdown's usual step, and steps of JSBSim at which its own answers have converged [s].
STEP = 0.005
JSBSIM_STEP = 1e-3
JSBSIM_DROP_STEP = 5e-5
# Traces tell each wheel's greatest force within a step. Only in a fine step do those of several wheels come to what they have
# together at one time.
SUM_STEP = 1e-3

# At rest a long step does as well.
SETTLE, SETTLING_STEP = 60.0, 0.002
SINK = 1.5
DROP_SECONDS = 3.0
DROP_HEIGHT = 0.01
SPEED = 25.0
ROLL_SECONDS = 15.0
BRAKE = 0.5


class Comparison:
    """One quantity of one aircraft on both sides."""

    def __init__(self, aircraft, quantity, unit, here, there, scale=None):
        self.aircraft, self.quantity, self.unit, self.here, self.there = aircraft, quantity, unit, here, there
        self.difference = abs(here - there) / abs(scale or there) if math.isfinite(here) else math.inf

    @property
    def holds(self):
        return self.difference <= ALLOWED


def standing_there(aircraft, height, pitch):
    flight = aircraft.fly(JSBSIM_STEP)
    flight.start(height, pitch)
    flight.run(SETTLE)
    return flight


def stance(name, here, there, step):
    wheels = here.wheels
    height = here.lowest(here.vehicle["wheels"].values(), here.pitch, 0.0) + DROP_HEIGHT
    flight = standing_there(there, height, here.pitch)
    trace = here.fly(here.watched(brakes_set=False), SETTLE, max(step, SETTLING_STEP), 2.0, height, here.pitch)
    compressions = [trace[f"compression.{wheel}"][-1] for wheel in wheels], [
        flight.compression(contact) for contact in there.wheels
    ]
    deepest = max(range(len(wheels)), key=lambda wheel: compressions[1][wheel])
    rows = [Comparison(name, f"stands: {wheels[deepest]}", "mm", *(1e3 * side[deepest] for side in compressions))]
    # The wheel that carries least of those that carry anything: what a shift of the centre of gravity changes first.
    touching = [wheel for wheel in range(len(wheels)) if compressions[1][wheel] > 0.0]
    least = min(touching, key=lambda wheel: compressions[1][wheel])
    rows.append(Comparison(name, f"stands: {wheels[least]}", "mm", *(1e3 * side[least] for side in compressions)))
    # A pitch angle may be 0: its difference is taken over a radian's fiftieth, about a degree.
    pitches = trace.attitude()[0], flight.pitch
    rows.append(Comparison(name, "stands: pitch", "deg", *map(math.degrees, pitches), max(1.0, abs(math.degrees(pitches[1])))))
    return rows, (flight.pitch, flight.bank)


def drop(name, here, there, step):
    flight = there.fly(JSBSIM_DROP_STEP)
    height = here.lowest(here.vehicle["wheels"].values(), 0.0, 0.0) + DROP_HEIGHT
    flight.start(height, sink=SINK)
    deepest, force, rebound = [0.0] * len(there.wheels), 0.0, 0.0
    for _ in range(round(DROP_SECONDS / JSBSIM_DROP_STEP)):
        flight.step()
        deepest = [max(depth, flight.compression(wheel)) for depth, wheel in zip(deepest, there.wheels)]
        force, rebound = max(force, flight.ground_force()), max(rebound, flight.climb)
    force_here = max(here.fly(here.watched(brakes_set=False), DROP_SECONDS, min(step, SUM_STEP), 2.0, height, sink=SINK).force)
    trace = here.fly(here.watched(brakes_set=False), DROP_SECONDS, step, 2.0, height, sink=SINK)
    compressions = [max(trace[f"peak_compression.{wheel}"]) for wheel in here.wheels]
    most = max(range(len(deepest)), key=lambda wheel: deepest[wheel])
    return [
        Comparison(name, f"drop: {here.wheels[most]}", "mm", 1e3 * compressions[most], 1e3 * deepest[most]),
        Comparison(name, "drop: peak force", "kN", 1e-3 * force_here, 1e-3 * force),
        # Over the speed of the blow: what is given back of it may be nothing.
        Comparison(name, "drop: rebound", "m/s", max(0.0, *trace["vz"]), rebound, SINK),
    ]


def roll(name, here, there, step, standing, brake):
    pitch, bank = standing
    height = here.lowest(here.vehicle["wheels"].values(), pitch, bank) + DROP_HEIGHT
    flight = there.fly(JSBSIM_STEP)
    flight.start(height, pitch, bank, forward=SPEED)
    flight.brake(brake)
    if brake:
        while flight.speed > 0.01:
            flight.step()
    else:
        flight.run(ROLL_SECONDS)
    vehicle = here.vehicle
    seconds = 60.0 if brake else ROLL_SECONDS
    trace = here.fly(vehicle, seconds, step, 2.0, height, pitch, bank, forward=SPEED, brake=brake)
    what = "brakes: to its stop" if brake else f"rolls: in {ROLL_SECONDS:.0f} s"
    return [Comparison(name, what, "m", trace["x"][-1], flight.distance)]


def compare(name, step):
    with tempfile.TemporaryDirectory() as place:
        here = touchdown_side.Aircraft(jsbsim_side.aircraft_file(name), place)
        there = jsbsim_side.Aircraft(name, place)
        rows, standing = stance(name, here, there, step)
        rows += drop(name, here, there, step)
        rows += roll(name, here, there, step, standing, 0.0)
        rows += roll(name, here, there, step, standing, BRAKE)
    return rows


def main(output):
    parser = argparse.ArgumentParser()
    parser.add_argument("aircraft", nargs="*", default=AIRCRAFT)
    parser.add_argument("--step", type=float, default=STEP, help="of touchdown [s]")
    options = parser.parse_args()
    head = "| aircraft | quantity | unit | touchdown | JSBSim | difference |\n| --- | --- | --- | --- | --- | --- |"
    print(head, file=output)
    rows = []
    for name in options.aircraft:
        for row in compare(name, options.step):
            rows.append(row)
            mark = "" if row.holds else " **"
            print(
                f"| {row.aircraft} | {row.quantity} | {row.unit} | {row.here:.4g} | {row.there:.4g} "
                f"| {100.0 * row.difference:.2f} %{mark} |",
                file=output,
            )
    failed = [row for row in rows if not row.holds]
    worst = max(rows, key=lambda row: row.difference)
    print(
        f"\n{len(rows)} quantities at steps of {options.step} s, {len(failed)} differ by more than {100.0 * ALLOWED:.0f} %; "
        f"the largest difference is {100.0 * worst.difference:.2f} % ({worst.aircraft}, {worst.quantity}).",
        file=output,
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(jsbsim_side.own_output()))
