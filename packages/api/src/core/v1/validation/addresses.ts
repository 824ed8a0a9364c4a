import { type FieldError, field, type Path, parseIp } from "@orchernetes/apimachinery";

/**
 * Validates that an address can be that of one host of the network: not unspecified, loopback, link-local or multicast.
 * Endpoints with such an address would let users of a service reach the node's own ports.
 */
export function validateNonSpecialIP(text: string, path: Path): FieldError[] {
  const bytes = parseIp(text);
  if (bytes === undefined) {
    return [field.invalid(path, text, "must be a valid IP address")];
  }
  const [first = 0, second = 0, third = 0] = bytes;
  const v4 = bytes.length === 4;
  const zero = bytes.slice(0, -1).every((byte) => byte === 0);
  const last = bytes.at(-1);
  const errors: FieldError[] = [];
  if (bytes.every((byte) => byte === 0)) {
    errors.push(field.invalid(path, text, "may not be unspecified (0.0.0.0 or ::)"));
  }
  if (v4 ? first === 127 : zero && last === 1) {
    errors.push(field.invalid(path, text, `may not be in the loopback range (${v4 ? "127.0.0.0/8" : "::1/128"})`));
  }
  if (v4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) {
    errors.push(field.invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"));
  }
  if (v4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2) {
    errors.push(field.invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"));
  }
  return errors;
}
