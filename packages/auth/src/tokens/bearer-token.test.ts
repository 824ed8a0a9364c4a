import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { bearerToken } from "./bearer-token.ts";

const token = (text: string) => ({ type: "token", token: text });
const malformed = { type: "malformed", reason: expect.any(String) };
const none = { type: "none" };
const protocol = (text: string | Buffer) =>
  `base64url.bearer.authorization.o8s.io.${Buffer.from(text).toString("base64url")}`;
const webSocket = (...protocols: readonly string[]) => ({
  upgrade: "websocket",
  "sec-websocket-protocol": protocols.join(", "),
});

test.each<[string, IncomingHttpHeaders, unknown]>([
  ["no header", {}, none],
  ["a token", { authorization: "Bearer abc" }, token("abc")],
  ["another case of the scheme, spaces around", { authorization: " bEARER abc " }, token("abc")],
  ["words after the token", { authorization: "Bearer abc def ghi" }, token("abc")],
  ["another scheme", { authorization: "Basic dTpw" }, none],
  ["a scheme that only begins alike", { authorization: "Bearerx abc" }, none],
  ["no token", { authorization: "Bearer" }, none],
  ["no token but a space", { authorization: "Bearer " }, none],
  [
    "two spaces",
    { authorization: "Bearer  abc" },
    { type: "none", warnings: [expect.stringContaining("extra space before the bearer token")] },
  ],
  ["a tab for the space", { authorization: "Bearer\tabc" }, none],
  ["a subprotocol of a WebSocket", webSocket(protocol("abc"), "v4.channel.o8s.io"), token("abc")],
  ["a subprotocol without a WebSocket", { ...webSocket(protocol("abc"), "x"), upgrade: undefined }, none],
  ["a header beside a subprotocol", { ...webSocket(protocol("b"), "x"), authorization: "Bearer a" }, token("a")],
  ["another scheme beside a subprotocol", { ...webSocket(protocol("b"), "x"), authorization: "Basic x" }, token("b")],
  ["two subprotocols with tokens", webSocket(protocol("a"), protocol("b"), "x"), malformed],
  ["no subprotocol to choose", webSocket(protocol("abc")), malformed],
  ["an empty token in a subprotocol", webSocket(protocol(""), "x"), none],
  ["a subprotocol that is not base64url", webSocket(`${protocol("abc")}=`, "x"), malformed],
  ["a subprotocol that no bytes are written as", webSocket("base64url.bearer.authorization.o8s.io.a", "x"), malformed],
  ["a subprotocol that is not UTF-8", webSocket(protocol(Buffer.from([0xff])), "x"), malformed],
])("%s", (_name, headers, want) => {
  expect(bearerToken({ headers })).toEqual(want);
});
