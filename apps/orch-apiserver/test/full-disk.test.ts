import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asRevision, openEtcdStore } from "@orchernetes/storage";
import {
  etcdAvailable,
  poll,
  type RunningEtcd,
  startApiServer,
  startEtcd,
  type TestApiServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, call } from "./support.ts";
import { watching } from "./watching.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const value = "x".repeat(100_000);
const create = (server: TestApiServer, name: string, data = value) =>
  call(server, "POST", configMaps, { body: { metadata: { name }, data: { value: data } } });
const versionOf = ({ json }: Answer): string => String(json.metadata?.resourceVersion);

/** Creates objects until that is refused. */
async function fill(server: TestApiServer): Promise<{ readonly names: readonly string[]; readonly refused: Answer }> {
  const names: string[] = [];
  for (let i = 0; i < 500; i++) {
    const name = `big-${String(i).padStart(3, "0")}`;
    const answer = await create(server, name);
    if (answer.status !== 201) return { names, refused: answer };
    names.push(name);
  }
  throw new Error("500 objects found room");
}

/** Nothing to retry: somebody has to do something, and is told what. */
function expectFull({ status, json }: Answer, ...texts: readonly string[]): void {
  expect(status).toBe(500);
  expect(json).toMatchObject({ kind: "Status", status: "Failure", code: 500, reason: "InternalError" });
  for (const text of texts) expect(json.message).toContain(text);
}

async function expectNotReady(server: TestApiServer, ...texts: readonly string[]): Promise<void> {
  const all = await call(server, "GET", "/readyz");
  expect([all.status, all.text]).toEqual([500, expect.stringContaining("[-]etcd-readiness failed")]);
  const one = await call(server, "GET", "/readyz/etcd-readiness");
  expect(one.status).toBe(500);
  for (const text of texts) expect(one.text).toContain(text);
  // Right after a start, reads are served before the last post-start hook has passed.
  await poll({ what: "the server to be alive", timeoutMs: 30_000 }, async () => {
    return (await call(server, "GET", "/livez")).status === 200;
  });
}

async function names(server: TestApiServer, query = ""): Promise<readonly string[]> {
  const { json } = await call(server, "GET", `${configMaps}${query}`);
  const items = json.items as unknown as readonly { readonly metadata: { readonly name: string } }[];
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("big-"));
}

const ready = (server: TestApiServer) =>
  poll({ what: "the server to be ready", timeoutMs: 60_000, intervalMs: 50 }, async () => {
    return (await call(server, "GET", "/readyz")).status === 200;
  });

describe.skipIf(!etcdAvailable())("an etcd whose quota is used up (needs /usr/bin/etcd)", () => {
  let etcd: RunningEtcd;
  let server: TestApiServer;
  beforeAll(async () => {
    etcd = await startEtcd({ unsafeNoFsync: true, args: ["--quota-backend-bytes", "3000000"] });
    server = await startApiServer({ flags: ["--storage-backend=etcd3", `--etcd-servers=${etcd.url}`] });
  }, 180_000);
  afterAll(async () => {
    await server?.stop();
    await etcd?.stop();
  });

  const maintain = async (path: string, body: object): Promise<{ readonly alarms?: readonly object[] }> => {
    const answer = await fetch(`${etcd.url}/v3/maintenance/${path}`, { method: "POST", body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { readonly alarms?: readonly object[] };
  };

  test("writes and readyz say what to do, deletes and reads go on, and the server needs no restart after", async () => {
    const { names: stored, refused } = await fill(server);
    const watch = watching(
      server,
      `${configMaps}?watch=1&resourceVersion=${versionOf(await call(server, "GET", configMaps))}`,
    );
    const todo = ["NOSPACE", "compact", "defrag", "disarm"];
    expectFull(refused, ...todo);
    expect(refused.json.message).not.toContain("embedded");
    const update = await call(server, "PATCH", `${configMaps}/big-000`, {
      body: { data: { value: "y" } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    expectFull(update, ...todo);
    await expectNotReady(server, ...todo);
    // etcd rejects the write that uses the quota up, but may have applied it.
    const crossing = `big-${String(stored.length).padStart(3, "0")}`;
    expect([stored, [...stored, crossing]]).toContainEqual(await names(server));
    // As much as the server's own writes may need meanwhile, too.
    const deleted = stored.slice(1, 6);
    for (const name of deleted) expect((await call(server, "DELETE", `${configMaps}/${name}`)).status).toBe(200);
    expect((await call(server, "GET", `${configMaps}/big-001`)).status).toBe(404);
    // As etcdctl does it.
    const store = await openEtcdStore({ servers: [etcd.url] });
    await store.compact(asRevision(await store.revision()));
    await store.close();
    expectFull(await create(server, "big-too-early"), ...todo);
    await maintain("defragment", {});
    const { alarms = [] } = await maintain("alarm", { action: "GET" });
    for (const alarm of alarms) await maintain("alarm", { ...alarm, action: "DEACTIVATE" });
    await ready(server);
    const { status, json } = await create(server, "big-after", "small");
    expect([status, json.message]).toEqual([201, undefined]);
    await poll({ what: "the events", timeoutMs: 20_000 }, () => watch.events.includes("ADDED big-after"));
    watch.close();
    expect(watch.events).toEqual([...deleted.map((name) => `DELETED ${name}`), "ADDED big-after"]);
  }, 120_000);
});

const mountDisk = (path: string) =>
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", path], { stdio: "ignore" });

/** Whether file systems can be mounted here; leaves nothing behind, as tests may be left out for other reasons, too. */
function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), "full-disk-"));
  try {
    mountDisk(path);
    execFileSync("umount", [path]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { recursive: true });
  }
}

describe.skipIf(!canMount())("an embedded store on a disk that is full (needs mount)", () => {
  let disk: string;
  let ballasts: readonly string[];
  let server: TestApiServer;
  beforeAll(async () => {
    disk = mkdtempSync(join(tmpdir(), "full-disk-"));
    mountDisk(disk);
    ballasts = ["a", "b"].map((name) => join(disk, name));
    for (const ballast of ballasts) writeFileSync(ballast, Buffer.alloc(5 << 20));
    server = await startApiServer({ flags: [`--embedded-store-path=${join(disk, "store")}`] });
  }, 180_000);
  afterAll(async () => {
    await server?.stop();
    execFileSync("umount", [disk]);
    rmSync(disk, { recursive: true });
  });

  test("writes and readyz say so, reads go on, and space that becomes free is used without a restart", async () => {
    const { names: stored, refused } = await fill(server);
    expectFull(refused, disk, "free space on it");
    expect(refused.json.message).not.toContain("NOSPACE");
    await expectNotReady(server, disk, "free space on it");
    expect(await names(server)).toEqual(stored);
    const watch = watching(
      server,
      `${configMaps}?watch=1&resourceVersion=${versionOf(await call(server, "GET", configMaps))}`,
    );
    rmSync(ballasts[0] ?? "");
    await ready(server);
    expect((await create(server, "big-after")).status).toBe(201);
    await poll({ what: "the event", timeoutMs: 20_000 }, () => watch.events.length > 0);
    watch.close();
    expect(watch.events).toEqual(["ADDED big-after"]);
  }, 120_000);

  test("kill -9 while it is full loses nothing that was acknowledged, and reads are served before space is free", async () => {
    const acknowledged = new Set(await names(server));
    // Many at a time, so that some are on their way when the disk is full, and when the process is killed.
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const name = `big-${writer}-${i}`;
        const answer = await create(server, name).catch(() => undefined);
        if (answer === undefined) return;
        if (answer.status === 201) acknowledged.add(name);
      }
    });
    // Another name each time: one that still found room would only exist from then on.
    let tries = 0;
    await poll({ what: "the disk to be full", timeoutMs: 60_000, intervalMs: 20 }, async () => {
      return (await create(server, `big-refused-${tries++}`)).status === 500;
    });
    await server.kill9();
    await Promise.all(writers);
    const restarted = server.restart();
    const left = await poll({ what: "reads to be served", timeoutMs: 60_000 }, async () => {
      return (await call(server, "GET", configMaps)).status === 200 && new Set(await names(server));
    });
    expect([...acknowledged].filter((name) => !left.has(name))).toEqual([]);
    await expectNotReady(server, disk, "free space on it");
    rmSync(ballasts[1] ?? "");
    await restarted;
    expect((await create(server, "big-at-last")).status).toBe(201);
  }, 180_000);
});
