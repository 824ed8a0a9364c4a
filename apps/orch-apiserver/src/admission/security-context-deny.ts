import type { core } from "@orchernetes/api";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout, objectsAs, refusal } from "./shared/attributes.ts";

/** The first field of the spec that this plugin forbids, as its messages name it. */
function forbiddenField({ securityContext, initContainers = [], containers }: core.PodSpec): string | undefined {
  if (securityContext?.supplementalGroups) return "pod.Spec.SecurityContext.SupplementalGroups";
  if (securityContext?.seLinuxOptions) return "pod.Spec.SecurityContext.SELinuxOptions";
  if (securityContext?.runAsUser !== undefined) return "pod.Spec.SecurityContext.RunAsUser";
  if (securityContext?.fsGroup !== undefined) return "pod.Spec.SecurityContext.FSGroup";
  for (const { securityContext: own } of [...initContainers, ...containers]) {
    if (own?.seLinuxOptions) return "SecurityContext.SELinuxOptions";
    if (own?.runAsUser !== undefined) return "SecurityContext.RunAsUser";
  }
  return undefined;
}

/**
 * Plugin SecurityContextDeny: pods choose neither users, groups nor SELinux labels. Deprecated: it needs feature gate
 * SecurityContextDeny.
 */
export const securityContextDeny: AdmissionPlugin = {
  name: "SecurityContextDeny",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes) {
    if (!isAbout(attributes, "", "pods")) return;
    const { object: pod } = objectsAs<core.Pod>(attributes);
    const found = pod && forbiddenField(pod.spec);
    if (found !== undefined) throw refusal(attributes, `${found} is forbidden`);
  },
};
