import type { Draft } from "@orchernetes/apimachinery";
import type { Pod } from "../types/pod.ts";
import { defaultRequests } from "./container.ts";
import { defaultPodSpec } from "./pod-spec.ts";

/** Sets the defaults of a pod; idempotent. They are those of its spec, and some that templates must not get. */
export function defaultPod(pod: Draft<Pod>): void {
  pod.spec ??= { containers: [] };
  defaultPodSpec(pod.spec);
  const { spec } = pod;
  spec.enableServiceLinks ??= true;
  for (const container of spec.containers) {
    defaultRequests(container);
  }
  for (const container of spec.initContainers ?? []) {
    defaultRequests(container);
  }
  defaultPodIPs(pod);
}

/** `podIP` is the first of `podIPs`, and each sets the other (API conventions, "Patterns for singular and plural fields"; KEP-563). */
function defaultPodIPs({ status }: Draft<Pod>): void {
  if (status === undefined || status === null) {
    return;
  }
  const first = status.podIPs?.[0];
  if (status.podIP && first === undefined) {
    status.podIPs = [{ ip: status.podIP }];
  } else if (!status.podIP && first?.ip) {
    status.podIP = first.ip;
  } else if (status.podIP && first !== undefined && first.ip !== status.podIP) {
    // Clients that know only the older field change it alone, so it wins.
    status.podIPs = [{ ip: status.podIP }];
  }
}
