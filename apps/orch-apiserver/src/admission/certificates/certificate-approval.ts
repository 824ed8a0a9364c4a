import type { certificates } from "@orchernetes/api";
import { isAbout, objectsAs, refusal } from "../shared/attributes.ts";
import type { ConfiguredPlugin } from "../shared/plugin.ts";
import { mayUseSigner } from "./signer-rights.ts";

/** Plugin CertificateApproval: who approves or denies a request needs the verb `approve` on its signer. */
export const certificateApproval: ConfiguredPlugin = {
  name: "CertificateApproval",
  create: ({ rights }) => ({
    name: "CertificateApproval",
    handles: (operation) => operation === "UPDATE",
    validate(attributes) {
      if (!isAbout(attributes, "certificates.o8s.io", "certificatesigningrequests", "approval")) return;
      // The stored signer counts: the endpoint does not change it.
      const signerName = objectsAs<certificates.CertificateSigningRequest>(attributes).oldObject?.spec.signerName ?? "";
      return mayUseSigner(rights, attributes.user, "approve", signerName).then((allowed) => {
        if (!allowed)
          throw refusal(
            attributes,
            `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`,
          );
      });
    },
  }),
};
