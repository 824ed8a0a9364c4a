import type { ObjectMeta, OwnerReference } from "@orchernetes/apimachinery";

/** Names an object of any kind. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object, with who owns it and whom it owns. */
export interface GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  beingDeleted: boolean;
  /** It waits for its dependents to be deleted first. */
  deletingDependents: boolean;
  /** Known from owner references alone: whether it exists is yet to be found out. */
  virtual: boolean;
}

/** What a change of the graph asks to be looked at. */
export interface GraphWork {
  /** May have to be deleted, or may no longer have to wait. */
  attemptToDelete(node: GraphNode): void;
  /** Its dependents are to be left without it. */
  attemptToOrphan(node: GraphNode): void;
  /** The reference names an owner that cannot be: another kind, or an object in another namespace. */
  invalidOwner(dependent: GraphNode, reference: OwnerReference): void;
}

export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

/**
 * Who owns whom, as of what was observed. Owners that were never seen stand in as virtual nodes until something is known of
 * them.
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

  /** The object exists, and is like this. */
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

  /** The object is gone, if the graph knows it. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    for (const { uid: ownerUid } of node.owners) {
      const owner = this.#nodes.get(ownerUid);
      if (owner === undefined) continue;
      owner.dependents.delete(node);
      if (owner.deletingDependents) this.#work.attemptToDelete(owner);
      // Nobody refers to what was never seen any more.
      if (owner.virtual && owner.dependents.size === 0) this.#nodes.delete(ownerUid);
    }
    for (const dependent of node.dependents) this.#work.attemptToDelete(dependent);
    // Should the owner come up again under the same uid, its dependents must be known.
    if (node.dependents.size > 0) this.#bury(node);
  }

  /** Forgets everything of a kind that is no longer served. */
  forgetKind(apiVersion: string, kind: string): void {
    for (const [uid, { identity }] of [...this.#nodes]) {
      if (identity.kind === kind && identity.apiVersion === apiVersion) this.remove(uid);
    }
  }

  /** Dependents keep their references, so the links stay as those of an owner unknown. */
  #bury(node: GraphNode): void {
    node.virtual = true;
    node.owners = [];
    node.beingDeleted = false;
    node.deletingDependents = false;
    this.#nodes.set(node.identity.uid, node);
  }

  #realize(node: GraphNode, identity: Identity): void {
    node.virtual = false;
    const guessed = node.identity;
    node.identity = identity;
    if (guessed.kind === identity.kind && guessed.namespace === identity.namespace) return;
    for (const dependent of node.dependents) this.#checkReference(dependent, node);
  }

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

  /** An object in another namespace, or of another kind, owns nothing, whatever its uid. */
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
      // The owner may have waited for this dependent alone.
      if (unblocked && owner.deletingDependents) this.#work.attemptToDelete(owner);
      if (current === undefined && owner.virtual && owner.dependents.size === 0) this.#nodes.delete(uid);
    }
    for (const [uid, reference] of now) if (!then.has(uid)) this.#link(node, reference);
  }

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
