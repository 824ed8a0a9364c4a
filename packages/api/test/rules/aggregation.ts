import { apiServices } from "../../src/apiregistration/v1/api-service.ts";
import { rulesOf } from "./rule.ts";

const a = rulesOf("APIService", apiServices);
const spec = (more: object): object => ({ spec: more });
const service = { namespace: "n", name: "s" };
const groupDetail = "must be positive and less than 20000";
const versionDetail = "must be positive and less than 1000";

export const apiServiceRules = [
  a.rule(
    "metadata.name",
    a.named("path"),
    a.no(
      { metadata: { name: "x" } },
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.example.com"',
    ),
    a.fixed(
      {},
      spec({ group: "b.example.com" }),
      'metadata.name: Invalid value: "v1.example.com": must be `spec.version+"."+spec.group`: "v1.b.example.com"',
    ),
    a.ok({ metadata: { name: "v1." }, spec: { group: "" } }),
    a.no(
      { metadata: { name: "v2." }, spec: { group: "", version: "v2" } },
      "spec.group: Required value: only v1 may have an empty group: the core one",
    ),
    a.no(
      { metadata: { name: "v1.A_b" }, spec: { group: "A_b" } },
      /^spec\.group: Invalid value: "A_b": a lowercase RFC 1123/,
    ),
    a.no(
      { metadata: { name: "1.example.com" }, spec: { version: "1" } },
      /^spec\.version: Invalid value: "1": a DNS-1035 label/,
    ),
  ),
  a.rule(
    "spec.groupPriorityMinimum",
    a.ok(spec({ groupPriorityMinimum: 20_000, versionPriority: 1000 })),
    a.no(spec({ groupPriorityMinimum: 0 }), `spec.groupPriorityMinimum: Invalid value: 0: ${groupDetail}`),
    a.no(spec({ groupPriorityMinimum: 20_001 }), `spec.groupPriorityMinimum: Invalid value: 20001: ${groupDetail}`),
    a.no(spec({ versionPriority: -1 }), `spec.versionPriority: Invalid value: -1: ${versionDetail}`),
    a.no(spec({ versionPriority: 1001 }), `spec.versionPriority: Invalid value: 1001: ${versionDetail}`),
  ),
  a.rule(
    "spec.service",
    a.ok(spec({ service, caBundle: "YQ==" })),
    a.ok(spec({ service, insecureSkipTLSVerify: true })),
    a.no(
      spec({ service, caBundle: "YQ==", insecureSkipTLSVerify: true }),
      "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
    ),
    a.no(
      spec({ caBundle: "YQ==" }),
      'spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle',
    ),
    a.no(
      spec({ insecureSkipTLSVerify: true }),
      "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
    ),
    a.no(spec({ service: { name: "s" } }), "spec.service.namespace: Required value"),
    a.no(spec({ service: { namespace: "n" } }), "spec.service.name: Required value"),
    a.no(
      spec({ service: { ...service, port: 65_536 } }),
      "spec.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive",
    ),
    a.noStatus(
      { conditions: [{ type: "Available", status: "Perhaps" }] },
      'status.conditions[0].status: Unsupported value: "Perhaps": supported values: "True", "False", "Unknown"',
    ),
  ),
];
