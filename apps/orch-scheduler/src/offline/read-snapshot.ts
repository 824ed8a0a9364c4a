import { readLimitedFile } from "@orchernetes/kernel";
import { z } from "zod";
import { SNAPSHOT_VERSION, type Snapshot } from "../snapshot/snapshot.ts";
import {
  snapshotNode,
  snapshotObject,
  snapshotObjectWithSpec,
  snapshotObjectWithStatus,
  snapshotPod,
  snapshotVolume,
} from "./snapshot-objects.ts";

/** Largest file that is read, in bytes: a string of more than 512 MiB is not possible. */
const MAX_BYTES = 500 * 1024 * 1024;

const objects = z.array(snapshotObject);
const withSpec = z.array(snapshotObjectWithSpec);
const onNode = z.array(z.strictObject({ node: z.string().min(1), pod: snapshotPod }));
const slot = z.int().min(0);

const answer = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("nodes"),
    passed: z.array(z.string()),
    failed: z.array(z.tuple([z.string(), z.string()])),
    unresolvable: z.array(z.tuple([z.string(), z.string()])),
  }),
  z.strictObject({ type: z.literal("scores"), scores: z.array(z.tuple([z.string(), z.number()])) }),
  z.strictObject({
    type: z.literal("candidates"),
    candidates: z.array(z.strictObject({ node: z.string(), victims: z.array(z.string()), violations: z.int().min(0) })),
  }),
  z.strictObject({ type: z.literal("error"), message: z.string() }),
]);

const attempt = z.strictObject({
  pod: z.string(),
  uid: z.string(),
  time: z.string(),
  start: slot,
  seed: slot.max(2 ** 32 - 1),
  exchanges: z.array(
    z.strictObject({
      extender: slot,
      verb: z.enum(["filter", "prioritize", "preempt"]),
      asked: z.array(z.string()),
      answer,
    }),
  ),
});

const extender = z.strictObject({
  urlPrefix: z.string(),
  filterVerb: z.string(),
  prioritizeVerb: z.string(),
  preemptVerb: z.string(),
  bindVerb: z.string(),
  weight: z.number(),
  nodeCacheCapable: z.boolean(),
  ignorable: z.boolean(),
  managedResources: z.array(z.strictObject({ name: z.string(), ignoredByScheduler: z.boolean() })),
});

/** The form of a snapshot: what the code that restores it relies on. The API server has checked the objects themselves. */
const schema = z.strictObject({
  kind: z.literal("SchedulerSnapshot"),
  version: z.literal(SNAPSHOT_VERSION),
  time: z.string(),
  configuration: z.strictObject({
    profiles: z.array(z.unknown()).min(1),
    percentageOfNodesToScore: z.number(),
    featureGates: z.record(z.string(), z.boolean()),
  }),
  extenders: z.array(extender),
  attempts: z.array(attempt),
  start: slot,
  seed: slot.max(2 ** 32 - 1),
  nodes: z.array(snapshotNode.nullable()),
  freeSlots: z.array(slot),
  placed: onNode,
  assumed: z.array(z.string()),
  nominated: onNode,
  pending: z.array(snapshotPod),
  queue: z.array(
    z.strictObject({
      pod: z.string(),
      type: z.literal("queued"),
      place: z.enum(["active", "backoff", "unschedulable", "inFlight", "gated"]),
      attempts: z.number(),
      waitingSeconds: z.number(),
      retryInSeconds: z.number().optional(),
    }),
  ),
  namespaces: objects,
  services: withSpec,
  replicationControllers: withSpec,
  replicaSets: withSpec,
  statefulSets: withSpec,
  claims: withSpec,
  volumes: z.array(snapshotVolume),
  classes: objects,
  csiNodes: withSpec,
  csiDrivers: withSpec,
  capacities: objects,
  budgets: z.array(snapshotObjectWithStatus),
});

/** Reads a file of `orch-scheduler snapshot`. @throws Error if it is not one */
export async function readSnapshot(file: string): Promise<Snapshot> {
  const value = parsed((await readLimitedFile(file, MAX_BYTES)).toString("utf8"), file);
  const { kind, version } = head.safeParse(value).data ?? {};
  if (kind === "SchedulerSnapshot" && version !== SNAPSHOT_VERSION)
    throw new Error(
      `${file}: found version ${JSON.stringify(version)} of the format; want ${SNAPSHOT_VERSION}: use the orch-scheduler that wrote the file`,
    );
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) throw new Error(`${file}: not a snapshot of this version: ${issuesText(error)}`);
  if (data.freeSlots.some((one) => data.nodes[one] !== null))
    throw new Error(`${file}: freeSlots: want only slots without a node`);
  return data as unknown as Snapshot;
}

const head = z.looseObject({ kind: z.string(), version: z.union([z.number(), z.string().max(100)]).optional() });

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = text.trimStart().startsWith("{") ? "found an incomplete or damaged file; " : "";
    throw new Error(`${file}: ${why}want the JSON that \`orch-scheduler snapshot\` writes`, { cause });
  }
}

const issuesText = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 10)
    .map(({ path, message }) => `${path.join(".")}: ${message}`)
    .join("; ");
