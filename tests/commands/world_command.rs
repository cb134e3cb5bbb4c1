//! `touchdown world` as it is called.

use crate::support::program::{code, manifest, output, path, standard_error, standard_output};

/// Numbers of a column, by law.
fn column(table: &str, law: &str, column: usize) -> Vec<f64> {
    let rows = table.lines().filter(|line| line.starts_with(&format!("| {law} |")));
    rows.map(|line| line.split('|').nth(column).unwrap().trim().parse().unwrap()).collect()
}

#[test]
fn the_page_of_contact_laws_shows_what_the_command_prints() {
    let world = manifest("examples/worlds/thrown_ball.toml");
    let output = output(&["world", "laws", path(&world)]);
    assert_eq!(code(&output), 0, "{}", standard_error(&output));
    let table = standard_output(&output);
    println!("{table}");
    let page = std::fs::read_to_string(manifest("docs/contact-laws.md")).unwrap();
    assert!(page.contains(&table), "docs/contact-laws.md shows another table");
    // What the laws are: nothing overlaps, one pass misses little at rest, springs give way, and undamped ones lose nothing that matters.
    let [deep, lost] = [3, 4].map(|number| move |law: &'static str| (law, number));
    let of = |(law, number): (&str, usize)| column(&table, law, number);
    assert_eq!(of(deep("rigid, swept")), [0.0; 3]);
    assert!(of(deep("rigid, end of step")).iter().all(|deep| *deep < 1e-3));
    assert!(of(deep("penalty")).iter().chain(&of(deep("viscoelastic"))).all(|deep| *deep > 0.01));
    assert!(of(lost("rigid, swept")).iter().all(|lost| *lost > 5.0));
}
