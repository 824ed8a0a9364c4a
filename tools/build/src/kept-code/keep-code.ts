import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { COMPILED_FILE } from "@orchernetes/component/compiled-program";
import { isServing } from "../daemons/serving.ts";
import { bundleFolder, pinnedNode } from "../paths.ts";
import type { DaemonName } from "../programs.ts";
import { type Start, startsOf } from "./starts.ts";

/** A daemon keeps its code ten seconds after its start. */
const DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** What {@link keepCode} is given beside the names. */
export interface KeepCodeOptions {
  /** Folder of a daemon's bundle. */
  readonly folderOf?: (name: DaemonName) => string;
  /** Milliseconds after which a daemon that has not kept its code is given up. */
  readonly deadlineMs?: number;
}

/**
 * Runs daemons from their bundles for some ten seconds, in a folder and at ports of their own, and puts the code that they compiled into
 * their bundles: their first start is then as fast as later ones, also without a folder that they can write. An API server on an
 * empty store runs with them. cloud-controller-manager is not among them, because its provider is chosen by
 * the user; it keeps its code at its first start instead, as does a daemon that does not start here.
 *
 * @returns the daemons whose bundles hold their code now
 */
export async function keepCode(
  names: readonly DaemonName[],
  { folderOf = bundleFolder, deadlineMs = DEADLINE_MS }: KeepCodeOptions = {},
): Promise<readonly DaemonName[]> {
  const work = mkdtempSync(join(tmpdir(), "keep-code-"));
  const children: ChildProcess[] = [];
  const run = (command: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess => {
    // Nothing of this environment: options of Node would change what the code is for.
    const env = { PATH: process.env.PATH, HOME: work, ...more };
    const child = spawn(pinnedNode, command, { cwd: work, env, stdio: "ignore" });
    children.push(child);
    return child;
  };
  const start = ({ name, flags }: Start): ChildProcess => {
    const cache = join(work, "cache", name);
    mkdirSync(cache, { recursive: true });
    return run([join(folderOf(name), "main.mjs"), ...flags], { CACHE_DIRECTORY: cache });
  };
  try {
    const { apiserver, port, others, runtime } = await startsOf(names, work);
    const server = start(apiserver);
    const until = performance.now() + deadlineMs;
    const wait = async (child: ChildProcess, done: () => Promise<boolean> | boolean): Promise<boolean> => {
      while (child.exitCode === null && child.signalCode === null && performance.now() < until) {
        if (await done()) return true;
        await sleep(LOOK_EVERY_MS);
      }
      return false;
    };
    if (!(await wait(server, () => isServing(port)))) return [];
    if (runtime !== undefined) await wait(run(runtime.command), () => existsSync(runtime.socket));
    const started = [{ name: apiserver.name, child: server }];
    for (const other of others) started.push({ name: other.name, child: start(other) });
    const kept = await Promise.all(
      started.map(async ({ name, child }) => {
        const found = () => codeIn(join(work, "cache", name));
        if (!(await wait(child, () => found() !== undefined))) return undefined;
        const code = found();
        if (code === undefined || !names.includes(name)) return undefined;
        putCode(code, folderOf(name));
        return name;
      }),
    );
    return kept.filter((name) => name !== undefined);
  } finally {
    await Promise.all(children.map(end));
    rmSync(work, { recursive: true, force: true });
  }
}

/** The file of kept code in a cache folder. It is renamed when it is whole. */
function codeIn(cache: string): string | undefined {
  const folder = join(cache, "orchernetes/code");
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((file) => file.endsWith(".code"));
  return name === undefined ? undefined : join(folder, name);
}

function putCode(code: string, folder: string): void {
  const next = join(folder, `${COMPILED_FILE}.${process.pid}`);
  copyFileSync(code, next);
  // Kept code is for its user only; this is for whoever runs the bundle.
  chmodSync(next, 0o644);
  renameSync(next, join(folder, COMPILED_FILE));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
