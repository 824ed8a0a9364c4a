import { asRevision, openEtcdStore } from "@orchernetes/storage";
import {
  type EtcdCluster,
  etcdAvailable,
  poll,
  startApiServer,
  startEtcdCluster,
  startTcpProxy,
  type TcpProxy,
  type TestApiServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, call } from "./support.ts";
import { type Watching, watching } from "./watching.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const create = (server: TestApiServer, name: string) =>
  call(server, "POST", configMaps, { body: { metadata: { name } } });
const versionOf = ({ json }: Answer): string => String(json.metadata?.resourceVersion);

/** An outage must be told as such, with when to come again, and in bounded time. */
function expectOutage({ status, json, headers }: Answer): void {
  expect([503, 504]).toContain(status);
  expect(json).toMatchObject({ kind: "Status", status: "Failure", code: status });
  expect(json.reason).toBe(status === 503 ? "ServiceUnavailable" : "Timeout");
  expect(headers["retry-after"]).toMatch(/^\d+$/);
}

const ready = (server: TestApiServer) =>
  poll({ what: "the server to be ready", timeoutMs: 60_000, intervalMs: 100 }, async () => {
    return (await call(server, "GET", "/readyz")).status === 200;
  });

/** Repeats a create that may fail, or have happened unheard, until it is certain. */
const createSurely = (server: TestApiServer, name: string) =>
  poll({ what: `${name} to be created`, timeoutMs: 60_000, intervalMs: 200 }, async () => {
    return [201, 409].includes((await create(server, name)).status);
  });

/** Each event once, in order, and nothing lost. */
async function expectEvents(watch: Watching, last: string, wanted: readonly string[]): Promise<void> {
  await poll({ what: `the event of ${last}`, timeoutMs: 30_000, intervalMs: 20 }, () =>
    watch.events.includes(`ADDED ${last}`),
  );
  watch.close();
  expect(new Set(watch.events).size).toBe(watch.events.length);
  expect(watch.versions).toEqual([...watch.versions].sort((a, b) => a - b));
  expect(watch.events).toEqual(wanted.map((name) => `ADDED ${name}`));
}

const neverPoll = ["--etcd-count-metric-poll-period=0", "--etcd-db-metric-poll-interval=0"];
const timeouts = ["--etcd-healthcheck-timeout=1s", "--etcd-readycheck-timeout=1s"];

describe.skipIf(!etcdAvailable())("three etcd members (needs /usr/bin/etcd)", () => {
  let etcd: EtcdCluster;
  let server: TestApiServer;
  beforeAll(async () => {
    // A lost leader is noticed sooner than by default.
    etcd = await startEtcdCluster({ args: ["--heartbeat-interval=50", "--election-timeout=500"] });
    server = await startApiServer({ flags: ["--storage-backend=etcd3", `--etcd-servers=${etcd.urls}`, ...timeouts] });
  }, 180_000);
  afterAll(async () => {
    await server?.stop();
    await etcd?.stop();
  });

  // The first test of this server: it still uses the first of its members.
  test("the one in use hangs: reads are answered by another, and the watch continues there", async () => {
    const watch = watching(
      server,
      `${configMaps}?watch=1&resourceVersion=${versionOf(await create(server, "hang-0"))}`,
    );
    await createSurely(server, "hang-1");
    const [member] = etcd.members;
    member?.pause();
    expect((await call(server, "GET", `${configMaps}/hang-1`)).status).toBe(200);
    for (const name of ["hang-2", "hang-3"]) await createSurely(server, name);
    await poll({ what: "the watch to go on", timeoutMs: 30_000 }, () => watch.events.includes("ADDED hang-3"));
    member?.resume();
    await createSurely(server, "hang-4");
    await expectEvents(watch, "hang-4", ["hang-1", "hang-2", "hang-3", "hang-4"]);
  }, 120_000);

  test("one of them dies: everything continues with the others", async () => {
    const watch = watching(server, `${configMaps}?watch=1&resourceVersion=${versionOf(await create(server, "one-0"))}`);
    const [member] = etcd.members;
    await member?.kill9();
    await createSurely(server, "one-1");
    await createSurely(server, "one-2");
    await ready(server);
    await expectEvents(watch, "one-2", ["one-1", "one-2"]);
    await member?.start();
  }, 120_000);

  test("quorum is lost: what needs it fails clearly, the rest continues, and everything recovers afterwards", async () => {
    await ready(server);
    const watch = watching(
      server,
      `${configMaps}?watch=1&resourceVersion=${versionOf(await create(server, "quorum-0"))}`,
    );
    await create(server, "quorum-1");
    // Reads at resourceVersion 0 are answered from the watch cache, which has it now.
    await poll({ what: "the event of quorum-1", timeoutMs: 20_000 }, () => watch.events.includes("ADDED quorum-1"));
    await Promise.all(etcd.members.slice(1).map((member) => member.kill9()));
    // Reads may still be answered until the leader knows that it is none.
    const [write, read, list, readyz] = await Promise.all([
      create(server, "quorum-2"),
      poll({ what: "reads to fail", timeoutMs: 60_000, intervalMs: 50 }, async () => {
        const answer = await call(server, "GET", `${configMaps}/quorum-0`);
        return answer.status !== 200 && answer;
      }),
      poll({ what: "lists to fail", timeoutMs: 60_000, intervalMs: 50 }, async () => {
        const answer = await call(server, "GET", configMaps);
        return answer.status !== 200 && answer;
      }),
      poll({ what: "readyz to fail", timeoutMs: 60_000, intervalMs: 50 }, async () => {
        const answer = await call(server, "GET", "/readyz?verbose");
        return answer.status !== 200 && answer;
      }),
    ]);
    for (const answer of [write, read, list]) expectOutage(answer);
    expect(readyz.text).toContain("[-]etcd failed");
    expect((await call(server, "GET", `${configMaps}/quorum-0?resourceVersion=0`)).status).toBe(200);
    const known = await call(server, "GET", `${configMaps}?resourceVersion=0`);
    expect(known.text).toContain('"quorum-1"');
    const fresh = watching(server, `${configMaps}?watch=1&resourceVersion=0`);
    await poll({ what: "a new watch to begin", timeoutMs: 20_000 }, () => fresh.events.includes("ADDED quorum-1"));
    expect([watch.ended, fresh.ended]).toEqual([false, false]);
    fresh.close();
    await Promise.all(etcd.members.map((member) => member.start()));
    await ready(server);
    await createSurely(server, "quorum-2");
    await createSurely(server, "quorum-3");
    await expectEvents(watch, "quorum-3", ["quorum-1", "quorum-2", "quorum-3"]);
  }, 180_000);
});

describe.skipIf(!etcdAvailable())("a network between server and etcd that fails (needs /usr/bin/etcd)", () => {
  let etcd: EtcdCluster;
  let proxy: TcpProxy;
  let server: TestApiServer;
  beforeAll(async () => {
    etcd = await startEtcdCluster({ members: 1 });
    proxy = await startTcpProxy(etcd.members[0]?.port ?? 0);
    const url = `http://127.0.0.1:${proxy.port}`;
    server = await startApiServer({
      flags: ["--storage-backend=etcd3", `--etcd-servers=${url}`, ...timeouts, ...neverPoll],
    });
  }, 180_000);
  afterAll(async () => {
    await server?.stop();
    await proxy?.stop();
    await etcd?.stop();
  });

  test("slow: requests take longer, and nothing else happens", async () => {
    const watch = watching(
      server,
      `${configMaps}?watch=1&resourceVersion=${versionOf(await create(server, "slow-0"))}`,
    );
    proxy.delay(200);
    const began = performance.now();
    expect((await create(server, "slow-1")).status).toBe(201);
    expect(performance.now() - began).toBeGreaterThan(390);
    expect((await call(server, "GET", `${configMaps}/slow-1`)).status).toBe(200);
    proxy.heal();
    await createSurely(server, "slow-2");
    await expectEvents(watch, "slow-2", ["slow-1", "slow-2"]);
  }, 60_000);

  test("connections break: the next ones do", async () => {
    const watch = watching(server, `${configMaps}?watch=1&resourceVersion=${versionOf(await create(server, "cut-0"))}`);
    const names = Array.from({ length: 20 }, (_, i) => `cut-${i + 1}`);
    for (const name of names) {
      if (name.endsWith("5")) proxy.cut();
      await createSurely(server, name);
    }
    await expectEvents(watch, "cut-20", names);
  }, 120_000);

  test("half-open: silence is detected, reported as an outage, and the watch continues over a new connection", async () => {
    const watch = watching(
      server,
      `${configMaps}?watch=1&resourceVersion=${versionOf(await create(server, "hole-0"))}`,
    );
    proxy.blackhole();
    const [write, read, readyz] = await Promise.all([
      create(server, "hole-1"),
      call(server, "GET", `${configMaps}/hole-0`),
      call(server, "GET", "/readyz?verbose"),
    ]);
    for (const answer of [write, read]) expectOutage(answer);
    expect(readyz.status).toBe(500);
    expect(readyz.text).toContain("[-]etcd failed");
    expect((await call(server, "GET", `${configMaps}/hole-0?resourceVersion=0`)).status).toBe(200);
    // Someone else writes meanwhile.
    const other = await openEtcdStore({ servers: etcd.urls });
    const value = Buffer.from(
      JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "hole-2", namespace: "default" } }),
    );
    await other.commit([], [{ type: "put", key: "/registry/configmaps/default/hole-2", value }]);
    await other.close();
    // The old connections stay silent for good; nobody tells the server that the network is back.
    proxy.heal();
    await ready(server);
    await createSurely(server, "hole-3");
    await poll({ what: "the watch to go on", timeoutMs: 30_000 }, () => watch.events.includes("ADDED hole-3"));
    // Whether the unanswered write happened is not known; if it did, it is seen once as well.
    const wanted = watch.events.includes("ADDED hole-1") ? ["hole-1", "hole-2", "hole-3"] : ["hole-2", "hole-3"];
    await expectEvents(watch, "hole-3", wanted);
  }, 120_000);

  test("compacted under a paged list: 410 with a token that continues at the current revision", async () => {
    const start = Number(versionOf(await call(server, "GET", configMaps)));
    for (let i = 0; i < 6; i++) await createSurely(server, `page-${i}`);
    const only = `${configMaps}?limit=2`;
    const first = await call(server, "GET", only);
    const total = 2 + Number(first.json.metadata?.remainingItemCount);
    const names: string[] = [];
    const add = ({ json }: Answer) => {
      for (const { metadata } of json.items as unknown as readonly { readonly metadata: { readonly name: string } }[])
        names.push(metadata.name);
    };
    add(first);
    await createSurely(server, "zz-late");
    const store = await openEtcdStore({ servers: etcd.urls });
    await store.compact(asRevision(await store.revision()));
    await store.close();
    const gone = await call(server, "GET", `${only}&continue=${first.json.metadata?.continue}`);
    expect(gone.json).toMatchObject({ kind: "Status", code: 410, reason: "Expired" });
    expect(gone.json.message).toContain("inconsistent list");
    for (let token = String(gone.json.metadata?.continue); token !== "undefined"; ) {
      const page = await call(server, "GET", `${only}&continue=${token}`);
      expect(page.status).toBe(200);
      add(page);
      token = String(page.json.metadata?.continue);
    }
    // All that the first page promised, and what was made meanwhile behind it; nothing twice.
    expect(names.length).toBe(total + 1);
    expect(new Set(names).size).toBe(names.length);
    expect(names.at(-1)).toBe("zz-late");
    const past = await call(server, "GET", `${configMaps}?resourceVersion=${start}&resourceVersionMatch=Exact`);
    expect(past.json).toMatchObject({ code: 410, reason: "Expired" });
  }, 60_000);

  test("poll periods of 0: nothing is counted or measured, and etcd is not asked", async () => {
    const { text } = await call(server, "GET", "/metrics");
    expect(text).toContain("etcd_request_duration_seconds_count{");
    expect(text).not.toMatch(/^(apiserver_storage_objects|\w+_db_total_size_in_bytes)\{/m);
    const asked = await (await fetch(`${etcd.urls[0]}/metrics`)).text();
    expect(asked).toMatch(/^grpc_server_started_total\{grpc_method="Txn",.*\} [1-9]/m);
    expect(asked).not.toMatch(/^grpc_server_started_total\{grpc_method="Status",.*\} [1-9]/m);
  });
});
