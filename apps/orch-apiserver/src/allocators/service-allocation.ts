import { core } from "@orchernetes/api";
import { type Draft, type FieldError, field, invalid, isNotFound } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionPlugin, MutatingAttributes, Registry } from "@orchernetes/apiserver";
import { isAbout } from "../admission/attributes.ts";
import type { ServiceAllocator } from "./service-allocator.ts";

type Spec = Draft<core.ServiceSpec>;

const isHeadless = (spec: core.ServiceSpec | Spec): boolean => spec.clusterIP === "None";

function defaultFamilies(spec: Spec, allocator: ServiceAllocator): void {
  if (spec.type === "ExternalName") return;
  const [primary] = allocator.ranges;
  if (primary === undefined) return;
  const given = (spec.clusterIPs ?? [])
    .filter((ip) => ip !== "None" && ip !== "")
    .map((ip) => (ip.includes(":") ? ("IPv6" as const) : ("IPv4" as const)));
  if (!spec.ipFamilyPolicy)
    spec.ipFamilyPolicy = given.length === 2 || spec.ipFamilies?.length === 2 ? "RequireDualStack" : "SingleStack";
  if (!spec.ipFamilies?.length) spec.ipFamilies = given.length > 0 ? given : [primary.family];
  const wantsTwo = spec.ipFamilyPolicy !== "SingleStack";
  const second = allocator.ranges.find((r) => r.family !== spec.ipFamilies?.[0]);
  if (wantsTwo && spec.ipFamilies.length === 1 && second !== undefined) spec.ipFamilies.push(second.family);
}

function allocateAddresses(
  spec: Spec,
  old: core.ServiceSpec | undefined,
  allocator: ServiceAllocator,
  key: string,
  dryRun: boolean,
): readonly FieldError[] {
  if (!core.needsClusterIP(spec)) return [];
  if (isHeadless(spec)) {
    spec.clusterIPs = ["None"];
    return [];
  }
  const errors: FieldError[] = [];
  const wanted = spec.clusterIPs ?? [];
  const kept = new Set(old?.clusterIPs ?? []);
  const chosen: string[] = [];
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    const range = allocator.rangeOf(family);
    if (range === undefined) {
      errors.push({
        type: "FieldValueInvalid",
        field: `spec.ipFamilies[${index}]`,
        message: `Invalid value: "${family}": not configured on this cluster`,
      });
      continue;
    }
    const address = wanted[index];
    if (!address) chosen.push(allocator.takeAddress(range, key, dryRun));
    else {
      const fault = kept.has(address)
        ? undefined
        : allocator.claimAddress(range, address, key, "spec.clusterIPs", dryRun);
      if (fault) errors.push(fault);
      chosen.push(address);
    }
  }
  if (errors.length === 0 && chosen.length > 0) {
    spec.clusterIPs = chosen;
    spec.clusterIP = chosen[0] ?? "";
  }
  return errors;
}

function allocatePorts(
  spec: Spec,
  old: core.ServiceSpec | undefined,
  allocator: ServiceAllocator,
  key: string,
  dryRun: boolean,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const kept = new Set((old?.ports ?? []).map((p) => p.nodePort));
  const taken = new Set<number>();
  const byProtocol = new Map<number, Set<string>>();
  const claim = (port: number, field: string): void => {
    const fault =
      kept.has(port) || old?.healthCheckNodePort === port ? undefined : allocator.claimPort(port, key, field, dryRun);
    if (fault) errors.push(fault);
    else taken.add(port);
  };
  if (core.needsNodePort(spec)) {
    for (const [index, port] of (spec.ports ?? []).entries()) {
      if (!port.nodePort) continue;
      const protocols = byProtocol.get(port.nodePort) ?? new Set<string>();
      byProtocol.set(port.nodePort, protocols);
      // One number may serve TCP and UDP side by side.
      if (!taken.has(port.nodePort) || protocols.has(port.protocol ?? "TCP"))
        claim(port.nodePort, `spec.ports[${index}].nodePort`);
      protocols.add(port.protocol ?? "TCP");
    }
    for (const port of spec.ports ?? []) {
      if (port.nodePort) continue;
      port.nodePort = allocator.takePort(key, dryRun, taken);
      taken.add(port.nodePort);
    }
  }
  if (core.needsHealthCheckNodePort(spec)) {
    if (spec.healthCheckNodePort) claim(spec.healthCheckNodePort, "spec.healthCheckNodePort");
    else spec.healthCheckNodePort = allocator.takePort(key, dryRun, taken);
  }
  return errors;
}

/** An address taken by a service that is gone already, though its deletion has not been followed yet, is free. */
async function settleHolders(
  spec: Spec,
  allocator: ServiceAllocator,
  own: string,
  context: AdmissionContext,
): Promise<void> {
  const store = context.registry.forDefinition(core.services);
  const holders = new Set<string>();
  for (const address of spec.clusterIPs ?? []) holders.add(allocator.holderOfAddress(address) ?? own);
  for (const { nodePort } of spec.ports ?? []) if (nodePort) holders.add(allocator.holderOfPort(nodePort) ?? own);
  holders.delete(own);
  for (const holder of holders) {
    const [namespace = "", name = ""] = holder.split("/");
    try {
      allocator.observe(await store.get({ namespace, name }, { signal: context.signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      allocator.forget(holder);
    }
  }
}

/**
 * Gives services their cluster IPs and node ports. A mutating step at the end of the admission chain, so that what it chose
 * is validated like what a client wrote.
 */
export function serviceAllocation(allocator: ServiceAllocator): AdmissionPlugin {
  const allocate = async (attributes: MutatingAttributes, context: AdmissionContext): Promise<void> => {
    const service = attributes.object as Draft<core.Service>;
    const old = (attributes.oldObject as core.Service | undefined)?.spec;
    const { spec } = service;
    const refuse = (errors: readonly FieldError[]) =>
      invalid({ group: "", kind: "Service" }, attributes.name || (service.metadata.name ?? ""), errors);
    const key = `${attributes.namespace}/${service.metadata.name || attributes.name || service.metadata.uid || ""}`;
    if (old === undefined) core.adoptClusterIPs(spec);
    else core.prepareServiceUpdate(spec, old);
    // Nothing can be given out for addresses that make no sense.
    const faults: FieldError[] = [];
    core.validateClusterIPs(service.spec as core.ServiceSpec, field("spec"), faults);
    if (faults.length > 0) throw refuse(faults);
    defaultFamilies(spec, allocator);
    await settleHolders(spec, allocator, key, context);
    const errors = [
      ...allocateAddresses(spec, old, allocator, key, attributes.dryRun),
      ...allocatePorts(spec, old, allocator, key, attributes.dryRun),
    ];
    if (errors.length > 0) throw refuse(errors);
  };
  return {
    name: "ServiceAllocation",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    admit(attributes, context) {
      if (!isAbout(attributes, "", "services") || attributes.object === undefined) return;
      return allocate(attributes, context);
    },
  };
}

/** Tells the allocator of every stored service; resolves when it knows all there are. */
export function followServices(registry: Registry, allocator: ServiceAllocator, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    registry.forDefinition(core.services).follow(
      {
        onEvent: ({ type, object }) => {
          if (type === "DELETED") allocator.forget(`${object.metadata.namespace ?? ""}/${object.metadata.name}`);
          else allocator.observe(object);
        },
        onSynced: resolve,
      },
      signal,
    );
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
