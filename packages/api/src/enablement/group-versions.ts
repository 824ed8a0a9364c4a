/**
 * Every known group and version, best version first. Former versions are known, although no resources are left in them:
 * configurations that switch them on or off have no effect, and are not an error either, as in Kubernetes.
 */
export const knownVersions: Readonly<Record<string, readonly string[]>> = Object.freeze({
  "": ["v1"],
  "apiregistration.o8s.io": ["v1", "v1beta1"],
  apps: ["v1", "v1beta2", "v1beta1"],
  "events.o8s.io": ["v1", "v1beta1"],
  "authentication.o8s.io": ["v1", "v1beta1", "v1alpha1"],
  "authorization.o8s.io": ["v1", "v1beta1"],
  autoscaling: ["v2", "v1", "v2beta2", "v2beta1"],
  batch: ["v1", "v1beta1"],
  "certificates.o8s.io": ["v1", "v1beta1", "v1alpha1"],
  "networking.o8s.io": ["v1", "v1beta1", "v1alpha1"],
  extensions: ["v1beta1"],
  policy: ["v1", "v1beta1"],
  "rbac.authorization.o8s.io": ["v1", "v1beta1", "v1alpha1"],
  "storage.o8s.io": ["v1", "v1beta1", "v1alpha1"],
  "admissionregistration.o8s.io": ["v1", "v1beta1", "v1alpha1"],
  "apiextensions.o8s.io": ["v1", "v1beta1"],
  "scheduling.o8s.io": ["v1", "v1beta1", "v1alpha1"],
  "coordination.o8s.io": ["v1", "v1beta1"],
  "node.o8s.io": ["v1", "v1beta1", "v1alpha1"],
  "discovery.o8s.io": ["v1", "v1beta1"],
  "flowcontrol.apiserver.o8s.io": ["v1beta3", "v1beta2", "v1beta1", "v1alpha1"],
  "internal.apiserver.o8s.io": ["v1alpha1"],
  "resource.o8s.io": ["v1alpha2"],
  "imagepolicy.o8s.io": ["v1alpha1"],
});

/** The maturity of a version (API versioning: alpha, beta, stable). */
export type ApiStage = "ga" | "beta" | "alpha";

/** The stage that is part of a version's name (API conventions, "Alpha, Beta, and Stable Versions"); undefined for other names. */
export function stageOf(version: string): ApiStage | undefined {
  const [, stage] = /^v\d+(?:(alpha|beta)\d+)?$/.exec(version) ?? [undefined, "none"];
  return stage === "none" ? undefined : ((stage ?? "ga") as ApiStage);
}

/**
 * Beta resources that are on by default: they were before betas were off by default (KEP-3136), and have no stable
 * version yet.
 */
export const betaOnByDefault: readonly string[] = Object.freeze([
  "flowcontrol.apiserver.o8s.io/v1beta2/flowschemas",
  "flowcontrol.apiserver.o8s.io/v1beta2/prioritylevelconfigurations",
  "flowcontrol.apiserver.o8s.io/v1beta3/flowschemas",
  "flowcontrol.apiserver.o8s.io/v1beta3/prioritylevelconfigurations",
]);
