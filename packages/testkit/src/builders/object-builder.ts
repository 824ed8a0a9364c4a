import type { ApiObject, OwnerReference, Stored, StoredMeta } from "@orchernetes/apimachinery";

/** Creation time of built objects, unless a builder sets another one. */
export const epoch = "2024-01-01T00:00:00Z";

/**
 * Builds an object as a server would have stored it. Every step returns a new builder and leaves the old one
 * unchanged, so that a test can derive several objects from one.
 */
export abstract class ObjectBuilder<T extends ApiObject> {
  readonly #object: Stored<T>;

  protected constructor(object: Stored<T>) {
    this.#object = object;
  }

  /** A builder of the same kind around another object. */
  protected abstract with(object: Stored<T>): this;

  /** The object with some of its top-level fields replaced. */
  protected change(fields: Partial<T>): this {
    return this.with({ ...this.#object, ...fields });
  }

  protected meta(fields: Partial<StoredMeta>): this {
    return this.with({ ...this.#object, metadata: { ...this.#object.metadata, ...fields } });
  }

  /** The object. It must not be modified, because builders share its parts. */
  build(): Stored<T> {
    return this.#object;
  }

  namespace(namespace: string): this {
    return this.meta({ namespace });
  }

  uid(uid: string): this {
    return this.meta({ uid });
  }

  /** Adds to those that it has. */
  labels(labels: Readonly<Record<string, string>>): this {
    return this.meta({ labels: { ...this.build().metadata.labels, ...labels } });
  }

  /** Adds to those that it has. */
  annotations(annotations: Readonly<Record<string, string>>): this {
    return this.meta({ annotations: { ...this.build().metadata.annotations, ...annotations } });
  }

  finalizers(...finalizers: readonly string[]): this {
    return this.meta({ finalizers });
  }

  generation(generation: number): this {
    return this.meta({ generation });
  }

  resourceVersion(resourceVersion: string): this {
    return this.meta({ resourceVersion });
  }

  /**
   * Sets the creation time.
   *
   * @param at RFC 3339
   */
  createdAt(at: string): this {
    return this.meta({ creationTimestamp: at });
  }

  /**
   * Marks the object as being deleted.
   *
   * @param at RFC 3339
   */
  deletedAt(at: string = epoch, gracePeriodSeconds = 30): this {
    return this.meta({ deletionTimestamp: at, deletionGracePeriodSeconds: gracePeriodSeconds });
  }

  /** Adds an owner that is its controller. */
  controlledBy(owner: Stored<ApiObject> | ObjectBuilder<ApiObject>): this {
    const { apiVersion = "", kind = "", metadata } = owner instanceof ObjectBuilder ? owner.build() : owner;
    const { name, uid } = metadata;
    const reference: OwnerReference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
    return this.meta({ ownerReferences: [...(this.build().metadata.ownerReferences ?? []), reference] });
  }
}

/** Metadata of a new object. Its uid is derived from its name, so that tests can predict it. */
export function newMeta(name: string, namespace?: string): StoredMeta {
  return {
    name,
    uid: `uid-${name}`,
    resourceVersion: "1",
    creationTimestamp: epoch,
    ...(namespace === undefined ? {} : { namespace }),
  };
}
