import { describe, expect, test } from "vitest";
import { HeaderEncodingError, headersByPrefix, type WithHeaders } from "./header-values.ts";

const prefix = "X-Remote-Extra-";

/** A request as Node gives it. */
function requestOf(rawHeaders: readonly string[]): WithHeaders {
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? "";
    headers[name] = headers[name] === undefined ? (rawHeaders[i + 1] ?? "") : `${headers[name]}, ${rawHeaders[i + 1]}`;
  }
  return { headers, rawHeaders };
}

describe("headers with a prefix", () => {
  test("have a value for each field, whatever the case and the encoding of their names", () => {
    const raw = [
      "X-Remote-Extra-Scopes",
      "a, b",
      "x-other",
      "x",
      "x-remote-extra-scopes",
      "c",
      "X-Remote-Extra-%73copes",
      "d",
    ];
    const encoded = ["X-Remote-Extra-%zz", "e", prefix, "none", "X-Remote-Extra-__proto__", "zo\xc3\xab"];
    expect([...headersByPrefix(requestOf([...raw, ...encoded]), prefix)]).toEqual([
      ["scopes", ["a, b", "c", "d"]],
      ["%zz", ["e"]],
      ["__proto__", ["zoë"]],
    ]);
  });

  test("that were removed are not there, and bytes that are not UTF-8 are an error", () => {
    const request = requestOf(["X-Remote-Extra-a", "1", "X-Remote-Extra-b", "\xff"]);
    expect(() => headersByPrefix(request, prefix)).toThrow(HeaderEncodingError);
    delete request.headers["x-remote-extra-b"];
    expect([...headersByPrefix(request, prefix)]).toEqual([["a", ["1"]]]);
  });

  test("of a request in the process have the values that were given", () => {
    const headers = { "x-remote-extra-a": ["1", "2"], "x-remote-extra-b": "zoë" } as unknown as WithHeaders["headers"];
    expect([...headersByPrefix({ headers }, prefix)]).toEqual([
      ["a", ["1", "2"]],
      ["b", ["zoë"]],
    ]);
  });

  test("are read in proportion to their number: as many as a request can hold do not stop the server", () => {
    const raw = Array.from({ length: 2500 }, (_, i) => [`Impersonate-Extra-${i.toString(36)}`, ""]).flat();
    const request = requestOf(raw);
    const startMs = performance.now();
    expect(headersByPrefix(request, "impersonate-extra-").size).toBe(2500);
    // Reading all headers for each took 300 ms and more.
    expect(performance.now() - startMs).toBeLessThan(100);
  });
});
