import { expect, test } from "vitest";
import { logQuery } from "./log-options.ts";

test.each([
  ["follow=true&previous=1&timestamps=", "follow=true&previous=true&timestamps=true"],
  ["follow=True&timestamps=TRUE", "follow=true&timestamps=true"],
  ["follow=false&previous=0&timestamps=False", ""],
  ["container=c&pretty=true", ""],
  ["tailLines=5&limitBytes=100&sinceSeconds=3", "sinceSeconds=3&tailLines=5&limitBytes=100"],
])("the agent is asked for %s", (query, want) => {
  expect(logQuery(new URLSearchParams(query), "p").toString()).toBe(want);
});

test.each([
  ["tailLines=x", 400],
  ["sinceTime=yesterday", 400],
  ["tailLines=-1", 422],
])("%s is refused", (query, code) => {
  expect(() => logQuery(new URLSearchParams(query), "p")).toThrow(expect.objectContaining({ code }));
});
