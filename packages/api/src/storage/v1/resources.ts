import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { storageClasses } from "./storage-class.ts";

/** Resources of `storage.o8s.io/v1`. */
export const storageV1: readonly ResourceDefinition[] = [erase(storageClasses)];
