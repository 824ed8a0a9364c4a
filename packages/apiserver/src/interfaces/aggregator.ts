import type { Duplex } from "node:stream";
import type { NonResourceContext } from "./server.ts";

/** A version of an API group. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** An entry of an APIResourceList, as another server sent it. Subresources are named `widgets/status`. */
export interface RemoteResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Where they differ from the list's. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A group version that another server serves, with what is known of it. */
export interface RemoteGroupVersion extends GroupVersion {
  /** What it last said it serves; empty before it ever did. */
  readonly resources: readonly RemoteResource[];
  /** Whether it was so at the last check. */
  readonly current: boolean;
}

/** Where a group stands among groups, and a version within its group; higher comes first. */
export interface GroupVersionRank {
  readonly group: number;
  readonly version: number;
}

/** A document of version 2 of OpenAPI that another server serves. */
export interface RemoteDocument {
  /** JSON. */
  readonly body: Buffer;
  /** Which of its paths count: those of these group versions. */
  readonly groupVersions: readonly GroupVersion[];
}

/** OpenAPI documents of other servers. Errors are not reported: what cannot be fetched is left out. */
export interface RemoteOpenApi {
  /** Documents of version 2; `revision` changes with them. */
  version2(): Promise<{ readonly revision: string; readonly documents: readonly RemoteDocument[] }>;
  /** Hash of the document of version 3 of each group version that has one, by path: `apis/GROUP/VERSION`. */
  version3(): Promise<ReadonlyMap<string, string>>;
}

/** Serves groups that live in other servers (APIService). Consulted after authorization, before the server's own routes. */
export interface Aggregator {
  /** Whether requests for this group and version go elsewhere. */
  serves(group: string, version: string): boolean;
  /** Forwards the request to the server of a group version and answers it, errors included. */
  proxy(context: NonResourceContext, target: GroupVersion): Promise<void>;
  /** Forwards an upgrade. @throws ApiError before anything was written to the socket */
  proxyUpgrade(
    context: Omit<NonResourceContext, "res">,
    target: GroupVersion,
    socket: Duplex,
    head: Buffer,
  ): Promise<void>;
  /** Group versions served elsewhere, for discovery. */
  groupVersions(): readonly RemoteGroupVersion[];
  rank(group: string, version: string): GroupVersionRank;
  /** Counts changes of what {@link Aggregator.groupVersions} and {@link Aggregator.rank} say. */
  readonly generation: number;
  readonly openApi: RemoteOpenApi;
}
