import type { IPAddress, ParentReference } from "@orchernetes/api/networking/v1alpha1";
import { isAlreadyExists, isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { Registry, ResourceStore } from "@orchernetes/apiserver";
import type { AddressHolder } from "./address-pool.ts";
import type { IpRange } from "./ip-range.ts";

/** The resource of the addresses. */
export const ipAddresses = { group: "networking.o8s.io", version: "v1alpha1", plural: "ipaddresses" } as const;

const FAMILY_LABEL = "ipaddress.orchernetes.io/ip-family";
const MANAGER_LABEL = "ipaddress.orchernetes.io/managed-by";
/** Who allocates the addresses of services, in {@link MANAGER_LABEL}. */
const MANAGER = "ipallocator.o8s.io";

/** What is known of an allocated address. */
export interface AddressRecord {
  readonly parentRef: ParentReference | undefined;
  /** Whether it was allocated for a service by an API server; others are left alone. */
  readonly managed: boolean;
  /** Whether its labels are those that an API server gives. */
  readonly labelled: boolean;
  readonly createdMs: number;
  readonly uid: string;
}

const familyOf = (name: string): IpRange["family"] => (name.includes(":") ? "IPv6" : "IPv4");

/**
 * The allocated addresses of the cluster, each an IPAddress object (KEP-1880), as this server knows them: perhaps a moment old. That the
 * name of an object is the address makes two allocations of one impossible.
 */
export class AddressTable {
  readonly #known = new Map<string, AddressRecord>();
  #store: ResourceStore<IPAddress> | undefined;

  /**
   * Follows the objects until the signal aborts; resolves when all that are stored are known.
   *
   * @param onChange called for each object that exists, then after each change, with the owner of the address
   * @throws Error when the resource is not served
   */
  follow(
    registry: Registry,
    signal: AbortSignal,
    onChange: (name: string, parentRef: AddressRecord["parentRef"]) => void,
  ): Promise<void> {
    const { group, version, plural } = ipAddresses;
    const store = registry.lookup(group, version, plural) as ResourceStore<IPAddress> | undefined;
    if (store === undefined) throw new Error(`${plural}.${group} are not served`);
    this.#store = store;
    return new Promise((resolve) => {
      store.follow(
        {
          onEvent: ({ type, name, object }) => {
            if (type === "DELETED") this.#known.delete(name);
            else this.#known.set(name, recordOf(object));
            onChange(name, object.spec.parentRef);
          },
          onSynced: resolve,
        },
        signal,
      );
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  get(name: string): AddressRecord | undefined {
    return this.#known.get(name);
  }

  /** Those that API servers have allocated. */
  managed(): readonly string[] {
    return [...this.#known].flatMap(([name, { managed }]) => (managed ? [name] : []));
  }

  /** How many addresses of a family API servers have allocated. */
  count(family: IpRange["family"]): number {
    let count = 0;
    for (const [name, { managed }] of this.#known) if (managed && familyOf(name) === family) count++;
    return count;
  }

  /** Allocates an address; false if it is allocated. @param name its canonical form */
  async create(name: string, { namespace, name: service, uid }: AddressHolder): Promise<boolean> {
    const labels = { [FAMILY_LABEL]: familyOf(name), [MANAGER_LABEL]: MANAGER };
    const parentRef = { group: "", resource: "services", namespace, name: service, uid };
    try {
      const stored = await this.#stored().create({ metadata: { name, labels }, spec: { parentRef } } as IPAddress);
      this.#known.set(name, recordOf(stored));
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** What the store has of an address now; undefined if it is not allocated. */
  async refresh(name: string): Promise<AddressRecord | undefined> {
    try {
      this.#known.set(name, recordOf(await this.#stored().get({ namespace: "", name })));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#known.delete(name);
    }
    return this.#known.get(name);
  }

  /**
   * Releases an address, if it is allocated.
   *
   * @param uid of the object; one that has replaced it stays. @default any
   */
  async delete(name: string, uid?: string): Promise<void> {
    try {
      await this.#stored().delete({ namespace: "", name }, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      if (isConflict(error)) return;
      if (!isNotFound(error)) throw error;
    }
    this.#known.delete(name);
  }

  #stored(): ResourceStore<IPAddress> {
    if (this.#store === undefined) throw new Error("addresses are not followed yet");
    return this.#store;
  }
}

function recordOf({
  metadata: { name = "", uid = "", labels = {}, creationTimestamp },
  spec,
}: IPAddress): AddressRecord {
  const managed = labels[MANAGER_LABEL] === MANAGER;
  return {
    parentRef: spec.parentRef,
    managed,
    labelled: managed && labels[FAMILY_LABEL] === familyOf(name),
    createdMs: Date.parse(creationTimestamp ?? ""),
    uid,
  };
}
