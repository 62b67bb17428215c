// The controls of the learners: families, their parameters and choices, and what is swept.
import { app, byId, element } from "./app.js";
import { familiesNow, hasClasses } from "./class-controls.js";
import { change, choose, experimentNow, familyCalled, panel, row, trainNow, typed, update, widthNow } from "./fields.js";
import { bare, familyIn, freshLearner, parametersIn, plannedLearners } from "./learner-plan.js";
import { DATA_SWEEPS, neededValue, sweepFrom, sweepText, sweepValues } from "./suggestions.js";

const SWEEP_FORMS = "1..40, or 1, 2, 5, or 0.01 to 10, 30 values, log";

export function learnersNow() {
  return panel.learners ?? experimentNow().learner ?? [];
}

export const familyOf = (learner) => familyIn(app.lab.families, learner);

const parametersOf = (family, learners) => parametersIn(app.lab.families, family, learners);

const dimensionNow = () => app.run?.head?.dimension ?? 1;
const needed = (parameter) => neededValue(parameter, trainNow(), widthNow(), dimensionNow());

// Values to sweep a parameter over, or the data by their name.
function suggested(name, parameters) {
  const parameter = parameters.find((one) => one.name === name);
  return parameter ? sweepValues(parameter, trainNow(), widthNow(), dimensionNow()) : (DATA_SWEEPS[name] ?? "1..10");
}

// What is swept for a learner: by a sweep of its own, or by that of all.
function sweptOf(learner) {
  return Object.keys(learner?.sweep ?? experimentNow().sweep ?? {}).map(bare);
}

// Sets all learners, and what is swept with them.
function setLearners(id, wanted, wantedSweep = null, more = {}) {
  const material = { families: app.lab.families, needed, suggested, data: Object.keys(DATA_SWEEPS) };
  const { learners, sweep } = plannedLearners(material, wanted, wantedSweep ?? experimentNow().sweep ?? {});
  panel.learners = learners;
  const swept = Object.keys(sweep).length > 0;
  const pairs = [["learner", learners], ...(swept ? [["sweep", sweep]] : [])];
  const any = swept || learners.some((learner) => learner.sweep);
  change(id, [...pairs, ["figure", any ? [{ tradeoff: {} }] : []]], { at: {}, ...more });
}

// Its name, and what formulas call it if that is another word.
export function parameterLabel({ name, symbol }) {
  return symbol && symbol !== name ? `${name} ${symbol}` : name;
}

function parameterField(id, parameter, path, get) {
  const swept = sweptOf(learnersNow()[path[1]]).includes(parameter.name);
  const limits = parameter.default === null ? "" : parameter.default === Infinity ? "no limit" : String(parameter.default);
  const set = typed((field) => {
    if (field.value.trim() === "") {
      // Back to what it is without: the learners are said anew.
      const learners = structuredClone(learnersNow());
      const holder = path.slice(1, -1).reduce((at, name) => at?.[name], learners);
      if (holder) delete holder[parameter.name];
      setLearners(id, learners, experimentNow().sweep ?? {});
    } else change(id, [[path.join("."), Number(field.value)]]);
  });
  const field = element("input", {
    id,
    type: "number",
    step: parameter.whole ? "1" : "any",
    min: parameter.least,
    max: parameter.most,
    placeholder: swept ? "swept" : limits,
    title: parameter.meaning,
    oninput: set,
    onchange: set,
  });
  field.disabled = swept;
  update(id, () => get()?.[parameter.name] ?? "");
  return row(id, parameterLabel(parameter), field, { title: parameter.meaning });
}

function choiceField(id, option, path, get) {
  const select = choose(
    id,
    option.options.map((one) => [String(one), String(one)]),
    (value) => change(id, [[path.join("."), value === "true" ? true : value === "false" ? false : value]]),
  );
  update(id, () => String(get()?.[option.name] ?? option.options[0]));
  return row(id, option.name, select, { title: option.meaning });
}

function fieldsOf(prefix, family, path, get) {
  return [
    ...family.parameters.map((one) => parameterField(`${prefix}-${one.name}`, one, [...path, one.name], get)),
    ...family.choices.filter((option) => hasClasses() || !option.classesOnly).map((option) => choiceField(`${prefix}-${option.name}`, option, [...path, option.name], get)),
  ];
}

function learnerControls(learner, i, count) {
  const family = familyOf(learner);
  const id = `control-learner-${i}`;
  const flat = (app.run?.head?.dimension ?? 1) === 1;
  const select = choose(
    id,
    familiesNow().filter((one) => flat || !one.oneDimensional).map((one) => [one.name, one.name]),
    (name) => {
      const learners = structuredClone(learnersNow());
      const own = learners[i].reference ? { reference: true } : {};
      learners[i] = { ...own, ...freshLearner(familyCalled(name), needed) };
      setLearners(id, learners);
    },
  );
  update(id, () => familyOf(learnersNow()[i])?.name);
  const get = () => experimentNow().learner?.[i]?.[family?.name];
  const inside = family ? fieldsOf(id, family, ["learner", i, family.name], get) : [];
  if (family?.base) {
    const base = familyOf(learner[family.name]?.base);
    const baseId = `${id}-base`;
    inside.push(
      row(
        baseId,
        "made of",
        choose(
          baseId,
          familiesNow()
            .filter((one) => !one.base && (flat || !one.oneDimensional))
            .map((one) => [one.name, one.name]),
          (name) => {
            const learners = structuredClone(learnersNow());
            learners[i][family.name].base = freshLearner(familyCalled(name), needed);
            setLearners(baseId, learners);
          },
        ),
      ),
    );
    update(baseId, () => familyOf(experimentNow().learner?.[i]?.[family.name]?.base)?.name);
    if (base)
      inside.push(
        ...fieldsOf(baseId, base, ["learner", i, family.name, "base", base.name], () => get()?.base?.[base.name]),
      );
  }
  if (learner.sweep) inside.push(...ownSweepFields(id, i, family));
  const remove =
    count < 2
      ? null
      : element(
          "button",
          {
            type: "button",
            id: `${id}-remove`,
            onclick: () => {
              const others = structuredClone(learnersNow()).filter((_, at) => at !== i);
              setLearners(id, others, null, { learner: 0 });
            },
          },
          "Remove",
        );
  const name = learner.name ?? family?.name ?? "learner";
  return element(
    "fieldset",
    { class: "learner" },
    element("legend", { class: "hidden" }, `Learner ${i + 1}: ${name}`),
    row(id, count > 1 ? `learner ${i + 1}` : "learner", select, { title: family?.meaning ?? null }),
    ...inside,
    remove,
  );
}

// The sweep of a learner that has one of its own.
function ownSweepFields(id, i, family) {
  const sweep = () => Object.entries(experimentNow().learner?.[i]?.sweep ?? {});
  const set = (at, pair) => {
    const learners = structuredClone(learnersNow());
    learners[i].sweep = Object.fromEntries([pair]);
    setLearners(at, learners, experimentNow().sweep ?? {});
  };
  const nameId = `${id}-sweep`;
  const valuesId = `${id}-sweep-values`;
  const parameters = family ? parametersOf(family, [learnersNow()[i]]) : [];
  update(nameId, () => bare(sweep()[0]?.[0] ?? ""));
  update(valuesId, () => sweepText(sweep()[0]?.[1] ?? ""));
  return [
    row(
      nameId,
      "swept",
      choose(
        nameId,
        parameters.map(({ name }) => [name, name]),
        (name) => set(nameId, [name, suggested(name, parameters)]),
      ),
    ),
    row(
      valuesId,
      "values",
      element("input", {
        id: valuesId,
        type: "text",
        spellcheck: "false",
        title: SWEEP_FORMS,
        onchange: typed((field) => set(valuesId, [sweep()[0][0], sweepFrom(field.value)])),
      }),
    ),
  ];
}

function sweepControls() {
  const learners = learnersNow();
  const names = [
    ...new Set([
      ...Object.keys(DATA_SWEEPS),
      ...learners
        .map(familyOf)
        .filter(Boolean)
        .flatMap((family) => parametersOf(family, learners).map(({ name }) => name)),
    ]),
  ];
  const sweep = () => Object.entries(experimentNow().sweep ?? {});
  const rows = [0, 1].flatMap((which) => {
    const id = `control-sweep-${which}`;
    const set = (name, values) => {
      const next = sweep();
      if (name === "") next.splice(which, 1);
      else next[which] = [name, values];
      setLearners(id, structuredClone(learnersNow()), Object.fromEntries(next));
    };
    // A sweep can be changed, but not be taken from an experiment that has one.
    const none = which === 1 || Object.keys(experimentNow().sweep ?? {}).length === 0 ? [["", "nothing"]] : [];
    const select = choose(id, [...none, ...names.map((name) => [name, name])], (name) => {
      const families = learners.map(familyOf).filter(Boolean);
      const parameters = families.flatMap((family) => parametersOf(family, learners));
      set(name, name === "" ? null : suggested(name, parameters));
    });
    update(id, () => bare(sweep()[which]?.[0] ?? ""));
    const valuesId = `${id}-values`;
    const setValues = typed((field) => {
      const name = sweep()[which]?.[0];
      if (name)
        change(valuesId, [
          [
            "sweep",
            Object.fromEntries(
              sweep().map(([one, values], at) => [one, at === which ? sweepFrom(field.value) : values]),
            ),
          ],
          ["figure", [{ tradeoff: {} }]],
        ]);
    });
    const values = element("input", {
      id: valuesId,
      type: "text",
      spellcheck: "false",
      title: SWEEP_FORMS,
      onchange: setValues,
    });
    update(valuesId, () => sweepText(sweep()[which]?.[1] ?? ""));
    panel.updates.push(() => {
      byId(valuesId).disabled = sweep()[which] === undefined;
      byId(id).disabled = which === 1 && sweep().length === 0;
    });
    return [row(id, which === 0 ? "swept" : "and over", select), row(valuesId, "values", values)];
  });
  return rows;
}

export function learnersSection() {
  const learners = learnersNow();
  return [
    element(
      "h2",
      {},
      "Learners",
      element(
        "button",
        {
          id: "add-learner",
          type: "button",
          onclick: () => {
            const taken = learnersNow().map((learner) => familyOf(learner)?.name);
            const flat = (app.run?.head?.dimension ?? 1) === 1;
            const family =
              ["tree", "knn", "kernel", "forest", "logistic"].map(familyCalled).find((one) => familiesNow().includes(one) && !taken.includes(one.name)) ??
              familiesNow().find((one) => flat || !one.oneDimensional);
            setLearners(
              "add-learner",
              [...structuredClone(learnersNow()), freshLearner(family, needed)],
              experimentNow().sweep ?? {},
            );
          },
        },
        "Add",
      ),
    ),
    ...learners.map((learner, i) => learnerControls(learner, i, learners.length)),
    element("fieldset", {}, ...sweepControls()),
  ];
}
