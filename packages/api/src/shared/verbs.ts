import type { Verb } from "@orchernetes/apimachinery";

/** What most stored resources can do. */
export const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** Verbs of a `status` subresource. */
export const statusVerbs: readonly Verb[] = ["get", "patch", "update"];
