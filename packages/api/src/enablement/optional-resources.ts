import type { ResourceDefinition } from "@orchernetes/apimachinery";

interface OptionalVersion {
  readonly group: string;
  readonly version: string;
  readonly load: () => Promise<readonly ResourceDefinition[]>;
}

/** Versions that are served only when the configuration asks for them, and imported only then. */
const optionalVersions: readonly OptionalVersion[] = [
  {
    group: "authentication.o8s.io",
    version: "v1beta1",
    load: async () => (await import("../authentication/v1beta1/resources.ts")).authenticationV1beta1,
  },
  {
    group: "authentication.o8s.io",
    version: "v1alpha1",
    load: async () => (await import("../authentication/v1alpha1/resources.ts")).authenticationV1alpha1,
  },
];

/** Imports the resources of alpha and beta versions that are off by default and wanted. */
export async function loadOptionalResources(
  wanted: (group: string, version: string) => boolean,
): Promise<readonly ResourceDefinition[]> {
  const versions = optionalVersions.filter(({ group, version }) => wanted(group, version));
  return (await Promise.all(versions.map(({ load }) => load()))).flat();
}
