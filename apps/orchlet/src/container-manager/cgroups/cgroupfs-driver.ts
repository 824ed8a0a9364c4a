import type { CgroupDriver } from "./cgroup-manager.ts";
import { cgroupPath, parseCgroupPath } from "./cgroup-name.ts";

/** Driver `cgroupfs`: groups are folders of the mount point, and nobody else is told. */
export const cgroupfsDriver: CgroupDriver = {
  pathOf: cgroupPath,
  parse: parseCgroupPath,
  beforeWrite: async () => undefined,
  beforeRemove: async () => undefined,
};
