/**
 * The loopback address that stands for the cluster address of a service where its own cannot be used: the first number is
 * replaced by 127, so `10.96.0.10` is `127.96.0.10`. Undefined for IPv6, which has one loopback address only.
 */
export function loopbackAddressOf(clusterIP: string): string | undefined {
  const [, rest] = /^\d+\.(\d+\.\d+\.\d+)$/.exec(clusterIP) ?? [];
  return rest === undefined ? undefined : `127.${rest}`;
}
