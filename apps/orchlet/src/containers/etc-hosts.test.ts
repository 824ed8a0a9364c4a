import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { writeHosts } from "./etc-hosts.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-hosts-"));
  file = join(dir, "etc-hosts");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = () => writeHosts(file, testPod({}, { name: "web" }), { podIPs: ["10.0.0.7"], clusterDomain: "c" });

test("the hosts file is written in place, so that containers in which it is mounted see the change", async () => {
  await write();
  const { ino } = statSync(file);
  writeFileSync(file, "what a container made of it, which is longer than what the agent writes".repeat(20));
  await write();
  expect(statSync(file).ino).toBe(ino);
  expect(readFileSync(file, "utf8")).toMatch(/^# Orchernetes-managed hosts file\.\n[\s\S]*\n10\.0\.0\.7\tweb\n$/);
});

test.skipIf(process.platform !== "linux")(
  "what is no file in its place is not written to, and nothing waits",
  async () => {
    const victim = join(dir, "victim");
    writeFileSync(victim, "precious");
    symlinkSync(victim, file);
    await expect(write()).rejects.toThrow(/it is a symbolic link; want a regular file/);
    expect(readFileSync(victim, "utf8")).toBe("precious");
    rmSync(file);
    execFileSync("mkfifo", [file]);
    await expect(write()).rejects.toThrow(/it is a FIFO; want a regular file/);
  },
);
