import type { ApiObject, Draft } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionOperation,
  AdmissionOutcome,
  AdmissionPlugin,
  MutatingAttributes,
} from "../interfaces/index.ts";

/**
 * The two phases of admission. Every `admit` (mutating) runs before any `validate`, so that validating plugins see what
 * is going to be stored: no plugin can change the object after another one has judged it.
 */
type AdmissionPhase = "admit" | "validate";

/** Admits one write; throws to deny it. Returns a promise only if it has to wait. */
type AdmissionCall<A extends Omit<AdmissionAttributes, "object">> = (
  attributes: A,
  context: AdmissionContext,
) => AdmissionOutcome | Promise<AdmissionOutcome>;

/**
 * Wraps the calls of plugins and phases, e.g. to measure or trace them. A wrapper must return what the inner call
 * returns, and return a promise only if the inner call did: an extra promise would cost every write a turn of the
 * microtask queue.
 */
export interface AdmissionDecorator {
  /** Wraps one plugin in one phase of one operation. Called once, when the chain is built, not per request. */
  plugin<A extends Omit<AdmissionAttributes, "object">>(
    call: AdmissionCall<A>,
    name: string,
    phase: AdmissionPhase,
    operation: AdmissionOperation,
  ): AdmissionCall<A>;
  /** Wraps a whole phase of one operation, with all of its plugins. Called once, when the chain is built. */
  phase<A extends Omit<AdmissionAttributes, "object">>(
    call: AdmissionCall<A>,
    phase: AdmissionPhase,
    operation: AdmissionOperation,
  ): AdmissionCall<A>;
}

type PerOperation<A extends Omit<AdmissionAttributes, "object">> = Readonly<
  Record<AdmissionOperation, AdmissionCall<A>>
>;

/**
 * All admission plugins of a server, called in the order of the list. As upstream, that order is the server's own: the
 * order of names in `--enable-admission-plugins` does not matter.
 *
 * The list of plugins that handle an operation is determined once, in the constructor: a write does not ask each plugin
 * again whether it is interested. Plugins that are synchronous are called without a promise between them.
 */
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

  /**
   * Runs every mutating plugin on `attributes.object`. If one of them returns "again", all of them run a second time,
   * and never a third: that is the reinvocation of the API's `reinvocationPolicy` (docs: "Dynamic Admission Control"),
   * which guarantees one more round only.
   *
   * @returns undefined if there is nothing to wait for
   * @throws ApiError of the plugin that denies the write; later plugins are not called
   */
  admit(attributes: MutatingAttributes, context: AdmissionContext): undefined | Promise<unknown> {
    return promiseOf(this.#admit[attributes.operation](attributes, context));
  }

  /**
   * Runs every validating plugin on the final object. A return value of "again" has no meaning here.
   *
   * @returns undefined if there is nothing to wait for
   * @throws ApiError of the first plugin that denies the write
   */
  validate(attributes: AdmissionAttributes, context: AdmissionContext): undefined | Promise<unknown> {
    return promiseOf(this.#validate[attributes.operation](attributes, context));
  }

  /**
   * Runs both phases one after the other: for operations without a strategy between them (DELETE, CONNECT, requests
   * with a handler of their own).
   *
   * @throws ApiError of the plugin that denies the operation
   */
  async run(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
    await this.admit({ ...attributes, object: attributes.object as Draft<ApiObject> | undefined }, context);
    await this.validate(attributes, context);
  }
}

/** Builds one phase: for each operation, the calls of the plugins that handle it, wrapped by the decorators. */
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

/** The promise of a result that is not known yet; undefined for one that is. */
const promiseOf = (answer: AdmissionOutcome | Promise<AdmissionOutcome>): undefined | Promise<unknown> =>
  answer instanceof Promise ? answer : undefined;

/**
 * Calls the plugins one after the other, from index `from` on. Most return synchronously, and those take no turn of the
 * microtask queue; the rest of the list continues in `then` behind one that returns a promise. Returns "again" if one
 * of them does.
 *
 * @param before result of the plugins before `from`
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
