import { DeleteOptions, type Infer, ObjectMeta, object, pointer, value } from "@orchernetes/apimachinery";

const pkg = "policy/v1";

export const Eviction = object(pkg, "Eviction", () => ({
  metadata: value(1, ObjectMeta),
  deleteOptions: pointer(2, DeleteOptions),
}));
export interface Eviction extends Infer<typeof Eviction> {}
