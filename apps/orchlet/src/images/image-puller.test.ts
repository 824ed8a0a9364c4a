import type { CriClient } from "@orchernetes/cri";
import { FakeClock, systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { createImagePuller } from "./image-puller.ts";

test("the longest image name is checked quickly, and truncated in messages", async () => {
  const before = process.cpuUsage();
  const puller = createImagePuller({ cri: {} as CriClient, clock: systemClock, parallel: 1 });
  const [container] = testPod({ containers: [{ name: "c", image: `a${".".repeat(1_000_000)}` }] }).spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  const pulled = puller.ensure({
    container,
    podUid: "u1",
    sandboxConfig: {},
    credentials: async () => [],
    recordEvent: () => undefined,
    signal: new AbortController().signal,
  });
  await expect(pulled).rejects.toMatchObject({ reason: "InvalidImageName" });
  const error: unknown = await pulled.catch((reason: unknown) => reason);
  expect(error instanceof Error && error.message.length).toBeLessThan(1000);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

test.each([
  [
    "a B",
    "InvalidImageName",
    `Failed to apply default image tag "a B": couldn't parse image name "a B": invalid reference format: repository name must be lowercase`,
  ],
  ["a", "ImageInspectError", 'Failed to inspect image "a": the runtime is away'],
])("an image %s that cannot be inspected is reported: %s", async (image, reason, message) => {
  const images = { imageStatus: () => Promise.reject(new Error("the runtime is away")) };
  const puller = createImagePuller({ cri: { images } as unknown as CriClient, clock: systemClock, parallel: 1 });
  const [container] = testPod({ containers: [{ name: "c", image }] }).spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  const events: unknown[] = [];
  const pulled = puller.ensure({
    ...{ container, podUid: "u1", sandboxConfig: {}, credentials: async () => [] },
    recordEvent: (...event) => events.push(event),
    signal: new AbortController().signal,
  });
  await expect(pulled).rejects.toMatchObject({ reason, message });
  expect(events).toEqual([["Warning", "InspectFailed", message]]);
});

test.each([
  ["differ", ["denied", "no such image", "denied"], "[denied, no such image]"],
  ["are the same", ["denied", "denied", "denied"], "denied"],
])("a pull fails with the answers to all credentials, which %s", async (_, answers, message) => {
  const left = [...answers];
  const images = { imageStatus: async () => ({}), pullImage: () => Promise.reject(new Error(left.shift())) };
  const puller = createImagePuller({ cri: { images } as unknown as CriClient, clock: systemClock, parallel: 1 });
  const [container] = testPod({ containers: [{ name: "c", image: "a" }] }).spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  const events: unknown[] = [];
  const pulled = puller.ensure({
    ...{ container, podUid: "u1", sandboxConfig: {}, credentials: async () => answers.map(() => ({})) },
    recordEvent: (...event) => events.push(event),
    signal: new AbortController().signal,
  });
  await expect(pulled).rejects.toMatchObject({ reason: "ErrImagePull", message });
  expect(events.at(-1)).toEqual(["Warning", "Failed", `Failed to pull image "a": ${message}`]);
});

// shows: registryPullQPS, registryBurst
test.each([
  [2, 3, 3],
  [2, 0, 0],
  [0, 0, 5],
])(
  "with registryPullQPS %i and registryBurst %i, %i of five concurrent pulls are started",
  async (qps, burst, want) => {
    const clock = new FakeClock();
    let pulled = 0;
    const images = {
      imageStatus: async () => ({}),
      pullImage: async () => ({ imageRef: `sha256:${++pulled}` }),
    };
    const puller = createImagePuller({
      cri: { images } as unknown as CriClient,
      clock,
      parallel: undefined,
      qps,
      burst,
    });
    const [container] = testPod({ containers: [{ name: "c", image: "a" }] }).spec.containers;
    if (container === undefined) throw new Error("the test pod has no container");
    const pull = (podUid: string) =>
      puller
        .ensure({
          ...{ container, podUid, sandboxConfig: {}, credentials: async () => [], recordEvent: () => undefined },
          signal: new AbortController().signal,
        })
        .catch((error: Error) => error.message);
    const results = await Promise.all(["1", "2", "3", "4", "5"].map(pull));
    expect(pulled).toBe(want);
    expect(results.filter((one) => one === "pull QPS exceeded")).toHaveLength(5 - want);
    clock.advance(500);
    if (burst > 0) expect(await pull("6")).toBe(`sha256:${want + 1}`);
  },
);

test("a failed pull is retried after its delay, regardless of the wall clock", async () => {
  let passedMs = 0;
  let offsetMs = 0;
  const puller = createImagePuller({
    cri: {
      images: {
        imageStatus: async () => ({}),
        pullImage: () => Promise.reject(new Error("no such image")),
      },
    } as unknown as CriClient,
    clock: { ...systemClock, now: () => new Date(offsetMs), monotonicMs: () => passedMs },
    parallel: 1,
  });
  const [container] = testPod({ containers: [{ name: "c", image: "a" }] }).spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  const reason = () =>
    puller
      .ensure({
        container,
        podUid: "u1",
        sandboxConfig: {},
        credentials: async () => [],
        recordEvent: () => undefined,
        signal: new AbortController().signal,
      })
      .catch((error: { readonly reason: string }) => error.reason);
  expect(await reason()).toBe("ErrImagePull");
  offsetMs = 5 * 3_600_000;
  expect(await reason()).toBe("ImagePullBackOff");
  offsetMs = -offsetMs;
  passedMs = 11_000;
  expect(await reason()).toBe("ErrImagePull");
});
