import type { apiregistration } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { asRemote } from "./api-service-table.ts";
import { withVerdict } from "./availability-decision.ts";
import { apiRegistrationGroup } from "./group-ranks.ts";
import { judgeService } from "./judge-service.ts";

/**
 * Gives a new APIService the condition that follows from its Service and Endpoints, in place of the status that the client sent, so that a
 * client that reads it back at once finds the reason why it is not available. The server itself is checked later.
 */
export const initialAvailability: AdmissionPlugin = {
  name: "InitialAvailability",
  handles: (operation) => operation === "CREATE",
  admit({ resource, subresource, object }, context) {
    // All other requests continue without a promise.
    if (resource.group !== apiRegistrationGroup || resource.resource !== "apiservices" || subresource !== "") return;
    return admitApiService(object as Draft<apiregistration.APIService> | undefined, context);
  },
};

/** Sets the condition of the draft. */
async function admitApiService(
  draft: Draft<apiregistration.APIService> | undefined,
  { registry, now }: Pick<AdmissionContext, "registry" | "now">,
): Promise<void> {
  if (draft === undefined) return;
  draft.status = {};
  const remote = asRemote(draft as apiregistration.APIService);
  const verdict = remote && (await judgeService(registry, remote));
  if (verdict !== undefined) draft.status.conditions = withVerdict([], verdict, now);
}
