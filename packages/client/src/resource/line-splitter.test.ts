import { expect, test } from "vitest";
import { splitLines } from "./line-splitter.ts";

async function* stream(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

async function linesOf(chunks: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const some of splitLines(stream(chunks.map((chunk) => Buffer.from(chunk))))) lines.push(...some);
  return lines;
}

test.each([
  ["nothing", [], []],
  ["a whole line", ["one\n"], ["one"]],
  ["several lines in a chunk", ["one\ntwo\nthree\n"], ["one", "two", "three"]],
  ["a line in several chunks", ["o", "n", "e", "\n"], ["one"]],
  ["an end that comes alone", ["one", "\ntwo", "\n"], ["one", "two"]],
  ["a chunk that ends one line and begins another", ["on", "e\ntw", "o\nthr", "ee\n"], ["one", "two", "three"]],
  ["empty lines", ["\n\none\n\n", "\n"], ["one"]],
  ["a last line without an end", ["one\ntwo"], ["one"]],
  ["empty chunks", ["", "one", "", "\n", ""], ["one"]],
])("%s", async (_, chunks, want) => {
  expect(await linesOf(chunks)).toEqual(want);
});

test("wherever a stream is cut, its lines are the same", async () => {
  const text = Buffer.from('{"a":"ä€😀"}\n\n{"b":2}\nrest\n');
  const want = ['{"a":"ä€😀"}', '{"b":2}', "rest"];
  for (let first = 0; first <= text.length; first += 1) {
    for (let second = first; second <= text.length; second += 1) {
      const chunks = [text.subarray(0, first), text.subarray(first, second), text.subarray(second)];
      expect(await linesOf(chunks)).toEqual(want);
    }
  }
});

test("a line that never ends is refused before it fills the memory", async () => {
  // The same bytes again and again: the limit counts them, and the test needs no memory for them.
  const chunk = Buffer.alloc(1024 * 1024, "x");
  const fits = Array<Buffer>(64).fill(chunk);
  const read = async (chunks: readonly Buffer[]): Promise<void> => {
    for await (const lines of splitLines(stream(chunks))) expect(lines).toEqual([]);
  };
  await expect(read(fits)).resolves.toBeUndefined();
  await expect(read([...fits, Buffer.from("x")])).rejects.toThrow(RangeError);
});
