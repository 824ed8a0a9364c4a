import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { isDns1123Subdomain, quantityOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { type ClientConfig, ClientConfigError, loadClientConfig } from "@orchernetes/client";
import { ConfigurationError, type FlagValues, features, metricFlags, parseFeatureGates } from "@orchernetes/component";
import {
  ConfigFileError,
  type OrchletConfiguration,
  orchletConfigurationSchema,
  orchletGateFaults,
  overlay,
  parseConfig,
  readConfigDocument,
} from "@orchernetes/config";
import { warningsOf } from "./fields-without-effect.ts";
import { flagConfiguration, type orchletFlags } from "./flags/index.ts";
import { swapDevices } from "./node/machine-info.ts";
import { nodeAddresses } from "./node/node-addresses.ts";

/** The parsed flags. */
export type Flags = FlagValues<typeof orchletFlags>;

/** File and flags, checked together and brought into the form that the agent is built from. */
export interface Config {
  readonly settings: OrchletConfiguration;
  readonly nodeName: string;
  readonly nodeIPs: readonly string[];
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly registerSchedulable: boolean;
  readonly rootDir: string;
  readonly certDir: string;
  /** Undefined: the agent runs on its own. */
  readonly api: ClientConfig | undefined;
  readonly logMaxBytes: number;
  readonly deadContainersPerContainer: number;
  readonly featureEnabled: (gate: string) => boolean;
  readonly metricFlags: FlagValues<typeof metricFlags>;
  /** One line for each setting that has no effect. */
  readonly warnings: readonly string[];
}

const emptyDocument = { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" };

/**
 * Reads the file of `--config`, lays the flags over it, and reads what both name.
 *
 * @param explicit names of the flags that were on the command line
 * @throws ConfigurationError with every fault at once
 */
export async function completeConfig(flags: Flags, explicit: ReadonlySet<string>): Promise<Config> {
  const faults: string[] = [];
  const file = flags.config;
  const { orchletFlags: table } = await import("./flags/index.ts");
  const given = flagConfiguration(table, { flags, explicit }, file !== "");
  let settings: OrchletConfiguration | undefined;
  let document: unknown = emptyDocument;
  try {
    const source = file === "" ? "flags" : `--config: file "${file}"`;
    if (file !== "") document = await readConfigDocument(file, source);
    settings = parseConfig(overlay(document, given), orchletConfigurationSchema, source);
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    faults.push(...error.faults);
  }

  const gates = parseFeatureGates(features, new Map(Object.entries(settings?.featureGates ?? {})));
  if ("faults" in gates) faults.push(...gates.faults);
  const featureEnabled = (name: string) => "gates" in gates && gates.gates.enabled(name as keyof typeof features);
  if (settings !== undefined) {
    faults.push(...orchletGateFaults(settings, featureEnabled), ...settingFaults(settings));
  }

  const nodeName = (flags["hostname-override"] || hostname()).trim().toLowerCase();
  for (const fault of isDns1123Subdomain(nodeName)) faults.push(`--hostname-override: found "${nodeName}"; ${fault}`);
  const addresses = nodeAddresses(flags["node-ip"]);
  if ("fault" in addresses) faults.push(addresses.fault);

  let api: ClientConfig | undefined;
  if (flags.orchconfig !== "") {
    try {
      api = loadClientConfig(flags.orchconfig);
    } catch (error) {
      if (!(error instanceof ClientConfigError)) throw error;
      faults.push(...error.message.split("\n").map((line) => `--orchconfig: ${line}`));
    }
  }
  try {
    mkdirSync(flags["root-dir"], { recursive: true, mode: 0o750 });
  } catch (error) {
    faults.push(`--root-dir: "${flags["root-dir"]}" cannot be made: ${error instanceof Error ? error.message : error}`);
  }
  if (faults.length > 0 || settings === undefined) throw new ConfigurationError(faults);
  return {
    settings,
    nodeName,
    nodeIPs: "ips" in addresses ? addresses.ips : [],
    nodeLabels: Object.fromEntries(flags["node-labels"]),
    registerSchedulable: flags["register-schedulable"],
    rootDir: flags["root-dir"],
    certDir: flags["cert-dir"],
    api,
    logMaxBytes: wholeValueOf(settings.containerLogMaxSize),
    deadContainersPerContainer: flags["maximum-dead-containers-per-container"],
    featureEnabled,
    metricFlags: { ...flags, "show-hidden-metrics-for-version": settings.showHiddenMetricsForVersion },
    warnings: warningsOf(new Set([...(Object.keys(document as object) ?? []), ...given.keys()])),
  };
}

/** Faults in values that the schema takes as texts. */
function settingFaults(settings: OrchletConfiguration): readonly string[] {
  const faults: string[] = [];
  const amount = (path: string, text: string) => {
    try {
      quantityOf(text);
    } catch {
      faults.push(`field ${path}: invalid value "${text}"; want a quantity such as 500m or 1Gi`);
    }
  };
  amount("containerLogMaxSize", settings.containerLogMaxSize);
  for (const field of ["systemReserved", "orchReserved"] as const)
    for (const [name, text] of Object.entries(settings[field])) amount(`${field}.${name}`, text);
  for (const field of ["evictionHard", "evictionSoft"] as const)
    for (const [signal, text] of Object.entries(settings[field]))
      if (!/^\d+(\.\d+)?%$/.test(text)) amount(`${field}.${signal}`, text);
  if ((settings.tlsCertFile === "") !== (settings.tlsPrivateKeyFile === ""))
    faults.push("fields tlsCertFile and tlsPrivateKeyFile belong together; give both or neither");
  const { validate, refusal } = metricFlags["show-hidden-metrics-for-version"];
  if (validate(settings.showHiddenMetricsForVersion) !== undefined) faults.push(refusal);
  const swaps = swapDevices();
  if (settings.failSwapOn && swaps.length > 0)
    faults.push(`field failSwapOn: swap is on (${swaps.join(", ")}); switch it off, or set failSwapOn to false`);
  return faults;
}
