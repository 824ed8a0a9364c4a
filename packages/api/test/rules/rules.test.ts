import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { create, merged, subresourceStrategy, update } from "../support.ts";
import * as access from "./access.ts";
import * as admission from "./admission.ts";
import * as aggregation from "./aggregation.ts";
import * as cluster from "./cluster.ts";
import * as containers from "./containers.ts";
import { apart, elsewhere } from "./elsewhere.ts";
import * as jobs from "./jobs.ts";
import { minimal } from "./minimal.ts";
import * as others from "./others.ts";
import * as pods from "./pods.ts";
import * as policies from "./policies.ts";
import type { Case, Rule } from "./rule.ts";
import * as services from "./services.ts";
import * as storage from "./storage.ts";
import * as workloads from "./workloads.ts";

const rules: readonly Rule[] = [
  access,
  admission,
  aggregation,
  cluster,
  containers,
  jobs,
  others,
  pods,
  policies,
  services,
  storage,
  workloads,
].flatMap((area) => Object.values(area).flat());

function errorsOf({ definition, made, changed, subresource, ctx }: Case): readonly string[] {
  const first = create(definition, merged(minimal(definition), made), "UID", changed === undefined ? ctx : undefined);
  if (changed === undefined) return first.errors;
  expect(first.errors).toEqual([]);
  const strategy = subresource === undefined ? undefined : subresourceStrategy(definition, subresource);
  return update(definition, first.object, merged(first.object, changed), strategy, ctx).errors;
}

const cases = rules.flatMap(({ kind, field, cases }) =>
  cases.map((one, i) => ({ title: `${kind}: ${field} [${i}]`, kind, ...one })),
);

test.each(cases)("$title", (one) => {
  if (one.nameFormat !== undefined) {
    expect(one.definition.strategy.nameFormat ?? "dns-subdomain").toBe(one.nameFormat);
    return;
  }
  const errors = errorsOf(one);
  if (one.want === undefined) expect(errors).toEqual([]);
  else if (typeof one.want === "string") expect(errors).toContain(one.want);
  else expect(errors).toContainEqual(expect.stringMatching(one.want));
});

const file = fileURLToPath(new URL("../../../testkit/facts/validated-fields.json", import.meta.url));
const root = new URL("../../../../", import.meta.url);

describe("rules of the fact tables", () => {
  const facts = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, readonly string[]>>;
  const stated = Object.entries(facts).flatMap(([kind, fields]) => fields.map((field) => `${kind}: ${field}`));
  const shown = new Map<string, string>([
    ...rules.map(({ kind, field }) => [`${kind}: ${field}`, "here"] as const),
    ...Object.entries(elsewhere).flatMap(([where, list]) => list.map((rule) => [rule, where] as const)),
  ]);

  test("are all tested", () => {
    const left = stated.filter((rule) => !shown.has(rule));
    expect(left.filter((rule) => !Object.keys(apart).some((start) => rule.startsWith(start)))).toEqual([]);
  });

  test("have no other names", () => {
    expect([...shown.keys()].filter((rule) => !stated.includes(rule))).toEqual([]);
  });
});

test.each(Object.keys(elsewhere))("%s exists", (where) => {
  expect(existsSync(new URL(where, root))).toBe(true);
});

test("every rule has a case", () => {
  expect(rules.filter(({ cases }) => cases.length === 0).map(({ field }) => field)).toEqual([]);
});
