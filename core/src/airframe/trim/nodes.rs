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
                match between(below, share, |place| known.get(&key(place, of)).map(Arc::as_ref).ok_or(place)) {
                    Ok(trimmed) => return trimmed,
                    Err(unknown) => unknown,
                }
            };
            self.solve_node(unknown, of);
        }
    }
}

/// What lies between nodes: above this one by so many shares of the distances. The error is a node that is not known.
fn between<'a>(
    below: Place,
    share: impl Fn(usize) -> f64,
    node: impl Fn(Place) -> Result<&'a Trimmed, Place>,
) -> Result<Trimmed, Place> {
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
