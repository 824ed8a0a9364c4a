import { allResources } from "@orchernetes/api";
import { apiVersionOf } from "@orchernetes/apimachinery";

/** docs/resources.md: every resource that the API server serves. */
export function resourcesPage(): string {
  const rows = allResources.map((d) => {
    const subresources = Object.keys(d.subresources ?? {})
      .sort()
      .join(", ");
    return `| ${d.plural} | ${(d.shortNames ?? []).join(", ")} | ${apiVersionOf(d)} | ${d.kind} | ${d.scope === "Namespaced"} | ${d.verbs.join(", ")} | ${subresources} |`;
  });
  return `# Resources

Made from the resource definitions by \`node tools/docs/src/main.ts\`; do not edit.

| name | short names | API version | kind | namespaced | verbs | subresources |
| --- | --- | --- | --- | --- | --- | --- |
${rows.sort().join("\n")}
`;
}
