import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { clusterCIDRs } from "./cluster-cidr.ts";
import { ipAddresses } from "./ip-address.ts";

/** Resources of `networking.o8s.io/v1alpha1`. */
export const networkingV1alpha1: readonly ResourceDefinition[] = [erase(clusterCIDRs), erase(ipAddresses)];
