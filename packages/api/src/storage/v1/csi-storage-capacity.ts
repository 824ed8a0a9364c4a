import {
  defineResource,
  type FieldError,
  field,
  type Infer,
  isDns1123Subdomain,
  LabelSelector,
  ListMeta,
  list,
  ObjectMeta,
  object,
  pointer,
  quantity,
  required,
  string,
  validateLabelSelector,
  value,
} from "@orchernetes/apimachinery";
import { nodeSelectorWarnings } from "../../core/v1/node-label-warnings.ts";
import { column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable } from "../../shared/immutable.ts";
import { nonNegativeQuantity } from "../../shared/resource-lists.ts";

const pkg = "storage/v1";

/**
 * The space that a driver has left for a storage class in a part of the cluster, written by the driver for the scheduler.
 * Source: KEP-1472.
 */
export const CSIStorageCapacity = object(pkg, "CSIStorageCapacity", () => ({
  metadata: value(1, ObjectMeta),
  nodeTopology: pointer(2, LabelSelector),
  storageClassName: required(3, string),
  capacity: pointer(4, quantity),
  maximumVolumeSize: pointer(5, quantity),
}));
export interface CSIStorageCapacity extends Infer<typeof CSIStorageCapacity> {}

export const CSIStorageCapacityList = object(pkg, "CSIStorageCapacityList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CSIStorageCapacity), { list: "map", keys: ["name"] }),
}));
export interface CSIStorageCapacityList extends Infer<typeof CSIStorageCapacityList> {}

function validateCSIStorageCapacity(capacity: CSIStorageCapacity): FieldError[] {
  const { storageClassName, nodeTopology } = capacity;
  const errors = isDns1123Subdomain(storageClassName).map((message) =>
    field.invalid("storageClassName", storageClassName, message),
  );
  errors.push(...validateLabelSelector(nodeTopology, "nodeTopology"));
  for (const part of ["capacity", "maximumVolumeSize"] as const) {
    const value = capacity[part];
    errors.push(...(value === undefined ? [] : nonNegativeQuantity(value, field(part))));
  }
  return errors;
}

/** `storage.o8s.io/v1` storage capacities: free space of a storage class in a part of the cluster. */
export const csiStorageCapacities = defineResource<CSIStorageCapacity>({
  group: "storage.o8s.io",
  version: "v1",
  kind: "CSIStorageCapacity",
  plural: "csistoragecapacities",
  singular: "csistoragecapacity",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: CSIStorageCapacity,
  storagePrefix: "/registry/csistoragecapacities",
  strategy: {
    validate: validateCSIStorageCapacity,
    validateUpdate: (capacity, old) => [
      ...validateCSIStorageCapacity(capacity),
      ...immutable(capacity.nodeTopology, old.nodeTopology, "nodeTopology"),
      ...immutable(capacity.storageClassName, old.storageClassName, "storageClassName"),
    ],
    warnings: ({ nodeTopology }) => nodeSelectorWarnings(nodeTopology, "nodeTopology"),
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("StorageClassName", "string", "Storage class.", ({ storageClassName }) => storageClassName),
    column("Capacity", "string", "Free space.", ({ capacity }) => capacity ?? "<unset>"),
  ],
});
