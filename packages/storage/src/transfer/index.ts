/**
 * Transfers of whole stores: the content of one (a {@link Source}) is read, compared, and written to another one with
 * its revisions. It is for administration while no server uses the stores; servers do not load this module.
 *
 * @example
 * ```ts
 * import { EtcdTransport, embeddedSource, writeEtcd } from "@orchernetes/storage/transfer";
 *
 * const source = await embeddedSource("/var/lib/orch/store");
 * const transport = new EtcdTransport({ servers: ["http://127.0.0.1:2379"], requestTimeoutMs: 10_000 });
 * await writeEtcd(source, {
 *   transport,
 *   prefix: "/registry",
 *   overwrite: false,
 *   newRevisions: false,
 *   progress: console.error,
 * });
 * await source.close();
 * ```
 *
 * @module
 */
export { EtcdTransport } from "../etcd/transport.ts";
export { embeddedSource } from "./embedded-source.ts";
export { type EmbeddedTargetOptions, writeEmbedded } from "./embedded-target.ts";
export { type EtcdPlace, etcdSource } from "./etcd-source.ts";
export { type EtcdTargetOptions, writeEtcd } from "./etcd-target.ts";
export { saveSnapshot, snapshotSource } from "./snapshot-file.ts";
export { compareSources, type Entry, type Progress, type Source } from "./source.ts";
