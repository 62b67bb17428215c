// The numbers as a table, on demand.
import { app, element } from "./app.js";
import { dialogHead } from "./dialogs.js";
import { lossNamed } from "./losses.js";
import { plain, plusMinus, several, short, withInterval } from "./numbers.js";
import { state } from "./state.js";
import { learnerOf, settingOf, settingWords, sliceOf } from "./view.js";

const COLUMNS = [
  ["bias2", "bias²"],
  ["variance", "variance"],
  ["risk", "risk"],
  ["test_risk", "testing error"],
  ["train_risk", "training error"],
  ["risk_median", "median risk"],
];

// A number with its interval; the median has a standard error instead.
function cell(frame, own, column, setting) {
  const value = own[column][setting];
  if (column === "risk_median") return plusMinus(value, frame.t95 * own.risk_median_se[setting]);
  return withInterval(value, own[`${column}_low`][setting], own[`${column}_high`][setting]);
}

// What the table is made from.
export function numbersFrom() {
  const { run } = app;
  const frame = run?.head && !run.head.pictured ? run.frameAt(state.drawn) : null;
  return frame ? [run, frame, learnerOf(run), settingOf(run, learnerOf(run))] : [run, null];
}

export function fillNumbers(dialog) {
  const { run } = app;
  const frame = run?.head && !run.head.pictured ? run.frameAt(state.drawn) : null;
  if (!frame) {
    dialog.replaceChildren(
      dialogHead("Numbers"),
      element(
        "p",
        {},
        run?.head?.pictured
          ? "The numbers are in the table, which Export saves (CSV)."
          : "No estimates yet: error bars need 4 training sets.",
      ),
    );
    return;
  }
  const learner = learnerOf(run);
  const head = run.head.learners[learner];
  const own = frame.learners[learner];
  const current = settingOf(run, learner);
  const axis = head.axes[0];
  const rows = sliceOf(run, learner).map((setting, i) =>
    element(
      "tr",
      { "aria-current": setting === current ? "true" : null },
      element("th", { scope: "row" }, axis ? short(axis.values[i]) : head.name),
      ...(run.head.rows ? [] : [element("td", {}, plain(own.noise[setting]))]),
      ...COLUMNS.map(([column]) => {
        const doubt = own.heavy[setting] && !["risk_median", "train_risk"].includes(column);
        return element(
          "td",
          { title: doubt ? "a mean may not exist here" : null },
          doubt ? "–" : cell(frame, own, column, setting),
        );
      }),
    ),
  );
  const heads = [axis ? axis.name : "learner", ...(run.head.rows ? [] : ["noise"]), ...COLUMNS.map(([, label]) => lossNamed(run.head, label))].map((label) =>
    element("th", { scope: "col" }, label),
  );
  const words = head.axes.length > 1 ? `, ${settingWords(run, learner)}` : "";
  dialog.replaceChildren(
    dialogHead(`${head.name}${words}`),
    element(
      "p",
      {},
      `From ${several(frame.count, "training set", "training sets")}; ± is half of a 95 % interval, + and − are its ends.${own.heavy.some((one) => one) ? " –: a mean may not exist there." : ""}`,
    ),
    element(
      "div",
      { class: "scroller", tabindex: "0", role: "region", "aria-label": "Numbers" },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)),
    ),
  );
}
