import type { apiregistration } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { asRemote } from "./api-service-table.ts";
import { withVerdict } from "./availability-decision.ts";
import { apiRegistrationGroup } from "./group-ranks.ts";
import { judgeService } from "./judge-service.ts";

/**
 * Creates an APIService with what its Service already says against it, in place of the status that the client sent: a client that looks
 * right afterwards finds the reason. Whether the server answers is found out later.
 */
export const initialAvailability: AdmissionPlugin = {
  name: "InitialAvailability",
  handles: (operation) => operation === "CREATE",
  admit({ resource, subresource, object }, context) {
    // Creates of everything else go on without a promise.
    if (resource.group !== apiRegistrationGroup || resource.resource !== "apiservices" || subresource !== "") return;
    return admitApiService(object as Draft<apiregistration.APIService> | undefined, context);
  },
};

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
