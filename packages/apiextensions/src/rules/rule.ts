import type { apiextensions } from "@orchernetes/api";
import {
  boolType,
  type CompiledExpression,
  compile,
  type Declaration,
  environment,
  instantiationFailed,
  stringType,
} from "@orchernetes/cel";

type ValidationRule = apiextensions.ValidationRule;

/** A rule of a schema, compiled. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** A text says what is wrong with the expression. */
  readonly expression: CompiledExpression | string;
  /** Undefined if the rule has none; a text says what is wrong with it. */
  readonly message: CompiledExpression | string | undefined;
  /** It mentions `oldSelf`: it compares a value with the one before, and is not evaluated where there is none, as on creation. */
  readonly isTransition: boolean;
}

/** The value that a rule stands at, and the one that was there before. */
const selfName = "self";
const oldSelfName = "oldSelf";

/**
 * Compiles the rules that stand at one place of a schema. A rule that is wrong is compiled to the text of its error: definitions are checked
 * when they are written, but another version of the server may have stored them.
 */
export function compileRules(rules: readonly ValidationRule[], self: Declaration): readonly CompiledRule[] {
  // Both variables always are declared; a rule that mentions `oldSelf` becomes a transition rule by that.
  const variables = environment({ [selfName]: self.type, [oldSelfName]: self.type });
  const declarations = new Map([
    [selfName, self],
    [oldSelfName, self],
  ]);
  return rules.map((rule) => {
    const compiled = compile(rule.rule, variables, declarations);
    const expression = checked(compiled, boolType.kind, "", "cel expression must evaluate to a bool");
    const { messageExpression } = rule;
    const message =
      messageExpression === undefined || messageExpression === "" || typeof expression === "string"
        ? undefined
        : checked(
            compile(messageExpression, variables, declarations),
            stringType.kind,
            "messageExpression ",
            "messageExpression must evaluate to a string",
          );
    const isTransition = typeof expression !== "string" && expression.references.has(oldSelfName);
    return { rule, expression, message, isTransition };
  });
}

/** The expression if its type is the expected one, or else what is wrong. A dynamic type is not accepted: a rule is known to be boolean. */
function checked(
  compiled: CompiledExpression | string,
  kind: string,
  subject: string,
  wrongType: string,
): CompiledExpression | string {
  if (typeof compiled === "string") {
    if (!compiled.startsWith(instantiationFailed)) return `${subject}compilation failed: ${compiled}`;
    return subject === "" ? compiled : compiled.replace("program ", subject);
  }
  return compiled.type.kind === kind ? compiled : wrongType;
}

/** What an error says of a rule that has no expression for its message. */
export const ruleText = ({ rule, message }: ValidationRule): string => (message || rule).trim();

/**
 * The rules at one place of a schema, each of which is compiled when it is first evaluated: a definition may have very many of them, and
 * long ones, so that one turn of the event loop must not compile them all.
 */
export class RulesOfPlace {
  readonly #sources: readonly ValidationRule[];
  readonly #self: Declaration;
  readonly #measured: ((seconds: number) => void) | undefined;
  readonly #compiled: CompiledRule[] = [];
  #seconds = 0;

  /** @param measured called once all of them are compiled, with the time that this took */
  constructor(
    sources: readonly ValidationRule[],
    self: Declaration,
    measured: ((seconds: number) => void) | undefined,
  ) {
    this.#sources = sources;
    this.#self = self;
    this.#measured = measured;
  }

  get length(): number {
    return this.#sources.length;
  }

  isCompiled(index: number): boolean {
    return index < this.#compiled.length;
  }

  /** The rule at an index, compiled, and with it those before it. */
  at(index: number): CompiledRule | undefined {
    while (this.#compiled.length <= index && this.#compiled.length < this.length) this.#compileNext();
    return this.#compiled[index];
  }

  #compileNext(): void {
    const start = performance.now();
    const next = this.#compiled.length;
    this.#compiled.push(...compileRules(this.#sources.slice(next, next + 1), this.#self));
    this.#seconds += (performance.now() - start) / 1000;
    if (this.#compiled.length === this.length) this.#measured?.(this.#seconds);
  }
}
