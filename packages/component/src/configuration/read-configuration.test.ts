import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloudControllerManagerConfigurationSchema as schema } from "@orchernetes/config";
import { afterAll, expect, test } from "vitest";
import { flagSection } from "../flags/flag.ts";
import { readConfiguration } from "./read-configuration.ts";

const dir = mkdtempSync(join(tmpdir(), "configuration-"));
afterAll(() => rmSync(dir, { recursive: true }));
const path = join(dir, "config.yaml");
const head = {
  apiVersion: "cloudcontrollermanager.config.o8s.io/v1alpha1",
  kind: "CloudControllerManagerConfiguration",
} as const;

const table = flagSection("x", {
  syncs: { type: "int", default: 1, help: "x", field: "NodeController.ConcurrentNodeSyncs" },
  period: { type: "duration", default: "1s", help: "x", field: "NodeStatusUpdateFrequency" },
  cloud: { type: "string", default: "", help: "x", field: "OrchCloudShared.CloudProvider.CloudConfigFile" },
  other: { type: "string", default: "", help: "x" },
});
const defaults = { syncs: 1, period: 1000, cloud: "", other: "" };

const read = (given: Partial<typeof defaults>, fields?: object, text?: string) => {
  if (fields !== undefined || text !== undefined) writeFileSync(path, text ?? JSON.stringify({ ...head, ...fields }));
  return readConfiguration({
    table,
    flags: { ...defaults, ...given },
    explicit: new Set(Object.keys(given)),
    file: fields === undefined && text === undefined ? "" : path,
    head,
    schema: async () => schema,
  });
};

test.each<[string, Parameters<typeof read>, number, number]>([
  ["flags alone, with their defaults", [{ syncs: 3 }], 3, 1000],
  ["a file, with the fields' defaults", [{}, { NodeController: { ConcurrentNodeSyncs: 4 } }], 4, 300_000],
  ["a flag over a file", [{ syncs: 3 }, { NodeController: { ConcurrentNodeSyncs: 4 } }], 3, 300_000],
  ["a duration over a file", [{ period: 2000 }, { NodeStatusUpdateFrequency: "7s" }], 1, 2000],
])("%s", async (_, given, syncs, period) => {
  const { parsed, errors } = await read(...given);
  expect(errors).toEqual([]);
  expect([parsed?.NodeController.ConcurrentNodeSyncs, parsed?.NodeStatusUpdateFrequency]).toEqual([syncs, period]);
});

test("the source of a value is known, also after errors", async () => {
  const fields = { NodeStatusUpdateFrequency: "soon", OrchCloudShared: { CloudProvider: { CloudConfigFile: "/a" } } };
  const configuration = await read({ syncs: 0 }, fields);
  const at = `--config: file "${path}", field`;
  expect(configuration.parsed).toBeUndefined();
  expect(configuration.errors).toEqual([
    "--syncs: field NodeController.ConcurrentNodeSyncs: invalid value 0; want at least 1",
    expect.stringContaining(`${at} NodeStatusUpdateFrequency: invalid value "soon"; want a duration`),
  ]);
  expect(configuration.namedFile("OrchCloudShared.CloudProvider.CloudConfigFile")).toEqual({
    from: `${at} OrchCloudShared.CloudProvider.CloudConfigFile`,
    path: "/a",
  });
  const given = ["NodeController.ConcurrentNodeSyncs", "NodeStatusUpdateFrequency", "Webhook"];
  expect(given.map((field) => configuration.isGiven(field))).toEqual([true, true, false]);
  expect(configuration.idleWarnings(["NodeStatusUpdateFrequency", "Webhook"])).toEqual([
    `${at} NodeStatusUpdateFrequency has no effect`,
  ]);
});

test("flags alone need no schema if the defaults are given", async () => {
  const { cloudControllerManagerConfigurationSchema: unused, parseConfig } = await import("@orchernetes/config");
  const { parsed, errors } = await readConfiguration({
    table,
    flags: { ...defaults, period: 2000 },
    explicit: new Set(["period"]),
    file: "",
    head,
    schema: () => Promise.reject(new Error("loaded")),
    defaults: parseConfig(head, unused, "test"),
  });
  expect(errors).toEqual([]);
  expect(parsed).toEqual(parseConfig({ ...head, NodeStatusUpdateFrequency: "2s" }, unused, "test"));
});

test.each([
  ["a file that cannot be parsed", "a: [", /^--config: file ".*": .*; want valid YAML or JSON$/],
  ["another kind of file", "[]", /^--config: file ".*": invalid value \[\]; want a mapping$/],
])("%s alone is reported", async (_, text, want) => {
  const { parsed, errors } = await read({}, undefined, text);
  expect([parsed, errors]).toEqual([undefined, [expect.stringMatching(want)]]);
});
