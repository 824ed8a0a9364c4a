import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import type { createCriClient } from "@orchernetes/cri";
import { silentLogger } from "@orchernetes/kernel";
import type { Config } from "../config.ts";
import { startAgent } from "../server.ts";
import { testConfig } from "./config.ts";
import { createFakeRuntime } from "./runtime.ts";

/** An agent over a runtime in memory and a stand-in of the API server, with its files in a folder of its own. */
export interface TestAgent {
  readonly dir: string;
  readonly api: FakeApiServer;
  /** The runtime; what a test assigns to its parts holds for later calls. */
  readonly runtime: ReturnType<typeof createFakeRuntime>;
  /** What the agent has connected to its runtime with. */
  readonly connectedWith: () => Parameters<typeof createCriClient>[0] | undefined;
  /** Starts it with these settings of its file, and others. Static pods are in the folder `manifests`. */
  start(settings?: object, config?: Omit<Partial<Config>, "settings">): Promise<void>;
  stop(): Promise<void>;
  /** Stops it, and deletes the folder. */
  close(): Promise<void>;
}

/** Prepares an agent, which is started later. */
export async function prepareAgent(): Promise<TestAgent> {
  const dir = mkdtempSync(join(tmpdir(), "o8s-root-"));
  mkdirSync(join(dir, "manifests"));
  const api = await startFakeApiServer();
  const runtime = createFakeRuntime();
  let connected: Parameters<typeof createCriClient>[0] | undefined;
  let agent: Awaited<ReturnType<typeof startAgent>> | undefined;
  const stop = async (): Promise<void> => {
    await agent?.stop();
    agent = undefined;
  };
  return {
    ...{ dir, api, runtime, stop },
    connectedWith: () => connected,
    async start(settings = {}, config = {}) {
      agent = await startAgent(
        testConfig(dir, {
          settings: { staticPodPath: join(dir, "manifests"), ...settings },
          api: { server: api.url },
          ...config,
        }),
        { logger: silentLogger, signal: new AbortController().signal, explicit: new Set(), flushLogs: () => undefined },
        (options) => {
          connected = options;
          return runtime.cri;
        },
      );
    },
    async close() {
      await stop();
      await api.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
