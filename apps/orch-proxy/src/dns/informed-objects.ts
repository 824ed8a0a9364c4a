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

/**
 * Reads the objects of informers: of those that the daemon has anyway, of namespaces and, to verify names of pods, of pods.
 */
export function informedObjects(
  client: Client,
  { services, endpointSlices }: Pick<ClusterInformers, "services" | "endpointSlices">,
  { podNames, logger }: { readonly podNames: PodNames; readonly logger: Logger },
): InformedObjects {
  services.addIndexers({ [BY_ADDRESS]: addressesOfService });
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
      service: (namespace, name) => services.lister.get(namespace, name),
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
