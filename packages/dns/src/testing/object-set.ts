import type { core, discovery } from "@orchernetes/api";
import { canonicalAddress } from "../names/address-name.ts";
import { type ClusterObjects, SERVICE_NAME_LABEL } from "../zone/cluster-objects.ts";

/** Objects of a test, which may be added after the set was made. Every lookup reads all of them. */
export class ObjectSet implements ClusterObjects {
  synced = true;
  readonly namespaces = new Set<string>();
  readonly services: core.Service[] = [];
  readonly slices: discovery.EndpointSlice[] = [];
  readonly pods: core.Pod[] = [];

  hasSynced(): boolean {
    return this.synced;
  }

  hasNamespace(name: string): boolean {
    return this.namespaces.has(name);
  }

  service(namespace: string, name: string): core.Service | undefined {
    return this.services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  }

  endpointSlices(namespace: string, service: string): readonly discovery.EndpointSlice[] {
    return this.slices.filter(
      ({ metadata }) => metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME_LABEL] === service,
    );
  }

  servicesAt(address: string): readonly core.Service[] {
    return this.services.filter(({ spec }) => spec.clusterIPs?.some((text) => canonicalAddress(text) === address));
  }

  endpointSlicesAt(address: string): readonly discovery.EndpointSlice[] {
    return this.slices.filter(({ endpoints }) =>
      endpoints?.some(({ addresses }) => addresses?.some((text) => canonicalAddress(text) === address)),
    );
  }

  podsAt(address: string): readonly core.Pod[] {
    return this.pods.filter(({ status }) => canonicalAddress(status?.podIP ?? "") === address);
  }

  /** Adds a service of namespace `default`, or of another if `name` is `namespace/name`; the namespace exists then. */
  addService(name: string, spec: core.ServiceSpec): this {
    const [last = "", namespace = "default"] = name.split("/").reverse();
    this.namespaces.add(namespace);
    this.services.push({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: last, namespace },
      spec,
      status: { loadBalancer: {} },
    });
    return this;
  }

  /** Adds a slice of a service, with one port `http` (8080/TCP) unless others are given. */
  addSlice(
    service: string,
    endpoints: readonly (Omit<discovery.Endpoint, "conditions"> & Partial<Pick<discovery.Endpoint, "conditions">>)[],
    ports: readonly discovery.EndpointPort[] = [{ name: "http", port: 8080, protocol: "TCP" }],
  ): this {
    const [name = "", namespace = "default"] = service.split("/").reverse();
    this.slices.push({
      apiVersion: "discovery.o8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-${this.slices.length}`, namespace, labels: { [SERVICE_NAME_LABEL]: name } },
      addressType: "IPv4",
      endpoints: endpoints.map((endpoint) => ({ conditions: {}, ...endpoint })),
      ports: [...ports],
    });
    return this;
  }
}
