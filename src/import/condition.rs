//! Runway condition codes and the corresponding friction.
//!
//! # Conventions
//! Wheel braking coefficients: the braking force of a wheel over its load, as achieved on average by a working
//! anti-skid. Sources: FAA AC 25-31, table 2 (codes 4 to 1), AC 25-32 (code 6), 14 CFR 25.109(c) (code 5).

use super::ImportError;

/// One psi \[Pa\].
const PSI: f64 = 6_894.757_293_168_361;
/// One knot \[m/s\].
const KNOT: f64 = 1852.0 / 3600.0;

/// Tyre pressure most often quoted for the speed rule of code 5: 100 psi \[Pa\].
pub const DEFAULT_TYRE_PRESSURE: f64 = 100.0 * PSI;

/// Efficiency of a fully modulating anti-skid, 14 CFR 25.109(c)(2) \[1\].
const ANTI_SKID_EFFICIENCY: f64 = 0.8;
/// Code 6: 90 % (AC 25-32) of a dry coefficient of 0.8, which is assumed.
const DRY: f64 = 0.9 * 0.8;
/// Code 2 below hydroplaning: never above code 3.
const MEDIUM: f64 = 0.16;
/// Code 2 when hydroplaning.
const HYDROPLANING: f64 = 0.05;
/// Code 2 counts as hydroplaning from this fraction of the hydroplaning speed.
const HYDROPLANING_SHARE: f64 = 0.85;
/// Tables by speed have a row for each of these steps ...
const SPEED_STEP: f64 = 5.0 * KNOT;
/// ... up to 200 kt.
const SPEED_STEPS: u32 = 40;
/// Two rows this far apart make a jump \[m/s\].
const JUMP_WIDTH: f64 = 0.01;

/// 14 CFR 25.109(c)(1): tyre pressure \[psi\] and the coefficients of the cubic in V/100, V the ground speed \[kt\],
/// highest power first: the maximum tyre-to-ground friction on a smooth wet runway.
const WET: [(f64, [f64; 4]); 4] = [
    (50.0, [-0.0350, 0.306, -0.851, 0.883]),
    (100.0, [-0.0437, 0.320, -0.805, 0.804]),
    (200.0, [-0.0331, 0.252, -0.658, 0.692]),
    (300.0, [-0.0401, 0.263, -0.611, 0.614]),
];

/// A runway condition code that permits landings: 6 (dry) to 1 (poor).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConditionCode(u8);

/// Three codes such as `5/5/3`, one for each third in the landing direction.
///
/// # Errors
/// Unless they are three codes from 1 to 6; code 0 has an error of its own.
pub fn parse_condition_codes(text: &str) -> Result<[ConditionCode; 3], ImportError> {
    let refused = || ImportError::ConditionCodes { text: text.to_owned() };
    let codes = text
        .split('/')
        .map(|part| part.trim().parse().map_err(|_| refused()).and_then(|code| ConditionCode::new(code, text)))
        .collect::<Result<Vec<_>, _>>()?;
    codes.try_into().map_err(|_| refused())
}

impl ConditionCode {
    fn new(code: u8, text: &str) -> Result<Self, ImportError> {
        match code {
            1..=6 => Ok(Self(code)),
            0 => Err(ImportError::NoOperation),
            _ => Err(ImportError::ConditionCodes { text: text.to_owned() }),
        }
    }

    /// The number, 1 to 6.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The corresponding pilot report, and the source of the figures.
    pub(super) fn description(self) -> &'static str {
        match self.0 {
            6 => "dry: 90 % (AC 25-32) of a dry coefficient of 0.8, which is assumed",
            5 => "good: wet, 14 CFR 25.109(c) for a smooth runway, times 0.8 for a fully modulating anti-skid",
            4 => "good to medium: AC 25-31 table 2",
            3 => "medium: AC 25-31 table 2",
            2 => "medium to poor: AC 25-31 table 2, half of code 5, at most 0.16; 0.05 from 0.85 of 9 sqrt(psi) kt",
            _ => "poor: AC 25-31 table 2",
        }
    }

    /// Wheel braking coefficient as rows of ground speed \[m/s\] and coefficient \[1\]; one row if it is constant. The
    /// tyre pressure \[Pa\] matters for codes 5 and 2 only.
    pub(super) fn braking(self, tyre_pressure: f64) -> Vec<(f64, f64)> {
        match self.0 {
            6 => vec![(0.0, DRY)],
            5 => speeds().map(|speed| (speed, wet(speed, tyre_pressure))).collect(),
            4 => vec![(0.0, 0.20)],
            3 => vec![(0.0, MEDIUM)],
            2 => medium_to_poor(tyre_pressure),
            _ => vec![(0.0, 0.08)],
        }
    }

    /// True if the coefficient depends on the tyre pressure.
    pub(super) fn depends_on_pressure(self) -> bool {
        matches!(self.0, 5 | 2)
    }
}

/// A warning if the rule for wet runways has no figures for this tyre pressure \[Pa\].
pub(super) fn pressure_warning(tyre_pressure: f64) -> Option<String> {
    let ((lowest, _), (highest, _)) = (WET[0], WET[WET.len() - 1]);
    let psi = tyre_pressure / PSI;
    let taken = psi.clamp(lowest, highest);
    // A pressure of just 50 psi may come as 49.999999999 after conversion.
    ((psi - taken).abs() > 1e-6).then(|| {
        format!("tyre pressure {psi:.1} psi: 14 CFR 25.109(c) has figures from {lowest} to {highest} psi; those for {taken} psi are used")
    })
}

fn speeds() -> impl Iterator<Item = f64> {
    (0..=SPEED_STEPS).map(|row| f64::from(row) * SPEED_STEP)
}

/// Code 5: linear between the listed pressures, constant beyond them.
fn wet(speed: f64, tyre_pressure: f64) -> f64 {
    let psi = tyre_pressure / PSI;
    let v = speed / KNOT / 100.0;
    let at = |(_, [a, b, c, d]): (f64, [f64; 4])| ((a * v + b) * v + c) * v + d;
    let above = WET.partition_point(|&(listed, _)| listed <= psi);
    let friction = match (above.checked_sub(1).map(|below| WET[below]), WET.get(above).copied()) {
        (Some(low), Some(high)) => at(low) + (at(high) - at(low)) * (psi - low.0) / (high.0 - low.0),
        (Some(last), None) => at(last),
        (None, first) => first.map_or(0.0, at),
    };
    ANTI_SKID_EFFICIENCY * friction
}

/// Code 2: half of code 5 up to the jump down to hydroplaning.
fn medium_to_poor(tyre_pressure: f64) -> Vec<(f64, f64)> {
    let below = |speed| (0.5 * wet(speed, tyre_pressure)).min(MEDIUM);
    let jump = HYDROPLANING_SHARE * 9.0 * (tyre_pressure / PSI).sqrt() * KNOT;
    let mut rows: Vec<_> =
        speeds().filter(|speed| *speed < jump - JUMP_WIDTH).map(|speed| (speed, below(speed))).collect();
    rows.push((jump - JUMP_WIDTH, below(jump - JUMP_WIDTH)));
    rows.push((jump, HYDROPLANING));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published figures have three digits or more.
    const ROUNDING: f64 = 1e-12;

    fn code(number: u8) -> ConditionCode {
        ConditionCode(number)
    }

    #[test]
    fn three_codes_are_read_in_order() {
        let codes = parse_condition_codes("5/ 5 /3").unwrap();
        assert_eq!(codes.map(ConditionCode::number), [5, 5, 3]);
    }

    #[test]
    fn anything_but_three_codes_from_1_to_6_is_refused() {
        for text in ["", "5", "5/5", "5/5/5/5", "5/5/7", "5/x/3", "5/-1/3", "555"] {
            let error = parse_condition_codes(text).unwrap_err();
            assert!(matches!(error, ImportError::ConditionCodes { .. }), "{text}: {error}");
            assert!(error.to_string().contains("such as 5/5/3"));
        }
    }

    #[test]
    fn code_0_is_refused_by_its_meaning() {
        let error = parse_condition_codes("5/0/3").unwrap_err();
        assert!(error.to_string().contains("no operation"), "{error}");
    }

    #[test]
    fn constant_codes_have_the_published_coefficients() {
        for (number, coefficient) in [(6, 0.72), (4, 0.20), (3, 0.16), (1, 0.08)] {
            let rows = code(number).braking(DEFAULT_TYRE_PRESSURE);
            assert_eq!(rows.len(), 1);
            assert!((rows[0].1 - coefficient).abs() < ROUNDING, "code {number}");
        }
    }

    #[test]
    fn code_5_follows_the_regulation_at_listed_pressures() {
        // Sums by hand at 100 kt, where V/100 = 1, and at rest.
        for (psi, at_rest, at_100) in [
            (50.0, 0.883, 0.303),
            (100.0, 0.804, 0.804 - 0.805 + 0.320 - 0.0437),
            (200.0, 0.692, 0.692 - 0.658 + 0.252 - 0.0331),
            (300.0, 0.614, 0.614 - 0.611 + 0.263 - 0.0401),
        ] {
            let rows = code(5).braking(psi * PSI);
            assert_eq!(rows.len(), 41, "0 to 200 kt in steps of 5 kt");
            assert!((rows[0].1 - 0.8 * at_rest).abs() < ROUNDING, "{psi} psi at rest");
            assert!((rows[20].0 - 51.444_444_444_444_44).abs() < ROUNDING, "100 kt");
            assert!((rows[20].1 - 0.8 * at_100).abs() < ROUNDING, "{psi} psi at 100 kt");
        }
    }

    #[test]
    fn code_5_is_linear_between_listed_pressures_and_constant_beyond_them() {
        let at_rest = |psi: f64| code(5).braking(psi * PSI)[0].1;
        assert!((at_rest(150.0) - 0.5 * (at_rest(100.0) + at_rest(200.0))).abs() < ROUNDING);
        assert!((at_rest(75.0) - 0.5 * (at_rest(50.0) + at_rest(100.0))).abs() < ROUNDING);
        assert_eq!(at_rest(35.0), at_rest(50.0));
        assert_eq!(at_rest(400.0), at_rest(300.0));
        assert!(pressure_warning(35.0 * PSI).is_some_and(|warning| warning.contains("those for 50 psi")));
        assert!(pressure_warning(50.0 * PSI).is_none());
    }

    #[test]
    fn code_2_jumps_down_to_hydroplaning() {
        let rows = code(2).braking(DEFAULT_TYRE_PRESSURE);
        // 0.85 x 9 x sqrt(100) kt = 76.5 kt.
        let jump = 76.5 * KNOT;
        let [.., (before, kept), (after, lost)] = rows[..] else { panic!("two rows at least") };
        assert!((after - jump).abs() < ROUNDING && (jump - before - 0.01).abs() < ROUNDING);
        // Half of code 5 at 76.5 kt, by hand; the row stands 0.01 m/s before, where it is 3e-5 more.
        assert!((kept - 0.142_353).abs() < 5e-5, "{kept}");
        assert_eq!(lost, 0.05);
        assert!(rows.iter().all(|&(_, coefficient)| coefficient <= 0.16), "never above code 3");
    }

    #[test]
    fn code_2_is_code_3_at_low_speed_and_half_of_code_5_where_that_is_less() {
        // At 300 psi the jump lies at 132.5 kt and half of code 5 falls below 0.16 before it.
        let (wet, slush) = (code(5).braking(300.0 * PSI), code(2).braking(300.0 * PSI));
        assert_eq!(slush[0].1, 0.16);
        assert_eq!(slush[26].0, wet[26].0);
        assert!((slush[26].1 - 0.5 * wet[26].1).abs() < ROUNDING && slush[26].1 < 0.16);
    }

    #[test]
    fn speeds_of_all_tables_rise_and_coefficients_stay_positive() {
        for number in 1..=6 {
            // 42.7 psi and 100.1 psi put the jump of code 2 close to a step of 5 kt.
            for psi in [5.0, 35.0, 42.7, 50.0, 100.0, 100.1, 182.0, 300.0, 500.0] {
                let rows = code(number).braking(psi * PSI);
                assert!(rows.windows(2).all(|pair| pair[0].0 < pair[1].0), "code {number}, {psi} psi");
                assert!(rows.iter().all(|&(_, coefficient)| coefficient > 0.0), "code {number}, {psi} psi");
            }
        }
    }
}
