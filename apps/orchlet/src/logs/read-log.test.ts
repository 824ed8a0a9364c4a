import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount, mountTmpfs, unmount } from "@orchernetes/host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LogQuery, readLog } from "./read-log.ts";
import { rotateLog } from "./rotate-logs.ts";

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-log-"));
  path = join(dir, "0.log");
});
afterEach(async () => await rm(dir, { recursive: true }));

const at = (second: number) => `2023-06-01T00:00:0${second}.000000001Z`;
const content = [
  `${at(1)} stdout F one`,
  `${at(2)} stderr P tw`,
  `${at(2)} stderr F o`,
  "not a log line",
  `${at(3)} stdout F `,
  `${at(4)} stdout F four`,
  "",
].join("\n");

async function read(query: Partial<LogQuery>, running: () => Promise<boolean> = async () => false): Promise<string> {
  const chunks: Buffer[] = [];
  await readLog(path, {
    query: { follow: false, timestamps: false, ...query },
    running,
    write: async (chunk) => void chunks.push(chunk),
    signal: new AbortController().signal,
    pollMs: 5,
  });
  return Buffer.concat(chunks).toString();
}

test.each<[string, Partial<LogQuery>, string]>([
  ["all", {}, "one\ntwo\n\nfour\n"],
  ["with times, once a line", { timestamps: true }, `${at(1)} one\n${at(2)} two\n${at(3)} \n${at(4)} four\n`],
  ["the last lines", { tailLines: 1 }, "four\n"],
  ["no lines", { tailLines: 0 }, ""],
  ["more lines than there are", { tailLines: 100 }, "one\ntwo\n\nfour\n"],
  ["since a time", { sinceMs: Date.parse("2023-06-01T00:00:03Z") }, "\nfour\n"],
  ["some bytes", { limitBytes: 5 }, "one\nt"],
])("reading a log returns %s", async (_, query, want) => {
  await writeFile(path, content);
  expect(await read(query)).toBe(want);
});

test("an entry that is being written is not one of the last lines", async () => {
  await writeFile(path, `${content}${at(5)} stdout F fi`);
  expect(await read({ tailLines: 1 })).toBe("four\n");
});

test("the last lines of a log that grows are read, and no more", async () => {
  await writeFile(path, content);
  const growing = setInterval(() => appendFileSync(path, `${at(5)} stdout F five\n`), 0);
  try {
    for (let i = 0; i < 200; i++) expect((await read({ tailLines: 1 })).split("\n")).toHaveLength(2);
  } finally {
    clearInterval(growing);
  }
});

test("a log is followed until the container has terminated, also when it is rotated", async () => {
  await writeFile(path, `${at(1)} stdout F one\n`);
  let asked = 0;
  const text = await read({ follow: true }, async () => {
    asked += 1;
    if (asked === 1) await appendFile(path, `${at(2)} stdout F two\n`);
    if (asked === 2) {
      await rename(path, `${path}.old`);
      await writeFile(path, `${at(3)} stdout F three\n`);
    }
    return asked < 3;
  });
  expect(text).toBe("one\ntwo\nthree\n");
});

test("a missing log is an error", async () => {
  await expect(read({})).rejects.toMatchObject({ code: "ENOENT" });
});

test.each([
  ["small", "x", false],
  ["large", "x".repeat(100), true],
  ["not quite full", "x".repeat(49), false],
  ["full", "x".repeat(50), true],
])("whether a %s log is rotated: %s", async (_, text, want) => {
  await writeFile(path, text);
  const reopen = async () => await writeFile(path, "");
  expect(await rotateLog(path, { maxBytes: 50, maxFiles: 3, now: new Date(0), reopen })).toBe(want);
});

test("a log that was removed is opened again", async () => {
  const reopen = async () => await writeFile(path, "new");
  expect(await rotateLog(path, { maxBytes: 50, maxFiles: 3, now: new Date(0), reopen })).toBe(false);
  expect(await readFile(path, "utf8")).toBe("new");
});

test.skipIf(process.platform !== "linux")(
  "a FIFO or a link in the place of a log is not read, rotated or packed",
  async () => {
    const rotated = { maxBytes: 0, maxFiles: 5, now: new Date(0), reopen: async () => undefined };
    execFileSync("mkfifo", [path]);
    await expect(read({})).rejects.toThrow(/it is a FIFO; want a regular file/);
    expect(await rotateLog(path, rotated)).toBe(false);
    await rm(path);
    const elsewhere = join(dir, "elsewhere");
    await writeFile(elsewhere, content);
    await symlink(elsewhere, path);
    await expect(read({})).rejects.toThrow(/it is a symbolic link; want a regular file/);
    expect(await rotateLog(path, rotated)).toBe(false);
    await rm(path);
    await writeFile(path, content);
    await symlink(elsewhere, `${path}.20260101-000000`);
    expect(await rotateLog(path, rotated)).toBe(true);
    expect(await readFile(elsewhere, "utf8")).toBe(content);
  },
);

test("logs are rotated regardless of what exists in place of a rotated log", async () => {
  await writeFile(path, content);
  await mkdir(`${path}.1/full`, { recursive: true });
  await mkdir(`${path}.2.tmp`);
  await mkdir(`${path}.3`);
  const reopen = async () => await writeFile(path, "");
  expect(await rotateLog(path, { maxBytes: 1, maxFiles: 3, now: new Date(0), reopen })).toBe(true);
  expect((await readdir(dir)).sort()).toEqual(["0.log", "0.log.19700101-000000"]);
});

test.skipIf(!(await canMount()))(
  "a full disk takes no line: a log that cannot be packed stays, and is packed later",
  async () => {
    await mountTmpfs(dir, ["size=256k"]);
    try {
      const reopen = async () => await writeFile(path, "");
      const rotate = (second: number) =>
        rotateLog(path, { maxBytes: 10, maxFiles: 5, now: new Date(second * 1000), reopen });
      await writeFile(path, randomBytes(100_000));
      await rotate(0);
      await writeFile(path, content);
      await writeFile(join(dir, "filler"), Buffer.alloc(1e6)).catch(() => undefined);
      expect(await rotate(1)).toBe(true);
      const logs = async () => (await readdir(dir)).filter((name) => name.startsWith("0.log.")).sort();
      expect(await logs()).toEqual(["0.log.19700101-000000", "0.log.19700101-000001"]);
      expect(await readFile(`${path}.19700101-000001`, "utf8")).toBe(content);
      await rm(join(dir, "filler"));
      await writeFile(path, content);
      await rotate(2);
      expect(await logs()).toEqual(["0.log.19700101-000000.gz", "0.log.19700101-000001.gz", "0.log.19700101-000002"]);
    } finally {
      await unmount(dir);
    }
  },
);

test("an endless line is skipped, and does not exhaust memory", async () => {
  await writeFile(path, `${"x".repeat(3_000_000)}\n${content}`);
  expect(await read({})).toBe("one\ntwo\n\nfour\n");
});
