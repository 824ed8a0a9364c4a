import { z } from "zod";
import { acceptContentTypes, contentType, type DeepReadonly, duration, int32, ipAddress, port } from "../values.ts";
import { cidr, dualStackCidrs, portRange } from "./addresses.ts";
import { clusterDns } from "./cluster-dns.ts";
import { hostPort } from "./host-port.ts";

/**
 * A schema whose empty values (`null`, `""`, `0`, `0s`) stand for the default, as the original's defaulting has it:
 * tools write documents in which every field that nobody set is empty.
 */
const orDefault = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (isEmpty(value) ? undefined : value), schema);

const isEmpty = (value: unknown): boolean => value === null || value === "" || value === 0 || value === "0s";

/** Like {@link orDefault} for fields in which zero has a meaning: only `null` stands for the default. */
const nullable = <S extends z.ZodType>(schema: S) => z.preprocess((value) => value ?? undefined, schema);

/** Names of the scheduling algorithms of IPVS. */
const ipvsSchedulers = ["", "rr", "wrr", "lc", "wlc", "lblc", "lblcr", "sh", "dh", "sed", "nq"] as const;

/**
 * `nftables` and `userspace` are this project's; `iptables` and `ipvs` are the original's on Linux and stand for `nftables`.
 * "" chooses `nftables` where it can be used, else `userspace`.
 */
const modes = ["", "nftables", "userspace", "iptables", "ipvs"] as const;

/** The rules of the packet filter. The name of the section is the original's; its settings hold for nftables. */
const iptables = z
  .strictObject({
    masqueradeBit: nullable(int32(0, 31).default(14)),
    masqueradeAll: z.boolean().default(false),
    localhostNodePorts: nullable(z.boolean().default(true)),
    syncPeriod: orDefault(duration({ minMs: 1 }).prefault("30s")),
    minSyncPeriod: orDefault(duration({ minMs: 0 }).prefault("1s")),
  })
  .superRefine(({ syncPeriod, minSyncPeriod }, context) => {
    if (minSyncPeriod > syncPeriod)
      context.addIssue({ code: "custom", path: ["syncPeriod"], message: "want at least minSyncPeriod" });
  });

const ipvs = z.strictObject({
  syncPeriod: orDefault(duration({ minMs: 1 }).prefault("30s")),
  minSyncPeriod: duration({ minMs: 0 }).prefault("0s"),
  scheduler: z.enum(ipvsSchedulers).default(""),
  excludeCIDRs: nullable(z.array(cidr()).default([])),
  strictARP: z.boolean().default(false),
  tcpTimeout: duration({ minMs: 0 }).prefault("0s"),
  tcpFinTimeout: duration({ minMs: 0 }).prefault("0s"),
  udpTimeout: duration({ minMs: 0 }).prefault("0s"),
});

const conntrack = z.strictObject({
  maxPerCore: nullable(int32(0).default(32 * 1024)),
  min: nullable(int32(0).default(128 * 1024)),
  tcpEstablishedTimeout: nullable(duration({ minMs: 0 }).prefault("24h0m0s")),
  tcpCloseWaitTimeout: nullable(duration({ minMs: 0 }).prefault("1h0m0s")),
});

const winkernel = z.strictObject({
  networkName: z.string().default(""),
  sourceVip: z.string().default(""),
  enableDSR: z.boolean().default(false),
  rootHnsEndpointName: z.string().default(""),
  forwardHealthCheckVip: z.boolean().default(false),
});

const clientConnection = z.strictObject({
  orchconfig: z.string().default(""),
  acceptContentTypes: acceptContentTypes(),
  contentType: orDefault(contentType()),
  qps: orDefault(z.number().min(0).default(5)),
  burst: orDefault(int32(0).default(10)),
});

/** Limits the rules to one of several nodes that share a host; see `OnlyNode` in `@orchernetes/proxy`. */
const onlyNode = z.strictObject({
  podInterfaces: z
    .array(z.string().regex(/^[^\s/"]{1,15}$/, "want the name of an interface, of at most 15 characters"))
    .default([]),
  addresses: z.array(ipAddress()).default([]),
  hostTraffic: z.boolean().default(false),
});

/** Own settings of mode nftables. */
const nftables = z.strictObject({
  /** Name of the table of services; other tables of this daemon have it and a dash as their prefix. */
  tableName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "want a name of letters, digits, - and _")
    .default("orch-proxy"),
  onlyNode: onlyNode.optional(),
  /**
   * Folder in which libcni notes the pods that network plugins have connected: what they send on a bridge of pods must have their
   * own addresses. Empty: that is not checked.
   */
  cniResults: z.string().default("/var/lib/cni/results"),
});

const fields = z.strictObject({
  apiVersion: z.literal("orchproxy.config.o8s.io/v1alpha1"),
  kind: z.literal("OrchProxyConfiguration"),
  featureGates: nullable(z.record(z.string(), z.boolean()).default({})),
  bindAddress: orDefault(ipAddress().default("0.0.0.0")),
  healthzBindAddress: nullable(hostPort().default("")),
  metricsBindAddress: nullable(hostPort().default("")),
  bindAddressHardFail: z.boolean().default(false),
  enableProfiling: z.boolean().default(false),
  clusterCIDR: dualStackCidrs().default(""),
  hostnameOverride: z.string().default(""),
  clientConnection: clientConnection.prefault({}),
  iptables: iptables.prefault({}),
  ipvs: ipvs.prefault({}),
  oomScoreAdj: nullable(int32(-1000, 1000).default(-999)),
  mode: z.enum(modes).default(""),
  portRange: portRange().default(""),
  udpIdleTimeout: orDefault(duration({ minMs: 1 }).prefault("250ms")),
  conntrack: conntrack.prefault({}),
  configSyncPeriod: orDefault(duration({ minMs: 1 }).prefault("15m0s")),
  nodePortAddresses: nullable(z.array(cidr()).default([])),
  winkernel: winkernel.prefault({}),
  showHiddenMetricsForVersion: z.string().default(""),
  detectLocalMode: z.enum(["", "ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix"]).default(""),
  detectLocal: z
    .strictObject({ bridgeInterface: z.string().default(""), interfaceNamePrefix: z.string().default("") })
    .prefault({}),
  nftables: nftables.prefault({}),
  /** Own: enforces network policies for the pods of this node, where services are served by nftables. */
  enableNetworkPolicy: z.boolean().default(true),
  clusterDNS: clusterDns.prefault({}),
  /**
   * Own setting: ports at which a program of this host listens on its loopback address alone, such as the API server of a
   * cluster on one machine. Endpoints of Service default/orchernetes at other addresses of this host and these ports are
   * reached there; those of other services never are.
   */
  loopbackPorts: z.array(port(1)).default([]),
});

/**
 * The file of `orch-proxy --config`, with defaults filled in; durations are milliseconds. An empty `healthzBindAddress` or
 * `metricsBindAddress` stands for the default address, which depends on the family of `bindAddress`.
 */
export const orchProxyConfigurationSchema = fields
  .superRefine(({ detectLocalMode, detectLocal }, context) => {
    const needs = { BridgeInterface: "bridgeInterface", InterfaceNamePrefix: "interfaceNamePrefix" } as const;
    const needed = detectLocalMode === "BridgeInterface" || detectLocalMode === "InterfaceNamePrefix";
    const field = needed ? needs[detectLocalMode] : undefined;
    if (field !== undefined && detectLocal[field] === "")
      context.addIssue({
        code: "custom",
        path: ["detectLocal", field],
        message: `want a value, because detectLocalMode is "${detectLocalMode}"`,
      });
  })
  .transform((config) => {
    const [all, loopback] = config.bindAddress.includes(":") ? ["[::]", "[::1]"] : ["0.0.0.0", "127.0.0.1"];
    return {
      ...config,
      healthzBindAddress: config.healthzBindAddress || `${all}:10256`,
      metricsBindAddress: config.metricsBindAddress || `${loopback}:10249`,
    };
  });

/** The settings of orch-proxy. Durations are milliseconds. */
export type OrchProxyConfiguration = DeepReadonly<z.output<typeof orchProxyConfigurationSchema>>;
