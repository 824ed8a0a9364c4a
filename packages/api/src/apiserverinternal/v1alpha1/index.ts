import { resourceDefinitions } from "@orchernetes/apimachinery";
import { storageVersions } from "./storage-version.ts";

export * from "./storage-version.ts";

/** Resources of `internal.apiserver.o8s.io/v1alpha1`. */
export const apiserverInternalV1alpha1 = resourceDefinitions(storageVersions);
