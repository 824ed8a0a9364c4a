import type { ObjectMeta, OwnerReference } from "@orchernetes/apimachinery";

/** Identifies an object of any kind. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object with its owners and dependents. */
export interface GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  beingDeleted: boolean;
  /** Foreground deletion: the object waits until its dependents are deleted. */
  deletingDependents: boolean;
  /** Known only from owner references; it has not been checked whether the object exists. */
  virtual: boolean;
}

/** Callbacks for nodes that must be processed after a change of the graph. */
export interface GraphWork {
  /** The object may have to be deleted, or may no longer have to wait for its dependents. */
  attemptToDelete(node: GraphNode): void;
  /** The references to the object should be removed from its dependents. */
  attemptToOrphan(node: GraphNode): void;
  /** The owner reference is invalid: the object with this uid has another kind or name, or is in another namespace. */
  invalidOwner(dependent: GraphNode, reference: OwnerReference): void;
}

/** Finalizer of an object that is deleted with propagation policy Orphan. */
export const orphanFinalizer = "orphan";
/** Finalizer of an object that is deleted with propagation policy Foreground. */
export const foregroundFinalizer = "foregroundDeletion";

/**
 * The graph of owners and dependents, built from observed objects. Owners that have not been observed are represented
 * by virtual nodes until it is known whether they exist.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #work: GraphWork;

  constructor(work: GraphWork) {
    this.#work = work;
  }

  get size(): number {
    return this.#nodes.size;
  }

  find(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Adds or updates an object that was observed. */
  observe(identity: Identity, metadata: ObjectMeta): void {
    const owners = metadata.ownerReferences ?? [];
    const leaving = metadata.deletionTimestamp !== undefined;
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) {
      const added: GraphNode = {
        identity,
        owners,
        dependents: new Set(),
        beingDeleted: leaving,
        deletingDependents: leaving && hasFinalizer(metadata, foregroundFinalizer),
        virtual: false,
      };
      this.#nodes.set(identity.uid, added);
      for (const owner of owners) this.#link(added, owner);
      this.#transition(added, false, metadata);
      return;
    }
    if (node.virtual) this.#realize(node, identity);
    const wasLeaving = node.beingDeleted;
    const before = node.owners;
    this.#relink(node, before, owners);
    node.beingDeleted = leaving;
    this.#transition(node, wasLeaving, metadata);
  }

  /** Removes an object that was deleted. Its dependents are checked. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    for (const { uid: ownerUid } of node.owners) {
      const owner = this.#nodes.get(ownerUid);
      if (owner === undefined) continue;
      owner.dependents.delete(node);
      if (owner.deletingDependents) this.#work.attemptToDelete(owner);
      // No object refers to the virtual owner any longer.
      if (owner.virtual && owner.dependents.size === 0) this.#nodes.delete(ownerUid);
    }
    for (const dependent of node.dependents) this.#work.attemptToDelete(dependent);
    // If the owner is observed again with the same uid (a stale event), its dependents must be known.
    if (node.dependents.size > 0) this.#bury(node);
  }

  /** Removes all objects of a kind that is no longer served. */
  forgetKind(apiVersion: string, kind: string): void {
    for (const [uid, { identity }] of [...this.#nodes]) {
      if (identity.kind === kind && identity.apiVersion === apiVersion) this.remove(uid);
    }
  }

  /** Keeps a deleted owner as a virtual node, because its dependents still refer to it. */
  #bury(node: GraphNode): void {
    node.virtual = true;
    node.owners = [];
    node.beingDeleted = false;
    node.deletingDependents = false;
    this.#nodes.set(node.identity.uid, node);
  }

  /** Turns a virtual node into an observed one. Its references are checked only if the guessed identity was wrong. */
  #realize(node: GraphNode, identity: Identity): void {
    node.virtual = false;
    const guessed = node.identity;
    node.identity = identity;
    if (guessed.kind === identity.kind && guessed.namespace === identity.namespace) return;
    for (const dependent of node.dependents) this.#checkReference(dependent, node);
  }

  /** Connects a dependent with an owner, which is created as a virtual node if it is unknown. */
  #link(dependent: GraphNode, reference: OwnerReference): void {
    let owner = this.#nodes.get(reference.uid);
    if (owner === undefined) {
      const { apiVersion, kind, name, uid } = reference;
      owner = {
        identity: { apiVersion, kind, name, uid, namespace: dependent.identity.namespace },
        owners: [],
        dependents: new Set(),
        beingDeleted: false,
        deletingDependents: false,
        virtual: true,
      };
      this.#nodes.set(uid, owner);
    }
    owner.dependents.add(dependent);
    if (owner.virtual) this.#work.attemptToDelete(owner);
    else this.#checkReference(dependent, owner);
  }

  /** Reports a reference whose namespace, kind or name does not match the owner: such an owner counts as absent. */
  #checkReference(dependent: GraphNode, owner: GraphNode): void {
    const reference = dependent.owners.find(({ uid }) => uid === owner.identity.uid);
    if (reference === undefined) return;
    const elsewhere = owner.identity.namespace !== "" && owner.identity.namespace !== dependent.identity.namespace;
    const group = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "");
    const other =
      reference.kind !== owner.identity.kind ||
      reference.name !== owner.identity.name ||
      group(reference.apiVersion) !== group(owner.identity.apiVersion);
    if (!elsewhere && !other) return;
    this.#work.invalidOwner(dependent, reference);
    this.#work.attemptToDelete(dependent);
  }

  /** Applies changed owner references. */
  #relink(node: GraphNode, before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
    if (before === after) return;
    node.owners = after;
    const now = new Map(after.map((reference) => [reference.uid, reference]));
    const then = new Map(before.map((reference) => [reference.uid, reference]));
    for (const [uid, old] of then) {
      const owner = this.#nodes.get(uid);
      if (owner === undefined) continue;
      const current = now.get(uid);
      if (current === undefined) owner.dependents.delete(node);
      const blocked = old.blockOwnerDeletion === true;
      const unblocked = blocked && current?.blockOwnerDeletion !== true;
      // The owner may have waited only for this dependent.
      if (unblocked && owner.deletingDependents) this.#work.attemptToDelete(owner);
      if (current === undefined && owner.virtual && owner.dependents.size === 0) this.#nodes.delete(uid);
    }
    for (const [uid, reference] of now) if (!then.has(uid)) this.#link(node, reference);
  }

  /** Starts orphaning or foreground deletion when an object with the finalizer is deleted. */
  #transition(node: GraphNode, wasLeaving: boolean, metadata: ObjectMeta): void {
    if (!node.beingDeleted) return;
    const orphaning = hasFinalizer(metadata, orphanFinalizer);
    if (orphaning && !wasLeaving) this.#work.attemptToOrphan(node);
    if (!hasFinalizer(metadata, foregroundFinalizer)) return;
    if (wasLeaving && node.deletingDependents) return;
    node.deletingDependents = true;
    for (const dependent of node.dependents) this.#work.attemptToDelete(dependent);
    this.#work.attemptToDelete(node);
  }
}

function hasFinalizer({ finalizers }: ObjectMeta, name: string): boolean {
  return finalizers?.includes(name) === true;
}
