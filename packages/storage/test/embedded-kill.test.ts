import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEmbeddedStore } from "../src/index.ts";

let path: string;
beforeAll(() => {
  path = mkdtempSync(join(tmpdir(), "embedded-kill-"));
});
afterAll(() => rmSync(path, { recursive: true, force: true }));

/** Lets a writer run until it was killed after `ms`; gives what it had been told is stored. */
async function killedAfter(ms: number): Promise<Map<string, { revision: number; length: number }>> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "embedded-writer.ts"), path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (output === "") setTimeout(() => child.kill("SIGKILL"), ms);
    output += text;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const acknowledged = new Map<string, { revision: number; length: number }>();
  // A line without its end was cut by the kill.
  for (const line of output.split("\n").slice(0, -1)) {
    const [revision, name = "", length] = line.split(" ");
    acknowledged.set(name, { revision: Number(revision), length: Number(length) });
  }
  return acknowledged;
}

test("kill -9 of a writer loses no acknowledged commit and leaves none half applied", async () => {
  for (const ms of [20, 120, 250]) {
    const acknowledged = await killedAfter(ms);
    expect(acknowledged.size).toBeGreaterThan(0);
    const store = await openEmbeddedStore({ path });
    const left = await store.list("/registry/left/");
    const right = await store.list("/registry/right/");
    const valuesOf = (page: typeof left) => page.items.map((item) => [item.modRevision, String(item.value)]);
    expect(valuesOf(right)).toEqual(valuesOf(left));
    const stored = new Map(left.items.map((item) => [item.key.slice("/registry/left/".length), item]));
    for (const [name, { revision, length }] of acknowledged) {
      const item = stored.get(name);
      expect(item?.modRevision).toBeGreaterThanOrEqual(revision);
      if (item?.modRevision === revision) expect(item.value).toHaveLength(length);
    }
    const last = Math.max(...left.items.map((item) => item.modRevision));
    expect(await store.revision()).toBe(last);
    await store.close();
  }
}, 20_000);
