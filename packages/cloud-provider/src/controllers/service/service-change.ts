import { equalJson } from "@orchernetes/apimachinery";
import type { CloudService } from "../../provider/cloud-provider.ts";
import { wantsLoadBalancer } from "./load-balancer-service.ts";

/** A change of a service that its load balancer must follow. */
export interface ServiceChange {
  /** An event about it; undefined if the change is shown to nobody. */
  readonly event?: { readonly reason: string; readonly message: string };
}

const quiet: ServiceChange = Object.freeze({});
const told = (reason: string, message: string): ServiceChange => ({ event: { reason, message } });

/** Lists in events have the form of the original's: `[a b]`. */
const listed = (items: readonly string[] | undefined): string => `[${(items ?? []).join(" ")}]`;

const same = (a: unknown, b: unknown): boolean => equalJson(a ?? null, b ?? null);

/** What of a service's change its load balancer must follow; undefined if nothing. The first difference decides the event. Pure. */
export function serviceChange(before: CloudService, after: CloudService): ServiceChange | undefined {
  const wants = wantsLoadBalancer(after);
  if (!wantsLoadBalancer(before) && !wants) return undefined;
  const [old, now] = [before.spec ?? {}, after.spec ?? {}];
  if (wantsLoadBalancer(before) !== wants) return told("Type", `${old.type} -> ${now.type}`);
  if (!same(old.loadBalancerSourceRanges, now.loadBalancerSourceRanges)) {
    return told(
      "LoadBalancerSourceRanges",
      `${listed(old.loadBalancerSourceRanges)} -> ${listed(now.loadBalancerSourceRanges)}`,
    );
  }
  if (!same(old.ports ?? [], now.ports ?? []) || old.sessionAffinity !== now.sessionAffinity) return quiet;
  if (!same(old.sessionAffinityConfig, now.sessionAffinityConfig)) return quiet;
  if ((old.loadBalancerIP ?? "") !== (now.loadBalancerIP ?? "")) {
    return told("LoadbalancerIP", `${old.loadBalancerIP ?? ""} -> ${now.loadBalancerIP ?? ""}`);
  }
  return (
    externalIpChange(old.externalIPs ?? [], now.externalIPs ?? []) ??
    (same(before.metadata.annotations ?? {}, after.metadata.annotations ?? {}) ? undefined : quiet) ??
    differing("UID", before.metadata.uid, after.metadata.uid) ??
    differing("ExternalTrafficPolicy", old.externalTrafficPolicy, now.externalTrafficPolicy) ??
    differing("HealthCheckNodePort", old.healthCheckNodePort, now.healthCheckNodePort) ??
    // The first family is immutable: the second one comes or goes.
    countChange("IPFamilies", old.ipFamilies ?? [], now.ipFamilies ?? [])
  );
}

function externalIpChange(old: readonly string[], now: readonly string[]): ServiceChange | undefined {
  const added = now.find((ip, i) => ip !== old[i]);
  return (
    countChange("ExternalIP", old, now) ?? (added === undefined ? undefined : told("ExternalIP", `Added: ${added}`))
  );
}

function countChange(reason: string, old: readonly string[], now: readonly string[]): ServiceChange | undefined {
  return old.length === now.length ? undefined : told(reason, `Count: ${old.length} -> ${now.length}`);
}

function differing(
  reason: string,
  old: string | number | undefined,
  now: string | number | undefined,
): ServiceChange | undefined {
  return old === now ? undefined : told(reason, `${old ?? ""} -> ${now ?? ""}`);
}
