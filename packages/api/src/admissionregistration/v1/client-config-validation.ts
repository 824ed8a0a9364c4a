import { type FieldError, type FieldPath, field, isDns1123Subdomain } from "@orchernetes/apimachinery";

/** The address of a webhook, of admission or of conversion. */
interface ClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      }
    | undefined;
}

const form = "; desired format: https://host[/path]";

/** Validates the client configuration of a webhook. */
export function validateWebhookClientConfig({ url, service }: ClientConfig, path: FieldPath): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [field.required(path, "exactly one of url or service is required")];
  }
  return service === undefined
    ? validateUrl(url ?? "", path.child("url"))
    : validateService(service, path.child("service"));
}

/** Validates a URL: HTTPS, without user, query and fragment, which would not be sent as the administrator expects. */
function validateUrl(text: string, path: FieldPath): FieldError[] {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return [field.required(path, `url must be a valid URL${form}`)];
  }
  const errors: FieldError[] = [];
  if (url.protocol !== "https:") {
    errors.push(field.invalid(path, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`));
  }
  if (url.host === "") errors.push(field.invalid(path, "", `host must be specified${form}`));
  const user = /^[^/]*\/\/([^/?#]*)@/.exec(text)?.[1];
  if (user !== undefined) errors.push(field.invalid(path, user, "user information is not permitted in the URL"));
  if (url.hash.length > 1) {
    errors.push(field.invalid(path, url.hash.slice(1), "fragments are not permitted in the URL"));
  }
  if (url.search.length > 1) {
    errors.push(field.invalid(path, url.search.slice(1), "query parameters are not permitted in the URL"));
  }
  return errors;
}

function validateService(service: NonNullable<ClientConfig["service"]>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { name, namespace, port, path: target = "" } = service;
  if (name === "") errors.push(field.required(path.child("name"), "service name is required"));
  if (namespace === "") errors.push(field.required(path.child("namespace"), "service namespace is required"));
  if (port !== undefined && (port < 1 || port > 65_535)) {
    errors.push(field.invalid(path.child("port"), port, "port is not valid: must be between 1 and 65535, inclusive"));
  }
  return [...errors, ...validatePath(target, path.child("path"))];
}

function validatePath(target: string, path: FieldPath): FieldError[] {
  if (target === "" || target === "/") return [];
  if (target === "//") return [field.invalid(path, target, "segment[0] may not be empty")];
  const errors: FieldError[] = [];
  if (!target.startsWith("/")) errors.push(field.invalid(path, target, "must start with a '/'"));
  for (const [i, segment] of target.slice(1).replace(/\/$/, "").split("/").entries()) {
    const messages = segment === "" ? ["may not be empty"] : isDns1123Subdomain(segment);
    const joint = segment === "" ? " " : ": ";
    for (const message of messages) errors.push(field.invalid(path, target, `segment[${i}]${joint}${message}`));
  }
  return errors;
}
