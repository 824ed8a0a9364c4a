import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the root package.json. */
export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** The Node binary that the workspace pins, for daemons, tests and tools. */
export const pinnedNode = join(root, "node_modules", "node", "bin", "node");

/** Environment in which `node`, `tsc`, `vitest` and `turbo` are those of the workspace. */
export function pinnedEnv(extra = {}) {
  return {
    ...process.env,
    ...extra,
    PATH: `${dirname(pinnedNode)}:${join(root, "node_modules", ".bin")}:${process.env.PATH ?? ""}`,
    TURBO_TELEMETRY_DISABLED: "1",
  };
}

/**
 * Runs a program with this terminal. Resolves with its exit code. Forwards SIGINT and SIGTERM to it, so that it can
 * clean up.
 */
export function run(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: "inherit", cwd: root, ...options });
    const forward = (signal) => child.kill(signal);
    process.on("SIGINT", forward).on("SIGTERM", forward);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      process.off("SIGINT", forward).off("SIGTERM", forward);
      resolve(code ?? (signal === "SIGINT" ? 130 : 1));
    });
  });
}

/** Runs a script with the pinned Node, in the folder of the caller, so that relative paths mean what the user typed. */
export function runPinned(args) {
  const cwd = process.env.INIT_CWD && existsSync(process.env.INIT_CWD) ? process.env.INIT_CWD : root;
  return run(pinnedNode, args, { env: pinnedEnv(), cwd });
}
