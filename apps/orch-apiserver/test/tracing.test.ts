import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { daemonCommand, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call } from "./support.ts";

/** A span as the collector got it. */
interface Received {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
}

/** The fields of a protobuf message with contents of bytes, by number; numbers of fixed or variable length are passed over. */
function fieldsOf(bytes: Buffer): ReadonlyMap<number, readonly Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    if (key % 8 === 0) varint();
    else if (key % 8 === 1) at += 8;
    else {
      const length = varint();
      const list = fields.get(Math.floor(key / 8)) ?? [];
      fields.set(Math.floor(key / 8), [...list, bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return fields;
}
const within = (messages: readonly Buffer[], field: number) =>
  messages.flatMap((message) => fieldsOf(message).get(field) ?? []);

/** Takes spans as OTLP over gRPC has them: one message with five bytes in front of it. */
async function startCollector(): Promise<{
  readonly server: Http2Server;
  readonly spans: Received[];
  readonly port: number;
}> {
  const spans: Received[] = [];
  const server = createServer();
  server.on("stream", async (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    expect(headers[":path"]).toBe("/opentelemetry.proto.collector.trace.v1.TraceService/Export");
    for (const span of within(within(within([Buffer.concat(chunks).subarray(5)], 1), 2), 2)) {
      const fields = fieldsOf(span);
      const hex = (field: number) => fields.get(field)?.[0]?.toString("hex") ?? "";
      spans.push({ traceId: hex(1), spanId: hex(2), parentId: hex(4), name: String(fields.get(5)?.[0]) });
    }
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.alloc(5));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, spans, port: (server.address() as AddressInfo).port };
}

const directory = mkdtempSync(join(tmpdir(), "tracing-"));
function configFile(fields: object): string {
  const file = join(directory, `${Math.random()}.yaml`);
  const head = { apiVersion: "apiserver.config.o8s.io/v1beta1", kind: "TracingConfiguration" };
  writeFileSync(file, JSON.stringify({ ...head, ...fields }));
  return `--tracing-config-file=${file}`;
}

let collector: Awaited<ReturnType<typeof startCollector>>;
let server: TestApiServer;
beforeAll(async () => {
  collector = await startCollector();
  server = await startApiServer({ flags: [configFile({ endpoint: `127.0.0.1:${collector.port}` })] });
}, 30_000);
afterAll(async () => {
  await server?.stop();
  collector?.server.close();
  rmSync(directory, { recursive: true });
});

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";
const maps = "/api/v1/namespaces/default/configmaps";
const headersOf = (trace: string, flags: string) => ({ traceparent: `00-${trace}-${parentId}-${flags}` });

test("requests with a sampled parent are recorded with all they do, and at rate 0 no others are", async () => {
  const unsampled = "1".repeat(32);
  await call(server, "GET", maps);
  await call(server, "GET", maps, { headers: headersOf(unsampled, "00") });
  const body = { metadata: { name: "traced" } };
  const answer = await call(server, "POST", maps, { body, headers: headersOf(traceId, "01") });
  expect(answer.status).toBe(201);
  await call(server, "GET", maps, { headers: headersOf(traceId, "01") });
  const own = () => collector.spans.filter((span) => span.traceId === traceId);
  await vi.waitFor(() => expect(own().filter(({ name }) => name === "OrchernetesAPI")).toHaveLength(2), 20_000);
  expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  const paths = own().map((span) => {
    const names = [span.name];
    for (let at: Received | undefined = span; at !== undefined; ) {
      const { parentId: above }: Received = at;
      at = own().find(({ spanId }) => spanId === above);
      names.unshift(at?.name ?? above);
    }
    return names.join(" > ");
  });
  expect(paths.sort()).toEqual(
    [
      `${parentId} > OrchernetesAPI`,
      `${parentId} > OrchernetesAPI`,
      `${parentId} > OrchernetesAPI > Create`,
      `${parentId} > OrchernetesAPI > Create > Mutating admission`,
      `${parentId} > OrchernetesAPI > Create > Store create`,
      `${parentId} > OrchernetesAPI > Create > Validating admission`,
      `${parentId} > OrchernetesAPI > List`,
      `${parentId} > OrchernetesAPI > List > List objects`,
      `${parentId} > OrchernetesAPI > List > SerializeObject`,
    ].sort(),
  );
}, 30_000);

test("an unavailable collector does not affect requests", async () => {
  const lonely = await startApiServer({
    flags: [configFile({ endpoint: "127.0.0.1:1", samplingRatePerMillion: 1_000_000 })],
  });
  try {
    for (let i = 0; i < 20; i++) expect((await call(lonely, "GET", maps)).status).toBe(200);
  } finally {
    await lonely.stop();
  }
}, 30_000);

test("every error of the file stops the start", () => {
  const flag = configFile({ endpoint: "http://x:1", samplingRatePerMillion: 1_000_001, unknown: 1 });
  const [program = "", ...args] = daemonCommand("orch-apiserver", [flag, "--storage-backend=embedded"]);
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 });
  expect(status).toBe(1);
  for (const text of ["unsupported scheme", "at most 1000000", "unknown field", "--embedded-store-path"])
    expect(stderr).toContain(text);
  expect(stderr.trim().split("\n")).toHaveLength(4);
});
