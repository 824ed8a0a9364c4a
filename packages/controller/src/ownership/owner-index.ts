import { type ApiObject, controllerOf, type Stored } from "@orchernetes/apimachinery";
import { byControllerUid, type Indexers, type Lister } from "@orchernetes/client";

/** Name of the index of objects by the uid of their controller. */
export const controllerIndex = "controllerUid";
/** Name of the index, by namespace, of objects without a controller. */
export const orphanIndex = "orphansIn";

/** The indexes by which owners find their dependents and orphans without a scan of the whole namespace. */
export const ownerIndexers: Indexers<ApiObject> = {
  [controllerIndex]: byControllerUid,
  [orphanIndex]: (object) => (controllerOf(object) === undefined ? object.metadata.namespace : undefined),
};

/** The objects that an owner controls, and the orphans in its namespace. */
export function ownedAndOrphans<T extends ApiObject>(
  lister: Lister<T>,
  { metadata: { uid, namespace = "" } }: Stored<ApiObject>,
): readonly Stored<T>[] {
  return [...lister.byIndex(controllerIndex, uid), ...lister.byIndex(orphanIndex, namespace)];
}
