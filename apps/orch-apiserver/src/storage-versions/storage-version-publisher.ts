import type { StorageVersion } from "@orchernetes/api/apiserverinternal/v1alpha1";
import {
  type ApiError,
  isAlreadyExists,
  isNotFound,
  qualifiedResource,
  serviceUnavailable,
} from "@orchernetes/apimachinery";
import type { Registry, RequestInfo, ResourceStore } from "@orchernetes/apiserver";
import { storageVersionStatus, withServer } from "@orchernetes/component-helpers";
import { type Clock, messageOf } from "@orchernetes/kernel";
import { type StoredResource, storageVersionName } from "./stored-resource.ts";

/** Options of {@link StorageVersionPublisher}. */
export interface StorageVersionPublisherOptions {
  /** Name of the identity lease of this server. */
  readonly serverId: string;
  readonly resources: readonly StoredResource[];
  readonly clock: Pick<Clock, "now">;
}

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/**
 * Publishes in StorageVersion objects the versions in which this server stores resources, and rejects writes of a resource until its
 * version is published: a migration of stored objects must know all versions that are being written (KEP-2339).
 */
export class StorageVersionPublisher {
  readonly #serverId: string;
  readonly #clock: Pick<Clock, "now">;
  /** The resources that are not published yet, by `group/resource`, with the last error (`<nil>` before the first attempt, as in Go). */
  readonly #pending = new Map<string, string>();
  readonly #resources: readonly StoredResource[];

  constructor({ serverId, resources, clock }: StorageVersionPublisherOptions) {
    this.#serverId = serverId;
    this.#clock = clock;
    this.#resources = resources;
    for (const { group, plural } of resources) this.#pending.set(`${group}/${plural}`, "<nil>");
  }

  /**
   * Publishes all resources. If one of them fails, the others are still published.
   *
   * @throws Error with the first failure
   */
  async publish(registry: Registry, signal: AbortSignal): Promise<void> {
    const store = registry.lookup("internal.apiserver.o8s.io", "v1alpha1", "storageversions");
    if (store === undefined) throw new Error("storageversions.internal.apiserver.o8s.io are not served");
    let failure: unknown;
    for (const resource of this.#resources) {
      const key = `${resource.group}/${resource.plural}`;
      try {
        signal.throwIfAborted();
        await this.#publishOne(store as unknown as ResourceStore<StorageVersion>, resource, signal);
        this.#pending.delete(key);
      } catch (error) {
        failure ??= error;
        if (this.#pending.has(key)) this.#pending.set(key, messageOf(error));
      }
    }
    if (failure !== undefined) throw failure;
  }

  /** Returns the error of a request that must wait until a version is published; undefined for other requests. */
  readonly barrier = ({
    isResourceRequest,
    verb,
    apiGroup,
    resource,
    namespace,
  }: RequestInfo): ApiError | undefined => {
    if (this.#pending.size === 0 || !isResourceRequest || READS.has(verb)) return undefined;
    const lastError = this.#pending.get(`${apiGroup}/${resource}`);
    if (lastError === undefined || apiGroup === "internal.apiserver.o8s.io") return undefined;
    // Publishing depends on the identity leases, and daemons must not lose their leadership meanwhile.
    if (apiGroup === "coordination.o8s.io" && resource === "leases" && namespace === "orch-system") return undefined;
    const name = qualifiedResource({ group: apiGroup, plural: resource });
    return serviceUnavailable(
      `wait for storage version registration to complete for resource: ${name}, last seen error: ${lastError}`,
    );
  };

  async #publishOne(
    store: ResourceStore<StorageVersion>,
    resource: StoredResource,
    signal: AbortSignal,
  ): Promise<void> {
    const { encodingVersion, decodableVersions } = resource;
    const own = { apiServerID: this.#serverId, encodingVersion, decodableVersions };
    const ref = { namespace: "", name: storageVersionName(resource) };
    const update = (): Promise<unknown> =>
      store.update(
        ref,
        (draft, { metadata, status }) => {
          const servers = withServer(status.storageVersions ?? [], own);
          const { generation } = metadata;
          const now = this.#clock.now();
          Object.assign(draft, { status: storageVersionStatus(status, servers, { generation, now }) });
          return true;
        },
        { subresource: "status", signal },
      );
    try {
      await update();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await store.create({ metadata: { name: ref.name }, spec: {}, status: {} }, { signal }).catch((error: unknown) => {
        // Another server has created it in the meantime.
        if (!isAlreadyExists(error)) throw error;
      });
      await update();
    }
  }
}
