import type { core, storage } from "@orchernetes/api";
import { isNotFound, keyOf } from "@orchernetes/apimachinery";
import type { Indexers, Informer } from "@orchernetes/client";
import {
  bindCompleted,
  type Claim,
  claimKeyOf,
  classNameOf,
  hasAnnotation,
  isPodTerminal,
  type Volume,
} from "@orchernetes/component-helpers";
import type { ManagerShell } from "../../shared/define-controller.ts";
import { claimIndex, claimIndexers } from "../../shared/pod-claims.ts";
import { persistentVolumeClaims, persistentVolumes, pods as podsRef, storageClasses } from "../../shared/refs.ts";
import { defaultClassOf } from "./default-class.ts";
import { type Latest, latestOf } from "./latest.ts";
import type { ClaimState, ProvisionSettings } from "./reconcile-claim.ts";
import type { VolumeState } from "./reconcile-volume.ts";

/** The caches of the binder, and the state of single claims and volumes. */
export interface BinderView {
  readonly volumes: Informer<core.PersistentVolume>;
  readonly claims: Informer<core.PersistentVolumeClaim>;
  readonly classes: Informer<storage.StorageClass>;
  /** Indexed by the claims that they use. */
  readonly pods: Informer<core.Pod>;
  readonly latestVolumes: Latest<core.PersistentVolume>;
  readonly latestClaims: Latest<core.PersistentVolumeClaim>;
  /** Claims of a class ("" for none) whose binding is not completed. */
  unbound(className: string): readonly Claim[];
  /** Everything that determines what to do for a claim; undefined if it does not exist. */
  claimState(key: string): ClaimState | undefined;
  /** Everything that determines what to do for a volume; undefined if it does not exist. @throws ApiError */
  volumeState(name: string): Promise<VolumeState | undefined>;
}

/** The settings that are part of the states. */
export interface ViewSettings extends ProvisionSettings {
  /** See {@link VolumeState.protects}. */
  readonly honorsReclaimPolicy: boolean;
}

/** Index of volumes by class. */
const classIndex = "storageClass";
/** Index of volumes by the key of the claim they are for. */
const claimedIndex = "claim";
/** Index of claims that are not bound yet, by class. */
const unboundIndex = "unboundOfClass";

const volumeIndexers: Indexers<core.PersistentVolume> = { [classIndex]: classNameOf, [claimedIndex]: claimKeyOf };
const unboundIndexers: Indexers<core.PersistentVolumeClaim> = {
  [unboundIndex]: (claim) => (hasAnnotation(claim, bindCompleted) ? undefined : classNameOf(claim)),
};

/** Creates the view. Must be called before the informers start. */
export function createBinderView(shell: ManagerShell, settings: ViewSettings): BinderView {
  const { client } = shell.context;
  const volumes = shell.informer(persistentVolumes, volumeIndexers);
  const claims = shell.informer(persistentVolumeClaims, unboundIndexers);
  const classes = shell.informer(storageClasses);
  const pods = shell.informer(podsRef, claimIndexers);
  const latestVolumes = latestOf(volumes);
  const latestClaims = latestOf(claims);

  const candidatesFor = (claim: Claim): readonly Volume[] => {
    const found = new Map<string, Volume>();
    const reserved = volumes.lister.byIndex(claimedIndex, keyOf(claim));
    for (const cached of [...reserved, ...volumes.lister.byIndex(classIndex, classNameOf(claim))]) {
      found.set(cached.metadata.name, latestVolumes.of(cached));
    }
    return [...found.values()];
  };

  const claimState = (key: string): ClaimState | undefined => {
    const claim = latestClaims.byKey(key);
    if (claim === undefined) return undefined;
    const { volumeName } = claim.spec;
    const named = volumeName ? latestVolumes.byKey(volumeName) : undefined;
    const state = { claim, named, candidates: [], storageClass: undefined, defaultClass: undefined, waitingPods: [] };
    // The rest matters only for claims that may be bound to any volume.
    if (volumeName || hasAnnotation(claim, bindCompleted)) return { ...state, settings };
    const waiting = pods.lister.byIndex(claimIndex, key).filter((pod) => !pod.spec.nodeName && !isPodTerminal(pod));
    return {
      ...state,
      candidates: candidatesFor(claim),
      storageClass: classes.lister.byKey(classNameOf(claim)),
      defaultClass: defaultClassOf(classes.lister.list()),
      waitingPods: waiting.map(({ metadata }) => metadata.name).sort(),
      settings,
    };
  };

  /**
   * The claim that a volume refers to. If the cache does not have it, the server is asked: a wrong result would delete
   * data.
   */
  const claimOf = async ({ spec: { claimRef }, status }: Volume): Promise<Claim | undefined> => {
    if (!claimRef?.uid) return undefined;
    const { namespace = "", name = "", uid } = claimRef;
    const cached = latestClaims.byKey(`${namespace}/${name}`);
    if (cached?.metadata.uid === uid) return cached;
    const isKnownReleased = status?.phase === "Released" || status?.phase === "Failed";
    if (cached === undefined && isKnownReleased) return undefined;
    const resource = client.resource(persistentVolumeClaims).namespace(namespace);
    const fresh = await resource.get(name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    return fresh?.metadata.uid === uid ? fresh : undefined;
  };

  return {
    volumes,
    claims,
    classes,
    pods,
    latestVolumes,
    latestClaims,
    unbound: (className) => claims.lister.byIndex(unboundIndex, className),
    claimState,
    async volumeState(name) {
      const volume = latestVolumes.byKey(name);
      if (volume === undefined) return undefined;
      return { volume, claim: await claimOf(volume), protects: settings.honorsReclaimPolicy };
    },
  };
}
