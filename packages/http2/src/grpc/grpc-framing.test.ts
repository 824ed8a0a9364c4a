import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { framedMessage, MessageAssembler } from "./grpc-framing.ts";

const MIB = 1 << 20;

/** Parts of a message, of sizes that `sizeOf` returns by their number. */
function* split(bytes: Buffer, sizeOf: (index: number) => number): Generator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const end = at + sizeOf(index);
    yield Buffer.from(bytes.subarray(at, end));
    at = end;
  }
}

test.each<[string, (index: number) => number]>([
  ["one byte", () => 1],
  ["fewer bytes each time", (index) => 200 - (index % 200)],
  ["one byte after a frame of full size", (index) => (index % 2 === 0 ? 16_384 : 1)],
  ["a frame of full size", () => 16_384],
  ["everything", () => MIB * 2],
])("a message that arrives in parts of %s is assembled", (_, sizeOf) => {
  const message = Buffer.from(Array.from({ length: MIB }, (_, index) => index % 251));
  const assembler = new MessageAssembler();
  const read: Buffer[] = [];
  for (const part of split(Buffer.concat([framedMessage(message), framedMessage(Buffer.from("next"))]), sizeOf)) {
    assembler.add(part);
    for (let next = assembler.next(); next !== undefined; next = assembler.next()) read.push(next);
  }
  expect(read.map(({ length }) => length)).toEqual([MIB, 4]);
  expect(read[0]?.equals(message)).toBe(true);
  expect(String(read[1])).toBe("next");
});

test("a message that arrives byte by byte takes little more memory than its size", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const used = (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const assembler = new MessageAssembler(16 * MIB);
  assembler.add(framedMessage(Buffer.alloc(16 * MIB)).subarray(0, 5));
  const before = used();
  for (let sent = 0; sent < MIB; sent++) assembler.add(Buffer.from([1]));
  expect(assembler.next()).toBeUndefined();
  const taken = used() - before;
  setFlagsFromString("--no-expose-gc");
  expect(taken / MIB).toBeLessThan(8);
});
