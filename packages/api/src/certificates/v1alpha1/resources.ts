import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { clusterTrustBundles } from "./cluster-trust-bundle.ts";

/** Resources of `certificates.o8s.io/v1alpha1`. */
export const certificatesV1alpha1: readonly ResourceDefinition[] = [erase(clusterTrustBundles)];
