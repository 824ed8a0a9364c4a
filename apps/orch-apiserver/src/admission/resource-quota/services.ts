import type { core } from "@orchernetes/api";
import { Quantity } from "@orchernetes/apimachinery";
import type { Evaluator } from "./evaluator.ts";

const NAMES: ReadonlySet<string> = new Set([
  "services",
  "services.nodeports",
  "services.loadbalancers",
  "count/services",
]);

/** Services count by number, by node ports and by load balancers. */
export const services: Evaluator = {
  operations: new Set(["CREATE", "UPDATE"]),
  limits: (name) => NAMES.has(name),
  inScope: () => false,
  missing: () => undefined,
  usage(object) {
    const { spec } = object as core.Service;
    const ports = spec.ports ?? [];
    const own = spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === false;
    const external = spec.type === "NodePort" || spec.type === "LoadBalancer";
    const nodePorts = !external ? 0 : own ? ports.filter((p) => p.nodePort).length : ports.length;
    return new Map([
      ["services", Quantity.of(1)],
      ["count/services", Quantity.of(1)],
      ["services.nodeports", Quantity.of(nodePorts)],
      ["services.loadbalancers", Quantity.of(spec.type === "LoadBalancer" ? 1 : 0)],
    ]);
  },
};
