import { pinnedEnv, root, run } from "../lib/process.mjs";

/** The commands of each check, in order. The check ends with the first one that fails. */
const CHECKS = {
  lint: [
    ["biome", ["check", "--error-on-warnings", "."]],
    // Unused dependencies, unlisted ones and unused exports. The entry points are in knip.jsonc.
    ["knip", ["--no-progress", "--no-config-hints"]],
  ],
  format: [["biome", ["check", "--write", "."]]],
  // One program for the whole workspace: with one per package, tsc would check shared sources once for each.
  typecheck: [["tsc", ["-p", "."]]],
};

/** Runs the given checks in order. Resolves with the first exit code that is not 0, or with 0. */
export async function runChecks(names) {
  for (const [name, file, args] of names.flatMap((name) => CHECKS[name].map((command) => [name, ...command]))) {
    const code = await run(file, args, { cwd: root, env: pinnedEnv() });
    if (code !== 0) {
      console.error(`${name} failed`);
      return code;
    }
  }
  return 0;
}
