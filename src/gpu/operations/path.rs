//! The costliest path through a function.

use naga::valid::FunctionInfo;
use naga::{Block, Expression, Function, Handle, Literal, Statement, SwitchCase};

use super::{CountError, Operations, Reading, expression};

/// Which path is counted through a function, and those it calls: the costliest of those not excluded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CountedPath<'a> {
    /// Functions never called: no path through them is counted.
    pub never: &'a [&'a str],
    /// Functions that may be called, whose operations are counted elsewhere.
    pub elsewhere: &'a [&'a str],
    /// Iterations of the loops of functions, in source order; one for all others.
    pub rounds: &'a [(&'a str, &'a [u64])],
}

/// What a way costs.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Calls of what is counted elsewhere.
    elsewhere: u64,
    operations: Operations,
}

impl Cost {
    fn then(self, next: Self) -> Self {
        Self { elsewhere: self.elsewhere + next.elsewhere, operations: self.operations + next.operations }
    }

    fn times(self, count: u64) -> Self {
        Self { elsewhere: self.elsewhere * count, operations: self.operations * count }
    }

    fn or(self, other: Self) -> Self {
        let is_dearer = (other.elsewhere, other.operations.total()) > (self.elsewhere, self.operations.total());
        if is_dearer { other } else { self }
    }
}

/// The costliest ways through statements, by how they end; `None` where no way ends so.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// Behind them.
    on: Option<Cost>,
    /// With the next round of a loop.
    next_round: Option<Cost>,
    /// Behind a loop or a switch.
    out: Option<Cost>,
    /// With the function.
    returned: Option<Cost>,
}

fn either(one: Option<Cost>, other: Option<Cost>) -> Option<Cost> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.or(other)),
        (one, other) => one.or(other),
    }
}

impl Ends {
    fn on(cost: Cost) -> Self {
        Self { on: Some(cost), ..Self::default() }
    }

    fn or(self, other: Self) -> Self {
        Self {
            on: either(self.on, other.on),
            next_round: either(self.next_round, other.next_round),
            out: either(self.out, other.out),
            returned: either(self.returned, other.returned),
        }
    }

    fn costliest(self) -> Option<Cost> {
        either(either(self.on, self.next_round), either(self.out, self.returned))
    }

    /// These ways, each behind this one.
    fn behind(self, cost: Cost) -> Self {
        let behind = |end: Option<Cost>| end.map(|end| cost.then(end));
        Self {
            on: behind(self.on),
            next_round: behind(self.next_round),
            out: behind(self.out),
            returned: behind(self.returned),
        }
    }
}

impl Reading {
    /// Operations of a call of a function, or a run of the kernel's `main`.
    ///
    /// # Errors
    /// When a function named does not exist, no way is left, or it is not known what an operation costs.
    pub(crate) fn count(&self, function: &str, path: &CountedPath<'_>) -> Result<Operations, CountError> {
        let with_rounds = path.rounds.iter().map(|(name, _)| name);
        for name in path.never.iter().chain(path.elsewhere).chain(with_rounds) {
            self.function(name)?;
        }
        let cost = self.cost_of_call(function, path)?;
        cost.map(|cost| cost.operations).ok_or_else(|| CountError::NoPath(function.to_owned()))
    }

    fn function(&self, name: &str) -> Result<(&Function, &FunctionInfo), CountError> {
        let functions = self.module.functions.iter().map(|(handle, function)| (function, &self.info[handle]));
        let mains = self.module.entry_points.iter().enumerate();
        let mains = mains.map(|(index, main)| (&main.function, self.info.get_entry_point(index)));
        functions
            .chain(mains)
            .find(|(function, _)| function.name.as_deref() == Some(name))
            .ok_or_else(|| CountError::NoFunction(name.to_owned()))
    }

    fn cost_of_call(&self, name: &str, path: &CountedPath<'_>) -> Result<Option<Cost>, CountError> {
        let (function, info) = self.function(name)?;
        let rounds = path.rounds.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, rounds)| rounds);
        let mut walk = Walk { reading: self, function, info, path, rounds: rounds.iter().copied() };
        let ends = walk.block(&function.body)?;
        Ok(either(ends.on, ends.returned))
    }
}

/// A walk through one function.
struct Walk<'a, I> {
    reading: &'a Reading,
    function: &'a Function,
    info: &'a FunctionInfo,
    path: &'a CountedPath<'a>,
    /// Of the loops that are still to come.
    rounds: I,
}

impl<I: Iterator<Item = u64>> Walk<'_, I> {
    fn block(&mut self, block: &Block) -> Result<Ends, CountError> {
        let mut ends = Ends::on(Cost::default());
        for statement in block {
            // What follows a return is not come to.
            let Some(so_far) = ends.on.take() else { break };
            ends = ends.or(self.statement(statement)?.behind(so_far));
        }
        Ok(ends)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Ends, CountError> {
        let here = Some(Cost::default());
        Ok(match statement {
            Statement::Emit(range) => Ends::on(self.expressions(range.clone())?),
            Statement::Block(block) => self.block(block)?,
            Statement::If { condition, accept, reject } => match self.known(*condition) {
                Some(true) => self.block(accept)?,
                Some(false) => self.block(reject)?,
                None => self.block(accept)?.or(self.block(reject)?),
            },
            Statement::Switch { cases, .. } => self.cases(cases)?,
            Statement::Loop { body, continuing, .. } => self.rounds(body, continuing)?,
            Statement::Call { function, .. } => self.call(*function)?,
            Statement::Break => Ends { out: here, ..Ends::default() },
            Statement::Continue => Ends { next_round: here, ..Ends::default() },
            Statement::Return { .. } | Statement::Kill => Ends { returned: here, ..Ends::default() },
            // They store, and wait.
            _ => Ends::on(Cost::default()),
        })
    }

    fn expressions(&self, range: naga::Range<Expression>) -> Result<Cost, CountError> {
        let mut operations = Operations::default();
        for handle in range {
            let type_of = |part: Handle<Expression>| self.info[part].ty.inner_with(&self.reading.module.types);
            operations = operations + expression::operations(&self.function.expressions[handle], type_of)?;
        }
        Ok(Cost { elsewhere: 0, operations })
    }

    /// Value of a condition that is constant in the source.
    fn known(&self, condition: Handle<Expression>) -> Option<bool> {
        let module = &self.reading.module;
        let expression = match self.function.expressions[condition] {
            Expression::Constant(constant) => &module.global_expressions[module.constants[constant].init],
            ref other => other,
        };
        match *expression {
            Expression::Literal(Literal::Bool(holds)) => Some(holds),
            _ => None,
        }
    }

    fn cases(&mut self, cases: &[SwitchCase]) -> Result<Ends, CountError> {
        let mut ends = Ends::default();
        // One that falls through is another word for the next.
        for case in cases.iter().filter(|case| !case.fall_through) {
            ends = ends.or(self.block(&case.body)?);
        }
        let on = either(ends.on, ends.out);
        Ok(Ends { on, out: None, ..ends })
    }

    fn rounds(&mut self, body: &Block, continuing: &Block) -> Result<Ends, CountError> {
        let count = self.rounds.next().unwrap_or(1);
        let body = self.block(body)?;
        let continuing = self.block(continuing)?.on.unwrap_or_default();
        let next = either(body.on, body.next_round).map(|cost| cost.then(continuing));
        let round = Ends { on: next, next_round: None, ..body }.costliest();
        let all = if count == 0 { Some(Cost::default()) } else { round.map(|round| round.times(count)) };
        Ok(Ends { on: all, returned: body.returned.and(all), ..Ends::default() })
    }

    fn call(&self, function: Handle<Function>) -> Result<Ends, CountError> {
        let name = self.reading.module.functions[function].name.as_deref().unwrap_or_default();
        if self.path.never.contains(&name) {
            return Ok(Ends::default());
        }
        if self.path.elsewhere.contains(&name) {
            return Ok(Ends::on(Cost { elsewhere: 1, ..Cost::default() }));
        }
        Ok(Ends { on: self.reading.cost_of_call(name, self.path)?, ..Ends::default() })
    }
}
