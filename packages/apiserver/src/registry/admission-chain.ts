import type { ApiObject, Draft } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionOperation,
  AdmissionOutcome,
  AdmissionPlugin,
  MutatingAttributes,
} from "../interfaces/index.ts";
import {
  type AdmissionCall,
  type AdmissionMeter,
  type AdmissionPhase,
  callsInOrder,
  noMeter,
} from "./admission-calls.ts";

/**
 * Wraps the calls of phases, e.g. to trace them. A wrapper must return what the inner call returns, and return a promise
 * only if the inner call did: an extra promise would cost every write a turn of the microtask queue.
 */
export interface AdmissionDecorator {
  /** Wraps a whole phase of one operation, with all of its plugins. Called once, when the chain is built. */
  phase<A extends Omit<AdmissionAttributes, "object">>(
    call: AdmissionCall<A>,
    phase: AdmissionPhase,
    operation: AdmissionOperation,
  ): AdmissionCall<A>;
}

/** What a chain is built from, beside its plugins. */
export interface AdmissionChainOptions {
  /** Measures phases and plugins. @default they are not measured */
  readonly meter?: AdmissionMeter | undefined;
  /** The last one is outermost. @default none */
  readonly decorators?: readonly AdmissionDecorator[];
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

  constructor(plugins: readonly AdmissionPlugin[], options: AdmissionChainOptions = {}) {
    this.#admit = phaseOf<MutatingAttributes>(plugins, "admit", options, (plugin) =>
      plugin.admit === undefined ? undefined : (attributes, context) => plugin.admit?.(attributes, context),
    );
    this.#validate = phaseOf<AdmissionAttributes>(plugins, "validate", options, (plugin) =>
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

/** Builds one phase: for each operation, the calls of the plugins that handle it. */
function phaseOf<A extends Omit<AdmissionAttributes, "object">>(
  plugins: readonly AdmissionPlugin[],
  phase: AdmissionPhase,
  { meter = noMeter, decorators = [] }: AdmissionChainOptions,
  callOf: (plugin: AdmissionPlugin) => AdmissionCall<A> | undefined,
): PerOperation<A> {
  const of = (operation: AdmissionOperation): AdmissionCall<A> => {
    const calls: AdmissionCall<A>[] = [];
    const names: string[] = [];
    for (const plugin of plugins) {
      const call = callOf(plugin);
      if (call === undefined || !plugin.handles(operation)) continue;
      calls.push(call);
      names.push(plugin.name);
    }
    const inOrder = callsInOrder(calls, meter.of(phase, operation, names));
    return decorators.reduce((inner, around) => around.phase(inner, phase, operation), inOrder);
  };
  return { CREATE: of("CREATE"), UPDATE: of("UPDATE"), DELETE: of("DELETE"), CONNECT: of("CONNECT") };
}

/** The promise of a result that is not known yet; undefined for one that is. */
const promiseOf = (answer: AdmissionOutcome | Promise<AdmissionOutcome>): undefined | Promise<unknown> =>
  answer instanceof Promise ? answer : undefined;
