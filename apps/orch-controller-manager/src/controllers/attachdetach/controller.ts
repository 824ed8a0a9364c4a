import type { core, storage } from "@orchernetes/api";
import { equalJson, isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { isConditionTrue } from "@orchernetes/component-helpers";
import { inOrder, type WorkQueue } from "@orchernetes/controller";
import { defineController, type ManagerShell } from "../../shared/define-controller.ts";
import { pods as podsRef, volumeAttachments } from "../../shared/refs.ts";
import { AttachMetrics } from "./attach-metrics.ts";
import { type AttachView, createAttachView } from "./attach-view.ts";
import { AttachedReporter } from "./attached-reporter.ts";
import { keyOfAttachment } from "./attachments.ts";
import { uniqueVolumeName } from "./names.ts";
import { type AttachAction, reconcileVolume, type VolumeState } from "./reconcile-volume.ts";
import { inlineVolumesOf } from "./volumes-of-pods.ts";

/** Settings of the controller. */
interface AttachSettings {
  /** Interval between comparisons of all volumes; undefined for none. */
  readonly syncPeriodMs: number | undefined;
  /** See {@link VolumeState.honorsOutOfService}. */
  readonly honorsOutOfService: boolean;
}

/** Volumes, and nodes, that are synced concurrently. */
const workers = 10;

/**
 * Attaches volumes of CSI drivers to the nodes of the pods that use them, and detaches them from others, by
 * VolumeAttachments, on which the attacher of the driver acts. Volumes of in-tree kinds that were migrated to drivers are
 * translated for them, on nodes whose agents do the same. Nothing is kept in this process but since when volumes are
 * unused: a new manager continues from the attachments that there are.
 *
 * Source: "CSI" of the documentation, KEP-2268 (nodes out of service).
 */
export const attachDetachController = defineController<AttachSettings>({
  name: "attachdetach",
  serviceAccount: "attachdetach-controller",
  gates: ["NodeOutOfServiceVolumeDetach"],
  flags: flagSection("Attach detach controller", {
    "attach-detach-reconcile-sync-period": {
      field: "AttachDetachController.ReconcilerSyncLoopPeriod",
      type: "duration",
      default: "1m0s",
      min: 1001,
      help: "Interval between comparisons of attached volumes with desired ones; must be longer than one second.",
    },
    "disable-attach-detach-reconcile-sync": {
      field: "AttachDetachController.DisableAttachDetachReconcilerSync",
      type: "bool",
      default: false,
      help: "Disables comparisons of attached volumes with desired ones; pods may then keep stale volumes.",
    },
  }),
  settings({ document: { AttachDetachController: section }, gates }) {
    const { ReconcilerSyncLoopPeriod: periodMs, DisableAttachDetachReconcilerSync: isDisabled } = section;
    return {
      syncPeriodMs: isDisabled ? undefined : periodMs,
      honorsOutOfService: gates.enabled("NodeOutOfServiceVolumeDetach"),
    };
  },
  build(shell, { syncPeriodMs, honorsOutOfService }) {
    const view = createAttachView(shell);
    const queue = shell.queue("attachdetach_volumes");
    const nodeQueue = shell.queue("attachdetach_nodes");
    const reporter = new AttachedReporter(shell.context.client, view);
    const metrics = new AttachMetrics(shell.context.metrics, shell.context.clock, view);
    const memory: Memory = { reporter, metrics, unusedSinceMs: new Map() };
    followAttachments(shell, view, { queue, nodeQueue, ...memory });
    followUsers(view, queue);
    followNodes(view, { queue, nodeQueue });
    const all = (): void => {
      for (const { metadata } of view.volumes.lister.list()) queue.add(metadata.name);
      for (const attachment of view.attachments.lister.list()) enqueueAttachment(attachment, queue);
      for (const pod of view.pods.lister.list()) for (const { key } of inlineVolumesOf(pod)) queue.add(key);
    };
    view.drivers.addHandler({ onAdd: all, onUpdate: all, onDelete: all });
    if (syncPeriodMs !== undefined) shell.every(syncPeriodMs, all);
    shell.loop<VolumeState, AttachAction>({
      name: "attachdetach volumes",
      queue,
      workers,
      gather(name) {
        const state = view.stateOf(name);
        return state && { ...state, unusedSinceMs: memory.unusedSinceMs, honorsOutOfService };
      },
      reconcile: reconcileVolume,
      carryOut: carryOut(shell, memory),
    });
    shell.loop<string, { readonly type: "Report" }>({
      name: "attachdetach nodes",
      queue: nodeQueue,
      workers,
      gather: (name) => name,
      reconcile: () => ({ actions: [{ type: "Report" }] }),
      carryOut: inOrder<{ readonly type: "Report" }, string>({ Report: (_, name) => reporter.report(name) }),
    });
  },
});

interface Memory {
  readonly reporter: AttachedReporter;
  readonly metrics: AttachMetrics;
  /** See {@link VolumeState}. */
  readonly unusedSinceMs: Map<string, number>;
}

interface Queues {
  readonly queue: WorkQueue;
  readonly nodeQueue: WorkQueue;
}

function carryOut(shell: ManagerShell, { reporter, metrics, unusedSinceMs }: Memory) {
  const { client, recorder, logger } = shell.context;
  const attachments = client.resource(volumeAttachments);
  /** The last event of each pod, so that each retry does not record it again. */
  const told = new WeakMap<Stored<core.Pod>, string>();
  return inOrder<AttachAction, VolumeState>({
    async Attach({ node, attachment }, { source, volume, migrated }) {
      const spec = { attacher: volume.driver, nodeName: node, source };
      const body = { metadata: { name: attachment }, spec, status: { attached: false } };
      metrics.attaching(attachment, volume.driver, migrated);
      await attachments.create(body).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    },
    async Detach({ attachment: { metadata, spec }, forced }, { name, migrated, volume }) {
      if (forced !== undefined)
        logger.warn("Detaching a volume that the node may still use", { volume: name, node: spec.nodeName });
      const inUse = await reporter.withdraw(metadata.uid, spec.nodeName);
      // The agent may have reported the volume, for a new pod, before it could know of the withdrawal.
      if (forced === undefined && inUse.includes(uniqueVolumeName(volume))) {
        reporter.forget(metadata.uid);
        await reporter.report(spec.nodeName);
        throw new Error(`the volume "${name}" is still in use by the node, according to Node status`);
      }
      metrics.detaching(metadata.name, spec.attacher, migrated, forced === "timeout");
      await attachments.delete(metadata.name, { preconditions: { uid: metadata.uid } }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
    SetUnused({ attachment, sinceMs }) {
      if (sinceMs === undefined) unusedSinceMs.delete(attachment.metadata.uid);
      else unusedSinceMs.set(attachment.metadata.uid, sinceMs);
    },
    Event({ pod, of, reason, message }) {
      if (told.get(pod) === message) return;
      told.set(pod, message);
      recorder.event(referenceTo(podsRef, pod), of, reason, message);
    },
  });
}

function enqueueAttachment(attachment: storage.VolumeAttachment, queue: WorkQueue): void {
  const key = keyOfAttachment(attachment);
  if (key !== undefined) queue.add(key);
}

/** Enqueues the volumes and nodes of changed attachments, and tells pods when their volumes are attached. */
function followAttachments(
  shell: ManagerShell,
  view: AttachView,
  { queue, nodeQueue, ...memory }: Queues & Memory,
): void {
  const enqueue = (attachment: storage.VolumeAttachment): void => {
    enqueueAttachment(attachment, queue);
    nodeQueue.add(attachment.spec.nodeName);
  };
  view.attachments.addHandler({
    onAdd: enqueue,
    onUpdate(old, attachment) {
      enqueue(attachment);
      memory.metrics.changed(old, attachment);
      if (old.status?.attached || !attachment.status?.attached) return;
      const { nodeName } = attachment.spec;
      const state = view.stateOf(keyOfAttachment(attachment) ?? "");
      const users = state?.pods.filter(({ spec }) => spec.nodeName === nodeName) ?? [];
      const message = `AttachVolume.Attach succeeded for volume "${state?.name}" `;
      for (const pod of users)
        shell.context.recorder.event(referenceTo(podsRef, pod), "Normal", "SuccessfulAttachVolume", message);
    },
    onDelete(attachment) {
      memory.reporter.forget(attachment.metadata.uid);
      memory.metrics.gone(attachment.metadata.name);
      memory.unusedSinceMs.delete(attachment.metadata.uid);
      enqueue(attachment);
    },
  });
}

/** Enqueues the volumes of changed pods and claims. */
function followUsers({ pods, claims, volumes, volumesOfPod }: AttachView, queue: WorkQueue): void {
  const ofPod = (pod: Stored<core.Pod>): void => {
    if (pod.spec.nodeName) for (const name of volumesOfPod(pod)) queue.add(name);
  };
  pods.addHandler({ onAdd: ofPod, onUpdate: (_, pod) => ofPod(pod), onDelete: ofPod });
  const ofClaim = ({ spec }: core.PersistentVolumeClaim): void => {
    if (spec.volumeName) queue.add(spec.volumeName);
  };
  claims.addHandler({ onAdd: ofClaim, onUpdate: (_, claim) => ofClaim(claim), onDelete: ofClaim });
  const ofVolume = ({ metadata }: Stored<core.PersistentVolume>): void => queue.add(metadata.name);
  volumes.addHandler({ onAdd: ofVolume, onUpdate: (_, volume) => ofVolume(volume), onDelete: ofVolume });
}

/** Enqueues the volumes of a node when it stops using some, is taken out of service, or changes its health. */
function followNodes({ nodes, csiNodes, attachmentsOn, volumesOf }: AttachView, { queue, nodeQueue }: Queues): void {
  const ofNode = ({ metadata: { name } }: Stored<core.Node | storage.CSINode>): void => {
    nodeQueue.add(name);
    for (const volume of volumesOf(name)) queue.add(volume);
    for (const attachment of attachmentsOn(name)) enqueueAttachment(attachment, queue);
  };
  // What drivers a node has, and which plugins were migrated there.
  csiNodes.addHandler({ onAdd: ofNode, onUpdate: (_, node) => ofNode(node), onDelete: ofNode });
  const relevant = ({ metadata, spec, status }: Stored<core.Node>): unknown => [
    metadata.annotations ?? {},
    spec.taints ?? [],
    status.volumesInUse ?? [],
    status.volumesAttached ?? [],
    isConditionTrue(status.conditions, "Ready"),
  ];
  nodes.addHandler({
    onAdd: ofNode,
    onUpdate: (old, node) => !equalJson(relevant(old), relevant(node)) && ofNode(node),
    onDelete: ofNode,
  });
}
