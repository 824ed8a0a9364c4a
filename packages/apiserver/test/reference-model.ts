import { assertNever } from "@orchernetes/kernel";
/**
 * What an API server does to the objects of one kind, as plainly as it can be said: an object is a map of leaves, and
 * owners are sets of their paths. Knows toys (see toy.ts), which have a default colour, no negative sizes and grace
 * when it is asked for.
 *
 * Paths: `labels.NAME`, `finalizers.NAME`, `color`, `size`, `map.NAME`, `tags` and, of the status, `phase`. Owners may
 * own `labels`, `finalizers` and `map` as such, too (who makes them does), and what marks an object as one that is
 * being deleted.
 */

export type Leaf = string | number | boolean | readonly string[];
export type Leaves = ReadonlyMap<string, Leaf>;
/** Paths by `MANAGER OPERATION SUBRESOURCE`. */
export type Owners = ReadonlyMap<string, ReadonlySet<string>>;

export interface ModelObject {
  /** Which of all objects that ever had the name; the test maps it to a uid. */
  readonly incarnation: number;
  /** Which of all states; a write that changes nothing makes no new one. */
  readonly version: number;
  readonly generation: number;
  readonly deleting: boolean;
  readonly grace: number | undefined;
  readonly leaves: Leaves;
  readonly owners: Owners;
}

export interface Outcome {
  readonly code: number;
  /** Of a Status; undefined for success. */
  readonly reason?: string;
  /** What is stored afterwards; undefined: nothing. */
  readonly stored: ModelObject | undefined;
}

export interface Preconditions {
  readonly uid: "none" | "right" | "wrong";
  readonly version: "none" | "right" | "wrong";
}

export type Policy = "Orphan" | "Foreground" | "Background" | undefined;

interface Common {
  readonly manager: string;
  readonly dryRun: boolean;
}

export type Operation =
  | (Common & { readonly type: "create"; readonly leaves: Leaves })
  | (Common & {
      readonly type: "update";
      readonly subresource: "" | "status";
      readonly leaves: Leaves;
      readonly pinned: Preconditions;
    })
  | (Common & {
      readonly type: "patch";
      readonly kind: "merge" | "json" | "strategic";
      readonly subresource: "" | "status" | "scale";
      /** What the patch sets; undefined: takes away. */
      readonly changes: ReadonlyMap<string, Leaf | undefined>;
      readonly pinned: Preconditions;
    })
  | (Common & {
      readonly type: "apply";
      readonly subresource: "" | "status";
      readonly leaves: Leaves;
      readonly force: boolean;
      readonly pinned: Preconditions;
    })
  | (Common & {
      readonly type: "delete";
      /** By a selector that finds this one name. */
      readonly collection: boolean;
      readonly policy: Policy;
      readonly grace: number | undefined;
      readonly pinned: Preconditions;
    });

const equal = (a: Leaf | undefined, b: Leaf | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
const isStatus = (path: string): boolean => path === "phase";
/** What an object under deletion has. */
const marks: readonly string[] = ["deletionTimestamp", "deletionGracePeriodSeconds"];
const specPaths: ReadonlySet<string> = new Set(["color", "size", "map", "tags"]);
const isSpec = (path: string): boolean => specPaths.has(path.split(".")[0] ?? "");
const isFinalizer = (path: string): boolean => path.startsWith("finalizers.");
const finalizersOf = (leaves: Leaves): readonly string[] => [...leaves.keys()].filter(isFinalizer);

/** One name of a collection. */
export class ReferenceModel {
  #stored: ModelObject | undefined;
  #incarnations = 0;
  #versions = 0;

  get stored(): ModelObject | undefined {
    return this.#stored;
  }

  run(operation: Operation): Outcome {
    const outcome = this.#decide(operation);
    if (operation.dryRun) return { ...outcome, stored: this.#stored };
    this.#stored = outcome.stored;
    return outcome;
  }

  #decide(operation: Operation): Outcome {
    switch (operation.type) {
      case "create":
        return this.#create(operation.leaves, operation.manager);
      case "delete":
        return this.#delete(operation);
      case "apply":
        return this.#apply(operation);
      case "update":
        return this.#update(operation);
      case "patch": {
        const old = this.#stored;
        if (old === undefined) return this.#fails(404);
        const missing = [...operation.changes].some(([path, leaf]) => leaf === undefined && !old.leaves.has(path));
        if (operation.kind === "json" && missing) return this.#fails(422);
        if (operation.pinned.version === "wrong") return this.#fails(409);
        if (operation.pinned.uid === "wrong") return this.#fails(422);
        const leaves = defaulted(patched(old.leaves, operation.changes));
        return this.#write(old, leaves, updated(old, leaves, `${operation.manager} Update ${operation.subresource}`));
      }
      default:
        return assertNever(operation);
    }
  }

  #fails(code: 404 | 409 | 422, reason?: string): Outcome {
    const reasons = { 404: "NotFound", 409: "Conflict", 422: "Invalid" } as const;
    return { code, reason: reason ?? reasons[code], stored: this.#stored };
  }

  #create(given: Leaves, manager: string): Outcome {
    const leaves = defaulted(given);
    if (Number(leaves.get("size") ?? 0) < 0) return this.#fails(422);
    if (this.#stored !== undefined) return this.#fails(409, "AlreadyExists");
    return this.#made(leaves, new Map([[`${manager} Update `, new Set(withParents(leaves).keys())]]));
  }

  #made(leaves: Leaves, owners: Owners): Outcome {
    const fresh = { incarnation: ++this.#incarnations, version: ++this.#versions, generation: 1 };
    return { code: 201, stored: { ...fresh, deleting: false, grace: undefined, leaves, owners } };
  }

  /** Stores other leaves and owners in place of an object's, if they may be. */
  #write(old: ModelObject, leaves: Leaves, owners: Owners): Outcome {
    if (Number(leaves.get("size") ?? 0) < 0) return this.#fails(422);
    if (old.deleting && finalizersOf(leaves).some((path) => !old.leaves.has(path))) return this.#fails(422);
    if (old.deleting && (old.grace ?? 0) === 0 && finalizersOf(leaves).length === 0) {
      return { code: 200, stored: undefined };
    }
    const differing = pathsThatDiffer(old.leaves, leaves);
    if (differing.length === 0 && sameOwners(old.owners, owners)) return { code: 200, stored: old };
    const generation = old.generation + (differing.some(isSpec) ? 1 : 0);
    return { code: 200, stored: { ...old, leaves, owners, generation, version: ++this.#versions } };
  }

  #update({ subresource, leaves: given, manager, pinned }: Operation & { readonly type: "update" }): Outcome {
    const old = this.#stored;
    if (old === undefined) return this.#fails(pinned.uid === "none" ? 404 : 409);
    if (pinned.uid === "wrong" || pinned.version === "wrong") return this.#fails(409);
    const ignored = subresource === "" ? isStatus : isSpec;
    const leaves = defaulted(
      new Map([...given].filter(([path]) => !ignored(path)).concat([...old.leaves].filter(([path]) => ignored(path)))),
    );
    // What marks a deletion is not among what the client sends, and is put back once ownership is settled.
    const owners = without(updated(old, leaves, `${manager} Update ${subresource}`), new Set(marks));
    return this.#write(old, leaves, owners);
  }

  #apply({ leaves: given, manager, subresource, force, pinned }: Operation & { readonly type: "apply" }): Outcome {
    const old = this.#stored;
    const self = `${manager} Apply ${subresource}`;
    if (old === undefined) {
      if (subresource !== "") return this.#fails(404);
      if (pinned.uid !== "none" || pinned.version !== "none") return this.#fails(409);
      if (Number(given.get("size") ?? 0) < 0) return this.#fails(422);
      return this.#made(defaulted(given), given.size === 0 ? new Map() : new Map([[self, new Set(given.keys())]]));
    }
    const owners = new Map(old.owners);
    if (owners.size === 0) {
      const inReach = (path: string): boolean => (subresource === "" ? !isStatus(path) : !isSpec(path));
      const mine = [...[...withParents(old.leaves).keys()].filter(inReach), ...(old.deleting ? marks : [])];
      if (mine.length > 0) owners.set(`before-first-apply Update ${subresource}`, new Set(mine));
    }
    const others = [...owners].filter(([owner]) => owner !== self);
    const held = [...given.keys(), ...others.flatMap(([, paths]) => [...paths])];
    const merged = afterGivingUp(new Map([...old.leaves, ...given]), owners.get(self) ?? new Set(), held);
    const differing = new Set(pathsThatDiffer(old.leaves, merged));
    const disputed = others.some(([, paths]) => [...paths].some((path) => differing.has(path) && merged.has(path)));
    if (disputed && !force) return this.#fails(409);
    if (pinned.version === "wrong") return this.#fails(409);
    if (pinned.uid === "wrong") return this.#fails(422);
    const after = without(new Map(others), differing);
    if (given.size > 0) after.set(self, new Set(given.keys()));
    return this.#write(old, defaulted(merged), after);
  }

  #delete({ collection, policy, grace, pinned }: Operation & { readonly type: "delete" }): Outcome {
    const old = this.#stored;
    if (old === undefined) return collection ? { code: 200, stored: undefined } : this.#fails(404);
    if (pinned.uid === "wrong" || pinned.version === "wrong") return this.#fails(409);
    const left = old.deleting ? (old.grace ?? 0) : undefined;
    // A grace period that has begun only ever gets shorter.
    if (left !== undefined && left > 0 && (grace === undefined || grace >= left)) return { code: 200, stored: old };
    const graceful = left === undefined ? grace !== undefined : left > 0;
    const leaves = new Map(old.leaves);
    const has = (name: string): boolean => old.leaves.has(`finalizers.${name}`);
    const orphan = policy === undefined ? has("orphan") : policy === "Orphan";
    const foreground = policy === undefined ? has("foregroundDeletion") && !has("orphan") : policy === "Foreground";
    for (const [name, wanted] of [
      ["orphan", orphan],
      ["foregroundDeletion", foreground],
    ] as const) {
      if (wanted) leaves.set(`finalizers.${name}`, true);
      else leaves.delete(`finalizers.${name}`);
    }
    const held = finalizersOf(leaves).length > 0;
    if (!held && !(graceful && (grace ?? 0) > 0)) return { code: 200, stored: undefined };
    const after = {
      ...old,
      leaves,
      deleting: true,
      grace: graceful ? grace : 0,
      generation: old.generation + (old.deleting ? 0 : 1),
    };
    if (old.deleting && after.grace === old.grace && pathsThatDiffer(old.leaves, leaves).length === 0) {
      return { code: 200, stored: old };
    }
    return { code: 200, stored: { ...after, version: ++this.#versions } };
  }
}

function defaulted(leaves: Leaves): Leaves {
  return leaves.has("color") ? leaves : new Map([...leaves, ["color", "red"]]);
}

function patched(old: Leaves, changes: ReadonlyMap<string, Leaf | undefined>): Leaves {
  const out = new Map(old);
  for (const [path, leaf] of changes) {
    if (leaf === undefined) out.delete(path);
    else out.set(path, leaf);
  }
  return out;
}

function withParents(leaves: Leaves): Leaves {
  const parents = [...leaves.keys()].filter((path) => path.includes(".")).map((path) => path.split(".")[0] ?? "");
  return new Map([...leaves, ...parents.map((path) => [path, true] as const)]);
}

function pathsThatDiffer(one: Leaves, other: Leaves): readonly string[] {
  const before = withParents(one);
  const after = withParents(other);
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => !equal(before.get(path), after.get(path)));
}

/** The fields of the schema that have members, by the paths below them. */
const groups = [/^labels/, /^finalizers/, /^map/, /^(color|size|tags|map)/, /^phase/];

/**
 * Leaves without those that an applier owned and that nobody holds any more. A field that the schema names goes with
 * all that is in it when nobody holds anything there.
 */
function afterGivingUp(leaves: Leaves, last: ReadonlySet<string>, held: readonly string[]): Map<string, Leaf> {
  const out = new Map(leaves);
  for (const path of last) if (!held.includes(path)) out.delete(path);
  for (const group of groups) {
    const within = (path: string): boolean => group.test(path);
    if (![...last].some(within) || held.some(within)) continue;
    for (const path of leaves.keys()) if (within(path)) out.delete(path);
  }
  return out;
}

/** Owners without some paths; those of nothing go. */
function without(owners: Owners, paths: ReadonlySet<string>): Map<string, ReadonlySet<string>> {
  const out = new Map<string, ReadonlySet<string>>();
  for (const [owner, owned] of owners) {
    const rest = new Set([...owned].filter((path) => !paths.has(path)));
    if (rest.size > 0) out.set(owner, rest);
  }
  return out;
}

/** Owners after a write by other means than apply; fields without a manager stay without one. */
function updated(old: ModelObject, leaves: Leaves, writer: string): Owners {
  if (old.owners.size === 0) return old.owners;
  const differing = pathsThatDiffer(old.leaves, leaves);
  const out = without(old.owners, new Set(differing));
  const present = withParents(leaves);
  const mine = differing.filter((path) => present.has(path));
  if (mine.length > 0) out.set(writer, new Set([...(out.get(writer) ?? []), ...mine]));
  return out;
}

/** Owners as text that compares. */
export function ownersText(owners: Owners): string {
  return [...owners]
    .map(([owner, paths]) => `${owner}: ${[...paths].sort().join(" ")}`)
    .sort()
    .join("\n");
}

const sameOwners = (a: Owners, b: Owners): boolean => ownersText(a) === ownersText(b);
