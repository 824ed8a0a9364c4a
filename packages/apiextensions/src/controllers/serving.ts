import { createHash } from "node:crypto";
import type { apiextensions } from "@orchernetes/api";
import { ApiError, failure, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { Registry, ResourceStore } from "@orchernetes/apiserver";
import type { Logger } from "@orchernetes/kernel";
import { isConditionTrue } from "../definition/conditions.ts";
import { servedDefinitions } from "../serving/served-definitions.ts";

type Definition = apiextensions.CustomResourceDefinition;

interface Served {
  /** The definition from which the resources were built. */
  readonly fingerprint: string;
  definitions: readonly ResourceDefinition[];
  /** Of the version that is stored, if the server has no resource of that name itself. */
  readonly stored: ResourceDefinition | undefined;
  readonly unconverted: readonly string[];
  readonly definition: Definition;
  readonly state: { terminating: boolean };
}

/** Keeps the served custom resources in line with their definitions. */
export class CustomResourceServing {
  readonly #registry: Registry;
  readonly #logger: Logger;
  readonly #served = new Map<string, Served>();

  constructor(registry: Registry, logger: Logger) {
    this.#registry = registry;
    this.#logger = logger;
    registry.explainAbsence((group, version, plural) => this.#absence(group, version, plural));
  }

  /** Serves what a definition asks for, if its names are its own. Resources are replaced only when something of them changed. */
  apply(definition: Definition): void {
    const name = definition.metadata.name ?? "";
    const accepted = isConditionTrue(definition, "NamesAccepted") || isConditionTrue(definition, "Established");
    if (!accepted) {
      this.remove(name);
      return;
    }
    const shown = withAcceptedNames(definition);
    const fingerprint = fingerprintOf(shown);
    const terminating = definition.metadata.deletionTimestamp !== undefined;
    const known = this.#served.get(name);
    if (known?.fingerprint === fingerprint) {
      known.state.terminating = terminating;
      return;
    }
    this.remove(name);
    const state = { terminating };
    const { definitions, stored, unconverted } = servedDefinitions(shown, () => state.terminating);
    const free = definitions.filter((one) => this.#isFree(one));
    if (free.length < definitions.length)
      this.#logger.warn("Resources of a definition are not served: the server has such itself", { name });
    const own = stored !== undefined && this.#isFree(stored) ? stored : undefined;
    this.#served.set(name, { fingerprint, definitions: free, stored: own, unconverted, definition: shown, state });
    if (free.length > 0) this.#registry.add(free);
  }

  /** Stops serving a definition's resources. */
  remove(name: string): void {
    const known = this.#served.get(name);
    if (known === undefined) return;
    this.#served.delete(name);
    if (known.definitions.length > 0) this.#registry.remove(known.definitions);
  }

  /**
   * The objects of a definition's resource that is being deleted; undefined when there can be none. If no version is served,
   * the stored one is from now on.
   */
  storeOf(name: string): ResourceStore | undefined {
    const known = this.#served.get(name);
    if (known === undefined) return undefined;
    if (known.definitions.length === 0 && known.stored !== undefined) {
      known.definitions = [known.stored];
      this.#registry.add(known.definitions);
    }
    const [first] = known.definitions;
    return first === undefined ? undefined : this.#registry.lookup(first.group, first.version, first.plural);
  }

  #isFree({ group, version, plural }: ResourceDefinition): boolean {
    return !this.#registry
      .definitions()
      .some((one) => one.group === group && one.version === version && one.plural === plural);
  }

  #absence(group: string, version: string, plural: string): ApiError | undefined {
    for (const { definition, unconverted } of this.#served.values()) {
      const { spec } = definition;
      if (spec.group !== group || spec.names.plural !== plural || !unconverted.includes(version)) continue;
      const stored = spec.versions.find(({ storage }) => storage)?.name ?? "";
      const message =
        `${plural}.${group} is not served in version ${version}: that needs the definition's conversion webhook, and this ` +
        `server calls none; version ${stored}, which is stored, needs no conversion`;
      return new ApiError(failure("NotFound", message, { group, kind: plural }));
    }
    return undefined;
  }
}

/** The definition with the names that it got, which may be other than those it asks for. */
function withAcceptedNames(definition: Definition): Definition {
  const { acceptedNames } = definition.status;
  if (!acceptedNames.plural || !acceptedNames.kind) return definition;
  return { ...definition, spec: { ...definition.spec, names: acceptedNames } };
}

function fingerprintOf({ spec }: Definition): string {
  return createHash("sha256").update(JSON.stringify(spec)).digest("base64");
}
