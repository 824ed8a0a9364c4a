import { Worker } from "node:worker_threads";
import {
  DecodeError,
  notAcceptable,
  type ParsedDocument,
  parseJson,
  parseYaml,
  tooManyRequests,
} from "@orchernetes/apimachinery";
import { FairQueue } from "./fair-queue.ts";
import type { YamlAnswer, YamlRequest } from "./yaml-worker.ts";

/** Limits of a {@link YamlThread}. */
export interface YamlThreadOptions {
  /**
   * Texts up to this many bytes are processed synchronously: that takes milliseconds, as would passing them to the thread.
   *
   * @default 8192
   */
  readonly inlineBytes?: number;
  /** Time limit for a document, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** Heap limit for a document, in MiB. @default 512 */
  readonly maxHeapMib?: number;
  /** Bytes of queued documents; further ones are rejected. @default 64 MiB */
  readonly maxWaitingBytes?: number;
  /** Bytes of queued documents of one user. @default 12 MiB */
  readonly maxWaitingBytesPerUser?: number;
  /** Idle time after which the thread ends, in milliseconds. @default 30000 */
  readonly idleMs?: number;
}

/** The user for whom a document is parsed or encoded. */
export interface YamlCaller {
  /** Name of the user: users are served in turn, however many documents one of them sends. @default one for all */
  readonly user?: string;
  /** Aborted when no caller waits for the result any more. */
  readonly signal?: AbortSignal;
}

/** The user who sent a request: impersonation does not give a user additional turns. */
export function yamlCaller({
  user,
  impersonatedBy = user,
  signal,
}: {
  readonly user: { readonly name: string };
  readonly impersonatedBy: { readonly name: string } | undefined;
  readonly signal: AbortSignal;
}): YamlCaller {
  return { user: impersonatedBy.name, signal };
}

interface Job {
  readonly request: YamlRequest;
  readonly resolve: (answer: YamlAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * The worker's file is beside this one, both in the source tree and in a bundle, of which it is an entry of its own.
 */
const workerUrl = new URL("./yaml-worker.ts", import.meta.url);

/**
 * Reads and writes YAML in a worker thread, one document at a time, users in turn.
 *
 * Parsing YAML takes a microsecond or more per byte and up to a thousand times the memory of the text, so a body of the
 * permitted length could block the event loop for seconds or exhaust the heap of the process. In a worker, both have
 * limits: if a document takes too long or too much memory, the thread is terminated with it, and the next document
 * starts a new one. The thread starts with the first long text.
 */
export class YamlThread {
  readonly #options: Required<YamlThreadOptions>;
  readonly #waiting: FairQueue<Job>;
  #current: Job | undefined;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: YamlThreadOptions = {}) {
    this.#options = {
      inlineBytes: options.inlineBytes ?? 8192,
      timeoutMs: options.timeoutMs ?? 10_000,
      maxHeapMib: options.maxHeapMib ?? 512,
      maxWaitingBytes: options.maxWaitingBytes ?? 64 * 1024 * 1024,
      maxWaitingBytesPerUser: options.maxWaitingBytesPerUser ?? 12 * 1024 * 1024,
      idleMs: options.idleMs ?? 30_000,
    };
    const { maxWaitingBytes, maxWaitingBytesPerUser } = this.#options;
    this.#waiting = new FairQueue({ most: maxWaitingBytes, mostPerUser: maxWaitingBytesPerUser });
  }

  /**
   * Reads one document.
   *
   * @throws DecodeError as {@link parseYaml} does, and when it takes too much time or memory; ApiError TooManyRequests when too
   *   many documents wait
   */
  async read(bytes: Uint8Array, duplicates: boolean, caller: YamlCaller = {}): Promise<ParsedDocument> {
    if (bytes.length <= this.#options.inlineBytes) {
      return parseYaml(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(), {
        duplicates,
      });
    }
    const answer = await this.#ask({ type: "read", bytes, duplicates }, caller);
    if (answer.type !== "document")
      throw new DecodeError(answer.type === "refused" ? answer.reason : "yaml: no document");
    return { value: parseJson(answer.bytes).value, duplicateFields: answer.duplicateFields };
  }

  /** Whether a JSON text of this length is converted to YAML in the thread. */
  isLong(bytes: number): boolean {
    return bytes > this.#options.inlineBytes;
  }

  /**
   * Converts JSON text to YAML.
   *
   * @throws ApiError TooManyRequests when too many documents wait, NotAcceptable when this one takes too much time or memory
   */
  async write(json: Uint8Array, caller: YamlCaller = {}): Promise<Uint8Array> {
    try {
      const answer = await this.#ask({ type: "write", bytes: json }, caller);
      if (answer.type === "text") return answer.bytes;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
    throw notAcceptable(["application/json"]);
  }

  /** Ends the thread. Queued documents are rejected with a DecodeError. */
  async close(): Promise<void> {
    for (let job = this.#waiting.take(); job !== undefined; job = this.#waiting.take())
      job.reject(new DecodeError("yaml: the server is shutting down"));
    await this.#end("the server is shutting down");
  }

  /** Queues a request. The promise also rejects when the document exceeds a limit. */
  #ask(request: YamlRequest, { user = "", signal }: YamlCaller): Promise<YamlAnswer> {
    return new Promise((resolve, reject) => {
      if (!this.#waiting.add(user, request.bytes.length, { request, resolve, reject, signal }))
        throw tooManyRequests("too many YAML documents wait for their turn; try again later, or use JSON", 1);
      this.#next();
    });
  }

  #next(): void {
    while (this.#current === undefined) {
      const job = this.#waiting.take();
      if (job === undefined) {
        this.#rest();
        return;
      }
      // The request may have been aborted by now.
      if (job.signal?.aborted === true) job.reject(job.signal.reason);
      else this.#start(job);
    }
  }

  #start(job: Job): void {
    clearTimeout(this.#timer);
    this.#current = job;
    this.#worker ??= this.#begin();
    this.#worker.ref();
    this.#worker.postMessage(job.request);
    const seconds = this.#options.timeoutMs / 1000;
    this.#timer = setTimeout(
      () => void this.#end(`it takes more than ${seconds} s; use JSON instead`),
      this.#options.timeoutMs,
    );
  }

  #begin(): Worker {
    const { maxHeapMib } = this.#options;
    const worker = new Worker(workerUrl, {
      name: "yaml",
      // The thread does not inherit the flags and environment variables of the process.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMib, maxYoungGenerationSizeMb: 32 },
    });
    worker.on("message", (answer: YamlAnswer) => {
      if (worker === this.#worker) this.#finish((job) => job.resolve(answer));
    });
    worker.on("error", (error: unknown) => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
      const refusal = new DecodeError("yaml: the document takes too much memory; use JSON instead");
      this.#finish((job) => job.reject(isMemory ? refusal : error));
    });
    return worker;
  }

  async #end(reason: string): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    if (this.#current !== undefined) this.#finish((job) => job.reject(new DecodeError(`yaml: ${reason}`)));
    await worker?.terminate();
  }

  #finish(settle: (job: Job) => void): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    if (job !== undefined) settle(job);
    this.#next();
  }

  /** There is no work: the thread no longer keeps the process alive, and ends after the idle time. */
  #rest(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#end("the thread ends"), this.#options.idleMs);
    this.#timer.unref();
  }
}
