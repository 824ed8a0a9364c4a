import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { canMount, isMounted, unmountBelow } from "@orchernetes/host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testPod } from "../../testing/pods.ts";
import { type Paths, preparePaths } from "../../util/paths.ts";
import { createFlexDrivers, type FlexDrivers } from "./flex-driver.ts";
import { prepareFlexVolume, releaseFlexVolumes } from "./flex-volume.ts";

const mayMount = await canMount();
let dir: string;
let paths: Paths;
let drivers: FlexDrivers;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-flex-"));
  paths = preparePaths(join(dir, "root"));
  drivers = createFlexDrivers(join(dir, "exec"));
});
afterEach(async () => {
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

function install(script: string, name = "vendor~tmp/tmp"): void {
  const file = join(dir, "exec", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${join(dir, "log")}\n${script}`);
  chmodSync(file, 0o755);
}
const good = `case $1 in
init) echo '{"status":"Success","capabilities":{"attach":false}}';;
mount) mount -t tmpfs tmpfs "$2" && echo '{"status":"Success"}';;
unmount) umount "$2" && echo '{"status":"Success"}';;
esac`;
const volume = {
  driver: "vendor/tmp",
  fsType: "ext4",
  readOnly: true,
  options: { a: "b" },
  secret: { key: "c2VjcmV0" },
};
const prepare = () => prepareFlexVolume(testPod({ securityContext: { fsGroup: 7 } }), "v", volume, { drivers, paths });

describe.skipIf(!mayMount)("a FlexVolume", () => {
  // shows: volumePluginDir
  test("the driver mounts the volume once, and unmounts it, even after a restart of the agent", async () => {
    install(good);
    const path = await prepare();
    await prepare();
    expect(await isMounted(path)).toBe(true);
    drivers = createFlexDrivers(join(dir, "exec"));
    await releaseFlexVolumes("u1", { drivers, paths });
    expect(await isMounted(path)).toBe(false);
    await releaseFlexVolumes("u1", { drivers, paths });
    const calls = readFileSync(join(dir, "log"), "utf8").trim().split("\n");
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["init", "mount", "init", "unmount"]);
    const given = calls[1] ?? "";
    expect(JSON.parse(given.slice(given.indexOf("{")))).toEqual({
      a: "b",
      "orchernetes.io/secret/key": "c2VjcmV0",
      "orchernetes.io/fsType": "ext4",
      "orchernetes.io/readwrite": "ro",
      "orchernetes.io/fsGroup": "7",
      "orchernetes.io/pvOrVolumeName": "v",
      "orchernetes.io/pod.name": "web",
      "orchernetes.io/pod.namespace": "default",
      "orchernetes.io/pod.uid": "u1",
      "orchernetes.io/serviceAccount.name": "",
    });
  });
});

test.each<[string, string | undefined, string]>([
  ["is not there", undefined, "there is no program"],
  [
    "attaches volumes",
    `echo '{"status":"Success"}'`,
    'want a driver whose init reports {"capabilities":{"attach":false}}',
  ],
  ["fails", `echo '{"status":"Failure","message":"no disk"}'; exit 1`, "init failed: no disk"],
  ["writes nonsense", "echo hello", 'it wrote "hello\\n"; want an object of JSON'],
  ["writes without end", "yes", "init failed"],
])("a driver that %s is an error", async (_, script, message) => {
  if (script !== undefined) install(script);
  await expect(prepare()).rejects.toThrow(message);
});

test.each(["../../bin/sh", "a/b/c", "", ".."])("%j is no driver", async (driver) => {
  await expect(drivers.mount(driver, "/t", {})).rejects.toThrow("invalid name of a FlexVolume driver");
  expect(existsSync(join(dir, "log"))).toBe(false);
});
