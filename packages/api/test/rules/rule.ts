import type { ApiObject, ResourceDefinition, StrategyContext } from "@orchernetes/apimachinery";
import { erase } from "../../src/shared/definitions.ts";

/** One example for a rule: an object to create, or a change of one, and the expected result of its validation. */
export interface Case {
  readonly definition: ResourceDefinition;
  /** Merged into the minimal object of the resource (JSON merge patch, RFC 7386); the result is created. */
  readonly made: object;
  /** Merged into the created object; the result is the update. If absent, the case tests the create. */
  readonly changed?: object;
  /** Subresource of the update. Default: the main resource. */
  readonly subresource?: string;
  readonly ctx?: StrategyContext;
  /** If set, the case only tests that the strategy has this name format (default of a strategy: `dns-subdomain`). */
  readonly nameFormat?: string;
  /** An error as `field: message` that must be among those reported. If absent, no error may be reported. */
  readonly want?: string | RegExp;
}

/** A rule of `validated-fields.json`, with its kind and field as written there, and the cases that test it. */
export interface Rule {
  readonly kind: string;
  readonly field: string;
  readonly cases: readonly Case[];
}

/** Functions to write the rules of one kind and their cases. */
export interface RulesOf<T extends ApiObject> {
  rule(field: string, ...cases: readonly Case[]): Rule;
  /** A create that must be rejected with the error `want`. */
  no(made: object, want: string | RegExp, ctx?: StrategyContext): Case;
  /** A create that must be accepted. */
  ok(made: object, ctx?: StrategyContext): Case;
  /** An update that must be rejected with the error `want`. */
  fixed(made: object, changed: object, want: string | RegExp, ctx?: StrategyContext): Case;
  /** An update that must be accepted. */
  free(made: object, changed: object, ctx?: StrategyContext): Case;
  /** An update through the status subresource that must be rejected with the error `want`. */
  noStatus(status: object, want: string | RegExp, made?: object): Case;
  /** Tests the name format of the resource. */
  named(format: string): Case;
  readonly definition: ResourceDefinition<T>;
}

/**
 * @param kind - the kind as `validated-fields.json` writes it, such as `Role/ClusterRole`
 * @param resource - the definition that the cases use
 */
export function rulesOf<T extends ApiObject>(kind: string, resource: ResourceDefinition<T>): RulesOf<T> {
  const definition = erase(resource);
  const under = (ctx: StrategyContext | undefined) => (ctx === undefined ? {} : { ctx });
  return {
    definition: resource,
    named: (nameFormat) => ({ definition, made: {}, nameFormat }),
    rule: (field, ...cases) => ({ kind, field, cases }),
    no: (made, want, ctx) => ({ definition, made, want, ...under(ctx) }),
    ok: (made, ctx) => ({ definition, made, ...under(ctx) }),
    fixed: (made, changed, want, ctx) => ({ definition, made, changed, want, ...under(ctx) }),
    free: (made, changed, ctx) => ({ definition, made, changed, ...under(ctx) }),
    noStatus: (status, want, made = {}) => ({ definition, made, changed: { status }, subresource: "status", want }),
  };
}
