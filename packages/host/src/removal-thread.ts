import { Worker } from "node:worker_threads";
import type { Removal } from "./removal-steps.ts";
import type { RemovalRequest, RemovalResult } from "./removal-worker.ts";

interface Waiting {
  readonly resolve: (outcome: "removed" | "mounted") => void;
  readonly reject: (error: unknown) => void;
}

const idleMs = 30_000;
const workerUrl = new URL("./removal-worker.ts", import.meta.url);

/**
 * Deletes folders in a worker thread: a container can leave a million files, and each call from the main thread would take a turn of
 * its event loop. The thread is started for the first folder, and ends some time after the last one.
 */
class RemovalThread {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @returns whether the folder was deleted; false if something is mounted in it @throws Error of the file system */
  remove({ parent, name }: Removal): Promise<"removed" | "mounted"> {
    clearTimeout(this.#idle);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker ??= this.#begin();
      this.#worker.ref();
      this.#worker.postMessage({ id, parent, name } satisfies RemovalRequest);
    });
  }

  #begin(): Worker {
    // The thread does not inherit the flags and environment variables of the process.
    const worker = new Worker(workerUrl, { name: "removal", execArgv: [], env: {} });
    worker.on("message", (result: RemovalResult) => this.#settle(result));
    worker.on("error", (error) => {
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return worker;
  }

  #settle(result: RemovalResult): void {
    const waiting = this.#waiting.get(result.id);
    this.#waiting.delete(result.id);
    if (result.type === "failed") waiting?.reject(result.error);
    else waiting?.resolve(result.type);
    if (this.#waiting.size > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, idleMs);
    this.#idle.unref();
  }
}

/** The removal thread of this process. */
export const removalThread = new RemovalThread();
