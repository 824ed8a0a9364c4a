import { field, type Path } from "../field-errors/field.ts";
import type { FieldError } from "../field-errors/field-error.ts";
import { isDns1123Label, isDns1123Subdomain } from "./dns.ts";
import { byteLength, maxLengthError, regexError } from "./regex-error.ts";

const name = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const namePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const nameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const nameError = regexError(nameRule, name, "MyName", "my.name", "123-abc");

/**
 * Checks a key of labels or annotations, or a finalizer: `name` or `dns.prefix/name`. Returns Kubernetes' messages,
 * none if it is valid.
 */
export function isQualifiedName(text: string): readonly string[] {
  const parts = text.split("/");
  const messages: string[] = [];
  if (parts.length > 2) {
    return [`a qualified name ${nameError} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const last = parts[parts.length - 1] ?? "";
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") {
      messages.push("prefix part must be non-empty");
    } else {
      messages.push(...isDns1123Subdomain(prefix).map((message) => `prefix part ${message}`));
    }
  }
  if (last === "") {
    messages.push("name part must be non-empty");
  } else if (byteLength(last) > 63) {
    messages.push(`name part ${maxLengthError(63)}`);
  }
  if (!namePattern.test(last)) {
    messages.push(`name part ${nameError}`);
  }
  return messages;
}

/** Checks the value of a label: empty, or at most 63 characters that start and end alphanumerically. */
export function isValidLabelValue(text: string): readonly string[] {
  const messages: string[] = [];
  if (byteLength(text) > 63) {
    messages.push(maxLengthError(63));
  }
  if (text !== "" && !namePattern.test(text)) {
    messages.push(
      regexError(
        `a valid label must be an empty string or ${nameRule.slice("must ".length)}`,
        `(${name})?`,
        "MyValue",
        "my_value",
        "12345",
      ),
    );
  }
  return messages;
}

/** Validates a domain of at least two labels, such as `acme.io`. */
export function isFullyQualifiedDomainName(path: Path, text: string): readonly FieldError[] {
  if (text === "") {
    return [field.required(path, "")];
  }
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  const errors = isDns1123Subdomain(bare);
  if (errors.length > 0) {
    return [field.invalid(path, bare, errors.join(","))];
  }
  const labels = bare.split(".");
  if (labels.length < 2) {
    return [field.invalid(path, bare, "should be a domain with at least two segments separated by dots")];
  }
  for (const label of labels) {
    const wrong = isDns1123Label(label);
    if (wrong.length > 0) {
      return [field.invalid(path, label, wrong.join(","))];
    }
  }
  return [];
}

/** Validates a domain of at least three labels, such as `hooks.acme.io`. */
export function isFullyQualifiedName(path: Path, text: string): readonly FieldError[] {
  if (text === "") {
    return [field.required(path, "")];
  }
  const errors = isDns1123Subdomain(text);
  if (errors.length > 0) {
    return [field.invalid(path, text, errors.join(","))];
  }
  return text.split(".").length < 3
    ? [field.invalid(path, text, "should be a domain with at least three segments separated by dots")]
    : [];
}

const pathCharacters = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Validates `domain/path`, the form of signer names and of controllers of policies. */
export function isDomainPrefixedPath(path: Path, text: string): readonly FieldError[] {
  if (text === "") {
    return [field.required(path, "")];
  }
  const slash = text.indexOf("/");
  const domain = slash < 0 ? text : text.slice(0, slash);
  const rest = slash < 0 ? "" : text.slice(slash + 1);
  if (domain === "" || rest === "") {
    return [field.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = isDns1123Subdomain(domain).map((message) => field.invalid(path, domain, message));
  return pathPattern.test(rest)
    ? errors
    : [...errors, field.invalid(path, rest, regexError("Invalid path", pathCharacters))];
}
