import { join } from "node:path";
import {
  etcdAvailable,
  poll,
  type RunningDaemon,
  type RunningEtcd,
  startApiServer,
  startDaemon,
  startEtcd,
  type TestApiServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "./support.ts";
import { watching } from "./watching.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const compactionMs = 500;
const endpoints = "/api/v1/namespaces/default/endpoints/orchernetes";

describe.skipIf(!etcdAvailable())("two servers on one port and one etcd (needs /usr/bin/etcd)", () => {
  let etcd: RunningEtcd;
  let first: TestApiServer;
  let second: RunningDaemon | undefined;
  beforeAll(async () => {
    etcd = await startEtcd({ unsafeNoFsync: true });
    const shared = [
      "--permit-port-sharing",
      "--permit-address-sharing",
      "--storage-backend=etcd3",
      `--etcd-compaction-interval=${compactionMs}ms`,
    ];
    const store = `--etcd-servers=${etcd.url}`;
    first = await startApiServer({ flags: [...shared, store, "--advertise-address=10.1.1.1"] });
    second = await startDaemon({
      name: "orch-apiserver",
      dir: join(first.dir),
      flags: [
        ...shared,
        store,
        "--bind-address=127.0.0.1",
        `--secure-port=${first.port}`,
        "--advertise-address=10.1.1.2",
        `--cert-dir=${join(first.dir, "certs")}`,
        `--token-auth-file=${join(first.dir, "tokens.csv")}`,
        "--authorization-mode=AlwaysAllow",
      ],
    });
  }, 130_000);
  afterAll(async () => {
    await second?.stop();
    await first?.stop();
    await etcd?.stop();
  });

  /** The start times of the processes that answered; each request has a connection of its own. */
  const answering = async (requests: number): Promise<ReadonlySet<string>> => {
    const texts = await Promise.all(Array.from({ length: requests }, () => call(first, "GET", "/metrics")));
    return new Set(texts.map(({ text }) => /^process_start_time_seconds (\S+)/m.exec(text)?.[1] ?? "none"));
  };
  const addresses = async (): Promise<readonly string[]> => {
    const { json } = await call(first, "GET", endpoints);
    const subsets = json.subsets as unknown as readonly { readonly addresses: readonly { readonly ip: string }[] }[];
    return subsets.flatMap((subset) => subset.addresses.map(({ ip }) => ip));
  };

  test("both answer, see each other's writes, and are among the endpoints", async () => {
    const both = await poll({ what: "both to answer", timeoutMs: 90_000, intervalMs: 200 }, async () => {
      const seen = await answering(8);
      return seen.size === 2 && seen;
    });
    expect(both).not.toContain("none");
    await poll({ what: "both to be ready", timeoutMs: 60_000 }, async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => call(first, "GET", "/readyz")));
      return answers.every(({ status }) => status === 200);
    });
    const start = await call(first, "GET", configMaps);
    const version = start.json.metadata?.resourceVersion;
    // On connections of their own, so some at each of the servers.
    const watches = Array.from({ length: 8 }, () =>
      watching(first, `${configMaps}?watch=1&resourceVersion=${version}`),
    );
    const names = Array.from({ length: 20 }, (_, i) => `c${String(i).padStart(2, "0")}`);
    for (const name of names) {
      expect((await call(first, "POST", configMaps, { body: { metadata: { name } } })).status).toBe(201);
      // Perhaps at the other server: what one has acknowledged all must show.
      expect((await call(first, "GET", `${configMaps}/${name}`)).status).toBe(200);
    }
    for (const watch of watches) {
      await poll({ what: "all events", timeoutMs: 20_000 }, () => watch.events.length >= 20);
      watch.close();
      expect(watch.events).toEqual(names.map((name) => `ADDED ${name}`));
    }
    expect(await addresses()).toEqual(["10.1.1.1", "10.1.1.2"]);
  }, 160_000);

  test("a cluster IP or node port that both are asked for at the same time goes to one service", async () => {
    for (let round = 0; round < 10; round++) {
      const body = (i: number) => ({
        metadata: { name: `s${round}-${i}` },
        spec: { type: "NodePort", clusterIP: `10.0.0.${10 + round}`, ports: [{ port: 80, nodePort: 30100 + round }] },
      });
      // On connections of their own, so mostly some at each of the servers.
      const answers = await Promise.all(
        [0, 1, 2, 3].map((i) => call(first, "POST", "/api/v1/namespaces/default/services", { body: body(i) })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
    }
    const created = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        call(first, "POST", "/api/v1/namespaces/default/services", {
          body: { metadata: { name: `n${i}` }, spec: { type: "NodePort", ports: [{ port: 80 }] } },
        }),
      ),
    );
    const specs = created.map(
      ({ json }) => json.spec as unknown as { clusterIP: string; ports: { nodePort: number }[] },
    );
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(40);
    expect(new Set(specs.map(({ ports }) => ports[0]?.nodePort)).size).toBe(40);
  }, 60_000);

  test("one of them compacts, once per interval", async () => {
    const compactions = async (): Promise<number> => {
      const text = await (await fetch(`${etcd.url}/metrics`)).text();
      return Number(/^etcd_debugging_mvcc_db_compaction_total_duration_milliseconds_count (\d+)/m.exec(text)?.[1]);
    };
    const began = performance.now();
    const before = await compactions();
    // Each turn of a server is a write, so there is always something new to compact.
    const after = await poll({ what: "fourteen compactions", timeoutMs: 60_000, intervalMs: 50 }, async () => {
      const count = await compactions();
      return count >= before + 14 && count;
    });
    // Two servers that both compact would come to twice the intervals; the rest is for what etcd had put off.
    const intervals = (performance.now() - began) / compactionMs;
    expect(after - before).toBeLessThanOrEqual(1.4 * intervals + 2);
  }, 90_000);

  test("one stops: it leaves the endpoints at once, and no answer fails", async () => {
    const stopped = second?.stop();
    let over = false;
    void stopped?.then(() => {
      over = true;
    });
    const failed: unknown[] = [];
    // Linux resets connections that wait to be accepted when one of the listeners of a port closes; a client tries again.
    const ask = () => call(first, "GET", "/version").catch(() => call(first, "GET", "/version"));
    while (!over) {
      const answers = await Promise.allSettled(Array.from({ length: 4 }, ask));
      for (const answer of answers)
        if (answer.status === "rejected" || answer.value.status !== 200) failed.push(answer);
    }
    expect(await addresses()).toEqual(["10.1.1.1"]);
    expect((await answering(10)).size).toBe(1);
    expect(failed).toEqual([]);
  }, 60_000);
});
