import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "@orchernetes/component";
import { type CriClient, CriError, createCriClient } from "@orchernetes/cri";
import { serveCri } from "@orchernetes/cri/testing";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followContainerEvents } from "./container-events.ts";
import { podUidLabel } from "./labels.ts";

let dir: string;
let cri: CriClient;
let stop: AbortController;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-events-"));
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  cri.close();
  for (const close of closers.splice(0)) await close();
  rmSync(dir, { recursive: true });
});

const event = (uid: string) =>
  ({
    containerId: "c",
    containerEventType: "CONTAINER_STOPPED_EVENT",
    createdAt: BigInt(Date.now() - 20) * 1_000_000n,
    podSandboxStatus: { id: "s", labels: { [podUidLabel]: uid } },
    containersStatuses: [],
  }) as never;

/** A runtime, newer than the one of the other tests, that sends events. */
async function start(getContainerEvents: Parameters<typeof serveCri>[0]["runtime"]["getContainerEvents"]) {
  const socketPath = join(dir, "cri.sock");
  const server = await serveCri({
    socketPath,
    runtime: getContainerEvents === undefined ? {} : { getContainerEvents },
    images: {},
  });
  closers.push(() => server.close());
  cri = createCriClient({ endpoint: `unix://${socketPath}`, imageEndpoint: `unix://${socketPath}`, timeoutMs: 5000 });
  const uids: string[] = [];
  const states: boolean[] = [];
  const metrics = createMetrics();
  const done = followContainerEvents({
    cri,
    onPod: (uid) => void uids.push(uid),
    onFollowing: (isFollowing) => void states.push(isFollowing),
    ...{ clock: systemClock, logger: silentLogger, metrics, signal: stop.signal },
  });
  return { uids, states, metrics, done };
}

test("the pods of events are reported as the events arrive, and a stream that ends is opened again", async () => {
  let streams = 0;
  const { uids, states, metrics } = await start(async function* () {
    streams++;
    yield event(`u${streams}`);
  });
  await vi.waitFor(() => expect(uids).toEqual(["u1", "u2"]), 10_000);
  expect(states.slice(0, 3)).toEqual([true, false, true]);
  expect(metrics.render()).toContain("orchlet_evented_pleg_connection_success_count 2");
  expect(metrics.render()).toMatch(/orchlet_evented_pleg_connection_latency_seconds_count 2/);
});

test("a stream without events counts as working after a while, and ends with the agent", async () => {
  const { states, done } = await start(async function* (signal) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  });
  await vi.waitFor(() => expect(states).toEqual([true]), 10_000);
  stop.abort();
  await done;
});

test("a runtime that does not support events is not asked again", async () => {
  const { states, done, metrics } = await start(undefined);
  await done;
  expect(states).toEqual([false]);
  expect(metrics.render()).toContain("orchlet_evented_pleg_connection_error_count 1");
});

test("a stream that fails is opened again", async () => {
  let streams = 0;
  const { uids, states } = await start(async function* () {
    if (++streams === 1) throw new CriError("getContainerEvents", "Internal", "broken");
    yield event("u");
  });
  await vi.waitFor(() => expect(uids.length).toBeGreaterThan(0), 10_000);
  expect(states.slice(0, 2)).toEqual([false, true]);
});
