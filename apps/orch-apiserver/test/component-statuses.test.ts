import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { daemonComponent, storeComponents } from "../src/handlers/component-statuses.ts";
import { call } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({ store: "embedded" });
}, 60_000);
afterAll(() => server.stop());

const path = "/api/v1/componentstatuses";
interface Status {
  readonly metadata: { readonly name: string };
  readonly conditions: readonly object[];
}

test("every component is asked, and the answer warns of its age", async () => {
  const { status, json, headers } = await call(server, "GET", path);
  expect(status).toBe(200);
  expect(headers.warning).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
  expect(json).toMatchObject({ kind: "ComponentStatusList", apiVersion: "v1", metadata: {} });
  const items = json.items as unknown as readonly Status[];
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["scheduler", "controller-manager", "etcd-0"]);
  expect(items[2]?.conditions).toEqual([{ type: "Healthy", status: "True", message: "ok" }]);
});

test.each([
  ["?fieldSelector=metadata.name%3Detcd-0", 200, ["etcd-0"]],
  ["?fieldSelector=metadata.name!%3Detcd-0", 200, ["scheduler", "controller-manager"]],
  ["?labelSelector=a", 200, []],
  ["?labelSelector=a%3D%3D%3D", 400, undefined],
])("selected by %s", async (query, code, names) => {
  const { status, json } = await call(server, "GET", path + query);
  const items = json.items as unknown as readonly Status[] | undefined;
  expect([status, items?.map(({ metadata }) => metadata.name)]).toEqual([code, names]);
});

test("one by its name, as a table, and one that is not there", async () => {
  const one = await call(server, "GET", `${path}/etcd-0`);
  expect([one.status, one.json.kind]).toEqual([200, "ComponentStatus"]);
  const accept = "application/json;as=Table;v=v1;g=meta.o8s.io";
  for (const url of [path, `${path}/etcd-0`]) {
    const { json } = await call(server, "GET", url, { headers: { accept } });
    const rows = json.rows as unknown as readonly { cells: unknown[] }[];
    expect(rows.at(-1)?.cells).toEqual(["etcd-0", "Healthy", "ok", ""]);
  }
  expect((await call(server, "GET", `${path}/nobody`)).status).toBe(404);
});

test("a daemon that answers", async () => {
  const health = await daemonComponent("x", server.port).ask(AbortSignal.timeout(5000));
  expect(health).toEqual({ status: "True", message: "ok" });
});

test("a daemon that does not answer, and a store that fails", async () => {
  const gone = await daemonComponent("x", 1).ask(AbortSignal.timeout(5000));
  expect(gone).toEqual({
    status: "False",
    message: expect.stringMatching(/^Get "https:\/\/127.0.0.1:1\/healthz": connect ECONNREFUSED/),
  });
  const [store] = storeComponents([{ name: "etcd", check: () => Promise.reject(new Error("no quorum")) }]);
  expect(await store?.ask(AbortSignal.timeout(5000))).toEqual({ status: "False", message: "no quorum" });
});
