import { type Requirement, requirementMatches, requirementText } from "./requirement.ts";

/** A compiled label selector. Immutable. */
export interface Selector {
  /** Whether an object with these labels is selected; undefined means no labels. */
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** Whether it selects everything, because there is no requirement. */
  readonly empty: boolean;
  /** Sorted by key. Empty for both {@link everything} and {@link nothing}; `selectsNothing` distinguishes them. */
  readonly requirements: readonly Requirement[];
  readonly selectsNothing: boolean;
  /** The text in the selector language, such as `app=web,tier in (a,b)`. */
  toString(): string;
}

class RequirementSelector implements Selector {
  readonly requirements: readonly Requirement[];
  readonly selectsNothing = false;

  constructor(requirements: readonly Requirement[]) {
    this.requirements = requirements;
  }

  get empty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Readonly<Record<string, string>> | undefined): boolean {
    for (const requirement of this.requirements) {
      if (!requirementMatches(requirement, labels)) {
        return false;
      }
    }
    return true;
  }

  toString(): string {
    return this.requirements.map(requirementText).join(",");
  }
}

/** Selects every object. */
export const everything: Selector = new RequirementSelector([]);

/** Selects no object. */
export const nothing: Selector = Object.freeze({
  matches: () => false,
  empty: false,
  requirements: [],
  selectsNothing: true,
  toString: () => "",
});

/** Creates a selector that requires all of `requirements`. */
export function selectorOf(requirements: readonly Requirement[]): Selector {
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return sorted.length === 0 ? everything : new RequirementSelector(sorted);
}

/**
 * Creates a selector that requires exactly these labels, among any others; undefined requires none. Keys and values
 * are not checked.
 */
export function selectorFromSet(labels: Readonly<Record<string, string>> | undefined): Selector {
  return selectorOf(Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: "=", values: [value] })));
}
