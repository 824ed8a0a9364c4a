import type { Verb } from "@orchernetes/apimachinery";

/** What every stored resource offers. */
export const allVerbs: readonly Verb[] = Object.freeze([
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
]);

/** What a subresource that reads and writes its parent offers. */
export const subresourceVerbs: readonly Verb[] = Object.freeze(["get", "patch", "update"]);

/** What a review offers: it is answered at once and never stored. */
export const reviewVerbs: readonly Verb[] = Object.freeze(["create"]);
