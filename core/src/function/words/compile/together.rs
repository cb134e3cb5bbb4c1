//! Sums and products of several numbers as one word: what one word alone would read of another goes through no memory.

use super::{Node, Nodes};
use crate::function::Code;

/// Sums and products take in those that they alone read, up to four numbers.
pub(super) fn take_in(nodes: &mut Nodes, wanted: &[usize]) {
    let reads = nodes.reads(wanted);
    for number in (0..nodes.nodes.len()).filter(|&number| reads[number] > 0) {
        while let Some(node) = with_a_part(nodes, &reads, number) {
            nodes.nodes[number] = node;
        }
    }
}

/// What makes a number and one of its parts together, if that is possible.
fn with_a_part(nodes: &Nodes, reads: &[usize], number: usize) -> Option<Node> {
    let Node::Made(code, of) = &nodes.nodes[number] else { return None };
    // The first operation has the same bits either way round, so that the part may come first.
    (0..of.len().min(2)).find_map(|place| {
        let part = of[place];
        let Node::Made(of_part, first) = &nodes.nodes[part] else { return None };
        let code = together(*code, *of_part).filter(|_| reads[part] == 1)?;
        let others = of.iter().enumerate().filter(|&(other, _)| other != place).map(|(_, &other)| other);
        Some(Node::Made(code, first.iter().copied().chain(others).collect()))
    })
}

/// The code that goes on with what another has made of its first numbers.
fn together(code: Code, first: Code) -> Option<Code> {
    Some(match (code, first) {
        (Code::Multiply, Code::Multiply) => Code::MultiplyThree,
        (Code::Multiply, Code::MultiplyThree) | (Code::MultiplyThree, Code::Multiply) => Code::MultiplyFour,
        (Code::Add, Code::Add) => Code::AddThree,
        (Code::Add, Code::AddThree) | (Code::AddThree, Code::Add) => Code::AddFour,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::function::{Code, Expression, Operation, Words};

    /// The codes of the words that make products of these places, in rows of eight.
    fn codes(products: &[(usize, &[usize])]) -> Vec<Code> {
        let product = |of: &[usize]| {
            Expression::Operation(Operation::Product, of.iter().map(|&place| Expression::Property(place)).collect())
        };
        let made: Vec<_> = products.iter().map(|&(place, of)| (place, product(of))).collect();
        let words = Words::compile(
            made.iter().map(|(place, expression)| (*place, expression)),
            products.iter().map(|&(place, _)| place),
            8,
        );
        words.codes()
    }

    #[test]
    fn up_to_four_numbers_are_multiplied_by_one_word() {
        assert_eq!(codes(&[(7, &[0, 1])]), [Code::Multiply]);
        assert_eq!(codes(&[(7, &[0, 1, 2])]), [Code::MultiplyThree]);
        assert_eq!(codes(&[(7, &[0, 1, 2, 3])]), [Code::MultiplyFour]);
        assert_eq!(codes(&[(7, &[0, 1, 2, 3, 4])]), [Code::MultiplyFour, Code::Multiply]);
    }

    #[test]
    fn what_others_read_or_ask_for_has_a_word_of_its_own() {
        // Both products begin with the same one.
        assert_eq!(codes(&[(6, &[0, 1, 2]), (7, &[0, 1, 3])]), [Code::Multiply; 3]);
        assert_eq!(codes(&[(6, &[0, 1]), (7, &[0, 1, 3])]), [Code::Multiply; 2]);
    }
}
