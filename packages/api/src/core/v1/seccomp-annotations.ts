import type { Draft } from "@orchernetes/apimachinery";
import type { Pod } from "./types/pod.ts";
import type { SeccompProfile } from "./types/security-context.ts";

const podKey = "seccomp.security.alpha.orchernetes.io/pod";
const containerPrefix = "container.seccomp.security.alpha.orchernetes.io/";

function annotationOf({ type, localhostProfile }: SeccompProfile): string {
  switch (type) {
    case "Unconfined":
      return "unconfined";
    case "RuntimeDefault":
      return "runtime/default";
    default:
      return `localhost/${localhostProfile ?? ""}`;
  }
}

/** Repeats seccomp profiles in the annotations that were their first home; tools still read them there. */
export function annotateSeccompProfiles(pod: Draft<Pod>): void {
  const { spec, metadata } = pod;
  const add = (key: string, profile: SeccompProfile | undefined): void => {
    if (profile !== undefined && !Object.hasOwn(metadata.annotations ?? {}, key)) {
      metadata.annotations = { ...metadata.annotations, [key]: annotationOf(profile) };
    }
  };
  add(podKey, spec.securityContext?.seccompProfile);
  for (const list of [spec.initContainers, spec.containers]) {
    for (const { name, securityContext } of list ?? []) {
      add(containerPrefix + name, securityContext?.seccompProfile);
    }
  }
}
