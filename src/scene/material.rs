//! What surfaces are made of.

/// Friction and strength of a surface under a tyre (document 000, "Material Properties").
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the scene file.
    pub name: String,
    /// Static friction coefficient \[1\].
    pub static_friction: f64,
    /// Dynamic friction coefficient \[1\], where no table by speed is given.
    pub dynamic_friction: f64,
    /// Greatest force it bears \[N\]; infinite when it never gives way.
    pub max_force: f64,
    /// Dynamic friction by speed: (speed \[m/s\], coefficient \[1\]) with rising speeds; empty when constant.
    pub dynamic_friction_by_speed: Vec<(f64, f64)>,
}

impl Material {
    /// A material of solids that are only shown: nothing drives on them, and friction has no meaning.
    #[must_use]
    pub fn only_shown(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            static_friction: 0.0,
            dynamic_friction: 0.0,
            max_force: f64::INFINITY,
            dynamic_friction_by_speed: Vec::new(),
        }
    }

    /// Dynamic friction coefficient at a sliding or rolling speed \[m/s\]: linear between the table's rows,
    /// constant beyond its ends.
    #[must_use]
    pub fn dynamic_friction_at(&self, speed: f64) -> f64 {
        let table = &self.dynamic_friction_by_speed;
        let above = table.partition_point(|&(row_speed, _)| row_speed <= speed);
        match (above.checked_sub(1).and_then(|below| table.get(below)), table.get(above)) {
            (None, None) => self.dynamic_friction,
            (Some(&(_, friction)), None) | (None, Some(&(_, friction))) => friction,
            (Some(&(slow, slow_friction)), Some(&(fast, fast_friction))) => {
                slow_friction + (fast_friction - slow_friction) * (speed - slow) / (fast - slow)
            }
        }
    }
}
