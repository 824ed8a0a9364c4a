import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContainerStatus } from "@orchernetes/cri";
import { afterAll, beforeAll, expect, test } from "vitest";
import { terminationMessagePathAnnotation, terminationMessagePolicyAnnotation } from "./labels.ts";
import { readTerminationMessage } from "./termination-message.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-last-words-"));
});
afterAll(() => rm(dir, { recursive: true }));

const at = "2026-01-02T03:04:05.000000006Z";
const full = (text: string | Buffer) =>
  Buffer.concat([Buffer.from(`${at} stdout F `), Buffer.from(text), Buffer.from("\n")]);
const partial = (text: string | Buffer) =>
  Buffer.concat([Buffer.from(`${at} stdout P `), Buffer.from(text), Buffer.from("\n")]);

test.each([
  ["a last line without a line feed", [partial("DONE")], "DONE"],
  ["a whole line", [full("DONE")], "DONE\n"],
  ["a line in two entries", [full("a"), partial("b"), full("c")], "a\nbc\n"],
  ["the last 80 entries", Array.from({ length: 100 }, (_, n) => full(`${n}`)), lines(20, 100)],
  ["the last 2048 bytes", [full("x".repeat(3000)), full("end")], `${"x".repeat(2043)}\nend\n`],
  ["an entry longer than what is read at once", [partial("y".repeat(60_000))], "y".repeat(2048)],
  ["characters of several bytes", [full("ä".repeat(2000))], `\uFFFD${"ä".repeat(1023)}\n`],
  ["a character cut in two", [partial(Buffer.from("aä").subarray(0, 2)), full(Buffer.from("ä").subarray(1))], "aä\n"],
])("the end of the log as the termination message: %s", async (_, entries, want) => {
  const logPath = join(dir, "0.log");
  await writeFile(logPath, Buffer.concat(entries));
  const status = {
    annotations: { [terminationMessagePolicyAnnotation]: "FallbackToLogsOnError" },
    mounts: [],
    logPath,
    exitCode: 1,
    reason: "Error",
    message: "from the runtime",
  };
  expect(await readTerminationMessage({ ...status, message: "" })).toBe(want);
  expect(await readTerminationMessage(status)).toBe(`from the runtime: ${want}`);
  expect(await readTerminationMessage({ ...status, exitCode: 0 })).toBe("from the runtime");
  expect(await readTerminationMessage({ ...status, reason: "ContainerCannotRun" })).toBe("from the runtime");
});

test.skipIf(process.platform !== "linux").each([
  ["a FIFO", (path: string) => Promise.resolve(void execFileSync("mkfifo", [path])), "from the runtime"],
  [
    "a device",
    (path: string) => Promise.resolve(void execFileSync("mknod", [path, "c", "1", "5"])),
    "from the runtime",
  ],
  ["a link to a file of the host", (path: string) => symlink("/etc/passwd", path), "from the runtime"],
  ["a file of a terabyte", bigFile, `from the runtime: ${"\0".repeat(4093)}end`],
])("%s at the termination message path neither blocks nor misleads the agent", async (name, make, want) => {
  const hostPath = join(dir, name.replaceAll(" ", "-"));
  await make(hostPath);
  const path = "/dev/termination-log";
  const status = {
    annotations: { [terminationMessagePathAnnotation]: path },
    mounts: [{ containerPath: path, hostPath }] as unknown as ContainerStatus["mounts"],
    logPath: "",
    exitCode: 0,
    reason: "Completed",
    message: "from the runtime",
  };
  expect(await readTerminationMessage(status)).toBe(want);
});

async function bigFile(path: string): Promise<void> {
  await writeFile(path, "");
  await truncate(path, 2 ** 40);
  await writeFile(path, "end", { flag: "a" });
}

function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, n) => `${from + n}\n`).join("");
}
