//! Kernels that are broken on purpose, to see what comparisons are worth.
//!
//! A fault is a piece of a kernel's text, and what is made of it. Drivers take far longer to compile a kernel than it takes
//! here to run it, so one holds all the faults, each in the statement in which it stands, and a number in a buffer says
//! which of them it has:
//!
//! ```text
//! let y = a + b;      var y = a + b; if fault == 1u { y = a - b; }
//! return x;           if fault == 2u { return 2.0 * x; } else { return x; }
//! if a < b {          if select(a < b, a > b, fault == 3u) {
//! ```
//!
//! What a declaration or a condition calls is called again for its faults, so it must write nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use wgpu::{BindGroupDescriptor, BindGroupEntry, BufferUsages};

use super::Gpu;
use super::device::Device;
use super::kernel::Kernel;

/// What stands in a kernel, and what is made of it wherever it stands.
pub(super) type Fault<'a> = (&'a str, &'a str);

/// The group of bindings in which a kernel finds which fault it has.
pub(super) const GROUP: u32 = 1;

/// Which of its faults a kernel has.
pub(super) struct Choice {
    number: wgpu::Buffer,
    queue: wgpu::Queue,
}

impl Choice {
    /// From now on it has the fault with this number in the list, or none.
    pub fn choose(&self, fault: Option<usize>) {
        let number = fault.map_or(0, |fault| fault as u32 + 1);
        self.queue.write_buffer(&self.number, 0, bytemuck::bytes_of(&number));
    }
}

/// The kernel of a source, with a choice of faults; without one as yet.
///
/// # Panics
/// Where the driver does not take it, and where a fault is not within one statement of a function.
pub(super) fn faulty(device: &Device, source: &str, faults: &[Fault<'_>]) -> (Kernel, Choice) {
    let kernel = Kernel::new(device, "broken", &with_faults(source, faults)).unwrap_or_else(|error| panic!("{error}"));
    let number = device.inner.create_buffer(&wgpu::BufferDescriptor {
        label: Some("a fault"),
        size: 4,
        usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let kernel = kernel.with_fault(|layout| {
        device.inner.create_bind_group(&BindGroupDescriptor {
            label: Some("a fault"),
            layout,
            entries: &[BindGroupEntry { binding: 0, resource: number.as_entire_binding() }],
        })
    });
    (kernel, Choice { number, queue: device.queue.clone() })
}

/// The same, in place of the kernel of this source in all that is computed from now on.
pub(super) fn replace(gpu: &Gpu, source: String, faults: &[Fault<'_>]) -> Choice {
    let mut session = gpu.session.lock().unwrap();
    let (kernel, choice) = faulty(&session.device, &source, faults);
    session.kernels.insert(source, Arc::new(kernel));
    choice
}

/// Sees that every fault is seen: that of the answers to items of its class, computed by the kernels of `sources`, some are
/// wrong with it, and none without.
pub(super) fn see_all<C: Copy + Debug + PartialEq, const N: usize>(
    gpu: &Gpu,
    sources: impl Fn(C) -> [String; N],
    faults: &[(&str, &str, C)],
    wrong: impl Fn(C) -> u64,
) {
    let pieces: Vec<Fault<'_>> = faults.iter().map(|&(right, broken, _)| (right, broken)).collect();
    let distinct: BTreeSet<String> = faults.iter().flat_map(|&(_, _, class)| sources(class)).collect();
    let choices: Vec<Choice> = distinct.into_iter().map(|source| replace(gpu, source, &pieces)).collect();
    let mut classes: Vec<C> = Vec::new();
    for &(_, _, class) in faults {
        if !classes.contains(&class) {
            assert_eq!(wrong(class), 0, "{class:?} without a fault");
            classes.push(class);
        }
    }
    for (number, &(right, broken, class)) in faults.iter().enumerate() {
        assert!(sources(class).iter().any(|source| source.contains(right)), "`{right}` is not there");
        choices.iter().for_each(|choice| choice.choose(Some(number)));
        let found = wrong(class);
        println!("{found:4} wrong in {class:?} where `{right}` is `{broken}`");
        assert!(found > 0, "`{broken}` is not seen");
    }
}

/// A source that has the fault with the number, from 1, in its buffer.
fn with_faults(source: &str, faults: &[Fault<'_>]) -> String {
    let source = without_comments(source);
    // By the place where it begins each statement, with what the faults in it make of it.
    let mut statements: BTreeMap<usize, (Statement<'_>, BTreeMap<usize, String>)> = BTreeMap::new();
    for (number, &(right, broken)) in (1..).zip(faults) {
        for (at, _) in source.match_indices(right) {
            let statement = Statement::around(&source, at..at + right.trim_end_matches(';').len());
            let text = format!("{};", statement.text);
            let (_, changed) = statements.entry(statement.start).or_insert((statement, BTreeMap::new()));
            changed.entry(number).or_insert_with(|| text.replace(right, broken).trim_end_matches(';').to_owned());
        }
    }
    let mut out = String::new();
    let mut done = 0;
    for (statement, changed) in statements.into_values() {
        out += &source[done..statement.start];
        out += &statement.or_one_of(&changed);
        done = statement.start + statement.text.len();
    }
    out += &source[done..];
    let main = out.find("fn main(").expect("a kernel has an entry point");
    let body = main + out[main..].find('{').expect("its body") + 1;
    out.insert_str(body, "\n    fault = chosen_fault;");
    out + &format!("@group({GROUP}) @binding(0) var<storage, read> chosen_fault: u32;\nvar<private> fault: u32;\n")
}

fn without_comments(source: &str) -> String {
    let code = |line: &str| line.split_once("//").map_or(line, |(code, _)| code).to_owned() + "\n";
    source.lines().map(code).collect()
}

/// A statement without the `;` or `{` behind it, or the condition of a loop.
#[derive(Clone, Copy, Debug)]
struct Statement<'a> {
    text: &'a str,
    /// Where it begins in the source.
    start: usize,
    /// What begins a block: a condition, of which there must be one.
    is_head: bool,
}

impl<'a> Statement<'a> {
    /// That in which this range of a source stands.
    fn around(source: &'a str, range: Range<usize>) -> Self {
        let start = source[..range.start].rfind([';', '{', '}']).map_or(0, |end| end + 1);
        let start = start + (source[start..].len() - source[start..].trim_start().len());
        let end = source[start..].find([';', '{', '}']).map_or(source.len(), |length| start + length);
        let text = source[start..end].trim_end();
        assert!(start + text.len() >= range.end, "`{}` is more than one statement", &source[range]);
        let is_of_module = ["const ", "fn ", "struct ", "@", "override "].iter().any(|word| text.starts_with(word));
        assert!(!is_of_module, "`{text}` is no statement");
        // Between the semicolons of `for (..; condition; ..) {`.
        let before = source[..start].trim_end().trim_end_matches(';');
        let header = before.rfind([';', '{', '}']).map_or(before, |end| &before[end + 1..]);
        let is_head = source[end..].starts_with('{') || header.trim_start().starts_with("for (");
        Self { text, start, is_head }
    }

    /// The statement, or what the fault that the kernel has makes of it.
    fn or_one_of(self, changed: &BTreeMap<usize, String>) -> String {
        let Self { text, is_head, .. } = self;
        if is_head {
            let (words, condition) = parted(text);
            let chosen = changed.iter().fold(condition.to_owned(), |chosen, (number, text)| {
                format!("select({chosen}, {}, fault == {number}u)", parted(text).1)
            });
            return words.to_owned() + &chosen;
        }
        if let Some(rest) = text.strip_prefix("let ").or_else(|| text.strip_prefix("var ")) {
            let (name, _) = rest.split_once([':', ' ']).expect("a name and a value");
            let chosen = changed.iter().map(|(number, text)| {
                let (_, value) = text.split_once(" = ").expect("a value");
                format!("; if fault == {number}u {{ {name} = {value}; }}")
            });
            return format!("var {rest}") + &chosen.collect::<String>();
        }
        let chosen = changed.iter().map(|(number, text)| format!("if fault == {number}u {{ {text}; }} else "));
        chosen.collect::<String>() + &format!("{{ {text}; }}")
    }
}

/// The words before a condition, and the condition.
fn parted(head: &str) -> (&str, &str) {
    let at = ["else if ", "if ", "while "].iter().find(|words| head.starts_with(*words)).map_or(0, |words| words.len());
    head.split_at(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_as_the_fault_with_the_number_makes_them() {
        let source = "\
@compute @workgroup_size(64) // a; comment
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let y = a
        + b;
    for (var i = 0u; i < 3u; i++) {
        x = y;
    }
    if x < y { set(x); } else if x > y { return; }
    return x;
}
";
        let faults = [
            ("a\n        + b", "a - b"),
            ("+ b", "+ 2.0 * b"),
            ("i < 3u", "i < 2u"),
            ("x = y", "x = -y"),
            ("x < y", "true"),
            ("set(x);", ";"),
            ("x > y", "x >= y"),
            ("return x", "return 2.0 * x"),
            ("not there", ""),
        ];
        let expected = "\
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    fault = chosen_fault;
    var y = a
        + b; if fault == 1u { y = a - b; }; if fault == 2u { y = a
        + 2.0 * b; };
    for (var i = 0u; select(i < 3u, i < 2u, fault == 3u); i++) {
        if fault == 4u { x = -y; } else { x = y; };
    }
    if select(x < y, true, fault == 5u) { if fault == 6u { ; } else { set(x); }; } else if select(x > y, x >= y, \
        fault == 7u) { return; }
    if fault == 8u { return 2.0 * x; } else { return x; };
}
@group(1) @binding(0) var<storage, read> chosen_fault: u32;
var<private> fault: u32;
";
        let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let made = with_faults(source, &faults);
        assert_eq!(spaced(made.split_once('\n').unwrap().1), spaced(expected));
    }

    #[test]
    #[should_panic(expected = "is more than one statement")]
    fn faults_of_several_statements_are_refused() {
        with_faults("fn main() { let a = 1; let b = 2; }", &[("1; let b", "3; let b")]);
    }

    #[test]
    #[should_panic(expected = "is no statement")]
    fn faults_of_constants_are_refused() {
        with_faults("const A = 1;\nfn main() {}", &[("A = 1", "A = 2")]);
    }
}
