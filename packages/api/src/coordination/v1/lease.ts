import { defineResource, type FieldError, field } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { age, column, name, nonNegative, positive } from "../../shared/index.ts";
import { Lease } from "./types/lease.ts";

function validateLease({ spec }: Lease): FieldError[] {
  const path = field("spec");
  return [
    ...positive(spec.leaseDurationSeconds, path.child("leaseDurationSeconds")),
    ...nonNegative(spec.leaseTransitions, path.child("leaseTransitions")),
  ];
}

/** Who holds a role, since when and how long without renewal: heartbeats of nodes, elections of leaders. */
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
  columns: [name(), column("Holder", "string", "Who holds the lease.", ({ spec }) => spec.holderIdentity ?? ""), age()],
});
