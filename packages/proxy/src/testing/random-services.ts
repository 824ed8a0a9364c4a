import type { core, discovery } from "@orchernetes/api";
import { seededNumbers, service } from "@orchernetes/testkit";
import { endpointSlice, type TestEndpoint } from "./endpoint-slice.ts";

/** Where changes go: the rules of services. */
export interface ObjectSink {
  setService(service: core.Service): void;
  deleteService(service: core.Service): void;
  setEndpointSlice(slice: discovery.EndpointSlice): void;
  deleteEndpointSlice(slice: discovery.EndpointSlice): void;
  setNode(node: { readonly zone: string; readonly addresses: readonly string[] }): void;
}

/** The cluster addresses of the services, whether they are there or not. */
const clusterIPs = [1, 2, 3, 4, 5].map((i) => `10.96.0.${i}`);

/**
 * Five services at `10.96.0.1` and the following addresses, which change at random: the same changes for the same seed. Some
 * claim the same addresses, those of other services and of the node.
 */
export class RandomServices {
  /** By name. */
  readonly services = new Map<string, core.Service>();
  /** By name of the service; endpoints without a service stay. */
  readonly endpoints = new Map<string, readonly TestEndpoint[]>();
  /** Zone of the node. */
  zone = "a";
  readonly nodeAddresses = ["192.0.2.10"] as const;
  readonly clusterIPs = clusterIPs;
  readonly #next: (limit: number) => number;

  constructor(seed: number) {
    this.#next = seededNumbers(seed);
  }

  /** Makes one to three changes. */
  change(sink: ObjectSink): void {
    for (let step = this.#next(3); step >= 0; step--) this.#changeOne(sink);
  }

  #changeOne(sink: ObjectSink): void {
    const i = this.#next(5);
    const name = `s${i}`;
    const known = this.services.get(name);
    const kind = this.#next(10);
    if (kind === 0) {
      this.zone = this.#oneOf("a", "b", "");
      sink.setNode({ zone: this.zone, addresses: this.nodeAddresses });
    } else if (kind === 1 && known !== undefined) {
      sink.deleteService(known);
      this.services.delete(name);
    } else if (kind < 5 || known === undefined) {
      const built = this.#service(i);
      this.services.set(name, built);
      sink.setService(built);
      this.#setEndpoints(sink, built);
    } else {
      this.endpoints.set(name, this.#endpoints());
      this.#setEndpoints(sink, known);
    }
  }

  /** As the endpoint slice controller does it: two slices. */
  #setEndpoints(sink: ObjectSink, object: core.Service): void {
    const list = this.endpoints.get(object.metadata.name ?? "") ?? [];
    for (const [name, part] of [
      ["first", list.slice(0, 2)],
      ["second", list.slice(2)],
    ] as const) {
      const slice = endpointSlice(object, part, name);
      if (part.length === 0) sink.deleteEndpointSlice(slice);
      else sink.setEndpointSlice(slice);
    }
  }

  #oneOf<T>(...choices: readonly [T, ...T[]]): T {
    return choices[this.#next(choices.length)] ?? choices[0];
  }

  #sometimes(one: number, of: number): boolean {
    return this.#next(of) < one;
  }

  #service(i: number): core.Service {
    const type = this.#oneOf("ClusterIP", "NodePort", "LoadBalancer", "LoadBalancer");
    const isExternal = type !== "ClusterIP";
    const ports = Array.from({ length: 1 + this.#next(2) }, (_, p) => ({
      name: `p${p}`,
      port: 80 + p,
      targetPort: 8080 + p,
      protocol: this.#oneOf<core.ServicePort["protocol"]>("TCP", "UDP", "SCTP"),
      ...(isExternal ? { nodePort: 30_000 + 10 * i + p } : {}),
    }));
    const built = service(`s${i}`)
      .clusterIP(`10.96.0.${i + 1}`)
      .spec({
        type,
        ports,
        sessionAffinity: this.#oneOf("None", "None", "ClientIP"),
        internalTrafficPolicy: this.#oneOf("Cluster", "Cluster", "Local"),
        ...(isExternal ? { externalTrafficPolicy: this.#oneOf("Cluster", "Local") } : {}),
        ...(this.#sometimes(1, 3) ? { externalIPs: this.#externalIPs() } : {}),
        ...(this.#sometimes(1, 2)
          ? { loadBalancerSourceRanges: this.#oneOf(["172.16.0.0/16"], ["10.244.0.0/16"], ["192.0.2.0/24"]) }
          : {}),
      })
      .annotations(this.#sometimes(1, 3) ? { "service.orchernetes.io/topology-mode": "Auto" } : {})
      .labels(this.#sometimes(1, 8) ? { "service.orchernetes.io/service-proxy-name": "other" } : {})
      .createdAt(this.#oneOf("2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z", "2024-01-01T00:00:02Z"))
      .build();
    const ingress = type === "LoadBalancer" ? [{ ip: this.#loadBalancerIP() }] : [];
    return { ...built, status: { loadBalancer: { ingress } } };
  }

  #externalIPs(): readonly string[] {
    const { nodeAddresses } = this;
    const external = this.#oneOf("198.51.100.1", "203.0.113.1");
    return this.#oneOf([external], [external, this.#clusterIP()], [...nodeAddresses, external]);
  }

  #loadBalancerIP(): string {
    return this.#oneOf("203.0.113.1", "203.0.113.2", "203.0.113.1", "203.0.113.2", this.#clusterIP());
  }

  #clusterIP(): string {
    return clusterIPs[this.#next(clusterIPs.length)] ?? "";
  }

  #endpoints(): readonly TestEndpoint[] {
    const withHints = this.#sometimes(1, 2);
    return Array.from({ length: this.#next(6) }, (_, i) => ({
      address: `10.244.${this.#next(2)}.${10 + i}`,
      ...(this.#sometimes(5, 6) ? { node: this.#oneOf("n1", "n2") } : {}),
      conditions: this.#oneOf(
        { ready: true },
        {},
        { ready: false, serving: true, terminating: true },
        { ready: false, serving: false, terminating: true },
        { ready: false, serving: false },
      ),
      ...(withHints || this.#sometimes(1, 3) ? { zones: [this.#oneOf("a", "b")] } : {}),
    }));
  }
}
