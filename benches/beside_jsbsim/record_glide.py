"""Ten seconds of a glide of tests/data/jsbsim/aircraft/glider.xml by JSBSim, as JSON: what tests/data/jsbsim/glides.json.gz has of it.

    python3 benches/beside_jsbsim/record_glide.py > glide.json

The planet is so large that it is flat, does not turn, and has 9.80665 m/s2 at its surface.
"""

import json
import math
import os
import pathlib
import shutil
import tempfile

import jsbsim_side

import jsbsim

FOOT, RADIUS, GRAVITY, STEP = 0.3048, 1e9, 9.80665, 1.0 / 120.0
FILE = pathlib.Path(__file__).resolve().parents[2] / "tests/data/jsbsim/aircraft/glider.xml"
START = {"ic/phi-rad": 0.05, "ic/theta-rad": -0.01, "ic/psi-true-rad": math.pi / 2, "ic/p-rad_sec": 0.02, "ic/q-rad_sec": -0.01, "ic/r-rad_sec": 0.01}
VELOCITY = (27.0, 0.6, 1.1)
PLANET = f"""<planet name="flat"><semimajor_axis unit="M">{RADIUS}</semimajor_axis><semiminor_axis unit="M">{RADIUS}</semiminor_axis>
<rotation_rate unit="RAD/SEC">0</rotation_rate><GM unit="M3/SEC2">{GRAVITY * RADIUS**2}</GM><J2>0</J2></planet>"""


def state(fdm):
    get = fdm.get_property_value
    names = [f"attitude/{angle}-rad" for angle in ("phi", "theta", "psi")] + [f"velocities/{rate}-rad_sec" for rate in "pqr"]
    phi, theta, psi, p, q, r = (get(name) for name in names)
    u, v, w = (get(f"velocities/{axis}-fps") * FOOT for axis in "uvw")
    x, y = get("position/long-gc-rad") * RADIUS, -get("position/lat-gc-rad") * RADIUS
    return dict(x_m=x, y_m=y, h_agl_m=get("position/h-agl-ft") * FOOT, u_mps=u, v_mps=v, w_mps=w,
                phi_rad=phi, theta_rad=theta, psi_rad=psi - math.pi / 2, p_rps=p, q_rps=q, r_rps=r)


def glide(step):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "aircraft" / "glider"
        os.makedirs(folder)
        shutil.copy(FILE, folder / "glider.xml")
        (pathlib.Path(place) / "planet.xml").write_text(PLANET)
        fdm = jsbsim.FGFDMExec(place)
        fdm.set_debug_level(0)
        fdm.set_dt(step)
        fdm.load_planet(os.path.join(place, "planet.xml"), False)
        fdm.load_model("glider")
        fdm["simulation/gravity-model"] = 0
        for name, value in START.items() | {"ic/terrain-elevation-ft": 0.0, "ic/h-agl-ft": 30.0 / FOOT}.items():
            fdm[name] = value
        for axis, value in zip("uvw", VELOCITY):
            fdm[f"ic/{axis}-fps"] = value / FOOT
        fdm.run_ic()
        integrators = {name: fdm[f"simulation/integrator/{name}"] for name in
                       ("rate/rotational", "rate/translational", "position/rotational", "position/translational")}
        start = state(fdm)
        accel = [fdm[f"accelerations/{axis}dot-ft_sec2"] * FOOT for axis in "uvw"]
        turn = [fdm[f"accelerations/{axis}dot-rad_sec2"] for axis in "pqr"]
        for _ in range(round(10.0 / step)):
            fdm.run()
        get = fdm.get_property_value
        record = {
            "name": "glider",
            "file": "aircraft/glider.xml",
            "mass_kg": get("inertia/mass-slugs") * 14.593902937206365,
            "cg_in": [get(f"inertia/cg-{axis}-in") for axis in "xyz"],
            "aero_rp_in": [get(f"metrics/aero-rp-{axis}-in") for axis in "xyz"],
            "J_kgm2": [[900.0, 0.0, 60.0], [0.0, 700.0, 0.0], [60.0, 0.0, 1500.0]],
            "accel_at_start_mps2": accel,
            "turn_at_start_rps2": turn,
            "given": {},
            "start": start,
            "at_10_s": state(fdm),
            "integrators": integrators,
        }
        return record


def main(output):
    record = glide(STEP)
    record["at_10_s_with_tenth_step"] = glide(0.1 * STEP)["at_10_s"]
    print(json.dumps(record, indent=1), file=output)


if __name__ == "__main__":
    main(jsbsim_side.own_output())
