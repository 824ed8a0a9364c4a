import { request } from "node:http";
import { Duplex } from "node:stream";

/** Upgrades to a WebSocket with a subprotocol that the library does not let its clients offer. */
export async function upgrade(
  url: string,
  protocol: string,
): Promise<{ socket: Duplex; protocol: string | undefined }> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, {
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": protocol,
      },
    });
    outgoing.once("error", reject);
    outgoing.once("response", ({ statusCode }) => reject(new Error(`status ${statusCode}`)));
    outgoing.once("upgrade", (response, socket) => {
      resolve({ socket, protocol: response.headers["sec-websocket-protocol"] });
    });
    outgoing.end();
  });
}

/** The bytes in the binary messages of a WebSocket's client side; its library refuses the name, as the server's does. */
export function webSocketBytes(socket: Duplex): Duplex {
  let pending = Buffer.alloc(0);
  const bytes = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, callback) {
      // FIN and opcode binary; masked, with a mask of zeros; 16 bit length.
      const head = Buffer.from([0x82, 0x80 | 126, 0, 0, 0, 0, 0, 0]);
      head.writeUInt16BE(chunk.length, 2);
      socket.write(Buffer.concat([head, chunk]), () => callback());
    },
  });
  socket.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt8(1)) {
      const length = pending.readUInt8(1);
      bytes.push(pending.subarray(2, 2 + length));
      pending = pending.subarray(2 + length);
    }
  });
  return bytes;
}
