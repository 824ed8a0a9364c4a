/**
 * Services, endpoints and network policies as tables of the kernel's packet filter (nftables). Everything here is pure: a
 * table is data, and the difference of two tables is a batch for `nft -f -`. The daemon that loads the batches is
 * `apps/orch-proxy`.
 *
 * - {@link ServiceRules} takes services and endpoint slices as they change, and returns what has to change in the table.
 * - {@link fullBatch}, {@link changeBatch} and {@link renderDifference} write tables and differences in the language of `nft`.
 * - {@link MutableTable} is for other tables that change piece by piece.
 *
 * @example
 * ```ts
 * import type { core, discovery } from "@orchernetes/api";
 * import { fullBatch, isEmptyDifference, renderDifference, ServiceRules } from "@orchernetes/proxy";
 *
 * declare const load: (batch: string) => void;
 * declare const web: { readonly service: core.Service; readonly slice: discovery.EndpointSlice };
 *
 * const detectLocal = { mode: "ClusterCIDR", ranges: ["10.244.0.0/16"] } as const;
 * const rules = new ServiceRules({ nodeName: "node-1", detectLocal }, { zone: "zone-a", addresses: ["192.0.2.10"] });
 * rules.setService(web.service);
 * rules.takeChange();
 * load(fullBatch(rules.table()));
 *
 * rules.setEndpointSlice(web.slice);
 * const { difference, staleFlows, haveHealthChecksChanged } = rules.takeChange();
 * if (!isEmptyDifference(difference)) load(renderDifference(difference));
 * for (const { address, port, endpoint } of staleFlows) console.log("conntrack -D -p udp", address, port, endpoint);
 * if (haveHealthChecksChanged) console.log(rules.healthChecks());
 * ```
 *
 * @module
 */
export {
  changeBatch,
  fullBatch,
  fullBatchInSteps,
  removeBatch,
  renderDifference,
  renderDifferenceInSteps,
} from "./nft/batch.ts";
export { differenceOf, type ElementChanges, isEmptyDifference, type NftDifference } from "./nft/difference.ts";
export { readElements, readTable } from "./nft/listing.ts";
export { MutableTable } from "./nft/mutable-table.ts";
export { type FoundTable, isDynamic, reloadBatch } from "./nft/reload.ts";
export type { NftChain, NftHook, NftSet, NftTable } from "./nft/table.ts";
export { type AddressConflict, PolicyTable, type PolicyTableOptions } from "./policy/policy-table.ts";
export type { Frontend, Served } from "./services/frontends/frontends.ts";
export type { StaleFlows } from "./services/frontends/stale-flows.ts";
export type { IpFamily } from "./services/objects/addresses.ts";
export type { Endpoint } from "./services/objects/endpoints.ts";
export type { HealthCheck } from "./services/objects/health-checks.ts";
export type { Protocol } from "./services/objects/service-ports.ts";
export type { DetectLocal, NodeFacts, OnlyNode, ServiceSettings } from "./services/objects/settings.ts";
export { type ServiceChange, ServiceRules } from "./services/service-rules.ts";
export type { FoundElements } from "./services/tables/former-slots.ts";
export { isSlotMap } from "./services/tables/scopes.ts";
export { type PodPort, sourceTable } from "./sources/source-table.ts";
