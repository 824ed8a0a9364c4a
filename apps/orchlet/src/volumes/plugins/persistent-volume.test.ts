import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@orchernetes/client";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ClaimedVolume, prepareHostVolume, readClaim } from "./persistent-volume.ts";

const name = "pvc-01234567-89ab-cdef-0123-456789abcdef";
const annotations = {
  "pv.orchernetes.io/provisioned-by": "orchernetes.io/local-path",
  "volume.orchernetes.io/local-path-node": "n",
};
let top: string;
let localVolumes: string;
let server: FakeApiServer;
let client: Client;
beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), "o8s-claimed-"));
  localVolumes = join(top, "local-volumes");
  mkdirSync(localVolumes);
  server = await startFakeApiServer();
  client = createClient({ server: server.url });
});
afterEach(async () => {
  client.close();
  await server.close();
  rmSync(top, { recursive: true, force: true });
});

/** Prepares a claim that is bound to a volume with this source. */
async function prepare(source: object, metadata: object = {}): Promise<ClaimedVolume | undefined> {
  server.put("/api/v1/persistentvolumeclaims", {
    metadata: { name: "claim", namespace: "default", uid: "c1" },
    spec: { volumeName: name, accessModes: ["ReadWriteOnce"] },
    status: { phase: "Bound" },
  } as unknown as FakeObject);
  server.put("/api/v1/persistentvolumes", {
    metadata: { name, uid: "p1", ...metadata },
    spec: { ...source, claimRef: { uid: "c1" }, accessModes: ["ReadWriteOnce"] },
  } as unknown as FakeObject);
  return prepareHostVolume(await readClaim(client, "default", "claim"), { nodeName: "n", localVolumes });
}

describe("a volume of the local path provisioner", () => {
  const path = () => join(localVolumes, name);

  test("is created in the node's folder", async () => {
    expect(await prepare({ local: { path: path() } }, { annotations })).toMatchObject({ path: path(), local: true });
    expect(existsSync(path())).toBe(true);
  });

  test("is not mounted from a folder that another node has published", async () => {
    // A pod can make such a link in a volume of its own, and a node can announce the folder of that volume as its own.
    const emptyDir = join(top, "pods/u1/volumes/orchernetes.io~empty-dir/v");
    mkdirSync(emptyDir, { recursive: true });
    symlinkSync("/", join(emptyDir, name));
    const outcome = prepare({ local: { path: join(emptyDir, name) } }, { annotations });
    await expect(outcome).rejects.toThrow(
      `PV "${name}" of the provisioner of local paths is not in the folder of node`,
    );
  });

  test.each<[string, (path: string) => object, object]>([
    [
      "of another node",
      (at) => ({ local: { path: at } }),
      { ...annotations, "volume.orchernetes.io/local-path-node": "m" },
    ],
    ["of kind hostPath", (at) => ({ hostPath: { path: at, type: "DirectoryOrCreate" } }), annotations],
    ["of two kinds", (at) => ({ hostPath: { path: "/" }, local: { path: at } }), annotations],
  ])("is not mounted if it is %s", async (_, source, marks) => {
    await expect(prepare(source(path()), { annotations: marks })).rejects.toThrow("is not in the folder of node");
    expect(existsSync(path())).toBe(false);
  });

  test("is not mounted if there is a link in place of its folder", async () => {
    symlinkSync("/", path());
    await expect(prepare({ local: { path: path() } }, { annotations })).rejects.toThrow("is a link");
  });
});

describe("a local volume that an administrator has created", () => {
  test("may be any folder, which is not created", async () => {
    const path = join(top, "disk");
    await expect(prepare({ local: { path } })).rejects.toThrow(`${path} is not a directory`);
    mkdirSync(path);
    expect(await prepare({ local: { path: `${path}/` } })).toMatchObject({ path, local: true });
  });

  test.each(["", "/", "/."])("is not mounted if it is a link, with %j at the end either", async (end) => {
    const path = join(top, "link");
    symlinkSync("/", path);
    await expect(prepare({ local: { path: path + end } })).rejects.toThrow("is a link; want the directory itself");
  });
});
