import { defineResource } from "@orchernetes/apimachinery";
import { Binding } from "./types/binding.ts";

/** `v1` bindings: assign a pod to a node, like the subresource `pods/binding`, which schedulers use. Never stored. */
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
