import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createMetrics, NamedFiles } from "@orchernetes/component";
import type { EgressSelection } from "@orchernetes/config";
import { type Dialer, type DialTarget, silentLogger, systemClock } from "@orchernetes/kernel";
import {
  type ConnectProxy,
  type KonnectivityServer,
  poll,
  startConnectProxy,
  startKonnectivityServer,
  startWebhookServer,
  type WebhookServer,
} from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createReviewClient } from "../webhook/review-client.ts";
import { createEgress } from "./create-egress.ts";
import { httpAgent } from "./dialled-agents.ts";
import { egressMetrics } from "./egress-metrics.ts";
import { readEgressSelector } from "./read-egress-selector.ts";

/** Where the service seems to be: nothing answers there without a proxy. */
const FAR: DialTarget = { host: "192.0.2.7", port: 443 };
const TIMEOUT_MS = 500;

let dir: string;
let service: WebhookServer;
let echo: Server;
let proxies: Readonly<Record<"tls" | "tcp" | "uds", ConnectProxy>>;
let konnectivity: KonnectivityServer;
let end: AbortController;

/** The network behind the proxies: port 7 of the far host echoes, the others are the service. */
const route = ({ host, port }: DialTarget): DialTarget => {
  if (host !== FAR.host && host !== "review.default.svc") return { host, port };
  return { host: "127.0.0.1", port: port === 7 ? (echo.address() as AddressInfo).port : service.port };
};

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "egress-"));
  service = await startWebhookServer({
    behaviour: { type: "answer", body: ({ body }) => ({ echo: body }) },
    hosts: ["review.default.svc", FAR.host],
  });
  echo = createServer((socket) => socket.on("error", () => undefined).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const [tls, tcp, uds] = await Promise.all(
    (["tls", "tcp", "uds"] as const).map((listen) => startConnectProxy({ dir, listen, route })),
  );
  if (tls === undefined || tcp === undefined || uds === undefined) throw new Error("a proxy is missing");
  proxies = { tls, tcp, uds };
  konnectivity = await startKonnectivityServer({ dir, route });
});
afterAll(async () => {
  for (const proxy of Object.values(proxies)) await proxy.stop();
  konnectivity.stop();
  await service.stop();
  echo.close();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  end = new AbortController();
  for (const proxy of Object.values(proxies)) proxy.behave({ type: "forward" });
  konnectivity.behave({ type: "forward" });
});
afterEach(() => end.abort());

let files = 0;
async function selectionsOf(...selections: readonly object[]): Promise<readonly EgressSelection[]> {
  const file = path.join(dir, `egress-${files++}.json`);
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: "apiserver.o8s.io/v1beta1",
      kind: "EgressSelectorConfiguration",
      egressSelections: selections,
    }),
  );
  const named = new NamedFiles();
  const read = await readEgressSelector({ from: "--egress-selector-config-file", path: file }, named);
  if (named.errors.length > 0) throw new Error(named.errors.join("\n"));
  return read;
}

async function dialerOf(connection: object, metrics = createMetrics()): Promise<Dialer> {
  const egress = await createEgress(await selectionsOf({ name: "cluster", connection }), {
    metrics: egressMetrics(metrics),
    logger: silentLogger,
    signal: end.signal,
    timeoutMs: TIMEOUT_MS,
  });
  const dial = egress.dialer("cluster");
  if (dial === undefined) throw new Error("there is no dialer");
  return dial;
}

const connections: readonly (readonly [string, () => object])[] = [
  ["an HTTP proxy with mutual TLS", () => proxies.tls.connection],
  ["an HTTP proxy without TLS", () => proxies.tcp.connection],
  ["an HTTP proxy on a unix socket", () => proxies.uds.connection],
  ["a konnectivity server", () => konnectivity.connection],
];

describe.each(connections)("through %s", (_, connection) => {
  test("a service is asked over TLS, whose certificate has to be the service's own", async () => {
    const dial = await dialerOf(connection());
    const options = { timeoutMs: 5000, clock: systemClock, signal: end.signal, dial };
    const client = createReviewClient({
      endpoint: "https://review.default.svc/x",
      caBundle: service.caPem,
      ...options,
    });
    for (let i = 0; i < 3; i++) expect(await client.post("", { i })).toEqual({ echo: { i } });
    expect(service.requests.at(-1)).toMatchObject({ path: "/x", headers: { host: "review.default.svc" } });
    const endpoint = `https://${FAR.host}/`;
    expect(await createReviewClient({ endpoint, caBundle: service.caPem, ...options }).post("", 1)).toEqual({
      echo: 1,
    });
    const other = { serverName: "other.example" };
    const misled = createReviewClient({ endpoint, caBundle: service.caPem, tls: () => other, ...options });
    await expect(misled.post("", 1)).rejects.toThrow("other.example");
  });

  test("megabytes come back as they were sent, and the end of one side is that of the other", async () => {
    const dial = await dialerOf(connection());
    const socket = await dial({ ...FAR, port: 7 });
    const sent = Buffer.alloc(5_000_000, "0123456789abcdef");
    let received = 0;
    const done = new Promise<void>((resolve, reject) => {
      socket.on("error", reject).on("data", (chunk: Buffer) => {
        if (!chunk.equals(sent.subarray(received, received + chunk.length))) reject(new Error("other bytes came back"));
        received += chunk.length;
        if (received === sent.length) resolve();
      });
    });
    socket.write(sent);
    await done;
    const tunnels = () => [...Object.values(proxies), konnectivity].reduce((sum, { tunnels: open }) => sum + open, 0);
    const before = tunnels();
    socket.destroy();
    await poll({ what: "the tunnel to be closed" }, () => tunnels() < before);
  });

  test("an agent without TLS gets what is not encrypted", async () => {
    const dial = await dialerOf(connection());
    const agent = httpAgent(dial);
    const endpoint = { host: FAR.host, port: 443, path: "/", ...(agent && { agent }) };
    // The service speaks TLS only, and says so to those who do not.
    const answered = new Promise((resolve) => {
      http.get(endpoint, (response) => resolve(response.statusCode)).on("error", ({ message }) => resolve(message));
    });
    expect(await answered).toMatch(/hang up|ECONNRESET|Parse Error/);
  });

  test("a target that nobody reaches is an error that names selection, proxy and target", async () => {
    const dial = await dialerOf(connection());
    const closed = { host: "127.0.0.1", port: 1 };
    const failed = dial(closed);
    await expect(failed).rejects.toThrow(
      /^no connection to 127.0.0.1:1 through the proxy of egress selection "cluster" \(/,
    );
  });

  test("a review whose time is over while the tunnel is not open ends in time", async () => {
    for (const proxy of Object.values(proxies)) proxy.behave({ type: "silent" });
    konnectivity.behave({ type: "silent" });
    const dial = await dialerOf(connection());
    const options = { endpoint: "https://review.default.svc", clock: systemClock, signal: end.signal, dial };
    const from = performance.now();
    const failed = createReviewClient({ ...options, timeoutMs: 50 }).post("", 1);
    await expect(failed).rejects.toMatchObject({ failure: "timeout" });
    expect(performance.now() - from).toBeLessThan(TIMEOUT_MS - 100);
  });

  test("an attempt ends with its signal", async () => {
    const caller = new AbortController();
    for (const proxy of Object.values(proxies)) proxy.behave({ type: "silent" });
    konnectivity.behave({ type: "silent" });
    const attempt = (await dialerOf(connection()))(FAR, caller.signal);
    setTimeout(() => caller.abort(new Error("gone")), 50);
    await expect(attempt).rejects.toThrow("gone");
  });
});

test("attempts are spans of their request", async () => {
  const spans: unknown[] = [];
  const [selection] = await selectionsOf({ name: "cluster", connection: proxies.uds.connection });
  const egress = await createEgress(selection === undefined ? [] : [selection], {
    metrics: egressMetrics(createMetrics()),
    span(name, attributes, work) {
      spans.push([name, attributes]);
      return work();
    },
    logger: silentLogger,
    signal: end.signal,
  });
  (await egress.dialer("cluster")?.(FAR))?.destroy();
  expect(spans).toEqual([["Proxy via http_connect protocol over uds", { address: "192.0.2.7:443" }]]);
});

describe("a proxy that does not do its part", () => {
  const rows = [
    [
      "refuses",
      { type: "refuse", status: 403, reason: "Forbidden" },
      'it answered CONNECT with status 403 "Forbidden"',
    ],
    ["answers nonsense", { type: "garbage", text: "SSH-2.0-x\r\n\r\n" }, '"SSH-2.0-x", which is no HTTP'],
    ["sends headers without end", { type: "enormous" }, "the head of the response is longer than 16384 bytes"],
    ["never answers", { type: "silent" }, `the tunnel was not open within ${TIMEOUT_MS} ms`],
    ["is too slow", { type: "forward", delayMs: 5 * TIMEOUT_MS }, `was not open within ${TIMEOUT_MS} ms`],
    ["hangs up", { type: "hangUp" }, "the connection was closed before an answer came"],
  ] as const;
  test.each(rows)("%s: an error says so in time", async (_, behaviour, message) => {
    for (const proxy of [proxies.tls, proxies.uds]) {
      proxy.behave(behaviour);
      const metrics = createMetrics();
      await expect((await dialerOf(proxy.connection, metrics))(FAR)).rejects.toThrow(message);
      const transport = proxy === proxies.tls ? "tcp" : "uds";
      const labels = `protocol="http_connect",transport="${transport}"`;
      expect(metrics.render()).toContain(`apiserver_egress_dialer_dial_start_total{${labels}} 1`);
      expect(metrics.render()).toContain(`apiserver_egress_dialer_dial_failure_count{${labels},stage="proxy"} 1`);
    }
  });

  test.each([
    ["refuses", { type: "refuse", error: "no agent" }, "it could not reach the target: no agent"],
    ["drops requests", { type: "drop" }, "it dropped the request for a connection"],
    ["answers another request", { type: "confuse" }, "it answered a request that was not made"],
    ["sends nonsense", { type: "garbage" }, "packet"],
    ["never answers", { type: "silent" }, `the tunnel was not open within ${TIMEOUT_MS} ms`],
  ] as const)("and is konnectivity, %s: an error says so in time", async (_, behaviour, message) => {
    konnectivity.behave(behaviour);
    await expect((await dialerOf(konnectivity.connection))(FAR)).rejects.toThrow(message);
  });

  test("a connection that gets another one's data is broken", async () => {
    konnectivity.behave({ type: "mixUp" });
    const socket = await (await dialerOf(konnectivity.connection))(FAR);
    const error = await new Promise<Error>((resolve) => socket.once("error", resolve));
    expect(error.message).toContain("it sent a packet of connection 7");
  });

  test("is not there, or has another certificate: the failure is counted at stage connect", async () => {
    const metrics = createMetrics();
    const gone = { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: path.join(dir, "none.sock") } } };
    await expect((await dialerOf(gone, metrics))(FAR)).rejects.toThrow("ENOENT");
    const stranger = await startConnectProxy({ dir: await mkdtemp(path.join(dir, "stranger-")), listen: "tls" });
    await stranger.impersonate();
    await expect((await dialerOf(stranger.connection, metrics))(FAR)).rejects.toThrow(/certificate/);
    expect(stranger.targets).toEqual([]);
    await stranger.stop();
    for (const transport of ["uds", "tcp"])
      expect(metrics.render()).toContain(
        `apiserver_egress_dialer_dial_failure_count{protocol="http_connect",transport="${transport}",stage="connect"} 1`,
      );
  });

  test("dies with open tunnels: their requests end at once", async () => {
    const dial = await dialerOf(proxies.tls.connection);
    service.behave({ type: "silent" });
    const options = { endpoint: "https://review.default.svc", caBundle: service.caPem, clock: systemClock };
    const waiting = createReviewClient({ ...options, timeoutMs: 20_000, signal: end.signal, dial }).post("", 1);
    await poll({ what: "a tunnel" }, () => proxies.tls.tunnels > 0);
    setTimeout(() => proxies.tls.cut(), 100);
    await expect(waiting).rejects.toMatchObject({ failure: "reset" });
    service.behave({ type: "answer", body: ({ body }) => ({ echo: body }) });
  });
});

describe("the file", () => {
  test("Direct and absent selections have no dialer; former names are understood", async () => {
    const selections = await selectionsOf(
      { name: "cluster", connection: { proxyProtocol: "Direct" } },
      {
        name: "master",
        connection: { proxyProtocol: "HTTPConnect", transport: { tcp: { url: "http://proxy:8080" } } },
      },
    );
    expect(selections).toMatchObject([
      { name: "cluster", connection: { type: "direct" } },
      { name: "controlplane", connection: { transport: { host: "proxy", port: 8080, tls: undefined } } },
    ]);
    const egress = await createEgress(selections, {
      metrics: egressMetrics(createMetrics()),
      logger: silentLogger,
      signal: end.signal,
    });
    expect(["cluster", "etcd"].map((name) => egress.dialer(name as "cluster"))).toEqual([undefined, undefined]);
    expect(egress.dialer("controlplane")).toBeTypeOf("function");
  });

  test("with errors is refused with all of them", async () => {
    const uds = { uds: { udsName: "/x.sock" } };
    const tls = { caBundle: "/gone/ca.crt", clientCert: "/gone/tls.crt", clientKey: "" };
    const file = path.join(dir, "wrong.json");
    const connect = (transport: object) => ({ proxyProtocol: "HTTPConnect", transport });
    const document = {
      apiVersion: "apiserver.o8s.io/v1beta1",
      kind: "EgressSelectorConfiguration",
      egressSelections: [
        { name: "moon", connection: { proxyProtocol: "Direct", transport: uds } },
        { name: "cluster", connection: { proxyProtocol: "SOCKS" } },
        { name: "etcd", connection: { proxyProtocol: "GRPC", transport: { tcp: { url: "https://x" } } } },
        { name: "controlplane", connection: connect({ tcp: { url: "ftp://x" } }) },
        { name: "cluster", connection: connect({ tcp: { url: "https://x", tlsConfig: tls } }) },
        { name: "etcd", connection: connect({ tcp: { url: "http://x", tlsConfig: tls } }) },
        { name: "etcd", connection: connect({ tcp: { url: "http://x" }, ...uds }) },
        { name: "etcd", connection: { proxyProtocol: "HTTPConnect" } },
      ],
    };
    await writeFile(file, JSON.stringify(document));
    const named = new NamedFiles();
    await readEgressSelector({ from: "--egress-selector-config-file", path: file }, named);
    const at = (index: number, field: string, message: string) =>
      expect.stringMatching(new RegExp(`egressSelections\\[${index}\\]\\.${field}: .*${message}`));
    expect(named.errors).toEqual([
      at(0, "name", "supported values"),
      at(0, "connection.transport", "Transport config should be absent for direct connect"),
      at(1, "connection.proxyProtocol", '"Direct", "GRPC", "HTTPConnect"'),
      at(2, "connection.transport.tcp", "GRPC is spoken over UDS only"),
      at(2, "connection.transport.uds", "UDS must be set with GRPC"),
      at(3, "connection.transport.tcp.url", "supported connection protocols are http:// and https://"),
      at(4, "connection.transport.tcp.tlsConfig.clientKey", "Using TLS requires clientKey"),
      at(5, "connection.transport.tcp.tlsConfig", "should not be present when using HTTP"),
      at(6, "connection.transport.tcp", "TCP and UDS cannot both be set"),
      at(7, "connection.transport", "transport must be set for HTTPConnect"),
    ]);
  });

  test.each([
    [[{ name: "etcd" }, { name: "ETCD" }], 'want each selection once; "etcd" is given before'],
    [[{ name: "etcd" }, { name: "master" }, { name: "controlplane" }], '"controlplane" is given before'],
  ])("a selection that is given twice is refused", async (selections, message) => {
    const direct = { connection: { proxyProtocol: "Direct" } };
    await expect(selectionsOf(...selections.map((one) => ({ ...one, ...direct })))).rejects.toThrow(message);
  });

  test("files that cannot be used are refused", async () => {
    const tlsConfig = { caBundle: "/gone/ca.crt", clientCert: "/gone/tls.crt", clientKey: "/gone/tls.key" };
    const connection = { proxyProtocol: "HTTPConnect", transport: { tcp: { url: "https://x", tlsConfig } } };
    const failed = selectionsOf({ name: "etcd", connection });
    for (const field of Object.keys(tlsConfig))
      await expect(failed).rejects.toThrow(new RegExp(`selection "etcd", field ${field}: "/gone/.*" cannot be read`));
  });
});
