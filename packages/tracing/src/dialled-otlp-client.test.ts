import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type Dialer, type DialTarget, silentLogger } from "@orchernetes/kernel";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { collectorTarget } from "./collector-target.ts";
import { dialledOtlpClient } from "./dialled-otlp-client.ts";
import { exportMethod, type OtlpClient } from "./otlp.ts";
import { startTracing } from "./start-tracing.ts";

test.each<[string, DialTarget | undefined]>([
  ["localhost:4317", { host: "localhost", port: 4317 }],
  ["collector", { host: "collector", port: 443 }],
  ["[fd00::1]:4317", { host: "fd00::1", port: 4317 }],
  ["dns:///collector.tracing:4317", { host: "collector.tracing", port: 4317 }],
  ["dns://10.0.0.1:53/collector:1", { host: "collector", port: 1 }],
  ["dns://collector:4317", { host: "collector", port: 4317 }],
  ["unix:///run/otel.sock", undefined],
  ["unix-abstract://otel", undefined],
])("the collector %s is at %o", (endpoint, target) => {
  expect(collectorTarget(endpoint)).toEqual(target);
});

const FAR: DialTarget = { host: "collector.far.example", port: 4317 };
type Behaviour = (stream: ServerHttp2Stream) => void;
const status = (code: string, message = ""): Behaviour => {
  return (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": code, "grpc-message": message }));
    stream.end(Buffer.alloc(5));
  };
};

let collector: Http2Server;
let behaviour: Behaviour;
let received: string[];
let dialled: DialTarget[];
const links = new Set<Socket>();
const dial: Dialer = async (target) => {
  dialled.push(target);
  const link = connect((collector.address() as AddressInfo).port, "127.0.0.1");
  links.add(link);
  await once(link, "connect");
  return link;
};
let client: OtlpClient;

beforeAll(async () => {
  collector = createServer();
  collector.on("sessionError", () => undefined);
  collector.on("stream", async (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    received.push(`${headers[":path"]} ${Buffer.concat(chunks).readUInt32BE(1)}`);
    behaviour(stream);
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
});
afterAll(() => {
  collector.close();
});
beforeEach(() => {
  behaviour = status("0");
  received = [];
  dialled = [];
  client = dialledOtlpClient(FAR, dial);
});
afterEach(() => client.close());

test("spans go through the dialer, over one connection as long as it lasts", async () => {
  for (let i = 0; i < 3; i++) await client.send([], 5000);
  expect(received).toEqual(Array.from({ length: 3 }, () => `${exportMethod} 0`));
  expect(dialled).toEqual([FAR]);
  for (const link of links) link.destroy();
  await vi.waitFor(() => client.send([], 5000), 5000);
  expect(dialled).toEqual([FAR, FAR]);
});

test.each<[string, Behaviour, RegExp]>([
  ["is overloaded", status("8", "too many spans"), /gRPC status 8: too many spans/],
  ["is no collector", (stream) => stream.respond({ ":status": 404 }, { endStream: true }), /HTTP status 404/],
  ["says no status", (stream) => stream.respond({ ":status": 200 }, { endStream: true }), /without a status/],
  ["never answers", () => undefined, /no response within 200 ms/],
  ["hangs up", (stream) => stream.session?.destroy(), /./],
  [
    "answers without end",
    (stream) => {
      stream.respond({ ":status": 200 });
      const pour = () => {
        while (!stream.destroyed && stream.write(Buffer.alloc(16_384)));
      };
      stream.on("drain", pour);
      pour();
    },
    /longer than 65536 bytes/,
  ],
])("a collector that %s: the reason is told, and the next spans are sent", async (_, treats, reason) => {
  behaviour = treats;
  await expect(client.send([], 200)).rejects.toThrow(reason);
  behaviour = status("0");
  await client.send([], 5000);
});

test("what the dialer says is told; nothing is sent after the end", async () => {
  const refused = dialledOtlpClient(FAR, async () => {
    throw new Error("no connection through the proxy");
  });
  await expect(refused.send([], 5000)).rejects.toThrow("no connection through the proxy");
  client.close();
  await expect(client.send([], 5000)).rejects.toThrow("was closed");
  expect(dialled).toEqual([]);
});

test("a tracer's spans are sent by the dialer", async () => {
  const end = new AbortController();
  const tracer = await startTracing({
    service: "test",
    configuration: { endpoint: "collector.far.example:4317", samplingRatePerMillion: 1_000_000 },
    logger: silentLogger,
    signal: end.signal,
    dial,
    queue: { maxBatch: 1 },
  });
  await tracer.request({ headers: {} }, "r", async () => undefined);
  await vi.waitFor(() => expect(received).toHaveLength(1), 5000);
  expect(dialled).toEqual([FAR]);
  end.abort();
});
