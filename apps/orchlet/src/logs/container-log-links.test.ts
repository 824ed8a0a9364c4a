import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linkName, syncLogLinks } from "./container-log-links.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-log-links-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const of = (id: string, logPath: string) => ({ pod: "web", namespace: "ns", name: "c", id, logPath });

test("logs are linked while they exist, and links of other programs remain", async () => {
  const [folder, logs] = [join(dir, "containers"), join(dir, "pods")];
  mkdirSync(join(logs, "ns_web_u1/c"), { recursive: true });
  const path = (n: number) => join(logs, `ns_web_u1/c/${n}.log`);
  for (const n of [0, 1]) writeFileSync(path(n), "");
  await syncLogLinks(folder, logs, [of("a", path(0)), of("b", path(1)), of("out", join(dir, "elsewhere.log"))]);
  symlinkSync("/nowhere", join(folder, "other.log"));
  writeFileSync(join(folder, "file.log"), "");
  expect(readdirSync(folder).sort()).toEqual(["file.log", "other.log", "web_ns_c-a.log", "web_ns_c-b.log"]);
  expect(readlinkSync(join(folder, "web_ns_c-a.log"))).toBe(path(0));
  rmSync(path(0));
  await syncLogLinks(folder, logs, [of("b", path(1))]);
  expect(readdirSync(folder).sort()).toEqual(["file.log", "other.log", "web_ns_c-b.log"]);
});

test("long names are truncated to the limit of file systems", () => {
  const name = linkName({ pod: "p".repeat(253), namespace: "n".repeat(63), name: "c", id: "i" });
  expect([name.length, name.endsWith(".log")]).toEqual([255, true]);
});
