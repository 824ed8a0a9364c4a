import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { core, policy } from "@orchernetes/api";
import { loadScheme } from "@orchernetes/api/scheme";
import {
  type ApiObject,
  canonicalize,
  DeleteOptions,
  decodeProtobuf,
  encodeListFrame,
  encodeListItem,
  encodeProtobuf,
  failure,
  isExpired,
  isNotFound,
  protobufMediaType,
  Status,
  type Stored,
  watchFrame,
} from "@orchernetes/apimachinery";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ClientOptions, createClient, createInformer, type ResourceRef } from "../index.ts";

const json = "application/json";
const scheme = await loadScheme();
const contentTypes = { contentType: protobufMediaType, accept: `${protobufMediaType},${json}`, scheme } as const;
const widgets: ResourceRef = { group: "x.io", version: "v1", plural: "widgets", kind: "Widget", scope: "Namespaced" };

interface Seen {
  readonly line: string;
  readonly accept: string | undefined;
  readonly type: string | undefined;
  readonly body: Buffer;
}

let seen: Seen[];
let answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;
const close: (() => void)[] = [];
let url: string;

beforeEach(async () => {
  seen = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { accept, "content-type": type } = request.headers;
    seen.push({ line: `${request.method} ${request.url}`, accept, type, body });
    answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close.push(() => {
    server.closeAllConnections();
    server.close();
  });
});
afterEach(() => {
  for (const each of close.splice(0)) each();
});

function connect(options: Partial<ClientOptions> = {}) {
  const client = createClient({ server: url, contentTypes, ...options });
  close.push(() => client.close());
  return client;
}

const pod = (name: string): Stored<core.Pod> =>
  canonicalize(core.Pod, {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, namespace: "a", uid: "u", resourceVersion: "5" },
    spec: { containers: [{ name: "c", image: "é" }] },
  }) as Stored<core.Pod>;

const respond = (response: ServerResponse, body: Buffer, code = 200, type: string = protobufMediaType): void => {
  response.writeHead(code, { "content-type": type }).end(body);
};
const respondJson = (response: ServerResponse, value: unknown, code = 200): void =>
  respond(response, Buffer.from(JSON.stringify(value)), code, json);
const answerPod = (_: IncomingMessage, response: ServerResponse): void =>
  respond(response, encodeProtobuf(core.Pod, pod("p")));

describe("requests", () => {
  beforeEach(() => {
    answer = answerPod;
  });

  test("writes of known kinds are protobuf, and ask for it", async () => {
    const pods = connect().resource(core.pods);
    expect(await pods.create(pod("p"))).toEqual(pod("p"));
    expect(await pods.update(pod("p"))).toEqual(pod("p"));
    expect(await pods.updateStatus(pod("p"))).toEqual(pod("p"));
    for (const { accept, type, body } of seen) {
      expect([accept, type]).toEqual([contentTypes.accept, protobufMediaType]);
      expect(decodeProtobuf(core.Pod, body)).toEqual(pod("p"));
    }
    expect(seen.map(({ line }) => line)).toEqual([
      "POST /api/v1/namespaces/a/pods",
      "PUT /api/v1/namespaces/a/pods/p",
      "PUT /api/v1/namespaces/a/pods/p/status",
    ]);
  });

  test("bodies of subresources have the kind of their path", async () => {
    const pods = connect().resource(core.pods).namespace("a");
    await pods.subresource("eviction").create("p", { metadata: { name: "p", namespace: "a" } });
    expect(decodeProtobuf(policy.Eviction, seen[0]?.body ?? Buffer.of())).toMatchObject({
      kind: "Eviction",
      apiVersion: "policy/v1",
      metadata: { name: "p" },
    });
    const preconditions = { uid: "u", resourceVersion: "5" };
    await pods.delete("p", { gracePeriodSeconds: 0, preconditions });
    expect(decodeProtobuf(DeleteOptions, seen[1]?.body ?? Buffer.of())).toEqual({
      ...{ kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0, preconditions },
    });
    await connect().request({ method: "DELETE", path: "/api/v1/namespaces/a/pods/p", body: { preconditions } });
    expect(decodeProtobuf(DeleteOptions, seen[2]?.body ?? Buffer.of())).toMatchObject({
      kind: "DeleteOptions",
      preconditions,
    });
  });

  test("the text of an object is protobuf as well, and the answer is text if the caller reads text", async () => {
    answer = (_, response) => respondJson(response, pod("p"));
    const path = "/api/v1/namespaces/a/pods";
    const read = await connect().request({
      ...{ method: "POST", path, body: JSON.stringify(pod("p")), decode: (text) => text.length },
    });
    expect(read).toBe(JSON.stringify(pod("p")).length);
    expect(seen).toEqual([
      { line: `POST ${path}`, accept: json, type: protobufMediaType, body: encodeProtobuf(core.Pod, pod("p")) },
    ]);
  });

  test("patches keep their type, and custom resources, own types and other paths are JSON", async () => {
    answer = (_, response) => respondJson(response, { metadata: { name: "w" } });
    const client = connect();
    await client
      .resource(core.pods)
      .namespace("a")
      .patch("p", { metadata: { labels: { a: "b" } } });
    await client
      .resource(widgets)
      .namespace("a")
      .create({ metadata: { name: "w" } });
    await client.resource(widgets).list();
    await client.request({ method: "GET", path: "/apis" });
    await client.request({ method: "GET", path: "/api/v1/namespaces/a/pods/p/log", accept: "*/*" });
    await client.request({ method: "POST", path: "/api/v1/namespaces/a/pods", contentType: json, body: pod("p") });
    await client.request({ method: "POST", path: "/api/v1/namespaces/a/pods", body: "{not JSON" });
    await client.request({ method: "POST", path: "/api/v1/namespaces/a/pods", body: { ...pod("p"), spec: 7 } });
    await client.request({
      method: "POST",
      path: "/api/v1/namespaces/a/pods",
      body: { kind: "Odd", apiVersion: "v1" },
    });
    expect(seen.map(({ line, accept, type = "" }) => `${line} ${accept} ${type}`)).toEqual([
      `PATCH /api/v1/namespaces/a/pods/p ${contentTypes.accept} application/merge-patch+json`,
      `POST /apis/x.io/v1/namespaces/a/widgets ${json} ${json}`,
      `GET /apis/x.io/v1/widgets ${json} `,
      `GET /apis ${json} `,
      "GET /api/v1/namespaces/a/pods/p/log */* ",
      ...Array.from({ length: 4 }, () => `POST /api/v1/namespaces/a/pods ${contentTypes.accept} ${json}`),
    ]);
  });

  test("without content types everything is JSON", async () => {
    answer = (_, response) => respondJson(response, pod("p"));
    await connect({ contentTypes: undefined }).resource(core.pods).create(pod("p"));
    expect(seen).toEqual([
      {
        ...{ line: "POST /api/v1/namespaces/a/pods", accept: json, type: json },
        body: Buffer.from(JSON.stringify(pod("p"))),
      },
    ]);
  });

  test("what the client accepts may differ from what it sends", async () => {
    const pods = connect({ contentTypes: { ...contentTypes, contentType: json, accept: protobufMediaType } });
    expect(await pods.resource(core.pods).create(pod("p"))).toEqual(pod("p"));
    expect([seen[0]?.accept, seen[0]?.type]).toEqual([protobufMediaType, json]);
  });
});

describe("responses", () => {
  test("a server without protobuf is asked again as JSON, and from then on at once", async () => {
    answer = (request, response) => {
      const { accept, "content-type": type } = request.headers;
      if (accept !== json) respondJson(response, failure("NotAcceptable", "no"), 406);
      else if (type !== undefined && type !== json) respondJson(response, failure("UnsupportedMediaType", "no"), 415);
      else respondJson(response, pod("p"));
    };
    const client = connect();
    expect(await client.resource(core.pods).create(pod("p"))).toEqual(pod("p"));
    await client.with({ userAgent: "other" }).resource(core.nodes).get("n");
    await client.resource(policy.podDisruptionBudgets).namespace("a").get("p");
    expect(seen.map(({ line, accept }) => `${line} ${accept}`)).toEqual([
      `POST /api/v1/namespaces/a/pods ${contentTypes.accept}`,
      `POST /api/v1/namespaces/a/pods ${json}`,
      `GET /api/v1/nodes/n ${json}`,
      `GET /apis/policy/v1/namespaces/a/poddisruptionbudgets/p ${contentTypes.accept}`,
      `GET /apis/policy/v1/namespaces/a/poddisruptionbudgets/p ${json}`,
    ]);
  });

  test("a patch that is not supported is an error, and changes nothing for later requests", async () => {
    answer = (request, response) =>
      request.method === "PATCH"
        ? respondJson(response, failure("UnsupportedMediaType", "no such patch"), 415)
        : answerPod(request, response);
    const pods = connect().resource(core.pods).namespace("a");
    await expect(pods.patch("p", {})).rejects.toMatchObject({ code: 415 });
    await pods.get("p");
    expect(seen.map(({ accept }) => accept)).toEqual([contentTypes.accept, contentTypes.accept]);
  });

  test("errors contain the server's Status", async () => {
    answer = (_, response) => respond(response, encodeProtobuf(Status, failure("NotFound", "no pod")), 404);
    const missing = connect().resource(core.pods).namespace("a").get("p");
    await expect(missing).rejects.toSatisfy(isNotFound);
    await expect(missing).rejects.toThrow("no pod");
  });

  test.each([
    ["nonsense", Buffer.from("nonsense")],
    ["an object of an unknown kind", encodeProtobuf(core.Pod, { ...pod("p"), kind: "Odd" } as never)],
    ["half an object", encodeProtobuf(core.Pod, pod("p")).subarray(0, 30)],
  ])("%s is an error that says so", async (_, body) => {
    answer = (_, response) => respond(response, body);
    await expect(connect().resource(core.pods).namespace("a").get("p")).rejects.toMatchObject({
      name: "TransportError",
      code: "EPROTO",
      message: `GET /api/v1/namespaces/a/pods/p: the response is not valid ${protobufMediaType}`,
    });
    answer = (_, response) => respond(response, body, 500);
    await expect(connect().resource(core.pods).namespace("a").get("p")).rejects.toMatchObject({ code: 500 });
  });
});

describe("watches and informers", () => {
  /** A list of these pods. */
  function sendList(response: ServerResponse, names: readonly string[]): void {
    const items = Buffer.concat(names.map((name) => encodeListItem(core.Pod, pod(name))));
    const { head, tail } = encodeListFrame("v1", "PodList", { resourceVersion: "9" }, items.length);
    respond(response, Buffer.concat([head, items, tail]));
  }
  const frame = (type: string, object: ApiObject): Buffer =>
    watchFrame(type, encodeProtobuf(core.Pod, object as core.Pod));
  const begin = (response: ServerResponse): ServerResponse =>
    response.writeHead(200, { "content-type": `${protobufMediaType};stream=watch` });
  const isWatch = ({ url = "" }: IncomingMessage): boolean => url.includes("watch=true");

  test("a watch yields events, and an error of the server ends it", async () => {
    const expired = watchFrame("ERROR", encodeProtobuf(Status, failure("Expired", "too old")));
    answer = (_, response) => begin(response).end(Buffer.concat([frame("ADDED", pod("p")), expired]));
    const events: unknown[] = [];
    const watching = (async () => {
      for await (const event of connect().resource(core.pods).watch({ resourceVersion: "1" })) events.push(event);
    })();
    await expect(watching).rejects.toSatisfy(isExpired);
    expect(events).toEqual([{ type: "ADDED", object: pod("p") }]);
  });

  test("a frame that cannot be read makes an informer list again", async () => {
    const stop = new AbortController();
    let watches = 0;
    answer = (request, response) => {
      if (!isWatch(request)) return sendList(response, watches === 0 ? ["p"] : ["p", "r"]);
      const first = watches++ === 0;
      begin(response).write(first ? Buffer.concat([frame("ADDED", pod("q")), Buffer.from("ffffffff", "hex")]) : "");
    };
    const informer = createInformer(connect(), core.pods);
    const added: string[] = [];
    informer.addHandler({ onAdd: ({ metadata }) => void added.push(metadata.name) });
    const running = informer.run(stop.signal);
    await expect.poll(() => watches, { timeout: 10_000 }).toBe(2);
    expect(
      informer.lister
        .list()
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(["p", "r"]);
    expect(added).toEqual(["p", "q", "r"]);
    // The second list is not older than what the watch has seen.
    expect(seen.map(({ line }) => line.replace(/&(limit|timeoutSeconds)=\d+/g, ""))).toEqual([
      "GET /api/v1/pods?resourceVersion=0",
      expect.stringContaining("watch=true"),
      expect.stringMatching(/^GET \/api\/v1\/pods(\?limit=\d+)?$/),
      expect.stringContaining("watch=true"),
    ]);
    expect(new Set(seen.map(({ accept }) => accept))).toEqual(new Set([contentTypes.accept]));
    stop.abort();
    await running;
  });
});
