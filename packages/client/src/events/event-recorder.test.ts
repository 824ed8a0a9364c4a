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

test("an event that expired is created anew", async () => {
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

test("a refused event is dropped and the next one written", async () => {
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
