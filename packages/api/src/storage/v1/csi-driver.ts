import { type Draft, defineResource, type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { booleanColumn } from "../../meta/string-columns.ts";
import { allVerbs } from "../../meta/verbs.ts";
import { age, column, immutable, name } from "../../shared/index.ts";
import { CSIDriver, type TokenRequest } from "./types/csi-driver.ts";

const lifecycleModes = ["Persistent", "Ephemeral"];
const fsGroupPolicies = ["ReadWriteOnceWithFSType", "File", "None"];
const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

function validateCSIDriver({ metadata, spec }: CSIDriver): FieldError[] {
  const path = field("spec");
  const errors: FieldError[] = [];
  validateCsiDriverName(metadata.name ?? "", field("name"), errors);
  for (const part of ["attachRequired", "podInfoOnMount"] as const) {
    if (spec[part] === undefined) {
      errors.push(field.required(path.child(part)));
    }
  }
  const modes = validateModes(spec.volumeLifecycleModes ?? [], path.child("volumeLifecycleModes"));
  // Clients have always found a wrong mode among the causes twice.
  errors.push(...modes, ...modes);
  const policy = spec.fsGroupPolicy;
  if (policy === undefined) {
    errors.push(field.required(path.child("fsGroupPolicy")));
  } else if (!fsGroupPolicies.includes(policy)) {
    errors.push(field.notSupported(path.child("fsGroupPolicy"), policy, fsGroupPolicies));
  }
  return [...errors, ...validateTokenRequests(spec.tokenRequests ?? [], path.child("tokenRequests"))];
}

function validateModes(modes: readonly string[], path: FieldPath): FieldError[] {
  return modes
    .filter((mode) => !lifecycleModes.includes(mode))
    .map((mode) => field.notSupported(path, mode, lifecycleModes));
}

function validateTokenRequests(requests: readonly TokenRequest[], path: FieldPath): FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap(({ audience, expirationSeconds }, i) => {
    const at = path.index(i);
    const errors: FieldError[] = audiences.has(audience) ? [field.duplicate(at.child("audience"), audience)] : [];
    audiences.add(audience);
    if (expirationSeconds !== undefined && expirationSeconds < minTokenSeconds) {
      const detail = "may not specify a duration less than 10 minutes";
      errors.push(field.invalid(at.child("expirationSeconds"), expirationSeconds, detail));
    }
    if (expirationSeconds !== undefined && expirationSeconds > maxTokenSeconds) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      errors.push(field.invalid(at.child("expirationSeconds"), expirationSeconds, detail));
    }
    return errors;
  });
}

function validateCSIDriverUpdate(driver: CSIDriver, old: CSIDriver): FieldError[] {
  const path = field("spec");
  return [
    ...validateCSIDriver(driver),
    ...immutable(driver.spec.attachRequired, old.spec.attachRequired, path.child("attachedRequired")),
    ...immutable(driver.spec.fsGroupPolicy, old.spec.fsGroupPolicy, path.child("fsGroupPolicy")),
    ...immutable(driver.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, path.child("volumeLifecycleModes")),
  ];
}

/** Defaults of a CSIDriver: volumes are attached and persistent, and pods' details stay with the agent. */
export function defaultCSIDriver({ spec }: Draft<CSIDriver>): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
  if ((spec.volumeLifecycleModes ?? []).length === 0) {
    spec.volumeLifecycleModes = ["Persistent"];
  }
  spec.requiresRepublish ??= false;
}

/** What the cluster needs to know of a CSI driver. */
export const csiDrivers = defineResource<CSIDriver>({
  group: "storage.o8s.io",
  version: "v1",
  kind: "CSIDriver",
  plural: "csidrivers",
  singular: "csidriver",
  scope: "Cluster",
  verbs: allVerbs,
  schema: CSIDriver,
  storagePrefix: "/registry/csidrivers",
  applyDefaults: defaultCSIDriver,
  strategy: {
    validate: validateCSIDriver,
    validateUpdate: validateCSIDriverUpdate,
    allowUnconditionalUpdate: false,
    returnDeletedObject: true,
  },
  columns: [
    name(),
    booleanColumn("AttachRequired", "Whether volumes are attached.", ({ spec }) => spec.attachRequired ?? true),
    booleanColumn(
      "PodInfoOnMount",
      "Whether mounts get the pod's details.",
      ({ spec }) => spec.podInfoOnMount ?? false,
    ),
    booleanColumn(
      "StorageCapacity",
      "Whether free capacity is published.",
      ({ spec }) => spec.storageCapacity ?? false,
    ),
    column("TokenRequests", "string", "Audiences of the tokens that mounts get.", ({ spec }) =>
      spec.tokenRequests === undefined ? "<unset>" : spec.tokenRequests.map(({ audience }) => audience).join(","),
    ),
    booleanColumn(
      "RequiresRepublish",
      "Whether volumes are published again and again.",
      ({ spec }) => spec.requiresRepublish ?? false,
    ),
    column("Modes", "string", "Lifecycles of its volumes.", ({ spec }) =>
      (spec.volumeLifecycleModes ?? []).length === 0 ? "<none>" : (spec.volumeLifecycleModes ?? []).join(","),
    ),
    age(),
  ],
});
