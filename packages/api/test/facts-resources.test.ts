import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadOptionalResources } from "../src/enablement/optional-resources.ts";
import { allResources } from "../src/resources.ts";

const file = fileURLToPath(new URL("../../testkit/facts/api-resources.json", import.meta.url));

interface FactResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly servedByDefault: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storage?: string;
  readonly createOnUpdate?: boolean;
  readonly unconditionalUpdate?: boolean;
  readonly fieldSelectors?: readonly string[];
  readonly subresources?: readonly { readonly name: string; readonly verbs: readonly string[] }[];
  readonly columns?: readonly {
    readonly name: string;
    readonly type: string;
    readonly format?: string;
    readonly priority?: number;
  }[];
}

const facts = (JSON.parse(readFileSync(file, "utf8")) as { readonly resources: readonly FactResource[] }).resources;

const defined = [
  ...allResources.map((definition) => ({ definition, served: true })),
  ...(await loadOptionalResources(() => true)).map((definition) => ({ definition, served: false })),
].map((entry) => {
  const { group, version, plural } = entry.definition;
  const fact = facts.find((one) => one.group === group && one.version === version && one.plural === plural);
  return { title: `${group}/${version} ${plural}`, fact, ...entry };
});

/** Selectors that the table lists although a real server rejects them, as the recordings show. */
const refusedSelectors: Readonly<Record<string, readonly string[]>> = { replicasets: ["status.replicas"] };

/** Selectors that were added in a version after that of the table. */
const laterSelectors: Readonly<Record<string, readonly string[]>> = { services: ["spec.clusterIP", "spec.type"] };

const sorted = (texts: readonly string[] | undefined): string[] => [...(texts ?? [])].sort();

/** Resources that are defined by another package, together with the code that serves them. */
const elsewhere = ["customresourcedefinitions"];

/** Whether the resource was added in a version after that of the table. */
const isLater = ({ definition }: (typeof defined)[number]): boolean =>
  definition.group === "admissionregistration.o8s.io" && definition.version === "v1beta1";

describe.skipIf(facts.length === 0)("resources agree with the resource table", () => {
  test("every resource of the table is defined", () => {
    const missing = facts.filter(({ group, version, plural }) => {
      const is = ({ definition: d }: (typeof defined)[number]) =>
        d.group === group && d.version === version && d.plural === plural;
      return !elsewhere.includes(plural) && !defined.some(is);
    });
    expect(missing.map(({ group, version, plural }) => `${group}/${version}/${plural}`)).toEqual([]);
  });

  test.each(defined.filter((one) => !isLater(one)))("$title", ({ definition, fact, served }) => {
    const subresources = Object.entries(definition.subresources ?? {});
    const refused = refusedSelectors[definition.plural] ?? [];
    expect({
      singular: definition.singular,
      kind: definition.kind,
      namespaced: definition.scope === "Namespaced",
      served,
      verbs: sorted(definition.verbs),
      shortNames: definition.shortNames ?? [],
      categories: definition.categories ?? [],
      storagePrefix: definition.storagePrefix,
      createOnUpdate: definition.storagePrefix && (definition.strategy.allowCreateOnUpdate ?? false),
      unconditionalUpdate: definition.storagePrefix && (definition.strategy.allowUnconditionalUpdate ?? true),
      fieldSelectors: sorted(definition.fieldSelectors),
      subresources: sorted(subresources.map(([name]) => name)),
      columns: definition.columns.map(({ name, type, format, priority }) => ({
        name,
        type,
        format: format ?? "",
        priority: priority ?? 0,
      })),
    }).toEqual({
      singular: fact?.singular,
      kind: fact?.kind,
      namespaced: fact?.namespaced,
      served: fact?.servedByDefault,
      verbs: sorted(fact?.verbs),
      shortNames: fact?.shortNames ?? [],
      categories: fact?.categories ?? [],
      storagePrefix: fact?.storage?.replace(/(\/<[a-z]+>)+$/, ""),
      createOnUpdate: fact?.createOnUpdate,
      unconditionalUpdate: fact?.unconditionalUpdate,
      fieldSelectors: sorted([
        ...(fact?.fieldSelectors ?? []).filter((name) => !name.startsWith("metadata.") && !refused.includes(name)),
        ...(laterSelectors[definition.plural] ?? []),
      ]),
      subresources: sorted(fact?.subresources?.map(({ name }) => name)),
      columns: (fact?.columns ?? []).map(({ name, type, format, priority }) => ({
        name,
        type,
        format: format ?? "",
        priority: priority ?? 0,
      })),
    });
  });

  test("every selectable field has a value, and only those", () => {
    for (const { definition } of defined) {
      expect(definition.fieldSelectors === undefined).toBe(definition.selectableFields === undefined);
    }
  });
});
