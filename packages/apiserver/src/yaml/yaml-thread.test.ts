import { performance } from "node:perf_hooks";
import { afterEach, expect, test } from "vitest";
import { YamlThread, type YamlThreadOptions } from "./yaml-thread.ts";

const open: YamlThread[] = [];
const reader = (options: YamlThreadOptions = {}): YamlThread => {
  const made = new YamlThread(options);
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const filler = `# ${"x".repeat(10_000)}\n`;

test.each([
  ["at once", ""],
  ["in the thread", filler],
])("reads a document %s", async (_, before) => {
  const text = `${before}a: yes\nb: [1, 2.5, "x", ~]\n__proto__: {c: 1}\na: no\n`;
  const document = await reader().read(Buffer.from(text), true);
  expect(JSON.stringify(document.value)).toBe('{"a":false,"b":[1,2.5,"x",null],"__proto__":{"c":1}}');
  expect(document.duplicateFields).toEqual(["a"]);
});

test.each([
  ["at once", ""],
  ["in the thread", filler],
])("says what is wrong with a document %s", async (_, before) => {
  await expect(reader().read(Buffer.from(`${before}a: [`), false)).rejects.toThrow(/^yaml: line/);
  await expect(reader().read(Buffer.from(`${before}a: .nan\n`), false)).rejects.toThrow("json: unsupported value: NaN");
});

test("a text of comments does not block the event loop", async () => {
  const one = reader();
  await one.read(Buffer.from(filler), false);
  const before = performance.eventLoopUtilization();
  const started = process.threadCpuUsage();
  const document = await one.read(Buffer.from(`${"#\n".repeat(300_000)}a: 1\n`), true);
  const { user } = process.threadCpuUsage(started);
  expect(document.value).toEqual({ a: 1 });
  // The main thread does next to nothing of what takes the other one half a second and more.
  expect(user / 1000).toBeLessThan(200);
  expect(performance.eventLoopUtilization(before).idle).toBeGreaterThan(0);
}, 60_000);

test("a document that takes too long is rejected, and the next one is read", async () => {
  const one = reader({ timeoutMs: 1500 });
  const slow = one.read(Buffer.from(`a: [${"b,".repeat(1_000_000)}]`), false);
  const next = one.read(Buffer.from(`${filler}a: 1`), false);
  await expect(slow).rejects.toThrow("it takes more than 1.5 s");
  // The new thread has to start within the same time, for which a loaded machine may need a second try.
  const document = await next.catch(() => one.read(Buffer.from(`${filler}a: 1`), false));
  expect(document.value).toEqual({ a: 1 });
}, 60_000);

test("a document that takes too much memory is rejected, and the next one is read", async () => {
  const one = reader({ maxHeapMib: 24, timeoutMs: 60_000 });
  await expect(one.read(Buffer.from(`a: [${"b,".repeat(1_000_000)}]`), false)).rejects.toThrow("too much memory");
  expect((await one.read(Buffer.from(`${filler}a: 1`), false)).value).toEqual({ a: 1 });
}, 90_000);

test("waiting documents are limited in number, and those of disconnected clients are not read", async () => {
  const one = reader({ maxWaitingBytes: 2 * filler.length });
  const first = one.read(Buffer.from(filler), false);
  const left = new AbortController();
  const second = one.read(Buffer.from(filler), false, { signal: left.signal });
  const third = one.read(Buffer.from(filler), false);
  await expect(one.read(Buffer.from(filler), false)).rejects.toThrow("too many YAML documents");
  left.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  await first;
  await third;
}, 60_000);

test("a long response is written without blocking the event loop, and equals a short one in form", async () => {
  const one = reader();
  const value = { b: Array.from({ length: 100_000 }, (_, i) => `get ${i}`), c: "x: y" };
  const json = Buffer.from(`{"a":9007199254740993,${JSON.stringify(value).slice(1)}`);
  expect(one.isLong(json.length)).toBe(true);
  await one.read(Buffer.from(filler), false);
  const started = process.threadCpuUsage();
  const text = Buffer.from(await one.write(json)).toString();
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(150);
  expect(text.slice(0, 60)).toMatch(/^a: 9007199254740993\nb:\n {2}- get 0\n {2}- get 1\n/);
  expect(text.endsWith('- get 99999\nc: "x: y"\n')).toBe(true);
}, 60_000);

test("a response that takes too long to encode is rejected", async () => {
  const one = reader({ timeoutMs: 300 });
  const json = Buffer.from(JSON.stringify(Array.from({ length: 300_000 }, () => "a")));
  await expect(one.write(json)).rejects.toMatchObject({ status: { code: 406 } });
  expect(Buffer.from(await reader().write(Buffer.from("[1]"))).toString()).toBe("- 1\n");
}, 60_000);

test("many slow documents of one user delay those of others by one", async () => {
  const one = reader({ timeoutMs: 1500 });
  await one.read(Buffer.from(filler), false);
  const order: string[] = [];
  const slow = Buffer.from(`a: [${"b,".repeat(1_000_000)}]`);
  const ask = (user: string, bytes: Buffer) =>
    one.read(bytes, false, { user }).then(
      () => order.push(user),
      () => order.push(user),
    );
  await Promise.all([ask("a", slow), ask("a", slow), ask("a", slow), ask("b", Buffer.from(filler))]);
  expect(order).toEqual(["a", "b", "a", "a"]);
}, 60_000);
