import { once } from "node:events";
import { createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { notFound } from "@orchernetes/apimachinery";
import type { RequestContext, RequestHandler, UpgradeContext } from "@orchernetes/apiserver";
import { afterEach, describe, expect, test } from "vitest";
import { createDestinationResolver, type DestinationResolver } from "../dial/destination-resolver.ts";
import { forwardableHeaders, proxyHttp } from "./http-proxy.ts";
import { identifyingHeaders, withoutIdentity } from "./identifying-headers.ts";
import { podProxyHandler } from "./proxy.ts";
import { serviceProxyHandler } from "./service-proxy.ts";

const { signal } = new AbortController();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

type Objects = Readonly<Record<string, object>>;

/** Where a handler would connect to, of a cluster with the given objects in namespace `ns`. */
async function destination(
  make: (destinations: DestinationResolver) => RequestHandler,
  name: string,
  objects: Objects,
): Promise<string> {
  const rules = createDestinationResolver({ isOwnListener: ({ port }) => port === 6443 });
  let found = "";
  const stop = new Error("found");
  const destinations: DestinationResolver = {
    async resolve(...asked) {
      const { host, port } = await rules.resolve(...asked);
      found = `${host}:${port}`;
      throw stop;
    },
  };
  const registry = {
    forDefinition: ({ plural }: { readonly plural: string }) => ({
      get: async (ref: { readonly namespace: string; readonly name: string }) => {
        const object = ref.namespace === "ns" ? objects[`${plural}/${ref.name}`] : undefined;
        if (object === undefined) throw notFound({ group: "", plural }, ref.name);
        return { metadata: ref, ...object };
      },
    }),
  };
  const requestInfo = { namespace: "ns", name, path: "", query: "", resource: "pods" };
  const context = { registry, requestInfo, signal, admit: async () => undefined } as unknown as RequestContext;
  try {
    await make(destinations).handle(context);
  } catch (error) {
    if (error !== stop) throw error;
  }
  return found;
}

const pod = (
  ip: string | undefined,
  phase = "Running",
  ports: readonly object[] = [{ name: "web", containerPort: 8080 }],
) => ({
  spec: { containers: [{ name: "c", ports }] },
  status: { phase, ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }) },
});

describe("pods/proxy", () => {
  test.each([
    ["p", pod("10.0.0.1"), "10.0.0.1:8080"],
    ["p:web", pod("10.0.0.1"), "10.0.0.1:8080"],
    ["p:90", pod("10.0.0.1"), "10.0.0.1:90"],
    ["https:p:90", pod("fd00::1"), "fd00::1:90"],
  ])("%s (%#)", async (name, object, want) => {
    expect(await destination(podProxyHandler, name, { "pods/p": object })).toBe(want);
  });

  test.each([
    ["of this machine", "p", pod("127.0.0.1")],
    ["that is link-local", "p", pod("169.254.169.254")],
    ["at which this server listens", "p:6443", pod("10.0.0.1")],
    ["that was another pod's before, or is now", "p", pod("10.0.0.1", "Succeeded")],
    ["that is not there yet", "p", pod(undefined)],
  ])("an address %s is not dialled", async (_, name, object) => {
    await expect(destination(podProxyHandler, name, { "pods/p": object })).rejects.toThrow(/^address not allowed/);
  });
});

describe("services/proxy", () => {
  const service = { spec: { ports: [{ name: "web", port: 80 }] } };
  const of = (namespace: string, name: string) => ({ targetRef: { kind: "Pod", namespace, name } });
  const cluster = (...addresses: readonly object[]): Objects => ({
    "services/s": service,
    "endpoints/s": { subsets: [{ addresses, ports: [{ name: "web", port: 8080 }] }] },
    "pods/p": pod("10.0.0.1"),
    "pods/local": pod("127.0.0.1"),
    "pods/ended": pod("10.0.0.5", "Failed"),
  });

  test.each([
    ["the address of its pod", [{ ip: "10.0.0.1", ...of("ns", "p") }]],
    [
      "among others that lead elsewhere",
      [{ ip: "10.9.9.9" }, { ip: "10.0.0.1", ...of("ns", "p") }, { ip: "10.9.9.8" }],
    ],
  ])("%s", async (_, addresses) => {
    for (let i = 0; i < 10; i++)
      expect(await destination(serviceProxyHandler, "s:web", cluster(...addresses))).toBe("10.0.0.1:8080");
  });

  test.each([
    ["that belongs to no pod", { ip: "10.9.9.9" }, /^no endpoints available/],
    ["that is not its pod's", { ip: "10.9.9.9", ...of("ns", "p") }, /^no endpoints available/],
    ["of a pod of another namespace", { ip: "10.0.0.1", ...of("other", "p") }, /^no endpoints available/],
    ["of a pod that is gone", { ip: "10.0.0.1", ...of("ns", "gone") }, /^no endpoints available/],
    ["of a pod that has ended", { ip: "10.0.0.5", ...of("ns", "ended") }, /^no endpoints available/],
    ["of this machine", { ip: "127.0.0.1", ...of("ns", "local") }, /^address not allowed/],
  ])("an endpoint %s is not dialled", async (_, address, message) => {
    await expect(destination(serviceProxyHandler, "s:web", cluster(address))).rejects.toThrow(message);
  });
});

test.each([
  ["base64url.bearer.authorization.o8s.io.eHg", undefined],
  ["base64url.bearer.authorization.k8s.io.eHg", undefined],
  ["v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.eHg", "v4.channel.k8s.io"],
  ["Base64URL.bearer.authorization.o8s.io.eHg,a,b", "a,b"],
  ["base64.channel.o8s.io", "base64.channel.o8s.io"],
])("of the subprotocols %s a server behind this one sees %s", (sent, want) => {
  const headers = { "sec-websocket-protocol": sent, authorization: "Bearer x", "x-remote-user": "root", a: "b" };
  expect(forwardableHeaders({ headers })).toEqual({ a: "b", ...(want && { "sec-websocket-protocol": want }) });
});

test("headers in which a front proxy names the user are not forwarded, by requests and by upgrades", async () => {
  const identifying = identifyingHeaders({
    "requestheader-username-headers": ["X-User"],
    "requestheader-group-headers": ["X-Group"],
    "requestheader-extra-headers-prefix": ["X-Extra-"],
  });
  const seen: object[] = [];
  const keep = async ({ req }: { readonly req: { readonly headers: object } }) => void seen.push({ ...req.headers });
  const handler = { verbs: [], handle: keep, upgrade: keep } as unknown as RequestHandler;
  const forwarding = withoutIdentity(handler, identifying);
  const context = () => ({ req: { headers: { "x-user": "root", "x-group": "g", "x-extra-a": "1", a: "b" } } });
  await forwarding.handle(context() as unknown as RequestContext);
  await forwarding.upgrade?.(context() as unknown as UpgradeContext);
  expect(seen).toEqual([{ a: "b" }, { a: "b" }]);
});

describe("answers", () => {
  /** What a client gets of a server through the proxy; rejections as text. */
  async function answer(listener: RequestListener, options: object = {}): Promise<IncomingMessage | string> {
    const port = await listen(listener);
    const target = { protocol: "http:", host: "127.0.0.1", port, path: "/" } as const;
    const settings = { timeoutMs: 5000, signal, describe: "it", redirects: "refused", ...options } as const;
    let failed = "";
    const front = await listen((request, response) => {
      proxyHttp(request, response, target, settings).catch((error: Error) => {
        failed = error.message;
        response.destroy();
      });
    });
    const request = get({ port: front, host: "127.0.0.1", agent: false });
    try {
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      return response;
    } catch {
      return failed;
    }
  }

  test("that open themselves to other origins do not open this server's", async () => {
    const got = await answer((_, response) =>
      response
        .writeHead(200, { "access-control-allow-origin": "*", "access-control-allow-credentials": "true", a: "b" })
        .end(),
    );
    expect(got).toMatchObject({ statusCode: 200, headers: { a: "b" } });
    expect(Object.keys((got as IncomingMessage).headers).filter((name) => name.startsWith("access-"))).toEqual([]);
  });

  test("that redirect are refused where the client may not be sent elsewhere", async () => {
    const redirect: RequestListener = (_, response) => response.writeHead(302, { location: "https://x/" }).end();
    expect(await answer(redirect)).toMatch(/it answered with a redirect, which is not permitted/);
    expect(await answer(redirect, { redirects: "passed" })).toMatchObject({ statusCode: 302 });
  });

  test("that do not begin in time are an error", async () => {
    expect(await answer(() => undefined, { timeoutMs: 50 })).toMatch(
      /error trying to reach it: no response within 50 ms/,
    );
  });
});
