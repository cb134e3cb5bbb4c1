"""Imports every aircraft of JSBSim's wheel, tunes its pilot, and lets it fly an approach to touchdown.

    python3 benches/beside_jsbsim/approach_all.py [NAME ...]

Needs the Python package jsbsim and the program (`cargo build --release`); see README.md. Exit code 1 if fewer aircraft fly than
`WANTED`, where all are asked for.
"""

import collections
import json
import math
import pathlib
import re
import shutil
import sys
import tempfile
import tomllib

import import_all
import jsbsim_side
import touchdown_side

WANTED = 50
# Slopes of the glide path [deg], in the order in which they are tried: what brakes little needs a flat one. Where none is flown with
# power, the slope is that of the glide without it, between these.
SLOPES = (3.0, 4.0, 2.5, 2.0, 6.0, 9.0, 13.0)
GLIDES = (0.5, 30.0)
# Airspeeds, as multiples of that at which the import expects the wing to carry the empty aircraft at a lift coefficient of 1.5.
MULTIPLES = (0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.65, 1.8, 2.0, 2.3, 2.7, 3.1, 3.6, 4.1)
# A steady flight is one to approach in at these angles of attack [deg], elevators and throttles.
ATTACK = (-5.0, 9.0)
ELEVATOR = 0.8
THROTTLE = 0.85
# So many of them are flown at most down each path, until one leads to a touchdown.
FLIGHTS = 6
# The approach begins this high [m], or where it takes twice the height of the flare.
HEIGHT = 60.0
# Height of the path over the threshold [m], where an aircraft without power is aimed to touch down [m], how far off may be made up for
# by aiming again [m], and how often.
GATE = 15.24
AIM = 300.0
OFF_AIM = 200.0
AIMS = 3
# An airship takes so much fuel or ballast that it weighs so much more than its gas carries.
HEAVY = 1.0125
# A touchdown is one at these sink rates [m/s], banks [deg] and places [m] at most.
SINK = 3.0
BANK = 5.0
LATERAL = 10.0
ALONG = (-100.0, 1500.0)
SCENE = """default_material = "concrete"
[materials.concrete]
static_friction = 0.8
dynamic_friction = 0.7
[runway]
length = 6000
width = 100
displaced_threshold = 1000
[scene]
half_space = { normal = [0, 0, 1], offset = 0 }
"""
DOWN = re.compile(r"down (\S+) deg, ")
FLAPS = re.compile(r'(name = "fcs/flap-cmd-norm"\nvalue = )1\n')
GAS = re.compile(r"its gas carries (\S+) kg")
STEADY = re.compile(r"^steady flight at .* angle of attack ([^\s,]+) deg, elevator ([^\s,]+), throttle ([^\s,]+)")


class Fails(Exception):
    """Why an aircraft flies no approach."""


def tuned(place, mass, airspeed, *path):
    """What `vehicle tune` says of a flight, which is that of the vehicle in the place then: its slope [deg], and why it is none to approach
    in, else empty."""
    arguments = ["imported.toml", "--mass", f"{mass:.3f}", "--airspeed", f"{airspeed:.2f}", *path, "--step", "0.005"]
    done = touchdown_side.call(place, "vehicle", "tune", *arguments, "--out", "tuned.toml", allowed=(0, 1, 2))
    if done.returncode == 2:
        raise Fails(f"is not tuned: {done.stderr.strip().splitlines()[-1]}")
    if not (steady := STEADY.search(done.stdout)):
        return 0.0, f"no steady approach: {done.stdout.strip().splitlines()[0]}"
    attack, elevator, throttle = (float(number) for number in steady.groups())
    slope = float(DOWN.search(done.stdout)[1])
    if done.returncode == 0 and ATTACK[0] <= attack <= ATTACK[1] and abs(elevator) <= ELEVATOR and throttle <= THROTTLE:
        return slope, ""
    why = f"at {airspeed:.0f} m/s down {slope:.0f} deg angle of attack {attack:.1f} deg, elevator {elevator:.2f}, throttle {throttle:.2f}"
    return slope, f"no steady approach: {why}"


def steady_flights(place, mass, expected):
    """Slopes [deg], airspeeds [m/s] and whether they are without power, of steady flights to approach in; the vehicle with the gains for it
    is in the place. With flaps out, with power and then without; where there is none, with flaps in."""
    why, is_any = "", False
    paths = [["--glide-slope", f"{slope} deg"] for slope in SLOPES] + [["--power-off"]]
    with_flaps = (place / "imported.toml").read_text()
    for vehicle in dict.fromkeys((with_flaps, FLAPS.sub(r"\g<1>0\n", with_flaps))):
        (place / "imported.toml").write_text(vehicle)
        for path in paths:
            for multiple in MULTIPLES:
                slope, fault = tuned(place, mass, multiple * expected, *path)
                why = why or fault
                if not fault and GLIDES[0] <= slope <= GLIDES[1]:
                    is_any = True
                    yield slope, multiple * expected, path == ["--power-off"]
        if is_any:
            return
    raise Fails(why)


def landed(place, mass, slope, airspeed, is_gliding):
    """What came out of a landing, by name, and its class. Without power it is aimed again until it touches down near its aim."""
    aim = AIM
    for _ in range(AIMS):
        outcomes, ending = landed_by(place, mass, slope, airspeed, is_gliding, aim)
        distance = outcomes.get("touchdown_distance")
        if not is_gliding or distance is None or abs(distance - AIM) <= OFF_AIM:
            break
        aim += AIM - distance
    return outcomes, ending


def landed_by(place, mass, slope, airspeed, is_gliding, aim):
    text = (place / "tuned.toml").read_text()
    flare_time, tangent = tomllib.loads(text)["autoland"]["flare_time"], math.tan(math.radians(slope))
    sink_rate = airspeed * math.sin(math.radians(slope))
    flare = flare_time * sink_rate
    gate = 0.0
    if is_gliding:
        # A long flare begins before the runway does: an exponential one, from the sink rate of the path to that of the touchdown.
        along = airspeed * flare_time * math.log(max(sink_rate / 0.6, 1.0))
        gate = aim - along + (flare - GATE) / tangent
        aimed = re.sub(r"gate_distance = \S+", f"gate_distance = {gate:.1f}", text)
        (place / "tuned.toml").write_text(aimed)
    height = max(HEIGHT, 2.0 * flare)
    inputs = {"mass": mass, "height": height, "start_distance": gate - (height - GATE) / tangent, "airspeed": airspeed}
    study = {
        "vehicle": "tuned.toml",
        "scene": "scene.toml",
        "autoland": True,
        "landings": 1,
        "seed": 1,
        "time_limit": 240,
        "invalid_allowance": 1,
        "inputs": {key: {"distribution": "constant", "value": value} for key, value in inputs.items()},
    }
    (place / "scene.toml").write_text(SCENE)
    (place / "study.json").write_text(json.dumps(study))
    shutil.rmtree(place / "approach", ignore_errors=True)
    touchdown_side.call(place, "study", "run", "study.json", "--out", "approach", "--threads", "1", allowed=(0, 1, 4, 6))
    summary = json.loads((place / "approach" / "summary.json").read_text())
    outcomes = {quantity["name"]: quantity["maximum"] for quantity in summary["quantities"]}
    classes = [name for name, count in summary["classes"].items() if count]
    return outcomes, classes[0]


def imported_on_pads(name, place):
    """The aircraft with what its file says of its structure, unless that makes too many contacts."""
    file = jsbsim_side.aircraft_file(name)
    try:
        return touchdown_side.Aircraft(file, place, "--pads")
    except touchdown_side.Refused:
        return touchdown_side.Aircraft(file, place)


def approach(imported, place):
    """A row of the table: how the first approach that leads to a touchdown went, else the first one."""
    place = pathlib.Path(place)
    vehicle = (place / "imported.toml").read_text()
    if "\n[airframe]\n" not in vehicle:
        raise Fails("has no physics")
    expected = imported.vehicle["approach"]["airspeed"]
    if expected == 0.0:
        raise Fails("its wing does not carry it alone")
    gas = GAS.search(imported.warnings)
    mass = max(imported.vehicle["mass"], HEAVY * float(gas[1]) if gas else 0.0)
    flown, counts = None, collections.Counter()
    for slope, airspeed, is_gliding in steady_flights(place, mass, expected):
        path = "glide" if is_gliding else slope
        counts[path] += 1
        if counts[path] > FLIGHTS:
            continue
        outcomes, ending = landed(place, mass, slope, airspeed, is_gliding)
        row = f"{airspeed:.1f} m/s, {slope:.1f} deg", outcomes, ending
        flown = flown or row
        if not verdict(outcomes, ending):
            return row
    return flown


def verdict(outcomes, ending):
    """Empty for a touchdown, else what is wrong with it."""
    sink = outcomes.get("touchdown_sink_rate")
    if sink is None:
        return f"never touches down: {ending}"
    bank, lateral, along = (abs(math.degrees(outcomes["touchdown_bank"])), abs(outcomes["touchdown_lateral"]), outcomes["touchdown_distance"])
    if sink > SINK:
        return f"touches down at {sink:.1f} m/s"
    if bank > BANK:
        return f"touches down at a bank of {bank:.0f} deg"
    if lateral > LATERAL or not ALONG[0] <= along <= ALONG[1]:
        return f"touches down at {along:.0f} m, {lateral:.0f} m off the centreline"
    return ""


def main(output):
    rows = []
    for name in sys.argv[1:] or jsbsim_side.names():
        row = {"aircraft": name, "import": "", "stands": "", "approach": "", "touchdown": "", "ends": ""}
        with tempfile.TemporaryDirectory() as place:
            try:
                imported = imported_on_pads(name, place)
                row["import"] = f"{len(imported.wheels)} wheels and pads"
                height = imported.lowest(imported.vehicle["wheels"].values(), imported.pitch, import_all.BANK) + import_all.DROP
                row["stands"], _, _ = import_all.here(imported, height, imported.pitch)
                row["approach"], outcomes, ending = approach(imported, place)
                fault = verdict(outcomes, ending)
                row["touchdown"] = fault or f"{outcomes['touchdown_sink_rate']:.2f} m/s at {outcomes['touchdown_distance']:.0f} m"
                row["flies"] = not fault
                row["ends"] = ending
            except touchdown_side.Refused as why:
                row["import"] = f"refused: {why}"
            except Fails as why:
                row["touchdown"] = str(why)
            except RuntimeError as why:
                row["touchdown"] = f"fails: {why}"
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
    heads = ("aircraft", "import", "stands", "approach", "touchdown", "ends")
    print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads), file=output)
    for row in rows:
        print("| " + " | ".join(row[head] for head in heads) + " |", file=output)
    count = lambda condition: sum(map(bool, map(condition, rows)))
    flying = count(lambda row: row.get("flies"))
    print(
        f"\n{len(rows)} aircraft: {count(lambda row: not row['import'].startswith('refused'))} import, "
        f"{count(lambda row: row['stands'] == 'stands')} stand, {flying} fly an approach to touchdown.",
        file=output,
    )
    return 0 if sys.argv[1:] or flying >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main(jsbsim_side.own_output()))
