import type { core } from "@orchernetes/api";
import { isQualifiedName } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext } from "@orchernetes/apiserver";
import { ExpiringCache } from "@orchernetes/auth";
import { messageOf } from "@orchernetes/kernel";
import { deprecatedCertificates } from "../../metrics/deprecated-certificates.ts";
import { endpointOfConfigFile } from "../../webhook/endpoint-of-config-file.ts";
import { createReviewClient, reviewRetry } from "../../webhook/review-client.ts";
import { statusError } from "../../webhook/status-error.ts";
import { isAbout, refusal } from "../shared/attributes.ts";
import type { ConfiguredPlugin, PluginSettings } from "../shared/plugin.ts";
import { type ImageReviewSpec, type ImageReviewStatus, reviewOf, reviewSpecOf, statusIn } from "./image-review.ts";

const name = "ImagePolicyWebhook";
/** Start of the keys of its audit annotations. */
const AUDIT_PREFIX = `${name.toLowerCase()}.image-policy.o8s.io/`;
/** Decisions that are remembered. */
const CACHE_LIMIT = 1024;
/** Time for a review with all its attempts, in milliseconds. */
const TIMEOUT_MS = 30_000;

/**
 * Plugin ImagePolicyWebhook: a service decides by their images which pods may be written, and which ephemeral containers may be added.
 * Decisions are remembered for a time, by images, namespace and the annotations of the pod that are for the service.
 */
export const imagePolicyWebhook: ConfiguredPlugin = {
  name,
  create(settings) {
    const { configuration, logger } = settings;
    const defaultAllow = configuration.ImagePolicyWebhook?.imagePolicy.defaultAllow === true;
    const review = reviewer(settings) ?? unconfigured;
    return {
      name,
      handles: (operation) => operation === "CREATE" || operation === "UPDATE",
      async validate(attributes, context) {
        const spec = specOf(attributes);
        if (spec === undefined) return;
        let status: ImageReviewStatus;
        try {
          status = await review(spec);
        } catch (error) {
          logger.info("An image review failed", { defaultAllow, err: messageOf(error) });
          if (!defaultAllow) throw refusal(attributes, messageOf(error));
          context.annotate(`${AUDIT_PREFIX}failed-open`, "true");
          return;
        }
        annotate(status, context);
        if (!status.allowed) throw refusal(attributes, denial(status));
      },
    };
  },
};

/** What is to be reviewed of a write; undefined if it is about anything but the images of a pod. */
function specOf(attributes: AdmissionAttributes): ImageReviewSpec | undefined {
  const reviewed = isAbout(attributes, "", "pods") || isAbout(attributes, "", "pods", "ephemeralcontainers");
  if (!reviewed || attributes.object === undefined) return undefined;
  return reviewSpecOf(attributes.object as core.Pod, attributes.subresource, attributes.namespace);
}

/** Decides on images. @throws Error when there is no usable answer */
type Reviewer = (spec: ImageReviewSpec) => ImageReviewStatus | Promise<ImageReviewStatus>;

/** The server does not start without a configuration; a plugin without one allows nothing. */
const unconfigured: Reviewer = () => Promise.reject(new Error(`admission plugin ${name} has no configuration`));

/** Asks the service, or remembers. */
function reviewer({ configuration, metrics, clock, signal }: PluginSettings): Reviewer | undefined {
  const { imagePolicy } = configuration.ImagePolicyWebhook ?? {};
  if (imagePolicy === undefined) return undefined;
  const { orchConfigFile, allowTTL, denyTTL, retryBackoff } = imagePolicy;
  const client = createReviewClient({
    ...endpointOfConfigFile(orchConfigFile),
    timeoutMs: TIMEOUT_MS,
    retry: { ...reviewRetry, initialMs: retryBackoff },
    onDeprecated: deprecatedCertificates(metrics, "webhooks"),
    clock,
    signal,
  });
  const cache = new ExpiringCache<ImageReviewStatus>({
    limit: CACHE_LIMIT,
    ttlMs: ({ allowed }) => (allowed ? allowTTL : denyTTL),
    clock,
  });
  return (spec) =>
    cache.get(JSON.stringify(spec), async () => {
      try {
        return statusIn(await client.post("", reviewOf(spec)));
      } catch (error) {
        throw statusError(error);
      }
    });
}

/** Hands the service's annotations on to the audit event; those whose key is none are left out. */
function annotate({ auditAnnotations }: ImageReviewStatus, context: AdmissionContext): void {
  for (const [key, value] of Object.entries(auditAnnotations)) {
    const full = AUDIT_PREFIX + key;
    if (isQualifiedName(full).length === 0) context.annotate(full, value);
  }
}

const denial = ({ reason }: ImageReviewStatus): string =>
  reason === ""
    ? "one or more images rejected by webhook backend"
    : `image policy webhook backend denied one or more images: ${reason}`;
