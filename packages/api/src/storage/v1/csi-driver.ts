import {
  bool,
  type Draft,
  defineResource,
  enumeration,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  int64,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { age, booleanColumn, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable } from "../../shared/immutable.ts";

const pkg = "storage/v1";

/**
 * What the cluster needs to know about a CSI driver; its name is the name of the driver.
 *
 * Defaults: `attachRequired` true, `podInfoOnMount` false, `fsGroupPolicy` ReadWriteOnceWithFSType (KEP-1682),
 * `volumeLifecycleModes` Persistent. `tokenRequests`: KEP-2047; `seLinuxMount`: KEP-1710.
 */
export const CSIDriver = object(pkg, "CSIDriver", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, CSIDriverSpec),
}));
export interface CSIDriver extends Infer<typeof CSIDriver> {}

export const CSIDriverList = object(pkg, "CSIDriverList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CSIDriver)),
}));
export interface CSIDriverList extends Infer<typeof CSIDriverList> {}

/** What a CSI driver can do and needs. */
export const CSIDriverSpec = message(pkg, "CSIDriverSpec", () => ({
  attachRequired: pointer(1, bool),
  podInfoOnMount: pointer(2, bool),
  volumeLifecycleModes: optional(3, list(enumeration("Persistent", "Ephemeral")), { list: "set" }),
  storageCapacity: pointer(4, bool, { gate: "CSIStorageCapacity" }),
  fsGroupPolicy: pointer(5, enumeration("ReadWriteOnceWithFSType", "File", "None")),
  tokenRequests: optional(6, list(TokenRequest)),
  requiresRepublish: pointer(7, bool),
  seLinuxMount: pointer(8, bool, { gate: "SELinuxMountReadWriteOncePod" }),
}));
export interface CSIDriverSpec extends Infer<typeof CSIDriverSpec> {}

/** A service account token that a CSI driver asks for. */
export const TokenRequest = message(pkg, "TokenRequest", () => ({
  audience: required(1, string),
  expirationSeconds: pointer(2, int64),
}));
export interface TokenRequest extends Infer<typeof TokenRequest> {}

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
  // Kubernetes 1.27 reports an invalid mode twice.
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

/** Validates requests for tokens: each audience once, and a lifetime of at least ten minutes. */
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

/** Sets the defaults of a CSIDriver: volumes are attached and persistent, and the driver gets no information about pods. */
function defaultCSIDriver({ spec }: Draft<CSIDriver>): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
  if ((spec.volumeLifecycleModes ?? []).length === 0) {
    spec.volumeLifecycleModes = ["Persistent"];
  }
  spec.requiresRepublish ??= false;
}

/** `storage.o8s.io/v1` CSI drivers: what the cluster has to do for a driver. */
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
    column("TokenRequests", "string", "Audiences of the tokens that the driver gets.", ({ spec }) =>
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
