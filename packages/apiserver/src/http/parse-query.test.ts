import { expect, test } from "vitest";
import { parseQuery } from "./parse-query.ts";

test("a short query that is repeated is parsed once, a long one each time", () => {
  const text = "resourceVersion=0&labelSelector=a%3Db";
  expect(parseQuery(text)).toBe(parseQuery(text));
  expect([parseQuery(text).get("labelSelector"), parseQuery("").has("x")]).toEqual(["a=b", false]);
  const long = `continue=${"x".repeat(300)}`;
  expect(parseQuery(long)).not.toBe(parseQuery(long));
});

test("what clients choose does not stay for ever", () => {
  const first = parseQuery("n=first");
  for (let n = 0; n < 300; n++) parseQuery(`n=${n}`);
  expect(parseQuery("n=first")).not.toBe(first);
});
