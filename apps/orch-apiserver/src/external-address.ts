import { isIPv6 } from "node:net";

/**
 * Address of the server for external clients, published in discovery and in the OpenID configuration of service account tokens: the
 * host of `--external-hostname`, else the advertised address; with the server's port unless the host has one.
 */
export function externalAddress(options: {
  readonly hostname: string;
  readonly advertiseAddress: string;
  readonly port: number;
}): string {
  const host = options.hostname || options.advertiseAddress;
  if (/^(?:[^:]+|\[[^\]]+\]):\d+$/.test(host)) return host;
  return `${isIPv6(host) ? `[${host}]` : host}:${options.port}`;
}
