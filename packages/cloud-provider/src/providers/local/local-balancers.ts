import type { core, discovery } from "@orchernetes/api";
import { keyOf } from "@orchernetes/apimachinery";
import type { Informer, ResourceRef } from "@orchernetes/client";
import {
  type CloudNode,
  type CloudService,
  defaultLoadBalancerName,
  type InformerSource,
  type LoadBalancers,
} from "../../provider/cloud-provider.ts";
import { type CloudResult, failed, succeeded, withdrawn } from "../../provider/cloud-result.ts";
import { servicesRef } from "../../refs.ts";
import { reservedPort, withoutAgents } from "./reserved-ports.ts";
import { type AddressedService, servingAddresses, servingNodes, takenPort } from "./serving-addresses.ts";

const slicesRef: ResourceRef<discovery.EndpointSlice> = Object.freeze({
  group: "discovery.o8s.io",
  version: "v1",
  plural: "endpointslices",
  kind: "EndpointSlice",
  scope: "Namespaced",
});

/** Label of a slice with the name of its service. */
const SERVICE_LABEL = "orchernetes.io/service-name";

const byService = "cloud-local-service";

const serviceKeyOf = ({ metadata }: discovery.EndpointSlice): string | undefined => {
  const name = metadata.labels?.[SERVICE_LABEL];
  return name === undefined ? undefined : `${metadata.namespace ?? ""}/${name}`;
};

/**
 * Load balancers without a machine of their own: orch-proxy of each node accepts traffic to the addresses of the service's status, and
 * these are addresses of the nodes themselves. Nothing exists beside the status, so nothing can be left over.
 */
export class LocalBalancers implements LoadBalancers {
  #slices: Informer<discovery.EndpointSlice> | undefined;
  #services: Informer<core.Service> | undefined;
  /** Addresses that were given by this process, which the cache of services may not show yet, by the service's uid. */
  readonly #given = new Map<string, readonly string[]>();

  follow(informer: InformerSource, changed: (key: string) => void): void {
    const slices = informer(slicesRef, { [byService]: serviceKeyOf });
    this.#slices = slices;
    this.#services = informer(servicesRef);
    const wake = (slice: discovery.EndpointSlice): void => {
      const key = serviceKeyOf(slice);
      // Only these depend on where their endpoints are.
      const isLocal = key !== undefined && this.#services?.lister.byKey(key)?.spec?.externalTrafficPolicy === "Local";
      if (isLocal) changed(key);
    };
    slices.addHandler({
      onAdd: wake,
      onUpdate: (before, after) => {
        if (nodesText([before]) !== nodesText([after])) wake(after);
      },
      onDelete: wake,
    });
  }

  async get({ status }: CloudService): Promise<CloudResult<core.LoadBalancerStatus | undefined>> {
    const { ingress = [] } = status?.loadBalancer ?? {};
    return succeeded(ingress.length === 0 ? undefined : { ingress });
  }

  async name(service: CloudService): Promise<CloudResult<string>> {
    return succeeded(defaultLoadBalancerName(service));
  }

  async ensure(service: CloudService, nodes: readonly CloudNode[]): Promise<CloudResult<core.LoadBalancerStatus>> {
    const key = keyOf(service);
    const reserved = reservedPort(service);
    if (reserved !== undefined) return this.#refused(service, `port ${reserved} of the nodes' addresses is reserved`);
    const free = withoutAgents(service, nodes);
    if (free.length === 0 && nodes.length > 0)
      return this.#refused(service, "a port is that of the agent of each node that may serve");
    const all = servingAddresses(service, free, servingNodes(this.#slices?.lister.byIndex(byService, key) ?? []));
    const wanted = service.spec?.loadBalancerIP ?? "";
    const addresses = wanted === "" ? all : all.filter((address) => address === wanted);
    if (wanted !== "" && addresses.length === 0) {
      return failed("InvalidArgument", `loadBalancerIP "${wanted}" is no address of a node that may serve`);
    }
    const taken = takenPort({ service, addresses }, this.#others());
    if (taken !== undefined) {
      return failed("InvalidArgument", `port ${taken.port} of the nodes' addresses is taken by service ${taken.by}`);
    }
    this.#given.set(service.metadata.uid, addresses);
    return succeeded({ ingress: addresses.map((ip) => ({ ip })) });
  }

  update(service: CloudService, nodes: readonly CloudNode[]): Promise<CloudResult<core.LoadBalancerStatus>> {
    return this.ensure(service, nodes);
  }

  async ensureDeleted({ metadata }: CloudService): Promise<CloudResult<undefined>> {
    this.#given.delete(metadata.uid);
    return succeeded(undefined);
  }

  /** It loses the addresses that it got for other ports, too: a status does not say for which ports its addresses are. */
  #refused({ metadata }: CloudService, why: string): CloudResult<never> {
    this.#given.delete(metadata.uid);
    return withdrawn(why);
  }

  /** All services with the addresses of their load balancers. */
  #others(): readonly AddressedService[] {
    return (this.#services?.lister.list("") ?? []).flatMap((service) => {
      const shown = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
      const addresses = this.#given.get(service.metadata.uid) ?? shown;
      return addresses.length === 0 ? [] : [{ service, addresses }];
    });
  }
}

const nodesText = (slices: readonly discovery.EndpointSlice[]): string => [...servingNodes(slices)].sort().join(" ");
