//! The columns of all tables: their names, types and meanings.
//!
//! Everything that writes or reads a column takes its name from here. [`TABLES`] describes every
//! column, and [`reference()`] makes `docs/columns.md` from it.

mod selection;

use std::fmt::Write;

/// What a column's cells are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Words; an empty one is a missing value.
    Text,
    /// 64-bit floating-point numbers; NaN is a missing value, an empty cell of CSV.
    Number,
    /// Whole numbers.
    Count,
}

impl ColumnType {
    fn name(self) -> &'static str {
        match self {
            ColumnType::Text => "text",
            ColumnType::Number => "number",
            ColumnType::Count => "count",
        }
    }
}

/// Which columns go with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnForm {
    /// The one of that name.
    Plain,
    /// That one, and its standard error `_se`.
    WithError,
    /// These two, and the ends `_low` and `_high` of the 95 % interval.
    WithInterval,
    /// In one dimension the one of that name; in several `x1`, `x2`, …
    ByInput,
    /// For numbers the one of that name; for classes `_0`, `_1`, …, one for each class.
    ByClass,
}

/// A column, or several that belong together.
#[derive(Clone, Copy, Debug)]
pub struct ColumnSchema {
    /// Its name.
    pub name: &'static str,
    /// Which others go with it.
    pub form: ColumnForm,
    /// What its cells are.
    pub cells: ColumnType,
    /// The unit of its numbers; empty where they have none.
    pub unit: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// When a table has it; empty for always.
    pub present: &'static str,
}

impl ColumnSchema {
    const fn new(name: &'static str, cells: ColumnType, meaning: &'static str) -> Self {
        ColumnSchema {
            name,
            form: ColumnForm::Plain,
            cells,
            unit: "",
            meaning,
            present: "",
        }
    }

    const fn text(name: &'static str, meaning: &'static str) -> Self {
        ColumnSchema::new(name, ColumnType::Text, meaning)
    }

    const fn number(name: &'static str, meaning: &'static str) -> Self {
        ColumnSchema::new(name, ColumnType::Number, meaning)
    }

    const fn count(name: &'static str, meaning: &'static str) -> Self {
        ColumnSchema::new(name, ColumnType::Count, meaning)
    }

    const fn unit(self, unit: &'static str) -> Self {
        ColumnSchema { unit, ..self }
    }

    const fn form(self, form: ColumnForm) -> Self {
        ColumnSchema { form, ..self }
    }

    const fn when(self, present: &'static str) -> Self {
        ColumnSchema { present, ..self }
    }

    /// Whether it describes the column of that name.
    pub fn describes(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.name);
        let number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        match (rest, self.form) {
            (None, _) => false,
            (Some(""), _) => true,
            (Some("_se"), ColumnForm::WithError | ColumnForm::WithInterval) => true,
            (Some("_low" | "_high"), ColumnForm::WithInterval) => true,
            (Some(rest), ColumnForm::ByInput) => number(rest),
            (Some(rest), ColumnForm::ByClass) => rest.strip_prefix('_').is_some_and(number),
            _ => false,
        }
    }

    /// Its names, for people.
    fn names(&self) -> String {
        let name = self.name;
        match self.form {
            ColumnForm::Plain => format!("`{name}`"),
            ColumnForm::WithError => format!("`{name}`, `{name}_se`"),
            ColumnForm::WithInterval => {
                format!("`{name}`, `{name}_se`, `{name}_low`, `{name}_high`")
            }
            ColumnForm::ByInput => format!("`{name}`, or `{name}1`, `{name}2`, …"),
            ColumnForm::ByClass => format!("`{name}`, or `{name}_0`, `{name}_1`, …"),
        }
    }
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct TableSchema {
    /// Its name, as its file is called.
    pub name: &'static str,
    /// What its rows are.
    pub rows: &'static str,
    /// Its columns, in order.
    pub columns: &'static [ColumnSchema],
}

impl TableSchema {
    /// What describes a column.
    pub fn column(&self, name: &str) -> Option<&'static ColumnSchema> {
        self.columns.iter().find(|column| column.describes(name))
    }
}

/// The table of that name.
pub fn table(name: &str) -> Option<&'static TableSchema> {
    TABLES.iter().find(|table| table.name == name)
}

/// The column of a standard error.
pub fn se_of(name: &str) -> String {
    format!("{name}_se")
}

/// The column of the lower end of an interval.
pub fn low_of(name: &str) -> String {
    format!("{name}_low")
}

/// The column of the upper end of an interval.
pub fn high_of(name: &str) -> String {
    format!("{name}_high")
}

/// The column of a coordinate of an input, the first of which has the number 0.
pub fn input(dimension: usize, number: usize) -> String {
    match dimension {
        1 => X.to_owned(),
        _ => format!("{X}{}", number + 1),
    }
}

/// The columns of a prediction: one, or one for every class.
pub fn outputs(name: &str, classes: usize) -> Vec<String> {
    match classes {
        0 => vec![name.to_owned()],
        classes => (0..classes).map(|k| format!("{name}_{k}")).collect(),
    }
}

/// The column of the variance of a source, named as in [`bvlab_core::decompose::SOURCES`].
pub fn variance_of_source(source: &str) -> String {
    format!("{VARIANCE}_{source}")
}

macro_rules! names {
    ($($constant:ident = $name:literal),* $(,)?) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: &str = $name;
        )*
    };
}

names! {
    // Tables.
    CURVES = "curves",
    POINTS = "points",
    TRAINING = "training",
    FITS = "fits",
    RUNS = "runs",
    SIMULATION = "simulation",
    VARIANTS = "variants",
    SIMULATION_VARIANTS = "simulation-variants",
    CLAIMS = "claims",
    SELECTION = "selection",
    CHOICES = "choices",
    ESTIMATES = "estimates",
    // Which setting.
    LEARNER = "learner",
    AXIS = "axis",
    VALUE = "value",
    AXIS2 = "axis2",
    VALUE2 = "value2",
    TRAIN = "train",
    RESAMPLES = "resamples",
    RESAMPLE = "resample",
    // Parts of the error.
    NOISE = "noise",
    NOISE_SE = "noise_se",
    BIAS2 = "bias2",
    VARIANCE = "variance",
    RISK = "risk",
    TRAIN_RISK = "train_risk",
    TEST_RISK = "test_risk",
    RISK_Q25 = "risk_q25",
    RISK_MEDIAN = "risk_median",
    RISK_MEDIAN_SE = "risk_median_se",
    RISK_Q75 = "risk_q75",
    LARGEST_SHARE = "largest_share",
    LEFT_OUT = "left_out",
    ZERO_SHARE = "zero_share",
    BIAS2_EXACT = "bias2_exact",
    VARIANCE_EXACT = "variance_exact",
    LABEL_NOISE_BOUND = "label_noise_bound",
    RANK = "rank",
    CONDITION = "condition",
    WEIGHT_NORM = "weight_norm",
    MEMBER_RISK = "member_risk",
    AVERAGE_BIAS = "average_bias",
    AVERAGE_VARIANCE = "average_variance",
    DIVERSITY = "diversity",
    DIVERSITY_GAP = "diversity_gap",
    MEMBER_CORRELATION = "member_correlation",
    VARIANCE_SHARED = "variance_shared",
    VARIANCE_FROM_MEMBERS = "variance_from_members",
    DOUBT = "doubt",
    BEST = "best",
    RISK_ABOVE_BEST = "risk_above_best",
    RISK_ABOVE_BEST_SE = "risk_above_best_se",
    DF = "df",
    OPTIMISM = "optimism",
    EFFECTIVE_PARAMETERS = "effective_parameters",
    // Selection.
    METHOD = "method",
    ESTIMATE = "estimate",
    SPREAD = "spread",
    BIAS = "bias",
    CHOSEN = "chosen",
    CHOSEN_ONE_SE = "chosen_one_se",
    CORRELATION_FIT = "correlation_fit",
    CORRELATION_INPUTS = "correlation_inputs",
    DISTANCE_FIT = "distance_fit",
    DISTANCE_EXPECTED = "distance_expected",
    COVERAGE = "coverage",
    REGRET = "regret",
    REGRET_OWN = "regret_own",
    CLAIMED = "claimed",
    CLAIMED_BIAS = "claimed_bias",
    CLAIMED_DISTANCE = "claimed_distance",
    CLAIMED_CORRELATION = "claimed_correlation",
    CLAIMED_COVERAGE = "claimed_coverage",
    ONE_SE_RISK = "one_se_risk",
    ONE_SE_REGRET = "one_se_regret",
    // Data and predictions.
    X = "x",
    Y = "y",
    NOISE_SD = "noise_sd",
    TRUTH = "truth",
    MEAN = "mean",
    PREDICTION = "prediction",
    // Simulations.
    PANEL = "panel",
    SERIES = "series",
    SE = "se",
    THEORY = "theory",
    // Variants and claims.
    VARIANT = "variant",
    CLAIM = "claim",
    LEFT = "left",
    RIGHT = "right",
    VERDICT = "verdict",
}

const LOSS: &str = "loss";
const LABELS: &str = "labels";
const SHARE: &str = "share";

const TWO_WAY: &str = "in a two-way sweep";
const ZERO_ONE: &str = "under zero-one loss";
const SOURCES: &str = "with `run.sources`";
const DIVERSE: &str = "with `run.diversity`";
const EXACT: &str = "where some learner's exact forms are known: on fixed inputs for the linear \
    smoothers `knn`, `kernel`, `local`, `spline`, `polynomial`, `gaussians`, `linear` and \
    `components`, for least squares on normal inputs with a `{ linear = … }` or `{ weights = … }` truth, and \
    for the estimates of densities `histogram` and `kernel-density` with a Gaussian or uniform kernel";
const DEGREES: &str = "with `run.df`";
const WEIGHTS: &str =
    "where some learner solves for weights (`fourier`, `features`, `linear`, `polynomial`)";
const BOUNDED: &str = "where some learner takes weights of minimum norm on features of full rank, at drawn \
    inputs and test points and constant noise: `linear` without intercept on normal inputs, `fourier`, and \
    projections by `features`, at λ = 0";

const OF_LEARNER: ColumnSchema = ColumnSchema::text(LEARNER, "the learner's name");
const OF_AXIS: ColumnSchema =
    ColumnSchema::text(AXIS, "the swept parameter; empty where nothing is swept");
const OF_VALUE: ColumnSchema = ColumnSchema::number(VALUE, "its value");
const OF_AXIS2: ColumnSchema =
    ColumnSchema::text(AXIS2, "the second swept parameter").when(TWO_WAY);
const OF_VALUE2: ColumnSchema = ColumnSchema::number(VALUE2, "its value").when(TWO_WAY);
const OF_RESAMPLE: ColumnSchema =
    ColumnSchema::count(RESAMPLE, "the number of the training set, from 0");
const OF_INPUT: ColumnSchema =
    ColumnSchema::number(X, "the input, or its coordinates").form(ColumnForm::ByInput);

const fn part(name: &'static str, meaning: &'static str) -> ColumnSchema {
    let column = ColumnSchema::number(name, meaning).unit(LOSS);
    column.form(ColumnForm::WithInterval)
}

const fn estimate(
    name: &'static str,
    meaning: &'static str,
    present: &'static str,
) -> ColumnSchema {
    let column = ColumnSchema::number(name, meaning).unit(LOSS).when(present);
    column.form(ColumnForm::WithError)
}

/// The columns of `curves`.
const CURVE_COLUMNS: &[ColumnSchema] = &[
    OF_LEARNER,
    OF_AXIS,
    OF_VALUE,
    OF_AXIS2,
    OF_VALUE2,
    ColumnSchema::count(TRAIN, "the number of points in a training set"),
    ColumnSchema::count(RESAMPLES, "how many training sets were drawn"),
    ColumnSchema::number(
        NOISE,
        "the noise, which is known; missing for tables of real data, and 0 for densities",
    )
    .unit(LOSS),
    ColumnSchema::number(
        NOISE_SE,
        "its standard error: 0 unless it is an average over drawn test points, or its \
                 factor is estimated (Domingos)",
    )
    .unit(LOSS),
    part(
        BIAS2,
        "bias², unbiased and therefore possibly negative; for tables of real data \
                with the noise",
    ),
    part(VARIANCE, "variance, unbiased"),
    part(
        RISK,
        "noise + bias² + variance; for densities the mean integrated squared error or excess log-loss, \
         all parts being integrals over x",
    ),
    part(
        TRAIN_RISK,
        "the error on the training set; missing for densities",
    ),
    part(
        TEST_RISK,
        "the error measured on fresh labels; for densities against the true density",
    ),
    ColumnSchema::number(
        RISK_Q25,
        "the lower quartile of the risk over training sets",
    )
    .unit(LOSS),
    ColumnSchema::number(RISK_MEDIAN, "the median of the risk over training sets").unit(LOSS),
    ColumnSchema::number(RISK_MEDIAN_SE, "its standard error").unit(LOSS),
    ColumnSchema::number(
        RISK_Q75,
        "the upper quartile of the risk over training sets",
    )
    .unit(LOSS),
    ColumnSchema::number(
        LARGEST_SHARE,
        "how much of bias² + variance a single training set makes up",
    )
    .unit(SHARE),
    ColumnSchema::number(
        LEFT_OUT,
        "how much of the inputs' distribution lies beyond the grid",
    )
    .unit(SHARE)
    .when("with a test grid over normal inputs, or a density"),
    ColumnSchema::number(
        ZERO_SHARE,
        "how many predicted probabilities were exactly 0",
    )
    .unit(SHARE)
    .when("under cross-entropy"),
    estimate("bayes_error", "the least possible error", ZERO_ONE),
    estimate("domingos_noise", "Domingos' noise", ZERO_ONE),
    estimate("domingos_bias", "Domingos' bias", ZERO_ONE),
    estimate("domingos_variance", "Domingos' variance", ZERO_ONE),
    estimate(
        "domingos_variance_right",
        "its part where the main prediction is right",
        ZERO_ONE,
    ),
    estimate(
        "domingos_variance_wrong",
        "its part where the main prediction is wrong",
        ZERO_ONE,
    ),
    estimate(
        "domingos_noise_effect",
        "Domingos' noise times its factor",
        ZERO_ONE,
    ),
    estimate(
        "domingos_variance_effect",
        "Domingos' variance times its factor",
        ZERO_ONE,
    ),
    estimate("kw_noise", "the noise of Kohavi and Wolpert", ZERO_ONE),
    estimate("kw_bias2", "the bias² of Kohavi and Wolpert", ZERO_ONE),
    estimate(
        "kw_variance",
        "the variance of Kohavi and Wolpert",
        ZERO_ONE,
    ),
    estimate("effect_noise", "the risk of the Bayes rule", ZERO_ONE),
    estimate(
        "effect_bias",
        "the risk of the main prediction minus that of the Bayes rule",
        ZERO_ONE,
    ),
    estimate(
        "effect_variance",
        "the risk minus that of the main prediction",
        ZERO_ONE,
    ),
    estimate(
        MEMBER_RISK,
        "the mean risk of the ensemble's members",
        DIVERSE,
    ),
    estimate(AVERAGE_BIAS, "the mean bias of the members", DIVERSE),
    estimate(
        AVERAGE_VARIANCE,
        "the mean variance of the members",
        DIVERSE,
    ),
    estimate(
        DIVERSITY,
        "by how much the members differ from their combination",
        DIVERSE,
    ),
    estimate(
        DIVERSITY_GAP,
        "by how much the risk differs from noise + average bias + average variance − \
                 diversity: 0 where the combination suits the loss",
        DIVERSE,
    ),
    ColumnSchema::number(
        DF,
        "degrees of freedom Σ Cov(ŷᵢ, yᵢ)/σᵢ² given the inputs: the trace of a linear smoother, \
         otherwise estimated",
    )
    .form(ColumnForm::WithError)
    .when("with `run.df`, where labels are numbers"),
    estimate(
        OPTIMISM,
        "the error on other labels at the training inputs minus that on the training labels",
        DEGREES,
    ),
    ColumnSchema::number(
        BIAS2_EXACT,
        "exact bias²; infinite where it has no finite value",
    )
    .unit(LOSS)
    .when(EXACT),
    ColumnSchema::number(
        VARIANCE_EXACT,
        "exact variance; infinite where it has no finite value",
    )
    .unit(LOSS)
    .when(EXACT),
    ColumnSchema::number(
        LABEL_NOISE_BOUND,
        "lower bound on the label noise's part of the variance, σ² min(n, p)/(|n - p| + 1)",
    )
    .unit(LOSS)
    .when(BOUNDED),
    ColumnSchema::number(
        RANK,
        "rank of the features, median over the first 24 training sets",
    )
    .when(WEIGHTS),
    ColumnSchema::number(CONDITION, "condition of the features, median likewise").when(WEIGHTS),
    ColumnSchema::number(WEIGHT_NORM, "norm of the weights, median likewise").when(WEIGHTS),
    estimate(
        "variance_inputs",
        "variance due to the inputs of the training set",
        SOURCES,
    ),
    estimate(
        "variance_noise",
        "variance due to the noise in its labels",
        SOURCES,
    ),
    estimate(
        "variance_algorithm",
        "variance due to the algorithm's own randomness",
        SOURCES,
    ),
    estimate(
        "variance_inputs_noise",
        "interaction of inputs and noise",
        SOURCES,
    ),
    estimate(
        "variance_inputs_algorithm",
        "interaction of inputs and algorithm",
        SOURCES,
    ),
    estimate(
        "variance_noise_algorithm",
        "interaction of noise and algorithm",
        SOURCES,
    ),
    estimate(
        "variance_inputs_noise_algorithm",
        "interaction of all three",
        SOURCES,
    ),
    ColumnSchema::number(
        MEMBER_CORRELATION,
        "correlation ρ of two members over training sets",
    )
    .form(ColumnForm::WithError)
    .when("for ensembles, with `run.sources` or `run.diversity`"),
    ColumnSchema::number(
        VARIANCE_SHARED,
        "the variance ρt² that no number of members removes",
    )
    .unit(LOSS)
    .when("for ensembles, with `run.sources`"),
    ColumnSchema::number(
        VARIANCE_FROM_MEMBERS,
        "the variance ρt² + (1−ρ)t²/M that the largest ensemble predicts for M members",
    )
    .unit(LOSS)
    .when("for ensembles, with `run.sources`"),
    ColumnSchema::number(
        EFFECTIVE_PARAMETERS,
        "n times the mean squared length of the weights that predictions at the test points \
         give to the labels, averaged over the first 24 training sets",
    )
    .form(ColumnForm::WithError)
    .when("with `run.df`, where some learner is a linear smoother given inputs and features"),
    ColumnSchema::text(
        DOUBT,
        "why a mean or its interval cannot be trusted (`infinite-mean`, `infinite-spread`, \
                 `heavy-tail`, `heavy-noise`, `few-resamples`, `few-points`, `coarse-grid`); empty \
                 where it can",
    ),
    ColumnSchema::text(
        BEST,
        "`best` at the learner's best setting; `lowest` at the setting with the lowest risk \
                 where it cannot be called best; `tied` at settings that cannot be distinguished \
                 from it; else empty (see [results.md](results.md#the-best-setting))",
    ),
    ColumnSchema::number(
        RISK_ABOVE_BEST,
        "the risk minus that of the learner's best setting, from the same training sets; \
                 missing where a mean may not exist",
    )
    .unit(LOSS),
    ColumnSchema::number(
        RISK_ABOVE_BEST_SE,
        "the standard error of this paired difference; 0 where exact risks decide",
    )
    .unit(LOSS),
];

/// The columns of a simulation's table.
const SIMULATION_COLUMNS: &[ColumnSchema] = &[
    ColumnSchema::text(PANEL, "the panel of the figure"),
    ColumnSchema::text(SERIES, "the curve in the panel"),
    ColumnSchema::number(X, "the place on the horizontal axis"),
    ColumnSchema::number(VALUE, "what was simulated"),
    ColumnSchema::number(SE, "its standard error"),
    ColumnSchema::number(THEORY, "what theory says; missing where it says nothing"),
];

const OF_VARIANT: ColumnSchema = ColumnSchema::text(VARIANT, "the variant's name");

/// The same columns after the name of a variant.
const fn of_variants<const N: usize>(columns: &[ColumnSchema]) -> [ColumnSchema; N] {
    let mut all = [OF_VARIANT; N];
    let mut i = 0;
    while i < columns.len() {
        all[i + 1] = columns[i];
        i += 1;
    }
    all
}

/// All tables and their columns, in the order of files.
pub const TABLES: &[TableSchema] = &[
    TableSchema {
        name: CURVES,
        rows: "one row per learner and setting: the parts of the error, averaged over the \
            distribution of the inputs (also as `curves.csv`)",
        columns: CURVE_COLUMNS,
    },
    TableSchema {
        name: POINTS,
        rows: "one row per learner, setting and test point: the parts of the error at that point",
        columns: &[
            OF_LEARNER,
            OF_AXIS,
            OF_VALUE,
            OF_AXIS2,
            OF_VALUE2,
            OF_INPUT,
            ColumnSchema::number(
                TRUTH,
                "the best possible prediction: the truth, the density, or the classes' probabilities",
            )
            .unit(LABELS)
            .form(ColumnForm::ByClass),
            ColumnSchema::number(NOISE, "the noise; missing for tables of real data").unit(LOSS),
            ColumnSchema::number(
                MEAN,
                "the mean prediction; under zero-one loss the shares of votes, under cross-entropy the normalised \
                 geometric mean, under log-loss the geometric mean",
            )
            .unit(LABELS)
            .form(ColumnForm::ByClass),
            ColumnSchema::number(BIAS2, "bias²").unit(LOSS),
            ColumnSchema::number(VARIANCE, "variance").unit(LOSS),
        ],
    },
    TableSchema {
        name: TRAINING,
        rows: "one row per training point of the first training sets",
        columns: &[
            OF_RESAMPLE,
            ColumnSchema::count(TRAIN, "the number of points in the training set")
                .when("where training sizes or noise are swept"),
            ColumnSchema::number(NOISE_SD, "the standard deviation of the noise at the point")
                .unit(LABELS)
                .when("where training sizes or noise are swept"),
            OF_INPUT,
            ColumnSchema::number(Y, "the label, or the class's number; 0 for densities").unit(LABELS),
        ],
    },
    TableSchema {
        name: FITS,
        rows: "one row per learner, setting, test point and one of the first training sets",
        columns: &[
            OF_LEARNER,
            OF_VALUE,
            OF_VALUE2,
            OF_RESAMPLE,
            OF_INPUT,
            ColumnSchema::number(PREDICTION, "the prediction of the fit to that training set")
                .unit(LABELS)
                .form(ColumnForm::ByClass),
        ],
    },
    TableSchema {
        name: RUNS,
        rows: "one row per learner, setting and one of the first training sets",
        columns: &[
            OF_LEARNER,
            OF_VALUE,
            OF_VALUE2,
            OF_RESAMPLE,
            ColumnSchema::number(RISK, "the risk of the fit to that training set").unit(LOSS),
            ColumnSchema::number(TRAIN_RISK, "its error on the training set").unit(LOSS),
            ColumnSchema::number(DIVERSITY, "the diversity of the ensemble")
                .unit(LOSS)
                .when(DIVERSE),
        ],
    },
    selection::SELECTION_TABLE,
    selection::CHOICES_TABLE,
    selection::ESTIMATES_TABLE,
    TableSchema {
        name: SIMULATION,
        rows: "in place of all other tables, what a simulation found: one row per panel, series and \
            x (also as `simulation.csv`)",
        columns: SIMULATION_COLUMNS,
    },
    TableSchema {
        name: VARIANTS,
        rows: "the table `curves` of every variant, for experiments that have any",
        columns: &of_variants::<{ CURVE_COLUMNS.len() + 1 }>(CURVE_COLUMNS),
    },
    TableSchema {
        name: SIMULATION_VARIANTS,
        rows: "the table `simulation` of every variant, for simulations that have any",
        columns: &of_variants::<{ SIMULATION_COLUMNS.len() + 1 }>(SIMULATION_COLUMNS),
    },
    TableSchema {
        name: CLAIMS,
        rows: "one row per claim, for experiments that make any (also as `claims.csv`; see \
            [claims.md](claims.md))",
        columns: &[
            ColumnSchema::text(CLAIM, "the claim as it is written"),
            ColumnSchema::number(
                LEFT,
                "the number on its left; of a chain, that of its weakest link; of a best setting, \
                 the lowest risk inside the range; missing where it is not known",
            ),
            ColumnSchema::number(
                RIGHT,
                "the number on its right; of a range its nearer end, of a published value that \
                 value, and of a best setting the risk outside the range that comes nearest",
            ),
            ColumnSchema::number(SE, "the standard error of their difference"),
            ColumnSchema::text(VERDICT, "`holds`, `refuted` or `undecided`"),
        ],
    },
];

/// The reference of all columns, in Markdown.
pub fn reference() -> String {
    let mut text = String::from(INTRODUCTION);
    for table in TABLES {
        let _ = write!(
            text,
            "\n## `{}`\n\n{}.\n\n| column | type | unit | meaning | present |\n|---|---|---|---|---|\n",
            table.name,
            capitalised(table.rows)
        );
        // Those that are described above are not described again.
        let known = match table.name {
            VARIANTS => Some(CURVES),
            SIMULATION_VARIANTS => Some(SIMULATION),
            _ => None,
        };
        for column in &table.columns[..known.map_or(table.columns.len(), |_| 1)] {
            let present = match column.present {
                "" => "always",
                present => present,
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {present} |",
                column.names(),
                column.cells.name(),
                column.unit,
                column.meaning,
            );
        }
        if let Some(known) = known {
            let _ = writeln!(text, "\nThe other columns are those of `{known}`.");
        }
    }
    text
}

const INTRODUCTION: &str = "\
# Columns of the tables

This page is generated from `crates/bvlab-outcome/src/columns.rs`; `BVLAB_BLESS=1 cargo test --release columns` \
rewrites it.

Every table is a Parquet file in the folder of results; the first one is also written as CSV. A missing number \
is NaN in Parquet and an empty cell in CSV. A column that ends with `_se` is the standard error of the one without, \
and `_low` and `_high` are the ends of its 95 % interval ([intervals.md](intervals.md)).

Units: `loss` is the unit of the loss (squared units of the labels; the Brier score; nats; a share of errors), \
`labels` that of the labels (for classes, probabilities), `share` a number from 0 to 1.

The pairs of the simulation `member-dependence` are a square: the row of `member 3` at x = 7 is its pair with \
member 7, bagged where x is the larger number, with data of their own where it is the smaller.
";

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bvlab_core::decompose::{DIVERSITY as NAMES, SOURCES};

    #[test]
    fn no_column_is_described_twice() {
        for table in TABLES {
            for (i, column) in table.columns.iter().enumerate() {
                let others = table.columns[..i].iter();
                let twice = others.filter(|other| other.describes(column.name)).count();
                assert_eq!(twice, 0, "{} {}", table.name, column.name);
            }
        }
    }

    #[test]
    fn what_the_core_names_is_described() {
        let curves = table(CURVES).unwrap();
        let sources = SOURCES.iter().map(|(_, name)| variance_of_source(name));
        for name in NAMES.map(str::to_owned).into_iter().chain(sources) {
            assert!(curves.column(&name).is_some(), "{name}");
            assert!(curves.column(&se_of(&name)).is_some(), "{name}");
        }
        assert!(curves.column("variance_nothing").is_none());
    }

    #[test]
    fn numbered_columns_are_described() {
        let points = table(POINTS).unwrap();
        for name in ["x", "x1", "x50", "truth", "truth_0", "mean_12"] {
            assert!(points.column(name).is_some(), "{name}");
        }
        for name in ["x_1", "truth0", "bias2_se", "xy"] {
            assert!(points.column(name).is_none(), "{name}");
        }
    }
}
