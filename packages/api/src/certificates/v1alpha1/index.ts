import { resourceDefinitions } from "@orchernetes/apimachinery";
import { clusterTrustBundles } from "./cluster-trust-bundle.ts";

export * from "./cluster-trust-bundle.ts";

/** Resources of `certificates.o8s.io/v1alpha1`. */
export const certificatesV1alpha1 = resourceDefinitions(clusterTrustBundles);
