import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@orchernetes/apimachinery";
import type { Metrics } from "@orchernetes/component";
import { readStateBytes } from "@orchernetes/kernel";

/** When the last shutdown began and when its pods had ended, in seconds since the epoch; 0 if it did not. */
interface ShutdownTimes {
  readonly startTime: number;
  readonly endTime: number;
}

/** More than two times need. */
const maxBytes = 4096;

const none: ShutdownTimes = { startTime: 0, endTime: 0 };

/** The times of the last shutdown, in a file, because the metrics are read after the host has started again. */
export class ShutdownTimesFile {
  readonly #path: string;

  constructor(rootDir: string) {
    this.#path = join(rootDir, "graceful_node_shutdown_state");
  }

  /** 0 if the file does not exist or cannot be read. */
  read(): ShutdownTimes {
    try {
      const found: unknown = JSON.parse(readStateBytes(this.#path, maxBytes).toString("utf8"));
      const seconds = (name: string) => (isObject(found) && typeof found[name] === "number" ? found[name] : 0);
      return { startTime: seconds("startTime"), endTime: seconds("endTime") };
    } catch {
      return none;
    }
  }

  /** @throws Error if the file cannot be written */
  write(times: ShutdownTimes): void {
    writeFileSync(`${this.#path}.new`, JSON.stringify(times), { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
  }

  /** Registers the metrics of these times. */
  measure(metrics: Metrics): void {
    for (const [name, what, of] of [
      ["start", "start", (times: ShutdownTimes) => times.startTime],
      ["end", "end", (times: ShutdownTimes) => times.endTime],
    ] as const)
      metrics.gauge({
        name: `orchlet_graceful_shutdown_${name}_time_seconds`,
        help: `Last graceful shutdown ${what} time since unix epoch in seconds`,
        collect: (gauge) => gauge.set(of(this.read())),
      });
  }
}
