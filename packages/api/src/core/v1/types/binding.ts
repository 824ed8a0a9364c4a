import { type Infer, ObjectMeta, object, required, value } from "@orchernetes/apimachinery";
import { ObjectReference } from "./references.ts";

const pkg = "core/v1";

export const Binding = object(pkg, "Binding", () => ({
  metadata: value(1, ObjectMeta),
  target: required(2, ObjectReference),
}));
export interface Binding extends Infer<typeof Binding> {}
