import { type Declaration, declare } from "@orchernetes/cel";
import type { Structural } from "../schema/structural.ts";
import { RulesOfPlace } from "./rule.ts";

/** The rules at one place of a schema, and those below it. */
export interface RuleNode {
  /** The type in the schema, which errors show in place of a value. */
  readonly type: string;
  /** Undefined if expressions see nothing of the values here. */
  readonly declaration: Declaration | undefined;
  /** Undefined if there are none here, or no {@link RuleNode.declaration}. */
  readonly rules: RulesOfPlace | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  /** By these keys an item is found in the list before; undefined if items can't be. */
  readonly keys: readonly string[] | undefined;
  /** Whether members can be found in the object before, see {@link correlatesMembers}. */
  readonly correlates: boolean;
}

/** Whether rules are evaluated, and where they are measured, in seconds. */
export interface RuleOptions {
  /** @default true */
  readonly enabled?: boolean;
  /** Called for the rules at each place of a schema, once they are compiled. */
  readonly compiled?: (seconds: number) => void;
  /** Called for all rules that are evaluated for an object. */
  readonly evaluated?: (seconds: number) => void;
}

/**
 * The rules of a schema, which are compiled when they are needed; undefined if it has none. Parts of the schema without rules have no node, so that their values
 * are not visited.
 */
export function ruleTree(root: Structural, { compiled }: Pick<RuleOptions, "compiled"> = {}): RuleNode | undefined {
  return node(root, true, compiled);
}

/** The rules of a part of a schema; undefined if it has none. */
export const partialRuleTree = (part: Structural): RuleNode | undefined => node(part, part.embedded, undefined);

function node(structural: Structural, root: boolean, compiled: RuleOptions["compiled"]): RuleNode | undefined {
  const { schema } = structural;
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of structural.properties) {
    const below = node(property, property.embedded, compiled);
    if (below !== undefined) properties.set(name, below);
  }
  const items = structural.items && node(structural.items, structural.items.embedded, compiled);
  const additional = structural.additional && node(structural.additional, structural.additional.embedded, compiled);
  const own = schema["x-orchernetes-validations"] ?? [];
  if (own.length === 0 && properties.size === 0 && items === undefined && additional === undefined) return undefined;
  const declaration = own.length === 0 ? undefined : declare(schema, "selfType", root);
  const rules = declaration && new RulesOfPlace(own, declaration, compiled);
  return {
    type: schema.type ?? "",
    declaration,
    rules,
    properties,
    additional,
    items,
    keys: schema["x-orchernetes-list-type"] === "map" ? (schema["x-orchernetes-list-map-keys"] ?? []) : undefined,
    correlates: correlatesMembers(schema["x-orchernetes-map-type"]),
  };
}

/** Whether members of a map of this type are the same ones before and after an update: an atomic map is replaced as a whole. */
export const correlatesMembers = (mapType: string | undefined): boolean =>
  mapType === undefined || mapType === "granular";
