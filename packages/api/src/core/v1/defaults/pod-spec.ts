import type { Draft } from "@orchernetes/apimachinery";
import type { PodSpec } from "../types/pod.ts";
import type { PodTemplateSpec } from "../types/pod-template.ts";
import { defaultContainer, defaultHostPorts } from "./container.ts";
import { defaultVolume } from "./volumes.ts";

/** Sets the defaults of a pod spec, in a pod or a template; idempotent. */
export function defaultPodSpec(spec: Draft<PodSpec>): void {
  spec.containers ??= [];
  for (const volume of spec.volumes ?? []) {
    defaultVolume(volume);
  }
  for (const container of spec.initContainers ?? []) {
    defaultContainer(container);
  }
  for (const container of spec.containers) {
    defaultContainer(container);
  }
  for (const container of spec.ephemeralContainers ?? []) {
    defaultContainer(container);
  }
  spec.restartPolicy ||= "Always";
  // A pointer: 0 is an explicit value and means that containers are killed immediately.
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ||= "ClusterFirst";
  spec.securityContext ??= {};
  spec.schedulerName ||= "default-scheduler";
  defaultServiceAccount(spec);
  if (spec.hostNetwork === true) {
    defaultHostPorts(spec.containers);
    defaultHostPorts(spec.initContainers ?? []);
  }
}

/** `serviceAccount` is the deprecated name of `serviceAccountName`: both are stored for old clients, and the new name wins. */
function defaultServiceAccount(spec: Draft<PodSpec>): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (name) {
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
  }
}

/** Sets the defaults of a pod template; idempotent. Workloads compare stored templates, so a new default would roll all of them out. */
export function defaultPodTemplateSpec(template: Draft<PodTemplateSpec>): void {
  template.metadata ??= {};
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec);
}
