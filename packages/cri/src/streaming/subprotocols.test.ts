import { expect, test } from "vitest";
import { subprotocolSpelling, translateSubprotocol } from "./subprotocols.ts";

test.each([
  [
    "one name",
    "k8s",
    { "X-Stream-Protocol-Version": "v4.channel.o8s.io" },
    { "X-Stream-Protocol-Version": "v4.channel.k8s.io" },
  ],
  [
    "a list",
    "k8s",
    { "sec-websocket-protocol": "v5.channel.o8s.io, base64.channel.o8s.io" },
    { "sec-websocket-protocol": "v5.channel.k8s.io, base64.channel.k8s.io" },
  ],
  [
    "several lines",
    "o8s",
    { "x-stream-protocol-version": ["v4.channel.k8s.io", "channel.k8s.io"] },
    { "x-stream-protocol-version": ["v4.channel.o8s.io", "channel.o8s.io"] },
  ],
  [
    "port forwarding",
    "o8s",
    { "x-stream-protocol-version": "portforward.k8s.io" },
    { "x-stream-protocol-version": "portforward.o8s.io" },
  ],
  [
    "tunnelled port forwarding",
    "k8s",
    { "sec-websocket-protocol": "SPDY/3.1+portforward.o8s.io" },
    { "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io" },
  ],
  [
    "other headers",
    "k8s",
    { host: "channel.o8s.io", "x-user": undefined },
    { host: "channel.o8s.io", "x-user": undefined },
  ],
  [
    "other protocols",
    "k8s",
    { "sec-websocket-protocol": "base64url.bearer.authorization.o8s.io.x" },
    { "sec-websocket-protocol": "base64url.bearer.authorization.o8s.io.x" },
  ],
] as const)("%s is translated to %s", (_, spelling, given, want) => {
  expect(translateSubprotocol(given, spelling)).toEqual(want);
});

test.each([
  ["o8s", { "x-stream-protocol-version": "v4.channel.o8s.io" }],
  ["k8s", { "x-stream-protocol-version": "v4.channel.k8s.io" }],
  ["k8s", { host: "a.o8s.io" }],
])("the spelling is %s for %o", (want, headers) => {
  expect(subprotocolSpelling(headers)).toBe(want);
});
