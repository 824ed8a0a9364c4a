import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { CriError } from "../client/cri-error.ts";
import type { PodSandbox, PodSandboxConfig, PodSandboxFilter, PodSandboxStatus } from "../v1/sandbox.ts";
import { bootId } from "./proc.ts";
import type { RecordStore } from "./record-store.ts";
import type { SandboxRecord } from "./records.ts";

/** The sandboxes of the process runtime. They are only records, because nothing is isolated. */
export interface Sandboxes {
  /**
   * Creates a sandbox. @throws CriError AlreadyExists when there is one with the same name, namespace, uid and
   * attempt
   */
  run(config: PodSandboxConfig, runtimeHandler: string): Promise<SandboxRecord>;
  /** @throws CriError NotFound */
  get(id: string): SandboxRecord;
  find(id: string): SandboxRecord | undefined;
  list(filter: PodSandboxFilter | undefined): SandboxRecord[];
  /** Marks a sandbox as not ready. Idempotent. */
  stopped(record: SandboxRecord): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Loads the sandboxes of earlier runs. Those of another boot are not ready. */
export async function loadSandboxes(
  store: RecordStore<SandboxRecord>,
  nowNs: () => bigint,
  allocateIp: (used: ReadonlySet<string>) => string,
): Promise<Sandboxes> {
  const boot = bootId();
  const records = new Map<string, SandboxRecord>();
  for (const record of await store.load()) {
    if (record.bootId !== boot) record.state = "SANDBOX_NOTREADY";
    records.set(record.id, record);
  }

  return {
    async run(config, runtimeHandler) {
      if (config.metadata === undefined) {
        throw new CriError("RunPodSandbox", "InvalidArgument", "sandbox config must include metadata");
      }
      const name = sandboxName(config);
      const holder = [...records.values()].find((record) => sandboxName(record.config) === name);
      if (holder !== undefined) {
        const details = `failed to reserve sandbox name "${name}": it is reserved for "${holder.id}"`;
        throw new CriError("RunPodSandbox", "AlreadyExists", details);
      }
      const host = config.linux?.securityContext?.namespaceOptions?.network === "NODE";
      const used = new Set([...records.values()].filter(isReady).map(({ ip }) => ip));
      const record: SandboxRecord = {
        id: randomBytes(32).toString("hex"),
        config,
        runtimeHandler,
        ip: host ? "" : allocateIp(used),
        createdAt: nowNs(),
        bootId: boot,
        state: "SANDBOX_READY",
      };
      records.set(record.id, record);
      try {
        await mkdir(store.dir(record.id), { recursive: true, mode: 0o711 });
        if (config.logDirectory !== "") await mkdir(config.logDirectory, { recursive: true, mode: 0o755 });
        await store.save(record);
      } catch (error) {
        records.delete(record.id);
        throw error;
      }
      return record;
    },
    get(id) {
      const record = records.get(id);
      if (record === undefined) {
        throw new CriError("PodSandbox", "NotFound", `an error occurred when try to find sandbox "${id}": not found`);
      }
      return record;
    },
    find: (id) => records.get(id),
    list: (filter) => [...records.values()].filter((record) => matches(record, filter)),
    async stopped(record) {
      if (record.state === "SANDBOX_NOTREADY") return;
      record.state = "SANDBOX_NOTREADY";
      await store.save(record);
    },
    async remove(id) {
      await store.remove(id);
      records.delete(id);
    },
  };
}

/** A sandbox as it appears in lists. */
export function toPodSandbox({ id, config, state, createdAt, runtimeHandler }: SandboxRecord): PodSandbox {
  const { metadata, labels, annotations } = config;
  return { id, state, createdAt, labels, annotations, runtimeHandler, ...(metadata && { metadata }) };
}

/** A sandbox as it appears in its status. */
export function toPodSandboxStatus(record: SandboxRecord): PodSandboxStatus {
  const options = record.config.linux?.securityContext?.namespaceOptions;
  return {
    ...toPodSandbox(record),
    network: { ip: isReady(record) ? record.ip : "", additionalIps: [] },
    linux: { namespaces: options === undefined ? {} : { options } },
  };
}

/** Whether `labels` contain all labels of the selector. */
export function hasLabels(
  labels: Readonly<Record<string, string>>,
  selector: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

function matches(record: SandboxRecord, filter: PodSandboxFilter | undefined): boolean {
  if (filter === undefined) return true;
  return (
    record.id.startsWith(filter.id) &&
    (filter.state === undefined || filter.state.state === record.state) &&
    hasLabels(record.config.labels, filter.labelSelector)
  );
}

function isReady(record: SandboxRecord): boolean {
  return record.state === "SANDBOX_READY";
}

function sandboxName({ metadata }: PodSandboxConfig): string {
  return [metadata?.name, metadata?.namespace, metadata?.uid, metadata?.attempt].join("_");
}
