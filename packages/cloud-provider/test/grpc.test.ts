import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { node } from "@orchernetes/testkit";
import { createCertificateAuthority, issueClientCertificate, issueServerCertificate } from "@orchernetes/tls";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type ServedProvider, serveCloudProvider } from "../src/grpc-server/index.ts";
import type { CallContext, CloudProvider } from "../src/provider/cloud-provider.ts";
import { guardProvider } from "../src/provider/guard-provider.ts";
import { grpcProvider } from "../src/providers/grpc/grpc-provider.ts";
import { parseGrpcSettings } from "../src/providers/grpc/grpc-settings.ts";
import { PROTO } from "../src/providers/grpc/protocol.ts";
import { FakeCloud } from "../src/testing/fake-cloud.ts";

const dir = mkdtempSync(join(tmpdir(), "cloud-grpc-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const open: { end(): void }[] = [];
afterEach(() => {
  for (const { end } of open.splice(0)) end();
});

let count = 0;
const socketPath = (): string => `${dir}/${++count}.sock`;
const stop = new AbortController();
const within = (ms: number): CallContext => ({ signal: stop.signal, deadlineMs: Date.now() + ms, clusterName: "c" });
const a = node("a").build();
const route = {
  name: "",
  targetNode: "a",
  targetNodeAddresses: [],
  enableNodeAddresses: false,
  destinationCIDR: "10.0.0.0/24",
  blackhole: false,
};

async function serve(provider: CloudProvider, endpoint: string): Promise<ServedProvider> {
  const served = await serveCloudProvider(provider, { endpoint });
  open.push({ end: served.stop });
  return served;
}

async function connect(config: string, signal = stop.signal): Promise<CloudProvider> {
  const provider = await grpcProvider.create({
    client: undefined as never,
    config,
    logger: silentLogger,
    clock: systemClock,
    signal,
  });
  open.push({ end: () => void provider.close?.() });
  return guardProvider(provider);
}

test("the protocol in the documentation is the one that is spoken", () => {
  const file = join(import.meta.dirname, "../../../docs/examples/cloud-provider/cloud-provider.proto");
  expect(readFileSync(file, "utf8")).toBe(PROTO);
});

test("the name, the parts and the lack of a cluster id come from the process", async () => {
  const endpoint = `unix://${socketPath()}`;
  const { instances } = new FakeCloud();
  await serve({ name: "small", instances, hasClusterID: false }, endpoint);
  const provider = await connect(`endpoint: ${endpoint}`);
  expect(provider).toMatchObject({ name: "small", hasClusterID: false, loadBalancers: undefined, routes: undefined });
  expect(provider.instances).toBeDefined();
});

test("errors of the process keep their kind and text", async () => {
  const cloud = new FakeCloud();
  const endpoint = `unix://${socketPath()}`;
  await serve(cloud, endpoint);
  const { instances } = await connect(`endpoint: ${endpoint}`);
  for (const code of [
    "NotFound",
    "ImplementedElsewhere",
    "NotImplemented",
    "InvalidArgument",
    "Unavailable",
    "Internal",
  ] as const) {
    cloud.misbehave = () => ({ type: "fail", code, message: `because ${code}` });
    expect(await instances?.exists(a, within(5000))).toEqual({
      ok: false,
      error: { code, message: `because ${code}` },
    });
  }
});

test("a call ends at its deadline, and the process learns of it", async () => {
  const cloud = new FakeCloud();
  cloud.misbehave = () => ({ type: "hang" });
  const endpoint = `unix://${socketPath()}`;
  await serve(cloud, endpoint);
  const { instances } = await connect(`endpoint: ${endpoint}`);
  const start = Date.now();
  expect(await instances?.exists(a, within(300))).toMatchObject({ ok: false, error: { code: "DeadlineExceeded" } });
  expect(Date.now() - start).toBeLessThan(3000);
});

test("a process that is not there yet is waited for, until the caller stops", async () => {
  const path = socketPath();
  const early = connect(`endpoint: unix://${path}`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await serve(new FakeCloud().addMachine("a"), `unix://${path}`);
  const { instances } = await early;
  expect(await instances?.exists(a, within(5000))).toEqual({ ok: true, value: true });
  const own = new AbortController();
  const never = connect(`endpoint: unix://${socketPath()}`, own.signal);
  setTimeout(() => own.abort(), 50);
  await expect(never).rejects.toThrow();
});

test("a process that dies is an error, and is used again when it is back", async () => {
  const endpoint = `unix://${socketPath()}`;
  const first = await serve(new FakeCloud().addMachine("a"), endpoint);
  const { instances } = await connect(`endpoint: ${endpoint}`);
  expect(await instances?.exists(a, within(5000))).toMatchObject({ ok: true });
  first.stop();
  expect(await instances?.exists(a, within(2000))).toMatchObject({ ok: false, error: { code: "Unavailable" } });
  await serve(new FakeCloud().addMachine("a"), endpoint);
  let answer: unknown;
  for (let i = 0; i < 40 && (answer as { ok?: boolean } | undefined)?.ok !== true; i++) {
    answer = await instances?.exists(a, within(1000));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(answer).toEqual({ ok: true, value: true });
}, 20_000);

test("the socket of a killed process is replaced; one that is listened on, and a file that is no socket, are not", async () => {
  const path = socketPath();
  const program = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", program]);
  expect(statSync(path).isSocket()).toBe(true);
  await serve(new FakeCloud(), `unix://${path}`);
  await expect(serve(new FakeCloud(), `unix://${path}`)).rejects.toThrow();
  const file = socketPath();
  writeFileSync(file, "text");
  await expect(serve(new FakeCloud(), `unix://${file}`)).rejects.toThrow();
  expect(readFileSync(file, "utf8")).toBe("text");
});

test("a peer that does not speak gRPC is an error, not a hang", async () => {
  const path = socketPath();
  const peer = createServer((connection) => connection.end("nonsense\n")).listen(path);
  await new Promise((resolve) => peer.once("listening", resolve));
  const own = new AbortController();
  const connecting = connect(`endpoint: unix://${path}`, own.signal);
  setTimeout(() => own.abort(), 500);
  await expect(connecting).rejects.toThrow();
  peer.close();
});

test("a provider cannot push responses, whose errors would end the controller", async () => {
  const path = socketPath();
  const received = Promise.withResolvers<Buffer>();
  const peer = createServer((connection) => {
    connection.once("data", (bytes: Buffer) => {
      received.resolve(bytes);
      connection.destroy();
    });
  }).listen(path);
  await new Promise((resolve) => peer.once("listening", resolve));
  const own = new AbortController();
  const connecting = connect(`endpoint: unix://${path}`, own.signal).catch((error: unknown) => error);
  // The setting of HTTP/2 by which a client refuses them: number 2 is 0.
  expect((await received.promise).includes(Buffer.from([0, 2, 0, 0, 0, 0]))).toBe(true);
  own.abort();
  await connecting;
  peer.close();
});

test("an answer of more than 16 MiB is an error", async () => {
  const cloud = new FakeCloud();
  for (let i = 0; i < 40_000; i++) {
    await cloud.routes.create(`${i}`.padStart(500, "r"), route, within(60_000));
  }
  const endpoint = `unix://${socketPath()}`;
  await serve(cloud, endpoint);
  const { routes } = await connect(`endpoint: ${endpoint}`);
  expect(await routes?.list(within(20_000))).toMatchObject({
    ok: false,
    error: { code: "Internal", message: expect.stringContaining("larger than max") },
  });
}, 30_000);

describe("over mutual TLS", () => {
  const write = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const made = (async () => {
    const [ca, other] = await Promise.all([
      createCertificateAuthority({ commonName: "ca" }),
      createCertificateAuthority({ commonName: "other" }),
    ]);
    return { ca, other };
  })();

  async function files(kind: "ca" | "other", name: string, usage: "client" | "server") {
    const authority = (await made)[kind];
    const pair = await (usage === "server"
      ? issueServerCertificate(authority, { commonName: name, hosts: ["127.0.0.1", "localhost"] })
      : issueClientCertificate(authority, { commonName: name }));
    return {
      caFile: write(`${kind}-ca.crt`, (await made).ca.certPem),
      certFile: write(`${kind}-${name}.crt`, pair.certPem),
      keyFile: write(`${kind}-${name}.key`, pair.keyPem),
    };
  }

  test("the process is reached by a client with a certificate of the authority, and by no other", async () => {
    const provider = new FakeCloud().addMachine("a");
    const server = await serveCloudProvider(provider, {
      endpoint: "127.0.0.1:0",
      tls: await files("ca", "server", "server"),
    });
    open.push({ end: server.stop });
    const config = async (kind: "ca" | "other") =>
      JSON.stringify({ endpoint: `https://localhost:${server.port}`, tls: await files(kind, "client", "client") });
    const { instances } = await connect(await config("ca"));
    expect(await instances?.exists(a, within(5000))).toEqual({ ok: true, value: true });
    const own = new AbortController();
    const refused = connect(await config("other"), own.signal);
    setTimeout(() => own.abort(), 700);
    await expect(refused).rejects.toThrow();
  });
});

test.each<[string, string | undefined, string]>([
  ["nothing", undefined, "needs a file with the endpoint"],
  ["no endpoint", "{}", "endpoint"],
  ["a relative path", "endpoint: unix://a.sock", "endpoint"],
  ["no encryption", "endpoint: http://127.0.0.1:1", "endpoint"],
  ["https without files", "endpoint: https://127.0.0.1:1", "tls"],
  ["a socket with files", "{endpoint: unix:///a.sock, tls: {caFile: /a, certFile: /b, keyFile: /c}}", "tls"],
  [
    "files that are gone",
    "{endpoint: https://127.0.0.1:1, tls: {caFile: /gone, certFile: /gone, keyFile: /gone}}",
    "/gone",
  ],
  ["an unknown field", "{endpoint: unix:///a.sock, retries: 3}", "retries"],
  ["no YAML", "{", "provider grpc"],
])("settings with %s are refused", (_, config, message) => {
  const parsed = parseGrpcSettings(config);
  expect("errors" in parsed ? parsed.errors.join("\n") : "").toContain(message);
});
