import { once } from "node:events";
import { createServer as createHttp1 } from "node:http";
import { connect, createServer as createHttp2 } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import type { HttpHandler, HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { holdEnd } from "./hold-end.ts";

const BODY = "one two three";

/** Answers of which the last piece is held back. */
const answers: readonly (readonly [string, (res: HttpResponse) => void])[] = [
  ["at once", (res) => res.end(BODY)],
  ["with a callback", (res) => res.end(BODY, () => undefined)],
  [
    "in pieces",
    (res) => {
      for (const piece of ["one ", "two "]) res.write(piece);
      res.end("three");
    },
  ],
  [
    "in pieces, with an empty end",
    (res) => {
      for (const piece of ["one ", "two ", "three"]) res.write(piece);
      res.end();
    },
  ],
];

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function overHttp1(handler: HttpHandler): Promise<string> {
  const server = createHttp1((request, response) => void handler(request, response));
  try {
    return await (await fetch(`http://127.0.0.1:${await listening(server)}`)).text();
  } finally {
    server.close();
  }
}

async function overHttp2(handler: HttpHandler): Promise<string> {
  const server = createHttp2();
  server.on("request", (request: HttpRequest, response: HttpResponse) => void handler(request, response));
  const session = connect(`http://127.0.0.1:${await listening(server)}`);
  try {
    let text = "";
    for await (const chunk of session.request({ ":path": "/" })) text += chunk;
    return text;
  } finally {
    session.close();
    server.close();
  }
}

test.each(
  [["HTTP/1.1", overHttp1] as const, ["HTTP/2", overHttp2] as const].flatMap(([protocol, ask]) =>
    answers.flatMap(([how, answer]) => [true, false].map((waits) => [protocol, how, waits, ask, answer] as const)),
  ),
)(
  "an answer over %s that is given %s is whole; its record is waited for: %s",
  async (_protocol, _how, waits, ask, answer) => {
    const order: string[] = [];
    const text = await ask((_request, response) => {
      response.setHeader("content-length", BODY.length);
      const record = async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push("recorded");
      };
      holdEnd(
        response,
        () => (waits ? record() : undefined),
        (sent) => void sent.then(() => order.push("sent")),
      );
      answer(response);
    });
    expect(text).toBe(BODY);
    expect(order).toEqual(waits ? ["recorded", "sent"] : []);
  },
);
