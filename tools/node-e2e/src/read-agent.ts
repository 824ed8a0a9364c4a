import { request } from "node:https";

/** What the agent answered, or as much of it as came in time. */
export interface AgentAnswer {
  readonly status: number;
  readonly body: string;
}

/** Most that is read of an answer, in bytes. */
const maxBytes = 1_000_000;

/** Reads from the agent's server, whose certificate it signed itself. @throws Error if there is no connection */
export async function readAgent(url: string, timeoutMs = 30_000): Promise<AgentAnswer> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { rejectUnauthorized: false, agent: false, timeout: timeoutMs }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const finish = () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
        outgoing.destroy();
      };
      const timer = setTimeout(finish, timeoutMs);
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > maxBytes) finish();
      });
      response.once("end", finish);
      response.once("error", finish);
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error(`no answer from ${url} within ${timeoutMs / 1000} s`)));
    outgoing.once("error", reject);
    outgoing.end();
  });
}
