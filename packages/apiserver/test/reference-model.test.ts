import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, startServer, type TestServer } from "./harness.ts";
import {
  type Leaf,
  type Leaves,
  type ModelObject,
  type Operation,
  ownersText,
  type Preconditions,
  ReferenceModel,
} from "./reference-model.ts";

const sequences = 8;
const operationsOfEach = 100;
const toys = "/apis/toys.example.com/v1/namespaces/ns/toys";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Numbers from 0 to below 1 that follow from a seed. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Generator {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = numbersOf(seed);
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#next() * items.length)] as T;
  }

  #chance(probability: number): boolean {
    return this.#next() < probability;
  }

  #leaf(path: string): Leaf {
    switch (path.split(".")[0]) {
      case "size":
        return this.#pick([1, 2, 3, 3, -1]);
      case "finalizers":
        return true;
      case "tags":
        return this.#pick([["x"], ["x", "y"]]);
      default:
        return this.#pick(["p", "q"]);
    }
  }

  #leaves(paths: readonly string[], probability: number): Map<string, Leaf> {
    const chosen = paths.filter((path) => this.#chance(path.startsWith("finalizers.") ? probability / 3 : probability));
    return new Map(chosen.map((path) => [path, this.#leaf(path)]));
  }

  #pinned(): Preconditions {
    const one = () => (this.#chance(0.8) ? "none" : this.#chance(0.7) ? "right" : "wrong");
    return { uid: one(), version: one() };
  }

  operation(): Operation {
    const common = { manager: this.#pick(["ann", "bob"]), dryRun: this.#chance(0.1) };
    const subresource = this.#chance(0.15) ? "status" : "";
    const within = subresource === "" ? paths : ["phase", "labels.a", "finalizers.e.com/a"];
    const pinned = this.#pinned();
    const die = this.#next();
    if (die < 0.2) return { ...common, type: "create", leaves: this.#leaves(paths, 0.4) };
    if (die < 0.35)
      return { ...common, type: "update", subresource, leaves: this.#leaves([...paths, "phase"], 0.4), pinned };
    if (die < 0.39) {
      const changes = new Map([["size", this.#leaf("size")]]);
      const unpinned = { ...pinned, uid: "none" } as const;
      return { ...common, type: "patch", kind: "merge", subresource: "scale", changes, pinned: unpinned };
    }
    if (die < 0.6) {
      const changes = new Map<string, Leaf | undefined>(this.#leaves(within, 0.3));
      for (const path of within) if (this.#chance(0.15)) changes.set(path, undefined);
      const kind = this.#pick(["merge", "json", "strategic"] as const);
      return { ...common, type: "patch", kind, subresource, changes, pinned };
    }
    if (die < 0.88) {
      const leaves = this.#leaves(within, 0.35);
      return { ...common, type: "apply", subresource, leaves, force: this.#chance(0.3), pinned };
    }
    const policy = this.#pick(["Orphan", "Foreground", "Background", undefined, undefined] as const);
    const collection = this.#chance(0.2);
    return {
      ...common,
      type: "delete",
      collection,
      policy,
      grace: this.#pick([undefined, undefined, 0, 30, 60]),
      pinned,
    };
  }
}

const paths = ["labels.a", "labels.b", "finalizers.e.com/a", "finalizers.e.com/b", "color", "size", "map.a", "tags"];

/** Where a leaf is in an object. */
function placeOf(path: string): readonly string[] {
  const [first = "", ...rest] = path.split(".");
  const name = rest.join(".");
  if (first === "labels") return ["metadata", "labels", name];
  if (first === "finalizers") return ["metadata", "finalizers", name];
  if (first === "map") return ["spec", "labels", name];
  return [first === "phase" ? "status" : "spec", first];
}

type Tree = { [name: string]: Tree | Leaf | null | readonly string[] };

/** Leaves as an object; finalizers are a list. */
function treeOf(leaves: ReadonlyMap<string, Leaf | undefined>): Tree {
  const out: Tree = {};
  for (const [path, leaf] of leaves) {
    const place = placeOf(path);
    let at = out;
    for (const name of place.slice(0, -1)) {
      at[name] ??= {};
      at = at[name] as Tree;
    }
    at[place.at(-1) ?? ""] = leaf ?? null;
  }
  const metadata = out.metadata as Tree | undefined;
  if (metadata?.finalizers !== undefined) metadata.finalizers = Object.keys(metadata.finalizers as Tree);
  return out;
}

/** What the server stores, in the model's words. */
function leavesOf({ metadata, spec, status }: Answer["body"]): Leaves {
  const { labels: map = {}, ...plain } = spec ?? {};
  const under = (prefix: string, members: object): [string, Leaf][] =>
    Object.entries(members).map(([name, leaf]) => [`${prefix}.${name}`, leaf as Leaf]);
  return new Map<string, Leaf>([
    ...under("labels", metadata.labels ?? {}),
    ...(metadata.finalizers ?? []).map((name: string) => [`finalizers.${name}`, true] as const),
    ...(Object.entries(plain) as [string, Leaf][]),
    ...under("map", map),
    ...(Object.entries(status ?? {}) as [string, Leaf][]),
  ]);
}

interface Fields {
  readonly [element: string]: Fields;
}

/** The parts of an object that have members of their own, and what the model calls them. */
const maps = [
  ["f:metadata", "f:labels", "labels"],
  ["f:metadata", "f:finalizers", "finalizers"],
  ["f:spec", "f:labels", "map"],
] as const;

function ownedPaths(fields: Fields): ReadonlySet<string> {
  const out = new Set<string>();
  for (const [outer, inner, name] of maps) {
    const node = fields[outer]?.[inner];
    if (node === undefined) continue;
    const elements = Object.keys(node);
    if (elements.length === 0 || elements.includes(".")) out.add(name);
    for (const element of elements) {
      const text = element.slice(2);
      if (element !== ".") out.add(`${name}.${element.startsWith("v:") ? JSON.parse(text) : text}`);
    }
  }
  for (const outer of ["f:metadata", "f:spec", "f:status"]) {
    for (const element of Object.keys(fields[outer] ?? {})) {
      if (element !== "f:labels" && element !== "f:finalizers") out.add(element.slice(2));
    }
  }
  return out;
}

/** An object as the server shows it, as text that is compared to {@link wanted}. */
function shown(body: Answer["body"]): object {
  const owners = new Map<string, ReadonlySet<string>>(
    (body.metadata.managedFields ?? []).map((entry: Readonly<Record<string, Fields & string>>) => [
      `${entry.manager} ${entry.operation} ${entry.subresource ?? ""}`,
      ownedPaths(entry.fieldsV1 ?? {}),
    ]),
  );
  return {
    leaves: [...leavesOf(body)].sort(([a], [b]) => (a < b ? -1 : 1)),
    owners: ownersText(owners),
    generation: body.metadata.generation,
    deleting: body.metadata.deletionTimestamp !== undefined,
    grace: body.metadata.deletionGracePeriodSeconds,
  };
}

function wanted({ leaves, owners, generation, deleting, grace }: ModelObject): object {
  const sorted = [...leaves].sort(([a], [b]) => (a < b ? -1 : 1));
  return { leaves: sorted, owners: ownersText(owners), generation, deleting, grace };
}

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

/** Plays operations on one name against the server. */
class Player {
  readonly #name: string;
  /** uid and resourceVersion of what is stored. */
  #identity: { readonly uid: string; readonly resourceVersion: string } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get #path(): string {
    return `${toys}/${this.#name}`;
  }

  remember(identity: { readonly uid: string; readonly resourceVersion: string } | undefined): void {
    this.#identity = identity;
  }

  get(): Promise<Answer> {
    return server.call("GET", this.#path);
  }

  #at(subresource: string): string {
    return subresource === "" ? this.#path : `${this.#path}/${subresource}`;
  }

  #pins({ uid, version }: Preconditions): Readonly<Record<string, string>> {
    const { uid: present = "11111111-1111-1111-1111-111111111111", resourceVersion = "1" } = this.#identity ?? {};
    return {
      ...(uid === "none" ? {} : { uid: uid === "right" ? present : "22222222-2222-2222-2222-222222222222" }),
      ...(version === "none" ? {} : { resourceVersion: version === "right" ? resourceVersion : "2" }),
    };
  }

  #object(leaves: Leaves, pins: object): object {
    const tree = treeOf(leaves);
    return {
      apiVersion: "toys.example.com/v1",
      kind: "Toy",
      ...tree,
      metadata: { name: this.#name, ...((tree.metadata as object | undefined) ?? {}), ...pins },
    };
  }

  send(operation: Operation, stored: ModelObject | undefined): Promise<Answer> {
    const query = `?fieldManager=${operation.manager}${operation.dryRun ? "&dryRun=All" : ""}`;
    switch (operation.type) {
      case "create":
        return server.call("POST", toys + query, this.#object(operation.leaves, {}));
      case "update": {
        const body = this.#object(operation.leaves, this.#pins(operation.pinned));
        return server.call("PUT", this.#at(operation.subresource) + query, body);
      }
      case "patch": {
        const at = this.#at(operation.subresource);
        const body =
          operation.subresource === "scale"
            ? { metadata: this.#pins(operation.pinned), spec: { replicas: operation.changes.get("size") } }
            : this.#patch(operation, stored);
        return server.call("PATCH", at + query, body, { "content-type": patchTypes[operation.kind] });
      }
      case "apply": {
        const at = this.#at(operation.subresource);
        const body = this.#object(operation.leaves, this.#pins(operation.pinned));
        const force = operation.force ? "&force=true" : "";
        return server.call("PATCH", at + query + force, body, { "content-type": "application/apply-patch+yaml" });
      }
      case "delete":
        return server.call(
          "DELETE",
          operation.collection ? `${toys}?fieldSelector=metadata.name=${this.#name}` : this.#path,
          {
            ...(operation.policy === undefined ? {} : { propagationPolicy: operation.policy }),
            ...(operation.grace === undefined ? {} : { gracePeriodSeconds: operation.grace }),
            ...(operation.dryRun ? { dryRun: ["All"] } : {}),
            preconditions: this.#pins(operation.pinned),
          },
        );
    }
  }

  #patch({ kind, changes, pinned }: Operation & { readonly type: "patch" }, stored: ModelObject | undefined): unknown {
    const pins = this.#pins(pinned);
    const before = stored?.leaves ?? new Map<string, Leaf>();
    const whole = (prefix: string) => {
      const after = new Map([...before].filter(([path]) => path.startsWith(prefix)));
      for (const [path, leaf] of changes) {
        if (!path.startsWith(prefix)) continue;
        if (leaf === undefined) after.delete(path);
        else after.set(path, leaf);
      }
      return [...after.keys()].map((path) => path.slice(prefix.length));
    };
    const finalizers = [...changes.keys()].some((path) => path.startsWith("finalizers.")) ? whole("finalizers.") : [];
    const changesFinalizers = [...changes.keys()].some((path) => path.startsWith("finalizers."));
    const others = new Map([...changes].filter(([path]) => !path.startsWith("finalizers.")));
    if (kind !== "json") {
      const tree = treeOf(others);
      const removed = [...changes].filter(([path, leaf]) => path.startsWith("finalizers.") && leaf === undefined);
      const deleted = removed.map(([path]) => path.slice("finalizers.".length));
      const list = changesFinalizers
        ? {
            finalizers,
            ...(kind === "strategic" && deleted.length > 0 ? { "$deleteFromPrimitiveList/finalizers": deleted } : {}),
          }
        : {};
      return { ...tree, metadata: { ...((tree.metadata as object | undefined) ?? {}), ...list, ...pins } };
    }
    return this.#jsonPatch(others, changes, { ...pins, ...(changesFinalizers ? { finalizers } : {}) }, before);
  }

  /** Adds what holds others first, then changes each leaf by itself. */
  #jsonPatch(
    others: ReadonlyMap<string, Leaf | undefined>,
    all: ReadonlyMap<string, Leaf | undefined>,
    metadata: object,
    before: Leaves,
  ): readonly object[] {
    const out: object[] = Object.entries(metadata).map(([name, value]) => ({
      op: "add",
      path: `/metadata/${name}`,
      value,
    }));
    // What is not there cannot be taken away, and lists are given as a whole here.
    for (const [path, leaf] of all) {
      if (path.startsWith("finalizers.") && leaf === undefined && !before.has(path)) {
        out.push({ op: "remove", path: "/metadata/finalizers/99" });
      }
    }
    const has = new Set([...before.keys()].map((path) => placeOf(path).slice(0, -1).join("/")));
    for (const [path, leaf] of others) {
      const place = placeOf(path);
      const parent = place.slice(0, -1).join("/");
      const pointer = `/${place.join("/")}`;
      if (leaf === undefined) {
        out.push({ op: "remove", path: pointer });
        continue;
      }
      if (!has.has(parent) && parent !== "status" && parent !== "spec")
        out.push({ op: "add", path: `/${parent}`, value: {} });
      has.add(parent);
      out.push({ op: "add", path: pointer, value: leaf });
    }
    return out;
  }
}

async function play(seed: number): Promise<void> {
  const generator = new Generator(seed);
  const name = `toy-${seed}`;
  const player = new Player(name);
  const model = new ReferenceModel();
  const uids = new Map<number, string>();
  const revisions = new Map<number, string>();
  for (let step = 0; step < operationsOfEach; step++) {
    const operation = generator.operation();
    const before = model.stored;
    const answer = await player.send(operation, before);
    const outcome = model.run(operation);
    const told = `seed ${seed}, step ${step}: ${JSON.stringify(operation, (_key, value) => (value instanceof Map ? [...value] : value))} of ${JSON.stringify(before && wanted(before))} gave ${answer.text}`;
    expect([answer.status, answer.body.reason], told).toEqual([outcome.code, outcome.reason]);
    const read = await player.get();
    expect(read.status, told).toBe(outcome.stored === undefined ? 404 : 200);
    if (outcome.stored === undefined) {
      player.remember(undefined);
      continue;
    }
    expect(shown(read.body), told).toEqual(wanted(outcome.stored));
    const { uid, resourceVersion } = read.body.metadata;
    player.remember({ uid, resourceVersion });
    const { incarnation, version } = outcome.stored;
    expect(uids.get(incarnation) ?? uid, told).toBe(uid);
    expect(revisions.get(version) ?? resourceVersion, told).toBe(resourceVersion);
    if (!revisions.has(version)) {
      for (const earlier of revisions.values()) expect(Number(resourceVersion), told).toBeGreaterThan(Number(earlier));
    }
    uids.set(incarnation, uid);
    revisions.set(version, resourceVersion);
  }
  expect(new Set(uids.values()).size).toBe(uids.size);
}

test.each(Array.from({ length: sequences }, (_, i) => i + 1))(
  "a server does what the model does: sequence %i",
  { timeout: 60_000 },
  (seed) => play(seed),
);
