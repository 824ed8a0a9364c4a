import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { SNAPSHOT_VERSION, type Snapshot } from "../snapshot/snapshot.ts";

/** Largest file that is read, in bytes: a string of more than 512 MiB is not possible. */
const MAX_BYTES = 500 * 1024 * 1024;

const object = z.looseObject({ metadata: z.looseObject({ name: z.string().min(1) }) });
const objects = z.array(object);
const withSpec = object.extend({ spec: z.looseObject({}) });
const node = withSpec.extend({ status: z.looseObject({}) });
const pod = z.looseObject({
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string(), uid: z.string() }),
  spec: z.looseObject({ containers: z.array(z.looseObject({ resources: z.looseObject({}) })) }),
  status: z.looseObject({}),
});
const onNode = z.array(z.strictObject({ node: z.string().min(1), pod }));
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
  nodes: z.array(node.nullable()),
  freeSlots: z.array(slot),
  placed: onNode,
  assumed: z.array(z.string()),
  nominated: onNode,
  pending: z.array(pod),
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
  services: z.array(withSpec),
  replicationControllers: z.array(withSpec),
  replicaSets: z.array(withSpec),
  statefulSets: z.array(withSpec),
  claims: z.array(withSpec),
  volumes: z.array(withSpec),
  classes: objects,
  csiNodes: z.array(withSpec),
  csiDrivers: z.array(withSpec),
  capacities: objects,
  budgets: z.array(node),
});

/** Reads a file of `orch-scheduler snapshot`. @throws Error if it is not one */
export async function readSnapshot(file: string): Promise<Snapshot> {
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`${file}: found ${size} bytes; want at most ${MAX_BYTES}`);
  const text = await readFile(file, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${file}: want the JSON that \`orch-scheduler snapshot\` writes`);
  }
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) throw new Error(`${file}: not a snapshot of this version: ${issuesText(error)}`);
  if (data.freeSlots.some((one) => data.nodes[one] !== null))
    throw new Error(`${file}: freeSlots: want only slots without a node`);
  return data as unknown as Snapshot;
}

const issuesText = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 10)
    .map(({ path, message }) => `${path.join(".")}: ${message}`)
    .join("; ");
