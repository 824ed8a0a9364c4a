import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { respond } from "../serving/http.ts";
import { BodyTooLargeError, readBody } from "../serving/read-body.ts";

/** The path at which the verbosity of the log is changed. */
export const verbosityPath = "/debug/flags/v";

/** A level has at most ten digits. */
const maxBodyBytes = 1024;
const maxLevel = 2 ** 31 - 1;

/**
 * Serves `PUT /debug/flags/v`, whose body is the new `--v`. The level holds until the next change or the end of the process. Texts and
 * status codes are those of the original's components.
 */
export async function serveVerbosity(
  request: HttpRequest,
  response: HttpResponse,
  setVerbosity: (level: number) => void,
): Promise<void> {
  const answer = (status: number, text: string) => {
    const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
    respond(request, response, status, headers, `${text}\n`);
  };
  if (request.method !== "PUT") return answer(406, "unsupported http method");
  let text: string;
  try {
    text = (await readBody(request, maxBodyBytes)).toString("utf8");
  } catch (error) {
    // Nobody reads an answer to a client that has disconnected.
    if (!(error instanceof BodyTooLargeError)) return;
    return answer(400, `error reading request body: ${error.message}`);
  }
  const level = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(Math.abs(level) <= maxLevel)) {
    const why = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`;
    return answer(400, `failed set klog.logging.verbosity ${text}: ${why}`);
  }
  setVerbosity(level);
  answer(200, `successfully set klog.logging.verbosity to ${text}`);
}
