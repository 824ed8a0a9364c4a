import { horizontalPodAutoscalers } from "../../src/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { ingresses } from "../../src/networking/v1/ingress.ts";
import { ingressClasses } from "../../src/networking/v1/ingress-class.ts";
import { networkPolicies } from "../../src/networking/v1/network-policy.ts";
import { podDisruptionBudgets } from "../../src/policy/v1/pod-disruption-budget.ts";
import { without } from "../support.ts";
import { notNegative } from "../workloads.ts";
import { rulesOf } from "./rule.ts";

const spec = (more: object): object => ({ spec: more });
const subdomain = /^.*: Invalid value: "A": a lowercase RFC 1123 subdomain/;

const h = rulesOf("HorizontalPodAutoscaler", horizontalPodAutoscalers);
const metric = (more: object): object => spec({ metrics: [more] });
const cpu = (target: object): object => metric({ type: "Resource", resource: { name: "cpu", target } });
const queue = (target: object): object => metric({ type: "External", external: { metric: { name: "q" }, target } });
const up = (more: object): object => spec({ behavior: { scaleUp: more } });
const policy = { type: "Pods", value: 1, periodSeconds: 1 };
export const autoscalerRules = [
  h.rule(
    "spec.minReplicas",
    h.no(
      spec({ minReplicas: 0 }),
      "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
      without("HPAScaleToZero"),
    ),
    h.no(
      spec({ minReplicas: 0 }),
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
    ),
  ),
  h.rule(
    "spec.maxReplicas",
    h.no(spec({ maxReplicas: 0 }), "spec.maxReplicas: Invalid value: 0: must be greater than 0"),
    h.no(
      spec({ minReplicas: 4 }),
      "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`",
    ),
  ),
  h.rule(
    "spec.scaleTargetRef",
    h.no(spec({ scaleTargetRef: { kind: "" } }), "spec.scaleTargetRef.kind: Required value"),
    h.no(
      spec({ scaleTargetRef: { name: "a/b" } }),
      "spec.scaleTargetRef.name: Invalid value: \"a/b\": may not contain '/'",
    ),
  ),
  h.rule(
    "spec.metrics[*]",
    h.no(
      metric({ type: "Odd" }),
      'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ),
    h.no(
      metric({ type: "Pods" }),
      "spec.metrics[0].pods: Required value: must populate information for the given metric source",
    ),
    h.no(
      metric({
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1 } },
        pods: { metric: { name: "p" }, target: { type: "AverageValue", averageValue: "1" } },
      }),
      "spec.metrics[0].pods: Forbidden: must populate the given metric source only",
    ),
  ),
  h.rule(
    "metric.target",
    h.no(
      cpu({ type: "Odd", averageUtilization: 1 }),
      'spec.metrics[0].resource.target.type: Invalid value: "Odd": must be either Utilization, Value, or AverageValue',
    ),
    h.no(
      cpu({ type: "Utilization", averageUtilization: 0 }),
      "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
    ),
    h.no(
      cpu({ type: "Utilization", averageUtilization: 1, averageValue: "1" }),
      "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization",
    ),
    h.no(
      queue({ type: "Value" }),
      "spec.metrics[0].external.target.averageValue: Required value: must set either a target value for metric or a per-pod target",
    ),
    h.no(
      queue({ type: "Value", value: "0" }),
      'spec.metrics[0].external.target.value: Invalid value: "0": must be positive',
    ),
  ),
  h.rule(
    "spec.behavior.scaleUp/Down",
    h.no(
      up({ stabilizationWindowSeconds: 3601, policies: [policy] }),
      "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
    ),
    h.no(
      up({ policies: [policy], selectPolicy: "Odd" }),
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Odd": supported values: "Disabled", "Max", "Min"',
    ),
    h.no(
      up({ policies: [{ ...policy, periodSeconds: 1801 }] }),
      "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
    ),
    h.no(
      up({ policies: [{ ...policy, value: 0 }] }),
      "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
    ),
  ),
];

const b = rulesOf("PodDisruptionBudget", podDisruptionBudgets);
export const budgetRules = [
  b.rule(
    "spec.minAvailable, maxUnavailable",
    b.no(
      spec({ minAvailable: 1, maxUnavailable: 1 }),
      /^spec: Invalid value: .*: minAvailable and maxUnavailable cannot be both set$/,
    ),
    b.no(spec({ minAvailable: -1 }), notNegative("spec.minAvailable")),
    b.no(spec({ maxUnavailable: "101%" }), /^spec\.maxUnavailable: Invalid value: .*: must not be greater than 100%$/),
  ),
  b.rule("spec.selector", b.ok(spec({ selector: {} })), b.ok(spec({}))),
  b.rule(
    "spec.unhealthyPodEvictionPolicy",
    b.no(
      spec({ unhealthyPodEvictionPolicy: "Odd" }),
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "Odd": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ),
  ),
  b.rule("update", b.free({}, spec({ minAvailable: 1, selector: { matchLabels: { a: "b" } } }))),
];

const i = rulesOf("Ingress", ingresses);
const backend = { service: { name: "s", port: { number: 80 } } };
const http = (more: object): object =>
  spec({ rules: [{ http: { paths: [{ path: "/", pathType: "Prefix", backend, ...more }] } }] });
const path0 = "spec.rules[0].http.paths[0]";
const className = "orchernetes.io/ingress.class";
export const ingressRules = [
  i.rule(
    "spec",
    i.no(
      spec({ defaultBackend: null }),
      /^spec: Invalid value: .*: either `defaultBackend` or `rules` must be specified$/,
    ),
  ),
  i.rule(
    "spec.rules[*].host",
    i.ok(spec({ rules: [{ host: "*.a.b" }] })),
    i.no(
      spec({ rules: [{ host: "1.1.1.1" }] }),
      'spec.rules[0].host: Invalid value: "1.1.1.1": must be a DNS name, not an IP address',
    ),
    i.no(
      spec({ rules: [{ host: "a.*.b" }] }),
      /^spec\.rules\[0\]\.host: Invalid value: "a\.\*\.b": a wildcard DNS-1123 subdomain must/,
    ),
  ),
  i.rule(
    "spec.rules[*].http.paths",
    i.no(spec({ rules: [{ http: { paths: [] } }] }), "spec.rules[0].http.paths: Required value"),
    i.no(http({ pathType: null }), `${path0}.pathType: Required value: pathType must be specified`),
    i.no(
      http({ pathType: "Odd" }),
      `${path0}.pathType: Unsupported value: "Odd": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
    ),
    i.no(http({ path: "a" }), `${path0}.path: Invalid value: "a": must be an absolute path`),
    ...["//", "/./", "/../", "%2f", "%2F"].map((bad) =>
      i.no(http({ path: `/a${bad}b` }), `${path0}.path: Invalid value: "/a${bad}b": must not contain '${bad}'`),
    ),
    ...["/..", "/."].map((end) =>
      i.no(http({ path: `/a${end}` }), `${path0}.path: Invalid value: "/a${end}": cannot end with '${end}'`),
    ),
  ),
  i.rule(
    "backend",
    i.no(http({ backend: {} }), `${path0}.backend: Invalid value: "": resource or service backend is required`),
    i.no(
      http({ backend: { ...backend, resource: { kind: "K", name: "n" } } }),
      `${path0}.backend: Invalid value: "": cannot set both resource and service backends`,
    ),
    i.no(
      http({ backend: { service: { name: "s", port: { number: 80, name: "a" } } } }),
      `${path0}.backend: Invalid value: "": cannot set both port name & port number`,
    ),
    i.no(
      http({ backend: { service: { name: "s", port: {} } } }),
      `${path0}.backend: Required value: port name or number is required`,
    ),
  ),
  i.rule(
    "spec.tls[*]",
    i.no(spec({ tls: [{ hosts: ["A"] }] }), subdomain),
    i.no(spec({ tls: [{ secretName: "A" }] }), subdomain),
  ),
  i.rule(
    "spec.ingressClassName",
    i.no(spec({ ingressClassName: "A" }), subdomain),
    i.no(
      { metadata: { annotations: { [className]: "a" } }, spec: { ingressClassName: "b" } },
      `annotations.${className}: Invalid value: "a": must match \`ingressClassName\` when both are specified`,
    ),
  ),
];

const c = rulesOf("IngressClass", ingressClasses);
const parameters = (more: object): object => spec({ parameters: { kind: "K", name: "n", ...more } });
export const ingressClassRules = [
  c.rule(
    "spec.controller",
    c.no(spec({ controller: `a.b/${"x".repeat(250)}` }), "spec.controller: Too long: must have at most 250 bytes"),
    c.no(spec({ controller: "a" }), /^spec\.controller: Invalid value: "a": must be a domain-prefixed path/),
    c.fixed({}, spec({ controller: "a.b/c" }), 'spec.controller: Invalid value: "a.b/c": field is immutable'),
  ),
  c.rule(
    "spec.parameters",
    c.no(parameters({ kind: "" }), "spec.parameters.kind: Required value"),
    c.no(
      parameters({ scope: "Odd" }),
      'spec.parameters.scope: Unsupported value: "Odd": supported values: "Cluster", "Namespace"',
    ),
    c.no(
      parameters({ scope: "Namespace" }),
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ),
    c.no(
      parameters({ namespace: "a" }),
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ),
  ),
];

const n = rulesOf("NetworkPolicy", networkPolicies);
const port = (more: object): object => spec({ ingress: [{ ports: [more] }] });
const peer = (more: object): object => spec({ ingress: [{ from: [more] }] });
const block = (more: object): object => peer({ ipBlock: { cidr: "10.0.0.0/8", ...more } });
export const networkPolicyRules = [
  n.rule(
    "spec.ingress[*].ports[*]",
    n.no(
      port({ protocol: "X" }),
      'spec.ingress[0].ports[0].protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"',
    ),
    n.no(port({ port: 0 }), /^spec\.ingress\[0\]\.ports\[0\]\.port: Invalid value: 0: must be between 1 and 65535/),
    n.no(
      port({ port: 5, endPort: 4 }),
      "spec.ingress[0].ports[0].endPort: Invalid value: 4: must be greater than or equal to `port`",
    ),
    n.no(
      port({ port: "a", endPort: 4 }),
      "spec.ingress[0].ports[0].endPort: Invalid value: 4: may not be specified when `port` is non-numeric",
    ),
    n.no(
      port({ endPort: 4 }),
      "spec.ingress[0].ports[0].endPort: Invalid value: 4: may not be specified when `port` is not specified",
    ),
  ),
  n.rule(
    "peers",
    n.no(peer({}), "spec.ingress[0].from[0]: Required value: must specify a peer"),
    n.no(
      peer({ ipBlock: { cidr: "10.0.0.0/8" }, podSelector: {} }),
      "spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer",
    ),
  ),
  n.rule(
    "ipBlock",
    n.no(block({ cidr: "" }), "spec.ingress[0].from[0].ipBlock.cidr: Required value"),
    n.no(block({ cidr: "x" }), 'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "x": not a valid CIDR'),
    n.no(
      block({ except: ["11.0.0.0/9"] }),
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/9": must be a strict subset of `cidr`',
    ),
  ),
  n.rule(
    "spec.policyTypes",
    n.no(
      spec({ policyTypes: ["Odd"] }),
      'spec.policyTypes[0]: Unsupported value: "Odd": supported values: "Ingress", "Egress"',
    ),
    n.no(
      spec({ policyTypes: ["Ingress", "Egress", "Ingress"] }),
      /^spec\.policyTypes: Invalid value: .*: may not specify more than two policyTypes$/,
    ),
  ),
];
