import type { core } from "@orchernetes/api";
import { alreadyExists, notFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { legacyTokenTracking } from "./legacy-token-tracking.ts";

const name = "orch-apiserver-legacy-service-account-token-tracking";
const minute = 60_000;

/** A registry with this one ConfigMap, and a clock that stands still until it is moved. */
async function setup(enabled: boolean, data: core.ConfigMap["data"] | undefined) {
  const resource = { group: "", plural: "configmaps" };
  const world: { data: core.ConfigMap["data"] | undefined; creates: number; failing: boolean } = {
    data,
    creates: 0,
    failing: false,
  };
  const clock = new FakeClock("2023-06-01T23:00:00Z");
  let onEvent: (event: object) => void = () => {};
  const store = {
    follow(listener: { onEvent: (event: object) => void; onSynced: () => void }) {
      onEvent = listener.onEvent;
      listener.onSynced();
    },
    async get() {
      if (world.data === undefined) throw notFound(resource, name);
      return { metadata: { name }, data: world.data };
    },
    async create(object: core.ConfigMap) {
      world.creates++;
      if (world.failing) throw new Error("the store is gone");
      if (world.data !== undefined) throw alreadyExists(resource, name);
      world.data = object.data ?? {};
    },
    async update(_ref: object, change: (draft: { data?: core.ConfigMap["data"] }) => void) {
      const draft = { ...(world.data && { data: world.data }) };
      change(draft);
      world.data = draft.data;
    },
    async delete() {
      world.data = undefined;
    },
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const registry = { forDefinition: () => store } as unknown as Registry;
  const end = new AbortController();
  await legacyTokenTracking({ enabled, clock }).run({ registry, signal: end.signal, logger: { error() {} } });
  await settle();
  return {
    world,
    end,
    waiting: () => clock.waiting,
    async changed(data: core.ConfigMap["data"] | undefined) {
      world.data = data;
      onEvent({ namespace: "orch-system", name });
      await settle();
    },
    async pass(ms: number) {
      clock.advance(ms);
      await settle();
    },
  };
}

test.each([
  ["is made", true, undefined, { since: "2023-06-01" }],
  ["with a day stays", true, { since: "2022-02-28" }, { since: "2022-02-28" }],
  ["with no day gets one", true, { other: "x" }, { other: "x", since: "2023-06-01" }],
  ["with a day that is none gets one", true, { since: "2023-02-30" }, { since: "2023-06-01" }],
  ["with text gets a day", true, { since: "lately" }, { since: "2023-06-01" }],
  ["goes when the feature is off", false, { since: "2022-02-28" }, undefined],
  ["is not made when the feature is off", false, undefined, undefined],
])("the ConfigMap %s", async (_, enabled, before, after) => {
  const { world } = await setup(enabled, before);
  expect(world.data).toEqual(after);
});

test("what others delete is made again, every half hour at most", async () => {
  const { world, changed, pass } = await setup(true, undefined);
  await changed(undefined);
  await pass(29 * minute);
  expect([world.data, world.creates]).toEqual([undefined, 1]);
  await pass(2 * minute);
  expect([world.data, world.creates]).toEqual([{ since: "2023-06-01" }, 2]);
  await pass(40 * minute);
  await changed(undefined);
  expect([world.data, world.creates]).toEqual([{ since: "2023-06-02" }, 3]);
});

test("a failure does not count, and is tried again until the server stops", async () => {
  const { world, changed, pass, end, waiting } = await setup(true, { since: "2022-02-28" });
  world.failing = true;
  await changed(undefined);
  expect([world.data, world.creates]).toEqual([undefined, 1]);
  world.failing = false;
  await pass(1000);
  expect(world.data).toEqual({ since: "2023-06-01" });
  await changed(undefined);
  expect(waiting()).toBe(1);
  end.abort();
  expect(waiting()).toBe(0);
});
