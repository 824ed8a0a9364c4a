/**
 * Packets and objects for tests of cluster DNS.
 *
 * @example
 * ```ts
 * import { answerOffline, ObjectSet } from "@orchernetes/dns/testing";
 *
 * const objects = new ObjectSet().addService("web", { clusterIP: "10.96.1.1", clusterIPs: ["10.96.1.1"] });
 * console.log(answerOffline(objects, Buffer.alloc(12), { protocol: "udp", reply: Buffer.alloc(0) }).errors);
 * ```
 *
 * @module
 */
export { ObjectSet } from "./object-set.ts";
export { answerOffline, type OfflineAnswer } from "./offline-answer.ts";
