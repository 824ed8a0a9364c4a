import { type ApiObject, controllerOf, type Stored } from "@orchernetes/apimachinery";
import { betaStorageClass, bindCompleted, boundByController, selectedNode } from "@orchernetes/component-helpers";

/** The annotations that affect volume binding. */
const kept: readonly string[] = [
  bindCompleted,
  boundByController,
  selectedNode,
  betaStorageClass,
  // On a CSINode: the kinds of volumes that a CSI driver handles there.
  "storage.alpha.orchernetes.io/migrated-plugins",
];

/**
 * Transform of an informer of claims, volumes or CSINodes: keeps spec and status, and of the metadata what decides about
 * the binding of volumes.
 */
export function slimBindable<T extends ApiObject>(object: Stored<T>): Stored<T> {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels, deletionTimestamp } = object.metadata;
  const { annotations = {} } = object.metadata;
  const owner = controllerOf(object);
  const names = kept.filter((key) => Object.hasOwn(annotations, key));
  return {
    ...object,
    metadata: {
      name,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(names.length > 0 && { annotations: Object.fromEntries(names.map((key) => [key, annotations[key] ?? ""])) }),
      ...(owner !== undefined && { ownerReferences: [owner] }),
    },
  };
}
