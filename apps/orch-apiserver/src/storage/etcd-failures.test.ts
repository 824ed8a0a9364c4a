import { readFileSync } from "node:fs";
import https from "node:https";
import { asRevision, openEtcdStore } from "@orchernetes/storage";
import { etcdAvailable, poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One request over a connection of its own. */
function send(server: TestApiServer, method: string, path: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      `${server.url}${path}`,
      {
        method,
        ca: readFileSync(server.caFile),
        agent: false,
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve({ code: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The names of the objects of a watch's events, in order, until closed. */
function watchNames(server: TestApiServer, path: string): { readonly events: string[]; close(): void } {
  const events: string[] = [];
  let rest = "";
  const request = https.get(
    `${server.url}${path}`,
    { ca: readFileSync(server.caFile), agent: false, headers: { authorization: `Bearer ${server.token}` } },
    (response) => {
      response.setEncoding("utf8").on("data", (part: string) => {
        const lines = (rest + part).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const event = JSON.parse(line) as { type: string; object: { metadata?: { name?: string }; reason?: string } };
          events.push(`${event.type} ${event.object.metadata?.name ?? event.object.reason}`);
        }
      });
      response.on("error", () => undefined);
    },
  );
  request.on("error", () => undefined);
  return { events, close: () => request.destroy() };
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const versionOf = (answer: Answer): string =>
  (JSON.parse(answer.text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;

describe.skipIf(!etcdAvailable())("an etcd that fails (needs /usr/bin/etcd)", () => {
  let server: TestApiServer;
  beforeAll(async () => {
    server = await startApiServer({
      store: "etcd",
      flags: ["--etcd-healthcheck-timeout=300ms", "--etcd-readycheck-timeout=300ms"],
    });
  }, 30_000);
  afterAll(() => server?.stop());

  const etcd = () => {
    if (server.etcd === undefined) throw new Error("the fixture started no etcd");
    return server.etcd;
  };
  const ready = () =>
    poll({ what: "the server to be ready", timeoutMs: 15_000, intervalMs: 50 }, async () => {
      return (await send(server, "GET", "/readyz")).code === 200;
    });

  test("paused: readyz says so, requests end in time with 504, and everything continues afterwards", async () => {
    const created = await send(server, "POST", configMaps, configMap("paused-0"));
    const watch = watchNames(server, `${configMaps}?watch=true&resourceVersion=${versionOf(created)}`);
    await send(server, "POST", configMaps, configMap("paused-1"));
    process.kill(etcd().pid, "SIGSTOP");
    try {
      const [readyz, read, write] = await Promise.all([
        send(server, "GET", "/readyz?verbose"),
        send(server, "GET", `${configMaps}/paused-0`),
        send(server, "POST", configMaps, configMap("paused-2")),
      ]);
      expect(readyz.code).toBe(500);
      expect(readyz.text).toContain("[-]etcd failed");
      expect(readyz.text).toContain("[-]etcd-readiness failed");
      for (const answer of [read, write]) {
        expect(JSON.parse(answer.text)).toMatchObject({ kind: "Status", code: 504, reason: "Timeout" });
        expect(answer.headers["retry-after"]).toBe("1");
      }
    } finally {
      process.kill(etcd().pid, "SIGCONT");
    }
    await ready();
    const again = await send(server, "POST", configMaps, configMap("paused-2"));
    expect([201, 409]).toContain(again.code);
    await poll({ what: "the watch to go on", timeoutMs: 5000, intervalMs: 20 }, () => watch.events.length >= 2);
    watch.close();
    expect(watch.events).toEqual(["ADDED paused-1", "ADDED paused-2"]);
  }, 40_000);

  test("killed and started again: 503 in the meantime, then requests succeed and the watch saw every event once", async () => {
    const created = await send(server, "POST", configMaps, configMap("killed-0"));
    const watch = watchNames(server, `${configMaps}?watch=true&resourceVersion=${versionOf(created)}`);
    process.kill(etcd().pid, "SIGKILL");
    const write = await send(server, "POST", configMaps, configMap("killed-1"));
    expect(JSON.parse(write.text)).toMatchObject({ kind: "Status", code: 503, reason: "ServiceUnavailable" });
    expect(write.headers["retry-after"]).toBe("1");
    expect((await send(server, "GET", "/readyz")).code).toBe(500);
    await etcd().restart();
    await ready();
    for (const name of ["killed-1", "killed-2"]) await send(server, "POST", configMaps, configMap(name));
    await poll({ what: "the watch to go on", timeoutMs: 5000, intervalMs: 20 }, () => watch.events.length >= 2);
    watch.close();
    expect(watch.events).toEqual(["ADDED killed-1", "ADDED killed-2"]);
  }, 30_000);

  test("compacted under a watch: the watch continues; a list of a compacted revision gets 410 Gone", async () => {
    const first = versionOf(await send(server, "POST", configMaps, configMap("compacted-0")));
    const watch = watchNames(server, `${configMaps}?watch=true&resourceVersion=${first}`);
    const other = await openEtcdStore({ servers: [etcd().url] });
    try {
      let last = first;
      for (let i = 1; i <= 120; i++)
        last = versionOf(await send(server, "POST", configMaps, configMap(`compacted-${i}`)));
      await other.compact(asRevision(Number(last)));
      await send(server, "POST", configMaps, configMap("compacted-121"));
      await poll({ what: "the watch to go on", timeoutMs: 5000, intervalMs: 20 }, () => watch.events.length >= 121);
      expect(watch.events).toEqual(Array.from({ length: 121 }, (_, i) => `ADDED compacted-${i + 1}`));
      const late = await send(
        server,
        "GET",
        `${configMaps}?resourceVersion=${first}&resourceVersionMatch=Exact&limit=1`,
      );
      expect(JSON.parse(late.text)).toMatchObject({ kind: "Status", code: 410, reason: "Expired" });
    } finally {
      watch.close();
      await other.close();
    }
  }, 30_000);
});
