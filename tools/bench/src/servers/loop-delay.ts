import { readFileSync } from "node:fs";
import https from "node:https";
import type { TestApiServer } from "@orchernetes/testkit";
import { figuresOf } from "../server-figures.ts";

/** The longest stall of the server's event loop since its metrics were last read: see `ServerFigures`. */
export async function longestStallMs(server: TestApiServer): Promise<number> {
  return figuresOf(await metricsPage(server)).stallMs;
}

function metricsPage({ url, token, caFile }: TestApiServer): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = https.get(`${url}/metrics`, { headers, ca: readFileSync(caFile) }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        body += piece;
      });
      response.on("end", () => resolve(body));
    });
    request.on("error", reject);
  });
}
