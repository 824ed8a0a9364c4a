import type { InterruptibleSteps } from "@orchernetes/kernel";
import { differenceOf, isEmptyDifference, type NftDifference } from "./difference.ts";
import type { NftChain, NftHook, NftSet, NftTable } from "./table.ts";

/**
 * The batch for `nft -f -` that replaces a table, or creates it. The kernel applies a batch wholly or not at all; packets see
 * either the table before or the one after. Elements that rules have added (`flags dynamic`) are lost.
 */
export function fullBatch(table: NftTable): string {
  return [removeBatch(table), ...content(table)].join("");
}

/** As {@link fullBatch}, for large tables. They must not change between the steps. */
export function* fullBatchInSteps(table: NftTable): InterruptibleSteps<string> {
  const texts = yield* collected(content(table));
  return removeBatch(table) + texts;
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
  return [...changes(difference)].join("");
}

/** As {@link renderDifference}, for large differences. They must not change between the steps. */
export function* renderDifferenceInSteps(difference: NftDifference): InterruptibleSteps<string> {
  return yield* collected(changes(difference));
}

function* collected(texts: Iterable<string>): InterruptibleSteps<string> {
  const all: string[] = [];
  for (const text of texts) {
    all.push(text);
    yield;
  }
  return all.join("");
}

function* changes(difference: NftDifference): Generator<string> {
  const { family, table, addedSets, removedSets, changedSets, addedChains, changedChains, removedChains } = difference;
  const at = `${family} ${table}`;
  // What refers to a set or chain must come after it is added, and be gone before it is removed: rules refer to both, elements
  // of verdict maps refer to chains.
  for (const set of addedSets) yield addSet(at, set);
  for (const chain of addedChains) yield addChain(at, chain);
  for (const { name } of changedChains) yield `flush chain ${at} ${name}\n`;
  for (const name of removedChains) yield `flush chain ${at} ${name}\n`;
  for (const { set, removed } of changedSets) yield deleteElements(at, set, removed);
  for (const { set, added } of changedSets) yield addElements(at, set, added);
  for (const { name, elements } of addedSets) yield addElements(at, name, elements);
  for (const chain of changedChains) yield addRules(at, chain);
  for (const chain of addedChains) yield addRules(at, chain);
  for (const { kind, name } of removedSets) if (kind === "map") yield `flush map ${at} ${name}\n`;
  for (const name of removedChains) yield `delete chain ${at} ${name}\n`;
  for (const { kind, name } of removedSets) yield `delete ${kind} ${at} ${name}\n`;
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
