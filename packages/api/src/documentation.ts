import type { DocumentationSource, TypeDocumentation } from "@orchernetes/apimachinery";

type Load = () => Promise<{ readonly documentation: TypeDocumentation }>;

/** Modules with the descriptions of each schema package. Versions with the same types share one. */
const texts: Readonly<Record<string, Load>> = {
  "admissionregistration/v1": () => import("./admissionregistration/v1/documentation.ts"),
  "admissionregistration/v1alpha1": () => import("./admissionregistration/v1alpha1/documentation.ts"),
  "admissionregistration/v1beta1": () => import("./admissionregistration/v1beta1/documentation.ts"),
  "apiextensions/v1": () => import("./apiextensions/v1/documentation.ts"),
  "apiregistration/v1": () => import("./apiregistration/v1/documentation.ts"),
  "apiserverinternal/v1alpha1": () => import("./apiserverinternal/v1alpha1/documentation.ts"),
  "apps/v1": () => import("./apps/v1/documentation.ts"),
  "authentication/v1": () => import("./authentication/v1/documentation.ts"),
  "authentication/v1alpha1": () => import("./authentication/v1alpha1/documentation.ts"),
  "authentication/v1beta1": () => import("./authentication/v1alpha1/documentation.ts"),
  "authorization/v1": () => import("./authorization/v1/documentation.ts"),
  "autoscaling/v1": () => import("./autoscaling/v1/documentation.ts"),
  "autoscaling/v2": () => import("./autoscaling/v2/documentation.ts"),
  "batch/v1": () => import("./batch/v1/documentation.ts"),
  "certificates/v1": () => import("./certificates/v1/documentation.ts"),
  "certificates/v1alpha1": () => import("./certificates/v1alpha1/documentation.ts"),
  "coordination/v1": () => import("./coordination/v1/documentation.ts"),
  "core/v1": () => import("./core/v1/documentation/index.ts"),
  "discovery/v1": () => import("./discovery/v1/documentation.ts"),
  "events/v1": () => import("./events/v1/documentation.ts"),
  "flowcontrol/v1beta2": () => import("./flowcontrol/v1beta2/documentation.ts"),
  "flowcontrol/v1beta3": () => import("./flowcontrol/v1beta3/documentation.ts"),
  "meta/v1": () => import("./meta/v1/documentation.ts"),
  "networking/v1": () => import("./networking/v1/documentation.ts"),
  "networking/v1alpha1": () => import("./networking/v1alpha1/documentation.ts"),
  "node/v1": () => import("./node/v1/documentation.ts"),
  "policy/v1": () => import("./policy/v1/documentation.ts"),
  "rbac/v1": () => import("./rbac/v1/documentation.ts"),
  "resource/v1alpha2": () => import("./resource/v1alpha2/documentation.ts"),
  "scheduling/v1": () => import("./scheduling/v1/documentation.ts"),
  "storage/v1": () => import("./storage/v1/documentation.ts"),
};

/** Imports all descriptions: pairs of a schema package and the descriptions of its types. */
export function documentedPackages(): Promise<readonly (readonly [string, TypeDocumentation])[]> {
  return Promise.all(Object.entries(texts).map(async ([pkg, load]) => [pkg, (await load()).documentation] as const));
}

/**
 * Imports the descriptions of all types, for OpenAPI documents. Only code that builds such documents should call it;
 * nothing else imports them.
 *
 * Modules cannot be unloaded: the first call takes 1.2 MB of heap until the process ends and about 50 ms of CPU, in a
 * server of 20 MB of heap, which then also keeps 4 MB of documents. Data files, which could be released, would save
 * that in those servers only, and the compiler would not check them.
 *
 * @returns a function that finds the descriptions of a type; undefined for types without any
 */
export async function loadDocumentation(): Promise<DocumentationSource> {
  const byPackage = new Map(await documentedPackages());
  return ({ pkg, name }) => {
    const types = byPackage.get(pkg);
    return types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined;
  };
}
