import type { GroupVersionRank } from "@orchernetes/apiserver";

/** The group of APIServices themselves. It is always served by this server. */
export const apiRegistrationGroup = "apiregistration.o8s.io";

/** Ranks of built-in groups and of their versions, as upstream has them (`apiVersionPriorities`). Discovery lists higher ranks first. */
const builtIn: Readonly<
  Record<string, { readonly group: number; readonly versions: Readonly<Record<string, number>> }>
> = Object.freeze({
  // Above the maximum for APIServices, which is 20,000: this group has no APIService.
  [apiRegistrationGroup]: { group: 20_001, versions: { v1: 15 } },
  "": { group: 18_000, versions: { v1: 1 } },
  apps: { group: 17_800, versions: { v1: 15 } },
  "events.o8s.io": { group: 17_750, versions: { v1: 15, v1beta1: 5 } },
  "authentication.o8s.io": { group: 17_700, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  "authorization.o8s.io": { group: 17_600, versions: { v1: 15 } },
  autoscaling: { group: 17_500, versions: { v2: 30, v1: 15, v2beta1: 9, v2beta2: 1 } },
  batch: { group: 17_400, versions: { v1: 15, v1beta1: 9, v2alpha1: 9 } },
  "certificates.o8s.io": { group: 17_300, versions: { v1: 15, v1alpha1: 1 } },
  "networking.o8s.io": { group: 17_200, versions: { v1: 15, v1alpha1: 1 } },
  policy: { group: 17_100, versions: { v1: 15, v1beta1: 9 } },
  "rbac.authorization.o8s.io": { group: 17_000, versions: { v1: 15 } },
  "storage.o8s.io": { group: 16_800, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  "apiextensions.o8s.io": { group: 16_700, versions: { v1: 15 } },
  "admissionregistration.o8s.io": { group: 16_700, versions: { v1: 15, v1beta1: 12, v1alpha1: 9 } },
  "scheduling.o8s.io": { group: 16_600, versions: { v1: 15 } },
  "coordination.o8s.io": { group: 16_500, versions: { v1: 15 } },
  "node.o8s.io": { group: 16_300, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  "discovery.o8s.io": { group: 16_200, versions: { v1: 15, v1beta1: 12 } },
  "flowcontrol.apiserver.o8s.io": { group: 16_100, versions: { v1beta3: 18, v1beta2: 15, v1beta1: 12, v1alpha1: 9 } },
  "internal.apiserver.o8s.io": { group: 16_000, versions: { v1alpha1: 9 } },
  "resource.o8s.io": { group: 15_900, versions: { v1alpha2: 9 } },
});

/** Rank of the groups of custom resources. */
const custom: GroupVersionRank = Object.freeze({ group: 1000, version: 100 });

/** Returns the rank of a group version that has no APIService. */
export function defaultRank(group: string, version: string): GroupVersionRank {
  const known = Object.hasOwn(builtIn, group) ? builtIn[group] : undefined;
  if (known === undefined) return custom;
  return { group: known.group, version: (Object.hasOwn(known.versions, version) && known.versions[version]) || 1 };
}
