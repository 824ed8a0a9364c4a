import type { InterruptibleSteps } from "@orchernetes/kernel";
import type { Checked } from "../checking/check.ts";
import { CostError, Failure, InterruptedError, type Outcome } from "../values/value.ts";
import { Compiler, type Frame } from "./compiler.ts";
import { Meter } from "./meter.ts";
import { type Part, partOf, StepCompiler } from "./step-compiler.ts";

/** The result of an evaluation. */
export interface Evaluation {
  readonly outcome: Outcome;
  /** In Kubernetes' units of cost. */
  readonly cost: number;
  /** It was stopped because its cost is above the limit. */
  readonly exceeded: boolean;
  /** It was stopped because nobody waits for its result any more. */
  readonly interrupted?: boolean;
}

/** The values of variables by name. */
export type Variables = ReadonlyMap<string, Outcome>;

/** An expression that can be evaluated again and again. */
export interface Program {
  /** Evaluates it at once, however long that takes. */
  readonly evaluate: (variables: Variables, limit: number) => Evaluation;
  /**
   * Evaluates it if that takes a few milliseconds at most.
   *
   * @returns undefined if it takes longer: then it has to be evaluated in steps
   */
  readonly evaluateQuickly: (variables: Variables, limit: number) => Evaluation | undefined;
  /** Evaluates it in steps of less than a millisecond where possible. */
  readonly evaluateInSteps: (variables: Variables, limit: number) => InterruptibleSteps<Evaluation>;
}

/** Largest cost of an evaluation without pauses: some milliseconds. */
const quickCost = 10_000;

type Source = Pick<Checked, "expression" | "environment" | "types">;

/** Compiles a checked expression into functions. */
export function program(checked: Source): Program {
  return new CompiledProgram(checked);
}

/**
 * Keeps both forms of an expression. Most evaluations take microseconds, and a generator is several times slower than plain functions:
 * therefore the quick form is tried first, and its result thrown away if the meter ends it. The wasted work is bounded by
 * {@link quickCost}.
 */
class CompiledProgram implements Program {
  readonly #checked: Source;
  readonly #compiler: Compiler;
  readonly #run: ReturnType<Compiler["compile"]>;
  /** Compiled when it is needed first. */
  #steps: Part | undefined;
  /** Whether the last evaluation was not quick, so that trying without pauses would be wasted work. */
  #isLong = false;

  constructor(checked: Source) {
    this.#checked = checked;
    this.#compiler = new Compiler(checked);
    this.#run = this.#compiler.compile(checked.expression, []);
  }

  readonly evaluate: Program["evaluate"] = (variables, limit) => this.#evaluate(variables, new Meter(limit));

  #evaluate(variables: Variables, meter: Meter): Evaluation {
    try {
      return { outcome: this.#run(frameOf(variables, meter)), cost: meter.cost, exceeded: false };
    } catch (error) {
      return stopped(error, meter);
    }
  }

  readonly evaluateQuickly: Program["evaluateQuickly"] = (variables, limit) => {
    if (this.#isLong) return undefined;
    const meter = new Meter(limit, quickCost);
    const evaluation = this.#evaluate(variables, meter);
    this.#isLong = evaluation.exceeded && meter.isQuickExceeded;
    return this.#isLong ? undefined : evaluation;
  };

  readonly evaluateInSteps: Program["evaluateInSteps"] = (variables, limit) => this.#inSteps(variables, limit);

  *#inSteps(variables: Variables, limit: number): InterruptibleSteps<Evaluation> {
    this.#steps ??= partOf(new StepCompiler(this.#checked, this.#compiler), this.#checked.expression);
    const { quick, long } = this.#steps;
    const meter = new Meter(limit);
    const frame = frameOf(variables, meter);
    let evaluation: Evaluation;
    try {
      const outcome = long === undefined ? quick(frame) : yield* long(frame);
      evaluation = { outcome, cost: meter.cost, exceeded: false };
    } catch (error) {
      evaluation = stopped(error, meter);
    }
    this.#isLong = meter.spent > quickCost;
    return evaluation;
  }
}

/** The state at the start of an evaluation. A variable that is declared but absent, such as `oldSelf` on creation, fails when it is read. */
function frameOf(variables: Variables, meter: Meter): Frame {
  return {
    variables: (name) => {
      const value = variables.get(name);
      return value === undefined ? new Failure(`no such attribute: ${name}`) : value;
    },
    locals: [],
    meter,
  };
}

/** @throws the error, if it is not one of those that stop evaluations */
function stopped(error: unknown, { cost }: Meter): Evaluation {
  if (error instanceof CostError) return { outcome: new Failure(error.message), cost, exceeded: true };
  if (!(error instanceof InterruptedError)) throw error;
  return { outcome: new Failure(error.message), cost, exceeded: false, interrupted: true };
}
