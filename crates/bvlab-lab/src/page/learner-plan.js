// @ts-check
// Which learners an experiment has after a change, and what is swept: pure functions of the learners as
// the TOML has them and of the families that there are.

/** @typedef {import("./protocol.js").Family} Family */
/** @typedef {import("./protocol.js").Parameter} Parameter */
/** @typedef {Record<string, any>} Learner a learner as the TOML has it: a family's name with its parameters */
/** @typedef {Record<string, any>} Sweep values by the name of a parameter, or of a part of the data */

/**
 * What there is to plan with: the families, a value for a parameter that must be given, values to sweep
 * one over, and the names of the data that can be swept.
 * @typedef {{
 *   families: Family[],
 *   needed: (parameter: Parameter) => number,
 *   suggested: (name: string, parameters: Parameter[]) => any,
 *   data: string[],
 * }} Material
 */

/** @param {string} name */
export const bare = (name) => name.replace(/^base\./, "");

/**
 * The family of a learner.
 * @param {Family[]} families
 * @param {Learner | undefined} learner
 */
export function familyIn(families, learner) {
  return families.find((family) => learner?.[family.name] !== undefined) ?? null;
}

/**
 * The parameters of a family, and of the base of the learners that are made of it.
 * @param {Family[]} families
 * @param {Family} family
 * @param {Learner[]} learners
 * @returns {Parameter[]}
 */
export function parametersIn(families, family, learners) {
  const bases = family.base ? learners.map((learner) => familyIn(families, learner[family.name]?.base)) : [];
  return [...family.parameters, ...bases.flatMap((base) => base?.parameters ?? [])];
}

/**
 * A learner of a family with what must be given.
 * @param {Family} family
 * @param {Material["needed"]} needed
 * @returns {Learner}
 */
export function freshLearner(family, needed) {
  /** @type {Record<string, any>} */
  const given = {};
  for (const parameter of family.parameters)
    if (parameter.default === null) given[parameter.name] = needed(parameter);
  if (family.base) given.base = { tree: {} };
  return { [family.name]: given };
}

/**
 * A swept parameter is not given too; one that is no longer swept must be given.
 * @param {Material} material
 * @param {Learner} learner
 * @param {string[]} swept
 * @returns {Learner}
 */
export function cleanLearner({ families, needed }, learner, swept) {
  const family = familyIn(families, learner);
  if (!family) return learner;
  /** @type {(one: Family, given: Record<string, any>) => Record<string, any>} */
  const fix = (one, given) => {
    const result = { ...given };
    for (const parameter of one.parameters) {
      if (swept.includes(parameter.name)) delete result[parameter.name];
      else if (parameter.default === null && result[parameter.name] === undefined)
        result[parameter.name] = needed(parameter);
    }
    const base = result.base ? familyIn(families, result.base) : null;
    if (base) result.base = { [base.name]: fix(base, result.base[base.name]) };
    return result;
  };
  return { ...learner, [family.name]: fix(family, learner[family.name]) };
}

/**
 * The sweep that suits a family alone.
 * @param {Material} material
 * @param {Family | null} family
 * @returns {Sweep}
 */
function ownSweep({ suggested }, family) {
  const name = family?.capacity ?? null;
  return family && name ? { [name]: suggested(name, family.parameters) } : {};
}

/**
 * Learners as they can be run with a sweep of all: a learner that has none of the swept parameters gets a
 * sweep of its own, and a sweep that no learner has is replaced.
 * @param {Material} material
 * @param {Learner[]} learners
 * @param {Sweep} wanted
 * @returns {{ learners: Learner[], sweep: Sweep }}
 */
export function plannedLearners(material, learners, wanted) {
  const { families, data } = material;
  const own = learners.map((learner) => familyIn(families, learner));
  /** @type {(i: number, name: string) => boolean} */
  const has = (i, name) => {
    const family = own[i];
    if (data.includes(name)) return true;
    return family !== null && parametersIn(families, family, [learners[i]]).some((one) => one.name === bare(name));
  };
  const kept = Object.entries(wanted).filter(([name]) => learners.some((_, i) => has(i, name)));
  const lost = Object.keys(wanted).length > 0 && kept.length === 0;
  const sweep = lost ? ownSweep(material, own[0]) : Object.fromEntries(kept);
  const swept = Object.keys(sweep);
  const planned = learners.map((learner, i) => {
    const { sweep: its, ...rest } = learner;
    if (swept.length === 0) return cleanLearner(material, its ? learner : rest, Object.keys(its ?? {}).map(bare));
    if (swept.every((name) => has(i, name))) return cleanLearner(material, rest, swept.map(bare));
    if (learner.reference) return cleanLearner(material, rest, []);
    const alone = its && Object.keys(its).every((name) => has(i, name)) ? its : ownSweep(material, own[i]);
    return cleanLearner(material, { ...rest, sweep: alone }, Object.keys(alone).map(bare));
  });
  return { learners: planned, sweep };
}
