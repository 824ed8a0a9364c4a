import type { ResourceDefinition } from "@orchernetes/apimachinery";

interface OptionalVersion {
  readonly group: string;
  readonly version: string;
  readonly load: () => Promise<readonly ResourceDefinition[]>;
}

/** Versions that are served, and imported, only if the configuration enables them. */
const optionalVersions: readonly OptionalVersion[] = [
  {
    group: "authentication.o8s.io",
    version: "v1beta1",
    load: async () => (await import("../authentication/v1beta1/index.ts")).authenticationV1beta1,
  },
  {
    group: "authentication.o8s.io",
    version: "v1alpha1",
    load: async () => (await import("../authentication/v1alpha1/index.ts")).authenticationV1alpha1,
  },
  {
    group: "certificates.o8s.io",
    version: "v1alpha1",
    load: async () => (await import("../certificates/v1alpha1/index.ts")).certificatesV1alpha1,
  },
  {
    group: "networking.o8s.io",
    version: "v1alpha1",
    load: async () => (await import("../networking/v1alpha1/index.ts")).networkingV1alpha1,
  },
  {
    group: "admissionregistration.o8s.io",
    version: "v1beta1",
    load: async () => (await import("../admissionregistration/v1beta1/index.ts")).admissionregistrationV1beta1,
  },
  {
    group: "admissionregistration.o8s.io",
    version: "v1alpha1",
    load: async () => (await import("../admissionregistration/v1alpha1/index.ts")).admissionregistrationV1alpha1,
  },
  {
    group: "internal.apiserver.o8s.io",
    version: "v1alpha1",
    load: async () => (await import("../apiserverinternal/v1alpha1/index.ts")).apiserverInternalV1alpha1,
  },
  {
    group: "resource.o8s.io",
    version: "v1alpha2",
    load: async () => (await import("../resource/v1alpha2/index.ts")).resourceV1alpha2,
  },
];

/**
 * Imports the resources of alpha and beta versions that are off by default, as far as `wanted` returns true for them.
 */
export async function loadOptionalResources(
  wanted: (group: string, version: string) => boolean,
): Promise<readonly ResourceDefinition[]> {
  const versions = optionalVersions.filter(({ group, version }) => wanted(group, version));
  return (await Promise.all(versions.map(({ load }) => load()))).flat();
}
