import { core } from "@orchernetes/api";
import { type Draft, type FieldError, field } from "@orchernetes/apimachinery";
import type { PortRequest } from "./allocation-transaction.ts";

type Spec = Draft<core.ServiceSpec>;
type Refuse = (errors: readonly FieldError[]) => Error;

/** The node ports to allocate for a write, and those to release once it is stored. */
export interface NodePortPlan {
  readonly requests: readonly PortRequest[];
  readonly freed: readonly number[];
}

const mayHaveNodePorts = ({ type }: Pick<core.ServiceSpec, "type">): boolean =>
  type === "NodePort" || type === "LoadBalancer";

/** The node ports of a service, without that of its health check. */
export const nodePortsOf = ({ ports }: Spec | core.ServiceSpec): readonly number[] =>
  (ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));

/** A request for the node port of the ports at these indices; the first is named in errors. */
function requestOf(spec: Spec, indices: readonly number[], wanted: number | undefined, refuse: Refuse): PortRequest {
  const [first = 0] = indices;
  return {
    wanted,
    assign(nodePort) {
      for (const index of indices) {
        const port = spec.ports?.[index];
        if (port !== undefined) port.nodePort = nodePort;
      }
    },
    refuse: (message) =>
      refuse([field.invalid(field("spec", "ports").index(first).child("nodePort"), wanted, message)]),
  };
}

/** Requests of a new service. Ports with the same number and different protocols share a node port unless the client chose others. */
function planNew(spec: Spec, refuse: Refuse): readonly PortRequest[] {
  if (!mayHaveNodePorts(spec)) return [];
  const ports = spec.ports ?? [];
  const named = new Map<number, number>();
  for (const { port, nodePort } of ports) if (nodePort && !named.has(port)) named.set(port, nodePort);
  const groups = new Map<number, number[]>();
  const requests: PortRequest[] = [];
  for (const [index, { port, nodePort }] of ports.entries()) {
    if (!nodePort && !core.needsNodePort(spec)) continue;
    const group = groups.get(port);
    const shared = named.get(port);
    if (group === undefined) {
      const indices = [index];
      groups.set(port, indices);
      requests.push(requestOf(spec, indices, shared, refuse));
    } else if (!nodePort) group.push(index);
    else if (nodePort !== shared) requests.push(requestOf(spec, [index], nodePort, refuse));
  }
  return requests;
}

/** Plan of a changed service: it keeps its node ports, allocates new ones, and releases those that it no longer has. */
function planChange(spec: Spec, old: core.ServiceSpec, refuse: Refuse): NodePortPlan {
  const before = mayHaveNodePorts(old) ? nodePortsOf(old) : [];
  if (!mayHaveNodePorts(spec)) return { requests: [], freed: before };
  const held = new Set(before);
  const requests: PortRequest[] = [];
  for (const [index, { nodePort }] of (spec.ports ?? []).entries()) {
    if (!nodePort && !core.needsNodePort(spec)) continue;
    if (nodePort && held.has(nodePort)) continue;
    if (nodePort) held.add(nodePort);
    requests.push(requestOf(spec, [index], nodePort || undefined, refuse));
  }
  const after = new Set(nodePortsOf(spec));
  return { requests, freed: before.filter((port) => !after.has(port)) };
}

/** Plan for the health check node port. */
function planHealthCheck(spec: Spec, old: core.ServiceSpec | undefined, refuse: Refuse): NodePortPlan {
  const needed = old !== undefined && core.needsHealthCheckNodePort(old);
  const needs = core.needsHealthCheckNodePort(spec);
  const freed = needed && !needs && old.healthCheckNodePort ? [old.healthCheckNodePort] : [];
  if (needed || !needs) return { requests: [], freed };
  const wanted = spec.healthCheckNodePort || undefined;
  const request: PortRequest = {
    wanted,
    assign(port) {
      spec.healthCheckNodePort = port;
    },
    refuse(message) {
      const detail = `failed to allocate requested HealthCheck NodePort ${wanted}: ${message}`;
      return refuse([field.invalid(field("spec", "healthCheckNodePort"), wanted, detail)]);
    },
  };
  return { requests: [request], freed };
}

/**
 * Plans which node ports a create or an update allocates and releases.
 *
 * @param old undefined for a new service
 * @param refuse makes the error of a write with invalid fields
 */
export function planNodePorts(spec: Spec, old: core.ServiceSpec | undefined, refuse: Refuse): NodePortPlan {
  const ofPorts = old === undefined ? { requests: planNew(spec, refuse), freed: [] } : planChange(spec, old, refuse);
  const ofHealth = planHealthCheck(spec, old, refuse);
  return { requests: [...ofPorts.requests, ...ofHealth.requests], freed: [...ofPorts.freed, ...ofHealth.freed] };
}
