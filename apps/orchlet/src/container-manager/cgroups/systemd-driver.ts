import type { CgroupDriver } from "./cgroup-manager.ts";
import { parseSlice, sliceOf, slicePath } from "./cgroup-name.ts";
import { resourceProperties, sliceProperties } from "./systemd-properties.ts";
import type { SystemdUnits } from "./systemd-units.ts";

/**
 * Driver `systemd`: groups are slices. systemd creates them and must know their limits, because it sets them again when it reloads
 * its configuration. What it does not set (huge pages, and on version 1 the trees that it does not use) is written afterwards.
 */
export function systemdDriver(units: SystemdUnits, version: 1 | 2): CgroupDriver {
  return {
    pathOf: slicePath,
    parse: parseSlice,
    async beforeWrite(name, resources, exists) {
      const slice = sliceOf(name);
      const properties = resourceProperties(resources, version);
      if (exists) await units.set(slice, properties);
      else await units.start(slice, sliceProperties(slice, sliceOf(name.slice(0, -1)), version), properties);
    },
    beforeRemove: (name) => units.stop(sliceOf(name)),
  };
}
