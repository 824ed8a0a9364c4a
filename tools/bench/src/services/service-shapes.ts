/** A service with a cluster address, as far as the rules for it are concerned. */
export interface ServiceShape {
  readonly index: number;
  readonly clusterIP: string;
  /** Addresses. */
  readonly endpoints: readonly string[];
}

/** Services with as many endpoints each, at `10.96.0.0/12` and `10.128.0.0/9`. */
export function serviceShapes(services: number, endpoints: number): readonly ServiceShape[] {
  return Array.from({ length: services }, (_, i) => {
    const low = `${(i >> 8) & 0xff}.${i & 0xff}`;
    const addresses = Array.from({ length: endpoints }, (_, e) => `10.${128 + e}.${low}`);
    return { index: i, clusterIP: `10.${96 + (i >> 16)}.${low}`, endpoints: addresses };
  });
}
