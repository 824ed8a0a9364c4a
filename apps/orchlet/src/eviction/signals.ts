import type { NodeHealth } from "../node/conditions.ts";

/** The signals that thresholds can be set for, with the names of the configuration. */
export const evictionSignals = [
  "memory.available",
  "allocatableMemory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
] as const;

/** A signal that a threshold can be set for. */
export type EvictionSignal = (typeof evictionSignals)[number];

/** What is short when a signal is below its threshold, as messages name it. */
export type ScarceResource = "memory" | "ephemeral-storage" | "inodes" | "pids";

/** A kind of pressure that the node's conditions show. */
export type PressureKind = keyof NodeHealth["pressure"];

interface SignalMeaning {
  readonly resource: ScarceResource;
  readonly pressure: PressureKind;
}

const memory: SignalMeaning = { resource: "memory", pressure: "memory" };
const space: SignalMeaning = { resource: "ephemeral-storage", pressure: "disk" };
const inodes: SignalMeaning = { resource: "inodes", pressure: "disk" };

/** What each signal is about. */
export const signalMeanings: Readonly<Record<EvictionSignal, SignalMeaning>> = {
  "memory.available": memory,
  "allocatableMemory.available": memory,
  "nodefs.available": space,
  "nodefs.inodesFree": inodes,
  "imagefs.available": space,
  "imagefs.inodesFree": inodes,
  "pid.available": { resource: "pids", pressure: "pids" },
};

/** The value of a signal: bytes, inodes or processes. */
export interface SignalReading {
  readonly available: number;
  readonly capacity: number;
}

/** The signals that could be read. */
export type SignalReadings = ReadonlyMap<EvictionSignal, SignalReading>;
