import { ApiError, conflict, failure } from "@orchernetes/apimachinery";
import { silentLogger } from "@orchernetes/kernel";
import { describe, expect, test, vi } from "vitest";
import { WorkQueue } from "../queue/work-queue.ts";
import { runController } from "./run-controller.ts";

const terminating = new ApiError(
  failure("Forbidden", "being terminated", { causes: [{ reason: "NamespaceTerminating" }] }),
);

async function run(options: {
  readonly keys: readonly string[];
  readonly errors?: readonly unknown[];
  readonly maxRetries?: number;
  readonly until: (did: readonly string[]) => boolean;
}): Promise<{ did: string[]; queue: WorkQueue; errors: string[] }> {
  const queue = new WorkQueue({ name: "q" });
  const stop = new AbortController();
  const did: string[] = [];
  const errors: string[] = [];
  const left = [...(options.errors ?? [])];
  for (const key of options.keys) queue.add(key);
  const running = runController(
    {
      name: "test",
      queue,
      workers: 2,
      ...(options.maxRetries === undefined ? {} : { maxRetries: options.maxRetries }),
      gather: (key) => (key === "gone" ? undefined : key),
      reconcile: (key) => ({ actions: [`do ${key}`], ...(key === "again" ? { requeueAfterMs: 5 } : {}) }),
      async carryOut([action = ""]) {
        did.push(action);
        const error = left.shift();
        if (error !== undefined) throw error;
      },
    },
    {
      signal: stop.signal,
      logger: { ...silentLogger, error: (error) => void errors.push(String(error)) },
    },
  );
  await vi.waitFor(() => expect(options.until(did)).toBe(true), { timeout: 20_000 });
  stop.abort();
  await running;
  return { did, queue, errors };
}

describe("the shell", () => {
  test("carries plans out and passes over what is gone", async () => {
    const { did } = await run({ keys: ["a", "gone", "b"], until: (all) => all.length === 2 });
    expect(did).toEqual(["do a", "do b"]);
  });

  test("looks again when the plan says so", async () => {
    await run({ keys: ["again"], until: (all) => all.length >= 3 });
  });

  test("tries again after failures, then forgets them", async () => {
    const { queue, errors } = await run({
      keys: ["a"],
      errors: [new Error("one"), conflict({ group: "", plural: "pods" }, "a")],
      until: (all) => all.length === 3,
    });
    expect(queue.retries("a")).toBe(0);
    expect(errors).toEqual(["Error: one"]);
  });

  test("gives up when told to", async () => {
    const { errors } = await run({
      keys: ["a"],
      errors: [1, 2, 3, 4, 5].map((n) => new Error(String(n))),
      maxRetries: 2,
      until: (all) => all.length === 3,
    });
    expect(errors).toEqual(["Error: 1", "Error: 2", "Error: 3"]);
  });

  test("what cannot be made in a namespace that goes away counts as done", async () => {
    const { did, errors } = await run({ keys: ["a", "b"], errors: [terminating], until: (all) => all.length === 2 });
    expect([did, errors]).toEqual([["do a", "do b"], []]);
  });
});
