import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flowcontrolV1beta3 } from "@orchernetes/api";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { createApiServer, type Registry } from "@orchernetes/apiserver";
import { openEmbeddedStore, type Store } from "@orchernetes/storage";
import { afterEach, beforeEach, expect, test } from "vitest";
import { flowControlObjects, suggestedFlowSchemas } from "./flow-control-objects.ts";

const { flowSchemas, priorityLevelConfigurations } = flowcontrolV1beta3;
const annotation = "apf.orchernetes.io/autoupdate-spec";

let path: string;
let store: Store;
let registry: Registry;
let end = new AbortController();
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), "flow-control-"));
  store = await openEmbeddedStore({ path, fsync: false });
  end = new AbortController();
  const definitions = [flowSchemas, priorityLevelConfigurations] as unknown as readonly ResourceDefinition[];
  const server = createApiServer({ definitions, store, authenticators: [], authorizers: [], signal: end.signal });
  await server.start();
  registry = server.registry;
  await ensure();
});
afterEach(async () => {
  end.abort();
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const ensure = () => flowControlObjects.run({ registry, signal: end.signal, logger: { error() {} } });
const schema = (name: string) => registry.forDefinition(flowSchemas).get({ namespace: "", name });
const change = (name: string, matchingPrecedence: number | undefined, value?: string) =>
  registry.forDefinition(flowSchemas).update({ namespace: "", name }, (draft) => {
    if (matchingPrecedence !== undefined && draft.spec !== undefined)
      draft.spec.matchingPrecedence = matchingPrecedence;
    draft.metadata.annotations = value === undefined ? {} : { [annotation]: value };
  });
const suggested = suggestedFlowSchemas["service-accounts"]?.matchingPrecedence;

test("objects are made with the annotation, by their own manager, and made once", async () => {
  const { metadata } = await schema("catch-all");
  expect(metadata).toMatchObject({
    generation: 1,
    annotations: { [annotation]: "true" },
    managedFields: [{ manager: "api-priority-and-fairness-config-producer-v1" }],
  });
  const before = await store.revision();
  await ensure();
  expect(await store.revision()).toBe(before);
});

test.each<readonly [string, number | undefined, string | undefined, number | undefined, string]>([
  // What the annotation says holds.
  ["a changed spec whose annotation asks for updates is put back", 8000, "true", suggested, "true"],
  ["any spelling of true asks for updates", 8000, "1", suggested, "1"],
  ["a changed spec whose annotation refuses updates stays", 8000, "false", 8000, "false"],
  // Without an annotation the generation tells whether somebody has changed the spec.
  ["a changed spec without an annotation stays, and says so", 8000, undefined, 8000, "false"],
  ["an unchanged spec without an annotation gets one", undefined, undefined, suggested, "true"],
  ["an annotation that makes no sense counts as none", undefined, "perhaps", suggested, "true"],
  ["updates can be refused before the spec changes", undefined, "false", suggested, "false"],
])("suggested: %s", async (_, precedence, value, want, annotated) => {
  await change("service-accounts", precedence, value);
  await ensure();
  const { spec, metadata } = await schema("service-accounts");
  expect(spec?.matchingPrecedence).toBe(want);
  expect(metadata.annotations).toEqual({ [annotation]: annotated });
});

test("mandatory: the spec is put back and the annotation is true, whatever it was", async () => {
  await change("exempt", undefined, "false");
  const key = "/registry/prioritylevelconfigurations/catch-all";
  const levels = registry.forDefinition(priorityLevelConfigurations);
  const before = await levels.get({ namespace: "", name: "catch-all" });
  // Past the validation, as an older server may have left it.
  const spec = { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } };
  const value = Buffer.from(
    JSON.stringify({
      ...before,
      ...{ kind: "PriorityLevelConfiguration", apiVersion: "flowcontrol.apiserver.o8s.io/v1beta3" },
      spec,
    }),
  );
  await store.commit([], [{ type: "put", key, value }]);
  await ensure();
  expect((await schema("exempt")).metadata.annotations).toEqual({ [annotation]: "true" });
  expect((await levels.get({ namespace: "", name: "catch-all" })).spec).toEqual(before.spec);
});

test("deleted objects are made again", async () => {
  for (const name of ["catch-all", "service-accounts"])
    await registry.forDefinition(flowSchemas).delete({ namespace: "", name });
  await ensure();
  expect((await schema("service-accounts")).spec?.matchingPrecedence).toBe(suggested);
  expect((await schema("catch-all")).spec?.matchingPrecedence).toBe(10_000);
});

test("what an earlier server made goes; what others have made stays", async () => {
  const { spec } = await schema("service-accounts");
  const add = (name: string, value?: string) =>
    registry.forDefinition(flowSchemas).create({
      metadata: { name, ...(value && { annotations: { [annotation]: value } }) },
      ...(spec && { spec: structuredClone(spec) }),
      status: {},
    });
  await add("from-before", "true");
  await add("kept", "false");
  await add("of-somebody");
  await ensure();
  await expect(schema("from-before")).rejects.toThrow("not found");
  expect((await schema("kept")).metadata.name).toBe("kept");
  expect((await schema("of-somebody")).metadata.annotations).toBeUndefined();
});
