import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

function mountSmallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "o8s-log-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path], { stdio: "ignore" });
    return path;
  } catch {
    rmdirSync(path);
    return undefined;
  }
}
const disk = mountSmallDisk();

const moduleOf = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** A daemon in small: it writes a line for each that it reads, and answers on a pipe that it has tried. */
const program = (write: string): string => `
  import { writeSync } from "node:fs";
  import { createInterface } from "node:readline";
  const { surviveFullDisk } = await import(${moduleOf("./survive-full-disk.ts")});
  const { createLogger } = await import(${moduleOf("./create-logger.ts")});
  surviveFullDisk();
  const logger = createLogger();
  for await (const line of createInterface({ input: process.stdin })) {
    ${write};
    await new Promise((resolve) => setTimeout(resolve, 20));
    writeSync(3, ".");
  }`;

test.skipIf(disk === undefined).each([
  ["lines that are written past the logger", 'process.stderr.write(line + "\\n")', 0],
  ["lines of the logger, which counts those that it drops", "logger.error(undefined, line)", 3],
])(
  "a process whose log is on a full disk lives on, and logs again when there is room: %s",
  async (_, write, counted) => {
    const path = disk ?? "";
    const log = openSync(join(path, "log"), "a");
    const daemon = spawn(process.execPath, ["--input-type=module", "-e", program(write)], {
      stdio: ["pipe", "ignore", log, "pipe"],
    });
    closeSync(log);
    try {
      const say = async (line: string) => {
        daemon.stdin?.write(`${line}\n`);
        await Promise.race([once(daemon.stdio[3] as NodeJS.ReadableStream, "data"), once(daemon, "exit")]);
      };
      await say("before");
      expect(() => writeFileSync(join(path, "filler"), Buffer.alloc(1e6))).toThrow("ENOSPC");
      for (let i = 0; i < 3; i++) await say("x".repeat(8192));
      expect(daemon.exitCode).toBe(null);
      rmSync(join(path, "filler"));
      await say("after");
      expect(daemon.exitCode).toBe(null);
      const lines = readFileSync(join(path, "log"), "utf8");
      expect(lines).toMatch(/^(E.*\] )?before\n/);
      expect(lines).toMatch(/after\n$/);
      const [, dropped = "0"] =
        /\nW.* create-logger.ts:\d+\] Dropped log lines: .* lines=(\d+)\nE.*after\n$/.exec(lines) ?? [];
      expect(Number(dropped)).toBe(counted);
    } finally {
      daemon.kill("SIGKILL");
      await once(daemon, "exit");
      rmSync(join(path, "log"));
    }
  },
);
afterAll(() => {
  if (disk === undefined) return;
  execFileSync("umount", ["-l", disk]);
  rmdirSync(disk);
});
