import type { CallContext, CloudNode, CloudProvider, CloudService, Route } from "../provider/cloud-provider.ts";
import type { CloudResult } from "../provider/cloud-result.ts";
import { guardProvider } from "../provider/guard-provider.ts";

/** What the suite needs of a cloud. */
export interface ConformanceOptions {
  /** The provider; the suite guards it. */
  readonly provider: CloudProvider;
  /** Nodes whose machines exist and run; two at least. */
  readonly nodes: readonly CloudNode[];
  /** A node whose machine does not exist; undefined if the cloud knows no such node. */
  readonly goneNode?: CloudNode;
  /** A service of type LoadBalancer that has no load balancer yet. */
  readonly service: CloudService;
}

/** A rule that every provider must keep. */
export interface ConformanceCase {
  readonly name: string;
  /** @throws Error that says how the rule is broken */
  run(): Promise<void>;
}

const limitMs = 30_000;

const context = (): CallContext => ({
  signal: new AbortController().signal,
  deadlineMs: Date.now() + limitMs,
  clusterName: "conformance",
});

function expectValue<T>(what: string, result: CloudResult<T>): T {
  if (result.ok) return result.value;
  throw new Error(`${what}: ${result.error.code}: ${result.error.message}`);
}

function must(condition: boolean, rule: string): void {
  if (!condition) throw new Error(rule);
}

const sameText = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The rules of the interface as cases, for the parts that the provider has; a test runner runs them in order. They leave nothing behind in
 * the cloud.
 *
 * @example
 * ```ts
 * for (const { name, run } of cloudConformance({ provider, nodes, service })) test(name, run);
 * ```
 */
export function cloudConformance(options: ConformanceOptions): readonly ConformanceCase[] {
  const provider = guardProvider(options.provider);
  return [
    {
      name: "the provider has a name",
      run: async () => must(/^[a-z0-9][-a-z0-9.]{0,62}$/.test(provider.name), `found ${JSON.stringify(provider.name)}`),
    },
    ...instanceCases(provider, options),
    ...balancerCases(provider, options),
    ...routeCases(provider, options),
    ...clusterCases(provider),
  ];
}

function instanceCases(
  { instances, zones }: CloudProvider,
  { nodes, goneNode }: ConformanceOptions,
): readonly ConformanceCase[] {
  if (instances === undefined) return [];
  const cases: ConformanceCase[] = [
    {
      name: "machines of nodes exist and are not shut down",
      async run() {
        for (const node of nodes) {
          must(expectValue("exists", await instances.exists(node, context())), `${node.metadata.name} does not exist`);
          must(
            !expectValue("isShutDown", await instances.isShutDown(node, context())),
            `${node.metadata.name} is shut down`,
          );
        }
      },
    },
    {
      name: "metadata has a provider ID, the same at every call and different for every node",
      async run() {
        const ids = new Set<string>();
        for (const node of nodes) {
          const metadata = expectValue("metadata", await instances.metadata(node, context()));
          const again = expectValue("metadata", await instances.metadata(node, context()));
          must(metadata !== undefined && metadata.providerID !== "", "no provider ID");
          must(sameText(metadata, again), "two calls differ");
          ids.add(metadata?.providerID ?? "");
        }
        must(ids.size === nodes.length, "two nodes have one provider ID");
      },
    },
  ];
  if (goneNode !== undefined) {
    cases.push({
      name: "a machine that is gone does not exist",
      run: async () => must(!expectValue("exists", await instances.exists(goneNode, context())), "it exists"),
    });
  }
  if (zones !== undefined) {
    cases.push({
      name: "nodes have zones",
      async run() {
        for (const node of nodes) expectValue("ofNode", await zones.ofNode(node, context()));
      },
    });
  }
  return cases;
}

function balancerCases(
  { loadBalancers: of }: CloudProvider,
  { nodes, service }: ConformanceOptions,
): readonly ConformanceCase[] {
  if (of === undefined) return [];
  const withStatus = (status: object | undefined): CloudService =>
    ({ ...service, status: { loadBalancer: status ?? {} } }) as CloudService;
  let current = service;
  return [
    {
      name: "a load balancer has a name before it exists, the same at every call",
      async run() {
        const name = expectValue("name", await of.name(service, context()));
        must(name === expectValue("name", await of.name(service, context())), "two calls differ");
      },
    },
    {
      name: "there is no load balancer before it is made, and deleting it succeeds",
      async run() {
        must(expectValue("get", await of.get(service, context())) === undefined, "it exists");
        expectValue("ensureDeleted", await of.ensureDeleted(service, context()));
      },
    },
    {
      name: "making it twice makes one, with the same status, which get returns",
      async run() {
        const first = expectValue("ensure", await of.ensure(service, nodes, context()));
        must((first.ingress ?? []).length > 0, "no address");
        current = withStatus(first);
        const second = expectValue("ensure", await of.ensure(current, nodes, context()));
        must(sameText(first, second), "the second status differs");
        must(sameText(expectValue("get", await of.get(current, context())), first), "get returns another status");
      },
    },
    {
      name: "its nodes can be changed, also to none",
      async run() {
        for (const set of [nodes.slice(0, 1), [], nodes]) {
          const status = expectValue("update", await of.update(current, set, context()));
          if (status !== undefined) current = withStatus(status);
        }
      },
    },
    {
      name: "it can be deleted twice, and is gone",
      async run() {
        expectValue("ensureDeleted", await of.ensureDeleted(current, context()));
        expectValue("ensureDeleted", await of.ensureDeleted(current, context()));
        must(expectValue("get", await of.get(service, context())) === undefined, "it still exists");
      },
    },
  ];
}

function routeCases({ routes }: CloudProvider, { nodes }: ConformanceOptions): readonly ConformanceCase[] {
  const [node] = nodes;
  if (routes === undefined || node === undefined) return [];
  const route: Route = {
    name: "",
    targetNode: node.metadata.name,
    targetNodeAddresses: node.status?.addresses ?? [],
    enableNodeAddresses: false,
    destinationCIDR: "10.244.77.0/24",
    blackhole: false,
  };
  const find = async () =>
    expectValue("list", await routes.list(context())).filter(
      ({ destinationCIDR }) => destinationCIDR === route.destinationCIDR,
    );
  return [
    {
      name: "a route is made once, listed, and deleted",
      async run() {
        expectValue("create", await routes.create("hint", route, context()));
        const [made, ...others] = await find();
        must(made !== undefined && others.length === 0, "it is not listed once");
        must(made?.targetNode === route.targetNode && made.name !== "", "it has no name, or another node");
        if (made !== undefined) expectValue("delete", await routes.delete(made, context()));
        must((await find()).length === 0, "it is listed after its deletion");
        if (made !== undefined) expectValue("delete again", await routes.delete(made, context()));
      },
    },
  ];
}

function clusterCases({ clusters }: CloudProvider): readonly ConformanceCase[] {
  if (clusters === undefined) return [];
  return [
    {
      name: "listed clusters have addresses",
      async run() {
        for (const name of expectValue("list", await clusters.list(context()))) {
          expectValue("address", await clusters.address(name, context()));
        }
      },
    },
  ];
}
