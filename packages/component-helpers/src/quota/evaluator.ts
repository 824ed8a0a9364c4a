import type { ApiObject } from "@orchernetes/apimachinery";
import type { Amounts } from "../resources/resource-list.ts";
import type { QuotaScope } from "./quota-scope.ts";

/** The operations that a quota may reject. */
export type QuotaOperation = "CREATE" | "UPDATE";

/**
 * Computes how objects of one resource count towards quotas. Admission and the quota controller use the same
 * evaluators, so that what is charged and what is counted agree.
 */
export interface QuotaEvaluator {
  readonly group: string;
  readonly plural: string;
  /** The operations that can increase the usage of an object. */
  readonly operations: ReadonlySet<QuotaOperation>;
  /** Whether quotas may limit this name through objects of the resource. */
  limits(name: string): boolean;
  /** Whether the object is within the scope. */
  inScope(object: ApiObject, scope: QuotaScope): boolean;
  /** The fields that an object must set before it can be counted, as `must specify …`; undefined if none is missing. */
  missing(object: ApiObject, limited: readonly string[]): string | undefined;
  /**
   * The usage of the object, by the names that quotas use.
   *
   * @throws QuantityError
   */
  usage(object: ApiObject, now: Date): Amounts;
}
