import type { core } from "@orchernetes/api";
import type { CloudService } from "../../provider/cloud-provider.ts";

/** Keeps a service until its load balancer is deleted. */
export const LOAD_BALANCER_FINALIZER = "service.orchernetes.io/load-balancer-cleanup";

/** Whether the provider is to make a load balancer. With a class another controller does (KEP-1959). */
export function wantsLoadBalancer({ spec }: CloudService): boolean {
  return spec?.type === "LoadBalancer" && spec.loadBalancerClass === undefined;
}

/** Whether the service has the finalizer. */
export const hasFinalizer = ({ metadata }: CloudService): boolean =>
  metadata.finalizers?.includes(LOAD_BALANCER_FINALIZER) ?? false;

/** Whether a load balancer may be left although the service wants none any more. */
export function needsCleanup(service: CloudService): boolean {
  if (!hasFinalizer(service)) return false;
  return service.metadata.deletionTimestamp !== undefined || service.spec?.type !== "LoadBalancer";
}

/** Whether two statuses have the same addresses in the same order. */
export function equalStatus(a: core.LoadBalancerStatus | undefined, b: core.LoadBalancerStatus | undefined): boolean {
  const [left, right] = [a?.ingress ?? [], b?.ingress ?? []];
  return (
    left.length === right.length &&
    left.every(
      ({ ip = "", hostname = "" }, i) => ip === (right[i]?.ip ?? "") && hostname === (right[i]?.hostname ?? ""),
    )
  );
}
