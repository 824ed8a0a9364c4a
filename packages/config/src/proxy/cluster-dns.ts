import { z } from "zod";
import { duration, int32, ipAddress, port } from "../values.ts";
import { cidr } from "./addresses.ts";
import { hostPort } from "./host-port.ts";

const domainName = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

/**
 * Own settings of the DNS server for names of the cluster. It is off by default: a cluster may have another one.
 */
export const clusterDns = z.strictObject({
  /** Addresses to serve on, which pods get by `clusterDNS` of the node agents. None: names are not served. */
  addresses: z.array(ipAddress()).default([]),
  port: port(1).default(53),
  domain: z.string().regex(domainName, "want a domain such as cluster.local").default("cluster.local"),
  /**
   * Blocks of clients that get answers, beside the host itself. None: those of `clusterCIDR`, and where that is not set, everyone that
   * reaches the addresses.
   */
  clients: z.array(cidr()).default([]),
  /** Interface that is created and gets the addresses. "": the addresses are there already. */
  interface: z
    .string()
    .regex(/^[^\s/"]{0,15}$/, "want the name of an interface, of at most 15 characters")
    .default("orch-dns"),
  /** Time to live of the cluster's records and of negative answers. */
  ttl: duration({ minMs: 0, maxMs: 3_600_000 }).prefault("30s"),
  /** Whether names such as 10-1-0-7.default.pod.cluster.local are answered always, if there is such a pod, or never. */
  podNames: z.enum(["insecure", "verified", "disabled"]).default("insecure"),
  /** Blocks of services and pods: names of addresses in them are not forwarded. */
  reverseRanges: z.array(cidr()).default([]),
  /** File that names the servers for other names. */
  resolverFile: z.string().default("/etc/resolv.conf"),
  /** Servers for other names, in place of those of {@link resolverFile}. */
  upstreams: z.array(hostPort()).default([]),
  maxConcurrentForwards: int32(1).default(1000),
  cache: z
    .strictObject({
      maxBytes: int32(0).default(8 * 1024 * 1024),
      maxEntries: int32(0).default(10_000),
      maxTTL: duration({ minMs: 0, maxMs: 86_400_000 }).prefault("30s"),
    })
    .prefault({}),
});
