//! What flight controls are made of.

use crate::function::{Expression, Function};

/// Flight controls of an aircraft.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlightControls {
    /// Number of engines: at the beginning of a step the positions of their throttles, mixtures, propeller advances and feathers are
    /// what is commanded.
    pub engines: usize,
    /// Functions evaluated before all channels.
    pub before: Vec<Function<String>>,
    /// Channels in the order of their evaluation.
    pub channels: Vec<Channel>,
    /// Functions evaluated after all channels.
    pub after: Vec<Function<String>>,
}

/// Components that run together.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Every how many steps it runs, at least 1; the step of its components is so many times longer.
    pub every: u32,
    /// It runs only while this is not 0.
    pub on: Option<Expression<String>>,
    /// In the order of their evaluation.
    pub components: Vec<Component>,
}

/// A component: a law, and what happens to what the law makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The property that has its output.
    pub name: String,
    /// Other properties that have it too.
    pub outputs: Vec<String>,
    /// Where it is written, for messages.
    pub place: String,
    /// What it makes of its inputs.
    pub law: Law,
    /// Delay of switches, actuators and sensors.
    pub delay: Option<Delay>,
    /// Limits of the output.
    pub clip: Option<Clip>,
}

/// Limits of an output. Where the upper one is below the lower one, neither holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Lower limit.
    pub low: Expression<String>,
    /// Upper limit.
    pub high: Expression<String>,
    /// An output beyond one limit comes in at the other, as angles do.
    pub is_cyclic: bool,
}

/// A delay. Over n steps the output is that of n - 1 steps ago, as JSBSim has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// Steps, cut to a whole number.
    Steps(f64),
    /// \[s\], cut to whole steps.
    Time(f64),
}

/// What a component makes of its inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// The value of an expression: gains, sums and functions.
    Value(Expression<String>),
    /// A surface's scale.
    SurfaceScale(SurfaceScale),
    /// 0 within a band about 0, and a multiple of what is beyond.
    Deadband {
        /// x.
        input: Expression<String>,
        /// Width of the band.
        width: Expression<String>,
        /// Factor.
        gain: f64,
    },
    /// The value of the first case whose condition holds, else the default.
    Switch {
        /// Conditions, which are 0 or 1, and values.
        cases: Vec<(Expression<String>, Expression<String>)>,
        /// Where none holds.
        default: Expression<String>,
    },
    /// A function with a property of its own, times an input if there is one.
    Function(Function<String>, Option<Expression<String>>),
    /// Moves through detents in given times.
    Kinematic {
        /// x.
        input: Expression<String>,
        /// The input is in units of the last detent.
        scales: bool,
        /// At least two.
        detents: Vec<Setting>,
    },
    /// A linear filter.
    Filter(Filter),
    /// A controller, or an integrator alone.
    Pid(Pid),
    /// An actuator.
    Actuator(Actuator),
    /// A sensor.
    Sensor(Sensor),
    /// From one angle to another, the short way round \[rad\] times a factor.
    Angle {
        /// \[rad\].
        source: Expression<String>,
        /// \[rad\].
        target: Expression<String>,
        /// Unit of the output.
        scale: f64,
    },
    /// Sets properties and has no output.
    Distributor {
        /// Of cases with a condition only the first whose condition holds sets anything.
        is_exclusive: bool,
        /// One after the other.
        cases: Vec<Case>,
    },
}

/// From a domain to a range.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceScale {
    /// x.
    pub input: Expression<String>,
    /// Lowest and highest input; beyond them the same slopes go on.
    pub domain: [f64; 2],
    /// Output at these.
    pub range: [f64; 2],
    /// 0 makes 0, with one slope below and one above.
    pub is_zero_centered: bool,
    /// Factor of the output.
    pub gain: Expression<String>,
}

/// A detent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Above that of the detent before.
    pub position: f64,
    /// From the detent before \[s\]; at 0 any movement through there is at its end at once.
    pub time: f64,
}

/// Filters by their transfer functions of s.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// c1 / (s + c1).
    Lag(Expression<String>, [Expression<String>; 1]),
    /// (c1 s + c2) / (c3 s + c4).
    LeadLag(Expression<String>, [Expression<String>; 4]),
    /// s / (s + c1).
    Washout(Expression<String>, [Expression<String>; 1]),
    /// (c1 s^2 + c2 s + c3) / (c4 s^2 + c5 s + c6).
    SecondOrder(Expression<String>, [Expression<String>; 6]),
}

/// Rules of integration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integration {
    /// x.
    Rectangular,
    /// Half of x and half of that before.
    Trapezoidal,
    /// Adams and Bashforth's of two steps.
    AdamsBashforth2,
    /// Of three.
    AdamsBashforth3,
}

/// A controller with proportional, integral and derivative parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Pid {
    /// x.
    pub input: Expression<String>,
    /// Factor of the input; in the standard form of everything.
    pub proportional: Expression<String>,
    /// Factor of the integral, and its rule; none without an integral.
    pub integral: Option<(Expression<String>, Integration)>,
    /// Factor of the derivative.
    pub derivative: Expression<String>,
    /// kp (x + integral + kd dx/dt) in place of kp x + integral + kd dx/dt.
    pub is_standard: bool,
    /// The derivative, where it is measured.
    pub rate: Option<Expression<String>>,
    /// Other than 0, the integral holds; negative, it is 0.
    pub trigger: Option<Expression<String>>,
}

/// An actuator: lag, limits of its rate, deadband, hysteresis and bias, in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// x.
    pub input: Expression<String>,
    /// c of c / (s + c) \[1/s\].
    pub lag: Option<Expression<String>>,
    /// Fastest rise \[1/s\].
    pub rise: Option<Expression<String>>,
    /// Fastest fall \[1/s\].
    pub fall: Option<Expression<String>>,
    /// Width of the deadband.
    pub deadband: f64,
    /// Width of the hysteresis.
    pub hysteresis: f64,
    /// Added.
    pub bias: f64,
}

/// A sensor: lag, drift, gain, bias, delay and quantization, in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// x.
    pub input: Expression<String>,
    /// c of c / (s + c) \[1/s\]; 0 for none.
    pub lag: f64,
    /// \[1/s\].
    pub drift_rate: f64,
    /// 0 stands for 1.
    pub gain: f64,
    /// Added.
    pub bias: f64,
    /// Steps of the output.
    pub quantization: Option<Quantization>,
}

/// Steps of a sensor's output.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantization {
    /// Limits of the output.
    pub range: [f64; 2],
    /// How many steps there are between them.
    pub steps: f64,
    /// The property that has the number of the step.
    pub counted: Option<String>,
}

/// A case of a distributor.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// 0 or 1; none holds always.
    pub condition: Option<Expression<String>>,
    /// Properties and what they are set to.
    pub values: Vec<(String, Expression<String>)>,
}
