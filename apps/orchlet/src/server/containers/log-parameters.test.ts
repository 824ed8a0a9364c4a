import { expect, test } from "vitest";
import { readLogParameters } from "./log-parameters.ts";

const read = (text: string) => readLogParameters(new URLSearchParams(text));

test("the parameters are those of PodLogOptions", () => {
  expect(read("tailLines=5&limitBytes=10&follow=&timestamps=1&previous=True&sinceTime=2023-06-01T00:00:00.5Z")).toEqual(
    {
      ...{ tailLines: 5, limitBytes: 10, follow: true, timestamps: true, previous: true },
      ...{ sinceSeconds: undefined, sinceMs: Date.parse("2023-06-01T00:00:00.5Z") },
    },
  );
  expect(read("follow=false&timestamps=0")).toMatchObject({ follow: false, timestamps: false, tailLines: undefined });
  expect(read("tail=7&tailLines=3").tailLines).toBe(7);
  expect(read("tail=all&tailLines=3").tailLines).toBeUndefined();
});

test.each<[string, number]>([
  ["tailLines=x", 400],
  ["tailLines=", 400],
  ["tailLines=1.5", 400],
  ["limitBytes=1e3", 400],
  ["sinceSeconds=99999999999999999999", 400],
  ["sinceTime=yesterday", 400],
  ["sinceTime=2023-06-01", 400],
  ["sinceTime=2023-13-01T00:00:00Z", 400],
  ["tailLines=-1", 422],
  ["limitBytes=0", 422],
  ["limitBytes=-5", 422],
  ["sinceSeconds=0", 422],
  ["sinceSeconds=5&sinceTime=2023-06-01T00:00:00Z", 422],
])("%s is rejected with %i", (text, status) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ status }));
});
