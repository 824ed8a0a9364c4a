import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFlags } from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { completeConfig } from "../config.ts";
import { apiserverFlags } from "../flags/index.ts";
import { createPolicy } from "./policy-stage.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { createServedResources } from "./resources-stage.ts";
import { openStorage, type StorageStage } from "./storage-stage.ts";

const folder = mkdtempSync(join(tmpdir(), "stages-"));
const end = new AbortController();
let daemon: ServerProcess;
let storage: StorageStage;

beforeAll(async () => {
  const parsed = parseFlags(
    { name: "orch-apiserver", description: "x", version: { text: "v", raw: "v" } },
    apiserverFlags,
    [
      "--storage-backend=embedded",
      `--embedded-store-path=${folder}`,
      "--enable-admission-plugins=AlwaysPullImages",
      "--authorization-mode=RBAC",
    ],
  );
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  const config = await completeConfig(parsed.flags);
  const signals = { stopping: end.signal, ended: end.signal };
  daemon = await startProcess(config, { logger: silentLogger, explicit: new Set() }, signals);
  storage = await openStorage(daemon);
});
afterAll(async () => {
  end.abort();
  await storage.stores.close();
  rmSync(folder, { recursive: true });
});

test("storage: one engine, which answers", async () => {
  expect(storage.stores.all).toHaveLength(1);
  for (const { check } of storage.checks) await check(end.signal);
});

test("policy: the modes and plugins of the flags, in their order", () => {
  const { authorization, admission, writeHooks } = createPolicy(daemon, storage);
  expect(authorization.authorizers).toHaveLength(2);
  expect(admission.map(({ name }) => name)).toContain("AlwaysPullImages");
  expect(writeHooks).toHaveLength(1);
});

test("resources: the registry has the built-in kinds before anything is read", async () => {
  const { resources, builtIn } = await createServedResources(daemon, storage, {
    admission: [],
    writeHooks: [],
    expressions: { compiled: () => undefined, evaluated: () => undefined },
  });
  expect(builtIn.length).toBeGreaterThan(50);
  expect(resources.registry.definitions().map(({ kind }) => kind)).toContain("Pod");
});
