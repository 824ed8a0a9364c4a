import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { upgrade, webSocketBytes } from "../../testing/tunnel-client.ts";
import { startStreamingServer } from "../streaming-server.ts";
import { createSpdyConnection } from "./spdy-connection.ts";

test.each(["SPDY/3.1+portforward.k8s.io", "SPDY/3.1+portforward.o8s.io"])(
  "%s tunnels SPDY in a WebSocket",
  async (name) => {
    const server = await startStreamingServer({
      backend: {
        exec: async () => 0,
        attach: async () => {},
        async portForward(_sandbox, _port, stream) {
          stream.pipe(stream);
          await once(stream, "end");
        },
      },
    });
    const url = server.url({ kind: "portforward", request: { podSandboxId: "p", port: [] } });
    const { socket, protocol } = await upgrade(url, name);
    expect(protocol).toBe(name);
    const connection = createSpdyConnection(webSocketBytes(socket), { role: "client" });
    const error = await connection.open({ streamtype: "error", port: "80", requestid: "1" });
    const data = await connection.open({ streamtype: "data", port: "80", requestid: "1" });
    error.end();
    data.end("there and back");
    expect(await text(data)).toBe("there and back");
    socket.destroy();
    await server.close();
  },
);
