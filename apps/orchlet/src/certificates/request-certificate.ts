import { createHash, type KeyObject } from "node:crypto";
import type { certificates } from "@orchernetes/api";
import { isAlreadyExists, type Stored } from "@orchernetes/apimachinery";
import { type Client, createInformer, type ResourceRef } from "@orchernetes/client";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import {
  createCertificateRequest,
  parseCertificateRequest,
  parseServingPair,
  publicKeyOf,
  type ServingPair,
} from "@orchernetes/tls";
import type { WantedCertificate } from "./wanted-certificate.ts";

type SigningRequest = certificates.CertificateSigningRequest;

const signingRequests: ResourceRef<SigningRequest> = {
  group: "certificates.o8s.io",
  version: "v1",
  plural: "certificatesigningrequests",
  kind: "CertificateSigningRequest",
  scope: "Cluster",
};

/** Time limit of the approval; then the agent sends a new request, with a new key. */
const decisionMs = 15 * 60_000;

/** What a request is sent with. */
export interface RequestDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** A request was denied, failed, was answered with nonsense, or belongs to another key: it must be repeated with a new key. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
}

/**
 * Asks the certificates API for a certificate and waits until it is issued.
 *
 * @param key the key to certify; the request is named after it, so that a restarted agent continues its own request. @default a new
 *   key, which never leaves this process
 * @throws ApiError when the request cannot be created; RequestRefused when it was denied, failed, was answered with something else than
 *   a certificate for the key, or an existing one is for something else; Error when it was deleted, or was not decided within 15 minutes;
 *   the signal's reason
 */
export async function requestCertificate(
  wanted: WantedCertificate,
  deps: RequestDeps,
  key?: KeyObject,
): Promise<ServingPair> {
  const { logger } = deps;
  const { commonName, organizations, hosts, signerName } = wanted;
  const { csrPem, keyPem } = await createCertificateRequest({
    commonName,
    organizations,
    hosts,
    ...(key !== undefined && { key }),
  });
  const metadata = key === undefined ? { generateName: "csr-" } : { name: requestName(wanted, key) };
  const request = await createOrContinue(csrPem, wanted, metadata, deps);
  const { name } = request.metadata;
  logger.info("Requested a certificate", { request: name, signer: signerName });
  const certificate = await issued(request, deps);
  const certPem = Buffer.from(certificate, "base64").toString("latin1");
  const source = { cert: `certificate of request ${JSON.stringify(name)}`, key: "the agent's new key" };
  try {
    return parseServingPair({ certPem, keyPem }, source);
  } catch (error) {
    // The request keeps its answer: it must not be continued.
    throw new RequestRefused(`certificate signing request ${name} cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The name of the request for a key, which the original computes in the same way: two different requests have two names. */
function requestName({ commonName, organizations, usages }: WantedCertificate, key: KeyObject): string {
  const hash = createHash("sha512-256");
  const publicKey = publicKeyOf(key).export({ type: "spki", format: "der" });
  for (const part of [publicKey, commonName, ...organizations, ...usages])
    hash.update(`${Buffer.from(part).toString("base64url")}|`);
  return `node-csr-${hash.digest("base64url")}`;
}

async function createOrContinue(
  csrPem: string,
  { signerName, usages }: WantedCertificate,
  metadata: { readonly generateName: string } | { readonly name: string },
  { client, logger, signal }: RequestDeps,
): Promise<Stored<SigningRequest>> {
  const requests = client.resource(signingRequests);
  const spec = { request: Buffer.from(csrPem).toString("base64"), signerName, usages: [...usages] };
  try {
    return await requests.create({ metadata, spec }, { signal });
  } catch (error) {
    if (!("name" in metadata) || !isAlreadyExists(error)) throw error;
  }
  const { name } = metadata;
  const existing = await requests.get(name, { signal });
  const publicKey = (pem: string): string =>
    parseCertificateRequest(pem, `certificate signing request ${name}`)
      .publicKey.export({ type: "spki", format: "pem" })
      .toString();
  const before = Buffer.from(existing.spec.request ?? "", "base64").toString("latin1");
  if (existing.spec.signerName !== signerName || publicKey(before) !== publicKey(csrPem))
    throw new RequestRefused(`certificate signing request ${name} exists and is for another key or signer`);
  logger.info("Continuing a certificate request of an earlier run", { request: name });
  return existing;
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
      decided.reject(
        new RequestRefused(`certificate signing request ${name} ${what}, reason: ${reason}, message: ${message}`),
      );
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
