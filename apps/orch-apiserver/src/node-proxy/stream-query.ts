import { badRequest } from "@orchernetes/apimachinery";
import { isTrue } from "@orchernetes/apiserver";

/** Exec and attach: which streams the client wants, in the agent's words. @throws ApiError BadRequest */
export function streamQuery(query: URLSearchParams, subresource: string): URLSearchParams {
  const passed = new URLSearchParams();
  const wants = {
    input: isTrue(query.get("stdin")),
    output: isTrue(query.get("stdout")),
    error: isTrue(query.get("stderr")),
    tty: isTrue(query.get("tty")),
  };
  if (!wants.input && !wants.output && !wants.error)
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  if (wants.tty && wants.error) throw badRequest("tty and stderr cannot both be true");
  for (const [name, wanted] of Object.entries(wants)) if (wanted) passed.set(name, "1");
  if (subresource === "exec") {
    const command = query.getAll("command");
    if (command.length === 0) throw badRequest("you must specify command for the container");
    for (const word of command) passed.append("command", word);
  }
  return passed;
}

/** Port forward: the ports, in the agent's words. */
export function portQuery(query: URLSearchParams): URLSearchParams {
  const passed = new URLSearchParams();
  // WebSocket clients name the ports up front, SPDY clients per stream.
  for (const list of query.getAll("ports")) for (const port of list.split(",")) passed.append("port", port);
  return passed;
}
