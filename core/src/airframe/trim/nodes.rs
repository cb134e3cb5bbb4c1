//! A grid of steady flights, and what lies between them.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::search::{Search, Sloped};
use super::{SteadyFlight, Trimmed};
use crate::airframe::Airframe;
use crate::airframe::atmosphere::TEMPERATURE;
use crate::elementary::{exp, ln};

/// Distances of the nodes between which steady flights are interpolated: mass, airspeed and density as shares, descent \[rad\],
/// height as a share, temperature \[K\].
const GRID: [f64; AXES] = [0.04, 0.04, 0.04, 0.01, 0.4, 10.0];
const AXES: usize = 6;
/// Between nodes of mass and airspeed, the first of these, interpolation is bilinear, along each of the others linear: what it
/// misses then is of the size of what linear interpolation misses anyway.
const CROSSED: usize = 2;
/// Heights below this one are taken for it \[m\].
const MIN_HEIGHT: f64 = 0.1;
/// Nodes along an axis that are found from one and the same, in their middle.
const FAMILY: i64 = 4;
/// The number of a node along each axis.
type Place = [i64; AXES];

/// Steady flights that are known already. They follow from the airframe: two of one airframe are equal.
#[derive(Clone, Debug, Default)]
pub(in crate::airframe) struct Known {
    nodes: Table<Trimmed>,
    families: Table<Sloped>,
}

impl PartialEq for Known {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What is known at nodes, for each gravity and greatest throttle.
#[derive(Clone, Debug)]
struct Table<T>(Arc<RwLock<BTreeMap<Key, Arc<T>>>>);

/// A node, and the bits of gravity and greatest throttle.
type Key = (Place, [u64; 2]);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

fn key(node: Place, of: [f64; 2]) -> Key {
    (node, of.map(f64::to_bits))
}

impl<T> Table<T> {
    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Key, Arc<T>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What stands at a node; it is found at first use. Others need not wait meanwhile: who looks for the same finds the same.
    fn at(&self, node: Place, of: [f64; 2], find: impl FnOnce() -> T) -> Arc<T> {
        let key = key(node, of);
        let found = self.read().get(&key).cloned();
        found.unwrap_or_else(|| {
            let found = Arc::new(find());
            self.0.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(found).clone()
        })
    }
}

impl SteadyFlight {
    /// That of a node, under a gravity \[m/s^2\] with a greatest throttle.
    fn at(node: Place, [gravity, greatest_throttle]: [f64; 2]) -> Self {
        let [mass, airspeed, density, descent, height, warmer] =
            std::array::from_fn(|axis| node[axis] as f64 * GRID[axis]);
        Self {
            mass: exp(mass),
            gravity,
            airspeed: exp(airspeed),
            density: exp(density),
            temperature: TEMPERATURE + warmer,
            descent,
            height: exp(height),
            greatest_throttle,
        }
    }
}

impl Trimmed {
    /// Adds a share of the difference between two.
    fn add(&mut self, share: f64, to: &Self, from: &Self) {
        self.angle_of_attack += share * (to.angle_of_attack - from.angle_of_attack);
        self.elevator += share * (to.elevator - from.elevator);
        self.throttle += share * (to.throttle - from.throttle);
        self.aileron += share * (to.aileron - from.aileron);
        self.rudder += share * (to.rudder - from.rudder);
        self.imbalance = self.imbalance.max(to.imbalance);
        let kept = self.kept.iter_mut().zip(&to.kept).zip(&from.kept);
        kept.for_each(|((kept, to), from)| *kept += share * (to - from));
    }
}

impl Airframe {
    /// The steady flight, interpolated between those of a grid, of which each is solved for once.
    #[must_use]
    pub fn trimmed(&self, flight: &SteadyFlight) -> Trimmed {
        self.trimmed_within(flight, f64::INFINITY)
    }

    /// The same for those who have no use for a flight that is out of balance by more than a limit: once a node between which it lies
    /// is found to be, that node stands for it. Where there is no steady flight, searches take longest, and one is enough to tell.
    #[must_use]
    pub fn trimmed_within(&self, flight: &SteadyFlight, limit: f64) -> Trimmed {
        let SteadyFlight { mass, gravity, airspeed, density, temperature, descent, height, greatest_throttle } =
            *flight;
        // Logarithms make of shares distances. At 15 °C the node is met.
        let height = ln(height.max(MIN_HEIGHT));
        let numbers = [ln(mass), ln(airspeed), ln(density), descent, height, temperature - TEMPERATURE];
        let places: [f64; AXES] = std::array::from_fn(|axis| numbers[axis] / GRID[axis]);
        let below = places.map(|place| place.floor() as i64);
        let share = |axis: usize| places[axis] - below[axis] as f64;
        let of = [gravity, greatest_throttle];
        loop {
            // One look for all nodes: threads that look for one after the other would wait for each other.
            let unknown = {
                let known = self.known.nodes.read();
                let node = |place| match known.get(&key(place, of)) {
                    Some(node) if node.imbalance > limit => Err(Stop::Unbalanced(node.as_ref().clone())),
                    Some(node) => Ok(node.as_ref()),
                    None => Err(Stop::Unknown(place)),
                };
                match between(below, share, node) {
                    Ok(trimmed) | Err(Stop::Unbalanced(trimmed)) => return trimmed,
                    Err(Stop::Unknown(place)) => place,
                }
            };
            self.solve_node(unknown, of);
        }
    }
}

/// Why nothing is interpolated.
enum Stop {
    /// A node is not known.
    Unknown(Place),
    /// A node is out of balance, and so is all beside it: what lies between nodes is as far out of it as the worst of them.
    Unbalanced(Trimmed),
}

/// What lies between nodes: above this one by so many shares of the distances.
fn between<'a>(
    below: Place,
    share: impl Fn(usize) -> f64,
    node: impl Fn(Place) -> Result<&'a Trimmed, Stop>,
) -> Result<Trimmed, Stop> {
    let beside = |place: Place, axis: usize| -> Place {
        std::array::from_fn(|number| place[number] + i64::from(number == axis))
    };
    let first = node(below)?;
    // Of differences to the first: what is the same at all nodes is that between them, too.
    let mut between = first.clone();
    for corner in 0..1_usize << CROSSED {
        let is_above = |axis: usize| corner >> axis & 1 == 1;
        let of_axis = |axis: usize| if is_above(axis) { share(axis) } else { 1.0 - share(axis) };
        let weight: f64 = (0..CROSSED).map(of_axis).product();
        if weight == 0.0 {
            continue;
        }
        let place = (0..CROSSED).filter(|&axis| is_above(axis)).fold(below, beside);
        let at_corner = node(place)?;
        between.add(weight, at_corner, first);
        for axis in (CROSSED..AXES).filter(|&axis| share(axis) > 0.0) {
            between.add(weight * share(axis), node(beside(place, axis))?, at_corner);
        }
    }
    Ok(between)
}

impl Airframe {
    /// Solves for the steady flight of a node, which is known then.
    fn solve_node(&self, place: Place, of: [f64; 2]) {
        self.known.nodes.at(place, of, || {
            let flight = SteadyFlight::at(place, of);
            let middle = place.map(|number| number.div_euclid(FAMILY) * FAMILY + FAMILY / 2);
            let family =
                self.known.families.at(middle, of, || Search::new(self, &SteadyFlight::at(middle, of)).sloped());
            let search = Search::new(self, &flight);
            search.near(&family).unwrap_or_else(|| search.anywhere().0)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::air_forces::{AxisFunction, Description, Role, Sizes};
    use crate::airframe::{AirframeDescription, ENGINE_LOADS};
    use crate::function::{Expression, Function};

    /// Of 1000 kg with a wing of 150 ft2, an engine of 800 lbf and an elevator.
    fn airframe() -> Airframe {
        let pressure_area = || Expression::of("aero/qbar-psf") * 150.0;
        let alpha = || Expression::of("aero/alpha-rad");
        let of = |role, coefficient: Expression<String>| AxisFunction {
            function: Function { name: String::new(), expression: pressure_area() * coefficient },
            role,
        };
        let functions = vec![
            of(Role::Force(0), 0.05.into()),
            of(Role::Force(2), alpha() * 5.0 + 0.2),
            of(Role::Moment(1), alpha() * -2.0 - Expression::of("pilot/elevator") + 0.1),
        ];
        let thrust = Expression::of("pilot/throttle") * 800.0;
        let sizes = Sizes { area: 14.0, span: 10.0, chord: 1.5, incidence: 0.0 };
        let engine = Function { name: ENGINE_LOADS[0].to_owned(), expression: thrust };
        Airframe::new(AirframeDescription {
            engines: vec![engine],
            air_forces: Description { sizes, functions, ..Description::default() },
            ..AirframeDescription::default()
        })
        .unwrap()
    }

    #[test]
    fn where_there_is_no_steady_flight_one_node_tells() {
        const LIMIT: f64 = 0.01;
        let flight = SteadyFlight {
            mass: 1000.0,
            gravity: 9.81,
            airspeed: 50.0,
            density: 1.2,
            temperature: 283.0,
            descent: 0.047,
            height: 40.0,
            greatest_throttle: 1.0,
        };
        let nodes = |airframe: &Airframe| airframe.known.nodes.read().len();
        let [patient, hasty] = [airframe(), airframe()];
        let found = hasty.trimmed_within(&flight, LIMIT);
        assert!(found.imbalance < 1e-6, "{found:?}");
        assert_eq!((&found, nodes(&hasty)), (&patient.trimmed(&flight), nodes(&patient)));
        // Nine times the weight is more than the wing carries.
        let heavy = SteadyFlight { mass: 9000.0, ..flight };
        let [patient, hasty] = [airframe(), airframe()];
        let found = hasty.trimmed_within(&heavy, LIMIT);
        assert!(found.imbalance > LIMIT && patient.trimmed(&heavy).imbalance > LIMIT, "{found:?}");
        assert_eq!(nodes(&hasty), 1);
        assert!(nodes(&patient) > 10);
    }
}
