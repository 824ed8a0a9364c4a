import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeClient } from "./node-client.ts";
import { OPERATIONS, type Outcome, POD_OPERATIONS, type Target, tryOperations } from "./operations.ts";

let server: TestApiServer;
let target: Target;
beforeAll(async () => {
  server = await startApiServer();
  const dir = mkdtempSync(join(tmpdir(), "o8s-client-"));
  target = { clientConfig: server.clientConfig, namespace: "default", dir };
}, 120_000);
afterAll(async () => {
  if (target !== undefined) rmSync(target.dir, { recursive: true, force: true });
  await server?.stop();
});

test("the npm client performs every operation with its own types", async () => {
  const want = (operation: (typeof OPERATIONS)[number]): Outcome => {
    if (operation === "apply") return { type: "absent" };
    return POD_OPERATIONS.has(operation) ? { type: "skipped", why: "no node" } : { type: "passed" };
  };
  const outcomes = await tryOperations(nodeClient, OPERATIONS, target);
  expect([...outcomes]).toEqual(OPERATIONS.map((operation) => [operation, want(operation)]));
}, 120_000);
