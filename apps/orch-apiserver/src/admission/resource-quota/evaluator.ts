import type { ApiObject } from "@orchernetes/apimachinery";
import type { AdmissionOperation } from "@orchernetes/apiserver";
import type { Amounts } from "../resource-amounts.ts";

/** One condition under which a quota counts an object. */
export interface Scope {
  readonly name: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

/** How objects of one resource count towards quotas. */
export interface Evaluator {
  readonly operations: ReadonlySet<AdmissionOperation>;
  /** Whether quotas may limit this name through objects of the resource. */
  limits(name: string): boolean;
  /** Whether the object is within the scope. */
  inScope(object: ApiObject, scope: Scope): boolean;
  /** What objects must say before they can be counted; undefined if all is said. */
  missing(object: ApiObject, limited: readonly string[]): string | undefined;
  /** What the object takes. */
  usage(object: ApiObject, now: Date): Amounts;
}
