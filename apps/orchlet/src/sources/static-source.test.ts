import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { followAddress, followManifests } from "./static-source.ts";

let dir: string;
let stop: AbortController;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-static-"));
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  rmSync(dir, { recursive: true, force: true });
});

const manifest = (name: string, metadata = {}) =>
  JSON.stringify({
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, ...metadata },
    spec: { containers: [{ name: "c", image: "i" }] },
  });

/** Names of the pods that were reported first, none when there are none soon after an error; and the errors until then. */
async function first(follow: (options: Parameters<typeof followManifests>[1]) => Promise<void>) {
  const errors: string[] = [];
  const pods = Promise.withResolvers<readonly core.Pod[]>();
  const logger = {
    ...silentLogger,
    error(error: unknown) {
      if (errors.push(String(error)) === 1) setTimeout(() => pods.resolve([]), 500);
    },
  } as Logger;
  const common = { nodeName: "n", periodMs: 20, clock: systemClock, logger, signal: stop.signal };
  void follow({ ...common, onPods: pods.resolve });
  const found = await pods.promise;
  return { names: found.map(({ metadata }) => metadata.name), errors };
}

test("manifests and links to them are read; invalid, too large or duplicate ones do not affect the others", async () => {
  mkdirSync(join(dir, "m"));
  const file = (name: string) => join(dir, "m", name);
  writeFileSync(file("a.json"), manifest("a"));
  writeFileSync(file("b.json"), manifest("../b"));
  writeFileSync(join(dir, "c.json"), manifest("c"));
  symlinkSync(join(dir, "c.json"), file("c.json"));
  writeFileSync(file("d.json"), manifest("d"));
  truncateSync(file("d.json"), 2 ** 30);
  writeFileSync(file("e.json"), manifest("a", { labels: { second: "yes" } }));
  writeFileSync(file("f.json"), manifest("f", { uid: "same" }));
  writeFileSync(file("g.json"), manifest("g", { uid: "same" }));
  const { names, errors } = await first((options) => followManifests(join(dir, "m"), options));
  expect(names).toEqual(["a-n", "c-n", "f-n"]);
  expect(errors.slice(0, 4).join("\n")).toMatch(
    /d\.json is longer than 10485760 bytes[\s\S]*"\.\.\/b" is invalid[\s\S]*the name "default\/a-n"; want it once[\s\S]*the uid "same"; want it once/,
  );
});

test("an unchanged manifest is not parsed again", async () => {
  const lists: (readonly core.Pod[])[] = [];
  writeFileSync(join(dir, "a.json"), manifest("a"));
  const common = { nodeName: "n", periodMs: 20, clock: systemClock, logger: silentLogger, signal: stop.signal };
  void followManifests(dir, { ...common, onPods: (pods) => void lists.push(pods) });
  await expect.poll(() => lists.length).toBe(1);
  writeFileSync(join(dir, "b.json"), manifest("b"));
  await expect.poll(() => lists.at(-1)?.length).toBe(2);
  expect(lists.at(-1)?.[0]).toBe(lists[0]?.[0]);
});

test("an endless response is read only up to a limit", async () => {
  const block = Buffer.alloc(1024 * 1024, "#");
  let sent = 0;
  const server = createServer((_, response) => {
    const more = () => {
      sent += 1;
      if (sent < 200 && !response.destroyed) response.write(block, more);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { names, errors } = await first((options) => followAddress(`http://127.0.0.1:${port}/`, {}, options));
    expect(names).toEqual([]);
    expect(errors[0]).toMatch(/is longer than 10485760 bytes/);
  } finally {
    stop.abort();
    server.closeAllConnections();
    server.close();
  }
});
