import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { type LogQuery, readLog } from "./read-log.ts";

/** What a container said with one write, and when: seconds since the start, fraction of the second as the runtime writes it. */
interface Entry {
  readonly seconds: number;
  readonly fraction: string;
  readonly partial: boolean;
  readonly bytes: Buffer;
}

const start = Date.parse("2023-06-01T00:00:00Z");
const clock = (seconds: number) => new Date(start + seconds * 1000).toISOString().slice(0, 19);

function lineOf({ seconds, fraction, partial, bytes }: Entry): Buffer {
  const time = `${clock(seconds)}${fraction === "" ? "" : `.${fraction}`}Z`;
  return Buffer.concat([Buffer.from(`${time} stdout ${partial ? "P" : "F"} `), bytes, Buffer.from("\n")]);
}

/** The whole file, entry by entry: the last ones, of those the ones not older, of those the first bytes. */
function naive(entries: readonly Entry[], query: Partial<LogQuery>): Buffer {
  const { tailLines = entries.length, sinceMs = 0, limitBytes = Number.POSITIVE_INFINITY, timestamps = false } = query;
  const out: Buffer[] = [];
  let begins = true;
  for (const { seconds, fraction, partial, bytes } of tailLines === 0 ? [] : entries.slice(-tailLines)) {
    if (start + seconds * 1000 + Math.floor(Number(`0.${fraction}0`) * 1000) < sinceMs) continue;
    if (timestamps && begins) out.push(Buffer.from(`${clock(seconds)}.${fraction.padEnd(9, "0")}Z `));
    out.push(bytes, Buffer.from(partial ? "" : "\n"));
    begins = !partial;
  }
  const all = Buffer.concat(out);
  return limitBytes < all.length ? all.subarray(0, limitBytes) : all;
}

const words = [
  Buffer.from("é"),
  Buffer.from("€uro 😀"),
  Buffer.from([0xff, 0x00, 0x85, 0xa0]),
  Buffer.from("a b"),
  Buffer.alloc(0),
];

test("every query gives the same bytes as filtering the whole file", async () => {
  const next = seededNumbers(11);
  const folder = await mkdtemp(join(tmpdir(), "o8s-log-"));
  const path = join(folder, "0.log");
  try {
    for (let round = 0; round < 30; round++) {
      let seconds = 0;
      const entries = Array.from({ length: next(40) }, (): Entry => {
        seconds += next(2);
        const text = Buffer.concat(Array.from({ length: next(4) }, () => words[next(words.length)] ?? Buffer.alloc(0)));
        // A runtime's cut: anywhere, in the middle of a character too. Some entries are longer than what is read at once.
        const bytes = next(12) === 0 ? Buffer.alloc(66_000, text.length === 0 ? "x" : text) : text;
        const partial = next(3) === 0;
        const cut = partial ? bytes.subarray(0, next(bytes.length + 1)) : bytes;
        return { seconds, fraction: ["", "5", "123456789", "00000001"][next(4)] ?? "", partial, bytes: cut };
      });
      await writeFile(path, Buffer.concat(entries.map(lineOf)));
      for (let i = 0; i < 8; i++) {
        const query: Partial<LogQuery> = {
          ...(next(2) === 0 ? { tailLines: next(entries.length + 3) } : {}),
          ...(next(2) === 0 ? { sinceMs: start + next(30) * 500 } : {}),
          ...(next(2) === 0 ? { limitBytes: 1 + next(next(2) === 0 ? 50 : 100_000) } : {}),
          timestamps: next(2) === 0,
        };
        const chunks: Buffer[] = [];
        await readLog(path, {
          query: { follow: false, timestamps: false, ...query },
          running: async () => false,
          write: async (chunk) => void chunks.push(chunk),
          signal: new AbortController().signal,
        });
        const found = Buffer.concat(chunks);
        expect(found.equals(naive(entries, query)), `round ${round}, ${JSON.stringify(query)}`).toBe(true);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
