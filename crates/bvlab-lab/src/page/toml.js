// @ts-check
// Values as TOML writes them.

function key(name) {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}

export function toml(value) {
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    return String(value).replace("e+", "e");
  }
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const pairs = Object.entries(value).filter(([, one]) => one !== undefined && one !== null);
    return pairs.length === 0 ? "{}" : `{ ${pairs.map(([name, one]) => `${key(name)} = ${toml(one)}`).join(", ")} }`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
