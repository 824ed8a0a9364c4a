import { describe, expect, test } from "vitest";
import * as der from "./der.ts";
import { decodeSubject, encodeSubject } from "./subject.ts";
import { encodeExtendedKeyUsage, encodeKeyUsage, extendedKeyUsages, isUsage, type Usage } from "./usages.ts";

const hex = (value: der.Asn1 | undefined) => value && der.encode(value).toString("hex");

describe("values in DER", () => {
  test.each([
    ["0", [0], "020100"],
    ["127", [127], "02017f"],
    // The first bit would make it negative.
    ["128", [128], "02020080"],
    ["256", [1, 0], "02020100"],
    ["1 with leading zeros", [0, 0, 1], "020101"],
    ["0 with leading zeros", [0, 0], "020100"],
  ])("the number %s has the shortest form", (_name, bytes, want) => {
    expect(hex(der.unsignedInteger(Uint8Array.from(bytes)))).toBe(want);
  });

  test.each([
    ["1950-01-01T00:00:00Z", "170d", "500101000000Z"],
    ["2049-12-31T23:59:59.999Z", "170d", "491231235959Z"],
    ["2050-01-01T00:00:00Z", "180f", "20500101000000Z"],
    ["9999-12-31T23:59:59Z", "180f", "99991231235959Z"],
  ])("the time %s is of the type for its year", (text, tag, digits) => {
    expect(hex(der.time(new Date(text)))).toBe(`${tag}${Buffer.from(digits).toString("hex")}`);
  });

  test("absent fields of a sequence are left out", () => {
    expect(hex(der.sequence(undefined, der.boolean(true), undefined))).toBe("30030101ff");
    expect(hex(der.sequence())).toBe("3000");
    expect(hex(der.boolean(false))).toBe("010100");
    expect(hex(der.nullValue())).toBe("0500");
  });

  test("names of objects are read back", () => {
    for (const name of ["2.5.4.3", "1.2.840.113549.1.1.11", "1.3.6.1.4.1.311.10.3.3"])
      expect(der.dottedOid(der.oid(name), "name")).toBe(name);
    expect(() => der.dottedOid(der.utf8String("2.5.4.3"), "name")).toThrow("name: expected an object identifier");
  });

  test("text is read back, and what looks like a signature's content stays bytes", () => {
    expect(der.text(der.utf8String("zoë 漢 😀"), "text")).toBe("zoë 漢 😀");
    const inner = der.encode(der.sequence(der.boolean(true)));
    expect(der.content(der.decode(der.encode(der.bitString(inner))), "bits").subarray(1)).toEqual(inner);
  });

  test.each(["", "30", "3003", "3002010", "308001010000", "30030101ff00", "0202ff", "1f"])(
    "%j is not one complete value",
    (bytes) => {
      expect(() => der.decode(Buffer.from(bytes, "hex"))).toThrow();
    },
  );

  test("a value of the other form is refused by name", () => {
    expect(() => der.children(der.boolean(true), "list")).toThrow("list: expected a constructed ASN.1 value");
    expect(() => der.content(der.sequence(), "flag")).toThrow("flag: expected a primitive ASN.1 value");
    expect(() => der.children(undefined, "list")).toThrow("list:");
    expect(() => der.content(undefined, "flag")).toThrow("flag:");
  });
});

describe("key usages", () => {
  // The first bit is digitalSignature, the last one decipherOnly; bits at the end that are 0 are cut (RFC 5280 §4.2.1.3).
  test.each<[readonly Usage[], string | undefined]>([
    [[], undefined],
    [["server auth"], undefined],
    [["digital signature"], "03020780"],
    [["signing", "digital signature"], "03020780"],
    [["key encipherment", "digital signature"], "030205a0"],
    [["cert sign"], "03020204"],
    [["encipher only"], "03020001"],
    [["decipher only"], "0303070080"],
  ])("%j is the bits %s", (usages, want) => {
    expect(hex(encodeKeyUsage(usages))).toBe(want);
  });

  test("extended usages are listed once, in the given order", () => {
    expect(extendedKeyUsages(["client auth", "digital signature", "server auth", "client auth"])).toEqual([
      "1.3.6.1.5.5.7.3.2",
      "1.3.6.1.5.5.7.3.1",
    ]);
    // Two names of one usage.
    expect(extendedKeyUsages(["s/mime", "email protection"])).toEqual(["1.3.6.1.5.5.7.3.4"]);
    expect(encodeExtendedKeyUsage(["signing"])).toBeUndefined();
    expect(hex(encodeExtendedKeyUsage(["client auth"]))).toBe("300a06082b06010505070302");
  });

  test.each([
    ["client auth", true],
    ["digital signature", true],
    ["any", true],
    ["Client Auth", false],
    ["", false],
    ["constructor", false],
    ["__proto__", false],
  ])("whether %j is a usage: %s", (name, want) => {
    expect(isUsage(name)).toBe(want);
  });
});

describe("subjects", () => {
  test.each([
    { commonName: "", organizations: [] },
    { commonName: "me", organizations: [] },
    { commonName: "", organizations: ["a"] },
    { commonName: "system:node:n,O=system:masters", organizations: ["a", "b"] },
    { commonName: "zoë", organizations: ["漢"] },
  ])("%j is read back", (subject) => {
    expect(decodeSubject(der.decode(der.encode(encodeSubject(subject))))).toEqual(subject);
  });

  test("organizations are in the order of their encodings, whatever order they are given in", () => {
    const given = encodeSubject({ commonName: "", organizations: ["bb", "c", "aa", "é"] });
    expect(decodeSubject(given).organizations).toEqual(["c", "aa", "bb", "é"]);
    const members = der.children(der.children(given, "name")[0], "set").map((one) => der.encode(one));
    expect(members).toEqual([...members].sort(Buffer.compare));
  });

  test("the last common name counts, and other attributes do not", () => {
    const attribute = (type: string, text: string) => der.set(der.sequence(der.oid(type), der.utf8String(text)));
    const name = der.sequence(attribute("2.5.4.3", "a"), attribute("2.5.4.11", "unit"), attribute("2.5.4.3", "b"));
    expect(decodeSubject(name)).toEqual({ commonName: "b", organizations: [] });
  });
});
