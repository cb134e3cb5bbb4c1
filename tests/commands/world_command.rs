//! `touchdown world` as it is called.

use crate::support::program::{code, manifest, output, path, run_study, standard_error, standard_output};

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

#[test]
fn a_run_warns_of_worlds_that_gain_energy_and_of_falls_that_count_as_rest() {
    // The world of the page that rocks, without loss and by the single pass, and a ball above an asteroid.
    let page = std::fs::read_to_string(manifest("docs/worlds.md")).unwrap();
    let rocking = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let gaining = rocking.replace("restitution = 0\n", "restitution = 1\ncontacts = \"end_of_step\"\n");
    let hovering = "gravity = [0, 0, -0.01]\n[[bodies]]\nname = \"ball\"\nsphere = { radius = 0.1 }\nmass = 1\nposition = [0, 0, 1]\n";
    let gained = "warning: in 2 worlds bodies ended with more energy than they started with";
    let falls = "rest_speed = 0.01 m/s is more than the 0.005 m/s that a fall of 0.5 s brings";
    let room = tempfile::tempdir().unwrap();
    let (file, out) = (room.path().join("study.toml"), room.path().join("run"));
    let shortly = |world: &str| world.replace("duration = 20", "duration = 3");
    for (world, is_gaining, is_falling) in
        [(shortly(rocking), false, false), (shortly(&gaining), true, false), (hovering.to_owned(), false, true)]
    {
        std::fs::write(room.path().join("world.toml"), world).unwrap();
        std::fs::write(&file, "model = \"world\"\nworld = \"world.toml\"\nworlds = 2\nseed = 1\n").unwrap();
        let ran = run_study(&file, &out, &["--engine", "native"]);
        let (said, complained) = (standard_output(&ran), standard_error(&ran));
        assert_eq!(code(&ran), 0, "{complained}");
        assert_eq!(said.contains(gained), is_gaining, "{said}");
        assert_eq!(complained.contains(falls), is_falling, "{complained}");
        let checked = output(&["study", "check", path(&file), "--engine", "native"]);
        assert_eq!(standard_output(&checked).contains(falls), is_falling);
        std::fs::remove_dir_all(&out).unwrap();
    }
}
