import { byteLength, maxLengthError, regexError } from "./regex-error.ts";

const matches =
  (pattern: RegExp, rule: string, regex: string, ...examples: readonly string[]) =>
  (text: string): readonly string[] =>
    pattern.test(text) ? [] : [regexError(rule, regex, ...examples)];

/**
 * Checks a C identifier: `[A-Za-z_][A-Za-z0-9_]*`. Like all checks here it returns Kubernetes' messages, none if the
 * text is valid.
 */
export const isCIdentifier = matches(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  "[A-Za-z_][A-Za-z0-9_]*",
  "my_name",
  "MY_NAME",
  "MyName",
);

/** Checks a percentage such as `25%`. */
export const isValidPercent = matches(
  /^[0-9]+%$/,
  "a valid percent string must be a numeric string followed by an ending '%'",
  "[0-9]+%",
  "1%",
  "93%",
);

/** Checks the name of an HTTP header. */
export const isHttpHeaderName = matches(
  /^[-A-Za-z0-9]+$/,
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  "[-A-Za-z0-9]+",
  "X-Header-Name",
);

/** Keys become names of files in volumes, so a name must not lead out of its directory. */
function directoryErrors(text: string): readonly string[] {
  if (text === "." || text === "..") {
    return [`must not be '${text}'`];
  }
  return text.startsWith("..") ? ["must not start with '..'"] : [];
}

const envVarName = matches(
  /^[-._a-zA-Z][-._a-zA-Z0-9]*$/,
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  "[-._a-zA-Z][-._a-zA-Z0-9]*",
  "my.env-name",
  "MY_ENV.NAME",
  "MyEnvName1",
);

/** Checks the name of an environment variable. */
export function isEnvVarName(text: string): readonly string[] {
  return [...envVarName(text), ...directoryErrors(text)];
}

const configKey = matches(
  /^[-._a-zA-Z0-9]+$/,
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  "[-._a-zA-Z0-9]+",
  "key.name",
  "KEY_NAME",
  "key-name",
);

/** Checks a key of a ConfigMap or Secret. */
export function isConfigMapKey(text: string): readonly string[] {
  const messages = byteLength(text) > 253 ? [maxLengthError(253)] : [];
  return messages.concat(configKey(text), directoryErrors(text));
}

/**
 * Checks a name that becomes a segment of a URL path; the rule for names of roles.
 *
 * @param prefix whether the text is a generateName
 */
export function isPathSegmentName(text: string, prefix = false): readonly string[] {
  if (!prefix && (text === "." || text === "..")) {
    return [`may not be '${text}'`];
  }
  return ["/", "%"].filter((char) => text.includes(char)).map((char) => `may not contain '${char}'`);
}
