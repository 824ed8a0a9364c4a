import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { reclaimAnnotation } from "@orchernetes/component-helpers";
import { silentLogger } from "@orchernetes/kernel";
import { poll } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Paths, preparePaths } from "../../util/paths.ts";
import { localPlugin, setReady } from "../setup/ready-mark.ts";
import { createLocalPathReclaimer, type LocalPathReclaimer } from "./reclaim-local-paths.ts";

const nameOf = (i: number): string => `pvc-01234567-89ab-cdef-0123-${String(i).padStart(12, "0")}`;
let root: string;
let paths: Paths;
let server: FakeApiServer;
let client: Client;
let reclaimer: LocalPathReclaimer;
const stop = new AbortController();

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "o8s-reclaim-"));
  paths = preparePaths(root);
  server = await startFakeApiServer();
  client = createClient({ server: server.url });
  reclaimer = createLocalPathReclaimer({ client, nodeName: "n", paths, logger: silentLogger, signal: stop.signal });
});
afterEach(async () => {
  client.close();
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

const annotations = (): Record<string, string> =>
  server.objects("/api/v1/nodes")[0]?.metadata.annotations as Record<string, string>;

/** Adds requests to the node, shows it to the reclaimer, and waits until none is open. */
async function request(...volumes: readonly string[]): Promise<void> {
  const asked = Object.fromEntries(volumes.map((volume) => [reclaimAnnotation(volume), ""]));
  server.put("/api/v1/nodes", { metadata: { name: "n", annotations: { other: "", ...asked } } });
  reclaimer.observe(annotations());
  // The node changes often; a request that is being carried out is not carried out twice.
  reclaimer.observe(annotations());
  await poll({ what: "answers" }, async () =>
    volumes.every((volume) => annotations()[reclaimAnnotation(volume)] !== ""),
  );
}
const folderOf = (volume: string): string => join(paths.localVolumes, volume);

test("folders are removed on request, and then the requests", async () => {
  const all = Array.from({ length: 20 }, (_, i) => nameOf(i));
  for (const volume of [...all, nameOf(99)]) mkdirSync(folderOf(volume));
  await request(...all);
  expect(annotations()).toEqual({ other: "" });
  expect(all.filter((volume) => existsSync(folderOf(volume)))).toEqual([]);
  expect(existsSync(folderOf(nameOf(99)))).toBe(true);
  expect(server.requests.filter(({ method }) => method === "PATCH")).toHaveLength(20);
});

test("a request for a folder that no provisioner has created is answered with an error", async () => {
  mkdirSync(folderOf("mine"));
  await request("mine");
  expect(annotations()[reclaimAnnotation("mine")]).toBe(
    '"mine" is not a name of a volume: want pvc- and the uid of a claim',
  );
  expect(existsSync(folderOf("mine"))).toBe(true);
});

test("a volume that a pod still uses is kept", async () => {
  mkdirSync(folderOf(nameOf(1)));
  const mark = paths.plugin("pod-uid", localPlugin, "data");
  await setReady(mark, folderOf(nameOf(1)), paths);
  await request(nameOf(1));
  expect(annotations()[reclaimAnnotation(nameOf(1))]).toBe("a pod on the node still uses the volume");
  expect(existsSync(folderOf(nameOf(1)))).toBe(true);
  rmSync(paths.plugins("pod-uid"), { recursive: true });
  await request(nameOf(1));
  expect(existsSync(folderOf(nameOf(1)))).toBe(false);
});

test("a lost answer is written again when the node changes", async () => {
  mkdirSync(folderOf(nameOf(1)));
  let failures = 1;
  const body = { kind: "Status", status: "Failure", message: "no", code: 500 };
  server.hook = ({ method }) => (method === "PATCH" && failures-- > 0 ? { status: 500, body } : undefined);
  server.put("/api/v1/nodes", { metadata: { name: "n", annotations: { [reclaimAnnotation(nameOf(1))]: "" } } });
  reclaimer.observe(annotations());
  await poll({ what: "the removal" }, async () => !existsSync(folderOf(nameOf(1))));
  await poll({ what: "the answer" }, async () => {
    reclaimer.observe(annotations());
    return annotations()[reclaimAnnotation(nameOf(1))] === undefined;
  });
});
