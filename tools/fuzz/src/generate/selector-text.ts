import type { Random } from "../random.ts";
import { nastyText } from "./nasty-text.ts";

const operators = ["=", "==", "!=", " in ", " notin ", ">", "<", "", "!", "=~", " IN "];
const keys = ["app", "a/b", "o8s.io/x", "tier", "__proto__", "constructor", "in", "notin", "x y"];
const fields = [
  "metadata.name",
  "metadata.namespace",
  "spec.nodeName",
  "status.phase",
  "type",
  "reason",
  "involvedObject.name",
  "__proto__",
  "spec",
];

/** A label selector, well-formed in most cases. */
export function labelSelectorText(random: Random): string {
  const terms = random.many(0, 4, () => {
    const operator = random.pick(operators);
    const key = random.chance(0.85) ? random.pick(keys) : nastyText(random);
    const values = random.many(0, 3, () => (random.chance(0.8) ? random.pick(["a", "b", "1", ""]) : nastyText(random)));
    const set = operator.includes("in ") ? `(${values.join(random.pick([",", ", ", ",,"]))})` : (values[0] ?? "");
    return random.chance(0.1) ? `!${key}` : `${key}${operator}${set}`;
  });
  return joined(random, terms);
}

/** A field selector, well-formed in most cases. */
export function fieldSelectorText(random: Random): string {
  const terms = random.many(0, 3, () => {
    const field = random.chance(0.85) ? random.pick(fields) : nastyText(random);
    const value = random.chance(0.7)
      ? random.pick(["a", "default", "", "a\\,b", "\\", "a\\=b", "x=y"])
      : nastyText(random);
    return `${field}${random.pick(["=", "==", "!=", ""])}${value}`;
  });
  return joined(random, terms);
}

/** Joins terms, sometimes with the wrong separator, very many of them, or cut off in the middle. */
function joined(random: Random, terms: readonly string[]): string {
  const text = terms.join(random.pick([",", ",", ", ", ",,", ""]));
  if (random.chance(0.02)) return Array.from({ length: random.size(2000) }, () => text).join(",");
  return random.chance(0.1)
    ? text.slice(0, random.below(text.length + 1)) + random.pick([")", "(", "!", ",", "\u0000", "\\"])
    : text;
}
