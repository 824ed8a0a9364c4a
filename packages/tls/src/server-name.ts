import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";

/** The certificate of a server is not valid for the requested name. The message is that of Go's crypto/x509. */
export class ServerNameError extends Error {
  override readonly name = "ServerNameError";
  readonly code = "ERR_TLS_CERT_ALTNAME_INVALID";
  /** Whether the common name matches and the certificate has no subject alternative names. */
  readonly isCommonNameOnly: boolean;

  constructor(message: string, isCommonNameOnly: boolean) {
    super(message);
    this.isCommonNameOnly = isCommonNameOnly;
  }
}

/** Maximum number of names in an error message. */
const MAX_LISTED = 100;

/**
 * Checks the certificate of a server against a name or an address by the rule of Go since 1.15 (RFC 6125 §6.4.4):
 * only subject alternative names count. Node would use the common name of the subject if there are none. For the
 * option `checkServerIdentity` of connections.
 */
export function checkServerName(
  host: string,
  certificate: Pick<PeerCertificate, "subject" | "subjectaltname">,
): ServerNameError | undefined {
  const { subject, subjectaltname: names } = certificate;
  const matches = (commonName: string | readonly string[] | undefined): boolean => {
    const seen = { subject: { CN: commonName }, subjectaltname: names } as unknown as PeerCertificate;
    return checkServerIdentity(host, seen) === undefined;
  };
  if (matches(undefined)) return undefined;
  if (names === undefined && matches(subject?.CN))
    return new ServerNameError("x509: certificate relies on legacy Common Name field, use SANs instead", true);
  return new ServerNameError(mismatch(host, names), false);
}

function mismatch(host: string, names = ""): string {
  const isAddress = isIP(host) !== 0;
  const listed = namesIn(names, isAddress ? "IP Address:" : "DNS:");
  if (listed.length === 0)
    return isAddress
      ? `x509: cannot validate certificate for ${host} because it doesn't contain any IP SANs`
      : `x509: certificate is not valid for any names, but wanted to match ${host}`;
  const shown = listed.slice(0, MAX_LISTED).join(", ");
  return `x509: certificate is valid for ${shown}${listed.length > MAX_LISTED ? ", …" : ""}, not ${host}`;
}

/** The names of one kind in the text form of Node. Unusual names are quoted in it and stay quoted. */
const namesIn = (text: string, kind: string): readonly string[] =>
  text
    .split(", ")
    .filter((name) => name.startsWith(kind))
    .map((name) => name.slice(kind.length));
