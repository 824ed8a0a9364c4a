import {
  defineResource,
  type FieldError,
  field,
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
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { nonNegative, positive } from "../../shared/numbers.ts";

const pkg = "coordination/v1";

/** A claim that its holder renews periodically: leader election and the heartbeats of nodes (KEP-589). */
export const Lease = object(pkg, "Lease", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, LeaseSpec),
}));
export interface Lease extends Infer<typeof Lease> {}

/** Who holds a lease and until when. */
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

function validateLease({ spec }: Lease): FieldError[] {
  const path = field("spec");
  return [
    ...positive(spec.leaseDurationSeconds, path.child("leaseDurationSeconds")),
    ...nonNegative(spec.leaseTransitions, path.child("leaseTransitions")),
  ];
}

/** `coordination.o8s.io/v1` leases: heartbeats of nodes, and elections of leaders. */
export const leases = defineResource<Lease>({
  group: "coordination.o8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  singular: "lease",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Lease,
  storagePrefix: "/registry/leases",
  strategy: {
    validate: validateLease,
    validateUpdate: validateLease,
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
  },
  columns: [name(), column("Holder", "string", "Holder of the lease.", ({ spec }) => spec.holderIdentity ?? ""), age()],
});
