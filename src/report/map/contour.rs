//! Contours of a surface over a grid of nodes.
//!
//! Each rectangle between four nodes is cut into four triangles that meet in its middle, where the surface has the mean of
//! the four. In a triangle it is a plane, so that a level's line is straight and never ambiguous.
//!
//! # Conventions
//! Places are values of the axes; nodes are numbered row by row, x fastest.

/// A surface: axes that ascend, and a value at each node.
pub struct Surface<'a> {
    /// Places of the columns.
    pub x: &'a [f64],
    /// Places of the rows.
    pub y: &'a [f64],
    /// Values, row by row.
    pub values: Vec<f64>,
}

/// A place and the value there.
type Corner = (f64, f64, f64);

impl Surface<'_> {
    fn corner(&self, column: usize, row: usize) -> Corner {
        (self.x[column], self.y[row], self.values[row * self.x.len() + column])
    }

    /// The corners of a rectangle, round about.
    fn corners(&self, column: usize, row: usize) -> [Corner; 4] {
        [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(right, up)| self.corner(column + right, row + up))
    }

    fn rectangles(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let columns = self.x.len() - 1;
        (0..self.y.len() - 1).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    /// Polygons that cover where the surface is at or above a level. Rectangles beside each other that lie above as a whole
    /// are one.
    pub fn areas(&self, level: f64) -> Vec<Vec<(f64, f64)>> {
        let mut areas: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut run: Option<(usize, usize, usize)> = None;
        let end = |run: Option<(usize, usize, usize)>, areas: &mut Vec<Vec<(f64, f64)>>| {
            if let Some((from, to, row)) = run {
                let (left, right, bottom, top) = (self.x[from], self.x[to], self.y[row], self.y[row + 1]);
                areas.push(vec![(left, bottom), (right, bottom), (right, top), (left, top)]);
            }
        };
        for (column, row) in self.rectangles() {
            let corners = self.corners(column, row);
            if corners.iter().all(|corner| corner.2 >= level) {
                run = match run {
                    Some((from, to, same)) if to == column && same == row => Some((from, column + 1, row)),
                    other => {
                        end(other, &mut areas);
                        Some((column, column + 1, row))
                    }
                };
            } else if corners.iter().any(|corner| corner.2 >= level) {
                areas.extend(triangles(corners).into_iter().map(|triangle| above(triangle, level)));
            }
        }
        end(run, &mut areas);
        areas.retain(|area| area.len() > 2);
        areas
    }

    /// Straight pieces of the line on which the surface is at a level.
    pub fn lines(&self, level: f64) -> Vec<[(f64, f64); 2]> {
        let rectangles = self.rectangles().map(|(column, row)| self.corners(column, row));
        let piece = |triangle: [Corner; 3]| {
            let crossings: Vec<(f64, f64)> = edges(triangle).filter_map(|(a, b)| crossing(a, b, level)).collect();
            <[(f64, f64); 2]>::try_from(crossings).ok()
        };
        rectangles.flat_map(triangles).filter_map(piece).collect()
    }

    /// The surface at a place; beyond the grid as at its edge.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        let (x, y) = (within(x, self.x), within(y, self.y));
        let (column, row) = (place(x, self.x), place(y, self.y));
        let u = (x - self.x[column]) / (self.x[column + 1] - self.x[column]);
        let v = (y - self.y[row]) / (self.y[row + 1] - self.y[row]);
        let [a, b, c, d] = self.corners(column, row).map(|corner| corner.2);
        let middle = 0.25 * (a + b + c + d);
        // The distance from the nearest edge, twice, is the share of the middle; that edge's ends have the rest.
        let (near, along, from, to) = [(v, u, a, b), (1.0 - u, v, b, c), (1.0 - v, u, d, c), (u, v, a, d)]
            .into_iter()
            .fold((f64::INFINITY, 0.0, 0.0, 0.0), |best, edge| if edge.0 < best.0 { edge } else { best });
        if near >= 0.5 {
            return middle;
        }
        let share = (along - near) / (1.0 - 2.0 * near);
        2.0 * near * middle + (1.0 - 2.0 * near) * (from + share * (to - from))
    }
}

fn within(value: f64, axis: &[f64]) -> f64 {
    value.clamp(axis[0], axis[axis.len() - 1])
}

fn place(value: f64, axis: &[f64]) -> usize {
    (axis.partition_point(|&node| node <= value).max(1) - 1).min(axis.len() - 2)
}

fn triangles(corners: [Corner; 4]) -> [[Corner; 3]; 4] {
    let mean = |of: fn(&Corner) -> f64| 0.25 * corners.iter().map(of).sum::<f64>();
    let middle = (mean(|c| c.0), mean(|c| c.1), mean(|c| c.2));
    [0, 1, 2, 3].map(|first| [corners[first], corners[(first + 1) % 4], middle])
}

fn edges(triangle: [Corner; 3]) -> impl Iterator<Item = (Corner, Corner)> {
    (0..3).map(move |first| (triangle[first], triangle[(first + 1) % 3]))
}

/// Where the way between two corners meets a level.
fn crossing(a: Corner, b: Corner, level: f64) -> Option<(f64, f64)> {
    ((a.2 >= level) != (b.2 >= level)).then(|| {
        let share = (level - a.2) / (b.2 - a.2);
        (a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1))
    })
}

/// The part of a triangle at or above a level.
fn above(triangle: [Corner; 3], level: f64) -> Vec<(f64, f64)> {
    let mut polygon = Vec::new();
    for (a, b) in edges(triangle) {
        if a.2 >= level {
            polygon.push((a.0, a.1));
        }
        polygon.extend(crossing(a, b, level));
    }
    polygon
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 4] = [0.0, 1.0, 3.0, 4.0];
    const Y: [f64; 3] = [-1.0, 0.0, 2.0];

    fn of(function: impl Fn(f64, f64) -> f64) -> Surface<'static> {
        let values = Y.iter().flat_map(|&y| X.iter().map(move |&x| (x, y))).map(|(x, y)| function(x, y)).collect();
        Surface { x: &X, y: &Y, values }
    }

    fn area(polygon: &[(f64, f64)]) -> f64 {
        let pairs = (0..polygon.len()).map(|i| (polygon[i], polygon[(i + 1) % polygon.len()]));
        0.5 * pairs.map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum::<f64>()
    }

    /// A plane is its own interpolation: areas, lines and values are those of the plane.
    #[test]
    fn contours_of_a_plane_are_exact() {
        let plane = |x: f64, y: f64| x + y;
        let surface = of(plane);
        // Of the 4 by 3 rectangle from (0, -1), x + y >= 2.5 leaves out what lies below the line from (0, 2.5), cut by y <= 2.
        let left_out = 0.5 * 3.5 * 3.5 - 0.5 * 0.5 * 0.5;
        let found: f64 = surface.areas(2.5).iter().map(|polygon| area(polygon)).sum();
        println!("area above: {found}, exact {}", 12.0 - left_out);
        assert!((found - (12.0 - left_out)).abs() < 1e-12);
        let length: f64 = surface.lines(2.5).iter().map(|[a, b]| (a.0 - b.0).hypot(a.1 - b.1)).sum();
        assert!((length - 3.0 * 2_f64.sqrt()).abs() < 1e-12, "{length}");
        for (x, y) in [(0.0, -1.0), (0.3, 0.2), (2.9, 1.9), (4.0, 2.0), (2.0, 1.0), (3.5, -0.1)] {
            assert!((surface.at(x, y) - plane(x, y)).abs() < 1e-12, "{x} {y}");
        }
        assert_eq!(surface.at(9.0, 9.0), 6.0);
    }

    /// A saddle's diagonals are above and below: the middle decides, and areas of a level and its complement make up the whole.
    #[test]
    fn areas_above_and_below_make_up_the_whole() {
        let surface = of(|x, y| (2.0 * x).sin() * (3.0 * y).cos());
        let negated = Surface { values: surface.values.iter().map(|value| -value).collect(), ..of(|_, _| 0.0) };
        for level in [-0.5, -0.1, 0.05, 0.3] {
            let sum =
                |surface: &Surface<'_>, level| surface.areas(level).iter().map(|polygon| area(polygon)).sum::<f64>();
            let whole = sum(&surface, level) + sum(&negated, -level);
            assert!((whole - 12.0).abs() < 1e-12, "{level}: {whole}");
        }
    }
}
