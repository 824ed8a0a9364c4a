import { frame, frameType, headerBlock, integer, number, preface, serverErrorsIn } from "../generate/http2-frames.ts";
import { mutatedBytes } from "../generate/mutate-bytes.ts";
import { nastyText } from "../generate/nasty-text.ts";
import { targetText } from "../generate/target-text.ts";
import type { Random } from "../random.ts";
import { bytesOf, type FuzzCase, rawText, type Target } from "../target.ts";
import { type Endpoint, sendRaw } from "./raw-connection.ts";

// Time without bytes after which the server is taken to have finished.
const SILENCE_MS = 150;
// Flags of frames (RFC 9113 section 6.2).
const END_STREAM = 1;
const END_HEADERS = 4;
const PADDED = 8;
const PRIORITY = 32;

/** Frames after the preface, sent in these parts. */
interface FramesCase extends FuzzCase {
  readonly parts: readonly string[];
}

/** Stands for the token in generated frames. It has the same length, so that the lengths of frames remain right. */
const placeholder = (token: string): string => "T".repeat(token.length);

function request(random: Random, token: string, path?: string): string {
  const target = path ?? (random.chance(0.5) ? "/api/v1/namespaces/fuzz/configmaps?limit=1" : targetText(random));
  const pairs: [string, string][] = [
    [
      ":method",
      random.chance(0.9) ? "GET" : random.pick(["", "POST", "CONNECT", "get", "PATCH", "constructor", "__proto__"]),
    ],
    [":scheme", random.chance(0.95) ? "https" : "x"],
    [":authority", "x"],
    [":path", rawText(target)],
    ["authorization", `Bearer ${placeholder(token)}`],
  ];
  if (random.chance(0.3)) {
    pairs.push(
      ...random.many(
        0,
        4,
        () =>
          [
            random.pick([
              "X-Upper",
              ":path",
              ":x",
              "te",
              "connection",
              "__proto__",
              "",
              "content-length",
              "accept",
              "cookie",
            ]),
            rawText(nastyText(random)),
          ] as [string, string],
      ),
    );
  }
  if (random.chance(0.05)) pairs.splice(random.below(pairs.length), 1);
  return headerBlock(pairs);
}

const settings = (random: Random, count: number): string =>
  frame(
    frameType.settings,
    0,
    0,
    Array.from(
      { length: count },
      () =>
        number(random.below(10), 2) +
        number(random.pick([0, 1, 100, 65535, 65536, 2 ** 24, 2 ** 31 - 1, 2 ** 32 - 1]), 4),
    ).join(""),
  );

type Script = (random: Random, token: string) => string[];

const scripts: readonly Script[] = [
  (random, token) => [frame(1, END_STREAM | END_HEADERS, 1, request(random, token))],
  (random, token) =>
    Array.from(
      // Rapid reset (CVE-2023-44487): streams that are cancelled as soon as they are opened.
      { length: random.size(300) },
      (_, i) =>
        frame(1, END_STREAM | END_HEADERS, 2 * i + 1, request(random, token, "/api/v1/nodes?limit=1")) +
        frame(3, 0, 2 * i + 1, number(8, 4)),
    ),
  (random, token) => [
    frame(1, END_STREAM, 1, request(random, token)),
    // CONTINUATION flood (CVE-2024-27316): a header block that does not end.
    ...Array.from({ length: random.size(2000) }, () =>
      frame(9, 0, 1, random.chance(0.5) ? "" : headerBlock([["a", "b"]])),
    ),
  ],
  // Settings flood (CVE-2019-9515) and ping flood (CVE-2019-9512): each frame has to be acknowledged.
  (random) => Array.from({ length: random.size(2000) }, () => settings(random, random.below(5))),
  (random) => Array.from({ length: random.size(3000) }, (_, i) => frame(6, 0, 0, number(i, 8))),
  (random) => Array.from({ length: random.size(3000) }, () => frame(4, 0, 0)),
  (random, token) => [
    frame(1, END_HEADERS, 1, request(random, token)),
    // A flow-control window above 2^31-1 (RFC 9113 section 6.9.1).
    frame(8, 0, random.pick([0, 1]), number(random.pick([0, 2 ** 31 - 1, 1]), 4)).repeat(1 + random.size(50)),
  ],
  (random) =>
    Array.from({ length: random.size(2000) }, (_, i) =>
      // Priority loop (CVE-2019-9513): streams that depend on each other or on themselves.
      frame(2, 0, 2 * i + 1, `${number(random.pick([2 * i + 1, 2 * i + 3, 0, 1]), 4)}\u0010`),
    ),
  (random, token) => [
    frame(1, END_HEADERS | END_STREAM | PADDED, 1, String.fromCharCode(random.below(256)) + request(random, token)),
  ],
  (random, token) => [
    frame(1, END_HEADERS | PRIORITY, 1, `${number(1, 4)}\u0000${request(random, token)}`),
    frame(0, END_STREAM | PADDED, 1, "\u00ff{}"),
  ],
  (random) => [frame(1, END_STREAM | END_HEADERS, 1, `${integerPrefix(random)}${"\u00ff".repeat(random.size(40))}`)],
  (random) => [frame(1, END_STREAM | END_HEADERS, 1, headerBlock([["x", "a".repeat(random.size(16_000))]]))],
  // HPACK bomb (CVE-2016-6581): one large entry of the dynamic table, referenced many times.
  (random) => [
    frame(
      1,
      END_STREAM | END_HEADERS,
      1,
      `\u0040\u0001x${integer(3000, 7)}${"a".repeat(3000)}${"\u00be".repeat(random.size(12_000))}`,
    ),
  ],
  (random) => [
    frame(
      random.below(256),
      random.below(256),
      random.pick([0, 1, 2, 2 ** 31 - 1]),
      rawText(nastyText(random)).slice(0, 5000),
      random.chance(0.8) ? undefined : random.below(2 ** 24),
    ),
  ],
  (random, token) => [
    frame(1, END_HEADERS, 1, request(random, token).replace("GET", "PUT")),
    // Empty frames flood (CVE-2019-9518).
    ...Array.from({ length: random.size(1000) }, () => frame(0, 0, 1, "")),
    frame(0, END_STREAM, 1, "{}"),
  ],
  (random, token) => [
    frame(5, END_HEADERS, 1, number(2, 4) + request(random, token)),
    frame(7, 0, 0, number(0, 4) + number(random.below(20), 4)),
  ],
  (random, token) =>
    Array.from({ length: random.size(200) }, (_, i) =>
      frame(
        1,
        END_STREAM | END_HEADERS,
        2 * i + 1,
        request(random, token, "/api/v1/namespaces/fuzz/configmaps?watch=true"),
      ),
    ),
  (random, token) => [
    frame(1, END_STREAM | END_HEADERS, random.pick([0, 2, 3, 2 ** 31 - 1]), request(random, token)),
    frame(1, END_STREAM | END_HEADERS, 1, request(random, token)),
  ],
  (random, token) => [
    frame(1, END_HEADERS, 1, request(random, token, "/api/v1/namespaces/fuzz/configmaps")),
    frame(0, 0, 1, "{".repeat(random.size(16_000))),
    frame(3, 0, 1, number(random.below(20), 4)),
    frame(0, END_STREAM, 1, "}"),
  ],
];

const integerPrefix = (random: Random): string =>
  random.pick(["\u00ff", "\u007f", "\u003f", "\u001f", "\u000f", "\u0080", "\u0000\u007f"]);

/** HTTP/2 frames that no well-behaved client sends. The server may reject them and close the connection. */
export function http2Target(endpoint: Endpoint, token: string): Target<FramesCase> {
  const settled = preface + frame(frameType.settings, 0, 0);
  return {
    name: "http2-frames",
    generate: (random) => {
      const parts = random.many(1, 2, () => random.pick(scripts)(random, token)).flat();
      const joined = parts.length > 40 ? [parts.join("")] : parts;
      return {
        parts: random.chance(0.3)
          ? joined.map((part) => (random.chance(0.5) ? mutatedBytes(random, part, 2) : part))
          : joined,
      };
    },
    check: async ({ parts }) => {
      const bytes = [settled, ...parts].map((part) => bytesOf(part.replaceAll(placeholder(token), token)));
      const received = await sendRaw(endpoint, bytes, "h2", SILENCE_MS);
      return serverErrorsIn(received) ? "a stream got a response with a status of 500 or more" : undefined;
    },
  };
}
