//! Check `rays`: where rays first meet scenes.

use std::sync::Arc;

use super::{RayFinding, RayItem, judge_rays, validate_rays};
use crate::document::{DocumentError, Table, Unit};
use crate::query::{EntryPoint, Ray, RayStatus};
use crate::scene::Scene;
use crate::shown::number;
use crate::validation::check::so_far;
use crate::validation::finding::push_number;
use crate::validation::item::{Fields, Saved, saved_class, saved_number, seeded};
use crate::validation::words::{Part, optional_number, verdict_line};
use crate::validation::{
    Agreements, Check, Description, Engines, EntryPointJudge, Finding, Found, Group, Item, Judgement, Outcome,
    SceneClass, ValidationError, Window,
};

/// The check.
pub(in crate::validation) struct Rays;

const NAME: &str = "rays";

impl Check for Rays {
    fn name(&self) -> &'static str {
        NAME
    }

    fn help(&self) -> &'static str {
        "Where rays first meet a scene"
    }

    fn groups(&self) -> Vec<Group> {
        let group = |class: SceneClass| {
            Group::new(class.name(), move |Engines { judge, candidate }, seed, items, advanced| {
                let mut heard = |tally: &Agreements| advanced(tally.items(), &so_far(tally));
                let tally = validate_rays(judge, candidate, (class, seed), items, &mut heard)?;
                Ok(Outcome::of_tally(NAME, class.name(), true, tally))
            })
        };
        SceneClass::ALL.into_iter().map(group).collect()
    }

    fn read(&self, table: &Table<'_>) -> Result<Arc<dyn Item>, DocumentError> {
        Ok(Arc::new(RayItem {
            class: saved_class(table)?,
            seed: saved_number(table, "seed")?,
            number: saved_number(table, "item")?,
            made_to_touch: table.required("made_to_touch")?.boolean()?,
            ray: saved_ray(&table.required_table("ray")?)?,
        }))
    }
}

fn saved_ray(table: &Table<'_>) -> Result<Ray, DocumentError> {
    let point = |key| table.required(key)?.vector(Unit::Length).map(glam::DVec3::from_array);
    let number = |key| table.required(key)?.number(Unit::One);
    Ok(Ray { x1: point("x1")?, x2: point("x2")?, lambda1: number("lambda1")?, lambda2: number("lambda2")? })
}

impl From<RayFinding> for Finding {
    fn from(finding: RayFinding) -> Self {
        Self {
            item: Arc::new(finding.item),
            verdict: finding.judgement.verdict,
            what: "lambda",
            ratio: finding.judgement.ratio(),
            made_to_touch: finding.item.made_to_touch,
            found: Arc::new(finding),
        }
    }
}

impl Found for RayFinding {
    fn fields(&self) -> Fields {
        let Judgement { verdict: _, why, error, bound } = self.judgement;
        let mut fields = vec![("why", why.into())];
        push_number(&mut fields, "error", error);
        push_number(&mut fields, "bound", bound);
        fields.extend([("truth", entry_point(&self.truth)), ("answer", entry_point(&self.answer))]);
        fields
    }
}

fn entry_point(entry: &EntryPoint) -> Saved {
    let EntryPoint { status, lambda, normal, leaf, material } = *entry;
    let hit = status == RayStatus::Hit;
    let mut fields: Fields = vec![("status", format!("{status:?}").into())];
    push_number(&mut fields, "lambda", Some(lambda).filter(|_| hit));
    fields.extend((hit && normal.is_finite()).then(|| ("normal", normal.to_array().to_vec().into())));
    fields.extend(leaf.map(|leaf| ("leaf", leaf.into())));
    fields.extend(material.map(|material| ("material", material.0.into())));
    Saved::Many(fields)
}

impl Item for RayItem {
    fn check(&self) -> &'static str {
        NAME
    }

    fn among(&self) -> String {
        seeded(self.class, self.seed)
    }

    fn place(&self) -> String {
        format!("ray {}", self.number)
    }

    fn fields(&self) -> Fields {
        let Self { class, seed, number, made_to_touch, ray: Ray { x1, x2, lambda1, lambda2 } } = *self;
        let ray = vec![
            ("x1", x1.to_array().to_vec().into()),
            ("x2", x2.to_array().to_vec().into()),
            ("lambda1", lambda1.into()),
            ("lambda2", lambda2.into()),
        ];
        vec![
            ("class", class.name().into()),
            ("seed", seed.into()),
            ("item", number.into()),
            ("made_to_touch", made_to_touch.into()),
            ("ray", Saved::Many(ray)),
        ]
    }

    fn again(&self, engines: Engines<'_>) -> Result<Description, ValidationError> {
        let Engines { judge, candidate } = engines;
        let scene = self.class.scene(self.seed, self.variant())?;
        let finding = judge_rays(judge, candidate, &scene, &[*self])?.remove(0);
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
        Ok(Description { verdict: *verdict, parts: vec![Part::Text(text), verdict_line(*verdict, why)] })
    }
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
