import type { ClusterCIDR } from "@orchernetes/api/networking/v1alpha1";
import { type ClusterRange, widthOf } from "../ranges/network.ts";
import { clusterCidrFinalizer } from "./reconcile.ts";

/** Name of the object that is made from `--cluster-cidr`. */
export const defaultName = "default-cluster-cidr";
/** The fewest bits that the API accepts. */
const minHostBits = 4;

/** The ClusterCIDR for the ranges of `--cluster-cidr`. Its ranges for nodes have one size in both families: that of IPv4 if it fits. */
export function defaultClusterCidr(ranges: readonly ClusterRange[]): ClusterCIDR {
  const of = (family: "IPv4" | "IPv6") => ranges.find(({ network }) => network.family === family);
  const bitsOf = (family: "IPv4" | "IPv6"): number | undefined => {
    const range = of(family);
    return range && widthOf(family) - range.nodeBits;
  };
  return {
    metadata: { name: defaultName, finalizers: [clusterCidrFinalizer] },
    spec: {
      perNodeHostBits: hostBits(bitsOf("IPv4"), bitsOf("IPv6")),
      ipv4: of("IPv4")?.network.text ?? "",
      ipv6: of("IPv6")?.network.text ?? "",
    },
  };
}

function hostBits(v4: number | undefined, v6: number | undefined): number {
  if (v4 === undefined || v6 === undefined) return Math.max(minHostBits, v4 ?? v6 ?? 0);
  if (v4 >= minHostBits && v4 <= v6) return v4;
  return v6 >= minHostBits && v6 <= 32 ? v6 : minHostBits;
}
