import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { isUnstructured } from "../discovery/resource-list.ts";
import type { RequestState } from "./request-state.ts";
import { sendBytes } from "./respond.ts";

/** Answers a path that nothing has claimed: clients have always found a page of text there, not a Status. */
export function sendNotFoundPage(state: RequestState): void {
  sendBytes(state, 404, "text/plain; charset=utf-8", "404 page not found\n");
}

/** Whether all paths below `/apis/GROUP` are the server's own, where what is missing is a Status: groups of custom resources are not. */
export function claimsGroup(definitions: readonly ResourceDefinition[], group: string): boolean {
  return group === "" || definitions.some((definition) => definition.group === group && !isUnstructured(definition));
}
