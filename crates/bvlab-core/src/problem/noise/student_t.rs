//! Noise of Student's t distribution, shrunk by √((ν-2)/ν) so that its sd is what was asked for.

use super::NoiseLaw;
use crate::maths::fill_student_t;
use crate::parameter::Parameter;

pub(super) const LAW: NoiseLaw = NoiseLaw::new(
    "student-t",
    "Student's t",
    "Student's t noise, whose tails are heavy",
    |values, stream, draws| {
        let degrees = values.number("degrees");
        fill_student_t(stream, degrees, draws);
        let shrink = ((degrees - 2.0) / degrees).sqrt();
        draws.iter_mut().for_each(|draw| *draw *= shrink);
    },
)
.parameters(&[Parameter::number(
    "degrees",
    "degrees of freedom; with 2 or fewer there is no standard deviation",
)
.symbol("ν")
.above(2.0)
.usual(5.0, 30.0)])
.moments(|values| values.number("degrees"));
