import { core } from "@orchernetes/api";
import {
  type ApiObject,
  type Draft,
  type FieldError,
  field,
  generateName,
  invalid,
  type ResourceDefinition,
  withErrorLimit,
} from "@orchernetes/apimachinery";
import type { FinishWrite, WriteHookContext, WriteHooks } from "@orchernetes/apiserver";
import type { Logger } from "@orchernetes/kernel";
import type { AddressHolder } from "./address-pool.ts";
import { AllocationTransaction } from "./allocation-transaction.ts";
import type { ServiceAllocator } from "./service-allocator.ts";
import { keepsPreferredStacks, settleFamilies } from "./service-families.ts";
import { nodePortsOf, planNodePorts } from "./service-node-ports.ts";

type Spec = Draft<core.ServiceSpec>;

/** The spec that addresses and ports are allocated for, and the transaction. */
interface Allocation {
  readonly spec: Spec;
  /** Undefined for a new service. */
  readonly old: core.ServiceSpec | undefined;
  readonly allocator: ServiceAllocator;
  readonly transaction: AllocationTransaction;
  readonly refuse: (errors: readonly FieldError[]) => Error;
}

const isExternalName = ({ type }: Pick<core.ServiceSpec, "type">): boolean => type === "ExternalName";
const isHeadless = ({ clusterIPs }: Spec | core.ServiceSpec): boolean => clusterIPs?.[0] === "None";

/** The addresses and ports that a stored service uses. */
export function allocatedBy(spec: core.ServiceSpec): { readonly addresses: string[]; readonly ports: number[] } {
  const addresses = spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : []);
  return {
    addresses: isExternalName(spec) ? [] : addresses.filter((ip) => ip !== "None" && ip !== ""),
    ports: [
      ...nodePortsOf(spec),
      ...(core.needsHealthCheckNodePort(spec) && spec.healthCheckNodePort ? [spec.healthCheckNodePort] : []),
    ],
  };
}

const holderOf = ({ namespace = "", name = "", uid = "" }: core.Service["metadata"]): AddressHolder => ({
  namespace,
  name,
  uid,
});

/** Allocates an address for each family, from the given index on, for which the client chose none. */
async function allocateAddresses({ spec, allocator, transaction, refuse }: Allocation, from: number): Promise<void> {
  const addresses = [...(spec.clusterIPs ?? [])];
  // Validation refuses more than two.
  for (const [index, family] of (spec.ipFamilies ?? []).slice(0, 2).entries()) {
    if (index < from) continue;
    const range = allocator.rangeOf(family);
    if (range === undefined) {
      const path = field("spec", "ipFamilies").index(index);
      throw refuse([field.invalid(path, family, "not configured on this cluster")]);
    }
    const wanted = addresses[index];
    if (!wanted) addresses[index] = await transaction.takeAddress(range);
    else {
      const message = await transaction.claimAddress(range, wanted);
      if (message !== undefined) throw refuse([field.invalid(field("spec", "clusterIPs"), spec.clusterIPs, message)]);
    }
  }
  spec.clusterIPs = addresses;
  spec.clusterIP = addresses[0] ?? "";
}

async function allocateNewAddresses(allocation: Allocation): Promise<void> {
  const { spec } = allocation;
  if (!isExternalName(spec) && !isHeadless(spec)) await allocateAddresses(allocation, 0);
}

/** Allocates and frees addresses when the type or the families of a service change. */
async function updateAddresses(allocation: Allocation, old: core.ServiceSpec): Promise<void> {
  const { spec, transaction } = allocation;
  if (keepsPreferredStacks(spec, old)) return;
  if (isExternalName(old)) {
    await allocateNewAddresses(allocation);
    return;
  }
  if (isHeadless(old)) return;
  if (isExternalName(spec)) {
    transaction.freeAddresses(old.clusterIPs ?? []);
    return;
  }
  const before = old.ipFamilies?.length ?? 0;
  const after = spec.ipFamilies?.length ?? 0;
  if (before === 1 && after === 2) await allocateAddresses(allocation, 1);
  if (before === 2 && after === 1) transaction.freeAddresses((old.clusterIPs ?? []).slice(1));
}

async function allocate(allocation: Allocation): Promise<void> {
  const { spec, old, allocator, transaction, refuse } = allocation;
  // Invalid addresses cannot be allocated.
  const addressErrors = withErrorLimit(() => {
    const found: FieldError[] = [];
    core.validateClusterIPs(spec as core.ServiceSpec, field("spec"), found);
    return found;
  });
  if (addressErrors.length > 0) throw refuse(addressErrors);
  const errors = settleFamilies(spec, old, allocator.ranges);
  if (errors.length > 0) throw refuse(errors);
  const { requests, freed } = planNodePorts(spec, old, refuse);
  transaction.freePorts(freed);
  const takeAddresses = () => (old === undefined ? allocateNewAddresses(allocation) : updateAddresses(allocation, old));
  // Ports that the client chose wait for the addresses: of two services that ask for the same of both, each could get one otherwise.
  if (requests.some(({ wanted }) => wanted !== undefined)) {
    await takeAddresses();
    await transaction.takePorts(requests);
  } else await settleAll(takeAddresses(), transaction.takePorts(requests));
}

/** Runs both concurrently: addresses and ports are in different ranges. If both fail, throws the error of the first. */
async function settleAll(...work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === "rejected") throw result.reason;
}

/**
 * Write hook that allocates IP families, cluster IPs and node ports when services are created or changed, and releases what a
 * rejected write, a change or a deletion leaves unused.
 */
export function serviceAllocation(allocator: ServiceAllocator, logger: Pick<Logger, "warn">): WriteHooks {
  const begin = async (
    service: Draft<core.Service>,
    old: core.ServiceSpec | undefined,
    { dryRun, signal }: WriteHookContext,
  ): Promise<FinishWrite> => {
    await allocator.whenReady(signal);
    const { metadata, spec } = service;
    // The addresses name their service, so a generated name cannot be tried again.
    if (allocator.needsNames && !metadata.name && metadata.generateName)
      metadata.name = generateName(metadata.generateName);
    const holder = holderOf(metadata);
    const { namespace, name } = holder;
    const transaction = new AllocationTransaction(allocator, {
      holder,
      dryRun,
      onLeak: (error) =>
        logger.warn("Addresses or ports of a service were not released; the repair loop will release them", {
          namespace,
          name,
          error,
        }),
    });
    const refuse = (errors: readonly FieldError[]) =>
      invalid({ group: "", kind: "Service" }, metadata.name ?? "", errors);
    try {
      await allocate({ spec, old, allocator, transaction, refuse });
    } catch (error) {
      await transaction.finish("rejected");
      throw error;
    }
    return (outcome) => transaction.finish(outcome);
  };
  return {
    definition: core.services as unknown as ResourceDefinition,
    beginCreate(draft: Draft<ApiObject>, context) {
      const service = draft as Draft<core.Service>;
      core.adoptClusterIPs(service.spec);
      return begin(service, undefined, context);
    },
    beginUpdate(draft: Draft<ApiObject>, old: ApiObject, context) {
      const service = draft as Draft<core.Service>;
      const before = (old as core.Service).spec;
      core.prepareServiceUpdate(service.spec, before);
      return begin(service, before, context);
    },
    async afterDelete(object: ApiObject) {
      const { metadata, spec } = object as core.Service;
      try {
        await allocator.release(allocatedBy(spec), holderOf(metadata));
      } catch (error) {
        logger.warn("Addresses and ports of a deleted service were not released; the repair loop will release them", {
          namespace: metadata.namespace ?? "",
          name: metadata.name ?? "",
          error,
        });
      }
    },
  };
}
