import { isLoopback, isUnspecified } from "./dial/address-class.ts";

/**
 * Names of the self-signed serving certificate: the advertised address, the service by which pods find the server, and where it
 * listens; localhost where that leads to it. Not the other addresses of this machine: whoever calls them is meant to be given a
 * certificate that was made for it.
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
