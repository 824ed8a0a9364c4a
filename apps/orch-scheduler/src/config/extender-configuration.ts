import { core } from "@orchernetes/api";
import { isQualifiedName } from "@orchernetes/apimachinery";
import { values } from "@orchernetes/config";
import { z } from "zod";
import { requireQualifiedName } from "./argument-values.ts";

const { duration, int64 } = values;

const bytes = () => z.base64("want base64").optional();

const tlsConfig = z.strictObject({
  insecure: z.boolean().default(false),
  serverName: z.string().default(""),
  certFile: z.string().default(""),
  keyFile: z.string().default(""),
  caFile: z.string().default(""),
  certData: bytes(),
  keyData: bytes(),
  caData: bytes(),
});

const managedResource = z.strictObject({
  name: z.string().superRefine((name, context) => {
    requireQualifiedName(name, context);
    if (isQualifiedName(name).length === 0 && !core.isExtendedResource(name))
      context.addIssue({ code: "custom", message: "is an invalid extended resource name" });
  }),
  ignoredByScheduler: z.boolean().default(false),
});

/**
 * Schema of an extender: a service that takes part in decisions over HTTP. It is not called for a verb that is empty. `httpTimeout`
 * is in milliseconds; 0 is 5 seconds.
 */
const extender = z
  .strictObject({
    urlPrefix: z.string().refine(isHttpUrl, "want a URL such as http://127.0.0.1:8080/scheduler"),
    filterVerb: z.string().default(""),
    preemptVerb: z.string().default(""),
    prioritizeVerb: z.string().default(""),
    weight: int64().default(0),
    bindVerb: z.string().default(""),
    enableHTTPS: z.boolean().default(false),
    tlsConfig: tlsConfig.optional(),
    httpTimeout: duration({ minMs: 0 }).prefault("5s"),
    nodeCacheCapable: z.boolean().default(false),
    managedResources: z.array(managedResource).default([]),
    ignorable: z.boolean().default(false),
  })
  .superRefine(({ prioritizeVerb, weight, tlsConfig: tls }, context) => {
    if (prioritizeVerb !== "" && weight <= 0)
      context.addIssue({ code: "custom", path: ["weight"], message: "must have a positive weight applied to it" });
    if (tls === undefined) return;
    const hasCert = tls.certFile !== "" || tls.certData !== undefined;
    const hasKey = tls.keyFile !== "" || tls.keyData !== undefined;
    if (hasCert !== hasKey)
      context.addIssue({
        code: "custom",
        path: ["tlsConfig", hasCert ? "keyFile" : "certFile"],
        message: "want a certificate and its key, or neither",
      });
    if (tls.insecure && (tls.caFile !== "" || tls.caData !== undefined))
      context.addIssue({
        code: "custom",
        path: ["tlsConfig", "insecure"],
        message: "specifying a root certificates file with the insecure flag is not allowed",
      });
  });

function isHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "http:" || url?.protocol === "https:";
}

/** Schema of the list of extenders. */
export const extenders = z
  .array(extender)
  .default([])
  .superRefine((list, context) => {
    const binders = list.filter(({ bindVerb }) => bindVerb !== "").length;
    if (binders > 1)
      context.addIssue({
        code: "custom",
        message: `found ${binders} extenders implementing bind: only one extender can implement bind`,
      });
    const seen = new Set<string>();
    for (const [i, { managedResources }] of list.entries())
      for (const [j, { name }] of managedResources.entries()) {
        if (seen.has(name))
          context.addIssue({
            code: "custom",
            path: [i, "managedResources", j, "name"],
            message: "duplicate extender managed resource name",
          });
        seen.add(name);
      }
  });
