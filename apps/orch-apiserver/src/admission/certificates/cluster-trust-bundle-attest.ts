import type { ApiObject } from "@orchernetes/apimachinery";
import { isAbout, objectsAs, refusal } from "../shared/attributes.ts";
import type { ConfiguredPlugin } from "../shared/plugin.ts";
import { mayUseSigner } from "./signer-rights.ts";

/** The field of a trust bundle that is checked. */
interface TrustBundle extends ApiObject {
  readonly spec?: { readonly signerName?: string };
}

/** Plugin ClusterTrustBundleAttest: who writes the trust bundle of a signer needs the verb `attest` on the signer. */
export const clusterTrustBundleAttest: ConfiguredPlugin = {
  name: "ClusterTrustBundleAttest",
  create: ({ rights }) => ({
    name: "ClusterTrustBundleAttest",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    validate(attributes) {
      if (!isAbout(attributes, "certificates.o8s.io", "clustertrustbundles")) return;
      // The new object counts: a strategy keeps the signer as it is.
      const signerName = objectsAs<TrustBundle>(attributes).object?.spec?.signerName;
      if (!signerName) return;
      return mayUseSigner(rights, attributes.user, "attest", signerName).then((allowed) => {
        if (!allowed)
          throw refusal(attributes, `user not permitted to attest for signerName ${JSON.stringify(signerName)}`);
      });
    },
  }),
};
