/** A control group by the names on its path from the root, such as `["orchpods", "burstable", "poda"]`. The root is `[]`. */
export type CgroupName = readonly string[];

/**
 * A path that a configuration names, such as `/orchpods/burstable`.
 *
 * @throws Error if it leaves the mount point
 */
export function parseCgroupPath(path: string): CgroupName {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.some((part) => part === ".." || part.includes("\0")))
    throw new Error(`invalid control group ${JSON.stringify(path)}: want a path such as /system without ".."`);
  return parts;
}

/** The path of a group below the mount point. */
export const cgroupPath = (name: CgroupName): string => `/${name.join("/")}`;

const suffix = ".slice";

/**
 * The slice unit of a group: systemd reads `-` in the name of a slice as a step of the hierarchy, so a `-` in a name is written
 * as `_`.
 */
export const sliceOf = (name: CgroupName): string =>
  name.length === 0 ? `-${suffix}` : `${name.map((part) => part.replaceAll("-", "_")).join("-")}${suffix}`;

/** The path at which systemd keeps a group: each slice below that of its parent. */
export const slicePath = (name: CgroupName): string =>
  `/${name.map((_, index) => sliceOf(name.slice(0, index + 1))).join("/")}`;

/** The group of a slice unit, or of the path of one. @throws Error as {@link parseCgroupPath} */
export function parseSlice(path: string): CgroupName {
  const parts = parseCgroupPath(path);
  const last = parts.at(-1) ?? "";
  if (!last.endsWith(suffix)) return parts;
  return last
    .slice(0, -suffix.length)
    .split("-")
    .filter((part) => part !== "")
    .map((part) => part.replaceAll("_", "-"));
}
