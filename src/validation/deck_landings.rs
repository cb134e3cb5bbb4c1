//! Check `deck_landings`: whole landings on decks.
//!
//! A landing that bounces magnifies what rounding changes, so that no bound holds to its end. An outcome that is not the judge's is explained
//! step by step: the candidate makes the landing again in single steps, each from its own last state and each judged by
//! [`deck_steps`], and its outcome has to be the one of these steps. Where all that holds the landing has diverged, which
//! is ambiguous; otherwise it is wrong.
//!
//! # Conventions
//! As in [`mod@crate::deck`].

use super::answered::Answered;
use super::deck_steps::{self, judge_step};
use super::deviation::Deviation;
use super::drawn::{Comparison, DrawnCheck, DrawnItem, Judged};
use super::draws::{Draws, Purpose};
use super::error::one_each;
use super::item;
use super::{Agreement, Engines, UNEQUAL, ValidationError, equal};
use crate::deck::{DeckLanding, DeckOutcome, DeckRecord, DeckStart, DeckStep, DeckStepper, LastMoment, Tally, run};
use crate::job::Compute;
use crate::parallel;
use crate::query::{DeckLandings, DeckSteps};

/// Length of the landings \[s\]: some bounces.
const DURATION: f64 = 0.6;
/// Quantities that differ by less of their size need no explanation.
const SAME: f64 = 1e-3;
/// By how much the judge displaces a start, in SI units, to see whether the outcome depends on so little: some ten times what f32 leaves
/// open of a place on the deck.
const DISPLACEMENT: f64 = 1e-5;
/// Sums of f32 over the steps of a landing, beside those of f64.
const SUMS: f64 = 1e-4;

/// What engines are asked about landings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// On ordinary decks.
    Landing,
    /// With little friction.
    Slipping,
    /// Beside walls, and where the deck ends.
    Edges,
}

impl item::Class for Class {
    const CLASSES: &'static [Self] = &[Self::Landing, Self::Slipping, Self::Edges];

    fn name(self) -> &'static str {
        match self {
            Self::Landing => "landing",
            Self::Slipping => "slipping",
            Self::Edges => "edges",
        }
    }
}

impl Class {
    /// The steps that its landings consist of.
    fn of_steps(self) -> deck_steps::Class {
        match self {
            Self::Landing => deck_steps::Class::Landing,
            Self::Slipping => deck_steps::Class::Slipping,
            Self::Edges => deck_steps::Class::Edges,
        }
    }
}

/// The check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeDeckLandings;

impl DrawnCheck for WholeDeckLandings {
    const NAME: &'static str = "deck_landings";
    const HELP: &'static str = "Whole landings of skids on moving decks";
    const ITEM: &'static str = "landing";
    const TOUCHING: &'static str = "another outcome by the judge from a start displaced by 1e-5";
    const BATCH: u64 = 1 << 10;
    // Hundreds of steps, and again from displaced starts.
    const WORK: u64 = 1000;
    type Class = Class;
    type Answers = Answered<DeckStart, DeckOutcome>;

    fn judge(
        engines: Engines<'_>,
        items: &[DrawnItem<Self>],
    ) -> Result<Vec<Comparison<Self::Answers>>, ValidationError> {
        let mut comparisons = Vec::with_capacity(items.len());
        for same in items.chunk_by(|a, b| a.class == b.class) {
            comparisons.extend(compared(engines, same)?);
        }
        Ok(comparisons)
    }

    fn lines(answers: &Self::Answers) -> String {
        let Answered { item, truth, answer } = answers;
        format!("  start      {item:?}\n  judge      {truth:?}\n  engine     {answer:?}\n")
    }
}

/// Items of one class.
fn compared(
    engines: Engines<'_>,
    items: &[DrawnItem<WholeDeckLandings>],
) -> Result<Vec<Comparison<Answered<DeckStart, DeckOutcome>>>, ValidationError> {
    let class = items[0].class.of_steps();
    let mut landing = deck_steps::landing_of(class).clone();
    landing.steps = (DURATION / landing.step) as u32;
    let drawn = items.iter().map(|item| {
        let mut draws = Draws::new(item.seed, Purpose::DeckLanding, item.number);
        deck_steps::draw::start(class, &mut draws)
    });
    let starts: Vec<DeckStart> = drawn.collect();
    let truths = one_each(engines.judge.compute::<DeckLandings>(&landing, &starts)?, starts.len())?;
    let answers = one_each(engines.candidate.compute::<DeckLandings>(&landing, &starts)?, starts.len())?;
    let promises_equality = engines.candidate.promises_equality();
    let first = |(truth, answer): (&DeckOutcome, &DeckOutcome)| match equal(truth, answer) {
        true => Some((Agreement::Match, "the same answer", None)),
        false if promises_equality => Some((Agreement::Wrong, UNEQUAL, None)),
        false => {
            let farthest = farthest(truth, answer, SAME)?;
            (farthest.ratio() <= 1.0).then_some((Agreement::WithinBound, farthest.what, Some(farthest)))
        }
    };
    let mut judged: Vec<Option<Judged>> = truths.iter().zip(&answers).map(first).collect();
    let open: Vec<usize> = (0..starts.len()).filter(|&item| judged[item].is_none()).collect();
    let parted = open.iter().map(|&item| (&starts[item], &answers[item])).collect();
    for (item, explained) in open.iter().zip(explained(engines, &landing, parted)?) {
        judged[*item] = Some(explained);
    }
    let depends: Vec<bool> =
        parallel::map_numbers(starts.len(), 1, |number| depends(&landing, &starts[number], &truths[number]));
    let all = starts.into_iter().zip(truths).zip(answers).zip(judged.into_iter().flatten()).zip(depends);
    Ok(all
        .map(|((((item, truth), answer), judged), made_to_touch)| Comparison {
            answers: Answered { item, truth, answer },
            made_to_touch,
            judged,
        })
        .collect())
}

/// The quantity that differs most by its size; `None` where something else than a quantity differs.
fn farthest(truth: &DeckOutcome, answer: &DeckOutcome, share: f64) -> Option<Deviation> {
    let numbers = |of: &DeckOutcome| {
        let mut numbers = vec![
            ("touchdown", of.touchdown_time, 1.0),
            ("touchdown speed", of.touchdown_speed, 1.0),
            ("slide", Some(of.slide), 1.0),
            // A way in the last 0.1 s.
            ("sliding speed", of.sliding_speed, 10.0),
            ("largest roll", Some(of.largest_roll), 0.1),
            ("rollover margin", of.rollover_margin, 1.0),
            ("stress", Some(of.stress), 1.0),
            ("edge distance", of.edge_distance, 1.0),
        ];
        numbers.extend(of.peak_loads.iter().map(|load| ("load", Some(*load), 1e4)));
        numbers
    };
    let discrete = |of: &DeckOutcome| (of.class, of.bounces, of.steps);
    let mut all = Vec::new();
    for ((what, expected, size), (_, found, _)) in numbers(truth).into_iter().zip(numbers(answer)) {
        match (expected, found) {
            (None, None) => {}
            (Some(expected), Some(found)) => all.push(Deviation::new(what, (found - expected).abs(), share * size)),
            _ => return None,
        }
    }
    let worst = all.into_iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    worst.filter(|_| discrete(truth) == discrete(answer))
}

/// Whether the judge comes to another outcome from a start that differs hardly.
fn depends(landing: &DeckLanding, start: &DeckStart, truth: &DeckOutcome) -> bool {
    let displaced = [1.0, -1.0].into_iter().flat_map(|sign| {
        let by = sign * DISPLACEMENT;
        [
            DeckStart { sink_rate: start.sink_rate + by, ..start.clone() },
            DeckStart { drift: start.drift + by, ..start.clone() },
            DeckStart { roll: start.roll + by, ..start.clone() },
            DeckStart { offset: start.offset + by, ..start.clone() },
        ]
    });
    displaced
        .map(|start| run(landing, &start, &mut |_, _| {}))
        .any(|outcome| farthest(truth, &outcome, SAME).is_none_or(|farthest| farthest.ratio() > 1.0))
}

/// A landing that the candidate makes again step by step.
struct Again<'a> {
    start: &'a DeckStart,
    answer: &'a DeckOutcome,
    record: DeckRecord,
    seen: DeckOutcome,
    /// Steps without contact in a row, after the first touch.
    free: u32,
    /// How far it slid in the last steps.
    late_slide: f64,
    is_over: bool,
    wrong: Option<&'static str>,
}

impl<'a> Again<'a> {
    fn new(landing: &DeckLanding, (start, answer): (&'a DeckStart, &'a DeckOutcome)) -> Self {
        let (stepper, tally) = (DeckStepper::new(landing, start), Tally::new(landing));
        let record = stepper.record(&tally);
        Self {
            start,
            answer,
            record,
            seen: tally.finish(landing, true),
            free: 0,
            late_slide: 0.0,
            is_over: false,
            wrong: None,
        }
    }

    fn step(&self) -> DeckStep {
        DeckStep { start: self.start.clone(), record: self.record.clone() }
    }

    /// Adds what a step comes to.
    fn add(&mut self, landing: &DeckLanding, record: DeckRecord, of_step: &DeckOutcome) {
        let seen = &mut self.seen;
        seen.steps += 1;
        seen.slide += of_step.slide;
        if self.record.steps >= landing.late_from() {
            self.late_slide += of_step.slide;
        }
        if seen.touchdown_time.is_none() {
            (seen.touchdown_time, seen.touchdown_speed) = (of_step.touchdown_time, of_step.touchdown_speed);
        }
        seen.peak_loads.iter_mut().zip(&of_step.peak_loads).for_each(|(peak, load)| *peak = peak.max(*load));
        seen.largest_roll = seen.largest_roll.max(of_step.largest_roll);
        seen.stress = seen.stress.max(of_step.stress);
        let least = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::min);
        seen.rollover_margin = least(seen.rollover_margin, of_step.rollover_margin);
        seen.edge_distance = least(seen.edge_distance, of_step.edge_distance);
        if record.contacts.iter().any(|(configuration, _)| configuration.collision.is_some()) {
            self.free = 0;
        } else if record.has_touched {
            self.free += 1;
            seen.bounces += u32::from(self.free == landing.bounce_steps());
        }
        self.record = record;
        let is_beyond = of_step.edge_distance.is_some_and(|distance| distance < 0.0);
        self.is_over = of_step.largest_roll > f64::from(landing.rollover_angle as f32) || is_beyond;
        let is_on_deck = self.record.has_touched && !self.is_over;
        seen.sliding_speed = is_on_deck.then(|| self.late_slide / landing.late_time());
        self.is_over |= self.record.steps >= landing.steps;
    }

    fn judged(self, landing: &DeckLanding) -> Judged {
        if let Some(why) = self.wrong {
            return (Agreement::Wrong, why, None);
        }
        let floor = landing.floor();
        let last = LastMoment {
            is_free: self.free >= landing.bounce_steps(),
            is_past: self.record.steps > 0 && self.record.places.iter().all(|place| place.y < floor),
            is_finite: true,
        };
        let seen = self.seen.classed(f64::from(landing.rollover_angle as f32), last);
        match farthest(&seen, self.answer, SUMS) {
            Some(farthest) if farthest.ratio() <= 1.0 => {
                (Agreement::Ambiguous, "diverged by steps that are right", None)
            }
            farthest => (Agreement::Wrong, farthest.map_or("not what its steps come to", |it| it.what), farthest),
        }
    }
}

/// What landings of which the engines differ come to step by step.
fn explained(
    Engines { judge, candidate }: Engines<'_>,
    landing: &DeckLanding,
    parted: Vec<(&DeckStart, &DeckOutcome)>,
) -> Result<Vec<Judged>, ValidationError> {
    let mut all: Vec<Again<'_>> = parted.into_iter().map(|of| Again::new(landing, of)).collect();
    loop {
        let mut going: Vec<&mut Again<'_>> = all.iter_mut().filter(|it| !it.is_over && it.wrong.is_none()).collect();
        if going.is_empty() {
            break;
        }
        let steps: Vec<DeckStep> = going.iter().map(|it| it.step()).collect();
        let truths = one_each(judge.compute::<DeckSteps>(landing, &steps)?, steps.len())?;
        let answers = one_each(candidate.compute::<DeckSteps>(landing, &steps)?, steps.len())?;
        for (((it, step), truth), answer) in going.iter_mut().zip(&steps).zip(truths).zip(answers) {
            if !equal(&truth, &answer) && judge_step(landing, step, &truth, &answer).0 == Agreement::Wrong {
                it.wrong = Some("a step is wrong");
            }
            it.add(landing, answer.record, &answer.outcome);
        }
    }
    Ok(all.into_iter().map(|it| it.judged(landing)).collect())
}
