import { capabilitiesOf, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { RequestState } from "./request-state.ts";
import { sendBytes } from "./respond.ts";

/** Responds to an unknown path with a text page instead of a Status, as upstream does. */
export function sendNotFoundPage(state: RequestState): void {
  sendBytes(state, 404, "text/plain; charset=utf-8", "404 page not found\n");
}

/** Whether `/apis/GROUP` is a built-in group, in which unknown paths get a Status; groups of custom resources are not. */
export function claimsGroup(definitions: readonly ResourceDefinition[], group: string): boolean {
  return (
    group === "" ||
    definitions.some((definition) => definition.group === group && capabilitiesOf(definition).statusForUnknownPaths)
  );
}
