import { readdirSync } from "node:fs";
import { createMetrics } from "@orchernetes/component";
import { expect, test } from "vitest";
import { admissionChain } from "./chain.ts";
import { defaultAdmissionPlugins, implementedPlugins, otherAdmissionPlugins, pluginTable } from "./plugins.ts";
import type { PluginSettings } from "./shared/plugin.ts";
import { idleParts } from "./testing/plugins.ts";

const settings: PluginSettings = {
  flags: { "default-not-ready-toleration-seconds": 300, "default-unreachable-toleration-seconds": 300 },
  featureEnabled: () => false,
  configuration: {},
  metrics: createMetrics(),
  ...idleParts,
  expressions: { compiled: () => undefined, evaluated: () => undefined },
  rights: { authorizers: [] } as unknown as PluginSettings["rights"],
};
const own = ["InitialAvailability", "SystemPriorityClassProtection", "UnenforcedPolicies", "RoleEscalation"];

/** A descriptor among the exports of a plugin's file. */
function isDescriptor(value: unknown): value is { readonly name: string } {
  return typeof value === "object" && value !== null && "name" in value && ("handles" in value || "create" in value);
}

test("every plugin in this folder has a place in the order", async () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const found: string[] = [];
  for (const file of files) {
    const exports: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ `./${file}`);
    for (const value of Object.values(exports)) {
      if (!isDescriptor(value)) continue;
      found.push(value.name);
      expect(
        pluginTable.filter(({ descriptor }) => descriptor === value),
        `${file}: ${value.name}`,
      ).toHaveLength(1);
    }
  }
  expect(found.length).toBeGreaterThan(15);
});

test("no name is in the order twice", () => {
  const names = pluginTable.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("the plugins that the flags name are those of Kubernetes 1.27", () => {
  expect([defaultAdmissionPlugins.length, otherAdmissionPlugins.length]).toEqual([20, 16]);
  expect(defaultAdmissionPlugins).not.toContain("NodeRestriction");
});

test("enabled plugins run in the table's order, the server's own ones last", () => {
  const chain = admissionChain(new Set(["ResourceQuota", "LimitRanger", "NamespaceLifecycle"]), settings);
  expect(chain.map(({ name }) => name)).toEqual(["NamespaceLifecycle", "LimitRanger", "ResourceQuota", ...own]);
});

test("all of them together start under the names of their entries", () => {
  const chain = admissionChain(new Set(implementedPlugins), settings);
  expect(chain.map(({ name }) => name)).toEqual([...implementedPlugins, ...own]);
});

test("enabling a plugin that does not exist is an error", () => {
  const want = "admission plugins without a place in the order: Nope";
  expect(() => admissionChain(new Set(["Nope"]), settings)).toThrow(want);
});

test("every plugin that runs by default exists", () => {
  expect(implementedPlugins).toEqual(expect.arrayContaining([...defaultAdmissionPlugins]));
});
