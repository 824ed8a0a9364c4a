import type { core } from "@orchernetes/api";
import { createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { localPathFolder, localPathNode, reclaimAnnotation } from "@orchernetes/component-helpers";
import { type Clock, systemClock } from "@orchernetes/kernel";
import { claim, node, poll, storageClass, volume } from "@orchernetes/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { localPathPlugin } from "./local-path.ts";
import { createReclaimOnNode } from "./reclaim-on-node.ts";

const removed: string[] = [];
const plugin = localPathPlugin(async (onNode, name) => void removed.push(`${name} on ${onNode}`));
const worker = node("n")
  .labels({ "orchernetes.io/hostname": "host-n" })
  .annotations({ [localPathFolder]: "/v" })
  .build();
const uid = "01234567-89ab-cdef-0123-456789abcdef";
const name = `pvc-${uid}`;

test("a volume is a folder of the node that was selected, and only that node can use it", async () => {
  const made = claim("c", { size: "3Gi" });
  const { annotations, spec } = (await plugin.provision?.(
    { ...made, metadata: { ...made.metadata, uid } },
    storageClass("local"),
    worker,
  )) ?? { annotations: {}, spec: {} };
  expect(annotations).toEqual({ [localPathNode]: "n" });
  expect(spec).toEqual({
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "3Gi" },
    local: { path: `/v/${name}` },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "orchernetes.io/hostname", operator: "In", values: ["host-n"] }] },
        ],
      },
    },
  });
});

const unlabelled = node("n")
  .annotations({ [localPathFolder]: "/v" })
  .labels({ "orchernetes.io/hostname": "" })
  .build();

test.each<[string, Parameters<typeof claim>[1], core.Node | undefined, object, string]>([
  ["no node", {}, undefined, {}, "no node was selected"],
  ["a node without a folder", {}, node("n").build(), {}, 'node "n" has no folder for volumes'],
  [
    "a bad folder",
    {},
    node("n")
      .annotations({ [localPathFolder]: "/a/../.." })
      .build(),
    {},
    "has no folder for volumes",
  ],
  ["a node without its label", {}, unlabelled, {}, "has no label"],
  ["a device", { volumeMode: "Block" }, worker, {}, "block volumes are not supported"],
  ["a selector", { selector: { a: "b" } }, worker, {}, "claim.spec.selector is not supported"],
  ["many nodes", { modes: ["ReadWriteMany"] }, worker, {}, "access mode ReadWriteMany is not supported"],
  ["parameters", {}, worker, { parameters: { path: "/etc" } }, 'invalid parameter "path"'],
])("%s: no volume", async (_, sketch, on, fields, message) => {
  const outcome = plugin.provision?.(claim("c", sketch), storageClass("local", fields), on as typeof worker);
  await expect(outcome).rejects.toThrow(message);
});

test("only volumes with the name and the annotation of the provisioner are removed", async () => {
  const annotations = { [localPathNode]: "n" };
  await plugin.delete?.(volume(name, { annotations }));
  expect(removed).toEqual([`${name} on n`]);
  await expect(plugin.delete?.(volume("mine", { annotations }))).rejects.toThrow('volume "mine" was not created by');
  await expect(plugin.delete?.(volume(name))).rejects.toThrow("was not created by");
  expect(removed).toHaveLength(1);
});

describe("on a node", () => {
  /** Pauses of seconds would make the tests slow. */
  const fasterClock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 5, signal) };
  let server: FakeApiServer;
  let stop: AbortController;
  let reclaim: (node: string, volume: string) => Promise<void>;
  let end: () => void;
  beforeEach(async () => {
    server = await startFakeApiServer();
    // A real server writes annotations also with the status, which this one does not.
    server.hook = ({ method, body }) => {
      if (method !== "PATCH") return undefined;
      const { metadata } = JSON.parse(body) as { metadata: { annotations: Record<string, string> } };
      put({ ...requests(), ...metadata.annotations });
      return { status: 200, body: server.objects("/api/v1/nodes")[0] };
    };
    stop = new AbortController();
    const client = createClient({ server: server.url });
    reclaim = createReclaimOnNode({ client, clock: fasterClock, signal: stop.signal });
    end = () => client.close();
  });
  afterEach(async () => {
    stop.abort();
    end();
    await server.close();
  });
  const put = (annotations: Record<string, string>): void =>
    void server.put("/api/v1/nodes", { metadata: { name: "n", annotations } });
  const requests = (): Record<string, string> =>
    server.objects("/api/v1/nodes")[0]?.metadata.annotations as Record<string, string>;
  const key = reclaimAnnotation(name);

  test("the agent is asked, and its answer awaited", async () => {
    put({});
    const outcome = reclaim("n", name);
    await poll({ what: "the request" }, async () => requests()[key] === "");
    put({});
    await outcome;
  });

  test("a request of an earlier manager is not repeated, and one that failed is", async () => {
    put({ [key]: "busy" });
    const outcome = reclaim("n", name).catch((error: Error) => error.message);
    await poll({ what: "the request" }, async () => requests()[key] === "");
    put({ [key]: "still busy" });
    expect(await outcome).toBe('the agent of node "n" cannot remove the volume: still busy');
    const again = reclaim("n", name);
    await poll({ what: "the next request" }, async () => requests()[key] === "");
    put({});
    await again;
  });

  test("a node that is gone took the folder with it", async () => {
    await reclaim("gone", name);
  });

  test("requests that have failed leave room for others, within the limit of annotations", async () => {
    const failed = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [reclaimAnnotation(`v${i}`), "busy"]));
    put(failed(200));
    const outcome = reclaim("n", name);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(requests()).toEqual(failed(200));
    put(failed(199));
    await poll({ what: "the request" }, async () => requests()[key] === "");
    put({});
    await outcome;
  });

  test("the node of an agent that does not answer is looked at ever more rarely", async () => {
    put({});
    const pauses: number[] = [];
    let nowMs = 0;
    const sleep = async (ms: number): Promise<void> => {
      pauses.push(ms);
      nowMs += ms;
    };
    const client = createClient({ server: server.url });
    const clock = { ...systemClock, monotonicMs: () => nowMs, sleep };
    const patient = createReclaimOnNode({ client, clock, signal: stop.signal });
    await expect(patient("n", name)).rejects.toThrow("has not removed the volume yet");
    client.close();
    expect(pauses.slice(0, 6)).toEqual([500, 2000, 4000, 8000, 10_000, 10_000]);
    expect(pauses.length).toBeLessThan(20);
  });

  test("a node with many requests gets another one when it has answered some", async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [reclaimAnnotation(`v${i}`), ""]));
    put(many);
    const outcome = reclaim("n", name);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(requests()).toEqual(many);
    put({});
    await poll({ what: "the request" }, async () => requests()[key] === "");
    put({});
    await outcome;
  });
});
