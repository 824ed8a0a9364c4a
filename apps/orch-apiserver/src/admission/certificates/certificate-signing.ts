import type { certificates } from "@orchernetes/api";
import { isAbout, objectsAs, refusal } from "../shared/attributes.ts";
import { isSame } from "../shared/is-same.ts";
import type { ConfiguredPlugin } from "../shared/plugin.ts";
import { mayUseSigner } from "./signer-rights.ts";

/** Plugin CertificateSigning: who sets the certificate or the conditions of a request needs the verb `sign` on its signer. */
export const certificateSigning: ConfiguredPlugin = {
  name: "CertificateSigning",
  create: ({ rights }) => ({
    name: "CertificateSigning",
    handles: (operation) => operation === "UPDATE",
    validate(attributes) {
      if (!isAbout(attributes, "certificates.o8s.io", "certificatesigningrequests", "status")) return;
      const { object, oldObject } = objectsAs<certificates.CertificateSigningRequest>(attributes);
      const [now, before] = [object?.status, oldObject?.status];
      const sameConditions = isSame(now?.conditions ?? [], before?.conditions ?? []);
      if (now?.certificate === before?.certificate && sameConditions) return;
      const signerName = oldObject?.spec.signerName ?? "";
      return mayUseSigner(rights, attributes.user, "sign", signerName).then((allowed) => {
        if (!allowed)
          throw refusal(
            attributes,
            `user not permitted to sign requests with signerName ${JSON.stringify(signerName)}`,
          );
      });
    },
  }),
};
