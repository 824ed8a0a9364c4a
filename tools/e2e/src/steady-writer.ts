import { setTimeout as sleep } from "node:timers/promises";
import { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";

/** Writes ConfigMaps one after the other. */
export interface SteadyWriter {
  /** Names of those that the API server has acknowledged. */
  readonly acknowledged: readonly string[];
  /** How many it has refused, or left without an answer. */
  readonly lost: number;
  /** Resolves when the last one is answered. */
  stop(): Promise<void>;
}

/** Writes to the namespace `default` without a pause that matters, through whatever happens to the API server. */
export function writeSteadily(client: Client, intervalMs = 100): SteadyWriter {
  const configMaps = client.resource<core.ConfigMap>(core.configMaps).namespace("default");
  const end = new AbortController();
  const acknowledged: string[] = [];
  let lost = 0;
  const write = async (): Promise<void> => {
    for (let i = 0; !end.signal.aborted; i++) {
      const name = `written-${i}`;
      try {
        await configMaps.create({ metadata: { name, namespace: "default" }, data: { i: String(i) } });
        acknowledged.push(name);
      } catch {
        // The API server, or its store, is the one that was killed: nothing was promised.
        lost++;
      }
      await sleep(intervalMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  const writing = write();
  return {
    acknowledged,
    get lost() {
      return lost;
    },
    async stop() {
      end.abort();
      await writing;
    },
  };
}
