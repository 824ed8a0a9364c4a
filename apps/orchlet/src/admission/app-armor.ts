import { readFileSync } from "node:fs";
import { core } from "@orchernetes/api";
import type { Init, SecurityProfile } from "@orchernetes/cri";
import type { Refusal } from "../types/pod-failure.ts";
import { allContainers } from "../types/pod-identity.ts";

const localhost = "localhost/";

const profileOf = (pod: core.Pod, container: string): string =>
  pod.metadata.annotations?.[core.appArmorAnnotationPrefix + container] ?? "";

/** A container's AppArmor profile in the runtime's terms; undefined when the pod's annotations name none. */
export function appArmorOf(pod: core.Pod, container: string): Init<SecurityProfile> | undefined {
  const profile = profileOf(pod, container);
  if (profile === "") return undefined;
  if (profile === "unconfined") return { profileType: "Unconfined" };
  if (profile.startsWith(localhost)) return { profileType: "Localhost", localhostRef: profile.slice(localhost.length) };
  return { profileType: "RuntimeDefault" };
}

/**
 * Keeps pods with an AppArmor profile from starting on a host without AppArmor. The runtime checks whether a local profile is loaded.
 *
 * @param enabled whether AppArmor is enabled on the host
 */
export function createAppArmorPolicy(enabled: () => boolean): (pod: core.Pod) => Refusal | undefined {
  return (pod) => {
    const profiles = allContainers(pod).map(({ container }) => profileOf(pod, container.name));
    if (profiles.every((profile) => profile === "" || profile === "unconfined") || enabled()) return undefined;
    return {
      reason: "AppArmor",
      message: "Cannot enforce AppArmor: AppArmor is not enabled on the host",
      dependsOnNode: false,
    };
  };
}

/** Whether AppArmor is enabled in this host's kernel. */
export function isAppArmorEnabled(): boolean {
  try {
    return readFileSync("/sys/module/apparmor/parameters/enabled", "utf8").startsWith("Y");
  } catch {
    return false;
  }
}
