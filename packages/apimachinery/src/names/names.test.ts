import { expect, test } from "vitest";
import { isDns1035Label, isDns1123Label, isDns1123Subdomain, isWildcardDns1123Subdomain } from "./dns.ts";
import { generateName } from "./generate-name.ts";
import { isConfigMapKey, isEnvVarName, isHttpHeaderName, isPathSegmentName, isValidPercent } from "./identifiers.ts";
import { isValidCIDR, isValidIP, isValidIPv4, isValidIPv6, parseCidr, parseIp } from "./ip.ts";
import { isValidPortName, isValidPortNum } from "./ports.ts";
import { isQualifiedName, isValidLabelValue } from "./qualified-name.ts";
import { byteLength } from "./regex-error.ts";

const long = (length: number) => "a".repeat(length);

test.each([
  [isDns1123Label, ["a", "a-b", "1a", long(63)], ["", "A", "a.b", "-a", "a-", "a_b", long(64), "a\n"]],
  [isDns1123Subdomain, ["a", "a.b-c.1", long(253)], ["", ".a", "a.", "a..b", "a-.b", "A", long(254)]],
  [isDns1035Label, ["a", "a-1"], ["", "1a", "a.b", "-a", long(64)]],
  [isWildcardDns1123Subdomain, ["*.a", "*.a.b"], ["*", "a", "*.", "**.a"]],
  [
    isQualifiedName,
    ["a", "A.b_c-1", "x.y/z", `a/${long(63)}`],
    ["", "a/", "/a", "a/b/c", "a b", "-a", long(64), "A/b"],
  ],
  [isValidLabelValue, ["", "a", "A_b.c"], ["-a", "a b", long(64)]],
  [isEnvVarName, ["A", "a.b-c_1", "_"], ["", "1a", "a b", ".", "..", "..a"]],
  [isConfigMapKey, ["a", "1.x_-"], ["", "a/b", ".", "..", "..a", long(254)]],
  [isHttpHeaderName, ["X-A"], ["", "X A", "x:"]],
  [isValidPercent, ["0%", "100%"], ["", "1", "%", "-1%"]],
  [isValidPortName, ["http", "a-1"], ["", "HTTP", "1-2", "a--b", "-a", "a-", long(16)]],
  [
    isValidIP,
    ["1.2.3.4", "::", "::1", "2001:db8::1", "::ffff:1.2.3.4", "01.2.3.4"],
    ["", "1.2.3", "256.1.1.1", "1::2::3", "g::", "1.2.3.4/8", ":::", "1:2:3:4:5:6:7:8:9", "fe80::1%eth0"],
  ],
  [
    isValidIPv4,
    ["1.2.3.4", "255.255.255.255", "001.002.003.004", "0.0.0.0"],
    [
      "::1",
      "x",
      "1.2.3.4.",
      ".1.2.3.4",
      "1..2.3",
      "1.2.3.4.5",
      "0001.2.3.4",
      "1.2.3.+4",
      "1.2.3.4 ",
      "1.2.3.a",
      "1.2.3.\u0661",
      "1.2.3.1000",
    ],
  ],
  [isValidIPv6, ["::1"], ["1.2.3.4", "x"]],
  [
    isValidCIDR,
    ["10.0.0.0/8", "2001:db8::/64", "1.2.3.4/0"],
    ["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/08", "/8"],
  ],
  [isPathSegmentName, ["a:b", "A b"], [".", "..", "a/b", "a%b"]],
] as const)("%o accepts and refuses", (check, good, bad) => {
  for (const text of good) {
    expect(check(text), text).toEqual([]);
  }
  for (const text of bad) {
    expect(check(text), text).not.toEqual([]);
  }
});

test.each([
  [
    isDns1123Label("a_b"),
    [
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    isDns1123Subdomain("Bad_"),
    [
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [isDns1123Label(long(64)), ["must be no more than 63 characters"]],
  [isQualifiedName("/x"), ["prefix part must be non-empty"]],
  [
    isQualifiedName(""),
    [
      "name part must be non-empty",
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    isValidLabelValue("-x"),
    [
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [isPathSegmentName("a/b%c"), ["may not contain '/'", "may not contain '%'"]],
  [isPathSegmentName(".."), ["may not be '..'"]],
  [isValidPortNum(0), ["must be between 1 and 65535, inclusive"]],
  [isValidIP("nope"), ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]],
])("says %j", (got, want) => {
  expect(got).toEqual(want);
});

test.each([
  ["1.2.3.4", [1, 2, 3, 4]],
  ["::ffff:1.2.3.4", [1, 2, 3, 4]],
  ["::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
])("parses %s", (text, bytes) => {
  expect(parseIp(text)).toEqual(bytes);
});

test("prefixes of mapped addresses count IPv4 bits", () => {
  expect(parseCidr("::ffff:10.0.0.0/104")).toEqual({ address: [10, 0, 0, 0], bits: 8 });
  expect(parseCidr("::ffff:10.0.0.0/64")).toBeUndefined();
});

test.each([
  ["abc", 3],
  ["é", 2],
  ["漢", 3],
  ["😀", 4],
])("byte length of %s", (text, want) => {
  expect(byteLength(text)).toBe(want);
  expect(byteLength(text)).toBe(Buffer.byteLength(text));
});

test("generated names keep to 63 characters and the safe alphabet", () => {
  expect(generateName("web-", () => 0)).toBe("web-bbbbb");
  expect(generateName("web-", () => 0.999999)).toBe("web-99999");
  expect(generateName(long(100))).toMatch(/^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test("hostile names are judged without backtracking", () => {
  // A pattern that backtracks would run into the test's time limit here.
  const hostile = `${"a-".repeat(200_000)}!`;
  expect(isDns1123Subdomain(hostile)).toHaveLength(2);
  expect(isQualifiedName(hostile)).toHaveLength(2);
  expect(isValidLabelValue(hostile)).toHaveLength(2);
});
