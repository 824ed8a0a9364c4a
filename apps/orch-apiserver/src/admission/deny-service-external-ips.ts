import type { core } from "@orchernetes/api";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout, objectsAs, refusal } from "./shared/attributes.ts";

/** Plugin DenyServiceExternalIPs: services get no new external addresses; those they have may stay or go. */
export const denyServiceExternalIPs: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes) {
    if (!isAbout(attributes, "", "services")) return;
    const { object, oldObject } = objectsAs<core.Service>(attributes);
    const before = oldObject?.spec.externalIPs ?? [];
    if (object?.spec.externalIPs?.some((address) => !before.includes(address)))
      throw refusal(attributes, "Use of external IPs is denied by admission control");
  },
};
