//! Arithmetic on references.

use super::reference::Reference;
use bvlab_core::maths::{exp, ln};

/// Numbers and references, joined by arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// As it is written, with single spaces.
    pub text: String,
    /// What is referred to, each once.
    pub references: Vec<Reference>,
    pub(super) node: Node,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Number(f64),
    /// By its number among the references.
    Reference(usize),
    Negative(Box<Node>),
    Operation(Operation, Box<[Node; 2]>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Plus,
    Minus,
    Times,
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Sqrt,
    Abs,
    Ln,
    Exp,
    Min,
    Max,
}

impl Function {
    /// Name, function and how many arguments it takes.
    pub const ALL: [(&str, Function, usize); 6] = [
        ("sqrt", Function::Sqrt, 1),
        ("abs", Function::Abs, 1),
        ("ln", Function::Ln, 1),
        ("exp", Function::Exp, 1),
        ("min", Function::Min, 2),
        ("max", Function::Max, 2),
    ];
}

impl Formula {
    /// Its value, from those of its references.
    ///
    /// # Panics
    ///
    /// If there are fewer values than references.
    pub fn at(&self, values: &[f64]) -> f64 {
        at(&self.node, values)
    }

    /// A number.
    pub fn number(value: f64) -> Self {
        Formula {
            text: value.to_string(),
            references: Vec::new(),
            node: Node::Number(value),
        }
    }

    /// This minus another.
    pub fn minus(&self, other: &Formula) -> Self {
        let mut references = self.references.clone();
        let places = other.references.iter().map(|reference| {
            let same =
                |known: &Reference| known.run == reference.run && known.what == reference.what;
            references.iter().position(same).unwrap_or_else(|| {
                references.push(reference.clone());
                references.len() - 1
            })
        });
        let places: Vec<usize> = places.collect();
        let right = moved(&other.node, &places);
        Formula {
            text: format!("{} - ({})", self.text, other.text),
            references,
            node: Node::Operation(Operation::Minus, Box::new([self.node.clone(), right])),
        }
    }

    /// The reference, if it is one and nothing else.
    pub fn single(&self) -> Option<&Reference> {
        match self.node {
            Node::Reference(which) => self.references.get(which),
            _ => None,
        }
    }

    /// Its value, if it follows from the experiment alone.
    pub(super) fn constant(&self) -> Option<f64> {
        let values = self.references.iter().map(|reference| {
            use super::reference::Referent::Setting;
            match reference.what {
                Setting(value) => Some(value),
                _ => None,
            }
        });
        let values: Option<Vec<f64>> = values.collect();
        Some(self.at(&values?))
    }
}

/// The same with other numbers of references.
fn moved(node: &Node, places: &[usize]) -> Node {
    let each = |nodes: &[Node]| nodes.iter().map(|node| moved(node, places)).collect();
    match node {
        Node::Number(value) => Node::Number(*value),
        Node::Reference(which) => Node::Reference(places[*which]),
        Node::Negative(inner) => Node::Negative(Box::new(moved(inner, places))),
        Node::Operation(operation, sides) => {
            let sides = [moved(&sides[0], places), moved(&sides[1], places)];
            Node::Operation(*operation, Box::new(sides))
        }
        Node::Call(function, arguments) => Node::Call(*function, each(arguments)),
    }
}

fn at(node: &Node, values: &[f64]) -> f64 {
    match node {
        Node::Number(value) => *value,
        Node::Reference(which) => values[*which],
        Node::Negative(inner) => -at(inner, values),
        Node::Operation(operation, sides) => {
            let [a, b] = [at(&sides[0], values), at(&sides[1], values)];
            match operation {
                Operation::Plus => a + b,
                Operation::Minus => a - b,
                Operation::Times => a * b,
                Operation::Over => a / b,
            }
        }
        Node::Call(function, arguments) => {
            let argument = |i: usize| arguments.get(i).map_or(f64::NAN, |node| at(node, values));
            let (a, b) = (argument(0), argument(1));
            match function {
                Function::Sqrt => a.sqrt(),
                Function::Abs => a.abs(),
                Function::Ln => ln(a),
                Function::Exp => exp(a),
                // A missing number is not left out of a comparison.
                Function::Min if a.is_nan() || b.is_nan() => f64::NAN,
                Function::Max if a.is_nan() || b.is_nan() => f64::NAN,
                Function::Min => a.min(b),
                Function::Max => a.max(b),
            }
        }
    }
}
