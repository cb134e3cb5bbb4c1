"""Imports every aircraft of JSBSim's wheel, and lets each stand for a minute beside itself.

    python3 benches/beside_jsbsim/import_all.py [--pads] [NAME ...]

With --pads contacts of the structure carry here too, as they do in JSBSim: an aircraft that lies on them there must lie as it does there.
Needs the Python package jsbsim and the program (`cargo build --release`). Brakes set, no air; see README.md.
"""

import math
import sys
import tempfile

import jsbsim_side
import touchdown_side

SECONDS = 60.0
# The second where it diverges at the first.
JSBSIM_STEPS = (1e-3, 1e-4)
STEP = 0.005
FRICTION = 0.8
# Both are put down from here [m], with a little bank [rad]: what balances on its keel must not pass for standing.
DROP = 0.05
BANK = math.radians(0.5)
# It stands when it has moved no faster in the last second [m/s], and leans by no more [rad].
REST = 0.01
FALLEN = math.radians(60.0)


def in_jsbsim(aircraft, height, pitch):
    """How it comes to rest, and at what pitch angle [rad] and height of the centre of gravity [m]; None where it does not."""
    for step in JSBSIM_STEPS:
        found = in_jsbsim_with(step, aircraft, height, pitch)
        if found[0] not in ("diverges", "flies off"):
            break
    return found


def in_jsbsim_with(step, aircraft, height, pitch):
    flight = aircraft.fly(step)
    flight.start(height, pitch, BANK)
    flight.brake(1.0)
    flight.run(SECONDS - 1.0)
    height, distance = flight.height, flight.distance
    flight.run(1.0)
    if not flight.is_sane():
        return "diverges", None, None
    on = [index for index in range(len(aircraft.contacts)) if flight.touches(index)]
    leans = max(abs(flight.pitch), abs(flight.bank))
    if not on:
        return "flies off", None, None
    if leans > FALLEN or max(abs(flight.height - height), abs(flight.distance - distance)) > REST:
        return "falls over" if leans > FALLEN else "moves", None, None
    if all(aircraft.contacts[index].place == aircraft.contacts[on[0]].place for index in on):
        return "balances on a point", None, None
    parts = [aircraft.contacts[index].name for index in on if not aircraft.contacts[index].is_wheel]
    return ("stands" if not parts else "lies on " + ", ".join(parts)), flight.pitch, flight.height


def here(aircraft, height, pitch):
    """The same."""
    trace = aircraft.fly(aircraft.watched(brakes_set=True), SECONDS, STEP, FRICTION, height, pitch, BANK)
    if trace.is_broken:
        broken = [wheel for wheel in trace.wheels if 0.0 in trace[f"state.{wheel}"]]
        return f"breaks {', '.join(broken)} after {trace['time'][-1]:.2f} s", None, None
    if trace["time"][-1] < SECONDS - STEP:
        return f"ends after {trace['time'][-1]:.1f} s: {trace.end}", None, None
    second = round(1.0 / STEP)
    moved = max(abs(trace[axis][-1] - trace[axis][-1 - second]) for axis in ("x", "y", "z"))
    pitch, bank = trace.attitude()
    if max(abs(pitch), abs(bank)) > FALLEN:
        return "falls over", None, None
    return ("stands", pitch, trace["z"][-1]) if moved < REST else (f"moves by {moved:.2f} m/s", None, None)


def degrees(angle):
    return "" if angle is None else f"{math.degrees(angle):.2f}"


def main(output):
    rows = []
    options = [option for option in sys.argv[1:] if option == "--pads"]
    for name in sys.argv[1 + len(options) :] or jsbsim_side.names():
        with tempfile.TemporaryDirectory() as place:
            try:
                imported = touchdown_side.Aircraft(jsbsim_side.aircraft_file(name), place, *options)
            except touchdown_side.Refused as why:
                rows.append((name, f"refused: {why}", "", "", "", "", ""))
                print(rows[-1], file=sys.stderr)
                continue
            start = imported.lowest(imported.vehicle["wheels"].values(), imported.pitch, BANK) + DROP, imported.pitch
            stands, pitch, height = here(imported, *start)
            theirs, their_pitch, their_height = in_jsbsim(jsbsim_side.Aircraft(name, place), *start)
        apart = "" if None in (height, their_height) else f"{1e3 * (height - their_height):+.2f}"
        rows.append((name, f"{len(imported.wheels)} contacts", stands, theirs, degrees(pitch), degrees(their_pitch), apart))
        print(rows[-1], file=sys.stderr)
    heads = ("aircraft", "import", "stands here", "in JSBSim", "pitch here [deg]", "in JSBSim", "higher here [mm]")
    print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads), file=output)
    for row in rows:
        print("| " + " | ".join(row) + " |", file=output)
    refused = sum(row[1].startswith("refused") for row in rows)
    rests = ("stands", "lies on ") if options else ("stands",)
    theirs = [row for row in rows if row[3].startswith(rests)]
    ours = [row for row in theirs if row[2] == "stands"]
    summary = f"{len(rows)} aircraft, {refused} refused; {len(theirs)} come to rest in JSBSim, {len(ours)} of them here."
    print("\n" + summary, file=output)
    return 0 if len(ours) == len(theirs) else 1


if __name__ == "__main__":
    sys.exit(main(jsbsim_side.own_output()))
