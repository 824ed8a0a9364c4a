import { byteLength, maxLengthError, rangeError } from "./regex-error.ts";

/** Checks a TCP, UDP or SCTP port: 1 to 65535. */
export function isValidPortNum(port: number): readonly string[] {
  return Number.isInteger(port) && port >= 1 && port <= 65535 ? [] : [rangeError(1, 65535)];
}

/** Checks a user id: 0 to 2^31-1. */
export function isValidUserId(id: number): readonly string[] {
  return Number.isInteger(id) && id >= 0 && id <= 2147483647 ? [] : [rangeError(0, 2147483647)];
}

/** Checks a group id: 0 to 2^31-1. */
export const isValidGroupId = isValidUserId;

/**
 * Checks an IANA service name (RFC 6335): at most 15 of a-z, 0-9 and single inner hyphens, with at least one letter.
 */
export function isValidPortName(text: string): readonly string[] {
  const messages: string[] = [];
  if (byteLength(text) > 15) {
    messages.push(maxLengthError(15));
  }
  if (!/^[-a-z0-9]+$/.test(text)) {
    messages.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(text)) {
    messages.push("must contain at least one letter or number (a-z, 0-9)");
  }
  if (text.includes("--")) {
    messages.push("must not contain consecutive hyphens");
  }
  if (text.startsWith("-") || text.endsWith("-")) {
    messages.push("must not begin or end with a hyphen");
  }
  return messages;
}
