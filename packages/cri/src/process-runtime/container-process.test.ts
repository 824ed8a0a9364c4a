import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { followContainer } from "./container-process.ts";
import { openLogFile } from "./log-file.ts";
import { identify } from "./proc.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-follow-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

test.skipIf(process.platform !== "linux")(
  "a line begun before the runtime ends is kept as a partial entry",
  async () => {
    for (const name of ["stdout", "stderr"]) execFileSync("mkfifo", [join(dir, name)]);
    const log = openLogFile(join(dir, "0.log"), () => 0);
    const shim = identify(process.pid);
    const container = followContainer({ dir, log, process: shim, shim, stdin: false, now: () => 0 });
    const seen = once(container.output, "stdout");
    appendFileSync(join(dir, "stdout"), "first\nsecond, with");
    await seen;
    container.detach();
    expect(readFileSync(join(dir, "0.log"), "utf8").replaceAll(/^\S+ /gm, "")).toBe(
      "stdout F first\nstdout P second, with\n",
    );
  },
);
