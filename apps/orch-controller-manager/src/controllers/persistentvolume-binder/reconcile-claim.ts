import {
  annotated,
  annotationOf,
  betaStorageProvisioner,
  bindCompleted,
  boundByController,
  type Claim,
  classNameOf,
  driverOfPlugin,
  findVolume,
  hasAnnotation,
  isBoundTo,
  mismatch,
  namesClass,
  type StorageClass,
  selectedNode,
  storageProvisioner,
  type Volume,
} from "@orchernetes/component-helpers";
import { noPlan, type Plan } from "@orchernetes/controller";
import { type BinderAction, bind, binderEvent, claimUnbound } from "./actions.ts";
import { migratedClaim } from "./migration.ts";

/** Everything that determines what to do for a claim. */
export interface ClaimState {
  readonly claim: Claim;
  /** The volume that the claim names, if it exists. */
  readonly named: Volume | undefined;
  /** Volumes of the claim's class, and those reserved for the claim. */
  readonly candidates: readonly Volume[];
  /** The class that the claim names, if it exists. */
  readonly storageClass: StorageClass | undefined;
  /** The default class, for claims that specify none. */
  readonly defaultClass: StorageClass | undefined;
  /** Names of the claim's pods that are not scheduled yet. */
  readonly waitingPods: readonly string[];
  readonly settings: ProvisionSettings;
}

/** The settings of provisioning. */
export interface ProvisionSettings {
  readonly enabled: boolean;
  /**
   * Whether a new default class is assigned to existing claims without a class (feature gate
   * RetroactiveDefaultStorageClass).
   */
  readonly retroactiveDefaultClass: boolean;
  /** Names of the provisioners in this program. */
  readonly plugins: ReadonlySet<string>;
}

/** Prefix of provisioners that are in-tree; all others are external. */
const ownPrefix = "orchernetes.io/";

/** Decides what to do for a claim. Pure. */
export function reconcileClaim(state: ClaimState): Plan<BinderAction> {
  const { claim } = state;
  const migrated = migratedClaim(claim);
  // The change leads to another decision.
  if (migrated !== claim) return { actions: [{ type: "UpdateClaim", claim: migrated }] };
  if (hasAnnotation(claim, bindCompleted)) return { actions: keepBound(state) };
  return claim.spec.volumeName ? { actions: bindNamed(state) } : bindAny(state);
}

/** A claim whose binding was completed stays with its volume, or is lost permanently. */
function keepBound({ claim, named }: ClaimState): readonly BinderAction[] {
  const lost = (reason: string, message: string): readonly BinderAction[] =>
    claimUnbound(claim, "Lost", { reason, message });
  if (!claim.spec.volumeName) {
    return lost("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  }
  if (named === undefined) {
    return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  }
  // The volume was unbound, or the cache does not contain the binding yet.
  const { claimRef } = named.spec;
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return bind(named, claim);
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

function bindNamed({ claim, named }: ClaimState): readonly BinderAction[] {
  const pending = claimUnbound(claim, "Pending");
  if (named === undefined) return pending;
  if (isBoundTo(named, claim)) return bind(named, claim);
  const { name } = named.metadata;
  if (named.spec.claimRef !== undefined) {
    const event = binderEvent(
      { claim },
      "Warning",
      "FailedBinding",
      `volume "${name}" already bound to a different claim.`,
    );
    // Something else has changed one side of our binding; do not override it.
    return hasAnnotation(claim, boundByController) ? [event] : [event, ...pending];
  }
  const why = mismatch(named, claim);
  if (why === undefined) return bind(named, claim);
  return [
    binderEvent({ claim }, "Warning", "VolumeMismatch", `Cannot bind to requested volume "${name}": ${why}`),
    ...pending,
  ];
}

function bindAny(state: ClaimState): Plan<BinderAction> {
  const { claim, candidates, storageClass, defaultClass, settings } = state;
  const delayed = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = findVolume(claim, candidates, delayed);
  if (volume !== undefined) return { actions: bind(volume, claim) };
  if (settings.retroactiveDefaultClass && defaultClass !== undefined && !namesClass(claim)) {
    const spec = { ...claim.spec, storageClassName: defaultClass.metadata.name };
    return { actions: [{ type: "UpdateClaim", claim: { ...claim, spec } }] };
  }
  const pending = claimUnbound(claim, "Pending");
  if (delayed && !hasAnnotation(claim, selectedNode)) return { actions: [waits(state), ...pending] };
  if (classNameOf(claim) !== "") return provision(state);
  const message = "no persistent volumes available for this claim and no storage class is set";
  return { actions: [binderEvent({ claim }, "Normal", "FailedBinding", message), ...pending] };
}

function waits({ claim, waitingPods }: ClaimState): BinderAction {
  if (waitingPods.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    return binderEvent({ claim }, "Normal", "WaitForFirstConsumer", message);
  }
  const noun = waitingPods.length === 1 ? "pod" : "pods";
  const message = `waiting for ${noun} ${waitingPods.join(",")} to be scheduled`;
  return binderEvent({ claim }, "Normal", "WaitForPodScheduled", message);
}

function provision({ claim, storageClass, settings }: ClaimState): Plan<BinderAction> {
  if (!settings.enabled) return noPlan;
  const failed = (message: string): Plan<BinderAction> => ({
    actions: [binderEvent({ claim }, "Warning", "ProvisioningFailed", message)],
  });
  if (storageClass === undefined) {
    return failed(`storageclass.storage.o8s.io "${classNameOf(claim)}" not found`);
  }
  // A driver provisions for the in-tree plugin whose work it took over.
  const provisioner = driverOfPlugin(storageClass.provisioner) ?? storageClass.provisioner;
  const isOwn = settings.plugins.has(provisioner);
  if (!isOwn && provisioner.startsWith(ownPrefix)) return failed(`no volume plugin matched name: ${provisioner}`);
  const asked = [storageProvisioner, betaStorageProvisioner].every((name) => annotationOf(claim, name) === provisioner);
  const marked = asked
    ? claim
    : annotated(claim, { [storageProvisioner]: provisioner, [betaStorageProvisioner]: provisioner });
  const mark: readonly BinderAction[] = asked ? [] : [{ type: "UpdateClaim", claim: marked }];
  if (isOwn) return { actions: [...mark, { type: "Provision", claim: marked, storageClass }] };
  const message = `waiting for a volume to be created, either by external provisioner "${provisioner}" or manually created by system administrator`;
  return { actions: [...mark, binderEvent({ claim }, "Normal", "ExternalProvisioning", message)] };
}
