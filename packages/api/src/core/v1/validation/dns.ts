import { type FieldError, type FieldPath, field, isDns1123Subdomain, isValidIP } from "@orchernetes/apimachinery";
import { semanticEqual } from "../../../shared/immutable.ts";
import { report, requireOneOf } from "../../../shared/report.ts";
import type { HostAlias, PodSpec } from "../types/pod.ts";
import type { ValidationContext } from "./context.ts";

const policies: readonly string[] = ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];
const maxNameservers = 3;
/** Limits of the search list, with and without the feature ExpandedDNSConfig (KEP-2595). */
const expandedSearches = { count: 32, length: 2048 };
const plainSearches = { count: 6, length: 256 };

/**
 * Validates the DNS policy and configuration of a pod. The limits are those of the resolver library (glibc), which
 * ignores the rest.
 */
export function validateDns(spec: PodSpec, path: FieldPath, ctx: ValidationContext, errors: FieldError[]): void {
  const { dnsConfig: config, dnsPolicy } = spec;
  requireOneOf(errors, dnsPolicy ?? "", policies, path, "dnsPolicy");
  const at = path.child("dnsConfig");
  if (dnsPolicy === "None") {
    if (config === undefined) {
      errors.push(field.required(at, "must provide `dnsConfig` when `dnsPolicy` is None"));
    } else if ((config.nameservers ?? []).length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      errors.push(field.required(at.child("nameservers"), detail));
    }
  }
  if (config === undefined) {
    return;
  }
  const { nameservers = [], searches = [], options = [] } = config;
  if (nameservers.length > maxNameservers) {
    const detail = `must not have more than ${maxNameservers} nameservers`;
    errors.push(field.invalid(at.child("nameservers"), nameservers, detail));
  }
  for (const [i, server] of nameservers.entries()) {
    errors.push(
      ...isValidIP(server).map((message) => field.invalid(at.child("nameservers").index(i), server, message)),
    );
  }
  validateSearches(searches, at.child("searches"), ctx, errors);
  for (const [i, option] of options.entries()) {
    if (!option.name) {
      errors.push(field.required(at.child("options").index(i), "must not be empty"));
    }
  }
}

/** Validates search domains. The larger limits also apply if the stored pod has the same list. */
function validateSearches(
  searches: readonly string[],
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const expanded =
    ctx.featureEnabled("ExpandedDNSConfig") || semanticEqual(searches, ctx.oldPodSpec?.dnsConfig?.searches);
  const max = expanded ? expandedSearches : plainSearches;
  if (searches.length > max.count) {
    errors.push(field.invalid(path, searches, `must not have more than ${max.count} search paths`));
  }
  if (searches.join(" ").length > max.length) {
    const detail = `must not have more than ${max.length} characters (including spaces) in the search list`;
    errors.push(field.invalid(path, searches, detail));
  }
  for (const [i, search] of searches.entries()) {
    const name = search !== "." && search.endsWith(".") ? search.slice(0, -1) : search;
    const messages = search === "." ? [] : isDns1123Subdomain(name);
    errors.push(...messages.map((message) => field.invalid(path.index(i), name, message)));
  }
}

/** Validates entries of a pod's hosts file. */
export function validateHostAliases(
  aliases: readonly HostAlias[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, { ip = "", hostnames = [] }] of (aliases ?? []).entries()) {
    report(errors, isValidIP(ip), path.index(i), "ip", ip);
    for (const name of hostnames) {
      report(errors, isDns1123Subdomain(name), path.index(i), "hostnames", name);
    }
  }
}
