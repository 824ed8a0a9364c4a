import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of coordination.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  Lease: {
    "": "A lock that its holder keeps renewing. It is used to elect a leader among several processes, and as the heartbeat of nodes (in the namespace orch-node-lease) and of API servers.",
    spec: "Who holds the lease, and until when.",
  },
  LeaseSpec: {
    "": "Who holds a lease and until when.",
    holderIdentity: "Identity of the holder, unique among the candidates. If empty, the lease is free.",
    leaseDurationSeconds:
      "Seconds after renewTime for which other candidates must wait before they take the lease. Positive.",
    acquireTime: "When the current holder acquired the lease.",
    renewTime: "When the current holder last renewed the lease.",
    leaseTransitions: "How often the lease has passed from one holder to another.",
  },
};
