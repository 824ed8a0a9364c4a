import { type Feature, type FeatureName, features } from "@orchernetes/component";

/** Feature gates of the API server that it takes and that switch nothing in it, and why. */
export const gatesWithoutEffect: Readonly<Partial<Record<FeatureName, string>>> = {
  CustomResourceValidationExpressions:
    "rules in schemas of custom resources (x-orchernetes-validations) are stored, but not evaluated",
  MultiCIDRServiceAllocator:
    "services get their addresses from --service-cluster-ip-range; IPAddress objects are stored only",
  SecurityContextDeny: "there is no admission plugin SecurityContextDeny",
  StorageVersionAPI: "the server does not publish which versions it stores; StorageVersion objects are stored only",
  ValidatingAdmissionPolicy: "policies are validated and stored, but their expressions are not evaluated",
};

/** A line for each such gate that is named with another value than its default. */
export function idleGateWarnings(named: ReadonlyMap<string, boolean>): readonly string[] {
  return Object.entries(gatesWithoutEffect).flatMap(([name, about]) => {
    const value = named.get(name);
    const feature: Feature = features[name as FeatureName];
    if (value === undefined || value === feature.default) return [];
    return [`feature gate ${name}=${value} has no effect: ${about}`];
  });
}
