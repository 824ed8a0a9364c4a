import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { freePort } from "@orchernetes/testkit";
import { afterEach, expect, test } from "vitest";
import type { Route } from "./route.ts";
import { type UserspaceLimits, UserspaceProxy } from "./userspace-proxy.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

let draw = 0;
const proxyOf = (udpIdleMs = 250, limits: Partial<UserspaceLimits> = {}): UserspaceProxy => {
  const proxy = new UserspaceProxy({ clock: systemClock, logger: silentLogger, udpIdleMs, random: () => draw, limits });
  ends.push(() => proxy.close());
  return proxy;
};

const portOf = (server: { address(): unknown }): number => (server.address() as { readonly port: number }).port;

/** All that the other side sends. */
async function wholeOf(socket: Socket): Promise<string> {
  let text = "";
  // Reading a socket by `for await` would end its other direction, too.
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "end");
  return text;
}

/** A server that answers a whole request with its name and the request. */
async function tcpEndpoint(name: string) {
  const server: Server = createServer({ allowHalfOpen: true }, async (socket) => {
    const text = await wholeOf(socket);
    socket.end(`${name}:${text}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  return { address: "127.0.0.1", port: portOf(server) };
}

async function udpEndpoint(name: string) {
  const socket = createSocket("udp4");
  socket.on("message", (data, from) => socket.send(`${name}:${data}`, from.port, from.address));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  ends.push(() => socket.close());
  return { address: "127.0.0.1", port: portOf(socket) };
}

async function routeTo(...endpoints: Route["endpoints"]): Promise<Route> {
  const port = await freePort();
  const address = "127.96.0.11";
  return { namespace: "a", protocol: "tcp", address, port, endpoints, affinitySeconds: undefined, admits: () => true };
}

async function ask({ address, port }: Route, text: string): Promise<string> {
  const socket: Socket = connect({ host: address, port, allowHalfOpen: true });
  await once(socket, "connect");
  socket.end(text);
  return wholeOf(socket);
}

test("a connection is forwarded, and each side may end before the other", async () => {
  const route = await routeTo(await tcpEndpoint("one"));
  const proxy = proxyOf();
  await proxy.sync([route]);
  expect(await ask(route, "hello")).toBe("one:hello");
  const large = "x".repeat(3_000_000);
  expect((await ask(route, large)).length).toBe(large.length + 4);
});

test("an endpoint that refuses is passed over, and with affinity a client stays where it was", async () => {
  const dead = { address: "127.0.0.1", port: await freePort() };
  const [one, two] = [await tcpEndpoint("one"), await tcpEndpoint("two")];
  const route = { ...(await routeTo(dead, one, two)), affinitySeconds: 60 };
  const proxy = proxyOf();
  await proxy.sync([route]);
  draw = 0;
  expect(await ask(route, "a")).toBe("one:a");
  draw = 0.99;
  expect(await ask(route, "b")).toBe("one:b");
  // Its endpoint goes: it gets another one, and stays there when the first comes back.
  await proxy.sync([{ ...route, endpoints: [two] }]);
  expect(await ask(route, "c")).toBe("two:c");
  draw = 0.5;
  await proxy.sync([route]);
  expect(await ask(route, "d")).toBe("two:d");
  await proxy.sync([{ ...route, affinitySeconds: undefined }]);
  expect(await ask(route, "e")).toBe("one:e");
});

test("without routes nothing listens, and an open connection ends with its route", async () => {
  const route = await routeTo(await tcpEndpoint("one"));
  const proxy = proxyOf();
  await proxy.sync([route]);
  const socket = connect({ host: route.address, port: route.port });
  await once(socket, "connect");
  await proxy.sync([]);
  socket.on("error", () => undefined);
  if (!socket.destroyed) await once(socket, "close");
  await expect(ask(route, "a")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(proxy.size).toBe(0);
});

test("clients that a route does not admit are turned away, and so are all if no endpoint answers", async () => {
  const route = await routeTo(await tcpEndpoint("one"));
  const proxy = proxyOf();
  await proxy.sync([{ ...route, admits: () => false }]);
  await expect(ask(route, "a")).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
  await proxy.sync([{ ...route, endpoints: [{ address: "127.0.0.1", port: await freePort() }] }]);
  await expect(ask(route, "a")).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
});

test("a socket that is taken is tried again, and does not keep others from being served", async () => {
  const [route, other] = [await routeTo(await tcpEndpoint("one")), await routeTo(await tcpEndpoint("two"))];
  const taken = createServer().listen(route.port, route.address);
  await once(taken, "listening");
  const proxy = proxyOf();
  await proxy.sync([route, other]);
  expect(await ask(other, "a")).toBe("two:a");
  expect(proxy.size).toBe(1);
  taken.close();
  await once(taken, "close");
  await proxy.sync([route, other]);
  expect(await ask(route, "a")).toBe("one:a");
});

test("packets of a client go to one endpoint until it is silent, or its endpoint is gone", async () => {
  const [one, two] = [await udpEndpoint("one"), await udpEndpoint("two")];
  const route: Route = { ...(await routeTo(one, two)), protocol: "udp" };
  const proxy = proxyOf(300);
  await proxy.sync([route]);
  const client = createSocket("udp4");
  ends.push(() => client.close());
  const exchange = async (text: string): Promise<string> => {
    const answered = once(client, "message");
    client.send(text, route.port, route.address);
    const [data] = await answered;
    return String(data);
  };
  draw = 0;
  expect(await exchange("a")).toBe("one:a");
  draw = 0.9;
  expect(await exchange("b")).toBe("one:b");
  await systemClock.sleep(500);
  expect(await exchange("c")).toBe("two:c");
  await proxy.sync([{ ...route, endpoints: [one] }]);
  expect(await exchange("d")).toBe("one:d");
});

test("clients outside of the cluster reach only the endpoints that are for them", async () => {
  const [one, two] = [await tcpEndpoint("one"), await tcpEndpoint("two")];
  const route = await routeTo(one, two);
  const outside = (isOutside: boolean, ...endpoints: Route["endpoints"]): Route => ({
    ...route,
    outside: { endpoints, isOutside: () => isOutside },
  });
  const proxy = proxyOf();
  draw = 0;
  await proxy.sync([outside(true, two)]);
  expect(await ask(route, "a")).toBe("two:a");
  await proxy.sync([outside(false, two)]);
  expect(await ask(route, "b")).toBe("one:b");
  await proxy.sync([outside(true)]);
  await expect(ask(route, "c")).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
});

test("all routes together have limits of connections, which count those that are open", async () => {
  const routes = [await routeTo(await tcpEndpoint("one")), await routeTo(await tcpEndpoint("two"))] as const;
  const proxy = proxyOf(250, { connections: 1 });
  await proxy.sync(routes);
  const held = connect({ host: routes[0].address, port: routes[0].port });
  ends.push(() => held.destroy());
  await once(held, "connect");
  await expect.poll(() => ask(routes[1], "a").catch(({ code }) => code)).toMatch(/ECONNRESET|EPIPE/);
  held.destroy();
  await expect.poll(() => ask(routes[1], "a").catch(() => "")).toBe("two:a");
});

test("all routes together have limits of clients over UDP; one that is silent makes way", async () => {
  const endpoint = await udpEndpoint("one");
  const route: Route = { ...(await routeTo(endpoint)), protocol: "udp" };
  const other: Route = { ...(await routeTo(endpoint)), protocol: "udp" };
  const proxy = proxyOf(60_000, { exchanges: 1 });
  await proxy.sync([route, other]);
  const answerOf = async ({ port, address }: Route): Promise<string> => {
    const client = createSocket("udp4");
    ends.push(() => client.close());
    const answered = once(client, "message").then(([data]) => String(data));
    client.send("x", port, address);
    return Promise.race([answered, systemClock.sleep(500).then(() => "nothing")]);
  };
  expect(await answerOf(route)).toBe("one:x");
  expect(await answerOf(route)).toBe("one:x");
  expect(await answerOf(other)).toBe("nothing");
});

test("not more is listened on than all services, and those of one namespace, may have; what is served stays", async () => {
  const endpoint = await tcpEndpoint("one");
  const routes = await Promise.all(
    ["a", "a", "a", "b", "b"].map(async (namespace) => ({ ...(await routeTo(endpoint)), namespace })),
  );
  const proxy = proxyOf(250, { listening: 3, listeningPerNamespace: 2 });
  const served = async () => {
    const answers = await Promise.all(routes.map((route) => ask(route, "").catch(() => "")));
    return answers.flatMap((answer, i) => (answer === "" ? [] : [i]));
  };
  await proxy.sync(routes.slice(1));
  expect(await served()).toEqual([1, 2, 3]);
  await proxy.sync(routes);
  expect(await served()).toEqual([1, 2, 3]);
});
