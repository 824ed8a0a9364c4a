import { FakeClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Client, createClient, createEventSeriesRecorder } from "../index.ts";
import { type FakeApiServer, startFakeApiServer } from "../testing/index.ts";

const path = "/apis/events.o8s.io/v1/events";
const pod = { kind: "Pod", apiVersion: "v1", namespace: "a", name: "x", uid: "u" };
let server: FakeApiServer;
let client: Client;
let stop: AbortController;
let clock: FakeClock;
beforeEach(async () => {
  server = await startFakeApiServer();
  client = createClient({ server: server.url });
  stop = new AbortController();
  clock = new FakeClock("2024-01-01T00:00:00Z");
});
afterEach(() => {
  stop.abort();
  client.close();
  return server.close();
});
const recorderOf = () =>
  createEventSeriesRecorder(client, { component: "default-scheduler", host: "h", clock, signal: stop.signal });
const counts = () => server.objects(path).map(({ series }) => (series as { count: number } | undefined)?.count ?? 1);

test("an event has the fields that events.o8s.io/v1 requires", async () => {
  const recorder = recorderOf();
  recorder.event(pod, "Normal", "Scheduled", "to n", { action: "Binding" });
  await recorder.flush();
  const [event] = server.objects(path);
  expect(event).toMatchObject({
    metadata: { namespace: "a", name: expect.stringMatching(/^x\.[0-9a-f]+$/) },
    eventTime: "2024-01-01T00:00:00.000000Z",
    reportingController: "default-scheduler",
    reportingInstance: "default-scheduler-h",
    action: "Binding",
    reason: "Scheduled",
    regarding: pod,
    note: "to n",
    type: "Normal",
  });
  expect(event).not.toHaveProperty("count");
});

test("the second event begins a series, whose count is written when it ends or continues for long", async () => {
  const recorder = recorderOf();
  const fail = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) recorder.event(pod, "Warning", "FailedScheduling", `note ${i}`, { action: "S" });
    await recorder.flush();
  };
  await fail(1);
  expect(counts()).toEqual([1]);
  await fail(1);
  expect(counts()).toEqual([2]);
  await fail(5);
  expect(counts()).toEqual([2]);
  clock.advance(12 * 60_000);
  await recorder.flush();
  expect(counts()).toEqual([7]);
  // The series has ended: a later event is a new one.
  await fail(1);
  expect(counts()).toEqual([7, 1]);
  for (let minutes = 0; minutes < 30; minutes += 5) {
    await fail(1);
    clock.advance(5 * 60_000);
  }
  await recorder.flush();
  expect(counts()).toEqual([7, 5]);
});

test.each<{ name: string; change: object; type?: "Warning"; reason?: string; action?: string; related?: object }>([
  { name: "another object", change: { name: "y" } },
  { name: "another namespace", change: { namespace: "b" } },
  { name: "one that was created again", change: { uid: "v" } },
  { name: "another kind", change: { kind: "Node" } },
  { name: "another version of the API", change: { apiVersion: "v2" } },
  { name: "another part", change: { fieldPath: "spec.containers{c}" } },
  { name: "another type", change: {}, type: "Warning" },
  { name: "another reason", change: {}, reason: "Other" },
  { name: "another action", change: {}, action: "Other" },
  { name: "another related object", change: {}, related: { uid: "w" } },
])("a series is about one object, reason and action: $name", async ({ change, type, reason, action, related }) => {
  const recorder = recorderOf();
  recorder.event(pod, "Normal", "Did", "m", { action: "A" });
  recorder.event({ ...pod, resourceVersion: "2" }, "Normal", "Did", "m", { action: "A" });
  const options = { action: action ?? "A", ...(related && { related }) };
  recorder.event({ ...pod, ...change }, type ?? "Normal", reason ?? "Did", "m", options);
  await recorder.flush();
  expect(counts().sort()).toEqual([1, 2]);
});

test("many events about different objects are all written", async () => {
  const recorder = recorderOf();
  for (let i = 0; i < 100; i++) recorder.event({ ...pod, uid: `u${i}` }, "Normal", "Scheduled", "m", { action: "B" });
  await recorder.flush();
  expect(counts()).toHaveLength(100);
});

test("a series whose event has expired is created again", async () => {
  const recorder = recorderOf();
  recorder.event(pod, "Normal", "Did", "m");
  await recorder.flush();
  for (const { metadata } of server.objects(path)) server.remove(path, `a/${metadata.name}`);
  recorder.event(pod, "Normal", "Did", "m");
  await recorder.flush();
  expect(counts()).toEqual([2]);
});
