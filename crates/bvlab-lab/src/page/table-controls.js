// The controls of a table: which of its columns are drawn, which rows are held out, and how training sets are drawn
// from the others.
import { app, byId, element, refill } from "./app.js";
import { change, choose, experimentNow, row, typed, update } from "./fields.js";
import { columnChoices, columnName, columnsOf, drawsAgainst } from "./rows.js";
import { store } from "./state.js";

const RESAMPLES = [["bootstrap", "bootstraps"], ["halves", "halves"], ["disjoint", "disjoint sets"]];

const AGAINST = "against";

function chooseColumn(side, value) {
  if (!app.run?.head?.rows) return;
  const columns = columnsOf(app.run);
  columns[side] = Number(value);
  store.act("columns", { columns: value === AGAINST ? AGAINST : columns });
}

// The choice of columns below the rows.
export function showColumnKnobs(run) {
  const { head } = run;
  const choices = columnChoices(head);
  const names = choices.map((all) => all.map((column) => columnName(head, column)));
  const select = (side, id, label, more) =>
    element(
      "label",
      {},
      label,
      element(
        "select",
        { id, onchange: (event) => chooseColumn(side, event.target.value) },
        ...choices[side].map((column, i) => element("option", { value: String(column) }, names[side][i])),
        ...more,
      ),
    );
  const against = head.classes ? [] : [element("option", { value: AGAINST }, "predictions against labels")];
  refill(byId("column-knobs"), [names, Boolean(head.classes)], () => [
    select(0, "column-across", "across", against),
    select(1, "column-upward", "upward", []),
  ]);
  const shown = columnsOf(run).map(String);
  if (drawsAgainst(run)) shown[0] = AGAINST;
  ["column-across", "column-upward"].forEach((id, side) => {
    if (byId(id).value !== shown[side]) byId(id).value = shown[side];
  });
  byId("column-upward").disabled = drawsAgainst(run);
}

// A number of the problem; an empty field takes it back to what the experiment says.
function tableNumberRow(id, label, key, limits) {
  const set = typed((field) => change(id, [[`problem.${key}`, field.value === "" ? null : Number(field.value)]]));
  const field = element("input", { id, type: "number", ...limits, oninput: set, onchange: set });
  update(id, () => experimentNow().problem?.[key] ?? "");
  return row(id, label, field);
}

export function tableControls() {
  const { head } = app.run;
  const problem = () => experimentNow().problem ?? {};
  const resample = choose("control-resample", RESAMPLES, (name) => change("control-resample", [["problem.resample", name]]));
  update("control-resample", () => problem().resample ?? "bootstrap");
  // Rows may be held out by a column of the table.
  const shares = problem().test === undefined || typeof problem().test === "number";
  const held = shares
    ? tableNumberRow("control-held", "share held out", "test", { min: "0.05", max: "0.95", step: "0.05" })
    : null;
  return [
    element("h2", {}, "Problem"),
    element(
      "fieldset",
      {},
      element("p", { class: "about" }, `${problem().table}: ${head.rows.drawn + head.rows.held} rows`),
      row("control-resample", "training sets are", resample),
      tableNumberRow("control-train", "rows n", "train", { min: "2", step: "1", placeholder: "all" }),
      held,
    ),
  ];
}
