import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { storageVersions } from "./storage-version.ts";

/** Resources of `internal.apiserver.o8s.io/v1alpha1`. */
export const apiserverInternalV1alpha1: readonly ResourceDefinition[] = [erase(storageVersions)];
