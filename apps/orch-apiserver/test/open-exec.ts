import { readFileSync } from "node:fs";
import https from "node:https";
import type { Duplex } from "node:stream";
import type { TestApiServer } from "@orchernetes/testkit";

/** What came of a request to execute something: a stream, or an answer that says why not. */
export type Executed =
  | { readonly type: "stream"; readonly stream: Duplex }
  | { readonly type: "refused"; readonly status: number | undefined; readonly text: string };

/** Executes something in a pod of namespace default. */
export function openExec(server: TestApiServer, pod: string): Promise<Executed> {
  return new Promise((resolve, reject) => {
    const request = https.request({
      host: "127.0.0.1",
      port: server.port,
      path: `/api/v1/namespaces/default/pods/${pod}/exec?command=sh&stdin=true&stdout=true`,
      method: "POST",
      ca: readFileSync(server.caFile),
      agent: false,
      headers: { authorization: `Bearer ${server.token}`, connection: "Upgrade", upgrade: "SPDY/3.1" },
    });
    request.on("upgrade", (_, stream, head) => {
      if (head.length > 0) reject(new Error(`found ${head.toString()}`));
      stream.on("error", () => undefined);
      resolve({ type: "stream", stream });
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ type: "refused", status: response.statusCode, text: Buffer.concat(chunks).toString() }),
      );
    });
    request.on("error", reject);
    request.end();
  });
}

/** Executes something, and gives what comes back for `ping`, or the status and the text of the answer. */
export async function exec(server: TestApiServer, pod: string): Promise<string> {
  const executed = await openExec(server, pod);
  if (executed.type === "refused") return `${executed.status}: ${executed.text}`;
  const { stream } = executed;
  const back = new Promise<string>((resolve) => stream.once("data", (chunk: Buffer) => resolve(chunk.toString())));
  stream.write("ping");
  try {
    return await back;
  } finally {
    stream.destroy();
  }
}
