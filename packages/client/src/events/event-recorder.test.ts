import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Client, createClient, createEventRecorder } from "../index.ts";
import { type FakeApiServer, startFakeApiServer } from "../testing/index.ts";

let server: FakeApiServer;
let client: Client;
beforeEach(async () => {
  server = await startFakeApiServer();
  client = createClient({ server: server.url });
});
afterEach(() => {
  client.close();
  return server.close();
});

const pod = { kind: "Pod", apiVersion: "v1", namespace: "a", name: "x", uid: "u" };
const written = () =>
  server
    .objects("/api/v1/events")
    .map(({ message, count, metadata }) => ({ message, count, namespace: metadata.namespace }));

test.each([
  ["one event", ["m"], [{ message: "m", count: 1, namespace: "a" }]],
  ["repetitions raise the count", ["m", "m", "m"], [{ message: "m", count: 3, namespace: "a" }]],
  [
    "from the tenth alike on they are combined",
    Array.from({ length: 12 }, (_, i) => `m${i}`),
    [
      ...Array.from({ length: 9 }, (_, i) => ({ message: `m${i}`, count: 1, namespace: "a" })),
      { message: "(combined from similar events): m11", count: 3, namespace: "a" },
    ],
  ],
  [
    "a flood about one object is cut at 25",
    Array.from({ length: 40 }, () => "m"),
    [{ message: "m", count: 25, namespace: "a" }],
  ],
])("%s", async (_, messages, want) => {
  const recorder = createEventRecorder(client, { component: "test" });
  for (const message of messages) recorder.event(pod, "Normal", "Did", message);
  await recorder.flush();
  expect(written()).toEqual(want);
});

test("events of two components about one object in the same instant are both written", async () => {
  const clock = { ...systemClock, now: () => new Date(0) };
  const recorders = ["a", "b"].map((component) => createEventRecorder(client, { component, clock }));
  for (const recorder of recorders) recorder.event(pod, "Normal", "Did", "m");
  await Promise.all(recorders.map((recorder) => recorder.flush()));
  expect(written()).toHaveLength(2);
});

test("an event carries source, object and times; cluster-scoped objects use the default namespace", async () => {
  const recorder = createEventRecorder(client, { component: "test", host: "h" });
  recorder.event({ kind: "Node", name: "n" }, "Warning", "Broke", "x".repeat(2000));
  await recorder.flush();
  const [event] = server.objects("/api/v1/events");
  expect(event).toMatchObject({
    metadata: { namespace: "default", name: expect.stringMatching(/^n\.[0-9a-f]+$/) },
    involvedObject: { kind: "Node", name: "n" },
    source: { component: "test", host: "h" },
    type: "Warning",
    reason: "Broke",
    reportingComponent: "test",
  });
  expect(event?.message).toHaveLength(1024);
});

test("many events are written in parallel, and those about one object in order", async () => {
  let underWay = 0;
  let most = 0;
  const created = new Set<string>();
  const early: string[] = [];
  server.hook = ({ method, path }) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay -= 1;
    }, 2);
    if (method === "PATCH" && !created.has(path)) early.push(path);
    return undefined;
  };
  server.prepare = (_, object) => {
    created.add(`/api/v1/namespaces/a/events/${object.metadata.name}`);
    return object;
  };
  const recorder = createEventRecorder(client, { component: "test" });
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 500; i++) recorder.event({ ...pod, name: `p${i}`, uid: `u${i}` }, "Normal", "Did", "m");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await recorder.flush();
  expect(server.objects("/api/v1/events").map(({ count }) => count)).toEqual(Array.from({ length: 500 }, () => 3));
  expect(early).toEqual([]);
  expect(most).toBeGreaterThan(4);
  expect(most).toBeLessThanOrEqual(32);
});

test("events that are dropped are counted and the first of each reason is logged", async () => {
  const counted: Record<string, number> = {};
  const warnings: unknown[] = [];
  const measured = createClient({
    server: server.url,
    metrics: {
      eventDropped({ reason }) {
        counted[reason] = (counted[reason] ?? 0) + 1;
      },
    },
  });
  const logger = {
    ...silentLogger,
    warn: (_: string, fields?: object) => void warnings.push(fields),
  };
  const recorder = createEventRecorder(measured, { component: "test", queueSize: 20, parallel: 1, logger });
  for (let i = 0; i < 30; i++) recorder.event(pod, "Normal", "Did", "m");
  for (let i = 0; i < 30; i++) recorder.event({ ...pod, uid: `u${i}` }, "Normal", "Did", "m");
  await recorder.flush();
  server.hook = () => ({ status: 403 });
  recorder.event({ ...pod, uid: "refused" }, "Normal", "Did", "m");
  await recorder.flush();
  expect(counted).toEqual({ spam: 5, queue_full: 11, refused: 1 });
  expect(warnings).toMatchObject([
    { why: "spam", dropped: 1, object: "Pod a/x" },
    { why: "queue_full", dropped: 1 },
    { why: "refused", dropped: 1 },
  ]);
  measured.close();
});

test("an event that expired is created again", async () => {
  const recorder = createEventRecorder(client, { component: "test" });
  recorder.event(pod, "Normal", "Did", "m");
  await recorder.flush();
  const [first] = server.objects("/api/v1/events");
  server.remove("/api/v1/events", `a/${first?.metadata.name}`);
  recorder.event(pod, "Normal", "Did", "m");
  await recorder.flush();
  recorder.event(pod, "Normal", "Did", "m");
  await recorder.flush();
  expect(written()).toEqual([{ message: "m", count: 3, namespace: "a" }]);
});

test("a rejected event is dropped and the next one written", async () => {
  const recorder = createEventRecorder(client, { component: "test" });
  let refuse = true;
  server.hook = () => (refuse ? { status: 403 } : undefined);
  recorder.event(pod, "Normal", "Did", "lost");
  await recorder.flush();
  refuse = false;
  recorder.event(pod, "Normal", "Did", "kept");
  await recorder.flush();
  expect(written()).toEqual([{ message: "kept", count: 1, namespace: "a" }]);
});
