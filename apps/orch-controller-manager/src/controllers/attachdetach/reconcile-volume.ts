import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isConditionTrue } from "@orchernetes/component-helpers";
import { type Plan, sooner } from "@orchernetes/controller";
import { multiAttachMessage } from "./multi-attach.ts";
import { attachmentName, type CsiVolume, uniqueVolumeName } from "./names.ts";

type Pod = Stored<core.Pod>;
type Node = Stored<core.Node>;
type Attachment = Stored<storage.VolumeAttachment>;

/** Everything that determines where a volume is attached. */
export interface VolumeState {
  readonly volume: CsiVolume;
  /** Name of the PersistentVolume, or of the volume of pods in that form; for messages. */
  readonly name: string;
  /** What attachments refer to. */
  readonly source: storage.VolumeAttachmentSource;
  readonly accessModes: readonly string[];
  /** Whether its kind is an in-tree one, whose work the driver has taken over. */
  readonly migrated: boolean;
  /** Whether its PersistentVolume is gone, so that only attachments are left. */
  readonly isOrphan: boolean;
  /** Whether the driver attaches volumes at all. */
  readonly attachable: boolean;
  /** Pods on nodes that use the volume and have not ended. */
  readonly pods: readonly Pod[];
  readonly attachments: readonly Attachment[];
  readonly node: (name: string) => Node | undefined;
  /** Whether volumes of this kind are left to the driver on a node. */
  readonly isDriverOn: (node: string) => boolean;
  /** Whether volumes are detached at once from nodes that are out of service (feature gate NodeOutOfServiceVolumeDetach). */
  readonly honorsOutOfService: boolean;
  /** When a node was first seen not to need the volume any more, in milliseconds of the epoch; by the attachment's uid. */
  readonly unusedSinceMs: ReadonlyMap<string, number>;
}

/** Why a volume is detached from a node that may still use it: it is silent for too long, or known to be out of service. */
type Force = "timeout" | "outOfService";

/** What is done to attach or detach a volume. */
export type AttachAction =
  /** Creates the VolumeAttachment. */
  | { readonly type: "Attach"; readonly node: string; readonly attachment: string }
  /** Takes the volume out of the node's list of attached volumes, and then deletes the VolumeAttachment. */
  | { readonly type: "Detach"; readonly attachment: Attachment; readonly forced: Force | undefined }
  /** Remembers since when the node has not needed the volume, or forgets it. */
  | { readonly type: "SetUnused"; readonly attachment: Attachment; readonly sinceMs: number | undefined }
  | {
      readonly type: "Event";
      readonly pod: Pod;
      readonly of: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
    };

/** How long an attacher may take before pods that wait are told, as in the original. */
const maxAttachMs = 2 * 60_000;
/** How long the agent of a node may take to unmount a volume; then it is detached from a node that is not ready. */
const maxUnmountMs = 6 * 60_000;
const outOfService = "node.orchernetes.io/out-of-service";
const managed = "volumes.orchernetes.io/controller-managed-attach-detach";

/** Decides about one volume on all nodes. Pure. Detaches come first, so that pods that move get their volume. */
export function reconcileVolume(state: VolumeState, now: Date): Plan<AttachAction> {
  if (!state.attachable) return { actions: [] };
  const actions: AttachAction[] = [];
  let requeueAfterMs: number | undefined;
  const wanted = wantedNodes(state);
  for (const attachment of state.attachments) {
    const { uid, deletionTimestamp } = attachment.metadata;
    const since = state.unusedSinceMs.get(uid);
    if (wanted.has(attachment.spec.nodeName)) {
      if (since !== undefined) actions.push({ type: "SetUnused", attachment, sinceMs: undefined });
      continue;
    }
    if (deletionTimestamp !== undefined || isLeftToAgent(state.node(attachment.spec.nodeName))) continue;
    const sinceMs = since ?? now.getTime();
    if (since === undefined) actions.push({ type: "SetUnused", attachment, sinceMs });
    const verdict = mayDetach(attachment, state, now.getTime() - sinceMs);
    if (typeof verdict === "number") requeueAfterMs = sooner(requeueAfterMs, verdict);
    else actions.push({ type: "Detach", attachment, forced: verdict === "safe" ? undefined : verdict });
  }
  for (const [node, pods] of wanted) {
    const plan = attach(node, pods, state, now);
    actions.push(...plan.actions);
    requeueAfterMs = sooner(requeueAfterMs, plan.requeueAfterMs);
  }
  return requeueAfterMs === undefined ? { actions } : { actions, requeueAfterMs };
}

/** The pods by the nodes on which the controller attaches the volume. */
export function wantedNodes({
  pods,
  node,
  isDriverOn,
}: Pick<VolumeState, "pods" | "node" | "isDriverOn">): ReadonlyMap<string, readonly Pod[]> {
  const found = new Map<string, readonly Pod[]>();
  for (const pod of pods) {
    const name = pod.spec.nodeName ?? "";
    const object = node(name);
    if (object === undefined || isLeftToAgent(object) || !isDriverOn(name)) continue;
    found.set(name, [...(found.get(name) ?? []), pod]);
  }
  return found;
}

/** Whether the agent of a node attaches volumes itself. */
const isLeftToAgent = (node: Node | undefined): boolean =>
  node !== undefined && node.metadata.annotations?.[managed] !== "true";

/**
 * Whether a volume may be detached from a node that does not need it: the agent does not report it as in use, or the node
 * is known to be out of service, or it has been unhealthy or gone for so long that it is taken to be dead. Otherwise the
 * time after which to look again, in milliseconds.
 */
function mayDetach({ spec }: Attachment, state: VolumeState, unusedMs: number): "safe" | Force | number {
  const found = state.node(spec.nodeName);
  const leftMs = maxUnmountMs - unusedMs;
  // The cache of volumes may be behind that of attachments.
  if (state.isOrphan && leftMs > 0) return leftMs;
  const inUse = found === undefined || found.status.volumesInUse?.includes(uniqueVolumeName(state.volume));
  if (!inUse) return "safe";
  const isOut = state.honorsOutOfService && found?.spec.taints?.some(({ key }) => key === outOfService);
  if (leftMs > 0 && isOut) return "outOfService";
  const isHealthy = found !== undefined && isConditionTrue(found.status.conditions, "Ready");
  // The node's changes lead to another decision.
  if (isHealthy && !isOut) return maxUnmountMs;
  return leftMs <= 0 ? "timeout" : leftMs;
}

function attach(node: string, pods: readonly Pod[], state: VolumeState, now: Date): Plan<AttachAction> {
  const own = state.attachments.find(({ spec }) => spec.nodeName === node);
  if (own !== undefined) return awaitAttached(own, pods, state, now);
  const others = state.attachments.filter(({ spec }) => spec.nodeName !== node);
  if (others.length > 0 && isExclusive(state.accessModes)) {
    const nodes = new Set(others.map(({ spec }) => spec.nodeName));
    const users = state.pods.filter(({ spec }) => nodes.has(spec.nodeName ?? ""));
    return { actions: failures(pods, (pod) => multiAttachMessage(state.name, pod, users)) };
  }
  return { actions: [{ type: "Attach", node, attachment: attachmentName(state.volume, node) }] };
}

const failures = (pods: readonly Pod[], text: (pod: Pod) => string): readonly AttachAction[] =>
  pods.map((pod) => ({ type: "Event", pod, of: "Warning", reason: "FailedAttachVolume", message: text(pod) }));

/** The attacher works on it: tells the pods what it reports, or that it does not answer. */
function awaitAttached(
  { metadata, status }: Attachment,
  pods: readonly Pod[],
  { name, volume }: VolumeState,
  now: Date,
): Plan<AttachAction> {
  // One that is being deleted is created again when it is gone.
  if (status?.attached || metadata.deletionTimestamp !== undefined) return { actions: [] };
  const failed = (why: string): Plan<AttachAction> => ({
    actions: failures(pods, () => `AttachVolume.Attach failed for volume "${name}" : ${why}`),
  });
  const error = status?.attachError?.message;
  if (error !== undefined) return failed(error);
  const leftMs = Date.parse(metadata.creationTimestamp) + maxAttachMs - now.getTime();
  if (leftMs > 0) return { actions: [], requeueAfterMs: leftMs };
  return failed(
    `timed out waiting for external-attacher of ${volume.driver} CSI driver to attach volume ${volume.handle}`,
  );
}

/** Whether the volume can be attached to one node only: no access mode allows several. */
const isExclusive = (accessModes: readonly string[]): boolean =>
  accessModes.length > 0 && !accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
