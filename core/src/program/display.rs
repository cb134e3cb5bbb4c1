//! Programs as text.

use std::fmt;

use super::{Expression, Instruction, Op, Program};

/// Writes one instruction per line with the number of its first word, the scene first, then the paint regions.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_expression(f, self.root)?;
        let mut regions: Vec<Expression> = self.layers.iter().filter_map(|layer| layer.region).collect();
        regions.sort_unstable_by_key(|region| region.first);
        regions.dedup();
        for region in regions {
            writeln!(f, "paint region")?;
            self.write_expression(f, region)?;
        }
        Ok(())
    }
}

impl Program {
    fn write_expression(&self, f: &mut fmt::Formatter<'_>, expression: Expression) -> fmt::Result {
        let mut word = expression.first as usize;
        for instruction in self.instructions(expression) {
            writeln!(f, "{word:6}  {instruction}")?;
            word += instruction.op.words();
        }
        Ok(())
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { op, count, constants_at, leaf, rank } = self;
        let complemented = if self.is_complemented() { ", complemented" } else { "" };
        let mut curved =
            |name: &str| write!(f, "{name}{complemented}, constants at {constants_at}, leaf {leaf}, rank {rank}");
        match op {
            Op::Nothing => f.write_str("nothing"),
            Op::Everything => f.write_str("everything"),
            Op::Cell => write!(f, "cell of {count}, constants at {constants_at}, leaves from {leaf}, rank {rank}"),
            Op::Sphere => curved("sphere"),
            Op::Cylinder => curved("cylinder"),
            Op::ShortCylinder => curved("short cylinder"),
            Op::Cone => curved("cone"),
            Op::ShortCone => curved("short cone"),
            Op::Capsule => curved("capsule"),
            Op::Stretched => curved(&format!("stretched {:?}", self.base())),
            Op::Union => f.write_str("union"),
            Op::Intersection => f.write_str("intersection"),
        }
    }
}
