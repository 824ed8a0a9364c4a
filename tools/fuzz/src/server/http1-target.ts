import { mutatedBytes } from "../generate/mutate-bytes.ts";
import { nastyText } from "../generate/nasty-text.ts";
import type { Random } from "../random.ts";
import { bytesOf, type FuzzCase, rawText, type Target } from "../target.ts";
import { fuzzNamespace } from "./environment.ts";
import { type Endpoint, sendRaw } from "./raw-connection.ts";

// Time without bytes after which the server is taken to have finished.
const SILENCE_MS = 150;

/** Whole conversations as bytes, sent in these parts. */
interface BytesCase extends FuzzCase {
  readonly parts: readonly string[];
}

const auth = (token: string): string => `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
const pods = `/api/v1/namespaces/${fuzzNamespace}/pods`;
const config = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"fuzz-raw"}}';

/**
 * Conversations that smuggle requests, pipeline, cut off, fold and upgrade. `TOKEN` stands for the token of an
 * administrator.
 */
const conversations: readonly ((random: Random) => string[])[] = [
  () => [
    // Request smuggling: both framings at once, which RFC 9112 section 6.1 wants to be treated as an attack.
    `POST ${pods} HTTP/1.1\r\n${auth("TOKEN")}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n`,
  ],
  () => [
    `POST /api/v1/namespaces/${fuzzNamespace}/configmaps HTTP/1.1\r\n${auth("TOKEN")}Transfer-Encoding: chunked\r\n\r\n`,
    `${config.length.toString(16)};ext=1\r\n${config}\r\n`,
    "0\r\nTrailer: x\r\n\r\n",
  ],
  (random) => [
    `POST /api/v1/namespaces/${fuzzNamespace}/configmaps HTTP/1.1\r\n${auth("TOKEN")}Transfer-Encoding: chunked\r\n\r\n`,
    `${random.pick(["ffffffffffffffff", "-1", "0x5", "5 ", "zz", "FFFFFFFF"])}\r\n${config}\r\n`,
  ],
  (random) => [
    Array.from({ length: 1 + random.size(60) }, () => `GET ${pods}?limit=1 HTTP/1.1\r\n${auth("TOKEN")}\r\n`).join(""),
  ],
  (random) => [`GET ${pods} HTTP/${random.pick(["1.0", "0.9", "2.0", "1.2", "9.9", "x"])}\r\n${auth("TOKEN")}\r\n`],
  () => ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  (random) => [`GET /${"a".repeat(random.size(100_000))} HTTP/1.1\r\n${auth("TOKEN")}\r\n`],
  (random) => [`GET / HTTP/1.1\r\n${Array.from({ length: random.size(3000) }, (_, i) => `a${i}: b\r\n`).join("")}\r\n`],
  (random) => [`${nastyMethod(random)} ${pods} HTTP/1.1\r\n${auth("TOKEN")}\r\n`],
  (random) => upgrade(random, `${pods}/fuzz-1/exec?command=ls&stdout=1`),
  (random) => upgrade(random, `${pods}/fuzz-1/attach?stdin=1`),
  (random) => upgrade(random, `${pods}/fuzz-1/portforward?ports=80`),
  (random) => upgrade(random, `${pods}?watch=true&timeoutSeconds=1`),
  (random) => upgrade(random, `/api/v1/nodes/fuzz-1/proxy/`),
  (random) =>
    upgrade(
      random,
      random.pick([
        "/",
        "/version",
        "/api/v1/namespaces/default/services/orchernetes/proxy/",
        `${pods}/fuzz-1/__proto__`,
      ]),
    ),
  () => ["GET / HTTP/1.1\nHost: x\n\n"],
  () => ["\r\n\r\n\r\nGET /version HTTP/1.1\r\nHost: x\r\n\r\n"],
  () => [`OPTIONS * HTTP/1.1\r\n${auth("TOKEN")}\r\n`, `CONNECT 127.0.0.1:1 HTTP/1.1\r\n${auth("TOKEN")}\r\nxyz`],
  () => [
    `PUT /api/v1/namespaces/${fuzzNamespace}/configmaps/a HTTP/1.1\r\n${auth("TOKEN")}Content-Length: 50\r\nExpect: 100-continue\r\n\r\n`,
    "{",
  ],
  () => [
    `GET ${pods}?watch=1&timeoutSeconds=3 HTTP/1.1\r\n${auth("TOKEN")}\r\n`,
    `GET ${pods} HTTP/1.1\r\n${auth("TOKEN")}\r\n`,
    "garbage\u0000\u00ff",
  ],
];

function nastyMethod(random: Random): string {
  return random.chance(0.5)
    ? random.pick(["GE T", "get", "\u0000", "GETGETGET".repeat(50), "", "\u00ff"])
    : rawText(nastyText(random));
}

function upgrade(random: Random, path: string): string[] {
  const protocol = random.pick(["websocket", "SPDY/3.1", "spdy/3.1", "h2c", "x", "websocket, SPDY/3.1", ""]);
  const key = random.pick(["dGhlIHNhbXBsZSBub25jZQ==", "x", ""]);
  const protocols = random.pick([
    "v4.channel.o8s.io",
    "channel.o8s.io",
    "base64.channel.o8s.io",
    "x",
    "base64url.bearer.authorization.o8s.io.eHg",
    "",
  ]);
  const head = `${random.pick(["GET", "POST", "DELETE"])} ${path} HTTP/1.1\r\n${auth("TOKEN")}Connection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: ${random.pick(["13", "8", ""])}\r\nSec-WebSocket-Protocol: ${protocols}\r\nX-Stream-Protocol-Version: v4.channel.o8s.io\r\n\r\n`;
  const frames = random.pick([
    "",
    "\u0080\u0003\u0000\u0001",
    "\u0082\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
    "\u0088\u0000",
    "\u0080\u0003\u0000\u0004\u0000\u00ff\u00ff\u00ff",
    "\u0081\u007f",
  ]);
  return [head, frames];
}

/**
 * Raw bytes on an HTTP/1.1 connection; `TOKEN` in them is replaced. The server may reject them, but it must not fail
 * (5xx).
 */
export function http1Target(name: string, endpoint: Endpoint, token: string): Target<BytesCase> {
  return {
    name,
    generate: (random) => {
      const parts = random.pick(conversations)(random);
      return {
        parts: random.chance(0.5)
          ? parts.map((part) => (random.chance(0.6) ? mutatedBytes(random, part) : part))
          : parts,
      };
    },
    check: async ({ parts }) => {
      const bytes = parts.map((part) => bytesOf(part.replaceAll("TOKEN", token)));
      const received = (await sendRaw(endpoint, bytes, "http/1.1", SILENCE_MS)).toString("latin1");
      const failures = [...received.matchAll(/(?:^|\n|\})HTTP\/1\.1 (5\d\d)[^\r]*\r\n.*?\r\n\r\n([^\r\n]{0,300})/gs)];
      const bad = failures.find(
        // 503 comes from readiness, and a proxied node or pod may be unreachable.
        ([, status, body = ""]) => !(status === "503" || /dial|connect|lookup|resolve|no endpoints/i.test(body)),
      );
      return bad === undefined ? undefined : `${bad[1]}: ${bad[2]}`;
    },
  };
}
