import { readFileSync } from "node:fs";
import https from "node:https";
import { join } from "node:path";
import { etcdAvailable, startApiServer, startEtcd, type TestApiServer } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { orchEtcd, temporaryFolder } from "./support.ts";

const folder = temporaryFolder();

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends a request as the administrator; the body of a watch is its first event. */
function request(server: TestApiServer, method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const sent = https.request(
      `${server.url}${path}`,
      { method, headers, ca: readFileSync(server.caFile) },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          if (!path.includes("watch=true") || !text.includes("\n")) return;
          resolve({ status: response.statusCode ?? 0, body: text });
          sent.destroy();
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { value },
});

async function versionsOf(server: TestApiServer) {
  const { items } = JSON.parse((await request(server, "GET", configMaps)).body) as {
    items: { metadata: { name: string; uid: string; resourceVersion: string }; data: object }[];
  };
  return items.map(({ metadata, data }) => [metadata.name, metadata.uid, metadata.resourceVersion, data]);
}

test.skipIf(!etcdAvailable())(
  "objects keep uid and resourceVersion when a cluster moves to etcd and back, and earlier watches get 410",
  async () => {
    const first = join(folder, "first");
    const second = join(folder, "second");
    const etcd = await startEtcd({ unsafeNoFsync: true });
    const onEtcd = ["--storage-backend=etcd3", `--etcd-servers=${etcd.url}`];
    /** Starts a server with a store, uses it, and stops it. */
    const during = async <T>(flags: readonly string[], look: (server: TestApiServer) => Promise<T>): Promise<T> => {
      const server = await startApiServer({ flags });
      try {
        return await look(server);
      } finally {
        await server.stop();
      }
    };
    const migrate = (to: string, path: string) =>
      orchEtcd("migrate", "--to", to, "--embedded-store-path", path, "--etcd-servers", etcd.url);
    try {
      const before = await during([`--embedded-store-path=${first}`], async (server) => {
        for (const name of ["a", "b", "c"]) await request(server, "POST", configMaps, configMap(name, "1"));
        await request(server, "PUT", `${configMaps}/a`, configMap("a", "2"));
        const busy = await migrate("etcd", first);
        expect(busy).toMatchObject({ code: 1, err: expect.stringContaining(`it is in use by process ${server.pid}`) });
        return versionsOf(server);
      });
      const created = before.find(([name]) => name === "b")?.[2];
      const watch = `${configMaps}?watch=true&resourceVersion=${created}`;
      expect(await migrate("etcd", first)).toMatchObject({ code: 0 });
      await during(onEtcd, async (server) => {
        expect(await versionsOf(server)).toEqual(before);
        expect(JSON.parse((await request(server, "GET", watch)).body)).toMatchObject({
          type: "ERROR",
          object: { code: 410 },
        });
        // An update that was prepared before the move succeeds without a conflict.
        const [, , resourceVersion] = before.find(([name]) => name === "c") ?? [];
        const prepared = { ...configMap("c", "3"), metadata: { name: "c", resourceVersion } };
        expect((await request(server, "PUT", `${configMaps}/c`, prepared)).status).toBe(200);
      });
      expect(await migrate("embedded", second)).toMatchObject({ code: 0 });
      await during([`--embedded-store-path=${second}`], async (server) => {
        const after = await versionsOf(server);
        expect(after.filter(([name]) => name !== "c")).toEqual(before.filter(([name]) => name !== "c"));
        expect(after.find(([name]) => name === "c")?.[3]).toEqual({ value: "3" });
        expect(JSON.parse((await request(server, "GET", watch)).body)).toMatchObject({
          type: "ERROR",
          object: { code: 410 },
        });
      });
    } finally {
      await etcd.stop();
    }
  },
  240_000,
);
