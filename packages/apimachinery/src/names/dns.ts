import { byteLength, maxLengthError, regexError } from "./regex-error.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const wildcard = `\\*\\.${subdomain}`;

const labelPattern = new RegExp(`^${label}$`);
// Accepts the same names as the published pattern, but in linear time for hostile text.
const subdomainPattern = /^[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*$/;
const label1035Pattern = new RegExp(`^${label1035}$`);

/** RFC 1123 label: at most 63 lower case letters, digits and inner hyphens. */
export function isDns1123Label(text: string): readonly string[] {
  const messages: string[] = [];
  if (byteLength(text) > 63) {
    messages.push(maxLengthError(63));
  }
  if (!labelPattern.test(text)) {
    messages.push(
      regexError(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        label,
        "my-name",
        "123-abc",
      ),
    );
  }
  return messages;
}

/** RFC 1123 subdomain: labels joined by dots, at most 253 characters. */
export function isDns1123Subdomain(text: string): readonly string[] {
  const messages: string[] = [];
  if (byteLength(text) > 253) {
    messages.push(maxLengthError(253));
  }
  if (!subdomainPattern.test(text)) {
    messages.push(
      regexError(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        subdomain,
        "example.com",
      ),
    );
  }
  return messages;
}

/** RFC 1035 label: an RFC 1123 label that starts with a letter. */
export function isDns1035Label(text: string): readonly string[] {
  const messages: string[] = [];
  if (byteLength(text) > 63) {
    messages.push(maxLengthError(63));
  }
  if (!label1035Pattern.test(text)) {
    messages.push(
      regexError(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        label1035,
        "my-name",
        "abc-123",
      ),
    );
  }
  return messages;
}

/** `*.` followed by a subdomain. */
export function isWildcardDns1123Subdomain(text: string): readonly string[] {
  const messages: string[] = [];
  if (byteLength(text) > 253) {
    messages.push(maxLengthError(253));
  }
  if (!text.startsWith("*.") || !subdomainPattern.test(text.slice(2))) {
    messages.push(
      regexError(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        wildcard,
        "*.example.com",
      ),
    );
  }
  return messages;
}
