import { readFileSync } from "node:fs";
import { get } from "node:https";
import type { TestApiServer } from "@orchernetes/testkit";

/** A watch that runs until it is closed or the server ends it. */
export interface Watching {
  /** `TYPE name`, in order; of an error its reason. Bookmarks are left out. */
  readonly events: string[];
  /** The resourceVersion of each event. */
  readonly versions: number[];
  readonly ended: boolean;
  close(): void;
}

/** Watches a collection on a connection of its own. */
export function watching(server: Pick<TestApiServer, "url" | "caFile" | "token">, path: string): Watching {
  const events: string[] = [];
  const versions: number[] = [];
  let ended = false;
  let rest = "";
  const request = get(
    `${server.url}${path}`,
    { ca: readFileSync(server.caFile), agent: false, headers: { authorization: `Bearer ${server.token}` } },
    (response) => {
      response.setEncoding("utf8").on("data", (part: string) => {
        const lines = (rest + part).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const { type, object } = JSON.parse(line) as {
            type: string;
            object: { metadata?: { name?: string; resourceVersion?: string }; reason?: string };
          };
          if (type === "BOOKMARK") continue;
          events.push(`${type} ${object.metadata?.name ?? object.reason}`);
          versions.push(Number(object.metadata?.resourceVersion ?? 0));
        }
      });
      response.on("error", () => undefined);
      response.on("close", () => {
        ended = true;
      });
    },
  );
  request.on("error", () => {
    ended = true;
  });
  return {
    events,
    versions,
    get ended() {
      return ended;
    },
    close: () => request.destroy(),
  };
}
