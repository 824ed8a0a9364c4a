import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ShutdownTimesFile } from "./shutdown-times.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-times-"));
  file = join(dir, "graceful_node_shutdown_state");
});
afterEach(() => rmSync(dir, { recursive: true }));

test("the times that were written are read", () => {
  const times = new ShutdownTimesFile(dir);
  times.write({ startTime: 5, endTime: 7 });
  expect(times.read()).toEqual({ startTime: 5, endTime: 7 });
});

test.each<[string, () => void]>([
  ["nothing", () => undefined],
  ["junk", () => writeFileSync(file, "{")],
  ["a list", () => writeFileSync(file, "[1]")],
  ["a folder", () => mkdirSync(file)],
  ["a FIFO", () => execFileSync("mkfifo", [file])],
  ["a device without an end", () => symlinkSync("/dev/zero", file)],
  ["a large file", () => writeFileSync(file, `{"startTime": 5${" ".repeat(5000)}}`)],
])("%s in place of the file blocks nothing, and means no shutdown", (_, make) => {
  make();
  expect(new ShutdownTimesFile(dir).read()).toEqual({ startTime: 0, endTime: 0 });
});
