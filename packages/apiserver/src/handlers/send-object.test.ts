import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { Negotiator } from "../http/negotiate.ts";
import { RequestState } from "../http/request-state.ts";
import { sendObject } from "./send-object.ts";

const json = Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}');

/** Sends an object that counts how often it is decoded. */
function sent(accept: string | undefined) {
  const bodies: string[] = [];
  let decoded = 0;
  const stored = {
    json,
    get object() {
      decoded++;
      return JSON.parse(String(json));
    },
  };
  const request = { method: "GET", headers: {}, socket: {} } as unknown as HttpRequest;
  const response = {
    headersSent: false,
    writeHead: () => undefined,
    once: () => undefined,
    end: (body: Uint8Array | string) => bodies.push(String(body)),
  } as unknown as HttpResponse;
  const state = new RequestState(request, response, 0);
  const definition = { schema: { kind: "message" } } as unknown as ResourceDefinition;
  const sending = sendObject(state, definition, 200, stored, new Negotiator().negotiate(accept), new Date(0));
  return { bodies, decoded, sending };
}

test("an object in JSON is its stored bytes and is not decoded", () => {
  expect(sent(undefined)).toEqual({ bodies: [String(json)], decoded: 0, sending: undefined });
});

test("its metadata is decoded from them", async () => {
  const { decoded, sending } = sent("application/json;as=PartialObjectMetadata;v=v1;g=meta.o8s.io");
  await sending;
  expect(decoded).toBe(1);
});
