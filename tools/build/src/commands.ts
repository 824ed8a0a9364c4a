import { join } from "node:path";
import { type BundleState, stateOfFolder } from "./bundle/stamp.ts";
import { environmentOf } from "./daemons/environment.ts";
import { bundleFolder, root } from "./paths.ts";
import { programNamed } from "./programs.ts";

/** Whether the bundle of a program holds what its sources hold now. */
export const bundleState = (name: string): BundleState => stateOfFolder(bundleFolder(name));

/** Runs a program by this process's Node, in its environment. The program has the process that the command is started in. */
const inEnvironment = (name: string): readonly string[] => {
  const variables = Object.entries(environmentOf(name)).map(([variable, value]) => `${variable}=${value}`);
  return variables.length === 0 ? [process.execPath] : ["env", ...variables, process.execPath];
};

/** Command that runs a program from its bundle, under this process's Node. */
export const bundleCommand = (name: string): readonly string[] => [
  ...inEnvironment(name),
  join(bundleFolder(name), "main.mjs"),
];

/** Command that runs a program from its sources, under this process's Node. */
export const sourceCommand = (name: string): readonly string[] => [
  ...inEnvironment(name),
  join(root, programNamed(name).entry),
];
