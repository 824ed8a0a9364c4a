import { type Infer, ObjectMeta, object, required, value } from "@orchernetes/apimachinery";
import { ObjectReference } from "./references.ts";

const pkg = "core/v1";

/** The assignment of a pod to a node, posted to the subresource `binding` of the pod and never stored. */
export const Binding = object(pkg, "Binding", () => ({
  metadata: value(1, ObjectMeta),
  target: required(2, ObjectReference),
}));
export interface Binding extends Infer<typeof Binding> {}
