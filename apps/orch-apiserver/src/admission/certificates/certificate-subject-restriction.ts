import type { certificates } from "@orchernetes/api";
import type { AdmissionAttributes, AdmissionPlugin } from "@orchernetes/apiserver";
import { messageOf } from "@orchernetes/kernel";
import { parseCertificateRequest } from "@orchernetes/tls";
import { isAbout, objectsAs, refusal } from "../shared/attributes.ts";

const SIGNER = "orchernetes.io/orch-apiserver-client";
const ADMINISTRATORS = "system:masters";

function organizationsOf(attributes: AdmissionAttributes, request: string): readonly string[] {
  try {
    return parseCertificateRequest(Buffer.from(request, "base64").toString("latin1")).subject.organizations;
  } catch (error) {
    throw refusal(attributes, `failed to parse CSR: ${messageOf(error)}`);
  }
}

/** Plugin CertificateSubjectRestriction: nobody becomes an administrator by a certificate of the clients' signer. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  handles: (operation) => operation === "CREATE",
  validate(attributes) {
    if (!isAbout(attributes, "certificates.o8s.io", "certificatesigningrequests")) return;
    const { object } = objectsAs<certificates.CertificateSigningRequest>(attributes);
    if (object?.spec.signerName !== SIGNER) return;
    if (organizationsOf(attributes, object.spec.request ?? "").includes(ADMINISTRATORS))
      throw refusal(attributes, `use of ${SIGNER} signer with ${ADMINISTRATORS} group is not allowed`);
  },
};
