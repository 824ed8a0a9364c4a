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

/** Maximum number of retries after conflicts. */
const maxConflicts = 5;

/** The group of an apiVersion; "" for the core group. */
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

  /** Sets the resources that are currently served. */
  setResources(resources: readonly DiscoveredResource[]): void {
    this.#kinds = new Map(resources.map((resource) => [`${resource.group}/${resource.kind}`, resource]));
  }

  /** The client for objects of this kind and namespace; undefined if the kind is not served. */
  clientOf({ apiVersion, kind, namespace }: Identity): ResourceClient<ApiObject> | undefined {
    const resource = this.#kinds.get(`${groupOf(apiVersion)}/${kind}`);
    if (resource === undefined) return undefined;
    const typed = this.#client.resource<ApiObject>(resource);
    return resource.scope === "Namespaced" ? typed.namespace(namespace) : typed;
  }

  /** Reads the object with this uid; undefined if it is deleted or replaced. @throws Error if its kind is not served */
  async read(identity: Identity): Promise<Stored<ApiObject> | undefined> {
    const resource = this.clientOf(identity);
    if (resource === undefined) throw new Error(`no resource is served for ${identity.apiVersion} ${identity.kind}`);
    // No object can have such a name, and the server may respond with another error than NotFound.
    if (isPathSegmentName(identity.name).length > 0) return undefined;
    try {
      const object = await resource.get(identity.name);
      return object.metadata.uid === identity.uid ? object : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Records that an owner does not exist. */
  recordAbsent({ uid, namespace }: Pick<Identity, "uid" | "namespace">): void {
    this.#absentOwners.add(uid, namespace);
  }

  /** The state of an owner to which an object in `namespace` refers. @throws Error if the owner's kind is not served */
  async ownerState(reference: OwnerReference, namespace: string): Promise<OwnerState> {
    const resource = this.#kinds.get(`${groupOf(reference.apiVersion)}/${reference.kind}`);
    if (resource === undefined) {
      throw new Error(`no resource is served for owner ${reference.apiVersion} ${reference.kind} ${reference.name}`);
    }
    // A namespaced owner must be in the namespace of its dependent, so a cluster-scoped object cannot have one.
    const ownerNamespace = resource.scope === "Namespaced" ? namespace : "";
    if (resource.scope === "Namespaced" && namespace === "") return "absent";
    if (this.#absentOwners.has(reference.uid, ownerNamespace)) return "absent";
    const { apiVersion, kind, name, uid } = reference;
    const owner = await this.read({ apiVersion, kind, name, uid, namespace: ownerNamespace });
    if (owner === undefined) {
      this.recordAbsent({ uid, namespace: ownerNamespace });
      return "absent";
    }
    const { deletionTimestamp, finalizers } = owner.metadata;
    return deletionTimestamp !== undefined && finalizers?.includes(foregroundFinalizer) ? "waiting" : "exists";
  }

  /** Patches the metadata of the latest version of the object. Conflicts are retried. */
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

  /** Removes a finalizer, if the object still has it. */
  removeFinalizer(identity: Identity, finalizer: string): Promise<void> {
    return this.edit(identity, ({ metadata: { finalizers = [] } }) =>
      finalizers.includes(finalizer) ? { finalizers: finalizers.filter((name) => name !== finalizer) } : undefined,
    );
  }

  /** Removes owner references by uid, if possible with one patch that needs no read. */
  async removeOwners(identity: Identity, uids: readonly string[]): Promise<void> {
    const ownerReferences = uids.map((uid) => ({ $patch: "delete", uid }));
    const metadata = { uid: identity.uid, ownerReferences };
    try {
      await this.clientOf(identity)?.patch(identity.name, { metadata }, { type: "strategic" });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isUnsupportedMediaType(error) && !isConflict(error)) throw error;
      // Custom resources do not support strategic merge patches.
      await this.edit(identity, ({ metadata: { ownerReferences: have = [] } }) => {
        const kept = have.filter(({ uid }) => !uids.includes(uid));
        return kept.length === have.length ? undefined : { ownerReferences: kept };
      });
    }
  }
}
