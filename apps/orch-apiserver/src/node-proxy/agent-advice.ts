/**
 * What may be wrong when the server cannot talk to a node's agent, and what helps: who reads "connection refused" after
 * `kubectl logs` sees neither of the two machines.
 *
 * @module
 */

/** Causes by the codes of errors of sockets and of OpenSSL. */
const advices: readonly (readonly [codes: RegExp, advice: string])[] = [
  [
    /^ECONNREFUSED$/,
    "nothing listens there: start orchlet on the node, and check its address and port in the status of the node",
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/,
    "there is no route to the node: check its addresses (orchlet --node-ip, orch-apiserver --orchlet-preferred-address-types)",
  ],
  [/^(ETIMEDOUT|O8S_NO_ANSWER)$/, "the node is down, or a firewall drops connections to its agent's port"],
  [
    /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|CERT_SIGNATURE_FAILURE)$/,
    "no authority of --orchlet-certificate-authority signed what the agent serves: add its authority there, or give the agent a certificate of the cluster (serverTLSBootstrap, or tlsCertFile)",
  ],
  [
    /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    "renew the agent's serving certificate (serverTLSBootstrap renews it), and compare the clocks of the two machines",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the agent's certificate does not name this address: issue one that does (serverTLSBootstrap, orchlet --node-ip), or prefer another address (--orchlet-preferred-address-types)",
  ],
  [
    /ALERT_(INTERNAL_ERROR|HANDSHAKE_FAILURE)$|^ECONNRESET$/,
    "the agent ended the handshake: if it has serverTLSBootstrap, approve its certificate signing request (kubectl get csr)",
  ],
  [
    /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_(REQUIRED|EXPIRED|UNKNOWN))$/,
    "the agent does not accept this server's certificate: give --orchlet-client-certificate one that an authority of the agent's clientCAFile signed",
  ],
];

/** The code by which a connection's time limit is told from other errors. */
export const NO_ANSWER = "O8S_NO_ANSWER";

/** What helps against an error of a connection to a node's agent; undefined if that is not known. */
export function adviceFor(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    // Several addresses of a name were tried.
    const code = codeOf(at) ?? (at instanceof AggregateError ? codeOf(at.errors[0]) : undefined);
    const known = code === undefined ? undefined : advices.find(([codes]) => codes.test(code));
    if (known !== undefined) return known[1];
  }
  return undefined;
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** `message` with the advice behind it. */
export function withAdvice(message: string, error: unknown): string {
  const advice = adviceFor(error);
  return advice === undefined ? message : `${message}; ${advice}`;
}
