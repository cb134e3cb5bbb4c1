"""JSBSim's side of the comparison: aircraft of its wheel on a runway, in a vacuum.

The aircraft is loaded from a copy of its file that keeps the sections metrics, mass_balance and ground_reactions alone:
no air forces, no engines, no fuel, no gas, no channels. That is what `touchdown import jsbsim` takes too. The planet is a
sphere that does not turn, with 9.80665 m/s2 at its surface.
"""

import functools
import math
import os
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import jsbsim

GRAVITY = 9.80665
RADIUS = 6_371_000.0
FOOT = 0.3048
POUND_FORCE = 0.45359237 * GRAVITY
KEPT = ("metrics", "mass_balance", "ground_reactions")


def own_output():
    """Standard output for the caller alone: JSBSim greets there whatever its debug level, and gets standard error."""
    output = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


@functools.cache
def aircraft_files():
    """All aircraft of the wheel by name: files of the form <fdm_config>, of which a directory may hold several."""
    directory = pathlib.Path(jsbsim.get_default_root_dir()) / "aircraft"
    return {
        path.stem: str(path) for path in sorted(directory.glob("*/*.xml")) if b"<fdm_config" in path.read_bytes()
    }


def names():
    return list(aircraft_files())


def aircraft_file(name):
    return aircraft_files()[name]


def section(root, tag, directory):
    """A section, from the file of its own if it has one."""
    found = root.find(tag)
    if found is not None and found.get("file"):
        path = os.path.join(directory, found.get("file"))
        return ElementTree.parse(path if os.path.exists(path) else path + ".xml").getroot()
    return found


class Contact:
    """One entry of ground_reactions."""

    def __init__(self, element):
        self.name = element.get("name", "").strip()
        self.is_wheel = element.get("type") == "BOGEY"
        self.place = [float(element.findtext(f"location/{axis}", "0")) for axis in "xyz"]
        self.brake_group = element.findtext("brake_group", "").strip()


class Aircraft:
    """An aircraft of the wheel without air, engines and systems, in a directory of its own."""

    def __init__(self, name, place):
        self.name, self.place = name, str(place)
        source = os.path.dirname(aircraft_file(name))
        root = ElementTree.parse(aircraft_file(name)).getroot()
        bare = ElementTree.Element("fdm_config", {"name": name, "version": "2.0", "release": "ALPHA"})
        for tag in KEPT:
            found = section(root, tag, source)
            if found is not None:
                bare.append(found)
        # JSBSim asks for the section; an axis without functions is no force.
        ElementTree.SubElement(ElementTree.SubElement(bare, "aerodynamics"), "axis", {"name": "LIFT"})
        os.makedirs(os.path.join(self.place, "aircraft", name), exist_ok=True)
        ElementTree.ElementTree(bare).write(os.path.join(self.place, "aircraft", name, name + ".xml"))
        with open(os.path.join(self.place, "planet.xml"), "w") as planet:
            planet.write(
                f'<planet name="still"><semimajor_axis unit="M">{RADIUS}</semimajor_axis>'
                f'<semiminor_axis unit="M">{RADIUS}</semiminor_axis><rotation_rate unit="RAD/SEC">0</rotation_rate>'
                f'<GM unit="M3/SEC2">{GRAVITY * RADIUS**2}</GM><J2>0</J2></planet>'
            )
        reactions = bare.find("ground_reactions")
        self.contacts = [Contact(contact) for contact in reactions.findall("contact")]
        self.wheels = [index for index, contact in enumerate(self.contacts) if contact.is_wheel]

    def fly(self, dt):
        return Flight(self, dt)


class Flight:
    """JSBSim at work on an aircraft."""

    def __init__(self, aircraft, dt):
        self.aircraft, self.dt = aircraft, dt
        self.fdm = jsbsim.FGFDMExec(aircraft.place)
        self.fdm.set_debug_level(0)
        self.fdm.set_dt(dt)
        if not self.fdm.load_planet(os.path.join(aircraft.place, "planet.xml"), False):
            raise RuntimeError("the planet cannot be loaded")
        if not self.fdm.load_model(aircraft.name):
            raise RuntimeError(f"{aircraft.name} cannot be loaded")
        self.fdm["simulation/gravity-model"] = 0

    def start(self, height, pitch=0.0, bank=0.0, forward=0.0, sink=0.0):
        """At rest in rotation, the centre of gravity this high [m], speeds over the ground [m/s]."""
        fdm = self.fdm
        fdm["ic/lat-geod-deg"] = 0.0
        fdm["ic/long-gc-deg"] = 0.0
        fdm["ic/terrain-elevation-ft"] = 0.0
        fdm["ic/h-agl-ft"] = height / FOOT
        fdm["ic/theta-rad"], fdm["ic/phi-rad"], fdm["ic/psi-true-rad"] = pitch, bank, math.pi / 2
        fdm["ic/vn-fps"], fdm["ic/ve-fps"], fdm["ic/vd-fps"] = 0.0, forward / FOOT, sink / FOOT
        fdm.run_ic()
        self.longitude = fdm["position/long-gc-rad"]

    def brake(self, level):
        """The pedals. The importer counts group CENTER among them, and leaves NOSE and TAIL, which JSBSim brakes with it, alone."""
        groups = {contact.brake_group for contact in self.aircraft.contacts}
        for side in ("left", "right", "center") if "CENTER" in groups else ("left", "right"):
            self.fdm[f"fcs/{side}-brake-cmd-norm"] = level

    def step(self):
        self.fdm.run()

    def run(self, seconds):
        for _ in range(round(seconds / self.dt)):
            self.fdm.run()

    @property
    def height(self):
        return self.fdm["position/h-agl-ft"] * FOOT

    @property
    def pitch(self):
        return self.fdm["attitude/theta-rad"]

    @property
    def bank(self):
        return self.fdm["attitude/phi-rad"]

    @property
    def climb(self):
        return self.fdm["velocities/h-dot-fps"] * FOOT

    @property
    def speed(self):
        return self.fdm["velocities/ve-fps"] * FOOT

    @property
    def distance(self):
        """Along the ground since the start [m]."""
        return (self.fdm["position/long-gc-rad"] - self.longitude) * RADIUS

    def unit(self, contact):
        """JSBSim numbers all contacts alike and calls the wheels gear."""
        return f"{'gear' if self.aircraft.contacts[contact].is_wheel else 'contact'}/unit[{contact}]"

    def compression(self, contact):
        return self.fdm[f"{self.unit(contact)}/compression-ft"] * FOOT

    def touches(self, contact):
        return self.fdm[f"{self.unit(contact)}/WOW"] > 0.5

    def ground_force(self):
        """Of all contacts together, upwards [N]."""
        pitch, bank = self.pitch, self.bank
        x, y, z = (self.fdm[f"forces/fb{axis}-gear-lbs"] * POUND_FORCE for axis in "xyz")
        return x * math.sin(pitch) - (y * math.sin(bank) + z * math.cos(bank)) * math.cos(pitch)

    def is_sane(self):
        return all(math.isfinite(value) for value in (self.height, self.pitch, self.bank)) and abs(self.height) < 1e4
