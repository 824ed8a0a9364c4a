import { readdirSync } from "node:fs";
import { join } from "node:path";
import { outcomeOf, worstOf } from "./outcome.ts";
import type { Run } from "./runs.ts";

/** Outcomes of the scenarios of one group on one store, over all runs on it. */
export interface Count {
  readonly passed: number;
  /** Scenarios that differ from the recording but are right at level 1.27. */
  readonly rightAtLevel: readonly string[];
  readonly failed: readonly string[];
  /** Scenarios that were not run, because a precondition was missing. */
  readonly skipped: number;
}

/** A group with its counts by store. */
export interface Group {
  readonly name: string;
  readonly scenarios: number;
  readonly byStore: ReadonlyMap<Run["store"], Count>;
}

/** The group of a scenario: the first word of its name. */
export const groupOf = (name: string): string => name.split("-")[0] ?? name;

/** Names of the scenarios in the folder, those of the command line included. */
export function scenarioNames(folder: string): readonly string[] {
  const names = (dir: string) =>
    readdirSync(dir)
      .filter((file) => file.endsWith(".json"))
      .map((file) => file.slice(0, -".json".length));
  return [...names(folder), ...names(join(folder, "cli"))];
}

/** Counts outcomes per group and store. A scenario with several runs on a store must pass in all of them. */
export function countGroups(names: readonly string[], runs: readonly Run[]): readonly Group[] {
  const stores = [...new Set(runs.map((run) => run.store))];
  return [...new Set(names.map(groupOf))].sort().map((name) => {
    const members = names.filter((member) => groupOf(member) === name);
    const count = (store: Run["store"]): Count => {
      const scenarios = runs.filter((run) => run.store === store).flatMap((run) => run.report.scenarios);
      const ran = members.flatMap((member) => {
        const outcomes = scenarios.filter((scenario) => scenario.name === member).map(outcomeOf);
        return outcomes.length === 0 ? [] : [{ name: member, outcome: worstOf(outcomes) }];
      });
      const ended = (wanted: string) =>
        ran.filter(({ outcome }) => outcome === wanted).map((scenario) => scenario.name);
      return {
        passed: ended("passed").length,
        rightAtLevel: ended("right at 1.27"),
        failed: ended("failed"),
        skipped: members.length - ran.length,
      };
    };
    return { name, scenarios: members.length, byStore: new Map(stores.map((store) => [store, count(store)])) };
  });
}
