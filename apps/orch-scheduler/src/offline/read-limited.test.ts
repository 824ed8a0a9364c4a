import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readLimited } from "./read-limited.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-read-limited-"));
const file = join(dir, "file");
writeFileSync(file, "größer");
afterAll(() => rmSync(dir, { recursive: true }));

test("a file up to the limit is read", async () => {
  expect(await readLimited(file, 8)).toBe("größer");
});

test.each<[string, string, number]>([
  ["a larger file", file, 7],
  ["a device without end", "/dev/zero", 3 * 1024 * 1024],
])("%s is an error", async (_, path, maxBytes) => {
  await expect(readLimited(path, maxBytes)).rejects.toThrow(
    `${path}: found more than ${maxBytes} bytes; want at most ${maxBytes}`,
  );
});

test.each([join(dir, "absent"), dir])("what is no file is an error", async (path) => {
  await expect(readLimited(path, 8)).rejects.toThrow(/ENOENT|EISDIR/);
});
