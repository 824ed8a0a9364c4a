import type { MessageSchema } from "../schema/index.ts";

/** Packages of groups whose types are not in the package of the others. */
const homes: Readonly<Record<string, string>> = {
  meta: "io.o8s.apimachinery.pkg.apis.meta",
  runtime: "io.o8s.apimachinery.pkg",
  apiextensions: "io.o8s.apiextensions-apiserver.pkg.apis.apiextensions",
  apiregistration: "io.o8s.orch-aggregator.pkg.apis.apiregistration",
  metrics: "io.o8s.metrics.pkg.apis.metrics",
};

/**
 * The name of a schema's definition in OpenAPI documents: `io.o8s.api.core.v1.Pod`. It is unique if names are unique
 * within their package.
 */
export function definitionName(schema: MessageSchema): string {
  const [group = "", ...rest] = schema.pkg.split("/");
  const home = Object.hasOwn(homes, group) ? homes[group] : homeOf(group);
  return [home, ...rest, schema.name].join(".");
}

/** The package of a group. Groups of custom resources are domains, which are reversed: `com.example`. */
function homeOf(group: string): string {
  return group.includes(".") ? group.split(".").reverse().join(".") : `io.o8s.api.${group}`;
}
