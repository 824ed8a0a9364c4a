import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { systemClock } from "@orchernetes/kernel";
import { afterAll, expect, test } from "vitest";
import { RotatingFile } from "./rotating-file.ts";

function mountSmallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "audit-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", path], { stdio: "ignore" });
    return path;
  } catch {
    rmdirSync(path);
    return undefined;
  }
}
const disk = mountSmallDisk();
afterAll(() => {
  if (disk === undefined) return;
  execFileSync("umount", ["--lazy", disk]);
  rmdirSync(disk);
});

/** Everything that the log's files hold, in any order. */
const linesOn = (path: string): readonly string[] =>
  readdirSync(path)
    .filter((name) => name.startsWith("audit"))
    .flatMap((name) => {
      const bytes = readFileSync(join(path, name));
      return String(name.endsWith(".gz") ? gunzipSync(bytes) : bytes).split("\n");
    })
    .filter((line) => line !== "");

test.skipIf(disk === undefined).each([false, true])(
  "on a disk that is full every line is written whole or reported as lost, and later ones when there is room (compressed: %s)",
  async (compress) => {
    const path = disk ?? "";
    const ballast = join(path, "ballast");
    writeFileSync(ballast, Buffer.alloc(220_000));
    const file = await RotatingFile.open({
      path: join(path, "audit.log"),
      maxBytes: 100_000,
      maxBackups: 0,
      maxAgeDays: 0,
      compress,
      clock: systemClock,
      logger: { error: () => undefined },
    });
    const kept: string[] = [];
    let lost = 0;
    const write = async (i: number): Promise<void> => {
      const line = `${i} ${randomBytes(700).toString("base64")}`;
      try {
        await file.append(`${line}\n`);
        kept.push(line);
      } catch {
        lost++;
      }
    };
    for (let i = 0; i < 900; i += 10) await Promise.all(Array.from({ length: 10 }, (_, k) => write(i + k)));
    expect(lost).toBeGreaterThan(100);
    expect(kept.length).toBeGreaterThan(100);
    rmSync(ballast);
    lost = 0;
    for (let i = 1000; i < 1040; i++) await write(i);
    expect(lost).toBe(0);
    await file.close();
    expect([...linesOn(path)].sort()).toEqual([...kept].sort());
    for (const name of readdirSync(path)) rmSync(join(path, name));
  },
);
