import { admissionregistration, type apiextensions } from "@orchernetes/api";
import { type FieldError, type FieldPath, field, isDns1035Label } from "@orchernetes/apimachinery";

type Conversion = apiextensions.CustomResourceConversion;

const strategies = ["None", "Webhook"];
/** Versions of ConversionReview that this server understands. */
const reviewVersions: ReadonlySet<string> = new Set(["v1", "v1beta1"]);

/**
 * What is wrong with how versions are converted. Kubernetes names fields as in its internal types, without `webhook`.
 *
 * @param old what is stored; undefined for a new definition
 */
export function conversionErrors(
  conversion: Conversion | undefined,
  path: FieldPath,
  old: Conversion | undefined,
): readonly FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  if ((strategy as string) === "") return [field.required(path.child("strategy"))];
  const errors = strategies.includes(strategy)
    ? []
    : [field.notSupported(path.child("strategy"), strategy, strategies)];
  const clientPath = path.child("webhookClientConfig");
  const versionsPath = path.child("conversionReviewVersions");
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    if (webhook?.clientConfig !== undefined) errors.push(field.forbidden(clientPath, detail));
    if (versions.length > 0) errors.push(field.forbidden(versionsPath, detail));
    return errors;
  }
  const clientErrors =
    webhook?.clientConfig === undefined
      ? [field.required(clientPath, "required when strategy is set to Webhook")]
      : admissionregistration.validateWebhookClientConfig(webhook.clientConfig, clientPath);
  return [...errors, ...clientErrors, ...reviewErrors(versions, versionsPath, !isUnrecognized(old))];
}

/** Whether no stored version of reviews is known, which an update may keep: a newer server may have accepted it. */
function isUnrecognized(old: Conversion | undefined): boolean {
  const versions = old?.webhook?.conversionReviewVersions ?? [];
  return versions.length > 0 && !versions.some((version) => reviewVersions.has(version));
}

/** Versions may be unknown to this server, for newer ones, but one of them must be known. */
function reviewErrors(versions: readonly string[], path: FieldPath, mustBeRecognized: boolean): readonly FieldError[] {
  if (versions.length === 0) return [field.required(path, "")];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) {
      errors.push(field.invalid(path.index(i), version, "duplicate version"));
      continue;
    }
    seen.add(version);
    for (const message of isDns1035Label(version)) errors.push(field.invalid(path.index(i), version, message));
  }
  if (mustBeRecognized && !versions.some((version) => reviewVersions.has(version)))
    errors.push(field.invalid(path, versions, `must include at least one of ${[...reviewVersions].join(", ")}`));
  return errors;
}
