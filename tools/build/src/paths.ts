import { join } from "node:path";

/** The folder of the workspace. */
export const root = join(import.meta.dirname, "../../..");

/** Where everything that is built goes. */
export const dist = join(root, "dist");

/** The Node that the workspace pins, which runs the bundles. */
export const pinnedNode = join(root, "node_modules/node/bin/node");

/** The folder of a program's bundle. */
export const bundleFolder = (name: string): string => join(dist, name);
