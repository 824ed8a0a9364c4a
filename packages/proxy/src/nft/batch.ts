import { differenceOf, isEmptyDifference, type NftDifference } from "./difference.ts";
import type { NftChain, NftHook, NftSet, NftTable } from "./table.ts";

/**
 * The batch for `nft -f -` that replaces a table, or creates it. The kernel applies a batch wholly or not at all; packets see
 * either the table before or the one after. Elements that rules have added (`flags dynamic`) are lost.
 */
export function fullBatch(table: NftTable): string {
  return [removeBatch(table), ...content(table)].join("");
}

/** The batch that removes a table. It succeeds if there is none. */
export function removeBatch({ family, name }: Pick<NftTable, "family" | "name">): string {
  // `delete` fails for a table that does not exist, `add` does nothing for one that exists.
  return `add table ${family} ${name}\ndelete table ${family} ${name}\n`;
}

/**
 * The batch that turns one table into another by touching only what differs. Undefined if nothing differs; a full batch if
 * the difference needs one (see {@link differenceOf}).
 */
export function changeBatch(before: NftTable, after: NftTable): string | undefined {
  const difference = differenceOf(before, after);
  if (difference === undefined) {
    const isSameTable = before.family === after.family && before.name === after.name;
    return isSameTable ? fullBatch(after) : removeBatch(before) + fullBatch(after);
  }
  return isEmptyDifference(difference) ? undefined : renderDifference(difference);
}

/** The batch of a difference. */
export function renderDifference(difference: NftDifference): string {
  const { family, table, changedSets, addedChains, changedChains, removedChains } = difference;
  const at = `${family} ${table}`;
  // What refers to a set or chain must come after it is added, and be gone before it is removed: rules refer to both, elements
  // of verdict maps refer to chains.
  return [
    ...difference.addedSets.map((set) => addSet(at, set)),
    ...addedChains.map((chain) => addChain(at, chain)),
    ...changedChains.map(({ name }) => `flush chain ${at} ${name}\n`),
    ...removedChains.map((name) => `flush chain ${at} ${name}\n`),
    ...changedSets.map(({ set, removed }) => deleteElements(at, set, removed)),
    ...changedSets.map(({ set, added }) => addElements(at, set, added)),
    ...difference.addedSets.map(({ name, elements }) => addElements(at, name, elements)),
    ...changedChains.map((chain) => addRules(at, chain)),
    ...addedChains.map((chain) => addRules(at, chain)),
    ...difference.removedSets.filter(({ kind }) => kind === "map").map(({ name }) => `flush map ${at} ${name}\n`),
    ...removedChains.map((name) => `delete chain ${at} ${name}\n`),
    ...difference.removedSets.map(({ kind, name }) => `delete ${kind} ${at} ${name}\n`),
  ].join("");
}

/** The lines that add a table with all that is in it. What is there already is left as it is, except that rules are added again. */
export function* content({ family, name, chains, sets }: NftTable): Generator<string> {
  const at = `${family} ${name}`;
  yield `add table ${at}\n`;
  for (const set of sets) yield addSet(at, set);
  for (const chain of chains) yield addChain(at, chain);
  for (const set of sets) yield addElements(at, set.name, set.elements);
  for (const chain of chains) yield addRules(at, chain);
}

const addSet = (at: string, { kind, name, definition }: NftSet): string =>
  `add ${kind} ${at} ${name} { ${definition} }\n`;

const addChain = (at: string, { name, hook }: NftChain): string =>
  hook === undefined ? `add chain ${at} ${name}\n` : `add chain ${at} ${name} { ${hookText(hook)} }\n`;

const hookText = ({ type, hook, priority, policy = "accept" }: NftHook): string =>
  `type ${type} hook ${hook} priority ${priority}; policy ${policy};`;

const addRules = (at: string, { name, rules }: NftChain): string =>
  rules.map((rule) => `add rule ${at} ${name} ${rule}\n`).join("");

function addElements(at: string, set: string, elements: ReadonlyMap<string, string>): string {
  if (elements.size === 0) return "";
  const texts: string[] = [];
  for (const [element, value] of elements) texts.push(value === "" ? element : `${element} : ${value}`);
  return `add element ${at} ${set} { ${texts.join(", ")} }\n`;
}

const deleteElements = (at: string, set: string, elements: readonly string[]): string =>
  elements.length === 0 ? "" : `delete element ${at} ${set} { ${elements.join(", ")} }\n`;
