import {
  defineResource,
  type FieldError,
  field,
  isDns1123Subdomain,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { nodeSelectorWarnings } from "../../core/v1/node-label-warnings.ts";
import { allVerbs } from "../../meta/verbs.ts";
import { column, immutable, name, nonNegativeQuantity } from "../../shared/index.ts";
import { CSIStorageCapacity } from "./types/csi-storage-capacity.ts";

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

/** How much of a kind of storage is free in a part of the cluster. */
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
    column("StorageClassName", "string", "Kind of storage.", ({ storageClassName }) => storageClassName),
    column("Capacity", "string", "How much is free.", ({ capacity }) => capacity ?? "<unset>"),
  ],
});
