import type { core, storage } from "@orchernetes/api";
import { equalJson, isAlreadyExists, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { isConditionTrue } from "@orchernetes/component-helpers";
import { inOrder, type WorkQueue } from "@orchernetes/controller";
import { defineController, type ManagerShell } from "../../shared/define-controller.ts";
import { pods as podsRef, volumeAttachments } from "../../shared/refs.ts";
import { type AttachView, createAttachView } from "./attach-view.ts";
import { AttachedReporter } from "./attached-reporter.ts";
import { csiVolumeOf } from "./names.ts";
import { type AttachAction, reconcileVolume, type VolumeState } from "./reconcile-volume.ts";

/** Settings of the controller. */
interface AttachSettings {
  /** Interval between comparisons of all volumes; undefined for none. */
  readonly syncPeriodMs: number | undefined;
}

/** Volumes, and nodes, that are synced concurrently. */
const workers = 10;

/**
 * Attaches volumes of CSI drivers to the nodes of the pods that use them, and detaches them from others, by
 * VolumeAttachments, on which the attacher of the driver acts. Nothing is kept in this process but since when volumes are
 * unused: a new manager continues from the attachments that there are.
 *
 * Source: "CSI" of the documentation, KEP-2268 (nodes out of service).
 */
export const attachDetachController = defineController<AttachSettings>({
  name: "attachdetach",
  serviceAccount: "attachdetach-controller",
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
  settings({ document: { AttachDetachController: section } }) {
    const { ReconcilerSyncLoopPeriod: periodMs, DisableAttachDetachReconcilerSync: isDisabled } = section;
    return { syncPeriodMs: isDisabled ? undefined : periodMs };
  },
  build(shell, { syncPeriodMs }) {
    const view = createAttachView(shell);
    const queue = shell.queue("attachdetach_volumes");
    const nodeQueue = shell.queue("attachdetach_nodes");
    const reporter = new AttachedReporter(shell.context.client, view);
    const unusedSinceMs = new Map<string, number>();
    followAttachments(shell, view, { queue, nodeQueue, reporter, unusedSinceMs });
    followUsers(view, queue);
    followNodes(view, { queue, nodeQueue });
    const all = (): void => {
      for (const volume of view.volumes.lister.list()) if (csiVolumeOf(volume)) queue.add(volume.metadata.name);
    };
    view.drivers.addHandler({ onAdd: all, onUpdate: all, onDelete: all });
    if (syncPeriodMs !== undefined) shell.every(syncPeriodMs, all);
    shell.loop<VolumeState, AttachAction>({
      name: "attachdetach volumes",
      queue,
      workers,
      gather(name) {
        const state = view.stateOf(name);
        return state && { ...state, unusedSinceMs };
      },
      reconcile: reconcileVolume,
      carryOut: carryOut(shell, { reporter, unusedSinceMs }),
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
  /** See {@link VolumeState}. */
  readonly unusedSinceMs: Map<string, number>;
}

interface Queues {
  readonly queue: WorkQueue;
  readonly nodeQueue: WorkQueue;
}

function carryOut(shell: ManagerShell, { reporter, unusedSinceMs }: Memory) {
  const { client, recorder, logger } = shell.context;
  const attachments = client.resource(volumeAttachments);
  /** The last event of each pod, so that each retry does not record it again. */
  const told = new WeakMap<Stored<core.Pod>, string>();
  return inOrder<AttachAction, VolumeState>({
    async Attach({ node, attachment }, { name, volume }) {
      const spec = { attacher: volume.driver, nodeName: node, source: { persistentVolumeName: name } };
      const body = { metadata: { name: attachment }, spec, status: { attached: false } };
      await attachments.create(body).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    },
    async Detach({ attachment: { metadata, spec }, forced }, { name }) {
      if (forced) logger.warn("Detaching a volume that the node may still use", { volume: name, node: spec.nodeName });
      await reporter.withdraw(metadata.uid, spec.nodeName);
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

/** Enqueues the volumes and nodes of changed attachments, and tells pods when their volumes are attached. */
function followAttachments(
  shell: ManagerShell,
  view: AttachView,
  { queue, nodeQueue, ...memory }: Queues & Memory,
): void {
  const enqueue = ({ spec }: storage.VolumeAttachment): void => {
    const { persistentVolumeName: name } = spec.source;
    if (name !== undefined) queue.add(name);
    nodeQueue.add(spec.nodeName);
  };
  view.attachments.addHandler({
    onAdd: enqueue,
    onUpdate(old, attachment) {
      enqueue(attachment);
      if (old.status?.attached || !attachment.status?.attached) return;
      const { nodeName, source } = attachment.spec;
      const name = source.persistentVolumeName ?? "";
      const users = view.stateOf(name)?.pods.filter(({ spec }) => spec.nodeName === nodeName) ?? [];
      const message = `AttachVolume.Attach succeeded for volume "${name}" `;
      for (const pod of users)
        shell.context.recorder.event(referenceTo(podsRef, pod), "Normal", "SuccessfulAttachVolume", message);
    },
    onDelete(attachment) {
      memory.reporter.forget(attachment.metadata.uid);
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
  volumes.addHandler({ onAdd: ofVolume, onUpdate: (_, volume) => ofVolume(volume) });
}

/** Enqueues the volumes of a node when it stops using some, is taken out of service, or changes its health. */
function followNodes({ nodes, attachmentsOn, volumesOf }: AttachView, { queue, nodeQueue }: Queues): void {
  const ofNode = ({ metadata: { name } }: Stored<core.Node>): void => {
    nodeQueue.add(name);
    for (const volume of volumesOf(name)) queue.add(volume);
    for (const { spec } of attachmentsOn(name)) {
      const { persistentVolumeName: volume } = spec.source;
      if (volume !== undefined) queue.add(volume);
    }
  };
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
