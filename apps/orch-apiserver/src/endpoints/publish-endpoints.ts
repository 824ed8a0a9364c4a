import { isIPv6 } from "node:net";
import { core, discovery } from "@orchernetes/api";
import { isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { clusterService } from "./cluster-service.ts";

/** What the endpoints of the cluster's own service are made of. */
export interface PublishOptions {
  readonly registry: Registry;
  /** Of all servers. */
  readonly port: number;
  /**
   * The addresses of the servers, from what is stored now; called again when another server was faster, so that of two that
   * write at once none undoes what the other did.
   */
  readonly addresses: (stored: readonly string[]) => Promise<readonly string[]>;
}

/** Disables mirroring of the Endpoints object, because this server writes its EndpointSlice itself. */
const endpointsLabels = { "endpointslice.orchernetes.io/skip-mirror": "true" };
/** By which the slice is found. */
const sliceLabels = { "orchernetes.io/service-name": clusterService.name };

type Labels = Readonly<Record<string, string>>;

const hasLabels = ({ labels }: { readonly labels?: Labels | undefined }, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labels?.[key] === value);

const portOf = (port: number) => ({ name: "https", port, protocol: "TCP" as const });

/** Brings the endpoints and the endpoint slice of service default/orchernetes to the addresses; without any both are removed. */
export async function publishEndpoints(options: PublishOptions): Promise<void> {
  const addresses = await writeEndpoints(options);
  await writeSlice(options, addresses);
}

async function writeEndpoints({ registry, port, addresses }: PublishOptions): Promise<readonly string[]> {
  const store = registry.forDefinition(core.endpoints);
  const subsetsOf = (ips: readonly string[]) =>
    ips.length === 0 ? [] : [{ addresses: ips.map((ip) => ({ ip })), ports: [portOf(port)] }];
  let wanted: readonly string[] = [];
  try {
    await store.update(clusterService, async (draft, current) => {
      const stored = (current.subsets ?? []).flatMap((subset) => subset.addresses ?? []).map(({ ip }) => ip);
      wanted = sorted(await addresses(stored));
      const subsets = subsetsOf(wanted);
      const isSame = JSON.stringify(current.subsets) === JSON.stringify(subsets);
      if (isSame && hasLabels(current.metadata, endpointsLabels)) return false;
      draft.subsets = subsets;
      draft.metadata.labels = { ...draft.metadata.labels, ...endpointsLabels };
      return true;
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    wanted = sorted(await addresses([]));
    if (wanted.length === 0) return wanted;
    await store
      .create({
        metadata: { ...clusterService, labels: endpointsLabels },
        subsets: subsetsOf(wanted),
      })
      .catch(async (error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
        wanted = await writeEndpoints({ registry, port, addresses });
      });
  }
  return wanted;
}

/** One slice holds one family: that of the first address. */
async function writeSlice({ registry, port }: PublishOptions, addresses: readonly string[]): Promise<void> {
  const store = registry.forDefinition(discovery.endpointSlices);
  const [first = ""] = addresses;
  const addressType = isIPv6(first) ? ("IPv6" as const) : ("IPv4" as const);
  const endpoints = addresses
    .filter((ip) => isIPv6(ip) === isIPv6(first))
    .map((ip) => ({ addresses: [ip], conditions: { ready: true } }));
  const ports = [portOf(port)];
  const create = () =>
    store
      .create({
        metadata: { ...clusterService, labels: sliceLabels },
        addressType,
        endpoints,
        ports,
      })
      .catch((error: unknown) => {
        // Another server was faster; the next turn compares.
        if (!isAlreadyExists(error)) throw error;
      });
  try {
    let otherFamily = false;
    await store.update(clusterService, (draft, current) => {
      otherFamily = endpoints.length > 0 && current.addressType !== addressType;
      const isSame = JSON.stringify([current.endpoints, current.ports]) === JSON.stringify([endpoints, ports]);
      if (otherFamily || (isSame && hasLabels(current.metadata, sliceLabels))) return false;
      draft.metadata.labels = { ...draft.metadata.labels, ...sliceLabels };
      draft.endpoints = endpoints;
      draft.ports = ports;
      return true;
    });
    if (!otherFamily) return;
    // The family of a slice never changes.
    await store.delete(clusterService);
    await create();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await create();
  }
}

function sorted(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses)].sort();
}
