import type { core } from "@orchernetes/api";

/** A template of one container `main` of the demo image. */
export function podTemplate(labels: Readonly<Record<string, string>>): core.PodTemplateSpec {
  return {
    metadata: { labels },
    spec: { containers: [{ name: "main", image: "localhost/busybox:1", resources: {} }] },
  };
}

/** The template with another image in its first container. */
export function withImage(template: core.PodTemplateSpec, image: string): core.PodTemplateSpec {
  const [first = { name: "main", resources: {} }, ...rest] = template.spec?.containers ?? [];
  return { ...template, spec: { ...template.spec, containers: [{ ...first, image }, ...rest] } };
}
