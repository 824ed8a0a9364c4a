import type { UserInfo } from "@orchernetes/auth";
import { reviewAccess } from "../../authorization/review-access.ts";
import type { Rights } from "../../authorization/rights.ts";

/** What may be done in the name of a signer. */
export type SignerVerb = "approve" | "sign" | "attest";

/** Whether the user has a verb on a signer, or on all signers of its domain (`example.com/*`). */
export async function mayUseSigner(
  { authorizers }: Rights,
  user: UserInfo,
  verb: SignerVerb,
  signerName: string,
): Promise<boolean> {
  const [domain = ""] = signerName.split("/");
  for (const name of [signerName, `${domain}/*`]) {
    const { allowed } = await reviewAccess(authorizers, {
      user,
      verb,
      name,
      namespace: "",
      apiGroup: "certificates.o8s.io",
      apiVersion: "*",
      resource: "signers",
      subresource: "",
      path: "",
      resourceRequest: true,
    });
    if (allowed) return true;
  }
  return false;
}
