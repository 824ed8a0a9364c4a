import type { core } from "@orchernetes/api";
import type {
  CallContext,
  CloudNode,
  CloudProvider,
  CloudService,
  InstanceMetadata,
  Route,
  Zone,
} from "../provider/cloud-provider.ts";
import { defaultLoadBalancerName } from "../provider/cloud-provider.ts";
import { type CloudErrorCode, type CloudResult, failed, succeeded } from "../provider/cloud-result.ts";

/** A machine of a {@link FakeCloud}. */
export interface FakeMachine extends Partial<InstanceMetadata> {
  readonly isShutDown?: boolean;
}

/** What a {@link FakeCloud} does instead of its work. */
export type Misbehaviour =
  /** Never answers. */
  | { readonly type: "hang" }
  | { readonly type: "fail"; readonly code: CloudErrorCode; readonly message: string }
  | { readonly type: "throw"; readonly error: unknown }
  /** Answers with anything, such as no result at all. */
  | { readonly type: "lie"; readonly answer: unknown };

/** A cloud in memory, for tests: machines by name, load balancers by name, routes; it misbehaves on request. */
export class FakeCloud implements CloudProvider {
  readonly name = "fake";
  readonly machines = new Map<string, FakeMachine>();
  /** The names of the nodes behind each load balancer. */
  readonly balancers = new Map<string, readonly string[]>();
  readonly cloudRoutes = new Map<string, Route>();
  /** The calls so far, such as `loadBalancers.ensure default/web`. */
  readonly calls: string[] = [];
  /** Decides about a call by its operation, such as `instances.exists`. */
  misbehave: (operation: string) => Misbehaviour | undefined = () => undefined;
  /** The address of every load balancer. */
  address = "192.0.2.10";

  readonly instances = {
    exists: (node: CloudNode, context: CallContext) =>
      this.#answer("instances.exists", node, context, () => succeeded(this.machines.has(node.metadata.name))),
    isShutDown: (node: CloudNode, context: CallContext) =>
      this.#answer("instances.isShutDown", node, context, () =>
        succeeded(this.machines.get(node.metadata.name)?.isShutDown ?? false),
      ),
    metadata: (node: CloudNode, context: CallContext) =>
      this.#answer("instances.metadata", node, context, () => this.#metadata(node)),
  };

  readonly zones = {
    ofNode: (node: CloudNode, context: CallContext) =>
      this.#answer(
        "zones.ofNode",
        node,
        context,
        (): CloudResult<Zone> => succeeded({ zone: "zone-0", region: "region-0" }),
      ),
  };

  readonly loadBalancers = {
    get: (service: CloudService, context: CallContext) =>
      this.#answer("loadBalancers.get", service, context, () =>
        succeeded(this.balancers.has(defaultLoadBalancerName(service)) ? this.#status() : undefined),
      ),
    name: (service: CloudService, context: CallContext) =>
      this.#answer("loadBalancers.name", service, context, () => succeeded(defaultLoadBalancerName(service))),
    ensure: (service: CloudService, nodes: readonly CloudNode[], context: CallContext) =>
      this.#answer("loadBalancers.ensure", service, context, () => {
        this.#setNodes(service, nodes);
        return succeeded(this.#status());
      }),
    update: (service: CloudService, nodes: readonly CloudNode[], context: CallContext) =>
      this.#answer("loadBalancers.update", service, context, (): CloudResult<core.LoadBalancerStatus | undefined> => {
        if (!this.balancers.has(defaultLoadBalancerName(service))) return failed("NotFound", "no such load balancer");
        this.#setNodes(service, nodes);
        return succeeded(undefined);
      }),
    ensureDeleted: (service: CloudService, context: CallContext) =>
      this.#answer("loadBalancers.ensureDeleted", service, context, () => {
        this.balancers.delete(defaultLoadBalancerName(service));
        return succeeded(undefined);
      }),
  };

  readonly routes = {
    list: (context: CallContext) =>
      this.#answer("routes.list", undefined, context, () => succeeded([...this.cloudRoutes.values()])),
    create: (nameHint: string, route: Route, context: CallContext) =>
      this.#answer("routes.create", undefined, context, () => {
        const name = `${nameHint}-${route.destinationCIDR}`;
        this.cloudRoutes.set(name, { ...route, name });
        return succeeded(undefined);
      }),
    delete: (route: Route, context: CallContext) =>
      this.#answer("routes.delete", undefined, context, () => {
        this.cloudRoutes.delete(route.name);
        return succeeded(undefined);
      }),
  };

  readonly clusters = {
    list: (context: CallContext) =>
      this.#answer("clusters.list", undefined, context, () => succeeded([context.clusterName])),
    address: (_cluster: string, context: CallContext) =>
      this.#answer("clusters.address", undefined, context, () => succeeded("192.0.2.1")),
  };

  /** Adds the machine of a node. */
  addMachine(name: string, machine: FakeMachine = {}): this {
    this.machines.set(name, machine);
    return this;
  }

  #metadata({ metadata: { name } }: CloudNode): CloudResult<InstanceMetadata | undefined> {
    const machine = this.machines.get(name);
    if (machine === undefined) return failed("NotFound", `there is no machine "${name}"`);
    const { instanceType = "", zone = "", region = "", addresses = [] } = machine;
    return succeeded({ providerID: machine.providerID ?? `fake://${name}`, instanceType, zone, region, addresses });
  }

  #status(): core.LoadBalancerStatus {
    return { ingress: [{ ip: this.address }] };
  }

  #setNodes(service: CloudService, nodes: readonly CloudNode[]): void {
    this.balancers.set(defaultLoadBalancerName(service), nodes.map(({ metadata }) => metadata.name).sort());
  }

  async #answer<T>(
    operation: string,
    object: CloudNode | CloudService | undefined,
    { signal }: CallContext,
    work: () => CloudResult<T>,
  ): Promise<CloudResult<T>> {
    const { namespace, name } = object?.metadata ?? {};
    this.calls.push([operation, namespace ? `${namespace}/${name}` : name].filter(Boolean).join(" "));
    const bad = this.misbehave(operation);
    switch (bad?.type) {
      case undefined:
        return work();
      case "hang":
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve(failed("Canceled", "aborted")), { once: true }),
        );
      case "fail":
        return failed(bad.code, bad.message);
      case "throw":
        throw bad.error;
      case "lie":
        return bad.answer as CloudResult<T>;
    }
  }
}
