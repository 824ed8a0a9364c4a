import { readFileSync } from "node:fs";
import https from "node:https";
import type { TestApiServer } from "@orchernetes/testkit";

const MAX_LAG = /^nodejs_eventloop_lag_seconds\{quantile="1"\} (\S+)$/m;

/**
 * The longest that the server's event loop was held up since this was last asked, in milliseconds by the clock: waiting for a
 * core is in it, and so are the 20 ms between two looks.
 */
export async function longestStallMs(server: TestApiServer): Promise<number> {
  const seconds = MAX_LAG.exec(await metricsPage(server))?.[1];
  if (seconds === undefined) throw new Error("/metrics has no nodejs_eventloop_lag_seconds of quantile 1");
  return Number(seconds) * 1000;
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
