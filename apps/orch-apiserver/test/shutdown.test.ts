import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterEach, expect, test } from "vitest";

const servers: TestApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start(...flags: string[]): Promise<TestApiServer> {
  const server = await startApiServer({ flags });
  servers.push(server);
  return server;
}

interface Outcome {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** One request. `slowly`: the body is sent in two halves that far apart. */
async function ask(
  server: TestApiServer,
  path: string,
  options: { readonly agent?: Agent; readonly body?: string; readonly slowlyMs?: number } = {},
): Promise<Outcome> {
  const { body, slowlyMs } = options;
  const call = request(`${server.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    ca: readFileSync(server.caFile),
    agent: options.agent ?? false,
    headers: { authorization: `Bearer ${server.token}`, ...(body ? { "content-type": "application/json" } : {}) },
  });
  const answered = once(call, "response");
  answered.catch(() => {});
  if (body !== undefined && slowlyMs !== undefined) {
    call.write(body.slice(0, 5));
    await sleep(slowlyMs);
    call.end(body.slice(5));
  } else {
    call.end(body);
  }
  const [response] = (await answered) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, headers: response.headers, body: text };
}

const configMap = (name: string) =>
  JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name }, data: { a: "b" } });
const configMaps = "/api/v1/namespaces/default/configmaps";

/** The response of /readyz once the server has noticed the signal. */
async function notReady(server: TestApiServer): Promise<Outcome> {
  for (;;) {
    const outcome = await ask(server, "/readyz");
    if (outcome.status === 500) return outcome;
    await sleep(10);
  }
}

/** Asks again and again on one connection each until the port is closed; gives what was answered and what was lost. */
async function load(server: TestApiServer, connections: number) {
  const statuses: number[] = [];
  const lost: string[] = [];
  const one = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (;;) {
      try {
        statuses.push((await ask(server, "/api/v1/namespaces/default", { agent })).status);
      } catch (error) {
        const { code = "", syscall = "" } = error as { readonly code?: string; readonly syscall?: string };
        // Only a connection that could not be made has lost nothing.
        if (syscall !== "connect" && !(code === "ECONNRESET" && String(error).includes("before secure TLS")))
          lost.push(String(error));
        return;
      }
    }
  };
  const running = Promise.all(Array.from({ length: connections }, one));
  return {
    statuses,
    lost,
    ended: running,
  };
}

test("SIGTERM under load: every request in flight is answered, the delay serves on, new connections are refused after it", async () => {
  const server = await start("--shutdown-delay-duration=2s");
  const busy = await load(server, 16);
  await sleep(200);
  const slow = Array.from({ length: 4 }, (_, i) =>
    ask(server, configMaps, { body: configMap(`slow-${i}`), slowlyMs: 3500 }),
  );
  await sleep(100);
  process.kill(server.pid, "SIGTERM");
  const during = await Promise.all([
    notReady(server),
    ...["/livez", "/healthz", configMaps].map((path) => ask(server, path)),
  ]);
  expect(during.map(({ status }) => status)).toEqual([500, 200, 200, 200]);
  expect(during[0]?.body).toContain("[-]shutdown failed");
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  await expect(ask(server, "/healthz")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await busy.ended;
  expect(busy.lost).toEqual([]);
  expect(busy.statuses.length).toBeGreaterThan(100);
  expect(new Set(busy.statuses)).toEqual(new Set([200]));
});

test("with --shutdown-send-retry-after new requests get 429 until those in flight are answered", async () => {
  const server = await start("--shutdown-send-retry-after");
  const slow = ask(server, configMaps, { body: configMap("slow"), slowlyMs: 3000 });
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await ask(server, configMaps, { agent: kept })).status).toBe(200);
  process.kill(server.pid, "SIGTERM");
  await notReady(server);
  for (const options of [{ agent: kept }, {}]) {
    const refused = await ask(server, configMaps, options);
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({ "retry-after": "5", connection: "close" });
    expect(JSON.parse(refused.body)).toMatchObject({ kind: "Status", reason: "TooManyRequests", code: 429 });
  }
  expect((await ask(server, "/livez")).status).toBe(200);
  expect((await ask(server, "/readyz")).status).toBe(500);
  expect((await slow).status).toBe(201);
});

test("watches end in order within --shutdown-watch-termination-grace-period, and a second SIGTERM ends at once", async () => {
  const server = await start("--shutdown-watch-termination-grace-period=1s");
  await ask(server, configMaps, { body: configMap("seen") });
  const watches = Array.from({ length: 4 }, () => ask(server, `${configMaps}?watch=true`));
  const open = async () =>
    /apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)/.exec(
      (await ask(server, "/metrics")).body,
    )?.[1];
  await expect.poll(open, { timeout: 10_000 }).toBe("4");
  process.kill(server.pid, "SIGTERM");
  for (const { status, body } of await Promise.all(watches)) {
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ type: "ADDED", object: { metadata: { name: "seen" } } });
  }
  const held = await start("--shutdown-delay-duration=1m");
  process.kill(held.pid, "SIGTERM");
  await sleep(100);
  expect((await ask(held, "/livez")).status).toBe(200);
  process.kill(held.pid, "SIGTERM");
  await expect.poll(() => held.running, { timeout: 2000 }).toBe(false);
});

test("a server whose watch cache cannot be filled stops on the first SIGTERM", async () => {
  const dir = mkdtempSync(join(tmpdir(), "shutdown-"));
  const file = join(dir, "encryption.json");
  const encryptConfigMaps = (provider: object): void => {
    const resources = [{ resources: ["configmaps"], providers: [provider] }];
    const document = { kind: "EncryptionConfiguration", apiVersion: "apiserver.config.o8s.io/v1", resources };
    writeFileSync(file, JSON.stringify(document));
  };
  try {
    encryptConfigMaps({ identity: {} });
    const server = await start(`--encryption-provider-config=${file}`);
    expect((await ask(server, configMaps, { body: configMap("plain") })).status).toBe(201);
    encryptConfigMaps({ aesgcm: { keys: [{ name: "k", secret: Buffer.alloc(32).toString("base64") }] } });
    // It never becomes ready: nothing in the configuration can read the stored object.
    const restarted = server.restart().then(
      () => "ready",
      (error: unknown) => String(error),
    );
    await expect.poll(() => server.log(), { timeout: 60_000 }).toContain("Watch cache cannot follow the store");
    process.kill(server.pid, "SIGTERM");
    await expect.poll(() => server.running, { timeout: 15_000 }).toBe(false);
    expect(await restarted).toContain("ended before it was ready");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}, 150_000);
