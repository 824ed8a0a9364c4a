import { keyOf } from "@orchernetes/apimachinery";
import { claimKeyOf } from "@orchernetes/component-helpers";
import type { WorkQueue } from "@orchernetes/controller";
import { assertNever } from "@orchernetes/kernel";
import { defineController } from "../../shared/define-controller.ts";
import type { BinderAction } from "./actions.ts";
import { countVolumes, OperationTimes, timedPlugins } from "./binder-metrics.ts";
import { type BinderView, createBinderView } from "./binder-view.ts";
import { createOperations } from "./operations.ts";
import { performer } from "./perform.ts";
import { volumePlugins } from "./plugins/index.ts";
import { provision } from "./provision.ts";
import { reclaim } from "./reclaim.ts";
import { type ClaimState, reconcileClaim } from "./reconcile-claim.ts";
import { reconcileVolume, type VolumeState } from "./reconcile-volume.ts";
import { volumeFlags, volumeSettings } from "./settings.ts";
import { type ClaimWaker, createClaimWaker } from "./wake-claims.ts";

/** Volumes that are reclaimed at a time: each may wait for the agent of its node, or for a pod. */
const maxReclaims = 70;
/** Claims for which volumes are created at a time. */
const maxProvisions = 30;

/**
 * Binds persistent volumes and claims, provisions volumes, and reclaims volumes whose claims are deleted.
 *
 * Volumes and claims have separate queues with one worker each: concurrent decisions could bind one volume to two
 * claims. Long operations (provisioning, deleting, recycling) run outside the workers. Reads include the controller's
 * own writes, so that no decision is made twice while the watch lags.
 *
 * Source: "Persistent Volumes" of the documentation.
 */
export const persistentVolumeBinderController = defineController({
  name: "persistentvolume-binder",
  serviceAccount: "persistent-volume-binder",
  eventSource: "persistentvolume-controller",
  gates: ["HonorPVReclaimPolicy", "RetroactiveDefaultStorageClass"],
  flags: volumeFlags,
  settings: volumeSettings,
  build(shell, settings) {
    const { client, clock, logger, metrics, recorder, signal } = shell.context;
    const volumeQueue = shell.queue("volumes");
    const claimQueue = shell.queue("claims");
    // Each kind has its own limit: volumes of nodes that do not answer keep no claim from getting one.
    const reclaims = createOperations({ clock, logger, signal, maxConcurrent: maxReclaims });
    const provisions = createOperations({ clock, logger, signal, maxConcurrent: maxProvisions });
    shell.after(async () => void (await Promise.all([reclaims.settled(), provisions.settled()])));
    const plugins = timedPlugins(volumePlugins(settings, { client, clock, signal }), { metrics, clock });
    const times = new OperationTimes({ metrics, clock });
    const view = createBinderView(shell, {
      enabled: settings.dynamicProvisioning,
      retroactiveDefaultClass: settings.retroactiveDefaultClass,
      honorsReclaimPolicy: settings.honorsReclaimPolicy,
      plugins: new Set(plugins.flatMap((plugin) => (plugin.provision === undefined ? [] : [plugin.name]))),
    });
    const waker = createClaimWaker({
      unbound: view.unbound,
      classByName: (name) => view.classes.lister.byKey(name),
      queue: (key) => claimQueue.add(key),
    });
    countVolumes(metrics, view, plugins);
    followVolumes(view, waker, volumeQueue, claimQueue);
    view.volumes.addHandler({ onDelete: ({ metadata }) => times.ended(metadata.name) });
    view.claims.addHandler({ onDelete: (claim) => times.forget(keyOf(claim)) });
    shell.every(settings.syncPeriodMs, () => {
      for (const { metadata } of view.volumes.lister.list()) volumeQueue.add(metadata.name);
      for (const claim of view.claims.lister.list()) claimQueue.add(keyOf(claim));
    });

    const carryOut = performer({
      client,
      recorder,
      volumes: view.latestVolumes,
      claims: view.latestClaims,
      start(action) {
        const deps = { client, plugins, perform: carryOut, clock, signal };
        switch (action.type) {
          case "Reclaim": {
            const { name, uid } = action.volume.metadata;
            const { pods, latestClaims } = view;
            const work = () => reclaim(action.volume, { ...deps, pods, claimByKey: latestClaims.byKey });
            return reclaims.start(`reclaim ${name} [${uid}]`, times.counted(name, work));
          }
          case "Provision": {
            const { claim, storageClass } = action;
            const key = keyOf(claim);
            const work = () => provision(claim, storageClass, deps);
            return provisions.start(`provision ${key} [${claim.metadata.uid}]`, times.counted(key, work));
          }
          case "SyncClaim":
            return claimQueue.add(claimKeyOf(action.volume) ?? "");
          default:
            return assertNever(action);
        }
      },
    });
    shell.loop<VolumeState, BinderAction>({
      name: "persistentvolume-binder volumes",
      queue: volumeQueue,
      workers: 1,
      gather: view.volumeState,
      reconcile: reconcileVolume,
      carryOut: times.timed(carryOut),
    });
    shell.loop<ClaimState, BinderAction>({
      name: "persistentvolume-binder claims",
      queue: claimQueue,
      workers: 1,
      gather(key) {
        waker.seen(key);
        return view.claimState(key);
      },
      reconcile: reconcileClaim,
      carryOut: times.timed(carryOut),
    });
  },
});

/** Enqueues changed volumes and claims, and claims that a changed volume or class may suit. */
function followVolumes(view: BinderView, waker: ClaimWaker, volumeQueue: WorkQueue, claimQueue: WorkQueue): void {
  view.volumes.addHandler({
    onAdd: (volume) => volumeQueue.add(volume.metadata.name),
    onUpdate(old, volume) {
      volumeQueue.add(volume.metadata.name);
      const { phase } = volume.status ?? {};
      if (phase === "Available" && old.status?.phase !== phase) waker.volumeAvailable(volume);
    },
    onDelete(volume) {
      const key = claimKeyOf(volume);
      if (key !== undefined) claimQueue.add(key);
    },
  });
  view.claims.addHandler({
    onAdd: (claim) => claimQueue.add(keyOf(claim)),
    onUpdate: (_, claim) => claimQueue.add(keyOf(claim)),
    // Releases the volume at once, and not at the next periodic sync.
    onDelete: ({ spec }) => spec.volumeName && volumeQueue.add(spec.volumeName),
  });
  view.classes.addHandler({ onAdd: waker.classChanged, onUpdate: (_, changed) => waker.classChanged(changed) });
}
