/**
 * Fixtures of tests with the kernel's packet filter.
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
export { noPacketFilter, rulesAfterEach } from "./packet-filter.ts";
