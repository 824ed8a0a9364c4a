/**
 * Services, endpoints and network policies as tables of the kernel's packet filter (nftables). Everything here is pure: a
 * table is data, and the difference of two tables is a batch for `nft -f -`. The daemon that loads the batches is
 * `apps/orch-proxy`.
 *
 * @example
 * ```ts
 * import { changeBatch, fullBatch, type NftTable } from "@orchernetes/proxy";
 *
 * const blocking = (addresses: readonly string[]): NftTable => ({
 *   family: "inet",
 *   name: "demo",
 *   sets: [{ kind: "set", name: "blocked", definition: "type ipv4_addr;", elements: new Map(addresses.map((a) => [a, ""])) }],
 *   chains: [
 *     {
 *       name: "input",
 *       hook: { type: "filter", hook: "input", priority: 0 },
 *       rules: ["ip saddr @blocked drop"],
 *     },
 *   ],
 * });
 * const load = fullBatch(blocking(["192.0.2.1"]));
 * const change = changeBatch(blocking(["192.0.2.1"]), blocking(["192.0.2.1", "192.0.2.7"]));
 * ```
 *
 * @module
 */
export { changeBatch, fullBatch, removeBatch, renderDifference } from "./nft/batch.ts";
export { differenceOf, type ElementChanges, isEmptyDifference, type NftDifference } from "./nft/difference.ts";
export type { NftChain, NftHook, NftSet, NftTable } from "./nft/table.ts";
export { PolicyTable, type PolicyTableOptions, type PolicyTableSize } from "./policy/policy-table.ts";
