import type { ApiObject } from "@orchernetes/apimachinery";

/** An object of a custom resource: what it has beside its metadata is known to its definition only. */
export interface CustomObject extends ApiObject {
  readonly [member: string]: unknown;
}
