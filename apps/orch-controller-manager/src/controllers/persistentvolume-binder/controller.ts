import { keyOf } from "@orchernetes/apimachinery";
import { runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import type { BinderAction } from "./actions.ts";
import { createBinderView } from "./binder-view.ts";
import { claimKeyOf } from "./binding/volumes-and-claims.ts";
import { createOperations } from "./operations.ts";
import { performer } from "./perform.ts";
import { volumePlugins } from "./plugins/index.ts";
import { provision } from "./provision.ts";
import { reclaim } from "./reclaim.ts";
import { type ClaimState, reconcileClaim } from "./reconcile-claim.ts";
import { reconcileVolume, type VolumeState } from "./reconcile-volume.ts";
import { createClaimWaker } from "./wake-claims.ts";

/** Brings persistent volumes and the claims for them together, and reclaims volumes that nobody claims any more. */
export const persistentVolumeBinderController: ControllerDescriptor = {
  name: "persistentvolume-binder",
  serviceAccount: "persistent-volume-binder",
  eventSource: "persistentvolume-controller",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, informers, logger, recorder, signal, queueMetrics: metrics } = context;
  const { volumes: settings } = context.config;
  const volumeQueue = new WorkQueue({ name: "volumes", clock, metrics });
  const claimQueue = new WorkQueue({ name: "claims", clock, metrics });
  const operations = createOperations({ clock, logger });
  const plugins = volumePlugins(settings);
  const view = createBinderView(client, informers, {
    enabled: settings.dynamicProvisioning,
    retroactiveDefaultClass: settings.retroactiveDefaultClass,
    plugins: new Set(plugins.flatMap((plugin) => (plugin.provision === undefined ? [] : [plugin.name]))),
  });
  const { volumes, claims, classes, pods } = view;
  const { byKey: claimByKey } = view.latestClaims;

  const perform = performer({
    client,
    recorder,
    volumes: view.latestVolumes,
    claims: view.latestClaims,
    start(action) {
      switch (action.type) {
        case "Reclaim": {
          const { volume } = action;
          const { name, uid } = volume.metadata;
          const deps = { client, plugins, pods, claimByKey, perform, signal };
          return operations.start(`reclaim ${name} [${uid}]`, () => reclaim(volume, deps));
        }
        case "Provision": {
          const { claim, storageClass } = action;
          const deps = { client, plugins, perform, clock, signal };
          const name = `provision ${keyOf(claim)} [${claim.metadata.uid}]`;
          return operations.start(name, () => provision(claim, storageClass, deps));
        }
        case "SyncClaim":
          return claimQueue.add(claimKeyOf(action.volume) ?? "");
      }
    },
  });

  const waker = createClaimWaker({
    unbound: view.unbound,
    classByName: (name) => classes.lister.byKey(name),
    queue: (key) => claimQueue.add(key),
  });
  volumes.addHandler({
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
  claims.addHandler({
    onAdd: (claim) => claimQueue.add(keyOf(claim)),
    onUpdate: (_, claim) => claimQueue.add(keyOf(claim)),
    // The volume is released at once, not at the next look at everything.
    onDelete: ({ spec }) => spec.volumeName && volumeQueue.add(spec.volumeName),
  });
  classes.addHandler({ onAdd: waker.classChanged, onUpdate: (_, changed) => waker.classChanged(changed) });

  await view.waitForSync(signal);
  const lookAtAll = (): void => {
    for (const { metadata } of volumes.lister.list()) volumeQueue.add(metadata.name);
    for (const claim of claims.lister.list()) claimQueue.add(keyOf(claim));
  };
  const resync = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(settings.syncPeriodMs, signal).catch(() => undefined);
      if (!signal.aborted) lookAtAll();
    }
  };
  const options = { signal, logger, clock };
  await Promise.all([
    resync(),
    runController<VolumeState, BinderAction>(
      {
        name: "persistentvolume-binder volumes",
        queue: volumeQueue,
        workers: 1,
        gather: view.volumeState,
        reconcile: reconcileVolume,
        carryOut: perform,
      },
      options,
    ),
    runController<ClaimState, BinderAction>(
      {
        name: "persistentvolume-binder claims",
        queue: claimQueue,
        workers: 1,
        gather(key) {
          waker.seen(key);
          return view.claimState(key);
        },
        reconcile: reconcileClaim,
        carryOut: perform,
      },
      options,
    ),
  ]);
  await operations.settled();
}
