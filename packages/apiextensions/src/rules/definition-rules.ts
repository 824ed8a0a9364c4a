import type { apiextensions } from "@orchernetes/api";
import { type FieldError, type FieldPath, field, literal } from "@orchernetes/apimachinery";
import { type CompiledExpression, costLimits, type Declaration, declare, maxRequestBytes } from "@orchernetes/cel";
import type { InterruptibleSteps } from "@orchernetes/kernel";
import { additionalOf, itemsOf, type JsonSchema } from "../schema/json-schema.ts";
import { type CompiledRule, compileRules } from "./rule.ts";
import { correlatesMembers } from "./rule-tree.ts";

/**
 * What is wrong with the rules of a schema, which is structural, in steps: they don't compile, or they may cost too much. Each rule is a
 * step.
 *
 * The cost of a rule (KEP-2876) is its estimate for one value times the number of values that an object can have at its place. A cheap
 * rule on the items of an unlimited list within an unlimited list is rejected; `maxItems` on both makes it valid.
 *
 * @param root the schema of a version
 * @returns the errors in the order of the schema; when interrupted, those found so far
 */
export function* definitionRuleErrors(root: JsonSchema, path: FieldPath): InterruptibleSteps<readonly FieldError[]> {
  const visit = new DefinitionVisit();
  const places: RulePlace[] = [];
  collectRules(root, { path, root: true, cardinality: 1, uncorrelated: undefined }, places);
  for (const { schema, place } of places) {
    const rules = schema["x-orchernetes-validations"] ?? [];
    const declaration = visit.declare(schema, place);
    if (declaration === undefined) continue;
    for (const [i, rule] of rules.entries()) {
      visit.rule(rule, declaration, place, i);
      if (yield) return visit.errors;
    }
  }
  return [...visit.errors, ...visit.totalErrors(path)];
}

/** Where a schema stands. */
interface Place {
  readonly path: FieldPath;
  /** The values are objects of the API. */
  readonly root: boolean;
  /** How often a value of the schema can be in an object; undefined if a list or map above has no limit. */
  readonly cardinality: number | undefined;
  /**
   * The first place above whose values can't be found in the object before an update, for example an item of an atomic list. There
   * `oldSelf` has no value, and a rule that uses it would never run.
   */
  readonly uncorrelated: FieldPath | undefined;
}

/** A schema contributes to a sum that is too large if it has at least this part of the limit. */
const notable = costLimits.schema / 100;
/** Rules that are named as the reason for a sum that is too large. */
const mostNamed = 4;

/** A schema with rules. */
interface RulePlace {
  readonly schema: JsonSchema;
  readonly place: Place;
}

/** Adds the schemas with rules, in the order of messages. */
function collectRules(schema: JsonSchema, place: Place, found: RulePlace[]): void {
  const { path } = place;
  const cardinality = cardinalityBelow(schema, place.cardinality);
  const members = correlatesMembers(schema["x-orchernetes-map-type"]) ? undefined : path;
  const list = schema["x-orchernetes-list-type"] === "map" ? undefined : path;
  const below = (child: JsonSchema, at: FieldPath, lost: FieldPath | undefined): void => {
    const root = child["x-orchernetes-embedded-resource"] === true;
    collectRules(child, { path: at, root, cardinality, uncorrelated: place.uncorrelated ?? lost }, found);
  };
  const additional = additionalOf(schema);
  if (additional !== undefined) below(additional, path.child("additionalProperties"), members);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    below(property, path.child("properties").key(name), members);
  const items = itemsOf(schema);
  if (items !== undefined) below(items, path.child("items"), list);
  if ((schema["x-orchernetes-validations"] ?? []).length > 0) found.push({ schema, place });
}

/** Collects errors and the total cost of a schema. Each rule is within its own limit or reported; the sum has a limit as well. */
class DefinitionVisit {
  readonly errors: FieldError[] = [];
  #total = 0;
  readonly #expensive: { readonly path: FieldPath; readonly cost: number }[] = [];

  /** What the rules at a place see; undefined, and an error, if that is nothing. */
  declare(schema: JsonSchema, place: Place): Declaration | undefined {
    const declaration = declare(schema, "selfType", place.root);
    if (declaration === undefined) {
      const detail = "failed to construct type information for x-orchernetes-validations rules";
      const all = place.path.child("x-orchernetes-validations");
      this.errors.push(field.internal(all, `${detail}: unable to convert structural schema to CEL declarations`));
    }
    return declaration;
  }

  rule(rule: apiextensions.ValidationRule, declaration: Declaration, place: Place, i: number): void {
    const at = place.path.child("x-orchernetes-validations").index(i);
    for (const compiled of compileRules([rule], declaration)) this.#compiled(compiled, declaration, place, at);
  }

  #compiled(
    { rule, expression, message, isTransition }: CompiledRule,
    declaration: Declaration,
    place: Place,
    at: FieldPath,
  ): void {
    // Without a limit there are at most as many values as fit in a request, each with its smallest size and a comma.
    const often = place.cardinality ?? Math.floor(maxRequestBytes / (declaration.minSize + 1));
    this.#expression(expression, "rule", often, rule, at.child("rule"));
    if (message !== undefined) this.#expression(message, "messageExpression", 1, rule, at.child("messageExpression"));
    if (isTransition && place.uncorrelated !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
      this.errors.push(field.invalid(at.child("rule"), rule.rule, detail));
    }
  }

  #expression(
    expression: CompiledExpression | string,
    name: string,
    often: number,
    rule: apiextensions.ValidationRule,
    at: FieldPath,
  ): void {
    if (typeof expression === "string") {
      this.errors.push(field.invalid(at, literal(goRule(rule)), expression));
      return;
    }
    const cost = expression.maxCost * often;
    if (cost > costLimits.expression)
      this.errors.push(field.forbidden(at, exceeds(`estimated ${name} cost`, cost, costLimits.expression)));
    this.#total += cost;
    if (cost >= notable) this.#expensive.push({ path: at, cost });
  }

  totalErrors(path: FieldPath): readonly FieldError[] {
    if (this.#total <= costLimits.schema) return [];
    const most = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, mostNamed);
    const detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const what = "x-orchernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...most.map((one) => field.forbidden(one.path, detail)),
      field.forbidden(path, exceeds(what, this.#total, costLimits.schema)),
    ];
  }
}

/** How often values directly below a schema can be in an object: limits multiply on the way down; undefined once one is missing. */
function cardinalityBelow(schema: JsonSchema, own: number | undefined): number | undefined {
  if (own === undefined) return undefined;
  const most =
    schema.type === "array"
      ? schema.maxItems
      : schema.type === "object" && schema.additionalProperties !== undefined
        ? schema.maxProperties
        : 1;
  return most === undefined ? undefined : own * Math.max(0, most);
}

/** The message of a cost above its limit. The factor tells the author whether to simplify the rule or to set a limit on a list. */
function exceeds(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  const remedy =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${shown} (${remedy})`;
}

const quoted = (text: string | undefined): string => JSON.stringify(text ?? "");

/** A rule as messages of Kubernetes print it. */
const goRule = ({ rule, message, messageExpression }: apiextensions.ValidationRule): string =>
  `apiextensions.ValidationRule{Rule:${quoted(rule)}, Message:${quoted(message)}, MessageExpression:${quoted(messageExpression)}}`;
