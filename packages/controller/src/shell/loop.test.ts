import { ApiError, conflict, failure } from "@orchernetes/apimachinery";
import { type LogValues, silentLogger } from "@orchernetes/kernel";
import { describe, expect, test, vi } from "vitest";
import { WorkQueue } from "../queue/work-queue.ts";
import { inOrder, runLoop } from "./loop.ts";

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
  const running = runLoop(
    {
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
      name: "test",
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
  test("carries out plans and skips objects that do not exist", async () => {
    const { did } = await run({ keys: ["a", "gone", "b"], until: (all) => all.length === 2 });
    expect(did).toEqual(["do a", "do b"]);
  });

  test("requeues the key when the plan says so", async () => {
    await run({ keys: ["again"], until: (all) => all.length >= 3 });
  });

  test("retries after failures, then forgets them", async () => {
    const { queue, errors } = await run({
      keys: ["a"],
      errors: [new Error("one"), conflict({ group: "", plural: "pods" }, "a")],
      until: (all) => all.length === 3,
    });
    expect(queue.retries("a")).toBe(0);
    expect(errors).toEqual(["Error: one"]);
  });

  test("gives up after the configured number of retries", async () => {
    const { errors } = await run({
      keys: ["a"],
      errors: [1, 2, 3, 4, 5].map((n) => new Error(String(n))),
      maxRetries: 2,
      until: (all) => all.length === 3,
    });
    expect(errors).toEqual(["Error: 1", "Error: 2", "Error: 3"]);
  });

  test("an object that cannot be created in a terminating namespace counts as done", async () => {
    const { did, errors } = await run({ keys: ["a", "b"], errors: [terminating], until: (all) => all.length === 2 });
    expect([did, errors]).toEqual([["do a", "do b"], []]);
  });

  test("logs keys as the loop describes them", async () => {
    const queue = new WorkQueue<{ readonly id: number }>({ name: "q" });
    const stop = new AbortController();
    const keys: unknown[] = [];
    queue.add({ id: 7 });
    const logger = {
      ...silentLogger,
      error: (_: unknown, __: string, values?: LogValues) => void keys.push(values?.key),
    };
    const running = runLoop<object, string, { readonly id: number }>(
      {
        queue,
        workers: 1,
        describeKey: ({ id }) => `object ${id}`,
        gather: (key) => key,
        reconcile: () => ({ actions: ["fail"] }),
        carryOut: () => Promise.reject(new Error("no")),
      },
      { name: "test", signal: stop.signal, logger },
    );
    await vi.waitFor(() => expect(keys[0]).toBe("object 7"));
    stop.abort();
    await running;
  });

  test("uses the loop's own delay after a failure, if it has one", async () => {
    const queue = new WorkQueue({ name: "q" });
    const stop = new AbortController();
    const failed: string[] = [];
    queue.add("a");
    const running = runLoop<string, string>(
      {
        queue,
        workers: 1,
        failed: (error) => failed.push(String(error)),
        gather: (key) => key,
        reconcile: () => ({ actions: ["fail"] }),
        carryOut: () => Promise.reject(new Error("no")),
      },
      { name: "test", signal: stop.signal },
    );
    await vi.waitFor(() => expect(failed.length).toBeGreaterThan(2));
    expect(queue.retries("a")).toBe(0);
    stop.abort();
    await running;
  });
});

test("actions are carried out in order until one fails; the earliest requeue time applies", async () => {
  const did: string[] = [];
  type Action = { readonly type: "Wait"; readonly ms: number } | { readonly type: "Fail" };
  const carryOut = inOrder<Action, string>({
    Wait({ ms }, state, key) {
      did.push(`${ms} ${state} ${key}`);
      return ms;
    },
    Fail: () => Promise.reject(new Error("no")),
  });
  const wait = (ms: number): Action => ({ type: "Wait", ms });
  expect(await carryOut([wait(30), wait(10), wait(20)], "state", "key")).toBe(10);
  await expect(carryOut([wait(1), { type: "Fail" }, wait(2)], "state", "key")).rejects.toThrow("no");
  expect(did).toEqual(["30 state key", "10 state key", "20 state key", "1 state key"]);
});
