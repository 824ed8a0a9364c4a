import type { Random } from "../random.ts";
import { frame, frameType, headerBlock, number } from "./http2-frames.ts";
import { mutatedBytes } from "./mutate-bytes.ts";

const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;
/** Windows, lengths and counts at their bounds. */
const EDGES = [0, 1, 2, 5, 100, 16_383, 16_384, 65_535, 65_536, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1] as const;

/** The frames that a server sends to a client with a few requests in flight; some are such that no server may send them. */
export function serverFrames(random: Random): string[] {
  const first = random.chance(0.95) ? [frame(frameType.settings, 0, 0, settings(random))] : [];
  const frames = [...first, ...random.many(0, 30, () => serverFrame(random)).flat()];
  return frames.map((one) => (random.chance(0.02) ? mutatedBytes(random, one, 1) : one));
}

function serverFrame(random: Random): string[] {
  const stream = streamId(random);
  const roll = random.below(100);
  if (roll < 30) return header(random, stream);
  if (roll < 60) return [data(random, stream)];
  if (roll < 66) return [frame(frameType.settings, 0, 0, settings(random))];
  if (roll < 69) return [frame(frameType.settings, flag.ack, 0, random.chance(0.9) ? "" : "x")];
  if (roll < 73) return [frame(frameType.ping, random.below(2), 0, "12345678".slice(random.chance(0.1) ? 1 : 0))];
  if (roll < 82) return [frame(frameType.windowUpdate, 0, random.chance(0.4) ? 0 : stream, number(edge(random), 4))];
  if (roll < 86) return [frame(frameType.rstStream, 0, stream, number(random.below(15), 4))];
  if (roll < 89)
    return [frame(frameType.goaway, 0, 0, number(random.pick([0, 1, 3, 5, 2 ** 31 - 1]), 4) + number(0, 4))];
  if (roll < 92) return [frame(frameType.priority, 0, stream, "12345".slice(random.chance(0.1) ? 1 : 0))];
  if (roll < 95) return continuations(random, stream);
  // Any type, with any length and any stream.
  return [frame(random.below(256), random.below(256), random.pick([0, stream]), "x".repeat(random.size(40)))];
}

/** Mostly a stream of a request. */
const streamId = (random: Random): number =>
  random.chance(0.96) ? random.pick([1, 3, 5]) : random.pick([0, 2, 4, 7, 99, 2 ** 31 - 1]);

const edge = (random: Random): number => (random.chance(0.6) ? 1 + random.size(100_000) : random.pick(EDGES));

function settings(random: Random): string {
  return random
    .many(0, 3, () => {
      const id = random.chance(0.9) ? 1 + random.below(6) : random.below(2 ** 16);
      // Most connections should survive their settings.
      const value = random.chance(0.85) ? ([0, 4096, 0, 100, 30_000, 16_384, 10_000][id] ?? 7) : edge(random);
      return number(id, 2) + number(value, 4);
    })
    .join("");
}

function header(random: Random, stream: number): string[] {
  const status = random.chance(0.9)
    ? random.pick(["200", "404", "103"])
    : random.pick(["", "20", "0x64", "2e2", "1000"]);
  let block = random.chance(0.9) ? headerBlock([[":status", status]]) : "";
  block += headerBlock(random.many(0, 2, (i) => [`x-${i}`, "v".repeat(random.size(300))] as const));
  // Indexes of the static and the dynamic table, changes of its size, and fields that are added to it.
  if (random.chance(0.3))
    block += random.pick(["\u0088", "\u00be", "\u0080", "\u0040\u0001a\u0001b", "\u003f\u00e1\u001f", "\u0020"]);
  const end = random.chance(0.3) ? flag.endStream : 0;
  if (random.chance(0.8)) return [paddedFrame(random, frameType.headers, flag.endHeaders | end, stream, block)];
  const at = random.below(block.length + 1);
  const last = frame(frameType.continuation, random.chance(0.95) ? flag.endHeaders : 0, stream, block.slice(at));
  return [frame(frameType.headers, end, stream, block.slice(0, at)), last];
}

const data = (random: Random, stream: number): string =>
  paddedFrame(
    random,
    frameType.data,
    random.chance(0.15) ? flag.endStream : 0,
    stream,
    "d".repeat(random.size(16_000)),
  );

/** A frame that is padded, or has a priority, in some cases with a length that does not fit. */
function paddedFrame(random: Random, type: number, flags: number, stream: number, content: string): string {
  let payload = content;
  let all = flags;
  if (type === frameType.headers && random.chance(0.1)) {
    payload = `\u0000\u0000\u0000\u0000\u0010${payload}`;
    all |= flag.priority;
  }
  if (random.chance(0.15)) {
    const padding = random.below(random.chance(0.8) ? 10 : 256);
    payload = String.fromCharCode(padding) + payload + "\u0000".repeat(random.chance(0.9) ? padding : 0);
    all |= flag.padded;
  }
  return frame(type, all, stream, payload.slice(0, 16_384));
}

/** A header block that goes on and on. */
function continuations(random: Random, stream: number): string[] {
  const part = random.chance(0.5) ? "" : "\u0000\u0001a\u0001b".repeat(random.chance(0.3) ? 3000 : random.size(3000));
  const length = random.chance(0.1) ? 40 : random.size(40) + 1;
  const many = Array.from({ length }, () => frame(frameType.continuation, 0, stream, part));
  const end = random.chance(0.5) ? [frame(frameType.continuation, flag.endHeaders, stream)] : [];
  return [frame(frameType.headers, 0, stream, headerBlock([[":status", "200"]])), ...many, ...end];
}
