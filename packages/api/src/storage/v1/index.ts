import { resourceDefinitions } from "@orchernetes/apimachinery";
import { csiDrivers } from "./csi-driver.ts";
import { csiNodes } from "./csi-node.ts";
import { csiStorageCapacities } from "./csi-storage-capacity.ts";
import { storageClasses } from "./storage-class.ts";
import { volumeAttachments } from "./volume-attachment.ts";

export * from "./csi-driver.ts";
export * from "./csi-node.ts";
export * from "./csi-storage-capacity.ts";
export * from "./storage-class.ts";
export * from "./volume-attachment.ts";

/** Resources of `storage.o8s.io/v1`. */
export const storageV1 = resourceDefinitions(
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
);
