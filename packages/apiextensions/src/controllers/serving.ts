import { createHash } from "node:crypto";
import type { apiextensions } from "@orchernetes/api";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type { Registry, ResourceStore } from "@orchernetes/apiserver";
import type { Clock, Logger } from "@orchernetes/kernel";
import { type ConversionWebhooks, type WebhookConverter, webhookConverter } from "../conversion/webhook-converter.ts";
import { isConditionTrue } from "../definition/conditions.ts";
import type { RuleOptions } from "../rules/rule-tree.ts";
import { servedDefinitions } from "../serving/served-definitions.ts";

type Definition = apiextensions.CustomResourceDefinition;

interface Served {
  /** Hash of the spec, with accepted names, from which the resources were built: updates of the status alone must not end watches. */
  readonly fingerprint: string;
  definitions: readonly ResourceDefinition[];
  /** Of the version that is stored, if the server has no resource of that name itself. */
  readonly stored: ResourceDefinition | undefined;
  /** Where a webhook converts. */
  readonly converter: WebhookConverter | undefined;
  readonly state: { terminating: boolean };
}

/** Requests that are under way when a definition changes may still wait for its webhook, but no longer than this. */
const reviewEndsMs = 60_000;

/** What serving custom resources takes. */
export interface CustomResourceServingOptions {
  readonly registry: Registry;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly webhooks: ConversionWebhooks;
  /** About the rules in schemas. @default they are evaluated, and not measured */
  readonly rules?: RuleOptions;
}

/**
 * Keeps the served custom resources in line with their definitions.
 *
 * Resources are added to the registry of the running server and removed from it, without a restart. Each server of a cluster does so by
 * itself, from its own watch of the definitions.
 */
export class CustomResourceServing {
  readonly #registry: Registry;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #rules: RuleOptions;
  readonly #converterOf: (definition: Definition) => WebhookConverter;
  readonly #served = new Map<string, Served>();

  constructor({ registry, logger, clock, webhooks, rules = {} }: CustomResourceServingOptions) {
    this.#rules = rules;
    this.#registry = registry;
    this.#logger = logger;
    this.#clock = clock;
    this.#converterOf = (definition) => webhookConverter(definition, webhooks, clock);
  }

  /**
   * Serves what a definition asks for, if its names are its own. Resources are replaced only when something of them changed: replacing
   * them drops compiled schemas and the connections of the webhook.
   */
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
    const converter = converts(shown) ? this.#converterOf(shown) : undefined;
    const { definitions, stored } = servedDefinitions(shown, () => state.terminating, converter, this.#rules);
    const free = definitions.filter((one) => this.#isFree(one));
    // A definition must not take over a resource that the server has built in.
    if (free.length < definitions.length)
      this.#logger.warn("Resources of a definition are not served: the server has such itself", { name });
    const own = stored !== undefined && this.#isFree(stored) ? stored : undefined;
    this.#served.set(name, { fingerprint, definitions: free, stored: own, converter, state });
    if (free.length > 0) this.#registry.add(free);
  }

  /** Stops serving a definition's resources. */
  remove(name: string): void {
    const known = this.#served.get(name);
    if (known === undefined) return;
    this.#served.delete(name);
    if (known.definitions.length > 0) this.#registry.remove(known.definitions);
    const { converter } = known;
    if (converter !== undefined) this.#clock.setTimeout(() => converter.close(), reviewEndsMs).unref();
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
    // What is stored in this version need not be converted.
    const first = known.definitions.find((one) => one.version === known.stored?.version) ?? known.definitions[0];
    return first === undefined ? undefined : this.#registry.lookup(first.group, first.version, first.plural);
  }

  #isFree({ group, version, plural }: ResourceDefinition): boolean {
    return !this.#registry
      .definitions()
      .some((one) => one.group === group && one.version === version && one.plural === plural);
  }
}

/** With a single version there is nothing to convert. */
const converts = ({ spec }: Definition): boolean => spec.conversion?.strategy === "Webhook" && spec.versions.length > 1;

/** The definition with the names that it got. They differ from those it asks for where another definition had a name first. */
function withAcceptedNames(definition: Definition): Definition {
  const { acceptedNames } = definition.status;
  if (!acceptedNames.plural || !acceptedNames.kind) return definition;
  return { ...definition, spec: { ...definition.spec, names: acceptedNames } };
}

function fingerprintOf({ spec }: Definition): string {
  return createHash("sha256").update(JSON.stringify(spec)).digest("base64");
}
