import { hostname } from "node:os";
import { isDns1123Subdomain, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { type ClientConfig, type ContentTypes, givenContentTypes } from "@orchernetes/client";
import {
  ConfigurationError,
  type FlagValues,
  features,
  idleGateWarnings,
  type metricFlags,
  NamedFiles,
  parseFeatureGates,
} from "@orchernetes/component";
import { type Configuration, readConfiguration } from "@orchernetes/component/configuration";
import {
  type OrchletConfiguration,
  orchletConfigurationSchema,
  orchletGateErrors,
  orchletGates,
} from "@orchernetes/config";
import type { Bootstrap } from "./config/bootstrap.ts";
import { readClientFiles, readNamedFiles } from "./config/config-files.ts";
import { openServerError } from "./config/open-server.ts";
import { reviewErrors } from "./config/review-errors.ts";
import { givenGates, settingErrors } from "./config/setting-errors.ts";
import { resourceManagerErrors, resourceManagerGates } from "./container-manager/resource-manager/option-errors.ts";
import { type Flags, orchletFlags, ownDefaults } from "./flags/index.ts";
import type { CredentialProviderFiles } from "./images/credentials/credential-providers.ts";
import { type LockOptions, lockOf } from "./lock-file.ts";
import type { HairpinMode } from "./network/hairpin.ts";
import { cloudFileErrors, cloudIdentity } from "./node/cloud-identity.ts";
import { nodeLabelErrors } from "./node/label-errors.ts";
import { nodeAddresses } from "./node/node-addresses.ts";
import type { CloudIdentity } from "./node/node-object.ts";
import type { LogindPlaces } from "./shutdown/logind.ts";
import type { HostFolders } from "./stats/host/host-files.ts";

/** File and flags, checked together and brought into the form that the agent is built from. */
export interface Config {
  readonly settings: OrchletConfiguration;
  readonly nodeName: string;
  readonly nodeIPs: readonly string[];
  /** Undefined unless a cloud controller initializes the node (`--cloud-provider=external`). */
  readonly cloud?: CloudIdentity | undefined;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly registerSchedulable: boolean;
  readonly rootDir: string;
  readonly certDir: string;
  /** Undefined: the agent runs on its own. */
  readonly api: ClientConfig | undefined;
  /** Media types of requests to the API server. @default JSON */
  readonly contentTypes?: ContentTypes | undefined;
  /** Set if the agent must request its first client certificate: {@link api} has no credentials yet. */
  readonly bootstrap?: Bootstrap | undefined;
  readonly logMaxBytes: number;
  readonly deadContainersPerContainer: number;
  /** Exited containers to keep on the node. @default -1, for no limit */
  readonly deadContainers?: number;
  /** Age from which exited containers are removed, in milliseconds. @default 0 */
  readonly deadContainerMinAgeMs?: number;
  /** Image that is never removed, beside those of containers. @default the runtime's own, which is called `pause` */
  readonly sandboxImage?: string;
  /** Programs that provide credentials for images. @default none */
  readonly credentialProviders?: CredentialProviderFiles | undefined;
  /** Stand-ins of the host's login manager. @default the host's */
  readonly logind?: LogindPlaces | undefined;
  /** Stand-ins of the folders in which the kernel shows its state. @default the host's */
  readonly hostFolders?: HostFolders | undefined;
  /** Socket of a stand-in of the system bus, for control groups of systemd. @default the host's */
  readonly busSocket?: string | undefined;
  /** Whether thresholds of eviction are left out of the allocatable resources. @default false */
  readonly allocatableIgnoresEviction?: boolean;
  /** @default no file is locked */
  readonly lock?: LockOptions | undefined;
  /** The control group of the container runtime, whose usage is shown. @default "" it is not known */
  readonly runtimeCgroups?: string;
  /** Whether volumes of pods that have ended stay until the pods are deleted. @default false */
  readonly keepTerminatedPodVolumes?: boolean;
  /** Set where it was asked for: the default leaves it to the network plugin. */
  readonly hairpinMode?: HairpinMode | undefined;
  /** Program that mounts network file systems, as mount(8). @default mount(8) */
  readonly mounterPath?: string;
  readonly featureEnabled: (gate: string) => boolean;
  readonly metricFlags: FlagValues<typeof metricFlags>;
  /** One line for each setting that has no effect. */
  readonly warnings: readonly string[];
}

const head = { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" } as const;

/** Lays the flags over the file of `--config`. */
export const readSettings = (
  flags: Flags,
  explicit: ReadonlySet<string>,
): Promise<Configuration<OrchletConfiguration>> =>
  readConfiguration({
    table: orchletFlags,
    flags,
    explicit,
    file: flags.config,
    head,
    schema: async () => orchletConfigurationSchema,
    ownDefaults,
  });

/**
 * Reads the file of `--config`, lays the flags over it, and reads what both name.
 *
 * @param explicit names of the flags that were on the command line
 * @throws ConfigurationError with every error at once
 */
export async function completeConfig(flags: Flags, explicit: ReadonlySet<string>): Promise<Config> {
  const files = new NamedFiles();
  const { errors } = files;
  const settings = await readSettings(flags, explicit);
  const { parsed } = settings;
  const value = (field: string) => settings.value(field);
  errors.push(...settings.errors, ...settings.attributed(settingErrors(value)));

  const named = givenGates(value);
  const gates = parseFeatureGates(features, named);
  if ("errors" in gates) errors.push(...gates.errors.map((error) => `${settings.origin("featureGates")}: ${error}`));
  const featureEnabled = (name: string) => "gates" in gates && gates.gates.enabled(name as keyof typeof features);
  if (parsed !== undefined)
    errors.push(
      ...settings.attributed([
        ...orchletGateErrors(parsed, featureEnabled),
        ...resourceManagerErrors(parsed, featureEnabled),
      ]),
    );

  const nodeName = (flags["hostname-override"] || hostname()).trim().toLowerCase();
  for (const error of isDns1123Subdomain(nodeName)) errors.push(`--hostname-override: found "${nodeName}"; ${error}`);
  errors.push(...nodeLabelErrors(flags["node-labels"]));
  const addresses = nodeAddresses(flags["node-ip"]);
  if ("error" in addresses) errors.push(addresses.error);

  const identity = cloudIdentity(flags["cloud-provider"], flags["node-ip"]);
  if ("error" in identity) errors.push(identity.error);
  errors.push(...cloudFileErrors(flags["cloud-config"]));
  const { api, bootstrap } = await readClientFiles(flags, files);
  const { credentialProviders } = await readNamedFiles(flags, settings, files);
  const lock = lockOf(flags);
  if ("error" in lock) errors.push(lock.error);
  const open = parsed && openServerError(parsed, { hasFile: flags.config !== "", explicit });
  if (open !== undefined) errors.push(open);
  if (parsed !== undefined && flags.orchconfig === "") errors.push(...settings.attributed(reviewErrors(parsed)));
  if (errors.length > 0 || parsed === undefined) throw new ConfigurationError(errors);
  return {
    settings: parsed,
    nodeName,
    nodeIPs: "ips" in addresses ? addresses.ips : [],
    cloud: "cloud" in identity ? identity.cloud : undefined,
    nodeLabels: Object.fromEntries(flags["node-labels"]),
    registerSchedulable: flags["register-schedulable"],
    rootDir: flags["root-dir"],
    certDir: flags["cert-dir"],
    api,
    contentTypes: await givenContentTypes(settings, "", () => import("@orchernetes/api/scheme")),
    bootstrap,
    logMaxBytes: wholeValueOf(parsed.containerLogMaxSize),
    deadContainersPerContainer: flags["maximum-dead-containers-per-container"],
    deadContainers: flags["maximum-dead-containers"],
    deadContainerMinAgeMs: flags["minimum-container-ttl-duration"],
    sandboxImage: flags["pod-infra-container-image"],
    credentialProviders,
    lock: "lock" in lock ? lock.lock : undefined,
    runtimeCgroups: flags["runtime-cgroups"],
    keepTerminatedPodVolumes: flags["keep-terminated-pod-volumes"],
    hairpinMode: value("hairpinMode") === undefined ? undefined : parsed.hairpinMode,
    mounterPath: flags["experimental-mounter-path"],
    allocatableIgnoresEviction: flags["experimental-allocatable-ignore-eviction"],
    featureEnabled,
    metricFlags: { ...flags, "show-hidden-metrics-for-version": parsed.showHiddenMetricsForVersion },
    warnings: [
      ...("warnings" in gates ? gates.warnings : []),
      ...idleGateWarnings({
        daemon: "orchlet",
        features,
        named,
        switched: [
          ...orchletGates,
          ...resourceManagerGates,
          ...[
            "EventedPLEG",
            "MemoryQoS",
            "IPTablesOwnershipCleanup",
            "PodDisruptionConditions",
            "SizeMemoryBackedVolumes",
          ],
        ],
      }),
    ],
  };
}
