import { defineResource, field } from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { column, immutable, name, orNone } from "../../shared/index.ts";
import { validateTrustBundle } from "./trust-bundle-validation.ts";
import { ClusterTrustBundle } from "./types/cluster-trust-bundle.ts";

/** Certificates that the whole cluster may trust, of one signer or of none. */
export const clusterTrustBundles = defineResource<ClusterTrustBundle>({
  group: "certificates.o8s.io",
  version: "v1alpha1",
  kind: "ClusterTrustBundle",
  plural: "clustertrustbundles",
  featureGate: "ClusterTrustBundle",
  singular: "clustertrustbundle",
  scope: "Cluster",
  verbs: allVerbs,
  schema: ClusterTrustBundle,
  storagePrefix: "/registry/clustertrustbundles",
  strategy: {
    // The form of the name rests on the signer; validate knows both.
    nameFormat: "path",
    validate: (bundle) => validateTrustBundle(bundle),
    validateUpdate: (bundle, old) => [
      ...validateTrustBundle(bundle, old),
      ...immutable(bundle.spec.signerName ?? "", old.spec.signerName ?? "", field("spec", "signerName")),
    ],
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("SignerName", "string", "Signer whose certificates these verify.", ({ spec }) => orNone(spec.signerName)),
  ],
  fieldSelectors: ["spec.signerName"],
  selectableFields: ({ spec }) => ({ "spec.signerName": spec.signerName ?? "" }),
});
