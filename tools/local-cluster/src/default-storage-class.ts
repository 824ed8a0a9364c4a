import { applyObject } from "./apply-object.ts";
import type { Layout } from "./layout.ts";

/** Name of the class of claims that name none. */
const NAME = "local-path";

/** Volumes are folders of the node on which their first pod runs, and are removed with their claims. */
const storageClass = {
  apiVersion: "storage.o8s.io/v1",
  kind: "StorageClass",
  metadata: { name: NAME, annotations: { "storageclass.orchernetes.io/is-default-class": "true" } },
  provisioner: "orchernetes.io/local-path",
  reclaimPolicy: "Delete",
  allowVolumeExpansion: true,
  volumeBindingMode: "WaitForFirstConsumer",
};

/**
 * Creates the default storage class. Idempotent.
 *
 * @param as name of the client certificate to use
 * @throws Error with the server's answer when that fails
 */
export function applyDefaultStorageClass(files: Layout, port: number, as: string): Promise<void> {
  const path = `/apis/storage.o8s.io/v1/storageclasses/${NAME}`;
  return applyObject(files, port, { path, object: storageClass, as });
}
