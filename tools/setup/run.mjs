#!/usr/bin/env node
import { runChecks } from "./commands/checks.mjs";
/**
 * Entry of all `npm run` commands. Runs with any Node from version 20 on, without installed dependencies: installs them
 * and (on Debian, as root) the system packages, then runs the command with the Node version that the workspace pins.
 */
import { runTests } from "./commands/test.mjs";
import { ensureDependencies } from "./lib/dependencies.mjs";
import { pinnedEnv, root, run, runPinned } from "./lib/process.mjs";
import { ensureSystemPackages } from "./lib/system-packages.mjs";

const DAEMONS = [
  "orch-apiserver",
  "orch-scheduler",
  "orch-controller-manager",
  "cloud-controller-manager",
  "orch-proxy",
  "orchlet",
  "metrics-server",
];

const commands = {
  up: async (args) => {
    await ensureSystemPackages();
    return runPinned([`${root}/tools/local-cluster/src/main.ts`, "up", ...args]);
  },
  down: (args) => runPinned([`${root}/tools/local-cluster/src/main.ts`, "down", ...args]),
  build: (args) => runPinned([`${root}/tools/build/src/main.ts`, ...args]),
  bench: async (args) => {
    await ensureSystemPackages("bench");
    return runPinned([`${root}/tools/bench/src/main.ts`, ...args]);
  },
  test: async (args) => {
    const skipped = await ensureSystemPackages("test");
    return runTests(args, skipped);
  },
  "node-e2e": async (args) => {
    await ensureSystemPackages("test");
    return run("vitest", ["run", ...args], { env: pinnedEnv(), cwd: `${root}/tools/node-e2e` });
  },
  lint: () => runChecks(["lint"]),
  format: () => runChecks(["format"]),
  typecheck: () => runChecks(["typecheck"]),
  "orch-etcd": (args) => runPinned([`${root}/tools/orch-etcd/src/main.ts`, ...args]),
  check: (args) => runPinned([`${root}/tools/check/src/main.ts`, ...args]),
  daemon: ([name, ...args]) => {
    if (!DAEMONS.includes(name)) throw new Error(`unknown daemon "${name}"; known are ${DAEMONS.join(", ")}`);
    return runPinned([`${root}/apps/${name}/src/main.mjs`, ...args]);
  },
};

const [name, ...args] = process.argv.slice(2);
const command = commands[name];
if (command === undefined) {
  console.error(`unknown command "${name ?? ""}"; known are ${Object.keys(commands).join(", ")}`);
  process.exit(1);
}
try {
  await ensureDependencies({ quiet: ["daemon", "orch-etcd", "check"].includes(name) });
  process.exitCode = await command(args);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
