import type { ApiObject } from "@orchernetes/apimachinery";
import type { Amounts } from "../resources/resource-list.ts";
import type { QuotaScope } from "./quota-scope.ts";

/** The writes that a quota may refuse. */
export type QuotaOperation = "CREATE" | "UPDATE";

/**
 * How objects of one resource count towards quotas. Admission charges, and the quota controller counts, what one and the same
 * evaluator says.
 */
export interface QuotaEvaluator {
  readonly group: string;
  readonly plural: string;
  /** The writes that can make an object take more than before. */
  readonly operations: ReadonlySet<QuotaOperation>;
  /** Whether quotas may limit this name through objects of the resource. */
  limits(name: string): boolean;
  /** Whether the object is within the scope. */
  inScope(object: ApiObject, scope: QuotaScope): boolean;
  /** What objects must say before they can be counted, as `must specify …`; undefined if all is said. */
  missing(object: ApiObject, limited: readonly string[]): string | undefined;
  /**
   * What the object takes, by the names under which quotas know it.
   *
   * @throws QuantityError
   */
  usage(object: ApiObject, now: Date): Amounts;
}
