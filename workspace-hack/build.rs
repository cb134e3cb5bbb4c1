//! Nothing: features of libraries of build scripts and macros are shared by those who have one.

fn main() {}
