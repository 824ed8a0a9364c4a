import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer();
}, 30_000);
afterAll(() => server.stop());

async function ask(path: string, from = server) {
  const options = { ca: readFileSync(from.caFile), headers: { authorization: `Bearer ${from.token}` }, agent: false };
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${from.url}${path}`, options, resolve).on("error", reject),
  );
  let body = "";
  for await (const chunk of answer) body += chunk;
  return { status: answer.statusCode, headers: answer.headers, body };
}

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string };
}
const items = async (resource: string): Promise<readonly Item[]> =>
  JSON.parse((await ask(`/apis/flowcontrol.apiserver.o8s.io/v1beta3/${resource}`)).body).items;
const names = (list: readonly Item[]) => list.map(({ metadata }) => metadata.name).sort();

test("the mandatory and suggested objects are there, and responses name the ones that applied", async () => {
  const levels = await items("prioritylevelconfigurations");
  expect(names(levels)).toEqual([
    "catch-all",
    "exempt",
    "global-default",
    "leader-election",
    "node-high",
    "system",
    "workload-high",
    "workload-low",
  ]);
  const schemas = await items("flowschemas");
  expect(schemas).toHaveLength(13);
  const uidOf = (list: readonly Item[]) => list.find(({ metadata }) => metadata.name === "exempt")?.metadata.uid;
  for (const path of ["/api/v1/namespaces/default", "/livez"]) {
    await expect
      .poll(async () => (await ask(path)).headers, { timeout: 3000 })
      .toMatchObject({
        "x-orchernetes-pf-flowschema-uid": uidOf(schemas),
        "x-orchernetes-pf-prioritylevel-uid": uidOf(levels),
      });
  }
});

test("dumps and metrics show the state of the levels", async () => {
  const dump = await ask("/debug/api_priority_and_fairness/dump_priority_levels");
  expect(dump.body).toContain("PriorityLevelName, ActiveQueues");
  expect(dump.body).toContain("workload-low, 0, true, false, 0, 0\n");
  expect((await ask("/debug/api_priority_and_fairness/dump_requests")).status).toBe(200);
  expect((await ask("/metrics")).body).toMatch(
    /apiserver_flowcontrol_dispatched_requests_total\{priority_level="exempt",flow_schema="exempt"\} \d+/,
  );
});

test("--enable-priority-and-fairness=false goes back to the in-flight limits", async () => {
  const plain = await startApiServer({ flags: ["--enable-priority-and-fairness=false"] });
  try {
    const { status, headers } = await ask("/api/v1/namespaces/default", plain);
    expect(status).toBe(200);
    expect(headers["x-orchernetes-pf-flowschema-uid"]).toBeUndefined();
    expect((await ask("/debug/api_priority_and_fairness/dump_queues", plain)).status).toBe(404);
  } finally {
    await plain.stop();
  }
});
