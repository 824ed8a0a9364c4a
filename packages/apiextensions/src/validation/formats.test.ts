import { expect, test } from "vitest";
import { formats } from "./formats.ts";

const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["bsonobjectid", ["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901", "x"]],
  ["uri", ["https://example.com/a?b=c", "/a/path"], ["not a uri", ""]],
  ["email", ["somebody@example.com"], ["nobody", "@example.com"]],
  ["hostname", ["www.example.com", "host"], ["-bad.example.com", "a..b", ""]],
  ["ipv4", ["10.0.0.1"], ["10.0.0.256", "::1"]],
  ["ipv6", ["::1", "2001:db8::1"], ["10.0.0.1", "1::2::3"]],
  ["cidr", ["10.0.0.0/8", "2001:db8::/32"], ["10.0.0.0", "10.0.0.0/33"]],
  ["mac", ["01:02:03:04:05:06", "01-02-03-04-05-06", "0102.0304.0506"], ["01:02:03", "01:02-03:04:05:06"]],
  ["uuid", ["a8098c1a-f86e-11da-bd1a-00112444be1e"], ["a8098c1a"]],
  ["uuid4", ["16fd2706-8baf-433b-82eb-8c7fada847da"], ["6fa459ea-ee8a-3ca4-894e-db77e160355e"]],
  ["isbn", ["0321751043", "978-0321751041"], ["836217463", "978-0321751040"]],
  ["creditcard", ["4111-1111-1111-1111"], ["4111-1111-1111-1112"]],
  ["ssn", ["111-11-1111", "111 11 1111"], ["999 99 999"]],
  ["hexcolor", ["#FFFFFF", "fff"], ["#ffffg"]],
  ["rgbcolor", ["rgb(100,100,100)", "rgb(1, 2, 3)"], ["rgb(256,1,1)", "100,100,100"]],
  ["byte", ["TWFu", ""], ["TWF", "$$$$"]],
  ["date", ["2014-12-15", "2024-02-29"], ["2014-13-15", "2023-02-29"]],
  ["date-time", ["2011-08-18T19:03:37.000000000+01:00", "2014-12-15T19:30:20Z"], ["2014-12-15", "noon"]],
  ["duration", ["1h30m", "3 days", "1.5s", "-2m"], ["soon", "1"]],
  ["password", ["anything at all"], []],
];

test.each(cases)("%s", (name, good, bad) => {
  const check = formats.get(name);
  if (check === undefined) throw new Error(`${name} is not checked`);
  expect(good.filter((text) => !check(text))).toEqual([]);
  expect(bad.filter((text) => check(text))).toEqual([]);
});

test.each([...formats])("format %s checks long texts quickly", (_, check) => {
  for (const text of ["a", "1", "-", ".", "a.", "1h", " ", "@", "0:"]) check(text.repeat(50_000));
});
