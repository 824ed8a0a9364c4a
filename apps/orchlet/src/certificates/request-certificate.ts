import type { certificates } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { type Client, createInformer, type ResourceRef } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import { createCertificateRequest, parseServingPair, type ServingPair } from "@orchernetes/tls";
import type { WantedCertificate } from "./wanted-certificate.ts";

type SigningRequest = certificates.CertificateSigningRequest;

const signingRequests: ResourceRef<SigningRequest> = {
  group: "certificates.o8s.io",
  version: "v1",
  plural: "certificatesigningrequests",
  kind: "CertificateSigningRequest",
  scope: "Cluster",
};

/** How long an approver may take; then the agent asks again, with a new key. */
const decisionMs = 15 * 60_000;

/** What a request is sent with. */
export interface RequestDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Asks the certificates API for a certificate with a new key, which never leaves this process, and waits until it is issued.
 *
 * @throws ApiError when the request cannot be created; Error when it was denied, failed, was deleted, was not decided within 15
 *   minutes, or was answered with something else than a certificate for the key; the signal's reason
 */
export async function requestCertificate(wanted: WantedCertificate, deps: RequestDeps): Promise<ServingPair> {
  const { client, logger, signal } = deps;
  const { commonName, organizations, hosts, signerName, usages } = wanted;
  const { csrPem, keyPem } = await createCertificateRequest({ commonName, organizations, hosts });
  const request = await client.resource(signingRequests).create(
    {
      metadata: { generateName: "csr-" },
      spec: { request: Buffer.from(csrPem).toString("base64"), signerName, usages: [...usages] },
    },
    { signal },
  );
  const { name } = request.metadata;
  logger.info("Requested a certificate", { request: name, signer: signerName });
  const certificate = await issued(request, deps);
  const certPem = Buffer.from(certificate, "base64").toString("latin1");
  return parseServingPair(
    { certPem, keyPem },
    { cert: `certificate of request ${JSON.stringify(name)}`, key: "the agent's new key" },
  );
}

/** The certificate of a request, in base64, once it is there. */
async function issued(
  { metadata: { name, uid } }: Stored<SigningRequest>,
  { client, clock, logger, signal }: RequestDeps,
): Promise<string> {
  const end = new AbortController();
  const decided = Promise.withResolvers<string>();
  const informer = createInformer(client, signingRequests, { fieldSelector: `metadata.name=${name}`, logger });
  const look = (found: Stored<SigningRequest>): void => {
    if (found.metadata.uid !== uid) return;
    const { certificate = "", conditions = [] } = found.status ?? {};
    const against = conditions.find(({ type }) => type === "Denied" || type === "Failed");
    if (against !== undefined) {
      const { type, reason = "", message = "" } = against;
      const what = type === "Denied" ? "is denied" : "has failed";
      decided.reject(new Error(`certificate signing request ${name} ${what}, reason: ${reason}, message: ${message}`));
    } else if (certificate !== "" && conditions.some(({ type }) => type === "Approved")) decided.resolve(certificate);
  };
  informer.addHandler({
    onAdd: look,
    onUpdate: (_, found) => look(found),
    onDelete: () => decided.reject(new Error(`certificate signing request ${name} was deleted before its decision`)),
  });
  const timer = clock.setTimeout(
    () => decided.reject(new Error(`certificate signing request ${name} was not decided within 15 minutes`)),
    decisionMs,
  );
  const onAbort = () => decided.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const running = informer.run(AbortSignal.any([signal, end.signal]));
  try {
    return await decided.promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer.clear();
    end.abort();
    await running;
  }
}
