import https from "node:https";

/** A client for a few plain requests as administrator, apart from the fuzzed ones. */
export class JsonClient {
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 4 });
  readonly #server: { readonly port: number; readonly token: string; readonly ca: Buffer };

  constructor(server: { readonly port: number; readonly token: string; readonly ca: Buffer }) {
    this.#server = server;
  }

  /** Sends one request. Rejects when there is no complete response within 60 s. */
  send(
    method: string,
    path: string,
    body?: unknown,
    contentType = "application/json",
  ): Promise<{ readonly code: number; readonly text: string }> {
    const { port, token, ca } = this.#server;
    const content = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(content !== undefined && { "content-type": contentType, "content-length": Buffer.byteLength(content) }),
      };
      const request = https.request(
        { host: "127.0.0.1", port, ca, agent: this.#agent, method, path, headers, signal: AbortSignal.timeout(60_000) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        },
      );
      request.on("error", reject);
      request.end(content);
    });
  }

  /** Closes its connections. */
  close(): void {
    this.#agent.destroy();
  }
}
