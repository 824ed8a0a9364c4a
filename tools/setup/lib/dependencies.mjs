import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinnedNode, root, run } from "./process.mjs";

const stamp = join(root, "node_modules", ".setup-stamp");

/**
 * Hash of the files that determine the installed dependencies: the lock file and every package.json of the workspace.
 */
function fingerprint() {
  const hash = createHash("sha256");
  const files = ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml"];
  for (const group of ["apps", "packages", "tools"])
    for (const name of readdirSync(join(root, group)).sort()) files.push(join(group, name, "package.json"));
  for (const file of files) if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

/**
 * Installs the dependencies of the workspace and the pinned Node if they are missing or out of date. Idempotent;
 * takes a few milliseconds if nothing has changed.
 *
 * @throws {Error} when the installation fails, or Node is older than version 20
 */
export async function ensureDependencies({ quiet = false } = {}) {
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20)
    throw new Error(`found Node ${process.version}; want version 20 or newer, which then downloads the pinned version`);
  const wanted = fingerprint();
  // Compares contents and not times: a checkout changes the times of files.
  if (existsSync(stamp) && existsSync(pinnedNode) && readFileSync(stamp, "utf8") === wanted) return;
  if (!quiet) console.log("Installing dependencies (pnpm, pinned Node) …");
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const code = await run(
    "npm",
    [
      "exec",
      "--yes",
      "--",
      packageManager,
      "install",
      "--frozen-lockfile",
      "--reporter=append-only",
      "--loglevel=warn",
    ],
    {
      stdio: quiet ? ["ignore", "ignore", "inherit"] : ["ignore", "inherit", "inherit"],
      env: { ...process.env, npm_config_update_notifier: "false", CI: "true" },
    },
  );
  if (code !== 0) throw new Error(`installing the dependencies failed: pnpm install ended with exit code ${code}`);
  if (!existsSync(pinnedNode))
    throw new Error(`pnpm install left no ${pinnedNode}: the "node" package's install step did not run`);
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(stamp, wanted);
}
