import type { ApiObject, Draft } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionOperation,
  AdmissionOutcome,
  AdmissionPlugin,
  MutatingAttributes,
} from "../interfaces/index.ts";

/** The two passes of admission: mutating plugins first. */
type AdmissionPhase = "admit" | "validate";

/** Admits one write; throws to deny it. Returns a promise only if it has to wait. */
type AdmissionCall<A extends Omit<AdmissionAttributes, "object">> = (
  attributes: A,
  context: AdmissionContext,
) => AdmissionOutcome | Promise<AdmissionOutcome>;

/** Puts something around plugins and phases, such as a measurement. */
export interface AdmissionDecorator {
  plugin<A extends Omit<AdmissionAttributes, "object">>(
    call: AdmissionCall<A>,
    name: string,
    phase: AdmissionPhase,
    operation: AdmissionOperation,
  ): AdmissionCall<A>;
  phase<A extends Omit<AdmissionAttributes, "object">>(
    call: AdmissionCall<A>,
    phase: AdmissionPhase,
    operation: AdmissionOperation,
  ): AdmissionCall<A>;
}

type PerOperation<A extends Omit<AdmissionAttributes, "object">> = Readonly<
  Record<AdmissionOperation, AdmissionCall<A>>
>;

/** All admission plugins of a server, called in order. */
export class AdmissionChain {
  readonly #admit: PerOperation<MutatingAttributes>;
  readonly #validate: PerOperation<AdmissionAttributes>;

  /** @param decorators the first is put around a plugin or phase first, so that the last is outermost. @default none */
  constructor(plugins: readonly AdmissionPlugin[], decorators: readonly AdmissionDecorator[] = []) {
    this.#admit = phaseOf<MutatingAttributes>(plugins, "admit", decorators, (plugin) =>
      plugin.admit === undefined ? undefined : (attributes, context) => plugin.admit?.(attributes, context),
    );
    this.#validate = phaseOf<AdmissionAttributes>(plugins, "validate", decorators, (plugin) =>
      plugin.validate === undefined ? undefined : (attributes, context) => plugin.validate?.(attributes, context),
    );
  }

  /** Runs every mutating plugin on `attributes.object`; all of them twice if one asks for it. */
  admit(attributes: MutatingAttributes, context: AdmissionContext): undefined | Promise<unknown> {
    return promiseOf(this.#admit[attributes.operation](attributes, context));
  }

  /** Runs every validating plugin. */
  validate(attributes: AdmissionAttributes, context: AdmissionContext): undefined | Promise<unknown> {
    return promiseOf(this.#validate[attributes.operation](attributes, context));
  }

  /** Both phases, for operations without an object. */
  async run(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
    await this.admit({ ...attributes, object: attributes.object as Draft<ApiObject> | undefined }, context);
    await this.validate(attributes, context);
  }
}

/** A phase, for each operation with the plugins that handle it. */
function phaseOf<A extends Omit<AdmissionAttributes, "object">>(
  plugins: readonly AdmissionPlugin[],
  phase: AdmissionPhase,
  decorators: readonly AdmissionDecorator[],
  callOf: (plugin: AdmissionPlugin) => AdmissionCall<A> | undefined,
): PerOperation<A> {
  const of = (operation: AdmissionOperation): AdmissionCall<A> => {
    const calls: AdmissionCall<A>[] = [];
    for (const plugin of plugins) {
      const call = callOf(plugin);
      if (call === undefined || !plugin.handles(operation)) continue;
      calls.push(decorators.reduce((inner, around) => around.plugin(inner, plugin.name, phase, operation), call));
    }
    const inOrder: AdmissionCall<A> = (attributes, context) => {
      const first = ask(calls, 0, attributes, context);
      if (first === undefined) return;
      if (!(first instanceof Promise)) return ask(calls, 0, attributes, context);
      return first.then((outcome) => (outcome === "again" ? ask(calls, 0, attributes, context) : undefined));
    };
    return decorators.reduce((inner, around) => around.phase(inner, phase, operation), inOrder);
  };
  return { CREATE: of("CREATE"), UPDATE: of("UPDATE"), DELETE: of("DELETE"), CONNECT: of("CONNECT") };
}

/** What there is to wait for. */
const promiseOf = (answer: AdmissionOutcome | Promise<AdmissionOutcome>): undefined | Promise<unknown> =>
  answer instanceof Promise ? answer : undefined;

/**
 * Calls one after the other; most answer at once, and those take no turn of the microtask queue. Returns "again" if one of them does.
 */
function ask<A extends Omit<AdmissionAttributes, "object">>(
  calls: readonly AdmissionCall<A>[],
  from: number,
  attributes: A,
  context: AdmissionContext,
  before?: "again",
): undefined | "again" | Promise<AdmissionOutcome> {
  let outcome = before;
  for (let i = from; i < calls.length; i++) {
    const asked = calls[i]?.(attributes, context);
    if (asked instanceof Promise)
      return asked.then((late) => ask(calls, i + 1, attributes, context, late === "again" ? late : outcome));
    if (asked === "again") outcome = asked;
  }
  return outcome;
}
