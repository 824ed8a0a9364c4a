import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { type ApiEnablement, parseRuntimeConfig } from "@orchernetes/api";
import type { ServerFeatures } from "@orchernetes/apiserver";
import type { SigningKey, VerifyingKey } from "@orchernetes/auth";
import {
  ConfigurationError,
  type FeatureName,
  features,
  idleGateWarnings,
  NamedFiles,
  parseFeatureGates,
} from "@orchernetes/component";
import type { TracingConfiguration } from "@orchernetes/config";
import type { PluginConfigurations } from "./admission/configuration/plugin-configurations.ts";
import { readPluginConfigurations } from "./admission/configuration/read-plugin-configurations.ts";
import { deprecationWarnings, selectPlugins } from "./admission/select-plugins.ts";
import { ipAddresses } from "./allocators/address-table.ts";
import { type IpRange, ipRange } from "./allocators/ip-range.ts";
import type { PortRange } from "./allocators/service-allocator.ts";
import { type AuditSettings, auditSettings, auditWarnings, checkAuditLog } from "./audit/audit-settings.ts";
import type { AuthorizationMode } from "./authorization/modes.ts";
import type { WebhookAuthorization } from "./authorization/webhook-authorizer.ts";
import { checkCloudProvider } from "./cloud-provider.ts";
import { type ConfigFiles, readConfigFiles } from "./config-files.ts";
import { serverFeatures } from "./feature-gates/server-features.ts";
import { switchedGates } from "./feature-gates/switched-gates.ts";
import type { Flags } from "./flags/index.ts";
import { parseOverrides } from "./storage/overrides.ts";
import type { StoreConfig } from "./storage/stores.ts";
import { parseWatchCacheSizes, type WatchCacheSizes } from "./storage/watch-cache-sizes.ts";

/** Flags, checked together and brought into the form that the server is built from. */
export interface Config {
  readonly flags: Flags;
  readonly store: StoreConfig;
  readonly watchCacheSizes: WatchCacheSizes;
  readonly advertiseAddress: string;
  readonly serviceRanges: readonly IpRange[];
  readonly nodePorts: PortRange;
  readonly authorizationModes: readonly AuthorizationMode[];
  /** What mode ABAC decides by. */
  readonly abacPolicies: ConfigFiles["abac"]["policies"];
  /** What mode Webhook asks; undefined without the mode. */
  readonly authorizationWebhook: WebhookAuthorization | undefined;
  readonly admissionPlugins: ReadonlySet<string>;
  readonly pluginConfigurations: PluginConfigurations;
  readonly serviceAccounts: {
    readonly issuers: readonly string[];
    readonly audiences: readonly string[];
    /** The one named, else that of the serving certificate; undefined: one is made that lives as long as the process. */
    readonly signingKey: SigningKey | undefined;
    readonly verifyingKeys: readonly VerifyingKey[];
  };
  readonly proxyClient: ConfigFiles["proxyClient"];
  readonly tokenWebhook: ConfigFiles["tokenWebhook"];
  readonly oidcCa: ConfigFiles["oidcCa"];
  readonly egress: ConfigFiles["egress"];
  readonly featureEnabled: (gate: string) => boolean;
  /** What feature gates switch in the generic server. */
  readonly serverFeatures: ServerFeatures;
  /** What is unusual about the flags, but not an error. */
  readonly warnings: readonly string[];
  /** Which built-in resources `--runtime-config` leaves on. */
  readonly enablement: ApiEnablement;
  /** Undefined: nothing is audited. */
  readonly audit: AuditSettings | undefined;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingConfiguration | undefined;
}

/** What tokens are issued and accepted as when no issuer is named. */
const DEFAULT_ISSUER = "https://orchernetes.default.svc";

/** Collects every error, so that one start reports all of them. */
class FlagErrors {
  readonly list: string[] = [];

  add(flag: string, text: string): void {
    this.list.push(`--${flag}: ${text}`);
  }
}

function storeConfig(flags: Flags, errors: FlagErrors): StoreConfig {
  if (flags["storage-backend"] === "embedded") {
    const path = flags["embedded-store-path"];
    if (path === "")
      errors.add("embedded-store-path", "not given; --storage-backend=embedded needs the folder to keep its data in");
    return { type: "embedded", path };
  }
  const servers = flags["etcd-servers"];
  if (servers.length === 0)
    errors.add(
      "etcd-servers",
      "must be specified: addresses such as http://127.0.0.1:2379 (or use --storage-backend=embedded)",
    );
  for (const server of servers)
    if (!/^https?:\/\/[^/]+$/.test(server) || !URL.canParse(server))
      errors.add(
        "etcd-servers",
        `found ${JSON.stringify(server)}; an address is scheme://host:port with scheme http or https`,
      );
  const files = { caFile: flags["etcd-cafile"], certFile: flags["etcd-certfile"], keyFile: flags["etcd-keyfile"] };
  const prefix = flags["etcd-prefix"];
  if (!prefix.startsWith("/")) errors.add("etcd-prefix", `found ${JSON.stringify(prefix)}; a prefix starts with "/"`);
  return {
    type: "etcd3",
    servers,
    prefix: prefix.replace(/\/+$/, ""),
    overrides: parseOverrides(flags["etcd-servers-overrides"], (text) => errors.add("etcd-servers-overrides", text)),
    ...(files.caFile && { caFile: files.caFile }),
    ...(files.certFile && { certFile: files.certFile }),
    ...(files.keyFile && { keyFile: files.keyFile }),
    leaseReuseSeconds: flags["lease-reuse-duration-seconds"],
  };
}

/** @param mostBits addresses beyond 2 to the power of this are too many for the allocations of the range */
function serviceRanges(flags: Flags, mostBits: number, errors: FlagErrors): readonly IpRange[] {
  const text = flags["service-cluster-ip-range"] || "10.0.0.0/24";
  const cidrs = text.split(",").map((part) => part.trim());
  const ranges: IpRange[] = [];
  for (const cidr of cidrs) {
    const [address = "", prefix = ""] = cidr.split("/");
    const family = isIP(address);
    const bits = /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN;
    const width = family === 4 ? 32 : 128;
    if (family === 0 || !(bits >= 0 && bits <= width - 2))
      errors.add(
        "service-cluster-ip-range",
        `found ${JSON.stringify(cidr)}; a range is a network such as 10.96.0.0/16`,
      );
    else if (width - bits > mostBits)
      errors.add(
        "service-cluster-ip-range",
        `${JSON.stringify(cidr)} is too large; the network's prefix is at least /${Math.max(0, width - mostBits)}`,
      );
    else ranges.push(ipRange(cidr));
  }
  if (cidrs.length > 2)
    errors.add("service-cluster-ip-range", `found ${cidrs.length} ranges; at most two (dual-stack) are possible`);
  if (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family)
    errors.add(
      "service-cluster-ip-range",
      `both ranges are ${ranges[0]?.family}; two ranges are of different IP families`,
    );
  return ranges;
}

function nodePorts(flags: Flags, errors: FlagErrors): PortRange {
  const text = flags["service-node-port-range"];
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to) };
  if (!(range.from >= 1 && range.to <= 65535 && range.from <= range.to))
    errors.add("service-node-port-range", `found ${JSON.stringify(text)}; a range is N1-N2 within 1-65535`);
  const nodePort = flags["orchernetes-service-node-port"];
  if (nodePort !== 0 && !(nodePort >= range.from && nodePort <= range.to))
    errors.add(
      "orchernetes-service-node-port",
      `found ${nodePort}; it must be 0 or in --service-node-port-range ${text}`,
    );
  return range;
}

function authorizationModes(flags: Flags, errors: FlagErrors): readonly AuthorizationMode[] {
  const modes = flags["authorization-mode"] as readonly AuthorizationMode[];
  for (const mode of modes) {
    if (modes.indexOf(mode) !== modes.lastIndexOf(mode))
      errors.add("authorization-mode", `${mode} is given more than once`);
  }
  checkModeFile(flags, "ABAC", "authorization-policy-file", errors);
  checkModeFile(flags, "Webhook", "authorization-webhook-config-file", errors);
  return [...new Set(modes)];
}

/** A mode and the file that it decides by are given together. */
function checkModeFile(
  flags: Flags,
  mode: AuthorizationMode,
  flag: "authorization-policy-file" | "authorization-webhook-config-file",
  errors: FlagErrors,
): void {
  const chosen = flags["authorization-mode"].includes(mode);
  if (chosen && flags[flag] === "") errors.add(flag, `not given; --authorization-mode=${mode} needs it`);
  if (!chosen && flags[flag] !== "")
    errors.add(flag, `found ${JSON.stringify(flags[flag])}; it can only be given with --authorization-mode=${mode}`);
}

function apiEnablement(flags: Flags, errors: FlagErrors): ApiEnablement {
  const result = parseRuntimeConfig(flags["runtime-config"]);
  if ("enablement" in result) return result.enablement;
  for (const error of result.errors) errors.add("runtime-config", error);
  // The errors stop the start; this value is not used.
  return { enabled: () => true, anyEnabled: () => true, named: [] };
}

const isUnspecified = (address: string): boolean => address === "" || address === "0.0.0.0" || address === "::";

/** Endpoints never hold loopback addresses: other machines (and pods) could not use them. */
export const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1";

/** The advertised address; without a usable one the bind address, and else the host's first address that others can reach. */
function advertiseAddress(flags: Flags): string {
  const chosen = flags["advertise-address"];
  if (!isUnspecified(chosen)) return chosen;
  const bind = flags["bind-address"];
  if (!isUnspecified(bind) && !isLoopback(bind)) return bind;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const external = addresses.filter((a) => !a.internal && !a.address.startsWith("fe80:"));
  return (external.find((a) => a.family === "IPv4") ?? external[0])?.address ?? "127.0.0.1";
}

function serviceAccounts(flags: Flags, read: ConfigFiles, errors: FlagErrors): Config["serviceAccounts"] {
  const given = flags["service-account-issuer"];
  const issuers = given.length > 0 ? given : [DEFAULT_ISSUER];
  const signingFile = flags["service-account-signing-key-file"];
  const keyFiles = flags["service-account-key-file"];
  if (signingFile !== "" && keyFiles.length === 0)
    errors.add(
      "service-account-key-file",
      "not given; it is required with --service-account-signing-key-file, or no token could be verified",
    );
  for (const [index, issuer] of given.entries()) {
    if (issuer === "")
      errors.add("service-account-issuer", "found an empty name; want one such as https://issuer.example");
    else if (issuer.includes(":") && !URL.canParse(issuer))
      errors.add(
        "service-account-issuer",
        `found ${JSON.stringify(issuer)}, which has a colon and is no URL; want a URL such as https://issuer.example`,
      );
    if (given.indexOf(issuer) < index)
      errors.add("service-account-issuer", `${JSON.stringify(issuer)} is given more than once`);
  }
  // Tokens of previous issuers have these as their audience.
  const audiences = flags["api-audiences"].length > 0 ? flags["api-audiences"] : issuers;
  return { issuers, audiences, signingKey: read.signingKey, verifyingKeys: read.verifyingKeys };
}

/** An ID token is for a client of an issuer: one is nothing without the other. */
function checkOidc(flags: Flags, errors: FlagErrors): void {
  const [issuer, client] = ["oidc-issuer-url", "oidc-client-id"] as const;
  if (flags[issuer] !== "" && flags[client] === "")
    errors.add(client, `not given; it is required with --${issuer}: the client that ID tokens are issued for`);
  if (flags[issuer] === "" && flags[client] !== "")
    errors.add(issuer, `not given; it is required with --${client}: an https:// URL`);
  if (flags[issuer] !== "" && !URL.canParse(flags[issuer]))
    errors.add(issuer, `found ${JSON.stringify(flags[issuer])}; want an https:// URL`);
}

/** Versions are published in objects of an API that is off by default; a server that could not publish them would never be ready. */
function checkStorageVersions(
  { enabled: isServed }: ApiEnablement,
  enabled: (gate: FeatureName) => boolean,
  errors: FlagErrors,
): void {
  if (!enabled("StorageVersionAPI") || !enabled("APIServerIdentity")) return;
  if (!isServed("internal.apiserver.o8s.io", "v1alpha1", "storageversions"))
    errors.add(
      "feature-gates",
      "StorageVersionAPI=true needs resource storageversions, which is not served; want --runtime-config=internal.apiserver.o8s.io/v1alpha1=true, too",
    );
}

/** Without their resource there would be nothing to allocate the addresses of services with. */
function checkServiceAddresses(
  { enabled: isServed }: ApiEnablement,
  enabled: (gate: FeatureName) => boolean,
  errors: FlagErrors,
): void {
  if (!enabled("MultiCIDRServiceAllocator")) return;
  const { group, version, plural } = ipAddresses;
  if (!isServed(group, version, plural))
    errors.add(
      "feature-gates",
      `MultiCIDRServiceAllocator=true needs resource ${plural}, which is not served; want --runtime-config=${group}/${version}=true, too`,
    );
}

/** Priority and fairness needs at least one seat; without it, 0 means no limit. */
function checkInflightLimits(flags: Flags, fairnessEnabled: boolean, errors: FlagErrors): void {
  const names = ["max-requests-inflight", "max-mutating-requests-inflight"] as const;
  for (const name of names) if (flags[name] < 0) errors.add(name, "can not be negative value");
  const fair = flags["enable-priority-and-fairness"] && fairnessEnabled;
  if (fair && names.every((name) => flags[name] === 0))
    errors.add(
      names[0],
      `found 0, as for --${names[1]}; with priority and fairness they must add up to something positive, or no request would be served`,
    );
}

/**
 * Checks the flags together and reads the files they name.
 * @throws ConfigurationError with every error at once: the flag, what was found, what would have been accepted
 */
export async function completeConfig(flags: Flags): Promise<Config> {
  const errors = new FlagErrors();
  const files = new NamedFiles(errors.list);
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("errors" in gates) for (const error of gates.errors) errors.list.push(`--feature-gates: ${error}`);
  const enabled = (gate: FeatureName): boolean => "gates" in gates && gates.gates.enabled(gate);
  const read = await readConfigFiles(flags, files, !("gates" in gates) || enabled("KMSv2"));
  if (read.tracing !== undefined && "gates" in gates && !enabled("APIServerTracing"))
    errors.add("tracing-config-file", "needs feature gate APIServerTracing, which --feature-gates switches off");
  const plugins = selectPlugins(flags, (flag, text) => errors.add(flag, text));
  if (plugins.has("SecurityContextDeny") && !enabled("SecurityContextDeny"))
    errors.add(
      "enable-admission-plugins",
      "SecurityContextDeny admission controller is an alpha feature, planned to be removed, and requires the SecurityContextDeny feature gate to be enabled",
    );
  const admission = await readPluginConfigurations(flags["admission-control-config-file"], plugins);
  errors.list.push(...admission.errors);
  const named = flags["feature-gates"];
  const enablement = apiEnablement(flags, errors);
  if (flags["encryption-provider-config"] === "" && flags["encryption-provider-config-automatic-reload"])
    errors.add(
      "encryption-provider-config-automatic-reload",
      "must be set with --encryption-provider-config, which names the file to follow",
    );
  checkStorageVersions(enablement, enabled, errors);
  checkServiceAddresses(enablement, enabled, errors);
  checkInflightLimits(flags, enabled("APIPriorityAndFairness"), errors);
  checkOidc(flags, errors);
  checkCloudProvider(flags, (flag, text) => errors.add(flag, text));
  if (flags["storage-backend"] === "embedded")
    await files.writableDirectory({ from: "--embedded-store-path", path: flags["embedded-store-path"] });
  await checkAuditLog(flags, files);
  const config: Config = {
    flags,
    store: storeConfig(flags, errors),
    advertiseAddress: advertiseAddress(flags),
    serviceRanges: serviceRanges(flags, enabled("MultiCIDRServiceAllocator") ? 64 : 20, errors),
    watchCacheSizes: parseWatchCacheSizes(flags["watch-cache-sizes"], (text) => errors.add("watch-cache-sizes", text)),
    nodePorts: nodePorts(flags, errors),
    authorizationModes: authorizationModes(flags, errors),
    abacPolicies: read.abac.policies,
    authorizationWebhook: read.authorizationWebhook && {
      service: read.authorizationWebhook,
      version: flags["authorization-webhook-version"] === "v1" ? "v1" : "v1beta1",
      allowTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
      denyTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
    },
    admissionPlugins: plugins,
    pluginConfigurations: admission.configurations,
    serviceAccounts: serviceAccounts(flags, read, errors),
    proxyClient: read.proxyClient,
    tokenWebhook: read.tokenWebhook,
    oidcCa: read.oidcCa,
    egress: read.egress,
    enablement,
    warnings: [
      ...("warnings" in gates
        ? [
            ...gates.warnings,
            ...idleGateWarnings({ daemon: "orch-apiserver", features, named, switched: switchedGates }),
            ...storageVersionWarnings(enabled),
          ]
        : []),
      ...read.abac.warnings,
      ...admission.warnings,
      ...deprecationWarnings(plugins),
      ...auditWarnings(flags, read.auditPolicy),
    ],
    audit: auditSettings(flags, read.auditPolicy, (flag, text) => errors.add(flag, text)),
    tracing: read.tracing,
    featureEnabled: (name) => enabled(name as FeatureName),
    serverFeatures: serverFeatures(enabled, named),
  };
  if (errors.list.length > 0) throw new ConfigurationError(errors.list);
  return config;
}

function storageVersionWarnings(enabled: (gate: FeatureName) => boolean): readonly string[] {
  return enabled("StorageVersionAPI") && !enabled("APIServerIdentity")
    ? ["feature gate StorageVersionAPI=true has no effect: it needs APIServerIdentity"]
    : [];
}

/** How this server is distinguished from others of the cluster. */
export function serverIdentity(): string {
  return hostname();
}
