import { systemClock } from "@orchernetes/kernel";
import { startWebhookServer, type WebhookBehaviour, type WebhookServer } from "@orchernetes/testkit";
import { createCertificateAuthority } from "@orchernetes/tls";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { NodeView } from "../cluster/node-view.ts";
import { createOrchletClient, type OrchletClient, type OrchletClientOptions } from "./orchlet-client.ts";

const page = "node_cpu_usage_seconds_total 7 4000\nnode_memory_working_set_bytes 70";
const flags = {
  "orchlet-port": 1,
  "orchlet-preferred-address-types": ["InternalDNS", "InternalIP"],
  "orchlet-use-node-status-port": true,
};
let agent: WebhookServer;
const clients: OrchletClient[] = [];

const clientOf = (options: Partial<OrchletClientOptions> = {}) => {
  const tls = { ca: agent.caPem };
  const client = createOrchletClient({ flags, tls: () => tls, token: () => undefined, clock: systemClock, ...options });
  clients.push(client);
  return client;
};
const nodeAt = (address: string, type = "InternalIP"): NodeView => ({
  metadata: { name: "n" },
  addresses: [{ type, address }],
  agentPort: agent.port,
  isReady: true,
});
const read = (client: OrchletClient, node = nodeAt("127.0.0.1"), timeoutMs = 10_000) =>
  client.read(node, () => true, AbortSignal.timeout(timeoutMs));

beforeAll(async () => {
  agent = await startWebhookServer({ behaviour: { type: "silent" } });
});
beforeEach(() => agent.behave({ type: "answer", body: () => page }));
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => agent.stop());

test("reads the page of an agent, again over the same connection", async () => {
  const client = clientOf();
  const before = agent.accepted;
  await read(client);
  expect((await read(client)).node).toMatchObject({ cpuSeconds: 7, memoryBytes: 70 });
  expect(agent.accepted - before).toBe(1);
  const { method, path, headers } = agent.requests.at(-1) ?? {};
  expect([method, path, headers?.authorization]).toEqual(["GET", "/metrics/resource", undefined]);
});

test("a token is sent as a bearer token", async () => {
  await read(clientOf({ token: () => "secret" }));
  expect(agent.requests.at(-1)?.headers.authorization).toBe("Bearer secret");
});

test("a node without an address of a preferred type is not called", async () => {
  await expect(read(clientOf(), nodeAt("127.0.0.1", "Hostname"))).rejects.toThrow(
    "no address matched types [InternalDNS InternalIP]",
  );
});

test("the certificate must be of a trusted authority, and name the address", async () => {
  const { certPem } = await createCertificateAuthority({ commonName: "other" });
  const other = { ca: certPem };
  await expect(read(clientOf({ tls: () => other }))).rejects.toThrow("unable to verify");
  await expect(read(clientOf(), nodeAt("127.0.0.2"))).rejects.toThrow("127.0.0.2");
  const insecure = { insecure: true };
  expect((await read(clientOf({ tls: () => insecure }), nodeAt("127.0.0.1"))).node).toBeDefined();
});

test.each<[string, WebhookBehaviour, string]>([
  ["another status", { type: "answer", body: () => "x", status: 403 }, 'status: "403 Forbidden"'],
  [
    "a redirect",
    { type: "redirect", from: "/metrics/resource", status: 302, location: "/x", body: () => "" } as const,
    "302",
  ],
  [
    "a page that is nonsense",
    { type: "answer", body: () => "node_cpu_usage_seconds_total <b>" } as const,
    "want a sample",
  ],
  ["an endless line", { type: "enormous", bytes: 2 ** 40 }, "longer than 8192 characters"],
  [
    "more lines than any node has",
    { type: "answer", body: () => "# x\n".repeat(3_000_000) } as const,
    "longer than 8388608 bytes",
  ],
  ["no response", { type: "silent" }, "aborted"],
  ["a response that does not end", { type: "drip", everyMs: 10 }, "aborted"],
  ["a connection that is closed", { type: "hangUp" }, "socket hang up"],
])("%s is an error, and the connection of an unfinished response is closed", async (_, behaviour, message) => {
  agent.behave(behaviour);
  await expect(read(clientOf(), undefined, message === "aborted" ? 300 : 20_000)).rejects.toThrow(message);
  // A connection is used again after a response that was read to its end.
  const finished = behaviour.type === "redirect" || message === "want a sample";
  if (!finished) await expect.poll(() => agent.connections).toBe(0);
});
