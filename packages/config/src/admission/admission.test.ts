import { expect, test } from "vitest";
import type { z } from "zod";
import {
  admissionConfigurationSchema,
  ConfigFileError,
  eventRateLimitConfigurationSchema,
  imagePolicyWebhookConfigurationSchema,
  parseConfig,
  podNodeSelectorConfigurationSchema,
  podSecurityConfigurationSchema,
  podTolerationRestrictionConfigurationSchema,
  resourceQuotaConfigurationSchema,
  webhookAdmissionConfigurationSchema,
} from "../index.ts";

function errorsOf(schema: z.ZodType, document: object): readonly string[] {
  try {
    parseConfig(document, schema, "file");
  } catch (error) {
    if (error instanceof ConfigFileError) return error.errors;
    throw error;
  }
  return [];
}

const podSecurity = { apiVersion: "pod-security.admission.config.o8s.io/v1", kind: "PodSecurityConfiguration" };
const quota = { apiVersion: "apiserver.config.o8s.io/v1", kind: "ResourceQuotaConfiguration" };
const rates = { apiVersion: "eventratelimit.admission.o8s.io/v1alpha1", kind: "Configuration" };
const tolerations = { apiVersion: "podtolerationrestriction.admission.o8s.io/v1alpha1", kind: "Configuration" };
const webhooks = { apiVersion: "apiserver.config.o8s.io/v1", kind: "WebhookAdmissionConfiguration" };
const server = { type: "Server", qps: 1, burst: 1 };
const images = (fields: object) => ({ imagePolicy: { orchConfigFile: "/c", ...fields } });
const selectors = (selector: string) => ({ podNodeSelectorPluginConfig: { a: selector } });

test.each<[string, z.ZodType, object, object]>([
  [
    "without a policy every level is the weakest, in its latest version",
    podSecurityConfigurationSchema,
    podSecurity,
    {
      defaults: {
        enforce: "privileged",
        "enforce-version": "latest",
        audit: "privileged",
        "audit-version": "latest",
        warn: "privileged",
        "warn-version": "latest",
      },
      exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
    },
  ],
  [
    "without limited resources nothing needs a quota",
    resourceQuotaConfigurationSchema,
    quota,
    { limitedResources: [] },
  ],
  [
    "a limited resource is of the core group",
    resourceQuotaConfigurationSchema,
    { ...quota, limitedResources: [{ resource: "pods" }] },
    { limitedResources: [{ apiGroup: "", resource: "pods", matchContains: [], matchScopes: [] }] },
  ],
  [
    "4096 buckets are kept",
    eventRateLimitConfigurationSchema,
    { ...rates, limits: [server, { ...server, cacheSize: 0 }, { ...server, cacheSize: 7 }] },
    { limits: [{ cacheSize: 4096 }, { cacheSize: 4096 }, { cacheSize: 7 }] },
  ],
  [
    "approvals of images are remembered for five minutes, refusals for 30 seconds",
    imagePolicyWebhookConfigurationSchema,
    images({}),
    { imagePolicy: { allowTTL: 300_000, denyTTL: 30_000, retryBackoff: 500, defaultAllow: false } },
  ],
  [
    "0 stands for the default and -1 for nothing",
    imagePolicyWebhookConfigurationSchema,
    images({ allowTTL: 0, denyTTL: -1, retryBackoff: -1 }),
    { imagePolicy: { allowTTL: 300_000, denyTTL: 0, retryBackoff: 0 } },
  ],
  [
    "times of images have the units of their fields",
    imagePolicyWebhookConfigurationSchema,
    images({ allowTTL: 1, denyTTL: 1800, retryBackoff: 1 }),
    { imagePolicy: { allowTTL: 1000, denyTTL: 1_800_000, retryBackoff: 1 } },
  ],
  ["webhooks have no credentials", webhookAdmissionConfigurationSchema, webhooks, { orchConfigFile: "" }],
  [
    "any toleration is allowed, and none is added",
    podTolerationRestrictionConfigurationSchema,
    tolerations,
    { default: [], whitelist: [] },
  ],
  ["no namespace has a selector", podNodeSelectorConfigurationSchema, {}, { podNodeSelectorPluginConfig: {} }],
])("defaults: %s", (_name, schema, document, want) => {
  expect(parseConfig(document, schema, "file")).toMatchObject(want);
});

test.each<[string, z.ZodType, object, string]>([
  ["a level", podSecurityConfigurationSchema, { ...podSecurity, defaults: { warn: "strict" } }, "defaults.warn"],
  ...["v1", "1.27", "v1.027", "Latest", "v2.0"].map((version): [string, z.ZodType, object, string] => [
    `version ${version}`,
    podSecurityConfigurationSchema,
    { ...podSecurity, defaults: { "enforce-version": version } },
    "defaults.enforce-version",
  ]),
  [
    "a repeated exemption",
    podSecurityConfigurationSchema,
    { ...podSecurity, exemptions: { usernames: ["a", "b", "a"] } },
    "exemptions.usernames[2]",
  ],
  [
    "an empty user name",
    podSecurityConfigurationSchema,
    { ...podSecurity, exemptions: { usernames: [""] } },
    "exemptions.usernames[0]",
  ],
  [
    "a namespace with dots",
    podSecurityConfigurationSchema,
    { ...podSecurity, exemptions: { namespaces: ["ok", "a.b"] } },
    "exemptions.namespaces[1]",
  ],
  [
    "a long namespace",
    podSecurityConfigurationSchema,
    { ...podSecurity, exemptions: { namespaces: ["a".repeat(63), "a".repeat(64)] } },
    "exemptions.namespaces[1]",
  ],
  [
    "a long runtime class",
    podSecurityConfigurationSchema,
    { ...podSecurity, exemptions: { runtimeClasses: ["a.b", "a".repeat(254)] } },
    "exemptions.runtimeClasses[1]",
  ],
  ["the kind of another version", resourceQuotaConfigurationSchema, { ...quota, kind: "Configuration" }, "kind"],
  [
    "an unknown operator",
    resourceQuotaConfigurationSchema,
    {
      ...quota,
      limitedResources: [{ resource: "pods", matchScopes: [{ scopeName: "PriorityClass", operator: "=" }] }],
    },
    "limitedResources[0].matchScopes[0].operator",
  ],
  ["no limit", eventRateLimitConfigurationSchema, { ...rates, limits: [] }, "limits"],
  ["no rate", eventRateLimitConfigurationSchema, { ...rates, limits: [{ ...server, qps: 0 }] }, "limits[0].qps"],
  ["no burst", eventRateLimitConfigurationSchema, { ...rates, limits: [{ ...server, burst: 0 }] }, "limits[0].burst"],
  [
    "an approval of 31 minutes",
    imagePolicyWebhookConfigurationSchema,
    images({ allowTTL: 1801 }),
    "imagePolicy.allowTTL",
  ],
  ["a time of -2", imagePolicyWebhookConfigurationSchema, images({ denyTTL: -2 }), "imagePolicy.denyTTL"],
  [
    "a pause of six minutes",
    imagePolicyWebhookConfigurationSchema,
    images({ retryBackoff: 300_001 }),
    "imagePolicy.retryBackoff",
  ],
  [
    "a relative path",
    webhookAdmissionConfigurationSchema,
    { ...webhooks, orchConfigFile: "clients.yaml" },
    "orchConfigFile",
  ],
  ["another kind", webhookAdmissionConfigurationSchema, { ...webhooks, kind: "WebhookAdmission" }, "kind"],
  [
    "a toleration of every key without Exists",
    podTolerationRestrictionConfigurationSchema,
    { ...tolerations, default: [{ operator: "Equal" }] },
    "default[0].operator",
  ],
  [
    "a value beside Exists",
    podTolerationRestrictionConfigurationSchema,
    { ...tolerations, whitelist: [{ key: "a", operator: "Exists", value: "b" }] },
    "whitelist[0].value",
  ],
  [
    "seconds for an effect that evicts nothing",
    podTolerationRestrictionConfigurationSchema,
    { ...tolerations, default: [{ key: "a", effect: "NoSchedule", tolerationSeconds: 1 }] },
    "default[0].effect",
  ],
  ...["a", "a=b=c", "=b", "-a=b", "a=b,", "a=-b", "a=b c", `${"a".repeat(64)}=b`, `a=${"b".repeat(64)}`, "/a=b"].map(
    (selector): [string, z.ZodType, object, string] => [
      `selector ${selector}`,
      podNodeSelectorConfigurationSchema,
      selectors(selector),
      "podNodeSelectorPluginConfig.a",
    ],
  ),
  [
    "a plugin without a name",
    admissionConfigurationSchema,
    { apiVersion: "apiserver.config.o8s.io/v1", kind: "AdmissionConfiguration", plugins: [{ name: "" }] },
    "plugins[0].name",
  ],
])("%s is an error with its place", (_name, schema, document, place) => {
  const errors = errorsOf(schema, document);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(`file, field ${place}: `);
});

test.each(["", "a=b", "a=", " region = west , disk=ssd ", "acme.io/pool=x", `${"a".repeat(63)}=${"b".repeat(63)}`])(
  "the node selector %j is accepted",
  (selector) => {
    expect(errorsOf(podNodeSelectorConfigurationSchema, selectors(selector))).toEqual([]);
  },
);
