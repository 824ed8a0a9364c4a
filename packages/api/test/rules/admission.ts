import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from "../../src/admissionregistration/v1/webhook-configurations.ts";
import { validatingAdmissionPolicies } from "../../src/admissionregistration/v1beta1/validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "../../src/admissionregistration/v1beta1/validating-admission-policy-binding.ts";
import { minimal } from "./minimal.ts";
import { rulesOf } from "./rule.ts";

const w = rulesOf("WebhookConfigurations", validatingWebhookConfigurations);
const m = rulesOf("WebhookConfigurations", mutatingWebhookConfigurations);
const { webhooks } = minimal({ ...validatingWebhookConfigurations } as never) as { webhooks: readonly [object] };
const hook = (more: object): object => ({ webhooks: [{ ...webhooks[0], ...more }] });
const at = "webhooks[0]";
const rule = (more: object): object =>
  hook({ rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], ...more }] });
const service = (more: object): object => hook({ clientConfig: { service: { namespace: "n", name: "s", ...more } } });
const url = (text: string): object => hook({ clientConfig: { url: text } });
const condition = { name: "a", expression: "true" };

export const webhookRules = [
  w.rule(
    "webhooks[*].name",
    w.no(
      hook({ name: "a.b" }),
      /^webhooks\[0\]\.name: Invalid value: "a\.b": should be a domain with at least three segments/,
    ),
    w.no({ webhooks: [webhooks[0], webhooks[0]] }, 'webhooks[1].name: Duplicate value: "a.example.com"'),
  ),
  w.rule(
    "webhooks[*].clientConfig",
    w.no(hook({ clientConfig: {} }), `${at}.clientConfig: Required value: exactly one of url or service is required`),
    w.no(
      url("http://a.b"),
      /^webhooks\[0\]\.clientConfig\.url: Invalid value: "http": 'https' is the only allowed URL scheme/,
    ),
    w.no(
      url("https://a.b?c"),
      /^.*clientConfig\.url: Invalid value: .*: query parameters are not permitted in the URL$/,
    ),
    w.no(
      url("https://u@a.b"),
      /^.*clientConfig\.url: Invalid value: .*: user information is not permitted in the URL$/,
    ),
    w.no(url("https://a.b#c"), /^.*clientConfig\.url: Invalid value: .*: fragments are not permitted in the URL$/),
    w.no(service({ name: "" }), `${at}.clientConfig.service.name: Required value: service name is required`),
    w.no(
      service({ port: 0 }),
      `${at}.clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
    ),
    w.no(service({ path: "a" }), `${at}.clientConfig.service.path: Invalid value: "a": must start with a '/'`),
  ),
  w.rule(
    "webhooks[*].rules[*]",
    ...["operations", "apiGroups", "apiVersions", "resources"].map((list) =>
      w.no(rule({ [list]: [] }), `${at}.rules[0].${list}: Required value`),
    ),
    w.no(
      rule({ operations: ["*", "CREATE"] }),
      /^.*operations: Invalid value: .*: if '\*' is present, must not specify other operations$/,
    ),
    w.no(
      rule({ operations: ["READ"] }),
      `${at}.rules[0].operations[0]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`,
    ),
    w.no(
      rule({ scope: "Odd" }),
      `${at}.rules[0].scope: Unsupported value: "Odd": supported values: "*", "Cluster", "Namespaced"`,
    ),
  ),
  w.rule(
    "webhooks[*].failurePolicy",
    w.no(
      hook({ failurePolicy: "Odd" }),
      `${at}.failurePolicy: Unsupported value: "Odd": supported values: "Fail", "Ignore"`,
    ),
  ),
  w.rule(
    "webhooks[*].matchPolicy",
    w.no(
      hook({ matchPolicy: "Odd" }),
      `${at}.matchPolicy: Unsupported value: "Odd": supported values: "Equivalent", "Exact"`,
    ),
  ),
  w.rule(
    "webhooks[*].sideEffects",
    w.no(hook({ sideEffects: undefined }), `${at}.sideEffects: Required value: must specify one of None, NoneOnDryRun`),
    w.no(
      hook({ sideEffects: "Some" }),
      `${at}.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`,
    ),
  ),
  w.rule(
    "webhooks[*].timeoutSeconds",
    ...[0, 31].map((seconds) =>
      w.no(
        hook({ timeoutSeconds: seconds }),
        `${at}.timeoutSeconds: Invalid value: ${seconds}: the timeout value must be between 1 and 30 seconds`,
      ),
    ),
  ),
  w.rule(
    "webhooks[*].admissionReviewVersions",
    w.no(
      hook({ admissionReviewVersions: [] }),
      `${at}.admissionReviewVersions: Required value: must specify one of v1, v1beta1`,
    ),
    w.no(
      hook({ admissionReviewVersions: ["v2"] }),
      `${at}.admissionReviewVersions: Invalid value: []string{"v2"}: must include at least one of v1, v1beta1`,
    ),
    w.no(
      hook({ admissionReviewVersions: ["v1", "v1"] }),
      `${at}.admissionReviewVersions[1]: Invalid value: "v1": duplicate version`,
    ),
  ),
  m.rule(
    "webhooks[*].reinvocationPolicy",
    m.no(
      hook({ reinvocationPolicy: "Odd" }),
      `${at}.reinvocationPolicy: Unsupported value: "Odd": supported values: "IfNeeded", "Never"`,
    ),
  ),
  w.rule(
    "webhooks[*].matchConditions",
    w.no(hook({ matchConditions: [condition, condition] }), `${at}.matchConditions[1].name: Duplicate value: "a"`),
    w.no(
      hook({ matchConditions: Array.from({ length: 65 }, (_, i) => ({ ...condition, name: `c${i}` })) }),
      `${at}.matchConditions: Too many: 65: must have at most 64 items`,
    ),
    w.no(
      hook({ matchConditions: [{ ...condition, name: "-" }] }),
      /^.*matchConditions\[0\]\.name: Invalid value: "-": name part must/,
    ),
  ),
];

const p = rulesOf("ValidatingAdmissionPolicy", validatingAdmissionPolicies);
const b = rulesOf("ValidatingAdmissionPolicy", validatingAdmissionPolicyBindings);
const spec = (more: object): object => ({ spec: more });
const annotation = (more: object): object => ({ key: "k", valueExpression: "'v'", ...more });
export const policyRules = [
  p.rule(
    "spec.validations, auditAnnotations",
    p.no(
      spec({ validations: [] }),
      "spec.validations: Required value: validations or auditAnnotations must be provided",
    ),
    p.no(
      spec({ auditAnnotations: Array.from({ length: 21 }, (_, i) => annotation({ key: `k${i}` })) }),
      /^spec\.auditAnnotations: Invalid value: .*: must not have more than 20 auditAnnotations$/,
    ),
    p.no(
      spec({ auditAnnotations: [annotation({ valueExpression: "x".repeat(5121) })] }),
      "spec.auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length",
    ),
  ),
  p.rule(
    "spec.matchConstraints.resourceRules",
    p.no(spec({ matchConstraints: { resourceRules: [] } }), "spec.matchConstraints.resourceRules: Required value"),
  ),
  p.rule(
    "spec.failurePolicy",
    p.no(
      spec({ failurePolicy: "Odd" }),
      'spec.failurePolicy: Unsupported value: "Odd": supported values: "Fail", "Ignore"',
    ),
  ),
  p.rule(
    "validations[*].reason",
    p.no(
      spec({ validations: [{ expression: "true", reason: "Odd" }] }),
      'spec.validations[0].reason: Unsupported value: "Odd": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"',
    ),
  ),
  b.rule("binding spec.policyName", b.no(spec({ policyName: "" }), "spec.policyName: Required value")),
  b.rule(
    "binding spec.validationActions",
    b.no(spec({ validationActions: [] }), "spec.validationActions: Required value"),
    b.no(spec({ validationActions: ["Deny", "Deny"] }), 'spec.validationActions[1]: Duplicate value: "Deny"'),
    b.no(
      spec({ validationActions: ["Deny", "Warn"] }),
      /^spec\.validationActions: Invalid value: .*: must not contain both Deny and Warn/,
    ),
  ),
];
