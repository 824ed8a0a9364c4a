import type { ApiObject, ResourceDefinition, StrategyContext } from "@orchernetes/apimachinery";
import { erase } from "../../src/shared/definitions.ts";

/** What a case says of an object, or of a change of one. */
export interface Case {
  readonly definition: ResourceDefinition;
  /** Laid over the minimal object of the resource (RFC 7386): the object that is made. */
  readonly made: object;
  /** Laid over the object that was made: what it is to become. Absent: the case is about making it. */
  readonly changed?: object;
  /** Subresource that the change is made through. */
  readonly subresource?: string;
  readonly ctx?: StrategyContext;
  /** The case is about what names of the resource look like. */
  readonly nameFormat?: string;
  /** `field: message` that must be among the errors; absent: there must be none. */
  readonly want?: string | RegExp;
}

/** A rule of the facts, named as they name it, with what shows that it holds. */
export interface Rule {
  readonly kind: string;
  readonly field: string;
  readonly cases: readonly Case[];
}

/** How the rules of one kind are written down. */
export interface RulesOf<T extends ApiObject> {
  rule(field: string, ...cases: readonly Case[]): Rule;
  /** Making such an object is refused. */
  no(made: object, want: string | RegExp, ctx?: StrategyContext): Case;
  /** Such an object is fine. */
  ok(made: object, ctx?: StrategyContext): Case;
  /** Such a change is refused. */
  fixed(made: object, changed: object, want: string | RegExp, ctx?: StrategyContext): Case;
  /** Such a change is fine. */
  free(made: object, changed: object, ctx?: StrategyContext): Case;
  /** Such a status is refused. */
  noStatus(status: object, want: string | RegExp, made?: object): Case;
  /** Names look like this. */
  named(format: string): Case;
  readonly definition: ResourceDefinition<T>;
}

/** Names the kind as the facts do. */
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
