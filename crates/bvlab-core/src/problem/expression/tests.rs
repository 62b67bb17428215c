use super::grammar::DEEPEST;
use super::*;

fn at(text: &str, x: f64) -> f64 {
    Expression::parse(text, 1).unwrap().at(&[x])
}

fn fails(text: &str) -> ExpressionError {
    Expression::parse(text, 1).unwrap_err()
}

#[test]
fn operators_bind_as_on_paper() {
    for (text, value) in [
        ("1 + 2*3", 7.0),
        ("-x^2", -9.0),
        ("2^-x", 0.125),
        ("2^3^2", 512.0),
        ("10 - 3 - 2", 5.0),
        ("12/3/2", 2.0),
        ("-2*-x", 6.0),
        ("+x - -1", 4.0),
        ("(1 + x)*2", 8.0),
        ("x**2", 9.0),
        ("x > 2", 1.0),
        ("x <= 2", 0.0),
        ("1.5e-1 + .5 + 2.", 2.65),
        ("max(x, 7) - min(1, x)", 6.0),
        ("sin(pi/2) + cos(0)", 2.0),
        ("e", std::f64::consts::E),
        ("x1", 3.0),
        ("sign(-x)*abs(-2)", -2.0),
    ] {
        let got = at(text, 3.0);
        assert!((got - value).abs() < 1e-12, "{text}: {got}, not {value}");
    }
}

#[test]
fn several_inputs_are_numbered() {
    let f = Expression::parse("x1 + 10*x2 + 100*x12", 12).unwrap();
    let x: Vec<f64> = (1..=12).map(f64::from).collect();
    assert_eq!(f.at(&x), 1.0 + 20.0 + 1200.0);
    let error = Expression::parse("x + x1", 2).unwrap_err();
    assert_eq!(error.span, 0..1);
    assert_eq!(error.help.unwrap(), "the inputs are called `x1` to `x2`");
    assert!(Expression::parse("x3", 2).is_err());
    assert!(Expression::parse("x01", 2).is_err());
}

#[test]
fn errors_point_at_the_token() {
    let cases = [
        ("sin(x", 4..5, "the expression ends too early"),
        ("2x", 1..2, "`x` does not belong here"),
        ("sin x", 4..5, "`sin` needs brackets"),
        ("sin(π", 4..6, "the expression ends too early"),
        ("0 < x < 5", 6..7, "`<` does not belong here"),
        ("x > 1 && x < 2", 6..7, "`&` does not belong here"),
        ("sinn(x)", 0..4, "`sinn` is not known here"),
        ("3 + y", 4..5, "`y` is not known here"),
        ("x + * 2", 4..5, "`*` does not belong here"),
        ("x $ 2", 2..3, "`$` does not belong here"),
        ("max(x)", 0..3, "`max` takes 2 arguments, not 1"),
        ("sin(x, 2)", 0..3, "`sin` takes 1 argument, not 2"),
        ("(x))", 3..4, "`)` does not belong here"),
    ];
    for (text, span, message) in cases {
        let error = fails(text);
        assert_eq!(
            (error.span, error.message.as_str()),
            (span, message),
            "{text}"
        );
    }
    assert_eq!(fails("").message, "the expression ends too early");
    assert_eq!(
        fails("log(x)").help.unwrap(),
        "write `ln` for the natural logarithm, or `log10`"
    );
    assert!(at("max(ln(-x), 0)", 3.0).is_nan() && at("ln(-x) < 0", 3.0).is_nan());
    assert!(fails("sinn(x)").help.unwrap().contains("`sin`"));
    assert!(fails("sin").help.unwrap().contains("sin(…)"));
}

#[test]
fn deep_nesting_is_bounded_and_does_not_overflow() {
    let around = |count: usize, open: &str, close: &str| {
        format!("{}x{}", open.repeat(count), close.repeat(count))
    };
    for (count, open, close, value) in [
        (DEEPEST, "(", ")", 2.0),
        (DEEPEST, "abs(", ")", 2.0),
        (DEEPEST, "1^", "", 1.0),
        (DEEPEST, "-", "", 2.0),
        (DEEPEST / 2, "-(", ")", 2.0),
        (DEEPEST / 2, "1^-", "", 1.0),
        (DEEPEST, "1**", "", 1.0),
    ] {
        assert_eq!(at(&around(count, open, close), 2.0), value, "{open}");
        let error = fails(&around(count + 1, open, close));
        assert!(error.message.contains("100 levels"), "{open}");
        assert!(error.span.end <= error.span.start + 1, "{open}");
    }
    // What stands side by side is not deep.
    let wide = ["x^2 - (-x)^3"; 60].join(" + ");
    assert_eq!(at(&wide, 1.0), 120.0);
    assert!(fails(&"(".repeat(LONGEST + 1)).message.contains("longer"));
}

#[test]
fn many_points_at_once_have_the_bits_of_each() {
    let names = FUNCTIONS.iter().map(|function| function.name);
    let mut texts: Vec<String> = names.map(|name| format!("{name}(3*x1 - x2)")).collect();
    texts.extend(
        [
            "4",
            "x2",
            "-x1^2 + x1**0.5/x2",
            "min(x1, x2) - max(x1, 0)*atan2(x2, x1)",
            "(x1 < x2) + (x1 <= 0)*(x2 >= 1) - (x2 > x1)",
            "1 - (2 - (3 - (4 - (5 - (6 - x1*(7 - x2))))))",
        ]
        .map(str::to_owned),
    );
    for text in texts {
        let expression = Expression::parse(&text, 2).unwrap();
        for count in [0, 1, 63, 64, 65, 200] {
            let place = |i: u32| f64::from(i * i % 97) / 9.0 - 4.0;
            let points = Points::new(2, (0..2 * count).map(place).collect());
            let mut found = Vec::new();
            expression.at_all(&points, |i, value| {
                assert_eq!(i, found.len());
                found.push(value);
            });
            assert_eq!(found.len(), points.len());
            for (x, found) in points.rows().zip(found) {
                let one = expression.at(x);
                let same = one.to_bits() == found.to_bits() || one.is_nan() && found.is_nan();
                assert!(same, "{text} at {x:?}: {one} {found}");
            }
        }
    }
}
