import { stat, statfs } from "node:fs/promises";
import type { FileSystemSpace } from "./disk-usage.ts";

/** How file systems are asked. */
export interface FileSystemsOptions {
  /** How long one may take to answer, in milliseconds. @default 10000 */
  readonly limitMs?: number;
  /** @default statfs(2) */
  readonly space?: (path: string) => Promise<FileSystemSpace>;
  /** @default the device of stat(2) */
  readonly device?: (path: string) => Promise<number>;
}

/** Calls that may be late at a time. Each keeps one of the few threads on which the process reads and writes files. */
const maxLate = 2;

/**
 * Asks the host's own file systems for their space. One whose disk or server is away never answers, and its callers then get an error after
 * a limit. A path is asked once at a time, however many want to know. For volumes of a network there is `fileSystemSpace`, which asks in a
 * process of its own.
 */
export class FileSystems {
  readonly #limitMs: number;
  readonly #askSpace: (path: string) => Promise<FileSystemSpace>;
  readonly #askDevice: (path: string) => Promise<number>;
  readonly #spaces = new Map<string, Promise<FileSystemSpace>>();
  readonly #devices = new Map<string, Promise<number>>();
  #late = 0;

  constructor({ limitMs = 10_000, space = statSpace, device = statDevice }: FileSystemsOptions = {}) {
    this.#limitMs = limitMs;
    this.#askSpace = space;
    this.#askDevice = device;
  }

  /** Size of the file system that contains a path, and what is left of it. @throws Error if there is no such path, or no answer */
  space(path: string): Promise<FileSystemSpace> {
    return this.#ask(this.#spaces, path, this.#askSpace);
  }

  /** The number of the device that contains a path: two paths with the same number share a file system. @throws as {@link space} */
  device(path: string): Promise<number> {
    return this.#ask(this.#devices, path, this.#askDevice);
  }

  async #ask<T>(asked: Map<string, Promise<T>>, path: string, ask: (path: string) => Promise<T>): Promise<T> {
    const answer = asked.get(path) ?? this.#begin(asked, path, ask);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(unanswered(path)), this.#limitMs);
    try {
      return await Promise.race([answer, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #begin<T>(asked: Map<string, Promise<T>>, path: string, ask: (path: string) => Promise<T>): Promise<T> {
    if (this.#late >= maxLate) return Promise.reject(unanswered(path));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#late++;
    }, this.#limitMs);
    const answer = ask(path).finally(() => {
      clearTimeout(timer);
      if (isLate) this.#late--;
      asked.delete(path);
    });
    asked.set(path, answer);
    return answer;
  }
}

const unanswered = (path: string): Error => new Error(`the file system of ${path} does not answer`);

async function statSpace(path: string): Promise<FileSystemSpace> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}

async function statDevice(path: string): Promise<number> {
  return (await stat(path)).dev;
}
