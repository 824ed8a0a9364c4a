import type { core } from "@orchernetes/api";
import { Quantity } from "@orchernetes/apimachinery";
import type { QuotaEvaluator } from "./evaluator.ts";

const names: ReadonlySet<string> = new Set([
  "services",
  "services.nodeports",
  "services.loadbalancers",
  "count/services",
]);

/** Number of node ports that a service has, or that will be allocated for it. */
function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts }: core.ServiceSpec): number {
  if (type !== "NodePort" && type !== "LoadBalancer") return 0;
  // A load balancer without allocated node ports has only those that it specifies.
  const onlyNamed = type === "LoadBalancer" && allocateLoadBalancerNodePorts === false;
  return onlyNamed ? ports.filter(({ nodePort }) => nodePort).length : ports.length;
}

/** Counts services by number, by node ports and by load balancers. */
export const serviceQuota: QuotaEvaluator = {
  group: "",
  plural: "services",
  operations: new Set(["CREATE", "UPDATE"]),
  limits: (name) => names.has(name),
  inScope: () => false,
  missing: () => undefined,
  usage(object) {
    const { spec } = object as core.Service;
    return new Map([
      ["services", Quantity.of(1)],
      ["count/services", Quantity.of(1)],
      ["services.nodeports", Quantity.of(nodePorts(spec))],
      ["services.loadbalancers", Quantity.of(spec.type === "LoadBalancer" ? 1 : 0)],
    ]);
  },
};
