//! Items computed again, with all that is known of them.

use std::path::Path;

use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::query::{EntryPoint, Gusts, LandingOutcome, LandingState, Ray, RayStatus, WheelFrame, WheelStep};
use touchdown::scene::Scene;
use touchdown::validation::{
    Agreement, BoxAnswers, BoxComparison, BoxItem, Deviation, EllipsoidAnswers, EllipsoidComparison, EllipsoidItem,
    EntryPointJudge, Item, Judgement, LandingComparison, LandingItem, LandingStudy, ParticleComparison, ParticleItem,
    Parting, RayFinding, RayItem, StepComparison, StepItem, StepJudgement, WheelComparison, WheelItem, Window,
    embedded_study, judge_boxes, judge_ellipsoids, judge_landing, judge_particles, judge_rays, judge_step, judge_wheel,
    saved_items,
};

use super::report;
use crate::cli::Failure;
use crate::cli::failure::Code;
use crate::cli::text::{columns, number, optional_number, print};

/// An item in words, and its verdict.
pub struct Description {
    pub text: String,
    verdict: Agreement,
}

/// Computes saved items again.
pub fn run(judge: &dyn Engine, candidate: &dyn Engine, file: &Path) -> Result<Code, Failure> {
    let mut code = Code::Done;
    for (item, then) in saved_items(&Document::read(file)?)? {
        let Description { text, verdict } = description(judge, candidate, &item)?;
        print(&format!("\n{text}  verdict then  {}\n", then.name()))?;
        if verdict == Agreement::Wrong {
            code = Code::Disagreement;
        }
    }
    Ok(code)
}

/// All that is known of an item.
pub fn description(judge: &dyn Engine, candidate: &dyn Engine, item: &Item) -> Result<Description, Failure> {
    let Description { text, verdict } = match item {
        Item::Ray(item) => ray(judge, candidate, item)?,
        Item::Wheel(item) => wheel(judge, candidate, item)?,
        Item::Box(item) => boxes(judge, candidate, item)?,
        Item::Particle(item) => particle(judge, candidate, item)?,
        Item::Ellipsoid(item) => ellipsoids(judge, candidate, item)?,
        Item::Step(item) => step(judge, candidate, item)?,
        Item::Landing(item) => landing(judge, candidate, item)?,
    };
    Ok(Description { text: format!("{item}\n{text}"), verdict })
}

fn verdict_line(verdict: Agreement, why: &str) -> String {
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    format!("  verdict       {}{why}\n", verdict.name())
}

fn ray(judge: &dyn Engine, candidate: &dyn Engine, item: &RayItem) -> Result<Description, Failure> {
    let scene = item.class.scene(item.seed, item.variant())?;
    let finding = judge_rays(judge, candidate, &scene, &[*item])?.remove(0);
    let RayFinding { item: RayItem { made_to_touch, ray, .. }, truth, answer, judgement } = &finding;
    let Judgement { verdict, why, error, bound } = judgement;
    let judged = EntryPointJudge::new(judge, &scene);
    let mut text = if *made_to_touch { "  made to touch a border\n".to_owned() } else { String::new() };
    text.push_str(&ray_lines(ray));
    let Window { dilated, eroded } = judged.window(ray)?;
    for (name, entry) in [("judge", truth), ("engine", answer), ("dilated", &dilated), ("eroded", &eroded)] {
        text.push_str(&format!("  {name:<12}  {}\n", entry_words(&scene, entry)));
    }
    text.push_str(&format!("  lambda off    {}, allowed {}\n", optional_number(*error), optional_number(*bound)));
    if let Some((distance, allowed)) = judged.displacement(ray, answer) {
        text.push_str(&format!("  border off    {} m, allowed {} m\n", number(distance), number(allowed)));
    }
    Ok(Description { text: text + &verdict_line(*verdict, why), verdict: *verdict })
}

fn boxes(judge: &dyn Engine, candidate: &dyn Engine, item: &BoxItem) -> Result<Description, Failure> {
    let BoxComparison { answers, finding } = judge_boxes(judge, candidate, &[*item])?.remove(0);
    let mut text = if finding.made_to_touch { "  made to touch a seam\n".to_owned() } else { String::new() };
    text.push_str(&match answers {
        BoxAnswers::One { point, truth, answer } => {
            format!("  box           {point:?}\n  judge         {truth:?}\n  engine        {answer:?}\n")
        }
        BoxAnswers::Pair { pair, truth, answer } => {
            let [one, two] = pair.bodies;
            format!(
                "  first box     {one:?}\n  second box    {two:?}\n  judge         {truth:?}\n  engine        {answer:?}\n"
            )
        }
    });
    if let Some(deviation) = finding.deviation {
        text.push_str(&errors(&[("", &[deviation])]));
    }
    Ok(Description { text: text + &verdict_line(finding.verdict, finding.why), verdict: finding.verdict })
}

fn particle(judge: &dyn Engine, candidate: &dyn Engine, item: &ParticleItem) -> Result<Description, Failure> {
    let ParticleItem { class, seed, number } = *item;
    let comparison = judge_particles(judge, candidate, (class, seed), number..number + 1)?.remove(0);
    let ParticleComparison { particle, truth, answer, finding } = comparison;
    let mut text = if finding.made_to_touch { "  made to touch the plane\n".to_owned() } else { String::new() };
    let restitution = class.restitution().name();
    text.push_str(&format!(
        "  particle      {particle:?}, {restitution} restitution\n  judge         {truth:?}\n  engine        {answer:?}\n"
    ));
    if let Some(deviation) = finding.deviation {
        text.push_str(&errors(&[("", &[deviation])]));
    }
    Ok(Description { text: text + &verdict_line(finding.verdict, finding.why), verdict: finding.verdict })
}

fn ellipsoids(judge: &dyn Engine, candidate: &dyn Engine, item: &EllipsoidItem) -> Result<Description, Failure> {
    let EllipsoidComparison { answers, finding } = judge_ellipsoids(judge, candidate, &[*item])?.remove(0);
    let mut text = if finding.made_to_touch() { "  made to touch\n".to_owned() } else { String::new() };
    text.push_str(&match answers {
        EllipsoidAnswers::Pair { pair, truth, answer } => format!(
            "  first         {:?}\n  second        {:?}\n  judge         {truth:?}\n  engine        {answer:?}\n",
            pair.a, pair.b
        ),
        EllipsoidAnswers::Wall { wall, truth, answer } => {
            format!("  wall          {wall:?}\n  judge         {truth:?}\n  engine        {answer:?}\n")
        }
    });
    if let Some(deviation) = finding.deviation {
        text.push_str(&errors(&[("", &[deviation])]));
    }
    Ok(Description { text: text + &verdict_line(finding.verdict, finding.why), verdict: finding.verdict })
}

fn ray_lines(ray: &Ray) -> String {
    let Ray { x1, x2, lambda1, lambda2 } = ray;
    format!("  from          {x1}\n  to            {x2}\n  lambda        {lambda1} to {lambda2}\n")
}

fn entry_words(scene: &Scene, entry: &EntryPoint) -> String {
    let EntryPoint { status, lambda, normal, leaf, material } = entry;
    match status {
        RayStatus::Hit => {
            let known = material.and_then(|material| scene.materials().get(material.0 as usize));
            let material = known.map_or("no", |material| material.name.as_str());
            let border = leaf.map_or("inside at once".to_owned(), |leaf| format!("leaf {leaf}, normal {normal}"));
            format!("hit at {lambda}, {border}, {material} material")
        }
        RayStatus::Miss => "miss".to_owned(),
        RayStatus::BadInput => "bad input".to_owned(),
        RayStatus::NotConverged => "not converged".to_owned(),
    }
}

fn wheel(judge: &dyn Engine, candidate: &dyn Engine, item: &WheelItem) -> Result<Description, Failure> {
    let WheelComparison { item: judged, parameters, frame, truth, answer, deviations, judgement } =
        judge_wheel(judge, candidate, item)?;
    let mut text = String::new();
    if judged.step != item.step {
        text.push_str(&format!("  the engines part in step {} already\n", judged.step));
    }
    let WheelFrame { origin, orientation, velocity, brake, brake_friction } = frame;
    text.push_str(&format!(
        "  wheel         {parameters:?}\n  frame origin  {origin} m\n  orientation   {orientation}\n"
    ));
    text.push_str(&format!(
        "  velocity      {velocity} m/s\n  brake         {brake} N and {brake_friction} of the load\n"
    ));
    text.push_str(&both(&wheel_numbers(&truth), &wheel_numbers(&answer)));
    text.push_str(&errors(&[("", &deviations)]));
    Ok(Description { text: text + &step_verdict(&judgement), verdict: judgement.verdict })
}

fn step(judge: &dyn Engine, candidate: &dyn Engine, item: &StepItem) -> Result<Description, Failure> {
    let StepComparison { before, truth, answer, body, wheels, judgement, .. } = judge_step(judge, candidate, item)?;
    let (before, truth, answer) = (state_numbers(&before), state_numbers(&truth), state_numbers(&answer));
    let mut rows = vec![["", "before", "judge", "engine"].map(str::to_owned).to_vec()];
    rows.extend(
        before
            .into_iter()
            .zip(truth)
            .zip(answer)
            .map(|((before, truth), answer)| vec![before.0, before.1, truth.1, answer.1]),
    );
    let names: Vec<String> = (0..wheels.len()).map(|wheel| format!("wheel {wheel}: ")).collect();
    let mut groups: Vec<(&str, &[Deviation])> = vec![("", &body)];
    groups.extend(names.iter().zip(&wheels).map(|(name, wheel)| (name.as_str(), &wheel[..])));
    let text = columns(&rows) + &errors(&groups) + &step_verdict(&judgement);
    Ok(Description { text, verdict: judgement.verdict })
}

fn landing(judge: &dyn Engine, candidate: &dyn Engine, item: &LandingItem) -> Result<Description, Failure> {
    let LandingComparison { truth, answer, recording, disagreement, .. } = judge_landing(judge, candidate, item)?;
    let study = embedded_study(item.study)?;
    let numbers = |outcome| study.as_ref().map_or_else(Vec::new, |study| outcome_numbers(study, outcome));
    let mut text = both(&numbers(&truth), &numbers(&answer));
    text.push_str(&report::recording(&recording));
    let verdict = match &disagreement {
        None => recording.verdict().max(Agreement::WithinBound),
        Some(found) if found.is_explained() => Agreement::Ambiguous,
        Some(_) => Agreement::Wrong,
    };
    let why = match &disagreement {
        None if !recording.wrong.is_empty() => "another outcome than that of its states",
        None => "the same class",
        Some(found) => {
            text.push_str(&report::disagreement(found));
            "another class"
        }
    };
    Ok(Description { text: text + &verdict_line(verdict, why), verdict })
}

/// A number's name and its text.
type Numbers = Vec<(String, String)>;

/// The judge's and the engine's numbers beside each other.
fn both(truth: &Numbers, answer: &Numbers) -> String {
    let mut rows = vec![["", "judge", "engine"].map(str::to_owned).to_vec()];
    rows.extend(
        truth.iter().zip(answer).map(|((name, truth), (_, answer))| vec![name.clone(), truth.clone(), answer.clone()]),
    );
    columns(&rows)
}

/// Errors and their bounds.
fn errors(groups: &[(&str, &[Deviation])]) -> String {
    let mut rows = vec![["", "error", "bound", "error/bound"].map(str::to_owned).to_vec()];
    for (name, deviations) in groups {
        rows.extend(deviations.iter().map(|deviation| {
            let Deviation { what, error, bound } = deviation;
            vec![format!("{name}{what}"), number(*error), number(*bound), number(deviation.ratio())]
        }));
    }
    columns(&rows)
}

fn step_verdict(judgement: &StepJudgement) -> String {
    let StepJudgement { verdict, why, ratio, parting } = judgement;
    let mut text = match ratio {
        Some(ratio) => format!("  decided alike; largest error/bound {}\n", number(*ratio)),
        None => String::new(),
    };
    if let Some(Parting { decision, margin }) = parting {
        let margin = match margin {
            Some(share) => format!("a state displaced by {} of its bound is decided as the engine did", number(*share)),
            None => "no state displaced by its bound is decided as the engine did".to_owned(),
        };
        text.push_str(&format!("  decision      {decision}\n  margin        {margin}\n"));
    }
    text + &verdict_line(*verdict, why)
}

fn vector(numbers: &mut Numbers, name: &str, unit: &str, values: [f64; 3]) {
    numbers.extend(
        ["x", "y", "z"]
            .into_iter()
            .zip(values)
            .map(|(axis, value)| (format!("{name} {axis} [{unit}]"), value.to_string())),
    );
}

fn wheel_numbers(step: &WheelStep) -> Numbers {
    let WheelStep {
        contact,
        force,
        application,
        normal_force,
        compression,
        friction,
        clip_case,
        over_max_force,
        peak_force,
        peak_compression,
    } = step;
    let number_of = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let mut numbers = vec![
        ("state".to_owned(), format!("{:?}", contact.state)),
        ("clip case".to_owned(), format!("{clip_case:?}")),
        ("over maximum force".to_owned(), over_max_force.to_string()),
        ("leaf".to_owned(), number_of(contact.leaf)),
        ("material".to_owned(), number_of(contact.material.map(|material| material.0))),
    ];
    vector(&mut numbers, "pebble", "m", contact.pebble.to_array());
    vector(&mut numbers, "normal", "1", contact.normal.to_array());
    vector(&mut numbers, "force", "N", force.to_array());
    vector(&mut numbers, "place of the force", "m", application.to_array());
    for (name, value) in [
        ("normal force [N]", normal_force),
        ("compression [m]", compression),
        ("friction", friction),
        ("greatest force [N]", peak_force),
        ("greatest compression [m]", peak_compression),
    ] {
        numbers.push((name.to_owned(), value.to_string()));
    }
    numbers
}

fn state_numbers(state: &LandingState) -> Numbers {
    let LandingState { step, motion, acceleration, wheels, pilot, gusts, touchdown_step, struck } = state;
    let Gusts { along, across, across_drive, vertical, vertical_drive } = gusts;
    let mut numbers = vec![("steps done".to_owned(), step.to_string())];
    vector(&mut numbers, "position", "m", motion.position.to_array());
    vector(&mut numbers, "velocity", "m/s", motion.velocity.to_array());
    vector(&mut numbers, "rate", "rad/s", motion.rate.to_array());
    vector(&mut numbers, "acceleration", "m/s2", acceleration.linear.to_array());
    vector(&mut numbers, "angular acceleration", "rad/s2", acceleration.angular.to_array());
    let orientation = ["x", "y", "z", "w"].into_iter().zip(motion.orientation.to_array());
    numbers.extend(orientation.map(|(name, value)| (format!("orientation {name}"), value.to_string())));
    numbers.extend([
        ("pedal".to_owned(), pilot.pedal.to_string()),
        ("remembered speed [m/s]".to_owned(), pilot.last_speed.to_string()),
        ("remembered pitch [rad]".to_owned(), format!("{:?}", pilot.pitch_at_touchdown)),
        ("spoilers, brakes, reverse".to_owned(), format!("{:?}", pilot.begun)),
        ("thrust that the engines start from [N]".to_owned(), pilot.thrust.to_string()),
        ("integral of the sink rate [rad]".to_owned(), pilot.sink_integral.to_string()),
        ("touchdown in step".to_owned(), format!("{touchdown_step:?}")),
        ("structural point struck".to_owned(), format!("{struck:?}")),
    ]);
    for (name, gust) in [
        ("along", along),
        ("across", across),
        ("across, drive", across_drive),
        ("vertical", vertical),
        ("vertical, drive", vertical_drive),
    ] {
        numbers.push((format!("gust {name} [m/s]"), gust.to_string()));
    }
    for (index, wheel) in wheels.iter().enumerate() {
        numbers.extend(wheel_numbers(wheel).into_iter().map(|(name, text)| (format!("wheel {index}: {name}"), text)));
    }
    numbers
}

fn outcome_numbers(study: &LandingStudy, outcome: &LandingOutcome) -> Numbers {
    let mut numbers = vec![
        ("class".to_owned(), outcome.class.name().to_owned()),
        ("failed part".to_owned(), format!("{:?}", outcome.failed_part)),
        ("steps".to_owned(), outcome.steps.to_string()),
        ("steps in contact".to_owned(), outcome.contact_steps.to_string()),
    ];
    numbers.extend(study.quantities().iter().map(|quantity| {
        let value = quantity.of(outcome).map_or_else(|| "-".to_owned(), |value| value.to_string());
        (format!("{} [{}]", quantity.name, quantity.unit.symbol()), value)
    }));
    numbers
}
