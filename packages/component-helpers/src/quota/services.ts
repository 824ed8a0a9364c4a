import type { core } from "@orchernetes/api";
import { Quantity } from "@orchernetes/apimachinery";
import type { QuotaEvaluator } from "./evaluator.ts";

const names: ReadonlySet<string> = new Set([
  "services",
  "services.nodeports",
  "services.loadbalancers",
  "count/services",
]);

/** Node ports that a service has, or is about to be given. */
function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts }: core.ServiceSpec): number {
  if (type !== "NodePort" && type !== "LoadBalancer") return 0;
  // A load balancer that needs no node ports has only those that it names.
  const onlyNamed = type === "LoadBalancer" && allocateLoadBalancerNodePorts === false;
  return onlyNamed ? ports.filter(({ nodePort }) => nodePort).length : ports.length;
}

/** Services count by number, by node ports and by load balancers. */
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
