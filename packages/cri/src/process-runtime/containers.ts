import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { unmountAndRemove } from "@orchernetes/host";
import { type Logger, messageOf, systemEventLoop } from "@orchernetes/kernel";
import { CriError } from "../client/cri-error.ts";
import type { ContainerConfig, ContainerFilter } from "../v1/container.ts";
import type { ContainerEventType } from "../v1/services.ts";
import { prepareContainerFolder } from "./container-folder.ts";
import { type ContainerProcess, followContainer, launchContainer, type ProcessExit } from "./container-process.ts";
import { containerArgv, type HostCommand, hostCommand, inTerminal } from "./host-command.ts";
import type { HostImages } from "./host-images.ts";
import { type LogFile, openLogFile } from "./log-file.ts";
import { signalGroup } from "./proc.ts";
import type { RecordStore } from "./record-store.ts";
import type { ContainerRecord, SandboxRecord } from "./records.ts";
import { hasLabels } from "./sandboxes.ts";

/** The containers of the process runtime. */
export interface Containers {
  /**
   * Creates a container. @throws CriError AlreadyExists when the sandbox has one with the same name and attempt,
   * NotFound for its image
   */
  create(sandbox: SandboxRecord, config: ContainerConfig, logDirectory: string): Promise<ContainerRecord>;
  /**
   * Starts a created container. @throws CriError FailedPrecondition in another state, Unknown when the command cannot
   * be started; the container is then exited with code 128
   */
  start(id: string): Promise<void>;
  /**
   * Stops a container: SIGTERM to its group, then SIGKILL if it still runs after `timeoutMs`. Idempotent. @throws
   * CriError DeadlineExceeded when it survives SIGKILL
   */
  stop(record: ContainerRecord, timeoutMs: number): Promise<void>;
  /** Deletes a container; kills it first if it is running. Idempotent. */
  remove(id: string): Promise<void>;
  /** @throws CriError NotFound */
  get(id: string): ContainerRecord;
  list(filter?: Partial<ContainerFilter>): ContainerRecord[];
  /** The process of a running container. @throws CriError FailedPrecondition when it is not running */
  running(id: string): { record: ContainerRecord; process: ContainerProcess };
  /** Prepares another command for a container. */
  command(record: ContainerRecord, argv: readonly string[], tty: boolean): HostCommand;
  /** Reopens the log after it was renamed. */
  reopenLog(id: string): void;
  closeStdin(record: ContainerRecord): Promise<void>;
  save(record: ContainerRecord): Promise<void>;
  /** Stops following all containers. They keep running. */
  detach(): void;
}

/** What the containers depend on. */
export interface ContainersOptions {
  readonly store: RecordStore<ContainerRecord>;
  readonly images: HostImages;
  /** Folder of links to busybox applets. */
  readonly bin: string;
  /** ms since the epoch, with fractions. */
  readonly now: () => number;
  readonly sandbox: (id: string) => SandboxRecord | undefined;
  readonly onEvent: (type: ContainerEventType, record: ContainerRecord) => void;
  readonly logger: Logger;
}

const killWaitMs = 10_000;

/** Loads the containers of earlier runs and follows those that are still running. */
export async function loadContainers(options: ContainersOptions): Promise<Containers> {
  const containers = new ProcessContainers(options);
  await containers.load();
  return containers;
}

class ProcessContainers implements Containers {
  readonly #options: ContainersOptions;
  readonly #records = new Map<string, ContainerRecord>();
  readonly #live = new Map<string, { process: ContainerProcess; log: LogFile }>();

  constructor(options: ContainersOptions) {
    this.#options = options;
  }

  /** Takes over the containers of earlier runs. */
  async load(): Promise<void> {
    const { logger } = this.#options;
    for (const record of await this.#options.store.load()) {
      this.#records.set(record.id, record);
      if (record.state !== "CONTAINER_RUNNING") continue;
      try {
        this.#follow(record);
      } catch (error) {
        logger.info("Lost a container", { id: record.id, err: error });
        await this.#ended(record, { exitCode: 255, finishedAt: this.#nowNs() });
      }
    }
  }

  async create(sandbox: SandboxRecord, config: ContainerConfig, logDirectory: string): Promise<ContainerRecord> {
    const image = this.#options.images.defaults(config.image?.image ?? "");
    const name = containerName(config, sandbox.id);
    const holder = [...this.#records.values()].find(
      (record) => containerName(record.config, record.podSandboxId) === name,
    );
    if (holder !== undefined) {
      const details = `failed to reserve container name "${name}": it is reserved for "${holder.id}"`;
      throw new CriError("CreateContainer", "AlreadyExists", details);
    }
    const { logPath } = config;
    const record: ContainerRecord = {
      id: randomBytes(32).toString("hex"),
      podSandboxId: sandbox.id,
      config: { ...config, image: { image: image.reference, annotations: config.image?.annotations ?? {} } },
      logPath: logPath === "" || isAbsolute(logPath) ? logPath : join(logDirectory, logPath),
      createdAt: this.#nowNs(),
      state: "CONTAINER_CREATED",
      startedAt: 0n,
      finishedAt: 0n,
      exitCode: 0,
      reason: "",
      message: "",
      stdinClosed: false,
    };
    this.#records.set(record.id, record);
    const dir = this.#options.store.dir(record.id);
    try {
      await mkdir(dir, { recursive: true, mode: 0o711 });
      await prepareContainerFolder(dir, config);
      await this.#options.store.save(record);
    } catch (error) {
      this.#records.delete(record.id);
      await unmountAndRemove(dir);
      throw error;
    }
    this.#options.onEvent("CONTAINER_CREATED_EVENT", record);
    return record;
  }

  async start(id: string): Promise<void> {
    const record = this.get(id);
    if (record.state !== "CONTAINER_CREATED") {
      const state = record.state.toLowerCase().replace("container_", "");
      throw new CriError(
        "StartContainer",
        "FailedPrecondition",
        `container "${id}" is in state ${state}, must be created`,
      );
    }
    // Set before the first await, so that a second call finds it and does not start the command twice.
    record.state = "CONTAINER_RUNNING";
    try {
      const argv = containerArgv(record.config, this.#options.images.defaults(record.config.image?.image ?? ""));
      const launched = await launchContainer(
        this.#options.store.dir(id),
        this.command(record, argv, record.config.tty),
      );
      Object.assign(record, launched, { startedAt: this.#nowNs() });
    } catch (error) {
      const message = `failed to create container process: ${messageOf(error)}`;
      Object.assign(record, {
        state: "CONTAINER_EXITED",
        exitCode: 128,
        reason: "StartError",
        message,
        finishedAt: this.#nowNs(),
      });
      await this.#options.store.save(record);
      throw new CriError("StartContainer", "Unknown", message, { cause: error });
    }
    this.#follow(record);
    await this.#options.store.save(record);
    this.#options.onEvent("CONTAINER_STARTED_EVENT", record);
  }

  async remove(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (record === undefined) return;
    await this.stop(record, 0);
    // If the folder cannot be deleted now, the record stays, so that the caller can try again.
    await this.#options.store.remove(id);
    if (!this.#records.delete(id)) return;
    this.#options.onEvent("CONTAINER_DELETED_EVENT", record);
  }

  list(filter: Partial<ContainerFilter> = {}): ContainerRecord[] {
    return [...this.#records.values()].filter(
      (record) =>
        record.id.startsWith(filter.id ?? "") &&
        (filter.state === undefined || filter.state.state === record.state) &&
        (!filter.podSandboxId || filter.podSandboxId === record.podSandboxId) &&
        hasLabels(record.config.labels, filter.labelSelector ?? {}),
    );
  }

  running(id: string): { record: ContainerRecord; process: ContainerProcess } {
    const record = this.get(id);
    const process = this.#live.get(id)?.process;
    if (process === undefined) {
      throw new CriError("Container", "FailedPrecondition", `container "${id}" is not running`);
    }
    return { record, process };
  }

  reopenLog(id: string): void {
    const { log } = this.#live.get(this.get(id).id) ?? {};
    if (log === undefined)
      throw new CriError("ReopenContainerLog", "FailedPrecondition", `container "${id}" is not running`);
    log.reopen();
  }

  async closeStdin(record: ContainerRecord): Promise<void> {
    record.stdinClosed = true;
    this.#live.get(record.id)?.process.closeStdin();
    await this.#options.store.save(record);
  }

  save(record: ContainerRecord): Promise<void> {
    return this.#options.store.save(record);
  }

  detach(): void {
    for (const { process } of this.#live.values()) process.detach();
  }

  get(id: string): ContainerRecord {
    const record = this.#records.get(id);
    if (record === undefined) {
      throw new CriError("Container", "NotFound", `an error occurred when try to find container "${id}": not found`);
    }
    return record;
  }

  command(record: ContainerRecord, argv: readonly string[], tty: boolean): HostCommand {
    const hostname = this.#options.sandbox(record.podSandboxId)?.config.hostname ?? "";
    const folders = { rootfs: join(this.#options.store.dir(record.id), "rootfs"), bin: this.#options.bin };
    const plain = hostCommand(argv, record.config, hostname, folders);
    return tty ? inTerminal(plain) : plain;
  }

  async stop(record: ContainerRecord, timeoutMs: number): Promise<void> {
    const process = this.#live.get(record.id)?.process;
    if (process === undefined) return;
    if (timeoutMs > 0) {
      signalGroup(record.process, "SIGTERM");
      if (await endsWithin(process, timeoutMs)) return await this.#settled(record);
    }
    signalGroup(record.process, "SIGKILL");
    if (!(await endsWithin(process, killWaitMs))) {
      throw new CriError(
        "StopContainer",
        "DeadlineExceeded",
        `container "${record.id}" is still running after SIGKILL`,
      );
    }
    await this.#settled(record);
  }

  #follow(record: ContainerRecord): void {
    const { now, logger, store } = this.#options;
    const dir = store.dir(record.id);
    const log = openLogFile(record.logPath, now);
    const stdin = record.config.stdin && !record.stdinClosed;
    const process = followContainer({ dir, log, process: record.process, shim: record.shim, stdin, now });
    this.#live.set(record.id, { process, log });
    process.exited
      .then((exit) => this.#ended(record, exit))
      .catch((error: unknown) => logger.info("Failed to record the end of a container", { id: record.id, err: error }));
  }

  async #ended(record: ContainerRecord, { exitCode, finishedAt }: ProcessExit): Promise<void> {
    this.#live.delete(record.id);
    Object.assign(record, {
      state: "CONTAINER_EXITED",
      exitCode,
      // File times are coarser than the clock: without this, a container could seem to end before it started.
      finishedAt: finishedAt > record.startedAt ? finishedAt : record.startedAt,
      reason: exitCode === 0 ? "Completed" : "Error",
    });
    if (!this.#records.has(record.id)) return;
    await this.#options.store.save(record);
    this.#options.onEvent("CONTAINER_STOPPED_EVENT", record);
  }

  /** Waits until the exit is recorded, which happens in a later turn of the event loop than noticing it. */
  async #settled(record: ContainerRecord): Promise<void> {
    while (this.#live.has(record.id)) await systemEventLoop.nextTurn();
  }

  #nowNs(): bigint {
    return BigInt(Math.floor(this.#options.now() * 1e6));
  }
}

async function endsWithin(process: ContainerProcess, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), timeoutMs);
  try {
    return await Promise.race([process.exited.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function containerName({ metadata }: ContainerConfig, podSandboxId: string): string {
  return [metadata?.name, podSandboxId, metadata?.attempt].join("_");
}
