import type { apiregistration } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { asRemote } from "./api-service-table.ts";
import { withVerdict } from "./availability-decision.ts";
import { apiRegistrationGroup } from "./group-ranks.ts";
import { judgeService } from "./judge-service.ts";

/**
 * Creates an APIService with what its Service already says against it: whoever looks right afterwards finds the reason. Whether
 * the server answers is found out later.
 */
export const initialAvailability: AdmissionPlugin = {
  name: "InitialAvailability",
  handles: (operation) => operation === "CREATE",
  async admit({ resource, subresource, object }, { registry, now }) {
    if (resource.group !== apiRegistrationGroup || resource.resource !== "apiservices" || subresource !== "") return;
    const draft = object as Draft<apiregistration.APIService> | undefined;
    const remote = draft && asRemote(draft as apiregistration.APIService);
    if (draft === undefined || remote === undefined) return;
    const verdict = await judgeService(registry, remote);
    if (verdict !== undefined) draft.status.conditions = withVerdict([], verdict, now);
  },
};
