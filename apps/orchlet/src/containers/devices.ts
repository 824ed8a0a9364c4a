import type { core } from "@orchernetes/api";
import type { Device, Init } from "@orchernetes/cri";
import type { PreparedVolume } from "../volumes/prepare-volume.ts";

/**
 * The block devices of a container's `volumeDevices`. Pure.
 *
 * @throws Error if a volume is missing, or is not a device
 */
export function volumeDevicesOf(
  container: core.Container,
  volumes: ReadonlyMap<string, PreparedVolume>,
): readonly Init<Device>[] {
  return (container.volumeDevices ?? []).map(({ name, devicePath }) => {
    const volume = volumes.get(name);
    if (volume === undefined)
      throw new Error(`cannot find volume "${name}" to pass into container "${container.name}"`);
    if (!volume.block) throw new Error(`volume ${name} has volumeMode Filesystem, but is specified in volumeDevices`);
    return { containerPath: devicePath, hostPath: volume.path, permissions: volume.readOnly ? "r" : "mrw" };
  });
}
