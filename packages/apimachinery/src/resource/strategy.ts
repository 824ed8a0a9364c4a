import type { InterruptibleSteps } from "@orchernetes/kernel";
import type { FieldError } from "../field-errors/field-error.ts";
import type { Draft } from "../schema/index.ts";
import type { ApiObject } from "./object.ts";

/** Required result type of a CEL expression. */
export type ExpressionResult = "bool" | "string" | "stringOrNull" | "any";

/** Checks the CEL expressions of one object in the environment of the server. */
export interface ExpressionChecker {
  /**
   * The error of an expression; undefined if it compiles and has the type.
   *
   * @param authorizer whether it may use `authorizer` @default true
   */
  check(expression: string, result: ExpressionResult, authorizer?: boolean): string | undefined;
  /** Checks an expression that later ones refer to by a name. */
  declare(name: string, expression: string): string | undefined;
}

/** Properties of the request and the server that a strategy may use. */
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
   * Checks expressions of match conditions and policies. Undefined outside of a server; then they are not checked.
   *
   * @param params whether there are parameter objects
   */
  readonly expressions?: ((params: boolean) => ExpressionChecker) | undefined;
}

/** Hooks of an update, in the order prepareForUpdate → validateUpdate → validateLong. Defaults have been set before. */
export interface UpdateStrategy<T> {
  /**
   * Resets fields that this endpoint must not change (usually status). The server itself increments generation, see
   * `generation`.
   */
  readonly prepareForUpdate?: (object: Draft<T>, old: T, ctx: StrategyContext) => void;
  /** Validates the object; metadata has been validated already. */
  readonly validateUpdate?: (object: T, old: T, ctx: StrategyContext) => readonly FieldError[];
  /**
   * Validation that may take long, after validate or validateUpdate, in steps between which other requests are served.
   *
   * @param old undefined for a new object
   * @param found the errors that the other validation found
   * @returns further errors; undefined if there is nothing to validate
   */
  readonly validateLong?: (
    object: T,
    old: T | undefined,
    found: readonly FieldError[],
    ctx: StrategyContext,
  ) => InterruptibleSteps<readonly FieldError[]> | undefined;
  readonly warnings?: (object: T, old: T | undefined) => readonly string[];
}

/** How a request to delete an object is executed. */
export type DeletionDecision =
  /** Remove now. */
  | { readonly type: "immediate" }
  /** Sets deletionTimestamp with this grace period; another component then removes the object. */
  | { readonly type: "graceful"; readonly gracePeriodSeconds: number };

/** The part of create, update and delete that is specific to a kind; the generic store does the rest. */
export interface Strategy<T extends ApiObject> extends UpdateStrategy<T> {
  /** Clears fields that a creator may not set (usually status). */
  readonly prepareForCreate?: (object: Draft<T>, ctx: StrategyContext) => void;
  readonly validate?: (object: T, ctx: StrategyContext) => readonly FieldError[];
  /** Format of metadata.name. `path` is any path segment, for roles. @default "dns-subdomain" */
  readonly nameFormat?:
    | "dns-subdomain"
    | "dns-label"
    | "dns-1035-label"
    | "path"
    | ((name: string, prefix: boolean) => readonly string[]);
  readonly allowCreateOnUpdate?: boolean;
  /** Whether PUT without a resourceVersion is allowed. @default true */
  readonly allowUnconditionalUpdate?: boolean;
  /**
   * The part of the object whose changes increment metadata.generation, such as `(o) => o.spec`. Absent: generation
   * stays unset.
   */
  readonly generation?: (object: T) => unknown;
  /** Decides how a deletion is executed. `requested` is the client's gracePeriodSeconds. @default immediate */
  readonly decideDeletion?: (object: T, requested: number | undefined) => DeletionDecision;
  /** Propagation if the client does not choose one. @default "background" */
  readonly defaultPropagation?: "orphan" | "background";
  /** Whether the response of DELETE is the removed object instead of a Status. @default false */
  readonly returnDeletedObject?: boolean;
  /** Whether the object is kept although its metadata has no finalizer (a namespace has finalizers in its spec). */
  readonly holdsDeletion?: (object: T) => boolean;
  /** Changes an object that is being marked as deleted (a namespace's phase). */
  readonly prepareForDelete?: (object: Draft<T>) => void;
}
