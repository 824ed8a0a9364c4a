import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  freePort,
  type RunningDaemon,
  type StartApiServerOptions,
  startApiServer,
  startDaemon,
  type TestApiServer,
} from "@orchernetes/testkit";
import { afterAll } from "vitest";

/** An API server and controller managers for the tests of a file. */
export interface TestCluster {
  /** Folder for files of the tests. */
  readonly dir: string;
  /** Writes a file that only its owner can read to `dir`, and returns its path. */
  file(name: string, text: string): string;
  /** Starts the API server; resolves when it is ready. */
  startServer(options?: StartApiServerOptions): Promise<TestApiServer>;
  /**
   * Starts a controller manager that needs no lease and starts its controllers at once. Does not wait until it is ready.
   *
   * @param flags appended to those that every manager gets
   * @returns the port on which it serves
   */
  startManager(server: TestApiServer, ...flags: readonly string[]): Promise<number>;
  /** Like {@link TestCluster.startManager}; returns the process. */
  runManager(server: TestApiServer, ...flags: readonly string[]): Promise<TestManager>;
}

/** A controller manager as a child process. */
export interface TestManager extends RunningDaemon {
  /** Where it serves. */
  readonly port: number;
}

/** Makes the folder of a test file. After its tests all daemons are stopped, and the folder is removed. */
export function testCluster(name: string): TestCluster {
  const dir = mkdtempSync(join(tmpdir(), `${name}-`));
  const managers: RunningDaemon[] = [];
  let running: TestApiServer | undefined;
  afterAll(async () => {
    await Promise.all(managers.map((manager) => manager.stop()));
    await running?.stop();
    rmSync(dir, { recursive: true });
  });
  const runManager: TestCluster["runManager"] = async ({ clientConfig }, ...flags) => {
    const port = await freePort();
    const folder = mkdtempSync(join(dir, "manager-"));
    const manager = await startDaemon({
      name: "orch-controller-manager",
      flags: [
        `--orchconfig=${clientConfig}`,
        "--bind-address=127.0.0.1",
        `--secure-port=${port}`,
        `--cert-dir=${join(folder, "serving")}`,
        "--leader-elect=false",
        "--controller-start-interval=0s",
        ...flags,
      ],
      dir: folder,
    });
    managers.push(manager);
    return Object.assign(manager, { port });
  };
  return {
    dir,
    file(name, text) {
      const path = join(dir, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
    async startServer(options) {
      running = await startApiServer(options);
      return running;
    },
    runManager,
    startManager: async (server, ...flags) => (await runManager(server, ...flags)).port,
  };
}
