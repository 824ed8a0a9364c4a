import { core, type discovery } from "@orchernetes/api";
import { type Client, createInformer } from "@orchernetes/client";
import { type ClusterObjects, canonicalAddress, type PodNames, SERVICE_NAME_LABEL } from "@orchernetes/dns";
import type { Logger } from "@orchernetes/kernel";
import type { ClusterInformers } from "../state/cluster-informers.ts";

/** Names of the indexes that DNS adds. */
const BY_SERVICE = "dns-service";
const BY_ADDRESS = "dns-address";

/** The cluster's objects as DNS reads them. */
export interface InformedObjects {
  readonly objects: ClusterObjects;
  /** Runs the informers that are for DNS alone, until the signal aborts. */
  run(signal: AbortSignal): void;
}

/** The options of {@link informedObjects}. */
export interface InformedObjectsOptions {
  readonly podNames: PodNames;
  readonly logger: Logger;
  /** The address at which a cluster IP is served; undefined: nowhere. @default the cluster IP itself */
  readonly servedAt?: (clusterIP: string) => string | undefined;
}

/**
 * Reads the objects of informers: of those that the daemon has anyway, of namespaces and, to verify names of pods, of pods.
 */
export function informedObjects(
  client: Client,
  { services, endpointSlices }: Pick<ClusterInformers, "services" | "endpointSlices">,
  { podNames, logger, servedAt }: InformedObjectsOptions,
): InformedObjects {
  const served = (service: core.Service): core.Service => (servedAt === undefined ? service : moved(service, servedAt));
  services.addIndexers({ [BY_ADDRESS]: (service) => addressesOfService(served(service)) });
  endpointSlices.addIndexers({ [BY_SERVICE]: serviceOf, [BY_ADDRESS]: addressesOfSlice });
  const namespaces = createInformer<core.Namespace>(client, core.namespaces, { logger });
  const pods =
    podNames === "verified"
      ? createInformer<core.Pod>(client, core.pods, { logger, indexers: { [BY_ADDRESS]: addressesOfPod } })
      : undefined;
  const followed = [services, endpointSlices, namespaces, ...(pods === undefined ? [] : [pods])];
  return {
    objects: {
      hasSynced: () => followed.every((informer) => informer.hasSynced()),
      hasNamespace: (name) => namespaces.lister.get("", name) !== undefined,
      service(namespace, name) {
        const service = services.lister.get(namespace, name);
        return service && served(service);
      },
      endpointSlices: (namespace, service) => endpointSlices.lister.byIndex(BY_SERVICE, `${namespace}/${service}`),
      servicesAt: (address) => services.lister.byIndex(BY_ADDRESS, address),
      endpointSlicesAt: (address) => endpointSlices.lister.byIndex(BY_ADDRESS, address),
      podsAt: (address) => pods?.lister.byIndex(BY_ADDRESS, address) ?? [],
    },
    run(signal) {
      void namespaces.run(signal);
      void pods?.run(signal);
    },
  };
}

/** A service with the addresses at which its cluster IPs are served. Headless ones stay as they are. */
function moved(service: core.Service, servedAt: (clusterIP: string) => string | undefined): core.Service {
  const { clusterIP = "", clusterIPs = [clusterIP] } = service.spec;
  if (clusterIPs[0] === "None") return service;
  const addresses = clusterIPs.map(servedAt).filter((address) => address !== undefined);
  return { ...service, spec: { ...service.spec, clusterIP: addresses[0] ?? "", clusterIPs: addresses } };
}

const canonical = (addresses: readonly string[]): readonly string[] =>
  addresses.map(canonicalAddress).filter((address) => address !== undefined);

const addressesOfService = ({ spec }: core.Service): readonly string[] =>
  canonical(spec.clusterIPs ?? [spec.clusterIP ?? ""]);

const addressesOfSlice = ({ endpoints }: discovery.EndpointSlice): readonly string[] =>
  canonical((endpoints ?? []).flatMap(({ addresses }) => addresses ?? []));

const addressesOfPod = ({ status }: core.Pod): readonly string[] =>
  canonical((status?.podIPs ?? []).map(({ ip }) => ip ?? ""));

function serviceOf({ metadata }: discovery.EndpointSlice): string | undefined {
  const service = metadata.labels?.[SERVICE_NAME_LABEL];
  return service === undefined ? undefined : `${metadata.namespace}/${service}`;
}
