import type { ApiObject, Draft } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionObserver,
  AdmissionOperation,
  AdmissionPlugin,
  ApiMetrics,
  MutatingAttributes,
  Tracer,
} from "../interfaces/index.ts";

type Phase = "admit" | "validate";

interface AskedPlugin {
  readonly plugin: AdmissionPlugin;
  readonly observe: AdmissionObserver | undefined;
}

type Ask = (plugin: AdmissionPlugin) => void | Promise<void>;

/** One phase of one operation: who is asked, and where the time is counted. */
interface Step {
  readonly name: string;
  readonly plugins: readonly AskedPlugin[];
  readonly observe: AdmissionObserver | undefined;
}

/** Where admission is measured and traced. */
export interface AdmissionObservers {
  readonly metrics?: Pick<ApiMetrics, "admissionStep" | "admissionPlugin"> | undefined;
  readonly tracer?: Tracer | undefined;
}

/** All admission plugins of a server, called in order. */
export class AdmissionChain {
  readonly #admit: Readonly<Record<AdmissionOperation, Step>>;
  readonly #validate: Readonly<Record<AdmissionOperation, Step>>;
  readonly #tracer: Tracer | undefined;

  constructor(plugins: readonly AdmissionPlugin[], { metrics, tracer }: AdmissionObservers = {}) {
    this.#tracer = tracer;
    const stepsOf = (phase: Phase) => {
      const of = (operation: AdmissionOperation): Step => ({
        name: phase === "admit" ? "Mutating admission" : "Validating admission",
        plugins: plugins
          .filter((plugin) => plugin[phase] !== undefined && plugin.handles(operation))
          .map((plugin) => ({ plugin, observe: metrics?.admissionPlugin(plugin.name, phase, operation) })),
        observe: metrics?.admissionStep(phase, operation),
      });
      return { CREATE: of("CREATE"), UPDATE: of("UPDATE"), DELETE: of("DELETE"), CONNECT: of("CONNECT") };
    };
    this.#admit = stepsOf("admit");
    this.#validate = stepsOf("validate");
  }

  /** Lets every mutating plugin shape `attributes.object`. */
  admit(attributes: MutatingAttributes, context: AdmissionContext): void | Promise<void> {
    return this.#traced(this.#admit[attributes.operation], attributes, (plugin) => plugin.admit?.(attributes, context));
  }

  /** Asks every validating plugin. */
  validate(attributes: AdmissionAttributes, context: AdmissionContext): void | Promise<void> {
    return this.#traced(this.#validate[attributes.operation], attributes, (plugin) =>
      plugin.validate?.(attributes, context),
    );
  }

  /** Both phases, for operations without an object of their own. */
  async run(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
    await this.admit({ ...attributes, object: attributes.object as Draft<ApiObject> | undefined }, context);
    await this.validate(attributes, context);
  }

  #traced(
    step: Step,
    { operation, resource, subresource }: Pick<AdmissionAttributes, "operation" | "resource" | "subresource">,
    ask: Ask,
  ): void | Promise<void> {
    if (this.#tracer === undefined) return run(step, ask);
    const about = { operation, ...resource, subresource };
    return this.#tracer.span(step.name, about, async () => run(step, ask));
  }
}

/** Asks one plugin after the other; gives a promise only from the first on that has to wait for something. */
function run(step: Step, ask: Ask): void | Promise<void> {
  const startMs = step.observe === undefined ? 0 : performance.now();
  return goOn(step, ask, 0, startMs, startMs);
}

function goOn(step: Step, ask: Ask, from: number, startMs: number, fromMs: number): void | Promise<void> {
  let sinceMs = fromMs;
  for (let i = from; i < step.plugins.length; i++) {
    const { plugin, observe } = step.plugins[i] as AskedPlugin;
    let asked: void | Promise<void>;
    try {
      asked = ask(plugin);
    } catch (error) {
      return refused(step, observe, startMs, sinceMs, error);
    }
    // Most plugins answer at once: no turn of the microtask queue for them.
    if (asked !== undefined) return whenAnswered(asked, step, ask, i, startMs, sinceMs);
    sinceMs = passed(observe, sinceMs);
  }
  step.observe?.((sinceMs - startMs) / 1000, false);
}

async function whenAnswered(
  asked: Promise<void>,
  step: Step,
  ask: Ask,
  at: number,
  startMs: number,
  sinceMs: number,
): Promise<void> {
  const { observe } = step.plugins[at] as AskedPlugin;
  try {
    await asked;
  } catch (error) {
    refused(step, observe, startMs, sinceMs, error);
  }
  await goOn(step, ask, at + 1, startMs, passed(observe, sinceMs));
}

function refused(
  step: Step,
  observe: AdmissionObserver | undefined,
  startMs: number,
  sinceMs: number,
  error: unknown,
): never {
  const nowMs = performance.now();
  observe?.((nowMs - sinceMs) / 1000, true);
  step.observe?.((nowMs - startMs) / 1000, true);
  throw error;
}

/** Counts the time of a plugin that let the write through; gives the time now, when the next begins. */
function passed(observe: AdmissionObserver | undefined, sinceMs: number): number {
  if (observe === undefined) return sinceMs;
  const nowMs = performance.now();
  observe((nowMs - sinceMs) / 1000, false);
  return nowMs;
}
