import { bundleCommand, bundleState, PROGRAMS, sourceCommand } from "@orchernetes/build";

/** The command that runs a program, to which its flags are added. */
export type Programs = (name: string) => readonly string[];

/** Runs every program from its sources, under the Node that runs this tool. */
export const fromSource: Programs = (name) => sourceCommand(name);

const fromBundle: Programs = (name) => bundleCommand(name);

/**
 * Chooses whether the cluster's programs run from their bundles or from their sources. With `auto` the bundles are used if all of
 * them hold what the sources hold now.
 *
 * @returns the programs, and `origin` for messages
 * @throws Error if the bundles are asked for and one of them is missing or outdated
 */
export function choosePrograms(from: "auto" | "bundle" | "source"): {
  readonly programs: Programs;
  readonly origin: string;
} {
  if (from === "source") return { programs: fromSource, origin: "their sources" };
  const reason = whyNotBundles();
  if (reason === undefined) return { programs: fromBundle, origin: "their bundles in dist/" };
  if (from === "bundle") throw new Error(`--from=bundle: ${reason}; run "npm run build"`);
  return { programs: fromSource, origin: `their sources (${reason})` };
}

/** What a cluster runs. */
const USED = PROGRAMS.filter(({ name, isDaemon }) => isDaemon || name === "process-runtime");

function whyNotBundles(): string | undefined {
  for (const { name } of USED) {
    const state = bundleState(name);
    if (state.type === "missing") return `there is no bundle of ${name}`;
    if (state.type === "outdated") return `the bundle of ${name} is older than ${state.because}`;
  }
  return undefined;
}
