import { request as httpRequest } from "node:http";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger } from "../logs/create-logger.ts";
import { createPlainServing, type PlainServing } from "../serving/plain-serving.ts";
import { serveVerbosity } from "./verbosity-handler.ts";

const lines: string[] = [];
const logger = createLogger({
  vmodule: ["other=9"],
  sink: { write: (line) => void lines.push(line), flush: () => undefined },
});
let serving: PlainServing;
beforeAll(async () => {
  serving = await createPlainServing({ bindAddress: "127.0.0.1", port: 0, logger: silentLogger }, (request, response) =>
    serveVerbosity(request, response, (level) => logger.setVerbosity(level)),
  );
});
afterAll(() => serving.close());

const call = async (method: string, body?: string) => {
  const response = await fetch(`http://127.0.0.1:${serving.port}/`, { method, body: body ?? null });
  return [response.status, await response.text()];
};

test("PUT changes the verbosity of the log and of its children", async () => {
  const child = logger.child({ a: 1 });
  expect(child.v(4)).toBeUndefined();
  expect(await call("PUT", "4")).toEqual([200, "successfully set klog.logging.verbosity to 4\n"]);
  expect(child.v(4)).toBeDefined();
  expect(child.v(5)).toBeUndefined();
  expect(await call("PUT", "0")).toEqual([200, "successfully set klog.logging.verbosity to 0\n"]);
  expect(child.v(1)).toBeUndefined();
});

test.each(["", "x", "1e9", "0x10", "99999999999", "4294967296", "1\n2", "١", "x".repeat(5000)])(
  "the level %j is refused and nothing changes",
  async (body) => {
    expect((await call("PUT", body))[0]).toBe(400);
    expect(logger.v(1)).toBeUndefined();
  },
);

test("other methods are refused", async () => {
  expect(await call("GET")).toEqual([406, "unsupported http method\n"]);
  expect(await call("POST", "3")).toEqual([406, "unsupported http method\n"]);
});

test("a client that goes before its body is complete changes nothing", async () => {
  const request = httpRequest({
    port: serving.port,
    host: "127.0.0.1",
    method: "PUT",
    headers: { "content-length": 5 },
  });
  request.on("error", () => undefined);
  request.write("9");
  await new Promise((resolve) => setTimeout(resolve, 50));
  request.destroy();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(logger.v(1)).toBeUndefined();
});
