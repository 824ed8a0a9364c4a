import type { CriClient } from "@orchernetes/cri";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { observeNode, RuntimeContact } from "./observe-node.ts";

test("a runtime that does not answer makes the node unready after 30 seconds, or if it has never answered", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00Z");
  let isDown = true;
  const condition = { type: "RuntimeReady", status: true, reason: "Starting", message: "wait" };
  const cri = {
    runtime: {
      async version() {
        if (isDown) throw new Error("no such socket");
        return { runtimeName: "containerd", runtimeVersion: "v1.7.0" };
      },
      status: async () => ({ status: { conditions: [condition, { ...condition, type: "Other", status: false }] } }),
    },
    images: { listImages: async () => ({ images: [] }) },
  } as unknown as CriClient;
  const contact = new RuntimeContact(clock);
  const errors = async () => {
    const { health } = await observeNode({
      ...{ cri, contact, network: { note: () => undefined }, maxImages: 0, hasAppArmor: false },
      pressure: () => ({ memory: false, disk: false, pids: false }),
      errors: () => [],
      devices: () => ({ capacity: {}, allocatable: {} }),
      volumesInUse: () => undefined,
    });
    return health.errors;
  };
  expect(await errors()).toEqual(["container runtime status check may not have completed yet"]);
  isDown = false;
  expect(await errors()).toEqual([]);
  isDown = true;
  clock.advance(29_000);
  expect(await errors()).toEqual([]);
  clock.advance(1000);
  expect(await errors()).toEqual(["container runtime is down"]);
  isDown = false;
  expect(await errors()).toEqual([]);
  condition.status = false;
  expect(await errors()).toEqual(["container runtime not ready: RuntimeReady=false reason:Starting message:wait"]);
  clock.advance(30_000);
  expect(await errors()).toEqual([
    "container runtime not ready: RuntimeReady=false reason:Starting message:wait",
    "container runtime is down",
  ]);
});
