import type { FieldError } from "../field-errors/field-error.ts";
import type { Draft } from "../schema/index.ts";
import type { ApiObject } from "./object.ts";

/** What an expression must evaluate to. */
export type ExpressionResult = "bool" | "string" | "stringOrNull" | "any";

/** Checks the expressions of one object, as its server compiles them. */
export interface ExpressionChecker {
  /**
   * What is wrong with an expression; undefined if it compiles and has the type.
   *
   * @param authorizer whether it may ask what somebody may do. @default true
   */
  check(expression: string, result: ExpressionResult, authorizer?: boolean): string | undefined;
  /** Checks an expression to which those that follow refer by a name. */
  declare(name: string, expression: string): string | undefined;
}

/** What a strategy may know of the request. */
export interface StrategyContext {
  readonly now: Date;
  readonly user?: {
    readonly name: string;
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly featureEnabled: (gate: string) => boolean;
  readonly allowPrivileged: boolean;
  /**
   * Checks expressions about requests, of match conditions and policies. Undefined where no server is; they are not checked then.
   *
   * @param params whether there are objects with parameters
   */
  readonly expressions?: ((params: boolean) => ExpressionChecker) | undefined;
}

/** Hooks of an update, in the order prepareForUpdate → validateUpdate. Defaults have been applied before. */
export interface UpdateStrategy<T> {
  /** Resets what this endpoint must not change (usually status), bumps nothing: generation is the server's work unless `generation` says otherwise. */
  readonly prepareForUpdate?: (object: Draft<T>, old: T, ctx: StrategyContext) => void;
  /** Metadata has been checked already. */
  readonly validateUpdate?: (object: T, old: T, ctx: StrategyContext) => readonly FieldError[];
  readonly warnings?: (object: T, old: T | undefined) => readonly string[];
}

/** How a request to delete an object is carried out. */
export type DeletionDecision =
  /** Remove now. */
  | { readonly type: "immediate" }
  /** Set deletionTimestamp with this grace period; another component then removes the object. */
  | { readonly type: "graceful"; readonly gracePeriodSeconds: number };

/** The per-kind part of create, update and delete; the generic store does the rest. */
export interface Strategy<T extends ApiObject> extends UpdateStrategy<T> {
  /** Clears fields a creator may not set (usually status). */
  readonly prepareForCreate?: (object: Draft<T>, ctx: StrategyContext) => void;
  readonly validate?: (object: T, ctx: StrategyContext) => readonly FieldError[];
  /** How metadata.name is checked; default DNS subdomain. `path` is for role-like names (any path segment). */
  readonly nameFormat?:
    | "dns-subdomain"
    | "dns-label"
    | "dns-1035-label"
    | "path"
    | ((name: string, prefix: boolean) => readonly string[]);
  readonly allowCreateOnUpdate?: boolean;
  /** Whether PUT without resourceVersion is allowed; default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** The parts of the object whose change bumps metadata.generation, e.g. (o) => o.spec; absent: generation stays unset. */
  readonly generation?: (object: T) => unknown;
  /** Default: immediate. `requested` is the client's gracePeriodSeconds. */
  readonly decideDeletion?: (object: T, requested: number | undefined) => DeletionDecision;
  /** Default propagation when the client names none; default "background". */
  readonly defaultPropagation?: "orphan" | "background";
  /** Answer DELETE with the removed object instead of a Status. @default false */
  readonly returnDeletedObject?: boolean;
  /** Whether the object stays although no finalizer in its metadata holds it (the finalizers in a namespace's spec). */
  readonly holdsDeletion?: (object: T) => boolean;
  /** Shapes an object that is being marked as deleted (a namespace's phase). */
  readonly prepareForDelete?: (object: Draft<T>) => void;
}
