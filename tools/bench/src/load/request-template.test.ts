import { expect, test } from "vitest";
import { createTemplates, getTemplates, SERIAL_DIGITS } from "./request-template.ts";
import { luaScript } from "./wrk.ts";

const target = { host: "127.0.0.1", port: 6443, ca: "", token: "secret" };

test.each([
  ["configmap", 1],
  ["pod", 10],
] as const)("creates of a %s: %d templates, each with one number and the right length", (kind, count) => {
  const templates = createTemplates(target, kind, "load");
  expect(templates).toHaveLength(count);
  for (const template of templates) {
    const [head = "", body = ""] = template.join("7".repeat(SERIAL_DIGITS)).split("\r\n\r\n");
    expect(JSON.parse(body).metadata.name).toBe("load-7777777777");
    expect(/Content-Length: (\d+)/.exec(head)?.[1]).toBe(String(body.length));
  }
});

test("a GET is one part that ends with its head", () => {
  const [[request = "", ...more] = []] = getTemplates(target, "/api/v1/namespaces/bench/pods/a");
  expect(request.startsWith("GET /api/v1/namespaces/bench/pods/a HTTP/1.1\r\n")).toBe(true);
  expect(request.endsWith("\r\n\r\n")).toBe(true);
  expect(more).toEqual([]);
});

test("the script for wrk quotes characters that have a meaning in Lua", () => {
  expect(luaScript([['a"b\\c\r\n', "]]"]])).toContain('{"a\\034b\\092c\\013\\010", "]]"}');
});
