//! A report in a real browser: nothing is asked of the network, nothing is complained of, and it is there in light, in dark
//! and on paper. `TOUCHDOWN_BROWSER` names another browser of Chromium's kind; `TOUCHDOWN_SCREENSHOTS` a directory that keeps the pictures.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Browsers by the names that they are installed under.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// What a browser does with a page.
struct Visit {
    /// Lines that the page wrote to its console.
    console: Vec<String>,
    /// Addresses that the page asked for beside its own.
    requests: BTreeSet<String>,
    /// Red, green and blue.
    pixels: Vec<u8>,
    /// The size of its print, as PDF \[bytes\].
    printed: u64,
}

fn browser() -> String {
    if let Ok(named) = std::env::var("TOUCHDOWN_BROWSER") {
        return named;
    }
    let found = BROWSERS.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    assert!(found.is_some(), "no browser is installed: `apt-get install chromium`, or name one in TOUCHDOWN_BROWSER");
    found.copied().unwrap_or_default().to_owned()
}

/// Lets a browser without a window look at a page in one of its colour schemes.
fn visit(page: &Path, scheme: &str) -> Visit {
    let room = tempfile::tempdir().unwrap();
    let [profile, log, picture, print] =
        ["profile", "net.json", "page.png", "page.pdf"].map(|name| room.path().join(name));
    let address = format!("file://{}", page.display());
    let run = |more: &[String]| {
        let output = Command::new(browser())
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(scheme == "light")))
            .args(more)
            .arg(&address)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = run(&[
        "--window-size=1200,2400".to_owned(),
        format!("--log-net-log={}", log.display()),
        format!("--screenshot={}", picture.display()),
    ]);
    run(&[format!("--print-to-pdf={}", print.display())]);
    if let Ok(kept) = std::env::var("TOUCHDOWN_SCREENSHOTS") {
        fs::create_dir_all(&kept).unwrap();
        let name = page.file_stem().unwrap().to_string_lossy();
        fs::copy(&picture, PathBuf::from(&kept).join(format!("{name}-{scheme}.png"))).unwrap();
        fs::copy(&print, PathBuf::from(&kept).join(format!("{name}-{scheme}.pdf"))).unwrap();
    }
    Visit {
        console: said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect(),
        requests: requests(&serde_json::from_slice(&fs::read(&log).unwrap()).unwrap()),
        pixels: pixels(&picture),
        printed: fs::metadata(&print).unwrap().len(),
    }
}

/// What the page itself asked for: browsers look for news of their own, and those requests come from no page.
fn requests(log: &Value) -> BTreeSet<String> {
    let started = &log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"];
    assert!(started.is_number(), "the log names its events");
    let events = log["events"].as_array().unwrap().iter().filter(|event| event["type"] == *started);
    // The ends of events say nothing.
    let starts = events.map(|event| &event["params"]).filter(|start| start["url"].is_string());
    let of_page = starts.filter(|start| start["initiator"] != "not an origin");
    of_page.map(|start| start["url"].as_str().unwrap().to_owned()).collect()
}

fn pixels(file: &Path) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(file).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let channels = info.color_type.samples();
    bytes.chunks(channels).flat_map(|pixel| pixel[..3].to_vec()).collect()
}

fn mean(pixels: &[u8]) -> f64 {
    pixels.iter().map(|&byte| f64::from(byte)).sum::<f64>() / pixels.len() as f64
}

#[test]
fn a_page_that_asks_and_complains_is_found_out() {
    let room = tempfile::tempdir().unwrap();
    let page = room.path().join("bad.html");
    let bad = "<!DOCTYPE html><img src='http://nowhere.invalid/a.png'><script>console.error('boom')</script>";
    fs::write(&page, bad).unwrap();
    let visit = visit(&page, "light");
    assert!(visit.requests.contains("http://nowhere.invalid/a.png"), "{:?}", visit.requests);
    assert!(visit.console.iter().any(|line| line.contains("boom")), "{:?}", visit.console);
}

#[test]
fn a_report_needs_no_network_and_is_there_in_light_in_dark_and_on_paper() {
    let room = tempfile::tempdir().unwrap();
    let run = room.path().join("run");
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/study.toml");
    let touchdown =
        |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_touchdown")).args(arguments).output().unwrap();
    touchdown(&["study", "run", study.to_str().unwrap(), "--out", run.to_str().unwrap()]);
    assert!(touchdown(&["study", "report", run.to_str().unwrap()]).status.success());
    let visits = ["light", "dark"].map(|scheme| visit(&run.join("report.html"), scheme));
    for visit in &visits {
        assert_eq!(visit.console, Vec::<String>::new());
        assert_eq!(visit.requests, BTreeSet::new());
        // Text and figures: more than a handful of colours, on paper more than an empty page, which has some 1 kB.
        let colors: BTreeSet<&[u8]> = visit.pixels.chunks(3).collect();
        assert!(colors.len() > 100 && visit.printed > 20_000, "{} colours, {} bytes", colors.len(), visit.printed);
    }
    let [light, dark] = visits.map(|visit| mean(&visit.pixels));
    println!("mean brightness: {light:.0} in light, {dark:.0} in dark");
    assert!(light > 200.0 && dark < 80.0, "{light} {dark}");
}
