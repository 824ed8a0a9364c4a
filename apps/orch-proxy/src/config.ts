import { hostname } from "node:os";
import { dirname } from "node:path";
import { isDns1123Subdomain } from "@orchernetes/apimachinery";
import {
  type ClientConfig,
  type ContentTypes,
  givenContentTypes,
  inClusterConfig,
  loadClientConfig,
} from "@orchernetes/client";
import {
  ConfigurationError,
  type FeatureGates,
  type FlagValues,
  features,
  idleGateWarnings,
  type metricFlags,
  NamedFiles,
  parseFeatureGates,
} from "@orchernetes/component";
import { type Configuration, readConfiguration } from "@orchernetes/component/configuration";
import {
  type HostPort,
  type OrchProxyConfiguration,
  orchProxyConfigurationSchema,
  parseHostPort,
} from "@orchernetes/config";
import { fieldsWithoutEffect, orchProxyFlags } from "./flags/index.ts";
import { switchedGates } from "./switched-gates.ts";
import { type WatchedFile, watchedFile } from "./watched-file.ts";

/** The parsed flags of orch-proxy. */
export type Flags = FlagValues<typeof orchProxyFlags>;

/** Everything the daemon needs, checked. */
export interface Config {
  readonly settings: OrchProxyConfiguration;
  /** The file of `--config` as it was read; undefined without one. */
  readonly file: WatchedFile | undefined;
  readonly nodeName: string;
  /** What the process does: serve, or one thing after which it exits. */
  readonly task: { readonly type: "Serve"; readonly client: ClientConfig } | { readonly type: "CleanUp" } | WriteTask;
  /** Media types of requests; undefined: JSON. */
  readonly contentTypes: ContentTypes | undefined;
  /** Where health checks are served; undefined: nowhere. */
  readonly healthz: HostPort | undefined;
  /** Where metrics are served; undefined: nowhere. */
  readonly metrics: HostPort | undefined;
  readonly gates: FeatureGates;
  readonly metricFlags: FlagValues<typeof metricFlags>;
  readonly warnings: readonly string[];
}

interface WriteTask {
  readonly type: "WriteConfiguration";
  readonly path: string;
}

const head = { apiVersion: "orchproxy.config.o8s.io/v1alpha1", kind: "OrchProxyConfiguration" } as const;

/**
 * Flags and the file of `--config` → settings, name of the node and client, all errors at once.
 *
 * @param explicit names of the flags that were on the command line
 * @throws ConfigurationError
 */
export async function completeConfig(flags: Flags, explicit: ReadonlySet<string>): Promise<Config> {
  const files = new NamedFiles();
  const { errors } = files;
  // Read before it is parsed: a change in between is one that was not parsed.
  const file = flags.config === "" ? undefined : await watchedFile(flags.config);
  const settings: Configuration<OrchProxyConfiguration> = await readConfiguration({
    table: orchProxyFlags,
    flags,
    explicit,
    file: flags.config,
    head,
    schema: async () => orchProxyConfigurationSchema,
  });
  const { parsed } = settings;
  errors.push(...settings.errors);
  const named = gatesOf(settings.value("featureGates"));
  const gates = parseFeatureGates(features, named);
  if ("errors" in gates) errors.push(...gates.errors.map((error) => `${settings.origin("featureGates")}: ${error}`));
  const nodeName = (settings.text("hostnameOverride") || hostname()).trim().toLowerCase();
  for (const error of isDns1123Subdomain(nodeName))
    errors.push(`${settings.origin("hostnameOverride")}: found "${nodeName}"; ${error}`);
  const task = await taskOf(flags, settings, files);
  if (errors.length > 0 || parsed === undefined || task === undefined || "errors" in gates)
    throw new ConfigurationError(errors);
  return {
    settings: parsed,
    file,
    nodeName,
    task,
    contentTypes: await givenContentTypes(settings, "clientConnection", () => import("@orchernetes/api/scheme")),
    healthz: portOf(parsed.healthzBindAddress, flags["healthz-bind-address"], flags["healthz-port"]),
    metrics: portOf(parsed.metricsBindAddress, flags["metrics-bind-address"], flags["metrics-port"]),
    gates: gates.gates,
    metricFlags: { ...flags, "show-hidden-metrics-for-version": parsed.showHiddenMetricsForVersion },
    warnings: [
      ...gates.warnings,
      ...idleGateWarnings({ daemon: "orch-proxy", features, named, switched: switchedGates }),
      ...modeWarnings(parsed),
      ...settings.idleWarnings(fieldsWithoutEffect),
    ],
  };
}

/** The gates of the document, or of the flag, as they are given; what is not a gate is reported by the schema. */
function gatesOf(value: unknown): ReadonlyMap<string, boolean> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return new Map(entries.flatMap(([name, on]) => (typeof on === "boolean" ? [[name, on] as const] : [])));
}

async function taskOf(
  flags: Flags,
  settings: Configuration<OrchProxyConfiguration>,
  files: NamedFiles,
): Promise<Config["task"] | undefined> {
  const path = flags["write-config-to"];
  if (path !== "") {
    await files.writableDirectory({ from: "--write-config-to", path: dirname(path) });
    return { type: "WriteConfiguration", path };
  }
  if (flags.cleanup) return { type: "CleanUp" };
  const orchconfig = settings.namedFile("clientConnection.orchconfig");
  const { master } = flags;
  // The field of a file that cannot be read is unknown: a missing client would be a second error for one reason.
  if (settings.parsed === undefined && flags.config !== "" && orchconfig.path === "" && master === "") return undefined;
  const client = await files.client(orchconfig, () =>
    orchconfig.path === "" && master === ""
      ? inClusterConfig()
      : loadClientConfig(orchconfig.path, master === "" ? {} : { masterOverride: master }),
  );
  return client && { type: "Serve", client };
}

/**
 * An address to listen on. On the command line an empty address, or port 0 of the deprecated flag, disables the port; in a file
 * an empty address is the default one.
 */
function portOf(address: string, flag: string, port: number): HostPort | undefined {
  return flag === "" || port === 0 ? undefined : parseHostPort(address, port);
}

/** Warnings about modes of the original that this daemon does not have, and serves by mode nftables. */
function modeWarnings({ mode }: OrchProxyConfiguration): readonly string[] {
  if (mode !== "iptables" && mode !== "ipvs") return [];
  return [`proxy mode "${mode}" is replaced by mode nftables, which provides the same services`];
}
