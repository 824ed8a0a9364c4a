import type { ServiceShape } from "./service-shapes.ts";

/**
 * The rules that kube-proxy's mode iptables makes of services with a cluster address, as input of `iptables-restore`: a chain for each
 * service and for each endpoint.
 */
export function iptablesServices(shapes: readonly ServiceShape[]): string {
  const chains = shapes.flatMap((shape) => [
    serviceChain(shape),
    ...shape.endpoints.map((_, i) => endpointChain(shape, i)),
  ]);
  return restoreInput(chains, [...entryRules(shapes), ...shapes.flatMap(serviceRules)], basics);
}

/**
 * What kube-proxy gives to `iptables-restore --noflush` when the endpoints of a service have changed: its chains, and the chain that
 * leads to those of all services.
 */
export function iptablesChange(shapes: readonly ServiceShape[], changed: ServiceShape): string {
  const chains = [serviceChain(changed), ...changed.endpoints.map((_, i) => endpointChain(changed, i))];
  return restoreInput(chains, [...entryRules(shapes), ...serviceRules(changed)], []);
}

const basics = [
  "-A PREROUTING -j KUBE-SERVICES",
  "-A OUTPUT -j KUBE-SERVICES",
  "-A POSTROUTING -j KUBE-POSTROUTING",
  "-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN",
  "-A KUBE-POSTROUTING -j MASQUERADE --random-fully",
  "-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000",
];

function restoreInput(chains: readonly string[], rules: readonly string[], more: readonly string[]): string {
  const own = more.length === 0 ? ["KUBE-SERVICES"] : ["KUBE-SERVICES", "KUBE-POSTROUTING", "KUBE-MARK-MASQ"];
  const declared = [...own, ...chains].map((chain) => `:${chain} - [0:0]`);
  return ["*nat", ...declared, ...more, ...rules, "COMMIT", ""].join("\n");
}

const serviceChain = ({ index }: ServiceShape): string => `KUBE-SVC-${String(index).padStart(16, "0")}`;
const endpointChain = ({ index }: ServiceShape, i: number): string =>
  `KUBE-SEP-${String(index).padStart(10, "0")}${String(i).padStart(6, "0")}`;

const entryRules = (shapes: readonly ServiceShape[]): readonly string[] =>
  shapes.map(
    (shape) =>
      `-A KUBE-SERVICES -m comment --comment "default/s${shape.index} cluster IP" -m tcp -p tcp -d ${shape.clusterIP} --dport 80 -j ${serviceChain(shape)}`,
  );

function serviceRules(shape: ServiceShape): readonly string[] {
  const chain = serviceChain(shape);
  const { length } = shape.endpoints;
  const comment = `-m comment --comment "default/s${shape.index}"`;
  return [
    `-A ${chain} ${comment} -m tcp -p tcp -d ${shape.clusterIP} --dport 80 ! -s 10.128.0.0/9 -j KUBE-MARK-MASQ`,
    ...shape.endpoints.flatMap((address, i) => {
      const draw =
        i === length - 1 ? "" : ` -m statistic --mode random --probability ${(1 / (length - i)).toFixed(10)}`;
      return [
        `-A ${chain} ${comment}${draw} -j ${endpointChain(shape, i)}`,
        `-A ${endpointChain(shape, i)} ${comment} -s ${address} -j KUBE-MARK-MASQ`,
        `-A ${endpointChain(shape, i)} ${comment} -m tcp -p tcp -j DNAT --to-destination ${address}:8080`,
      ];
    }),
  ];
}
