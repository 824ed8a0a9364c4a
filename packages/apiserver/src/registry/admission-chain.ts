import type { ApiObject, Draft } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionOperation,
  AdmissionPlugin,
  MutatingAttributes,
} from "../interfaces/index.ts";

/** All admission plugins of a server, called in order. */
export class AdmissionChain {
  readonly #admitters: Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>>;
  readonly #validators: Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>>;

  constructor(plugins: readonly AdmissionPlugin[]) {
    const pick = (has: (plugin: AdmissionPlugin) => boolean) => {
      const of = (operation: AdmissionOperation) =>
        plugins.filter((plugin) => has(plugin) && plugin.handles(operation));
      return { CREATE: of("CREATE"), UPDATE: of("UPDATE"), DELETE: of("DELETE"), CONNECT: of("CONNECT") };
    };
    this.#admitters = pick((plugin) => plugin.admit !== undefined);
    this.#validators = pick((plugin) => plugin.validate !== undefined);
  }

  /** Lets every mutating plugin shape `attributes.object`. */
  async admit(attributes: MutatingAttributes, context: AdmissionContext): Promise<void> {
    for (const plugin of this.#admitters[attributes.operation]) await plugin.admit?.(attributes, context);
  }

  /** Asks every validating plugin. */
  async validate(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
    for (const plugin of this.#validators[attributes.operation]) await plugin.validate?.(attributes, context);
  }

  /** Both phases, for operations without an object of their own. */
  async run(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
    await this.admit({ ...attributes, object: attributes.object as Draft<ApiObject> | undefined }, context);
    await this.validate(attributes, context);
  }
}
