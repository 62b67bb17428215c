// The controls of the learners: families, their parameters and choices, and what is swept.
import { app, byId, element } from "./app.js";
import { change, choose, experimentNow, familyCalled, panel, row, trainNow, typed, update, widthNow } from "./fields.js";
import { state } from "./state.js";
import { DATA_SWEEPS, neededValue, sweepFrom, sweepText, sweepValues } from "./suggestions.js";

const SWEEP_FORMS = "1..40, or 1, 2, 5, or 0.01 to 10, 30 values, log";

export function learnersNow() {
  return panel.learners ?? experimentNow().learner ?? [];
}

export function familyOf(learner) {
  return app.lab.families.find((family) => learner?.[family.name] !== undefined) ?? null;
}

const dimensionNow = () => app.run?.head?.dimension ?? 1;
const needed = (parameter) => neededValue(parameter, trainNow(), widthNow(), dimensionNow());

// Values to sweep a parameter over, or the data by their name.
function suggested(name, parameters) {
  const parameter = parameters.find((one) => one.name === name);
  return parameter ? sweepValues(parameter, trainNow(), widthNow(), dimensionNow()) : (DATA_SWEEPS[name] ?? "1..10");
}

const bare = (name) => name.replace(/^base\./, "");

// What is swept for a learner: by a sweep of its own, or by that of all.
function sweptOf(learner) {
  return Object.keys(learner?.sweep ?? experimentNow().sweep ?? {}).map(bare);
}

// A learner of a family with what must be given, unless it is swept.
function freshLearner(family, swept) {
  const given = {};
  for (const parameter of family.parameters) {
    if (parameter.default === null && !swept.includes(parameter.name)) given[parameter.name] = needed(parameter);
  }
  if (family.base) given.base = { tree: {} };
  return { [family.name]: given };
}

// Sets all learners. A learner that has none of the swept parameters gets a sweep of its own.
function setLearners(id, learners, wantedSweep = null) {
  const families = learners.map(familyOf);
  const has = (i, name) =>
    DATA_SWEEPS[name] !== undefined ||
    (families[i] && parametersOf(families[i], [learners[i]]).some((one) => one.name === bare(name)));
  let sweep = wantedSweep ?? experimentNow().sweep ?? {};
  const had = Object.keys(sweep).length > 0;
  sweep = Object.fromEntries(Object.entries(sweep).filter(([name]) => learners.some((_, i) => has(i, name))));
  if (had && Object.keys(sweep).length === 0) sweep = ownSweep(families[0]);
  const swept = Object.keys(sweep);
  const cleaned = learners.map((learner, i) => {
    const { sweep: own, ...rest } = learner;
    if (swept.length === 0) return cleanLearner(own ? learner : rest, Object.keys(own ?? {}).map(bare));
    if (swept.every((name) => has(i, name))) return cleanLearner(rest, swept.map(bare));
    if (learner.reference) return cleanLearner(rest, []);
    const its = own && Object.keys(own).every((name) => has(i, name)) ? own : ownSweep(families[i]);
    return cleanLearner({ ...rest, sweep: its }, Object.keys(its).map(bare));
  });
  panel.learners = cleaned;
  state.at = {};
  const pairs = [["learner", cleaned]];
  if (swept.length > 0) pairs.push(["sweep", sweep]);
  const any = swept.length > 0 || cleaned.some((learner) => learner.sweep);
  change(id, [...pairs, ["figure", any ? [{ tradeoff: {} }] : []]]);
}

function ownSweep(family) {
  const name = family?.capacity ?? null;
  return name ? { [name]: suggested(name, family.parameters) } : {};
}

// The parameters of a family, and of the base of the learners that are made of it.
function parametersOf(family, learners) {
  const bases = family.base
    ? learners
        .map((learner) => learner[family.name]?.base)
        .filter(Boolean)
        .map(familyOf)
        .filter(Boolean)
    : [];
  return [...family.parameters, ...bases.flatMap((base) => base.parameters)];
}

// A swept parameter is not given too; one that is no longer swept must be given.
function cleanLearner(learner, swept) {
  const family = familyOf(learner);
  if (!family) return learner;
  const fix = (one, given) => {
    const result = { ...given };
    for (const parameter of one.parameters) {
      if (swept.includes(parameter.name)) delete result[parameter.name];
      else if (parameter.default === null && result[parameter.name] === undefined)
        result[parameter.name] = needed(parameter);
    }
    const base = result.base ? familyOf(result.base) : null;
    if (base) result.base = { [base.name]: fix(base, result.base[base.name]) };
    return result;
  };
  return { ...learner, [family.name]: fix(family, learner[family.name]) };
}

// Its name, and what formulas call it if that is another word.
function parameterLabel({ name, symbol }) {
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
    ...family.choices.map((option) => choiceField(`${prefix}-${option.name}`, option, [...path, option.name], get)),
  ];
}

function learnerControls(learner, i, count) {
  const family = familyOf(learner);
  const id = `control-learner-${i}`;
  const flat = (app.run?.head?.dimension ?? 1) === 1;
  const select = choose(
    id,
    app.lab.families.filter((one) => flat || !one.oneDimensional).map((one) => [one.name, one.name]),
    (name) => {
      const learners = structuredClone(learnersNow());
      const own = learners[i].reference ? { reference: true } : {};
      learners[i] = { ...own, ...freshLearner(familyCalled(name), []) };
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
          app.lab.families
            .filter((one) => !one.base && (flat || !one.oneDimensional))
            .map((one) => [one.name, one.name]),
          (name) => {
            const learners = structuredClone(learnersNow());
            learners[i][family.name].base = freshLearner(familyCalled(name), []);
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
              state.learner = 0;
              setLearners(
                id,
                structuredClone(learnersNow()).filter((_, at) => at !== i),
              );
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
      state.at = {};
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
              ["tree", "knn", "kernel", "forest"].map(familyCalled).find((one) => one && !taken.includes(one.name)) ??
              app.lab.families.find((one) => flat || !one.oneDimensional);
            setLearners(
              "add-learner",
              [...structuredClone(learnersNow()), freshLearner(family, [])],
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
