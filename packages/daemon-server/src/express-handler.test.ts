import { once } from "node:events";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { allowedPaths } from "@orchernetes/auth";
import { createPlainServing, guard, type PlainServing, respond, targetOf } from "@orchernetes/component";
import { type HttpHandler, type HttpResponse, silentLogger } from "@orchernetes/kernel";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expressHandler } from "./express-handler.ts";

/** Everybody may use `/open`, and nothing else. */
function guarded(): HttpHandler {
  const app = express();
  app.enable("strict routing");
  for (const path of ["/open", "/secret"])
    app.all(path, (request, response) =>
      respond(request, response, 200, {}, `${path} as ${targetOf(request).path} ${targetOf(request).query}`),
    );
  return guard(
    { authenticators: [], authorizers: [allowedPaths(["/open"])], logger: silentLogger },
    expressHandler(app),
  );
}

/** Request targets that a parser of URLs reads in another way than the check of rights does. */
const twoFaced = [
  "http://x\\secret#/open",
  "http:\\\\x\\secret#/open",
  "foo://x\\secret#/open",
  "foo://x#\\secret/open",
  "http://x\\secret\\?/open",
  "http://a@x\\secret#/open",
];

describe("an express application over HTTP/1.1", () => {
  let serving: PlainServing;
  beforeAll(async () => {
    serving = await createPlainServing({ bindAddress: "127.0.0.1", port: 0, logger: silentLogger }, guarded());
  });
  afterAll(() => serving.close());

  const send = async (target: string) => {
    const socket = connect(serving.port, "127.0.0.1");
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    return text(socket);
  };

  test.each(twoFaced)("%j does not reach a page that is forbidden", async (target) => {
    expect(await send(target)).not.toContain("/secret as");
  });

  test.each([
    ["/open?a=b", "/open as /open a=b"],
    ["http://x/open?a=b", "/open as /open a=b"],
    ["/secret", "403"],
    ["/open#x", "403"],
    ["/open?a=%20b", "/open as /open a=+b"],
    ["*", "403"],
  ])("%s: %s", async (target, want) => {
    expect(await send(target)).toContain(want);
  });
});

describe("an express application over HTTP/2", () => {
  const server = createHttp2Server();
  beforeAll(async () => {
    const handler = guarded();
    server.on("request", (request, response) => void handler(request, response as unknown as HttpResponse));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => void server.close());

  test.each([...twoFaced, "x\\secret#/open"])("%j does not reach a page that is forbidden", async (target) => {
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stream = session.request({ ":path": target, ":scheme": "foo" });
    expect(await text(stream)).not.toContain("/secret as");
    session.close();
  });

  test.each([
    ["/open?a=b#c", "/open as /open a=b%23c"],
    ["/a\\..\\secret?x#", "Forbidden"],
  ])("%j: %s", async (target, want) => {
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stream = session.request({ ":path": target, ":scheme": "foo" });
    expect(await text(stream)).toContain(want);
    session.close();
  });

  test("an absolute target is served as its path", async () => {
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stream = session.request({ ":path": "http://x/open?a=b", ":scheme": "foo" });
    expect(await text(stream)).toBe("/open as /open a=b");
    session.close();
  });
});
