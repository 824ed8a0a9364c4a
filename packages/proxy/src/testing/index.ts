/**
 * Fixtures of tests with services and the kernel's packet filter.
 *
 * @example
 * ```ts
 * import { noPacketFilter, rulesAfterEach } from "@orchernetes/proxy/testing";
 *
 * if (noPacketFilter() === undefined) console.log(rulesAfterEach(["add table inet demo"]));
 * ```
 *
 * @module
 */
export { endpointSlice, type TestEndpoint } from "./endpoint-slice.ts";
export { NetworkNamespace } from "./network-namespace.ts";
export { noPacketFilter, rulesAfterEach } from "./packet-filter.ts";
