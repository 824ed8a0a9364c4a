import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UpstreamAddress } from "@orchernetes/dns";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { followUpstreams, readUpstreams } from "./host-resolvers.ts";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "host-resolvers-"));
});
afterAll(() => rm(dir, { recursive: true }));

test("the first three servers of the file are used, unless others are given", async () => {
  const resolverFile = join(dir, "three");
  await writeFile(
    resolverFile,
    "nameserver 192.0.2.1\nnameserver x\nnameserver fd00::1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\n",
  );
  expect(await readUpstreams({ upstreams: [], resolverFile })).toEqual([
    { address: "192.0.2.1", port: 53 },
    { address: "fd00::1", port: 53 },
    { address: "192.0.2.2", port: 53 },
  ]);
  expect(await readUpstreams({ upstreams: ["192.0.2.9", "[fd00::1]:5353"], resolverFile })).toEqual([
    { address: "192.0.2.9", port: 53 },
    { address: "fd00::1", port: 5353 },
  ]);
  expect(await readUpstreams({ upstreams: [], resolverFile: join(dir, "none") })).toEqual([]);
});

test("a change of the file is noticed", async () => {
  const resolverFile = join(dir, "changing");
  await writeFile(resolverFile, "nameserver 192.0.2.1\n");
  const settings = { upstreams: [], resolverFile };
  const clock = new FakeClock();
  const stop = new AbortController();
  const seen: (readonly UpstreamAddress[])[] = [];
  const initial = await readUpstreams(settings);
  const changed = (upstreams: readonly UpstreamAddress[]) => void seen.push(upstreams);
  const ended = followUpstreams(settings, initial, { changed, clock, logger: silentLogger, signal: stop.signal });
  await clock.advanceAsync(10_000);
  await writeFile(resolverFile, "nameserver 192.0.2.2\n");
  await vi.waitFor(async () => {
    await clock.advanceAsync(10_000);
    expect(seen).toEqual([[{ address: "192.0.2.2", port: 53 }]]);
  });
  stop.abort();
  await ended;
});
