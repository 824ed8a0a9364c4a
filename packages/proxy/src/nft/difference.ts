import type { NftChain, NftSet, NftTable } from "./table.ts";

/** What has to be done to a table, in the order of the fields of a batch (see {@link renderDifference}). */
export interface NftDifference {
  readonly family: NftTable["family"];
  readonly table: string;
  readonly addedSets: readonly NftSet[];
  /** Names and kinds. */
  readonly removedSets: readonly Pick<NftSet, "kind" | "name">[];
  readonly changedSets: readonly ElementChanges[];
  readonly addedChains: readonly NftChain[];
  /** With all their rules. */
  readonly changedChains: readonly NftChain[];
  /** Names. */
  readonly removedChains: readonly string[];
}

/** Elements of a set that exists before and after. An element with another value is removed and added. */
export interface ElementChanges {
  readonly set: string;
  /** Texts of elements, without values. */
  readonly removed: readonly string[];
  readonly added: ReadonlyMap<string, string>;
}

/**
 * What has to be done to get from one table to the other. Sets, chains and maps of elements that are the same object in
 * both are not compared. Undefined if the table must be loaded as a whole: another table, a set with another definition, or
 * a chain with another hook.
 */
export function differenceOf(before: NftTable, after: NftTable): NftDifference | undefined {
  if (before.name !== after.name || before.family !== after.family) return undefined;
  const setsBefore = byName(before.sets);
  const chainsBefore = byName(before.chains);
  const setsAfter = byName(after.sets);
  const chainsAfter = byName(after.chains);
  if (after.sets.some((set) => isRedefined(setsBefore.get(set.name), set))) return undefined;
  if (after.chains.some((chain) => isRehooked(chainsBefore.get(chain.name), chain))) return undefined;
  return {
    family: after.family,
    table: after.name,
    addedSets: after.sets.filter(({ name }) => !setsBefore.has(name)),
    removedSets: before.sets.filter(({ name }) => !setsAfter.has(name)),
    changedSets: after.sets.flatMap((set) => elementChanges(setsBefore.get(set.name), set)),
    addedChains: after.chains.filter(({ name }) => !chainsBefore.has(name)),
    changedChains: after.chains.filter((chain) => hasOtherRules(chainsBefore.get(chain.name), chain)),
    removedChains: before.chains.filter(({ name }) => !chainsAfter.has(name)).map(({ name }) => name),
  };
}

/** Whether nothing has to be done. */
export function isEmptyDifference(difference: NftDifference): boolean {
  const { addedSets, removedSets, changedSets, addedChains, changedChains, removedChains } = difference;
  return [addedSets, removedSets, changedSets, addedChains, changedChains, removedChains].every(
    (list) => list.length === 0,
  );
}

const byName = <T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> =>
  new Map(list.map((item) => [item.name, item]));

const isRedefined = (before: NftSet | undefined, { kind, definition }: NftSet): boolean =>
  before !== undefined && (before.kind !== kind || before.definition !== definition);

const isRehooked = (before: NftChain | undefined, { hook }: NftChain): boolean =>
  before !== undefined &&
  before.hook !== hook &&
  (before.hook?.type !== hook?.type ||
    before.hook?.hook !== hook?.hook ||
    before.hook?.priority !== hook?.priority ||
    (before.hook?.policy ?? "accept") !== (hook?.policy ?? "accept"));

function hasOtherRules(before: NftChain | undefined, { rules }: NftChain): boolean {
  if (before === undefined || before.rules === rules) return false;
  return before.rules.length !== rules.length || rules.some((rule, i) => rule !== before.rules[i]);
}

function elementChanges(before: NftSet | undefined, { name, elements }: NftSet): ElementChanges[] {
  if (before === undefined || before.elements === elements) return [];
  const removed: string[] = [];
  const added = new Map<string, string>();
  for (const [element, value] of before.elements) if (elements.get(element) !== value) removed.push(element);
  for (const [element, value] of elements) if (before.elements.get(element) !== value) added.set(element, value);
  return removed.length === 0 && added.size === 0 ? [] : [{ set: name, removed, added }];
}
