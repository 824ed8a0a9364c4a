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

/** A group version that another server serves, with its discovery. */
export interface RemoteGroupVersion extends GroupVersion {
  /** Its resources as of the last successful discovery; empty before the first. */
  readonly resources: readonly RemoteResource[];
  /** Whether the last discovery succeeded; otherwise discovery documents mark the group version as stale. */
  readonly current: boolean;
}

/** Priorities of an APIService: of a group among groups, and of a version in its group; higher comes first. */
export interface GroupVersionRank {
  readonly group: number;
  readonly version: number;
}

/** A document of version 2 of OpenAPI that another server serves. */
export interface RemoteDocument {
  /** JSON. */
  readonly body: Buffer;
  /**
   * Group versions whose paths are taken from it; others are ignored, as each server's document describes all that it
   * serves.
   */
  readonly groupVersions: readonly GroupVersion[];
}

/** OpenAPI documents of other servers. Errors are not reported: what cannot be fetched is left out. */
export interface RemoteOpenApi {
  /** Documents of version 2; `revision` changes with them. */
  version2(): Promise<{ readonly revision: string; readonly documents: readonly RemoteDocument[] }>;
  /** Hash of the document of version 3 of each group version that has one, by path: `apis/GROUP/VERSION`. */
  version3(): Promise<ReadonlyMap<string, string>>;
}

/**
 * Serves group versions of other servers (APIService). Consulted after authorization, before the server's own routes.
 */
export interface Aggregator {
  /** Whether requests for this group and version go elsewhere. */
  serves(group: string, version: string): boolean;
  /**
   * Forwards the request to the server of a group version and writes its response. Errors are responses, too: it does
   * not reject.
   */
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
  /** The priorities of a group version, of this server's own as well. */
  rank(group: string, version: string): GroupVersionRank;
  /** Increased with each change of the results of {@link Aggregator.groupVersions} and {@link Aggregator.rank}. */
  readonly generation: number;
  readonly openApi: RemoteOpenApi;
}
