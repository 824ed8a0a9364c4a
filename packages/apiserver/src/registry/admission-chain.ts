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

/** One phase of one operation: who is asked, and where the time is counted. */
interface Step {
  readonly name: string;
  readonly plugins: readonly { readonly plugin: AdmissionPlugin; readonly observe: AdmissionObserver | undefined }[];
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
  admit(attributes: MutatingAttributes, context: AdmissionContext): Promise<void> {
    return this.#traced(this.#admit[attributes.operation], attributes, (plugin) => plugin.admit?.(attributes, context));
  }

  /** Asks every validating plugin. */
  validate(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
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
    ask: (plugin: AdmissionPlugin) => void | Promise<void>,
  ): Promise<void> {
    if (this.#tracer === undefined) return run(step, ask);
    const about = { operation, ...resource, subresource };
    return this.#tracer.span(step.name, about, () => run(step, ask));
  }
}

async function run(step: Step, ask: (plugin: AdmissionPlugin) => void | Promise<void>): Promise<void> {
  if (step.observe === undefined) {
    for (const { plugin } of step.plugins) {
      const asked = ask(plugin);
      if (asked !== undefined) await asked;
    }
    return;
  }
  const start = performance.now();
  let rejected = true;
  try {
    let since = start;
    for (const { plugin, observe } of step.plugins) {
      try {
        const asked = ask(plugin);
        // Most plugins answer at once: no turn of the microtask queue for them.
        if (asked !== undefined) await asked;
      } catch (error) {
        observe?.((performance.now() - since) / 1000, true);
        throw error;
      }
      // The end of one is the start of the next.
      const now = performance.now();
      observe?.((now - since) / 1000, false);
      since = now;
    }
    rejected = false;
  } finally {
    step.observe((performance.now() - start) / 1000, rejected);
  }
}
