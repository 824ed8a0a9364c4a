import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BINARY = "/usr/bin/etcd";
/**
 * A shell script that runs its arguments until they exit or its standard input is closed, so that etcd ends with the
 * test run even if that is killed.
 */
const GUARD = 'exec 3<&0; "$@" 3<&- & pid=$!; (read -r _ <&3; kill -9 $pid) 2>/dev/null & wait $pid';
const START_TIMEOUT_MS = 60_000;

/** Whether etcd is installed at the path of Debian's package. */
export function etcdAvailable(): boolean {
  return existsSync(BINARY);
}

/** The options of {@link startEtcd}. */
export interface StartEtcdOptions {
  /** Stops etcd when it aborts. */
  readonly signal?: AbortSignal;
  /** Whether etcd skips fsync, which is faster and not durable. @default false */
  readonly unsafeNoFsync?: boolean;
  /** Additional flags of etcd. */
  readonly args?: readonly string[];
}

/** A running etcd on free ports of 127.0.0.1, with its own data directory. */
export interface RunningEtcd {
  readonly url: string;
  readonly dataDir: string;
  /** The process id of etcd, e.g. to send it SIGSTOP; another one after a restart. @throws Error if etcd is not running */
  readonly pid: number;
  /** Stops etcd and removes its data. */
  stop(): Promise<void>;
  /** Kills etcd with SIGKILL; its data is kept. */
  kill9(): Promise<void>;
  /** Starts etcd again with the same ports and data; a running one is killed first. */
  restart(): Promise<void>;
}

/**
 * Starts etcd and waits until it is healthy.
 *
 * @throws Error with etcd's log if it exits or is not healthy in time
 */
export async function startEtcd({
  signal,
  unsafeNoFsync = false,
  args = [],
}: StartEtcdOptions = {}): Promise<RunningEtcd> {
  const dataDir = mkdtempSync(join(tmpdir(), "etcd-"));
  const [clientPort, peerPort] = await Promise.all([freePort(), freePort()]);
  const url = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const flags = [
    ...["--name", "test", "--data-dir", dataDir, "--log-level", "error", "--logger", "zap"],
    ...["--listen-client-urls", url, "--advertise-client-urls", url],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", `test=${peer}`],
    ...(unsafeNoFsync ? ["--unsafe-no-fsync"] : []),
    ...args,
  ];
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn("/bin/sh", ["-c", GUARD, "sh", BINARY, ...flags], { stdio: ["pipe", "ignore", "pipe"] });
    await healthy(url, child);
  };
  const end = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const exited = new Promise((resolve) => running.once("exit", resolve));
    running.stdin?.end();
    await exited;
  };
  const stop = async () => {
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  };
  signal?.addEventListener("abort", () => void stop(), { once: true });
  await start();
  return {
    url,
    dataDir,
    get pid() {
      return etcdOf(child?.pid);
    },
    stop,
    kill9: end,
    async restart() {
      await end();
      await start();
    },
  };
}

/** The process id of etcd, which is a child of the guard. */
function etcdOf(guard: number | undefined): number {
  const children = guard === undefined ? "" : readFileSync(`/proc/${guard}/task/${guard}/children`, "utf8");
  for (const child of children.trim().split(" "))
    if (child !== "" && readFileSync(`/proc/${child}/comm`, "utf8").trim() === "etcd") return Number(child);
  throw new Error("etcd is not running");
}

/** Waits until etcd reports that it is healthy. */
async function healthy(url: string, child: ChildProcess): Promise<void> {
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-4000);
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
      if (response.ok && (await response.text()).includes("true")) return;
    } catch {
      // Not listening yet.
    }
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`etcd did not start at ${url} (exit code ${child.exitCode}): ${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address
          ? resolve(address.port)
          : reject(new Error("cannot listen on a free port of 127.0.0.1")),
      );
    });
  });
}
