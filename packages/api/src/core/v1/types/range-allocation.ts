import { bytes, type Infer, ObjectMeta, object, required, string, value } from "@orchernetes/apimachinery";

const pkg = "core/v1";

/**
 * The allocated members of a range, such as cluster IPs or node ports, as a bitmap. Only the API server reads and writes it.
 */
export const RangeAllocation = object(pkg, "RangeAllocation", () => ({
  metadata: value(1, ObjectMeta),
  range: required(2, string),
  data: required(3, bytes),
}));
export interface RangeAllocation extends Infer<typeof RangeAllocation> {}
