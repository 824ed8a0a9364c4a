import { endpoints } from "../../src/core/v1/endpoints.ts";
import { services } from "../../src/core/v1/service.ts";
import { endpointSlices } from "../../src/discovery/v1/endpoint-slice.ts";
import { rulesOf } from "./rule.ts";

const { rule, no, ok, fixed, free, noStatus, named } = rulesOf("Service", services);
const spec = (more: object): object => ({ spec: more });
const port = (more: object): object => spec({ ports: [{ port: 80, ...more }] });
const qualified = /^.*: Invalid value: ".*": name part must/;
const only = "Forbidden: may only be used when `type` is 'LoadBalancer'";

export const serviceRules = [
  rule("metadata.name", named("dns-1035-label")),
  rule(
    "spec.ports",
    no(spec({ ports: [] }), "spec.ports: Required value"),
    ok(spec({ ports: [], clusterIP: "None" })),
    ok(spec({ ports: [], type: "ExternalName", externalName: "a.b" })),
  ),
  rule(
    "spec.ports[*].name",
    no(spec({ ports: [{ port: 1 }, { port: 2, name: "b" }] }), "spec.ports[0].name: Required value"),
    no(
      spec({
        ports: [
          { port: 1, name: "b" },
          { port: 2, name: "b" },
        ],
      }),
      'spec.ports[1].name: Duplicate value: "b"',
    ),
  ),
  rule(
    "spec.ports[*].port",
    no(port({ port: 0 }), "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"),
    no(
      spec({
        ports: [
          { port: 1, name: "a" },
          { port: 1, name: "b" },
        ],
      }),
      /^spec\.ports\[1\]: Duplicate value: core\.ServicePort\{/,
    ),
  ),
  rule(
    "spec.ports[*].targetPort",
    no(port({ targetPort: "-" }), /^spec\.ports\[0\]\.targetPort: Invalid value: "-": /),
  ),
  rule(
    "spec.ports[*].nodePort",
    no(port({ nodePort: 30000 }), "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"),
    no(
      spec({
        type: "NodePort",
        ports: [
          { port: 1, name: "a", nodePort: 30000 },
          { port: 2, name: "b", nodePort: 30000 },
        ],
      }),
      "spec.ports[1].nodePort: Duplicate value: 30000",
    ),
  ),
  rule(
    "spec.ports[*].protocol",
    no(
      port({ protocol: "X" }),
      'spec.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
    ),
  ),
  rule("spec.ports[*].appProtocol", no(port({ appProtocol: "-" }), qualified)),
  rule(
    "spec.type",
    no(
      spec({ type: "Odd" }),
      'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ),
  ),
  rule(
    "spec.clusterIP, clusterIPs",
    no(
      spec({ clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.2"] }),
      'spec.clusterIPs: Invalid value: []string{"10.0.0.2"}: first value must match `clusterIP`',
    ),
    no(
      spec({ type: "NodePort", clusterIP: "None" }),
      "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services",
    ),
    fixed(
      spec({ clusterIP: "10.0.0.1" }),
      spec({ clusterIP: "10.0.0.2", clusterIPs: ["10.0.0.2"] }),
      'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.2"}: may not change once set',
    ),
  ),
  rule(
    "spec.ipFamilies",
    no(
      spec({ ipFamilies: ["IPv5"] }),
      'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    ),
    no(spec({ ipFamilies: ["IPv4", "IPv4"] }), 'spec.ipFamilies[1]: Duplicate value: "IPv4"'),
  ),
  rule(
    "spec.ipFamilyPolicy",
    no(
      spec({ ipFamilyPolicy: "Odd" }),
      'spec.ipFamilyPolicy: Unsupported value: "Odd": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ),
  ),
  rule(
    "spec.externalName",
    no(spec({ type: "ExternalName" }), "spec.externalName: Required value"),
    no(
      spec({ type: "ExternalName", externalName: "A" }),
      /^spec\.externalName: Invalid value: "A": a lowercase RFC 1123 subdomain/,
    ),
  ),
  rule(
    "spec.externalIPs[*]",
    no(
      spec({ externalIPs: ["127.0.0.1"] }),
      /^spec\.externalIPs\[0\]: Invalid value: "127.0.0.1": may not be in the loopback range/,
    ),
    no(spec({ externalIPs: ["x"] }), /^spec\.externalIPs\[0\]: Invalid value: "x": must be a valid IP address/),
  ),
  rule(
    "spec.sessionAffinity",
    no(
      spec({ sessionAffinity: "Odd" }),
      'spec.sessionAffinity: Unsupported value: "Odd": supported values: "ClientIP", "None"',
    ),
  ),
  rule(
    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
    no(
      spec({ sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } }),
      "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400",
    ),
  ),
  rule(
    "spec.externalTrafficPolicy",
    no(
      spec({ externalTrafficPolicy: "Local" }),
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ),
  ),
  rule(
    "spec.internalTrafficPolicy",
    no(
      spec({ internalTrafficPolicy: "Odd" }),
      'spec.internalTrafficPolicy: Unsupported value: "Odd": supported values: "Cluster", "Local"',
    ),
  ),
  rule(
    "spec.healthCheckNodePort",
    no(
      spec({ healthCheckNodePort: 30000 }),
      "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ),
    fixed(
      spec({ type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30000 }),
      spec({ healthCheckNodePort: 30001 }),
      "spec.healthCheckNodePort: Forbidden: field is immutable",
    ),
  ),
  rule(
    "spec.loadBalancerSourceRanges[*]",
    no(spec({ loadBalancerSourceRanges: ["10.0.0.0/8"] }), `spec.LoadBalancerSourceRanges: ${only}`),
    no(
      spec({ type: "LoadBalancer", loadBalancerSourceRanges: ["x"] }),
      /^spec\.LoadBalancerSourceRanges: Invalid value: "\[x\]": must be a list of IP ranges\. /,
    ),
  ),
  rule(
    "spec.loadBalancerClass",
    no(spec({ loadBalancerClass: "a" }), `spec.loadBalancerClass: ${only}`),
    fixed(
      spec({ type: "LoadBalancer", loadBalancerClass: "a" }),
      spec({ loadBalancerClass: "b" }),
      'spec.loadBalancerClass: Invalid value: "b": may not change once set',
    ),
  ),
  rule(
    "spec.allocateLoadBalancerNodePorts",
    no(spec({ allocateLoadBalancerNodePorts: true }), `spec.allocateLoadBalancerNodePorts: ${only}`),
  ),
  rule("spec.selector", no(spec({ selector: { "-": "a" } }), qualified)),
  rule(
    "status.loadBalancer.ingress[*]",
    noStatus(
      { loadBalancer: { ingress: [{ ip: "x" }] } },
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address',
    ),
    noStatus(
      { loadBalancer: { ingress: [{ hostname: "1.1.1.1" }] } },
      'status.loadBalancer.ingress[0].hostname: Invalid value: "1.1.1.1": must be a DNS name, not an IP address',
    ),
  ),
  rule(
    "clear on type change",
    free(spec({ type: "NodePort", ports: [{ port: 80, nodePort: 30000 }] }), spec({ type: "ClusterIP" })),
  ),
];

const e = rulesOf("Endpoints", endpoints);
const subset = (more: object): object => ({ subsets: [{ addresses: [{ ip: "10.0.0.1" }], ...more }] });
export const endpointsRules = [
  e.rule(
    "subsets[*]",
    e.no(subset({ addresses: [] }), "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"),
    e.no(
      subset({ addresses: [{ ip: "0.0.0.0" }] }),
      'subsets[0].addresses[0].ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0 or ::)',
    ),
    e.no(subset({ ports: [{ port: 1 }, { port: 2 }] }), "subsets[0].ports[0].name: Required value"),
    e.no(
      subset({ ports: [{ port: 0 }] }),
      "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    ),
  ),
];

const s = rulesOf("EndpointSlice", endpointSlices);
const one = (more: object): object => ({ endpoints: [{ addresses: ["10.0.0.1"], ...more }] });
const many = (length: number) => Array.from({ length }, (_, i) => ({ addresses: [`10.0.${i >> 8}.${i & 255}`] }));
export const endpointSliceRules = [
  s.rule(
    "addressType",
    s.no({ addressType: "Odd" }, 'addressType: Unsupported value: "Odd": supported values: "FQDN", "IPv4", "IPv6"'),
    s.fixed({}, { addressType: "IPv6" }, 'addressType: Invalid value: "IPv6": field is immutable'),
  ),
  s.rule(
    "endpoints",
    s.no({ endpoints: many(1001) }, "endpoints: Too many: 1001: must have at most 1000 items"),
    s.no(one({ addresses: [] }), "endpoints[0].addresses: Required value: must contain at least 1 address"),
    s.no(one({ nodeName: "A" }), /^endpoints\[0\]\.nodeName: Invalid value: "A": /),
    s.no(
      one({ hints: { forZones: Array.from({ length: 9 }, (_, i) => ({ name: `z${i}` })) } }),
      "endpoints[0].hints.forZones: Too many: 9: must have at most 8 items",
    ),
  ),
  s.rule(
    "ports",
    s.no(
      {
        ports: [
          { port: 1, name: "a" },
          { port: 2, name: "a" },
        ],
      },
      'ports[1].name: Duplicate value: "a"',
    ),
    s.no(
      { ports: [{ port: 1, protocol: "X" }] },
      'ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
    ),
  ),
];
