import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSecureServing, type SecureServing } from "./secure-serving.ts";
import type { UnknownLimits } from "./unknown-connections.ts";

vi.setConfig({ testTimeout: 30_000 });

/** Closes idle connections of unknown clients soon. */
let impatient: SecureServing;
/** Would keep them for longer than a test takes. */
let patient: SecureServing;
const end = new AbortController();
let asked = 0;
const serve = (unknownLimits: UnknownLimits) =>
  createSecureServing(
    {
      bindAddress: "127.0.0.1",
      port: 0,
      logger: silentLogger,
      signal: end.signal,
      tls: { pairName: "test", selfSignedHosts: ["localhost"] },
      unknownLimits,
    },
    (_, response) => {
      asked++;
      response.end("ok");
    },
  );
beforeAll(async () => {
  [impatient, patient] = await Promise.all([serve({ idleMs: 300, settleMs: 50 }), serve({ idleMs: 600_000 })]);
});
afterAll(async () => {
  end.abort();
  await Promise.all([impatient.close(), patient.close()]);
});

const type = { data: 0, headers: 1, resetStream: 3, settings: 4, ping: 6, continuation: 9 } as const;
const flag = { none: 0, endStream: 1, endHeaders: 4 } as const;

function frame(kind: keyof typeof type, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type[kind], 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const preface = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame("settings", 0, 0)]);
/** `GET / HTTP/2` for `https://a`, by the indices of the static table and one literal. */
const request = Buffer.from([0x82, 0x87, 0x84, 0x41, 0x01, 0x61]);
/** A literal field that is never indexed. */
const field = Buffer.concat([Buffer.from([0x10, 0x01, 0x78, 0x64]), Buffer.alloc(100, 0x61)]);

/** A client that speaks frames. */
async function client({
  port,
}: SecureServing): Promise<{ readonly socket: TLSSocket; readonly isClosed: () => boolean }> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  let closed = false;
  socket
    .on("error", () => undefined)
    .once("close", () => {
      closed = true;
    });
  await once(socket, "secureConnect");
  socket.resume();
  return { socket, isClosed: () => closed };
}

/** How many connections the server has. */
function openConnections(): number {
  let count = 0;
  patient.endConnections(() => {
    count++;
    return false;
  });
  return count;
}

const patience = { timeout: 20_000 };
const streams = (count: number) => Array.from({ length: count }, (_, index) => 2 * index + 1);

test.each<[string, readonly Uint8Array[]]>([
  ["says nothing", []],
  ["says half a preface", [preface.subarray(0, 10)]],
  ["begins a request and does not finish its headers", [preface, frame("headers", flag.endStream, 1, request)]],
  [
    "begins many requests, one after the other",
    [preface, ...streams(50).map((id) => frame("headers", flag.endHeaders, id, request))],
  ],
  ["sends half a frame", [preface, frame("headers", flag.endHeaders, 1, request).subarray(0, 12)]],
])("a client that %s does not keep its connection", async (_, parts) => {
  const { socket, isClosed } = await client(impatient);
  for (const part of parts) socket.write(part);
  await expect.poll(isClosed, patience).toBe(true);
});

test.each<[string, () => Iterable<Uint8Array>]>([
  [
    "resets of streams that it has just opened",
    () =>
      streams(20_000).map((id) =>
        Buffer.concat([
          frame("headers", flag.endStream | flag.endHeaders, id, request),
          frame("resetStream", 0, id, Buffer.from([0, 0, 0, 8])),
        ]),
      ),
  ],
  [
    "headers without end",
    () => [
      frame("headers", flag.endStream, 1, request),
      ...Array.from({ length: 20_000 }, () => frame("continuation", 0, 1, field)),
    ],
  ],
  [
    "empty parts of headers",
    () => [
      frame("headers", flag.endStream, 1, request),
      ...Array.from({ length: 20_000 }, () => frame("continuation", 0, 1)),
    ],
  ],
  [
    "empty parts of a body",
    () => [
      frame("headers", flag.endHeaders, 1, request),
      ...Array.from({ length: 200_000 }, () => frame("data", 0, 1)),
    ],
  ],
])("a client that floods the server with %s loses its connection", async (_, frames) => {
  const before = asked;
  const { socket, isClosed } = await client(patient);
  socket.write(preface);
  for (const part of frames()) socket.write(part);
  await expect.poll(isClosed, patience).toBe(true);
  expect(asked - before).toBeLessThan(2000);
});

test.each<[string, Uint8Array]>([
  ["pings", frame("ping", 0, 0, Buffer.alloc(8))],
  ["settings", frame("settings", 0, 0, Buffer.from([0, 4, 0, 0, 255, 255]))],
])("a client that sends %s and reads none of the answers loses its connection", async (_, one) => {
  await expect.poll(openConnections, patience).toBe(0);
  const { socket } = await client(patient);
  socket.pause();
  socket.write(preface);
  const many = Buffer.concat(Array.from({ length: 1000 }, () => one));
  for (let i = 0; i < 500; i++) socket.write(many);
  await expect.poll(openConnections, patience).toBe(0);
  socket.destroy();
});

test("a well-behaved client is served afterwards", async () => {
  const session = connectHttp2(`https://127.0.0.1:${patient.port}`, { rejectUnauthorized: false });
  const stream = session.request({ ":path": "/" });
  const [headers] = await once(stream, "response");
  expect(headers[":status"]).toBe(200);
  session.destroy();
});
