import type { CgroupDriver } from "./cgroup-manager.ts";
import { cgroupPath, parseCgroupPath } from "./cgroup-name.ts";

/** Driver `cgroupfs`: groups are folders below the mount point, which no other program manages. */
export const cgroupfsDriver: CgroupDriver = {
  pathOf: cgroupPath,
  parse: parseCgroupPath,
  beforeWrite: async () => undefined,
  beforeRemove: async () => undefined,
};
