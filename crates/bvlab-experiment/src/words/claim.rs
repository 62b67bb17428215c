//! Statements that a run checks.

use std::ops::Range;

use super::expression::Formula;
use super::parser::{Flaw, LONGEST, Parser};
use super::reference::{HeldAxis, Referent};
use super::scope::Scope;
use bvlab_core::plan::{Curve, SweepAxis};
use bvlab_core::task::Description;
use bvlab_core::words::number;

/// A statement that every run checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// As it is written, with single spaces.
    pub text: String,
    /// What it states.
    pub statement: Statement,
    /// Where a published value comes from.
    pub source: Option<String>,
}

/// What a claim states.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `a < b < c` or `a > b > c`.
    Ordered {
        /// Two or more, from left to right.
        terms: Vec<Formula>,
        /// Whether they rise.
        rising: bool,
    },
    /// `a = b within 0.01`.
    Equal {
        /// The two sides.
        sides: Box<[Formula; 2]>,
        /// How far they may be apart.
        margin: f64,
    },
    /// `a in 0.2..0.3`.
    Between {
        /// The number.
        value: Formula,
        /// The ends of the range.
        ends: [f64; 2],
    },
    /// `best.depth in 4..6`.
    BestIn {
        /// Which run.
        run: usize,
        /// The learner's number.
        learner: usize,
        /// The number of the axis.
        axis: usize,
        /// The other axis, where it is held.
        held: Option<HeldAxis>,
        /// Which values of the axis are inside.
        inside: Vec<bool>,
    },
    /// A value that was published.
    Published {
        /// Ours.
        value: Formula,
        /// Theirs.
        published: f64,
        /// Half of the last digit that was printed.
        half_digit: f64,
        /// The standard error that was published with it.
        se: Option<f64>,
    },
    /// Nothing that can be checked: a key that was set on top of the experiment has taken away what
    /// it is about; says why.
    Moot(String),
}

/// A value as it was published.
pub(super) struct Published {
    pub value: f64,
    /// The number as it is written.
    pub digits: String,
    pub se: Option<f64>,
}

const RELATIONS: &str = "expected `<`, `>`, `= … within …` or `in`, as in \
    `variance@depth=16 > variance@depth=1`; a value alone needs `published = …`";

/// Reads a claim.
pub(super) fn claim(
    text: &str,
    scope: &Scope,
    published: Option<&Published>,
) -> Result<Statement, Flaw> {
    if text.len() > LONGEST {
        let message = format!("a claim has at most {LONGEST} bytes");
        return Err(Flaw::new(0..text.len(), message));
    }
    let mut parser = Parser::new(text, 0, scope);
    let first = parser.formula()?;
    let (from, start) = (parser.at(), text.len() - text.trim_start().len());
    let statement = if let Some(published) = published {
        if !parser.is_at_end() {
            return Err(parser.unexpected("a published value is compared with one expression"));
        }
        check_estimated(&[&first], start..from)?;
        Statement::Published {
            value: first,
            published: published.value,
            half_digit: half_digit(&published.digits),
            se: published.se,
        }
    } else if parser.take("<") || parser.take(">") {
        ordered(&mut parser, text, first)?
    } else if parser.take("=") {
        equal(&mut parser, first, start)?
    } else if parser.take_word("in") {
        within(&mut parser, scope, first, start..from)?
    } else {
        return Err(parser.unexpected(RELATIONS));
    };
    match parser.is_at_end() {
        true => Ok(statement),
        false => Err(parser.unexpected("the claim should end here")),
    }
}

/// What a statement compares must be known with some error.
fn check_estimated(formulas: &[&Formula], span: Range<usize>) -> Result<(), Flaw> {
    let references = || formulas.iter().flat_map(|formula| &formula.references);
    let best = references().find(|r| matches!(r.what, Referent::Best { .. }));
    if let Some(best) = best {
        let message = format!("`{}` can only be compared with `in`", best.text);
        let help = "as in `best.depth in 4..6`: no standard error belongs to a best setting";
        return Err(Flaw::new(span, message).help(help));
    }
    match references().all(|reference| reference.is_setting()) {
        true => Err(
            Flaw::new(span, "nothing in this claim is computed by a run")
                .help("refer to a column of a table, as in `risk@depth=5`"),
        ),
        false => Ok(()),
    }
}

fn ordered(parser: &mut Parser, text: &str, first: Formula) -> Result<Statement, Flaw> {
    let sign = &text[parser.at() - 1..parser.at()];
    let mut terms = vec![first];
    loop {
        if parser.peek() == Some('=') {
            return Err(parser.unexpected("there is no `<=`: equal numbers are not told apart"));
        }
        terms.push(parser.formula()?);
        let other = if sign == "<" { ">" } else { "<" };
        if parser.take(other) {
            let help = "a chain goes one way: make two claims of it";
            let message = format!("`{other}` after `{sign}`");
            return Err(Flaw::new(parser.at() - 1..parser.at(), message).help(help));
        }
        if !parser.take(sign) {
            break;
        }
    }
    check_estimated(&terms.iter().collect::<Vec<_>>(), 0..text.len())?;
    Ok(Statement::Ordered {
        terms,
        rising: sign == "<",
    })
}

fn equal(parser: &mut Parser, first: Formula, start: usize) -> Result<Statement, Flaw> {
    if parser.peek() == Some('=') {
        return Err(parser.unexpected("write a single `=`"));
    }
    let second = parser.formula()?;
    check_estimated(&[&first, &second], start..parser.at())?;
    if !parser.take_word("within") {
        return Err(parser.unexpected("an equality needs a margin, as in `within 0.002`"));
    }
    parser.blank();
    let start = parser.at();
    let margin = parser.formula()?;
    match margin.constant().filter(|m| *m > 0.0 && m.is_finite()) {
        Some(margin) => Ok(Statement::Equal {
            sides: Box::new([first, second]),
            margin,
        }),
        None => {
            let message = "a margin is a positive number";
            Err(Flaw::new(start..parser.at(), message).help("as in `within 0.002`"))
        }
    }
}

/// What comes after `in`.
enum Set {
    Range([f64; 2]),
    List(Vec<(f64, Range<usize>)>),
}

impl Set {
    fn read(parser: &mut Parser) -> Result<Self, Flaw> {
        const FORMS: &str = "as in `in 4..6` or `in [4, 5]`";
        if !parser.take("[") {
            let from = parser.signed()?;
            if !parser.take("..") {
                return Err(parser.unexpected(FORMS));
            }
            let start = parser.at();
            let to = parser.signed()?;
            return match from <= to {
                true => Ok(Set::Range([from, to])),
                false => Err(Flaw::new(
                    start..parser.at(),
                    "the range ends before it begins",
                )),
            };
        }
        let mut items = Vec::new();
        loop {
            parser.blank();
            let start = parser.at();
            items.push((parser.signed()?, start..parser.at()));
            if parser.take("]") {
                return Ok(Set::List(items));
            }
            if !parser.take(",") {
                return Err(parser.unexpected(FORMS));
            }
        }
    }
}

fn within(
    parser: &mut Parser,
    scope: &Scope,
    first: Formula,
    span: Range<usize>,
) -> Result<Statement, Flaw> {
    parser.blank();
    let start = parser.at();
    let set = Set::read(parser)?;
    let set_span = start..parser.at();
    let single = first.single();
    let Some(Referent::Best {
        learner,
        axis,
        held,
    }) = single.map(|reference| &reference.what)
    else {
        if let Some(Referent::Missing(why)) = single.map(|reference| &reference.what) {
            return Ok(Statement::Moot(why.clone()));
        }
        check_estimated(&[&first], span)?;
        return match set {
            Set::Range(ends) => Ok(Statement::Between { value: first, ends }),
            Set::List(_) => Err(Flaw::new(set_span, "a list goes with `best.` alone")
                .help("write a range, as in `in 0.2..0.3`")),
        };
    };
    let run = single.map_or(0, |reference| reference.run);
    let curve = match scope.runs.get(run).map(|(_, run)| run) {
        Some(Description::Study(study)) => study.curves.get(*learner),
        _ => None,
    };
    let Some(values) = curve.and_then(|curve: &Curve| curve.axes.get(*axis)) else {
        return Err(Flaw::new(span, "nothing is swept"));
    };
    let inside = match inside(values, &set, &set_span) {
        Ok(inside) => inside,
        Err(flaw) if scope.lenient => return Ok(Statement::Moot(flaw.message)),
        Err(flaw) => return Err(flaw),
    };
    Ok(Statement::BestIn {
        run,
        learner: *learner,
        axis: *axis,
        held: *held,
        inside,
    })
}

/// Which values of an axis are in a set: some, and not all.
fn inside(axis: &SweepAxis, set: &Set, span: &Range<usize>) -> Result<Vec<bool>, Flaw> {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let holds = |value: f64| match set {
        Set::Range([from, to]) => {
            (*from..=*to).contains(&value) || near(value, *from) || near(value, *to)
        }
        Set::List(items) => items.iter().any(|(item, _)| near(value, *item)),
    };
    if let Set::List(items) = set {
        let swept = |item: f64| axis.values.iter().any(|value| near(*value, item));
        if let Some((item, span)) = items.iter().find(|(item, _)| !swept(*item)) {
            let message = format!("`{}` does not have the value {}", axis.name, number(*item));
            return Err(Flaw::new(span.clone(), message));
        }
    }
    let inside: Vec<bool> = axis.values.iter().map(|value| holds(*value)).collect();
    let wrong = |message: String| Err(Flaw::new(span.clone(), message));
    match inside.iter().filter(|inside| **inside).count() {
        0 => wrong(format!(
            "no swept value of `{}` is in this range",
            axis.name
        )),
        count if count == inside.len() => wrong(format!(
            "every swept value of `{}` is in this range: the claim says nothing",
            axis.name
        )),
        _ => Ok(inside),
    }
}

/// Half of the last digit of a number as it is written: 0.00005 for `0.0255`, 0.5 for `40`.
fn half_digit(digits: &str) -> f64 {
    let digits = digits.replace('_', "");
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((&digits, "0"));
    let decimals = mantissa
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let power = exponent
        .parse::<i32>()
        .unwrap_or(0)
        .saturating_sub(decimals as i32);
    // Reading the decimal gives the nearest number, which powers of ten need not.
    format!("5e{}", power.saturating_sub(1))
        .parse()
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::half_digit;

    #[test]
    fn half_of_the_last_digit_is_that_of_the_number_as_written() {
        for (digits, half) in [
            ("0.0255", 0.00005),
            ("0.0250", 0.00005),
            ("40", 0.5),
            ("1_000", 0.5),
            ("2.55e-2", 0.00005),
            ("3E3", 500.0),
            ("-1.5", 0.05),
        ] {
            assert_eq!(half_digit(digits), half, "{digits}");
        }
    }
}
