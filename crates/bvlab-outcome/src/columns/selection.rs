//! The columns of what methods of selection did.

use super::*;

const SELECTED: &str = "with `run.select`";
const OF_METHOD: ColumnSchema = ColumnSchema::text(METHOD, "the method of selection");

const fn measured(name: &'static str, meaning: &'static str) -> ColumnSchema {
    let column = ColumnSchema::number(name, meaning);
    column.form(ColumnForm::WithError)
}

pub(super) const SELECTION_TABLE: TableSchema = TableSchema {
    name: SELECTION,
    rows: "only with `run.select`: one row per learner, method and setting: its estimate of the risk over \
        training sets (also as `selection.csv`; see [selection.md](selection.md))",
    columns: &[
        OF_LEARNER,
        OF_METHOD,
        OF_AXIS,
        OF_VALUE,
        OF_AXIS2,
        OF_VALUE2,
        estimate(
            ESTIMATE,
            "the mean estimate of the risk; of `aic`, `bic` and `adjusted-r2` the criterion",
            SELECTED,
        ),
        ColumnSchema::number(SPREAD, "its standard deviation over training sets").unit(LOSS),
        estimate(
            BIAS,
            "the mean estimate minus the risk of `curves`; missing for a criterion that does not estimate \
             the risk, as are the columns from `correlation_fit` on",
            SELECTED,
        ),
        ColumnSchema::number(CHOSEN, "how many training sets choose the setting").unit(SHARE),
        ColumnSchema::number(
            CHOSEN_ONE_SE,
            "the same by the one-standard-error rule; missing where the method has no standard error",
        )
        .unit(SHARE),
        measured(
            CORRELATION_FIT,
            "correlation, over training sets, of the estimate with the risk of the fit to the same \
             training set",
        ),
        measured(
            CORRELATION_INPUTS,
            "correlation of the estimate with the risk averaged over labels at the same inputs; missing \
             where inputs are fixed",
        ),
        measured(
            DISTANCE_FIT,
            "mean squared distance of the estimate from the risk of the fit to the same training set",
        )
        .unit("loss²"),
        measured(
            DISTANCE_EXPECTED,
            "mean squared distance of the estimate from the expected risk",
        )
        .unit("loss²"),
        measured(
            COVERAGE,
            "how often the estimate ± 1.96 naive standard errors contains the risk of the fit to the same \
             training set",
        )
        .unit(SHARE),
    ],
};

pub(super) const CHOICES_TABLE: TableSchema = TableSchema {
    name: CHOICES,
    rows: "only with `run.select`: one row per learner and method: what its choices are worth (also as \
        `choices.csv`)",
    columns: &[
        OF_LEARNER,
        OF_METHOD,
        OF_AXIS2,
        OF_VALUE2,
        estimate(
            RISK,
            "the true risk of the chosen setting, fitted to the whole training set",
            SELECTED,
        ),
        estimate(
            REGRET,
            "this minus the risk of the best fixed setting, from the same training sets; may be negative",
            SELECTED,
        ),
        estimate(
            REGRET_OWN,
            "this minus the risk of every training set's own best setting",
            SELECTED,
        ),
        estimate(
            CLAIMED,
            "what the method says of the risk of its choice: the estimate at the chosen setting, or of \
             `nested-K-fold` the outer cross-validation",
            SELECTED,
        ),
        estimate(
            CLAIMED_BIAS,
            "`claimed` minus `risk`: negative where choosing the minimum is optimistic",
            SELECTED,
        ),
        measured(CLAIMED_DISTANCE, "mean squared distance of the two").unit("loss²"),
        measured(
            CLAIMED_CORRELATION,
            "correlation of the two over training sets",
        ),
        measured(
            CLAIMED_COVERAGE,
            "how often `claimed` ± 1.96 naive standard errors contains the true risk of the choice",
        )
        .unit(SHARE),
        estimate(
            ONE_SE_RISK,
            "the true risk of the choice of the one-standard-error rule; missing where there is none",
            SELECTED,
        ),
        estimate(
            ONE_SE_REGRET,
            "this minus the risk of the best fixed setting",
            SELECTED,
        ),
    ],
};

pub(super) const ESTIMATES_TABLE: TableSchema = TableSchema {
    name: ESTIMATES,
    rows: "only with `run.select`: one row per learner, method, setting and one of the first training sets",
    columns: &[
        OF_LEARNER,
        OF_METHOD,
        OF_VALUE,
        OF_VALUE2,
        OF_RESAMPLE,
        ColumnSchema::number(ESTIMATE, "the estimate from that training set").unit(LOSS),
        ColumnSchema::count(CHOSEN, "1 at the chosen setting, else 0"),
    ],
};
