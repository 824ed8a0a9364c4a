import { canonicalText, type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { bind, costLimits, type Evaluation, Failure, type Outcome } from "@orchernetes/cel";
import { isPlain } from "../schema/structural.ts";
import { type CompiledRule, ruleText } from "./rule.ts";
import type { RuleNode } from "./rule-tree.ts";

/** Longest message that an expression may make, in bytes. */
const longestMessage = 5 * 1024;

/**
 * What the rules of a schema find in an object.
 *
 * @param old the object before; undefined when it is created. Rules that compare with it are evaluated only where a value was there.
 */
export function objectRuleErrors(rules: RuleNode, object: unknown, old: unknown): readonly FieldError[] {
  const evaluation = new ObjectEvaluation();
  evaluation.visit(rules, object, old, field(""));
  return evaluation.errors;
}

type Variables = ReadonlyMap<string, Outcome>;

class ObjectEvaluation {
  readonly errors: FieldError[] = [];
  /** Undefined once it is used up: no further rule is evaluated. */
  #budget: number | undefined = costLimits.request;

  visit(node: RuleNode | undefined, value: unknown, old: unknown, path: FieldPath): void {
    // A value that is null has no rules: those of what surrounds it speak of it.
    if (node === undefined || value === null || value === undefined || this.#budget === undefined) return;
    this.#evaluate(node, value, old ?? undefined, path);
    if (Array.isArray(value)) this.#visitItems(node, value, old, path);
    else if (isPlain(value)) {
      const before = node.correlates && isPlain(old) ? old : {};
      for (const [name, member] of Object.entries(value)) {
        const previous = Object.hasOwn(before, name) ? before[name] : undefined;
        const property = node.properties.get(name);
        if (property !== undefined) this.visit(property, member, previous, path.child(name));
        else this.visit(node.additional, member, previous, path.key(name));
      }
    }
  }

  #visitItems({ items, keys }: RuleNode, value: readonly unknown[], old: unknown, path: FieldPath): void {
    if (items === undefined) return;
    const before =
      keys === undefined || !Array.isArray(old) ? undefined : new Map(old.map((item) => [keysOf(item, keys), item]));
    for (const [i, item] of value.entries()) {
      const previous = before === undefined ? undefined : before.get(keysOf(item, keys ?? []));
      this.visit(items, item, previous, path.index(i));
    }
  }

  #evaluate(node: RuleNode, value: unknown, old: unknown, path: FieldPath): void {
    const { declaration, rules } = node;
    if (declaration === undefined || rules.length === 0) return;
    const variables: Variables = new Map([
      ["self", bind(value, declaration)],
      ...(old === undefined ? [] : [["oldSelf", bind(old, declaration)] as const]),
    ]);
    for (const rule of rules) {
      if (this.#budget === undefined) return;
      if (rule.isTransition && old === undefined) continue;
      const detail = this.#failureOf(rule, variables);
      if (detail !== undefined) this.errors.push(field.invalid(String(path) || "<nil>", node.type, detail));
    }
  }

  /** What an error says of a rule; undefined if it holds. */
  #failureOf({ rule, expression, message }: CompiledRule, variables: Variables): string | undefined {
    if (typeof expression === "string") return `rule compile error: ${expression}`;
    const evaluation = expression.evaluate(variables, costLimits.call);
    const { outcome, exceeded } = evaluation;
    if (!this.#pay(evaluation)) {
      return "validation failed due to running out of cost budget, no further validation rules will be run";
    }
    if (exceeded) {
      this.#budget = undefined;
      return `'${textOf(outcome)}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`;
    }
    if (outcome instanceof Failure) {
      const { message: reason } = outcome;
      return reason.startsWith("no such overload")
        ? `'${reason}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`
        : `${reason} evaluating rule: ${ruleText(rule)}`;
    }
    if (outcome === true) return undefined;
    const own = message === undefined || typeof message === "string" ? undefined : this.#messageOf(message, variables);
    return own ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`);
  }

  /** What an expression says; undefined if that is no message. */
  #messageOf(message: Exclude<CompiledRule["message"], string | undefined>, variables: Variables): string | undefined {
    const evaluation = message.evaluate(variables, costLimits.call);
    const { outcome, exceeded } = evaluation;
    if (!this.#pay(evaluation)) {
      return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
    }
    if (exceeded) {
      this.#budget = undefined;
      return "no further validation rules will be run due to call cost exceeds limit for messageExpression";
    }
    if (typeof outcome !== "string") return undefined;
    const text = outcome.trim();
    return text === "" || text.includes("\n") || Buffer.byteLength(text) > longestMessage ? undefined : text;
  }

  #pay({ cost }: Evaluation): boolean {
    if (this.#budget === undefined || cost > this.#budget) {
      this.#budget = undefined;
      return false;
    }
    this.#budget -= cost;
    return true;
  }
}

const textOf = (outcome: Outcome): string => (outcome instanceof Failure ? outcome.message : "");

const keysOf = (item: unknown, keys: readonly string[]): string =>
  canonicalText(isPlain(item) ? keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null)) : null);
