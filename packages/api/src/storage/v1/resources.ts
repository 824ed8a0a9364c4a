import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { csiDrivers } from "./csi-driver.ts";
import { csiNodes } from "./csi-node.ts";
import { csiStorageCapacities } from "./csi-storage-capacity.ts";
import { storageClasses } from "./storage-class.ts";
import { volumeAttachments } from "./volume-attachment.ts";

/** Resources of `storage.o8s.io/v1`. */
export const storageV1: readonly ResourceDefinition[] = [
  erase(csiDrivers),
  erase(csiNodes),
  erase(csiStorageCapacities),
  erase(storageClasses),
  erase(volumeAttachments),
];
