import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readStateFile, writeStateFile } from "./state-file.ts";

test("a state that could not be read again is not written, and the previous one stays", () => {
  const dir = mkdtempSync(join(tmpdir(), "o8s-state-"));
  try {
    const path = join(dir, "state");
    writeStateFile(path, { a: 1 });
    expect(() => writeStateFile(path, { a: "x".repeat(17 * 1024 * 1024) })).toThrow(/it would have \d+ bytes/);
    expect(readStateFile(path)).toEqual({ a: 1 });
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("a state that cannot be written is named", () => {
  expect(() => writeStateFile("/proc/no/state", {})).toThrow("cannot write /proc/no/state: ENOENT");
});
