import { pinnedEnv, root, run } from "../lib/process.mjs";

/** The commands of each check; the first that fails ends it. */
const CHECKS = {
  lint: [
    ["biome", ["check", "--error-on-warnings", "."]],
    // Unused dependencies, unlisted ones, unused exports; knip.jsonc says what is reached from where.
    ["knip", ["--no-progress", "--no-config-hints"]],
  ],
  format: [["biome", ["check", "--write", "."]]],
  // One program over the whole workspace: a program for each package checks the shared sources again and again.
  typecheck: [["tsc", ["-p", "."]]],
};

/** Runs the named static checks in order; resolves to the first exit code that is not 0. */
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
