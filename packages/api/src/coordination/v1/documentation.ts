import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of coordination.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  Lease: {
    "": "A claim that its holder keeps renewing: for electing a leader among several processes, and as the heartbeat of nodes (in the namespace orch-node-lease) and of API servers.",
    spec: "Who holds the lease and until when.",
  },
  LeaseSpec: {
    "": "Who holds a lease and until when.",
    holderIdentity: "Who holds the lease, by a name unique among the candidates. Empty: it is free.",
    leaseDurationSeconds:
      "Seconds after renewTime during which other candidates leave the lease to its holder. Positive.",
    acquireTime: "When the present holder got the lease.",
    renewTime: "When the present holder last renewed it.",
    leaseTransitions: "How often the lease has passed from one holder to another.",
  },
};
