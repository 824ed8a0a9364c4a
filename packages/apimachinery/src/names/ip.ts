/** The 4 or 16 bytes of an address. IPv4-mapped IPv6 addresses are returned as 4 bytes. */
export type IpBytes = readonly number[];

const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;

/** Parses an IPv4 address in a single pass, because lists of addresses can be long. */
function parseV4(text: string): number[] | undefined {
  const bytes: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i === text.length ? dot : text.charCodeAt(i);
    if (code === dot) {
      if (digits === 0 || value > 255 || bytes.length === 4) {
        return undefined;
      }
      bytes.push(value);
      value = 0;
      digits = 0;
    } else if (code >= zero && code <= nine && digits < 3) {
      // Leading zeros are accepted for compatibility with stored addresses.
      value = value * 10 + code - zero;
      digits++;
    } else {
      return undefined;
    }
  }
  return bytes.length === 4 ? bytes : undefined;
}

function parseGroups(text: string): number[] | undefined {
  if (text === "") {
    return [];
  }
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [i, group] of groups.entries()) {
    if (group.includes(".") && i === groups.length - 1) {
      const tail = parseV4(group);
      if (tail === undefined) {
        return undefined;
      }
      bytes.push(...tail);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else {
      return undefined;
    }
  }
  return bytes;
}

function parseV6(text: string): number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) {
    return undefined;
  }
  const head = parseGroups(halves[0] ?? "");
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? "") : [];
  if (head === undefined || tail === undefined || (halves.length === 2 && (halves[0] ?? "").includes("."))) {
    return undefined;
  }
  const missing = 16 - head.length - tail.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) {
    return undefined;
  }
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** The bytes of an IPv4 or IPv6 address without a zone; undefined for other text. */
export function parseIp(text: string): IpBytes | undefined {
  if (text.length > 45) {
    return undefined;
  }
  if (!text.includes(":")) {
    return parseV4(text);
  }
  const bytes = parseV6(text);
  const mapped = bytes?.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? bytes?.slice(12) : bytes;
}

/** An address with a prefix length, such as `10.9.8.0/24`. */
export interface Cidr {
  readonly address: IpBytes;
  /** Length of the prefix in bits, at most 32 or 128. */
  readonly bits: number;
}

/** Parses `address/bits`; undefined if it is not valid. The address may have bits beyond the prefix. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  if (address === undefined || !/^(0|[1-9][0-9]{0,2})$/.test(bits)) {
    return undefined;
  }
  // A mapped address written as IPv6 counts its prefix from the start of the IPv6 form.
  const width = text.slice(0, slash).includes(":") ? 128 : 32;
  if (Number(bits) > width) {
    return undefined;
  }
  const shift = width === 128 && address.length === 4 ? 96 : 0;
  return Number(bits) < shift ? undefined : { address, bits: Number(bits) - shift };
}

/** Checks an IPv4 or IPv6 address; returns Kubernetes' messages, none if it is valid. */
export function isValidIP(text: string): readonly string[] {
  return parseIp(text) === undefined ? ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"] : [];
}

/** Checks an IPv4 address; returns Kubernetes' messages, none if it is valid. */
export function isValidIPv4(text: string): readonly string[] {
  return parseIp(text)?.length === 4 ? [] : ["must be a valid IPv4 address"];
}

/** Checks an IPv6 address; returns Kubernetes' messages, none if it is valid. */
export function isValidIPv6(text: string): readonly string[] {
  return parseIp(text)?.length === 16 ? [] : ["must be a valid IPv6 address"];
}

/** Checks an address range in CIDR notation; returns Kubernetes' messages, none if it is valid. */
export function isValidCIDR(text: string): readonly string[] {
  return parseCidr(text) === undefined ? ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"] : [];
}
