//! `touchdown vehicle tune`.

use std::path::{Path, PathBuf};

use clap::Args;
use touchdown::airframe::{Axis, Gains, Margins, Response, SteadyFlight, Trimmed};
use touchdown::document::{Document, Unit};
use touchdown::table::write_atomically;
use touchdown::vehicle::{Vehicle, Wheel};

use crate::cli::Failure;
use crate::cli::failure::Code;
use crate::cli::place::refuse_overwriting;
use crate::cli::text::{number, print, warn};

/// Standard gravity \[m/s^2\].
const GRAVITY: f64 = 9.806_65;
/// Height of the centre of gravity above the ground in the steady flight \[m\]: out of ground effect.
const HEIGHT: f64 = 150.0;
/// Steepest glide path \[rad\], and longest step of a study \[s\].
const STEEPEST_SLOPE: f64 = std::f64::consts::FRAC_PI_4;
const LONGEST_STEP: f64 = 0.1;
/// What is left of force over weight in a steady flight, at most.
const STEADY: f64 = 1e-4;
/// Vertical acceleration with which a flare begins, at most \[m/s^2\], and its least time \[s\].
const FLARE_ACCELERATION: f64 = 0.7;
const FLARE_TIME: f64 = 2.8;
/// Time of a flare in times that the sink rate takes to follow, and the longest one for that \[s\].
const FLARE_FOLLOWED: f64 = 2.7;
const LONGEST_FLARE: f64 = 8.0;
/// Share of the airspeed that an aircraft without thrust may lose in a flare.
const FLARE_LOSS: f64 = 0.25;
/// Acceleration per throttle \[m/s^2\], and angular acceleration per command \[rad/s^2\], that are none.
const NO_THRUST: f64 = 1e-9;
const NO_CONTROL: f64 = 1e-9;
/// A steered wheel may be turned by this much at the airspeed of the approach \[rad\], 4 degrees: as an aircraft slips there in a wind
/// across, or the wheel is pushed aside with it.
const SLIP: f64 = 4.0 * std::f64::consts::PI / 180.0;
/// Brakes of an aircraft whose main wheels are ahead of its centre of gravity: pedal \[1\] and deceleration \[m/s^2\].
const TAIL_WHEEL_BRAKES: [f64; 2] = [0.2, 1.0];
/// Share of the elevator's travel beyond which little is left for a flare.
const MOST_ELEVATOR: f64 = 0.7;
/// Sink rate that a flare leads to \[m/s\].
const TOUCHDOWN_SINK_RATE: f64 = 0.6;
/// How far the commanded pitch angle may go below and above that of the steady flight \[rad\]; above at least so much farther
/// than to level flight.
const BELOW: f64 = 0.06;
const ABOVE: f64 = 0.12;
const ABOVE_LEVEL: f64 = 0.06;

/// Find gains of pilot and autoland for a vehicle with `[airframe]`
///
/// The vehicle is trimmed on the glide path, its physics is made linear there, and loops are closed as fast as the lags of its
/// surfaces and engines allow. Printed are the steady flight, the response, and the margins of the loops: how much more gain, and
/// how much less phase, each can take. Heights and limits of the laws are usual figures to start from. Where there is no steady
/// flight, nothing is written, and the exit code is 1.
#[derive(Debug, Args)]
pub struct Tune {
    /// Vehicle file with `[airframe]`
    vehicle: PathBuf,
    /// Airspeed on the approach, in m/s or with a unit ("135 kt")
    #[arg(long, value_parser = speed, allow_hyphen_values = true)]
    airspeed: f64,
    /// Glide path angle, in rad or with a unit, at most 45 deg
    #[arg(long, default_value = "3 deg", value_parser = angle, allow_hyphen_values = true)]
    glide_slope: f64,
    /// Land without power: down the path that follows from a closed throttle, which the vehicle written keeps closed
    #[arg(long, conflicts_with = "glide_slope")]
    power_off: bool,
    /// Mass, in kg or with a unit; the vehicle's own without it
    #[arg(long, value_parser = mass, allow_hyphen_values = true)]
    mass: Option<f64>,
    /// Step of the study \[s\], which delays the loops, at most 0.1
    #[arg(long, default_value = "0.01", value_parser = time, allow_hyphen_values = true)]
    step: f64,
    /// Write the vehicle file with `[pilot]` and `[autoland]` of these gains, neither of which it has yet
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn positive(unit: Unit, text: &str) -> Result<f64, String> {
    let number = text.parse().ok().or_else(|| unit.parse(text));
    number
        .filter(|&number: &f64| number.is_finite() && number > 0.0)
        .ok_or_else(|| "must be a number above 0, with or without a unit".to_owned())
}

fn speed(text: &str) -> Result<f64, String> {
    positive(Unit::Speed, text)
}

fn angle(text: &str) -> Result<f64, String> {
    let slope = positive(Unit::Angle, text)?;
    let allowed = "must be at most 45 deg; a number without a unit is in rad";
    if slope <= STEEPEST_SLOPE { Ok(slope) } else { Err(allowed.to_owned()) }
}

fn mass(text: &str) -> Result<f64, String> {
    positive(Unit::Mass, text)
}

fn time(text: &str) -> Result<f64, String> {
    let step = positive(Unit::Time, text)?;
    if step <= LONGEST_STEP { Ok(step) } else { Err(format!("must be at most {LONGEST_STEP} s")) }
}

/// Gains are written as TOML behind the vehicle's own text, so both must be TOML.
fn refuse_json(vehicle: &Path, out: &Path) -> Result<(), Failure> {
    let is_json = |path: &&Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    match [vehicle, out].into_iter().find(is_json) {
        None => Ok(()),
        Some(json) => Err(Failure::bad_input(format!(
            "{}: is JSON, and gains are written as TOML behind the text of a TOML file; without --out they are printed",
            json.display()
        ))),
    }
}

impl Tune {
    pub fn run(&self) -> Result<Code, Failure> {
        if let Some(out) = &self.out {
            refuse_overwriting("--out", out, &[&self.vehicle])?;
            refuse_json(&self.vehicle, out)?;
        }
        let document = Document::read(&self.vehicle)?;
        let vehicle = Vehicle::from_document(&document)?;
        let file = self.vehicle.display();
        let Some(airframe) = &vehicle.airframe else {
            return Err(Failure::bad_input(format!(
                "{file}: has no [airframe]; gains of derivatives are not searched for"
            )));
        };
        if let (Some(_), Some(key)) =
            (&self.out, ["pilot", "autoland"].into_iter().find(|key| document.root().contains(key)))
        {
            return Err(Failure::bad_input(format!(
                "{file}: has [{key}] already: take it out before gains are written"
            )));
        }
        let mut flight = SteadyFlight {
            mass: self.mass.unwrap_or(vehicle.mass),
            gravity: GRAVITY,
            airspeed: self.airspeed,
            density: 1.225,
            temperature: 288.15,
            descent: self.glide_slope,
            height: HEIGHT,
            greatest_throttle: 1.0,
        };
        if self.power_off {
            let Some(glide) = airframe.glide(&flight).filter(is_path) else {
                print(&format!("no steady flight: none with its throttle closed at {} m/s\n", number(self.airspeed)))?;
                return Ok(Code::CriterionFailed);
            };
            flight = glide;
        }
        let trimmed = airframe.solve(&flight);
        if trimmed.imbalance > STEADY {
            print(&format!(
                "no steady flight: at the nearest, {} of the weight are not balanced, at {}",
                number(rounded(trimmed.imbalance)),
                steady(&trimmed, &flight)
            ))?;
            if let Some(glide) = airframe.glide(&flight).filter(is_path) {
                print(&format!(
                    "with its throttle closed it glides down {} deg at this airspeed, by --power-off\n",
                    number(rounded(glide.descent.to_degrees()))
                ))?;
            }
            return Ok(Code::CriterionFailed);
        }
        let response =
            Response::new(airframe, vehicle.inertia.tensor() * (flight.mass / vehicle.mass), &flight, &trimmed);
        let gains = Gains::new(&effective(&response));
        if let Some((name, value)) = keyed(&gains).into_iter().find(|(_, value)| !value.is_finite()) {
            return Err(Failure::bad_input(format!(
                "{file}: {name} would be {}, and must be finite; look for numbers of [airframe] that are too large or too small",
                number(value)
            )));
        }
        print(&format!("steady flight at {}", steady(&trimmed, &flight)))?;
        print(&answers(&response))?;
        print("\nloop          crossover [rad/s]   phase margin [deg]   gain margin [dB]\n")?;
        for Margins { name, crossover, phase, gain } in gains.margins(&response, self.step) {
            let decibels = if gain.is_finite() { format!("{:.1}", 20.0 * gain.log10()) } else { "any".to_owned() };
            print(&format!("{name:<12} {crossover:>18.2} {:>20.0} {decibels:>18}\n", phase.to_degrees()))?;
        }
        let has_thrust = flight.greatest_throttle > 0.0 && response.thrust.abs() > NO_THRUST;
        let doubts = doubts(&vehicle, &trimmed, &gains, &response);
        doubts.iter().chain(&open_loops(&response, &flight)).for_each(warn);
        let flare_time = flare_time(&gains, &response, &flight, has_thrust);
        let sections = sections(&gains, &trimmed, &flight, (has_thrust, flare_time), &pilot(&vehicle, flight.airspeed));
        match &self.out {
            None => print(&format!("\n{sections}"))?,
            Some(out) => {
                let text = format!(
                    "{}\n{sections}",
                    std::fs::read_to_string(&self.vehicle)
                        .map_err(|error| Failure::bad_input(format!("{file}: {error}")))?
                );
                Document::parse(out.display().to_string(), &text)
                    .and_then(|document| Vehicle::from_document(&document))?;
                write_atomically(out, text.as_bytes())?;
                if flight.mass != vehicle.mass {
                    warn(&format!(
                        "{}: the gains are for {} kg, and the vehicle's mass is {} kg as before: studies give it as [inputs.mass]",
                        out.display(),
                        number(flight.mass),
                        number(vehicle.mass)
                    ));
                }
            }
        }
        Ok(Code::Done)
    }
}

/// Whether a flight goes down, and no steeper than a glide path may.
fn is_path(flight: &SteadyFlight) -> bool {
    flight.descent > 0.0 && flight.descent <= STEEPEST_SLOPE
}

/// Mean place of the main wheels along the body \[m\].
fn main_gear(vehicle: &Vehicle) -> f64 {
    let mains = || vehicle.wheels.iter().filter(|wheel| wheel.main);
    mains().map(|wheel| wheel.position.x).sum::<f64>() / mains().count() as f64
}

/// Up to which speed the steered wheel that turns most may be turned wholly \[m/s\]; at least the vehicle's own.
fn full_steering_speed(vehicle: &Vehicle, airspeed: f64) -> f64 {
    let steering = vehicle.wheels.iter().map(|wheel| wheel.steering).fold(0.0, f64::max);
    let share = if steering > 0.0 { (SLIP / steering).min(1.0) } else { 0.0 };
    (share.sqrt() * airspeed).max(vehicle.pilot.full_steering_speed)
}

/// Keys of `[pilot]` on the ground. An aircraft with a tail wheel is not rotated down, and braked so gently that its tail stays down.
fn pilot(vehicle: &Vehicle, airspeed: f64) -> String {
    let speed = rounded(full_steering_speed(vehicle, airspeed));
    let steering = format!("full_steering_speed = {speed:?}\nanti_skid = 0.9\n");
    let [pedal, deceleration] = TAIL_WHEEL_BRAKES;
    let has_tail_wheel = vehicle.wheels.iter().filter(|wheel| wheel.main).all(|wheel| wheel.position.x > 0.0);
    let brakes = if has_tail_wheel {
        format!("derotation_rate = 0\nbrake_level = {pedal:?}\ntarget_deceleration = {deceleration:?}\n")
    } else {
        "brake_level = 1.0\ntarget_deceleration = 2.0\n".to_owned()
    };
    steering + &brakes
}

/// The time of the flare \[s\]: so long that the sink rate follows, and that it begins gently.
fn flare_time(gains: &Gains, response: &Response, flight: &SteadyFlight, has_thrust: bool) -> f64 {
    let sink_rate = flight.airspeed * flight.descent.sin();
    // As the sink rate of an exponential flare falls with its time T, to that of the touchdown after T ln S, weight drives an
    // aircraft without thrust less and less against its drag: it loses g sin(descent) T (ln S - 1 + 1/S).
    let ratio = (sink_rate / TOUCHDOWN_SINK_RATE).max(1.0);
    let lost = GRAVITY * flight.descent.sin() * (ratio.ln() - 1.0 + ratio.recip());
    let longest = if has_thrust { f64::INFINITY } else { FLARE_LOSS * flight.airspeed / lost };
    let gentle = (sink_rate - TOUCHDOWN_SINK_RATE) / FLARE_ACCELERATION;
    let followed = followed_flare(gains, response).min(LONGEST_FLARE);
    gentle.max(followed).min(longest).max(FLARE_TIME)
}

/// The time of a flare that the sink rate follows \[s\]; infinite where it follows none.
fn followed_flare(gains: &Gains, response: &Response) -> f64 {
    FLARE_FOLLOWED / (gains.sink_gain * response.lift * response.airspeed).max(0.0)
}

/// What of a steady flight leaves little room for a flare.
fn doubts(vehicle: &Vehicle, trimmed: &Trimmed, gains: &Gains, response: &Response) -> Vec<String> {
    let mut doubts = Vec::new();
    if trimmed.elevator.abs() > MOST_ELEVATOR {
        let share = number(rounded(trimmed.elevator));
        doubts
            .push(format!("the elevator stands at {share} of its travel in this flight: little is left to flare with"));
    }
    let followed = followed_flare(gains, response);
    if followed > LONGEST_FLARE {
        let lift = number(rounded(response.lift));
        doubts.push(if followed.is_finite() {
            format!(
                "the sink rate would follow a flare of {} s, and the flare is no longer than {LONGEST_FLARE} s: elevator and lift, \
                 which turns the path by {lift} 1/s, are too slow",
                number(rounded(followed))
            )
        } else {
            format!("more angle of attack turns the path by {lift} 1/s: this airspeed is too low for a flare")
        });
    }
    // Where the flare leads: the same angle of attack, on a path that still goes down.
    let pitch = trimmed.angle_of_attack - TOUCHDOWN_SINK_RATE / response.airspeed;
    let (sine, cosine) = pitch.sin_cos();
    let low = |wheel: &Wheel| wheel.foot().z * cosine - wheel.foot().x * sine;
    let lowest = |wheels: &mut dyn Iterator<Item = &Wheel>| wheels.map(low).fold(f64::NEG_INFINITY, f64::max);
    let mains = lowest(&mut vehicle.wheels.iter().filter(|wheel| wheel.main));
    let ahead = lowest(&mut vehicle.wheels.iter().filter(|wheel| !wheel.main && wheel.position.x > main_gear(vehicle)));
    if ahead > mains {
        let pitch = number(rounded(pitch.to_degrees()));
        doubts.push(format!(
            "at the touchdown's pitch of {pitch} deg, with this angle of attack, a wheel ahead of the main ones is the lowest: it \
             touches first, unless the flare slows the aircraft down"
        ));
    }
    doubts
}

/// The response with the commands that have an effect; the gains of the others are 0.
fn effective(response: &Response) -> Response {
    let axis = |axis: Axis| if axis.control <= NO_CONTROL { Axis { control: 0.0, ..axis } } else { axis };
    let Response { pitch, roll, yaw, thrust, .. } = *response;
    let thrust = if thrust <= NO_THRUST { 0.0 } else { thrust };
    Response { pitch: axis(pitch), roll: axis(roll), yaw: axis(yaw), thrust, ..*response }
}

/// Which loops are not closed, as their command has no effect, or the wrong one.
fn open_loops(response: &Response, flight: &SteadyFlight) -> Vec<String> {
    let Response { pitch, roll, yaw, thrust, .. } = response;
    let surfaces = [
        ("pitch_gain and pitch_damping", "the pitch angle and the sink rate", "elevator", "the nose down", pitch),
        ("bank_gain and roll_damping", "the bank angle", "aileron", "the right wing down", roll),
        ("heading_gain and yaw_damping", "the heading", "rudder", "the nose to the left", yaw),
    ];
    let is_open = |(.., axis): &(&str, &str, &str, &str, &Axis)| axis.control <= NO_CONTROL;
    let mut open: Vec<String> = surfaces
        .into_iter()
        .filter(is_open)
        .map(|(gains, held, surface, way, axis)| {
            let control = number(rounded(axis.control));
            format!(
                "{gains} are 0, so nothing holds {held}: the whole {surface} should turn {way}, and turns it by {control} rad/s2"
            )
        })
        .collect();
    // An aircraft without engines has no speed to hold.
    if flight.greatest_throttle > 0.0 && *thrust < -NO_THRUST {
        let thrust = number(rounded(*thrust));
        open.push(format!(
            "speed_gain is 0, so nothing holds the airspeed: full throttle should drive the aircraft, and gives {thrust} m/s2"
        ));
    }
    open
}

/// Gains by their keys in a vehicle file.
fn keyed(gains: &Gains) -> [(&'static str, f64); 9] {
    let Gains {
        pitch_gain,
        pitch_damping,
        bank_gain,
        roll_damping,
        heading_gain,
        yaw_damping,
        speed_gain,
        sink_gain,
        sink_integral_gain,
    } = *gains;
    [
        ("pitch_gain", pitch_gain),
        ("pitch_damping", pitch_damping),
        ("bank_gain", bank_gain),
        ("roll_damping", roll_damping),
        ("heading_gain", heading_gain),
        ("yaw_damping", yaw_damping),
        ("speed_gain", speed_gain),
        ("sink_gain", sink_gain),
        ("sink_integral_gain", sink_integral_gain),
    ]
}

fn steady(trimmed: &Trimmed, flight: &SteadyFlight) -> String {
    let Trimmed { angle_of_attack, elevator, aileron, rudder, throttle, .. } = trimmed;
    format!(
        "{} m/s down {} deg, {} kg: angle of attack {} deg, elevator {}, throttle {}, aileron {}, rudder {}\n",
        number(flight.airspeed),
        number(rounded(flight.descent.to_degrees())),
        number(flight.mass),
        number(rounded(angle_of_attack.to_degrees())),
        number(rounded(*elevator)),
        number(rounded(*throttle)),
        number(rounded(*aileron)),
        number(rounded(*rudder)),
    )
}

fn answers(response: &Response) -> String {
    let Response { pitch, roll, yaw, lift, side, thrust, drag, lags, .. } = response;
    let [elevator, aileron, rudder, throttle] = lags.map(rounded).map(number);
    let axis = |name: &str, Axis { control, damping, stiffness }: &Axis, lag: String| {
        let [control, damping, stiffness] = [control, damping, stiffness].map(|value| number(rounded(*value)));
        format!("{name:<6} {control:>12} {damping:>16} {stiffness:>16} {lag:>14}\n")
    };
    format!(
        "\naxis   per command [rad/s2]  damping [1/s]  stiffness [1/s2]  mean lag [s]\n{}{}{}\
         lift turns the path by {} 1/s, side force by {} 1/s; full throttle gives {} m/s2 after {throttle} s, drag takes {} 1/s\n",
        axis("pitch", pitch, elevator),
        axis("roll", roll, aileron),
        axis("yaw", yaw, rudder),
        number(rounded(*lift)),
        number(rounded(*side)),
        number(rounded(*thrust)),
        number(rounded(*drag)),
    )
}

/// Four digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// Sections of a vehicle file.
fn sections(
    gains: &Gains,
    trimmed: &Trimmed,
    flight: &SteadyFlight,
    (has_thrust, flare_time): (bool, f64),
    pilot: &str,
) -> String {
    let SteadyFlight { airspeed, descent, greatest_throttle, .. } = *flight;
    let pitch = trimmed.angle_of_attack - descent;
    // As TOML has it, which the form for display need not be.
    let value = |value: f64| format!("{:?}", rounded(value));
    format!(
        "# Gains by `touchdown vehicle tune`, of commands from -1 to 1; heights and limits are assumed.\n\
         [pilot]\npitch_gain = {}\npitch_damping = {}\nbank_gain = {}\nroll_damping = {}\nheading_gain = {}\nyaw_damping = {}\n\
         lateral_gain = 0.01\n{pilot}\n\
         [autoland]\nairspeed = {}\nglide_slope = {}\ngate_height = \"50 ft\"\ngate_distance = 0\nglide_gain = 0.12\n\
         touchdown_sink_rate = {}\nflare_time = {}\nsink_gain = {}\nsink_integral_gain = {}\nsink_integral_limit = \"4 deg\"\n\
         least_pitch = {}\ngreatest_pitch = {}\npitch_gain = {}\npitch_damping = {}\nspeed_gain = {}\ngreatest_thrust = {}\n\
         retard_height = \"10 ft\"\nengine_lag = 0\nbank_per_offset = 0.009\nbank_per_drift = 0.05\nbank_limit = \"5 deg\"\n\
         decrab_height = \"25 ft\"\n",
        value(gains.pitch_gain),
        value(gains.pitch_damping),
        value(gains.bank_gain),
        value(gains.roll_damping),
        value(gains.heading_gain),
        value(gains.yaw_damping),
        value(airspeed),
        value(descent),
        value(TOUCHDOWN_SINK_RATE),
        value(flare_time),
        value(gains.sink_gain),
        value(gains.sink_integral_gain),
        value(pitch - BELOW),
        value(pitch + ABOVE.max(descent + ABOVE_LEVEL)),
        value(gains.pitch_gain),
        value(gains.pitch_damping),
        value(if has_thrust { gains.speed_gain } else { 0.0 }),
        value(greatest_throttle),
    )
}
