import { isIPv6 } from "node:net";

/**
 * Where clients outside reach the server, as discovery and the documents of service account tokens tell it: the host of
 * `--external-hostname`, else the advertised address; with the server's port unless the host names one.
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
