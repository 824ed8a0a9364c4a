import type { apiextensions } from "@orchernetes/api";
import { type FieldError, type FieldPath, field, isDns1035Label } from "@orchernetes/apimachinery";

const strategies = ["None", "Webhook"];
const reviewVersions: ReadonlySet<string> = new Set(["v1", "v1beta1"]);

/** What is wrong with how versions are converted. */
export function conversionErrors(
  conversion: apiextensions.CustomResourceConversion | undefined,
  path: FieldPath,
): readonly FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  if ((strategy as string) === "") return [field.required(path.child("strategy"))];
  if (!strategies.includes(strategy)) return [field.notSupported(path.child("strategy"), strategy, strategies)];
  const at = path.child("webhook");
  if (strategy === "None") {
    if (webhook === undefined) return [];
    return [field.forbidden(at, "should not be set when strategy is not set to Webhook")];
  }
  const clientConfig = webhook?.clientConfig;
  const errors =
    clientConfig === undefined
      ? [field.required(at.child("clientConfig"), "required when strategy is set to Webhook")]
      : clientErrors(clientConfig, at.child("clientConfig"));
  return [...errors, ...reviewErrors(webhook?.conversionReviewVersions ?? [], at.child("conversionReviewVersions"))];
}

function reviewErrors(versions: readonly string[], path: FieldPath): readonly FieldError[] {
  if (versions.length === 0) return [field.required(path, "")];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const messages = isDns1035Label(version);
    if (messages.length > 0) errors.push(field.invalid(path.index(i), version, messages.join(",")));
    if (seen.has(version)) errors.push(field.invalid(path.index(i), version, "duplicate version"));
    seen.add(version);
  }
  if (!versions.some((version) => reviewVersions.has(version)))
    errors.push(field.invalid(path, versions, `must include at least one of ${[...reviewVersions].join(", ")}`));
  return errors;
}

function clientErrors(config: apiextensions.WebhookClientConfig, path: FieldPath): readonly FieldError[] {
  const { url, service } = config;
  if ((url === undefined) === (service === undefined))
    return [field.required(path, "exactly one of url or service is required")];
  if (url !== undefined) {
    if (!URL.canParse(url)) return [field.required(path.child("url"), "url must be a valid URL")];
    const parsed = new URL(url);
    const urlErrors: FieldError[] = [];
    const at = path.child("url");
    if (parsed.protocol !== "https:")
      urlErrors.push(field.invalid(at, parsed.protocol.slice(0, -1), "'https' is the only allowed URL scheme"));
    if (parsed.username !== "")
      urlErrors.push(field.invalid(at, parsed.username, "user information is not permitted in the URL"));
    if (parsed.hash !== "") urlErrors.push(field.invalid(at, parsed.hash, "fragments are not permitted in the URL"));
    if (parsed.search !== "")
      urlErrors.push(field.invalid(at, parsed.search, "query parameters are not permitted in the URL"));
    return urlErrors;
  }
  if (service === undefined) return [];
  const at = path.child("service");
  const errors: FieldError[] = [];
  if (service.name === "") errors.push(field.required(at.child("name"), "service name is required"));
  if (service.namespace === "") errors.push(field.required(at.child("namespace"), "service namespace is required"));
  if (service.port !== undefined && (service.port < 1 || service.port > 65535))
    errors.push(
      field.invalid(at.child("port"), service.port, "port is not valid: must be between 1 and 65535, inclusive"),
    );
  if (service.path !== undefined && !service.path.startsWith("/"))
    errors.push(field.invalid(at.child("path"), service.path, "must start with a '/'"));
  return errors;
}
