import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { certificateIdentity, type Usage, validity } from "@orchernetes/tls";

/** What a certificate of the agent is for. */
export interface WantedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DNS names and IP addresses; none for a client certificate. */
  readonly hosts: readonly string[];
  /** Signer of the certificates API that is asked, such as `orchernetes.io/orchlet-serving`. */
  readonly signerName: string;
  /** Usages of a certificate for an elliptic key, which enciphers no keys. */
  readonly usages: readonly Usage[];
}

const nodeIdentity = (nodeName: string) => ({
  commonName: `system:node:${nodeName}`,
  organizations: ["system:nodes"],
});

/** The certificate of the agent's server: it names the node and each address that the node object shows. */
export function servingCertificate(nodeName: string, addresses: readonly string[]): WantedCertificate {
  return {
    ...nodeIdentity(nodeName),
    hosts: [...new Set([nodeName, ...addresses])],
    signerName: "orchernetes.io/orchlet-serving",
    usages: ["digital signature", "server auth"],
  };
}

/** The certificate by which the agent authenticates itself at the API server. */
export function clientCertificate(nodeName: string): WantedCertificate {
  return {
    ...nodeIdentity(nodeName),
    hosts: [],
    signerName: "orchernetes.io/orch-apiserver-client-orchlet",
    usages: ["digital signature", "client auth"],
  };
}

/** Whether a certificate still has the wanted identity, and names every wanted host. */
export function isAsWanted(certificate: X509Certificate, wanted: WantedCertificate): boolean {
  const { commonName, organizations } = certificateIdentity(certificate);
  const names = (host: string) =>
    (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
  return (
    commonName === wanted.commonName &&
    wanted.organizations.every((one) => organizations.includes(one)) &&
    wanted.hosts.every(names)
  );
}

/**
 * When a certificate is to be replaced, in milliseconds since the epoch: after 70 to 90 percent of its lifetime, so that the agents
 * of a cluster that started together do not ask together.
 *
 * @param random from 0 to 1
 */
export function rotationTimeMs(certificate: X509Certificate, random: number): number {
  const { notBeforeMs, notAfterMs } = validity(certificate);
  return notBeforeMs + (notAfterMs - notBeforeMs) * (0.7 + 0.2 * random);
}
