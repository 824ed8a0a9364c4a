import { isIPv6 } from "node:net";
import { isLoopback, isUnspecified } from "./dial/address-class.ts";

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

/**
 * Names of the self-signed serving certificate: the advertised address, the `default` service, the bind address, and localhost if the
 * server is reachable there. Other addresses of this machine are not included: clients that use them need a certificate made for
 * them.
 */
export function selfSignedHosts(options: {
  readonly bindAddress: string;
  readonly advertiseAddress: string;
  /** The first address of the service range. */
  readonly serviceAddress?: string;
}): readonly string[] {
  const { bindAddress, advertiseAddress, serviceAddress } = options;
  const everywhere = bindAddress === "" || isUnspecified(bindAddress);
  return [
    advertiseAddress,
    ...(serviceAddress === undefined ? [] : [serviceAddress]),
    "orchernetes.default.svc",
    "orchernetes.default",
    "orchernetes",
    ...(everywhere ? [] : [bindAddress]),
    ...(everywhere || isLoopback(bindAddress) ? ["localhost"] : []),
  ];
}
