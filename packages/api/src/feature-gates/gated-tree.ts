import type { MessageSchema, Schema } from "@orchernetes/apimachinery";
import { extraGates, type GateRule, gateRules, type Holder, isSet } from "./gate-rules.ts";

interface GatedField {
  readonly name: string;
  readonly gate: string;
  readonly rule: GateRule;
}

interface Branch {
  readonly name: string;
  readonly many: "no" | "list" | "map";
  readonly node: GatedNode;
}

/** The gated fields of a type, and the branches that lead to gated fields of inner types. */
export interface GatedNode {
  readonly fields: readonly GatedField[];
  readonly branches: readonly Branch[];
}

/** A gated field that an object uses. */
export interface GatedUse {
  readonly gate: string;
  drop(): void;
}

const noRule: GateRule = {};

/**
 * Builds the tree of all fields of disabled features in a type. Objects are then searched only along its branches, so a
 * write of a large object visits a few fields and not all of them.
 *
 * @param off whether a gate is disabled
 * @returns undefined if there are no such fields
 */
export function gatedTree(schema: MessageSchema, off: (gate: string) => boolean): GatedNode | undefined {
  return new TreeBuilder(off).node(schema);
}

class TreeBuilder {
  readonly #off: (gate: string) => boolean;
  readonly #known = new Map<MessageSchema, GatedNode | undefined>();

  constructor(off: (gate: string) => boolean) {
    this.#off = off;
  }

  node(schema: MessageSchema): GatedNode | undefined {
    if (this.#known.has(schema)) return this.#known.get(schema);
    // A type that contains itself: the outer call finds its fields.
    this.#known.set(schema, undefined);
    const fields: GatedField[] = [];
    const branches: Branch[] = [];
    for (const [name, field] of Object.entries(schema.fields())) {
      const { gate } = field;
      if (gate !== undefined && this.#off(gate)) fields.push({ name, gate, rule: gateRules[gate] ?? noRule });
      const branch = this.#branch(name, field.schema);
      if (branch !== undefined) branches.push(branch);
    }
    for (const { path, gate } of extraGates(schema)) {
      const [holder, name] = path;
      if (!this.#off(gate)) continue;
      const node = { fields: [{ name, gate, rule: gateRules[gate] ?? noRule }], branches: [] };
      branches.push({ name: holder, many: "no", node });
    }
    const made = fields.length === 0 && branches.length === 0 ? undefined : { fields, branches };
    this.#known.set(schema, made);
    return made;
  }

  #branch(name: string, schema: Schema): Branch | undefined {
    const many = schema.kind === "list" ? "list" : schema.kind === "map" ? "map" : "no";
    const inner = schema.kind === "list" ? schema.item : schema.kind === "map" ? schema.value : schema;
    if (inner.kind !== "message") return undefined;
    const spared = Object.keys(gateRules).filter((gate) => gateRules[gate]?.notBelow?.includes(name));
    const off = this.#off;
    const node =
      spared.length === 0 ? this.node(inner) : gatedTree(inner, (gate) => off(gate) && !spared.includes(gate));
    return node === undefined ? undefined : { name, many, node };
  }
}

/**
 * Finds the fields of a tree that an object uses.
 *
 * @param parent the value that contains the object under `parentName`, for rules that remove the whole struct
 */
export function gatedUses(
  node: GatedNode,
  object: unknown,
  uses: GatedUse[] = [],
  parent: Holder = {},
  parentName = "",
): GatedUse[] {
  if (typeof object !== "object" || object === null) return uses;
  const holder = object as Holder;
  for (const { name, gate, rule } of node.fields) {
    const value = holder[name];
    if (value === undefined || !(rule.uses ?? isSet)(value)) continue;
    const drop = () => {
      if (rule.dropsHolder === true) delete parent[parentName];
      else if (rule.drop === undefined) delete holder[name];
      else rule.drop(holder, name);
    };
    uses.push({ gate, drop });
  }
  for (const { name, many, node: inner } of node.branches) {
    const value = holder[name];
    if (value === undefined || value === null) continue;
    if (many === "no") gatedUses(inner, value, uses, holder, name);
    else for (const item of many === "list" ? (value as unknown[]) : Object.values(value)) gatedUses(inner, item, uses);
  }
  return uses;
}
