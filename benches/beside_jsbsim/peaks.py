"""Ten aircraft of JSBSim's wheel, imported and dropped: how far peaks at the usual step are from what they converge to.

    python3 benches/beside_jsbsim/peaks.py [--step SECONDS] [NAME ...]

Needs the Python package jsbsim, for its aircraft, and the program (`cargo build --release`). Ends with exit code 1 when a
peak of force, compression or rebound is off by more than 1 %.
"""

import argparse
import sys
import tempfile

import jsbsim_side
import touchdown_side
from beside import AIRCRAFT, DROP_HEIGHT, STEP

ALLOWED = 0.01
# What is left to converge at it does not count [s].
FINE_STEP = 1.0 / 16384.0
SECONDS = 1.5
# Pitch and bank [rad], sink rate [m/s].
DROPS = ((0.0, 0.0, 0.3), (0.0, 0.0, 1.5), (0.05, 0.0, 1.0), (0.03, 0.02, 1.5))


def peaks(aircraft, step, pitch, bank, sink):
    vehicle = aircraft.watched(brakes_set=False)
    height = aircraft.lowest(aircraft.vehicle["wheels"].values(), pitch, bank) + DROP_HEIGHT
    trace = aircraft.fly(vehicle, SECONDS, step, 0.8, height, pitch, bank, sink=sink)
    if trace.is_broken or trace["time"][-1] < SECONDS - step:
        raise SystemExit(f"the drop at {sink} m/s ends early: {trace.end}")
    worst = aircraft.outcomes()
    speeds = trace["vz"]
    fall = min(range(len(speeds)), key=speeds.__getitem__)
    return (
        [worst[f"peak_force.{wheel}"] for wheel in aircraft.wheels],
        [worst[f"peak_compression.{wheel}"] for wheel in aircraft.wheels],
        max(speeds[fall:]),
        -speeds[fall],
    )


def errors(found, exact):
    """Of force, compression and rebound, over the largest force, the largest compression and the speed of the blow."""
    apart = [max(abs(a - b) for a, b in zip(found[i], exact[i])) / max(exact[i]) for i in range(2)]
    return [*apart, abs(found[2] - exact[2]) / exact[3]]


def main(output):
    parser = argparse.ArgumentParser()
    parser.add_argument("aircraft", nargs="*", default=AIRCRAFT)
    parser.add_argument("--step", type=float, default=STEP, help="of touchdown [s]")
    options = parser.parse_args()
    print("| aircraft | peak force | peak compression | rebound |\n| --- | --- | --- | --- |", file=output)
    largest = 0.0
    for name in options.aircraft:
        worst = [0.0] * 3
        for pitch, bank, sink in DROPS:
            with tempfile.TemporaryDirectory() as place:
                aircraft = touchdown_side.Aircraft(jsbsim_side.aircraft_file(name), place)
                found, exact = (peaks(aircraft, step, pitch, bank, sink) for step in (options.step, FINE_STEP))
            worst = [max(pair) for pair in zip(worst, errors(found, exact))]
        print(f"| {name} | " + " | ".join(f"{100.0 * error:.3f} %" for error in worst) + " |", file=output)
        largest = max(largest, *worst)
    print(f"\nat steps of {options.step} s the largest error is {100.0 * largest:.2f} %.", file=output)
    return 1 if largest > ALLOWED else 0


if __name__ == "__main__":
    sys.exit(main(jsbsim_side.own_output()))
