import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { CustomContext, type CustomRequest } from "./custom-context.ts";

const query = { dryRun: false, fieldManager: "", fieldValidation: "Ignore", options: {} } as const;

/** A request with 8 KB of data. */
const request = () =>
  ({
    state: { info: { subresource: "binding", namespace: "a", name: "p" }, data: new Array<number>(1000).fill(0) },
    environment: { clock: { now: () => new Date() }, admission: { run: async () => undefined } },
    definition: { group: "", version: "v1", plural: "pods", kind: "Pod", scope: "Namespaced" },
    subresource: undefined,
    handler: { verbs: ["create"] },
  }) as unknown as CustomRequest;

test("collections of the young generation remove the request of a handler that has ended", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;
  setFlagsFromString("--no-expose-gc");
  const serve = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await new CustomContext(request(), undefined, query).admit("CREATE", undefined);
  };
  await serve(10);
  collect();
  const before = process.memoryUsage().heapUsed;
  await serve(500);
  await sleep(0);
  for (let i = 0; i < 4; i++) collect({ type: "minor" });
  // They were 4 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(1_000_000);
});
