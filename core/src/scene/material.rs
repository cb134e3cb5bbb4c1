//! Surface materials.

/// Friction and strength of a surface under a tyre (docs/theory/entry-points.md).
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the scene file.
    pub name: String,
    /// Static friction coefficient \[1\].
    pub static_friction: f64,
    /// Dynamic friction coefficient \[1\], if there is no table by speed.
    pub dynamic_friction: f64,
    /// Largest force it bears \[N\]; infinite if unlimited.
    pub max_force: f64,
    /// Dynamic friction by speed: (speed \[m/s\], coefficient \[1\]) with increasing speeds; empty if constant.
    pub dynamic_friction_by_speed: Vec<(f64, f64)>,
    /// Drag on rolling wheels, besides friction.
    pub drag: SurfaceDrag,
}

/// Drag of soft ground, snow, slush and water on wheels that roll over it; none by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceDrag {
    /// Rolling resistance coefficient \[1\] added to a wheel's own, if there is no table by speed. Friction bounds the
    /// sum of both and the brake.
    pub rolling_resistance: f64,
    /// The same by speed: (speed along the surface \[m/s\], coefficient \[1\]) with increasing speeds; empty if
    /// constant.
    pub rolling_resistance_by_speed: Vec<(f64, f64)>,
    /// Depth of water or slush on it \[m\]; wheels with tyres displace it
    /// ([`Tyre::displacement_drag`](crate::query::Tyre::displacement_drag)).
    pub fluid_depth: f64,
    /// Its density \[kg/m^3\].
    pub fluid_density: f64,
}

impl SurfaceDrag {
    /// Rolling resistance coefficient \[1\] of the surface at a speed along it \[m/s\]: linear between the table's
    /// rows, constant beyond its ends.
    #[must_use]
    pub fn rolling_resistance_at(&self, speed: f64) -> f64 {
        by_speed(&self.rolling_resistance_by_speed, speed).unwrap_or(self.rolling_resistance)
    }
}

impl Material {
    /// A material of solids that are only rendered: without contacts, so friction is irrelevant.
    #[must_use]
    pub fn only_shown(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            static_friction: 0.0,
            dynamic_friction: 0.0,
            max_force: f64::INFINITY,
            dynamic_friction_by_speed: Vec::new(),
            drag: SurfaceDrag::default(),
        }
    }

    /// Dynamic friction coefficient at a sliding or rolling speed \[m/s\]: linear between the table's rows,
    /// constant beyond its ends.
    #[must_use]
    pub fn dynamic_friction_at(&self, speed: f64) -> f64 {
        by_speed(&self.dynamic_friction_by_speed, speed).unwrap_or(self.dynamic_friction)
    }

    /// The rows of the table by speed \[m/s\] between which a speed is, if there is a table.
    pub(crate) fn dynamic_friction_around(&self, speed: f64) -> Option<[(f64, f64); 2]> {
        rows_around(&self.dynamic_friction_by_speed, speed)
    }
}

/// A coefficient from a table by speed; `None` if the table is empty.
fn by_speed(table: &[(f64, f64)], speed: f64) -> Option<f64> {
    let [(slow, slow_value), (fast, fast_value)] = rows_around(table, speed)?;
    Some(slow_value + (fast_value - slow_value) * (speed.clamp(slow, fast) - slow) / (fast - slow))
}

/// The rows of a table that enclose a speed; beyond its ends, rows at infinity.
fn rows_around(table: &[(f64, f64)], speed: f64) -> Option<[(f64, f64); 2]> {
    let above = table.partition_point(|&(row_speed, _)| row_speed <= speed);
    match (above.checked_sub(1).and_then(|below| table.get(below)), table.get(above)) {
        (None, None) => None,
        (Some(&last), None) => Some([last, (f64::MAX, last.1)]),
        (None, Some(&first)) => Some([(f64::MIN, first.1), first]),
        (Some(&slow), Some(&fast)) => Some([slow, fast]),
    }
}
