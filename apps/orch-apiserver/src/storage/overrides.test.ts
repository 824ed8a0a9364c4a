import { expect, test } from "vitest";
import { parseOverrides } from "./overrides.ts";

test.each([
  ["/events#http://a:1;https://b:2", [{ resource: "/events", servers: ["http://a:1", "https://b:2"] }]],
  ["apps/deployments#http://a:1", [{ resource: "apps/deployments", servers: ["http://a:1"] }]],
])("%s", (text, want) => {
  expect(parseOverrides([text], (error) => expect.fail(error))).toEqual(want);
});

test.each([
  "events#http://a:1",
  "/events",
  "/events#a:1",
  "/events#http://a:1/path",
  "/#http://a:1",
  "/events#http://a:1#x",
])("%s is refused", (text) => {
  const errors: string[] = [];
  expect(parseOverrides([text], (error) => errors.push(error))).toEqual([]);
  expect(errors.join()).toContain("an override is group/resource#servers");
});

test("a resource can be given once", () => {
  const errors: string[] = [];
  parseOverrides(["/events#http://a:1", "/events#http://b:1"], (error) => errors.push(error));
  expect(errors).toEqual(['"/events" is given twice']);
});
