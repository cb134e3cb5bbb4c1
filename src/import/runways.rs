//! Rows of a table of runways from <https://ourairports.com/data/>.
//!
//! # Conventions
//! Lengths in the table are in feet. A row has both landing directions: the lower (`le_`) and the higher (`he_`) end.
//! Thresholds may be displaced; landings are measured from there. Elevations are those of the ends of the pavement,
//! above sea level, in whole feet; a slope is positive if the runway rises in the landing direction.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{ImportError, Surface};
use crate::document::nearest;
use crate::scene::{Runway, read_limited};

/// One foot \[m\].
const FOOT: f64 = 0.3048;

/// A runway in one landing direction, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct RunwayRow {
    /// Origin of the data, for provenance.
    pub data: &'static str,
    /// The table's file name and the line in it.
    pub source: String,
    /// The airport, as in the table.
    pub airport: String,
    /// The name of the runway in the landing direction, as in the table.
    pub runway: String,
    /// Length of the pavement, displaced parts included \[m\].
    pub length: f64,
    /// Full width \[m\].
    pub width: f64,
    /// From the start of the pavement to the landing threshold \[m\].
    pub displaced_threshold: f64,
    /// Elevation of the landing threshold above sea level \[m\], if that of its end is given: by the slope where it is
    /// displaced.
    pub elevation: Option<f64>,
    /// Slope in the landing direction \[1\], if the elevations of both ends are given.
    pub slope: Option<f64>,
    /// Its surface.
    pub surface: Surface,
    /// True if it is marked as closed.
    pub closed: bool,
}

/// Finds a runway in a table. Case and leading zeros of the runway's name are ignored; of several rows with the same
/// name, an open one is preferred to a closed one.
///
/// # Errors
/// If the table cannot be read or lacks a column, if airport or runway are not in it, or if the row's length, width or
/// displaced threshold is unusable.
pub fn read_runway(path: &Path, airport: &str, runway: &str) -> Result<RunwayRow, ImportError> {
    let rows = airport_rows(path, airport)?;
    let directions = || rows.iter().flat_map(|row| [(row, [LOWER_END, HIGHER_END]), (row, [HIGHER_END, LOWER_END])]);
    let found = directions()
        .filter(|(row, [end, _])| same_runway(row.text(end.ident), runway))
        .min_by_key(|(row, _)| row.is_closed());
    let Some((row, ends)) = found else {
        let mut names: Vec<_> = directions()
            .map(|(row, [end, _])| row.text(end.ident).to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        names.sort();
        names.dedup();
        return Err(ImportError::UnknownRunway {
            path: path.to_owned(),
            airport: rows[0].text(AIRPORT).to_owned(),
            runway: runway.to_owned(),
            runways: names,
        });
    };
    row.in_direction(ends)
}

type Column = &'static str;
const AIRPORT: Column = "airport_ident";
const LENGTH: Column = "length_ft";
const WIDTH: Column = "width_ft";
const SURFACE: Column = "surface";
const CLOSED: Column = "closed";
const COLUMNS: [Column; 11] = [
    AIRPORT,
    LENGTH,
    WIDTH,
    SURFACE,
    CLOSED,
    LOWER_END.ident,
    LOWER_END.elevation,
    LOWER_END.displaced_threshold,
    HIGHER_END.ident,
    HIGHER_END.elevation,
    HIGHER_END.displaced_threshold,
];

/// The columns of one end.
#[derive(Clone, Copy)]
struct End {
    ident: Column,
    elevation: Column,
    displaced_threshold: Column,
}

const LOWER_END: End =
    End { ident: "le_ident", elevation: "le_elevation_ft", displaced_threshold: "le_displaced_threshold_ft" };
const HIGHER_END: End =
    End { ident: "he_ident", elevation: "he_elevation_ft", displaced_threshold: "he_displaced_threshold_ft" };

/// A row with the columns we use, in the order of [`COLUMNS`].
struct RawRow {
    path: PathBuf,
    line: u64,
    cells: Vec<String>,
}

/// The rows of an airport, at least one.
fn airport_rows(path: &Path, airport: &str) -> Result<Vec<RawRow>, ImportError> {
    let unreadable = |source| ImportError::Unreadable { path: path.to_owned(), source };
    let bytes = read_limited(path).map_err(|source| ImportError::UnreadableFile { path: path.to_owned(), source })?;
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let places = column_places(path, reader.headers().map_err(unreadable)?)?;
    let mut rows = Vec::new();
    let mut others = BTreeSet::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let cells: Vec<_> =
            places.iter().map(|&place| record.get(place).unwrap_or_default().trim().to_owned()).collect();
        let row = RawRow { path: path.to_owned(), line: record.position().map_or(0, csv::Position::line), cells };
        if row.text(AIRPORT).eq_ignore_ascii_case(airport.trim()) {
            rows.push(row);
        } else {
            others.insert(row.text(AIRPORT).to_owned());
        }
    }
    if rows.is_empty() {
        return Err(ImportError::UnknownAirport {
            path: path.to_owned(),
            airport: airport.to_owned(),
            nearest: nearest(airport, others.iter().map(String::as_str)).map(str::to_owned),
        });
    }
    Ok(rows)
}

/// The positions of [`COLUMNS`].
fn column_places(path: &Path, headers: &csv::StringRecord) -> Result<Vec<usize>, ImportError> {
    let place = |column: Column| {
        headers.iter().position(|header| header == column).ok_or_else(|| ImportError::MissingColumn {
            path: path.to_owned(),
            column,
            nearest: nearest(column, headers.iter().filter(|header| !COLUMNS.contains(header))).map(str::to_owned),
        })
    };
    COLUMNS.into_iter().map(place).collect()
}

/// "9l" is runway "09L".
fn same_runway(name: &str, asked: &str) -> bool {
    let short = |name: &str| name.trim().trim_start_matches('0').to_ascii_uppercase();
    !name.is_empty() && short(name) == short(asked)
}

impl RawRow {
    fn text(&self, column: Column) -> &str {
        COLUMNS.iter().position(|&known| known == column).map_or("", |place| &self.cells[place])
    }

    fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn is_closed(&self) -> bool {
        self.text(CLOSED) == "1"
    }

    /// From the first of the ends to the other.
    fn in_direction(&self, [end, other]: [End; 2]) -> Result<RunwayRow, ImportError> {
        let length = self.size(LENGTH)?;
        let displaced_threshold = self.feet(end.displaced_threshold)?.unwrap_or(0.0);
        if !(0.0..length).contains(&displaced_threshold) {
            let allowed = format!("must not be negative and must be below length_ft = {}", self.text(LENGTH));
            return Err(self.refused(end.displaced_threshold, allowed));
        }
        let slope = self.slope(end, other, length)?;
        let rise = slope.unwrap_or(0.0) * displaced_threshold;
        Ok(RunwayRow {
            data: "OurAirports (public domain)",
            source: format!("{}, line {}", self.file_name(), self.line),
            airport: self.text(AIRPORT).to_owned(),
            runway: self.text(end.ident).to_owned(),
            length,
            width: self.size(WIDTH)?,
            displaced_threshold,
            elevation: self.feet(end.elevation)?.map(|end| end + rise),
            slope,
            surface: Surface::from_text(self.text(SURFACE)),
            closed: self.is_closed(),
        })
    }

    /// Slope from one end to the other; `None` if an elevation is missing.
    fn slope(&self, end: End, other: End, length: f64) -> Result<Option<f64>, ImportError> {
        let (Some(from), Some(to)) = (self.feet(end.elevation)?, self.feet(other.elevation)?) else {
            return Ok(None);
        };
        let slope = (to - from) / length;
        if slope.abs() > Runway::STEEPEST {
            let allowed = format!(
                "with {} = {} and length_ft = {} it is a slope of {:.0} %, which no runway has; write the true one into a \
                 copy of the table, or none for a level runway",
                end.elevation,
                self.text(end.elevation),
                self.text(LENGTH),
                100.0 * slope
            );
            return Err(self.refused(other.elevation, allowed));
        }
        Ok(Some(slope))
    }

    /// A length \[m\] that a runway cannot be without.
    fn size(&self, column: Column) -> Result<f64, ImportError> {
        self.feet(column)?.filter(|&size| size > 0.0).ok_or_else(|| {
            self.refused(column, "must be a number of feet above 0; write the true one into a copy of the table")
        })
    }

    /// A length \[m\]; `None` for an empty cell.
    fn feet(&self, column: Column) -> Result<Option<f64>, ImportError> {
        match self.text(column) {
            "" => Ok(None),
            text => match text.parse::<f64>() {
                Ok(feet) if feet.is_finite() => Ok(Some(feet * FOOT)),
                _ => Err(self.refused(column, "must be a number of feet")),
            },
        }
    }

    fn refused(&self, field: Column, allowed: impl Into<String>) -> ImportError {
        let value = match self.text(field) {
            "" => "an empty cell".to_owned(),
            text => format!("`{text}`"),
        };
        ImportError::BadValue { path: self.path.clone(), line: self.line, field, value, allowed: allowed.into() }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A foot is 0.3048 m exactly; one rounding of a few thousand metres.
    const ROUNDING: f64 = 1e-11;
    const HEADER: &str = "airport_ident,length_ft,width_ft,surface,closed,le_ident,le_elevation_ft,\
        le_displaced_threshold_ft,he_ident,he_elevation_ft,he_displaced_threshold_ft";

    fn excerpt() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/runways.csv"))
    }

    fn find(airport: &str, runway: &str) -> Result<RunwayRow, ImportError> {
        read_runway(excerpt(), airport, runway)
    }

    /// A table of one's own with these rows, and a runway of it.
    fn find_in(rows: &str, airport: &str, runway: &str) -> Result<RunwayRow, ImportError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "{HEADER}\n{rows}\n").unwrap();
        read_runway(file.path(), airport, runway)
    }

    #[test]
    fn zurich_14_is_read_in_metres_from_its_own_end() {
        let row = find("lszh", "14").unwrap();
        assert_eq!((row.airport.as_str(), row.runway.as_str(), row.closed), ("LSZH", "14", false));
        assert_eq!(row.surface, Surface::Concrete);
        for (value, feet) in [(row.length, 10827.0), (row.width, 197.0), (row.displaced_threshold, 492.0)] {
            assert!((value - feet * 0.3048).abs() < ROUNDING);
        }
        assert!((row.elevation.unwrap() - 1402.0 * 0.3048).abs() < ROUNDING);
        assert!(row.source == "runways.csv, line 11", "{}", row.source);
    }

    #[test]
    fn the_other_end_has_its_own_threshold() {
        assert_eq!(find("LSZH", "32").unwrap().displaced_threshold, 0.0);
        let displaced = find("LSZH", "34").unwrap().displaced_threshold;
        assert!((displaced - 1542.0 * 0.3048).abs() < ROUNDING);
        assert_eq!(find("LSZH", "16").unwrap().displaced_threshold, 0.0);
    }

    #[test]
    fn the_elevation_is_that_of_a_displaced_threshold() {
        let found = find_in("AAAA,5000,100,ASP,0,09,100,1000,27,200,", "AAAA", "09").unwrap();
        assert!((found.elevation.unwrap() - 120.0 * 0.3048).abs() < ROUNDING, "{found:?}");
    }

    #[test]
    fn a_slope_is_the_rise_over_the_length_in_the_landing_direction() {
        // Elevations 13110 and 13314 ft, 13123 ft long; 17 and 13 ft, 1909 ft long; 1402 and 1402 ft.
        for (airport, runway, slope) in [
            ("SLLP", "10", 204.0 / 13123.0),
            ("SLLP", "28", -204.0 / 13123.0),
            ("YBCG", "17", -4.0 / 1909.0),
            ("YBCG", "35", 4.0 / 1909.0),
            ("LSZH", "14", 0.0),
        ] {
            let found = find(airport, runway).unwrap().slope.unwrap();
            assert!((found - slope).abs() < 1e-15, "{airport} {runway}: {found}");
        }
    }

    #[test]
    fn without_an_elevation_there_is_no_slope_and_one_of_no_runway_is_refused() {
        for (lower, higher, slope) in [("", "", None), ("100", "", None), ("", "100", None), ("100", "150", Some(0.01))]
        {
            let rows = format!("AAAA,5000,100,ASP,0,01,{lower},,19,{higher},");
            let found = find_in(&rows, "AAAA", "01").unwrap().slope;
            assert!(found.is_none() == slope.is_none(), "{found:?}");
            assert!(found.zip(slope).is_none_or(|(found, slope)| (found - slope).abs() < 1e-15), "{found:?}");
        }
        let error = find_in("AAAA,5000,100,ASP,0,01,100,,19,1500,", "AAAA", "01").unwrap_err().to_string();
        assert!(error.contains(":2: he_elevation_ft: `1500`") && error.contains("a slope of 28 %"), "{error}");
        assert!(error.contains("le_elevation_ft = 100 and length_ft = 5000"), "{error}");
    }

    #[test]
    fn capitals_and_leading_zeros_of_a_runway_do_not_matter() {
        assert_eq!(find("LSZH", "1h").unwrap().runway, "01H");
        assert_eq!(find("birk", "6").unwrap().runway, "06");
    }

    #[test]
    fn an_unknown_runway_lists_those_there_are() {
        let error = find("LSZH", "15").unwrap_err().to_string();
        assert!(error.ends_with("LSZH has no runway `15`: it has 01H, 10, 14, 16, 19H, 28, 32, 34"), "{error}");
    }

    #[test]
    fn an_unknown_airport_names_the_nearest() {
        let error = find("LSZG", "14").unwrap_err().to_string();
        assert!(error.contains("airport_ident: no row has `LSZG`; is `LSZH` meant?"), "{error}");
    }

    #[test]
    fn an_empty_width_or_length_is_refused_with_file_line_and_field() {
        let width = find("KXTA", "14").unwrap_err().to_string();
        assert!(width.contains("runways.csv:") && width.contains(": width_ft: an empty cell"), "{width}");
        assert!(width.contains("a copy of the table"), "{width}");
        let length = find("KSEA", "lower").unwrap_err().to_string();
        assert!(length.contains(": length_ft: an empty cell is not allowed"), "{length}");
    }

    #[test]
    fn the_line_of_a_refused_row_is_its_line_in_the_file() {
        let rows = "AAAA,5000,100,ASP,0,01,,,19,,\nBBBB,5000,wide,ASP,0,01,,,19,,";
        assert!(matches!(find_in(rows, "BBBB", "01"), Err(ImportError::BadValue { line: 3, field: "width_ft", .. })));
    }

    #[test]
    fn sizes_must_be_positive_finite_numbers() {
        for size in ["0", "-5", "inf", "nan", "9,5", "1e400"] {
            let rows = format!("AAAA,\"{size}\",100,ASP,0,01,,,19,,");
            assert!(
                matches!(find_in(&rows, "AAAA", "01"), Err(ImportError::BadValue { field: "length_ft", .. })),
                "{size}"
            );
        }
    }

    #[test]
    fn a_threshold_at_or_beyond_the_end_is_refused() {
        for (threshold, accepted) in [("4999", true), ("5000", false), ("6000", false), ("-1", false)] {
            let rows = format!("AAAA,5000,100,ASP,0,01,,{threshold},19,,");
            let found = find_in(&rows, "AAAA", "01");
            assert_eq!(found.is_ok(), accepted, "{threshold}");
            assert!(find_in(&rows, "AAAA", "19").is_ok(), "the other direction does not use it");
            if let Err(error) = found {
                assert!(error.to_string().contains("below length_ft = 5000"), "{error}");
            }
        }
    }

    #[test]
    fn an_open_runway_is_taken_before_a_closed_one_of_the_same_name() {
        let closed = "AAAA,3000,100,ASP,1,01,,,19,,";
        let open = "AAAA,5000,100,ASP,0,01,,,19,,";
        for rows in [format!("{closed}\n{open}"), format!("{open}\n{closed}")] {
            assert!(!find_in(&rows, "AAAA", "19").unwrap().closed);
        }
        assert!(find_in(closed, "AAAA", "19").unwrap().closed);
    }

    #[test]
    fn an_empty_name_is_no_runway() {
        let error = find_in("AAAA,50,50,CON,0,H1,,,,,", "AAAA", "").unwrap_err();
        assert!(error.to_string().ends_with("it has H1"), "{error}");
    }

    #[test]
    fn a_table_without_end_is_refused_before_it_fills_the_memory() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len((64 << 20) + 1).unwrap();
        let error = read_runway(file.path(), "AAAA", "01").unwrap_err().to_string();
        assert!(error.ends_with(": cannot be read: larger than the limit of 67108864 bytes"), "{error}");
    }

    #[test]
    fn a_missing_column_or_file_is_named() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{}", HEADER.replace("width_ft", "width_feet")).unwrap();
        let error = read_runway(file.path(), "AAAA", "01").unwrap_err().to_string();
        assert!(error.contains("column `width_ft` is missing; is `width_feet` meant?"), "{error}");
        let error = read_runway(Path::new("/nowhere/runways.csv"), "AAAA", "01").unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/runways.csv: cannot be read"), "{error}");
    }
}
