import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, systemClock } from "@orchernetes/kernel";
import { startWebhookServer, type WebhookBehaviour, type WebhookServer } from "@orchernetes/testkit";
import { createCertificateAuthority } from "@orchernetes/tls";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { auditPoster } from "./audit-poster.ts";

const directory = mkdtempSync(join(tmpdir(), "audit-poster-"));
const taking: WebhookBehaviour = { type: "answer", body: () => "" };
let hook: WebhookServer;
beforeAll(async () => {
  hook = await startWebhookServer({ behaviour: taking });
});
beforeEach(() => hook.behave(taking));
afterAll(async () => {
  await hook.stop();
  rmSync(directory, { recursive: true });
});

const end = new AbortController();
afterAll(() => end.abort());

function configFile(server: string, caPem: string): string {
  const file = join(directory, "config.json");
  const ca = Buffer.from(caPem).toString("base64");
  const config = {
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": ca } }],
    contexts: [{ name: "c", context: { cluster: "c" } }],
    "current-context": "c",
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** A poster that does not wait between attempts, and notes how long it should have. */
function poster(caPem = hook.caPem) {
  const delays: number[] = [];
  const clock = {
    ...systemClock,
    sleep: async (ms: number) => void delays.push(Math.round(ms)),
  };
  const file = configFile(`${hook.url}/events`, caPem);
  return {
    delays,
    client: auditPoster({ configFile: file, initialBackoffMs: 1000, clock, signal: end.signal, random: () => 0.5 }),
  };
}

const list = '{"kind":"EventList","items":[]}';

test.each<[string, WebhookBehaviour]>([
  ["nothing", taking],
  ["what is not JSON", { type: "answer", body: () => "thanks" }],
  ["much more than anybody reads", { type: "enormous", bytes: 50_000_000 }],
])("events are taken by a service that answers 200 with %s", async (_, behaviour) => {
  hook.behave(behaviour);
  const before = hook.requests.length;
  const { client, delays } = poster();
  await client.post(list);
  expect(hook.requests.slice(before).map(({ path, body }) => [path, body])).toEqual([["/events", JSON.parse(list)]]);
  expect(delays).toEqual([]);
});

test.each<[string, WebhookBehaviour, string]>([
  ["hangs up", { type: "hangUp" }, "Post https://"],
  ["refuses", { type: "answer", status: 403, body: () => ({ message: "no" }) }, "found status 403"],
  ["fails", { type: "answer", status: 500, body: () => "" }, "found status 500"],
  ["redirects", { type: "answer", status: 302, headers: { location: "/x" }, body: () => "" }, "found status 302"],
])("a service that %s is asked five times, with longer pauses", async (_, behaviour, message) => {
  hook.behave(behaviour);
  const before = hook.requests.length;
  const { client, delays } = poster();
  await expect(client.post(list)).rejects.toThrow(message);
  expect(hook.requests.length - before).toBeGreaterThanOrEqual(5);
  expect(delays).toEqual([1100, 1650, 2475, 3713]);
});

test("a service that comes back takes the events", async () => {
  let failures = 2;
  hook.behave({ type: "answer", body: () => (failures-- > 0 ? Promise.reject(new Error("hang up")) : "") });
  const { client, delays } = poster();
  await client.post(list);
  expect(delays).toHaveLength(2);
});

test("a service with a certificate of another authority gets no events", async () => {
  const other = await createCertificateAuthority({ commonName: "other" });
  const before = hook.requests.length;
  const { client, delays } = poster(other.certPem);
  await expect(client.post(list)).rejects.toThrow(/certificate/);
  expect(hook.requests.length).toBe(before);
  expect(delays).toHaveLength(4);
});

test("a silent service has 30 seconds for each attempt", async () => {
  hook.behave({ type: "silent" });
  const clock = new FakeClock();
  const file = configFile(hook.url, hook.caPem);
  const client = auditPoster({ configFile: file, initialBackoffMs: 1000, clock, signal: end.signal, random: () => 0 });
  let failure = "";
  const before = hook.requests.length;
  const posted = client.post(list).catch((error: Error) => {
    failure = error.message;
  });
  for (let attempt = 1; attempt <= 5; attempt++) {
    await expect.poll(() => hook.requests.length - before).toBe(attempt);
    expect(failure).toBe("");
    await clock.advanceAsync(30_000);
    await clock.advanceAsync(5_000);
  }
  await posted;
  expect(failure).toContain("no answer within 30000 ms");
});
