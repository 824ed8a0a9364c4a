import {
  type ApiObject,
  isConflict,
  isNotFound,
  isPathSegmentName,
  isUnsupportedMediaType,
  type OwnerReference,
  type Stored,
} from "@orchernetes/apimachinery";
import type { Client, ResourceClient } from "@orchernetes/client";
import type { DiscoveredResource } from "../../shared/discovery.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { foregroundFinalizer, type Identity } from "./graph.ts";
import type { OwnerState } from "./reconcile.ts";

/** How often a change is tried again when the object changes meanwhile. */
const maxConflicts = 5;

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";

/** Reads and writes objects of any kind that the server serves. */
export class KindAccess {
  readonly #client: Client;
  readonly #absentOwners = new AbsentOwners(500);
  /** Resources by `group/Kind`. */
  #kinds: ReadonlyMap<string, DiscoveredResource> = new Map();

  constructor(client: Client) {
    this.#client = client;
  }

  /** The resources that are served now. */
  setResources(resources: readonly DiscoveredResource[]): void {
    this.#kinds = new Map(resources.map((resource) => [`${resource.group}/${resource.kind}`, resource]));
  }

  /** Access to objects like this one; undefined when its kind is not served. */
  clientOf({ apiVersion, kind, namespace }: Identity): ResourceClient<ApiObject> | undefined {
    const resource = this.#kinds.get(`${groupOf(apiVersion)}/${kind}`);
    if (resource === undefined) return undefined;
    const typed = this.#client.resource<ApiObject>(resource);
    return resource.scope === "Namespaced" ? typed.namespace(namespace) : typed;
  }

  /** The object itself, not another of its name; undefined when it is gone. @throws Error when its kind is not served */
  async read(identity: Identity): Promise<Stored<ApiObject> | undefined> {
    const resource = this.clientOf(identity);
    if (resource === undefined) throw new Error(`no resource is served for ${identity.apiVersion} ${identity.kind}`);
    // Nothing can have such a name; a server that is asked for it may answer with another error than NotFound.
    if (isPathSegmentName(identity.name).length > 0) return undefined;
    try {
      const object = await resource.get(identity.name);
      return object.metadata.uid === identity.uid ? object : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The object of an identity does not exist; remembered for a while. */
  isAbsent({ uid, namespace }: Pick<Identity, "uid" | "namespace">): void {
    this.#absentOwners.add(uid, namespace);
  }

  /** What became of an owner that an object in `namespace` refers to. */
  async ownerState(reference: OwnerReference, namespace: string): Promise<OwnerState> {
    const resource = this.#kinds.get(`${groupOf(reference.apiVersion)}/${reference.kind}`);
    if (resource === undefined) {
      throw new Error(`no resource is served for owner ${reference.apiVersion} ${reference.kind} ${reference.name}`);
    }
    // An owner of a namespaced kind is looked for beside its dependent, so a cluster-scoped object cannot have one.
    const ownerNamespace = resource.scope === "Namespaced" ? namespace : "";
    if (resource.scope === "Namespaced" && namespace === "") return "absent";
    if (this.#absentOwners.has(reference.uid, ownerNamespace)) return "absent";
    const { apiVersion, kind, name, uid } = reference;
    const owner = await this.read({ apiVersion, kind, name, uid, namespace: ownerNamespace });
    if (owner === undefined) {
      this.isAbsent({ uid, namespace: ownerNamespace });
      return "absent";
    }
    const { deletionTimestamp, finalizers } = owner.metadata;
    return deletionTimestamp !== undefined && finalizers?.includes(foregroundFinalizer) ? "waiting" : "exists";
  }

  /** Merge patch of the object's metadata as it is now: tried again when it changed meanwhile. */
  async edit(
    identity: Identity,
    change: (object: Stored<ApiObject>) => Readonly<Record<string, unknown>> | undefined,
  ): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      const object = await this.read(identity);
      const metadata = object && change(object);
      if (object === undefined || metadata === undefined) return;
      try {
        const { uid, resourceVersion } = object.metadata;
        await this.clientOf(identity)?.patch(identity.name, { metadata: { ...metadata, uid, resourceVersion } });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || conflicts >= maxConflicts) throw error;
      }
    }
  }

  removeFinalizer(identity: Identity, finalizer: string): Promise<void> {
    return this.edit(identity, ({ metadata: { finalizers = [] } }) =>
      finalizers.includes(finalizer) ? { finalizers: finalizers.filter((name) => name !== finalizer) } : undefined,
    );
  }

  async removeOwners(identity: Identity, uids: readonly string[]): Promise<void> {
    const ownerReferences = uids.map((uid) => ({ $patch: "delete", uid }));
    const metadata = { uid: identity.uid, ownerReferences };
    try {
      await this.clientOf(identity)?.patch(identity.name, { metadata }, { type: "strategic" });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isUnsupportedMediaType(error) && !isConflict(error)) throw error;
      // Custom resources know no strategic patches.
      await this.edit(identity, ({ metadata: { ownerReferences: have = [] } }) => {
        const kept = have.filter(({ uid }) => !uids.includes(uid));
        return kept.length === have.length ? undefined : { ownerReferences: kept };
      });
    }
  }
}
