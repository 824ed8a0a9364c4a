import {
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  microTime,
  ObjectMeta,
  object,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "coordination/v1";

export const Lease = object(pkg, "Lease", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, LeaseSpec),
}));
export interface Lease extends Infer<typeof Lease> {}

export const LeaseSpec = message(pkg, "LeaseSpec", () => ({
  holderIdentity: pointer(1, string),
  leaseDurationSeconds: pointer(2, int32),
  acquireTime: pointer(3, microTime),
  renewTime: pointer(4, microTime),
  leaseTransitions: pointer(5, int32),
}));
export interface LeaseSpec extends Infer<typeof LeaseSpec> {}

export const LeaseList = object(pkg, "LeaseList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Lease)),
}));
export interface LeaseList extends Infer<typeof LeaseList> {}
