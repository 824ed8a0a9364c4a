import type { core } from "@orchernetes/api";
import { isNotFound, keyOf } from "@orchernetes/apimachinery";
import type { Indexers } from "@orchernetes/client";
import { isPodTerminal, runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { claimIndex, claimIndexers } from "../../shared/pod-claims.ts";
import { persistentVolumeClaims, persistentVolumes, pods as podsRef, storageClasses } from "../../shared/refs.ts";
import type { BinderAction } from "./actions.ts";
import {
  bindCompleted,
  type Claim,
  claimKeyOf,
  classNameOf,
  hasAnnotation,
  type Volume,
} from "./binding/volumes-and-claims.ts";
import { defaultClassOf } from "./default-class.ts";
import { latestOf } from "./latest.ts";
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

/** Index of volumes by class. */
const classIndex = "storageClass";
/** Index of volumes by the key of the claim they are for. */
const claimedIndex = "claim";
/** Index of claims that are not bound yet, by class. */
const unboundIndex = "unboundOfClass";

const volumeIndexers: Indexers<core.PersistentVolume> = { [classIndex]: classNameOf, [claimedIndex]: claimKeyOf };
const claimIndexersByClass: Indexers<core.PersistentVolumeClaim> = {
  [unboundIndex]: (claim) => (hasAnnotation(claim, bindCompleted) ? undefined : classNameOf(claim)),
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, config, informers, logger, recorder, signal, queueMetrics: metrics } = context;
  const { volumes: settings } = config;
  const volumeQueue = new WorkQueue({ name: "volumes", clock, metrics });
  const claimQueue = new WorkQueue({ name: "claims", clock, metrics });
  const volumes = informers.informer(persistentVolumes, volumeIndexers);
  const claims = informers.informer(persistentVolumeClaims, claimIndexersByClass);
  const classes = informers.informer(storageClasses);
  const pods = informers.informer(podsRef, claimIndexers);
  const latestVolumes = latestOf(volumes);
  const latestClaims = latestOf(claims);
  const operations = createOperations({ clock, logger });
  const plugins = volumePlugins(settings);
  const provisioning = {
    enabled: settings.dynamicProvisioning,
    retroactiveDefaultClass: settings.retroactiveDefaultClass,
    plugins: new Set(plugins.flatMap((plugin) => (plugin.provision === undefined ? [] : [plugin.name]))),
  };

  const perform = performer({
    client,
    recorder,
    volumes: latestVolumes,
    claims: latestClaims,
    start(action) {
      switch (action.type) {
        case "Reclaim": {
          const { volume } = action;
          const { name, uid } = volume.metadata;
          const { byKey: claimByKey } = latestClaims;
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
    unbound: (className) => claims.lister.byIndex(unboundIndex, className),
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

  const candidatesFor = (claim: Claim): readonly Volume[] => {
    const found = new Map<string, Volume>();
    const reserved = volumes.lister.byIndex(claimedIndex, keyOf(claim));
    for (const cached of [...reserved, ...volumes.lister.byIndex(classIndex, classNameOf(claim))]) {
      found.set(cached.metadata.name, latestVolumes.of(cached));
    }
    return [...found.values()];
  };
  const gatherClaim = (key: string): ClaimState | undefined => {
    waker.seen(key);
    const claim = latestClaims.byKey(key);
    if (claim === undefined) return undefined;
    const { volumeName } = claim.spec;
    const isOpen = !hasAnnotation(claim, bindCompleted) && !volumeName;
    const waiting = isOpen
      ? pods.lister.byIndex(claimIndex, key).filter((pod) => !pod.spec.nodeName && !isPodTerminal(pod))
      : [];
    return {
      claim,
      named: volumeName ? latestVolumes.byKey(volumeName) : undefined,
      candidates: isOpen ? candidatesFor(claim) : [],
      storageClass: isOpen ? classes.lister.byKey(classNameOf(claim)) : undefined,
      defaultClass: isOpen ? defaultClassOf(classes.lister.list()) : undefined,
      waitingPods: waiting.map(({ metadata }) => metadata.name).sort(),
      settings: provisioning,
    };
  };

  /** The claim that a volume refers to. That it is gone, or another, is believed only of the server itself. */
  const claimOf = async ({ spec: { claimRef }, status }: Volume): Promise<Claim | undefined> => {
    if (!claimRef?.uid) return undefined;
    const { namespace = "", name = "", uid } = claimRef;
    const cached = latestClaims.byKey(`${namespace}/${name}`);
    if (cached?.metadata.uid === uid) return cached;
    const isKnownReleased = status?.phase === "Released" || status?.phase === "Failed";
    if (cached === undefined && isKnownReleased) return undefined;
    const fresh = await client
      .resource(persistentVolumeClaims)
      .namespace(namespace)
      .get(name)
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    return fresh?.metadata.uid === uid ? fresh : undefined;
  };
  const gatherVolume = async (key: string): Promise<VolumeState | undefined> => {
    const volume = latestVolumes.byKey(key);
    return volume === undefined ? undefined : { volume, claim: await claimOf(volume) };
  };

  await Promise.all([volumes, claims, classes, pods].map((informer) => informer.waitForSync(signal)));
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
        gather: gatherVolume,
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
        gather: gatherClaim,
        reconcile: reconcileClaim,
        carryOut: perform,
      },
      options,
    ),
  ]);
  await operations.settled();
}
