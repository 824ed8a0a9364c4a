import { type Draft, defineResource, type StrategyContext } from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { share } from "../../shared/drafts.ts";
import { formatAccessModes } from "./access-modes.ts";
import { defaultClaimSpec } from "./defaults/volumes.ts";
import { claimWarnings } from "./persistent-volume-warnings.ts";
import { classAnnotation } from "./rules/class-annotation.ts";
import { PersistentVolumeClaim, type PersistentVolumeClaimSpec } from "./types/persistent-volume-claim.ts";
import { validateClaim, validateClaimStatus, validateClaimUpdate } from "./validation/persistent-volume-claim.ts";

const snapshotGroup = "snapshot.storage.o8s.io";

function applyDefaults(claim: Draft<PersistentVolumeClaim>): void {
  defaultClaimSpec(claim.spec);
  claim.status ??= {};
  claim.status.phase ||= "Pending";
}

/**
 * Keeps `dataSource` and the newer `dataSourceRef` equal, as long as the source is in the claim's own namespace
 * (KEP-1495, KEP-3294).
 */
function mirrorDataSource(spec: Draft<PersistentVolumeClaimSpec>, ctx: StrategyContext): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) {
    const { apiGroup = "", kind } = dataSource;
    const known =
      (kind === "PersistentVolumeClaim" && apiGroup === "") ||
      (kind === "VolumeSnapshot" && apiGroup === snapshotGroup);
    if (known) {
      if (ctx.featureEnabled("AnyVolumeDataSource")) spec.dataSourceRef = { ...dataSource };
    } else {
      // In `dataSource`, unknown kinds have always been dropped silently; `dataSourceRef` keeps them for volume
      // populators.
      delete spec.dataSource;
    }
  } else if (
    dataSource === undefined &&
    dataSourceRef !== undefined &&
    !dataSourceRef.namespace &&
    ctx.featureEnabled("AnyVolumeDataSource")
  ) {
    const { namespace: _, ...local } = dataSourceRef;
    spec.dataSource = local;
  }
}

const isBound = ({ spec }: PersistentVolumeClaim): boolean => Boolean(spec.volumeName);

/** `v1` persistent volume claims. */
export const persistentVolumeClaims = defineResource<PersistentVolumeClaim>({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  singular: "persistentvolumeclaim",
  shortNames: ["pvc"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: PersistentVolumeClaim,
  storagePrefix: "/registry/persistentvolumeclaims",
  applyDefaults,
  strategy: {
    prepareForCreate: (claim, ctx) => {
      claim.status = { phase: "Pending" };
      mirrorDataSource(claim.spec, ctx);
    },
    validate: (claim, ctx) => validateClaim(claim, ctx),
    prepareForUpdate: (claim, old, ctx) => {
      claim.status = share(old.status);
      if (claim.spec.dataSource !== undefined || old.spec.dataSourceRef !== undefined) {
        mirrorDataSource(claim.spec, ctx);
      }
    },
    validateUpdate: validateClaimUpdate,
    warnings: claimWarnings,
    returnDeletedObject: true,
  },
  columns: [
    name(),
    column("Status", "string", "Pending, Bound or Lost.", ({ metadata, status }) =>
      metadata.deletionTimestamp ? "Terminating" : (status.phase ?? ""),
    ),
    column("Volume", "string", "The volume it is bound to.", ({ spec }) => spec.volumeName ?? ""),
    column("Capacity", "string", "Size of that volume.", (claim) =>
      isBound(claim) ? (claim.status.capacity?.storage ?? "") : "",
    ),
    column("Access Modes", "string", "Ways in which it can be mounted.", (claim) =>
      isBound(claim) ? formatAccessModes(claim.status.accessModes) : "",
    ),
    column("StorageClass", "string", "Requested storage class.", ({ metadata, spec }) => {
      return metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "";
    }),
    age(),
    column("VolumeMode", "string", "Block device or file system.", ({ spec }) => spec.volumeMode ?? "<unset>", 1),
  ],
  fieldSelectors: ["name"],
  selectableFields: ({ metadata }) => ({ name: metadata.name ?? "" }),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (claim, old) => {
          claim.spec = share(old.spec);
        },
        validateUpdate: (claim, _, ctx) => validateClaimStatus(claim, ctx),
      },
    },
  },
});
