import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEtcdStore, type Store } from "@orchernetes/storage";
import {
  type EtcdCluster,
  type EtcdTls,
  etcdAvailable,
  poll,
  startApiServer,
  startEtcdCluster,
  type TestApiServer,
} from "@orchernetes/testkit";
import { createCertificateAuthority, issueCertificate, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "./support.ts";
import { watching } from "./watching.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const events = "/api/v1/namespaces/default/events";

/** An authority with a pair for etcd and one for its clients, as files. */
async function tlsFiles(dir: string): Promise<EtcdTls> {
  const ca = await createCertificateAuthority({ commonName: "etcd-ca" });
  const server = await issueCertificate(ca, {
    commonName: "etcd",
    hosts: ["127.0.0.1"],
    // etcd is a client of its own, too.
    usages: ["digital signature", "key encipherment", "server auth", "client auth"],
  });
  const client = await issueClientCertificate(ca, { commonName: "apiserver" });
  const file = (name: string, pem: string) => {
    writeFileSync(join(dir, name), pem, { mode: 0o600 });
    return join(dir, name);
  };
  return {
    caFile: file("ca.crt", ca.certPem),
    certFile: file("server.crt", server.certPem),
    keyFile: file("server.key", server.keyPem),
    clientCertFile: file("client.crt", client.certPem),
    clientKeyFile: file("client.key", client.keyPem),
  };
}

describe.skipIf(!etcdAvailable())("the options of etcd (needs /usr/bin/etcd)", () => {
  let dir: string;
  let tls: EtcdTls;
  let main: EtcdCluster;
  let other: EtcdCluster;
  let server: TestApiServer;
  let mainStore: Store;
  let otherStore: Store;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "etcd-options-"));
    tls = await tlsFiles(dir);
    [main, other] = await Promise.all([
      startEtcdCluster({ members: 1, tls }),
      startEtcdCluster({ members: 1, args: ["--max-request-bytes", "2097152"] }),
    ]);
    const files = { caFile: tls.caFile, certFile: tls.clientCertFile, keyFile: tls.clientKeyFile };
    [mainStore, otherStore] = await Promise.all([
      openEtcdStore({ servers: main.urls, ...files }),
      openEtcdStore({ servers: other.urls }),
    ]);
    server = await startApiServer({
      flags: [
        "--storage-backend=etcd3",
        `--etcd-servers=${main.urls}`,
        `--etcd-servers-overrides=/events#${other.urls},coordination.o8s.io/leases#${other.urls}`,
        "--etcd-prefix=/cluster-a",
        `--etcd-cafile=${tls.caFile}`,
        `--etcd-certfile=${tls.clientCertFile}`,
        `--etcd-keyfile=${tls.clientKeyFile}`,
        "--etcd-count-metric-poll-period=200ms",
        "--etcd-db-metric-poll-interval=200ms",
        "--etcd-healthcheck-timeout=300ms",
        "--etcd-readycheck-timeout=3s",
        "--event-ttl=1h",
        "--lease-reuse-duration-seconds=2",
      ],
    });
  }, 130_000);
  afterAll(async () => {
    await server?.stop();
    await Promise.all([mainStore?.close(), otherStore?.close()]);
    await Promise.all([main?.stop(), other?.stop()]);
    await rm(dir, { recursive: true, force: true });
  });

  const event = (name: string) => ({
    metadata: { name },
    involvedObject: { kind: "Pod", namespace: "default", name: "p" },
    reason: "Test",
    type: "Normal",
  });
  const metric = async (name: string): Promise<number> => {
    const { text } = await call(server, "GET", "/metrics");
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.split(" ")
        .at(-1),
    );
  };
  const leases = async (): Promise<number> => {
    const answer = await fetch(`${other.urls[0]}/v3/lease/leases`, { method: "POST", body: "{}" });
    return ((await answer.json()) as { leases?: unknown[] }).leases?.length ?? 0;
  };

  test("objects are in the store that has their resource, under the prefix", async () => {
    const start = await call(server, "GET", events);
    const watch = watching(server, `${events}?watch=1&resourceVersion=${start.json.metadata?.resourceVersion}`);
    expect((await call(server, "POST", events, { body: event("e1") })).status).toBe(201);
    expect((await call(server, "POST", configMaps, { body: { metadata: { name: "c1" } } })).status).toBe(201);
    const keys = async (store: Store, prefix: string) => (await store.list(prefix)).items.map(({ key }) => key);
    expect(await keys(otherStore, "/cluster-a/events/")).toEqual(["/cluster-a/events/default/e1"]);
    expect(await keys(mainStore, "/cluster-a/events/")).toEqual([]);
    expect(await keys(mainStore, "/cluster-a/configmaps/default/")).toEqual(["/cluster-a/configmaps/default/c1"]);
    expect(await keys(otherStore, "/cluster-a/configmaps/")).toEqual([]);
    expect(await keys(mainStore, "/registry/")).toEqual([]);
    const listed = await call(server, "GET", events);
    expect(listed.json.items).toMatchObject([{ metadata: { name: "e1" } }]);
    expect((await call(server, "DELETE", `${events}/e1`)).status).toBe(200);
    await poll({ what: "the events", timeoutMs: 20_000, intervalMs: 20 }, () => watch.events.length >= 2);
    watch.close();
    expect(watch.events).toEqual(["ADDED e1", "DELETED e1"]);
  });

  test("counts are per resource, sizes per store", async () => {
    await call(server, "POST", events, { body: event("counted") });
    await poll({ what: "the count", timeoutMs: 20_000 }, async () => {
      return (await metric('apiserver_storage_objects{resource="events"}')) === 1;
    });
    for (const url of [...main.urls, ...other.urls])
      expect(await metric(`apiserver_storage_db_total_size_in_bytes{endpoint="${url}"}`)).toBeGreaterThan(10_000);
  });

  test("events share a lease for as long as --lease-reuse-duration-seconds says", async () => {
    const before = await leases();
    const make = (name: string) => call(server, "POST", events, { body: event(name) });
    await new Promise((resolve) => setTimeout(resolve, 2100));
    const began = performance.now();
    for (let i = 0; i < 10; i++) expect((await make(`l${i}`)).status).toBe(201);
    const shared = (await leases()) - before;
    expect(shared).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 2000));
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await make("late");
    expect((await leases()) - before).toBeGreaterThan(shared);
  });

  test("each store has checks of its own, each with its time", async () => {
    const healthy = await call(server, "GET", "/readyz?verbose");
    for (const name of ["etcd", "etcd-override-events", "etcd-readiness", "etcd-readiness-override-events"])
      expect(healthy.text).toContain(`[+]${name} ok`);
    other.members[0]?.pause();
    try {
      const timed = async (path: string) => {
        const began = performance.now();
        return { ...(await call(server, "GET", path)), ms: performance.now() - began };
      };
      const [livez, readyz] = await Promise.all([timed("/livez"), timed("/readyz")]);
      for (const { status, text } of [livez, readyz]) {
        expect(status).toBe(500);
        expect(text).toContain("[-]etcd-override-events failed");
        expect(text).toContain("[+]etcd ok");
      }
      expect(readyz.text).toContain("[-]etcd-readiness-override-events failed");
      expect(readyz.ms).toBeGreaterThan(2900);
      expect(livez.ms).toBeLessThan(readyz.ms);
      // What the other store has is as available as ever.
      expect((await call(server, "GET", `${configMaps}/c1`)).status).toBe(200);
    } finally {
      other.members[0]?.resume();
    }
    await poll({ what: "the server to be ready", timeoutMs: 30_000 }, async () => {
      return (await call(server, "GET", "/readyz")).status === 200;
    });
  });
});
