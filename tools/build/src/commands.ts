import { join } from "node:path";
import { type BundleState, stateOfFolder } from "./bundle/stamp.ts";
import { bundleFolder, root } from "./paths.ts";
import { programNamed } from "./programs.ts";

/** Whether the bundle of a program holds what its sources hold now. */
export const bundleState = (name: string): BundleState => stateOfFolder(bundleFolder(name));

/** Command that runs a program from its bundle, under this process's Node. */
export const bundleCommand = (name: string): readonly string[] => [
  process.execPath,
  join(bundleFolder(name), "main.mjs"),
];

/** Command that runs a program from its sources, under this process's Node. */
export const sourceCommand = (name: string): readonly string[] => [
  process.execPath,
  join(root, programNamed(name).entry),
];
