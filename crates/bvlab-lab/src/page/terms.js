// The terms of the field: what each means, its formula, and which parts of the pictures it lights up.
// `words`: how it is written in texts; a formula is MathML.

const mi = (name) => `<mi>${name}</mi>`;
const mn = (number) => `<mn>${number}</mn>`;
// Brackets that do not grow: they would be larger than what they are about.
const mo = (sign) => (/[()[\]‖]/.test(sign) ? `<mo stretchy="false">${sign}</mo>` : `<mo>${sign}</mo>`);
const mrow = (...inside) => `<mrow>${inside.join("")}</mrow>`;
const fitMath = `<mover><mi>f</mi><mo>^</mo></mover>`;
const fitAtX = mrow(fitMath, mo("("), mi("x"), mo(")"));
const truthAtX = mrow(mi("f"), mo("("), mi("x"), mo(")"));
const meanOf = (inside) => mrow(mi("E"), mo("["), inside, mo("]"));
const squareOf = (inside) => `<msup>${mrow(mo("("), inside, mo(")"))}${mn(2)}</msup>`;
const fraction = (above, below) => `<mfrac>${above}${below}</mfrac>`;
const indexed = (base, index) => `<msub>${base}${index}</msub>`;
const sumOfN = `<munderover><mo>∑</mo>${mrow(mi("i"), mo("="), mn(1))}${mi("n")}</munderover>`;
const sigmaSquared = `<msup><mi>σ</mi><mn>2</mn></msup>`;

export const TERMS = [
  {
    id: "risk",
    words: ["expected risk", "risks", "risk"],
    says: "The error to expect: how wrong predictions are on new data, averaged over training sets and test points. It is the sum of noise, bias² and variance.",
    formula: mrow(mi("risk"), mo("="), sigmaSquared, mo("+"), mi("bias²"), mo("+"), mi("variance")),
    lights: ["risk", "measured"],
  },
  {
    id: "bias",
    words: ["squared bias", "bias²", "biased", "bias"],
    says: "How far the mean of all fits lies from the truth, squared. More data of the same kind do not remove it: the learner is systematically wrong.",
    formula: squareOf(mrow(meanOf(fitAtX), mo("−"), truthAtX)),
    lights: ["bias", "truth"],
  },
  {
    id: "variance",
    words: ["variance"],
    says: "How far the fits scatter around their own mean, squared: how much the result depends on which training set you happened to get.",
    formula: meanOf(squareOf(mrow(fitAtX, mo("−"), meanOf(fitAtX)))),
    lights: ["variance"],
  },
  {
    id: "noise",
    words: ["irreducible error", "noisy", "noise"],
    says: "What no learner can predict: the scatter of new labels around the true function. It is the least risk there is.",
    formula: mrow(sigmaSquared, mo("="), meanOf(squareOf(mrow(mi("y"), mo("−"), truthAtX)))),
    lights: ["noise"],
  },
  {
    id: "truth",
    words: ["true function", "truth"],
    says: "The function that the data come from, drawn in green. In practice it is unknown; here it is known, so that errors can be measured.",
    formula: mrow(mi("y"), mo("="), truthAtX, mo("+"), mi("ε")),
    lights: ["truth"],
  },
  {
    id: "fit",
    words: ["refits", "fits", "refit"],
    says: "What a learner makes of one training set: a curve. Another training set gives another fit; each orange line is one.",
    formula: fitAtX,
    lights: ["variance"],
  },
  {
    id: "mean-fit",
    words: ["mean fit", "mean of the fits"],
    says: "The average of the fits to all training sets. You never have it in practice, because you have one training set.",
    formula: meanOf(fitAtX),
    lights: ["bias"],
  },
  {
    id: "training-set",
    words: ["training sets", "training set", "training points", "training data"],
    says: "The examples that a learner sees: inputs with their noisy labels.",
    formula: mrow(mo("("), indexed(mi("x"), mn(1)), mo(","), indexed(mi("y"), mn(1)), mo(")"), mo(","), mo("…"), mo(","), mo("("), indexed(mi("x"), mi("n")), mo(","), indexed(mi("y"), mi("n")), mo(")")),
    lights: ["data"],
  },
  {
    id: "resample",
    words: ["resamples", "resample"],
    says: "Drawing another training set of the same size from the same source, and fitting again. Variance is what this changes.",
    lights: ["variance", "data"],
  },
  {
    id: "learner",
    words: ["learners", "learner"],
    says: "A method that turns a training set into predictions: a tree, nearest neighbours, a polynomial.",
  },
  {
    id: "capacity",
    words: ["capacity", "flexible"],
    says: "How many shapes a learner can take: the depth of a tree, the degree of a polynomial, few neighbours. More of it lowers the bias and, at first, raises the variance.",
    lights: ["marker"],
  },
  {
    id: "training-error",
    words: ["training error", "empirical risk"],
    says: "The error on the training set itself. It is too small, because the fit was made for these very points, and it can be zero for a useless fit.",
    formula: mrow(fraction(mn(1), mi("n")), sumOfN, squareOf(mrow(indexed(mi("y"), mi("i")), mo("−"), fitMath, mo("("), indexed(mi("x"), mi("i")), mo(")")))),
    lights: ["train", "data"],
  },
  {
    id: "testing-error",
    words: ["testing error", "test error", "validation error"],
    says: "The error on new data that were not used for fitting: an estimate of the risk.",
    lights: ["risk", "measured"],
  },
  {
    id: "over-fit",
    words: ["over-fits", "over-fit", "over-fitting"],
    says: "To follow the noise of the training set: little bias, much variance, and a small training error that deceives.",
    lights: ["variance", "train"],
  },
  {
    id: "under-fit",
    words: ["under-fits", "under-fit"],
    says: "To be too simple for the truth: all fits agree with each other and are wrong together. The bias is large.",
    lights: ["bias", "truth"],
  },
  {
    id: "squared-error",
    words: ["squared error", "squared loss"],
    says: "The square of the difference between label and prediction. A miss that is twice as far counts four times.",
    formula: squareOf(mrow(mi("y"), mo("−"), fitAtX)),
  },
  {
    id: "zero-one",
    words: ["zero-one loss", "0/1 loss"],
    says: "1 for a wrong class and 0 for a right one: its mean is the share of errors.",
  },
  {
    id: "cross-entropy",
    words: ["cross-entropy"],
    says: "How surprised a prediction of probabilities is by the true class. Being sure and wrong costs very much.",
    formula: mrow(mo("−"), mi("ln"), indexed(mi("p"), mi("y"))),
  },
  {
    id: "depth",
    words: ["depth"],
    says: "How many questions a tree asks at most, one after the other, before it predicts. Each more can double the number of its leaves.",
    formula: mrow(mi("leaves"), mo("≤"), `<msup><mn>2</mn><mi>depth</mi></msup>`),
    lights: ["marker"],
  },
  {
    id: "leaf",
    words: ["leaves", "leaf"],
    says: "Where a tree ends: all inputs that come to the same leaf get the same prediction, the mean of its training labels.",
  },
  {
    id: "neighbours",
    words: ["nearest neighbours", "nearest neighbour", "neighbours", "one neighbour"],
    says: "The prediction is the mean label of the k training points nearest to x. Small k is flexible, large k is stiff.",
    formula: mrow(fitAtX, mo("="), fraction(mn(1), mi("k")), `<munder><mo>∑</mo><mrow><mi>nearest</mi></mrow></munder>`, indexed(mi("y"), mi("i"))),
  },
  {
    id: "bandwidth",
    words: ["bandwidth"],
    says: "How far away a kernel smoother still listens to training points. Wide is smooth: more bias, less variance.",
    lights: ["marker"],
  },
  {
    id: "degree",
    words: ["degree"],
    says: "The highest power in a polynomial. A straight line has degree 1.",
    formula: mrow(indexed(mi("w"), mn(0)), mo("+"), indexed(mi("w"), mn(1)), mi("x"), mo("+"), mo("…"), mo("+"), indexed(mi("w"), mi("d")), `<msup><mi>x</mi><mi>d</mi></msup>`),
    lights: ["marker"],
  },
  {
    id: "penalty",
    words: ["penalty", "ridge", "λ"],
    says: "A price for large weights, of size λ. It pulls fits together: less variance, more bias.",
    formula: mrow(mi("training error"), mo("+"), mi("λ"), `<msup>${mrow(mo("‖"), mi("w"), mo("‖"))}${mn(2)}</msup>`),
    lights: ["marker"],
  },
  {
    id: "features",
    words: ["features"],
    says: "The numbers that a linear model combines: p of them, each with a weight of its own.",
    lights: ["marker"],
  },
  {
    id: "bagging",
    words: ["bagging", "bagged"],
    says: "Fitting many copies of a learner, each to a bootstrap of the training set, and averaging them. It removes variance and leaves the bias.",
    formula: mrow(fraction(mn(1), mi("M")), `<munderover><mo>∑</mo>${mrow(mi("m"), mo("="), mn(1))}${mi("M")}</munderover>`, indexed(fitMath, mi("m")), mo("("), mi("x"), mo(")")),
    lights: ["variance"],
  },
  {
    id: "bootstrap",
    words: ["bootstraps", "bootstrapping", "bootstrap"],
    says: "A sample of n points drawn from the n training points with replacement: some come twice, about a third not at all.",
    formula: mrow(`<msup>${mrow(mo("("), mn(1), mo("−"), fraction(mn(1), mi("n")), mo(")"))}${mi("n")}</msup>`, mo("≈"), mn("0.37")),
  },
  {
    id: "ensemble",
    words: ["ensemble", "members", "member", "forest"],
    says: "Several fits whose predictions are averaged, or that vote. What its members do not share averages out.",
  },
  {
    id: "boosting",
    words: ["boosting", "AdaBoost"],
    says: "Adding small learners one after the other, each made for what the others got wrong. It lowers the bias round by round.",
    lights: ["bias"],
  },
  {
    id: "diversity",
    words: ["diversity"],
    says: "How much the members of an ensemble disagree: exactly what their mean gains over the average member.",
  },
  {
    id: "estimator",
    words: ["estimators", "estimator", "unbiased"],
    says: "A rule that computes an estimate from a sample. It is unbiased if its mean over all samples is the true value.",
    formula: mrow(mi("bias"), mo("="), meanOf(`<mover><mi>θ</mi><mo>^</mo></mover>`), mo("−"), mi("θ")),
  },
  {
    id: "interpolation-threshold",
    words: ["interpolation threshold", "p = n", "p ≥ n"],
    says: "Where a model has just as many weights as there are training points: a single fit hits them all, at any price. The risk peaks there.",
    formula: mrow(mi("p"), mo("="), mi("n")),
    lights: ["threshold"],
  },
  {
    id: "double-descent",
    words: ["double descent", "second descent", "descent"],
    says: "The risk falls, rises to a peak where the training points are just hit, and falls again as the model grows further.",
    lights: ["risk", "median"],
  },
  {
    id: "median-risk",
    words: ["median risk", "median"],
    says: "The middle one of the risks of single training sets. It exists where a few terrible fits spoil the mean.",
    lights: ["median"],
  },
  {
    id: "cross-validation",
    words: ["cross-validation", "leave-one-out", "folds"],
    says: "Dividing the training set into folds, fitting without one of them and testing on it, in turn: an estimate of the risk without new data.",
  },
  {
    id: "degrees-of-freedom",
    words: ["degrees of freedom"],
    says: "How strongly fitted values follow their own labels: one number for the capacity of any learner.",
    formula: mrow(fraction(mn(1), sigmaSquared), sumOfN, mi("cov"), mo("("), indexed(mi("y"), mi("i")), mo(","), `<msub><mover><mi>y</mi><mo>^</mo></mover><mi>i</mi></msub>`, mo(")")),
  },
  {
    id: "interval",
    words: ["error bars", "error bands"],
    says: "Where the true value lies in 95 of 100 such runs. More training sets make it narrower; it says how exact the estimate is, not how good the learner.",
  },
];
