import { type Infer, message, pointer, string } from "@orchernetes/apimachinery";

const pkg = "core/v1";

export const Preconditions = message(pkg, "Preconditions", () => ({
  uid: pointer(1, string),
}));
export interface Preconditions extends Infer<typeof Preconditions> {}
