import type { MessageSchema } from "@orchernetes/apimachinery";

const shared: ReadonlySet<string> = new Set(["meta/v1"]);

/** The key of a type in OpenAPI documents, e.g. `io.o8s.api.apps.v1.Deployment`. */
export function definitionName(schema: MessageSchema): string {
  const home = shared.has(schema.pkg) ? `io.o8s.apimachinery.pkg.apis.${schema.pkg}` : `io.o8s.api.${schema.pkg}`;
  return `${home.replaceAll("/", ".")}.${schema.name}`;
}
