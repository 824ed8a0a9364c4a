import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { core } from "@orchernetes/api";
import { isMounted } from "@orchernetes/host";
import type { Paths } from "../../util/paths.ts";
import { readyText, setReady } from "../setup/ready-mark.ts";
import type { FlexDrivers } from "./flex-driver.ts";

/** A volume of a FlexVolume driver. */
export interface FlexVolume {
  readonly driver: string;
  readonly fsType: string;
  readonly readOnly: boolean;
  readonly options: Readonly<Record<string, string>>;
  /** Data of the secret in base64. */
  readonly secret: Readonly<Record<string, string>>;
}

/** Plugin name of the volumes and of their marks, whose texts are the names of the drivers. */
const flexPlugin = "flexvolume";

/** Has the driver mount a volume for a pod, unless it is mounted, and returns its path. @throws Error of the driver */
export async function prepareFlexVolume(
  pod: core.Pod,
  name: string,
  volume: FlexVolume,
  { drivers, paths }: { readonly drivers: FlexDrivers; readonly paths: Paths },
): Promise<string> {
  const { metadata, spec } = pod;
  const { uid = "" } = metadata;
  const path = paths.volume(uid, flexPlugin, name);
  if (await isMounted(path)) return path;
  await mkdir(path, { recursive: true, mode: paths.folderMode });
  // Before the call: a driver that is interrupted must be called to undo what it did.
  await setReady(paths.plugin(uid, flexPlugin, name), volume.driver, paths);
  const { fsGroup } = spec.securityContext ?? {};
  await drivers.mount(volume.driver, path, {
    ...volume.options,
    ...Object.fromEntries(Object.entries(volume.secret).map(([key, value]) => [`orchernetes.io/secret/${key}`, value])),
    "orchernetes.io/fsType": volume.fsType,
    "orchernetes.io/readwrite": volume.readOnly ? "ro" : "rw",
    "orchernetes.io/pvOrVolumeName": name,
    "orchernetes.io/pod.name": metadata.name ?? "",
    "orchernetes.io/pod.namespace": metadata.namespace ?? "",
    "orchernetes.io/pod.uid": uid,
    "orchernetes.io/serviceAccount.name": spec.serviceAccountName ?? "",
    ...(fsGroup !== undefined && { "orchernetes.io/fsGroup": String(fsGroup) }),
  });
  return path;
}

/** Has the drivers unmount the volumes of a pod. Idempotent. @throws Error of a driver */
export async function releaseFlexVolumes(
  uid: string,
  { drivers, paths }: { readonly drivers: FlexDrivers; readonly paths: Paths },
): Promise<void> {
  // Only the parent folder is needed; the name is arbitrary.
  const folder = dirname(paths.plugin(uid, flexPlugin, "any"));
  for (const name of await readdir(folder).catch(() => [])) {
    const driver = await readyText(join(folder, name));
    const path = paths.volume(uid, flexPlugin, name);
    if (driver !== undefined && (await isMounted(path))) await drivers.unmount(driver, path);
  }
}
