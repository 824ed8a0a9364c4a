import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { bind, type CompiledExpression, costLimits, type Evaluation, Failure, type Variables } from "@orchernetes/cel";
import type { InterruptibleSteps } from "@orchernetes/kernel";
import { IndexedItems, needsIndex, type Place, placesIn, rootPlace } from "./places.ts";
import { type CompiledRule, ruleText } from "./rule.ts";
import type { RuleNode } from "./rule-tree.ts";

/** Longest message that an expression may make, in bytes. Longer ones are replaced by the rule's own message. */
const longestMessage = 5 * 1024;

/** Work between two pauses: the cost of rules, and 1 for each place of the object. */
const workInStep = 500;

/**
 * What the rules of a schema find in an object, in steps (KEP-2876).
 *
 * Rules run after the schema's own validation: they may rely on types and required members. All rules share one budget of cost; when it
 * is used up the object is rejected, since rules that did not run cannot have passed.
 *
 * @param old the object before; undefined when it is created. Rules that compare with it are evaluated only where a value was there.
 */
export function objectRuleErrors(
  rules: RuleNode,
  object: unknown,
  old: unknown,
): InterruptibleSteps<readonly FieldError[]> {
  return new ObjectEvaluation().errorsOf(rootPlace(rules, object, old));
}

/** A default of a schema, and the rules about it. */
export interface DefaultRules {
  readonly rules: RuleNode;
  readonly value: unknown;
  readonly path: FieldPath;
}

/** What rules find in the defaults of a schema, in steps; all defaults share one budget. A default is its own former state. */
export function* defaultRuleErrors(defaults: Iterable<DefaultRules>): InterruptibleSteps<readonly FieldError[]> {
  const evaluation = new ObjectEvaluation();
  for (const { rules, value, path } of defaults) yield* evaluation.errorsOf({ node: rules, value, old: value, path });
  return evaluation.errors;
}

/** Walks an object and its rules together. Only places with rules in or below them are visited. */
class ObjectEvaluation {
  readonly errors: FieldError[] = [];
  /** Undefined once it is used up, or nobody waits for the result: no further rule is evaluated. */
  #budget: number | undefined = costLimits.request;
  /** Since the last pause. */
  #work = 0;

  /** Errors of a place come before those of what lies in it. */
  *errorsOf(root: Place): InterruptibleSteps<readonly FieldError[]> {
    // A stack in place of recursion: a generator in a generator for each level would pass every pause through all of them.
    const open: Iterator<Place>[] = [[root].values()];
    for (let within = open.at(-1); within !== undefined && this.#budget !== undefined; within = open.at(-1)) {
      const next = within.next();
      if (next.done === true) {
        open.pop();
        continue;
      }
      const place = next.value;
      // A value that is null has no rules: those of what surrounds it speak of it.
      if (place.value === null || place.value === undefined) continue;
      if (this.#isPauseDue(1) && (yield)) this.#interrupt(place);
      const { declaration, rules } = place.node;
      if (declaration !== undefined && rules !== undefined) {
        const variables = variablesOf(place, declaration);
        for (let i = 0; i < rules.length; i++) {
          if (!rules.isCompiled(i) && (yield)) this.#interrupt(place);
          if (this.#budget === undefined) break;
          const rule = rules.at(i);
          if (rule === undefined) break;
          if (rule.isTransition && !variables.has("oldSelf")) continue;
          const evaluation = quickly(rule.expression, variables) ?? (yield* inSteps(rule.expression, variables));
          const failed = this.#failureOf(rule, evaluation);
          if (failed === undefined) continue;
          const said =
            failed.message && (quickly(failed.message, variables) ?? (yield* inSteps(failed.message, variables)));
          const detail = (said && this.#messageOf(said, rule)) ?? failed.detail;
          this.errors.push(field.invalid(String(place.path) || "<nil>", place.node.type, detail));
        }
      }
      // Items of a map list are found by their keys: an item that moved is compared with itself, not with what stood there before.
      const inside = placesIn(place, needsIndex(place) ? yield* this.#indexed(place) : undefined);
      if (inside !== undefined) open.push(inside);
    }
    return this.errors;
  }

  #isPauseDue(work: number): boolean {
    this.#work += work;
    if (this.#work < workInStep) return false;
    this.#work = 0;
    return true;
  }

  #interrupt({ path, node }: Place): void {
    if (this.#budget === undefined) return;
    this.#budget = undefined;
    this.errors.push(field.invalid(String(path) || "<nil>", node.type, "operation interrupted"));
  }

  /** The items before by their keys. */
  *#indexed(place: Place): InterruptibleSteps<IndexedItems> {
    const indexed = new IndexedItems();
    for (const item of Array.isArray(place.old) ? place.old : []) {
      if (this.#isPauseDue(2) && (yield)) this.#interrupt(place);
      if (this.#budget === undefined) break;
      indexed.add(item, place.node.keys ?? []);
    }
    return indexed;
  }

  /**
   * What an error says of a rule, unless the rule's `messageExpression` says something else; undefined if the rule holds. A rule that exceeds
   * its own limit ends the whole budget, as in Kubernetes.
   */
  #failureOf(
    { rule, expression, message }: CompiledRule,
    evaluation: Evaluation | undefined,
  ): { readonly detail: string; readonly message?: CompiledExpression | undefined } | undefined {
    if (typeof expression === "string") return { detail: `rule compile error: ${expression}` };
    if (evaluation === undefined) return undefined;
    const { outcome, exceeded, interrupted } = evaluation;
    if (!this.#pay(evaluation))
      return { detail: "validation failed due to running out of cost budget, no further validation rules will be run" };
    if (exceeded || interrupted) this.#budget = undefined;
    if (outcome instanceof Failure) return { detail: failureText(outcome, exceeded, ruleText(rule)) };
    if (outcome === true) return undefined;
    const detail = rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;
    return { detail, message: typeof message === "string" ? undefined : message };
  }

  /** The message that an expression made; undefined if it is none: empty, too long, or of several lines. */
  #messageOf(evaluation: Evaluation, { rule }: CompiledRule): string | undefined {
    const { outcome, exceeded, interrupted } = evaluation;
    if (!this.#pay(evaluation))
      return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
    if (exceeded || interrupted) this.#budget = undefined;
    if (exceeded) {
      const source = JSON.stringify(rule.messageExpression ?? "");
      return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`;
    }
    if (typeof outcome !== "string") return undefined;
    const text = outcome.trim();
    return text === "" || text.includes("\n") || Buffer.byteLength(text) > longestMessage ? undefined : text;
  }

  /** Takes the cost of an evaluation from the budget; false if that is used up. */
  #pay({ cost }: Evaluation): boolean {
    this.#work += cost;
    if (this.#budget === undefined || cost > this.#budget) {
      this.#budget = undefined;
      return false;
    }
    this.#budget -= cost;
    return true;
  }
}

/** `self` and `oldSelf` at a place. Without an old value the variable is absent, and transition rules are skipped. */
function variablesOf({ value, old }: Place, declaration: NonNullable<RuleNode["declaration"]>): Variables {
  const variables = new Map([["self", bind(value, declaration)]]);
  if (old !== undefined && old !== null) variables.set("oldSelf", bind(old, declaration));
  return variables;
}

/** Undefined if there is no expression, or it takes longer. */
const quickly = (expression: CompiledExpression | string, variables: Variables): Evaluation | undefined =>
  typeof expression === "string" ? undefined : expression.evaluateQuickly(variables, costLimits.call);

function* inSteps(
  expression: CompiledExpression | string,
  variables: Variables,
): InterruptibleSteps<Evaluation | undefined> {
  return typeof expression === "string" ? undefined : yield* expression.evaluateInSteps(variables, costLimits.call);
}

/** A rule that fails, for example on an absent field, counts as violated: the object is rejected with the reason. */
function failureText({ message }: Failure, exceeded: boolean, rule: string): string {
  if (exceeded)
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  return message.startsWith("no such overload")
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${message} evaluating rule: ${rule}`;
}
