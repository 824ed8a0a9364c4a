import { resourceDefinitions } from "@orchernetes/apimachinery";
import { clusterCIDRs } from "./cluster-cidr.ts";
import { ipAddresses } from "./ip-address.ts";

export * from "./cluster-cidr.ts";
export * from "./ip-address.ts";

/** Resources of `networking.o8s.io/v1alpha1`. */
export const networkingV1alpha1 = resourceDefinitions(clusterCIDRs, ipAddresses);
