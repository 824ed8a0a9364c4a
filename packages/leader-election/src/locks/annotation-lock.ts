import { isNotFound } from "@orchernetes/apimachinery";
import type { LockClient } from "../lock-client.ts";
import { type LockObject, lockObject, recordOfAnnotation } from "./election-record.ts";
import type { ResourceLock } from "./resource-lock.ts";

/** The annotation that holds the record. */
export const leaderAnnotation = "control-plane.alpha.orchernetes.io/leader";

/**
 * A lock in an annotation of an Endpoints or ConfigMap object. Older releases used these; new ones use it in a {@link
 * multiLock} only, because each renewal of a lock in Endpoints is sent to every node.
 */
export function annotationLock(
  client: LockClient,
  kind: "Endpoints" | "ConfigMap",
  namespace: string,
  name: string,
): ResourceLock {
  const plural = kind === "Endpoints" ? "endpoints" : "configmaps";
  const collection = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  const path = `${collection}/${encodeURIComponent(name)}`;
  let last: LockObject | undefined;
  return {
    description: `${namespace}/${name}`,
    reference: () => ({
      apiVersion: "v1",
      kind,
      namespace,
      name,
      ...(last?.metadata.uid === undefined ? {} : { uid: last.metadata.uid }),
    }),
    async get(signal) {
      try {
        last = lockObject(await client.get(path, signal));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
      const raw = last.metadata.annotations?.[leaderAnnotation] ?? "";
      // An object without the annotation may be taken at once, like a released lock.
      const record = recordOfAnnotation(raw) ?? {
        holderIdentity: "",
        leaseDurationSeconds: 0,
        acquireTime: "",
        renewTime: "",
        leaderTransitions: 0,
      };
      return { record, raw };
    },
    async create(record, signal) {
      const metadata = { name, namespace, annotations: { [leaderAnnotation]: JSON.stringify(record) } };
      last = lockObject(await client.create(collection, { apiVersion: "v1", kind, metadata }, signal));
    },
    async update(record, signal) {
      if (last === undefined) throw new Error(`${plural} ${namespace}/${name}: update before get`);
      const annotations = { ...last.metadata.annotations, [leaderAnnotation]: JSON.stringify(record) };
      last = lockObject(await client.update(path, { ...last, metadata: { ...last.metadata, annotations } }, signal));
    },
  };
}
