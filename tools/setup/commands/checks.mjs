import { pinnedEnv, root, run } from "../lib/process.mjs";

const CHECKS = {
  lint: ["biome", ["check", "--error-on-warnings", "."]],
  format: ["biome", ["check", "--write", "."]],
  // One program over the whole workspace: a program for each package checks the shared sources again and again.
  typecheck: ["tsc", ["-p", "."]],
};

/** Runs the named static checks in order; resolves to the first exit code that is not 0. */
export async function runChecks(names) {
  for (const name of names) {
    const [file, args] = CHECKS[name];
    const code = await run(file, args, { cwd: root, env: pinnedEnv() });
    if (code !== 0) {
      console.error(`${name} failed`);
      return code;
    }
  }
  return 0;
}
