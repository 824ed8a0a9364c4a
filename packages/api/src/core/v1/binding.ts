import { defineResource } from "@orchernetes/apimachinery";
import { Binding } from "./types/binding.ts";

/** `v1` bindings: the older way to say on which node a pod runs. Never stored. */
export const bindings = defineResource<Binding>({
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "bindings",
  singular: "binding",
  scope: "Namespaced",
  verbs: ["create"],
  schema: Binding,
  strategy: {},
  columns: [],
});
