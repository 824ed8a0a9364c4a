import { allResources, loadOptionalResources } from "@orchernetes/api";
import { customResourceDefinitions } from "@orchernetes/apiextensions";
import { apiVersionOf, type ResourceDefinition } from "@orchernetes/apimachinery";

const optional = await loadOptionalResources(() => true);

/** docs/resources.md: every resource that the API server can serve. */
export function resourcesPage(): string {
  const elsewhere = [customResourceDefinitions as unknown as ResourceDefinition];
  const rows = [...allResources, ...elsewhere, ...optional].map((d) => {
    const subresources = Object.keys(d.subresources ?? {})
      .sort()
      .join(", ");
    return `| ${d.plural} | ${(d.shortNames ?? []).join(", ")} | ${apiVersionOf(d)} | ${d.kind} | ${d.scope === "Namespaced"} | ${d.verbs.join(", ")} | ${subresources} | ${optional.includes(d) ? "off" : "on"} |`;
  });
  return `# Resources

Made from the resource definitions by \`node tools/docs/src/main.ts\`; do not edit. Resources that are off by
default are switched on by \`--runtime-config\`, see [api-versions.md](api-versions.md).

| name | short names | API version | kind | namespaced | verbs | subresources | default |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.sort().join("\n")}
`;
}
