//! stub
#![allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit { One, Length, Speed, Angle, AngularRate, Time, Mass, Force, Acceleration, Density }
